//! Stable neo-Hookean (Smith, de Goes, Kim 2018): Ψ = μ'/2(I_C − 3) + λ'/2(J − a)² − μ'/2 ln(I_C + 1), less its value at
//! rest. Numbers: μ', λ', a.
//!
//! μ' = 4/3 μ, λ' = λ + 5/6 μ and a = 1 + 3μ'/(4λ') give the small-strain constants μ and λ and no stress at rest. Finite for
//! inverted elements.
//!
//! Proximal operator: with A = k + μ'I/(I + 1), I = I_C, and b = kσ̃ stationarity reads Aσ_i² − b_iσ_i + c = 0, c = λ'J(J − a):
//! a problem in I and J, on the larger roots σ_i(A, c). As in `fixed_corotated.rs` a stationary point is a minimum if
//! in logarithms diag(σ_i d_i) + λ'J(2J − a)11ᵀ is positive (the part of I is), and if all are there is only one. For
//! σ̃3 > 0 that is so if b1b2b3 ≤ 2a(k + ¾μ')³ or the objective is below k/8 σ̃3² (else a smaller root may do) and for those with
//! J < a/4 the sum of shares is as there. Other elements are searched one by one.

use super::fixed_corotated::{all_minima, distance2, volume_hessian};
use super::neo_hookean::root;
use super::{Domain, Element, Isotropic, Lame, Solid, search};
use crate::math::real::{Mask, Real};
use crate::math::small::{Mat3, cofactor, combine, dot, norm2};

/// The stable neo-Hookean material.
#[derive(Clone, Copy, Debug, Default)]
pub struct StableNeoHookean;

impl StableNeoHookean {
    /// μ', λ', a of small-strain constants.
    pub fn numbers(lame: Lame) -> [f64; 3] {
        let mu = 4.0 / 3.0 * lame.mu;
        let lambda = lame.lambda + 5.0 / 6.0 * lame.mu;
        [mu, lambda, 1.0 + 0.75 * mu / lambda]
    }
}

/// Ψ from I_C and J.
#[inline(always)]
fn invariants<R: Real>(e: &Element<R>, i: R, j: R) -> R {
    let (mu, lambda, a) = (e.param[0], e.param[1], e.param[2]);
    let l = R::one();
    // (J − a)² − (1 − a)² and ln((I + 1)/4): both vanish at rest.
    let volume = (j - l) * (j + l - (a + a));
    let shear = i - R::splat(3.0) - (R::splat(0.25) * (i + l)).ln();
    R::splat(0.5) * (mu * shear + lambda * volume)
}

impl Isotropic<3> for StableNeoHookean {
    const PARAMS: usize = 3;
    const DOMAIN: Domain = Domain::Signed;
    const NAME: &'static str = "stable_neo_hookean";
    #[inline(always)]
    fn density<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> R {
        invariants(e, s[0] * s[0] + s[1] * s[1] + s[2] * s[2], s[0] * s[1] * s[2])
    }
    #[inline(always)]
    fn gradient<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [R; 3] {
        let i = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
        let a = e.param[0] * (i / (i + R::one()));
        let p = e.param[1] * (s[0] * s[1] * s[2] - e.param[2]);
        [a * s[0] + p * s[1] * s[2], a * s[1] + p * s[0] * s[2], a * s[2] + p * s[0] * s[1]]
    }
    #[inline(always)]
    fn hessian<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [[R; 3]; 3] {
        let inv = R::one() / (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + R::one());
        let p = e.param[1] * (s[0] * s[1] * s[2] - e.param[2]);
        let mut h = volume_hessian(s, e.param[0] * (R::one() - inv), p, e.param[1]);
        let bend = R::splat(2.0) * e.param[0] * inv * inv;
        for i in 0..3 {
            for j in 0..3 {
                h[i][j] += bend * s[i] * s[j];
            }
        }
        h
    }
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, s: &[R; 3], warm: &mut R) -> [R; 3] {
        prox(e, s, warm)
    }
    /// J at rest.
    fn cold(&self, _e: &Element<f64>) -> f64 {
        1.0
    }
}

impl Solid for StableNeoHookean {
    /// P = μ'(1 − 1/(I + 1))F + λ'(J − a) cof F.
    #[inline(always)]
    fn energy_and_stress_at<R: Real>(&self, e: &Element<R>, f: &Mat3<R>) -> (R, Mat3<R>) {
        let cof = cofactor(f);
        let (i, j) = (norm2(f), dot(f[0], cof[0]));
        let a = e.param[0] * (i / (i + R::one()));
        (invariants(e, i, j), combine(a, f, e.param[1] * (j - e.param[2]), &cof))
    }
}

