//! Muscles of a scene file: how far the fibres of a body have contracted at which time.

use super::MaterialKind;
use super::file::SceneFile;
use super::parse::SceneError;
use super::program::find;
use crate::energy::fibre;
use serde::{Deserialize, Serialize};

/// A muscle: fibres of a body that contract with time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// The body, with a material `fibre`.
    pub body: String,
    /// How far its fibres have contracted at which times.
    pub motion: Vec<ContractKey>,
}

/// How far fibres have contracted at a time. Between keyframes that is interpolated, before the first and after the last it is held.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ContractKey {
    /// When, in s, later than the keyframe before.
    pub time: f64,
    /// From 0 to 0.95: the rest length is 1 − contraction.
    pub contraction: f64,
}

/// A body whose fibres follow keyframes.
pub(super) struct Muscle {
    pub body: usize,
    keys: Vec<ContractKey>,
}

impl Muscle {
    /// How far they have contracted at a time.
    pub fn at(&self, time: f64) -> f64 {
        let after = self.keys.iter().position(|k| k.time > time).unwrap_or(self.keys.len());
        let before = self.keys.get(after.saturating_sub(1)).or(self.keys.last());
        // Without keyframes it is at rest.
        let Some((a, b)) = before.zip(self.keys.get(after).or(self.keys.last())) else { return 0.0 };
        let share = if b.time > a.time { ((time - a.time) / (b.time - a.time)).clamp(0.0, 1.0) } else { 0.0 };
        a.contraction + share * (b.contraction - a.contraction)
    }
    /// Time of the last keyframe in s.
    pub fn last(&self) -> f64 {
        self.keys.last().map_or(0.0, |k| k.time)
    }
}

/// All of a file, or what is wrong with them.
pub(super) fn muscles(file: &SceneFile) -> Result<Vec<Muscle>, SceneError> {
    let mut all: Vec<Muscle> = Vec::new();
    for (i, c) in file.contract.iter().enumerate() {
        let key = format!("contract[{i}]");
        let body = find(file, &c.body, &key)?;
        if all.iter().any(|m| m.body == body) {
            return Err(SceneError::at(format!("{key}.body"), "has a `contract` already"));
        }
        let own = file.body.get(body).into_iter();
        let mut materials = own.flat_map(|b| b.material.iter().chain(b.region.iter().map(|r| &r.material)));
        if !materials.any(|m| m.kind == Some(MaterialKind::Fibre)) {
            let mut e = SceneError::at(format!("{key}.body"), format!("`{}` has no fibres", c.body));
            e.hint = Some("a material of `kind = \"fibre\"` has some".into());
            return Err(e);
        }
        if c.motion.is_empty() {
            return Err(SceneError::at(format!("{key}.motion"), "needs at least one keyframe"));
        }
        let mut before = f64::NEG_INFINITY;
        for (j, k) in c.motion.iter().enumerate() {
            let key = format!("{key}.motion[{j}]");
            let later = k.time > std::mem::replace(&mut before, k.time);
            if !(k.time.is_finite() && later) {
                return Err(SceneError::at(format!("{key}.time"), "must be later than the keyframe before"));
            }
            fibre::check(k.contraction).map_err(|e| SceneError::at(format!("{key}.contraction"), e))?;
        }
        all.push(Muscle { body, keys: c.motion.clone() });
    }
    Ok(all)
}
