//! Frames: taken, kept, gone back to, shown.
use std::panic::{AssertUnwindSafe, catch_unwind};

use supple::scene::Program;
use supple::{Status, StepError, StepReport};

use super::command::Field;
use super::history::Kept;
use super::session::{Outlet, Session};
use super::skin::{Skin, places};
use super::stream::{self, About, Numbers};
use crate::show::{foresee::foresee, obstacles::floor};

/// The error that is reported if the solver panics.
const BROKEN: &str = "the solver failed: this is a bug in supple; reset to continue";

/// What a step has come to; none if it broke down.
pub(super) type Taken = Option<Result<StepReport, StepError>>;

/// The time in which each frame of a program is to be solved, for as long as `frame` runs.
fn within(program: &mut Program, seconds: f64, frame: impl FnOnce(&mut Program) -> Taken) -> Taken {
    let own = program.simulation.settings().clone();
    let mut settings = own.clone();
    let step = seconds / f64::from(program.substeps.max(1));
    settings.solve.time_budget = Some(own.solve.time_budget.map_or(step, |t| t.min(step)));
    // If it is refused the frame takes the time that it takes.
    let _ = program.simulation.update_settings(settings);
    let taken = frame(program);
    let _ = program.simulation.update_settings(own);
    taken
}

impl<O: Outlet> Session<O> {
    /// One frame of those that run by themselves: within the time that lets motion look continuous. What was not solved to the end says so.
    /// Contact holds whatever the budget: every iterate is free of intersections, and by rows bodies stop before what they would enter. Hard
    /// constraints are projected at the end of what is not solved to the end. Two methods have half of the time each.
    pub(super) fn live_frame(&mut self) {
        self.frame_within(self.pace.budget());
    }

    /// One frame, solved to the end.
    pub(super) fn frame(&mut self) {
        self.frame_within(None);
    }

    fn frame_within(&mut self, budget: Option<f64>) {
        if self.error.is_some() {
            return;
        }
        if self.looked == 0 {
            self.pull();
        }
        self.looked = 0;
        let outlet = &self.outlet;
        let frame = |program: &mut Program| {
            catch_unwind(AssertUnwindSafe(|| program.frame_with(&mut || outlet.hurry()))).ok()
        };
        let timed = |program: &mut Program, share: f64| match budget {
            Some(budget) => within(program, share * budget, frame),
            None => frame(program),
        };
        let share = if self.beside.is_some() { 0.5 } else { 1.0 };
        let taken = timed(&mut self.program, share);
        let stopped = matches!(&taken, Some(Ok(r)) if r.status == Status::Stopped);
        let beside = self.beside.as_mut().filter(|_| !stopped).map(|b| timed(&mut b.program, share));
        self.conclude(taken, beside);
    }

    /// Everything that is held goes on its way.
    pub(super) fn pull(&mut self) {
        self.grips.iter_mut().for_each(|g| g.pull(&mut self.program));
        if let Some(b) = &mut self.beside {
            b.grips.iter_mut().for_each(|g| g.pull(&mut b.program));
        }
    }

    /// What a step has come to, a whole frame or one that was shown iteration by iteration, and the same by the method beside.
    pub(super) fn conclude(&mut self, taken: Taken, beside: Option<Taken>) {
        let (model, substeps) = (self.model, u64::from(self.program.substeps.max(1)));
        let mut whole = false;
        let mut error = None;
        let mut of = |taken: Taken, program: &Program, last: &mut Numbers| match taken {
            Some(Ok(report)) if report.status == Status::Stopped => {}
            Some(Ok(report)) => {
                let limit = program.simulation.settings().solve.iterations;
                *last = Numbers::of(model, program.simulation.frame() / substeps, &report, limit);
                whole = true;
            }
            Some(Err(StepError::Discarded)) => {}
            Some(Err(e)) => error = Some((format!("the simulation cannot continue: {e}"), false)),
            None => error = Some((BROKEN.into(), true)),
        };
        of(taken, &self.program, &mut self.last);
        if let Some((taken, b)) = beside.zip(self.beside.as_mut()) {
            of(taken, &b.program, &mut b.last);
        }
        if let Some((text, broken)) = error {
            if broken {
                // Who knows what it looks like inside: reset builds a new one.
                self.start.clear();
            }
            self.error = Some(text);
            self.dirty = true;
        } else if whole {
            self.keep();
        }
    }

