//! Laws of thin sheets, functions of the two stretches in their plane. No stress acts across the thickness (plane stress).
//!
//! | law | Ψ, with λ̄ = 2μλ/(λ + 2μ) |
//! |---|---|
//! | `arap` | k/2 Σ(σ − 1)² |
//! | `corotated` | μΣ(σ − 1)² + λ̄/2 (Σσ − 2)² |
//! | `st_venant_kirchhoff` | μΣe² + λ̄/2 (Σe)², e = (σ² − 1)/2 |
//! | `neo_hookean` | the least over the stretch σ3 of the thickness of the solid's Ψ(σ1, σ2, σ3): `plane_neo_hookean.rs` |
//!
//! Numbers: k, or μ and λ̄; μ and λ for `neo_hookean`.

use super::within::{Unimodal, hold, newton};
use super::{Arap, Corotated, Domain, Element, Isotropic, Lame, StVenantKirchhoff};
use crate::math::real::{Mask, Real};

/// λ̄ of plane stress: Ψ with σ3 at its best is μΣe² + λ̄/2(Σe)² for small strains e.
pub fn plane_stress(lame: Lame) -> f64 {
    2.0 * lame.mu * lame.lambda / (lame.lambda + 2.0 * lame.mu)
}

impl Isotropic<2> for Arap {
    const PARAMS: usize = 1;
    const DOMAIN: Domain = Domain::NonNegative;
    const NAME: &'static str = "arap";
    const PROJECTIVE: bool = true;
    #[inline(always)]
    fn density<R: Real>(&self, e: &Element<R>, s: &[R; 2]) -> R {
        let (a, b) = (s[0] - R::one(), s[1] - R::one());
        R::splat(0.5) * e.param[0] * (a * a + b * b)
    }
    #[inline(always)]
    fn gradient<R: Real>(&self, e: &Element<R>, s: &[R; 2]) -> [R; 2] {
        [e.param[0] * (s[0] - R::one()), e.param[0] * (s[1] - R::one())]
    }
    #[inline(always)]
    fn hessian<R: Real>(&self, e: &Element<R>, _s: &[R; 2]) -> [[R; 2]; 2] {
        [[e.param[0], R::zero()], [R::zero(), e.param[0]]]
    }
    /// (31) on the stretches.
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, s: &[R; 2], _warm: &mut R) -> [R; 2] {
        let inv = R::one() / (e.param[0] + e.k);
        let (a, b) = (e.k * inv, e.param[0] * inv);
        [a * s[0] + b, a * s[1] + b]
    }
}

impl Isotropic<2> for Corotated {
    const PARAMS: usize = 2;
    const DOMAIN: Domain = Domain::NonNegative;
    const NAME: &'static str = "corotated";
    #[inline(always)]
    fn density<R: Real>(&self, e: &Element<R>, s: &[R; 2]) -> R {
        let (a, b) = (s[0] - R::one(), s[1] - R::one());
        e.param[0] * (a * a + b * b) + R::splat(0.5) * e.param[1] * (a + b) * (a + b)
    }
    #[inline(always)]
    fn gradient<R: Real>(&self, e: &Element<R>, s: &[R; 2]) -> [R; 2] {
        let (a, b) = (s[0] - R::one(), s[1] - R::one());
        let (two_mu, p) = (e.param[0] + e.param[0], e.param[1] * (a + b));
        [two_mu * a + p, two_mu * b + p]
    }
    #[inline(always)]
    fn hessian<R: Real>(&self, e: &Element<R>, _s: &[R; 2]) -> [[R; 2]; 2] {
        let l = e.param[1];
        let d = e.param[0] + e.param[0] + l;
        [[d, l], [l, d]]
    }
    /// The quadratic's minimiser: with c = 2μ + k, τ − 2 = k(Σσ̃ − 2)/(c + 2λ̄) and σ = (kσ̃ + 2μ − λ̄(τ − 2))/c. Where that has
    /// σ2 < 0, the minimiser with σ2 = 0.
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, s: &[R; 2], _warm: &mut R) -> [R; 2] {
        let (l, k) = (e.param[1], e.k);
        let two_mu = e.param[0] + e.param[0];
        let (c, two) = (two_mu + k, R::splat(2.0));
        let over = k * (s[0] + s[1] - two) / (c + two * l);
        let rest = two_mu - l * over;
        let second = (k * s[1] + rest) / c;
        let alone = (k * s[0] + two_mu + two * l) / (c + l);
        let folded = second.lt(R::zero());
        [R::select(folded, alone, (k * s[0] + rest) / c), second.max(R::zero())]
    }
    #[inline(always)]
    fn prox_within<R: Real>(&self, e: &Element<R>, s: &[R; 2], range: [R; 2], warm: &mut R) -> [R; 2] {
        let free = self.prox(e, s, warm);
        let held = hold(&free, range);
        let fits = free[0].le(held[0]) & free[0].ge(held[0]) & free[1].le(held[1]) & free[1].ge(held[1]);
        if (!fits).any() { newton(self, e, s, &held, range) } else { held }
    }
}

