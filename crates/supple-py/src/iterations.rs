//! `for it in sim.iterations()`.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyArray2, PyArray3};
use pyo3::prelude::*;

use crate::array;
use crate::error::guard;
use crate::report::StepReport;
use crate::session::{Next, Seen, Session};
use crate::slot::{Shared, Snapshot};

/// An iteration of a step. It keeps its own copy of everything.
#[pyclass(frozen, module = "supple")]
pub struct Iteration {
    seen: Seen,
    positions: Py<PyArray2<f64>>,
    /// z and u.
    local: Option<[Py<PyArray3<f64>>; 2]>,
}

impl Iteration {
    fn new(py: Python<'_>, mut seen: Seen) -> PyResult<Iteration> {
        let positions = array::rows(py, std::mem::take(&mut seen.positions))?.unbind();
        let local = match seen.local.take() {
            None => None,
            Some(states) => {
                let z = array::matrix_rows(py, states.iter().map(|s| s.z))?;
                let u = array::matrix_rows(py, states.iter().map(|s| s.u))?;
                Some([z.unbind(), u.unbind()])
            }
        };
        Ok(Iteration { seen, positions, local })
    }
}

#[pymethods]
impl Iteration {
    /// Number of the iteration: 1 after the first global solve.
    #[getter]
    fn index(&self) -> usize {
        self.seen.index
    }
    /// Who made this iterate: the method asked for, or the one that "auto" is at.
    #[getter]
    fn method(&self) -> &'static str {
        self.seen.method.as_str()
    }
    /// The iterate in m: (n, 3).
    #[getter]
    fn positions(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.positions.clone_ref(py)
    }
    /// ‖W(Dx − z)‖, of "admm"; 0 for other methods.
    #[getter]
    fn primal(&self) -> f64 {
        self.seen.primal
    }
    /// ‖DᵀW²(z − z_before)‖ in N, of "admm" and "projective"; 0 for other methods.
    #[getter]
    fn dual(&self) -> f64 {
        self.seen.dual
    }
    /// Forces that do not balance, relative to the forces there are.
    #[getter]
    fn force_residual(&self) -> f64 {
        self.seen.force_residual
    }
    /// ε(x) in J: inertia and elastic energy, what the step minimises.
    #[getter]
    fn objective(&self) -> f64 {
        self.seen.objective
    }
    /// ε(x⁰) in J, at the start of the iteration.
    #[getter]
    fn start_objective(&self) -> f64 {
        self.seen.start_objective
    }
    /// z of every tetrahedron, body after body in order of adding: (m, 3, 3). None unless method is "admm".
    #[getter]
    fn z(&self, py: Python<'_>) -> Option<Py<PyArray3<f64>>> {
        self.local.as_ref().map(|[z, _]| z.clone_ref(py))
    }
    /// u of every tetrahedron, in the order of z: (m, 3, 3). None unless method is "admm".
    #[getter]
    fn u(&self, py: Python<'_>) -> Option<Py<PyArray3<f64>>> {
        self.local.as_ref().map(|[_, u]| u.clone_ref(py))
    }
    fn __repr__(&self) -> String {
        let s = &self.seen;
        format!(
            "Iteration(index={}, method='{}', objective={:e}, primal={:e}, dual={:e})",
            s.index, s.method, s.objective, s.primal, s.dual
        )
    }
}

#[allow(clippy::large_enum_variant, reason = "one at a time, moved once per step")]
enum State {
    Fresh,
    Running(u64),
    Done(Option<supple::StepReport>),
}

/// One step, iteration by iteration; made by Simulation.iterations().
#[pyclass(frozen, module = "supple")]
pub struct Iterations {
    shared: Arc<Shared>,
    local: bool,
    state: Mutex<State>,
}

impl Iterations {
    pub fn new(shared: Arc<Shared>, local: bool) -> Iterations {
        Iterations { shared, local, state: Mutex::new(State::Fresh) }
    }

    fn replace(&self, state: State) -> State {
        std::mem::replace(&mut *self.state.lock().unwrap_or_else(PoisonError::into_inner), state)
    }

    fn start(&self, py: Python<'_>) -> PyResult<Box<Session>> {
        let mut engine = self.shared.take(py, "iterations()")?;
        let (engine, before) = py.detach(move || {
            let before = guard(|| Snapshot::of(&mut engine));
            (engine, before)
        });
        let before = match before {
            Ok(before) => before,
            Err(panic) => {
                self.shared.put(None);
                return Err(panic.into());
            }
        };
        match Session::start(engine, before, self.local) {
            Ok(session) => Ok(Box::new(session)),
            Err((engine, e)) => {
                self.shared.put(Some(engine));
                Err(e)
            }
        }
    }
}

impl Drop for Iterations {
    fn drop(&mut self) {
        self.close();
    }
}

#[pymethods]
impl Iterations {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Iteration>> {
        // Done, in case that anything goes wrong; and for another thread that comes meanwhile.
        let session = match self.replace(State::Done(None)) {
            State::Done(report) => {
                self.replace(State::Done(report));
                return Ok(None);
            }
            State::Fresh => self.start(py)?,
            State::Running(number) => {
                let session = self.shared.resume(number)?;
                session.go_on();
                session
            }
        };
        match session.next(py) {
            Next::Seen(session, seen) => {
                let number = session.number();
                self.shared.wait(session);
                self.replace(State::Running(number));
                Iteration::new(py, *seen).map(Some)
            }
            Next::Done(engine, verdict) => {
                self.shared.put(Some(engine));
                let report = verdict?;
                self.shared.set_last(Some(report));
                self.replace(State::Done(Some(report)));
                Ok(None)
            }
            Next::Broken(e) => {
                self.shared.put(None);
                Err(e)
            }
        }
    }

    /// Rolls the step back unless it has ended. Leaving the loop and dropping the iterator does that too.
    fn close(&self) {
        match self.replace(State::Done(None)) {
            State::Running(number) => self.shared.close(number),
            State::Done(report) => drop(self.replace(State::Done(report))),
            State::Fresh => {}
        }
    }

    /// The report of the step once it has ended, else None.
    #[getter]
    fn report(&self) -> Option<StepReport> {
        match *self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Done(report) => report.map(StepReport),
            _ => None,
        }
    }
}
