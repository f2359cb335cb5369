//! Fung: Ψ = μ/(2b)(exp(b(I₁ − 3)) − 1) − μ ln J + λ'/2 ln²J, infinite unless J > 0. Numbers: μ, b, λ'.
//!
//! After the exponential of Fung 1967 for soft tissue, which stiffens the more it is stretched. λ' = λ − 2bμ gives the
//! small-strain constant λ; it must not be negative.
//!
//! Proximal operator: with A = k + μe^ℓ, ℓ = b(I₁ − 3), and b_i = kσ̃_i stationarity reads Aσ_i² − b_iσ_i − c = 0,
//! c = μ − λ' ln J: two unknowns ℓ and c, on the larger roots σ_i(A, c). In logarithms of the stretches the energy is convex,
//! and the objective is wherever all roots are the larger ones; as in `neo_hookean.rs` a smaller one needs
//! Πb_i > 2(k + μ)³ e^(μ/λ'). Such elements are searched one by one, unless their objective is below k/8 σ̃3².

use super::fixed_corotated::distance2;
use super::neo_hookean::{ln_product, root};
use super::{Domain, Element, Isotropic, Lame, Solid, search};
use crate::error::ParameterError;
use crate::math::real::{Mask, Real};
use crate::math::small::{Mat3, cofactor, combine, dot, norm2};

/// The Fung material.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fung;

/// b unless given.
pub const DEFAULT_B: f64 = 2.0;

/// Larger exponents count as this one, so that no energy or stress is infinite.
const LARGEST_EXPONENT: f64 = 500.0;

impl Fung {
    /// μ, b, λ' of small-strain constants; the message names the smallest Poisson's ratio that works.
    pub fn numbers(lame: Lame, b: f64) -> Result<[f64; 3], ParameterError> {
        if !(b.is_finite() && b > 0.0) {
            return Err(ParameterError::new(
                "b",
                b,
                format!("b of fung must be positive and finite, not {b}"),
            ));
        }
        let lambda = lame.lambda - 2.0 * b * lame.mu;
        // At the smallest ratio itself the difference is nothing but rounding.
        if lambda < -1e-9 * b * lame.mu {
            return Err(ParameterError::new(
                "poisson",
                lame.poisson(),
                format!(
                    "fung with b = {b} needs a Poisson's ratio of at least {}, not {}: λ − 2bμ must not be negative",
                    b / (1.0 + 2.0 * b),
                    lame.poisson()
                ),
            ));
        }
        Ok([lame.mu, b, lambda.max(0.0)])
    }
}

/// exp(b(I₁ − 3)).
#[inline(always)]
fn growth<R: Real>(e: &Element<R>, i1: R) -> R {
    (e.param[1] * (i1 - R::splat(3.0))).min(R::splat(LARGEST_EXPONENT)).exp()
}

/// Ψ from I₁ and ln J.
#[inline(always)]
fn invariants<R: Real>(e: &Element<R>, i1: R, l: R) -> R {
    let (mu, b, lambda) = (e.param[0], e.param[1], e.param[2]);
    R::splat(0.5) * (mu * (growth(e, i1) - R::one()) / b + lambda * l * l) - mu * l
}

