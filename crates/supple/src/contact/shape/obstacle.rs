//! Obstacles: shapes that bodies cannot enter, at rest or moved by a script.

use crate::error::ParameterError;
use crate::math::small::{Mat3, add, axpy, cross, dot, identity, mul, mul_vec, scale, sub, transpose};
use std::fmt::Debug;
use std::sync::Arc;

/// The point of a surface that is nearest to some point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Distance in m, negative inside.
    pub distance: f64,
    /// Unit vector that points out of the shape.
    pub normal: [f64; 3],
    /// The point in m.
    pub point: [f64; 3],
}

/// By what of bodies a shape is touched where bodies may touch each other.
#[derive(Clone, Debug, PartialEq)]
pub enum Touched {
    /// By their nodes: shapes that are flat, or known by distances alone.
    ByNodes,
    /// By nodes, edges and triangles: everything within a radius of a segment, which may be a point.
    Segment {
        /// Its ends in m.
        ends: [[f64; 3]; 2],
        /// In m.
        radius: f64,
    },
    /// By nodes, edges and triangles: the shape is bounded by its [`Surface::triangles`] exactly.
    ByFaces,
}

/// A shape that bodies cannot enter.
pub trait Surface: Debug + Send + Sync {
    /// Its name in messages.
    fn kind(&self) -> &'static str;
    /// The nearest point of its surface; finite for any finite point.
    fn closest(&self, p: [f64; 3]) -> SurfacePoint;
    /// A point in its middle, about which it turns by default, in m.
    fn centre(&self) -> [f64; 3];
    /// How far a point of which [`Surface::closest`] tells this `distance` can go at least without changing to the other side, or
    /// with a part of the distance taken off, without coming nearer than that part. Less than the distance where that is not exact.
    fn clear(&self, distance: f64) -> f64 {
        distance
    }
    /// True if the normal is the same everywhere.
    fn is_flat(&self) -> bool {
        false
    }
    /// By what of bodies it is touched; by nodes unless it says otherwise.
    fn touched(&self) -> Touched {
        Touched::ByNodes
    }
    /// Triangles for pictures, counter-clockwise from outside; none for shapes without end.
    fn triangles(&self) -> (Vec<[f64; 3]>, Vec<[u32; 3]>);
}

/// A rigid motion: p ↦ R p + shift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// R, by columns.
    pub rotation: Mat3<f64>,
    /// In m.
    pub shift: [f64; 3],
}

impl Default for Pose {
    fn default() -> Self {
        Pose { rotation: identity(), shift: [0.0; 3] }
    }
}

impl Pose {
    /// Turned about `centre` by the rotation vector `turn` (axis times angle in radians), then moved.
    pub fn new(turn: [f64; 3], centre: [f64; 3], translate: [f64; 3]) -> Pose {
        let angle = dot(turn, turn).sqrt();
        if angle == 0.0 {
            return Pose { rotation: identity(), shift: translate };
        }
        let axis = turn.map(|t| t / angle);
        let (s, c) = crate::math::elementary::sin_cos(angle);
        // Rodrigues: column j is the turned j-th axis.
        let rotation: Mat3<f64> = std::array::from_fn(|j| {
            let e: [f64; 3] = std::array::from_fn(|i| if i == j { 1.0 } else { 0.0 });
            add(add(scale(c, e), scale(s, cross(axis, e))), scale(axis[j] * (1.0 - c), axis))
        });
        Pose { rotation, shift: sub(add(centre, translate), mul_vec(&rotation, centre)) }
    }
    /// First `other`, then this.
    pub fn after(&self, other: &Pose) -> Pose {
        Pose { rotation: mul(&self.rotation, &other.rotation), shift: self.apply(other.shift) }
    }
    /// R p + shift.
    pub fn apply(&self, p: [f64; 3]) -> [f64; 3] {
        add(mul_vec(&self.rotation, p), self.shift)
    }
    /// R v.
    pub fn turn(&self, v: [f64; 3]) -> [f64; 3] {
        mul_vec(&self.rotation, v)
    }
    /// Rᵀ(p − shift).
    pub fn undo(&self, p: [f64; 3]) -> [f64; 3] {
        mul_vec(&transpose(&self.rotation), sub(p, self.shift))
    }
    /// The pose a share `s` of the way to another: shifts are mixed, and rotations, made orthogonal again.
    pub(crate) fn towards(&self, to: &Pose, s: f64) -> Pose {
        if s <= 0.0 || self == to {
            return *self;
        }
        if s >= 1.0 {
            return *to;
        }
        let mix = |a: [f64; 3], b: [f64; 3]| axpy(a, s, sub(b, a));
        let [a, b, _]: Mat3<f64> = std::array::from_fn(|j| mix(self.rotation[j], to.rotation[j]));
        let a = scale(1.0 / dot(a, a).sqrt(), a);
        let b = axpy(b, -dot(a, b), a);
        let b = scale(1.0 / dot(b, b).sqrt(), b);
        Pose { rotation: [a, b, cross(a, b)], shift: mix(self.shift, to.shift) }
    }
    /// True if all numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.rotation.iter().flatten().chain(&self.shift).all(|v| v.is_finite())
    }
}

/// A shape with a name, friction and thickness.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// Its name in messages and reports.
    pub name: String,
    /// Its shape, in the world while nothing has moved it.
    pub shape: Arc<dyn Surface>,
    /// Coulomb's coefficient of friction, ≥ 0.
    pub friction: f64,
    /// Nodes stay this far from the shape, in m, ≥ 0.
    pub thickness: f64,
}

impl Obstacle {
    /// An obstacle without friction and thickness.
    pub fn new(name: &str, shape: impl Surface + 'static) -> Obstacle {
        Obstacle { name: name.to_string(), shape: Arc::new(shape), friction: 0.0, thickness: 0.0 }
    }
    /// The same with friction of this coefficient.
    pub fn with_friction(self, friction: f64) -> Obstacle {
        Obstacle { friction, ..self }
    }
    /// The same with a thickness in m.
    pub fn with_thickness(self, thickness: f64) -> Obstacle {
        Obstacle { thickness, ..self }
    }
    /// What is wrong with it, if anything.
    pub fn check(&self) -> Result<(), ParameterError> {
        for (what, v) in [("friction", self.friction), ("thickness", self.thickness)] {
            if !(v.is_finite() && (0.0..=1e6).contains(&v)) {
                return Err(ParameterError::new(
                    what,
                    v,
                    format!("its {what} must lie between 0 and 1e6, not {v}"),
                ));
            }
        }
        Ok(())
    }
}