    pub(super) fn frame_number(&self) -> u64 {
        self.program.simulation.frame() / u64::from(self.program.substeps.max(1))
    }

    /// Keeps the state to go back to.
    pub(super) fn keep(&mut self) {
        let mut sides = vec![(self.program.simulation.snapshot(), self.last)];
        sides.extend(self.beside.as_ref().map(|b| (b.program.simulation.snapshot(), b.last)));
        self.history.push(Kept { frame: self.frame_number(), sides });
    }

    /// Pauses, and goes to the last kept frame that is not after this one.
    pub(super) fn seek(&mut self, frame: u64) {
        self.running = false;
        self.looked = 0;
        if self.error.as_deref() == Some(BROKEN) {
            return;
        }
        // What is held would pull at once.
        if self.drop_grips(|_| true) {
            self.wish(true);
        }
        let Some(kept) = self.history.at(frame) else { return };
        let programs = [Some(&mut self.program), self.beside.as_mut().map(|b| &mut b.program)];
        let mut wrong = None;
        for (program, (state, _)) in programs.into_iter().flatten().zip(&kept.sides) {
            let simulation = &mut program.simulation;
            // With the same settings and elements bit for bit, else as far as that can be.
            let same = state.settings() == simulation.settings();
            if !(same && simulation.rewind(state).is_ok()) {
                wrong = simulation.adopt_snapshot(state).err().or(wrong);
            }
        }
        let numbers: Vec<Numbers> = kept.sides.iter().map(|(_, n)| *n).collect();
        if let Some(n) = numbers.first() {
            self.last = *n;
        }
        if let (Some(b), Some(n)) = (&mut self.beside, numbers.get(1)) {
            b.last = *n;
        }
        match wrong {
            Some(e) => self.refuse(e.to_string()),
            None => self.error = None,
        }
        self.publish(true);
    }

    /// Leaves the present state for the viewers to take.
    pub(super) fn publish(&mut self, show: bool) {
        if !show {
            return;
        }
        let first = self.message(&self.program, &self.last, 0);
        let beside = self.beside.as_ref().map(|b| self.message(&b.program, &b.last, 1));
        self.outlet.frame(first, beside);
    }

    /// A frame message of one side.
    fn message(&self, program: &Program, last: &Numbers, side: u8) -> Vec<u8> {
        let sim = &program.simulation;
        let wanted = self.outlet.wanted();
        let wants = |field: Field| wanted.get(field as usize).is_some_and(|w| *w);
        let velocities = if wants(Field::Velocity) { sim.velocities() } else { Vec::new() };
        let elements =
            if wants(Field::Stretch) || wants(Field::Stress) { sim.element_fields() } else { Vec::new() };
        let fields = Field::ALL.map(|f| wants(f).then(|| self.skin.field(f, &velocities, &elements)));
        let frame = sim.frame() / u64::from(program.substeps.max(1));
        let numbers =
            Numbers { model: self.model, frame, time: sim.time(), side, newest: self.newest(), ..*last };
        let positions: Vec<[f64; 3]> = self.skin.positions(&places(program)).collect();
        stream::frame(&numbers, positions.into_iter(), &fields)
    }

    /// Number of the newest frame that can be gone to.
    pub(super) fn newest(&self) -> u32 {
        u32::try_from(self.history.newest().unwrap_or(0)).unwrap_or(u32::MAX)
    }

    /// Leaves the model, and the present state, for the viewers to take.
    pub(super) fn show_model(&mut self) {
        self.model += 1;
        self.skin = Skin::of_program(&self.program, &self.recipe.file);
        let seconds = self.frame_time() * self.program.frames as f64;
        let bounds = foresee(&self.program, seconds);
        let (low, high, size) = (bounds.low, bounds.high, bounds.diagonal());
        let output = &self.recipe.file.output;
        let body = |name: &String| self.program.bodies.iter().position(|b| b.name == *name);
        let about = About {
            scene: &self.recipe.name,
            dt: self.frame_time(),
            view: output.view.unwrap_or([0.7, 0.5, 1.0]),
            floor: output.floor.or(floor(&self.program)).unwrap_or(low[1] - 0.01 * size),
            bounds: [low, high],
            camera: output.camera,
            follow: output.follow.as_ref().and_then(body),
        };
        self.outlet.model(self.model, stream::model(self.model, &self.skin, &about));
        self.keep();
        self.publish(true);
        self.dirty = true;
    }
}
