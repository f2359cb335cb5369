//! Bodies that touch each other, and themselves.

use super::file::SceneFile;
use super::parse::SceneError;
use super::{BodyId, Content, Scene};
use crate::contact::Surfaces;
use crate::error::BuildError;
use serde::{Deserialize, Serialize};

/// Bodies that touch each other. Without this table they pass through each other.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CollideTable {
    /// Coulomb's coefficient of friction, ≥ 0. Default 0.
    pub friction: f64,
    /// Surfaces keep this far from each other, in m, ≥ 0. Default 0.
    pub thickness: f64,
    /// True if a body may touch itself too. Default false.
    #[serde(rename = "self")]
    pub within: bool,
    /// What to do about things that have entered each other at the start: `resolve` (default) leads them out little by little,
    /// `refuse` is an error that names them.
    pub intersecting: Intersecting,
    /// Other coefficients of friction for pairs of bodies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pair: Vec<PairTable>,
}

/// What to do about things that have entered each other at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Intersecting {
    /// They come out little by little: a fifth of the depth per step.
    #[default]
    Resolve,
    /// An error that names them.
    Refuse,
}

/// Friction between two bodies, or of a body with itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PairTable {
    /// Names of the two.
    pub bodies: [String; 2],
    /// Coulomb's coefficient of friction, ≥ 0.
    pub friction: f64,
}

/// What the table of a scene file means.
pub(super) fn read(file: &SceneFile) -> Result<Option<Collisions>, SceneError> {
    let Some(table) = &file.collide else { return Ok(None) };
    let within = |key: String, v: f64| match (0.0..=1e6).contains(&v) {
        true => Ok(v),
        false => Err(SceneError::at(key, format!("must lie between 0 and 1e6, not {v}"))),
    };
    let mut pairs = Vec::new();
    for (i, p) in table.pair.iter().enumerate() {
        let key = format!("collide.pair[{i}]");
        let mut ids = [BodyId(0); 2];
        for (id, name) in ids.iter_mut().zip(&p.bodies) {
            let at = file.body.iter().position(|b| b.name == *name);
            let no = || SceneError::at(format!("{key}.bodies"), format!("there is no body `{name}`"));
            *id = BodyId(at.ok_or_else(no)?);
        }
        pairs.push((ids[0], ids[1], within(format!("{key}.friction"), p.friction)?));
    }
    Ok(Some(Collisions {
        friction: within("collide.friction".into(), table.friction)?,
        thickness: within("collide.thickness".into(), table.thickness)?,
        within: table.within,
        intersecting: table.intersecting,
        pairs,
    }))
}

/// How the bodies of a scene touch each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collisions {
    /// Coulomb's coefficient of friction, ≥ 0. Default 0.
    pub friction: f64,
    /// Other coefficients for pairs of bodies, or of a body with itself.
    pub pairs: Vec<(BodyId, BodyId, f64)>,
    /// Surfaces keep this far from each other, in m, ≥ 0. Default 0.
    pub thickness: f64,
    /// True if a body may touch itself too. Default false.
    pub within: bool,
    /// What to do about things that have entered each other, or an obstacle, at the start. Default: resolve.
    pub intersecting: Intersecting,
}

impl Scene {
    /// Lets bodies touch each other: they do not enter each other any more. Without this call bodies pass through each other.
    ///
    /// Solids are touched from outside, sheets from both sides; they keep `thickness` apart, sheets at least their own. Ropes and
    /// nets are lines that keep `thickness` from everything.
    pub fn collide(&mut self, collisions: Collisions) -> Result<(), BuildError> {
        let wrong = |what: &str, v: f64| BuildError::Setting {
            name: "collide",
            reason: format!("the {what} must lie between 0 and 1e6, not {v}"),
        };
        let frictions = collisions.pairs.iter().map(|p| p.2).chain([collisions.friction]);
        if let Some(v) = frictions.into_iter().find(|v| !(0.0..=1e6).contains(v)) {
            return Err(wrong("friction", v));
        }
        if !(0.0..=1e6).contains(&collisions.thickness) {
            return Err(wrong("thickness", collisions.thickness));
        }
        for id in collisions.pairs.iter().flat_map(|p| [p.0, p.1]) {
            if id.0 >= self.bodies.len() {
                return Err(BuildError::NoBody(id.0));
            }
        }
        self.collisions = Some(collisions);
        Ok(())
    }

    /// The triangles that may touch, numbered over all bodies.
    pub(super) fn surfaces(&self) -> Surfaces {
        let Some(c) = &self.collisions else { return Surfaces::default() };
        let mut out = Surfaces {
            friction: c.friction,
            thickness: c.thickness,
            within: c.within,
            pairs: c.pairs.iter().map(|(a, b, mu)| (a.0.min(b.0) as u32, a.0.max(b.0) as u32, *mu)).collect(),
            ..Surfaces::default()
        };
        let mut first = 0;
        for (number, b) in self.bodies.iter().enumerate() {
            let number = number as u32;
            let triangles = match &b.content {
                Content::Solid { mesh, .. } => mesh.surface(),
                Content::Cloth { mesh, .. } => mesh.triangles().to_vec(),
                Content::Springs(list) => {
                    out.lines.extend(list.iter().map(|s| s.nodes.map(|v| first + v)));
                    out.loose.extend((0..b.positions.len() as u32).map(|i| (first + i, number)));
                    Vec::new()
                }
            };
            out.triangles.extend(triangles.iter().map(|t| t.map(|v| first + v)));
            out.body.resize(out.triangles.len(), number);
            out.closed.push(matches!(b.content, Content::Solid { .. }));
            out.radius.push(match &b.content {
                Content::Cloth { cloth, .. } => 0.5 * cloth.thickness,
                _ => 0.0,
            });
            first += b.positions.len() as u32;
        }
        out
    }
}
