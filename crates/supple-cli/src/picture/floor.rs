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
    origin: [f32; 2],
}

impl Floor {
    /// None if the eye is not above it.
    pub fn new(height: f64, view: &View) -> Option<Self> {
        let local = (height - view.origin[1]) / view.unit;
        if !(local.abs() < 1e6) {
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
        Some(Self { height: local, above, cell: (cell / view.unit) as f32, origin })
    }

    /// The ray with direction `d` (last component one, forward) falls `−d_y` per unit of distance.
    pub fn depth(&self, view: &View) -> FloorDepth {
        // d_y(x, y) = right_y (x − cx)/f + up_y (cy − y)/f − back_y, and 1/distance = −d_y / above.
        let scale = -1.0 / self.above;
        let dx = view.right[1] / view.focal * scale;
        let dy = -view.up[1] / view.focal * scale;
        FloorDepth { at_origin: -view.back[1] * scale - dx * view.middle[0] - dy * view.middle[1], dx, dy }
    }

    /// Where the ray from the eye along `d` meets the floor.
    pub fn hit(&self, eye: V3, d: V3) -> V3 {
        let t = self.above / (-d[1]).max(1e-6);
        [eye[0] + t * d[0], self.height, eye[2] + t * d[2]]
    }

    /// 1 near the target, 0 far away.
    pub fn presence(&self, at: V3) -> f32 {
        let r = (at[0] * at[0] + at[2] * at[2]).sqrt();
        1.0 - smoothstep(0.25, 2.2, r)
    }

    /// How much a line of the grid covers a pixel at `at` that reaches to `right` and `below` on the floor.
    pub fn grid(&self, at: V3, right: V3, below: V3) -> f32 {
        const HALF_WIDTH: f32 = 0.55;
        let mut line = 0.0_f32;
        for (k, axis) in [0, 2].into_iter().enumerate() {
            let step = (right[axis] - at[axis]).abs() + (below[axis] - at[axis]).abs();
            let cells = (at[axis] - self.origin[k]) / self.cell;
            let pixels = (cells - cells.round()).abs() * self.cell / step.max(1e-9);
            // Lines closer than a few pixels would only make a moiré.
            let room = smoothstep(4.0, 14.0, self.cell / step.max(1e-9));
            line = line.max((HALF_WIDTH + 0.5 - pixels).clamp(0.0, 1.0) * room);
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
