//! Gradients through recorded steps; `supple/_gradient.py` gives them their shape for users.

use numpy::{PyArray1, PyArray2, PyArrayDyn};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use supple::sim::gradient::{Gradient, GradientError, Nearby, Seed, StepNote, Tangents, Tape};

use crate::array;
use crate::engine::Engine;
use crate::error::{bad, guard};
use crate::simulation::Simulation;
use crate::slot::Shared;

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
type Steps<'py> = PyResult<Bound<'py, PyArrayDyn<f64>>>;

fn steps<'py>(py: Python<'py>, all: &[Vec<[f64; 3]>]) -> Steps<'py> {
    let shape = vec![all.len(), all.first().map_or(0, Vec::len), 3];
    array::shaped(py, all.iter().flatten().flatten().copied().collect(), shape)
}

fn told<'py>(py: Python<'py>, n: &StepNote) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    d.set_item("step", n.step)?;
    d.set_item("unconverged", n.unconverged)?;
    d.set_item("force_residual", n.residual)?;
    d.set_item("indefinite", n.indefinite)?;
    d.set_item("linear_residual", n.linear_residual)?;
    d.set_item("switching", n.switching)?;
    Ok(d)
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
    ) -> PyResult<(Vec<u32>, Bound<'py, PyArrayDyn<f64>>)> {
        let mine = || self.0.contractions.iter().filter(move |c| c.0.0 == body);
        let elements: Vec<u32> = mine().map(|c| c.0.1).collect();
        let shape = vec![elements.len(), self.0.notes.len()];
        let values = mine().flat_map(|c| c.1.iter().copied()).collect();
        Ok((elements, array::shaped(py, values, shape)?))
    }
    /// What is to be said of each step.
    fn notes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.0.notes.iter().map(|n| told(py, n)).collect()
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

/// Positions and velocities, (steps + 1, nodes, 3), then for each parameter their derivatives; and what is to be said of each step.
pub type Found<'py> =
    (Vec<(Bound<'py, PyArrayDyn<f64>>, Bound<'py, PyArrayDyn<f64>>)>, Vec<Bound<'py, PyDict>>);

/// Derivatives of all states of a record, the scene being there with more and with less of each parameter.
pub fn forward<'py>(
    py: Python<'py>,
    sim: &Simulation,
    record: &Bound<'_, Record>,
    nearby: &[(Bound<'_, Simulation>, Bound<'_, Simulation>, f64)],
) -> PyResult<Found<'py>> {
    let what = "sensitivity()";
    let mut taken: Vec<(&Shared, Box<Engine>)> = Vec::new();
    let pairs = nearby.iter().flat_map(|(more, less, _)| [more.get().shared(), less.get().shared()]);
    let mut failed = None;
    for shared in std::iter::once(sim.shared()).chain(pairs) {
        match shared.take(py, what) {
            Ok(engine) => taken.push((shared, engine)),
            Err(e) => {
                failed = Some(e);
                break;
            }
        }
    }
    if let Some(e) = failed {
        taken.into_iter().for_each(|(shared, engine)| shared.put(Some(engine)));
        return Err(e);
    }
    let (places, mut engines): (Vec<&Shared>, Vec<Box<Engine>>) = taken.into_iter().unzip();
    let widths: Vec<f64> = nearby.iter().map(|n| n.2).collect();
    let tape = &record.get().0;
    let ran = py.detach(|| guard(|| run_forward(&mut engines, tape, &widths)));
    let failure = engines.iter().filter_map(|e| e.take_failure()).next();
    let broken = ran.is_err();
    for (shared, engine) in places.into_iter().zip(engines) {
        shared.put((!broken).then_some(engine));
    }
    if let Some(e) = failure {
        return Err(e);
    }
    let found = ran?.map_err(wrong)?;
    let all = std::iter::once(&found.states).chain(&found.parameters);
    let each = all.map(|p| Ok((steps(py, &p.positions)?, steps(py, &p.velocities)?)));
    let notes = found.notes.iter().map(|n| told(py, n)).collect::<PyResult<_>>()?;
    Ok((each.collect::<PyResult<_>>()?, notes))
}

/// The first engine is the one that was recorded; then come those with more and with less of each parameter.
fn run_forward(engines: &mut [Box<Engine>], tape: &Tape, widths: &[f64]) -> Result<Tangents, GradientError> {
    let mut all = engines.iter_mut().map(|e| e.driven());
    let Some(base) = all.next() else { return Ok(Tangents::default()) };
    let mut nearby = Vec::with_capacity(widths.len());
    for &width in widths {
        let (Some(more), Some(less)) = (all.next(), all.next()) else { break };
        nearby.push(Nearby { sides: [more, less], width });
    }
    supple::sim::gradient::forward(base, tape, &mut nearby)
}
