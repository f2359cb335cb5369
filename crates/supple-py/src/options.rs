//! Options as keywords: each is the library's setting of that name, `...` leaves it as it is.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyEllipsis};
use serde::de::DeserializeOwned;
use supple::{Acceleration, Settings};

use crate::error::bad;

/// A number of things; a negative one is a ValueError.
pub struct Whole(pub usize);

impl<'py> FromPyObject<'_, 'py> for Whole {
    type Error = PyErr;
    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        count(&value, "the number").map(Whole)
    }
}

/// Which options a function takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum For {
    /// `Scene()`: the world and its time step.
    Scene,
    /// `Scene.build()`: how steps are solved.
    Build,
    /// `Simulation.update()`: both, but not the threads, which a simulation keeps.
    Update,
}

impl For {
    fn takes(self, name: &str) -> bool {
        match name {
            "dt" | "gravity" | "integrator" => self != For::Build,
            "threads" => self == For::Build,
            _ => self != For::Scene,
        }
    }
    fn name(self) -> &'static str {
        match self {
            For::Scene => "Scene",
            For::Build => "build",
            For::Update => "update",
        }
    }
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

/// `None` is a value too.
fn optional(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<f64>> {
    if value.is_none() { Ok(None) } else { number(value, name).map(Some) }
}

/// Changes what was given as keywords; ranges are checked by the library.
pub fn apply(settings: &mut Settings, of: For, given: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    let Settings { time, world, solve, .. } = settings;
    for (name, value) in given.into_iter().flatten() {
        let name: String = name.extract()?;
        let unknown = || {
            Err(PyTypeError::new_err(format!("{}() got an unexpected keyword argument '{name}'", of.name())))
        };
        if !of.takes(&name) {
            return unknown();
        }
        // `...` leaves the option as it is.
        if value.is_instance_of::<PyEllipsis>() {
            continue;
        }
        let (value, name) = (&value, name.as_str());
        match name {
            "dt" => time.dt = number(value, name)?,
            "integrator" => time.integrator = word(value, name)?,
            "gravity" => world.gravity = crate::array::vector(value, name)?,
            "method" => solve.method = word(value, name)?,
            "iterations" => solve.iterations = count(value, name)?,
            "tolerance" => solve.tolerance = number(value, name)?,
            "time_budget" => solve.time_budget = optional(value, name)?,
            "weight_rule" => solve.weight_rule = word(value, name)?,
            "weight_scale" => solve.weight_scale = number(value, name)?,
            "start" => solve.start = word(value, name)?,
            "dual_start" => solve.dual_start = word(value, name)?,
            "acceleration" if value.is_none() => solve.acceleration = Acceleration::None,
            "acceleration" => solve.acceleration = word(value, name)?,
            "memory" => solve.memory = count(value, name)?,
            "relaxation" => solve.relaxation = number(value, name)?,
            "spectral_radius" => solve.spectral_radius = number(value, name)?,
            "history" => solve.history = count(value, name)?,
            "first_hessian" => solve.first_hessian = word(value, name)?,
            "sweep" => solve.sweep = word(value, name)?,
            "contact" => solve.contact = word(value, name)?,
            "projections" => solve.projections = count(value, name)?,
            "threads" => solve.threads = count(value, name)?,
            _ => return unknown(),
        }
    }
    Ok(())
}
