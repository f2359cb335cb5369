//! The session and what it has to say. Nothing here waits: the page's worker calls [`Worker::advance`] whenever [`Worker::wait`] is over.
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use supple_cli::scenes;
use supple_cli::view::command::{Command, Field};
use supple_cli::view::files::Files;
use supple_cli::view::job::{Job, build};
use supple_cli::view::session::Outlet;
use supple_cli::view::{Recipe, Session};

/// The one who looks on.
const VIEWER: u64 = 1;
/// Tetrahedra of a surface that is dropped onto the page.
const TETS: usize = 4000;
/// Bytes of all files together.
const MOST: usize = 256 << 20;

/// Messages to the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// A model or a frame.
    Binary(Vec<u8>),
    /// The state, JSON.
    State(String),
    /// A scene or command was refused: why.
    Refused(String),
}

/// The newest of each kind.
#[derive(Default)]
struct Outbox {
    refused: Vec<String>,
    model: Option<Vec<u8>>,
    frame: Option<Vec<u8>>,
    beside: Option<Vec<u8>>,
    state: Option<String>,
    scene: String,
    job: Option<Job>,
    wanted: [bool; 3],
}

#[derive(Clone, Default)]
struct Desk(Arc<Mutex<Outbox>>);

impl Desk {
    fn open(&self) -> MutexGuard<'_, Outbox> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outlet for Desk {
    fn model(&self, _: u32, message: Vec<u8>) {
        let mut out = self.open();
        out.model = Some(message);
        // A frame of another model is of no use.
        (out.frame, out.beside) = (None, None);
    }
    fn frame(&self, message: Vec<u8>, beside: Option<Vec<u8>>) {
        let mut out = self.open();
        (out.frame, out.beside) = (Some(message), beside);
    }
    fn state(&self, json: String) {
        self.open().state = Some(json);
    }
    fn scene(&self, text: String) {
        self.open().scene = text;
    }
    fn viewers(&self) -> usize {
        1
    }
    fn wanted(&self) -> [bool; 3] {
        self.open().wanted
    }
    fn hurry(&self) -> bool {
        // Commands wait for the end of the frame, which has its time budget.
        false
    }
    fn calm(&self) {}
    fn build(&self, job: Job) {
        self.open().job = Some(job);
    }
}

/// A session, once a scene was opened.
#[derive(Default)]
pub struct Worker {
    desk: Desk,
    session: Option<Session<Desk>>,
    /// Files that scenes may name.
    pub files: Files,
}

impl Worker {
    /// Opens a built-in scene. True if it is open now; else what was open stays.
    pub fn open_built_in(&mut self, name: &str) -> bool {
        match Recipe::built_in(name) {
            Some(recipe) => self.start(recipe),
            None => self.refuse(format!("there is no built-in scene {name:?}")),
        }
    }

    /// Opens the text of a scene that may need so many bytes of memory; files that it names are those that were dropped.
    pub fn open_text(&mut self, name: &str, text: &str, most: u64) -> bool {
        match self.files.scene(name, text, Some(most)) {
            Ok(recipe) => self.start(recipe),
            Err(e) => self.refuse(e),
        }
    }

    /// Opens a surface that was dropped: filled, above a floor.
    pub fn open_surface(&mut self, file: &str) -> bool {
        match self.files.falling(file, TETS) {
            Ok(recipe) => self.start(recipe),
            Err(e) => self.refuse(e),
        }
    }

    /// Keeps a file that was dropped, for the scenes that name it.
    pub fn put_file(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), String> {
        self.files.put(name, bytes, MOST)
    }

    fn start(&mut self, recipe: Recipe) -> bool {
        match build(&recipe, &[]) {
            Ok(built) => {
                let wanted = self.desk.open().wanted;
                self.desk = Desk::default();
                self.desk.open().wanted = wanted;
                self.session = Some(Session::new(self.desk.clone(), recipe, built));
                true
            }
            Err(e) => self.refuse(e),
        }
    }

    /// A command, JSON as in docs/stream-format.md.
    pub fn command(&mut self, text: &str) {
        match (Command::read(text), &mut self.session) {
            (Err(e), _) => {
                self.refuse(e);
            }
            (Ok(_), None) => {
                self.refuse("no scene is open".into());
            }
            (Ok(command), Some(session)) => {
                if let Command::Colour { by } = &command {
                    self.desk.open().wanted = Field::ALL.map(|f| *by == Some(f));
                }
                session.command(VIEWER, command);
            }
        }
    }

    /// How long until [`Worker::advance`] is to be called, in s; none if it rests until a command comes.
    pub fn wait(&self) -> Option<f64> {
        let session = self.session.as_ref()?;
        if self.desk.open().job.is_some() { Some(0.0) } else { session.wait() }
    }

    /// Builds what is wished for, takes a frame if one is due, and puts together what there is to say.
    pub fn advance(&mut self) {
        let Some(session) = &mut self.session else { return };
        let job = self.desk.open().job.take();
        match job {
            Some(job) => session.accept(job.done()),
            None => session.advance(),
        }
        session.tell();
    }

    /// The next message, if there is one.
    pub fn next_message(&mut self) -> Option<Message> {
        let mut out = self.desk.open();
        if !out.refused.is_empty() {
            return Some(Message::Refused(out.refused.remove(0)));
        }
        let binary = out.model.take().or_else(|| out.frame.take()).or_else(|| out.beside.take());
        binary.map(Message::Binary).or_else(|| out.state.take().map(Message::State))
    }

    /// The scene with the values as they are now, as a file.
    pub fn scene(&self) -> String {
        self.desk.open().scene.clone()
    }

    /// Says why something is not done; false, for those who say whether it is.
    fn refuse(&self, reason: String) -> bool {
        let mut out = self.desk.open();
        if out.refused.len() < 8 {
            out.refused.push(reason);
        }
        false
    }
}

/// The name of the scene that is shown first.
pub fn first_scene() -> &'static str {
    scenes::ALL[0].name
}
