//! Energies from sets: the projective-dynamics energy (26) and its proximal operator (30)–(31).

use super::{Domain, Element, Manifold, Potential};
use crate::math::real::Real;
use crate::math::small::{Local, combine, dot, minus, norm2, scale, select3};

/// Ψ(z) = k/2·dist(z, C)², eq. (26). Numbers of an element: k, then the set's own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Soft<C>(pub C);

impl<C: Manifold<D>, const D: usize> Potential<D> for Soft<C> {
    const PARAMS: usize = 1 + C::PARAMS;
    fn name(&self) -> &'static str {
        C::NAME
    }
    fn domain(&self) -> Domain {
        Domain::Signed
    }
    #[inline(always)]
    fn energy_and_stress<R: Real>(&self, e: &Element<R>, z: &Local<R, D>) -> (R, Local<R, D>) {
        let k = e.param[0];
        let d = minus(z, &self.0.project(&e.param[1..], z));
        (R::splat(0.5) * k * norm2(&d), combine(k, &d, R::zero(), &d))
    }
    /// p = proj(y) (30), z = (k_C p + k y)/(k_C + k) (31).
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, y: &Local<R, D>, _warm: &mut R) -> Local<R, D> {
        let p = self.0.project(&e.param[1..], y);
        let inv = R::one() / (e.param[0] + e.k);
        combine(e.param[0] * inv, &p, e.k * inv, y)
    }
}

/// A point: soft anchors. Numbers: x, y, z.
#[derive(Clone, Copy, Debug, Default)]
pub struct Point;

impl Manifold<1> for Point {
    const PARAMS: usize = 3;
    const NAME: &'static str = "anchor";
    #[inline(always)]
    fn project<R: Real>(&self, shape: &[R], _y: &Local<R, 1>) -> Local<R, 1> {
        [[shape[0], shape[1], shape[2]]]
    }
}

/// The sphere of a given radius: springs with a rest length. Number: the radius.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sphere;

impl Manifold<1> for Sphere {
    const PARAMS: usize = 1;
    const NAME: &'static str = "spring";
    /// The nearest point; of the origin, which has no nearest one, the point in direction x.
    #[inline(always)]
    fn project<R: Real>(&self, shape: &[R], y: &Local<R, 1>) -> Local<R, 1> {
        // Scaled by the largest entry, so that the square neither overflows nor vanishes.
        let v = y[0];
        let m = v[0].abs().max(v[1].abs()).max(v[2].abs());
        let some = m.gt(R::splat(1e-300));
        let w = scale(R::one() / R::select(some, m, R::one()), v);
        let n = dot(w, w).sqrt();
        let unit = scale(R::one() / R::select(some, n, R::one()), w);
        let x_axis = [R::one(), R::zero(), R::zero()];
        [scale(shape[0], select3::<R>(some, unit, x_axis))]
    }
}
