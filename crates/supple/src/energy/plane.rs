//! Laws of thin sheets, functions of the two stretches in their plane. No stress acts across the thickness (plane stress).
//!
//! | law | Ψ, with λ̄ = 2μλ/(λ + 2μ) |
//! |---|---|
//! | `arap` | k/2 Σ(σ − 1)² |
//! | `corotated` | μΣ(σ − 1)² + λ̄/2 (Σσ − 2)² |
//! | `st_venant_kirchhoff` | μΣe² + λ̄/2 (Σe)², e = (σ² − 1)/2 |
//! | `neo_hookean` | the least over the stretch σ3 of the thickness of the solid's Ψ(σ1, σ2, σ3) |
//!
//! Numbers: k, or μ and λ̄; μ and λ for `neo_hookean`.

use super::{Arap, Corotated, Domain, Element, Isotropic, Lame, NeoHookean, StVenantKirchhoff, minimise};
use crate::math::real::{Mask, Real};

/// λ̄ of plane stress: Ψ with σ3 at its best is μΣe² + λ̄/2(Σe)² for small strains e.
pub fn plane_stress(lame: Lame) -> f64 {
    2.0 * lame.mu * lame.lambda / (lame.lambda + 2.0 * lame.mu)
}

/// The minimiser of Ψ(σ) + k/2|σ − σ̃|² by Newton's method in lanes; where it does not get to an inner minimum, and where `doubtful`
/// says that there may be another one, one element at a time.
#[inline(always)]
fn prox_by_newton<M: Isotropic<2>, R: Real>(m: &M, e: &Element<R>, s: &[R; 2], doubtful: R::Mask) -> [R; 2] {
    let (o, tenth) = (R::zero(), R::splat(0.1));
    let mut z = [s[0].max(tenth), s[1].max(tenth)];
    let mut sure = o.lt(R::one());
    for _ in 0..30 {
        let (mut g, mut h) = (m.gradient(e, &z), m.hessian(e, &z));
        for a in 0..2 {
            g[a] += e.k * (z[a] - s[a]);
            h[a][a] += e.k;
        }
        let det = h[0][0] * h[1][1] - h[0][1] * h[0][1];
        sure = h[0][0].gt(o) & det.gt(o);
        let inv = R::one() / R::select(sure, det, R::one());
        let step = [(h[1][1] * g[0] - h[0][1] * g[1]) * inv, (h[0][0] * g[1] - h[0][1] * g[0]) * inv];
        let mut moved = o.lt(o);
        for a in 0..2 {
            // A stretch falls to a third at most.
            let next = (z[a] - step[a]).max(R::splat(1.0 / 3.0) * z[a]);
            moved = moved | (next - z[a]).abs().gt(R::splat(1e-14) * z[a]);
            z[a] = next;
        }
        sure = sure & !moved;
        if !moved.any() {
            break;
        }
    }
    let hard = doubtful | !sure;
    if hard.any() {
        for i in 0..R::LANES {
            if hard.lane(i) {
                let r = slowly(m, &e.lane(i), &[s[0].lane(i), s[1].lane(i)]);
                z = [z[0].with_lane(i, r[0]), z[1].with_lane(i, r[1])];
            }
        }
    }
    z
}

#[inline(never)]
fn slowly<M: Isotropic<2>>(m: &M, e: &Element<f64>, s: &[f64; 2]) -> [f64; 2] {
    minimise::prox(m, e, s)
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
    /// Strongly squeezed or stretched sheets may have another minimum with σ2 = 0.
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, s: &[R; 2], _warm: &mut R) -> [R; 2] {
        prox_by_newton(self, e, s, s[1].lt(R::splat(0.7)) | s[0].gt(R::splat(1.5)))
    }
}

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
    /// Convex for every σ > 0 (the determinant of the Hessian is positive): there is one minimum.
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, s: &[R; 2], _warm: &mut R) -> [R; 2] {
        prox_by_newton(self, e, s, R::zero().lt(R::zero()))
    }
}
