//! Fixed corotated: Ψ = μ‖F − R‖² + λ/2 (J − 1)² = μΣ(σ − 1)² + λ/2 (J − 1)² (Stomakhin et al. 2012). Numbers: μ, λ.
//!
//! Finite for inverted elements. With α = 2μ + k and t = (2μ + kσ̃)/α the objective of the proximal operator is, but for a
//! constant, α/2|σ − t|² + λ/2 (J − 1)². It is symmetric but for t, which has t2 + t3 > 0, so its minimiser over all of
//! space lies in the cone σ1 ≥ σ2 ≥ |σ3| and never on the kink σ2 + σ3 = 0 of the energy.
//!
//! Stationarity reads ασ_i² − αt_iσ_i + c = 0 with c = λJ(J − 1): a problem in the one unknown J, on the larger roots
//! σ_i(c). Let T = t1t2t3 and t3 > 0. A stationary point has J > 0, and J between T and 1. It is a minimum if in
//! logarithms of the stretches diag(σ_i d_i) + λJ(2J − 1)11ᵀ is positive, where d_i = 2ασ_i − αt_i. If all of them are,
//! there is only one:
//! - T > 1: the matrix is positive on the larger roots; with a smaller one, which is below t3/2, J < T/2, so T ≤ 2 is enough;
//!   so is an objective below α/8 t3²;
//! - T < 1: c < 0 gives σ_i d_i ≥ 2|c|, so J ≥ ¼ is enough; below, Σ|c|/(σ_i d_i) < (1 − J)/(1 − 2J) is. With
//!   y = 4|c|/(αt²) the share |c|/(σd) is ½y/(1 + y + √(1 + y)), which grows with |c| and so with J.
//!
//! Other elements are searched one by one.

use super::neo_hookean::root;
use super::{Domain, Element, Isotropic, Lame, Solid, search};
use crate::error::ParameterError;
use crate::math::real::{Mask, Real};

/// The fixed corotated material.
#[derive(Clone, Copy, Debug, Default)]
pub struct FixedCorotated;

