//! A neo-Hookean material with more or less of its stiffness against a change of volume, for strain that is averaged
//! (`scene/average.rs`): Ψ = μ/2(I₁ − 3) − μ ln J + λ/2 ln²J + β(3/2(J^⅔ − 1) − ln J), infinite unless J > 0. Numbers: μ, λ, β.
//!
//! The last term with β = μ is what μ/2(I₁ − 3) − μ ln J is of a pure change of volume. So with λ = 0 and β = −μ there is left
//! μ/2(I₁ − 3J^⅔), which is not negative and sees only a change of shape: the part that elements keep may have β ≥ −μ and still be bounded
//! below. With λ < 0, which removes as much at small strain, it would not be.

use super::{Domain, Element, Isotropic, Solid};
use crate::error::ParameterError;
use crate::math::real::Real;
use crate::math::small::{Mat3, cofactor, combine, dot, norm2};

/// A part of a neo-Hookean material.
#[derive(Clone, Copy, Debug, Default)]
pub struct NeoHookeanPart;

const TWO_THIRDS: f64 = 2.0 / 3.0;

/// λ ln J + β(J^⅔ − 1) − μ, so that P = μF + this·F⁻ᵀ, and its derivative by ln J.
#[inline(always)]
fn pressure<R: Real>(e: &Element<R>, l: R) -> (R, R) {
    let (mu, lambda, beta) = (e.param[0], e.param[1], e.param[2]);
    let power = (R::splat(TWO_THIRDS) * l).exp();
    (lambda * l + beta * (power - R::one()) - mu, lambda + R::splat(TWO_THIRDS) * beta * power)
}

/// Ψ from I₁ and ln J.
#[inline(always)]
fn invariants<R: Real>(e: &Element<R>, i1: R, l: R) -> R {
    let (mu, lambda, beta) = (e.param[0], e.param[1], e.param[2]);
    let (half, three) = (R::splat(0.5), R::splat(3.0));
    let volume = R::splat(1.5) * ((R::splat(TWO_THIRDS) * l).exp() - R::one()) - l;
    half * mu * (i1 - three) - mu * l + half * lambda * l * l + beta * volume
}

#[inline(always)]
fn ln_product<R: Real>(s: &[R; 3]) -> R {
    s[0].ln() + s[1].ln() + s[2].ln()
}

impl Isotropic<3> for NeoHookeanPart {
    const PARAMS: usize = 3;
    const DOMAIN: Domain = Domain::Barrier;
    const NAME: &'static str = "neo_hookean part";
    #[inline(always)]
    fn density<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> R {
        invariants(e, s[0] * s[0] + s[1] * s[1] + s[2] * s[2], ln_product(s))
    }
    #[inline(always)]
    fn gradient<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [R; 3] {
        let (mu, (p, _)) = (e.param[0], pressure(e, ln_product(s)));
        [mu * s[0] + p / s[0], mu * s[1] + p / s[1], mu * s[2] + p / s[2]]
    }
    #[inline(always)]
    fn hessian<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [[R; 3]; 3] {
        let (p, slope) = pressure(e, ln_product(s));
        let i = [R::one() / s[0], R::one() / s[1], R::one() / s[2]];
        let mut h = [[R::zero(); 3]; 3];
        for a in 0..3 {
            for b in 0..3 {
                h[a][b] = slope * i[a] * i[b];
            }
            h[a][a] = e.param[0] + (slope - p) * i[a] * i[a];
        }
        h
    }
}

impl Solid for NeoHookeanPart {
    fn check(&self, numbers: &[f64]) -> Result<(), ParameterError> {
        match numbers {
            [mu, lambda, beta] if *mu > 0.0 && *lambda >= 0.0 && mu + beta >= 0.0 => Ok(()),
            _ => Err(ParameterError::new(
                "numbers",
                numbers,
                format!("{} needs μ > 0, λ ≥ 0 and β ≥ −μ, not {numbers:?}", Self::NAME),
            )),
        }
    }
    #[inline(always)]
    fn energy_and_stress_at<R: Real>(&self, e: &Element<R>, f: &Mat3<R>) -> (R, Mat3<R>) {
        let cof = cofactor(f);
        let j = dot(f[0], cof[0]);
        let l = j.ln();
        let energy = R::select(j.gt(R::zero()), invariants(e, norm2(f), l), R::splat(f64::INFINITY));
        let inside = j.gt(R::splat(1e-300));
        let c = pressure(e, l).0 / R::select(inside, j, R::one());
        (energy, combine(e.param[0], f, R::select(inside, c, R::zero()), &cof))
    }
}
