//! When a descent has converged: how far the minimum still is, from the steps towards it (docs/conventions.md).

use super::Descent;
use super::metric::{CAUTION, Metric, apply};
use super::newton::Hessian;
use crate::settings::SolveSettings;
use crate::solve::{Problem, Run, Status};

/// The way that is left must be estimated to be this part of the tolerance.
const RESERVE: f64 = 0.2;

/// How a descent ended, and how far nodes would still move.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Why.
    pub status: Status,
    /// max_i |step_i|/L.
    pub step: f64,
}

impl End {
    /// Where forces balance but for rounding: there is nothing more to gain, the tolerance met or not.
    pub(super) fn at_rest(step: f64, bound: &Bound) -> End {
        End { status: if bound.holds(step) { Status::Converged } else { Status::Stalled }, step }
    }
}

/// What a step, max_i |step_i|/L, must be below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// To be the last one.
    pub step: f64,
    /// To be within the tolerance, as the metric measures it.
    pub tolerance: f64,
    /// The step, over the one before it in the same metric.
    ratio: f64,
}

impl Bound {
    /// True if the step is short enough; with tolerance 0 none is.
    pub fn holds(&self, step: f64) -> bool {
        self.step > 0.0 && step <= self.step
    }
}

/// The steps so far: metric and length of the last one, and its ratio to the one before it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Steps {
    last: Option<(Metric, f64, f64)>,
}

impl Steps {
    /// What the step at hand must be below; `rest` where forces balance but for rounding.
    ///
    /// Weights that are too large by a factor make steps in the metric of the matrix too small by it. Projected Hessians are too stiff: steps
    /// that shrink by a factor r have a way of step/(1 − r) before them.
    pub fn bound(&self, metric: Metric, step: f64, rest: bool, settings: &SolveSettings) -> Bound {
        let (ratio, before) = match self.last {
            Some((last_metric, last, ratio)) if last_metric == metric => (step / last, ratio),
            _ => (1.0 - RESERVE, 0.0),
        };
        let caution = CAUTION * settings.weight_scale.max(1.0);
        let tolerance = settings.tolerance / if metric == Metric::Hessian { 1.0 } else { caution };
        let step = if rest || metric != Metric::Hessian {
            tolerance
        } else {
            tolerance * RESERVE * (1.0 - ratio.max(before)).clamp(0.01, 1.0)
        };
        Bound { step, tolerance, ratio }
    }

    /// The step that `bound` was for is taken.
    pub fn take(&mut self, metric: Metric, step: f64, bound: &Bound) {
        self.last = Some((metric, step, bound.ratio));
    }

    /// Length of the last step.
    pub fn last(&self) -> Option<f64> {
        self.last.map(|(_, step, _)| step)
    }

    /// The same if it was in this metric.
    pub fn last_in(&self, metric: Metric) -> Option<f64> {
        self.last.filter(|last| last.0 == metric).map(|(_, step, _)| step)
    }
}

impl Descent {
    /// True if what is left, `direction` and `next` (B⁻¹g), is small against the motion of this time step, or against the body even if it were
    /// left in every step. Uses `next` up.
    pub(super) fn is_small_against_motion(
        &mut self,
        p: &mut Problem<'_>,
        run: &mut Run<'_, '_>,
        metric: Metric,
        hessian: &mut Hessian,
        bound: &Bound,
    ) -> bool {
        if p.step_against_motion(&self.direction).max(p.step_against_motion(&self.next)) <= bound.step {
            return true;
        }
        let mut step = std::mem::take(&mut self.next);
        let lasting = p.lasting_step(&mut step, &mut |p, v| apply(p, run, metric, hessian, v, None));
        self.next = step;
        lasting <= bound.step
    }
}
