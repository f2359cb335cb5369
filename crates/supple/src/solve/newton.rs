//! Newton's method with projected Hessians (Teran et al. 2005): H = M/Δt² + ∂²U/∂x² without the negative part of each element.

use super::descent::{Choice, Descent, Metric, Policy};
use super::{Outcome, Problem, Run};
use crate::contact::Columns;
use crate::exec::Exec;
use crate::global::BlockFactor;
use crate::math::nodes::Row;
use crate::settings::Method;

/// A factor in single precision is as good where no eigenvalue of H is below the largest number on its diagonal by more than this: M/Δt² is
/// their lower bound, and what rounding changes is 10⁻⁷ of the diagonal at most.
const SPREAD: f64 = 1e5;

/// The Hessian factored last, and where.
#[derive(Debug, Default)]
pub struct Hessian {
    blocks: Option<BlockFactor>,
    /// Positions of all nodes at which it was taken; empty if there is none.
    at: Vec<Row>,
    /// False while it is known where but not yet taken: after a checkpoint was restored.
    taken: bool,
    /// Columns of its inverse at the nodes that may touch.
    columns: Option<Columns>,
    /// True if single precision is good enough for a factor that only guides; see [`SPREAD`].
    pub guides: bool,
    /// Seconds that the last factorisation took.
    pub seconds: f64,
    /// Hessians factored so far.
    pub count: u64,
}

impl Hessian {
    /// Takes and factors the Hessian at the iterate. False if it has no factor.
    pub fn refresh(&mut self, p: &mut Problem<'_>, run: &mut Run<'_, '_>) -> bool {
        let start = run.clock.seconds();
        let ok = self.take(p);
        self.seconds = run.clock.seconds() - start;
        run.global += self.seconds;
        ok
    }

    fn take(&mut self, p: &mut Problem<'_>) -> bool {
        self.at.clear();
        if let Some(columns) = &mut self.columns {
            columns.forget();
        }
        let blocks = self.blocks.get_or_insert_with(|| BlockFactor::new(p.matrix));
        blocks.clear();
        p.terms.curvature(p.x, p.exec, &mut |i, j, k| blocks.add(i as usize, j as usize, k));
        let inv = 1.0 / (p.dt * p.dt);
        for i in 0..blocks.nodes() {
            blocks.add_diagonal(i, p.mass[i] * inv);
        }
        p.each_firm(&mut |i, block| blocks.add(i, i, block));
        self.count += 1;
        let ok = blocks.factor(p.exec).is_ok();
        let least = p.mass[..blocks.nodes()].iter().fold(f64::INFINITY, |a, b| a.min(*b)) * inv;
        if ok && self.guides && blocks.largest() <= SPREAD * least {
            blocks.shorten(p.exec);
        }
        if ok {
            self.at.extend_from_slice(p.x);
        }
        self.taken = ok;
        ok
    }

    /// As if it had been taken at these positions: it will be before its next use.
    pub fn take_later(&mut self, at: Vec<Row>) {
        (self.at, self.taken) = (at, false);
    }

    /// As it was when it had been taken at these positions, nowhere if there are none; see [`Hessian::take_later`].
    pub fn go_back(&mut self, at: &[Row]) {
        if at.is_empty() {
            let Hessian { guides, seconds, count, .. } = *self;
            *self = Hessian { guides, seconds, count, ..Hessian::default() };
        } else if at != self.at {
            self.take_later(at.to_vec());
        }
    }

    /// Takes it where [`Hessian::take_later`] said.
    pub fn catch_up(&mut self, p: &mut Problem<'_>) {
        if !self.taken && self.at.len() == p.x.len() {
            let mut at = std::mem::take(&mut self.at);
            p.x.swap_with_slice(&mut at);
            self.take(p);
            p.x.swap_with_slice(&mut at);
        }
    }

    /// Forgets the factor.
    pub fn forget(&mut self) {
        self.at.clear();
    }

    /// True if there is a factor.
    pub fn is_there(&self) -> bool {
        !self.at.is_empty()
    }

    /// Where it was taken.
    pub fn at(&self) -> &[Row] {
        &self.at
    }

    /// v ← H⁻¹v; with `short` by a factor in single precision, if there is one.
    pub fn solve(&mut self, v: &mut [Row], short: bool, exec: &Exec) {
        if let Some(blocks) = &mut self.blocks {
            blocks.solve(v, short, exec);
        }
    }

    /// The factor, and the columns of its inverse that were kept; those of `like` say at which nodes.
    pub(super) fn columns(&mut self, like: &Columns) -> Option<(&mut BlockFactor, &mut Columns)> {
        Some((self.blocks.as_mut()?, self.columns.get_or_insert_with(|| Columns::like(like))))
    }

    /// Bytes that a solve reads and operations of a factorisation, if there was one.
    pub fn cost(&self) -> Option<(usize, f64)> {
        self.blocks.as_ref().map(BlockFactor::cost).filter(|c| c.0 > 0)
    }
}

/// A new Hessian in each iteration.
struct Each;

impl Policy for Each {
    fn metric(
        &mut self,
        p: &mut Problem<'_>,
        run: &mut Run<'_, '_>,
        hessian: &mut Hessian,
        _: usize,
    ) -> Choice {
        // Without a factor, which only overflow can bring, the matrix of ADMM is there.
        let metric = if hessian.refresh(p, run) { Metric::Hessian } else { Metric::Matrix };
        Choice { metric, fresh: true, seconds: hessian.seconds }
    }
}

/// Minimises (5) from the problem's iterate, whose objective is finite.
pub fn minimise(
    p: &mut Problem<'_>,
    run: &mut Run<'_, '_>,
    memory: &mut Descent,
    hessian: &mut Hessian,
) -> Outcome {
    hessian.guides = false;
    let end = memory.minimise(p, run, hessian, &mut Each, 0);
    run.end(p, Method::Newton, end.status, end.step)
}
