//! L-BFGS with the matrix of ADMM as first Hessian, factored once (Liu, Bouaziz, Kavan 2017).

use super::newton::Hessian;
use super::{Choice, Descent, Metric, Policy};
use crate::settings::{FirstHessian, Method};
use crate::solve::{Outcome, Problem, Run};

/// The same first Hessian in each iteration.
struct Always(Metric);

impl Policy for Always {
    fn metric(&mut self, _: &mut Problem<'_>, _: &mut Run<'_, '_>, _: &mut Hessian, _: usize) -> Choice {
        Choice { metric: self.0, fresh: false, seconds: 0.0 }
    }
}

/// Minimises (5) from the problem's iterate, whose objective is finite.
pub fn minimise(
    p: &mut Problem<'_>,
    run: &mut Run<'_, '_>,
    memory: &mut Descent,
    hessian: &mut Hessian,
) -> Outcome {
    let s = run.settings;
    let metric = match s.first_hessian {
        FirstHessian::Matrix => Metric::Matrix,
        FirstHessian::Identity => Metric::Identity,
    };
    let end = memory.minimise(p, run, hessian, &mut Always(metric), s.history);
    run.end(p, Method::QuasiNewton, end.status, end.step)
}
