//! Builds programs in the background. Only the newest wish counts: while a slider moves, what was wished for in between is skipped.
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::job::{Built, Job};

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
                if !deliver(job.done()) {
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
