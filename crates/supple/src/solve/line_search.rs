//! How far to go along a direction: Armijo's rule, never out of an energy's domain.

use super::{Problem, Run};
use crate::math::nodes::{Row, dot};
use crate::term::Sums;

/// A point of the search: ε, what the terms say, and the gradient in the caller's memory.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// ε(x).
    pub objective: f64,
    /// Sums over the elements.
    pub sums: Sums,
}

/// Part of the decrease promised by the slope that must be had.
const ARMIJO: f64 = 1e-4;

/// Differences of ε below this part of it are rounding.
const ROUNDING: f64 = 1e-13;

/// Most points tried.
const TRIES: usize = 40;

/// Moves the iterate from `from` along `direction`, 1 times its length or less, to a point with a lower ε and no element that is
/// outside of its domain and was inside before. `gradient` becomes that of the new point. `None`, and the iterate back at `from`,
/// if there is no such point.
pub fn search(
    p: &mut Problem<'_>,
    run: &mut Run<'_, '_>,
    (from, here): (&[Row], &Point),
    direction: &[Row],
    slope: f64,
    gradient: &mut [Row],
) -> Option<Point> {
    let mut length = 1.0;
    let noise = ROUNDING * here.objective.abs() + p.energy_rounding();
    for _ in 0..TRIES {
        for (x, (f, d)) in p.x.iter_mut().zip(from.iter().zip(direction)) {
            for c in 0..3 {
                x.0[c] = f.0[c] + length * d.0[c];
            }
        }
        let start = run.clock.seconds();
        let (objective, sums) = p.gradient(gradient);
        run.local += run.clock.seconds() - start;
        let inside = objective.is_finite() && sums.forbidden <= here.sums.forbidden;
        if inside {
            let change = objective - here.objective;
            let lower = change <= ARMIJO * length * slope;
            // At the end ε no longer tells, but its slope does (approximate Wolfe condition, Hager & Zhang 2005): it goes downhill all the way, or
            // up again for less than it went down.
            let flat = change.abs() <= noise && dot(gradient, direction) <= 0.9 * slope.abs();
            if lower || flat {
                return Some(Point { objective, sums });
            }
            // The minimum of the parabola through both values and the slope.
            let best = -slope * length * length / (2.0 * (change - slope * length));
            length = if best.is_finite() { best.clamp(0.1 * length, 0.5 * length) } else { 0.5 * length };
        } else {
            length *= 0.5;
        }
    }
    p.x[..from.len()].copy_from_slice(from);
    None
}
