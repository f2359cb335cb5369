//! Numbers: the arithmetic that everything else is written in.
//!
//! | file | holds |
//! |---|---|
//! | `real.rs` | trait `Real`: a number or lanes of numbers; `f64` as the reference |
//! | `lane.rs`, `lane/x86.rs`, `lane/wasm.rs` | lanes, and their choice at run time; the only SIMD intrinsics |
//! | `elementary.rs` | sine, logarithm, …: the same bits on every machine |
//! | `small.rs` | 3-vectors and 3×D matrices of `Real` |
//! | `svd.rs` | signed 3×3 singular value decomposition |
//! | `stretches.rs` | the two stretches of 3×2 matrices, without vectors |
//! | `svd2.rs` | … of 3×2 matrices |
//! | `polar.rs` | rotation of a 3×3 matrix without the decomposition |
//! | `tet.rs` | gradients and volume of a tetrahedron |
//! | `quadratic.rs` | … of one with ten nodes, at its quadrature points |
//! | `triangle.rs` | gradients and area of a triangle, weights of its bending |
//! | `nodes.rs` | per-node vectors |
//! | `sets.rs` | disjoint sets |
//!
//! To add a kind of lanes: implement `Real` for it behind a check in `lane::dispatch`, nowhere else.

pub mod elementary;
pub mod lane;
pub mod nodes;
pub mod polar;
pub mod quadratic;
pub mod real;
pub mod sets;
pub mod small;
pub mod stretches;
pub mod svd;
pub mod svd2;
pub mod tet;
pub mod triangle;
