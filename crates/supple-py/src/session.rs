//! One step, iteration by iteration: it runs in a thread of its own, which waits after each iteration until someone wants the
//! next one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use supple::sim::{Iteration, LocalState};
use supple::{Control, Method, StepError, StepReport};

use crate::engine::{Engine, PATIENCE, sees_signals};
use crate::error::{Panic, guard};
use crate::slot::Snapshot;

/// An iteration, copied.
pub struct Seen {
    pub index: usize,
    pub method: Method,
    pub positions: Vec<[f64; 3]>,
    pub primal: f64,
    pub dual: f64,
    pub force_residual: f64,
    pub objective: f64,
    pub start_objective: f64,
    /// Of `admm` only.
    pub local: Option<Vec<LocalState>>,
}

impl Seen {
    fn of(it: &mut Iteration<'_, '_>, local: bool) -> Seen {
        let method = it.method();
        Seen {
            index: it.index(),
            method,
            positions: it.positions(),
            primal: it.primal(),
            dual: it.dual(),
            objective: it.objective(),
            start_objective: it.start_objective(),
            force_residual: it.force_residual(),
            local: (local && method == Method::Admm).then(|| it.tetrahedra()),
        }
    }
}

#[allow(clippy::large_enum_variant, reason = "one at a time, moved once per step")]
enum Message {
    Seen(Box<Seen>),
    Done(Box<Engine>, Result<StepReport, StepError>),
    Broken(Panic),
}

/// Messages to the thread.
enum Go {
    On,
    Back,
}

/// A step that waits.
pub struct Session {
    number: u64,
    before: Snapshot,
    go: Sender<Go>,
    messages: Receiver<Message>,
    thread: JoinHandle<()>,
}

/// What came next.
#[allow(clippy::large_enum_variant, reason = "one at a time, moved once per step")]
pub enum Next {
    Seen(Box<Session>, Box<Seen>),
    Done(Box<Engine>, PyResult<StepReport>),
    Broken(PyErr),
}

impl Session {
    /// Starts a step; the engine comes back if there is no thread to be had.
    pub fn start(
        engine: Box<Engine>,
        before: Snapshot,
        local: bool,
    ) -> Result<Session, (Box<Engine>, PyErr)> {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let (give, take) = mpsc::channel::<Box<Engine>>();
        let (go, orders) = mpsc::channel();
        let (send, messages) = mpsc::channel();
        let body = move || {
            let Ok(mut engine) = take.recv() else { return };
            let seen = send.clone();
            let look = move |it: &mut Iteration<'_, '_>| {
                let told = seen.send(Message::Seen(Box::new(Seen::of(it, local))));
                match told.map(|()| orders.recv()) {
                    Ok(Ok(Go::On)) => Control::Continue,
                    // Also when nobody is there any more.
                    _ => Control::Discard,
                }
            };
            let message = match guard(|| engine.step(&mut { look })) {
                Ok(result) => Message::Done(engine, result),
                Err(panic) => Message::Broken(panic),
            };
            let _ = send.send(message);
        };
        let thread = match std::thread::Builder::new().name("supple iterations".into()).spawn(body) {
            Ok(thread) => thread,
            Err(e) => return Err((engine, PyRuntimeError::new_err(format!("no thread for the step: {e}")))),
        };
        match give.send(engine) {
            Ok(()) => {
                let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
                Ok(Session { number, before, go, messages, thread })
            }
            Err(mpsc::SendError(engine)) => Err((engine, PyRuntimeError::new_err("the thread ended"))),
        }
    }

    pub fn number(&self) -> u64 {
        self.number
    }
    pub fn before(&self) -> &Snapshot {
        &self.before
    }

    /// Lets the thread continue. Call before [`Session::next`], but for the first.
    pub fn go_on(&self) {
        // A thread that is gone shows when its message is waited for.
        let _ = self.go.send(Go::On);
    }

    /// Waits for the next iteration or for the end. After Ctrl-C the step is rolled back once its iteration is done.
    pub fn next(self: Box<Self>, py: Python<'_>) -> Next {
        let (signals, mut interrupted) = match sees_signals(py) {
            Ok(signals) => (signals, None),
            Err(e) => (true, Some(e)),
        };
        let mut session = self;
        loop {
            let (back, message) = py.detach(move || {
                let message = session.messages.recv_timeout(PATIENCE);
                (session, message)
            });
            session = back;
            match message {
                Ok(Message::Seen(seen)) => {
                    // In `list(…)` nobody else looks between short iterations.
                    if signals && interrupted.is_none() {
                        interrupted = py.check_signals().err();
                    }
                    let Some(e) = interrupted else { return Next::Seen(session, seen) };
                    return match py.detach(move || session.discard()) {
                        Some(engine) => Next::Done(engine, Err(e)),
                        None => Next::Broken(e),
                    };
                }
                Ok(Message::Done(engine, result)) => {
                    let verdict = engine.verdict(result);
                    return Next::Done(engine, interrupted.map_or(verdict, Err));
                }
                Ok(Message::Broken(panic)) => return Next::Broken(panic.into()),
                Err(RecvTimeoutError::Disconnected) => {
                    return Next::Broken(Panic("the thread of a step ended".into()).into());
                }
                Err(RecvTimeoutError::Timeout) => {
                    if signals && interrupted.is_none() {
                        interrupted = py.check_signals().err();
                    }
                }
            }
        }
    }

    /// Rolls the step back. `None` if the engine broke.
    pub fn discard(self) -> Option<Box<Engine>> {
        let Session { go, messages, thread, .. } = self;
        let _ = go.send(Go::Back);
        let mut engine = None;
        while let Ok(message) = messages.recv() {
            match message {
                Message::Done(back, _) => {
                    engine = Some(back);
                    break;
                }
                Message::Broken(_) => break,
                Message::Seen(_) => {}
            }
        }
        let _ = thread.join();
        engine
    }
}
