//! Files that a user names: regular files only, of bounded size.
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a file could not be read.
#[derive(Debug, Error)]
pub enum InputError {
    /// The system refused.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A folder, a pipe or a device.
    #[error("{path}: not a regular file")]
    NotAFile {
        /// The file.
        path: PathBuf,
    },
}

/// The bytes of a regular file.
pub fn read_file(path: &Path) -> Result<Vec<u8>, InputError> {
    let io = |source| InputError::Io { path: path.to_path_buf(), source };
    if !fs::metadata(path).map_err(io)?.is_file() {
        return Err(InputError::NotAFile { path: path.to_path_buf() });
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|f| f.take(2 << 30).read_to_end(&mut bytes)).map_err(io)?;
    Ok(bytes)
}
