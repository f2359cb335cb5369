//! Fibres in a solid: Ψ(F) = k/2·(ℓ − r)² of the stretch ℓ = |Fa| along a direction a of the rest shape, beside any other material;
//! together they are transversely isotropic. Slack fibres bear no compression: Ψ = 0 where ℓ < r. A muscle contracts: r = 1 − c.
//!
//! Ψ is the energy (26) of the vectors Fa with the lengths that cost nothing, [`Lengths`], so that the solver takes fibres as a term of
//! their own with three local coordinates and the closed form (30)–(31). What follows is for those who ask for the material as a whole.

use super::project::Lengths;
use super::{Element, Potential, Soft};
use crate::error::ParameterError;
use crate::math::small::{Mat3, mul_vec};

/// The most that a muscle contracts: a fibre without length has no direction.
pub const MOST: f64 = 0.95;

/// Fibres along one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fibres {
    /// Direction at rest, of length one.
    direction: [f64; 3],
    /// k in Pa.
    stiffness: f64,
    /// c, from 0 to [`MOST`].
    contraction: f64,
    /// True if they bear no compression.
    slack: bool,
}

impl Fibres {
    /// Slack fibres along a direction of the rest shape, not zero, of a stiffness > 0 in Pa, not contracted.
    pub fn new(direction: [f64; 3], stiffness: f64) -> Result<Fibres, ParameterError> {
        let size = direction.iter().fold(0.0, |m: f64, a| m.max(a.abs()));
        if !(size > 0.0 && direction.iter().all(|a| a.is_finite())) {
            return Err(ParameterError::new(
                "direction",
                direction,
                format!("direction of fibres: {direction:?} is not a direction"),
            ));
        }
        if !(stiffness.is_finite() && stiffness > 0.0) {
            return Err(ParameterError::new(
                "stiffness",
                stiffness,
                format!("stiffness of fibres: must be positive and finite, not {stiffness}"),
            ));
        }
        let scaled = direction.map(|a| a / size);
        let length = scaled.iter().map(|a| a * a).sum::<f64>().sqrt();
        let direction = scaled.map(|a| a / length);
        Ok(Fibres { direction, stiffness, contraction: 0.0, slack: true })
    }
    /// The same, contracted by c, from 0 to [`MOST`]: their rest length is 1 − c times what it was.
    pub fn contracted(self, contraction: f64) -> Result<Fibres, ParameterError> {
        check(contraction)?;
        Ok(Fibres { contraction, ..self })
    }
    /// The same with another stiffness in Pa.
    pub fn with_stiffness(self, stiffness: f64) -> Fibres {
        Fibres { stiffness, ..self }
    }
    /// The same, bearing compression too.
    pub fn stiff(self) -> Fibres {
        Fibres { slack: false, ..self }
    }
    /// Direction at rest, of length one.
    pub fn direction(&self) -> [f64; 3] {
        self.direction
    }
    /// k in Pa.
    pub fn stiffness(&self) -> f64 {
        self.stiffness
    }
    /// Least and greatest stretch that cost nothing.
    pub fn lengths(&self) -> [f64; 2] {
        lengths(self.contraction, self.slack)
    }
    fn element(&self) -> Element<f64> {
        let [least, most] = self.lengths();
        Element::new(1.0, &[self.stiffness, least, most])
    }

    /// Ψ(F) and P = ∂Ψ/∂F = Ψ'(ℓ) n aᵀ, n = Fa/ℓ.
    pub fn energy_and_stress(&self, f: &Mat3<f64>) -> (f64, Mat3<f64>) {
        let (energy, [t]) =
            Soft(Lengths("fibre")).energy_and_stress(&self.element(), &[mul_vec(f, self.direction)]);
        (energy, self.direction.map(|a| t.map(|t| t * a)))
    }

    /// ∂vec P/∂vec F: k nnᵀ + k(1 − r/ℓ)(I − nnᵀ) on Fa where it is stretched; not made positive.
    pub fn hessian(&self, f: &Mat3<f64>) -> [[f64; 9]; 9] {
        let fa = mul_vec(f, self.direction);
        let length = fa.iter().map(|a| a * a).sum::<f64>().sqrt();
        let [least, most] = self.lengths();
        let nearest = length.clamp(least, most);
        let mut out = [[0.0; 9]; 9];
        if nearest == length {
            return out;
        }
        let (n, across) = if length > 0.0 {
            (fa.map(|a| a / length), 1.0 - nearest / length)
        } else {
            ([1.0, 0.0, 0.0], 0.0)
        };
        for i in 0..9 {
            for j in 0..9 {
                let (r, s) = (i % 3, j % 3);
                let own = if r == s { across } else { 0.0 } + (1.0 - across) * n[r] * n[s];
                out[i][j] = self.stiffness * own * self.direction[i / 3] * self.direction[j / 3];
            }
        }
        out
    }
}

/// An error unless a muscle can contract so far.
pub fn check(contraction: f64) -> Result<(), ParameterError> {
    if (0.0..=MOST).contains(&contraction) {
        Ok(())
    } else {
        Err(ParameterError::new(
            "contraction",
            contraction,
            format!("contraction of fibres: lies between 0 and {MOST}, not {contraction}"),
        ))
    }
}

/// Least and greatest stretch that cost nothing.
pub fn lengths(contraction: f64, slack: bool) -> [f64; 2] {
    let rest = 1.0 - contraction;
    [if slack { 0.0 } else { rest }, rest]
}
