//! A running scene: it takes commands, and frames when they are due. It has no thread and waits for nothing: whoever hosts it (`host.rs`, or a
//! worker of a page) calls it when mail comes and when [`Session::wait`] is over.
use std::panic::{AssertUnwindSafe, catch_unwind};

use supple::scene::Program;
use supple::{Status, StepError, StepReport};

use super::command::{Command, Field};
use super::grip::Grip;
use super::job::{Built, Job};
use super::pace::Pace;
use super::recipe::Recipe;
use super::skin::{Skin, places};
use super::stream::{self, About, Numbers};
use super::tune;
use crate::show::{foresee::foresee, obstacles::floor};

/// The error that is reported if the solver panics.
const BROKEN: &str = "the solver failed: this is a bug in supple; reset to continue";

/// Whom a session tells, and who builds for it. The newest of each kind counts; the session never waits.
pub trait Outlet: Sync {
    /// A model message and its number.
    fn model(&self, number: u32, message: Vec<u8>);
    /// A frame message.
    fn frame(&self, message: Vec<u8>);
    /// The state, JSON.
    fn state(&self, json: String);
    /// The scene as a file, as it is now.
    fn scene(&self, text: String);
    /// How many look on. A scene that nobody watches rests.
    fn viewers(&self) -> usize;
    /// Which fields someone wants.
    fn wanted(&self) -> [bool; 3];
    /// True if a running step is to be given up.
    fn hurry(&self) -> bool;
    /// Nothing is to be given up any more.
    fn calm(&self);
    /// Has something built, instead of what was not begun yet; [`Session::accept`] gets it.
    fn build(&self, job: Job);
}

/// A running scene.
pub struct Session<O> {
    pub(super) outlet: O,
    /// What the viewer was started with.
    pub(super) first: Recipe,
    /// What the viewers want, and what the program was built from.
    pub(super) recipe: Recipe,
    good: Recipe,
    pub(super) program: Box<Program>,
    /// The state at the start of the program, as a checkpoint.
    start: Vec<u8>,
    pub(super) skin: Skin,
    pub(super) model: u32,
    pub(super) grips: Vec<Grip>,
    pub(super) running: bool,
    pub(super) pace: Pace,
    /// Iterations of the coming step that were shown; 0 if it was not begun.
    pub(super) looked: u32,
    /// Why it cannot continue.
    pub(super) error: Option<String>,
    /// The last thing that was refused, with a number so that it is noticed again.
    pub(super) note: Option<(u64, String)>,
    /// Numbers of the newest wish and of what was built last.
    wished: u64,
    built: u64,
    /// The newest wish starts anew.
    fresh: bool,
    last: Numbers,
    /// Something changed that viewers must learn of.
    dirty: bool,
}

impl<O: Outlet> Session<O> {
    /// A session with a program that was built from the recipe.
    pub fn new(outlet: O, recipe: Recipe, (program, start): (Box<Program>, Vec<u8>)) -> Session<O> {
        let skin = Skin::of_program(&program);
        let mut session = Session {
            outlet,
            first: recipe.clone(),
            good: recipe.clone(),
            recipe,
            program,
            start,
            skin,
            model: 0,
            grips: Vec::new(),
            running: true,
            pace: Pace::new(),
            looked: 0,
            error: None,
            note: None,
            wished: 0,
            built: 0,
            fresh: false,
            last: Numbers::default(),
            dirty: true,
        };
        session.show_model();
        session
    }

    /// Something has changed that viewers do not know yet.
    pub fn has_news(&self) -> bool {
        self.dirty
    }

    /// Tells the viewers what has changed, if anything has.
    pub fn tell(&mut self) {
        if std::mem::take(&mut self.dirty) {
            self.outlet.state(self.state().to_string());
            self.outlet.scene(self.recipe.text());
        }
    }

    /// How long until the next frame is due, in s; none if it rests.
    pub fn wait(&self) -> Option<f64> {
        let active = self.running && self.error.is_none() && self.outlet.viewers() > 0;
        active.then(|| self.pace.wait())
    }

    /// Takes the next frame, if it is due.
    pub fn advance(&mut self) {
        if self.wait() == Some(0.0) {
            self.pace.begun(self.frame_time());
            self.live_frame();
            let show = self.pace.show();
            self.publish(show);
        }
    }

    /// Length of a frame in s.
    pub(super) fn frame_time(&self) -> f64 {
        self.program.simulation.settings().time.dt * f64::from(self.program.substeps)
    }

    pub(super) fn building(&self) -> bool {
        self.wished != self.built
    }

    /// A viewer came, and waits for a frame.
    pub fn came(&mut self) {
        self.dirty = true;
        self.pace.restart();
    }

    /// A viewer has left: what it held is let go.
    pub fn left(&mut self, viewer: u64) {
        self.dirty = true;
        self.release(viewer);
    }

