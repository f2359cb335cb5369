//! Builds programs in the background. Only the newest wish counts: while a slider moves, what was wished for in between is skipped.
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use supple::scene::Program;

use super::grip::Grip;
use super::recipe::Recipe;

/// A wish.
pub struct Job {
    /// What to build.
    pub recipe: Recipe,
    /// With these points held.
    pub grips: Vec<Grip>,
    /// True if the result is to go on from the state of the program that runs; false if it starts anew.
    pub goes_on: bool,
    /// Its number.
    pub number: u64,
}

/// A program that is ready, or why there is none.
pub struct Built {
    /// The wish.
    pub job: Job,
    /// The program and its start, as a checkpoint.
    pub result: Result<(Box<Program>, Vec<u8>), String>,
}

#[derive(Default)]
struct Desk {
    next: Option<Job>,
    closed: bool,
}

/// The thread that builds.
pub struct Builder {
    desk: Arc<(Mutex<Desk>, Condvar)>,
}

fn lock(desk: &Mutex<Desk>) -> MutexGuard<'_, Desk> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Builder {
    /// Starts it; `deliver` is called with each result, and false from it ends the thread.
    pub fn start(mut deliver: impl FnMut(Built) -> bool + Send + 'static) -> std::io::Result<Builder> {
        let desk: Arc<(Mutex<Desk>, Condvar)> = Arc::default();
        let mine = desk.clone();
        std::thread::Builder::new().name("supple-builder".into()).spawn(move || {
            loop {
                let mut open = lock(&mine.0);
                let job = loop {
                    if open.closed {
                        return;
                    }
                    match open.next.take() {
                        Some(job) => break job,
                        None => open = mine.1.wait(open).unwrap_or_else(PoisonError::into_inner),
                    }
                };
                drop(open);
                let result = build(&job.recipe, &job.grips);
                if !deliver(Built { job, result }) {
                    return;
                }
            }
        })?;
        Ok(Builder { desk })
    }

    /// Wishes for something, instead of what was not begun yet.
    pub fn wish(&self, job: Job) {
        lock(&self.desk.0).next = Some(job);
        self.desk.1.notify_one();
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        lock(&self.desk.0).closed = true;
        self.desk.1.notify_one();
    }
}

/// Builds a program; a panic becomes an error, so that the server stays.
pub fn build(recipe: &Recipe, grips: &[Grip]) -> Result<(Box<Program>, Vec<u8>), String> {
    let built = catch_unwind(AssertUnwindSafe(|| {
        let program = recipe.build(grips)?;
        let start = program.simulation.checkpoint();
        Ok((Box::new(program), start))
    }));
    built.unwrap_or_else(|_| Err("the scene could not be built: this is a mistake in supple".into()))
}
