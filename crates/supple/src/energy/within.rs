//! The minimiser of Ψ(σ) + k/2|σ − σ̃|² with both stretches of a sheet in a range, by Newton's method in lanes.
//!
//! One loop finds it inside, on an edge of the range or in a corner (projected Newton method, Bertsekas 1982): a stretch at a border
//! whose derivative points outwards is held, the others take Newton's step, and a step that would leave the range ends at its
//! border. Where no step is left the derivative vanishes or points outwards. If the objective is convex, in the stretches or in an increasing
//! function of each, of which the range is a range too, there is one such point: the minimiser.

use super::{Element, Isotropic, minimise};
use crate::math::real::{Mask, Real};

/// A law whose objective has one minimum in every range.
pub(super) trait Unimodal: Isotropic<2> {
    /// The objective's derivative at z, and a positive definite matrix that is its second derivative at the minimum: 11, 12, 22.
    fn model<R: Real>(&self, e: &Element<R>, s: &[R; 2], z: &[R; 2]) -> ([R; 2], [R; 3]);
}

/// The minimiser with both stretches in the range, from a start; σ̃ ≥ 0.
#[inline(always)]
pub(super) fn newton<M: Unimodal, R: Real>(
    m: &M,
    e: &Element<R>,
    s: &[R; 2],
    start: &[R; 2],
    range: [R; 2],
) -> [R; 2] {
    let (o, l) = (R::zero(), R::one());
    let [least, most] = range;
    let mut z = hold(start, range);
    let mut busy = o.lt(l);
    for _ in 0..40 {
        let (mut g, [first, mut cross, second]) = m.model(e, s, &z);
        for a in 0..2 {
            let held = (z[a].le(least) & g[a].gt(o)) | (z[a].ge(most) & g[a].lt(o));
            (g[a], cross) = (R::select(held, o, g[a]), R::select(held, o, cross));
        }
        let inv = l / (first * second - cross * cross);
        let step = [(second * g[0] - cross * g[1]) * inv, (first * g[1] - cross * g[0]) * inv];
        let mut moving = o.lt(o);
        for a in 0..2 {
            let next = (z[a] - step[a]).max(R::splat(0.2) * z[a]).min(R::splat(5.0) * z[a] + l);
            let next = next.max(least).min(most);
            // Not less than: NaN continues, and is found below.
            moving = moving | !(next - z[a]).abs().le(R::splat(1e-12) * next + R::splat(1e-14));
            z[a] = R::select(busy, next, z[a]);
        }
        busy = busy & moving;
        if !busy.any() {
            break;
        }
    }
    settle(m, e, s, range, z, busy)
}

/// Stretches at the border where they are beyond it.
#[inline(always)]
pub(super) fn hold<R: Real>(z: &[R; 2], [least, most]: [R; 2]) -> [R; 2] {
    [z[0].max(least).min(most), z[1].max(least).min(most)]
}

/// Replaces the answer in the lanes that `hard` names, by a search from many starts.
#[inline(always)]
pub(super) fn settle<M: Isotropic<D>, R: Real, const D: usize>(
    m: &M,
    e: &Element<R>,
    s: &[R; D],
    range: [R; 2],
    mut z: [R; D],
    hard: R::Mask,
) -> [R; D] {
    if hard.any() {
        for i in 0..R::LANES {
            if hard.lane(i) {
                let mut target = [0.0; D];
                for a in 0..D {
                    target[a] = s[a].lane(i);
                }
                let found = minimise::within(m, &e.lane(i), &target, [range[0].lane(i), range[1].lane(i)]);
                for a in 0..D {
                    z[a] = z[a].with_lane(i, found[a]);
                }
            }
        }
    }
    z
}

/// For any isotropic law: the free minimiser where it lies in the range, else a search.
#[inline(always)]
pub(super) fn any<M: Isotropic<D>, R: Real, const D: usize>(
    m: &M,
    e: &Element<R>,
    s: &[R; D],
    range: [R; 2],
    warm: &mut R,
) -> [R; D] {
    let free = m.prox(e, s, warm);
    let mut held = free;
    let mut outside = R::zero().lt(R::zero());
    for a in 0..D {
        held[a] = free[a].max(range[0]).min(range[1]);
        outside = outside | !(free[a].ge(range[0]) & free[a].le(range[1]));
    }
    // Independent stretches are held one by one.
    if M::PROJECTIVE { held } else { settle(m, e, s, range, held, outside) }
}