    /// A viewer wants something.
    pub fn command(&mut self, viewer: u64, command: Command) {
        // Other viewers need not know of a pull.
        self.dirty |= !matches!(command, Command::Drag { .. });
        match command {
            Command::Run { on } => {
                self.running = on;
                self.pace.restart();
                // The frame at which it stops may be one that was not to be shown.
                self.publish(!on && self.looked == 0);
            }
            Command::Step {} => {
                self.running = false;
                self.frame();
                self.publish(true);
            }
            Command::Iterate {} => {
                self.running = false;
                self.iterate();
            }
            Command::Reset {} => self.reset(),
            Command::Speed { factor } => {
                self.pace.speed = factor.unwrap_or(1.0);
                self.pace.restart();
            }
            Command::Scene { name } => self.change_scene(&name),
            Command::Set { key, value, body } => {
                match tune::set(&mut self.recipe.file, &key, &value, body.as_deref()) {
                    Ok(()) => self.apply(),
                    Err(e) => self.refuse(e),
                }
                self.forget_iterates();
            }
            Command::Grab { vertices, at } => {
                self.forget_iterates();
                self.grips.retain(|g| g.viewer != viewer);
                match Grip::new(viewer, &vertices, at, &self.program, &self.skin, &self.grips) {
                    Ok(grip) => self.grips.push(grip),
                    Err(e) => self.refuse(e),
                }
                self.wish(true);
            }
            Command::Drag { to } => {
                self.forget_iterates();
                if let Some(grip) = self.grips.iter_mut().find(|g| g.viewer == viewer) {
                    grip.target = to;
                }
            }
            Command::Release {} => self.release(viewer),
            Command::Colour { .. } => self.publish(self.looked == 0),
        }
    }

    pub(super) fn refuse(&mut self, text: String) {
        let number = self.note.as_ref().map_or(0, |n| n.0) + 1;
        self.note = Some((number, text));
    }

    fn release(&mut self, viewer: u64) {
        self.forget_iterates();
        let before = self.grips.len();
        self.grips.retain(|g| g.viewer != viewer);
        if self.grips.len() != before {
            self.wish(true);
        }
    }

    /// Has the recipe built with what is held.
    fn wish(&mut self, goes_on: bool) {
        self.fresh |= !goes_on;
        self.wished += 1;
        self.outlet.build(Job {
            recipe: self.recipe.clone(),
            grips: self.grips.clone(),
            goes_on: !self.fresh,
            number: self.wished,
        });
    }

    /// Makes the program follow the recipe: at once if no new matrix is needed.
    fn apply(&mut self) {
        let simulation = &self.program.simulation;
        let (now, touching) = (simulation.settings(), simulation.touching());
        let same_bodies = self.good.file.body == self.recipe.file.body;
        match supple::scene::settings(&self.recipe.file) {
            Ok(new)
                if same_bodies
                    && new.solve.weights(touching) == now.solve.weights(touching)
                    && !self.building() =>
            {
                match self.program.simulation.update_settings(new) {
                    Ok(()) => self.good = self.recipe.clone(),
                    Err(e) => {
                        self.recipe = self.good.clone();
                        self.refuse(e.to_string());
                    }
                }
            }
            Ok(_) => self.wish(true),
            Err(e) => {
                self.recipe = self.good.clone();
                self.refuse(e.to_string());
            }
        }
    }

    fn change_scene(&mut self, name: &str) {
        let known = if self.first.name == name { Some(self.first.clone()) } else { Recipe::built_in(name) };
        match known {
            Some(recipe) => {
                self.recipe = recipe;
                self.grips.clear();
                self.wish(false);
            }
            None => self.refuse("there is no built-in scene of that name".into()),
        }
    }

    /// A program is ready: it continues from the state of the previous one, or starts from the beginning.
    pub fn accept(&mut self, built: Built) {
        self.dirty = true;
        let newest = built.job.number == self.wished;
        self.built = built.job.number;
        // What starts anew counts only if nothing else was wished for since.
        if !newest && (self.fresh || !built.job.goes_on) {
            return;
        }
        let taken = built.result.and_then(|(mut program, start)| {
            if built.job.goes_on {
                program.simulation.adopt(&self.program.simulation).map_err(|e| e.to_string())?;
            }
            (self.program, self.start) = (program, start);
            Ok(())
        });
        match taken {
            Ok(()) => {
                self.good = built.job.recipe;
                // Whoever pulls is not kept waiting for the next frame.
                if !self.grips.is_empty() {
                    self.pace.restart();
                }
                if !built.job.goes_on {
                    self.fresh = false;
                    self.error = None;
                    self.last = Numbers::default();
                    self.outlet.calm();
                    self.show_model();
                    self.pace.restart();
                }
            }
            Err(e) if newest => {
                self.fresh = false;
                self.recipe = self.good.clone();
                self.refuse(e);
                // What others hold, with the recipe that works.
                if !self.grips.is_empty() {
                    self.grips.clear();
                    self.wish(true);
                }
            }
            Err(_) => {}
        }
    }

