//! Scenes: bodies, pins and anchors, checked at the door and made into a [`Simulation`](crate::Simulation).
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | [`Scene`] |
//! | `build.rs` | … made into a [`Simulation`](crate::Simulation) |
//! | `material.rs` | [`Material`], and the only `match` over materials |
//! | `average.rs` | [`Average`]: strain averaged over patches of tetrahedra |
//! | `spring.rs` `damping.rs` | [`Spring`]s, rods and ropes; [`Damping`] |
//! | `cloth.rs` | [`Cloth`]: what a sheet is made of; strain limits |
//! | `sheet.rs` | … as scene files say it |
//! | `terms.rs` `sheet_terms.rs` | lists of elements on their way to batches |
//! | `material_table.rs` | a material as scene files write it |
//! | `preset.rs` | materials with typical constants |
//! | `evaluate.rs` | energy, stress, Hessian and proximal operator of a material at one F |
//! | `file.rs` | [`file::SceneFile`]: what a scene file says |
//! | `parse.rs` | from text to a scene file, with errors that point at the place |
//! | `document.rs` | the text as a tree with places and overrides; everything in it that means nothing |
//! | `estimate.rs` | [`Estimate`]: how large a body will be, before it is made |
//! | `collide.rs` | [`Collisions`]: bodies that touch each other |
//! | `link.rs` | sliding constraints, attachments and stitches |
//! | `link_table.rs` | … as scene files say them |
//! | `obstacle.rs` | obstacles of a scene, and the nodes that may touch them |
//! | `output.rs` | what a run writes, and how bodies look in it |
//! | `pins.rs` | nodes that two pins hold |
//! | `contract.rs` | muscles that follow keyframes |
//! | `skin.rs` | surfaces that are filled, [`Skin`]s that bodies carry |
//! | `body.rs` | a body: what a scene file says of it, its checks, and how it becomes one |
//! | `shape.rs` `start.rs` `select.rs` `motion.rs` | … its shape, where it starts, which of its nodes are meant, where keyframes send them |
//! | `place.rs` | … and its rest shape where the scene puts it |
//! | `vary.rs` | the constants of bodies by name, and the same bodies with one of them changed |
//! | `program.rs` | [`Program`]: a scene file made ready to run, with its motions |

#![deny(clippy::indexing_slicing)]

mod average;
mod body;
mod build;
mod cloth;
mod collide;
mod contract;
mod damping;
mod document;
mod estimate;
mod evaluate;
pub mod file;
mod link;
mod link_table;
mod material;
mod material_table;
mod motion;
mod obstacle;
pub mod output;
pub mod parse;
mod pins;
mod place;
mod preset;
mod program;
mod select;
mod shape;
pub mod sheet;
mod sheet_terms;
mod skin;
mod spring;
mod start;
mod terms;
mod vary;

pub use average::{Average, AverageName, Averaging};
pub use cloth::{Along, Bending, Cloth, Limit};
pub use collide::{CollideTable, Collisions, Intersecting, PairTable};
pub use damping::Damping;
pub use estimate::{Estimate, memory};
pub use link::{AttachTo, LinkId, SlideOn};
pub use link_table::{AttachPlace, AttachTable, SlideShape, SlideTable, StitchTable};
pub use material::{Material, MaterialKind};
pub use obstacle::{ObstacleId, ObstacleShape, ObstacleTable};
pub use parse::SceneError;
pub use place::Asset;
pub use preset::{PRESETS, Preset};
pub use program::{Look, MOST_FRAMES, Program, problems, settings};
pub use skin::Skin;
pub use spring::{Spring, SpringKind};

use crate::contact::Obstacle;
use crate::error::BuildError;
use crate::mesh::{TetMesh, TriMesh};
use crate::settings::Settings;
use std::collections::BTreeSet;
use std::sync::Arc;

/// From here on a body is long enough to bend: a bar four times as long as it is thick has 3.2, a cube 1.7.
const SLENDER: f64 = 3.0;

/// Number of a body in its scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyId(pub usize);

#[derive(Clone)]
enum Content {
    Solid { mesh: TetMesh, materials: Vec<Material> },
    Cloth { mesh: TriMesh, cloth: Box<Cloth> },
    Springs(Vec<Spring>),
}