impl Isotropic<3> for Fung {
    const PARAMS: usize = 3;
    const DOMAIN: Domain = Domain::Barrier;
    const NAME: &'static str = "fung";
    #[inline(always)]
    fn density<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> R {
        invariants(e, s[0] * s[0] + s[1] * s[1] + s[2] * s[2], ln_product(s))
    }
    #[inline(always)]
    fn gradient<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [R; 3] {
        let m = e.param[0] * growth(e, s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        let c = e.param[0] - e.param[2] * ln_product(s);
        [m * s[0] - c / s[0], m * s[1] - c / s[1], m * s[2] - c / s[2]]
    }
    #[inline(always)]
    fn hessian<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [[R; 3]; 3] {
        let (mu, b, lambda) = (e.param[0], e.param[1], e.param[2]);
        let m = mu * growth(e, s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        let c = mu - lambda * ln_product(s);
        let inv = [R::one() / s[0], R::one() / s[1], R::one() / s[2]];
        let bend = R::splat(2.0) * b * m;
        let mut h = [[R::zero(); 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                h[i][j] = lambda * inv[i] * inv[j] + bend * s[i] * s[j];
            }
            h[i][i] += m + c * inv[i] * inv[i];
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

impl Solid for Fung {
    /// P = μ exp(b(I₁ − 3)) F + (λ' ln J − μ) F⁻ᵀ.
    #[inline(always)]
    fn energy_and_stress_at<R: Real>(&self, e: &Element<R>, f: &Mat3<R>) -> (R, Mat3<R>) {
        let cof = cofactor(f);
        let j = dot(f[0], cof[0]);
        let (i1, l) = (norm2(f), j.ln());
        let energy = R::select(j.gt(R::zero()), invariants(e, i1, l), R::splat(f64::INFINITY));
        let inside = j.gt(R::splat(1e-300));
        let c = (e.param[2] * l - e.param[0]) / R::select(inside, j, R::one());
        (energy, combine(e.param[0] * growth(e, i1), f, R::select(inside, c, R::zero()), &cof))
    }
}

#[inline(always)]
fn prox<R: Real>(e: &Element<R>, s: &[R; 3], warm: &mut R) -> [R; 3] {
    let (mu, b, lambda, k) = (e.param[0], e.param[1], e.param[2], e.k);
    let (l, o, two) = (R::one(), R::zero(), R::splat(2.0));
    let load = [k * s[0], k * s[1], k * s[2]];
    let smallest = load[2].max(o);
    let square = R::splat(0.25) * smallest * smallest;
    // The start: c of the last time, ℓ of stretches between the input and rest.
    let near = l / (k + mu);
    let mut i1 = o;
    for q in 0..3 {
        let z = (load[q] + mu) * near;
        i1 += z * z;
    }
    let mut grown = (b * (i1 - R::splat(3.0))).max(-l).min(two);
    let mut alpha = k + mu * grown.exp();
    let mut c = (*warm).max(R::splat(1e-3) * mu - square / alpha);
    let mut sigma = [l; 3];
    let mut busy = l.lt(two);
    for _ in 0..40 {
        let half = R::splat(0.5) / alpha;
        let (mut s3, mut s2, mut s1, mut s0) = (o, o, o, o);
        for q in 0..3 {
            let (z, d) = root(alpha, half, load[q], c);
            sigma[q] = z;
            // 1/(σd), of which the other sums are multiples.
            let w = l / (z * d).max(R::splat(1e-290));
            let zz = z * z;
            s0 += w;
            s2 += zz;
            s1 += zz * w;
            s3 += zz * zz * w;
        }
        let m = alpha - k;
        let r1 = grown - b * (s2 - R::splat(3.0));
        let r2 = lambda * ln_product(&sigma) + c - mu;
        let (m11, m12) = (l + two * b * m * s3, -two * b * s1);
        let (m21, m22) = (-lambda * m * s1, l + lambda * s0);
        let inv = l / (m11 * m22 - m12 * m21);
        let step = (r1 * m22 - r2 * m12) * inv;
        let limit = R::splat(3.0);
        let next = (grown - step.max(-limit).min(limit)).min(R::splat(LARGEST_EXPONENT));
        let wanted = c - (r2 * m11 - r1 * m21) * inv;
        let next_alpha = k + mu * next.exp();
        let c_min = -square / next_alpha;
        let next_c = wanted.max(c_min + R::splat(0.05) * (c - c_min).max(R::splat(1e-6) * mu));
        let tiny = R::splat(1e-8);
        let small = (next - grown).abs().le(tiny * (l + next.abs()))
            & (next_c - c).abs().le(tiny * (next_c - c_min))
            & (next_c - c).abs().le(tiny * (next_c.abs() + mu));
        grown = R::select(busy, next, grown);
        alpha = R::select(busy, next_alpha, alpha);
        c = R::select(busy, next_c, c);
        busy = busy & !small;
        if !busy.any() {
            break;
        }
    }
    let half = R::splat(0.5) / alpha;
    for q in 0..3 {
        (sigma[q], _) = root(alpha, half, load[q], c);
    }
    let rest = k + mu;
    let stretched = (load[0] * load[1] * smallest * lambda).gt(two * rest * rest * rest * (lambda + mu));
    let mut hard = stretched | busy | !c.finite();
    if stretched.any() {
        // A smaller root is below σ̃3/2, and the energy nowhere negative.
        let value = Fung.density(e, &sigma) + R::splat(0.5) * k * distance2(&sigma, s);
        hard = hard & !(value.lt(R::splat(0.125) * smallest * s[2]) & !busy);
    }
    *warm = R::select(hard, mu, c);
    search::settle(&Fung, e, s, &mut sigma, hard);
    sigma
}
