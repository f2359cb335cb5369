//! One time step.

use super::integrator::Rule;
use super::iteration::Iteration;
use super::report::{self, Energy, StepReport, Timings};
use super::{Simulation, integrator, links};
use crate::contact::ContactReport;
use crate::error::StepError;
use crate::exec::Stopwatch;
use crate::settings::Integrator;
use crate::solve::{self, Control, Habits, Observer, Outcome, Problem, Run, Status, start};
use crate::term::Sums;

impl Simulation {
    /// x̃ (1) → contacts → minimise (5) → finite? → v (2), commit, report.
    pub(super) fn advance(&mut self, observer: Option<Observer<'_>>) -> Result<StepReport, StepError> {
        let (clock, exec) = (Stopwatch::start(), self.exec.clone());
        let habits = self.remember(observer.is_some());
        let rule = self.prepare();
        let (outcome, discarded) = exec.install(|| {
            self.predict(&rule);
            self.begin_contacts();
            self.minimise(&rule, &clock, observer)
        });
        if discarded {
            return Err(self.discard(habits));
        }
        if outcome.status != Status::Converged && self.has_left_the_scene() {
            return Ok(self.roll_back(habits, &outcome, &clock));
        }
        exec.install(|| {
            if outcome.status == Status::Converged {
                self.contact.settle(&mut self.work.x, self.settings.solve.tolerance);
            }
            self.contact.finish(&self.state.x, &mut self.work.x, &self.work.body);
        });
        let elastic = self.check(&outcome, &rule)?;
        self.commit(&rule, &outcome);
        let links_broken = self.commit_contacts();
        let status = self.lawful(outcome.status, elastic);
        let contact = ContactReport { links_broken, ..self.contact.report() };
        Ok(self.report(&outcome, status, &outcome.force.sums, Some(contact), clock.seconds()))
    }

    /// What a discarded step gives back, besides the state, which only a good one changes.
    fn remember(&mut self, watched: bool) -> Habits {
        self.counted = self.factors();
        self.work.hessian_at.clear();
        if watched {
            self.work.hessian_at.extend_from_slice(self.newton.hessian.at());
        }
        self.newton.habits
    }

    /// The integrator's rule of this step, with the matrix factored for it, and the forces of the air.
    fn prepare(&mut self) -> Rule {
        let rule = self.rule();
        if rule.step != self.matrix_step {
            // As a matrix of another Δt could be factored, so can this one; if not, the step will say so.
            let _ = self.refactor();
        }
        self.blow(&rule);
        rule
    }

    /// x̃ of the free nodes (1); pinned nodes and coordinates go to their targets at once.
    fn predict(&mut self, rule: &Rule) {
        let (settings, state, work, free) = (&self.settings, &self.state, &mut self.work, self.free);
        let force = if self.air.is_empty() { &state.force } else { &work.force };
        rule.combine(rule.weights, &state.x, &state.past.x, &mut work.x_base);
        rule.combine(rule.weights, &state.v, &state.past.v, &mut work.v_base);
        self.terms.lag(&work.x_base, 1.0 / rule.step, &self.exec);
        integrator::predict(
            rule,
            (&work.x_base, &state.v, &state.past),
            (force, &self.mass),
            (settings.world.gravity, settings.world.damping),
            (&mut work.x_free[..free], &mut work.x_tilde[..free]),
        );
        work.x_tilde[free..].copy_from_slice(&state.targets);
        for (a, target) in self.axes.iter().zip(&state.axis_targets) {
            for c in (0..3).filter(|&c| a.held[c]) {
                work.x_tilde[a.node as usize].0[c] = target.0[c];
            }
        }
        work.x.copy_from_slice(&work.x_tilde);
    }

    /// Who may touch what on the way to x̃.
    fn begin_contacts(&mut self) {
        let (state, to) = (&self.state, &self.work.x_tilde);
        self.contact.aim_links(&state.frames, &state.poses, &state.broken);
        self.contact.begin(&state.poses, &state.x, to, (&state.kept, &state.reaches));
        self.columns.trim();
    }

