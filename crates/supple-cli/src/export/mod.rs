//! Pictures, movies and meshes: single ones to any writer, animations into an [`OutputDir`](supple_files::output::OutputDir).
//!
//! An animation is a constant [`Model`] and one [`Frame`] after another. [`exporter()`] turns a [`Format`] into an
//! [`Exporter`] (and [`exporters()`] several, which share the drawing of pictures), which takes the frames as they come and may be finished after any of them. What a format can only
//! write at the end waits in a file without a name, not in memory.
//!
//! | file | holds |
//! |---|---|
//! | [`model`] | what does not change over a run, and one frame of it |
//! | [`format`](mod@format) | the names of the formats |
//! | [`exporter`](mod@exporter) | the trait, the options, and the door where every frame is checked |
//! | [`png`](mod@png), [`gif`](mod@gif), [`apng`], [`quantise`] | pictures and movies to any writer |
//! | [`obj`], [`ply`], [`stl`] | the surface of one frame to any writer |
//! | `sequence` | those three as `name-0000.ext`, … |
//! | `vtu` | elements, velocities and fields for ParaView, and the collection `name.pvd` with the times |
//! | `glb`, `gltf_json` | the surface as glTF, an animation of morph targets |
//! | `usda` | the surface as USD with time samples |
//! | `pc2` | all nodes as PointCache2 |
//! | `npz`, `zip` | all nodes for numpy |
//! | `movie`, `paint` | frames drawn as they come, and again at the end if the camera must show more or less |
//! | `beside` | an exporter on a thread of its own, beside the simulation |
//! | `reel`, `ffmpeg` | drawn frames as PNG sequence, GIF, animated PNG, MP4 |
//! | `html` | the run as a page that plays |
//! | `shell`, `crease` | the nodes that a surface uses; vertices split at sharp edges, normals |
//! | `spool`, `bytes` | bytes that wait on disk; numbers as bytes |
//!
//! To add a format: a file with a `Sink`, a variant of [`Format`] and an arm in [`exporter()`].
pub mod apng;
mod beside;
mod bytes;
pub(crate) mod crease;
pub mod exporter;
mod ffmpeg;
pub mod format;
pub mod gif;
mod glb;
mod gltf_json;
mod html;
pub mod model;
mod movie;
mod npz;
pub mod obj;
mod paint;
mod pc2;
pub mod ply;
pub mod png;
pub mod quantise;
mod reel;
mod rigid;
mod sequence;
pub(crate) mod shell;
mod spool;
pub mod stl;
mod usda;
mod vtu;
mod zip;

use std::io;

use miette::Diagnostic;
use supple_files::output::FileError;
use thiserror::Error;

use crate::picture::Image;

pub use exporter::{ColourBy, Exporter, Finish, Floor, Options, beside, exporter, exporters};
pub use format::{Format, UnknownFormat};
pub use model::{Frame, Model, ModelBody, Pattern};
pub use npz::npz_arrays;

/// Why an export failed.
#[derive(Debug, Error, Diagnostic)]
pub enum ExportError {
    /// The writer failed.
    #[error("writing failed")]
    Io(#[from] io::Error),
    /// The output folder refused.
    #[error(transparent)]
    #[diagnostic(transparent)]
    File(#[from] FileError),
    /// There was nothing to write, or frames of different sizes.
    #[error("{0}")]
    Frames(&'static str),
    /// The encoder refused.
    #[error("encoding failed: {0}")]
    Encode(String),
    /// The model refers to nodes that are not there, or an option is out of range.
    #[error("{0}")]
    Model(String),
    /// A frame that does not fit the model or the frames before it.
    #[error("frame {frame}: {reason}")]
    Frame {
        /// Number of the frame.
        frame: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// A node has left the numbers that the format can hold.
    #[error(
        "frame {frame}: the {what} of node {node} ({place}) is {value:?}, which a {format} file cannot hold"
    )]
    #[diagnostic(help("the frames before it were taken; the simulation has probably become unstable"))]
    NotFinite {
        /// Number of the frame.
        frame: u64,
        /// Position or velocity.
        what: &'static str,
        /// The node, counted over all bodies.
        node: usize,
        /// The body that it belongs to and its number there.
        place: String,
        /// Its value, m or m/s.
        value: [f64; 3],
        /// The format.
        format: Format,
    },
    /// The file would be larger than its format allows.
    #[error("frame {frame} does not fit: {limit}")]
    TooLarge {
        /// Number of the frame.
        frame: u64,
        /// The limit.
        limit: &'static str,
    },
    /// This program was built without the page that HTML reports are made of; with what to do.
    #[error("{0}")]
    NoPage(String),
    /// A program is needed that is not there.
    #[error("{program} was not found on the PATH, and {purpose} needs it")]
    #[diagnostic(help("{advice}"))]
    Missing {
        /// The program.
        program: &'static str,
        /// What for.
        purpose: &'static str,
        /// What to do.
        advice: &'static str,
    },
}

impl From<ExportError> for io::Error {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Io(error) => error,
            other => io::Error::new(io::ErrorKind::InvalidData, other),
        }
    }
}

/// The rectangle, `[x, y, width, height]`, outside of which two pictures of one size are alike; None if everywhere.
fn changed(before: &Image, after: &Image) -> Option<[u32; 4]> {
    let row = after.width() as usize * 3;
    if row == 0 {
        return None;
    }
    let rows = || before.bytes().chunks_exact(row).zip(after.bytes().chunks_exact(row));
    let top = rows().position(|(a, b)| a != b)?;
    let bottom = rows().rposition(|(a, b)| a != b)?;
    let (mut left, mut right) = (usize::MAX, 0);
    for (a, b) in rows().skip(top).take(bottom - top + 1) {
        let mut pixels = a.chunks_exact(3).zip(b.chunks_exact(3));
        if let Some(first) = pixels.position(|(a, b)| a != b) {
            left = left.min(first);
        }
        let mut pixels = a.chunks_exact(3).zip(b.chunks_exact(3));
        if let Some(last) = pixels.rposition(|(a, b)| a != b) {
            right = right.max(last);
        }
    }
    Some([left as u32, top as u32, (right - left + 1) as u32, (bottom - top + 1) as u32])
}

/// The bytes of a rectangle of a picture.
fn cut(image: &Image, [x, y, width, height]: [u32; 4]) -> Vec<u8> {
    let row = image.width() as usize * 3;
    let mut bytes = Vec::with_capacity(width as usize * height as usize * 3);
    for line in image.bytes().chunks_exact(row).skip(y as usize).take(height as usize) {
        bytes.extend_from_slice(&line[x as usize * 3..(x + width) as usize * 3]);
    }
    bytes
}

/// All frames are of one size, not empty.
fn same_size(frames: &[Image]) -> Result<(u32, u32), ExportError> {
    let Some(first) = frames.first() else { return Err(ExportError::Frames("there are no frames to write")) };
    let size = (first.width(), first.height());
    if size.0 == 0 || size.1 == 0 {
        return Err(ExportError::Frames("the picture is empty"));
    }
    if frames.iter().any(|f| (f.width(), f.height()) != size) {
        return Err(ExportError::Frames("the frames of a movie must be of one size"));
    }
    Ok(size)
}

/// Frames per second within what a format can hold; 25 for what is not a number.
fn rate(frames_per_second: f64, most: f64) -> f64 {
    if frames_per_second.is_nan() { 25.0 } else { frames_per_second.clamp(0.02, most) }
}
