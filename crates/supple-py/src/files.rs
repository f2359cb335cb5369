//! Files that come in and go out: regular ones, whole or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use supple_cli::input::{self, InputError};
use supple_cli::view::page;

use crate::error::{bad, file};

/// An error of reading as Python's: `OSError` for the file, `BuildError` for what it holds.
pub fn input_error(e: &InputError) -> PyErr {
    match e {
        InputError::Open { path, source } => file(source, path),
        other => {
            let mut text = other.to_string();
            let mut cause = std::error::Error::source(other);
            while let Some(c) = cause {
                text.push_str(&format!(": {c}"));
                cause = c.source();
            }
            bad(text)
        }
    }
}

/// The page of a recorded run, before and after its data.
#[pyfunction]
pub fn _report_page(title: &str) -> PyResult<(String, String)> {
    let page = page::embedded().map_err(PyRuntimeError::new_err)?;
    let (before, after) = page.report(title);
    Ok((before, after.to_string()))
}

/// All bytes of a regular file.
pub fn read(path: &Path) -> PyResult<Vec<u8>> {
    input::read_file(path).map_err(|e| input_error(&e))
}

/// Writes a file under a temporary name beside it and renames it; one that is there is replaced.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> PyResult<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let Some(name) = path.file_name() else {
        return Err(bad(format!("{} is no file name", path.display())));
    };
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let part = format!(".{}.{}-{count}.part", name.to_string_lossy(), std::process::id());
    let part = path.with_file_name(part);
    let put = || -> io::Result<()> {
        let out = OpenOptions::new().write(true).create_new(true).open(&part)?;
        let mut out = io::BufWriter::new(out);
        fill(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&part, path)
    };
    put().map_err(|e| {
        let _ = fs::remove_file(&part);
        file(&e, path)
    })
}
