//! Statics: where bodies are at rest under their loads.
//!
//! Equilibrium is found by continuation: steps of backward Euler from rest, each without velocity, over Δt that grows while they
//! succeed. Inertia m(x − x_n)/Δt² only keeps a step near the last one; it vanishes as x comes to rest, and what is reported is the balance of
//! forces without it. So contact, friction, hard constraints and every method are those of a time step, energy falls from step to step, and
//! what is found is stable. Where that fails, loads grow from nothing in two, four, eight … steps: gravity and outer forces by their
//! size, pins, links and obstacles on their way.

use super::rigid::RigidMode;
use super::{Simulation, Snapshot, StepReport, Timings};
use crate::contact::Pose;
use crate::error::StepError;
use crate::exec::Stopwatch;
use crate::math::nodes::Row;
use crate::settings::{Integrator, Settings};
use crate::solve::Status;
use serde::Serialize;

/// Most steps of continuation for one load.
const MOST: usize = 60;
/// Δt at first and at most in s, and by what it grows.
const FIRST: f64 = 0.1;
const LONGEST: f64 = 100.0;
const GROWTH: f64 = 4.0;
/// Most load steps that are tried where none are asked for.
const MOST_LOADS: usize = 64;

/// Nodes that are so many sizes of their body away without an equilibrium leave the state as it was.
const FAR: f64 = 1e3;

/// How to look for an equilibrium.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Static {
    /// Steps in which the loads grow; found automatically if there is none: all at once, and more where that fails.
    pub load_steps: Option<usize>,
    /// The force residual at which it is found; by default 1e-9, with contact or hard constraints the tolerance of the solver.
    pub tolerance: Option<f64>,
}

/// What [`Simulation::equilibrium`] says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EquilibriumReport {
    /// `converged` if forces balance and nothing moves any more.
    pub status: Status,
    /// ‖∇U(x) − mg − f − Cᵀλ‖/f_ref over what is not pinned, inertia left out; f_ref is the norm of all forces that are in it.
    pub force_residual: f64,
    /// How far any node went in the last step of continuation, in sizes of its body.
    pub step: f64,
    /// Steps in which the loads grew.
    pub load_steps: usize,
    /// Steps of continuation, of the attempt that counts.
    pub steps: usize,
    /// Iterations of all of them.
    pub iterations: usize,
    /// Rigid motions that neither pins nor anchors prevent. Contacts and links may.
    pub rigid_modes: Vec<RigidMode>,
    /// Elastic energy at the end in J.
    pub elastic: f64,
    /// Contacts that bear a force.
    pub contacts: usize,
    /// Tetrahedra with negative volume.
    pub inverted: usize,
    /// What the last step of continuation said of itself.
    #[serde(skip)]
    pub last: Option<StepReport>,
}

/// How a relaxation under one load ended.
struct Rest {
    status: Status,
    residual: f64,
    step: f64,
}

/// What grows with the load.
struct Loads {
    gravity: [f64; 3],
    force: Vec<Row>,
    targets: [Vec<Row>; 2],
    axis_targets: [Vec<Row>; 2],
    poses: Vec<[Pose; 2]>,
    frames: Vec<[Pose; 2]>,
}

impl Simulation {
    /// Goes to the equilibrium under the present loads: gravity, forces, wind, and pins, links and obstacles at their targets. Time does not
    /// pass; velocities are zero afterwards. On an error, and unless it is found, the state is that of before or the last that was
    /// reached, as the status says: `diverged` leaves the former.
    pub fn equilibrium(&mut self, options: &Static) -> Result<EquilibriumReport, StepError> {
        self.break_record("equilibrium()");
        let start = self.snapshot();
        let (settings, from) = (self.settings.clone(), self.state.x.clone());
        let rigid_modes = self.rigid_modes();
        let mut report = EquilibriumReport {
            status: Status::Stalled,
            force_residual: 0.0,
            step: 0.0,
            load_steps: 0,
            steps: 0,
            iterations: 0,
            rigid_modes,
            elastic: 0.0,
            contacts: 0,
            inverted: 0,
            last: None,
        };
        if self.drives_rigid(&report.rigid_modes) {
            // Nothing holds what loads drive: there is no equilibrium, and no use in looking for it.
            report.force_residual = self.static_residual();
            return Ok(self.tell(report));
        }
        let rough = self.touching() || !self.groups.is_empty() || self.terms.hard();
        let tolerance =
            options.tolerance.unwrap_or(if rough { settings.solve.tolerance.max(1e-9) } else { 1e-9 });
        let loads = self.loads();
        let mut count = options.load_steps.unwrap_or(1).max(1);
        let result = loop {
            let end = self.climb(&loads, count, tolerance, &mut report);
            let again = match &end {
                Ok(rest) => rest.status != Status::Converged,
                Err(_) => true,
            };
            if !again || options.load_steps.is_some() || count >= MOST_LOADS || report.rigid_modes.len() == 6
            {
                break end;
            }
            self.go_back(&start);
            count *= 2;
        };
        let mut back = settings;
        back.world.gravity = loads.gravity;
        self.set(back);
        self.state.force.clone_from(&loads.force);
        (self.state.frame, self.state.time) = start.clock();
        match result {
            Ok(mut rest) => {
                // What slides without end is nowhere.
                if rest.status != Status::Converged && self.moved(&from) > FAR {
                    rest.status = Status::Diverged;
                }
                if rest.status == Status::Diverged {
                    self.go_back(&start);
                }
                (report.status, report.force_residual, report.step) = (rest.status, rest.residual, rest.step);
                Ok(self.tell(report))
            }
            Err(e) => {
                self.go_back(&start);
                Err(e)
            }
        }
    }

