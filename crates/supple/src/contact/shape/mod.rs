//! Obstacles: the shapes that bodies cannot enter.
//!
//! | file | holds |
//! |---|---|
//! | `obstacle.rs` | [`Surface`]: what a shape must answer; [`Obstacle`], [`Pose`] |
//! | `primitives.rs` | half-space, sphere, box, capsule, cylinder |
//! | `closed_mesh.rs` | a closed triangle mesh |
//! | `distance_grid.rs` | signed distances on a grid |
//! | `level_set.rs` | the surface of such a grid as triangles |

mod closed_mesh;
mod distance_grid;
mod level_set;
mod obstacle;
mod primitives;

pub use closed_mesh::ClosedMesh;
pub use distance_grid::DistanceGrid;
pub use obstacle::{Obstacle, Pose, Surface, SurfacePoint, Touched};
pub use primitives::{Capsule, Cuboid, Cylinder, HalfSpace, Sphere};
