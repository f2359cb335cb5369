//! Energies from sets: the projective-dynamics energy (26) with its proximal operator (30)–(31), and hard constraints (38), (39).

use super::{Curvature, Domain, Element, Manifold, Potential};
use crate::math::real::Real;
use crate::math::small::{
    Local, combine, compose, cross, dot, minus, mul, norm2, scale, select3, transpose, zeros,
};
use crate::math::stretches::stretches;
use crate::math::svd::svd;

/// Ψ(z) = k/2·dist(z, C)², eq. (26). Numbers of an element: k, then the set's own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Soft<C>(pub C);

impl<C: Manifold<D>, const D: usize> Potential<D> for Soft<C> {
    const PARAMS: usize = 1 + C::PARAMS;
    // Of matrices with more than one column there are only limits and bending.
    const BESIDE: bool = C::BESIDE;
    const QUADRATIC: bool = C::ORIGIN;
    fn name(&self) -> &'static str {
        self.0.name()
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
    fn minds_inversion(&self) -> bool {
        C::MINDS_INVERSION
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

/// The characteristic function of a set (38): no energy on it, infinite elsewhere. Numbers of an element: the set's own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hard<C>(pub C);

impl<C: Manifold<D>, const D: usize> Potential<D> for Hard<C> {
    const PARAMS: usize = C::PARAMS;
    const HARD: bool = true;
    const BESIDE: bool = true;
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn domain(&self) -> Domain {
        Domain::Signed
    }
    /// Nothing: x comes near to the set as the iteration converges; how near is reported separately.
    #[inline(always)]
    fn energy_and_stress<R: Real>(&self, _e: &Element<R>, _z: &Local<R, D>) -> (R, Local<R, D>) {
        (R::zero(), zeros())
    }
    fn minds_inversion(&self) -> bool {
        false
    }
    /// Eq. (39).
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, y: &Local<R, D>, _warm: &mut R) -> Local<R, D> {
        self.0.project(&e.param, y)
    }
}

/// A point: soft anchors. Numbers: x, y, z.
#[derive(Clone, Copy, Debug, Default)]
pub struct Point;

impl Manifold<1> for Point {
    const PARAMS: usize = 3;
    const BESIDE: bool = false;
    fn name(&self) -> &'static str {
        "anchor"
    }
    const MINDS_INVERSION: bool = false;
    #[inline(always)]
    fn project<R: Real>(&self, shape: &[R], _y: &Local<R, 1>) -> Local<R, 1> {
        [[shape[0], shape[1], shape[2]]]
    }
}

/// y/|y| and |y|, scaled by its largest entry first so that the square neither overflows nor vanishes; direction x for the origin.
#[inline(always)]
fn unit_and_length<R: Real>(v: [R; 3]) -> ([R; 3], R) {
    let m = v[0].abs().max(v[1].abs()).max(v[2].abs());
    let some = m.gt(R::splat(1e-300));
    let w = scale(R::one() / R::select(some, m, R::one()), v);
    let n = dot(w, w).sqrt();
    let unit = scale(R::one() / R::select(some, n, R::one()), w);
    (select3::<R>(some, unit, [R::one(), R::zero(), R::zero()]), n * m)
}

/// The vector nearest to y with a length in [least, most]; of the origin, which has no nearest one, one in direction x.
#[inline(always)]
fn clamp_length<R: Real>(y: [R; 3], least: R, most: R) -> [R; 3] {
    let (unit, length) = unit_and_length(y);
    let fits = length.ge(least) & length.le(most);
    select3::<R>(fits, y, scale(length.max(least).min(most), unit))
}