    /// The equilibrium at the end of so many steps, for those who show statics as an animation: the clock goes on, and the report is that of
    /// a step.
    pub fn rest(&mut self, steps: u64) -> Result<StepReport, StepError> {
        let (clock, before) = (Stopwatch::start(), self.factors());
        let found = self.equilibrium(&Static::default())?;
        // Without a step there is nothing but the state.
        let of_step = match found.last {
            Some(r) => r,
            None => StepReport::idle(self.settings.solve.method),
        };
        let now = self.factors();
        self.state.frame += steps;
        self.state.time += steps as f64 * self.settings.time.dt;
        Ok(StepReport {
            frame: self.state.frame,
            time: self.state.time,
            status: found.status,
            iterations: found.iterations,
            factored: (now.matrices - before.matrices) as usize,
            hessians: (now.hessians - before.hessians) as usize,
            force_residual: found.force_residual,
            step: found.step,
            energy: self.energy(),
            inverted: found.inverted,
            timings: Timings { rest: clock.seconds(), ..Timings::default() },
            ..of_step
        })
    }

    fn tell(&mut self, mut report: EquilibriumReport) -> EquilibriumReport {
        (report.elastic, report.inverted) = (self.energy().elastic, self.inverted());
        report.contacts = self.state.touches.len();
        report
    }

    fn go_back(&mut self, start: &Snapshot) {
        let back = self.rewind(start);
        debug_assert!(back.is_ok(), "it is of this simulation");
    }

    /// Settings that were in force, or differ in Δt, gravity and tolerance only.
    fn set(&mut self, settings: Settings) {
        let set = self.update_settings(settings);
        debug_assert!(set.is_ok(), "its kind was in force");
    }

    fn loads(&self) -> Loads {
        let s = &self.state;
        let at = |rows: &[Row]| rows.to_vec();
        Loads {
            gravity: self.settings.world.gravity,
            force: s.force.clone(),
            targets: [at(&s.x[self.free..]), at(&s.targets)],
            axis_targets: [super::axes::targets(&self.axes, &s.x), at(&s.axis_targets)],
            poses: s.poses.clone(),
            frames: s.frames.clone(),
        }
    }

    /// Loads up to a share.
    fn load(&mut self, loads: &Loads, share: f64) {
        let mix = |[from, to]: &[Vec<Row>; 2]| -> Vec<Row> {
            let rows = from.iter().zip(to);
            if share >= 1.0 {
                return to.clone();
            }
            rows.map(|(a, b)| Row(std::array::from_fn(|c| a.0[c] + share * (b.0[c] - a.0[c])))).collect()
        };
        let (targets, axis_targets) = (mix(&loads.targets), mix(&loads.axis_targets));
        let s = &mut self.state;
        (s.targets, s.axis_targets) = (targets, axis_targets);
        for (row, full) in s.force.iter_mut().zip(&loads.force) {
            row.0 = full.0.map(|f| share * f);
        }
        for (now, pose) in s.poses.iter_mut().zip(&loads.poses).chain(s.frames.iter_mut().zip(&loads.frames))
        {
            now[1] = if share >= 1.0 { pose[1] } else { pose[0].towards(&pose[1], share) };
        }
    }

    /// The loads in so many steps, each to rest.
    fn climb(
        &mut self,
        loads: &Loads,
        count: usize,
        tolerance: f64,
        report: &mut EquilibriumReport,
    ) -> Result<Rest, StepError> {
        (report.load_steps, report.steps) = (count, 0);
        let mut rest = Rest { status: Status::Stalled, residual: f64::INFINITY, step: f64::INFINITY };
        for k in 1..=count {
            let share = k as f64 / count as f64;
            self.load(loads, share);
            let gravity = loads.gravity.map(|g| share * g);
            // On the way it is enough to be near.
            let tolerance = if k == count { tolerance } else { tolerance.max(1e-5) };
            rest = self.relax(gravity, tolerance, report)?;
            if rest.status == Status::Diverged {
                break;
            }
        }
        Ok(rest)
    }

