//! A shape given by its signed distance at the points of a regular grid.
//!
//! Between the points, f is the tensor product of Catmull–Rom's cubics (Catmull & Rom 1974), with ghost values extrapolated linearly at
//! the sides: exact for planes, and its gradient, the normal, is continuous. Let D be the length of the largest differences of
//! neighbours per metre along x, y and z, and S those of second differences. The weights of the cubic and of its slope sum to at
//! most 5/4 and 3/2 in absolute value, so |∇f| ≤ 3/2 (5/4)² D; and f is within δ = ((5/4)² Sx + 5/4 Sy + Sz)/8 of the trilinear
//! function, whose slope is at most D. So a point with the value f is at least max(f/(2.34 D), (f − 2δ)/D) away from the surface:
//! see [`Surface::clear`]. That holds whatever the values are.

use super::level_set;
use crate::contact::{Surface, SurfacePoint};
use crate::error::ParameterError;
use crate::math::small::{add, axpy, dot, scale, sub};
use std::sync::OnceLock;

/// Most points of a grid.
const MOST_POINTS: usize = 1 << 25;

/// Largest coordinate or value in m.
const LARGEST: f64 = 1e9;

/// Neighbours whose values differ by more than this, per metre, are not distances.
const STEEPEST: f64 = 2.0;

/// Mean slope at the surface that a distance may have.
const SLOPES: [f64; 2] = [0.5, 1.5];

/// The inside of a surface whose signed distance is known on a grid, cut off at the sides of the grid.
pub struct DistanceGrid {
    origin: [f64; 3],
    spacing: [f64; 3],
    counts: [usize; 3],
    values: Vec<f64>,
    /// D, at least 1.
    slope: f64,
    /// δ in m.
    off: f64,
    /// Triangles, once somebody wants to see them.
    drawn: OnceLock<level_set::Triangles>,
}

impl DistanceGrid {
    /// Point `[i, j, k]` of the grid is at `origin + spacing·[i, j, k]` (m), and its distance (m, negative inside of the shape) is
    /// `values[(i·counts[1] + j)·counts[2] + k]`: C order, z runs fastest.
    ///
    /// At least two points along each axis, at most 2²⁵ in all. There is nothing outside of the grid: a shape that reaches its
    /// sides ends there. Values must be distances, or nearly so: no neighbours differ by more than twice their distance from each
    /// other, and the mean slope at the surface is between 0.5 and 1.5.
    pub fn new(
        origin: [f64; 3],
        spacing: [f64; 3],
        counts: [usize; 3],
        values: Vec<f64>,
    ) -> Result<DistanceGrid, ParameterError> {
        if let Some(v) = origin.iter().find(|v| !(v.abs() <= LARGEST)) {
            return Err(ParameterError::new(
                "origin",
                v,
                format!("its origin must be numbers within ±{LARGEST:e} m, not {v}"),
            ));
        }
        if let Some(n) = counts.iter().find(|n| **n < 2) {
            return Err(ParameterError::new(
                "counts",
                n,
                format!("its grid must have at least 2 points along each axis, not {n}"),
            ));
        }
        let points = counts.iter().try_fold(1usize, |all, n| all.checked_mul(*n));
        let Some(points) = points.filter(|n| *n <= MOST_POINTS) else {
            return Err(ParameterError::new(
                "counts",
                counts,
                format!("its grid of {counts:?} points has more than {MOST_POINTS}"),
            ));
        };
        if values.len() != points {
            return Err(ParameterError::new(
                "values",
                values.len(),
                format!("its grid of {counts:?} points needs {points} values, not {}", values.len()),
            ));
        }
        for c in 0..3 {
            let (s, long) = (spacing[c], spacing[c] * (counts[c] - 1) as f64);
            if !(s >= 1e-9 && long <= LARGEST) {
                return Err(ParameterError::new(
                    "spacing",
                    s,
                    format!(
                        "its spacing must be at least 1e-9 m, and its grid no longer than {LARGEST:e} m, not {s}"
                    ),
                ));
            }
        }
        let mut grid =
            DistanceGrid { origin, spacing, counts, values, slope: 1.0, off: 0.0, drawn: OnceLock::new() };
        if let Some(at) = grid.values.iter().position(|v| !(v.abs() <= LARGEST)) {
            let (p, v) = (grid.point(at), grid.values[at]);
            return Err(ParameterError::new(
                "values",
                v,
                format!("its value at {p:?} must be a number within ±{LARGEST:e} m, not {v}"),
            ));
        }
        grid.measure()?;
        grid.check_surface()?;
        Ok(grid)
    }

