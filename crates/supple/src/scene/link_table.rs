//! Sliding constraints, attachments and stitches as scene files say them.

use super::file::{Keyframe, SceneFile, Select};
use super::motion::{Key, between, keys};
use super::obstacle::Moved;
use super::parse::{SceneError, did_you_mean, nearest};
use super::place::{self, Placed};
use super::program::find;
use super::select::chosen;
use super::{AttachTo, BodyId, LinkId, ObstacleId, Scene, SlideOn};
use crate::contact::Pose;
use crate::error::BuildError;
use serde::{Deserialize, Serialize};

/// Nodes that slide on something, without friction and from both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SlideTable {
    /// The body.
    pub body: String,
    /// Its nodes.
    pub select: Select,
    /// What they slide on.
    pub on: SlideShape,
    /// The force in N above which the link of a node breaks; none by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaking_force: Option<f64>,
    /// Where the plane, line or curve goes; it stays if this is empty. Turns are about the first point by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub motion: Vec<Keyframe>,
}

/// What nodes slide on. Places in m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum SlideShape {
    /// A plane.
    Plane {
        /// A point of it.
        point: [f64; 3],
        /// Its normal.
        normal: [f64; 3],
    },
    /// A line without end.
    Line {
        /// A point of it.
        point: [f64; 3],
        /// Its direction.
        direction: [f64; 3],
    },
    /// A polyline; the ends of an open one go on without end.
    Curve {
        /// Its corners.
        points: Vec<[f64; 3]>,
        /// True if the last is joined to the first. Default false.
        #[serde(default)]
        closed: bool,
    },
    /// The surface of another body.
    Surface {
        /// The other body: a solid or a sheet.
        body: String,
        /// Distance that is kept from it along its normal; by default that of each node at rest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        distance: Option<f64>,
    },
}

/// Nodes that are attached to something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AttachTable {
    /// The body.
    pub body: String,
    /// Its nodes.
    pub select: Select,
    /// What they are attached to, where they are. Default `place`.
    #[serde(default)]
    pub to: AttachPlace,
    /// The force in N above which the link of a node breaks; none by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaking_force: Option<f64>,
    /// Where the places go; they stay if this is empty. Turns are about the mean of the nodes by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub motion: Vec<Keyframe>,
}

/// What nodes are attached to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum AttachPlace {
    /// The places where they are, which `motion` moves.
    #[default]
    Place,
    /// An obstacle.
    Obstacle {
        /// Its name.
        name: String,
    },
    /// Another body: the tetrahedron around each node, or the nearest point of a sheet.
    Body {
        /// Its name.
        name: String,
    },
}

/// Nodes of two bodies that are stitched together. Give `pairs` or `select`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StitchTable {
    /// Names of the two.
    pub bodies: [String; 2],
    /// A node of the first body and one of the second, for each stitch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Vec<[u32; 2]>>,
    /// Nodes of the first body, each stitched to the nearest point of the second body's surface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub select: Option<Select>,
    /// The force in N above which a stitch breaks; none by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaking_force: Option<f64>,
}

/// Links of a scene file that follow keyframes.
pub(super) struct MovedLink {
    group: usize,
    centre: [f64; 3],
    keys: Vec<Key>,
}

impl MovedLink {
    /// Its number.
    pub fn group(&self) -> usize {
        self.group
    }

    /// Where it is at a time, relative to where it was added.
    pub fn pose(&self, time: f64) -> Pose {
        let [centre, turn, translate] = between(&self.keys, time, self.centre);
        Pose::new(turn, centre, translate)
    }

    /// Time of its last keyframe in s.
    pub fn last(&self) -> f64 {
        self.keys.last().map_or(0.0, |k| k.time)
    }
}

