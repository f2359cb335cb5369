//! The oracle of the tests: the same physics and the same algorithms as the library, written a second time,
//! dense, scalar and slow, and sharing no code with it. Include it in a test binary with `mod reference;`.
//!
//! | file | what it knows |
//! |---|---|
//! | `svd.rs` | the signed singular value decomposition of a 3×3 matrix, and its rotation U Vᵀ |
//! | `material.rs` | energy density, stress and its 9×9 derivative for every material, as functions of F |
//! | `more.rs` | … of those that are functions of the stretches alone |
//! | `prox.rs` | the global minimiser of Ψ(F) + k/2 ‖F − F̃‖², eq. (34), by search and refinement |
//! | `body.rs` | a body: its energy, gradient, Hessian, and the residuals by definition |
//! | `newton.rs` | one backward Euler step, eq. (1), minimised by dense Newton to rounding |
//! | `admm_dense.rs` | ADMM, eqs. (15), (24), (25), and projective dynamics, eqs. (27)–(29), every iterate |
//! | `shape.rs` | small meshes, seeded random numbers and rotations, twist, rigid fit |
//! | `closed_form.rs` | free fall, the spring, uniaxial tension: answers known on paper |
//! | `self_tests/` | more of `tests/oracle.rs`, not part of this module |
//!
//! Equation numbers are those of "ADMM ⊇ Projective Dynamics" (Narain, Overby, Brown, 2016).
//! `tests/oracle.rs` tests the oracle. One more material is one more variant of `RefMaterial`, with its arms
//! in `material.rs` and in `prox.rs`; `RefMaterial::all` hands it to every test, `RefMaterial::more` those of `more.rs` to some.
//!
//! Units are SI. vec(F) stacks the columns of F.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]
#![allow(dead_code, reason = "each test binary uses its own part of the oracle")]

pub mod admm_dense;
pub mod body;
pub mod closed_form;
pub mod material;
pub mod more;
pub mod newton;
pub mod prox;
pub mod shape;
pub mod svd;

/// A 3×3 matrix.
pub type M3 = nalgebra::Matrix3<f64>;
/// A vector of three numbers.
pub type V3 = nalgebra::Vector3<f64>;
/// vec(F): the columns of a 3×3 matrix, stacked.
pub type V9 = nalgebra::SVector<f64, 9>;
/// ∂vec(P)/∂vec(F).
pub type M9 = nalgebra::SMatrix<f64, 9, 9>;

/// vec(F): the columns of F stacked.
pub fn vec9(f: &M3) -> V9 {
    V9::from_iterator(f.iter().copied())
}

/// The matrix whose stacked columns are `v`.
pub fn mat3(v: &V9) -> M3 {
    M3::from_iterator(v.iter().copied())
}
