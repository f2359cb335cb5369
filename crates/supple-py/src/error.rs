//! What goes wrong, as Python's exceptions; panics are caught here.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};

create_exception!(
    supple,
    BuildError,
    PyValueError,
    "An input that cannot be simulated; the message names it."
);
create_exception!(
    supple,
    StepError,
    PyRuntimeError,
    "A step that could not be taken. The simulation is as it was before the step."
);

/// An input that cannot be used.
pub fn bad(message: impl Into<String>) -> PyErr {
    BuildError::new_err(message.into())
}

/// The library's refusal.
pub fn build(e: supple::BuildError) -> PyErr {
    bad(e.to_string())
}

/// The library's failure.
pub fn step(e: &supple::StepError) -> PyErr {
    StepError::new_err(e.to_string())
}

/// A file that could not be read or written: `OSError` of the right kind, with the path.
pub fn file(e: &std::io::Error, path: &std::path::Path) -> PyErr {
    let path = path.to_string_lossy().into_owned();
    match e.raw_os_error() {
        Some(code) => {
            let text = e.to_string();
            let text = text.split(" (os error").next().unwrap_or_default().to_string();
            PyOSError::new_err((code, text, path))
        }
        None => PyOSError::new_err(format!("{path}: {e}")),
    }
}

/// A bug of the library, in words.
#[derive(Debug)]
pub struct Panic(pub String);

impl From<Panic> for PyErr {
    fn from(p: Panic) -> PyErr {
        PyRuntimeError::new_err(format!("supple: internal error, please report it: {}", p.0))
    }
}

/// Runs the library so that no panic leaves it.
pub fn guard<T>(f: impl FnOnce() -> T) -> Result<T, Panic> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|cause| {
        let text = cause.downcast_ref::<String>().cloned();
        Panic(text.or_else(|| cause.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default())
    })
}
