//! How a thing was made, so that it can be pickled: a callable and what it is called with.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};

/// What `__reduce__` gives, once it is known.
pub struct Recipe(PyOnceLock<Py<PyAny>>);

impl Default for Recipe {
    fn default() -> Recipe {
        Recipe(PyOnceLock::new())
    }
}

impl Recipe {
    /// One that is known from the start.
    pub fn new(py: Python<'_>, recipe: Bound<'_, PyAny>) -> Recipe {
        let cell = PyOnceLock::new();
        // It is empty.
        let _ = cell.set(py, recipe.unbind());
        Recipe(cell)
    }

    /// Made by calling its class; arrays are copied, since their owner may change them.
    pub fn called(
        &self,
        class: &Bound<'_, PyType>,
        args: &Bound<'_, PyTuple>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let py = class.py();
        let named = named.map_or_else(|| PyDict::new(py), Clone::clone);
        let recipe = py.import("supple._pickle")?.call_method1("called", (class, args, named))?;
        self.keep(py, recipe);
        Ok(())
    }

    /// The first one stays.
    pub fn keep(&self, py: Python<'_>, recipe: Bound<'_, PyAny>) {
        let _ = self.0.set(py, recipe.unbind());
    }

    /// The recipe itself.
    pub fn get<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.0.get(py).map(|r| r.bind(py).clone())
    }

    /// What `__reduce__` gives, or why it cannot.
    pub fn reduce<'py>(&self, py: Python<'py>, otherwise: &'static str) -> PyResult<Bound<'py, PyAny>> {
        self.get(py).ok_or_else(|| PyTypeError::new_err(otherwise))
    }
}
