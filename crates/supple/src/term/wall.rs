//! The wall at σ3 = 0 of energies that do not see a reflection, for methods that minimise along directions.
//!
//! Their domain is σ ≥ 0, but their formula goes on beyond it, where a mirrored element would be at rest. An element that is pressed flat has its
//! minimum at the wall, with a force λ ≥ 0 that keeps it there. That is found by the augmented Lagrangian (Hestenes 1969, Powell 1969; Nocedal &
//! Wright, section 17.3): with the gap c = σ3 − s₀ the energy density has
//!
//! ```text
//! (m² − λ²)/2κ,  m = max(0, λ − κc),  ∂/∂σ3 = −m,  and between two minimisations  λ ← m
//! ```
//!
//! so that crossing elements stop nobody, and at the end c ≥ 0 to the tolerance, λ ≥ 0 and λc = 0. s₀ is the tolerance itself: what is
//! within it of the wall is not inverted.

use crate::math::small::{Mat3, dot};
use crate::math::svd::Svd;

/// κ in units of the element's stiffness. Any multiple above 1.5λ + μ leaves no mirrored minimum; a larger one needs fewer multipliers and more
/// Newton steps.
const STIFFNESS: f64 = 10.0;

/// The wall of one element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wall {
    /// s₀.
    pub at: f64,
    /// λ in Pa.
    pub force: f64,
    /// κ in Pa.
    pub stiffness: f64,
}

impl Wall {
    /// Of an element with this stiffness in Pa.
    pub fn new(at: f64, force: f64, stiffness: f64) -> Wall {
        Wall { at, force, stiffness: STIFFNESS * stiffness }
    }
    /// m at this σ3, in Pa.
    pub fn push(&self, third: f64) -> f64 {
        (self.force - self.stiffness * (third - self.at)).max(0.0)
    }
    /// Its energy density and stress −m u₃v₃ᵀ, and m.
    pub fn energy_and_stress(&self, d: &Svd<f64>) -> (f64, Mat3<f64>, f64) {
        let m = self.push(d.s[2]);
        let stress = d.v[2].map(|_| 0.0);
        let mut stress = [stress; 3];
        for (j, column) in stress.iter_mut().enumerate() {
            for (i, s) in column.iter_mut().enumerate() {
                *s = -m * d.u[2][i] * d.v[2][j];
            }
        }
        ((m * m - self.force * self.force) / (2.0 * self.stiffness), stress, m)
    }
    /// What it adds to the curvature on u₃v₃ᵀ, and on (u_i v₃ᵀ + u₃v_iᵀ)/√2 for i = 1, 2, in the frame of U and V; the part on their
    /// differences is negative.
    pub fn curvature(&self, f: &Mat3<f64>, u: &Mat3<f64>, v: &Mat3<f64>) -> (f64, [f64; 2]) {
        // σ_i = u_iᵀ F v_i.
        let stretch = |i: usize| (0..3).map(|j| v[i][j] * dot(u[i], f[j])).sum::<f64>();
        let third = stretch(2);
        let m = self.push(third);
        if m == 0.0 {
            return (0.0, [0.0; 2]);
        }
        (self.stiffness, [0, 1].map(|i| m / (stretch(i) - third).max(1e-3)))
    }
}
