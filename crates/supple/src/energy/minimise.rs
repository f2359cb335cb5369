//! The proximal operator of any isotropic material: min Ψ(σ) + k/2|σ − σ̃|² by a safeguarded Newton method.
//!
//! For materials that do not bring their own. It starts from several points, keeps to the domain and returns the lowest
//! minimum found. One element at a time: fine for experiments; a material that matters overrides
//! [`Isotropic::prox`] with something of its own.

use super::{Domain, Element, Isotropic};
use crate::math::real::Real;

/// The proximal operator, lane after lane.
#[inline(always)]
pub fn prox_lanes<M: Isotropic<D>, R: Real, const D: usize>(m: &M, e: &Element<R>, s: &[R; D]) -> [R; D] {
    let mut out = *s;
    for i in 0..R::LANES {
        let mut target = [0.0; D];
        for a in 0..D {
            target[a] = s[a].lane(i);
        }
        let r = prox(m, &e.lane(i), &target);
        for a in 0..D {
            out[a] = out[a].with_lane(i, r[a]);
        }
    }
    out
}

/// The proximal operator of one element.
pub fn prox<M: Isotropic<D>, const D: usize>(m: &M, e: &Element<f64>, target: &[f64; D]) -> [f64; D] {
    let floor = floor::<M, D>();
    let mut best = *target;
    let mut lowest = f64::INFINITY;
    for start in 0..4 {
        let mut s = *target;
        for (i, a) in s.iter_mut().enumerate() {
            *a = match start {
                0 => *a,
                1 => 1.0,
                2 => 0.5 * (*a + 1.0),
                // Uneven: from equal stretches the others reach only stationary points with equal stretches, which may be saddles.
                _ => *a * if i + 1 == D { 0.25 } else { 1.0 },
            }
            // Away from the boundary, where a barrier is infinite and other energies may be stationary.
            .max(if floor == f64::NEG_INFINITY { floor } else { 0.05 });
        }
        let (found, value) = descend(m, e, target, s);
        if value < lowest {
            (best, lowest) = (found, value);
        }
    }
    best
}

/// The minimiser with every stretch in a range, of one element: the lowest of what is found from every corner, the middle and the point
/// nearest to the target.
#[inline(never)]
pub fn within<M: Isotropic<D>, const D: usize>(
    m: &M,
    e: &Element<f64>,
    target: &[f64; D],
    [least, most]: [f64; 2],
) -> [f64; D] {
    let range = [least.max(floor::<M, D>()), most];
    if most == f64::INFINITY && least <= floor::<M, D>().max(0.0) {
        return prox(m, e, target);
    }
    let mut best = [range[0]; D];
    let mut lowest = f64::INFINITY;
    for start in 0..(1 << D) + 2 {
        let mut s = *target;
        for (a, s) in s.iter_mut().enumerate() {
            *s = match start {
                0 => *s,
                1 => 0.5 * (least + most),
                corner => [least, most][((corner - 2) >> a) & 1],
            }
            // Away from zero, where a barrier is infinite and other energies may be stationary.
            .max(0.05)
            .max(range[0])
            .min(most);
        }
        let (found, value) = descend_within(m, e, target, s, range);
        if value < lowest {
            (best, lowest) = (found, value);
        }
    }
    best
}

/// The smallest stretch of the domain.
fn floor<M: Isotropic<D>, const D: usize>() -> f64 {
    match M::DOMAIN {
        Domain::Signed => f64::NEG_INFINITY,
        Domain::NonNegative => 0.0,
        Domain::Barrier => 1e-12,
    }
}

fn value<M: Isotropic<D>, const D: usize>(m: &M, e: &Element<f64>, target: &[f64; D], s: &[f64; D]) -> f64 {
    let mut v = m.density(e, s);
    for a in 0..D {
        v += 0.5 * e.k * (s[a] - target[a]) * (s[a] - target[a]);
    }
    if v.is_nan() { f64::INFINITY } else { v }
}

/// The minimum in the domain that Newton's method reaches from `s`, and the objective there.
pub(super) fn descend<M: Isotropic<D>, const D: usize>(
    m: &M,
    e: &Element<f64>,
    target: &[f64; D],
    s: [f64; D],
) -> ([f64; D], f64) {
    descend_within(m, e, target, s, [floor::<M, D>(), f64::INFINITY])
}

