//! The first Hessian B₀ of a descent, who decides on it, and B₀⁻¹.

use super::newton::Hessian;
use crate::math::nodes::Row;
use crate::solve::{Problem, Run};

/// Steps of A⁻¹g underestimate those of H⁻¹g by up to so much: the tolerance is divided by it.
pub(super) const CAUTION: f64 = 100.0;

/// The first Hessian B₀; each direction is −B⁻¹g, B being B₀ corrected by the last steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// A multiple of the identity.
    Identity,
    /// A/Δt², the matrix of ADMM.
    Matrix,
    /// The Hessian factored last.
    Hessian,
}

/// Who decides on the first Hessian of each iteration.
pub trait Policy {
    /// Called before each iteration; `done` of them with the present factor or matrix. May factor a Hessian at the iterate.
    fn metric(
        &mut self,
        p: &mut Problem<'_>,
        run: &mut Run<'_, '_>,
        hessian: &mut Hessian,
        done: usize,
    ) -> Choice;
}

/// What a [`Policy`] says.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The first Hessian.
    pub metric: Metric,
    /// True if it is another one than before: what was learned about the last one is forgotten.
    pub fresh: bool,
    /// Seconds that the next one is sure to take; 0 if there may be none.
    pub seconds: f64,
}

/// v ← B₀⁻¹v. `gamma` is sᵀy/yᵀy of the last step, for a multiple of the identity.
pub(super) fn apply(
    p: &mut Problem<'_>,
    run: &mut Run<'_, '_>,
    metric: Metric,
    hessian: &mut Hessian,
    v: &mut [Row],
    gamma: Option<f64>,
) {
    let start = run.clock.seconds();
    let h2 = p.dt * p.dt;
    let scale = |v: &mut [Row], a: f64| v.iter_mut().for_each(|r| r.0.iter_mut().for_each(|c| *c *= a));
    match metric {
        Metric::Identity => {
            // The first step is that of inertia alone.
            let mass = p.mass[..v.len()].iter().sum::<f64>() / v.len().max(1) as f64;
            scale(v, gamma.unwrap_or(h2 / mass));
        }
        Metric::Matrix => {
            scale(v, h2);
            p.solve_matrix(v);
        }
        Metric::Hessian => hessian.solve(v, p.exec),
    }
    p.hold(v);
    let seconds = run.clock.seconds() - start;
    run.global += seconds;
    run.solve += seconds;
}
