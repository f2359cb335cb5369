//! Where the picture is taken from.
use super::vec3::V3;

/// An axis-aligned box; empty until something is included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Least coordinates.
    pub low: [f64; 3],
    /// Greatest coordinates.
    pub high: [f64; 3],
}

impl Bounds {
    /// Holds nothing.
    pub const EMPTY: Self = Self { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };

    /// Grows to hold a point; a point that is not finite is ignored.
    pub fn include(&mut self, point: [f64; 3]) {
        if point.iter().all(|c| c.is_finite()) {
            for axis in 0..3 {
                self.low[axis] = self.low[axis].min(point[axis]);
                self.high[axis] = self.high[axis].max(point[axis]);
            }
        }
    }

    /// Grows to hold a ball.
    pub fn include_ball(&mut self, centre: [f64; 3], radius: f64) {
        self.include(centre.map(|c| c - radius));
        self.include(centre.map(|c| c + radius));
    }

    /// Grows to hold another box.
    pub fn join(&mut self, other: &Self) {
        if !other.is_empty() {
            self.include(other.low);
            self.include(other.high);
        }
    }

    /// True if nothing was included.
    pub fn is_empty(&self) -> bool {
        (0..3).any(|axis| self.low[axis] > self.high[axis])
    }

    /// Its corners.
    fn corners(&self) -> [[f64; 3]; 8] {
        std::array::from_fn(|k| {
            std::array::from_fn(|axis| if k >> axis & 1 == 0 { self.low[axis] } else { self.high[axis] })
        })
    }

    /// The same box moved.
    pub fn moved(&self, by: [f64; 3]) -> Self {
        let add = |p: [f64; 3]| std::array::from_fn(|k| p[k] + by[k]);
        Self { low: add(self.low), high: add(self.high) }
    }

    /// Length of its diagonal; 1 if it has none.
    pub fn diagonal(&self) -> f64 {
        let d = (0..3).map(|k| (self.high[k] - self.low[k]).powi(2)).sum::<f64>().sqrt();
        if !self.is_empty() && d > 0.0 && d.is_finite() { d } else { 1.0 }
    }

    /// Middle of the box; the origin if empty.
    pub fn centre(&self) -> [f64; 3] {
        if self.is_empty() {
            return [0.0; 3];
        }
        // Halves first: the sum of two huge coordinates may overflow.
        std::array::from_fn(|axis| 0.5 * self.low[axis] + 0.5 * self.high[axis])
    }
}

/// A pinhole camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Position.
    pub eye: [f64; 3],
    /// Point in the middle of the picture.
    pub target: [f64; 3],
    /// Direction that points up in the picture.
    pub up: [f64; 3],
    /// Vertical angle of view, radians.
    pub fov: f64,
}

impl Camera {
    /// From the front, a little to the right and above.
    pub const THREE_QUARTER: [f64; 3] = [0.55, 0.42, 1.0];

    /// Fits a box, usually joined over a whole animation, into a picture of `aspect` = width / height, seen from
    /// [`Self::THREE_QUARTER`].
    pub fn fit(bounds: &Bounds, aspect: f64) -> Self {
        Self::fit_from(bounds, aspect, Self::THREE_QUARTER)
    }

    /// As [`Self::fit`], seen from the direction `from` (from the body towards the eye).
    pub fn fit_from(bounds: &Bounds, aspect: f64, from: [f64; 3]) -> Self {
        const FOV: f64 = 0.56;
        const MARGIN: f64 = 1.18;
        let mut bounds = *bounds;
        if bounds.is_empty() {
            bounds = Bounds { low: [-1.0; 3], high: [1.0; 3] };
        }
        let aspect = if aspect.is_finite() { aspect.clamp(0.05, 20.0) } else { 1.0 };
        let tan_y = (0.5 * FOV).tan() / MARGIN;
        let tan_x = tan_y * aspect;
        let up = [0.0, 1.0, 0.0];
        let back = unit(from).unwrap_or([0.0, 0.0, 1.0]);
        let axes = Axes::new(back, up);

        let corners = bounds.corners();
        let mut target = bounds.centre();
        let mut distance = 1.0;
        // The box is seen in perspective, so that its middle is not the middle of its image: shift and fit in turns.
        for _ in 0..8 {
            let seen = corners.map(|corner| axes.of(sub(corner, target)));
            distance = seen
                .iter()
                .map(|c| (c[0].abs() / tan_x).max(c[1].abs() / tan_y) + c[2])
                .fold(f64::MIN_POSITIVE, f64::max);
            let middle = |axis: usize| {
                let image = seen.map(|c| c[axis] / (distance - c[2]).max(1e-9 * distance));
                let (low, high) =
                    image.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &x| (l.min(x), h.max(x)));
                0.5 * (low + high) * distance
            };
            let (dx, dy) = (middle(0), middle(1));
            for axis in 0..3 {
                target[axis] += dx * axes.right[axis] + dy * axes.up[axis];
            }
        }
        if !(distance.is_finite() && distance > 1e-9) {
            distance = 1.0;
        }
        let eye = std::array::from_fn(|axis| target[axis] + back[axis] * distance);
        Self { eye, target, up, fov: FOV }
    }

    /// True if all of a box is seen in a picture of `aspect` = width / height, with a little room around it.
    pub fn sees(&self, bounds: &Bounds, aspect: f64) -> bool {
        /// Share of the picture from its middle to the edge.
        const WITHIN: f64 = 0.96;
        if bounds.is_empty() {
            return true;
        }
        let Some(back) = unit(sub(self.eye, self.target)) else { return false };
        let axes = Axes::new(back, self.up);
        let tan_y = (0.5 * self.fov).tan() * WITHIN;
        bounds.corners().iter().all(|&corner| {
            let [x, y, z] = axes.of(sub(corner, self.eye));
            z < 0.0 && x.abs() <= tan_y * aspect * -z && y.abs() <= tan_y * -z
        })
    }

    /// The camera on its way around what it looks at, by an angle about the vertical, radians.
    pub fn turned(&self, angle: f64) -> Self {
        let (s, c) = angle.sin_cos();
        let [x, y, z] = sub(self.eye, self.target);
        let offset = [c * x + s * z, y, c * z - s * x];
        Self { eye: std::array::from_fn(|k| self.target[k] + offset[k]), ..*self }
    }

    /// How far the eye is from what it looks at.
    pub fn distance(&self) -> f64 {
        let d = sub(self.eye, self.target);
        dot(d, d).sqrt()
    }
}