#[derive(Clone)]
struct Entry {
    name: String,
    positions: Vec<[f64; 3]>,
    masses: Vec<f64>,
    content: Content,
    /// Nodes of each call, and along which axes they are pinned.
    pins: Vec<(Vec<u32>, [bool; 3])>,
    anchors: Vec<(u32, f64, [f64; 3])>,
    /// The nodes of these.
    anchored: BTreeSet<u32>,
    /// How a solid averages its strain, if it does.
    average: Option<Average>,
    /// Strain limit of a solid.
    limit: Option<Limit>,
    damping: Damping,
    /// Points of its skin that touch obstacles in place of its nodes; empty where those do.
    skin: Vec<([u32; 4], [f64; 4])>,
}

/// Bodies and what holds them.
///
/// ```
/// use supple::{Material, MaterialKind, Scene, Settings, mesh::shapes};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mesh = shapes::box_mesh([1.0, 0.2, 0.2], [10, 2, 2], shapes::Split::default())?;
/// let fixed: Vec<u32> = (0..mesh.vertices().len() as u32).filter(|&i| mesh.vertices()[i as usize][0] == 0.0).collect();
/// let mut scene = Scene::new(Settings::default());
/// let rubber = Material::new(MaterialKind::NeoHookean, 1e5, 0.4)?;
/// let beam = scene.add_solid("beam", mesh, rubber, 1000.0)?;
/// scene.pin(beam, &fixed)?;
/// let mut simulation = scene.build()?;
/// for _ in 0..10 {
///     let report = simulation.step()?;
///     assert!(report.force_residual < 0.5);
/// }
/// # Ok(())
/// # }
/// ```
pub struct Scene {
    /// Settings, checked by [`Scene::build`].
    pub settings: Settings,
    /// Simulations keep them, to differentiate; what is changed afterwards is a copy.
    bodies: Vec<Arc<Entry>>,
    obstacles: Vec<Obstacle>,
    collisions: Option<Collisions>,
    links: link::LinkList,
}

impl Scene {
    /// An empty scene.
    pub fn new(settings: Settings) -> Scene {
        Scene {
            settings,
            bodies: Vec::new(),
            obstacles: Vec::new(),
            collisions: None,
            links: link::LinkList::default(),
        }
    }

    /// Adds a solid of one material and density (kg/m³, > 0), of the mesh's order. Masses are those of [`TetMesh::node_masses`]; energy
    /// and mass are those of its volume times its fill fraction.
    pub fn add_solid(
        &mut self,
        name: &str,
        mesh: TetMesh,
        material: Material,
        density: f64,
    ) -> Result<BodyId, BuildError> {
        let materials = vec![material; mesh.tets().len()];
        self.add_solid_by_element(name, mesh, materials, density)
    }

    /// Adds a solid with a material for each tetrahedron.
    pub fn add_solid_by_element(
        &mut self,
        name: &str,
        mesh: TetMesh,
        materials: Vec<Material>,
        density: f64,
    ) -> Result<BodyId, BuildError> {
        let wrong = |reason: String| BuildError::Body { body: name.to_string(), reason };
        if !(density.is_finite() && density > 0.0) {
            return Err(wrong(format!("the density must be positive and finite, not {density}")));
        }
        let masses = mesh.node_masses(|_| density);
        self.add_solid_with_masses(name, mesh, materials, masses)
    }

    /// Adds a solid with a material for each tetrahedron and a mass (kg, > 0) for each node.
    pub fn add_solid_with_masses(
        &mut self,
        name: &str,
        mesh: TetMesh,
        materials: Vec<Material>,
        masses: Vec<f64>,
    ) -> Result<BodyId, BuildError> {
        if materials.len() != mesh.tets().len() {
            return Err(BuildError::Body {
                body: name.to_string(),
                reason: format!("{} materials for {} elements", materials.len(), mesh.tets().len()),
            });
        }
        for (element, material) in materials.iter().enumerate() {
            material.check().map_err(|e| BuildError::Element {
                body: name.to_string(),
                element,
                reason: e.reason,
            })?;
        }
        self.add(name, mesh.vertices().to_vec(), masses, Content::Solid { mesh, materials })
    }

    /// Adds a sheet. Each corner of a triangle carries a third of its mass.
    pub fn add_cloth(&mut self, name: &str, mesh: TriMesh, cloth: Cloth) -> Result<BodyId, BuildError> {
        let wrong = |(_, reason)| BuildError::Body { body: name.to_string(), reason };
        cloth.check(&mesh).map_err(wrong)?;
        let masses = cloth.masses(&mesh);
        self.add(name, mesh.vertices().to_vec(), masses, Content::Cloth { mesh, cloth: Box::new(cloth) })
    }

