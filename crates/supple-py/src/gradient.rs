//! Gradients through recorded steps; `supple/_gradient.py` gives them their shape for users.

use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use supple::sim::gradient::{Gradient, GradientError, Seed, Tape};

use crate::array;
use crate::error::bad;
use crate::simulation::Simulation;

/// What has no gradient is the caller's to change; a step that failed is not.
pub fn wrong(e: GradientError) -> PyErr {
    match e {
        GradientError::Step(e) => crate::error::step(&e),
        GradientError::Singular(_) | GradientError::NonFinite(_) => PyRuntimeError::new_err(e.to_string()),
        e => bad(e.to_string()),
    }
}

/// Recorded steps.
#[pyclass(frozen, module = "supple", name = "_Record")]
pub struct Record(pub Tape);

#[pymethods]
impl Record {
    fn __len__(&self) -> usize {
        self.0.len()
    }
    /// Bytes of states and checkpoints, about.
    #[getter]
    fn bytes(&self) -> usize {
        self.0.bytes()
    }
    /// True if no state must be found again.
    #[getter]
    fn whole(&self) -> bool {
        self.0.whole()
    }
}

/// Derivatives as they come.
#[pyclass(frozen, module = "supple", name = "_Gradient")]
pub struct Derivatives(Gradient);

type Rows<'py> = PyResult<Bound<'py, PyArray2<f64>>>;
type Steps<'py> = PyResult<Bound<'py, numpy::PyArrayDyn<f64>>>;

fn steps<'py>(py: Python<'py>, all: &[Vec<[f64; 3]>]) -> Steps<'py> {
    let shape = vec![all.len(), all.first().map_or(0, Vec::len), 3];
    array::shaped(py, all.iter().flatten().flatten().copied().collect(), shape)
}

#[pymethods]
impl Derivatives {
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> Rows<'py> {
        array::rows(py, self.0.positions.clone())
    }
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> Rows<'py> {
        array::rows(py, self.0.velocities.clone())
    }
    #[getter]
    fn rest<'py>(&self, py: Python<'py>) -> Rows<'py> {
        array::rows(py, self.0.rest.clone())
    }
    #[getter]
    fn no_rest(&self) -> Vec<String> {
        self.0.no_rest.clone()
    }
    #[getter]
    fn forces<'py>(&self, py: Python<'py>) -> Steps<'py> {
        steps(py, &self.0.forces)
    }
    #[getter]
    fn pins<'py>(&self, py: Python<'py>) -> Steps<'py> {
        steps(py, &self.0.pins)
    }
    #[getter]
    fn obstacles<'py>(&self, py: Python<'py>) -> Steps<'py> {
        steps(py, &self.0.obstacles)
    }
    #[getter]
    fn frictions(&self) -> Vec<f64> {
        self.0.frictions.clone()
    }
    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.0.gravity)
    }
    #[getter]
    fn masses<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.0.masses)
    }
    /// Elements with fibres of a body, and dL/dcontraction by element and step.
    fn contractions<'py>(
        &self,
        py: Python<'py>,
        body: u32,
    ) -> PyResult<(Vec<u32>, Bound<'py, numpy::PyArrayDyn<f64>>)> {
        let mine = || self.0.contractions.iter().filter(move |c| c.0.0 == body);
        let elements: Vec<u32> = mine().map(|c| c.0.1).collect();
        let shape = vec![elements.len(), self.0.notes.len()];
        let values = mine().flat_map(|c| c.1.iter().copied()).collect();
        Ok((elements, array::shaped(py, values, shape)?))
    }
    /// What is to be said of each step.
    fn notes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let note = |n: &supple::sim::gradient::StepNote| -> PyResult<Bound<'py, PyDict>> {
            let d = PyDict::new(py);
            d.set_item("step", n.step)?;
            d.set_item("unconverged", n.unconverged)?;
            d.set_item("force_residual", n.residual)?;
            d.set_item("indefinite", n.indefinite)?;
            d.set_item("linear_residual", n.linear_residual)?;
            d.set_item("switching", n.switching)?;
            Ok(d)
        };
        self.0.notes.iter().map(note).collect()
    }
    /// Of each constant of a body: its name, its derivative, and that of each element.
    fn by_constant<'py>(
        &self,
        py: Python<'py>,
        sim: &Bound<'py, Simulation>,
        body: usize,
    ) -> PyResult<Vec<(String, f64, Bound<'py, PyArray1<f64>>)>> {
        let all = sim
            .get()
            .shared()
            .with(py, "material()", |e| e.sim().by_constant(&self.0, body))?
            .map_err(wrong)?;
        Ok(all.into_iter().map(|c| (c.name, c.total, PyArray1::from_vec(py, c.elements))).collect())
    }
}

/// Begins a record.
pub fn begin(py: Python<'_>, sim: &Simulation, memory: usize) -> PyResult<()> {
    sim.shared().with(py, "record()", |e| e.sim_mut().record(memory))?.map_err(wrong)
}

/// Ends it.
pub fn end(py: Python<'_>, sim: &Simulation) -> PyResult<Option<Record>> {
    Ok(sim.shared().with(py, "record()", |e| e.sim_mut().end_record())?.map(Record))
}

/// Derivatives, given those with respect to states: (step, dx, dv).
pub fn backward(
    py: Python<'_>,
    sim: &Simulation,
    record: &Bound<'_, Record>,
    seeds: Vec<(usize, Option<Bound<'_, PyAny>>, Option<Bound<'_, PyAny>>)>,
) -> PyResult<Derivatives> {
    let n = sim.nodes();
    let rows = |given: Option<Bound<'_, PyAny>>, name| match given {
        Some(rows) => array::points(&rows, name, Some(n)),
        None => Ok(Vec::new()),
    };
    let seeds: Vec<Seed> = seeds
        .into_iter()
        .map(|(step, dx, dv)| Ok(Seed { step, dx: rows(dx, "dx")?, dv: rows(dv, "dv")? }))
        .collect::<PyResult<_>>()?;
    let tape = &record.get().0;
    let found = sim.shared().with(py, "backward()", |e| e.sim_mut().backward(tape, &seeds))?;
    found.map(Derivatives).map_err(wrong)
}
