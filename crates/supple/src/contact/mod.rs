//! Contact and friction: what bodies touch, and the law of touching.
//!
//! | place | holds |
//! |---|---|
//! | `mod.rs` | [`Contact`]: one contact of a node, and its law |
//! | `shape/` | obstacles |
//! | `detect/` | detection: broad phase, nearest points, continuous detection, crossings |
//! | `potential/` | bodies that touch each other: repulsion and friction by a potential, ways that are cut before anything meets |
//! | `rows/` | obstacles and links alone: the law, exactly |
//! | `link/` | nodes that slide on something or are attached to it |
//!
//! A contact sees the nodes through weights: rel(x) = Σ a_i x_i, and its local coordinates y = R rel(x) − y₀ are the gap along
//! the normal and the slip of this step along two tangents. The law is 0 ≤ λ_n ⊥ y_n ≥ 0, |λ_t| ≤ μ λ_n, and friction opposes
//! slip. Forces on nodes are Cᵀλ = Σ a_i Rᵀλ. To add a shape, implement [`Surface`]; nothing else changes.

mod detect;
mod link;
mod potential;
mod rows;
mod shape;

pub use detect::{Carried, Surfaces, Touching};
pub use link::{Carrier, Curve, Guide, LINKS, Link, Links, OnSkin, Skin, Tets};
pub use potential::{Barrier, Foresight, Local, Reaches, Touch, held_rows};
pub use rows::{Anderson, Columns, Compliance, ContactInfo, ContactSet, Kept, Sweeps, Told};
pub use shape::{
    Capsule, ClosedMesh, Cuboid, Cylinder, DistanceGrid, HalfSpace, Obstacle, Pose, Sphere, Surface,
    SurfacePoint, Touched,
};

use crate::math::nodes::Row;
use crate::math::small::{add, cross, dot, scale};

/// What a contact may do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// Signorini's law with Coulomb's friction of this coefficient.
    Coulomb(f64),
    /// The first so many coordinates are held at zero: 1 keeps a node on a plane, 2 on a line, 3 at a point.
    Hold(u8),
}

impl Law {
    /// The force allowed by the law that is next to q: without dilation, so friction is Coulomb's own.
    pub fn project(self, q: [f64; 3]) -> [f64; 3] {
        match self {
            Law::Coulomb(mu) => {
                let n = q[0].max(0.0);
                let t = (q[1] * q[1] + q[2] * q[2]).sqrt();
                let most = mu * n;
                let share = if t > most { most / t } else { 1.0 };
                [n, share * q[1], share * q[2]]
            }
            Law::Hold(count) => std::array::from_fn(|c| if c < count as usize { q[c] } else { 0.0 }),
        }
    }

    /// How far a force leaves the friction cone, in N.
    pub fn violation(self, force: [f64; 3]) -> f64 {
        match self {
            Law::Coulomb(mu) => {
                let t = (force[1] * force[1] + force[2] * force[2]).sqrt();
                (t - mu * force[0]).max(-force[0]).max(0.0)
            }
            Law::Hold(_) => 0.0,
        }
    }
}

/// In place of an obstacle, for contacts between bodies.
pub const BODIES: u32 = u32::MAX;

/// Most nodes of a contact: a node and the corners of a tetrahedron.
pub const MOST_NODES: usize = 5;

/// One contact: nodes, weights, frame, law and force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Nodes of the system; the first [`Contact::count`] count.
    pub nodes: [u32; MOST_NODES],
    /// Their weights a.
    pub weights: [f64; MOST_NODES],
    /// How many nodes.
    pub count: u8,
    /// Normal and two tangents, the rows of R.
    pub frame: [[f64; 3]; 3],
    /// y₀ in m.
    pub origin: [f64; 3],
    /// The law.
    pub law: Law,
    /// λ in N.
    pub force: [f64; 3],
    /// Number of the obstacle, or [`BODIES`] or [`LINKS`].
    pub obstacle: u32,
    /// The normal at detection: the side that the node is on.
    pub side: [f64; 3],
    /// The same for the same pair in every step.
    pub key: u64,
}

impl Contact {
    /// Σ a_i x_i.
    pub fn rel(&self, x: &[Row]) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for k in 0..self.count as usize {
            let p = x[self.nodes[k] as usize].0;
            for c in 0..3 {
                sum[c] += self.weights[k] * p[c];
            }
        }
        sum
    }

    /// R v.
    pub fn to_local(&self, v: [f64; 3]) -> [f64; 3] {
        self.frame.map(|axis| dot(axis, v))
    }

    /// Rᵀ v.
    pub fn to_world(&self, v: [f64; 3]) -> [f64; 3] {
        let f = &self.frame;
        add(add(scale(v[0], f[0]), scale(v[1], f[1])), scale(v[2], f[2]))
    }

    /// y at x: gap and slip.
    pub fn gap(&self, x: &[Row]) -> [f64; 3] {
        let y = self.to_local(self.rel(x));
        std::array::from_fn(|c| y[c] - self.origin[c])
    }
}

/// A normal and two tangents to it.
pub fn frame(normal: [f64; 3]) -> [[f64; 3]; 3] {
    // The axis that is least along the normal gives a tangent that is well defined.
    let a = normal.map(f64::abs);
    let axis = if a[0] <= a[1] && a[0] <= a[2] {
        [1.0, 0.0, 0.0]
    } else if a[1] <= a[2] {
        [0.0, 1.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    };
    let t = cross(axis, normal);
    let t = scale(1.0 / dot(t, t).sqrt(), t);
    [normal, t, cross(normal, t)]
}
