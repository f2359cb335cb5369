//! Where a step's iteration starts.

use super::Problem;
use crate::math::nodes::Row;
use crate::term::Sums;

/// What the last step left for the choice of a start.
pub struct History<'a> {
    /// x_n.
    pub x: &'a [Row],
    /// The acceleration of the last step in m/s².
    pub acceleration: &'a [Row],
    /// The same of the step before it.
    pub before: &'a [Row],
    /// Acceleration of gravity in m/s².
    pub gravity: [f64; 3],
}

/// Puts the iterate at a candidate: x̃, x_n, x_n + Δt v, that plus gravity as far as it acted in the last step, that plus Δt² a_n, and that
/// plus Δt²(2a_n − a_(n−1)), accelerations going on as they changed. Pinned nodes are at their targets in all of them.
fn place(problem: &mut Problem<'_>, history: &History<'_>, candidate: usize) {
    let (h2, g) = (problem.dt * problem.dt, history.gravity);
    let g2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    for i in 0..problem.free() {
        let (x_free, a) = (problem.x_free[i].0, history.acceleration[i].0);
        problem.x[i] = match candidate {
            0 => problem.x_tilde[i],
            1 => history.x[i],
            2 => problem.x_free[i],
            3 => {
                // The share of gravity, between none and all, that the last acceleration had.
                let along = a[0] * g[0] + a[1] * g[1] + a[2] * g[2];
                let share = if g2 > 0.0 { (along / g2).clamp(0.0, 1.0) } else { 0.0 };
                Row([
                    x_free[0] + h2 * share * g[0],
                    x_free[1] + h2 * share * g[1],
                    x_free[2] + h2 * share * g[2],
                    0.0,
                ])
            }
            4 => Row([x_free[0] + h2 * a[0], x_free[1] + h2 * a[1], x_free[2] + h2 * a[2], 0.0]),
            _ => {
                let b = history.before[i].0;
                let ahead = |c: usize| x_free[c] + h2 * (2.0 * a[c] - b[c]);
                Row([ahead(0), ahead(1), ahead(2), 0.0])
            }
        };
    }
    problem.put_held();
}

/// Sets the iterate to the candidate with the lowest objective; without the last one, which foresees only what moves smoothly.
pub fn best(problem: &mut Problem<'_>, history: &History<'_>) {
    let (mut lowest, mut chosen) = (f64::INFINITY, 0);
    for candidate in 0..5 {
        place(problem, history, candidate);
        let sums = problem.terms.energy(problem.x, problem.exec);
        let objective = problem.inertia(problem.x) + sums.energy - work(problem);
        if objective < lowest {
            (lowest, chosen) = (objective, candidate);
        }
    }
    place(problem, history, chosen);
    problem.carry();
}

/// The same for methods that go on with the gradient, which is kept: candidates of which the tangent at the best one so far says that they are higher
/// are not looked at. Along the way to them ε − ½Δt⁻²‖M^½(x − x_best)‖² is taken to be convex; where it is not, a start may be missed that is lower, and
/// nothing else. Candidates in which an element is inverted or flat are taken only if it is so in all. Returns what the terms say there.
pub fn best_with_gradient(
    problem: &mut Problem<'_>,
    history: &History<'_>,
    memory: &mut super::Descent,
) -> Sums {
    let (free, inv) = (problem.free(), 1.0 / (problem.dt * problem.dt));
    memory.prepare_start(free);
    let mut best: Option<(bool, f64, super::line_search::Point)> = None;
    // The one that is best where motion is smooth comes first.
    for candidate in [5, 4, 3, 2, 1, 0] {
        place(problem, history, candidate);
        if let Some((false, _, _)) = best {
            let (x, y, g) = (&memory.from, &*problem.x, &memory.gradient);
            let force = problem.contact.force();
            let mut rise = 0.0;
            for i in 0..free {
                for c in 0..3 {
                    let (d, f) = (y[i].0[c] - x[i].0[c], force.get(i).map_or(0.0, |f| f.0[c]));
                    rise += (g[i].0[c] - f + 0.5 * inv * problem.mass[i] * d) * d;
                }
            }
            if rise >= 0.0 {
                continue;
            }
        }
        let (objective, sums) = problem.gradient(&mut memory.next);
        let value = objective - work(problem);
        let rank = (sums.degenerate > 0, if value.is_nan() { f64::INFINITY } else { value });
        if best.is_none_or(|(bad, lowest, _)| rank < (bad, lowest)) {
            best = Some((rank.0, rank.1, super::line_search::Point { objective, sums }));
            std::mem::swap(&mut memory.gradient, &mut memory.next);
            memory.from.copy_from_slice(&problem.x[..free]);
        }
    }
    problem.x[..free].copy_from_slice(&memory.from);
    let point = best.map(|(_, _, point)| point);
    memory.at_start = if problem.carry() { None } else { point };
    point.map_or(Sums::default(), |p| p.sums)
}

/// Work of the forces that contacts have had, along the way from x_n + Δt v, in J: with them what rests has its lowest objective where it
/// rests.
fn work(problem: &Problem<'_>) -> f64 {
    let parts = problem.contact.force().iter().zip(problem.x.iter()).zip(problem.x_free);
    parts.map(|((f, x), y)| (0..3).map(|c| f.0[c] * (x.0[c] - y.0[c])).sum::<f64>()).fold(0.0, |a, b| a + b)
}