/// … with every stretch in a range: Newton's method with a line search, stretches at a border held there while the gradient
/// pushes them out.
fn descend_within<M: Isotropic<D>, const D: usize>(
    m: &M,
    e: &Element<f64>,
    target: &[f64; D],
    mut s: [f64; D],
    range: [f64; 2],
) -> ([f64; D], f64) {
    let [floor, ceiling] = range;
    let mut here = value(m, e, target, &s);
    for _ in 0..80 {
        let (mut g, mut h) = (m.gradient(e, &s), m.hessian(e, &s));
        let mut size = e.k.abs();
        for a in 0..D {
            g[a] += e.k * (s[a] - target[a]);
            h[a][a] += e.k;
            size = size.max(h[a][a].abs());
        }
        hold(&s, range, &mut g, &mut h);
        let step = newton_step(&h, &g, size);
        let mut slope = 0.0;
        for a in 0..D {
            slope += g[a] * step[a];
        }
        let mut length = 1.0;
        let mut moved = 0.0f64;
        let mut better = false;
        for _ in 0..60 {
            let mut next = s;
            for a in 0..D {
                let to = s[a] - length * step[a];
                // A barrier is approached by a tenth at most, any other floor is reached.
                let bound = if M::DOMAIN == Domain::Barrier { (0.1 * s[a]).max(floor) } else { floor };
                next[a] = to.max(bound).min(ceiling);
            }
            let there = value(m, e, target, &next);
            if there <= here - 1e-4 * length * slope.max(0.0) || (there <= here && length < 1e-6) {
                moved = 0.0;
                for a in 0..D {
                    moved = moved.max((next[a] - s[a]).abs() / (1e-3 + next[a].abs()));
                }
                better = there < here;
                (s, here) = (next, there);
                break;
            }
            length *= 0.5;
        }
        if !better || moved < 1e-15 {
            break;
        }
    }
    // The last digits: the objective is flat to rounding here, the gradient is not.
    let mut length = f64::INFINITY;
    for _ in 0..12 {
        let (mut g, mut h) = (m.gradient(e, &s), m.hessian(e, &s));
        for a in 0..D {
            g[a] += e.k * (s[a] - target[a]);
            h[a][a] += e.k;
        }
        hold(&s, range, &mut g, &mut h);
        let now = g.iter().map(|g| g * g).sum::<f64>();
        if !(now < length) {
            break;
        }
        length = now;
        let Some(step) = solve(&h, &g) else { break };
        let mut next = s;
        let mut small = true;
        for a in 0..D {
            next[a] -= step[a];
            small &= step[a].abs() <= 1e-4 * (1e-3 + s[a].abs()) && next[a] >= floor && next[a] <= ceiling;
        }
        if !small {
            break;
        }
        s = next;
    }
    (s, value(m, e, target, &s))
}

/// Stretches at a border that the gradient pushes out stay there.
fn hold<const D: usize>(s: &[f64; D], range: [f64; 2], g: &mut [f64; D], h: &mut [[f64; D]; D]) {
    for a in 0..D {
        if (s[a] <= range[0] && g[a] > 0.0) || (s[a] >= range[1] && g[a] < 0.0) {
            g[a] = 0.0;
            for b in 0..D {
                h[a][b] = 0.0;
                h[b][a] = 0.0;
            }
            h[a][a] = 1.0;
        }
    }
}

/// (h + shift)⁻¹ g with the smallest shift, by trial, that makes h positive definite.
fn newton_step<const D: usize>(h: &[[f64; D]; D], g: &[f64; D], size: f64) -> [f64; D] {
    let mut shift = 0.0;
    for _ in 0..40 {
        let mut a = *h;
        for i in 0..D {
            a[i][i] += shift;
        }
        if let Some(step) = solve(&a, g) {
            return step;
        }
        shift = if shift == 0.0 { 1e-3 * size } else { 4.0 * shift };
    }
    *g
}

/// Cholesky solve of a small positive definite system; `None` if it is not one.
fn solve<const D: usize>(a: &[[f64; D]; D], b: &[f64; D]) -> Option<[f64; D]> {
    let mut l = [[0.0; D]; D];
    for j in 0..D {
        for i in j..D {
            let mut v = a[i][j];
            for q in 0..j {
                v -= l[i][q] * l[j][q];
            }
            if i == j {
                if !(v > 1e-14 * a[j][j].abs() && v.is_finite()) {
                    return None;
                }
                l[j][j] = v.sqrt();
            } else {
                l[i][j] = v / l[j][j];
            }
        }
    }
    let mut x = *b;
    for i in 0..D {
        for q in 0..i {
            x[i] -= l[i][q] * x[q];
        }
        x[i] /= l[i][i];
    }
    for i in (0..D).rev() {
        for q in i + 1..D {
            x[i] -= l[q][i] * x[q];
        }
        x[i] /= l[i][i];
    }
    Some(x)
}
