//! Files that come in: regular files of sensible size, and meshes from them.
//!
//! The library takes bytes; this is where they come from. Pipes, folders and devices are refused before they are opened, since
//! they may never end.
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use supple::mesh::io::{Format, RawMesh, ReadError, Samples, read, read_npy};
use thiserror::Error;

/// Larger files are refused.
pub const LARGEST_FILE: u64 = 2 << 30;

/// Why an input could not be used. Each names the file. The command line exits with code 2 for these.
#[derive(Debug, Error, Diagnostic)]
pub enum InputError {
    /// The file is not there or may not be read.
    #[error("cannot read {}", shown(path))]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A folder, a pipe or a device.
    #[error("{} is not a regular file", shown(path))]
    NotRegular {
        /// The path.
        path: PathBuf,
    },
    /// More than [`LARGEST_FILE`].
    #[error("{} is larger than {} MiB", shown(path), LARGEST_FILE >> 20)]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// No format has this extension.
    #[error("{} has no extension of a mesh format", shown(path))]
    #[diagnostic(help("known are {}", known()))]
    Format {
        /// The file.
        path: PathBuf,
    },
    /// The second file of a mesh is missing.
    #[error("{} needs {} beside it", shown(path), shown(companion))]
    Companion {
        /// The file that was given.
        path: PathBuf,
        /// The file that it needs.
        companion: PathBuf,
        /// Why that could not be read.
        #[source]
        reason: Box<InputError>,
    },
    /// The second file of a mesh is a link that leads out of the folders that may be read.
    #[error("{} needs {}, which leads out of its folder", shown(path), shown(companion))]
    Outside {
        /// The file that was given.
        path: PathBuf,
        /// The file that it needs.
        companion: PathBuf,
    },
    /// The file was changed while it was read, as its length and time of change tell.
    #[error("{} changed while it was read", shown(path))]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The file is invalid; the message starts with file and line.
    #[error(transparent)]
    Mesh(#[from] ReadError),
}

/// A path that is safe to print.
fn shown(path: &Path) -> String {
    path.display()
        .to_string()
        .chars()
        .flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] })
        .collect()
}

fn known() -> String {
    Format::extensions().map(|e| format!(".{e}")).collect::<Vec<_>>().join(" ")
}

/// All bytes of a regular file.
pub fn read_file(path: impl AsRef<Path>) -> Result<Vec<u8>, InputError> {
    let path = path.as_ref();
    read_as(path, path)
}

/// All bytes of the regular file at `real`, which messages call `path`.
fn read_as(path: &Path, real: &Path) -> Result<Vec<u8>, InputError> {
    let open = |source| InputError::Open { path: path.into(), source };
    // Before opening, because opening a pipe waits for whoever writes into it.
    if !fs::metadata(real).map_err(open)?.is_file() {
        return Err(InputError::NotRegular { path: path.into() });
    }
    let file = File::open(real).map_err(open)?;
    // And after, because the path may have changed meanwhile.
    let before = file.metadata().map_err(open)?;
    if !before.is_file() {
        return Err(InputError::NotRegular { path: path.into() });
    }
    if before.len() > LARGEST_FILE {
        return Err(InputError::TooLarge { path: path.into() });
    }
    let mut bytes = Vec::new();
    // One more than there is, so that a file that grows is noticed.
    (&file).take(before.len() + 1).read_to_end(&mut bytes).map_err(open)?;
    let after = file.metadata().map_err(open)?;
    let same = before.modified().ok() == after.modified().ok();
    if !same || before.len() != after.len() || bytes.len() as u64 != before.len() {
        return Err(InputError::Changed { path: path.into() });
    }
    Ok(bytes)
}

/// The mesh format of a path's extension.
pub fn format_of(path: impl AsRef<Path>) -> Result<Format, InputError> {
    let path = path.as_ref();
    let extension = path.extension().and_then(|e| e.to_str());
    extension.and_then(Format::from_extension).ok_or_else(|| InputError::Format { path: path.into() })
}

/// Reads a mesh, and the second file that some formats need: from the same folder, wherever links lead.
pub fn read_mesh(path: impl AsRef<Path>) -> Result<RawMesh, InputError> {
    let path = path.as_ref();
    // The folder that the path names, and the one that the file lies in if it is a link.
    let named = path.parent().map(|p| if p.as_os_str().is_empty() { Path::new(".") } else { p });
    let real = path.canonicalize().ok();
    let folders: Vec<PathBuf> = [
        named.and_then(|p| p.canonicalize().ok()),
        real.as_deref().and_then(Path::parent).map(PathBuf::from),
    ]
    .into_iter()
    .flatten()
    .collect();
    read_mesh_within(path, path, &|file| folders.iter().any(|f| file.starts_with(f)))
}

/// Reads the mesh at `real`, which messages call `path`, and a second file beside `path` if `may` allows the place that it leads to, a path
/// without links and dots.
pub(crate) fn read_mesh_within(
    path: &Path,
    real: &Path,
    may: &dyn Fn(&Path) -> bool,
) -> Result<RawMesh, InputError> {
    let format = format_of(path)?;
    let bytes = read_as(path, real)?;
    let name = shown(path);
    let beside = match format {
        // Kept as a path, so that names that are no UTF-8 work too.
        Format::TetgenNode => Some(path.with_extension("ele")),
        Format::TetgenEle => Some(path.with_extension("node")),
        _ => format.companion(&name, &bytes)?.map(|file| path.with_file_name(file)),
    };
    let Some(companion) = beside else {
        return Ok(read(format, &name, &bytes, None)?);
    };
    let wrap = |reason| InputError::Companion {
        path: path.into(),
        companion: companion.clone(),
        reason: Box::new(reason),
    };
    let place = companion.canonicalize();
    let place = place.map_err(|source| wrap(InputError::Open { path: companion.clone(), source }))?;
    if !may(&place) {
        return Err(InputError::Outside { path: path.into(), companion });
    }
    let second = read_as(&companion, &place).map_err(wrap)?;
    Ok(read(format, &name, &bytes, Some((&shown(&companion), &second)))?)
}

/// Reads numbers on a grid from a .npy file.
pub fn read_samples(path: impl AsRef<Path>) -> Result<Samples, InputError> {
    let path = path.as_ref();
    Ok(read_npy(&shown(path), &read_file(path)?)?)
}

/// Reads numbers on a grid from the .npy file at `real`, which messages call `path`.
pub(crate) fn read_samples_at(path: &Path, real: &Path) -> Result<Samples, InputError> {
    Ok(read_npy(&shown(path), &read_as(path, real)?)?)
}
