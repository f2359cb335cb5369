//! St. Venant–Kirchhoff: Ψ = μ‖E‖² + λ/2 tr²E with E = ½(FᵀF − I). Numbers: μ, λ.
//!
//! The energy does not see a reflection, so its proximal operator keeps σ ≥ 0 (section 4.2 of the paper). With t = tr E and
//! p = λt − μ + k its stationarity is s_i(μs_i² + p) = kσ̃_i.
//!
//! For σ̃ ≥ 0 the objective is convex in the squares of the stretches, and a Newton method whose curvature is bounded
//! below by k|σ̃|/s never fails. An inverted input (σ̃3 < 0) has a minimiser on the boundary σ3 = 0, and for small k
//! perhaps a lower one inside: both are found and compared, element by element.

use super::{Domain, Element, Isotropic, Solid};
use crate::math::real::{Mask, Real};
use crate::math::small::{Mat3, dot, mul, norm2, scale};

/// The St. Venant–Kirchhoff material.
#[derive(Clone, Copy, Debug, Default)]
pub struct StVenantKirchhoff;

impl Isotropic<3> for StVenantKirchhoff {
    const PARAMS: usize = 2;
    const DOMAIN: Domain = Domain::NonNegative;
    const NAME: &'static str = "st_venant_kirchhoff";
    #[inline(always)]
    fn density<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> R {
        let half = R::splat(0.5);
        let g = [
            half * (s[0] * s[0] - R::one()),
            half * (s[1] * s[1] - R::one()),
            half * (s[2] * s[2] - R::one()),
        ];
        let t = g[0] + g[1] + g[2];
        e.param[0] * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) + half * e.param[1] * t * t
    }
    #[inline(always)]
    fn gradient<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [R; 3] {
        let (mu, p) = (e.param[0], pressure(e, s));
        [s[0] * (mu * s[0] * s[0] + p), s[1] * (mu * s[1] * s[1] + p), s[2] * (mu * s[2] * s[2] + p)]
    }
    #[inline(always)]
    fn hessian<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [[R; 3]; 3] {
        let (mu, lambda, p) = (e.param[0], e.param[1], pressure(e, s));
        let mut h = [[R::zero(); 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                h[i][j] = lambda * s[i] * s[j];
            }
            h[i][i] += R::splat(3.0) * mu * s[i] * s[i] + p;
        }
        h
    }
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, s: &[R; 3], _warm: &mut R) -> [R; 3] {
        let mut out = newton(e, s);
        let inverted = s[2].lt(R::zero());
        if inverted.any() {
            for i in 0..R::LANES {
                if inverted.lane(i) {
                    let r = inverted_prox(&e.lane(i), &[s[0].lane(i), s[1].lane(i), s[2].lane(i)]);
                    for a in 0..3 {
                        out[a] = out[a].with_lane(i, r[a]);
                    }
                }
            }
        }
        out
    }
}

impl Solid for StVenantKirchhoff {
    /// μ‖E‖² + λ/2 tr²E and P = F(2μE + λ tr E I).
    #[inline(always)]
    fn energy_and_stress_at<R: Real>(&self, e: &Element<R>, f: &Mat3<R>) -> (R, Mat3<R>) {
        let (mu, lambda) = (e.param[0], e.param[1]);
        let (mut g, t) = green(f);
        let energy = mu * norm2(&g) + R::splat(0.5) * lambda * t * t;
        for j in 0..3 {
            g[j] = scale(mu + mu, g[j]);
            g[j][j] += lambda * t;
        }
        (energy, mul(f, &g))
    }
}

/// λt − μ, t = Σ(s² − 1)/2.
#[inline(always)]
fn pressure<R: Real>(e: &Element<R>, s: &[R; 3]) -> R {
    let t = R::splat(0.5) * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - R::splat(3.0));
    e.param[1] * t - e.param[0]
}

/// E = ½(FᵀF − I) and its trace.
#[inline(always)]
fn green<R: Real>(f: &Mat3<R>) -> (Mat3<R>, R) {
    let half = R::splat(0.5);
    let mut g = *f;
    for j in 0..3 {
        for i in 0..3 {
            g[j][i] = half * dot(f[i], f[j]);
        }
        g[j][j] -= half;
    }
    (g, g[0][0] + g[1][1] + g[2][2])
}

