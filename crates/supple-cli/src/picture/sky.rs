//! Light from the sky: how much of it each corner and each place of the floor can see.
//!
//! The sky is a set of far lights, each with its own small depth map. Visibility is found at the points of the mesh
//! and on a grid over the floor, and interpolated between: soft, and free of noise.
use std::sync::LazyLock;

use rayon::prelude::*;

use super::depth_map::DepthMap;
use super::soup::Soup;
use super::vec3::V3;

/// Lights that stand for the sky.
const LIGHTS: usize = 24;
/// Texels per side of each map.
const SIZE: usize = 128;
/// Cells per side of the grid over the floor.
const CELLS: usize = 96;

/// Light from the sky on the scene; one is what an open, level surface gets.
pub(crate) struct Sky {
    /// Per corner of each triangle: on its front, on its back.
    pub corners: Vec<[[f32; 2]; 3]>,
    floor: Option<FloorGrid>,
}

struct FloorGrid {
    low: [f32; 2],
    inverse_cell: f32,
    light: Vec<f32>,
}

impl Sky {
    /// With the height of the floor, if there is one.
    pub fn new(soup: &Soup, bounds: (V3, V3), floor: Option<f32>) -> Self {
        let maps: Vec<DepthMap> =
            (0..LIGHTS).into_par_iter().map(|k| DepthMap::new(direction(k), SIZE, 2, bounds, soup)).collect();
        let seen: Vec<[f32; LIGHTS]> =
            soup.points.par_iter().with_min_len(256).map(|p| visible(&maps, *p, 1.6)).collect();
        let corners = soup
            .triangles
            .par_iter()
            .zip(&soup.normals)
            .with_min_len(512)
            .map(|(triangle, normals)| {
                std::array::from_fn(|k| gathered(normals[k], &seen[triangle[k] as usize]))
            })
            .collect();
        Self { corners, floor: floor.map(|height| FloorGrid::new(&maps, bounds, height)) }
    }

    /// Light on the floor at (x, z).
    pub fn on_floor(&self, x: f32, z: f32) -> f32 {
        self.floor.as_ref().map_or(1.0, |grid| grid.at(x, z))
    }
}

impl FloorGrid {
    fn new(maps: &[DepthMap], (low, high): (V3, V3), height: f32) -> Self {
        // Wide enough for the shade of the lowest lights to have gone.
        let margin =
            0.15 * (high[0] - low[0]).max(high[2] - low[2]) + 1.2 * (high[1] - height).max(0.0) + 1e-3;
        let side = (high[0] - low[0]).max(high[2] - low[2]) + 2.0 * margin;
        let cell = side / (CELLS - 1) as f32;
        let origin = [0.5 * (low[0] + high[0] - side), 0.5 * (low[2] + high[2] - side)];
        let raw: Vec<f32> = (0..CELLS * CELLS)
            .into_par_iter()
            .with_min_len(256)
            .map(|k| {
                let (x, z) = (origin[0] + (k % CELLS) as f32 * cell, origin[1] + (k / CELLS) as f32 * cell);
                gathered([0.0, 1.0, 0.0], &visible(maps, [x, height, z], 0.6))[0]
            })
            .collect();
        Self { low: origin, inverse_cell: 1.0 / cell, light: smoothed(&raw) }
    }

    fn at(&self, x: f32, z: f32) -> f32 {
        let (x, z) = ((x - self.low[0]) * self.inverse_cell, (z - self.low[1]) * self.inverse_cell);
        let last = (CELLS - 1) as f32;
        if !(x >= 0.0 && z >= 0.0 && x < last && z < last) {
            return 1.0;
        }
        let (column, row) = (x as usize, z as usize);
        let (fx, fz) = (x - column as f32, z - row as f32);
        let at = row * CELLS + column;
        let near = self.light[at] * (1.0 - fx) + self.light[at + 1] * fx;
        let far = self.light[at + CELLS] * (1.0 - fx) + self.light[at + CELLS + 1] * fx;
        let light = near * (1.0 - fz) + far * fz;
        // Whatever shade is left at the border fades out over the outer tenth.
        let border = x.min(z).min(last - x).min(last - z) / (0.1 * last);
        1.0 - (1.0 - light) * border.min(1.0)
    }
}

/// Binomial 3×3 average, to melt the overlapping shades of single lights into one.
fn smoothed(raw: &[f32]) -> Vec<f32> {
    let at = |row: usize, column: usize| raw[row.min(CELLS - 1) * CELLS + column.min(CELLS - 1)];
    (0..CELLS * CELLS)
        .map(|k| {
            let (row, column) = (k / CELLS, k % CELLS);
            let line = |r: usize| {
                0.25 * at(r, column.saturating_sub(1)) + 0.5 * at(r, column) + 0.25 * at(r, column + 1)
            };
            0.25 * line(row.saturating_sub(1)) + 0.5 * line(row) + 0.25 * line(row + 1)
        })
        .collect()
}

/// The k-th light, evenly over the sky along a spiral with the golden angle, none at the very horizon.
fn direction(k: usize) -> V3 {
    let y = 1.0 - 0.9 * (k as f32 + 0.5) / LIGHTS as f32;
    let (sin, cos) = (k as f32 * 2.399_963_2).sin_cos();
    let r = (1.0 - y * y).sqrt();
    [r * cos, y, r * sin]
}

/// Share of each light that reaches a point; `lift` texels towards the light guard against self-shading.
fn visible(maps: &[DepthMap], point: V3, lift: f32) -> [f32; LIGHTS] {
    let mut shares = [0.0; LIGHTS];
    for (map, share) in maps.iter().zip(&mut shares) {
        let [column, row, z] = map.place(map.toward(point, lift * map.texel));
        *share = map.lit(column, row, z);
    }
    shares
}

/// Light on the front and on the back of a surface with this normal.
fn gathered(normal: V3, seen: &[f32; LIGHTS]) -> [f32; 2] {
    let [x, y, z] = &*DIRECTIONS;
    let cosine = |k: usize| normal[0] * x[k] + normal[1] * y[k] + normal[2] * z[k];
    // Four sums at a time: one after the other would wait for each addition.
    let (mut front, mut both) = ([0.0_f32; 4], [0.0_f32; 4]);
    for k in (0..LIGHTS).step_by(4) {
        for lane in 0..4 {
            let light = cosine(k + lane) * seen[k + lane];
            front[lane] += light.max(0.0);
            both[lane] += light.abs();
        }
    }
    // Σ cos over an open sky: the mean height of the lights is 0.55.
    let open = 0.55 * LIGHTS as f32;
    let front: f32 = front.iter().sum();
    [front / open, (both.iter().sum::<f32>() - front) / open]
}

/// The lights by coordinate.
static DIRECTIONS: LazyLock<[[f32; LIGHTS]; 3]> =
    LazyLock::new(|| std::array::from_fn(|axis| std::array::from_fn(|k| direction(k)[axis])));
