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
    /// Acceleration of gravity in m/s².
    pub gravity: [f64; 3],
}

/// Sets the iterate to the candidate with the lowest objective among x̃, x_n, x_n + Δt v, that plus gravity as far as
/// it acted in the last step, and that plus Δt² a_n. Pinned nodes are at their targets in all of them. With `sound`, candidates
/// in which an element is inverted or flat are taken only if it is so in all. Returns what the terms say there.
pub fn best(problem: &mut Problem<'_>, history: &History<'_>, sound: bool) -> Sums {
    let h2 = problem.dt * problem.dt;
    let free = problem.free();
    let g = history.gravity;
    let g2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    let mut lowest = (true, f64::INFINITY);
    let mut chosen = (0, Sums::default());
    let place = |problem: &mut Problem<'_>, candidate: usize| {
        for i in 0..free {
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
                _ => Row([x_free[0] + h2 * a[0], x_free[1] + h2 * a[1], x_free[2] + h2 * a[2], 0.0]),
            };
        }
        problem.put_held();
    };
    for candidate in 0..5 {
        place(problem, candidate);
        let sums = problem.terms.energy(problem.x, problem.exec);
        let objective = problem.inertia(problem.x) + sums.energy - work(problem);
        let rank = (sound && sums.degenerate > 0, if objective.is_nan() { f64::INFINITY } else { objective });
        if candidate == 0 || rank < lowest {
            (lowest, chosen) = (rank, (candidate, sums));
        }
    }
    place(problem, chosen.0);
    problem.carry();
    chosen.1
}

/// Work of the forces that contacts have had, along the way from x_n + Δt v, in J: with them what rests has its lowest objective where it
/// rests.
fn work(problem: &Problem<'_>) -> f64 {
    let parts = problem.contact.force().iter().zip(problem.x.iter()).zip(problem.x_free);
    parts.map(|((f, x), y)| (0..3).map(|c| f.0[c] * (x.0[c] - y.0[c])).sum::<f64>()).fold(0.0, |a, b| a + b)
}
