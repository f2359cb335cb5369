//! The wall at σ3 = 0 of energies that do not see a reflection.
//!
//! Their domain is σ ≥ 0, but their formula goes on beyond it, where a mirrored element would be at rest. An element that is pressed flat has its
//! minimum at the wall, with a force λ ≥ 0 that keeps it there. Methods that minimise along directions find it by the augmented Lagrangian (Hestenes
//! 1969, Powell 1969; Nocedal & Wright, section 17.3): with the gap c = σ3 − s₀ the energy density has
//!
//! ```text
//! (m² − λ²)/2κ,  m = max(0, λ − κc),  ∂/∂σ3 = −m,  and between two minimisations  λ ← m
//! ```
//!
//! so that crossing elements stop nobody, and at the end c ≥ 0 to the tolerance, λ ≥ 0 and λc = 0. s₀ is the tolerance itself: what is within it of
//! the wall is not inverted. ADMM has the wall in its proximal operator, and the force is what the dual variable has along it.

use crate::energy::Curvature;
use crate::math::small::{Mat3, dot};
use crate::math::svd::{Svd, svd};

/// κ in units of the element's stiffness. Any multiple above 1.5λ + μ leaves no mirrored minimum; a larger one needs fewer multipliers and more
/// Newton steps.
const STIFFNESS: f64 = 10.0;

/// A proximal operator's answer is at the wall below this stretch.
pub(super) const FLAT: f64 = 1e-9;

/// Who keeps elements within their domain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Walls {
    /// Nobody.
    #[default]
    None,
    /// The augmented Lagrangian, with s₀ and the multiple of κ.
    Push {
        /// s₀.
        at: f64,
        /// By how much κ is above its least.
        grown: f64,
    },
    /// The proximal operator.
    Prox,
}

impl Walls {
    /// The wall of one element with this force and stiffness in Pa.
    pub(super) fn of(self, force: f64, stiffness: f64) -> Option<Wall> {
        match self {
            Walls::Push { at, grown } => Some(Wall { at, force, stiffness: STIFFNESS * grown * stiffness }),
            _ => None,
        }
    }
}

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
    /// m at this σ3, in Pa.
    pub fn push(&self, third: f64) -> f64 {
        (self.force - self.stiffness * (third - self.at)).max(0.0)
    }
    /// Its energy density and stress −m u₃v₃ᵀ, and m.
    #[inline(never)]
    pub fn energy_and_stress(&self, f: &Mat3<f64>) -> (f64, Mat3<f64>, f64) {
        let d = svd(f);
        let m = self.push(d.s[2]);
        ((m * m - self.force * self.force) / (2.0 * self.stiffness), along(&d, -m), m)
    }
    /// Adds its derivatives to those of an element's energy, negative ones too; stretches are those of `f` in the frame of `c`.
    pub fn curve<const D: usize>(&self, f: &Mat3<f64>, c: &mut Curvature<f64, D>) {
        // σ_i = u_iᵀ F v_i.
        let stretch = |i: usize| (0..D).map(|j| c.v[i % D][j] * dot(c.u[i], f[j % 3])).sum::<f64>();
        let s = [stretch(0), stretch(1), stretch(2)];
        let m = self.push(s[2]);
        if m == 0.0 {
            return;
        }
        let last = D - 1;
        c.stretch[last][last] += self.stiffness;
        // The pairs (1, 3) and (2, 3).
        for (q, own) in [(1, s[0]), (2, s[1])] {
            c.sum[q] += m / (own - s[2]).max(NARROW);
            c.difference[q] -= m / (own + s[2]).max(NARROW);
        }
    }
}

/// Least difference of stretches that turning modes are taken by: what is flatter is nearly a line.
const NARROW: f64 = 1e-3;

/// a u₃v₃ᵀ.
fn along(d: &Svd<f64>, a: f64) -> Mat3<f64> {
    std::array::from_fn(|j| std::array::from_fn(|i| a * d.u[2][i] * d.v[2][j]))
}

/// Of an answer `z` of the proximal operator with the dual variable `u` and stiffness k: the stress with which the wall keeps it, in Pa, and how far
/// `f` is from the wall; none away from it.
#[inline(never)]
pub(super) fn kept(k: f64, z: &Mat3<f64>, u: &Mat3<f64>, f: &Mat3<f64>) -> Option<(Mat3<f64>, f64)> {
    let d = svd(z);
    if d.s[2] > FLAT {
        return None;
    }
    let push: f64 = (0..3).map(|j| d.v[2][j] * dot(d.u[2], u[j])).sum();
    (push < 0.0).then(|| (along(&d, k * push), svd(f).s[2].abs()))
}
