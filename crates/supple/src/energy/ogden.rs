//! Ogden: Ψ = Σ_p μ_p/α_p(Σσ̄_i^α_p − 3) + κ/2 (J − 1)², infinite unless σ > 0 (Ogden 1972). Numbers: μ_p/α_p and α_p of
//! three terms, κ.
//!
//! σ̄ = J^(−1/3)σ. At small strain μ = ½Σμ_pα_p and the bulk modulus is κ. Each μ_pα_p must be positive: then the energy is
//! convex in the logarithms of σ̄. The proximal operator is that of `isochoric.rs`.

use super::isochoric::{self, Isochoric, bounded_exp};
use super::{Domain, Element, Isotropic, Lame, Solid};
use crate::error::ParameterError;
use crate::math::real::Real;

/// The Ogden material.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ogden;

/// Most terms.
pub const MOST_TERMS: usize = 3;

/// (α, μ) of rubber in proportion, after Ogden 1972.
const RUBBER: [(f64, f64); 3] = [(1.3, 0.6), (5.0, 0.01), (-2.0, -0.2)];

impl Ogden {
    /// The numbers of small-strain constants: the terms of rubber, scaled.
    pub fn numbers(lame: Lame) -> [f64; 7] {
        let scale = lame.mu / RUBBER.iter().map(|(a, m)| 0.5 * a * m).sum::<f64>();
        Ogden::pack(&RUBBER.map(|(a, m)| (scale * m, a)), lame.bulk())
    }
    /// The numbers of up to three terms (μ_p in Pa, α_p) and κ in Pa.
    pub fn pack(terms: &[(f64, f64)], kappa: f64) -> [f64; 7] {
        // A term that is not there: 0·σ̄.
        let mut out = [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, kappa];
        for (p, (mu, alpha)) in terms.iter().take(MOST_TERMS).enumerate() {
            out[2 * p] = mu / alpha;
            out[2 * p + 1] = *alpha;
        }
        out
    }
    /// The small-strain constants of terms (μ_p, α_p) and κ; the message says what is wrong.
    pub fn lame(terms: &[(f64, f64)], kappa: f64) -> Result<Lame, ParameterError> {
        if terms.is_empty() || terms.len() > MOST_TERMS {
            return Err(ParameterError::new(
                "mu",
                terms.len(),
                format!("ogden takes 1 to {MOST_TERMS} terms of mu and alpha, not {}", terms.len()),
            ));
        }
        for (p, (mu, alpha)) in terms.iter().enumerate() {
            if !(mu.is_finite() && alpha.is_finite() && mu * alpha > 0.0 && alpha.abs() <= 50.0) {
                return Err(ParameterError::new(
                    "mu",
                    [mu, alpha],
                    format!(
                        "mu and alpha of an ogden term must have the same sign and alpha lie within ±50, not {mu} and {alpha} \
                     (term {})",
                        p + 1
                    ),
                ));
            }
        }
        if !(kappa.is_finite() && kappa > 0.0) {
            return Err(ParameterError::new(
                "kappa",
                kappa,
                format!("kappa of ogden must be positive and finite, not {kappa}"),
            ));
        }
        let mu = terms.iter().map(|(m, a)| 0.5 * m * a).sum::<f64>();
        Lame::new(mu, kappa - 2.0 / 3.0 * mu)
    }
}

impl Isochoric for Ogden {
    /// W = Σ_p μ_p/α_p(σ̄^α_p − 1).
    #[inline(always)]
    fn shape<R: Real>(&self, e: &Element<R>, x: R) -> [R; 3] {
        let mut w = [R::zero(); 3];
        for p in 0..MOST_TERMS {
            let (c, alpha) = (e.param[2 * p], e.param[2 * p + 1]);
            let power = bounded_exp(alpha * x);
            let slope = c * alpha * power;
            w[0] += c * (power - R::one());
            w[1] += slope;
            w[2] += alpha * slope;
        }
        w
    }
    #[inline(always)]
    fn shear<R: Real>(&self, e: &Element<R>) -> R {
        let mut sum = R::zero();
        for p in 0..MOST_TERMS {
            sum += e.param[2 * p] * e.param[2 * p + 1] * e.param[2 * p + 1];
        }
        sum
    }
    #[inline(always)]
    fn bulk<R: Real>(&self, e: &Element<R>) -> R {
        e.param[2 * MOST_TERMS]
    }
}

impl Isotropic<3> for Ogden {
    const PARAMS: usize = 2 * MOST_TERMS + 1;
    const DOMAIN: Domain = Domain::Barrier;
    const NAME: &'static str = "ogden";
    #[inline(always)]
    fn density<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> R {
        isochoric::density(self, e, s)
    }
    #[inline(always)]
    fn gradient<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [R; 3] {
        isochoric::gradient(self, e, s)
    }
    #[inline(always)]
    fn hessian<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [[R; 3]; 3] {
        isochoric::hessian(self, e, s)
    }
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, s: &[R; 3], _warm: &mut R) -> [R; 3] {
        isochoric::prox(self, e, s)
    }
}

impl Solid for Ogden {}
