//! What Mooney–Rivlin and Ogden share: Ψ = ΣW(ln σ̄_i) + κ/2 (J − 1)², σ̄ = J^(−1/3)σ, with W convex and W(0) = 0.
//!
//! W is a sum of exponentials, so that the energy is infinite for a flat element, but finite for one that shrinks to a point.
//! In logarithms x = ln σ, θ = Σx/3, e = x − θ the derivatives are
//! ∂Ψ/∂x_i = W'(e_i) − mean W' + κJ(J − 1) and ∂²Ψ/∂x² = P diag(W'') P + κJ(2J − 1)11ᵀ, P = I − 11ᵀ/3.
//!
//! Proximal operator: Newton's method in x, from a start near by. With b(r) = ½(r − 1)² the objective is
//! φ = ΣW(e_i) + κ b(J) + Σkσ̃_i² b(σ_i/σ̃_i). As a function of ln r, b is convex where r ≥ ½ and concave below. So its
//! tangent at some r* ≥ ½ lies below b all the way down to m, if it does so at m:
//! b(m) ≥ b(r*) + r*(r* − 1) ln(m/r*). If that holds at the minimum found for each of the four b, with m such that nothing
//! lower than φ has r < m, then φ is above a convex function that touches it there: the minimum is the global one. (For
//! σ̃_i ≤ 0 that part is convex everywhere.) The bounds m are
//! - J ≥ 1 − √(2φ/κ), and J ≥ Π(σ̃_i − d) with d = √(2φ/k);
//! - σ_i ≥ σ̃_i − d, and σ_i ≥ J^(1/3) exp(−√(φ/a)), since ΣW(e) ≥ a e_i² with a = 0.64 W''(0) (a property of exponentials,
//!   term by term);
//! - J ≥ 1/27, if κ b(1/27) and k/2 (σ̃_1 − σ_1)² for σ_1 ≤ ⅓ exp(√(φ/a)), which follows from J < 1/27, are more than φ.
//!
//! Other elements are searched one by one.

use super::fixed_corotated::distance2;
use super::{Element, Isotropic, search};
use crate::math::real::{Mask, Real};

/// An isochoric part and a bulk modulus.
pub(super) trait Isochoric: Isotropic<3> {
    /// W, W', W'' at e = ln σ̄.
    fn shape<R: Real>(&self, e: &Element<R>, x: R) -> [R; 3];
    /// W''(0) = 2μ.
    fn shear<R: Real>(&self, e: &Element<R>) -> R;
    /// κ.
    fn bulk<R: Real>(&self, e: &Element<R>) -> R;
}

/// Larger exponents count as this one, so that no stress is infinite.
const LARGEST_EXPONENT: f64 = 200.0;

/// exp, bounded.
#[inline(always)]
pub(super) fn bounded_exp<R: Real>(x: R) -> R {
    x.min(R::splat(LARGEST_EXPONENT)).exp()
}

/// Deviatoric logarithms, and W, W', W'' of each.
#[inline(always)]
fn shapes<M: Isochoric, R: Real>(m: &M, e: &Element<R>, x: &[R; 3]) -> [[R; 3]; 3] {
    let mean = R::splat(1.0 / 3.0) * (x[0] + x[1] + x[2]);
    [m.shape(e, x[0] - mean), m.shape(e, x[1] - mean), m.shape(e, x[2] - mean)]
}

/// ∂²ΣW/∂x², given the W''.
#[inline(always)]
fn deviatoric<R: Real>(w: [R; 3]) -> [[R; 3]; 3] {
    let third = R::splat(1.0 / 3.0);
    let all = R::splat(1.0 / 9.0) * (w[0] + w[1] + w[2]);
    let mut h = [[R::zero(); 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            h[i][j] = all - third * (w[i] + w[j]);
        }
        h[i][i] += w[i];
    }
    h
}

/// Numbers less their mean: exactly 0 where they are alike.
#[inline(always)]
fn deviation<R: Real>(w: [R; 3]) -> [R; 3] {
    let third = R::splat(1.0 / 3.0);
    let (a, b, c) = (w[0] - w[1], w[0] - w[2], w[1] - w[2]);
    [third * (a + b), third * (c - a), -third * (b + c)]
}