/// Vectors with a length between two: springs and rods (least = greatest), ropes and springs that only pull (least = 0), bending,
/// fibres. Numbers: least and greatest length. The name is for messages.
#[derive(Clone, Copy, Debug)]
pub struct Lengths(pub &'static str);

impl Manifold<1> for Lengths {
    const PARAMS: usize = 2;
    const BESIDE: bool = false;
    fn name(&self) -> &'static str {
        self.0
    }
    #[inline(always)]
    fn project<R: Real>(&self, shape: &[R], y: &Local<R, 1>) -> Local<R, 1> {
        [clamp_length(y[0], shape[0], shape[1])]
    }
    /// Outside of the lengths allowed 1 along z and 1 − r/|z| across it, r the nearest length; nothing within.
    #[inline(always)]
    fn curvature<R: Real>(&self, shape: &[R], z: &Local<R, 1>) -> Curvature<R, 1> {
        let (o, l) = (R::zero(), R::one());
        let mut c = Curvature::uniform(l);
        let (along, n) = unit_and_length(z[0]);
        let within = n.gt(shape[0]) & n.lt(shape[1]);
        let nearest = n.max(shape[0]).min(shape[1]);
        let some = n.gt(R::splat(1e-150));
        // A length of zero is a point: it is as stiff across.
        let across = R::select(some, l - nearest / R::select(some, n, l), o).max(o);
        let across = R::select(shape[1].gt(o), across, l);
        // Two directions across: the smallest entry of `along` tells which axis is furthest from it.
        let (x, y) = (along[0].abs(), along[1].abs());
        let first = x.lt(y);
        let axis = [R::select(first, l, o), R::select(first, o, l), o];
        let side = cross(along, axis);
        let side = scale(l / dot(side, side).sqrt(), side);
        c.u = [along, side, cross(along, side)];
        c.stretch = [[R::select(within, o, l)]];
        c.normal = [R::select(within, o, across)];
        c
    }
}

/// The zero matrix: bending towards being flat.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flat;

impl Manifold<3> for Flat {
    const PARAMS: usize = 0;
    const BESIDE: bool = true;
    const MINDS_INVERSION: bool = false;
    const ORIGIN: bool = true;
    fn name(&self) -> &'static str {
        "bending"
    }
    #[inline(always)]
    fn project<R: Real>(&self, _shape: &[R], _y: &Local<R, 3>) -> Local<R, 3> {
        zeros()
    }
}

/// A matrix C however it is turned: bending towards a curved rest shape, folded to either side. The nearest RC has the rotation of
/// y Cᵀ. Numbers: C by columns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turned;

impl Manifold<3> for Turned {
    const PARAMS: usize = 9;
    const BESIDE: bool = true;
    // What is flat here is no element turned inside out.
    const MINDS_INVERSION: bool = false;
    fn name(&self) -> &'static str {
        "bending"
    }
    #[inline(always)]
    fn project<R: Real>(&self, shape: &[R], y: &Local<R, 3>) -> Local<R, 3> {
        let c =
            [[shape[0], shape[1], shape[2]], [shape[3], shape[4], shape[5]], [shape[6], shape[7], shape[8]]];
        let d = svd(&mul(y, &transpose(&c)));
        mul(&mul(&d.u, &transpose(&d.v)), &c)
    }
}

/// Strains of a sheet that are allowed. Numbers: least, which is not negative, and greatest.
#[derive(Clone, Copy, Debug)]
pub enum SheetStrains {
    /// In every direction: the singular values of F.
    Stretches,
    /// Along warp and weft: the lengths of the columns of F (Fig. 4).
    Threads,
}

impl Manifold<2> for SheetStrains {
    const PARAMS: usize = 2;
    const BESIDE: bool = true;
    fn name(&self) -> &'static str {
        "strain limit"
    }
    #[inline(always)]
    fn project<R: Real>(&self, shape: &[R], y: &Local<R, 2>) -> Local<R, 2> {
        let (least, most) = (shape[0], shape[1]);
        match self {
            SheetStrains::Threads => [clamp_length(y[0], least, most), clamp_length(y[1], least, most)],
            SheetStrains::Stretches => {
                let d = stretches(y);
                let s = [d.s[0].max(least).min(most), d.s[1].max(least).min(most)];
                // What lies within is not touched by rounding.
                let fits = d.s[1].ge(least) & d.s[0].le(most);
                let z = d.compose(y, s);
                [select3::<R>(fits, y[0], z[0]), select3::<R>(fits, y[1], z[1])]
            }
        }
    }
}

/// Strains of a solid that are allowed: the singular values of F lie between two. Numbers: the least, which is not negative, and
/// the greatest.
#[derive(Clone, Copy, Debug, Default)]
pub struct SolidStrains;

impl Manifold<3> for SolidStrains {
    const PARAMS: usize = 2;
    const BESIDE: bool = true;
    fn name(&self) -> &'static str {
        "strain limit"
    }
    #[inline(always)]
    fn project<R: Real>(&self, shape: &[R], y: &Local<R, 3>) -> Local<R, 3> {
        let d = svd(y);
        let mut s = d.s;
        for s in &mut s {
            *s = s.max(shape[0]).min(shape[1]);
        }
        let fits = d.s[2].ge(shape[0]) & d.s[0].le(shape[1]);
        let z = compose(&d.u, s, &d.v);
        let mut out = *y;
        for j in 0..3 {
            out[j] = select3::<R>(fits, y[j], z[j]);
        }
        out
    }
}
