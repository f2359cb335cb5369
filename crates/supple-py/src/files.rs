//! Files that come in and go out: regular ones, whole or not at all.

use std::path::Path;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use supple_files::input::{self, InputError};
use supple_files::{load, output};

use crate::error::{bad, file};

/// An error of reading as Python's: `OSError` for the file, `BuildError` for what it holds.
pub fn input_error(e: &InputError) -> PyErr {
    match e {
        InputError::Open { path, source } => file(source, path),
        other => bad(load::chain(other)),
    }
}

/// The page of a recorded run, before and after its data.
#[pyfunction]
pub fn _report_page(title: &str) -> PyResult<(String, String)> {
    let page = supple_page::embedded().map_err(PyRuntimeError::new_err)?;
    let (before, after) = page.report(title);
    Ok((before, after.to_string()))
}

/// All bytes of a regular file.
pub fn read(path: &Path) -> PyResult<Vec<u8>> {
    input::read_file(path).map_err(|e| input_error(&e))
}

/// Writes a file whole or not at all; one that is there is replaced.
pub fn write(path: &Path, bytes: &[u8]) -> PyResult<()> {
    if path.file_name().is_none() {
        return Err(bad(format!("{} is not the name of a file", path.display())));
    }
    output::write_over(path, bytes).map_err(|e| file(&e, path))
}
