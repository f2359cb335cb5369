//! What Python measures: contacts, equilibria, snapshots, and what SciPy takes.

use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array;

/// A state in memory; made by Simulation.snapshot(), taken by Simulation.rewind().
#[pyclass(frozen, module = "supple")]
pub struct Snapshot(pub supple::sim::Snapshot);

#[pymethods]
impl Snapshot {
    /// Steps taken.
    #[getter]
    fn frame(&self) -> u64 {
        self.0.clock().0
    }
    /// Simulated time in s.
    #[getter]
    fn time(&self) -> f64 {
        self.0.clock().1
    }
    fn __repr__(&self) -> String {
        format!("<supple.Snapshot of frame {}, time {} s>", self.frame(), self.time())
    }
}

/// What Simulation.equilibrium() found.
#[pyclass(frozen, module = "supple")]
pub struct EquilibriumReport(pub supple::sim::EquilibriumReport);

#[pymethods]
impl EquilibriumReport {
    /// "converged" if forces balance and nothing moves any more, else why not.
    #[getter]
    fn status(&self) -> &'static str {
        self.0.status.as_str()
    }
    /// True if the status is "converged".
    #[getter]
    fn converged(&self) -> bool {
        self.0.status == supple::Status::Converged
    }
    /// Forces that do not balance, relative to the forces there are; inertia is left out.
    #[getter]
    fn force_residual(&self) -> f64 {
        self.0.force_residual
    }
    /// How far any node went in the last step of continuation, in sizes of its body.
    #[getter]
    fn step(&self) -> f64 {
        self.0.step
    }
    /// Steps in which the loads grew.
    #[getter]
    fn load_steps(&self) -> usize {
        self.0.load_steps
    }
    /// Steps of continuation.
    #[getter]
    fn steps(&self) -> usize {
        self.0.steps
    }
    /// Iterations of all of them.
    #[getter]
    fn iterations(&self) -> usize {
        self.0.iterations
    }
    /// Rigid motions that neither pins nor anchors prevent, in words; contacts and links may prevent them.
    #[getter]
    fn rigid_modes(&self) -> Vec<String> {
        self.0.rigid_modes.iter().map(ToString::to_string).collect()
    }
    /// Elastic energy at the end in J.
    #[getter]
    fn elastic(&self) -> f64 {
        self.0.elastic
    }
    /// Contacts that bear a force.
    #[getter]
    fn contacts(&self) -> usize {
        self.0.contacts
    }
    /// Tetrahedra with negative volume.
    #[getter]
    fn inverted(&self) -> usize {
        self.0.inverted
    }
    fn __repr__(&self) -> String {
        let r = &self.0;
        format!(
            "EquilibriumReport(status='{}', force_residual={:e}, load_steps={}, steps={}, iterations={}, rigid_modes={:?})",
            r.status,
            r.force_residual,
            r.load_steps,
            r.steps,
            r.iterations,
            self.rigid_modes()
        )
    }
}

/// Contacts as a dict of arrays.
pub fn contacts<'py>(
    py: Python<'py>,
    contacts: &[supple::sim::ContactForce],
) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    d.set_item("point", array::rows(py, contacts.iter().map(|c| c.point).collect())?)?;
    d.set_item("normal", array::rows(py, contacts.iter().map(|c| c.normal).collect())?)?;
    d.set_item("force", array::rows(py, contacts.iter().map(|c| c.force).collect())?)?;
    let number = |n: Option<u32>| n.map_or(-1, i64::from);
    let bodies: Vec<i64> = contacts.iter().flat_map(|c| c.bodies.map(number)).collect();
    d.set_item("bodies", PyArray1::from_vec(py, bodies).reshape([contacts.len(), 2])?)?;
    let obstacles: Vec<i64> = contacts.iter().map(|c| number(c.obstacle)).collect();
    d.set_item("obstacle", PyArray1::from_vec(py, obstacles))?;
    Ok(d)
}

/// Entries of the Hessian: rows, columns, values; both triangles.
pub type Entries = (Vec<i64>, Vec<i64>, Vec<f64>);

/// Entries of ∂²U/∂x² at the present state.
pub fn hessian(sim: &mut supple::Simulation, kind: supple::sim::Hessian) -> Entries {
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    sim.hessian(kind, &mut |i, j, block| {
        for (c, column) in block.iter().enumerate() {
            for (r, v) in column.iter().enumerate() {
                let (p, q) = (3 * i64::from(i) + r as i64, 3 * i64::from(j) + c as i64);
                rows.push(p);
                columns.push(q);
                values.push(*v);
                if i != j {
                    rows.push(q);
                    columns.push(p);
                    values.push(*v);
                }
            }
        }
    });
    (rows, columns, values)
}

/// The same array; writing to it would change nothing but the array, so that is refused. A copy can be written to.
pub fn frozen<'py, T: numpy::Element, D: numpy::ndarray::Dimension>(
    a: Bound<'py, numpy::PyArray<T, D>>,
) -> PyResult<Bound<'py, numpy::PyArray<T, D>>> {
    debug_assert!(a.is_c_contiguous());
    let flags = PyDict::new(a.py());
    flags.set_item("write", false)?;
    a.call_method("setflags", (), Some(&flags))?;
    Ok(a)
}

/// Which axes a string names: "x", "yz", or a sequence of such letters.
pub fn axes(value: &Bound<'_, PyAny>) -> PyResult<[bool; 3]> {
    let wrong = || {
        let found = value.repr().map_or_else(|_| "something else".to_string(), |r| r.to_string());
        crate::error::bad(format!(
            "axes must be letters among x, y, z, such as \"y\" or (\"x\", \"z\"), not {found}"
        ))
    };
    let letters = match value.extract::<String>() {
        Ok(word) => word,
        Err(_) => value.extract::<Vec<String>>().map_err(|_| wrong())?.concat(),
    };
    let mut held = [false; 3];
    for letter in letters.chars() {
        let c = "xyz".find(letter).ok_or_else(wrong)?;
        held[c] = true;
    }
    if held == [false; 3] { Err(wrong()) } else { Ok(held) }
}
