//! L-BFGS (Nocedal & Wright, Algorithm 7.4) with any first Hessian: the frame of `quasi_newton`, `newton` and `auto`.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the loop |
//! | `metric.rs` | the first Hessian B₀, and who decides on it |
//! | `lbfgs.rs` | the memory: pairs of steps and what they did to the gradient |
//! | `line_search.rs` | how far it goes along a direction |
//! | `convergence.rs` | when it has converged |
//! | `contact.rs` | the loop with contacts and friction |
//! | `quasi_newton.rs` | `quasi_newton`: the first Hessian is the matrix of ADMM |
//! | `newton.rs` | `newton`: the Hessian itself |
//! | `auto.rs` | `auto`: who does what |

pub mod auto;
mod contact;
mod convergence;
mod lbfgs;
mod line_search;
mod metric;
pub mod newton;
pub mod quasi_newton;

pub use convergence::End;
pub use metric::{Choice, Metric, Policy};

use crate::math::nodes::{Row, dot};
use crate::settings::Method;
use crate::solve::{Problem, Run, Status};
use convergence::Steps;
use lbfgs::{Pairs, room};
use line_search::{Point, search};
use metric::apply;
use newton::Hessian;

/// Memory of L-BFGS, allocated at first use.
#[derive(Debug, Default)]
pub struct Descent {
    pairs: Pairs,
    from: Vec<Row>,
    gradient: Vec<Row>,
    next: Vec<Row>,
    direction: Vec<Row>,
    mixer: contact::Mixer,
    /// For the final projection of `admm`, which shares the memory.
    pub(in crate::solve) inverse_mass: Vec<f64>,
    /// The same by coordinate, for `position`.
    pub(in crate::solve) inverse_masses: Vec<[f64; 3]>,
}

impl Descent {
    fn prepare(&mut self, n: usize, history: usize) {
        for rows in [&mut self.from, &mut self.gradient, &mut self.next, &mut self.direction] {
            room(rows, n);
        }
        self.pairs.prepare(n, history);
    }

    /// direction = −B⁻¹g.
    fn find_direction(
        &mut self,
        p: &mut Problem<'_>,
        run: &mut Run<'_, '_>,
        metric: Metric,
        hessian: &mut Hessian,
    ) {
        for (q, g) in self.direction.iter_mut().zip(&self.gradient) {
            for c in 0..4 {
                q.0[c] = -g.0[c];
            }
        }
        self.pairs.apply(&mut self.direction, |q, gamma| apply(p, run, metric, hessian, q, gamma));
    }

    /// As `descend`; but with tolerance 0, which never stops early, what is left after the last digit counts as iterations
    /// that do nothing.
    pub fn minimise(
        &mut self,
        p: &mut Problem<'_>,
        run: &mut Run<'_, '_>,
        hessian: &mut Hessian,
        policy: &mut dyn Policy,
        history: usize,
    ) -> End {
        let mut end = End { status: Status::Stalled, step: 0.0 };
        if p.contact.is_empty() {
            end = self.descend(p, run, hessian, policy, history);
            // What was not in the way of the prediction may be in the way of the result.
            p.contact.update(p.x);
        }
        if !p.contact.is_empty() {
            end = self.descend_in_contact(p, run, hessian, policy);
        }
        while end.status == Status::Stalled && run.settings.tolerance == 0.0 {
            end.status = match run.used_up() {
                true => Status::IterationLimit,
                false => run.look(p, 0.0).unwrap_or(Status::Stalled),
            };
        }
        end
    }

    /// Minimises (5) from the problem's iterate, whose objective is finite. Done when no node would move by more than the
    /// tolerance, in units of its body's size.
    fn descend(
        &mut self,
        p: &mut Problem<'_>,
        run: &mut Run<'_, '_>,
        hessian: &mut Hessian,
        policy: &mut dyn Policy,
        history: usize,
    ) -> End {
        let n = p.free();
        self.prepare(n, history);
        let start = run.clock.seconds();
        let (objective, sums) = p.gradient(&mut self.gradient);
        run.local += run.clock.seconds() - start;
        let mut here = Point { objective, sums };
        let mut done = 0;
        let mut steps = Steps::default();
        loop {
            let rest = p.is_rounding(&self.gradient);
            let choice = policy.metric(p, run, hessian, done);
            let newton = choice.metric == Metric::Hessian;
            p.method = if newton { Method::Newton } else { Method::QuasiNewton };
            // What the next iteration will take is judged by this one, without a factorisation.
            let start = run.clock.seconds();
            if choice.fresh {
                self.pairs.forget();
                done = 0;
            }
            self.find_direction(p, run, choice.metric, hessian);
            let mut step = p.relative_step(&self.direction);
            let bound = steps.bound(choice.metric, step, rest, run.settings);
            if rest || bound.holds(step) {
                // By definition the step is that of the first Hessian, without corrections.
                self.next.copy_from_slice(&self.gradient);
                apply(p, run, choice.metric, hessian, &mut self.next, None);
                step = step.max(p.relative_step(&self.next));
                // Something moves: at least one iteration, and what is left is small against that motion too, or does no harm.
                if rest {
                    return End::at_rest(step, &bound);
                }
                let small = p.is_lost(&self.next)
                    || (run.iterations > 0
                        && step <= bound.step
                        && self.is_small_against_motion(p, run, choice.metric, hessian, &bound));
                if step <= bound.step && small {
                    return End { status: Status::Converged, step };
                }
            }
            if run.used_up() {
                return End { status: Status::IterationLimit, step };
            }
            steps.take(choice.metric, step, &bound);
            let mut slope = dot(&self.gradient, &self.direction);
            if !(slope < 0.0) {
                // Only rounding makes a positive definite B give this.
                self.pairs.forget();
                self.find_direction(p, run, choice.metric, hessian);
                slope = dot(&self.gradient, &self.direction);
            }
            self.from.copy_from_slice(&p.x[..n]);
            let found = if slope < 0.0 {
                search(p, run, (&self.from, &here), &self.direction, slope, &mut self.next)
            } else {
                None
            };
            match found {
                Some(point) => here = point,
                None if !self.pairs.is_empty() => {
                    // What was learned may mislead: once more without it.
                    self.pairs.forget();
                    continue;
                }
                // Rounding hides what is left: no other method would find more.
                None if bound.tolerance > 0.0
                    && step <= bound.tolerance
                    && p.is_flat(slope, &self.direction) =>
                {
                    return End { status: Status::Converged, step };
                }
                None => return End { status: Status::Stalled, step },
            }
            self.pairs.learn((&self.from, &self.gradient), (&*p.x, &self.next));
            std::mem::swap(&mut self.gradient, &mut self.next);
            done += 1;
            if let Some(status) = run.look(p, choice.seconds + run.clock.seconds() - start) {
                return End { status, step };
            }
        }
    }
}