    /// Limits the stretches of a solid, in every direction.
    pub fn limit(&mut self, body: BodyId, limit: Limit) -> Result<(), BuildError> {
        let b = self.entry(body, &[])?;
        let wrong = |reason: String| BuildError::Body { body: b.name.clone(), reason };
        limit.check().map_err(|e| wrong(e.reason))?;
        if !matches!(b.content, Content::Solid { .. }) {
            return Err(wrong("only solids are limited so: sheets have limits of their own".into()));
        }
        if limit.along == Along::Threads {
            return Err(wrong("a solid is limited in every direction: only sheets have threads".into()));
        }
        b.limit = Some(limit);
        Ok(())
    }

    /// Averages the strain of a solid over patches of elements, so that it neither locks nor, of order 1, is too stiff.
    pub fn average(&mut self, body: BodyId, average: Average) -> Result<(), BuildError> {
        let b = self.entry(body, &[])?;
        let wrong = |reason: String| BuildError::Body { body: b.name.clone(), reason };
        average.check().map_err(|e| wrong(e.reason))?;
        let Content::Solid { mesh, materials } = &b.content else {
            return Err(wrong("only solids have a strain that is averaged".into()));
        };
        average.split(materials, mesh.order()).map_err(|(element, e)| BuildError::Element {
            body: b.name.clone(),
            element,
            reason: e.reason,
        })?;
        b.average = Some(average);
        Ok(())
    }

    /// What bodies are too coarse for what they may do: solids of order 1 that are fewer than three cells thick and long enough to bend.
    pub fn notes(&self) -> Vec<String> {
        let note = |(i, b): (usize, &Arc<Entry>)| self.thin(BodyId(i)).map(|n| format!("{}: {n}", b.name));
        self.bodies.iter().enumerate().filter_map(note).collect()
    }

    fn thin(&self, body: BodyId) -> Option<String> {
        let b = self.bodies.get(body.0)?;
        let Content::Solid { mesh, .. } = &b.content else { return None };
        let coarse = match b.average {
            Some(average) => average != Average::thin(),
            None => mesh.order() == 1,
        };
        let bends = coarse && mesh.slenderness() >= SLENDER;
        // Patches of averaged strain see too little of it.
        let (how, what) = match b.average {
            Some(_) => ("much", "`average = \"thin\"`"),
            None => ("little", "`order = 2`"),
        };
        let share = if bends { mesh.thin_share() } else { 0.0 };
        (share >= 0.25).then(|| {
            format!(
                "{:.0} % of its surface is on parts fewer than three cells thick, which bend too {how}: take {what} or more \
                 cells",
                100.0 * share
            )
        })
    }

    /// Damps a body.
    pub fn damp(&mut self, body: BodyId, damping: Damping) -> Result<(), BuildError> {
        let b = self.entry(body, &[])?;
        let wrong = |reason: String| BuildError::Body { body: b.name.clone(), reason };
        damping.check().map_err(|e| wrong(e.reason))?;
        let stiff = match &b.content {
            Content::Solid { .. } => true,
            Content::Cloth { cloth, .. } => cloth.material.is_some(),
            Content::Springs(_) => false,
        };
        if damping.stiffness > 0.0 && !stiff {
            return Err(wrong("damping by stiffness is for solids and for sheets with a material".into()));
        }
        b.damping = damping;
        Ok(())
    }

    /// Adds nodes (positions in m, masses in kg, > 0) joined by springs, rods and ropes.
    pub fn add_springs(
        &mut self,
        name: &str,
        positions: Vec<[f64; 3]>,
        masses: Vec<f64>,
        springs: Vec<Spring>,
    ) -> Result<BodyId, BuildError> {
        for (element, s) in springs.iter().enumerate() {
            let wrong = |reason: String| BuildError::Element { body: name.to_string(), element, reason };
            for v in s.nodes {
                if v as usize >= positions.len() {
                    return Err(wrong(format!(
                        "node {v} does not exist (the body has {} nodes)",
                        positions.len()
                    )));
                }
            }
            if s.nodes[0] == s.nodes[1] {
                return Err(wrong(format!("both ends are node {}", s.nodes[0])));
            }
            if !(s.stiffness.is_finite() && s.stiffness > 0.0) {
                return Err(wrong(format!("the stiffness must be positive and finite, not {}", s.stiffness)));
            }
            if let Some(l) = s.rest_length
                && !(l.is_finite() && l >= 0.0)
            {
                return Err(wrong(format!("the rest length must be zero or positive, not {l}")));
            }
        }
        self.add(name, positions, masses, Content::Springs(springs))
    }

