//! A movie as animated PNG: full colour, plays in browsers; other programs show its first frame.
//!
//! The number of frames stands before the first of them, but is known only at the end: it is written last, in the
//! place left for it. So a movie can be ended after any frame.
use std::io::{self, Cursor, Seek, SeekFrom, Write};

use super::png::encoder;
use super::{ExportError, changed, cut, rate, same_size};
use crate::picture::Image;

/// What a PNG file starts with.
const SIGNATURE: &[u8; 8] = b"\x89PNG\r\n\x1a\n";
/// Where the chunk `acTL` is: behind the signature and IHDR (length, name, 13 bytes, checksum).
const CONTROL: u64 = 8 + 25;

/// Writes a movie frame by frame; of each frame only the rectangle that changed.
pub struct ApngWriter<W: Write + Seek> {
    writer: W,
    /// Where the file starts.
    start: u64,
    before: Option<Image>,
    size: (u32, u32),
    /// Duration of a frame, ms.
    delay: u16,
    frames: u32,
    /// Number of the next chunk of the animation.
    sequence: u32,
}

impl<W: Write + Seek> ApngWriter<W> {
    /// Starts a movie that repeats for ever.
    pub fn new(mut writer: W, width: u32, height: u32, frames_per_second: f64) -> Result<Self, ExportError> {
        let delay = (1000.0 / rate(frames_per_second, 1000.0)).round() as u16;
        let start = writer.stream_position()?;
        Ok(Self { writer, start, before: None, size: (width, height), delay, frames: 0, sequence: 0 })
    }

    /// Appends a frame.
    pub fn frame(&mut self, image: &Image) -> Result<(), ExportError> {
        if (image.width(), image.height()) != self.size {
            return Err(ExportError::Frames("the frames of a movie must be of one size"));
        }
        match &self.before {
            None => self.first(image)?,
            Some(before) => {
                // Every frame needs a pixel, even if nothing changed.
                let area = changed(before, image).unwrap_or([0, 0, 1, 1]);
                let still = compressed(&cut(image, area), area[2], area[3])?;
                self.control(area)?;
                for (name, data) in chunks(&still) {
                    if name == b"IDAT" {
                        let mut numbered = self.sequence.to_be_bytes().to_vec();
                        numbered.extend_from_slice(data);
                        self.sequence += 1;
                        chunk(&mut self.writer, b"fdAT", &numbered)?;
                    }
                }
            }
        }
        self.frames += 1;
        self.before = Some(image.clone());
        Ok(())
    }

    /// The chunks of a picture that does not move, and among them those of the movie.
    fn first(&mut self, image: &Image) -> Result<(), ExportError> {
        let still = compressed(image.bytes(), self.size.0, self.size.1)?;
        self.writer.write_all(SIGNATURE)?;
        let mut begun = false;
        for (name, data) in chunks(&still) {
            match name {
                b"IEND" => {}
                b"IDAT" if !begun => {
                    begun = true;
                    self.control([0, 0, self.size.0, self.size.1])?;
                    chunk(&mut self.writer, name, data)?;
                }
                _ => chunk(&mut self.writer, name, data)?,
            }
            if name == b"IHDR" {
                chunk(&mut self.writer, b"acTL", &animation(0))?;
            }
        }
        Ok(())
    }

    /// What stands before the pixels of a frame: its rectangle and duration.
    fn control(&mut self, [x, y, width, height]: [u32; 4]) -> Result<(), ExportError> {
        let mut bytes = Vec::with_capacity(26);
        for number in [self.sequence, width, height, x, y] {
            bytes.extend_from_slice(&number.to_be_bytes());
        }
        bytes.extend_from_slice(&self.delay.to_be_bytes());
        bytes.extend_from_slice(&1000_u16.to_be_bytes());
        // The frame stays when the next one comes, and replaces what was there.
        bytes.extend_from_slice(&[0, 0]);
        self.sequence += 1;
        Ok(chunk(&mut self.writer, b"fcTL", &bytes)?)
    }

    /// Ends the movie and gives back the writer, at the end of the file; an error if there is no frame.
    pub fn finish(mut self) -> Result<W, ExportError> {
        if self.frames == 0 {
            return Err(ExportError::Frames("there are no frames to write"));
        }
        chunk(&mut self.writer, b"IEND", &[])?;
        let end = self.writer.stream_position()?;
        self.writer.seek(SeekFrom::Start(self.start + CONTROL))?;
        chunk(&mut self.writer, b"acTL", &animation(self.frames))?;
        self.writer.seek(SeekFrom::Start(end))?;
        self.writer.flush()?;
        Ok(self.writer)
    }
}

/// Frames, and that they repeat for ever.
fn animation(frames: u32) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&frames.to_be_bytes());
    bytes
}

/// A picture of its own.
fn compressed(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, ExportError> {
    let mut bytes = Vec::new();
    let mut writer = encoder(&mut bytes, width, height).write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(bytes)
}

/// Names and contents of the chunks of a PNG file made here.
fn chunks(file: &[u8]) -> impl Iterator<Item = (&[u8; 4], &[u8])> {
    let mut rest = file.get(SIGNATURE.len()..).unwrap_or_default();
    std::iter::from_fn(move || {
        let (length, tail) = rest.split_first_chunk::<4>()?;
        let (name, tail) = tail.split_first_chunk::<4>()?;
        let (data, tail) = tail.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        rest = tail.get(4..)?;
        Some((name, data))
    })
}

/// Writes a chunk: length, name, contents, checksum.
fn chunk(writer: &mut impl Write, name: &[u8; 4], data: &[u8]) -> io::Result<()> {
    let length = u32::try_from(data.len()).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(name);
    checksum.update(data);
    writer.write_all(&length.to_be_bytes())?;
    writer.write_all(name)?;
    writer.write_all(data)?;
    writer.write_all(&checksum.finalize().to_be_bytes())
}

/// Writes all frames.
pub fn write_apng(
    mut writer: impl Write,
    frames: &[Image],
    frames_per_second: f64,
) -> Result<(), ExportError> {
    let (width, height) = same_size(frames)?;
    let mut movie = ApngWriter::new(Cursor::new(Vec::new()), width, height, frames_per_second)?;
    for frame in frames {
        movie.frame(frame)?;
    }
    Ok(writer.write_all(movie.finish()?.get_ref())?)
}
