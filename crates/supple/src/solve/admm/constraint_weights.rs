//! When the weights of hard constraints change, and the matrix with them; why, see `term/constraint_weight.rs`.
//!
//! At the start of each step they are found anew from the forces of the last: so they are no part of the state. Within a step they are
//! raised where forces have grown, lowered a few times at first, and raised further when the iteration stalls or nears its limit: a
//! step that does not converge still keeps its constraints, as far as weights can do that. That changes come to an end is what
//! convergence needs.

use crate::global::{Part, System};
use crate::settings::{ContactMethod, SolveSettings, WeightRule};
use crate::solve::Problem;
use crate::term::{Reweight, TermSet};

/// The greatest |u|/|z| with the forces of the last step, which may still be those of this one; and later.
const AT_START: f64 = 1.0;
const MOST: f64 = 0.35;
/// What the latter is multiplied by when the iteration stalls, and at each look as it nears its end.
const LESS: f64 = 0.7;
const LESS_AT_END: f64 = 0.5;
/// Iterations between two looks at the forces; between two of those that may lower weights; and after which none is lowered any more.
const EVERY: usize = 25;
const LOWER_EVERY: usize = 100;
const LAST: usize = 300;
/// Stalls that are answered.
const STALLS: usize = 6;
/// Iterations at the end, in which weights grow until constraints hold, converged or not; of few iterations half of them.
const CLOSING: usize = 200;

/// The weights of hard constraints within a step.
pub struct ConstraintWeights {
    on: bool,
    /// The greatest |u|/|z|.
    most: f64,
    /// Stalls that may still be answered.
    stalls: usize,
    /// Most iterations of the step.
    limit: usize,
    /// The end, once the iteration stalls for good.
    end: Option<usize>,
}

impl ConstraintWeights {
    /// At the start of a step, after the terms' reset. Weights are as asked for unless the rule is `robust`, and there is a tolerance to
    /// be met.
    pub fn begin(p: &mut Problem<'_>, settings: &SolveSettings) -> ConstraintWeights {
        // The terms of `local` contact are in the matrix too.
        let on = p.terms.hard()
            && settings.weight_rule == WeightRule::Robust
            && settings.tolerance > 0.0
            && settings.contact != ContactMethod::Local;
        let mut weights =
            ConstraintWeights { on, most: MOST, stalls: STALLS, limit: settings.iterations, end: None };
        weights.set(p, if on { Reweight::ByForces(AT_START) } else { Reweight::ByRule });
        weights
    }

    /// After an iteration: true if weights have changed.
    pub fn look(&mut self, p: &mut Problem<'_>, iteration: usize) -> bool {
        if !self.on || !iteration.is_multiple_of(EVERY) {
            return false;
        }
        let last = self.end.unwrap_or(self.limit);
        if iteration + CLOSING.min(self.limit / 2) > last {
            self.most *= LESS_AT_END;
        }
        let lower = iteration.is_multiple_of(LOWER_EVERY) && iteration <= LAST;
        self.set(p, if lower { Reweight::ByForces(self.most) } else { Reweight::Raise(self.most) })
    }

    /// When the iteration no longer gets on: true if it should go on with other weights.
    pub fn stalled(&mut self, p: &mut Problem<'_>, iteration: usize) -> bool {
        if !self.on {
            return false;
        }
        if let Some(end) = self.end {
            return iteration < end;
        }
        if self.stalls == 0 {
            self.end = Some((iteration + CLOSING).min(self.limit));
            return true;
        }
        self.stalls -= 1;
        self.most *= LESS;
        self.set(p, Reweight::Raise(self.most))
    }

    fn set(&mut self, p: &mut Problem<'_>, how: Reweight) -> bool {
        if p.terms.reweight(how) == 0 {
            return false;
        }
        if !p.factor() {
            // The weights of the rule have been factored before.
            self.on = false;
            p.terms.reweight(Reweight::ByRule);
            p.factor();
        }
        true
    }
}

impl Problem<'_> {
    /// Factors the matrix with the present weights; false if that cannot be done.
    fn factor(&mut self) -> bool {
        fill(self.matrix, self.terms, self.mass, self.dt, true);
        self.columns.forget();
        self.nodal.forget();
        self.global.refactor(self.matrix, self.exec).is_ok()
    }
}

/// A = M + Δt² DᵀW²D over the free nodes. With `again` only weights of hard constraints have changed since the last time.
pub fn fill(system: &mut System, terms: &TermSet, mass: &[f64], dt: f64, again: bool) {
    let batches = terms.batches();
    // In the order of the batches, whatever is summed anew: the same bits.
    let (first, rest) =
        batches.split_at(batches.iter().position(|b| b.hard().is_some()).unwrap_or(batches.len()));
    system.refill(again, |part, add| {
        for b in if part == Part::First { first } else { rest } {
            b.assemble(&mut |i, j, w| add(i, j, dt * dt * w));
        }
    });
    for (i, m) in mass.iter().enumerate().take(system.n()) {
        let there = system.add(i, i, *m);
        debug_assert!(there, "the diagonal is always there");
    }
}
