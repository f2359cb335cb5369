//! Gradients G of each kind of element: local coordinates are Σ_v x_v g_vᵀ.
//!
//! Rows g_v are given for v ≥ 1 only: all stencils of more than one node do not see a translation, so g_0 = −Σ g_v. Local
//! coordinates are then Σ_{v≥1} (x_v − x_0) g_vᵀ, which is exact for a body far from the origin too.

pub use crate::math::quadratic::quadratic;
pub use crate::math::tet::{TetError, tetrahedron};

/// The edge vector x_1 − x_0.
pub const EDGE: [[f64; 1]; 1] = [[1.0]];

/// The position of a node.
pub const NODE: [[f64; 1]; 1] = [[1.0]];
