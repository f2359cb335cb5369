//! The global step: A x = b for three right-hand sides, A = M + Δt² Σ w² G Gᵀ constant over a simulation.
//!
//! | file | holds |
//! |---|---|
//! | `system.rs` | the matrix: pattern from cliques of nodes, values |
//! | `ordering.rs` | the order of elimination that keeps the factor small |
//! | `dissection.rs` | … by nested dissection |
//! | `separator.rs` | … whose cuts are improved node by node |
//! | `cholesky.rs` | the factor A = L Lᵀ: its pattern, its interface, the solve task by task |
//! | `blocks.rs` | the Hessian of Newton's method: 3×3 blocks in the same pattern |
//! | `coupled.rs` | … with blocks of contacts, which come and go |
//! | `split.rs` | the solve where nodes are held along some of the axes |
//! | `tree.rs` | the tasks that can run side by side |
//! | `factor.rs` | the numbers of the factor, front by front |
//! | `panels.rs` | how the factor is stored for the solve |
//! | `kernel.rs` | the inner loops of the solve, for three right-hand sides |
//! | `single.rs` | … and for one |
//!
//! In use: [`Cliques`] of the elements → [`order`] → renumber everything → [`System::from_pattern`],
//! [`System::add`] → [`Cholesky::new`] → [`Cholesky::solve`] thousands of times.

mod blocks;
mod cholesky;
mod coupled;
mod dissection;
mod factor;
mod kernel;
mod ordering;
mod panels;
mod separator;
mod single;
mod split;
mod system;
mod tree;

pub use blocks::BlockFactor;
pub use cholesky::{Cholesky, FactorError, SolveScratch};
pub use coupled::Coupled;
pub use ordering::{inverse, order};
pub use split::Split;
pub use system::{Cliques, Part, System};
