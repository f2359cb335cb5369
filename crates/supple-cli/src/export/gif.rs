//! A movie as GIF: one palette for all frames, a fixed dither, and only what changed from frame to frame.
use std::borrow::Cow;
use std::io::Write;

use super::quantise::{MAX_COLOURS, Palette};
use super::{ExportError, rate, same_size};
use crate::picture::Image;

/// Index that leaves a pixel as it was.
const UNCHANGED: u8 = MAX_COLOURS as u8;

impl From<gif::EncodingError> for ExportError {
    fn from(error: gif::EncodingError) -> Self {
        match error {
            gif::EncodingError::Io(error) => Self::Io(error),
            other => Self::Encode(other.to_string()),
        }
    }
}

/// Writes a movie frame by frame.
pub struct GifWriter<W: Write> {
    encoder: gif::Encoder<W>,
    palette: Palette,
    before: Vec<u8>,
    size: (u16, u16),
    /// Duration of a frame, and of all so far, in the format's unit of 10 ms.
    step: f64,
    written: u64,
    frames: u64,
}

impl<W: Write> GifWriter<W> {
    /// Starts a movie that repeats for ever. The format counts in hundredths of a second, and browsers slow down what
    /// is faster than 50 frames per second, so that is the most.
    pub fn new(
        writer: W,
        width: u32,
        height: u32,
        palette: Palette,
        frames_per_second: f64,
    ) -> Result<Self, ExportError> {
        let (Ok(width), Ok(height)) = (u16::try_from(width), u16::try_from(height)) else {
            return Err(ExportError::Frames("a GIF is at most 65535 pixels wide and high"));
        };
        let mut table = palette.colours().concat();
        table.resize((usize::from(UNCHANGED) + 1) * 3, 0);
        let mut encoder = gif::Encoder::new(writer, width, height, &table)?;
        encoder.set_repeat(gif::Repeat::Infinite)?;
        let step = 100.0 / rate(frames_per_second, 50.0);
        Ok(Self { encoder, palette, before: Vec::new(), size: (width, height), step, written: 0, frames: 0 })
    }

    /// Appends a frame.
    pub fn frame(&mut self, image: &Image) -> Result<(), ExportError> {
        let (width, height) = self.size;
        if (image.width(), image.height()) != (u32::from(width), u32::from(height)) {
            return Err(ExportError::Frames("the frames of a movie must be of one size"));
        }
        let indices = self.palette.dither(image);
        let [left, top, columns, rows] = self.area(&indices);
        let mut buffer = Vec::with_capacity(columns * rows);
        for y in top..top + rows {
            for x in left..left + columns {
                let at = y * usize::from(width) + x;
                let same = self.before.get(at) == Some(&indices[at]);
                buffer.push(if same { UNCHANGED } else { indices[at] });
            }
        }
        // Rounded over the whole movie, not frame by frame: 30 frames per second last 3, 3, 4, … hundredths.
        self.frames += 1;
        let end = (self.frames as f64 * self.step).round() as u64;
        let frame = gif::Frame {
            delay: (end - self.written).min(u64::from(u16::MAX)) as u16,
            dispose: gif::DisposalMethod::Keep,
            transparent: Some(UNCHANGED),
            left: left as u16,
            top: top as u16,
            width: columns as u16,
            height: rows as u16,
            buffer: Cow::Owned(buffer),
            ..gif::Frame::default()
        };
        self.written = end;
        self.before = indices;
        Ok(self.encoder.write_frame(&frame)?)
    }

    /// Ends the movie and gives back the writer.
    pub fn finish(self) -> Result<W, ExportError> {
        Ok(self.encoder.into_inner()?)
    }

    /// Left, top, columns and rows of what differs from the frame before; a single pixel if nothing does.
    fn area(&self, indices: &[u8]) -> [usize; 4] {
        let width = usize::from(self.size.0);
        if self.before.is_empty() {
            return [0, 0, width, usize::from(self.size.1)];
        }
        let (mut left, mut right, mut top, mut bottom) = (width, 0, usize::MAX, 0);
        for (at, (old, new)) in self.before.iter().zip(indices).enumerate() {
            if old != new {
                let (x, y) = (at % width, at / width);
                left = left.min(x);
                right = right.max(x);
                top = top.min(y);
                bottom = y;
            }
        }
        if top == usize::MAX { [0, 0, 1, 1] } else { [left, top, right - left + 1, bottom - top + 1] }
    }
}

/// Writes all frames with a palette made from up to sixteen of them.
pub fn write_gif(writer: impl Write, frames: &[Image], frames_per_second: f64) -> Result<(), ExportError> {
    let (width, height) = same_size(frames)?;
    let palette = Palette::new(frames.iter().step_by(frames.len().div_ceil(16)));
    let mut movie = GifWriter::new(writer, width, height, palette, frames_per_second)?;
    for frame in frames {
        movie.frame(frame)?;
    }
    movie.finish().map(|_| ())
}
