//! L-BFGS with any first Hessian: the frame of `quasi_newton`, `newton` and `auto`. What it learns of the last steps is in `lbfgs.rs`.

use super::lbfgs::{Corrections, Step};
use super::line_search::{Point, search};
use super::newton::Hessian;
use super::{Problem, Run, Status};
use crate::math::nodes::Row;
use crate::settings::Method;

/// Steps of A⁻¹g underestimate those of H⁻¹g by up to so much: the tolerance is divided by it.
pub(super) const CAUTION: f64 = 100.0;

/// The way that is left must be estimated to be this part of the tolerance.
pub(super) const RESERVE: f64 = 0.2;

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

/// Memory of L-BFGS, allocated at first use.
#[derive(Debug, Default)]
pub struct Descent {
    corrections: Corrections,
    /// True if `from`, `next` and `base_before` are those of a step that the corrections do not know yet.
    stepped: bool,
    /// B₀⁻¹g, here and where the last step started.
    base: Vec<Row>,
    base_before: Vec<Row>,
    /// What is known where the iteration starts, if `gradient` is that of there.
    pub(super) at_start: Option<Point>,
    pub(super) from: Vec<Row>,
    pub(super) gradient: Vec<Row>,
    pub(super) next: Vec<Row>,
    pub(super) direction: Vec<Row>,
    pub(super) mixer: super::contact::Mixer,
    /// For `position`, which shares the memory.
    pub(super) inverse_mass: Vec<f64>,
    /// The same by coordinate, for `position`.
    pub(super) inverse_masses: Vec<[f64; 3]>,
}

/// How a descent ended, and how far nodes would still move.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Why.
    pub status: Status,
    /// max_i |step_i|/L.
    pub step: f64,
}

fn room(rows: &mut Vec<Row>, n: usize) {
    if rows.len() != n {
        *rows = vec![Row::default(); n];
    }
}

impl Descent {
    pub(super) fn prepare(&mut self, n: usize, history: usize) {
        for rows in [
            &mut self.from,
            &mut self.gradient,
            &mut self.next,
            &mut self.direction,
            &mut self.base,
            &mut self.base_before,
        ] {
            room(rows, n);
        }
        self.corrections.prepare(n, history);
        self.forget();
    }

    /// Room for positions and two gradients.
    pub(super) fn prepare_start(&mut self, n: usize) {
        for rows in [&mut self.from, &mut self.gradient, &mut self.next] {
            room(rows, n);
        }
    }

    fn forget(&mut self) {
        self.corrections.forget();
        self.stepped = false;
    }

    /// base = B₀⁻¹g, and what the last step says about B.
    fn look(&mut self, p: &mut Problem<'_>, run: &mut Run<'_, '_>, metric: Metric, hessian: &mut Hessian) {
        std::mem::swap(&mut self.base, &mut self.base_before);
        self.base.copy_from_slice(&self.gradient);
        apply(p, run, metric, hessian, &mut self.base);
        if std::mem::take(&mut self.stepped) {
            let step = Step {
                x: [&self.from, p.x],
                gradient: [&self.next, &self.gradient],
                base: [&self.base_before, &self.base],
            };
            self.corrections.learn(step, p.exec);
        }
    }

    /// direction = −B⁻¹g; returns its slope.
    fn point(&mut self, p: &Problem<'_>, metric: Metric) -> f64 {
        let (gradient, base, direction) = (&self.gradient, &self.base, &mut self.direction);
        self.corrections.point(gradient, base, metric == Metric::Identity, direction, p.exec)
    }

