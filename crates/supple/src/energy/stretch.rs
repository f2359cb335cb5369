//! From a function of stretches to a function of matrices.
//!
//! With the signed decomposition F = U diag(σ) Vᵀ: Ψ(F) = Ψ(σ), P = U diag(∂Ψ/∂σ) Vᵀ, and the proximal operator
//! acts on the stretches while U and V stay (section 4.2 of the paper).

use super::{Curvature, Domain, Element, Isotropic, Potential, Second, Solid, curvature, second};
use crate::math::real::Real;
use crate::math::small::{Mat3, compose, select3};
use crate::math::svd::{Svd, svd};

/// An isotropic material as a [`Potential`] of tetrahedra.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stretch<M>(pub M);

impl<M: Solid> Potential<3> for Stretch<M> {
    const PARAMS: usize = M::PARAMS;
    fn name(&self) -> &'static str {
        M::NAME
    }
    fn domain(&self) -> Domain {
        M::DOMAIN
    }
    #[inline(always)]
    fn energy_and_stress<R: Real>(&self, e: &Element<R>, f: &Mat3<R>) -> (R, Mat3<R>) {
        self.0.energy_and_stress_at(e, f)
    }
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, f: &Mat3<R>, warm: &mut R) -> Mat3<R> {
        self.0.prox_at(e, f, warm)
    }
    fn cold(&self, e: &Element<f64>) -> f64 {
        self.0.cold(e)
    }
    #[inline(always)]
    fn curvature<R: Real>(&self, e: &Element<R>, f: &Mat3<R>) -> Curvature<R, 3> {
        let d = svd(f);
        let (s, _) = admissible::<M, R>(&d);
        curvature::isotropic(&self.0, e, &d.u, &s, &d.v)
    }
    fn second(&self, e: &Element<f64>, f: &Mat3<f64>) -> Second<3> {
        let d = svd(f);
        let (s, _) = admissible::<M, f64>(&d);
        second::of(&curvature::whole(&self.0, e, &d.u, &s, &d.v))
    }
    fn projective(&self) -> bool {
        M::PROJECTIVE
    }
}

/// The smallest stretch at which derivatives of a barrier energy are taken.
const SMALLEST: f64 = 1e-100;

/// Stretches at which a material's formulas may be evaluated, and where they lie in the domain.
#[inline(always)]
fn admissible<M: Isotropic<3>, R: Real>(d: &Svd<R>) -> ([R; 3], R::Mask) {
    match M::DOMAIN {
        // A reflection changes nothing: the formula holds for either sign.
        Domain::Signed | Domain::NonNegative => (d.s, d.s[0].le(d.s[0])),
        Domain::Barrier => {
            let tiny = R::splat(SMALLEST);
            ([d.s[0].max(tiny), d.s[1].max(tiny), d.s[2].max(tiny)], d.s[2].gt(R::zero()))
        }
    }
}

/// Ψ(F) and P(F) through the stretches.
#[inline(always)]
pub fn energy_and_stress<M: Isotropic<3>, R: Real>(m: &M, e: &Element<R>, f: &Mat3<R>) -> (R, Mat3<R>) {
    let d = svd(f);
    let (s, inside) = admissible::<M, R>(&d);
    let energy = R::select(inside, m.density(e, &s), R::splat(f64::INFINITY));
    let g = select3::<R>(inside, m.gradient(e, &s), [R::zero(); 3]);
    (energy, compose(&d.u, g, &d.v))
}

/// Eq. (34) through the stretches.
#[inline(always)]
pub fn prox<M: Isotropic<3>, R: Real>(m: &M, e: &Element<R>, f: &Mat3<R>, warm: &mut R) -> Mat3<R> {
    let d = svd(f);
    let s = m.prox(e, &d.s, warm);
    compose(&d.u, s, &d.v)
}

/// ∂vec P/∂vec F at F (columns of F stacked), for σ in the domain.
///
/// In the frame of U and V the 9×9 matrix falls apart: the 3×3 block ∂²Ψ/∂σ² on the diagonal modes, and for each
/// pair i < j the modes (u_i v_jᵀ ± u_j v_iᵀ)/√2 with the values (Ψ_i ± Ψ_j)/(σ_i ± σ_j).
pub fn hessian<M: Isotropic<3>>(m: &M, e: &Element<f64>, f: &Mat3<f64>) -> [[f64; 9]; 9] {
    let d = svd(f);
    let (s, _) = admissible::<M, f64>(&d);
    let (g, h) = (m.gradient(e, &s), m.hessian(e, &s));
    // Mode (i, j) is the matrix u_i v_jᵀ, stacked by columns.
    let mode = |i: usize, j: usize| -> [f64; 9] {
        let mut a = [0.0; 9];
        for c in 0..3 {
            for r in 0..3 {
                a[3 * c + r] = d.u[i][r] * d.v[j][c];
            }
        }
        a
    };
    let mut out = [[0.0; 9]; 9];
    let mut add = |w: f64, a: &[f64; 9], b: &[f64; 9]| {
        for i in 0..9 {
            for j in 0..9 {
                out[i][j] += w * a[i] * b[j];
            }
        }
    };
    for i in 0..3 {
        for j in 0..3 {
            add(h[i][j], &mode(i, i), &mode(j, j));
        }
    }
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let (minus, plus) = pair_values(&s, &g, &h, i, j);
        let (a, b) = (mode(i, j), mode(j, i));
        let mut sum = [0.0; 9];
        let mut difference = [0.0; 9];
        for q in 0..9 {
            sum[q] = (a[q] + b[q]) * core::f64::consts::FRAC_1_SQRT_2;
            difference[q] = (a[q] - b[q]) * core::f64::consts::FRAC_1_SQRT_2;
        }
        add(minus, &sum, &sum);
        add(plus, &difference, &difference);
    }
    out
}

/// (Ψ_i − Ψ_j)/(σ_i − σ_j) and (Ψ_i + Ψ_j)/(σ_i + σ_j), with the limit where stretches coincide.
fn pair_values(s: &[f64; 3], g: &[f64; 3], h: &[[f64; 3]; 3], i: usize, j: usize) -> (f64, f64) {
    let scale = s[i].abs().max(s[j].abs()).max(1e-12);
    let d = s[i] - s[j];
    let minus = if d.abs() > 1e-5 * scale { (g[i] - g[j]) / d } else { 0.5 * (h[i][i] + h[j][j]) - h[i][j] };
    let sum = s[i] + s[j];
    let plus = if sum.abs() > 1e-12 * scale {
        (g[i] + g[j]) / sum
    } else {
        // σ_i = −σ_j: a symmetric function has Ψ_i = −Ψ_j there unless it has a kink.
        0.5 * (h[i][i] + h[j][j]) + h[i][j]
    };
    (minus, plus)
}
