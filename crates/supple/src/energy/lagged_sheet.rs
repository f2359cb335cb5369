//! Strain-rate damping of a membrane: Ψ = (β/Δt)(μ|ε|² + λ̄/2 tr²ε) with the change of Green's strain ε = sym(F_nᵀ(F − F_n)), 2×2, in the
//! step, to first order: a rotation is none, nor is bending. Numbers: βμ, βλ̄, F_n by columns, 1/Δt.
//!
//! The force is F_nS, S = 2με + λ̄ tr ε. So the proximal operator is F = F̃ − F_nS/k, and with G = F_nᵀF_n its strain solves
//! ε + sym(GS)/k = ε̃: three equations.

use super::{Curvature, Domain, Element, Potential};
use crate::math::real::Real;
use crate::math::small::{Local, axpy, cofactor, dot, minus, scale};
use crate::math::svd2::svd2;

/// The damping of a triangle.
#[derive(Clone, Copy, Debug, Default)]
pub struct SheetStrainRate;

/// F_n.
#[inline(always)]
fn last<R: Real>(e: &Element<R>) -> Local<R, 2> {
    let p = &e.param;
    [[p[2], p[3], p[4]], [p[5], p[6], p[7]]]
}

/// βμ/Δt and βλ̄/Δt.
#[inline(always)]
fn moduli<R: Real>(e: &Element<R>) -> (R, R) {
    (e.param[8] * e.param[0], e.param[8] * e.param[1])
}

/// ε11, ε22, ε12 of F − F_n.
#[inline(always)]
fn strain<R: Real>(n: &Local<R, 2>, f: &Local<R, 2>) -> [R; 3] {
    let d = minus(f, n);
    [dot(n[0], d[0]), dot(n[1], d[1]), R::splat(0.5) * (dot(n[0], d[1]) + dot(n[1], d[0]))]
}

/// S11, S22, S12.
#[inline(always)]
fn stress_of<R: Real>(e: &Element<R>, strain: &[R; 3]) -> [R; 3] {
    let (mu, lambda) = moduli(e);
    let (two_mu, p) = (mu + mu, lambda * (strain[0] + strain[1]));
    [two_mu * strain[0] + p, two_mu * strain[1] + p, two_mu * strain[2]]
}

/// F_nS.
#[inline(always)]
fn force<R: Real>(n: &Local<R, 2>, s: &[R; 3]) -> Local<R, 2> {
    [axpy(scale(s[0], n[0]), s[2], n[1]), axpy(scale(s[2], n[0]), s[1], n[1])]
}

impl Potential<2> for SheetStrainRate {
    const PARAMS: usize = 9;
    const BESIDE: bool = true;
    const LAGGED: bool = true;
    fn name(&self) -> &'static str {
        "damping"
    }
    fn domain(&self) -> Domain {
        Domain::Signed
    }
    fn minds_inversion(&self) -> bool {
        false
    }
    fn projective(&self) -> bool {
        true
    }
    #[inline(always)]
    fn lag<R: Real>(&self, e: &mut Element<R>, f: &Local<R, 2>, rate: R) {
        for j in 0..2 {
            for i in 0..3 {
                e.param[2 + 3 * j + i] = f[j][i];
            }
        }
        e.param[8] = rate;
    }
    #[inline(always)]
    fn energy_and_stress<R: Real>(&self, e: &Element<R>, f: &Local<R, 2>) -> (R, Local<R, 2>) {
        let n = last(e);
        let t = strain(&n, f);
        let s = stress_of(e, &t);
        let energy = R::splat(0.5) * (s[0] * t[0] + s[1] * t[1] + (s[2] + s[2]) * t[2]);
        (energy, force(&n, &s))
    }
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, y: &Local<R, 2>, _warm: &mut R) -> Local<R, 2> {
        let n = last(e);
        let inv_k = R::one() / e.k;
        let (g11, g22, g12) = (inv_k * dot(n[0], n[0]), inv_k * dot(n[1], n[1]), inv_k * dot(n[0], n[1]));
        let (mu, lambda) = moduli(e);
        let (two_mu, half) = (mu + mu, R::splat(0.5));
        let both = two_mu + lambda;
        // 1 + sym(GS)/k by columns: what ε11, ε22 and ε12 do to the three equations.
        let l = R::one();
        let m = [
            [l + g11 * both, g22 * lambda, half * g12 * (both + lambda)],
            [g11 * lambda, l + g22 * both, half * g12 * (both + lambda)],
            [g12 * two_mu, g12 * two_mu, l + half * two_mu * (g11 + g22)],
        ];
        let rhs = strain(&n, y);
        let c = cofactor(&m);
        let inv = l / dot(m[0], c[0]);
        let t = [inv * dot(c[0], rhs), inv * dot(c[1], rhs), inv * dot(c[2], rhs)];
        let p = force(&n, &stress_of(e, &t));
        [axpy(y[0], -inv_k, p[0]), axpy(y[1], -inv_k, p[1])]
    }
    /// That of the pair without what mixes its two modes.
    #[inline(always)]
    fn curvature<R: Real>(&self, e: &Element<R>, _f: &Local<R, 2>) -> Curvature<R, 2> {
        let d = svd2(&last(e));
        let ((mu, lambda), half) = (moduli(e), R::splat(0.5));
        let mut c = Curvature::uniform(R::zero());
        (c.u, c.v) = (d.u, d.v);
        let (plus, less) = (d.s[0] + d.s[1], d.s[0] - d.s[1]);
        c.sum[0] = half * mu * plus * plus;
        c.difference[0] = half * mu * less * less;
        for i in 0..2 {
            for j in 0..2 {
                c.stretch[i][j] = lambda * d.s[i] * d.s[j];
            }
            c.stretch[i][i] += (mu + mu) * d.s[i] * d.s[i];
        }
        c
    }
}
