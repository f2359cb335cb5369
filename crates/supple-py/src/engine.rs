//! The library's simulation, and one step of it that can be interrupted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use pyo3::prelude::*;
use supple::scene::Program;
use supple::sim::Iteration;
use supple::sim::gradient::Driven;
use supple::{Control, Simulation, StepError, StepReport};

use crate::body::Seen;
use crate::custom::Object;
use crate::error::{self, Panic, guard};

/// A simulation, with the motions of its scene file if it comes from one.
pub enum Kind {
    Plain(Box<Simulation>),
    Program(Box<Program>),
}

/// What a Python simulation owns.
pub struct Engine {
    pub kind: Kind,
    /// Materials that Python evaluates.
    pub objects: Vec<Arc<Object>>,
    /// What is seen of each body.
    pub seen: Arc<Vec<Seen>>,
    /// Seconds that each iteration of the last step took; infinite before there was one.
    pub pace: f64,
}

impl Engine {
    pub fn sim(&self) -> &Simulation {
        match &self.kind {
            Kind::Plain(s) => s,
            Kind::Program(p) => &p.simulation,
        }
    }
    pub fn sim_mut(&mut self) -> &mut Simulation {
        match &mut self.kind {
            Kind::Plain(s) => s,
            Kind::Program(p) => &mut p.simulation,
        }
    }
    /// The simulation, with what its scene file moves.
    pub fn driven(&mut self) -> &mut dyn Driven {
        match &mut self.kind {
            Kind::Plain(s) => s.as_mut(),
            Kind::Program(p) => p.as_mut(),
        }
    }
    /// Steps per frame.
    pub fn substeps(&self) -> u32 {
        match &self.kind {
            Kind::Plain(_) => 1,
            Kind::Program(p) => p.substeps,
        }
    }
    /// One step; someone looks at each iteration.
    pub fn step(
        &mut self,
        observer: &mut (dyn FnMut(&mut Iteration<'_, '_>) -> Control + Send),
    ) -> Result<StepReport, StepError> {
        if let Kind::Program(p) = &mut self.kind {
            p.aim_next()?;
        }
        // What another simulation with the same material left.
        drop(self.take_failure());
        let objects = self.objects.clone();
        let failed = || objects.iter().any(|o| o.failed());
        let before = (!objects.is_empty()).then(|| self.sim().checkpoint());
        // A material that raised an exception ends the step.
        let result =
            self.sim_mut().step_with(&mut |it| if failed() { Control::Discard } else { observer(it) });
        if let Ok(report) = &result {
            self.pace = report.timings.total() / report.iterations.max(1) as f64;
        }
        // … also where it did so before the first look or after the last.
        if let (Ok(_), Some(before), true) = (&result, before, failed()) {
            let back = self.sim_mut().restore(&before);
            debug_assert!(back.is_ok(), "it is a checkpoint of this very simulation");
            return Err(StepError::Discarded);
        }
        result
    }
    /// The exception of a material, if one raised any.
    pub fn take_failure(&self) -> Option<PyErr> {
        self.objects.iter().filter_map(|o| o.take_failure()).reduce(|first, _| first)
    }
    /// The report, or what the step failed with as Python's exception.
    pub fn verdict(&self, result: Result<StepReport, StepError>) -> PyResult<StepReport> {
        match (self.take_failure(), result) {
            (Some(e), _) => Err(e),
            (None, Ok(report)) => Ok(report),
            (None, Err(e)) => Err(error::step(&e)),
        }
    }
}

/// The engine, unless it broke, and what came out.
pub type Stepped = (Option<Box<Engine>>, PyResult<StepReport>);

/// The engine and the library's answer, unless it broke.
type Ran = Result<(Box<Engine>, Result<StepReport, StepError>), Panic>;

fn run(mut engine: Box<Engine>, stop: &AtomicBool) -> Ran {
    let look = |_: &mut Iteration<'_, '_>| match stop.load(Ordering::Relaxed) {
        true => Control::Discard,
        false => Control::Continue,
    };
    let result = guard(|| engine.step(&mut { look }))?;
    Ok((engine, result))
}

