//! Detection: what may touch what, when, and what crosses.
//!
//! | file | holds |
//! |---|---|
//! | `surfaces.rs` | [`Surfaces`]: bodies that may touch each other, made ready for search |
//! | `broad_phase.rs` | pairs that may come near each other: lists that hold for some steps |
//! | `bvh.rs` | a tree of boxes |
//! | `nearest_points.rs` | nearest points of triangles and edges |
//! | `continuous.rs` | when a node meets a triangle or an edge an edge |
//! | `crossings.rs` | bodies that have entered each other, and how they come apart |
//! | `touching.rs` | what may touch obstacles: nodes, and points of skins that nodes carry |
//! | `nodes.rs` | which nodes may touch which obstacle, and where |

pub(in crate::contact) mod broad_phase;
pub(in crate::contact) mod bvh;
pub(in crate::contact) mod continuous;
pub(in crate::contact) mod crossings;
pub(in crate::contact) mod nearest_points;
pub(in crate::contact) mod nodes;
pub(in crate::contact) mod surfaces;
mod touching;

pub use surfaces::Surfaces;
pub use touching::{Carried, Touching};
