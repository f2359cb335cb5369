//! Who does what: lagged Newton where the problem is smooth, ADMM where it is not or where an element is inverted.
//!
//! Lagged Newton is L-BFGS with one of two first Hessians: the matrix of ADMM, which costs nothing to have and little to
//! solve with, or a projected Hessian, which is dear to factor but kept over steps and good for few iterations. Which one is
//! better depends on the mesh and on the motion. The rule is that of renting or buying: go on with the cheap one until the
//! other would have been paid for, then change; never more than about twice the cost of the better one. Costs are counted
//! in operations, not in seconds, so that results do not depend on the machine's mood.

use super::descent::{Choice, Descent, Metric, Policy};
use super::newton::Hessian;
use super::{Outcome, Problem, Run, Status, admm};
use crate::settings::Method;

/// Steps in which the Hessian comes first, after the matrix was too slow in one.
const WAIT: u16 = 8;

/// Iterations that a fresh Hessian is expected to need.
const EXPECTED: u32 = 6;

/// A factor is good for at least so many iterations before another one is worth it.
const LEAST: usize = 8;

/// What is kept from step to step; checkpoints carry it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Habits {
    /// Iterations that the last step took with a Hessian.
    pub last: u32,
    /// Steps left in which the Hessian comes first.
    pub wait: u16,
    /// Iterations with the matrix in steps that ended before the tolerance was met.
    pub owed: u16,
}

impl Default for Habits {
    fn default() -> Self {
        Habits { last: EXPECTED, wait: 0, owed: 0 }
    }
}

/// A Hessian kept over steps, and the experience with it.
#[derive(Debug, Default)]
pub struct Lagged {
    /// The Hessian.
    pub hessian: Hessian,
    /// The experience.
    pub habits: Habits,
    /// Memory of Newton's method where bodies touch each other.
    pub contact: super::barrier::Newton,
}

/// Seconds that things take, to compare them with each other: measured on two threads with AVX2 at 8k and 96k elements.
struct Costs {
    /// An iteration with the matrix of ADMM.
    matrix: f64,
    /// An iteration with a Hessian.
    hessian: f64,
    /// A factorisation.
    factor: f64,
}

impl Costs {
    fn of(p: &Problem<'_>, hessian: &Hessian) -> Costs {
        const PER_ELEMENT: f64 = 20e-9;
        const PER_BYTE: f64 = 0.12e-9;
        const PER_OPERATION: f64 = 0.045e-9;
        let gradient = PER_ELEMENT * p.terms.len() as f64;
        let bytes = p.global.bytes();
        // Of a factor that is there, not of one that was: what is forgotten must not be remembered by its costs.
        let known = hessian.cost().filter(|_| hessian.is_there());
        let (wide, operations) = known.unwrap_or((9 * bytes, 27.0 * p.global.operations()));
        Costs {
            matrix: gradient + PER_BYTE * bytes as f64,
            hessian: gradient + PER_BYTE * wide as f64,
            factor: 10.0 * gradient + PER_OPERATION * operations,
        }
    }
}

/// Rent or buy.
struct Rent {
    costs: Costs,
    habits: Habits,
    metric: Metric,
    /// Iterations with a Hessian in this step.
    bought: u32,
    /// True if the Hessian at hand is from an earlier step.
    old: bool,
}

impl Rent {
    fn new(p: &Problem<'_>, lagged: &Lagged) -> Rent {
        let first = lagged.habits.wait > 0 && lagged.hessian.is_there();
        Rent {
            costs: Costs::of(p, &lagged.hessian),
            habits: lagged.habits,
            metric: if first { Metric::Hessian } else { Metric::Matrix },
            bought: 0,
            old: true,
        }
    }

    /// Iterations for which a Hessian is worth keeping.
    fn life(&self) -> usize {
        ((self.costs.factor / self.costs.hessian) as usize).max(LEAST)
    }

    fn buy(&mut self, p: &mut Problem<'_>, run: &mut Run<'_, '_>, hessian: &mut Hessian) -> bool {
        let seconds = if hessian.seconds > 0.0 { hessian.seconds } else { self.costs.factor };
        let bought = run.fits(seconds + self.costs.hessian) && hessian.refresh(p, run);
        self.old &= !bought;
        bought
    }
}

impl Policy for Rent {
    fn metric(
        &mut self,
        p: &mut Problem<'_>,
        run: &mut Run<'_, '_>,
        hessian: &mut Hessian,
        done: usize,
    ) -> Choice {
        let before = self.metric;
        let mut fresh = false;
        match self.metric {
            Metric::Hessian => {
                let worn = !hessian.is_there()
                    || done >= self.life()
                    || (self.bought == 0 && self.habits.last as usize > self.life());
                if worn {
                    fresh = self.buy(p, run, hessian);
                }
                if hessian.is_there() {
                    self.bought += 1;
                } else {
                    // Numbers so large that there is no factor: the matrix of ADMM has one.
                    self.metric = Metric::Matrix;
                }
            }
            _ => {
                let keep = hessian.is_there() && self.habits.last as usize <= self.life();
                let price = if keep { 0.0 } else { self.costs.factor }
                    + f64::from(self.habits.last.max(EXPECTED)) * self.costs.hessian;
                let paid = (usize::from(self.habits.owed) + done) as f64 * self.costs.matrix;
                if paid >= price && (keep || self.buy(p, run, hessian)) {
                    self.metric = Metric::Hessian;
                    (self.habits.wait, self.habits.owed) = (WAIT, 0);
                    self.bought += 1;
                }
            }
        }
        Choice { metric: self.metric, fresh: fresh || self.metric != before, seconds: 0.0 }
    }
}

/// Minimises (5) from the problem's iterate, whose objective is finite.
pub fn minimise(
    p: &mut Problem<'_>,
    run: &mut Run<'_, '_>,
    memory: &mut Descent,
    lagged: &mut Lagged,
) -> Outcome {
    lagged.hessian.guides = true;
    lagged.hessian.catch_up(p);
    let mut rent = Rent::new(p, lagged);
    let end = memory.minimise(p, run, &mut lagged.hessian, &mut rent, run.settings.history);
    let rented = run.iterations.min(usize::from(u16::MAX)) as u16;
    lagged.habits = Habits {
        last: if rent.bought > 0 { rent.bought } else { rent.habits.last },
        wait: rent.habits.wait.saturating_sub(1),
        owed: match end.status {
            Status::IterationLimit | Status::TimeLimit if rent.bought == 0 => {
                rent.habits.owed.saturating_add(rented)
            }
            _ => 0,
        },
    };
    let method = if rent.bought > 0 { Method::Newton } else { Method::QuasiNewton };
    match end.status {
        // Nothing lower along any direction, and not at a minimum: perhaps ADMM finds a way.
        Status::Stalled
            if run.settings.tolerance > 0.0
                && end.step > run.settings.tolerance
                && !run.used_up()
                && (p.axes.is_empty() || p.contact.is_empty()) =>
        {
            admm::minimise(p, run, admm::Until::Done)
                .unwrap_or_else(|| run.end(p, method, Status::Stalled, end.step))
        }
        status => run.end(p, method, status, end.step),
    }
}