    /// Index of a point by its number.
    fn point(&self, at: usize) -> [usize; 3] {
        let [_, m, n] = self.counts;
        [at / (m * n), at / n % m, at % n]
    }

    /// How far apart the values of neighbours along an axis are.
    fn stride(&self, axis: usize) -> usize {
        self.counts[axis + 1..].iter().product()
    }

    /// The bounds D and δ, and that no neighbours differ too much.
    fn measure(&mut self) -> Result<(), ParameterError> {
        let (mut first, mut second) = ([0.0f64; 3], [0.0f64; 3]);
        for axis in 0..3 {
            let (stride, h) = (self.stride(axis), self.spacing[axis]);
            for at in 0..self.values.len() {
                let along = at / stride % self.counts[axis];
                if along + 1 == self.counts[axis] {
                    continue;
                }
                let d = self.values[at + stride] - self.values[at];
                if d.abs() > STEEPEST * h {
                    let (p, q) = (self.point(at), self.point(at + stride));
                    return Err(ParameterError::new(
                        "values",
                        d,
                        format!(
                            "its values are not distances: from {p:?} to {q:?}, {h} m apart, they change by {d} m"
                        ),
                    ));
                }
                first[axis] = first[axis].max(d.abs() / h);
                if along > 0 {
                    let before = self.values[at] - self.values[at - stride];
                    second[axis] = second[axis].max((d - before).abs());
                }
            }
        }
        self.slope = dot(first, first).sqrt().max(1.0);
        self.off = (1.5625 * second[0] + 1.25 * second[1] + second[2]) / 8.0;
        Ok(())
    }

    /// That there is a surface, and that its values are those of a distance there.
    fn check_surface(&self) -> Result<(), ParameterError> {
        let strides = [0, 1, 2].map(|axis| self.stride(axis));
        let (mut sum, mut cells) = (0.0, 0usize);
        for at in 0..self.values.len() {
            let p = self.point(at);
            if (0..3).any(|c| p[c] + 1 == self.counts[c]) {
                continue;
            }
            let corner = |k: usize| {
                let on = (0..3).map(|c| (k >> c & 1) * strides[c]).sum::<usize>();
                self.values[at + on]
            };
            let inside = (0..8).filter(|&k| corner(k) < 0.0).count();
            if inside == 0 || inside == 8 {
                continue;
            }
            let slope: [f64; 3] = std::array::from_fn(|c| {
                let all = (0..8).map(|k| if k >> c & 1 == 1 { corner(k) } else { -corner(k) });
                all.sum::<f64>() / (4.0 * self.spacing[c])
            });
            sum += dot(slope, slope).sqrt();
            cells += 1;
        }
        if cells == 0 {
            let sign = if self.values.iter().any(|v| *v < 0.0) { "negative" } else { "positive" };
            return Err(ParameterError::new(
                "values",
                sign,
                format!("its values are all {sign}: there is no surface in its grid"),
            ));
        }
        let mean = sum / cells as f64;
        if !(SLOPES[0]..=SLOPES[1]).contains(&mean) {
            return Err(ParameterError::new(
                "values",
                mean,
                format!(
                    "its values are not distances: at the surface they change by {mean:.3} m per metre, not by 1"
                ),
            ));
        }
        Ok(())
    }

    /// The value and its gradient at a point of the grid's box.
    fn value(&self, p: [f64; 3]) -> (f64, [f64; 3]) {
        let mut rows = [([0usize; 4], [0.0; 4], [0.0; 4]); 3];
        for c in 0..3 {
            rows[c] = weights((p[c] - self.origin[c]) / self.spacing[c], self.counts[c]);
        }
        let [(ix, wx, sx), (iy, wy, sy), (iz, wz, sz)] = rows;
        let (mut f, mut g) = (0.0, [0.0; 3]);
        for a in 0..4 {
            for b in 0..4 {
                let row = (ix[a] * self.counts[1] + iy[b]) * self.counts[2];
                let (mut along, mut steep) = (0.0, 0.0);
                for c in 0..4 {
                    let v = self.values[row + iz[c]];
                    along += wz[c] * v;
                    steep += sz[c] * v;
                }
                f += wx[a] * wy[b] * along;
                g[0] += sx[a] * wy[b] * along;
                g[1] += wx[a] * sy[b] * along;
                g[2] += wx[a] * wy[b] * steep;
            }
        }
        (f, std::array::from_fn(|c| g[c] / self.spacing[c]))
    }

    /// Lowest and highest corner of the grid.
    fn bounds(&self) -> [[f64; 3]; 2] {
        let high = |c: usize| self.origin[c] + self.spacing[c] * (self.counts[c] - 1) as f64;
        [self.origin, std::array::from_fn(high)]
    }
}

