//! Energies from sets: the projective-dynamics energy (26) and its proximal operator (30)–(31).

use super::{Curvature, Domain, Element, Manifold, Potential};
use crate::math::real::Real;
use crate::math::small::{Local, combine, cross, dot, minus, norm2, scale, select3};

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
    fn convex(&self) -> bool {
        C::CONVEX
    }
    fn projective(&self) -> bool {
        true
    }
    #[inline(always)]
    fn curvature<R: Real>(&self, e: &Element<R>, z: &Local<R, D>) -> Curvature<R, D> {
        let k = e.param[0];
        let mut c = self.0.curvature(&e.param[1..], z);
        for q in 0..3 {
            (c.sum[q], c.difference[q]) = (k * c.sum[q], k * c.difference[q]);
        }
        for i in 0..D {
            c.normal[i] = k * c.normal[i];
            for j in 0..D {
                c.stretch[i][j] = k * c.stretch[i][j];
            }
        }
        c
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
    const CONVEX: bool = true;
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
    /// 1 along the spring, 1 − r/|z| across it.
    #[inline(always)]
    fn curvature<R: Real>(&self, shape: &[R], z: &Local<R, 1>) -> Curvature<R, 1> {
        let mut c = Curvature::uniform(R::one());
        let n = dot(z[0], z[0]).sqrt();
        let some = n.gt(R::splat(1e-150));
        let inv = R::one() / R::select(some, n, R::one());
        let across = R::select(some, R::one() - shape[0] * inv, R::zero()).max(R::zero());
        let along = select3::<R>(some, scale(inv, z[0]), c.u[0]);
        // Two directions across: the smallest entry of `along` tells which axis is furthest from it.
        let (x, y) = (along[0].abs(), along[1].abs());
        let first = x.lt(y);
        let axis = [R::select(first, R::one(), R::zero()), R::select(first, R::zero(), R::one()), R::zero()];
        let side = cross(along, axis);
        let side = scale(R::one() / dot(side, side).sqrt(), side);
        c.u = [along, side, cross(along, side)];
        c.normal = [across];
        c
    }
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