impl Isotropic<3> for FixedCorotated {
    const PARAMS: usize = 2;
    const DOMAIN: Domain = Domain::Signed;
    const NAME: &'static str = "fixed_corotated";
    #[inline(always)]
    fn density<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> R {
        let d = [s[0] - R::one(), s[1] - R::one(), s[2] - R::one()];
        let v = s[0] * s[1] * s[2] - R::one();
        e.param[0] * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + R::splat(0.5) * e.param[1] * v * v
    }
    #[inline(always)]
    fn gradient<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [R; 3] {
        let two_mu = e.param[0] + e.param[0];
        let p = e.param[1] * (s[0] * s[1] * s[2] - R::one());
        let area = [s[1] * s[2], s[0] * s[2], s[0] * s[1]];
        let mut g = area;
        for i in 0..3 {
            g[i] = two_mu * (s[i] - R::one()) + p * area[i];
        }
        g
    }
    #[inline(always)]
    fn hessian<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [[R; 3]; 3] {
        let p = e.param[1] * (s[0] * s[1] * s[2] - R::one());
        volume_hessian(s, e.param[0] + e.param[0], p, e.param[1])
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

impl Solid for FixedCorotated {
    fn check(&self, numbers: &[f64]) -> Result<(), ParameterError> {
        Lame::of(numbers).not_below_zero(Self::NAME, "its energy falls without bound as the volume grows")
    }
}

/// The second derivatives of a/2|σ|² + h(J), given a, h' and h''.
#[inline(always)]
pub(super) fn volume_hessian<R: Real>(s: &[R; 3], a: R, h1: R, h2: R) -> [[R; 3]; 3] {
    let area = [s[1] * s[2], s[0] * s[2], s[0] * s[1]];
    let mut h = [[R::zero(); 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            h[i][j] = h2 * area[i] * area[j];
        }
        h[i][i] += a;
    }
    for (i, j, other) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
        h[i][j] += h1 * s[other];
        h[j][i] = h[i][j];
    }
    h
}

/// |σ − σ̃|².
#[inline(always)]
pub(super) fn distance2<R: Real>(a: &[R; 3], b: &[R; 3]) -> R {
    let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
}

/// True where every stationary point with 0 < J < a/4 on the larger roots is a minimum, c = λJ(J − a).
#[inline(always)]
pub(super) fn all_minima<R: Real>(alpha: R, b: &[R; 3], lambda: R, a: R) -> R::Mask {
    // For J up to a/8 and up to a/4: the largest |c|, and the smallest (a − J)/(a − 2J).
    let most = lambda * a * a;
    let low = shares(alpha, b, R::splat(7.0 / 64.0) * most).lt(R::one());
    let high = shares(alpha, b, R::splat(3.0 / 16.0) * most).lt(R::splat(7.0 / 6.0));
    low & high
}

/// Σ|c|/(σ_i d_i) on the larger roots of ασ² − bσ − |c|.
#[inline(always)]
fn shares<R: Real>(alpha: R, b: &[R; 3], c: R) -> R {
    let y = R::splat(4.0) * alpha * c;
    let mut sum = R::zero();
    for i in 0..3 {
        // Numerator and denominator of the share times b².
        let q = b[i] * b[i] + y;
        sum += y / (q + q.sqrt() * b[i]).max(R::splat(1e-290));
    }
    R::splat(0.5) * sum
}

#[inline(always)]
fn prox<R: Real>(e: &Element<R>, s: &[R; 3], warm: &mut R) -> [R; 3] {
    let (mu, lambda, k) = (e.param[0], e.param[1], e.k);
    let (l, o, two) = (R::one(), R::zero(), R::splat(2.0));
    let alpha = mu + mu + k;
    let inv = l / alpha;
    let half = R::splat(0.5) * inv;
    let b = [two * mu + k * s[0], two * mu + k * s[1], two * mu + k * s[2]];
    let t = b[0] * inv * (b[1] * inv) * (b[2] * inv);
    let (mut low, mut high) = (t.min(l), t.max(l));
    let mut j = (*warm).max(low).min(high);
    let mut sigma = [l; 3];
    let mut busy = l.lt(two);
    for _ in 0..60 {
        let c = -lambda * j * (j - l);
        let mut d = [l; 3];
        for i in 0..3 {
            (sigma[i], d[i]) = root(alpha, half, b[i], c);
        }
        let product = sigma[0] * sigma[1] * sigma[2];
        let g = j - product;
        // Σ1/(σ_i d_i), three quotients by one division.
        let q = [sigma[0] * d[0], sigma[1] * d[1], sigma[2] * d[2]];
        let all = (q[0] * q[1] * q[2]).max(R::splat(1e-280));
        let sum = (q[1] * q[2] + q[0] * q[2] + q[0] * q[1]) / all;
        let slope = l + product * lambda * (two * j - l) * sum;
        low = R::select(g.lt(o), j, low);
        high = R::select(g.lt(o), high, j);
        let newton = j - g / slope;
        // Where the smallest root has just ceased to be, the slope says nothing.
        let there = d[2].gt(R::splat(1e-6) * b[2]);
        let inside = newton.ge(low) & newton.le(high) & slope.gt(o) & there;
        let next = R::select(inside, newton, R::splat(0.5) * (low + high));
        // Near the end of the root the convergence is slow: nothing but rounding may be left.
        let small = (next - j).abs().le(R::splat(1e-12) * next.abs())
            | g.abs().le(R::splat(2.0 * f64::EPSILON) * product);
        j = R::select(busy, next, j);
        busy = busy & !small;
        if !busy.any() {
            break;
        }
    }
    let c = -lambda * j * (j - l);
    for i in 0..3 {
        (sigma[i], _) = root(alpha, half, b[i], c);
    }
    *warm = R::select(j.finite(), j, l);

    let quarter = R::splat(0.25);
    let mut value = lambda * (j - l) * (j - l);
    for i in 0..3 {
        let away = sigma[i] - b[i] * inv;
        value += alpha * away * away;
    }
    let plain = t.le(two) | value.lt(quarter * b[2] * b[2] * inv);
    let one = b[2].gt(o) & plain & (t.ge(quarter) | all_minima(alpha, &b, lambda, l));
    // With λ < 0 the volume term is concave.
    let hard = !(one & lambda.ge(o) & j.finite()) | busy;
    search::settle(&FixedCorotated, e, s, &mut sigma, hard);
    sigma
}
