//! A membrane together with its strain limit: Ψ(σ) where every stretch lies between two, infinite elsewhere. One term with one
//! proximal operator, the exact minimiser of both ([`Isotropic::prox_within`]); clamping the membrane's own is not, unless its
//! stretches are independent.

use super::{Curvature, Domain, Element, Isotropic, Membrane, Potential};
use crate::math::real::Real;
use crate::math::small::Local;
use crate::math::stretches::stretches;

/// A law of sheets and a limit. Numbers of an element: the law's, then the least stretch, not negative, and the greatest.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limited<M>(pub M);

impl<M: Isotropic<2>> Limited<M> {
    #[inline(always)]
    fn range<R: Real>(e: &Element<R>) -> (R, R) {
        (e.param[M::PARAMS], e.param[M::PARAMS + 1])
    }
}

impl<M: Isotropic<2>> Potential<2> for Limited<M> {
    const PARAMS: usize = M::PARAMS + 2;
    const HARD: bool = true;
    fn name(&self) -> &'static str {
        "strain limit"
    }
    fn domain(&self) -> Domain {
        M::DOMAIN
    }
    fn cold(&self, e: &Element<f64>) -> f64 {
        self.0.cold(e)
    }
    /// Those of the membrane, in the range or out of it; how far out is reported separately.
    #[inline(always)]
    fn energy_and_stress<R: Real>(&self, e: &Element<R>, f: &Local<R, 2>) -> (R, Local<R, 2>) {
        Membrane(self.0.clone()).energy_and_stress(e, f)
    }
    #[inline(always)]
    fn nearest<R: Real>(&self, e: &Element<R>, f: &Local<R, 2>) -> Local<R, 2> {
        let d = stretches(f);
        let (least, most) = Self::range(e);
        d.compose(f, [d.s[0].max(least).min(most), d.s[1].max(least).min(most)])
    }
    #[inline(always)]
    fn off<R: Real>(&self, e: &Element<R>, f: &Local<R, 2>) -> R {
        let s = stretches(f).s;
        let (least, most) = Self::range(e);
        let (a, b) = (s[0] - s[0].max(least).min(most), s[1] - s[1].max(least).min(most));
        a * a + b * b
    }
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, f: &Local<R, 2>, warm: &mut R) -> Local<R, 2> {
        let d = stretches(f);
        let (least, most) = Self::range(e);
        d.compose(f, self.0.prox_within(e, &d.s, [least, most], warm))
    }
    #[inline(always)]
    fn curvature<R: Real>(&self, e: &Element<R>, f: &Local<R, 2>) -> Curvature<R, 2> {
        Membrane(self.0.clone()).curvature(e, f)
    }
}
