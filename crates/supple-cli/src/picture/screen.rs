//! From the scene to the picture: what faces away is left out, what crosses the near plane is cut, the rest is
//! projected and sorted into bands of rows.
use rayon::prelude::*;

use super::camera::View;
use super::soup::{GLASS, Soup, TWO_SIDED};
use super::vec3::{V3, mix};

/// Nearest distance that is drawn, in viewing distances.
const NEAR: f32 = 0.01;
/// Corners are rounded to this part of a pixel; edge functions of such corners are exact in double precision, so that
/// triangles that share an edge leave no gap between them.
const SUBPIXEL: f32 = 256.0;

/// A projected triangle (or a piece of one).
#[derive(Clone, Copy)]
pub(crate) struct ScreenTriangle {
    pub x: [f32; 3],
    pub y: [f32; 3],
    /// One over the distance along the viewing direction: linear in the picture.
    pub inverse_z: [f32; 3],
    /// Which triangle of the soup.
    pub source: u32,
    /// Seen through.
    pub glass: bool,
}

/// All points as seen (right, up, forward of the eye) and the visible triangles.
pub(crate) struct Screen {
    pub seen: Vec<V3>,
    pub triangles: Vec<ScreenTriangle>,
}

impl Screen {
    pub fn new(soup: &Soup, view: &View) -> Self {
        let seen: Vec<V3> = soup.points.par_iter().with_min_len(4096).map(|p| view.seen(*p)).collect();
        // Chunks are joined in order: the result does not depend on the number of threads.
        const CHUNK: usize = 2048;
        let chunks: Vec<Vec<ScreenTriangle>> = soup
            .triangles
            .par_chunks(CHUNK)
            .enumerate()
            .map(|(chunk, triangles)| {
                let mut out = Vec::with_capacity(triangles.len());
                for (k, triangle) in triangles.iter().enumerate() {
                    let source = chunk * CHUNK + k;
                    let corners = triangle.map(|v| seen[v as usize]);
                    project(corners, soup.flags[source], source as u32, view, &mut out);
                }
                out
            })
            .collect();
        Self { seen, triangles: chunks.concat() }
    }

    /// For each band of `rows` rows the triangles that touch it, in their order.
    pub fn bands(&self, height: u32, rows: u32) -> Vec<Vec<u32>> {
        let count = height.div_ceil(rows) as usize;
        let mut bands = vec![Vec::new(); count];
        for (k, t) in self.triangles.iter().enumerate() {
            let low = t.y.iter().fold(f32::INFINITY, |m, y| m.min(*y)).max(0.0);
            let high = t.y.iter().fold(f32::NEG_INFINITY, |m, y| m.max(*y)).min(height as f32 - 0.5);
            if low <= high {
                for band in &mut bands[(low as u32 / rows) as usize..=(high as u32 / rows) as usize] {
                    band.push(k as u32);
                }
            }
        }
        bands
    }
}

fn project(corners: [V3; 3], flags: u8, source: u32, view: &View, out: &mut Vec<ScreenTriangle>) {
    // Three times the half-picture on each side keeps coordinates small; the near plane keeps them finite.
    let wide = 3.0 * view.middle[0] / view.focal;
    let high = 3.0 * view.middle[1] / view.focal;
    let planes: [fn(V3, f32, f32) -> f32; 5] = [
        |p, _, _| p[2] - NEAR,
        |p, w, _| w * p[2] - p[0],
        |p, w, _| w * p[2] + p[0],
        |p, _, h| h * p[2] - p[1],
        |p, _, h| h * p[2] + p[1],
    ];
    let mut needs_cut = false;
    for plane in planes {
        let inside = corners.map(|p| plane(p, wide, high) >= 0.0);
        if inside == [false; 3] {
            return;
        }
        needs_cut |= inside != [true; 3];
    }
    if !needs_cut {
        push(corners, flags, source, view, out);
        return;
    }
    // Sutherland–Hodgman: each plane adds at most one corner.
    let mut polygon: Vec<V3> = corners.to_vec();
    let mut cut = Vec::with_capacity(8);
    for plane in planes {
        cut.clear();
        for k in 0..polygon.len() {
            let (a, b) = (polygon[k], polygon[(k + 1) % polygon.len()]);
            let (da, db) = (plane(a, wide, high), plane(b, wide, high));
            if da >= 0.0 {
                cut.push(a);
            }
            if (da >= 0.0) != (db >= 0.0) {
                let mut c = mix(a, b, da / (da - db));
                c[2] = c[2].max(NEAR);
                cut.push(c);
            }
        }
        std::mem::swap(&mut polygon, &mut cut);
        if polygon.len() < 3 {
            return;
        }
    }
    for k in 1..polygon.len() - 1 {
        push([polygon[0], polygon[k], polygon[k + 1]], flags, source, view, out);
    }
}

fn push(corners: [V3; 3], flags: u8, source: u32, view: &View, out: &mut Vec<ScreenTriangle>) {
    // Adding 1.5 · 2⁵² leaves a double no bits for a fraction: it rounds, without a call.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let snap = |c: f32| ((f64::from(c * SUBPIXEL) + ROUND - ROUND) as f32) / SUBPIXEL;
    let x = |p: V3| snap(view.middle[0] + view.focal * p[0] / p[2]);
    let y = |p: V3| snap(view.middle[1] - view.focal * p[1] / p[2]);
    let [a, b, c] = corners;
    let mut t = ScreenTriangle {
        x: [x(a), x(b), x(c)],
        y: [y(a), y(b), y(c)],
        inverse_z: [1.0 / a[2], 1.0 / b[2], 1.0 / c[2]],
        source,
        glass: flags & GLASS != 0,
    };
    let two_sided = flags & TWO_SIDED != 0;
    let e = |k: usize| (f64::from(t.x[k] - t.x[0]), f64::from(t.y[k] - t.y[0]));
    let ((x1, y1), (x2, y2)) = (e(1), e(2));
    // Rows run downwards: counter-clockwise in space is negative here. Also refuses what is not a number.
    let area = x2 * y1 - x1 * y2;
    if area < 0.0 && two_sided {
        t.x.swap(1, 2);
        t.y.swap(1, 2);
        t.inverse_z.swap(1, 2);
    } else if area.is_nan() || area <= 0.0 {
        return;
    }
    let outside = |c: [f32; 3], end: f32| c.iter().all(|v| *v < 0.0) || c.iter().all(|v| *v > end);
    if !outside(t.x, 2.0 * view.middle[0]) && !outside(t.y, 2.0 * view.middle[1]) {
        out.push(t);
    }
}
