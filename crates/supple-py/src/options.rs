//! Options as keywords: each is the library's setting of that name, `...` leaves it as it is.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyEllipsis};
use serde::de::DeserializeOwned;
use supple::{Settings, SolveSettings};

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

/// Changes what was given as keywords; ranges are checked by the library. What an option of the solver takes, a word, an integer or a number,
/// follows from its default.
pub fn apply(settings: &mut Settings, of: For, given: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    let Settings { time, world, solve, .. } = settings;
    for (name, value) in given.into_iter().flatten() {
        let name: String = name.extract()?;
        let own = matches!(name.as_str(), "dt" | "gravity" | "integrator");
        let known = own || SolveSettings::KEYS.iter().any(|key| key.name == name);
        if !known || !of.takes(&name) {
            let text = format!("{}() got an unexpected keyword argument '{name}'", of.name());
            return Err(PyTypeError::new_err(text));
        }
        // `...` leaves the option as it is.
        if value.is_instance_of::<PyEllipsis>() {
            continue;
        }
        match name.as_str() {
            "dt" => time.dt = number(&value, &name)?,
            "integrator" => time.integrator = word(&value, &name)?,
            "gravity" => world.gravity = crate::array::vector(&value, &name)?,
            // In files it is in milliseconds; `None` is a value too.
            "time_budget" => {
                solve.time_budget = if value.is_none() { None } else { Some(number(&value, &name)?) }
            }
            _ => set(solve, &name, &value)?,
        }
    }
    Ok(())
}

/// One option of the solver, read as scene files read it.
fn set(solve: &mut SolveSettings, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let mut table = toml::Table::try_from(&*solve).map_err(|e| bad(e.to_string()))?;
    let new = match table.get(name) {
        Some(toml::Value::Integer(_)) => {
            let n = count(value, name)?;
            toml::Value::Integer(i64::try_from(n).map_err(|_| bad(format!("{name} is too large: {n}")))?)
        }
        Some(toml::Value::Float(_)) => toml::Value::Float(number(value, name)?),
        _ if name == "acceleration" && value.is_none() => toml::Value::String("none".into()),
        _ => toml::Value::String(value.extract().map_err(|_| wrong(value, name, "a string"))?),
    };
    table.insert(name.into(), new);
    let budget = solve.time_budget;
    *solve = table.try_into().map_err(|e: toml::de::Error| bad(format!("{name}: {}", e.message())))?;
    solve.time_budget = budget;
    Ok(())
}
