//! Options of `Scene.build`: each is the library's setting of that name, `...` leaves it as it is.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyEllipsis;
use serde::de::DeserializeOwned;
use supple::{Acceleration, SolveSettings};

use crate::error::bad;

/// An option, if it was given.
pub struct Given<'py>(Option<Bound<'py, PyAny>>);

impl Given<'_> {
    /// Not given.
    pub const NOT: Self = Given(None);
}

impl<'py> FromPyObject<'_, 'py> for Given<'py> {
    type Error = PyErr;
    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Given((!value.is_instance_of::<PyEllipsis>()).then(|| value.to_owned())))
    }
}

/// A number of things; a negative one is a ValueError.
pub struct Whole(pub usize);

impl<'py> FromPyObject<'_, 'py> for Whole {
    type Error = PyErr;
    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        count(&value, "the number").map(Whole)
    }
}

/// All of them.
pub struct Options<'py> {
    pub method: Given<'py>,
    pub iterations: Given<'py>,
    pub tolerance: Given<'py>,
    pub time_budget: Given<'py>,
    pub weight_rule: Given<'py>,
    pub weight_scale: Given<'py>,
    pub start: Given<'py>,
    pub dual_start: Given<'py>,
    pub acceleration: Given<'py>,
    pub memory: Given<'py>,
    pub relaxation: Given<'py>,
    pub spectral_radius: Given<'py>,
    pub history: Given<'py>,
    pub first_hessian: Given<'py>,
    pub sweep: Given<'py>,
    pub contact: Given<'py>,
    pub projections: Given<'py>,
    pub threads: Given<'py>,
}

fn number(value: &Bound<'_, PyAny>, name: &str) -> PyResult<f64> {
    value.extract::<f64>().map_err(|_| wrong(value, name, "a number"))
}

fn wrong(value: &Bound<'_, PyAny>, name: &str, wanted: &str) -> PyErr {
    let found = value.repr().map_or_else(|_| "something else".to_string(), |r| r.to_string());
    PyTypeError::new_err(format!("{name} must be {wanted}, not {found}"))
}

fn count(value: &Bound<'_, PyAny>, name: &str) -> PyResult<usize> {
    let n = value.extract::<i128>().map_err(|_| wrong(value, name, "an integer"))?;
    usize::try_from(n).map_err(|_| bad(format!("{name} must be zero or positive, not {n}")))
}

fn word<T: DeserializeOwned>(value: &Bound<'_, PyAny>, name: &str) -> PyResult<T> {
    let text = value.extract::<String>().map_err(|_| wrong(value, name, "a string"))?;
    T::deserialize(toml::Value::String(text)).map_err(|e| bad(format!("{name}: {}", e.message())))
}

fn set<T>(
    field: &mut T,
    given: &Given<'_>,
    name: &str,
    read: impl Fn(&Bound<'_, PyAny>, &str) -> PyResult<T>,
) -> PyResult<()> {
    if let Some(value) = &given.0 {
        *field = read(value, name)?;
    }
    Ok(())
}

/// `None` is a value too.
fn optional(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<f64>> {
    if value.is_none() { Ok(None) } else { number(value, name).map(Some) }
}

impl Options<'_> {
    /// Changes what was given; ranges are checked by the library.
    pub fn apply(&self, s: &mut SolveSettings) -> PyResult<()> {
        set(&mut s.method, &self.method, "method", word)?;
        set(&mut s.iterations, &self.iterations, "iterations", count)?;
        set(&mut s.tolerance, &self.tolerance, "tolerance", number)?;
        set(&mut s.time_budget, &self.time_budget, "time_budget", optional)?;
        set(&mut s.weight_rule, &self.weight_rule, "weight_rule", word)?;
        set(&mut s.weight_scale, &self.weight_scale, "weight_scale", number)?;
        set(&mut s.start, &self.start, "start", word)?;
        set(&mut s.dual_start, &self.dual_start, "dual_start", word)?;
        set(&mut s.acceleration, &self.acceleration, "acceleration", |value, name| {
            if value.is_none() { Ok(Acceleration::None) } else { word(value, name) }
        })?;
        set(&mut s.memory, &self.memory, "memory", count)?;
        set(&mut s.relaxation, &self.relaxation, "relaxation", number)?;
        set(&mut s.spectral_radius, &self.spectral_radius, "spectral_radius", number)?;
        set(&mut s.history, &self.history, "history", count)?;
        set(&mut s.first_hessian, &self.first_hessian, "first_hessian", word)?;
        set(&mut s.sweep, &self.sweep, "sweep", word)?;
        set(&mut s.contact, &self.contact, "contact", word)?;
        set(&mut s.projections, &self.projections, "projections", count)?;
        set(&mut s.threads, &self.threads, "threads", count)
    }
}

/// A time step, gravity or an integrator that may be given.
pub fn world(
    settings: &mut supple::Settings,
    dt: &Given<'_>,
    gravity: &Given<'_>,
    integrator: &Given<'_>,
) -> PyResult<()> {
    set(&mut settings.time.dt, dt, "dt", number)?;
    set(&mut settings.time.integrator, integrator, "integrator", word)?;
    set(&mut settings.world.gravity, gravity, "gravity", crate::array::vector)
}