/// ln σ.
#[inline(always)]
fn logarithms<R: Real>(s: &[R; 3]) -> [R; 3] {
    [s[0].ln(), s[1].ln(), s[2].ln()]
}

/// Ψ(σ).
#[inline(always)]
pub(super) fn density<M: Isochoric, R: Real>(m: &M, e: &Element<R>, s: &[R; 3]) -> R {
    let w = shapes(m, e, &logarithms(s));
    let v = s[0] * s[1] * s[2] - R::one();
    w[0][0] + w[1][0] + w[2][0] + R::splat(0.5) * m.bulk(e) * v * v
}

/// ∂Ψ/∂σ.
#[inline(always)]
pub(super) fn gradient<M: Isochoric, R: Real>(m: &M, e: &Element<R>, s: &[R; 3]) -> [R; 3] {
    let w = shapes(m, e, &logarithms(s));
    let d = deviation([w[0][1], w[1][1], w[2][1]]);
    let p = m.bulk(e) * (s[0] * s[1] * s[2] - R::one());
    [d[0] / s[0] + p * s[1] * s[2], d[1] / s[1] + p * s[0] * s[2], d[2] / s[2] + p * s[0] * s[1]]
}

/// ∂²Ψ/∂σ².
#[inline(always)]
pub(super) fn hessian<M: Isochoric, R: Real>(m: &M, e: &Element<R>, s: &[R; 3]) -> [[R; 3]; 3] {
    let w = shapes(m, e, &logarithms(s));
    let d = deviation([w[0][1], w[1][1], w[2][1]]);
    let kappa = m.bulk(e);
    let p = kappa * (s[0] * s[1] * s[2] - R::one());
    let mut h = super::fixed_corotated::volume_hessian(s, R::zero(), p, kappa);
    let x = deviatoric([w[0][2], w[1][2], w[2][2]]);
    for i in 0..3 {
        for j in 0..3 {
            let own = if i == j { x[i][j] - d[i] } else { x[i][j] };
            h[i][j] += own / s[i] / s[j];
        }
    }
    h
}

/// −H⁻¹g by elimination; pivots that are not positive are replaced, so that the step still goes down.
#[inline(always)]
pub(super) fn newton_step<R: Real>(h: &[[R; 3]; 3], g: &[R; 3]) -> [R; 3] {
    let size = h[0][0].abs() + h[1][1].abs() + h[2][2].abs();
    let (least, other) = (R::splat(1e-12) * size, R::splat(0.1) * size);
    let pivot = h[0][0];
    let p0 = R::one() / R::select(pivot.gt(least), pivot, other);
    let (l1, l2) = (h[1][0] * p0, h[2][0] * p0);
    let pivot = h[1][1] - l1 * h[1][0];
    let p1 = R::one() / R::select(pivot.gt(least), pivot, other);
    let m = h[2][1] - l2 * h[1][0];
    let l3 = m * p1;
    let pivot = h[2][2] - l2 * h[2][0] - l3 * m;
    let p2 = R::one() / R::select(pivot.gt(least), pivot, other);
    let y1 = g[1] - l1 * g[0];
    let y2 = g[2] - l2 * g[0] - l3 * y1;
    let z2 = y2 * p2;
    let z1 = y1 * p1 - l3 * z2;
    let z0 = g[0] * p0 - l1 * z1 - l2 * z2;
    [-z0, -z1, -z2]
}

/// True where the tangent of ½(r − 1)² over ln r at r ≥ ½ is below the curve from m on, given ln(r/m).
#[inline(always)]
fn tangent_below<R: Real>(r: R, m: R, ln_ratio: R) -> R::Mask {
    let (l, half) = (R::one(), R::splat(0.5));
    let curve = half * (m - l) * (m - l);
    let line = half * (r - l) * (r - l) + r * (l - r) * ln_ratio.max(R::zero());
    r.ge(half) & line.le(curve + R::splat(1e-12))
}

