//! Membranes: isotropic materials of triangles, 3×2 matrices by their two stretches.
//!
//! F = σ1 u1 v1ᵀ + σ2 u2 v2ᵀ, both stretches non-negative: energy, stress and proximal operator act on them while the singular
//! vectors stay, as for solids. The laws in `plane.rs` are those of thin sheets: no stress across the thickness.

use super::{Curvature, Domain, Element, Isotropic, Potential, Second, curvature, second};
use crate::math::real::Real;
use crate::math::small::Local;
use crate::math::stretches::stretches;
use crate::math::svd2::svd2;

/// An isotropic material as a [`Potential`] of triangles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Membrane<M>(pub M);

/// The smallest stretch at which derivatives of a barrier energy are taken.
const SMALLEST: f64 = 1e-100;

impl<M: Isotropic<2>> Potential<2> for Membrane<M> {
    const PARAMS: usize = M::PARAMS;
    fn name(&self) -> &'static str {
        M::NAME
    }
    fn domain(&self) -> Domain {
        M::DOMAIN
    }
    fn cold(&self, e: &Element<f64>) -> f64 {
        self.0.cold(e)
    }
    fn projective(&self) -> bool {
        M::PROJECTIVE
    }
    #[inline(always)]
    fn energy_and_stress<R: Real>(&self, e: &Element<R>, f: &Local<R, 2>) -> (R, Local<R, 2>) {
        let d = stretches(f);
        if M::DOMAIN != Domain::Barrier {
            return (self.0.density(e, &d.s), d.compose(f, self.0.gradient(e, &d.s)));
        }
        let (tiny, inside) = (R::splat(SMALLEST), d.s[1].gt(R::zero()));
        let s = [d.s[0].max(tiny), d.s[1].max(tiny)];
        let energy = R::select(inside, self.0.density(e, &s), R::splat(f64::INFINITY));
        let mut g = self.0.gradient(e, &s);
        for g in &mut g {
            *g = R::select(inside, *g, R::zero());
        }
        (energy, d.compose(f, g))
    }
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, f: &Local<R, 2>, warm: &mut R) -> Local<R, 2> {
        let d = stretches(f);
        d.compose(f, self.0.prox(e, &d.s, warm))
    }
    #[inline(always)]
    fn curvature<R: Real>(&self, e: &Element<R>, f: &Local<R, 2>) -> Curvature<R, 2> {
        let d = svd2(f);
        let tiny = R::splat(SMALLEST);
        let s = match M::DOMAIN {
            Domain::Barrier => [d.s[0].max(tiny), d.s[1].max(tiny)],
            _ => d.s,
        };
        curvature::isotropic(&self.0, e, &d.u, &s, &d.v)
    }
    fn second(&self, e: &Element<f64>, f: &Local<f64, 2>) -> Second<2> {
        let d = svd2(f);
        second::of(&curvature::whole(&self.0, e, &d.u, &d.s, &d.v))
    }
}
