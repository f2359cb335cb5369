//! Neo-Hookean: Ψ = μ/2(I₁ − 3) − μ ln J + λ/2 ln²J, infinite unless J > 0. Numbers: μ, λ.
//!
//! The proximal operator is a problem in one unknown. With α = μ + k and b_i = kσ̃_i, stationarity reads
//! ασ_i² − b_iσ_i − c = 0 for all i, where c = μ − λ ln(σ1σ2σ3): so σ_i(c) is the positive root, and c solves
//! G(c) = λ ln Πσ_i(c) + c − μ = 0, which is increasing and concave. (c, not ln J: then λ = 0 needs one step, and
//! λ → ∞ has no cancellation.) Halley's method from the element's last c takes two or three iterations.
//!
//! Under a strong stretch with k ≪ λ the smallest stretch may lie on the other branch of the quadratic. That needs
//! Πb_i > 2α³ e^(μ/λ); such elements are solved one by one by a scan that compares both branches.

use super::{Domain, Element, Isotropic, Lame, Solid};
use crate::error::ParameterError;
use crate::math::real::{Mask, Real};
use crate::math::small::{Mat3, cofactor, combine, dot, norm2};

/// The neo-Hookean material.
#[derive(Clone, Copy, Debug, Default)]
pub struct NeoHookean;

impl Isotropic<3> for NeoHookean {
    const PARAMS: usize = 2;
    const DOMAIN: Domain = Domain::Barrier;
    const NAME: &'static str = "neo_hookean";
    #[inline(always)]
    fn density<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> R {
        let l = ln_product(s);
        invariants(e, s[0] * s[0] + s[1] * s[1] + s[2] * s[2], l)
    }
    #[inline(always)]
    fn gradient<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [R; 3] {
        let (mu, lambda) = (e.param[0], e.param[1]);
        let c = mu - lambda * ln_product(s);
        [mu * s[0] - c / s[0], mu * s[1] - c / s[1], mu * s[2] - c / s[2]]
    }
    #[inline(always)]
    fn hessian<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [[R; 3]; 3] {
        let (mu, lambda) = (e.param[0], e.param[1]);
        let c = mu - lambda * ln_product(s) + lambda;
        let i = [R::one() / s[0], R::one() / s[1], R::one() / s[2]];
        let mut h = [[R::zero(); 3]; 3];
        for a in 0..3 {
            for b in 0..3 {
                h[a][b] = lambda * i[a] * i[b];
            }
            h[a][a] = mu + c * i[a] * i[a];
        }
        h
    }
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, s: &[R; 3], warm: &mut R) -> [R; 3] {
        prox(e, s, warm)
    }
    /// c at rest.
    fn cold(&self, e: &Element<f64>) -> f64 {
        e.param[0]
    }
}

impl Solid for NeoHookean {
    fn check(&self, numbers: &[f64]) -> Result<(), ParameterError> {
        let name = <Self as Isotropic<3>>::NAME;
        Lame::of(numbers).not_below_zero(name, "its energy falls without bound as the volume vanishes")
    }
    /// P = μF + (λ ln J − μ) F⁻ᵀ.
    #[inline(always)]
    fn energy_and_stress_at<R: Real>(&self, e: &Element<R>, f: &Mat3<R>) -> (R, Mat3<R>) {
        let (mu, lambda) = (e.param[0], e.param[1]);
        let cof = cofactor(f);
        let j = dot(f[0], cof[0]);
        let l = j.ln();
        let energy = R::select(j.gt(R::zero()), invariants(e, norm2(f), l), R::splat(f64::INFINITY));
        let inside = j.gt(R::splat(1e-300));
        let c = (lambda * l - mu) / R::select(inside, j, R::one());
        (energy, combine(mu, f, R::select(inside, c, R::zero()), &cof))
    }
}

/// Ψ from I₁ and ln J.
#[inline(always)]
fn invariants<R: Real>(e: &Element<R>, i1: R, l: R) -> R {
    let (mu, lambda) = (e.param[0], e.param[1]);
    R::splat(0.5) * (mu * (i1 - R::splat(3.0)) + lambda * l * l) - mu * l
}

/// ln(σ1σ2σ3) by one logarithm where the product is in range, else by three.
#[inline(always)]
pub(super) fn ln_product<R: Real>(s: &[R; 3]) -> R {
    let p = s[0] * s[1] * s[2];
    let l = p.ln();
    let risky = !(p.gt(R::splat(1e-290)) & p.lt(R::splat(1e290)));
    if risky.any() { R::select(risky, s[0].ln() + s[1].ln() + s[2].ln(), l) } else { l }
}

/// σ_i(c): the larger root of ασ² − bσ − c, without cancellation; and its discriminant's root.
#[inline(always)]
pub(super) fn root<R: Real>(alpha: R, half_inv_alpha: R, b: R, c: R) -> (R, R) {
    let disc = (b * b + R::splat(4.0) * alpha * c).max(R::zero()).sqrt();
    let plus = (b + disc) * half_inv_alpha;
    let negative = b.lt(R::zero());
    if negative.any() {
        let den = R::select(negative, disc - b, R::one());
        return (R::select(negative, (c + c) / den, plus), disc);
    }
    (plus, disc)
}

