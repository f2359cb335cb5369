//! Exact rows: Signorini's and Coulomb's law of nodes with obstacles, and links, in the metric of a matrix.
//!
//! | file | holds |
//! |---|---|
//! | `contact_set.rs` | [`ContactSet`]: the contacts of a step, and their forces |
//! | `update.rs` | … as the iteration goes on |
//! | `finish.rs` | … at its end |
//! | `gauss_seidel.rs` | the law for all contacts at once |
//! | `delassus.rs` | … the operator: what forces at contacts do to their nodes |
//! | `columns.rs` | … columns of the inverse of a matrix, kept for good |
//! | `anderson.rs` | … accelerated |
//! | `semismooth_newton.rs` | … by Newton's method, where that is slow |
//! | `sticking.rs` | … where most of them stick, over those that do not |
//! | `conjugate_gradients.rs` | … of hundreds and more, without columns |

mod anderson;
mod columns;
mod conjugate_gradients;
mod contact_set;
mod delassus;
mod finish;
mod gauss_seidel;
mod semismooth_newton;
mod sticking;
mod update;

pub use anderson::Anderson;
pub use columns::Columns;
pub use contact_set::{ContactSet, Kept};
pub use finish::Told;
pub use gauss_seidel::{Compliance, Sweeps};
