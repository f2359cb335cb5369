//! The choice of the weights: w² = s·k·V, with a stiffness k by rule and the user's scale s.
//!
//! The weights do not change the solution, only the way there (section 5 of the paper).

use crate::energy::Lame;

/// How the stiffness k in w² = s·k·V follows from the material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WeightRule {
    /// The bulk modulus λ + ⅔μ, for every material: slow and safe; as published.
    Bulk,
    /// 2μ up to ν = 0.45, √(2μ(2μ + 3λ)) above: often fewer iterations, but it may cycle: meant for an accelerated, safeguarded
    /// iteration.
    Auto,
    /// 2μ, the stiffness of projective dynamics: w² = kV of the paper's comparisons.
    Shear,
    /// The bulk modulus, but for St. Venant–Kirchhoff at most 0.6(μ + λ/2), so that flat elements do not stay flat.
    #[default]
    Robust,
}

impl WeightRule {
    /// How many rules there are.
    pub const COUNT: usize = 4;

    /// k·V by each rule, in the order of their numbers.
    pub fn all(lame: Lame, volume: f64) -> [f64; WeightRule::COUNT] {
        [WeightRule::Bulk, WeightRule::Auto, WeightRule::Shear, WeightRule::Robust]
            .map(|rule| rule.stiffness(lame) * volume)
    }
    /// k in Pa.
    pub fn stiffness(self, lame: Lame) -> f64 {
        match self {
            WeightRule::Bulk | WeightRule::Robust => lame.bulk(),
            WeightRule::Shear => 2.0 * lame.mu,
            WeightRule::Auto if lame.poisson() <= 0.45 => 2.0 * lame.mu,
            WeightRule::Auto => (2.0 * lame.mu * (2.0 * lame.mu + 3.0 * lame.lambda)).sqrt(),
        }
    }
}
