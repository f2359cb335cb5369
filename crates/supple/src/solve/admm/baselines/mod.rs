//! The papers' ways to contact within the global step of `admm`, beside the exact one of `admm/contact.rs`; see `docs/contact.md`.
//!
//! | file | holds |
//! |---|---|
//! | `local.rs` | `local` (Narain, Overby, Brown 2016): a term for each node that may touch |
//! | `uzawa.rs` | `uzawa` (Overby, Brown, Li, Narain 2017): conjugate gradients on the contact forces |
//! | `nodal.rs` | `nodal` (the same): Gauss–Seidel over nodes |

pub(in crate::solve) mod local;
mod nodal;
mod uzawa;

pub use nodal::Nodal;
pub(in crate::solve) use nodal::nodal;
pub(in crate::solve) use uzawa::uzawa;

use crate::solve::Problem;

/// a_ii/Δt² of a node in N/m.
fn stiffness(p: &Problem<'_>, node: u32) -> f64 {
    p.matrix.diagonal(node as usize).map_or(0.0, |a| a / (p.dt * p.dt))
}