    fn add(
        &mut self,
        name: &str,
        positions: Vec<[f64; 3]>,
        masses: Vec<f64>,
        content: Content,
    ) -> Result<BodyId, BuildError> {
        let wrong = |node: usize, reason: String| BuildError::Node { body: name.to_string(), node, reason };
        if name.is_empty() || name.len() > 200 || name.chars().any(char::is_control) {
            let reason = "a body needs a name of at most 200 bytes without control characters".into();
            return Err(BuildError::Body { body: name.escape_debug().take(60).collect(), reason });
        }
        if positions.is_empty() {
            return Err(BuildError::Body { body: name.to_string(), reason: "it has no node".into() });
        }
        if masses.len() != positions.len() {
            return Err(BuildError::Body {
                body: name.to_string(),
                reason: format!("{} masses for {} nodes", masses.len(), positions.len()),
            });
        }
        for (node, (p, m)) in positions.iter().zip(&masses).enumerate() {
            if p.iter().any(|a| !a.is_finite()) {
                return Err(wrong(node, format!("its position {p:?} is not finite")));
            }
            if *m == 0.0 {
                let hint = "it has no mass: no element uses it; remove it or give it a mass";
                return Err(wrong(node, hint.to_string()));
            }
            if !(m.is_finite() && *m > 0.0) {
                return Err(wrong(node, format!("its mass must be positive and finite, not {m}")));
            }
        }
        if self.bodies.iter().any(|b| b.name == name) {
            return Err(BuildError::Body {
                body: name.to_string(),
                reason: "there is a body of that name already".into(),
            });
        }
        self.bodies.push(Arc::new(Entry {
            name: name.to_string(),
            positions,
            masses,
            content,
            pins: Vec::new(),
            anchors: Vec::new(),
            anchored: BTreeSet::new(),
            average: None,
            limit: None,
            damping: Damping::default(),
            skin: Vec::new(),
        }));
        Ok(BodyId(self.bodies.len() - 1))
    }

    fn entry(&mut self, body: BodyId, ids: &[u32]) -> Result<&mut Entry, BuildError> {
        let b = Arc::make_mut(self.bodies.get_mut(body.0).ok_or(BuildError::NoBody(body.0))?);
        if let Some(&node) = ids.iter().find(|&&i| i as usize >= b.positions.len()) {
            return Err(BuildError::Node {
                body: b.name.clone(),
                node: node as usize,
                reason: format!("does not exist (the body has {} nodes)", b.positions.len()),
            });
        }
        Ok(b)
    }

    /// Pins nodes of a body where they are: they stay exactly there, or follow [`Simulation::move_pins`](crate::Simulation::move_pins). Where the ids
    /// are all of corners, an edge of an element of order 2 between pinned ends has its node pinned too.
    pub fn pin(&mut self, body: BodyId, ids: &[u32]) -> Result<(), BuildError> {
        self.pin_axes(body, ids, [true; 3])
    }

    /// Pins nodes of a body along some of the axes x, y, z only: on a plane of symmetry, say. What is pinned along all of them, in one call or
    /// in several, is pinned. Every method takes such pins. Nodes on edges follow as in [`Scene::pin`], along the axes along which both ends are pinned.
    pub fn pin_axes(&mut self, body: BodyId, ids: &[u32], axes: [bool; 3]) -> Result<(), BuildError> {
        let b = self.entry(body, ids)?;
        if axes == [false; 3] {
            return Err(BuildError::Body { body: b.name.clone(), reason: "a pin along no axis".into() });
        }
        b.pins.push((ids.to_vec(), axes));
        Ok(())
    }

    /// Ties nodes of a body to where they are by springs of zero length (N/m, > 0); see [`Simulation::move_anchors`](crate::Simulation::move_anchors).
    pub fn anchor(&mut self, body: BodyId, ids: &[u32], stiffness: f64) -> Result<(), BuildError> {
        let b = self.entry(body, ids)?;
        if !(stiffness.is_finite() && stiffness > 0.0) {
            return Err(BuildError::Body {
                body: b.name.clone(),
                reason: format!("the stiffness of an anchor must be positive and finite, not {stiffness}"),
            });
        }
        for &i in ids {
            if !b.anchored.insert(i) {
                return Err(BuildError::Node {
                    body: b.name.clone(),
                    node: i as usize,
                    reason: "has an anchor already".into(),
                });
            }
            // `entry` has seen that there is such a node.
            let Some(&at) = b.positions.get(i as usize) else { continue };
            b.anchors.push((i, stiffness, at));
        }
        Ok(())
    }
}
