//! Obstacles of a scene, and the nodes that may touch them.
#![allow(clippy::indexing_slicing, reason = "indices of a mesh are checked where it is made")]

use super::file::{Keyframe, Rotation, Scale};
use super::motion::{Key, between, keys};
use super::output::{ColourText, ObstacleLook};
use super::parse::SceneError;
use super::{Asset, BodyId, Content, Entry, Scene, place};
use crate::contact::{
    Capsule, Carried, ClosedMesh, Cuboid, Cylinder, DistanceGrid, HalfSpace, Obstacle, Pose, Sphere, Touching,
};
use crate::error::{BuildError, ParameterError};
use crate::mesh::{Embedding, surface};
use serde::{Deserialize, Serialize};

/// Something that bodies cannot enter, at rest or moved by a script.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ObstacleTable {
    /// Its name, used in messages and reports; by default `obstacle0` and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its shape.
    pub shape: ObstacleShape,
    /// Coulomb's coefficient of friction, ≥ 0. Default 0.
    #[serde(default)]
    pub friction: f64,
    /// Nodes stay this far from the shape, in m, ≥ 0. Default 0.
    #[serde(default)]
    pub thickness: f64,
    /// How it is drawn: `solid` (default), `glass` or `hidden`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look: Option<ObstacleLook>,
    /// Its colour in pictures and exports. Default grey.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<ColourText>,
    /// Turns the shape about the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotate: Option<Rotation>,
    /// Moves the shape, in m; after `rotate`.
    #[serde(default)]
    pub translate: [f64; 3],
    /// Where it goes; it stays if this is empty. Turns are about its middle by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub motion: Vec<Keyframe>,
}

impl ObstacleTable {
    /// Its name, given that it is number `number`.
    pub(super) fn called(&self, number: usize) -> String {
        self.name.clone().unwrap_or_else(|| format!("obstacle{number}"))
    }
}

/// The shape of an obstacle. Places and sizes in m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum ObstacleShape {
    /// Everything behind a plane.
    HalfSpace {
        /// A point of the plane.
        point: [f64; 3],
        /// Points out of it.
        normal: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// Its centre.
        centre: [f64; 3],
        /// Its radius.
        radius: f64,
    },
    /// A box along the axes, before `rotate`.
    Box {
        /// Its centre.
        centre: [f64; 3],
        /// Lengths along x, y, z.
        size: [f64; 3],
    },
    /// A cylinder with round ends.
    Capsule {
        /// One end of its axis.
        from: [f64; 3],
        /// The other end.
        to: [f64; 3],
        /// Its radius.
        radius: f64,
    },
    /// A cylinder with flat ends.
    Cylinder {
        /// Middle of one end.
        from: [f64; 3],
        /// Middle of the other end.
        to: [f64; 3],
        /// Its radius.
        radius: f64,
    },
    /// The inside of a mesh file: of its tetrahedra, or of a closed surface of triangles.
    Mesh {
        /// The file, relative to the scene file.
        file: String,
    },
    /// The inside of a surface whose signed distance is known on a grid, cut off at the sides of the grid.
    Grid {
        /// A .npy file, relative to the scene file: an array with the axes x, y, z of distances in m, negative inside.
        file: String,
        /// Where its first value is.
        origin: [f64; 3],
        /// From one value to the next: a number, or three along x, y and z.
        spacing: Scale,
    },
}

impl ObstacleShape {
    /// The file that it is read from, if it is.
    pub fn file(&self) -> Option<&String> {
        match self {
            ObstacleShape::Mesh { file } | ObstacleShape::Grid { file, .. } => Some(file),
            _ => None,
        }
    }
}

/// An obstacle of a scene file, and its motion.
pub(super) struct Moved {
    /// Its number.
    pub obstacle: usize,
    base: Pose,
    centre: [f64; 3],
    keys: Vec<Key>,
}

impl Moved {
    /// Where it is at a time, relative to its shape as given.
    pub fn pose(&self, time: f64) -> Pose {
        if self.keys.is_empty() {
            return self.base;
        }
        let [centre, turn, translate] = between(&self.keys, time, self.centre);
        Pose::new(turn, centre, translate).after(&self.base)
    }

    /// True if it has keyframes.
    pub fn moves(&self) -> bool {
        !self.keys.is_empty()
    }

    /// Time of its last keyframe in s.
    pub fn last(&self) -> f64 {
        self.keys.last().map_or(0.0, |k| k.time)
    }
}

/// Reads the files that a scene names.
type Assets<'a> = &'a mut dyn FnMut(&str) -> Result<Asset, String>;

