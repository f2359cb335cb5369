//! Text with strokes of any size from a small bitmap font.
use super::glyphs::{Glyph, glyph};
use super::image::Image;

/// Radius of a stroke, in cells.
const STROKE: f32 = 0.46;
const SPACE: f32 = 2.6;

/// A stroke between two cells, (column, row) each.
type Segment = [f32; 4];

/// Width of a line of text, pixels, with capitals `height` pixels high.
pub fn text_width(text: &str, height: f32) -> f32 {
    let cells: f32 = text.chars().map(|c| extent(c).1).sum();
    (cells - 1.5).max(0.0) * height / 7.0
}

/// Writes a line of text in `colour` (sRGB, 0 to 1): `left` is where it starts, `base` the line that it stands on, in
/// pixels; capitals are `height` pixels high. A `halo` colour is laid around the strokes to keep them legible.
/// What falls outside the picture is cut off.
pub fn draw_text(
    image: &mut Image,
    left: f32,
    base: f32,
    height: f32,
    colour: [f32; 3],
    halo: Option<[f32; 3]>,
    text: &str,
) {
    if !(left.is_finite() && base.is_finite() && height > 0.5 && height < 1000.0) {
        return;
    }
    let cell = height / 7.0;
    let mut layers = Vec::new();
    layers.extend(halo.map(|halo| (halo, STROKE + 1.1, 0.55)));
    layers.push((colour, STROKE, 1.0));
    for (colour, radius, opacity) in layers {
        let mut x = left;
        for character in text.chars().filter(|c| !c.is_control()) {
            let (first, advance) = extent(character);
            let strokes = segments(&glyph(character));
            draw_glyph(image, x - first * cell, base - height, cell, radius, colour, opacity, &strokes);
            x += advance * cell;
            if x > image.width() as f32 {
                break;
            }
        }
    }
}

fn draw_glyph(
    image: &mut Image,
    left: f32,
    top: f32,
    cell: f32,
    radius: f32,
    colour: [f32; 3],
    opacity: f32,
    strokes: &[Segment],
) {
    // Thin strokes keep at least half a pixel, else small text fades.
    let radius = (radius * cell).max(0.5);
    let (x0, x1) = ((left - radius - 1.0) as i64, (left + 5.0 * cell + radius + 2.0) as i64);
    let (y0, y1) = ((top - radius - 1.0) as i64, (top + 9.0 * cell + radius + 2.0) as i64);
    for y in y0.max(0)..y1.min(i64::from(image.height())) {
        for x in x0.max(0)..x1.min(i64::from(image.width())) {
            let px = (x as f32 + 0.5 - left) / cell - 0.5;
            let py = (y as f32 + 0.5 - top) / cell - 0.5;
            let nearest = strokes.iter().map(|s| distance_squared(px, py, s)).fold(f32::INFINITY, f32::min);
            let cover = radius + 0.5 - nearest.sqrt() * cell;
            if cover > 0.0 {
                image.blend(x, y, colour, cover.min(1.0) * opacity);
            }
        }
    }
}

fn distance_squared(x: f32, y: f32, [ax, ay, bx, by]: &Segment) -> f32 {
    let (dx, dy) = (bx - ax, by - ay);
    let length = dx * dx + dy * dy;
    let t = if length > 0.0 { (((x - ax) * dx + (y - ay) * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
    let (ex, ey) = (x - ax - t * dx, y - ay - t * dy);
    ex * ex + ey * ey
}

/// First column and advance, in cells. Digits are all as wide as each other, so that a running clock stands still.
fn extent(character: char) -> (f32, f32) {
    let ink = glyph(character).iter().fold(0, |ink, row| ink | row);
    if ink == 0 {
        return (0.0, SPACE);
    }
    if character.is_ascii_digit() {
        return (0.0, 6.5);
    }
    let first = (0..5).find(|c| ink >> (4 - c) & 1 == 1).unwrap_or(0);
    let last = (0..5).rfind(|c| ink >> (4 - c) & 1 == 1).unwrap_or(4);
    (first as f32, (last - first) as f32 + 2.5)
}

/// Joins neighbouring cells; diagonally only where no corner would do.
fn segments(glyph: &Glyph) -> Vec<Segment> {
    let set = |row: i32, column: i32| {
        (0..9).contains(&row) && (0..5).contains(&column) && glyph[row as usize] >> (4 - column) & 1 == 1
    };
    let mut strokes = Vec::new();
    for row in 0..9 {
        for column in 0..5 {
            if !set(row, column) {
                continue;
            }
            let (x, y) = (column as f32, row as f32);
            strokes.push([x, y, x, y]);
            for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let corner = down != 0 && right != 0 && (set(row + down, column) || set(row, column + right));
                if set(row + down, column + right) && !corner {
                    strokes.push([x, y, x + right as f32, y + down as f32]);
                }
            }
        }
    }
    strokes
}
