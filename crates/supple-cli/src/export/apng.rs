//! A movie as animated PNG: full colour, plays in browsers; other programs show its first frame.
use std::io::Write;

use super::png::encoder;
use super::{ExportError, changed, cut, rate, same_size};
use crate::picture::Image;

/// Writes a movie frame by frame; of each frame only the rectangle that changed.
pub struct ApngWriter<W: Write> {
    writer: png::Writer<W>,
    before: Option<Image>,
    size: (u32, u32),
    /// Frames still to come.
    missing: u32,
}

impl<W: Write> ApngWriter<W> {
    /// Starts a movie of exactly `frames` frames that repeats for ever.
    pub fn new(
        writer: W,
        width: u32,
        height: u32,
        frames: u32,
        frames_per_second: f64,
    ) -> Result<Self, ExportError> {
        if frames == 0 {
            return Err(ExportError::Frames("there are no frames to write"));
        }
        let mut encoder = encoder(writer, width, height);
        encoder.set_animated(frames, 0)?;
        let milliseconds = (1000.0 / rate(frames_per_second, 1000.0)).round();
        encoder.set_frame_delay(milliseconds as u16, 1000)?;
        Ok(Self { writer: encoder.write_header()?, before: None, size: (width, height), missing: frames })
    }

    /// Appends a frame.
    pub fn frame(&mut self, image: &Image) -> Result<(), ExportError> {
        if (image.width(), image.height()) != self.size {
            return Err(ExportError::Frames("the frames of a movie must be of one size"));
        }
        if self.missing == 0 {
            return Err(ExportError::Frames("there are more frames than were announced"));
        }
        self.missing -= 1;
        match &self.before {
            None => self.writer.write_image_data(image.bytes())?,
            Some(before) => {
                // Every frame needs a pixel, even if nothing changed.
                let area = changed(before, image).unwrap_or([0, 0, 1, 1]);
                self.writer.reset_frame_position()?;
                self.writer.set_frame_dimension(area[2], area[3])?;
                self.writer.set_frame_position(area[0], area[1])?;
                self.writer.write_image_data(&cut(image, area))?;
            }
        }
        self.before = Some(image.clone());
        Ok(())
    }

    /// Ends the movie; an error if frames are missing.
    pub fn finish(self) -> Result<(), ExportError> {
        if self.missing > 0 {
            return Err(ExportError::Frames("there are fewer frames than were announced"));
        }
        Ok(self.writer.finish()?)
    }
}

/// Writes all frames.
pub fn write_apng(writer: impl Write, frames: &[Image], frames_per_second: f64) -> Result<(), ExportError> {
    let (width, height) = same_size(frames)?;
    let mut movie = ApngWriter::new(writer, width, height, frames.len() as u32, frames_per_second)?;
    for frame in frames {
        movie.frame(frame)?;
    }
    movie.finish()
}