#[inline(always)]
fn prox<R: Real>(e: &Element<R>, s: &[R; 3], warm: &mut R) -> [R; 3] {
    let (mu, lambda, a, k) = (e.param[0], e.param[1], e.param[2], e.k);
    let (l, o, two) = (R::one(), R::zero(), R::splat(2.0));
    let b = [k * s[0], k * s[1], k * s[2]];
    // J − a > 0 makes all stretches smaller than b/A < σ̃.
    let input = s[0] * s[1] * s[2];
    let top = input.max(a);
    // The start: J of the last time, I of stretches between the input and rest.
    let mut j = (*warm).min(top);
    let mut i = o;
    let near = l / (k + mu);
    for q in 0..3 {
        let z = (b[q] + mu) * near;
        i += z * z;
    }
    let mut sigma = [l; 3];
    let mut busy = l.lt(two);
    for _ in 0..30 {
        let inv = l / (i + l);
        let alpha = k + mu * (l - inv);
        let c = -lambda * j * (j - a);
        let half = R::splat(0.5) / alpha;
        let mut d = [l; 3];
        for q in 0..3 {
            (sigma[q], d[q]) = root(alpha, half, b[q], c);
            d[q] = d[q].max(R::splat(1e-100));
        }
        // Σσ²−I and Πσ−J, and their derivatives: dσ = −(σ² dA + dc)/d.
        let product = sigma[0] * sigma[1] * sigma[2];
        let squares = sigma[0] * sigma[0] + sigma[1] * sigma[1] + sigma[2] * sigma[2];
        let (r1, r2) = (squares - i, product - j);
        let w = [l / d[0], l / d[1], l / d[2]];
        let area = [sigma[1] * sigma[2], sigma[0] * sigma[2], sigma[0] * sigma[1]];
        let (mut s3, mut s1, mut cross, mut areas) = (o, o, o, o);
        for q in 0..3 {
            let z = sigma[q] * w[q];
            s3 += sigma[q] * sigma[q] * z;
            s1 += z;
            cross += z;
            areas += area[q] * w[q];
        }
        let (da, dc) = (mu * inv * inv, lambda * (two * j - a));
        let (m11, m12) = (l + two * da * s3, two * dc * s1);
        let (m21, m22) = (product * da * cross, l + dc * areas);
        let det = m11 * m22 - m12 * m21;
        let good = det.gt(R::splat(1e-3) * m11 * m22.abs());
        let det = R::select(good, det, m11 * (l + dc.max(o) * areas));
        // Off the good region only the diagonal counts.
        let m12 = R::select(good, m12, o);
        let m21 = R::select(good, m21, o);
        let m22 = R::select(good, m22, l + dc.max(o) * areas);
        let inv = l / det;
        let ni = i + (r1 * m22 - r2 * m12) * inv;
        let nj = j + (r2 * m11 - r1 * m21) * inv;
        let third = R::splat(0.3);
        let ni = ni.max(third * i).min(R::splat(4.0) * i + l);
        let nj = nj.max(third * j).min(R::splat(4.0) * j).min(top);
        let tiny = R::splat(1e-9);
        let small =
            (ni - i).abs().le(tiny * (ni + l)) & (nj - j).abs().le(tiny * nj) & d[2].gt(tiny * b[2].abs());
        i = R::select(busy, ni, i);
        j = R::select(busy, nj, j);
        busy = busy & !small;
        if !busy.any() {
            break;
        }
    }
    let alpha = k + mu * (i / (i + l));
    let (c, half) = (-lambda * j * (j - a), R::splat(0.5) / alpha);
    for q in 0..3 {
        (sigma[q], _) = root(alpha, half, b[q], c);
    }
    let fine = j.gt(R::splat(1e-3)) & j.lt(R::splat(1e3)) & !busy;
    *warm = R::select(fine, j, l);

    // A lies between k and k + μ': every stationary point has σ_i ≥ b_i/(k + μ') as long as J ≤ a.
    let most = k + mu;
    let least = b[0] * b[1] * b[2] / (most * most * most);
    let only = least.ge(R::splat(0.25) * a) | all_minima(most, &b, lambda, a);
    let value = invariants(e, i, j) + R::splat(0.5) * k * distance2(&sigma, s);
    // Where J > a, I ≥ 3J^(2/3) > 3.
    let stiff = k + R::splat(0.75) * mu;
    let plain =
        (b[0] * b[1] * b[2]).le(two * a * stiff * stiff * stiff) | value.lt(R::splat(0.125) * b[2] * s[2]);
    let one = b[2].gt(o) & plain & only;
    search::settle(&StableNeoHookean, e, s, &mut sigma, !(one & fine));
    sigma
}