/// The obstacle that a table describes, and its motion.
fn read(table: &ObstacleTable, number: usize, assets: Assets<'_>) -> Result<(Obstacle, Moved), SceneError> {
    let key = format!("obstacle[{number}]");
    let name = table.called(number);
    let shape = |e: ParameterError| SceneError::at(format!("{key}.shape"), e.reason);
    let file_key = format!("{key}.shape.file");
    let mut asset = |file: &str| assets(file).map_err(|e| SceneError::at(&file_key, e));
    let obstacle = match &table.shape {
        ObstacleShape::Mesh { file } => {
            let asset = asset(file)?;
            if asset.samples.is_some() {
                let message = format!("`{file}` is an array of numbers: its kind is `grid`");
                return Err(SceneError::at(file_key, message));
            }
            let triangles = if asset.tets.is_empty() { asset.triangles } else { surface(&asset.tets) };
            let made = ClosedMesh::new(asset.vertices, triangles);
            Obstacle::new(&name, made.map_err(|e| SceneError::at(&file_key, e))?)
        }
        ObstacleShape::Grid { file, origin, spacing } => {
            let Some(samples) = asset(file)?.samples else {
                return Err(SceneError::at(file_key, format!("`{file}` is a mesh; a grid is a .npy file")));
            };
            let spacing = match spacing {
                Scale::Uniform(h) => [*h; 3],
                Scale::PerAxis(h) => *h,
            };
            let made = DistanceGrid::new(*origin, spacing, samples.counts, samples.values);
            Obstacle::new(&name, made.map_err(shape)?)
        }
        ObstacleShape::HalfSpace { point, normal } => {
            Obstacle::new(&name, HalfSpace::new(*point, *normal).map_err(shape)?)
        }
        ObstacleShape::Sphere { centre, radius } => {
            Obstacle::new(&name, Sphere::new(*centre, *radius).map_err(shape)?)
        }
        ObstacleShape::Box { centre, size } => {
            Obstacle::new(&name, Cuboid::new(*centre, *size).map_err(shape)?)
        }
        ObstacleShape::Capsule { from, to, radius } => {
            Obstacle::new(&name, Capsule::new(*from, *to, *radius).map_err(shape)?)
        }
        ObstacleShape::Cylinder { from, to, radius } => {
            Obstacle::new(&name, Cylinder::new(*from, *to, *radius).map_err(shape)?)
        }
    };
    for (what, value) in [("friction", table.friction), ("thickness", table.thickness)] {
        if !(0.0..=1e6).contains(&value) {
            let message = format!("must lie between 0 and 1e6, not {value}");
            return Err(SceneError::at(format!("{key}.{what}"), message));
        }
    }
    if !table.translate.iter().all(|v| v.abs() <= 1e9) {
        return Err(SceneError::at(format!("{key}.translate"), "must be numbers within ±1e9 m"));
    }
    let turn = match &table.rotate {
        None => [0.0; 3],
        Some(r) if r.angle.abs() <= 1e9 => {
            place::direction(r.axis, &format!("{key}.rotate.axis"))?.map(|a| a * r.angle.to_radians())
        }
        Some(_) => return Err(SceneError::at(format!("{key}.rotate.angle"), "must lie within ±1e9 degrees")),
    };
    let base = Pose::new(turn, [0.0; 3], table.translate);
    let centre = base.apply(obstacle.shape.centre());
    let keys = keys(&table.motion, &key)?;
    let obstacle = obstacle.with_friction(table.friction).with_thickness(table.thickness);
    Ok((obstacle, Moved { obstacle: number, base, centre, keys }))
}

/// Adds the obstacles of a scene file.
pub(super) fn add(
    scene: &mut Scene,
    tables: &[ObstacleTable],
    assets: Assets<'_>,
) -> Result<Vec<Moved>, SceneError> {
    let mut all = Vec::new();
    for (i, table) in tables.iter().enumerate() {
        let (obstacle, moved) = read(table, i, assets)?;
        scene
            .add_obstacle(obstacle)
            .map_err(|e| SceneError::at(format!("obstacle[{i}].name"), e.to_string()))?;
        all.push(moved);
    }
    Ok(all)
}

/// Everything that is wrong with the obstacles of a scene file, one by one.
pub(super) fn problems(tables: &[ObstacleTable], assets: Assets<'_>) -> Vec<SceneError> {
    tables.iter().enumerate().filter_map(|(i, table)| read(table, i, assets).err()).collect()
}

/// Number of an obstacle in its scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ObstacleId(pub usize);