/// Catmull–Rom's cubic along one axis at u, counted in points: which four points, their weights, and those of its slope.
fn weights(u: f64, count: usize) -> ([usize; 4], [f64; 4], [f64; 4]) {
    let i = (u.max(0.0) as usize).min(count - 2);
    let t = u - i as f64;
    let mut w = [
        -0.5 * t * (1.0 - t) * (1.0 - t),
        1.0 + t * t * (1.5 * t - 2.5),
        t * (0.5 + t * (2.0 - 1.5 * t)),
        -0.5 * t * t * (1.0 - t),
    ];
    let mut s =
        [-0.5 + t * (2.0 - 1.5 * t), t * (4.5 * t - 5.0), 0.5 + t * (4.0 - 4.5 * t), t * (1.5 * t - 1.0)];
    // A ghost beside the first point a and the second b is 2a − b.
    for w in [&mut w, &mut s] {
        if i == 0 {
            (w[1], w[2], w[0]) = (w[1] + 2.0 * w[0], w[2] - w[0], 0.0);
        }
        if i + 2 == count {
            (w[2], w[1], w[3]) = (w[2] + 2.0 * w[3], w[1] - w[3], 0.0);
        }
    }
    ([i.saturating_sub(1), i, i + 1, (i + 2).min(count - 1)], w, s)
}

/// A unit vector along v, or upwards where v is too short to have a direction.
fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = dot(v, v).sqrt();
    if length > 1e-9 { scale(1.0 / length, v) } else { [0.0, 1.0, 0.0] }
}

/// Where it is and what its values are, as a number that is the same for the same values.
impl std::fmt::Debug for DistanceGrid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // FNV-1a over the bits of all values.
        let hash = self.values.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, v| {
            (h ^ v.to_bits()).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
        });
        f.debug_struct("DistanceGrid")
            .field("origin", &self.origin)
            .field("spacing", &self.spacing)
            .field("counts", &self.counts)
            .field("values", &format_args!("{hash:016x}"))
            .finish()
    }
}

impl Surface for DistanceGrid {
    fn kind(&self) -> &'static str {
        "grid"
    }
    fn centre(&self) -> [f64; 3] {
        let [low, high] = self.bounds();
        scale(0.5, add(low, high))
    }
    /// Inside of the grid the value there, and the gradient for a normal. Outside, no more than the distance: with q the nearest
    /// point of the grid's box, whoever is in the box is at least √(|p − q|² + f(q)²) away, since the angle at q is not acute.
    fn closest(&self, p: [f64; 3]) -> SurfacePoint {
        // Squares of what is further away would overflow.
        let p = p.map(|v| v.clamp(-1e100, 1e100));
        let [low, high] = self.bounds();
        let q: [f64; 3] = std::array::from_fn(|c| p[c].clamp(low[c], high[c]));
        let (f, gradient) = self.value(q);
        let told = |distance: f64, normal: [f64; 3]| SurfacePoint {
            distance,
            normal,
            point: axpy(p, -distance, normal),
        };
        let out = sub(p, q);
        let away = dot(out, out).sqrt();
        if away > 0.0 {
            let f = f.max(0.0);
            let normal = axpy(scale(1.0 / away, out), f / away, unit(gradient));
            let normal = if f < 1e9 * away { unit(normal) } else { unit(gradient) };
            return told(crate::math::elementary::hypot(away, f), normal);
        }
        let mut deepest = (f, unit(gradient));
        if f < 0.0 {
            // Cut off at the sides: one of them may be nearer than the surface.
            for c in 0..3 {
                for (depth, sign) in [(low[c] - p[c], -1.0), (p[c] - high[c], 1.0)] {
                    if depth > deepest.0 {
                        deepest = (depth, std::array::from_fn(|d| if d == c { sign } else { 0.0 }));
                    }
                }
            }
        }
        told(deepest.0, deepest.1)
    }
    fn clear(&self, distance: f64) -> f64 {
        if distance <= 0.0 {
            return distance;
        }
        let steep = 1.5 * 1.5625 * self.slope;
        (distance / steep).max((distance - 2.0 * self.off) / self.slope)
    }
    fn triangles(&self) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let place = |p: [usize; 3]| std::array::from_fn(|c| self.origin[c] + self.spacing[c] * p[c] as f64);
        let value = |[i, j, k]: [usize; 3]| self.values[(i * self.counts[1] + j) * self.counts[2] + k];
        self.drawn.get_or_init(|| level_set::surface(self.counts, &value, &place)).clone()
    }
}
