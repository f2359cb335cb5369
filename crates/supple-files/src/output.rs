//! The output folder of a run.
//!
//! Three promises: a file is either whole or absent (it is written under a temporary name in the same folder and
//! renamed), an existing file is never replaced unless asked for, and no name leads out of the folder.
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use miette::Diagnostic;
use thiserror::Error;

/// Why an output could not be written. Each names the path.
#[derive(Debug, Error, Diagnostic)]
pub enum FileError {
    /// The folder could not be made, or is not a folder.
    #[error("cannot use {path} as the output folder")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is already there and `force` was not given.
    #[error("{path} already exists")]
    #[diagnostic(help("choose another folder, or allow overwriting with --force"))]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The name is empty, or holds a separator, `..` or another character that could lead out of the folder.
    #[error("{name:?} is not a plain file name, so it is not written into {folder}")]
    Name {
        /// The name as given.
        name: String,
        /// The folder it was meant for.
        folder: PathBuf,
    },
    /// Writing failed; the temporary file is gone and no file of this name was made or changed.
    #[error("cannot write {path}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system, or the encoder, said.
        source: io::Error,
    },
}

/// A folder into which a run writes its results.
#[derive(Debug, Clone)]
pub struct OutputDir {
    path: PathBuf,
    force: bool,
}

impl OutputDir {
    /// Makes the folder, and those above it, if missing. With `force` existing files may be replaced.
    pub fn create(path: impl Into<PathBuf>, force: bool) -> Result<Self, FileError> {
        let path = path.into();
        match fs::create_dir_all(&path) {
            Ok(()) => Ok(Self { path, force }),
            Err(source) => Err(FileError::Folder { path, source }),
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True if nothing is in the folder, hidden or not.
    pub fn is_empty(&self) -> bool {
        fs::read_dir(&self.path).is_ok_and(|mut entries| entries.next().is_none())
    }

    /// Where a file of this name will be, or why it may not be written: call this for every output before a long
    /// run rather than learn of it at the end.
    pub fn check(&self, name: &str) -> Result<PathBuf, FileError> {
        if !is_plain(name) {
            return Err(FileError::Name { name: name.to_owned(), folder: self.path.clone() });
        }
        let path = self.path.join(name);
        // `symlink_metadata` sees a dangling link too.
        if !self.force && fs::symlink_metadata(&path).is_ok() {
            return Err(FileError::Exists { path });
        }
        Ok(path)
    }

    /// Writes one file through `fill` and returns its path.
    pub fn write<E, F>(&self, name: &str, fill: F) -> Result<PathBuf, FileError>
    where
        E: Into<io::Error>,
        F: FnOnce(&mut BufWriter<File>) -> Result<(), E>,
    {
        self.check(name)?;
        self.put(name, || self.check(name).is_ok(), fill)
    }

    /// Writes a file again that this run has written before, or a new one.
    pub fn replace<E, F>(&self, name: &str, fill: F) -> Result<PathBuf, FileError>
    where
        E: Into<io::Error>,
        F: FnOnce(&mut BufWriter<File>) -> Result<(), E>,
    {
        if !is_plain(name) {
            return Err(FileError::Name { name: name.to_owned(), folder: self.path.clone() });
        }
        self.put(name, || true, fill)
    }

    /// Fills a temporary file and, if that `may` be, renames it.
    fn put<E, F>(&self, name: &str, may: impl FnOnce() -> bool, fill: F) -> Result<PathBuf, FileError>
    where
        E: Into<io::Error>,
        F: FnOnce(&mut BufWriter<File>) -> Result<(), E>,
    {
        let path = self.path.join(name);
        match whole(&path, name, may, fill) {
            Ok(()) => Ok(path),
            Err(source) => Err(FileError::Write { path, source }),
        }
    }

    /// Writes bytes that are already there.
    pub fn write_bytes(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, FileError> {
        self.write(name, |file| file.write_all(bytes))
    }
}

/// Writes one file wherever it is, and replaces one that is there. It is on the disk when this returns.
pub fn write_over(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let Some(name) = path.file_name() else { return Err(io::ErrorKind::InvalidInput.into()) };
    whole(
        path,
        &name.to_string_lossy(),
        || true,
        |file| {
            file.write_all(bytes)?;
            file.flush()?;
            file.get_ref().sync_all()
        },
    )
}

/// Fills a temporary file beside `path`, whose name is `name`, and renames it if it `may` be there.
fn whole<E, F>(path: &Path, name: &str, may: impl FnOnce() -> bool, fill: F) -> io::Result<()>
where
    E: Into<io::Error>,
    F: FnOnce(&mut BufWriter<File>) -> Result<(), E>,
{
    // Numbered, since two threads may write the same file.
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let temporary = path.with_file_name(format!(".{name}.{}-{count}.part", std::process::id()));
    let outcome = fill_file(&temporary, fill)
        .and_then(|()| if may() { Ok(()) } else { Err(io::ErrorKind::AlreadyExists.into()) })
        .and_then(|()| fs::rename(&temporary, path));
    if outcome.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    outcome
}

/// `create_new` so that a link planted under the temporary name is not followed; what an interrupted run with the
/// same process id left behind is removed first.
fn fill_file<E, F>(temporary: &Path, fill: F) -> io::Result<()>
where
    E: Into<io::Error>,
    F: FnOnce(&mut BufWriter<File>) -> Result<(), E>,
{
    let _ = fs::remove_file(temporary);
    let file = OpenOptions::new().write(true).create_new(true).open(temporary)?;
    let mut writer = BufWriter::new(file);
    fill(&mut writer).map_err(Into::into)?;
    writer.flush()
}

/// Separators of every system are refused on every system, so that a scene behaves alike everywhere; the colon
/// would name a drive or a stream on Windows.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 200
        && name != "."
        && !name.contains("..")
        && !name.chars().any(|c| matches!(c, '/' | '\\' | ':') || c.is_control())
}
