//! Links: nodes that slide on something or are attached to it.
//!
//! | file | holds |
//! |---|---|
//! | `links.rs` | [`Links`]: their rows, which have no clamp |
//! | `embedding.rs` | the nearest triangle of a body, the tetrahedron around a point |

mod embedding;
mod links;

pub use embedding::{OnSkin, Skin, Tets};
pub use links::{Carrier, Curve, Guide, LINKS, Link, Links};