    /// Minimises (5) by the method asked for; true if an observer discarded the step.
    fn minimise(
        &mut self,
        rule: &Rule,
        clock: &Stopwatch,
        observer: Option<Observer<'_>>,
    ) -> (Outcome, bool) {
        let (settings, state, work) = (&self.settings, &self.state, &mut self.work);
        let mut problem = Problem {
            terms: &mut self.terms,
            global: &mut self.global,
            matrix: &mut self.system,
            scratch: &mut self.scratch,
            split: &mut self.split,
            mass: &self.mass,
            x_tilde: &work.x_tilde,
            x_free: &work.x_free,
            x: &mut work.x,
            axes: &self.axes,
            rhs: &mut work.rhs,
            rounding: &mut work.rounding,
            free_bodies: &mut work.free_bodies,
            body: &work.body,
            body_size: &work.body_size,
            per_body: &mut work.per_body,
            motion: &mut work.motion,
            contact: &mut self.contact,
            columns: &mut self.columns,
            nodal: &mut self.nodal,
            dt: rule.step,
            start_objective: f64::NAN,
            method: settings.solve.method,
            exec: &self.exec,
        };
        let gravity = settings.world.gravity;
        let history = start::History { x: &state.x, acceleration: &state.a, gravity };
        let mut run = Run::new(&settings.solve, clock, observer);
        let outcome = solve::minimise(&mut problem, &mut run, &history, &mut self.descent, &mut self.newton);
        (outcome, run.discarded)
    }

    /// Forgets a step that an observer did not want.
    fn discard(&mut self, habits: Habits) -> StepError {
        self.newton.habits = habits;
        self.newton.hessian.go_back(&self.work.hessian_at);
        StepError::Discarded
    }

    /// What has not converged and is far outside of the scene leads nowhere: the state stays as it was.
    fn roll_back(&mut self, habits: Habits, outcome: &Outcome, clock: &Stopwatch) -> StepReport {
        self.newton.habits = habits;
        self.newton.hessian.forget();
        let sums = self.terms.energy(&self.state.x, &self.exec);
        self.report(outcome, Status::Diverged, &sums, None, clock.seconds())
    }

    /// The elastic energy, if energies and all positions, velocities and accelerations are finite; else the state stays as it was.
    fn check(&self, outcome: &Outcome, rule: &Rule) -> Result<f64, StepError> {
        if let Some(i) = self.first_non_finite() {
            return Err(self.non_finite(i));
        }
        let sums = &outcome.force.sums;
        let elastic = sums.energy - sums.dissipation;
        let kinetic = report::kinetic(&self.mass, &self.work.x_base, &self.work.x, rule.step);
        // A barrier material says infinity of an inverted element; anything else that is not finite ends here.
        let barrier = elastic == f64::INFINITY && sums.infinite > 0;
        match kinetic.is_finite() && (elastic.is_finite() || barrier) {
            true => Ok(elastic),
            false => Err(self.overflow(elastic, kinetic)),
        }
    }

    /// Takes the new positions, and what the integrator makes of them.
    fn commit(&mut self, rule: &Rule, outcome: &Outcome) {
        let touching = self.contact.report().contacts > 0;
        // Forces of constraints that cannot hold grow without end.
        self.terms.keep_forces(outcome.status == Status::Infeasible);
        let (state, work) = (&mut self.state, &mut self.work);
        let remember = self.settings.time.integrator != Integrator::BackwardEuler;
        let guarded = remember && touching;
        if guarded {
            work.x_free.copy_from_slice(&state.x);
            integrator::accelerations(&state.a, &work.body, &mut work.jolt);
            let gravity = self.settings.world.gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
            work.jolt.iter_mut().for_each(|a| *a = a.max(gravity));
        }
        integrator::commit(
            rule,
            remember,
            (&work.x, &work.x_base, &work.v_base),
            (&mut state.x, &mut state.v, &mut state.a, &mut state.past),
        );
        if guarded {
            let before = &work.x_free[..];
            let now = (before, &state.x[..], &mut state.v[..], &state.a[..], &mut state.past);
            integrator::soften_jolts(rule, now, &work.jolt, &work.body, &mut work.motion);
        }
        let state = &mut self.state;
        state.frame += 1;
        state.time += rule.dt;
    }

