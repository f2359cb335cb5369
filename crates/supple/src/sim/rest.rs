//! Bodies at rest on something stay exactly where they are.
//!
//! A step is solved to the tolerance. What holds a body that lies on a floor is friction, which knows only of where the step began: nothing leads it
//! back, and what each step leaves of the tolerance adds up to a walk. So of all states within the tolerance the one at rest is taken: a body that
//! something touches, and that neither moved nor would move by more than [`PART`] of what may be left, has not moved.

use super::Simulation;

/// The part of what the tolerance leaves (docs/conventions.md, "Converged": the lesser of tolerance·L and 1000·tolerance·a).
const PART: f64 = 0.01;

/// What a step did to a body: m, squared.
#[derive(Clone, Copy, Debug, Default)]
struct Ways {
    /// The longest way of this step and of the last one.
    way: f64,
    /// The longest way on which outer forces would send it.
    outer: f64,
    touched: bool,
}

impl Simulation {
    /// After a step that has converged: puts what rests back to where it was. Bodies that touch each other rest together or not at all, since
    /// they may be as near to each other as that is far.
    pub(super) fn keep_at_rest(&mut self) {
        let (state, work, free) = (&self.state, &mut self.work, self.free);
        let tolerance = self.settings.solve.tolerance;
        let forces = self.contact.force();
        // Recorded steps are those of the equations, which derivatives go through.
        let recorded = self.tape.is_some();
        let driven = (free..work.x.len()).any(|i| work.x[i].0 != state.x[i].0);
        if recorded || tolerance <= 0.0 || forces.is_empty() || driven || !self.axes.is_empty() {
            return;
        }
        let mut ways = vec![Ways::default(); work.body_size.len()];
        for (i, &body) in work.body.iter().enumerate() {
            let Some(own) = ways.get_mut(body as usize) else { continue };
            let square = |a: &[f64; 4], b: &[f64; 4]| -> f64 { (0..3).map(|c| (a[c] - b[c]).powi(2)).sum() };
            let (before, coasting) = (&state.x[i].0, &work.x_free[i].0);
            own.way = own.way.max(square(&work.x[i].0, before)).max(square(coasting, before));
            own.outer = own.outer.max(square(&work.x_tilde[i].0, coasting));
            own.touched |= forces.get(i).is_some_and(|f| f.0 != [0.0; 4]);
        }
        let rests = |(w, size): (&Ways, &f64)| {
            let most = PART * tolerance * size.min(1000.0 * w.outer.sqrt());
            w.touched && w.way <= most * most
        };
        let resting: Vec<bool> = ways.iter().zip(&work.body_size).map(rests).collect();
        if self.contact.by_potential() && !resting.iter().all(|r| *r) {
            return;
        }
        for (i, &body) in work.body.iter().enumerate() {
            if resting.get(body as usize).is_some_and(|r| *r) {
                work.x[i] = state.x[i];
            }
        }
    }
}
