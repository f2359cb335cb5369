//! One time step.

use super::integrator::Rule;
use super::{Energy, Simulation, StepReport, Timings, integrator, links, report};
use crate::contact::ContactInfo;
use crate::error::StepError;
use crate::exec::Stopwatch;
use crate::settings::{Integrator, Method};
use crate::solve::{self, Control, Observer, Outcome, Problem, Run, Status, start};
use crate::term::{Sums, TermSet};

/// A step that has not converged and moves a node by so many sizes of the scene is rolled back.
const FAR: f64 = 1e3;

impl Simulation {
    /// x̃ (1) → start → minimise (5) → finite? → v (2), commit, report.
    pub(super) fn advance(&mut self, observer: Option<Observer<'_>>) -> Result<StepReport, StepError> {
        let clock = Stopwatch::start();
        let exec = self.exec.clone();
        self.counted = self.factors();
        // What a discarded step gives back, besides the state, which only a good one changes.
        let habits = self.lagged.habits;
        self.work.hessian_at.clear();
        if observer.is_some() {
            self.work.hessian_at.extend_from_slice(self.lagged.hessian.at());
        }
        let rule = self.rule();
        if rule.step != self.matrix_step {
            // As a matrix of another Δt could be factored, so can this one; if not, the step will say so.
            let _ = self.refactor();
        }
        self.blow(&rule);
        let (outcome, discarded) = exec.install(|| {
            let (settings, state, work, free) = (&self.settings, &self.state, &mut self.work, self.free);
            let dt = rule.step;
            let gravity = settings.world.gravity;

            let force = if self.air.is_empty() { &state.force } else { &work.force };
            rule.combine(rule.weights, &state.x, &state.past.x, &mut work.x_base);
            rule.combine(rule.weights, &state.v, &state.past.v, &mut work.v_base);
            self.terms.lag(&work.x_base, 1.0 / dt, &exec);

            // x̃ of the free nodes (1); pinned nodes go to their targets at once.
            integrator::predict(
                &rule,
                (&work.x_base, &state.v, &state.past),
                (force, &self.mass),
                (gravity, settings.world.damping),
                (&mut work.x_free[..free], &mut work.x_tilde[..free]),
            );
            work.x_tilde[free..].copy_from_slice(&state.targets);
            for (a, target) in self.axes.iter().zip(&state.axis_targets) {
                for c in (0..3).filter(|&c| a.held[c]) {
                    work.x_tilde[a.node as usize].0[c] = target.0[c];
                }
            }
            work.x.copy_from_slice(&work.x_tilde);

            // Who may touch what on the way there.
            self.contact.aim_links(&state.frames, &state.poses, &state.broken);
            self.contact.begin(&state.poses, &state.x, &work.x_tilde, (&state.kept, &state.reaches));
            self.columns.trim();

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
                whole: &mut work.whole,
                body: &work.body,
                body_size: &work.body_size,
                per_body: &mut work.per_body,
                motion: &mut work.motion,
                contact: &mut self.contact,
                columns: &mut self.columns,
                nodal: &mut self.nodal,
                dt,
                start_objective: f64::NAN,
                method: settings.solve.method,
                exec: &exec,
            };
            let (acceleration, before) = (&state.a, &state.a_before);
            let history = start::History { x: &state.x, acceleration, before, gravity };
            let mut run = Run::new(&settings.solve, &clock, observer);
            let outcome =
                solve::minimise(&mut problem, &mut run, &history, &mut self.descent, &mut self.lagged);
            (outcome, run.discarded)
        });
        if discarded {
            self.lagged.habits = habits;
            self.lagged.hessian.go_back(&self.work.hessian_at);
            return Err(StepError::Discarded);
        }

        // What has not converged and is far outside of the scene leads nowhere: the state stays as it was.
        if outcome.status != Status::Converged && self.has_left_the_scene() {
            self.lagged.habits = habits;
            self.lagged.hessian.forget();
            let sums = self.terms.energy(&self.state.x, &exec);
            let none = ContactInfo::default();
            return Ok(self.report(&outcome, Status::Diverged, &sums, &none, clock.seconds()));
        }

        let (x_n, x) = (&self.state.x, &mut self.work.x);
        exec.install(|| self.contact.finish(x_n, x, &self.work.body));

