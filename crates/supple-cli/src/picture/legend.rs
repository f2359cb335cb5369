//! The bar that explains the colours of a scalar field.
use super::image::Image;
use super::palette;
use super::text::{draw_text, text_width};

/// What the colours of [`palette::scalar`] mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Legend {
    /// Quantity and unit.
    pub title: String,
    /// Value at the dark end.
    pub low: f64,
    /// Value at the light end.
    pub high: f64,
}

impl Legend {
    /// Draws the bar at the lower right, with text `height` pixels high.
    pub(crate) fn draw(&self, image: &mut Image, height: f32, ink: [f32; 3], halo: [f32; 3]) {
        let (width, rows) = (image.width() as f32, image.height() as f32);
        let bar = (0.24 * width).max(8.0 * height).min(0.8 * width);
        let thick = (0.9 * height).max(3.0);
        let margin = 2.2 * height;
        let left = (width - margin - bar).max(0.0);
        let base = rows - margin;
        let top = base - height - 0.8 * height - thick;
        for y in top as i64..(top + thick) as i64 {
            for step in 0..bar as i64 {
                let t = (step as f64 + 0.5) / f64::from(bar);
                image.blend(left as i64 + step, y, palette::scalar(t), 1.0);
            }
        }
        draw_text(image, left, top - 0.8 * height, height, ink, Some(halo), &self.title);
        let middle = 0.5 * self.low + 0.5 * self.high;
        for (value, place) in [(self.low, 0.0), (middle, 0.5), (self.high, 1.0)] {
            let text = short(value);
            let x = left + place * (bar - text_width(&text, height));
            draw_text(image, x, base, height, ink, Some(halo), &text);
        }
    }
}

/// Three significant digits.
fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() {
        format!("{value}")
    } else if !(1e-3..1e5).contains(&size) {
        format!("{value:.1e}")
    } else {
        let digits = (2 - size.log10().floor() as i32).clamp(0, 5) as usize;
        let text = format!("{value:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    }
}
