//! What is written over the picture: labels, caption, legend.
use super::camera::View;
use super::image::Image;
use super::scene::Scene3;
use super::text::{draw_text, text_width};

/// Draws everything that is text.
pub(crate) fn draw(scene: &Scene3, view: &View, image: &mut Image) {
    // Capitals a fortieth of the picture's height, and never too small to read.
    let height = (image.height().min(image.width()) as f32 / 42.0).max(6.0);
    let look = &scene.look;
    for label in &scene.labels {
        let Some(seen) = view.local(label.at).map(|p| view.seen(p)) else { continue };
        if seen[2] > 0.01 {
            let x = view.middle[0] + view.focal * seen[0] / seen[2];
            let y = view.middle[1] - view.focal * seen[1] / seen[2];
            let x = (x + 0.8 * height).min(image.width() as f32 - text_width(&label.text, height));
            draw_text(image, x, y - 0.4 * height, height, look.ink, Some(look.bottom), &label.text);
        }
    }
    if let Some(caption) = &scene.caption {
        let margin = 2.2 * height;
        draw_text(
            image,
            margin,
            image.height() as f32 - margin,
            height,
            look.ink,
            Some(look.bottom),
            caption,
        );
    }
    if let Some(legend) = &scene.legend {
        legend.draw(image, height, look.ink, look.bottom);
    }
}
