//! Rayleigh damping.

use crate::error::ParameterError;

/// Rayleigh damping of a body, taken at the start of each step; none by default.
#[derive(Clone, Copy, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Damping {
    /// α in 1/s: each node is slowed by −α·m·v. Default 0.
    pub mass: f64,
    /// β in s: solids and membranes resist the rate of strain with β times their stiffness, fibres, threads and bending left out.
    /// Default 0.
    pub stiffness: f64,
}

impl Damping {
    /// What is wrong with it.
    pub fn check(&self) -> Result<(), ParameterError> {
        for (what, value) in [("mass", self.mass), ("stiffness", self.stiffness)] {
            if !((0.0..=1e9).contains(&value)) {
                let reason = format!("damping by {what} must lie between 0 and 1e9, not {value}");
                return Err(ParameterError::new(what, value, reason));
            }
        }
        Ok(())
    }
}
