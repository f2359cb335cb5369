//! A membrane together with its strain limit: Ψ(σ) where every stretch lies between two, infinite elsewhere. One term with one
//! proximal operator, the exact minimiser of both; clamping the membrane's own is not, unless its stretches are independent.

use super::{Curvature, Domain, Element, Isotropic, Membrane, Potential};
use crate::math::real::{Mask, Real};
use crate::math::small::Local;
use crate::math::svd2::{compose2, svd2};

/// A law of sheets and a limit. Numbers of an element: the law's, then the least stretch, not negative, and the greatest.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limited<M>(pub M);

impl<M: Isotropic<2>> Limited<M> {
    #[inline(always)]
    fn range<R: Real>(e: &Element<R>) -> (R, R) {
        (e.param[M::PARAMS], e.param[M::PARAMS + 1])
    }

    /// The minimiser of Ψ(σ) + k/2|σ − σ̃|² with both stretches in the range.
    #[inline(always)]
    fn stretches<R: Real>(&self, e: &Element<R>, s: &[R; 2], warm: &mut R) -> [R; 2] {
        let (least, most) = Self::range(e);
        let free = self.0.prox(e, s, warm);
        let held = [free[0].max(least).min(most), free[1].max(least).min(most)];
        let fits = [free[0].ge(held[0]) & free[0].le(held[0]), free[1].ge(held[1]) & free[1].le(held[1])];
        let outside = !(fits[0] & fits[1]);
        // Independent stretches are held one by one.
        if M::PROJECTIVE || !outside.any() {
            return held;
        }
        if !M::CONVEX {
            return self.slow_lanes(e, s, held, outside);
        }
        // Every way from inside the range to the free minimum goes down, and leaves the range where a stretch of the minimum does.
        let first = self.edge(e, s, 0, held[0]);
        let second = self.edge(e, s, 1, held[1]);
        let both = !fits[0] & !fits[1];
        let take = (!fits[0] & fits[1]) | (both & self.value(e, s, &first).le(self.value(e, s, &second)));
        let mut z = held;
        for a in 0..2 {
            z[a] = R::select(outside, R::select(take, first[a], second[a]), held[a]);
        }
        z
    }

    #[inline(always)]
    fn value<R: Real>(&self, e: &Element<R>, s: &[R; 2], z: &[R; 2]) -> R {
        let (a, b) = (z[0] - s[0], z[1] - s[1]);
        self.0.density(e, z) + R::splat(0.5) * e.k * (a * a + b * b)
    }

    /// The minimiser with stretch i held: Newton's method for the other one, which bisects where it would leave its bracket.
    #[inline(always)]
    fn edge<R: Real>(&self, e: &Element<R>, s: &[R; 2], i: usize, held: R) -> [R; 2] {
        let (least, most) = Self::range(e);
        let (mut low, mut high) = (least, most);
        let j = 1 - i;
        let mut z = [held; 2];
        z[j] = s[j].max(least).min(most);
        for _ in 0..60 {
            let g = self.0.gradient(e, &z)[j] + e.k * (z[j] - s[j]);
            let h = self.0.hessian(e, &z)[j][j] + e.k;
            let up = g.lt(R::zero());
            (low, high) = (R::select(up, z[j], low), R::select(up, high, z[j]));
            let rising = h.gt(R::zero());
            let newton = z[j] - g / R::select(rising, h, R::one());
            let inside = rising & newton.ge(low) & newton.le(high);
            let other = R::select(newton.lt(low), low, R::select(newton.gt(high), high, newton));
            // A step beyond the range itself ends at its border; one beyond the bracket halves it.
            let border = rising & (other.le(least) | other.ge(most));
            let next = R::select(inside, newton, R::select(border, other, R::splat(0.5) * (low + high)));
            let moved = (next - z[j]).abs().gt(R::splat(2e-16) * next);
            z[j] = next;
            if !moved.any() {
                break;
            }
        }
        z
    }

    #[inline(always)]
    fn slow_lanes<R: Real>(&self, e: &Element<R>, s: &[R; 2], held: [R; 2], outside: R::Mask) -> [R; 2] {
        let mut z = held;
        for i in 0..R::LANES {
            if outside.lane(i) {
                let r = self.slowly(&e.lane(i), &[s[0].lane(i), s[1].lane(i)]);
                z = [z[0].with_lane(i, r[0]), z[1].with_lane(i, r[1])];
            }
        }
        z
    }

    /// The lowest point on the border of the range: of each edge its corners and what Newton's method finds from both ends.
    #[inline(never)]
    fn slowly(&self, e: &Element<f64>, s: &[f64; 2]) -> [f64; 2] {
        let (least, most) = Self::range(e);
        let mut best = [least; 2];
        let mut lowest = f64::INFINITY;
        for i in 0..2 {
            for held in [least, most] {
                for start in [least, most, s[1 - i]] {
                    let mut ends = [held; 2];
                    ends[1 - i] = start.clamp(least, most);
                    for z in [ends, self.descend(e, s, i, ends)] {
                        let value = self.value(e, s, &z);
                        if value < lowest {
                            (best, lowest) = (z, value);
                        }
                    }
                }
            }
        }
        best
    }

    /// From a point of an edge to the minimum below it, by steps that are halved until they go down.
    fn descend(&self, e: &Element<f64>, s: &[f64; 2], i: usize, start: [f64; 2]) -> [f64; 2] {
        let (least, most) = Self::range(e);
        let (mut z, j) = (start, 1 - i);
        for _ in 0..60 {
            let g = self.0.gradient(e, &z)[j] + e.k * (z[j] - s[j]);
            let h = (self.0.hessian(e, &z)[j][j] + e.k).max(0.1 * e.k);
            let mut step = g / h;
            let mut next = z;
            for _ in 0..50 {
                next[j] = (z[j] - step).clamp(least, most);
                if self.value(e, s, &next) <= self.value(e, s, &z) {
                    break;
                }
                step *= 0.5;
            }
            let moved = (next[j] - z[j]).abs() > 1e-16;
            z = next;
            if !moved {
                break;
            }
        }
        z
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
    /// Those of the membrane, in the range or out of it; how far out is told apart.
    #[inline(always)]
    fn energy_and_stress<R: Real>(&self, e: &Element<R>, f: &Local<R, 2>) -> (R, Local<R, 2>) {
        Membrane(self.0.clone()).energy_and_stress(e, f)
    }
    #[inline(always)]
    fn off<R: Real>(&self, e: &Element<R>, f: &Local<R, 2>) -> R {
        let s = svd2(f).s;
        let (least, most) = Self::range(e);
        let (a, b) = (s[0] - s[0].max(least).min(most), s[1] - s[1].max(least).min(most));
        a * a + b * b
    }
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, f: &Local<R, 2>, warm: &mut R) -> Local<R, 2> {
        let d = svd2(f);
        compose2(&d.u, self.stretches(e, &d.s, warm), &d.v)
    }
    #[inline(always)]
    fn curvature<R: Real>(&self, e: &Element<R>, f: &Local<R, 2>) -> Curvature<R, 2> {
        Membrane(self.0.clone()).curvature(e, f)
    }
}
