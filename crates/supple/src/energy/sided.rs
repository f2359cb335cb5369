//! Bending towards a curved rest shape, and towards its own side of the sheet: a fold that is pushed through comes back.
//!
//! Curvature alone ([`Turned`](super::project::Turned)) has no side: half a turn about an axis in the sheet makes its mirror image of
//! a fold. Local coordinates are therefore [H sF]: the curvature H of a triangle, 3×3 (`math/triangle.rs::bend`), and its deformation
//! gradient F, 3×2, times a number s. At rest they are [C sI₂] in the triangle's own frame, I₂ the first two columns of the identity. The energy
//! is that of shape matching (Müller et al. 2005) with rotations Q:
//!
//! Ψ = k/2 min_Q (|H − QC|² + s²|F − QI₂|²), where Q is the rotation of HCᵀ + s²F I₂ᵀ.
//!
//! While s² > |H||C| the triangle's own plane decides what Q is, and so does its side: a curvature H = hn along the normal against C = cn
//! has k/2|h − c|², the plate's energy, without a barrier between −c and c. With s² = 4|C|² that holds up to four times the rest
//! curvature. The price is the stiffness of an `arap` membrane, ks² per area: for a plate of thickness t that is (|C|t)²/3 of Et, little if the
//! sheet is thin against the radius of its curvature.

use super::Manifold;
use crate::math::real::Real;
use crate::math::small::{Local, Mat3, mul, scale, transpose};
use crate::math::svd::svd;

/// [C sI₂] however it is turned. Numbers: C by columns, s.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sided;

/// s for a rest curvature C.
pub fn scale_of(c: &Mat3<f64>) -> f64 {
    2.0 * c.iter().flatten().map(|a| a * a).sum::<f64>().sqrt()
}

impl Manifold<5> for Sided {
    const PARAMS: usize = 10;
    const BESIDE: bool = true;
    // What is flat here is no element turned inside out.
    const MINDS_INVERSION: bool = false;
    fn name(&self) -> &'static str {
        "bending"
    }
    #[inline(always)]
    fn project<R: Real>(&self, shape: &[R], y: &Local<R, 5>) -> Local<R, 5> {
        let c =
            [[shape[0], shape[1], shape[2]], [shape[3], shape[4], shape[5]], [shape[6], shape[7], shape[8]]];
        let s = shape[9];
        let mut m = mul(&[y[0], y[1], y[2]], &transpose(&c));
        for j in 0..2 {
            for i in 0..3 {
                m[j][i] += s * y[3 + j][i];
            }
        }
        let d = svd(&m);
        let q = mul(&d.u, &transpose(&d.v));
        let h = mul(&q, &c);
        [h[0], h[1], h[2], scale(s, q[0]), scale(s, q[1])]
    }
}