/// The minimiser for σ̃ ≥ 0 (lanes with σ̃3 < 0 give a finite answer that the caller replaces).
#[inline(always)]
fn newton<R: Real>(e: &Element<R>, target: &[R; 3]) -> [R; 3] {
    let (mu, lambda, k) = (e.param[0], e.param[1], e.k);
    let (o, l) = (R::zero(), R::one());
    let b = [k * target[0].max(o), k * target[1].max(o), k * target[2].max(o)];
    // σ = 0 is stationary: start away from it.
    let low = R::splat(0.1);
    let mut s = [target[0].max(low), target[1].max(low), target[2].max(low)];
    let two_mu = mu + mu;
    let mut busy = o.lt(l);
    for _ in 0..60 {
        let p = pressure(e, &s) + k;
        let mut d = s;
        // (diag(a) + λ s sᵀ) d = −g by Sherman–Morrison.
        let (mut sd, mut ss) = (o, o);
        let mut w = s;
        for i in 0..3 {
            let m = mu * s[i] * s[i];
            let g = s[i] * (m + p) - b[i];
            let a = (two_mu * s[i] * s[i] + b[i] / s[i]).max(m + m + m + p).max(R::splat(1e-3) * k);
            let inv = l / a;
            d[i] = g * inv;
            w[i] = s[i] * inv;
            sd += s[i] * d[i];
            ss += s[i] * w[i];
        }
        let f = lambda * sd / (l + lambda * ss);
        let mut moving = o.lt(o);
        for i in 0..3 {
            let next = s[i] - d[i] + f * w[i];
            let next = next.max(R::splat(0.2) * s[i]).min(R::splat(5.0) * s[i] + l);
            moving = moving | (next - s[i]).abs().gt(R::splat(1e-9) * next + R::splat(1e-12));
            s[i] = R::select(busy, next, s[i]);
        }
        busy = busy & moving;
        if !busy.any() {
            break;
        }
    }
    // Where b = 0 the stretch creeps towards zero by factors: it is zero.
    for i in 0..3 {
        s[i] = R::select(b[i].le(o) & s[i].lt(R::splat(1e-8)), o, s[i]);
    }
    s
}

/// Objective Ψ + k/2|σ − σ̃|² of one element.
fn objective(e: &Element<f64>, s: &[f64; 3], target: &[f64; 3]) -> f64 {
    let d = [s[0] - target[0], s[1] - target[1], s[2] - target[2]];
    StVenantKirchhoff.density(e, s) + 0.5 * e.k * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
}

/// The minimiser over σ ≥ 0 for an inverted input, by a search over σ3: for each the other two are a convex problem.
#[inline(never)]
fn inverted_prox(e: &Element<f64>, target: &[f64; 3]) -> [f64; 3] {
    let (mu, lambda, k) = (e.param[0], e.param[1], e.k);
    let two = |third: f64| -> [f64; 3] {
        let s = newton_two(e, target, third);
        [s[0], s[1], third]
    };
    let best = two(0.0);
    let lowest = objective(e, &best, target);
    // Inside, stationarity asks for μs² + p < 0; p ≥ k − μ − 3/2 λ if λ ≥ 0.
    let reach = (mu + 1.5 * lambda - k) / mu;
    if reach <= 0.0 && lambda >= 0.0 {
        return best;
    }
    let top = if lambda >= 0.0 { reach.sqrt() } else { 2.0 + target[0] };
    let value = |t: f64| objective(e, &two(t), target);
    // The valley is about as wide as 1 whatever the reach: half of the samples up to 2, half from there on.
    const STEPS: usize = 24;
    let near = top.min(2.0);
    let sample = |i: usize| match i.checked_sub(STEPS) {
        None => near * i as f64 / STEPS as f64,
        Some(j) => near * crate::math::elementary::pow(top / near, j as f64 / STEPS as f64),
    };
    let (mut at, mut found) = (0, lowest);
    for i in 1..=2 * STEPS {
        let v = value(sample(i));
        if v < found {
            (at, found) = (i, v);
        }
    }
    if at == 0 {
        return best;
    }
    // The derivative along the valley is the third equation's residual: bisect it around the best sample.
    let slope = |t: f64| {
        let s = two(t);
        t * (mu * t * t + pressure(e, &s) + k) - k * target[2]
    };
    let (mut low, mut high) = (sample(at - 1), sample((at + 1).min(2 * STEPS)));
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if slope(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let z = two(0.5 * (low + high));
    let v = objective(e, &z, target);
    if v < lowest { z } else { best }
}

/// σ1 and σ2 of the minimiser with σ3 given, by the same Newton method.
fn newton_two(e: &Element<f64>, target: &[f64; 3], third: f64) -> [f64; 2] {
    let (mu, lambda, k) = (e.param[0], e.param[1], e.k);
    let b = [k * target[0].max(0.0), k * target[1].max(0.0)];
    let mut s = [target[0].max(0.1), target[1].max(0.1)];
    for _ in 0..100 {
        let p = pressure(e, &[s[0], s[1], third]) + k;
        let (mut d, mut w, mut sd, mut ss) = ([0.0; 2], [0.0; 2], 0.0, 0.0);
        for i in 0..2 {
            let m = mu * s[i] * s[i];
            let g = s[i] * (m + p) - b[i];
            let a = Real::max(Real::max(2.0 * m + b[i] / s[i], 3.0 * m + p), 1e-3 * k);
            d[i] = g / a;
            w[i] = s[i] / a;
            sd += s[i] * d[i];
            ss += s[i] * w[i];
        }
        let f = lambda * sd / (1.0 + lambda * ss);
        let mut moving = false;
        for i in 0..2 {
            let next = (s[i] - d[i] + f * w[i]).max(0.2 * s[i]).min(5.0 * s[i] + 1.0);
            moving |= (next - s[i]).abs() > 1e-15 * next + 1e-18;
            s[i] = next;
        }
        if !moving {
            break;
        }
    }
    for i in 0..2 {
        if b[i] <= 0.0 && s[i] < 1e-8 {
            s[i] = 0.0;
        }
    }
    s
}