/// The bodies of a scene file, as far as they could be placed.
type Bodies<'a> = &'a [Option<&'a Placed>];

/// A body and its selected nodes; none if the body could not be placed.
fn nodes(
    file: &SceneFile,
    bodies: Bodies<'_>,
    name: &str,
    select: &Select,
    key: &str,
) -> Result<(BodyId, Option<Vec<u32>>), SceneError> {
    let body = find(file, name, key)?;
    let Some(p) = bodies.get(body).copied().flatten() else { return Ok((BodyId(body), None)) };
    let ids = chosen(select, &format!("{key}.select"), p)?;
    Ok((BodyId(body), Some(ids)))
}

/// A name that another key than `body` gives.
fn named(file: &SceneFile, name: &str, key: String) -> Result<BodyId, SceneError> {
    find(file, name, "").map(BodyId).map_err(|e| SceneError { key: Some(key), ..e })
}

fn force(value: Option<f64>, key: &str) -> Result<Option<f64>, SceneError> {
    match value {
        Some(f) if !(f.is_finite() && f > 0.0) => {
            let message = format!("must be positive and finite, not {f}");
            Err(SceneError::at(format!("{key}.breaking_force"), message))
        }
        other => Ok(other),
    }
}

fn slide(
    scene: Option<&mut Scene>,
    (file, bodies): (&SceneFile, Bodies<'_>),
    (table, key): (&SlideTable, &str),
) -> Result<Option<MovedLink>, SceneError> {
    let (body, ids) = nodes(file, bodies, &table.body, &table.select, key)?;
    let breaking = force(table.breaking_force, key)?;
    let keys = keys(&table.motion, key)?;
    let (on, centre) = match &table.on {
        SlideShape::Plane { point, normal } => (SlideOn::Plane(*point, *normal), *point),
        SlideShape::Line { point, direction } => (SlideOn::Line(*point, *direction), *point),
        SlideShape::Curve { points, closed } => {
            (SlideOn::Curve(points.clone(), *closed), points.first().copied().unwrap_or_default())
        }
        SlideShape::Surface { body: other, distance } => {
            if !keys.is_empty() {
                return Err(SceneError::at(format!("{key}.motion"), "is not for surfaces: the body moves"));
            }
            let other = named(file, other, format!("{key}.on.body"))?;
            (SlideOn::Surface(other, *distance), [0.0; 3])
        }
    };
    let (Some(scene), Some(ids)) = (scene, ids) else { return Ok(None) };
    let made = scene.slide(body, &ids, on, breaking);
    moved(made.map_err(|e| wrong(e, format!("{key}.on"))), centre, keys)
}

fn attach(
    scene: Option<&mut Scene>,
    (file, bodies): (&SceneFile, Bodies<'_>),
    obstacles: &[Moved],
    (table, key): (&AttachTable, &str),
) -> Result<Option<MovedLink>, SceneError> {
    let (body, ids) = nodes(file, bodies, &table.body, &table.select, key)?;
    let breaking = force(table.breaking_force, key)?;
    let keys = keys(&table.motion, key)?;
    if !keys.is_empty() && table.to != AttachPlace::Place {
        return Err(SceneError::at(
            format!("{key}.motion"),
            "is for places: obstacles and bodies move themselves",
        ));
    }
    let name_key = format!("{key}.to.name");
    let other = match &table.to {
        AttachPlace::Body { name } => Some(named(file, name, name_key.clone())?),
        _ => None,
    };
    let obstacle = match &table.to {
        AttachPlace::Obstacle { name } => {
            let all: Vec<String> = file.obstacle.iter().enumerate().map(|(i, o)| o.called(i)).collect();
            let found = all.iter().position(|n| n == name);
            Some(found.ok_or_else(|| SceneError {
                hint: nearest(name, all.iter().map(String::as_str)).map(did_you_mean),
                ..SceneError::at(name_key.clone(), format!("there is no obstacle `{name}`"))
            })?)
        }
        _ => None,
    };
    let (Some(scene), Some(ids)) = (scene, ids) else { return Ok(None) };
    let points: Vec<[f64; 3]> =
        bodies.get(body.0).copied().flatten().map_or_else(Vec::new, |p| {
            ids.iter().filter_map(|&i| p.vertices.get(i as usize).copied()).collect()
        });
    let centre = place::centre(&points);
    let to = match (other, obstacle) {
        (Some(other), _) => AttachTo::Body(other),
        (None, Some(number)) => {
            let pose = obstacles.get(number).map_or_else(Pose::default, |m| m.pose(0.0));
            AttachTo::Obstacle(ObstacleId(number), Some(points.iter().map(|&p| pose.undo(p)).collect()))
        }
        (None, None) => AttachTo::Place,
    };
    let made = scene.attach(body, &ids, to, breaking);
    moved(made.map_err(|e| wrong(e, format!("{key}.to"))), centre, keys)
}

fn stitch(
    scene: Option<&mut Scene>,
    (file, bodies): (&SceneFile, Bodies<'_>),
    (table, key): (&StitchTable, &str),
) -> Result<(), SceneError> {
    let body = named(file, &table.bodies[0], format!("{key}.bodies"))?;
    let other = named(file, &table.bodies[1], format!("{key}.bodies"))?;
    let breaking = force(table.breaking_force, key)?;
    let made = match (&table.pairs, &table.select) {
        (Some(pairs), None) => {
            let Some(scene) = scene else { return Ok(()) };
            scene.stitch(body, other, pairs, breaking).map_err(|e| wrong(e, format!("{key}.pairs")))
        }
        (None, Some(select)) => {
            let (_, ids) = nodes(file, bodies, &table.bodies[0], select, key)?;
            let (Some(scene), Some(ids)) = (scene, ids) else { return Ok(()) };
            let made = scene.stitch_to_surface(body, &ids, other, breaking);
            made.map_err(|e| wrong(e, format!("{key}.bodies")))
        }
        _ => Err(SceneError::at(key, "give `pairs` or `select`, one of them")),
    };
    made.map(|_| ())
}

/// An error of the scene at a key; the number of the link is in the key.
fn wrong(e: BuildError, key: String) -> SceneError {
    match e {
        BuildError::Link { reason, .. } => SceneError::at(key, reason),
        e => SceneError::at(key, e.to_string()),
    }
}

fn moved(
    made: Result<LinkId, SceneError>,
    centre: [f64; 3],
    keys: Vec<Key>,
) -> Result<Option<MovedLink>, SceneError> {
    let group = made?.0;
    Ok((!keys.is_empty()).then_some(MovedLink { group, centre, keys }))
}

/// Adds the links of a scene file, after its bodies and obstacles.
pub(super) fn add(
    scene: &mut Scene,
    file: &SceneFile,
    bodies: Bodies<'_>,
    obstacles: &[Moved],
) -> Result<Vec<MovedLink>, SceneError> {
    let (mut all, what) = (Vec::new(), (file, bodies));
    for (i, table) in file.slide.iter().enumerate() {
        all.extend(slide(Some(scene), what, (table, &format!("slide[{i}]")))?);
    }
    for (i, table) in file.attach.iter().enumerate() {
        all.extend(attach(Some(scene), what, obstacles, (table, &format!("attach[{i}]")))?);
    }
    for (i, table) in file.stitch.iter().enumerate() {
        stitch(Some(scene), what, (table, &format!("stitch[{i}]")))?;
    }
    Ok(all)
}

/// Everything that is wrong with the links of a scene file, as far as one can be looked at without the others.
pub(super) fn problems(file: &SceneFile, bodies: Bodies<'_>) -> Vec<SceneError> {
    let what = (file, bodies);
    let slides = file.slide.iter().enumerate();
    let slides = slides.filter_map(|(i, t)| slide(None, what, (t, &format!("slide[{i}]"))).err());
    let attachments = file.attach.iter().enumerate();
    let attachments =
        attachments.filter_map(|(i, t)| attach(None, what, &[], (t, &format!("attach[{i}]"))).err());
    let stitches = file.stitch.iter().enumerate();
    let stitches = stitches.filter_map(|(i, t)| stitch(None, what, (t, &format!("stitch[{i}]"))).err());
    slides.chain(attachments).chain(stitches).collect()
}
