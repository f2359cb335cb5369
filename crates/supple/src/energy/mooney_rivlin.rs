//! Mooney–Rivlin: Ψ = C10(Ī₁ − 3) + C01(Ī₂ − 3) + D1(J − 1)², infinite unless σ > 0 (Mooney 1940, Rivlin 1948).
//! Numbers: C10, C01, D1.
//!
//! Ī₁ = J^(−2/3)I₁ = Σσ̄² and Ī₂ = J^(−4/3)I₂ = Σσ̄⁻² are of σ̄ = J^(−1/3)σ. At small strain μ = 2(C10 + C01) and the bulk
//! modulus is 2 D1. The proximal operator is that of `isochoric.rs`.

use super::isochoric::{self, Isochoric, bounded_exp};
use super::{Domain, Element, Isotropic, Lame, Solid};
use crate::error::ParameterError;
use crate::math::real::Real;

/// The Mooney–Rivlin material.
#[derive(Clone, Copy, Debug, Default)]
pub struct MooneyRivlin;

impl MooneyRivlin {
    /// C10, C01, D1 of small-strain constants: C10 : C01 = 7 : 3.
    pub fn numbers(lame: Lame) -> [f64; 3] {
        [0.35 * lame.mu, 0.15 * lame.mu, 0.5 * lame.bulk()]
    }
    /// The small-strain constants of C10, C01 ≥ 0 (not both 0) and D1 > 0, in Pa; the message names the one that is wrong.
    pub fn lame(c10: f64, c01: f64, d1: f64) -> Result<Lame, ParameterError> {
        for (name, c) in [("c10", c10), ("c01", c01)] {
            if !(c.is_finite() && c >= 0.0) {
                return Err(ParameterError::new(
                    name,
                    c,
                    format!("{name} of mooney_rivlin must be at least 0 and finite, not {c}"),
                ));
            }
        }
        if !(c10 + c01 > 0.0) {
            return Err(ParameterError::new("c10", c10, "c10 and c01 of mooney_rivlin must not both be 0"));
        }
        if !(d1.is_finite() && d1 > 0.0) {
            return Err(ParameterError::new(
                "d1",
                d1,
                format!("d1 of mooney_rivlin must be positive and finite, not {d1}"),
            ));
        }
        let mu = 2.0 * (c10 + c01);
        Lame::new(mu, 2.0 * d1 - 2.0 / 3.0 * mu)
    }
}

impl Isochoric for MooneyRivlin {
    /// W = C10(σ̄² − 1) + C01(σ̄⁻² − 1).
    #[inline(always)]
    fn shape<R: Real>(&self, e: &Element<R>, x: R) -> [R; 3] {
        let two = R::splat(2.0);
        let a = e.param[0] * bounded_exp(x + x);
        let b = e.param[1] * bounded_exp(-(x + x));
        [a + b - (e.param[0] + e.param[1]), two * (a - b), (two + two) * (a + b)]
    }
    #[inline(always)]
    fn shear<R: Real>(&self, e: &Element<R>) -> R {
        R::splat(4.0) * (e.param[0] + e.param[1])
    }
    #[inline(always)]
    fn bulk<R: Real>(&self, e: &Element<R>) -> R {
        e.param[2] + e.param[2]
    }
}

impl Isotropic<3> for MooneyRivlin {
    const PARAMS: usize = 3;
    const DOMAIN: Domain = Domain::Barrier;
    const NAME: &'static str = "mooney_rivlin";
    #[inline(always)]
    fn density<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> R {
        isochoric::density(self, e, s)
    }
    #[inline(always)]
    fn gradient<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [R; 3] {
        isochoric::gradient(self, e, s)
    }
    #[inline(always)]
    fn hessian<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [[R; 3]; 3] {
        isochoric::hessian(self, e, s)
    }
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, s: &[R; 3], _warm: &mut R) -> [R; 3] {
        isochoric::prox(self, e, s)
    }
}

impl Solid for MooneyRivlin {}
