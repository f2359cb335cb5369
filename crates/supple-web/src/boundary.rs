//! What WebAssembly exports: numbers, and one byte buffer each way. The page writes into the buffer that [`input`] gives and then calls one of
//! the others; answers lie at [`output`] until the next call. No pointer is ever read here.
//!
//! The only `unsafe` is in attributes and in the declaration of the clock: exported names must be unique in the module, and they are, since nothing
//! else in it exports any.
#![allow(unsafe_code)]

use std::cell::RefCell;

use crate::worker::{Message, Worker, first_scene};
use crate::{lanes, record};

// SAFETY: the page gives `now` (web/src/module.ts), which takes nothing and returns a number.
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Seconds since the page was opened.
    safe fn now() -> f64;
}

#[derive(Default)]
struct Boundary {
    worker: Worker,
    input: Vec<u8>,
    output: Vec<u8>,
}

thread_local! {
    static BOUNDARY: RefCell<Boundary> = RefCell::default();
}

fn with<T>(f: impl FnOnce(&mut Boundary) -> T) -> T {
    BOUNDARY.with_borrow_mut(f)
}

fn clock() -> f64 {
    now()
}

impl Boundary {
    /// The input: the first `name` bytes as text, and what follows them.
    fn taken(&mut self, name: usize) -> (String, Vec<u8>) {
        let mut head = std::mem::take(&mut self.input);
        let rest = head.split_off(name.min(head.len()));
        (String::from_utf8_lossy(&head).into_owned(), rest)
    }
}

/// Room for so many bytes of input.
// SAFETY: the only `input` of the module.
#[unsafe(no_mangle)]
extern "C" fn input(length: usize) -> *mut u8 {
    with(|b| {
        b.input.clear();
        b.input.resize(length, 0);
        b.input.as_mut_ptr()
    })
}

/// Where the answer lies.
// SAFETY: the only `output` of the module.
#[unsafe(no_mangle)]
extern "C" fn output() -> *const u8 {
    with(|b| b.output.as_ptr())
}

/// How long the answer is.
// SAFETY: the only `output_length` of the module.
#[unsafe(no_mangle)]
extern "C" fn output_length() -> usize {
    with(|b| b.output.len())
}

/// Starts: to be called once, first. The answer is the name of the first scene.
// SAFETY: the only `start` of the module.
#[unsafe(no_mangle)]
extern "C" fn start() {
    supple::exec::lend_clock(clock);
    with(|b| b.output = first_scene().as_bytes().to_vec());
}

/// Keeps a file: the input is a name of so many bytes and the file. 1 if there is room.
// SAFETY: the only `put_file` of the module.
#[unsafe(no_mangle)]
extern "C" fn put_file(name: usize) -> u32 {
    with(|b| {
        let (name, bytes) = b.taken(name);
        let kept = b.worker.put_file(&name, bytes);
        b.output = kept.as_ref().err().cloned().unwrap_or_default().into_bytes();
        u32::from(kept.is_ok())
    })
}

/// Opens a scene that may need so much memory: the input is a name of so many bytes and the text. 1 if it is open now.
// SAFETY: the only `open_text` of the module.
#[unsafe(no_mangle)]
extern "C" fn open_text(name: usize, megabytes: u32) -> u32 {
    with(|b| {
        let (name, text) = b.taken(name);
        u32::from(b.worker.open_text(&name, &String::from_utf8_lossy(&text), u64::from(megabytes) << 20))
    })
}

/// Opens a built-in scene: the input is its name. 1 if it is open now.
// SAFETY: the only `open_built_in` of the module.
#[unsafe(no_mangle)]
extern "C" fn open_built_in() -> u32 {
    with(|b| {
        let (name, _) = b.taken(usize::MAX);
        u32::from(b.worker.open_built_in(&name))
    })
}

/// Opens a surface that was kept: the input is its name. 1 if it is open now.
// SAFETY: the only `open_surface` of the module.
#[unsafe(no_mangle)]
extern "C" fn open_surface() -> u32 {
    with(|b| {
        let (name, _) = b.taken(usize::MAX);
        u32::from(b.worker.open_surface(&name))
    })
}

/// A command: the input is JSON.
// SAFETY: the only `command` of the module.
#[unsafe(no_mangle)]
extern "C" fn command() {
    with(|b| {
        let (text, _) = b.taken(usize::MAX);
        b.worker.command(&text);
    });
}

/// Seconds until `advance` is to be called; below 0: not before the next command.
// SAFETY: the only `wait` of the module.
#[unsafe(no_mangle)]
extern "C" fn wait() -> f64 {
    with(|b| b.worker.wait().unwrap_or(-1.0))
}

/// Takes the next frame, if it is due, and puts together what there is to say.
// SAFETY: the only `advance` of the module.
#[unsafe(no_mangle)]
extern "C" fn advance() {
    with(|b| b.worker.advance());
}

/// The next message becomes the answer: 0 if there is none, 1 binary, 2 state, 3 why something was refused.
// SAFETY: the only `next_message` of the module.
#[unsafe(no_mangle)]
extern "C" fn next_message() -> u32 {
    with(|b| {
        let (kind, bytes) = match b.worker.next_message() {
            None => (0, Vec::new()),
            Some(Message::Binary(bytes)) => (1, bytes),
            Some(Message::State(text)) => (2, text.into_bytes()),
            Some(Message::Refused(text)) => (3, text.into_bytes()),
        };
        b.output = bytes;
        kind
    })
}

/// The answer is the scene as it is now, as a file.
// SAFETY: the only `scene_file` of the module.
#[unsafe(no_mangle)]
extern "C" fn scene_file() {
    with(|b| b.output = b.worker.scene().into_bytes());
}

/// How many numbers come out of the lanes of this machine with other bits than one by one.
// SAFETY: the only `lanes_differ` of the module.
#[unsafe(no_mangle)]
extern "C" fn lanes_differ() -> usize {
    lanes::differ()
}

/// Runs a built-in scene, whose name is the input, for so many frames: the answer is what `record` gives. 1 if it could be run; else it is why not.
// SAFETY: the only `record_frames` of the module.
#[unsafe(no_mangle)]
extern "C" fn record_frames(frames: usize) -> u32 {
    with(|b| {
        let (name, _) = b.taken(usize::MAX);
        let recorded = record::record(&name, frames);
        let done = recorded.is_ok();
        b.output = recorded.unwrap_or_else(String::into_bytes);
        u32::from(done)
    })
}

/// Seconds of the fastest of so many frames of a scene, whose text is the input; below 0: it could not be run, and the answer is why.
// SAFETY: the only `time_steps` of the module.
#[unsafe(no_mangle)]
extern "C" fn time_steps(steps: usize) -> f64 {
    with(|b| {
        let (text, _) = b.taken(usize::MAX);
        match record::fastest_frame(&text, steps, clock) {
            Ok(fastest) => fastest,
            Err(e) => {
                b.output = e.into_bytes();
                -1.0
            }
        }
    })
}
