//! A running scene: it takes commands, and frames when they are due. It has no thread and waits for nothing: whoever hosts it (`host.rs`, or a
//! worker of a page) calls it when mail comes and when [`Session::wait`] is over.
use supple::math::small::{add, axpy, sub};
use supple::scene::Program;

use super::beside::Beside;
use super::command::Command;
use super::grip::Grip;
use super::history::{History, MOST};
use super::job::{Job, Ready};
use super::pace::Pace;
use super::recipe::Recipe;
use super::skin::{Skin, places};
use super::stream::Numbers;
use super::undo::Changes;

/// Whom a session tells, and who builds for it. The newest of each kind counts; the session never waits.
pub trait Outlet: Sync {
    /// A model message and its number.
    fn model(&self, number: u32, message: Vec<u8>);
    /// A frame message, and that of the same frame by the method beside, if there is one.
    fn frame(&self, message: Vec<u8>, beside: Option<Vec<u8>>);
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
    /// What was opened since.
    pub(super) opened: Option<Recipe>,
    /// What the viewers want, and what the program was built from.
    pub(super) recipe: Recipe,
    pub(super) good: Recipe,
    pub(super) changes: Changes,
    pub(super) program: Box<Program>,
    /// The state at the start of the program, as a checkpoint.
    pub(super) start: Vec<u8>,
    pub(super) beside: Option<Beside>,
    /// By which method it is wanted beside.
    pub(super) rival: Option<super::beside::Rival>,
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
    pub(super) wished: u64,
    pub(super) built: u64,
    /// The newest wish starts anew.
    pub(super) fresh: bool,
    /// The newest wish is one of files.
    pub(super) opening: bool,
    pub(super) last: Numbers,
    pub(super) history: History,
    /// Something changed that viewers are to be told.
    pub(super) dirty: bool,
}

impl<O: Outlet> Session<O> {
    /// A session with a program that was built from the recipe.
    pub fn new(outlet: O, recipe: Recipe, (program, start): Ready) -> Session<O> {
        let skin = Skin::of_program(&program, &recipe.file);
        let mut session = Session {
            outlet,
            first: recipe.clone(),
            opened: None,
            good: recipe.clone(),
            recipe,
            changes: Changes::default(),
            program,
            start,
            beside: None,
            rival: None,
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
            opening: false,
            last: Numbers::default(),
            history: History::new(MOST),
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
            Command::Set { key, value, body, more } => {
                self.set(viewer, &key, &value, body.as_deref(), more);
                self.forget_iterates();
            }
            Command::Undo {} => self.undo(true),
            Command::Redo {} => self.undo(false),
            Command::Seek { frame } => self.seek(frame),
            Command::Beside { with } => self.compare(with),
            // Whoever hosts the session takes the files.
            Command::Open { .. } => self.refuse("no files were sent".into()),
            Command::Grab { vertices, at, side } => self.grab(viewer, &vertices, at, side),
            Command::Drag { to } => {
                self.forget_iterates();
                let beside = self.beside.iter_mut().flat_map(|b| &mut b.grips);
                let mine = self.grips.iter_mut().chain(beside).filter(|g| g.viewer == viewer);
                mine.for_each(|g| g.aim(to));
            }
            Command::Release {} => self.release(viewer),
            Command::Colour { .. } => self.publish(self.looked == 0),
        }
    }

    pub(super) fn refuse(&mut self, text: String) {
        let number = self.note.as_ref().map_or(0, |n| n.0) + 1;
        self.note = Some((number, text));
    }

    fn grab(&mut self, viewer: u64, vertices: &[u32], at: [f64; 3], side: u8) {
        self.forget_iterates();
        self.drop_grips(|g| g.viewer == viewer);
        // Where it is by the first method, if it was seen by the other.
        let middle = |program: &Program| {
            let all = places(program);
            let of =
                vertices.iter().filter_map(|&v| Some((self.skin.place(v)?, 1.0 / vertices.len() as f64)));
            of.fold([0.0; 3], |m, (node, share)| {
                let p = all.get(node as usize).copied().unwrap_or_default();
                axpy(m, share, p)
            })
        };
        let shift = match &self.beside {
            Some(b) if side == 1 => {
                let (here, there) = (middle(&self.program), middle(&b.program));
                sub(here, there)
            }
            _ => [0.0; 3],
        };
        let at = add(at, shift);
        match Grip::new(viewer, vertices, at, &self.program, &self.skin, &self.grips) {
            Ok(mut grip) => {
                grip.offset = shift;
                if let Some(b) = &mut self.beside {
                    b.grips.push(grip.twin(&b.program));
                }
                self.grips.push(grip);
            }
            Err(e) => self.refuse(e),
        }
        self.wish(true);
    }

    /// Forgets what is held and fits; true if anything did.
    pub(super) fn drop_grips(&mut self, fits: impl Fn(&Grip) -> bool) -> bool {
        let before = self.grips.len();
        self.grips.retain(|g| !fits(g));
        self.beside.iter_mut().for_each(|b| b.grips.retain(|g| !fits(g)));
        self.grips.len() != before
    }

    fn release(&mut self, viewer: u64) {
        self.forget_iterates();
        if self.drop_grips(|g| g.viewer == viewer) {
            self.wish(true);
        }
    }

    /// Has the recipe built with what is held.
    pub(super) fn wish(&mut self, goes_on: bool) {
        self.wish_files(goes_on, None);
    }

    /// The same of files.
    pub(super) fn wish_files(&mut self, goes_on: bool, files: Option<super::files::Files>) {
        // Another scene is on its way: what is done to this one meanwhile does not hold it up.
        if files.is_none() && self.opening && goes_on {
            return;
        }
        self.opening = files.is_some();
        self.fresh |= !goes_on;
        self.wished += 1;
        // Nobody holds anything of a scene that is not there, and it is seen by itself first.
        let (grips, rival) = match &files {
            Some(_) => (Vec::new(), None),
            None => (self.grips.clone(), self.rival),
        };
        self.outlet.build(Job {
            recipe: self.recipe.clone(),
            grips,
            goes_on: !self.fresh,
            number: self.wished,
            rival,
            opened: files.is_some(),
            files,
        });
    }
}
