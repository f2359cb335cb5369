//! Whether a step may be taken: nothing has left the scene, all numbers are finite.

use super::Simulation;
use crate::error::StepError;

/// A step that has not converged and moves a node by so many sizes of the scene is rolled back.
const FAR: f64 = 1e3;

impl Simulation {
    /// True if a node went further than [`FAR`] times the size of the scene, bodies at rest included, and the way that it would go without elastic forces.
    pub(super) fn has_left_the_scene(&self) -> bool {
        let (x_n, x) = (&self.state.x, &self.work.x);
        let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        let mut way = 0.0f64;
        for (x, to) in x_n.iter().zip(&self.work.x_tilde) {
            for c in 0..3 {
                bounds[0][c] = bounds[0][c].min(x.0[c]);
                bounds[1][c] = bounds[1][c].max(x.0[c]);
                way = way.max((to.0[c] - x.0[c]).abs());
            }
        }
        let size = (0..3).map(|c| (bounds[1][c] - bounds[0][c]).powi(2)).sum::<f64>().sqrt();
        // A body may be on its way out of a point.
        let size = self.work.body_size.iter().copied().fold(size, f64::max);
        // What is not finite is an error of its own.
        x_n.iter()
            .zip(x)
            .any(|(a, b)| b.is_finite() && (0..3).any(|c| (a.0[c] - b.0[c]).abs() > FAR * (size + way)))
    }

    /// The first node whose new position, velocity or acceleration is not finite.
    pub(super) fn first_non_finite(&self) -> Option<usize> {
        let (s, state) = (self.matrix_step, &self.state);
        // A node that is not finite before the solve is the cause: name it.
        let given =
            |i: usize| [&state.x[i], &state.v[i], &self.work.x_tilde[i]].iter().all(|r| r.is_finite());
        let before = (0..state.x.len()).find(|&i| !given(i));
        if before.is_some() {
            return before;
        }
        (0..self.work.x.len()).find(|&i| {
            (0..3).any(|c| {
                let v = (self.work.x[i].0[c] - self.work.x_base[i].0[c]) / s;
                let a = (v - self.work.v_base[i].0[c]) / s;
                !(self.work.x[i].0[c].is_finite() && v.is_finite() && a.is_finite())
            })
        })
    }

    pub(super) fn non_finite(&self, i: usize) -> StepError {
        let (body, node) = self.name_of(i);
        let element = self.terms.batches().iter().find_map(|b| {
            let e = b.find_non_finite()?;
            let (body, number) = b.origin(e)?;
            let name = self.bodies.get(body as usize).map_or("", |b| b.name.as_str());
            Some(format!("{} element {number} of body `{name}`", b.name()))
        });
        StepError::NonFinite { body, node, element }
    }

    /// An energy that is not finite, blamed on the node that moves fastest.
    pub(super) fn overflow(&self, elastic: f64, kinetic: f64) -> StepError {
        let way = |i: usize| {
            let d = |c: usize| (self.work.x[i].0[c] - self.state.x[i].0[c]).abs();
            d(0).max(d(1)).max(d(2))
        };
        let fastest = (0..self.work.x.len()).max_by(|&i, &j| way(i).total_cmp(&way(j))).unwrap_or_default();
        let (body, node) = self.name_of(fastest);
        StepError::Energy { body, node, elastic, kinetic }
    }

    /// While observers look, the order of nodes is lent to them: errors are named afterwards.
    pub(super) fn rename(&self, e: StepError) -> StepError {
        match (e, self.first_non_finite()) {
            (StepError::NonFinite { .. }, Some(i)) => self.non_finite(i),
            (StepError::Energy { elastic, kinetic, .. }, _) => self.overflow(elastic, kinetic),
            (e, _) => e,
        }
    }
}