        // A position, velocity or acceleration that is none: the state stays as it was.
        if let Some(i) = self.first_non_finite() {
            return Err(self.non_finite(i));
        }
        let sums = outcome.force.sums;
        let elastic = sums.energy - sums.dissipation;
        let kinetic = report::kinetic(&self.mass, &self.work.x_base, &self.work.x, rule.step);
        // Infinite is what a barrier material says of an inverted element; anything else that is none ends here.
        if !(kinetic.is_finite() && (elastic.is_finite() || (elastic == f64::INFINITY && sums.infinite > 0)))
        {
            return Err(self.overflow(elastic, kinetic));
        }
        let contact = self.contact.info();
        // Forces of constraints that cannot hold grow without end.
        self.terms.keep_forces(outcome.status == Status::Infeasible);
        self.commit(&rule, contact.contacts > 0);
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
        let links_broken = links::tear(self.contact.links(), &state.link_forces, &mut state.broken);
        state.frame += 1;
        state.time += rule.dt;

        // Whatever the iteration says: what has entered an obstacle, or was stopped short of something, does not obey the law; nor is an
        // energy at its least that is infinite.
        let size = self.work.body_size.iter().copied().fold(0.0, f64::max);
        let mut status = outcome.status;
        let entered = contact.entered > self.settings.solve.tolerance.max(1e-9) * size;
        let unsound = entered || contact.islands_shortened > 0 || contact.held > 0 || !elastic.is_finite();
        if status == Status::Converged && unsound {
            status = Status::Stalled;
        }
        let report = self.report(&outcome, status, &sums, &contact, clock.seconds());
        Ok(StepReport { links_broken, ..report })
    }

    /// Takes the new positions, and what the integrator makes of them.
    fn commit(&mut self, rule: &Rule, touching: bool) {
        let (state, work) = (&mut self.state, &mut self.work);
        let remember = self.settings.time.integrator != Integrator::BackwardEuler;
        let guarded = remember && touching;
        if guarded {
            work.x_free.copy_from_slice(&state.x);
            integrator::accelerations(&state.a, &work.body, &mut work.jolt);
            let gravity = self.settings.world.gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
            work.jolt.iter_mut().for_each(|a| *a = a.max(gravity));
        }
        std::mem::swap(&mut state.a, &mut state.a_before);
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
    }

    /// What a step says, at the state that it leaves.
    fn report(
        &self,
        outcome: &Outcome,
        status: Status,
        sums: &Sums,
        contact: &ContactInfo,
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
                contact: contact.energy,
                ..report::energy(elastic, &self.mass, &state.x, &state.v, gravity)
            },
            inverted: sums.inverted,
            violation: sums.violation,
            contacts: contact.contacts,
            candidates: contact.candidates,
            max_penetration: contact.max_penetration,
            contact_residual: contact.residual,
            cone_violation: contact.cone_violation,
            sweeps: contact.sweeps,
            islands_shortened: contact.islands_shortened,
            held: contact.held,
            held_way: contact.held_way,
            gap: contact.gap,
            contact_offset: contact.offset,
            stick_slip: contact.stick_slip,
            detections: contact.detections,
            link_gap: contact.link_gap,
            links_broken: 0,
            timings: Timings {
                local: outcome.local,
                global: outcome.global,
                solve: outcome.solve,
                detection: contact.seconds,
                rest: (seconds - outcome.local - outcome.global).max(0.0),
            },
        }
    }

    /// True if a node went further than [`FAR`] times the size of the scene, bodies at rest included, and the way that it would go without elastic forces.
    fn has_left_the_scene(&self) -> bool {
        let (x_n, x) = (&self.state.x, &self.work.x);
        let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        let mut way = 0.0f64;
        for (x, to) in x_n.iter().zip(&self.work.x_tilde) {
            for c in 0..3 {
                bounds[0][c] = bounds[0][c].min(x.0[c]);
                bounds[1][c] = bounds[1][c].max(x.0[c]);
                way = way.max((to.0[c] - x.0[c]).abs());
            }
        }
        let size = (0..3).map(|c| (bounds[1][c] - bounds[0][c]).powi(2)).sum::<f64>().sqrt();
        // A body may be on its way out of a point.
        let size = self.work.body_size.iter().copied().fold(size, f64::max);
        // What is not finite is an error of its own.
        x_n.iter()
            .zip(x)
            .any(|(a, b)| b.is_finite() && (0..3).any(|c| (a.0[c] - b.0[c]).abs() > FAR * (size + way)))
    }

    /// What dissipates is taken at the last state.
    fn blow(&mut self, rule: &Rule) {
        if self.air.is_empty() {
            return;
        }
        // At the end of the step, as far as the integrator can look ahead.
        let time = self.state.time + if rule.ahead[1] == 0.0 { 0.0 } else { rule.dt };
        let (wind, rate) = (self.settings.world.wind.as_ref(), 1.0 / rule.step);
        self.work.force.copy_from_slice(&self.state.force);
        let past = &self.state.past;
        rule.combine(rule.ahead, &self.state.x, &past.x, &mut self.work.x_base);
        rule.combine(rule.ahead, &self.state.v, &past.v, &mut self.work.v_base);
        let state = (&self.work.x_base[..], &self.work.v_base[..]);
        self.air.blow(wind, time, state, &mut self.work.force, (&mut self.terms, rate));
        let projective = self.settings.solve.method == Method::Projective;
        let firm = if projective { self.air.needed() } else { 1.0 };
        if firm != self.air.firm.max(1.0) {
            self.air.firm = firm;
            // A larger diagonal can be factored if the smaller one could; if not, the step will say so.
            if self.refactor().is_err() {
                self.air.firm = 1.0;
                let _ = self.refactor();
            }
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

    /// The first node whose new position, velocity or acceleration is not finite.
    fn first_non_finite(&self) -> Option<usize> {
        let (s, state) = (self.matrix_step, &self.state);
        // A node that is not finite before the solve is the cause: name it.
        let given =
            |i: usize| [&state.x[i], &state.v[i], &self.work.x_tilde[i]].iter().all(|r| r.is_finite());
        let before = (0..state.x.len()).find(|&i| !given(i));
        if before.is_some() {
            return before;
        }
        (0..self.work.x.len()).find(|&i| {
            (0..3).any(|c| {
                let v = (self.work.x[i].0[c] - self.work.x_base[i].0[c]) / s;
                let a = (v - self.work.v_base[i].0[c]) / s;
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

    /// An energy that is none, by the node that moves fastest.
    fn overflow(&self, elastic: f64, kinetic: f64) -> StepError {
        let way = |i: usize| {
            let d = |c: usize| (self.work.x[i].0[c] - self.state.x[i].0[c]).abs();
            d(0).max(d(1)).max(d(2))
        };
        let fastest = (0..self.work.x.len()).max_by(|&i, &j| way(i).total_cmp(&way(j))).unwrap_or_default();
        let (body, node) = self.name_of(fastest);
        StepError::Energy { body, node, elastic, kinetic }
    }

    /// While observers look, the order of nodes is lent to them: errors are named afterwards.
    fn rename(&self, e: StepError) -> StepError {
        match (e, self.first_non_finite()) {
            (StepError::NonFinite { .. }, Some(i)) => self.non_finite(i),
            (StepError::Energy { elastic, kinetic, .. }, _) => self.overflow(elastic, kinetic),
            (e, _) => e,
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
    /// Who made this iterate: the method asked for, or the one that `auto` is at.
    pub fn method(&self) -> Method {
        self.problem.method
    }
    /// ‖W(Dx − z)‖ (22); as in the report 0 for methods other than `admm`.
    pub fn primal(&mut self) -> f64 {
        if self.method() == Method::Admm { self.problem.primal().primal.sqrt() } else { 0.0 }
    }
    /// ‖DᵀW²(z − z_before)‖ (23); as in the report 0 for methods other than `admm` and `projective`.
    pub fn dual(&mut self) -> f64 {
        if matches!(self.method(), Method::Admm | Method::Projective) { self.problem.dual() } else { 0.0 }
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
    /// (z, u) of every tetrahedron, body after body in order of adding; of use while [`Iteration::method`] is `admm`.
    pub fn tetrahedra(&self) -> Vec<LocalState> {
        tetrahedra(self.problem.terms)
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

/// z, u and w² of a tetrahedron; matrices by columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalState {
    /// Number of the body, and of the tetrahedron within it.
    pub origin: (u32, u32),
    /// z of eq. (24).
    pub z: [f64; 9],
    /// u of eq. (25).
    pub u: [f64; 9],
    /// w², in J.
    pub weight: f64,
}

fn tetrahedra(terms: &TermSet) -> Vec<LocalState> {
    let mut all = Vec::new();
    for b in terms.batches().iter().filter(|b| !b.beside()) {
        for e in 0..b.len() {
            let (Some(origin), Some((z, u, weight))) = (b.origin(e), b.local_state(e)) else { continue };
            // Springs and anchors have three numbers.
            if let (Ok(z), Ok(u)) = (z.try_into(), u.try_into()) {
                all.push(LocalState { origin, z, u, weight });
            }
        }
    }
    all.sort_by_key(|s| s.origin);
    all
}

impl Simulation {
    /// z, u and w² of every tetrahedron after the last step, body after body in order of adding.
    pub fn tetrahedra(&self) -> Vec<LocalState> {
        tetrahedra(&self.terms)
    }
    /// (z, u, w²) of element `element` of batch `batch` after the last step; of flat bending, which accelerated ADMM does not split, as they were at its start.
    pub fn local_state(&self, batch: usize, element: usize) -> Option<(Vec<f64>, Vec<f64>, f64)> {
        self.terms.batches().get(batch)?.local_state(element)
    }
}
