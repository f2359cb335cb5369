//! Projective dynamics exactly: (27) p = the projection of Dx, (28), (29) (M + Δt² Σ kDᵀD) x = M x̃ + Δt² Σ kDᵀp.
//!
//! The weights are w² = kV, so the matrix of the global step is that of projective dynamics.

use super::stop::{Progress, by_forces};
use super::{Outcome, Problem, Run};
use crate::settings::{DualStart, Method};

/// Minimises (5) from the problem's iterate.
pub fn minimise(p: &mut Problem<'_>, run: &mut Run<'_, '_>) -> Outcome {
    let h2 = p.dt * p.dt;
    let mut progress = Progress::new();
    p.method = Method::Projective;
    p.terms.reset(p.x, DualStart::Zero, p.exec);
    p.find_rounding();
    let status = loop {
        let start = run.clock.seconds();
        p.terms.project(p.x, p.exec);
        let middle = run.clock.seconds();
        p.global_step(h2, run);
        let end = run.clock.seconds();
        run.local += middle - start;
        run.global += end - middle;
        let last = run.look(p, end - start);
        if let Some(status) = by_forces(p, run, &mut progress, last) {
            break status;
        }
    };
    let dual = p.dual();
    Outcome { dual, ..run.end(p, Method::Projective, status, 0.0) }
}
