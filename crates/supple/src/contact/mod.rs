//! Contact and friction: what bodies touch, and the law of touching.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | [`Contact`]: one pair that touches or may touch, and its law |
//! | `obstacle.rs` | [`Surface`]: what a shape must answer; [`Obstacle`], [`Pose`] |
//! | `primitives.rs` | half-space, sphere, box, capsule, cylinder |
//! | `mesh.rs` | a closed triangle mesh |
//! | `grid.rs` `level.rs` | signed distances on a grid; its surface as triangles |
//! | `touching.rs` | what may touch obstacles: nodes, and points of skins that nodes carry |
//! | `detect.rs` | which nodes may touch which obstacle, and where |
//! | `surfaces.rs` | [`Surfaces`]: bodies that may touch each other, made ready for search |
//! | `pairs.rs` | what may come near what: lists that hold for some steps |
//! | `impact.rs` | when a node meets a triangle or an edge an edge |
//! | `tangle.rs` | bodies that have entered each other, and how they come apart |
//! | `link.rs` | [`Links`]: nodes that slide on something or are attached to it, as rows without a clamp |
//! | `skin.rs` | the nearest triangle of a body, the tetrahedron around a point |
//! | `closest.rs` `bvh.rs` | nearest points of triangles and edges; a tree of boxes to find them |
//! | `gauss_seidel.rs` | Signorini's and Coulomb's law for all contacts at once |
//! | `delassus.rs` | … the operator: what forces at contacts do to their nodes |
//! | `anderson.rs` | … accelerated |
//! | `newton.rs` | … by Newton's method, where that is slow |
//! | `stick.rs` | … where most of them stick, over those that do not |
//! | `many.rs` | … of hundreds and more, without columns |
//! | `columns.rs` | columns of the inverse of a matrix, kept for good |
//! | `potential.rs` | the repulsion of what is near, and friction with remembered forces |
//! | `barrier/` | contact by that potential: near pairs, forces, ways that are cut before anything meets |
//! | `set.rs` | [`ContactSet`]: the contacts of a step, and their forces |
//! | `follow.rs` | … as the iteration goes on |
//! | `end.rs` | … at its end |
//!
//! A contact sees the nodes through weights: rel(x) = Σ a_i x_i, and its local coordinates y = R rel(x) − y₀ are the gap along
//! the normal and the slip of this step along two tangents. The law is 0 ≤ λ_n ⊥ y_n ≥ 0, |λ_t| ≤ μ λ_n, and friction opposes
//! slip. Forces on nodes are Cᵀλ = Σ a_i Rᵀλ. To add a shape, implement [`Surface`]; nothing else changes.

mod anderson;
mod barrier;
mod bvh;
mod closest;
mod columns;
mod delassus;
mod detect;
mod end;
mod follow;
mod gauss_seidel;
mod grid;
mod impact;
mod level;
mod link;
mod many;
mod mesh;
mod newton;
mod obstacle;
mod pairs;
mod potential;
mod primitives;
mod set;
mod skin;
mod stick;
mod surfaces;
mod tangle;
mod touching;

pub use anderson::Anderson;
pub use barrier::held;
pub use barrier::{Barrier, Reaches, Touch};
pub use columns::Columns;
pub use end::Told;
pub use gauss_seidel::{Compliance, Sweeps};
pub use grid::DistanceGrid;
pub use link::{Carrier, Curve, Guide, LINKS, Link, Links};
pub use mesh::ClosedMesh;
pub use obstacle::{Obstacle, Pose, Surface, SurfacePoint, Touched};
pub use primitives::{Capsule, Cuboid, Cylinder, HalfSpace, Sphere};
pub use set::{ContactInfo, ContactSet, Kept};
pub use skin::{OnSkin, Skin, Tets};
pub use surfaces::Surfaces;
pub use touching::{Carried, Touching};

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
