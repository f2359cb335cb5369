//! The picture from beginning to end.
use rayon::prelude::*;

use super::band::{Band, FLOOR, SKY, pattern};
use super::camera::{Camera, View};
use super::floor::Floor;
use super::image::Image;
use super::overlay;
use super::palette::encode;
use super::scene::Scene3;
use super::screen::{Screen, ScreenTriangle};
use super::shade::Shader;
use super::shadow::Shadow;
use super::sky::Sky;
use super::soup::Soup;
use super::vec3::{V3, add, along, scale, unit};

/// Rows per unit of work.
const ROWS: u32 = 8;
/// Shadows are cast by what is nearer to the target than this, in viewing distances along each axis.
const SHADOW_REACH: f32 = 1.5;

/// Draws the scene into `image`, which takes the size `width` × `height` (each cut to
/// [`MAX_SIDE`](super::image::MAX_SIDE)). Uses the threads of the current rayon pool; the picture does not depend on
/// their number.
pub fn render(scene: &Scene3, camera: &Camera, width: u32, height: u32, image: &mut Image) {
    image.resize(width, height);
    if image.width() == 0 || image.height() == 0 {
        return;
    }
    match scene.look.samples {
        0 | 1 => draw::<1>(scene, camera, image),
        2..=4 => draw::<4>(scene, camera, image),
        _ => draw::<8>(scene, camera, image),
    }
    overlay::draw(scene, &View::new(camera, image.width(), image.height()), image);
}

fn draw<const S: usize>(scene: &Scene3, camera: &Camera, image: &mut Image) {
    let (width, height) = (image.width(), image.height());
    let view = View::new(camera, width, height);
    let soup = Soup::new(scene, &view);
    let floor = scene.floor.and_then(|height| Floor::new(height, &view));
    let key = key_direction(scene, &view);

    let (lights, (screen, bands)) = rayon::join(
        || {
            soup.bounds(SHADOW_REACH).map(|bounds| {
                rayon::join(
                    || Shadow::new(key, bounds, &soup),
                    || Sky::new(&soup, bounds, floor.as_ref().map(|f| f.height)),
                )
            })
        },
        || {
            let screen = Screen::new(&soup, &view);
            let bands = screen.bands(height, ROWS);
            (screen, bands)
        },
    );
    let (shadow, sky) = lights.as_ref().map_or((None, None), |(shadow, sky)| (Some(shadow), Some(sky)));
    let shader = Shader::new(&view, &soup, &screen, shadow, sky, floor.as_ref(), key, &scene.look);
    let floor_depth = floor.as_ref().map(|f| f.depth(&view));

    let row_bytes = width as usize * 3;
    image.bytes_mut().par_chunks_mut(row_bytes * ROWS as usize).enumerate().for_each_init(
        Band::<S>::default,
        |band, (index, bytes)| {
            let top = index * ROWS as usize;
            let drawn = || bands[index].iter().map(|&t| &screen.triangles[t as usize]);
            let (left, columns) = columns(drawn(), width);
            band.clear(left, columns, top, bytes.len() / row_bytes, floor_depth);
            drawn().for_each(|t| band.draw(t));
            for (row, line) in bytes.chunks_mut(row_bytes).enumerate() {
                resolve(&shader, band, row, top + row, line);
            }
        },
    );
}

/// The first column that triangles touch, and how many they do.
fn columns<'a>(triangles: impl Iterator<Item = &'a ScreenTriangle>, width: u32) -> (usize, usize) {
    let (low, high) = triangles.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), t| {
        t.x.iter().fold((low, high), |(low, high), &x| (low.min(x), high.max(x)))
    });
    let (low, high) = (low.floor().max(0.0), high.floor().min(width as f32 - 1.0));
    if low <= high { (low as usize, (high - low) as usize + 1) } else { (0, 0) }
}

/// Colours one row. Each thing that a pixel sees is coloured once, in the middle of the samples that see it.
fn resolve<const S: usize>(shader: &Shader, band: &Band<S>, row: usize, y: usize, line: &mut [u8]) {
    let offsets = pattern::<S>();
    let background = shader.background(y as f32 + 0.5);
    let background_bytes = encode(background);
    for (column, pixel) in line.chunks_exact_mut(3).enumerate() {
        let sources = band.sources(row, column);
        if sources == [SKY; S] {
            pixel.copy_from_slice(&background_bytes);
            continue;
        }
        if sources == [FLOOR; S] {
            // Most of the picture.
            let (px, py) = (column as f32 + 0.5, y as f32 + 0.5);
            pixel.copy_from_slice(&encode(shader.floor(px, py, background)));
            continue;
        }
        let mut sum: V3 = [0.0; 3];
        let mut known = None;
        for s in 0..S {
            let source = sources[s];
            if sources[..s].contains(&source) {
                continue;
            }
            let (mut count, mut x_sum, mut y_sum) = (0.0_f32, 0.0, 0.0);
            for k in s..S {
                if sources[k] == source {
                    count += 1.0;
                    x_sum += offsets[k][0];
                    y_sum += offsets[k][1];
                }
            }
            let (px, py) = (column as f32 + x_sum / count, y as f32 + y_sum / count);
            let colour = match source {
                SKY => background,
                FLOOR => shader.floor(px, py, background),
                triangle => shader.triangle(triangle, px, py, &mut known),
            };
            sum = along(sum, colour, count);
        }
        pixel.copy_from_slice(&encode(scale(sum, 1.0 / S as f32)));
    }
}

/// Towards the key light.
fn key_direction(scene: &Scene3, view: &View) -> V3 {
    let asked = scene.look.key.map_or([0.0; 3], |d| unit(d.map(|c| c as f32)));
    if asked != [0.0; 3] {
        return asked;
    }
    let level = |v: V3| unit([v[0], 0.0, v[2]]);
    let side = add(scale(level(view.right), -0.62), scale(level(view.back), 0.38));
    unit(add(side, [0.0, 1.05, 0.0]))
}
