//! `start` of a body: where and how fast it starts.

use super::file::Rotation;
use super::parse::SceneError;
use super::place::{centre, checked, corners, finite, times, turn};
use crate::energy::check::Random;
use crate::math::small::{add, cross, dot, scale, sub};
use serde::{Deserialize, Serialize};

/// Where and how fast a body starts. Positions change in the order of the keys here, starting from the placed rest shape.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct StartState {
    /// Stretches along x, y and z about the centre of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch: Option<[f64; 3]>,
    /// Twists about an axis through the centre: no turn at one end, `angle` at the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twist: Option<Rotation>,
    /// All nodes at one point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collapse: Option<[f64; 3]>,
    /// All nodes at random places in the body's bounding box.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub randomise: Option<Randomise>,
    /// Velocity of all nodes in m/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[f64; 3]>,
    /// Angular velocity about the centre in rad/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spin: Option<[f64; 3]>,
}

/// Random places, repeatable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Randomise {
    /// Any whole number; the same one gives the same places.
    pub seed: u64,
}

/// Positions and velocities.
pub(super) type Motion = (Vec<[f64; 3]>, Vec<[f64; 3]>);

/// Positions and velocities at the start.
pub(super) fn start(s: &StartState, key: &str, rest: &[[f64; 3]]) -> Result<Motion, SceneError> {
    let mut x = rest.to_vec();
    let [low, high] = corners(rest);
    let middle = scale(0.5, add(low, high));
    if let Some(f) = s.stretch {
        finite(|| format!("{key}.stretch"), &f)?;
        for p in &mut x {
            *p = add(middle, times(f, sub(*p, middle)));
        }
    }
    if let Some(r) = &s.twist {
        let (axis, angle) = checked(r, &format!("{key}.twist"))?;
        let along = |p: &[f64; 3]| dot(*p, axis);
        let (first, last) =
            x.iter().map(along).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), t| (a.min(t), b.max(t)));
        for p in &mut x {
            let share = if last > first { (along(p) - first) / (last - first) } else { 0.0 };
            *p = add(middle, turn(sub(*p, middle), axis, angle * share));
        }
    }
    if let Some(point) = s.collapse {
        finite(|| format!("{key}.collapse"), &point)?;
        x.fill(point);
    }
    if let Some(r) = s.randomise {
        let mut random = Random(r.seed);
        for p in &mut x {
            *p = [(low[0], high[0]), (low[1], high[1]), (low[2], high[2])].map(|(a, b)| random.between(a, b));
        }
    }
    let velocity = s.velocity.unwrap_or_default();
    let spin = s.spin.unwrap_or_default();
    finite(|| format!("{key}.velocity"), &velocity)?;
    finite(|| format!("{key}.spin"), &spin)?;
    let about = centre(&x);
    let v = x.iter().map(|p| add(velocity, cross(spin, sub(*p, about)))).collect();
    Ok((x, v))
}
