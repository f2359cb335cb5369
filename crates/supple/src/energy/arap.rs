//! As rigid as possible, the solid of projective dynamics: Ψ = k/2‖F − R‖² = k/2 Σ(σ − 1)².
//!
//! R is the rotation of the signed decomposition. Number: k (2μ unless the user gives one); small-strain
//! behaviour is E = k, ν = 0.

use super::{Domain, Element, Isotropic, Solid};
use crate::math::polar::polar;
use crate::math::real::Real;
use crate::math::small::{Mat3, combine, norm2};

/// The as-rigid-as-possible material.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arap;

impl Isotropic<3> for Arap {
    const PARAMS: usize = 1;
    const DOMAIN: Domain = Domain::Signed;
    const NAME: &'static str = "arap";
    const PROJECTIVE: bool = true;
    #[inline(always)]
    fn density<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> R {
        let d = [s[0] - R::one(), s[1] - R::one(), s[2] - R::one()];
        R::splat(0.5) * e.param[0] * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    }
    #[inline(always)]
    fn gradient<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [R; 3] {
        let k = e.param[0];
        [k * (s[0] - R::one()), k * (s[1] - R::one()), k * (s[2] - R::one())]
    }
    #[inline(always)]
    fn hessian<R: Real>(&self, e: &Element<R>, _s: &[R; 3]) -> [[R; 3]; 3] {
        let (k, o) = (e.param[0], R::zero());
        [[k, o, o], [o, k, o], [o, o, k]]
    }
    /// (31) on the stretches.
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, s: &[R; 3], _warm: &mut R) -> [R; 3] {
        let inv = R::one() / (e.param[0] + e.k);
        let (a, b) = (e.k * inv, e.param[0] * inv);
        [a * s[0] + b, a * s[1] + b, a * s[2] + b]
    }
}

impl Solid for Arap {
    /// ½k|F − R|² and k(F − R).
    #[inline(always)]
    fn energy_and_stress_at<R: Real>(&self, e: &Element<R>, f: &Mat3<R>) -> (R, Mat3<R>) {
        let k = e.param[0];
        let stress = combine(k, f, -k, &polar(f).r);
        (R::splat(0.5) * norm2(&stress) / k, stress)
    }
    /// p = R (30), z = (k_C R + k F)/(k_C + k) (31).
    #[inline(always)]
    fn prox_at<R: Real>(&self, e: &Element<R>, f: &Mat3<R>, _warm: &mut R) -> Mat3<R> {
        let inv = R::one() / (e.param[0] + e.k);
        combine(e.k * inv, f, e.param[0] * inv, &polar(f).r)
    }
}
