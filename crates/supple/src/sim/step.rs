//! One time step.

use super::{Simulation, StepReport, Timings, integrator, report};
use crate::error::StepError;
use crate::exec::Stopwatch;
use crate::math::nodes::Row;
use crate::solve::{self, Control, Observer, Problem, Run, start};

impl Simulation {
    /// x̃ (1) → start → minimise (5) → finite? → v (2), commit, report.
    pub(super) fn advance(&mut self, observer: Option<Observer<'_>>) -> Result<StepReport, StepError> {
        let clock = Stopwatch::start();
        let exec = self.exec.clone();
        let outcome = exec.install(|| {
            let (settings, state, work, free) = (&self.settings, &self.state, &mut self.work, self.free);
            let dt = settings.time.dt;
            let gravity = settings.world.gravity;

            // x̃ of the free nodes (1); pinned nodes go to their targets at once.
            integrator::predict(
                (&state.x, &state.v, &state.force),
                &self.mass,
                gravity,
                dt,
                (&mut work.x_free[..free], &mut work.x_tilde[..free]),
            );
            work.x_tilde[free..].copy_from_slice(&state.targets);
            work.x.copy_from_slice(&work.x_tilde);

            let mut problem = Problem {
                terms: &mut self.terms,
                global: &self.global,
                matrix: &self.system,
                scratch: &mut self.scratch,
                mass: &self.mass,
                x_tilde: &work.x_tilde,
                x_free: &work.x_free,
                x: &mut work.x,
                rhs: &mut work.rhs,
                lengths: &mut work.lengths,
                rounding: &mut work.rounding,
                body: &work.body,
                body_size: &work.body_size,
                per_body: &mut work.per_body,
                dt,
                start_objective: f64::NAN,
                exec: &exec,
            };
            let history = start::History { x: &state.x, acceleration: &state.a, gravity };
            let mut run = Run::new(&settings.solve, &clock, observer);
            solve::minimise(&mut problem, &mut run, &history, &mut self.descent, &mut self.lagged)
        });

        // A position, velocity or acceleration that is none: the state stays as it was.
        if let Some(i) = self.first_non_finite() {
            return Err(self.non_finite(i));
        }
        let dt = self.settings.time.dt;
        let state = &mut self.state;
        integrator::commit(&self.work.x, dt, (&mut state.x, &mut state.v, &mut state.a));
        state.frame += 1;
        state.time += dt;

        let energy = report::energy(
            outcome.force.sums.energy,
            &self.mass,
            &state.x,
            &state.v,
            self.settings.world.gravity,
        );
        Ok(StepReport {
            frame: state.frame,
            time: state.time,
            status: outcome.status,
            method: outcome.method,
            iterations: outcome.iterations,
            primal: outcome.primal,
            dual: outcome.dual,
            force_residual: outcome.force.relative,
            step: outcome.step,
            energy,
            inverted: outcome.force.sums.inverted,
            timings: Timings {
                local: outcome.local,
                global: outcome.global,
                solve: outcome.solve,
                rest: (clock.seconds() - outcome.local - outcome.global).max(0.0),
            },
        })
    }

