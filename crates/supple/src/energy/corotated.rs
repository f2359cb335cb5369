//! Corotated linear elasticity: Ψ = μ‖F − R‖² + λ/2 tr²(RᵀF − I) = μΣ(σ − 1)² + λ/2 (Σσ − 3)².
//!
//! R is the rotation of the signed decomposition. Numbers: μ, λ.
//!
//! Proximal operator: as long as the minimiser's own rotation is the input's, it is the quadratic's,
//! z = (kF̃ + (2μ − λ(τ − 3))R)/(2μ + k) with τ = (k tr(RᵀF̃) + 6μ + 9λ)/(2μ + k + 3λ).
//! A strong stretch with λ ≫ μ can push the result to σ2 + σ3 < 0, where the rotation would change; the minimiser then
//! sits on the kink σ3 = −σ2, and the quadratic is minimised there over σ1 ≥ σ2 ≥ 0.

use super::{Domain, Element, Isotropic, Solid};
use crate::math::polar::polar;
use crate::math::real::{Mask, Real};
use crate::math::small::{Mat3, combine, inner, lane, norm2, set_lane};

/// The corotated material.
#[derive(Clone, Copy, Debug, Default)]
pub struct Corotated;

/// (s, t) such that z = s·F̃ + t·R away from the kink, given tr(RᵀF̃).
#[inline(always)]
fn blend<R: Real>(e: &Element<R>, trace: R) -> (R, R) {
    let (mu, lambda, k) = (e.param[0], e.param[1], e.k);
    let two_mu = mu + mu;
    let stiff = two_mu + k;
    let three = R::splat(3.0);
    // τ − 3, without the difference of nearly equal numbers.
    let over = k * (trace - three) / (stiff + three * lambda);
    let inv = R::one() / stiff;
    (k * inv, (two_mu - lambda * over) * inv)
}

impl Isotropic<3> for Corotated {
    const PARAMS: usize = 2;
    const DOMAIN: Domain = Domain::Signed;
    const NAME: &'static str = "corotated";
    #[inline(always)]
    fn density<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> R {
        let d = [s[0] - R::one(), s[1] - R::one(), s[2] - R::one()];
        let t = d[0] + d[1] + d[2];
        e.param[0] * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + R::splat(0.5) * e.param[1] * t * t
    }
    #[inline(always)]
    fn gradient<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [R; 3] {
        let d = [s[0] - R::one(), s[1] - R::one(), s[2] - R::one()];
        let two_mu = e.param[0] + e.param[0];
        let p = e.param[1] * (d[0] + d[1] + d[2]);
        [two_mu * d[0] + p, two_mu * d[1] + p, two_mu * d[2] + p]
    }
    #[inline(always)]
    fn hessian<R: Real>(&self, e: &Element<R>, _s: &[R; 3]) -> [[R; 3]; 3] {
        let l = e.param[1];
        let d = e.param[0] + e.param[0] + l;
        [[d, l, l], [l, d, l], [l, l, d]]
    }
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, s: &[R; 3], _warm: &mut R) -> [R; 3] {
        let (a, b) = blend(e, s[0] + s[1] + s[2]);
        let plain = [a * s[0] + b, a * s[1] + b, a * s[2] + b];
        let kink = on_kink(e, s);
        crate::math::small::select3::<R>((plain[1] + plain[2]).lt(R::zero()), kink, plain)
    }
}

/// The minimiser over (σ1, σ2, −σ2), σ1 ≥ σ2 ≥ 0, of the quadratic Ψ + k/2|σ − σ̃|².
///
/// There Ψ = μ((σ1−1)² + 2σ2² + 2) + λ/2(σ1−3)²: σ1 and σ2 decouple but for their order.
#[inline(always)]
fn on_kink<R: Real>(e: &Element<R>, s: &[R; 3]) -> [R; 3] {
    let (mu, lambda, k) = (e.param[0], e.param[1], e.k);
    let two_mu = mu + mu;
    let a1 = two_mu + lambda + k;
    let b1 = two_mu + R::splat(3.0) * lambda + k * s[0];
    let a2 = two_mu + two_mu + k + k;
    let b2 = (k * (s[1] - s[2])).max(R::zero());
    let (s1, s2) = (b1 / a1, b2 / a2);
    let tied = (b1 + b2) / (a1 + a2);
    let bound = s1.lt(s2);
    let (s1, s2) = (R::select(bound, tied, s1), R::select(bound, tied, s2));
    [s1.max(R::zero()), s2, -s2]
}

impl Solid for Corotated {
    /// With d = F − R and t = tr(RᵀF − I): μ|d|² + λ/2 t², and 2μd + λtR.
    #[inline(always)]
    fn energy_and_stress_at<R: Real>(&self, e: &Element<R>, f: &Mat3<R>) -> (R, Mat3<R>) {
        let (mu, lambda) = (e.param[0], e.param[1]);
        let r = polar(f).r;
        let d = combine(R::one(), f, -R::one(), &r);
        let t = inner(&r, &d);
        let energy = mu * norm2(&d) + R::splat(0.5) * lambda * t * t;
        (energy, combine(mu + mu, &d, lambda * t, &r))
    }
    #[inline(always)]
    fn prox_at<R: Real>(&self, e: &Element<R>, f: &Mat3<R>, _warm: &mut R) -> Mat3<R> {
        let p = polar(f);
        let (s, t) = blend(e, p.sum);
        let mut z = combine(s, f, t, &p.r);
        // σ2 + σ3 of the result is s(σ̃2 + σ̃3) + 2t; where its lower bound is negative, look closer.
        let doubtful = (s * p.gap + t + t).lt(R::zero());
        if doubtful.any() {
            for i in 0..R::LANES {
                if doubtful.lane(i) {
                    set_lane(&mut z, i, &through_stretches(&e.lane(i), &lane(f, i)));
                }
            }
        }
        z
    }
}

/// One element that may be on the kink.
#[inline(never)]
fn through_stretches(e: &Element<f64>, f: &Mat3<f64>) -> Mat3<f64> {
    super::stretch::prox(&Corotated, e, f, &mut 0.0)
}
