//! Scenes: bodies, pins and anchors, checked at the door and made into a [`Simulation`].
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | [`Scene`] |
//! | `material.rs` | [`Material`], and the only `match` over materials |
//! | `average.rs` | [`Average`]: strain averaged over patches of tetrahedra |
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
//! | `place.rs` | shapes, transforms, selections, start states |
//! | `vary.rs` | the constants of bodies by name, and the same bodies with one of them changed |
//! | `program.rs` | [`Program`]: a scene file made ready to run, with its motions |

#![deny(clippy::indexing_slicing)]

mod average;
mod cloth;
mod collide;
mod contract;
mod document;
mod estimate;
mod evaluate;
pub mod file;
mod link;
mod link_table;
mod material;
mod material_table;
mod obstacle;
pub mod output;
pub mod parse;
mod pins;
mod place;
mod preset;
mod program;
pub mod sheet;
mod sheet_terms;
mod skin;
mod terms;
mod vary;

pub use average::{Average, AverageName, Averaging};
pub use cloth::{Along, Bending, Cloth, Limit};
pub use collide::{CollideTable, Collisions, Intersecting, PairTable};
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

use crate::contact::Obstacle;
use crate::error::BuildError;
use crate::mesh::{TetMesh, TriMesh};
use crate::settings::Settings;
use crate::sim::{Air, AnchorRef, Body, Parts, Simulation};
use crate::term::{FibreRef, stencil};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use terms::{Terms, Where};

/// From here on a body is long enough to bend: a bar four times as long as it is thick has 3.2, a cube 1.7.
const SLENDER: f64 = 3.0;

/// Number of a body in its scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyId(pub usize);

/// What joins two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SpringKind {
    /// A spring that pulls and pushes.
    #[default]
    Spring,
    /// A spring that only pulls.
    Tension,
    /// A rigid rod: exactly the length. Its stiffness means nothing.
    Rod,
    /// An inextensible rope: at most the length. Its stiffness means nothing.
    Rope,
}

/// A spring, rod or rope between two nodes of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// The two nodes.
    pub nodes: [u32; 2],
    /// Stiffness in N/m, > 0.
    pub stiffness: f64,
    /// Rest length in m, ≥ 0; `None` takes the distance at the start.
    pub rest_length: Option<f64>,
    /// What it is.
    pub kind: SpringKind,
}

