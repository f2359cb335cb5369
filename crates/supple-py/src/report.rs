//! What every step says about itself.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// How good a step is, and what it cost.
#[pyclass(frozen, module = "supple")]
pub struct StepReport(pub supple::StepReport);

/// {"elastic", "kinetic", "potential"} in J.
pub fn energy<'py>(py: Python<'py>, e: &supple::Energy) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    d.set_item("elastic", e.elastic)?;
    d.set_item("kinetic", e.kinetic)?;
    d.set_item("potential", e.potential)?;
    Ok(d)
}

#[pymethods]
impl StepReport {
    /// Steps taken, this one included.
    #[getter]
    fn frame(&self) -> u64 {
        self.0.frame
    }
    /// Simulated time at the end of the step in s.
    #[getter]
    fn time(&self) -> f64 {
        self.0.time
    }
    /// "converged", "iteration_limit", "time_limit", "stalled", "infeasible", "diverged" or "stopped".
    #[getter]
    fn status(&self) -> &'static str {
        self.0.status.as_str()
    }
    /// True if the status is "converged".
    #[getter]
    fn converged(&self) -> bool {
        self.0.status == supple::Status::Converged
    }
    /// Who solved it: the method asked for, or the one that "auto" ended with.
    #[getter]
    fn method(&self) -> &'static str {
        self.0.method.as_str()
    }
    /// Iterations done.
    #[getter]
    fn iterations(&self) -> usize {
        self.0.iterations
    }
    /// ‖W(Dx − z)‖, of "admm".
    #[getter]
    fn primal(&self) -> f64 {
        self.0.primal
    }
    /// ‖DᵀW²(z − z_before)‖ in N, of "admm" and "projective".
    #[getter]
    fn dual(&self) -> f64 {
        self.0.dual
    }
    /// Forces that do not balance, relative to the forces there are; infinite while a barrier material is inverted.
    #[getter]
    fn force_residual(&self) -> f64 {
        self.0.force_residual
    }
    /// How far any node would still move, in diagonals of its body's bounding box; 0 for methods that do not know.
    #[getter]
    fn step(&self) -> f64 {
        self.0.step
    }
    /// Tetrahedra with negative volume.
    #[getter]
    fn inverted(&self) -> usize {
        self.0.inverted
    }
    /// The largest distance of an element from what a hard constraint allows: in m for rods and ropes, no unit for strain limits.
    #[getter]
    fn violation(&self) -> f64 {
        self.0.violation
    }
    /// Contacts that bear a force.
    #[getter]
    fn contacts(&self) -> usize {
        self.0.contacts
    }
    /// Candidates: contacts that were tested.
    #[getter]
    fn candidates(&self) -> usize {
        self.0.candidates
    }
    /// Largest depth of a node inside an obstacle at the end of the step in m, measured anew.
    #[getter]
    fn max_penetration(&self) -> f64 {
        self.0.max_penetration
    }
    /// How far contacts are from the law of Signorini and Coulomb, in m: 0 exactly when it holds.
    #[getter]
    fn contact_residual(&self) -> f64 {
        self.0.contact_residual
    }
    /// How far contact forces leave their friction cones, relative to the largest normal force.
    #[getter]
    fn cone_violation(&self) -> f64 {
        self.0.cone_violation
    }
    /// Sweeps over the contacts, all iterations.
    #[getter]
    fn sweeps(&self) -> usize {
        self.0.sweeps
    }
    /// Global matrices factored in the step: weights of hard constraints followed their forces, drag or the integrator asked for it.
    #[getter]
    fn factored(&self) -> usize {
        self.0.factored
    }
    /// Hessians factored in the step, by newton, auto and where bodies may touch each other.
    #[getter]
    fn hessians(&self) -> usize {
        self.0.hessians
    }
    /// Bodies whose step was shortened because they would have passed through something.
    #[getter]
    fn islands_shortened(&self) -> usize {
        self.0.islands_shortened
    }
    /// Nodes that were held back so that nothing passes through anything; they catch up later.
    #[getter]
    fn held(&self) -> usize {
        self.0.held
    }
    /// The largest way that they, or pins, lack, in m.
    #[getter]
    fn held_way(&self) -> f64 {
        self.0.held_way
    }
    /// Energy of the repulsion between bodies that touch, in J.
    #[getter]
    fn contact_energy(&self) -> f64 {
        self.0.energy.contact
    }
    /// Smallest distance between bodies that touch each other, or obstacles, in m; infinite if none do, or contact is by rows.
    #[getter]
    fn gap(&self) -> f64 {
        self.0.gap
    }
    /// How far what touches is nearer than without force, at most, in m.
    #[getter]
    fn contact_offset(&self) -> f64 {
        self.0.contact_offset
    }
    /// The largest way that a contact gave in this step while it sticks, in m; 0 at rest.
    #[getter]
    fn stick_slip(&self) -> f64 {
        self.0.stick_slip
    }
    /// Lists of what may touch that were made in this step.
    #[getter]
    fn detections(&self) -> usize {
        self.0.detections
    }
    /// Largest distance of a linked node from where it should be, in m.
    #[getter]
    fn link_gap(&self) -> f64 {
        self.0.link_gap
    }
    /// Links that broke at the end of the step.
    #[getter]
    fn links_broken(&self) -> usize {
        self.0.links_broken
    }
    /// {"elastic", "kinetic", "potential"} in J at the end of the step.
    #[getter]
    fn energy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        energy(py, &self.0.energy)
    }
    /// Seconds of wall-clock time: {"local", "global", "solve", "detection", "rest", "total"}; "solve" is part of "global", "detection"
    /// (of contacts) of "global" and "rest".
    #[getter]
    fn timings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (d, t) = (PyDict::new(py), &self.0.timings);
        for (name, seconds) in [
            ("local", t.local),
            ("global", t.global),
            ("solve", t.solve),
            ("detection", t.detection),
            ("rest", t.rest),
            ("total", t.total()),
        ] {
            d.set_item(name, seconds)?;
        }
        Ok(d)
    }

    fn __repr__(&self) -> String {
        let r = &self.0;
        format!(
            "StepReport(frame={}, time={}, status='{}', method='{}', iterations={}, force_residual={:e}, inverted={})",
            r.frame, r.time, r.status, r.method, r.iterations, r.force_residual, r.inverted
        )
    }
}
