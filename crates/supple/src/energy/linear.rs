//! Small-strain linear elasticity, not corotated: Ψ = μ‖ε‖² + λ/2 tr²ε, ε = ½(F + Fᵀ) − I.
//!
//! Exact for small displacements; a rotation counts as strain. Numbers: μ, λ.

use super::{Curvature, Domain, Element, Potential};
use crate::math::real::Real;
use crate::math::small::{Mat3, identity, minus, norm2, scale};

/// The linear material.
#[derive(Clone, Copy, Debug, Default)]
pub struct Linear;

/// ε = sym(F − I).
#[inline(always)]
fn strain<R: Real>(f: &Mat3<R>) -> Mat3<R> {
    let h = minus(f, &identity());
    let half = R::splat(0.5);
    let mut e = h;
    for j in 0..3 {
        for i in 0..3 {
            e[j][i] = half * (h[j][i] + h[i][j]);
        }
    }
    e
}

impl Potential<3> for Linear {
    const PARAMS: usize = 2;
    fn name(&self) -> &'static str {
        "linear"
    }
    fn domain(&self) -> Domain {
        Domain::Signed
    }
    #[inline(always)]
    fn energy_and_stress<R: Real>(&self, e: &Element<R>, f: &Mat3<R>) -> (R, Mat3<R>) {
        let (mu, lambda) = (e.param[0], e.param[1]);
        let s = strain(f);
        let tr = s[0][0] + s[1][1] + s[2][2];
        let energy = mu * norm2(&s) + R::splat(0.5) * lambda * tr * tr;
        let mut p = s;
        for j in 0..3 {
            p[j] = scale(mu + mu, s[j]);
            p[j][j] += lambda * tr;
        }
        (energy, p)
    }
    fn minds_inversion(&self) -> bool {
        false
    }
    /// 2μ on symmetric modes and λ on the trace, in the frame of the axes.
    #[inline(always)]
    fn curvature<R: Real>(&self, e: &Element<R>, _z: &Mat3<R>) -> Curvature<R, 3> {
        let (mu, lambda) = (e.param[0], e.param[1]);
        let mut c = Curvature::uniform(mu + mu);
        c.difference = [R::zero(); 3];
        for i in 0..3 {
            for j in 0..3 {
                c.stretch[i][j] += lambda;
            }
        }
        c
    }
    /// The antisymmetric part of y stays; the deviatoric strain shrinks by k/(k + 2μ), the trace by
    /// k/(k + 2μ + 3λ).
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, y: &Mat3<R>, _warm: &mut R) -> Mat3<R> {
        let (mu, lambda) = (e.param[0], e.param[1]);
        let s = strain(y);
        let tr = s[0][0] + s[1][1] + s[2][2];
        let stiff = e.k + mu + mu;
        // z = y − (strain that goes): deviatoric part times 2μ/(k+2μ), mean part times (2μ+3λ)/(k+2μ+3λ).
        let dev = (mu + mu) / stiff;
        let bulk = mu + mu + R::splat(3.0) * lambda;
        let mean = tr * R::splat(1.0 / 3.0);
        let pressure = mean * (bulk / (e.k + bulk) - dev);
        let mut z = *y;
        for j in 0..3 {
            for i in 0..3 {
                z[j][i] = y[j][i] - dev * s[j][i];
            }
            z[j][j] -= pressure;
        }
        z
    }
}