    /// True if what is left, `direction` and `next` (B⁻¹g), is small against the motion of this time step, or against the body even if it were
    /// left in every step. Uses `next` up.
    pub(super) fn follows(
        &mut self,
        p: &mut Problem<'_>,
        run: &mut Run<'_, '_>,
        metric: Metric,
        hessian: &mut Hessian,
        bound: f64,
    ) -> bool {
        if p.step_against_motion(&self.direction).max(p.step_against_motion(&self.next)) <= bound {
            return true;
        }
        let mut step = std::mem::take(&mut self.next);
        let lasting = p.lasting_step(&mut step, &mut |p, v| apply(p, run, metric, hessian, v));
        self.next = step;
        lasting <= bound
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
        let mut here = match self.at_start.take() {
            Some(point) => point,
            None => {
                let start = run.clock.seconds();
                let (objective, sums) = p.gradient(&mut self.gradient);
                run.local += run.clock.seconds() - start;
                Point { objective, sums }
            }
        };
        let mut done = 0;
        // Metric and length of the last step, and its ratio to the one before it.
        let mut before: Option<(Metric, f64, f64)> = None;
        loop {
            let rest = p.is_rounding(&self.gradient);
            let choice = policy.metric(p, run, hessian, done);
            let newton = choice.metric == Metric::Hessian;
            p.method = if newton { Method::Newton } else { Method::QuasiNewton };
            // What the next iteration will take is judged by this one, without a factorisation.
            let start = run.clock.seconds();
            if choice.fresh {
                self.forget();
                done = 0;
            }
            // Weights that are too large by a factor make steps too small by it.
            let caution = CAUTION * run.settings.weight_scale.max(1.0);
            self.look(p, run, choice.metric, hessian);
            let mut slope = self.point(p, choice.metric);
            let mut step = p.relative_step(&self.direction);
            let plain = run.settings.tolerance / if choice.metric == Metric::Hessian { 1.0 } else { caution };
            // Projected Hessians are too stiff: steps that shrink by a factor r have a way of step/(1 − r) before them.
            let rate = match before {
                Some((metric, last, rate)) if metric == choice.metric => [step / last, rate],
                _ => [1.0 - RESERVE, 0.0],
            };
            let bound = if rest || choice.metric != Metric::Hessian {
                plain
            } else {
                plain * RESERVE * (1.0 - rate[0].max(rate[1])).clamp(0.01, 1.0)
            };
            if rest || (bound > 0.0 && step <= bound) {
                // By definition the step is that of the first Hessian, without corrections.
                step = step.max(p.relative_step(&self.base));
                self.next.copy_from_slice(&self.base);
                // Something moves: at least one iteration, and what is left is small against that motion too, or does no harm.
                let follows = rest
                    || p.is_lost(&self.next)
                    || (run.iterations > 0
                        && step <= bound
                        && self.follows(p, run, choice.metric, hessian, bound));
                if rest || (step <= bound && follows) {
                    let met = bound > 0.0 && step <= bound;
                    return End { status: if met { Status::Converged } else { Status::Stalled }, step };
                }
            }
            if run.used_up() {
                return End { status: Status::IterationLimit, step };
            }
            before = Some((choice.metric, step, rate[0]));
            if !(slope < 0.0) {
                // Only rounding makes a positive definite B give this.
                self.forget();
                slope = self.point(p, choice.metric);
            }
            self.from.copy_from_slice(&p.x[..n]);
            let found = if slope < 0.0 {
                search(p, run, (&self.from, &here), &self.direction, slope, &mut self.next)
            } else {
                None
            };
            match found {
                Some(point) => here = point,
                None if !self.corrections.is_empty() => {
                    // What was learned may mislead: once more without it.
                    self.forget();
                    continue;
                }
                // Rounding hides what is left: no other method would find more.
                None if plain > 0.0 && step <= plain && p.is_flat(slope, &self.direction) => {
                    return End { status: Status::Converged, step };
                }
                None => return End { status: Status::Stalled, step },
            }
            std::mem::swap(&mut self.gradient, &mut self.next);
            self.stepped = true;
            done += 1;
            if let Some(status) = run.look(p, choice.seconds + run.clock.seconds() - start) {
                return End { status, step };
            }
        }
    }
}

/// v ← B₀⁻¹v; of a multiple of the identity the one that inertia alone would give.
pub(super) fn apply(
    p: &mut Problem<'_>,
    run: &mut Run<'_, '_>,
    metric: Metric,
    hessian: &mut Hessian,
    v: &mut [Row],
) {
    let start = run.clock.seconds();
    let h2 = p.dt * p.dt;
    let scale = |v: &mut [Row], a: f64| v.iter_mut().for_each(|r| r.0.iter_mut().for_each(|c| *c *= a));
    match metric {
        Metric::Identity => {
            let mass = p.mass[..v.len()].iter().sum::<f64>() / v.len().max(1) as f64;
            scale(v, h2 / mass);
        }
        Metric::Matrix => {
            scale(v, h2);
            p.solve_matrix(v);
        }
        // Contacts go by columns of the inverse, which must be the same.
        Metric::Hessian => hessian.solve(v, p.contact.is_empty(), p.exec),
    }
    p.hold(v);
    let seconds = run.clock.seconds() - start;
    run.global += seconds;
    run.solve += seconds;
}