    /// Takes what contacts and links leave to the next step; how many links broke.
    fn commit_contacts(&mut self) -> usize {
        let state = &mut self.state;
        // What could not go all of its way catches up in later steps.
        for (number, pose) in state.poses.iter_mut().enumerate() {
            pose[0] = pose[0].towards(&pose[1], self.contact.progress_of(number));
        }
        for pose in &mut state.frames {
            pose[0] = pose[1];
        }
        self.contact.keep(&mut state.kept);
        state.reaches = self.contact.barrier.next_reaches(self.contact.obstacles());
        self.contact.reactions(&mut state.reactions);
        self.contact.touches(&state.x, &mut state.touches);
        self.contact.link_forces(&mut state.link_forces);
        links::tear(self.contact.links(), &state.link_forces, &mut state.broken)
    }

    /// Whatever the iteration says: what has entered an obstacle, or was stopped short of something, does not obey the law; nor is an
    /// energy at its least that is infinite.
    fn lawful(&self, status: Status, elastic: f64) -> Status {
        let size = self.work.body_size.iter().copied().fold(0.0, f64::max);
        let contact = self.contact.report();
        let entered = self.contact.entered() > self.settings.solve.tolerance.max(1e-9) * size;
        let unsound = entered || contact.islands_shortened > 0 || contact.held > 0 || !elastic.is_finite();
        if status == Status::Converged && unsound { Status::Stalled } else { status }
    }

    /// What a step says, at the state that it leaves; without contacts where that is the state of before.
    fn report(
        &self,
        outcome: &Outcome,
        status: Status,
        sums: &Sums,
        contact: Option<ContactReport>,
        seconds: f64,
    ) -> StepReport {
        let (state, gravity) = (&self.state, self.settings.world.gravity);
        let elastic = sums.energy - sums.dissipation;
        let now = self.factors();
        StepReport {
            frame: state.frame,
            time: state.time,
            status,
            method: outcome.method,
            iterations: outcome.iterations,
            factored: (now.matrices - self.counted.matrices) as usize,
            hessians: (now.hessians - self.counted.hessians) as usize,
            primal: outcome.primal,
            dual: outcome.dual,
            force_residual: outcome.force.relative,
            step: outcome.step,
            energy: Energy {
                contact: contact.map_or(0.0, |_| self.contact.energy()),
                ..report::energy(elastic, &self.mass, &state.x, &state.v, gravity)
            },
            inverted: sums.inverted,
            violation: sums.violation,
            timings: Timings {
                local: outcome.local,
                global: outcome.global,
                solve: outcome.solve,
                detection: self.contact.seconds(),
                rest: (seconds - outcome.local - outcome.global).max(0.0),
            },
            contact: contact.unwrap_or_default(),
        }
    }

    /// One time step, with someone looking at each iteration. An observer that says [`Control::Stop`] ends the iteration;
    /// what it has reached so far is the step. After [`Control::Discard`] there was none: the state is that of before, and the
    /// error is [`StepError::Discarded`].
    pub fn step_with(
        &mut self,
        observer: &mut (dyn FnMut(&mut Iteration<'_, '_>) -> Control + Send),
    ) -> Result<StepReport, StepError> {
        let before = self.before_step();
        let place = std::mem::take(&mut self.place);
        let mut watch = |index: usize, problem: &mut Problem<'_>| {
            observer(&mut Iteration { index, place: &place, problem })
        };
        let result = self.advance(Some(&mut watch));
        self.place = place;
        self.after_step(before, result.as_ref().ok());
        result.map_err(|e| self.rename(e))
    }
}
