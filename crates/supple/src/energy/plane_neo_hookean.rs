//! The neo-Hookean sheet: the least over the stretch σ3 of the thickness of the solid's Ψ(σ1, σ2, σ3). Numbers: μ, λ.
//!
//! The proximal operator is a problem in one unknown, c = μσ3². With α = μ + k and b_i = kσ̃_i, stationarity reads
//! ασ_i² − b_iσ_i − c = 0: σ_i(c) is the positive root, or the border of the range nearest to it, since given c each stretch has a convex
//! problem of its own. No stress across the sheet asks for G(c) = c − μ + λ ln(σ1(c) σ2(c) σ3(c)) = 0. For λ ≥ 0 G increases:
//! there is one c, and so one point where the derivative vanishes or points out of the range. Halley's method, within a bracket because G has
//! kinks where a stretch meets a border.

use super::neo_hookean::root;
use super::within::settle;
use super::{Domain, Element, Isotropic, NeoHookean};
use crate::math::real::{Mask, Real};

/// ln σ1σ2 and w = σ3² of a sheet without stress across it: the root of μ(w − 1) + λ(ln σ1σ2 + ½ ln w), which is increasing
/// and concave.
#[inline(always)]
fn thickness<R: Real>(e: &Element<R>, s: &[R; 2]) -> (R, R) {
    let (mu, half_lambda) = (e.param[0], R::splat(0.5) * e.param[1]);
    let q = (s[0] * s[1]).ln();
    let mut w = R::one();
    for _ in 0..100 {
        let step = (mu * (w - R::one()) + half_lambda * (q + q + w.ln())) / (mu + half_lambda / w);
        // From the left of the root Newton's method climbs towards it; from the right it may go too far, but not below zero.
        let next = (w - step).max(R::splat(0.01) * w);
        let moved = (next - w).abs().gt(R::splat(4e-16) * w);
        w = next;
        if !moved.any() {
            break;
        }
    }
    (q, w)
}

impl Isotropic<2> for NeoHookean {
    const PARAMS: usize = 2;
    const DOMAIN: Domain = Domain::Barrier;
    const NAME: &'static str = "neo_hookean";
    #[inline(always)]
    fn density<R: Real>(&self, e: &Element<R>, s: &[R; 2]) -> R {
        let (q, w) = thickness(e, s);
        let half = R::splat(0.5);
        let log = q + half * w.ln();
        let squares = s[0] * s[0] + s[1] * s[1] + w - R::splat(3.0);
        e.param[0] * (half * squares - log) + half * e.param[1] * log * log
    }
    /// σ3 is at its best, so only the explicit dependence counts: μσ + (λ ln J − μ)/σ, and λ ln J − μ = −μσ3².
    #[inline(always)]
    fn gradient<R: Real>(&self, e: &Element<R>, s: &[R; 2]) -> [R; 2] {
        let c = e.param[0] * thickness(e, s).1;
        [e.param[0] * s[0] - c / s[0], e.param[0] * s[1] - c / s[1]]
    }
    /// With c = μσ3²: ∂c/∂σ_i = 2c ∂ln σ3/∂σ_i, ∂ln σ3/∂σ_i = −λ/((2c + λ)σ_i).
    #[inline(always)]
    fn hessian<R: Real>(&self, e: &Element<R>, s: &[R; 2]) -> [[R; 2]; 2] {
        let (mu, lambda) = (e.param[0], e.param[1]);
        let c = mu * thickness(e, s).1;
        let share = (c + c) * lambda / (c + c + lambda);
        let cross = share / (s[0] * s[1]);
        [[mu + (c + share) / (s[0] * s[0]), cross], [cross, mu + (c + share) / (s[1] * s[1])]]
    }
    /// Without borders there are no kinks: a step of 1e-5 of Halley's method leaves an error of 1e-15.
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, s: &[R; 2], warm: &mut R) -> [R; 2] {
        solve(e, s, [R::zero(), R::splat(f64::INFINITY)], R::splat(1e-5), warm)
    }
    #[inline(always)]
    fn prox_within<R: Real>(&self, e: &Element<R>, s: &[R; 2], range: [R; 2], warm: &mut R) -> [R; 2] {
        solve(e, s, range, R::splat(1e-12), warm)
    }
    /// c at rest.
    fn cold(&self, e: &Element<f64>) -> f64 {
        e.param[0]
    }
}

#[inline(always)]
fn solve<R: Real>(e: &Element<R>, s: &[R; 2], range: [R; 2], enough: R, warm: &mut R) -> [R; 2] {
    let (mu, lambda, k) = (e.param[0], e.param[1], e.k);
    let (o, l, two, half) = (R::zero(), R::one(), R::splat(2.0), R::splat(0.5));
    let alpha = mu + k;
    let (half_inv_alpha, inv_mu, half_lambda) = (half / alpha, l / mu, half * lambda);
    let b = [k * s[0], k * s[1]];
    let (mut low, mut high) = (o, R::splat(f64::INFINITY));
    let mut c = *warm;
    // Products out of this range lose digits, and λ < 0 has no proof.
    let mut plain = lambda.ge(o) & c.gt(o);
    let mut busy = o.lt(l);
    for _ in 0..50 {
        let (mut square, mut all) = (c * inv_mu, c);
        let (mut sigma, mut q, mut free) = ([l; 2], [l; 2], [busy; 2]);
        for i in 0..2 {
            let (positive, d) = root(alpha, half_inv_alpha, b[i], c);
            sigma[i] = positive.max(range[0]).min(range[1]);
            free[i] = positive.gt(range[0]) & positive.lt(range[1]);
            q[i] = sigma[i] * d;
            square = square * sigma[i] * sigma[i];
            all = all * q[i];
        }
        plain = plain & square.gt(R::splat(1e-280)) & square.lt(R::splat(1e280)) & all.gt(R::splat(1e-280));
        let g = half_lambda * square.ln() + c - mu;
        // 1/c and v_i = 1/(σ_i d_i) = ∂ln σ_i/∂c by one division.
        let inv = l / all;
        let per_c = q[0] * q[1] * inv;
        let v = [R::select(free[0], q[1] * c * inv, o), R::select(free[1], q[0] * c * inv, o)];
        let mut slope = l + half_lambda * per_c;
        let mut bend = -(half_lambda * per_c * per_c);
        for i in 0..2 {
            slope += lambda * v[i];
            bend -= lambda * v[i] * v[i] * (l + two * alpha * sigma[i] * sigma[i] * v[i]);
        }
        let square = two * slope * slope;
        let den = square - g * bend;
        let halley = den.gt(R::splat(0.25) * square);
        let next = (c - two * g * slope / R::select(halley, den, square)).max(R::splat(0.05) * c);
        let below = g.lt(o);
        (low, high) = (R::select(below, c, low), R::select(below, high, c));
        let next = R::select(next.ge(low) & next.le(high), next, half * (low + high));
        let small = (next - c).abs().le(enough * next);
        c = R::select(busy, next, c);
        busy = busy & !small;
        if !busy.any() {
            break;
        }
    }
    let mut sigma = [l; 2];
    for i in 0..2 {
        sigma[i] = root(alpha, half_inv_alpha, b[i], c).0.max(range[0]).min(range[1]);
    }
    let hard = busy | !plain | !c.finite();
    *warm = R::select(hard, mu, c);
    settle(&NeoHookean, e, s, range, sigma, hard)
}
