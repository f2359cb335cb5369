//! One picture as PNG.
use std::io::Write;

use super::{ExportError, same_size};
use crate::picture::Image;

impl From<png::EncodingError> for ExportError {
    fn from(error: png::EncodingError) -> Self {
        match error {
            png::EncodingError::IoError(error) => Self::Io(error),
            other => Self::Encode(other.to_string()),
        }
    }
}

/// Writes a picture, eight bits per channel, marked as sRGB.
pub fn write_png(writer: impl Write, image: &Image) -> Result<(), ExportError> {
    let (width, height) = same_size(std::slice::from_ref(image))?;
    let mut writer = encoder(writer, width, height).write_header()?;
    writer.write_image_data(image.bytes())?;
    Ok(writer.finish()?)
}

/// The settings that single and animated pictures share.
pub(super) fn encoder<W: Write>(writer: W, width: u32, height: u32) -> png::Encoder<'static, W> {
    let mut encoder = png::Encoder::new(writer, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    // `Balanced` takes as long as drawing does.
    encoder.set_compression(png::Compression::Fast);
    encoder
}