fn finish(ran: Ran) -> Stepped {
    match ran {
        Ok((engine, result)) => {
            let verdict = engine.verdict(result);
            (Some(engine), verdict)
        }
        Err(panic) => (None, Err(panic.into())),
    }
}

/// Steps shorter than this many element updates are over before anyone presses a key.
const SHORT: usize = 50_000;

/// Seconds that a key may wait for a step that is not watched.
const BEARABLE: f64 = 0.2;

/// How long a key may wait while a step is watched.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// Only Python's main thread sees signals. Asking runs Python code, so Ctrl-C may show here already: then it is the error.
pub fn sees_signals(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    threading.call_method0("current_thread")?.eq(threading.call_method0("main_thread")?)
}

/// One step without the interpreter's lock. A long one runs in a thread of its own while this one looks for Ctrl-C: then the
/// step is discarded and the exception of the handler is the result.
pub fn step(py: Python<'_>, engine: Box<Engine>) -> Stepped {
    let stop = Arc::new(AtomicBool::new(false));
    let most = engine.sim().settings().solve.iterations;
    let work = engine.sim().element_count().saturating_mul(most);
    // Also one that takes all of its iterations, as long as those of the last step each.
    let quick = work <= SHORT || engine.pace * most as f64 <= BEARABLE;
    let long = !quick || !engine.objects.is_empty();
    match if long { sees_signals(py) } else { Ok(false) } {
        Ok(true) => {}
        Ok(false) => return finish(py.detach(|| run(engine, &stop))),
        Err(e) => return (Some(engine), Err(e)),
    }
    let (give, take) = mpsc::channel::<Box<Engine>>();
    let (done, mut result) = mpsc::channel();
    let flag = stop.clone();
    let thread = std::thread::Builder::new().name("supple step".into()).spawn(move || {
        if let Ok(engine) = take.recv() {
            // If nobody waits any more there is nobody to tell.
            let _ = done.send(run(engine, &flag));
        }
    });
    if thread.is_err() {
        return finish(py.detach(|| run(engine, &stop)));
    }
    if let Err(mpsc::SendError(engine)) = give.send(engine) {
        return finish(py.detach(|| run(engine, &stop)));
    }
    let mut interrupted = None;
    loop {
        let (back, received) = py.detach(move || {
            let received = result.recv_timeout(PATIENCE);
            (result, received)
        });
        result = back;
        match received {
            Ok(done) => {
                let (engine, verdict) = finish(done);
                return (engine, interrupted.map_or(verdict, Err));
            }
            Err(RecvTimeoutError::Disconnected) => {
                return (None, Err(Panic("the thread of a step ended".into()).into()));
            }
            Err(RecvTimeoutError::Timeout) if interrupted.is_none() => {
                if let Err(e) = py.check_signals() {
                    stop.store(true, Ordering::Relaxed);
                    interrupted = Some(e);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Goes to the equilibrium, without the interpreter's lock.
pub fn equilibrium(
    py: Python<'_>,
    mut engine: Box<Engine>,
    options: supple::sim::Static,
) -> (Option<Box<Engine>>, PyResult<supple::sim::EquilibriumReport>) {
    drop(engine.take_failure());
    let before = (!engine.objects.is_empty()).then(|| engine.sim().snapshot());
    let ran = py.detach(|| guard(|| engine.sim_mut().equilibrium(&options)));
    match (ran, engine.take_failure()) {
        (Err(panic), _) => (None, Err(panic.into())),
        (Ok(_), Some(e)) => {
            if let Some(before) = before {
                let back = engine.sim_mut().rewind(&before);
                debug_assert!(back.is_ok(), "it is a snapshot of this very simulation");
            }
            (Some(engine), Err(e))
        }
        (Ok(result), None) => (Some(engine), result.map_err(|e| error::step(&e))),
    }
}