impl Scene {
    /// Adds something that bodies cannot enter. Nodes on the surface of solids and all nodes of nets stay out of it; pinned
    /// nodes do not care.
    pub fn add_obstacle(&mut self, obstacle: Obstacle) -> Result<ObstacleId, BuildError> {
        let name = &obstacle.name;
        let wrong = |reason: String| BuildError::Obstacle {
            obstacle: name.escape_debug().take(60).collect(),
            reason,
        };
        if name.is_empty() || name.len() > 200 || name.chars().any(char::is_control) {
            return Err(wrong("it needs a name of at most 200 bytes without control characters".into()));
        }
        if self.obstacles.iter().any(|o| o.name == *name) {
            return Err(wrong("there is an obstacle of that name already".into()));
        }
        obstacle.check().map_err(|e| wrong(e.reason))?;
        self.obstacles.push(obstacle);
        Ok(ObstacleId(self.obstacles.len() - 1))
    }

    /// Lets the points of a skin touch obstacles instead of the body's nodes. Not for scenes in which bodies touch each other, nor with the papers' ways to
    /// contact.
    pub fn touch_by_skin(&mut self, body: BodyId, skin: &Embedding) -> Result<(), BuildError> {
        let entry = self.entry(body, &[])?;
        let nodes = entry.positions.len();
        let solid = matches!(entry.content, Content::Solid { .. });
        if !solid || skin.nodes().iter().flatten().any(|&v| v as usize >= nodes) || skin.len() >= 1 << 30 {
            let (body, reason) = (entry.name.clone(), "its skin is not of this body".to_string());
            return Err(BuildError::Body { body, reason });
        }
        let mut points: Vec<([u32; 4], [f64; 4])> =
            skin.nodes().iter().copied().zip(skin.weights().iter().copied()).collect();
        // Seams of a texture repeat points.
        points.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.map(f64::to_bits).cmp(&b.1.map(f64::to_bits))));
        points.dedup();
        self.entry(body, &[])?.skin = points;
        Ok(())
    }

    /// The nodes that may touch, numbered over all bodies, with the length of the shortest edge at each.
    pub(super) fn touching(&self) -> Vec<Touching> {
        let mut all = Vec::new();
        if self.obstacles.is_empty() && self.collisions.is_none() {
            return all;
        }
        let mut first = 0;
        let mut number = 0;
        for b in &self.bodies {
            if !b.skin.is_empty() {
                let edges = edges(b);
                for (nodes, weights) in &b.skin {
                    let edge = nodes.iter().map(|&v| edges[v as usize]).fold(f64::INFINITY, f64::min);
                    let most = (0..4).max_by(|&i, &j| weights[i].total_cmp(&weights[j])).unwrap_or(0);
                    let nodes = nodes.map(|v| first as u32 + v);
                    let carried = Some(Carried { nodes, weights: *weights, number });
                    all.push(Touching { node: nodes[most], edge, carried });
                    number += 1;
                }
                first += b.positions.len();
                continue;
            }
            let mut outside = vec![true; b.positions.len()];
            // Obstacles hold inner nodes too: one may be thinner than a cell, and what a blow turns inside out does not go through.
            if self.obstacles.is_empty()
                && let Content::Solid { mesh, .. } = &b.content
            {
                outside.fill(false);
                mesh.surface().iter().flatten().for_each(|&v| outside[v as usize] = true);
            }
            for (i, edge) in edges(b).into_iter().enumerate().filter(|(i, _)| outside[*i]) {
                all.push(Touching::node((first + i) as u32, edge));
            }
            first += b.positions.len();
        }
        all
    }
}

/// Length of the shortest edge at each node of a body; of a solid only edges of its surface count, where there are any.
pub(super) fn edges(b: &Entry) -> Vec<f64> {
    let mut edge = vec![f64::INFINITY; b.positions.len()];
    let mut join = |i: u32, j: u32| {
        let (p, q) = (b.positions[i as usize], b.positions[j as usize]);
        let d = (0..3).map(|c| (p[c] - q[c]).powi(2)).sum::<f64>().sqrt();
        for k in [i, j] {
            edge[k as usize] = edge[k as usize].min(d);
        }
    };
    match &b.content {
        Content::Solid { mesh, .. } => {
            for [i, j, k] in mesh.surface() {
                join(i, j);
                join(j, k);
                join(k, i);
            }
        }
        Content::Cloth { mesh, .. } => mesh.edges().iter().for_each(|[i, j]| join(*i, *j)),
        Content::Springs(list) => list.iter().for_each(|s| join(s.nodes[0], s.nodes[1])),
    }
    // A node without edges, or with one of no length, has no size of its own: it takes that of the others.
    let known = edge.iter().copied().filter(|e| *e > 0.0 && e.is_finite()).fold(f64::INFINITY, f64::min);
    let otherwise = if known.is_finite() { known } else { 0.1 };
    edge.iter_mut().filter(|e| !(**e > 0.0 && e.is_finite())).for_each(|e| *e = otherwise);
    edge
}