    fn reset(&mut self) {
        self.looked = 0;
        self.outlet.calm();
        self.error = None;
        let held = std::mem::take(&mut self.grips);
        self.last = Numbers::default();
        match self.program.simulation.restore(&self.start) {
            Ok(()) if held.is_empty() => {}
            Ok(()) => self.wish(true),
            Err(_) => self.wish(false),
        }
        self.pace.restart();
        self.publish(true);
    }

    /// One frame of those that run by themselves: within the time that lets motion look continuous. What was not solved to the end says so.
    /// Contact holds whatever the budget: every iterate is free of intersections, and by rows bodies stop before what they would enter. Hard
    /// constraints are projected at the end of what is not solved to the end.
    fn live_frame(&mut self) {
        let simulation = &mut self.program.simulation;
        let Some(budget) = self.pace.budget() else { return self.frame() };
        let own = simulation.settings().clone();
        let mut settings = own.clone();
        let step = budget / f64::from(self.program.substeps.max(1));
        settings.solve.time_budget = Some(own.solve.time_budget.map_or(step, |t| t.min(step)));
        // If it is refused the frame takes the time that it takes.
        let _ = simulation.update_settings(settings);
        self.frame();
        let _ = self.program.simulation.update_settings(own);
    }

    /// One frame.
    fn frame(&mut self) {
        if self.error.is_some() {
            return;
        }
        if self.looked == 0 {
            self.pull();
        }
        self.looked = 0;
        let (program, outlet) = (&mut self.program, &self.outlet);
        let taken = catch_unwind(AssertUnwindSafe(|| program.frame_with(&mut || outlet.hurry())));
        self.conclude(taken.ok());
    }

    /// Everything that is held goes on its way.
    pub(super) fn pull(&mut self) {
        for grip in &mut self.grips {
            grip.pull(&mut self.program);
        }
    }

    /// What a step, a whole frame or one that was shown iteration by iteration, has come to; none if it broke down.
    pub(super) fn conclude(&mut self, taken: Option<Result<StepReport, StepError>>) {
        match taken {
            Some(Ok(report)) if report.status == Status::Stopped => {}
            Some(Ok(report)) => {
                let limit = self.program.simulation.settings().solve.iterations;
                self.last = Numbers::of(self.model, self.frame_number(), &report, limit);
            }
            Some(Err(StepError::Discarded)) => {}
            Some(Err(e)) => {
                self.error = Some(format!("the simulation cannot continue: {e}"));
                self.dirty = true;
            }
            None => {
                // Who knows what it looks like inside: reset builds a new one.
                self.start.clear();
                self.error = Some(BROKEN.into());
                self.dirty = true;
            }
        }
    }

    pub(super) fn frame_number(&self) -> u64 {
        self.program.simulation.frame() / u64::from(self.program.substeps.max(1))
    }

    /// Leaves the present state for the viewers to take.
    pub(super) fn publish(&mut self, show: bool) {
        if !show {
            return;
        }
        let sim = &self.program.simulation;
        let wanted = self.outlet.wanted();
        let wants = |field: Field| wanted.get(field as usize).is_some_and(|w| *w);
        let velocities = if wants(Field::Velocity) { sim.velocities() } else { Vec::new() };
        let elements = if wanted[0] || wanted[1] { sim.element_fields() } else { Vec::new() };
        let fields = Field::ALL.map(|f| wants(f).then(|| self.skin.field(f, &velocities, &elements)));
        let numbers =
            Numbers { model: self.model, frame: self.frame_number(), time: sim.time(), ..self.last };
        let positions: Vec<[f64; 3]> = self.skin.positions(&places(&self.program)).collect();
        self.outlet.frame(stream::frame(&numbers, positions.into_iter(), &fields));
    }

    /// Leaves the model, and the state at its start, for the viewers to take.
    fn show_model(&mut self) {
        self.model += 1;
        self.skin = Skin::of_program(&self.program);
        let seconds = self.frame_time() * self.program.frames as f64;
        let bounds = foresee(&self.program, seconds);
        let (low, high, size) = (bounds.low, bounds.high, bounds.diagonal());
        let output = &self.recipe.file.output;
        let about = About {
            scene: &self.recipe.name,
            dt: self.frame_time(),
            view: output.view.unwrap_or([0.7, 0.5, 1.0]),
            floor: output.floor.or(floor(&self.program)).unwrap_or(low[1] - 0.01 * size),
            bounds: [low, high],
        };
        self.outlet.model(self.model, stream::model(self.model, &self.skin, &about));
        self.publish(true);
        self.dirty = true;
    }
}
