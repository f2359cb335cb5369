//! The picture: eight bits of sRGB per channel.

/// Largest width and height, in pixels.
pub const MAX_SIDE: u32 = 16_384;

/// A picture, row by row from the top left, three bytes (red, green, blue; sRGB) per pixel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Image {
    width: u32,
    height: u32,
    bytes: Vec<u8>,
}

impl Image {
    /// A black picture. Sides above [`MAX_SIDE`] are cut to it.
    pub fn new(width: u32, height: u32) -> Self {
        let mut image = Self::default();
        image.resize(width, height);
        image
    }

    /// Gives the picture a size, keeping its memory where it can. The content is unspecified afterwards.
    pub fn resize(&mut self, width: u32, height: u32) {
        self.width = width.min(MAX_SIDE);
        self.height = height.min(MAX_SIDE);
        self.bytes.resize(self.width as usize * self.height as usize * 3, 0);
    }

    /// Pixels per row.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// All bytes, `width · height · 3`.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All bytes, to be changed in place.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Colour at column `x`, row `y`; black outside.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        if x >= self.width || y >= self.height {
            return [0; 3];
        }
        let at = (y as usize * self.width as usize + x as usize) * 3;
        [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2]]
    }

    /// Lays `colour` (sRGB, 0 to 1) over a pixel with opacity `alpha`. Outside the picture nothing happens.
    pub(crate) fn blend(&mut self, x: i64, y: i64, colour: [f32; 3], alpha: f32) {
        if x < 0 || y < 0 || x >= i64::from(self.width) || y >= i64::from(self.height) {
            return;
        }
        let alpha = alpha.clamp(0.0, 1.0);
        let at = (y as usize * self.width as usize + x as usize) * 3;
        for channel in 0..3 {
            let old = f32::from(self.bytes[at + channel]);
            let new = old + (colour[channel].clamp(0.0, 1.0) * 255.0 - old) * alpha;
            self.bytes[at + channel] = (new + 0.5) as u8;
        }
    }
}
