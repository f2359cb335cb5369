//! Muscles of a scene file: how far the fibres of a body have contracted at which time.

use super::file::{ContractKey, SceneFile};
use super::parse::SceneError;
use super::program::find;
use crate::energy::fibre;

/// A body whose fibres follow keyframes.
pub(super) struct Muscle {
    pub body: usize,
    keys: Vec<ContractKey>,
}

impl Muscle {
    /// How far they have contracted at a time.
    pub fn at(&self, time: f64) -> f64 {
        let after = self.keys.iter().position(|k| k.time > time).unwrap_or(self.keys.len());
        let (a, b) = (self.keys[after.saturating_sub(1)], self.keys[after.min(self.keys.len() - 1)]);
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
        if c.motion.is_empty() {
            return Err(SceneError::at(format!("{key}.motion"), "needs at least one keyframe"));
        }
        for (j, k) in c.motion.iter().enumerate() {
            let key = format!("{key}.motion[{j}]");
            if !k.time.is_finite() || (j > 0 && c.motion[j - 1].time >= k.time) {
                return Err(SceneError::at(format!("{key}.time"), "must be later than the keyframe before"));
            }
            fibre::check(k.contraction).map_err(|e| SceneError::at(format!("{key}.contraction"), e))?;
        }
        all.push(Muscle { body, keys: c.motion.clone() });
    }
    Ok(all)
}
