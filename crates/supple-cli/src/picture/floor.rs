//! The floor: a plane without end, with a grid, that fades into the background.
use super::band::FloorDepth;
use super::camera::View;
use super::vec3::{V3, smoothstep};

/// The floor as this camera sees it.
pub(crate) struct Floor {
    /// Height in the renderer's coordinates.
    pub height: f32,
    /// Distance of the eye above it.
    above: f32,
    /// Width of a cell of the grid, and where its lines start.
    cell: f32,
    inverse_cell: f32,
    origin: [f32; 2],
}

impl Floor {
    /// None if the eye is not above it.
    pub fn new(height: f64, view: &View) -> Option<Self> {
        let local = (height - view.origin[1]) / view.unit;
        if !local.is_finite() || local.abs() > 1e6 {
            return None;
        }
        // A hair lower than asked for, so that what lies on the floor is seen.
        let local = local as f32 - 5e-4;
        let above = view.eye[1] - local;
        if above < 1e-3 {
            return None;
        }
        // Lines at round distances in the scene's own unit, anchored at its origin.
        let cell = round_length(0.11 * view.unit);
        let origin = [0, 2].map(|axis| (-view.origin[axis].rem_euclid(cell) / view.unit) as f32);
        let (cell, inverse_cell) = ((cell / view.unit) as f32, (view.unit / cell) as f32);
        Some(Self { height: local, above, cell, inverse_cell, origin })
    }

    /// The ray with direction `d` (last component one, forward) falls `−d_y` per unit of distance.
    pub fn depth(&self, view: &View) -> FloorDepth {
        // d_y(x, y) = right_y (x − cx)/f + up_y (cy − y)/f − back_y, and 1/distance = −d_y / above.
        let scale = -1.0 / self.above;
        let dx = view.right[1] / view.focal * scale;
        let dy = -view.up[1] / view.focal * scale;
        FloorDepth { at_origin: -view.back[1] * scale - dx * view.middle[0] - dy * view.middle[1], dx, dy }
    }

    /// Where the ray from the eye along `d` meets the floor, and how far that point moves, along x and z, with the two
    /// small changes of the ray that lead to the pixels to the right and below.
    #[inline]
    pub fn hit(&self, eye: V3, d: V3, right: V3, below: V3) -> (V3, [f32; 2]) {
        let fall = 1.0 / (-d[1]).max(1e-6);
        let t = self.above * fall;
        // hit = eye + above · d / (−d_y)
        let moved = |axis: usize, change: V3| (t * (change[axis] + d[axis] * change[1] * fall)).abs();
        let at = [eye[0] + t * d[0], self.height, eye[2] + t * d[2]];
        (at, [moved(0, right) + moved(0, below), moved(2, right) + moved(2, below)])
    }

    /// 1 near the target, 0 far away.
    #[inline]
    pub fn presence(&self, at: V3) -> f32 {
        let r = (at[0] * at[0] + at[2] * at[2]).sqrt();
        1.0 - smoothstep(0.25, 2.2, r)
    }

    /// How much a line of the grid covers a pixel at `at` that spans `step` along x and z.
    #[inline]
    pub fn grid(&self, at: V3, step: [f32; 2]) -> f32 {
        const HALF_WIDTH: f32 = 0.55;
        let mut line = 0.0_f32;
        for (k, axis) in [0, 2].into_iter().enumerate() {
            let cells = (at[axis] - self.origin[k]) * self.inverse_cell;
            let part = (cells - cells as i32 as f32).abs();
            let cell_pixels = self.cell / step[k].max(1e-9);
            let pixels = part.min(1.0 - part) * cell_pixels;
            // Lines closer than a few pixels would only make a moiré.
            if pixels < HALF_WIDTH + 0.5 && cell_pixels > 4.0 {
                let room = smoothstep(4.0, 14.0, cell_pixels);
                line = line.max((HALF_WIDTH + 0.5 - pixels).min(1.0) * room);
            }
        }
        line
    }
}

/// The nearest of 1, 2 and 5 times a power of ten below `length`.
fn round_length(length: f64) -> f64 {
    if !(length.is_finite() && length > 1e-300) {
        return 1.0;
    }
    let power = 10f64.powf(length.log10().floor());
    let digit = length / power;
    power
        * if digit >= 5.0 {
            5.0
        } else if digit >= 2.0 {
            2.0
        } else {
            1.0
        }
}