impl Unimodal for Corotated {
    /// A convex quadratic: 2μ + 2λ̄ > 0 for every material that is stable.
    #[inline(always)]
    fn model<R: Real>(&self, e: &Element<R>, s: &[R; 2], z: &[R; 2]) -> ([R; 2], [R; 3]) {
        let (g, h) = (self.gradient(e, z), self.hessian(e, z));
        ([g[0] + e.k * (z[0] - s[0]), g[1] + e.k * (z[1] - s[1])], [h[0][0] + e.k, h[0][1], h[1][1] + e.k])
    }
}

impl Isotropic<2> for StVenantKirchhoff {
    const PARAMS: usize = 2;
    const DOMAIN: Domain = Domain::NonNegative;
    const NAME: &'static str = "st_venant_kirchhoff";
    #[inline(always)]
    fn density<R: Real>(&self, e: &Element<R>, s: &[R; 2]) -> R {
        let half = R::splat(0.5);
        let (a, b) = (half * (s[0] * s[0] - R::one()), half * (s[1] * s[1] - R::one()));
        e.param[0] * (a * a + b * b) + half * e.param[1] * (a + b) * (a + b)
    }
    #[inline(always)]
    fn gradient<R: Real>(&self, e: &Element<R>, s: &[R; 2]) -> [R; 2] {
        let half = R::splat(0.5);
        let (a, b) = (half * (s[0] * s[0] - R::one()), half * (s[1] * s[1] - R::one()));
        let (two_mu, p) = (e.param[0] + e.param[0], e.param[1] * (a + b));
        [s[0] * (two_mu * a + p), s[1] * (two_mu * b + p)]
    }
    #[inline(always)]
    fn hessian<R: Real>(&self, e: &Element<R>, s: &[R; 2]) -> [[R; 2]; 2] {
        let half = R::splat(0.5);
        let (a, b) = (half * (s[0] * s[0] - R::one()), half * (s[1] * s[1] - R::one()));
        let (two_mu, l) = (e.param[0] + e.param[0], e.param[1]);
        let p = l * (a + b);
        let cross = l * s[0] * s[1];
        let first = two_mu * a + p + (two_mu + l) * s[0] * s[0];
        let second = two_mu * b + p + (two_mu + l) * s[1] * s[1];
        [[first, cross], [cross, second]]
    }
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, s: &[R; 2], _warm: &mut R) -> [R; 2] {
        // σ = 0 is stationary: start away from it.
        let low = R::splat(0.1);
        let start = [s[0].max(low), s[1].max(low)];
        let mut z = newton(self, e, s, &start, [R::zero(), R::splat(f64::INFINITY)]);
        // Where σ̃ = 0 the stretch creeps towards zero by factors: it is zero.
        for a in 0..2 {
            z[a] = R::select(s[a].le(R::zero()) & z[a].lt(R::splat(1e-8)), R::zero(), z[a]);
        }
        z
    }
    #[inline(always)]
    fn prox_within<R: Real>(&self, e: &Element<R>, s: &[R; 2], range: [R; 2], _warm: &mut R) -> [R; 2] {
        let low = R::splat(0.1);
        newton(self, e, s, &[s[0].max(low), s[1].max(low)], range)
    }
}

impl Unimodal for StVenantKirchhoff {
    /// In the squares q = σ² the objective μ/4 Σ(q − 1)² + λ̄/8 (Σq − 2)² + k/2 Σ(q − 2σ̃√q) is convex: σ̃ ≥ 0, and λ̄ > −μ for every
    /// Poisson's ratio above −1. The matrix is that of Newton's method in q, or the second derivative where that is larger.
    #[inline(always)]
    fn model<R: Real>(&self, e: &Element<R>, s: &[R; 2], z: &[R; 2]) -> ([R; 2], [R; 3]) {
        let (mu, lambda, k) = (e.param[0], e.param[1], e.k);
        let squares = [z[0] * z[0], z[1] * z[1]];
        // The derivative is σ(μσ² + p) − kσ̃.
        let p = R::splat(0.5) * lambda * (squares[0] + squares[1] - R::splat(2.0)) - mu + k;
        let (mut g, mut h) = ([p; 2], [p; 2]);
        for a in 0..2 {
            let (m, pull) = (mu * squares[a], k * s[a]);
            g[a] = z[a] * (m + p) - pull;
            h[a] = (m + m + pull / z[a]).max(m + m + m + p).max(R::splat(1e-3) * k) + lambda * squares[a];
        }
        (g, [h[0], lambda * z[0] * z[1], h[1]])
    }
}
