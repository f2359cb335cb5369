//! Pictures, movies and meshes to any writer.
//!
//! | file | writes |
//! |---|---|
//! | [`png`](mod@png) | one picture |
//! | [`gif`](mod@gif) | a movie that plays everywhere, 256 colours ([`quantise`]) |
//! | [`apng`] | a movie in full colour |
//! | [`obj`] | the triangles of a frame |
//!
//! To add a format: a file with a `write_<format>(writer, …) -> Result<(), ExportError>`.
pub mod apng;
pub mod gif;
pub mod obj;
pub mod png;
pub mod quantise;

use std::io;

use thiserror::Error;

use crate::picture::Image;

/// Why an export failed.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The writer failed.
    #[error("writing failed")]
    Io(#[from] io::Error),
    /// There was nothing to write, or frames of different sizes.
    #[error("{0}")]
    Frames(&'static str),
    /// The encoder refused.
    #[error("encoding failed: {0}")]
    Encode(String),
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