#[inline(always)]
fn prox<R: Real>(e: &Element<R>, s: &[R; 3], warm: &mut R) -> [R; 3] {
    let (mu, lambda, k) = (e.param[0], e.param[1], e.k);
    let (l, two) = (R::one(), R::splat(2.0));
    let alpha = mu + k;
    let half = R::splat(0.5) / alpha;
    let b = [k * s[0], k * s[1], k * s[2]];
    let smallest = b[2].max(R::zero());
    let c_min = -(smallest * smallest) * (R::splat(0.5) * half);

    let mut c = (*warm).max(c_min + R::splat(1e-3) * mu);
    let mut busy = l.lt(two);
    let mut sigma = [l; 3];
    for _ in 0..24 {
        let mut d = [l; 3];
        for i in 0..3 {
            (sigma[i], d[i]) = root(alpha, half, b[i], c);
        }
        let g = lambda * ln_product(&sigma) + c - mu;
        // v_i = 1/(σ_i disc_i), three quotients by one division.
        let q = [sigma[0] * d[0], sigma[1] * d[1], sigma[2] * d[2]];
        let q01 = q[0] * q[1];
        let all = q01 * q[2];
        let plain = all.gt(R::splat(1e-280));
        let inv = l / R::select(plain, all, l);
        let mut v = [q[1] * q[2] * inv, q[0] * q[2] * inv, q01 * inv];
        if (!plain).any() {
            for i in 0..3 {
                v[i] = R::select(plain, v[i], l / q[i].max(R::splat(1e-290)));
            }
        }
        let mut slope = l;
        let mut bend = R::zero();
        for i in 0..3 {
            slope += lambda * v[i];
            // 1/disc = σ v
            bend -= lambda * v[i] * v[i] * (l + two * alpha * sigma[i] * sigma[i] * v[i]);
        }
        let square = two * slope * slope;
        let den = square - g * bend;
        let halley = den.gt(R::splat(0.25) * square);
        let step = two * g * slope / R::select(halley, den, square);
        let next = (c - step).max(c_min + R::splat(0.05) * (c - c_min));
        let moved = (next - c).abs();
        // Cubic convergence: a step this small leaves an error of 1e-15.
        let small = moved.le(R::splat(1e-5) * (next - c_min)) & moved.le(R::splat(1e-5) * (next.abs() + mu));
        c = R::select(busy, next, c);
        busy = busy & !small;
        if !busy.any() {
            break;
        }
    }
    for i in 0..3 {
        (sigma[i], _) = root(alpha, half, b[i], c);
    }
    *warm = c;

    let stretched = (b[0] * b[1] * smallest * lambda).gt(two * alpha * alpha * alpha * (lambda + mu));
    let hard = stretched | busy | !c.finite();
    if hard.any() {
        for i in 0..R::LANES {
            if hard.lane(i) {
                let r = prox_scan(&e.lane(i), &[s[0].lane(i), s[1].lane(i), s[2].lane(i)]);
                for a in 0..3 {
                    sigma[a] = sigma[a].with_lane(i, r[a]);
                }
                *warm = warm.with_lane(i, mu.lane(i));
            }
        }
    }
    sigma
}

/// One element, slowly and surely: the root on the main branch by bisection, every root on the other branch by
/// a scan, and the one with the lowest objective.
#[inline(never)]
fn prox_scan(e: &Element<f64>, s: &[f64; 3]) -> [f64; 3] {
    let (mu, lambda, k) = (e.param[0], e.param[1], e.k);
    let alpha = mu + k;
    let half = 0.5 / alpha;
    let b = [k * s[0], k * s[1], k * s[2]];
    let smallest = b[2].max(0.0);
    let c_min = -smallest * smallest * 0.5 * half;
    let at = |c: f64| -> [f64; 3] {
        [root(alpha, half, b[0], c).0, root(alpha, half, b[1], c).0, root(alpha, half, b[2], c).0]
    };
    let g = |c: f64| lambda * ln_product(&at(c)) + c - mu;
    let objective = |z: &[f64; 3]| -> f64 {
        let d = [z[0] - s[0], z[1] - s[1], z[2] - s[2]];
        NeoHookean.density(e, z) + 0.5 * k * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    };
    let mut best = at(c_min);
    let mut lowest = f64::INFINITY;
    let mut consider = |z: [f64; 3]| {
        let o = objective(&z);
        if o < lowest {
            (best, lowest) = (z, o);
        }
    };

    // Main branch: G is increasing in c.
    let mut high = c_min + mu;
    for _ in 0..2000 {
        if !(g(high) < 0.0) {
            break;
        }
        high = c_min + 2.0 * (high - c_min);
    }
    let c = bisect(c_min, high, g);
    consider(at(c));

    // Other branch: σ3 = s below b3/2α, c(s) = αs² − b3 s, the others by the main root.
    if smallest > 0.0 {
        let top = b[2] * half;
        let point = |t: f64| -> [f64; 3] {
            let c = alpha * t * t - b[2] * t;
            [root(alpha, half, b[0], c).0, root(alpha, half, b[1], c).0, t]
        };
        let h = |t: f64| {
            let z = point(t);
            lambda * ln_product(&z) + alpha * t * t - b[2] * t - mu
        };
        const STEPS: usize = 96;
        let node = |i: usize| {
            // Half of the samples even, half towards zero in powers.
            let even = top * (i as f64 - STEPS as f64 / 2.0) / (STEPS as f64 / 2.0);
            if i > STEPS / 2 {
                even
            } else {
                top * crate::math::elementary::pow(2.0, -5.6 - (STEPS / 2 - i) as f64)
            }
        };
        let (mut t0, mut h0) = (node(0), h(node(0)));
        for i in 1..=STEPS {
            let (t1, h1) = (node(i), h(node(i)));
            if (h0 < 0.0) != (h1 < 0.0) {
                let t = if h0 < 0.0 { bisect(t0, t1, h) } else { bisect(t0, t1, |t| -h(t)) };
                consider(point(t));
            }
            (t0, h0) = (t1, h1);
        }
    }
    best
}

/// The root of an f that goes from negative to positive between two points.
fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}
