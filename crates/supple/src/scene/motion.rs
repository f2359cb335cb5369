//! `motion` of pins, anchors, obstacles and links: keyframes, and where they send what follows them.
#![allow(clippy::indexing_slicing, reason = "ids are those of `select`, which knows what there is")]

use super::file::Rotation;
use super::parse::SceneError;
use super::place;
use crate::math::small::{add, axpy, sub};
use serde::{Deserialize, Serialize};

/// Where selected nodes are at a time, relative to their start: turned about `centre`, then moved. Between keyframes
/// both are interpolated, before the first and after the last they are held.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// When, in s, later than the keyframe before.
    pub time: f64,
    /// Displacement in m.
    #[serde(default)]
    pub translate: [f64; 3],
    /// Turn; several whole turns are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotate: Option<Rotation>,
    /// Centre of the turn in m; by default the mean of the selected nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centre: Option<[f64; 3]>,
}

/// Nodes that follow keyframes.
pub(super) struct Script {
    pub body: usize,
    pub ids: Vec<u32>,
    /// Where the nodes are when nothing has moved.
    pub home: Vec<[f64; 3]>,
    /// Default centre of turns.
    pub centre: [f64; 3],
    pub keys: Vec<Key>,
    pub anchors: bool,
    /// Coordinates that it moves.
    pub held: [bool; 3],
}

#[derive(Clone, Copy)]
pub(super) struct Key {
    pub time: f64,
    translate: [f64; 3],
    /// Rotation vector: axis times angle in radians.
    turn: [f64; 3],
    centre: Option<[f64; 3]>,
}

/// Keyframes, checked.
pub(super) fn keys(motion: &[Keyframe], key: &str) -> Result<Vec<Key>, SceneError> {
    let mut keys: Vec<Key> = Vec::new();
    for (i, k) in motion.iter().enumerate() {
        let key = format!("{key}.motion[{i}]");
        let numbers = [&[k.time][..], &k.translate, &k.centre.unwrap_or_default()].concat();
        if numbers.iter().any(|v| !v.is_finite()) {
            return Err(SceneError::at(key, "times, translations and centres must be finite"));
        }
        if keys.last().is_some_and(|before| before.time >= k.time) {
            return Err(SceneError::at(format!("{key}.time"), "must be later than the keyframe before"));
        }
        let turn = match &k.rotate {
            None => [0.0; 3],
            Some(r) if r.angle.abs() <= 1e9 => {
                place::direction(r.axis, &format!("{key}.rotate.axis"))?.map(|a| a * r.angle.to_radians())
            }
            Some(_) => {
                return Err(SceneError::at(format!("{key}.rotate.angle"), "must lie within ±1e9 degrees"));
            }
        };
        keys.push(Key { time: k.time, translate: k.translate, turn, centre: k.centre });
    }
    Ok(keys)
}

/// Centre, rotation vector and translation at a time, between keyframes, of which there is at least one; `centre` is the default.
pub(super) fn between(keys: &[Key], time: f64, centre: [f64; 3]) -> [[f64; 3]; 3] {
    let after = keys.iter().position(|k| k.time > time).unwrap_or(keys.len());
    let before = keys.get(after.saturating_sub(1)).or(keys.last());
    let Some((ka, kb)) = before.zip(keys.get(after).or(keys.last())) else {
        return [centre, [0.0; 3], [0.0; 3]];
    };
    let share =
        if kb.time > ka.time { ((time - ka.time) / (kb.time - ka.time)).clamp(0.0, 1.0) } else { 0.0 };
    let mix = |p: [f64; 3], q: [f64; 3]| axpy(p, share, sub(q, p));
    let centre = mix(ka.centre.unwrap_or(centre), kb.centre.unwrap_or(centre));
    [centre, mix(ka.turn, kb.turn), mix(ka.translate, kb.translate)]
}

impl Script {
    /// Where the nodes are at a time.
    pub fn targets(&self, time: f64) -> Vec<[f64; 3]> {
        let [centre, turn, translate] = between(&self.keys, time, self.centre);
        let angle = turn.iter().map(|t| t * t).sum::<f64>().sqrt();
        let axis = if angle > 0.0 { turn.map(|t| t / angle) } else { [1.0, 0.0, 0.0] };
        self.home
            .iter()
            .map(|p| add(add(centre, place::turn(sub(*p, centre), axis, angle)), translate))
            .collect()
    }
}

/// Mean of some points: the default centre of turns.
pub(super) fn middle(points: &[[f64; 3]], ids: &[u32]) -> [f64; 3] {
    place::centre(&ids.iter().map(|&i| points[i as usize]).collect::<Vec<_>>())
}

/// Adds a script for nodes that move.
pub(super) fn script(
    scripts: &mut Vec<Script>,
    motion: &[Keyframe],
    key: &str,
    body: usize,
    ids: Vec<u32>,
    rest: &[[f64; 3]],
    anchors: bool,
) -> Result<(), SceneError> {
    let keys = keys(motion, key)?;
    if !keys.is_empty() {
        let home: Vec<[f64; 3]> = ids.iter().map(|&i| rest[i as usize]).collect();
        let centre = middle(rest, &ids);
        scripts.push(Script { body, ids, home, centre, keys, anchors, held: [true; 3] });
    }
    Ok(())
}
