//! Elastic constants.

use crate::error::ParameterError;

/// The Lamé constants of small strain, in Pa.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// Shear modulus μ.
    pub mu: f64,
    /// First constant λ.
    pub lambda: f64,
}

impl Lame {
    /// From Young's modulus E > 0 and Poisson's ratio −1 < ν < ½; the message says what is out of range.
    pub fn from_young(young: f64, poisson: f64) -> Result<Lame, ParameterError> {
        if !(young.is_finite() && young > 0.0) {
            return Err(ParameterError::new(
                "young",
                young,
                format!("Young's modulus must be positive and finite, not {young}"),
            ));
        }
        if !(poisson > -1.0 && poisson < 0.5) {
            return Err(ParameterError::new(
                "poisson",
                poisson,
                format!("Poisson's ratio must lie between -1 and 0.5, both excluded, not {poisson}"),
            ));
        }
        let lame = Lame {
            mu: young / (2.0 * (1.0 + poisson)),
            lambda: young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
        };
        lame.check()
    }

    /// From the constants themselves: μ > 0 and a positive bulk modulus.
    pub fn new(mu: f64, lambda: f64) -> Result<Lame, ParameterError> {
        Lame { mu, lambda }.check()
    }

    /// The first two of a law's numbers, unchecked.
    pub(super) fn of(numbers: &[f64]) -> Lame {
        let number = |i: usize| numbers.get(i).copied().unwrap_or_default();
        Lame { mu: number(0), lambda: number(1) }
    }

    fn check(self) -> Result<Lame, ParameterError> {
        if !(self.mu.is_finite() && self.mu > 0.0) {
            return Err(ParameterError::new(
                "mu",
                self.mu,
                format!("the shear modulus mu must be positive and finite, not {}", self.mu),
            ));
        }
        if !(self.lambda.is_finite() && self.bulk() > 0.0) {
            return Err(ParameterError::new(
                "lambda",
                self.lambda,
                format!(
                    "lambda must be finite and greater than -2/3 mu, not {} with mu = {}",
                    self.lambda, self.mu
                ),
            ));
        }
        Ok(self)
    }

    /// An error of a law that needs λ ≥ 0; `why` says what happens otherwise.
    pub(super) fn not_below_zero(&self, law: &str, why: &str) -> Result<(), ParameterError> {
        if self.lambda < 0.0 {
            return Err(ParameterError::new(
                "poisson",
                self.poisson(),
                format!(
                    "{law} needs a Poisson's ratio of at least 0, not {:.6}: with λ < 0 {why}",
                    self.poisson()
                ),
            ));
        }
        Ok(())
    }

    /// Bulk modulus λ + ⅔μ, in Pa.
    pub fn bulk(&self) -> f64 {
        self.lambda + 2.0 / 3.0 * self.mu
    }
    /// Young's modulus, in Pa.
    pub fn young(&self) -> f64 {
        self.mu * (3.0 * self.lambda + 2.0 * self.mu) / (self.lambda + self.mu)
    }
    /// Poisson's ratio.
    pub fn poisson(&self) -> f64 {
        self.lambda / (2.0 * (self.lambda + self.mu))
    }
}