    /// One time step, with someone looking at each iteration. An observer that says [`Control::Stop`] ends the iteration;
    /// what it has reached so far is the step.
    pub fn step_with(
        &mut self,
        observer: &mut (dyn FnMut(&mut Iteration<'_, '_>) -> Control + Send),
    ) -> Result<StepReport, StepError> {
        let place = std::mem::take(&mut self.place);
        let mut watch = |index: usize, problem: &mut Problem<'_>| {
            observer(&mut Iteration { index, place: &place, problem })
        };
        let result = self.advance(Some(&mut watch));
        self.place = place;
        result.map_err(|e| self.rename(e))
    }

    /// The first node whose new position, velocity or acceleration is not finite.
    fn first_non_finite(&self) -> Option<usize> {
        let (dt, state) = (self.settings.time.dt, &self.state);
        // One that was none before the step is why others are now.
        let before = (0..state.x.len()).find(|&i| !(state.x[i].is_finite() && state.v[i].is_finite()));
        if before.is_some() {
            return before;
        }
        (0..self.work.x.len()).find(|&i| {
            (0..3).any(|c| {
                let v = (self.work.x[i].0[c] - self.state.x[i].0[c]) / dt;
                let a = (v - self.state.v[i].0[c]) / dt;
                !(self.work.x[i].0[c].is_finite() && v.is_finite() && a.is_finite())
            })
        })
    }

    fn non_finite(&self, i: usize) -> StepError {
        let (body, node) = self.name_of(i);
        let element = self.terms.batches().iter().find_map(|b| {
            let e = b.find_non_finite()?;
            let (body, number) = b.origin(e)?;
            let name = self.bodies.get(body as usize).map_or("", |b| b.name.as_str());
            Some(format!("{} element {number} of body `{name}`", b.name()))
        });
        StepError::NonFinite { body, node, element }
    }

    /// While observers look, the order of nodes is lent to them: errors are named afterwards.
    fn rename(&self, e: StepError) -> StepError {
        match (&e, self.first_non_finite()) {
            (StepError::NonFinite { .. }, Some(i)) => self.non_finite(i),
            _ => e,
        }
    }
}

/// What an observer sees of an iteration. Quantities are computed when they are asked for.
pub struct Iteration<'a, 'b> {
    index: usize,
    place: &'a [u32],
    problem: &'a mut Problem<'b>,
}

impl Iteration<'_, '_> {
    /// Number of the iteration: 1 after the first global step.
    pub fn index(&self) -> usize {
        self.index
    }
    /// The iterate, in m, by node.
    pub fn positions(&self) -> Vec<[f64; 3]> {
        self.place.iter().map(|&p| self.problem.x[p as usize].xyz()).collect()
    }
    /// ‖W(Dx − z)‖ (22).
    pub fn primal(&mut self) -> f64 {
        self.problem.primal().primal.sqrt()
    }
    /// ‖DᵀW²(z − z_before)‖ (23).
    pub fn dual(&mut self) -> f64 {
        self.problem.dual()
    }
    /// ‖M(x − x̃)/Δt² + ∇U(x)‖/f_ref.
    pub fn force_residual(&mut self) -> f64 {
        self.problem.force_residual().relative
    }
    /// ε(x), the objective of (5), in J.
    pub fn objective(&mut self) -> f64 {
        self.problem.objective()
    }
    /// ε(x⁰), the objective at the start of the iteration, in J.
    pub fn start_objective(&self) -> f64 {
        self.problem.start_objective
    }
    /// (z, u, w²) of element `element` of batch `batch`; 3×D matrices by columns.
    pub fn local_state(&self, batch: usize, element: usize) -> Option<(Vec<f64>, Vec<f64>, f64)> {
        self.problem.terms.batches().get(batch)?.local_state(element)
    }
    /// Elements of each batch.
    pub fn batches(&self) -> Vec<usize> {
        self.problem.terms.batches().iter().map(|b| b.len()).collect()
    }
    /// x̃, in m, by node.
    pub fn prediction(&self) -> Vec<[f64; 3]> {
        self.place.iter().map(|&p| self.problem.x_tilde[p as usize].xyz()).collect()
    }
}

impl Simulation {
    /// (z, u, w²) of element `element` of batch `batch` after the last step.
    pub fn local_state(&self, batch: usize, element: usize) -> Option<(Vec<f64>, Vec<f64>, f64)> {
        self.terms.batches().get(batch)?.local_state(element)
    }
    /// Writes a number that is none into a node, for tests of what happens then.
    #[doc(hidden)]
    pub fn poison(&mut self, node: usize) {
        if let Some(&p) = self.place.get(node) {
            self.state.x[p as usize] = Row([f64::NAN; 4]);
        }
    }
}
