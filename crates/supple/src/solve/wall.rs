//! Elements at the wall of their domain, in methods that minimise along directions.
//!
//! The forces with which walls keep elements in the domain are found between minimisations (`term/wall.rs`). Each leaves an error that is smaller than
//! the one before by the ratio of the surroundings' stiffness to that of the wall, which therefore grows.

use super::descent::End;
use super::{Problem, Run, Status};
use crate::term::Walls;

/// A wall holds if stretches are within the tolerance of it, but no less and no more than this.
const LEAST_GAP: f64 = 1e-9;
const MOST_GAP: f64 = 1e-3;

/// How much stiffer walls get between two minimisations, and at most.
const GROWTH: f64 = 4.0;
const MOST_GROWN: f64 = 1e4;

/// Most minimisations in a step.
const MOST: usize = 60;

/// How near to the wall is at it, as a stretch.
pub(super) fn gap(run: &Run<'_, '_>) -> f64 {
    run.settings.tolerance.clamp(LEAST_GAP, MOST_GAP)
}

/// The wall before it is known who feels it.
pub(super) fn first(run: &Run<'_, '_>) -> Walls {
    Walls::Push { at: gap(run), grown: 1.0 }
}

/// As long as forces of walls are off by much, a minimum need only be this share of that accurate: a length over that of the body.
const SHARE: f64 = 0.01;

/// The same before they are known.
pub(super) const LOOSE: f64 = 1e-4;

/// Minimises by `once` until the forces of walls hold to the tolerance. They stay until [`super::minimise`] takes them away. `once` may take its
/// last argument for the tolerance where elements feel a wall and it is the greater one; it is `loose` at first.
pub(super) fn within<'a, 'o>(
    p: &mut Problem<'_>,
    run: &mut Run<'a, 'o>,
    mut loose: f64,
    once: &mut dyn FnMut(&mut Problem<'_>, &mut Run<'a, 'o>, f64) -> End,
) -> End {
    let gap = gap(run);
    let mut grown = 1.0;
    p.terms.walls(first(run));
    let mut end = once(p, run, loose);
    for _ in 0..MOST {
        let settled = matches!(end.status, Status::Converged | Status::Stalled);
        if !settled || !p.terms.leaned() {
            return end;
        }
        // Half of it, so that σ3 > 0 also where it counts as held.
        let off = p.terms.press(p.x, 0.5 * gap);
        let held = off <= 0.5 * gap;
        if held && loose <= run.settings.tolerance {
            return end;
        }
        // Without another iteration it is not what it says.
        end.status = Status::Stalled;
        if run.used_up() {
            end.status = Status::IterationLimit;
            return end;
        }
        if held {
            loose = 0.0;
        } else {
            loose = loose.min(SHARE * off);
            grown = (grown * GROWTH).min(MOST_GROWN);
            p.terms.walls(Walls::Push { at: gap, grown });
        }
        end = once(p, run, loose);
    }
    end.status = Status::Stalled;
    end
}