/// Right, up and back (towards the viewer), orthonormal.
#[derive(Debug, Clone, Copy)]
struct Axes {
    right: [f64; 3],
    up: [f64; 3],
    back: [f64; 3],
}

impl Axes {
    fn new(back: [f64; 3], up: [f64; 3]) -> Self {
        // Straight up or down leaves no "up": take another axis, then another.
        let right = [up, [0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]]
            .into_iter()
            .filter_map(unit)
            .map(|up| cross(up, back))
            .find(|r| dot(*r, *r) > 1e-8)
            .and_then(unit)
            .unwrap_or([1.0, 0.0, 0.0]);
        Self { right, up: cross(back, right), back }
    }

    fn of(&self, v: [f64; 3]) -> [f64; 3] {
        [dot(self.right, v), dot(self.up, v), dot(self.back, v)]
    }
}

/// A camera made ready for one picture: all that follows is relative to the target, in units of the distance
/// between eye and target.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    pub origin: [f64; 3],
    pub unit: f64,
    pub right: V3,
    pub up: V3,
    pub back: V3,
    /// Position of the eye; the target is at zero.
    pub eye: V3,
    /// Pixels per unit of tangent.
    pub focal: f32,
    /// Middle of the picture, pixels.
    pub middle: [f32; 2],
}

impl View {
    pub fn new(camera: &Camera, width: u32, height: u32) -> Self {
        let finite = |v: [f64; 3]| v.iter().all(|c| c.is_finite());
        let origin = if finite(camera.target) { camera.target } else { [0.0; 3] };
        let toward = sub(camera.eye, origin);
        let distance = dot(toward, toward).sqrt();
        let (back, distance) = match unit(toward) {
            Some(back) if distance.is_finite() && distance > 1e-150 => (back, distance),
            _ => ([0.0, 0.0, 1.0], 1.0),
        };
        let axes = Axes::new(back, camera.up);
        let fov = if camera.fov.is_finite() { camera.fov.clamp(0.01, 3.0) } else { 0.6 };
        let single = |v: [f64; 3]| v.map(|c| c as f32);
        Self {
            origin,
            unit: distance,
            right: single(axes.right),
            up: single(axes.up),
            back: single(axes.back),
            eye: single(axes.back),
            focal: (0.5 * f64::from(height) / (0.5 * fov).tan()) as f32,
            middle: [0.5 * width as f32, 0.5 * height as f32],
        }
    }

    /// Scene coordinates to the renderer's; None if not finite or absurdly far.
    pub fn local(&self, point: [f64; 3]) -> Option<V3> {
        let local: [f64; 3] = std::array::from_fn(|axis| (point[axis] - self.origin[axis]) / self.unit);
        local.iter().all(|c| c.abs() < 1e6).then(|| local.map(|c| c as f32))
    }

    /// Right, up and *forward* of the eye.
    #[inline]
    pub fn seen(&self, local: V3) -> V3 {
        use super::vec3::dot;
        [dot(self.right, local), dot(self.up, local), 1.0 - dot(self.back, local)]
    }

    /// Direction, in the axes of [`Self::seen`], of the ray through a point of the picture; its last is one.
    #[inline]
    pub fn ray(&self, x: f32, y: f32) -> V3 {
        [(x - self.middle[0]) / self.focal, (self.middle[1] - y) / self.focal, 1.0]
    }

    /// From the axes of [`Self::seen`] to the renderer's.
    #[inline]
    pub fn turn(&self, v: V3) -> V3 {
        std::array::from_fn(|k| self.right[k] * v[0] + self.up[k] * v[1] - self.back[k] * v[2])
    }
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: [f64; 3]) -> Option<[f64; 3]> {
    let largest = a.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    if !(largest.is_finite() && largest > 0.0) {
        return None;
    }
    let scaled = a.map(|c| c / largest);
    let length = dot(scaled, scaled).sqrt();
    Some(scaled.map(|c| c / length))
}
