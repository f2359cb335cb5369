//! The global step: A x = b for three right-hand sides, A = M + Δt² Σ w² G Gᵀ constant over a simulation.
//!
//! | file | holds |
//! |---|---|
//! | `system.rs` | the matrix: pattern from cliques of nodes, values |
//! | `ordering.rs` | the order of nodes that keeps the factor small |
//! | `cholesky.rs` | the factor A = L Lᵀ, and the solve with it |
//!
//! In use: [`Cliques`] of the elements → [`order`] → renumber everything → [`System::from_pattern`],
//! [`System::add`] → [`Cholesky::new`] → [`Cholesky::solve`] thousands of times.

mod cholesky;
mod dissection;
mod factor;
mod kernel;
mod ordering;
mod panels;
mod separator;
mod system;
mod tree;

pub use cholesky::{Cholesky, FactorError, SolveScratch};
pub use ordering::{inverse, order};
pub use system::{Cliques, System};