    /// Steps of continuation until forces balance.
    fn relax(
        &mut self,
        gravity: [f64; 3],
        tolerance: f64,
        report: &mut EquilibriumReport,
    ) -> Result<Rest, StepError> {
        let mut settings = self.settings.clone();
        settings.time.integrator = Integrator::BackwardEuler;
        settings.world.gravity = gravity;
        settings.world.damping = 0.0;
        settings.solve.tolerance = settings.solve.tolerance.min(0.1 * tolerance);
        settings.solve.time_budget = None;
        settings.time.dt = FIRST;
        let mut best = Rest { status: Status::Stalled, residual: f64::INFINITY, step: f64::INFINITY };
        let (mut worse, near) = (0, tolerance.sqrt().min(1e-3).max(tolerance));
        for _ in 0..MOST {
            self.set(settings.clone());
            self.state.v.fill(Row::default());
            self.state.forget_accelerations();
            self.state.past.forget();
            let before = self.state.x.clone();
            let r = self.advance(None)?;
            report.steps += 1;
            report.iterations += r.iterations;
            report.last = Some(r);
            self.state.v.fill(Row::default());
            self.state.forget_accelerations();
            if r.status == Status::Diverged {
                return Ok(Rest { status: r.status, residual: self.static_residual(), step: f64::INFINITY });
            }
            let step = self.moved(&before);
            let residual = self.static_residual();
            // Forces balance, and Δt is long enough for the step to have gone where they lead.
            let calm = step <= tolerance || residual == 0.0;
            if residual <= tolerance
                && calm
                && (r.status == Status::Converged || residual <= 1e-3 * tolerance)
            {
                return Ok(Rest { status: Status::Converged, residual, step });
            }
            let status = if r.status == Status::Converged { Status::Stalled } else { r.status };
            worse = if residual < 0.5 * best.residual || step < 0.5 * best.step { 0 } else { worse + 1 };
            best = Rest { status, residual: residual.min(best.residual), step: step.min(best.step) };
            if worse >= 12 {
                return Ok(Rest { status, residual, step });
            }
            settings.time.dt = match r.status {
                Status::Converged => (GROWTH * settings.time.dt).min(LONGEST),
                // Nearer to the last one, unless it is only the last digits that are not had.
                _ if residual > near => (settings.time.dt / (GROWTH * GROWTH)).max(1e-6),
                _ => settings.time.dt,
            };
        }
        Ok(Rest { status: Status::IterationLimit, residual: self.static_residual(), step: best.step })
    }

    /// How far any node went, in sizes of its body.
    fn moved(&self, before: &[Row]) -> f64 {
        let parts = self.work.body.iter().enumerate().map(|(i, &b)| {
            let size = self.work.body_size.get(b as usize).copied().unwrap_or(1.0);
            let (p, q) = (&self.state.x[i].0, &before[i].0);
            (0..3).map(|c| (p[c] - q[c]).powi(2)).sum::<f64>().sqrt() / size
        });
        parts.fold(0.0, f64::max)
    }

    /// ‖∇U − mg − f − Cᵀλ‖ over what is free, relative to the forces that are in it; the worst of all bodies.
    pub(super) fn static_residual(&mut self) -> f64 {
        let rows = self.imbalance();
        let gravity = self.settings.world.gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
        let mut sums = vec![[0.0f64; 2]; self.bodies.len()];
        for (i, &b) in self.work.body.iter().enumerate() {
            let axes = self.axes_of(i).map_or([false; 3], |k| self.axes[k].held);
            let square: f64 = (0..3).filter(|&c| !axes[c]).map(|c| rows[i].0[c] * rows[i].0[c]).sum();
            let outer = self.state.force[i].0[..3].iter().map(|f| f * f).sum::<f64>().sqrt();
            let reference = rows[i].0[3] + self.mass[i] * gravity + outer;
            let known = square.sqrt() > self.work.rounding[i];
            if let Some(sum) = sums.get_mut(b as usize) {
                sum[0] += if known { square } else { 0.0 };
                sum[1] += reference * reference;
            }
        }
        let ratio = |s: &[f64; 2]| if s[0] == 0.0 { 0.0 } else { (s[0] / s[1]).sqrt() };
        let worst = sums.iter().map(ratio).fold(0.0, f64::max);
        if sums.iter().flatten().all(|s| s.is_finite()) { worst } else { f64::INFINITY }
    }
}
