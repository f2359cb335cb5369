//! Options of `Scene.build`: each is the library's setting of that name, `...` leaves it as it is.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyEllipsis};
use serde::de::DeserializeOwned;
use supple::SolveSettings;

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

/// The settings with what was given as keywords of `function`, but for those `refused`; ranges are checked by the library. What an option takes,
/// a word, an integer or a number, follows from its default.
pub fn apply(
    s: &mut SolveSettings,
    options: Option<&Bound<'_, PyDict>>,
    function: &str,
    refused: &[&str],
) -> PyResult<()> {
    let written = |e: toml::ser::Error| bad(e.to_string());
    for (name, value) in options.into_iter().flatten() {
        let name = name.extract::<String>()?;
        let mut table = toml::Table::try_from(&*s).map_err(written)?;
        let known = SolveSettings::KEYS.iter().any(|key| key.name == name);
        if !known || refused.contains(&name.as_str()) {
            let text = format!("{function}() got an unexpected keyword argument '{name}'");
            return Err(PyTypeError::new_err(text));
        }
        if value.is_instance_of::<PyEllipsis>() {
            continue;
        }
        // In files it is in milliseconds.
        if name == "time_budget" {
            s.time_budget = if value.is_none() { None } else { Some(number(&value, &name)?) };
            continue;
        }
        let new = match table.get(&name) {
            Some(toml::Value::Integer(_)) => {
                let n = count(&value, &name)?;
                toml::Value::Integer(i64::try_from(n).map_err(|_| bad(format!("{name} is too large: {n}")))?)
            }
            Some(toml::Value::Float(_)) => toml::Value::Float(number(&value, &name)?),
            _ if name == "acceleration" && value.is_none() => toml::Value::String("none".into()),
            _ => toml::Value::String(value.extract().map_err(|_| wrong(&value, &name, "a string"))?),
        };
        table.insert(name.clone(), new);
        let budget = s.time_budget;
        *s = table.try_into().map_err(|e: toml::de::Error| bad(format!("{name}: {}", e.message())))?;
        s.time_budget = budget;
    }
    Ok(())
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
