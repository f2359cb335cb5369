//! What every step says about itself.

use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};
use supple::report::Value;

/// How good a step is, and what it cost.
#[pyclass(frozen, module = "supple")]
pub struct StepReport(pub supple::StepReport);

/// A word, a number or a dict of numbers.
pub fn value<'py>(py: Python<'py>, v: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match v {
        Value::Count(n) => n.into_pyobject(py)?.into_any(),
        Value::Number(x) => x.into_pyobject(py)?.into_any(),
        Value::Word(w) => w.into_pyobject(py)?.into_any(),
        Value::Group(parts) => {
            let d = PyDict::new(py);
            for (name, part) in parts {
                d.set_item(name, value(py, part)?)?;
            }
            d.into_any()
        }
        _ => py.None().into_bound(py),
    })
}

/// {"elastic", "kinetic", "potential"} in J; that of contact is [`StepReport::contact_energy`].
pub fn energy<'py>(py: Python<'py>, e: supple::Energy) -> PyResult<Bound<'py, PyAny>> {
    match Value::from(e) {
        Value::Group(mut parts) => {
            parts.retain(|(name, _)| *name != "contact");
            value(py, &Value::Group(parts))
        }
        other => value(py, &other),
    }
}

/// Makes a property of each word and number of a report, with its meaning as documentation.
pub fn add_properties(py: Python<'_>) -> PyResult<()> {
    let (class, property) = (py.get_type::<StepReport>(), py.import("builtins")?.getattr("property")?);
    for (name, meaning) in supple::StepReport::meanings() {
        let get = PyCFunction::new_closure(
            py,
            None,
            None,
            move |args: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| -> PyResult<Py<PyAny>> {
                let report = args.get_item(0)?.cast_into::<StepReport>()?;
                if name == "energy" {
                    return Ok(energy(args.py(), report.get().0.energy)?.unbind());
                }
                let found = report.get().0.fields().into_iter().find(|f| f.0 == name);
                let found = found.map(|(_, v)| value(args.py(), &v)).transpose()?;
                Ok(found.map_or_else(|| args.py().None(), Bound::unbind))
            },
        )?;
        let none = py.None();
        class.setattr(name, property.call1((get, &none, &none, meaning.trim()))?)?;
    }
    Ok(())
}

#[pymethods]
impl StepReport {
    /// True if the status is "converged".
    #[getter]
    fn converged(&self) -> bool {
        self.0.status == supple::Status::Converged
    }
    /// Energy of the repulsion between bodies that touch, in J.
    #[getter]
    fn contact_energy(&self) -> f64 {
        self.0.energy.contact
    }

    fn __repr__(&self) -> String {
        let r = &self.0;
        format!(
            "StepReport(frame={}, time={}, status='{}', method='{}', iterations={}, force_residual={:e}, inverted={})",
            r.frame, r.time, r.status, r.method, r.iterations, r.force_residual, r.inverted
        )
    }
}