impl Spring {
    /// A spring with a stiffness in N/m that is at rest where it is.
    pub fn new(nodes: [u32; 2], stiffness: f64) -> Spring {
        Spring { nodes, stiffness, rest_length: None, kind: SpringKind::Spring }
    }
    /// A rod of the length that it has at the start.
    pub fn rod(nodes: [u32; 2]) -> Spring {
        Spring { kind: SpringKind::Rod, ..Spring::new(nodes, 1.0) }
    }
    /// A rope of the length that it has at the start.
    pub fn rope(nodes: [u32; 2]) -> Spring {
        Spring { kind: SpringKind::Rope, ..Spring::new(nodes, 1.0) }
    }
}

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
    pub fn check(&self) -> Result<(), String> {
        for (what, value) in [("mass", self.mass), ("stiffness", self.stiffness)] {
            if !((0.0..=1e9).contains(&value)) {
                return Err(format!("damping by {what} must lie between 0 and 1e9, not {value}"));
            }
        }
        Ok(())
    }
}

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
            material.check().map_err(|reason| BuildError::Element {
                body: name.to_string(),
                element,
                reason,
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
        limit.check().map_err(wrong)?;
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
        average.check().map_err(wrong)?;
        let Content::Solid { mesh, materials } = &b.content else {
            return Err(wrong("only solids have a strain that is averaged".into()));
        };
        average.split(materials, mesh.order()).map_err(|(element, reason)| BuildError::Element {
            body: b.name.clone(),
            element,
            reason,
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
        damping.check().map_err(wrong)?;
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

    /// Pins nodes of a body where they are: they stay exactly there, or follow [`Simulation::move_pins`]. Where the ids
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

    /// Ties nodes of a body to where they are by springs of zero length (N/m, > 0); see [`Simulation::move_anchors`].
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

    /// Checks the settings, packs the elements and factors the system matrix.
    pub fn build(&self) -> Result<Simulation, BuildError> {
        let mut simulation = Simulation::assemble(self.parts()?)?;
        simulation.keep_recipe(Arc::new(self.blueprint()));
        if self.collisions.as_ref().is_some_and(|c| c.intersecting == Intersecting::Refuse) {
            simulation.refuse_intersections()?;
        }
        Ok(simulation)
    }

    /// Everything checked and listed.
    #[allow(
        clippy::indexing_slicing,
        reason = "nodes of elements and pins were checked when they were added"
    )]
    fn parts(&self) -> Result<Parts, BuildError> {
        self.settings.validate()?;
        if self.bodies.is_empty() {
            return Err(BuildError::Empty);
        }
        let mut parts = Parts {
            settings: self.settings.clone(),
            bodies: Vec::new(),
            positions: Vec::new(),
            masses: Vec::new(),
            pinned: Vec::new(),
            axes: Vec::new(),
            followers: Vec::new(),
            fill: Vec::new(),
            sources: Vec::new(),
            anchors: Vec::new(),
            air: Air::default(),
            fibres: FibreRef::default(),
            obstacles: self.obstacles.clone(),
            touching: self.touching(),
            surfaces: self.surfaces(),
            groups: self.links.groups.clone(),
            links: self.links.links.clone(),
            skins: self.skins(),
        };
        let mut terms = Terms::default();
        for (number, b) in self.bodies.iter().enumerate() {
            let first = parts.positions.len();
            let body = number as u32;
            let corners = match &b.content {
                Content::Solid { mesh, .. } => mesh.corner_count(),
                _ => b.positions.len(),
            };
            let (name, nodes) = (b.name.clone(), b.positions.len());
            parts.bodies.push(Body { name, first_node: first, nodes, corners });
            parts.positions.extend(&b.positions);
            parts.masses.extend(&b.masses);
            parts.pinned.resize(first + b.positions.len(), false);
            let pins = || b.pins.iter().map(|(ids, axes)| (ids.as_slice(), *axes));
            let followers = match &b.content {
                Content::Solid { mesh, .. } => mesh.held_mids(pins()),
                _ => Vec::new(),
            };
            let mut held = BTreeMap::<u32, [bool; 3]>::new();
            let named = pins().flat_map(|(ids, axes)| ids.iter().map(move |&i| (i, axes)));
            for (i, axes) in named.chain(followers.iter().map(|&(i, _, axes)| (i, axes))) {
                let held = held.entry(i).or_default();
                (0..3).for_each(|c| held[c] |= axes[c]);
            }
            for (i, held) in held {
                match held {
                    [true, true, true] => parts.pinned[first + i as usize] = true,
                    _ => parts.axes.push((first as u32 + i, held)),
                }
            }
            let place_of = |v: u32| first as u32 + v;
            let followers =
                followers.into_iter().map(|(i, ends, held)| (place_of(i), ends.map(place_of), held));
            parts.followers.extend(followers);
            let at = Where {
                name: &b.name,
                body,
                first: first as u32,
                masses: &b.masses,
                dt: self.settings.time.dt,
                beta: b.damping.stiffness,
            };
            match &b.content {
                Content::Solid { mesh, materials } => {
                    parts.fill.extend(mesh.fill());
                    let place = |v: u32| mesh.vertices()[v as usize];
                    let parts_of = b.average.map(|a| a.split(materials, mesh.order())).transpose();
                    let parts_of = parts_of.map_err(|(e, reason)| at.wrong(e, reason))?;
                    if let Some(split) = &parts_of {
                        for p in split.patches(mesh) {
                            terms.patch(p.material, &p.patch, &at);
                        }
                    }
                    for (e, (t, m)) in mesh.tets().iter().zip(materials).enumerate() {
                        let m = parts_of.as_ref().map_or(m, |split| split.own(e));
                        let wrong = |reason: stencil::TetError| at.wrong(e, reason.to_string());
                        let (fill, limit) = (mesh.fill_of(e), b.limit.as_ref());
                        let Some(ten) = mesh.ten_nodes(e) else {
                            let (g, volume) = stencil::tetrahedron(t.map(place)).map_err(wrong)?;
                            terms.solid(m, at.element(t, e), (&g, volume * fill), limit, &at);
                            continue;
                        };
                        for (g, volume) in &stencil::quadratic(ten.map(place)).map_err(wrong)? {
                            terms.solid(m, at.element(&ten, e), (g, volume * fill), limit, &at);
                        }
                    }
                }
                Content::Cloth { mesh, cloth } => cloth.terms(mesh, &at, &mut terms)?,
                Content::Springs(list) => {
                    for (e, s) in list.iter().enumerate() {
                        let [p, q] = s.nodes.map(|v| b.positions[v as usize]);
                        let d = (0..3).map(|c| (p[c] - q[c]) * (p[c] - q[c])).sum::<f64>().sqrt();
                        let length = s.rest_length.unwrap_or(d);
                        terms.spring(s.kind, s.stiffness, length, at.element(&s.nodes, e), &at);
                    }
                }
            }
            terms.air(b, &at, self.settings.world.wind.as_ref(), &mut parts.air);
            for (e, (node, stiffness, target)) in b.anchors.iter().enumerate() {
                let element = terms.anchor(*stiffness, *target, at.element(&[*node], e));
                parts.anchors.push(AnchorRef { body, node: *node, batch: 0, element });
            }
        }
        let counts = terms.fibre_counts();
        let (sources, batches) = terms.sources();
        parts.air.batch = batches.drags;
        parts.fibres = FibreRef { batches: batches.fibres, counts };
        for a in &mut parts.anchors {
            a.batch = batches.anchors;
        }
        parts.sources = sources;
        Ok(parts)
    }
}
