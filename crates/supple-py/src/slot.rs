//! Who has the engine: the simulation, a step under way, or an iteration that waits for the next look.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use supple::{Energy, StepReport};

use crate::engine::Engine;
use crate::error::{Panic, guard};
use crate::session::Session;

/// The state before a step that Python observes.
#[derive(Clone)]
pub struct Snapshot {
    pub positions: Vec<[f64; 3]>,
    pub velocities: Vec<[f64; 3]>,
    pub frame: u64,
    pub time: f64,
    pub energy: Energy,
    pub inverted: usize,
}

impl Snapshot {
    pub fn of(engine: &mut Engine) -> Snapshot {
        let sim = engine.sim_mut();
        Snapshot {
            positions: sim.positions(),
            velocities: sim.velocities(),
            frame: sim.frame(),
            time: sim.time(),
            energy: sim.energy(),
            inverted: sim.inverted(),
        }
    }
}

pub enum Slot {
    Ready(Box<Engine>),
    /// Someone works with it.
    Busy(&'static str),
    /// An iteration waits.
    Open(Box<Session>),
    /// A panic took it.
    Broken,
}

/// A slot that Python's threads share. The lock is held for moments only, never while anything runs.
pub struct Shared {
    slot: Mutex<Slot>,
    last: Mutex<Option<StepReport>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn refuse(slot: &Slot) -> PyErr {
    PyRuntimeError::new_err(match slot {
        Slot::Busy(what) => format!(
            "the simulation is in use: {what} is running in another thread; one thread at a time may use it"
        ),
        _ => "the simulation was lost in an internal error; restore it from a file or build it again"
            .to_string(),
    })
}

impl Shared {
    pub fn new(engine: Box<Engine>) -> Shared {
        Shared { slot: Mutex::new(Slot::Ready(engine)), last: Mutex::new(None) }
    }

    /// The report of the last step.
    pub fn last(&self) -> Option<StepReport> {
        *locked(&self.last)
    }
    pub fn set_last(&self, report: Option<StepReport>) {
        *locked(&self.last) = report;
    }

    /// Takes the engine for work; a waiting iteration is rolled back first.
    pub fn take(&self, py: Python<'_>, what: &'static str) -> PyResult<Box<Engine>> {
        let session = {
            let mut slot = locked(&self.slot);
            match std::mem::replace(&mut *slot, Slot::Busy(what)) {
                Slot::Ready(engine) => return Ok(engine),
                Slot::Open(session) => session,
                other => {
                    *slot = other;
                    return Err(refuse(&slot));
                }
            }
        };
        match py.detach(|| session.discard()) {
            Some(engine) => Ok(engine),
            None => {
                self.put(None);
                Err(refuse(&Slot::Broken))
            }
        }
    }

    /// Gives the engine back.
    pub fn put(&self, engine: Option<Box<Engine>>) {
        *locked(&self.slot) = engine.map_or(Slot::Broken, Slot::Ready);
    }

    /// Takes the engine for work and gives it back, without the interpreter's lock meanwhile.
    pub fn with<T: Send>(
        &self,
        py: Python<'_>,
        what: &'static str,
        f: impl FnOnce(&mut Engine) -> T + Send,
    ) -> PyResult<T> {
        let mut engine = self.take(py, what)?;
        let (engine, result) = py.detach(move || {
            let result = guard(|| f(&mut engine));
            (engine, result)
        });
        let result = result.map_err(|panic: Panic| PyErr::from(panic));
        let failure = engine.take_failure();
        self.put(result.is_ok().then_some(engine));
        match failure {
            Some(e) => Err(e),
            None => result,
        }
    }

    /// Reads without disturbing an iteration that waits: then what was before its step.
    pub fn read<T>(
        &self,
        ready: impl FnOnce(&Engine) -> T,
        before: impl FnOnce(&Snapshot) -> T,
    ) -> PyResult<T> {
        match &*locked(&self.slot) {
            Slot::Ready(engine) => Ok(ready(engine)),
            Slot::Open(session) => Ok(before(session.before())),
            slot => Err(refuse(slot)),
        }
    }

    /// The waiting iteration of this number.
    pub fn resume(&self, number: u64) -> PyResult<Box<Session>> {
        let mut slot = locked(&self.slot);
        match std::mem::replace(&mut *slot, Slot::Busy("iterations()")) {
            Slot::Open(session) if session.number() == number => Ok(session),
            other => {
                *slot = other;
                Err(match &*slot {
                    Slot::Ready(_) | Slot::Open(_) => PyRuntimeError::new_err(
                        "the simulation was used otherwise, so this iteration over a step was rolled back",
                    ),
                    slot => refuse(slot),
                })
            }
        }
    }

    /// Lets an iteration wait.
    pub fn wait(&self, session: Box<Session>) {
        *locked(&self.slot) = Slot::Open(session);
    }

    /// Rolls back the iteration of this number if it waits.
    pub fn close(&self, number: u64) {
        let session = {
            let mut slot = locked(&self.slot);
            match std::mem::replace(&mut *slot, Slot::Busy("iterations()")) {
                Slot::Open(session) if session.number() == number => session,
                other => {
                    *slot = other;
                    return;
                }
            }
        };
        // The thread may need the interpreter for a material written in Python.
        let engine = Python::try_attach(|py| py.detach(|| session.discard())).flatten();
        self.put(engine);
    }
}
