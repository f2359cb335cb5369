//! The sure way to a proximal operator: from many starts to the lowest minimum, one element at a time.
//!
//! Materials solve the plain elements in lanes and know when their answer is the only minimum; the others, mostly
//! inverted, collapsed or strongly stretched, come here. Where a material's objective has several minima, they differ in
//! which stretches are small: all stretches near the input, one or two of them squeezed, or all of them.

use super::{Domain, Element, Isotropic, minimise};
use crate::math::real::{Mask, Real};

/// Replaces the answer in the lanes that `hard` names.
#[inline(always)]
pub fn settle<M: Isotropic<3>, R: Real>(
    m: &M,
    e: &Element<R>,
    target: &[R; 3],
    answer: &mut [R; 3],
    hard: R::Mask,
) {
    if hard.any() {
        for i in 0..R::LANES {
            if hard.lane(i) {
                let r = global(m, &e.lane(i), &[target[0].lane(i), target[1].lane(i), target[2].lane(i)]);
                for a in 0..3 {
                    answer[a] = answer[a].with_lane(i, r[a]);
                }
            }
        }
    }
}

/// 2⁻²⁸.
const POINT: f64 = 3.725_290_298_461_914e-9;

/// The minimiser of Ψ(σ) + k/2|σ − σ̃|² over the domain; σ̃ in order.
#[inline(never)]
pub fn global<M: Isotropic<3>>(m: &M, e: &Element<f64>, target: &[f64; 3]) -> [f64; 3] {
    let [a, b, c] = *target;
    let mean = (a + b + c) / 3.0;
    let small = (1.0 / (a * b).max(1.0)).min(0.1);
    let mut starts = [
        *target,
        [1.0; 3],
        target.map(|t| 0.5 * (t + 1.0)),
        [a, b, small],
        [a, small.sqrt(), small.sqrt()],
        [mean; 3],
        [0.2 * mean; 3],
        [0.5; 3],
        [a, b, c.abs()],
        [a, b, -small],
        [a.max(1.0), b.max(1.0), -1.0],
    ];
    if M::DOMAIN != Domain::Signed {
        // Away from the boundary, where a barrier is infinite and other energies may be stationary.
        for s in starts.iter_mut().flatten() {
            *s = s.max(0.01);
        }
    }
    let (mut best, mut lowest) = (*target, f64::INFINITY);
    for mut start in starts {
        // Equal stretches would stay equal, also where that is a saddle.
        start[0] *= 1.02;
        start[2] *= 0.98;
        let (found, value) = minimise::descend(m, e, target, start);
        if value < lowest {
            (best, lowest) = (found, value);
        }
    }
    if M::DOMAIN == Domain::Barrier && a <= 1e-8 && best.iter().all(|s| *s < 1e-6) {
        // Shrunk to a point, which costs some energies a bounded amount: a small cube, of a power of two so that formulas of
        // the stretches give no rounding.
        return [POINT; 3];
    }
    in_order(best)
}

/// The same stretches with σ1 ≥ σ2 ≥ |σ3|: of equal minima the one in the order of the input.
fn in_order(mut s: [f64; 3]) -> [f64; 3] {
    let negative = s.iter().filter(|a| **a < 0.0).count() % 2 == 1;
    s.sort_by(|a, b| b.abs().total_cmp(&a.abs()));
    let s = s.map(f64::abs);
    [s[0], s[1], if negative { -s[2] } else { s[2] }]
}