/// The proximal operator.
#[inline(always)]
pub(super) fn prox<M: Isochoric, R: Real>(m: &M, e: &Element<R>, s: &[R; 3]) -> [R; 3] {
    let (l, o, two, half) = (R::one(), R::zero(), R::splat(2.0), R::splat(0.5));
    let (k, shear, kappa) = (e.k, m.shear(e), m.bulk(e));
    // The start: the minimiser of the small-strain energy of the logarithms.
    let near = l / (k + shear);
    let mut x = [l; 3];
    for i in 0..3 {
        x[i] = ((k * s[i] + shear) * near).max(R::splat(0.05)).min(R::splat(1e6)).ln();
    }
    let mean = R::splat(1.0 / 3.0) * (x[0] + x[1] + x[2]);
    let pull = mean * (l - (k + shear) / (k + R::splat(3.0) * kappa).max(k + shear));
    for i in 0..3 {
        x[i] -= pull;
    }
    let mut sigma = [l; 3];
    let mut busy = l.lt(two);
    for _ in 0..24 {
        for i in 0..3 {
            sigma[i] = x[i].exp();
        }
        let w = shapes(m, e, &x);
        let j = sigma[0] * sigma[1] * sigma[2];
        let mean = R::splat(1.0 / 3.0) * (w[0][1] + w[1][1] + w[2][1]);
        let (p, bend) = (kappa * j * (j - l), kappa * j * (two * j - l));
        let mut h = deviatoric([w[0][2], w[1][2], w[2][2]]);
        let mut g = [o; 3];
        for i in 0..3 {
            g[i] = w[i][1] - mean + p + k * sigma[i] * (sigma[i] - s[i]);
            for q in 0..3 {
                h[i][q] += bend;
            }
            h[i][i] += k * sigma[i] * (two * sigma[i] - s[i]);
        }
        let step = newton_step(&h, &g);
        let longest = step[0].abs().max(step[1].abs()).max(step[2].abs());
        let scale = l / longest.max(l);
        // Quadratic convergence: a step this small leaves an error of rounding.
        let small = longest.le(R::splat(1e-8));
        for i in 0..3 {
            x[i] = R::select(busy, x[i] + scale * step[i], x[i]);
        }
        busy = busy & !small;
        if !busy.any() {
            break;
        }
    }
    for i in 0..3 {
        sigma[i] = x[i].exp();
    }
    let w = shapes(m, e, &x);
    let j = sigma[0] * sigma[1] * sigma[2];
    let away = distance2(&sigma, s);
    let value = w[0][0] + w[1][0] + w[2][0] + half * (kappa * (j - l) * (j - l) + k * away);
    let far = (two * value / k).max(o).sqrt();
    let mut least = [s[0] - far, s[1] - far, s[2] - far];
    let box_volume = least[0].max(o) * least[1].max(o) * least[2].max(o);
    let narrow = (-(value / (R::splat(0.64) * shear)).max(o).sqrt()).exp();
    let gap = (s[0] - R::splat(1.0 / 3.0) / narrow).max(o);
    let tiny = R::splat(1.0 / 27.0);
    let tiny_costs = half * (kappa * (l - tiny) * (l - tiny) + k * gap * gap);
    let lowest = (l - (two * value / kappa).max(o).sqrt()).max(box_volume);
    let lowest = lowest.max(R::select(tiny_costs.gt(value), tiny, o));
    let ln_lowest = lowest.ln();
    let mut sure = lowest.gt(R::splat(1e-200)) & tangent_below(j, lowest, x[0] + x[1] + x[2] - ln_lowest);
    let slender = narrow * (R::splat(1.0 / 3.0) * ln_lowest).exp();
    for i in 0..3 {
        least[i] = least[i].max(slender);
        let inverse = l / R::select(s[i].gt(o), s[i], l);
        let below = tangent_below(sigma[i] * inverse, least[i] * inverse, x[i] - least[i].ln());
        sure = sure & (below | s[i].le(o));
    }
    let hard = !sure | busy;
    search::settle(m, e, s, &mut sigma, hard);
    sigma
}
