//! `[[body]]`: what it says, its checks, and how it becomes a body of the scene.
#![allow(clippy::indexing_slicing, reason = "regions and vertices are those of the mesh")]

use super::file::{ColourText, LabelText, MaterialTable, Pattern, Rotation, Scale};
use super::material_table::material;
use super::parse::SceneError;
use super::place::{self, Placed};
use super::select::{Select, select};
use super::shape::Shape;
use super::sheet::{ClothTable, cloth};
use super::start::StartState;
use super::{Along, Averaging, Damping, Limit, Scene, Spring, SpringKind};
use crate::error::BuildError;
use crate::mesh::TetMesh;
use serde::{Deserialize, Serialize};

/// A body: a shape or a mesh file, placed, made of a material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Its name, used by pins, anchors and outputs.
    pub name: String,
    /// A built-in shape. Give this or `mesh`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    /// A mesh file, relative to the scene file: tetrahedra for a solid, triangles for a sheet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<String>,
    /// Fills a surface with tetrahedra: then a mesh file of triangles is a solid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<FillTable>,
    /// The detailed surface that a solid carries and that is drawn and exported: `true` for the surface that was filled, or a mesh file
    /// with triangles, placed like the body. None by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skin: Option<SkinChoice>,
    /// What touches obstacles: `tets` (default), the body's nodes, or `skin`, the vertices of its skin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<ContactPart>,
    /// What a solid or a sheet is made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<MaterialTable>,
    /// Springs, rods or ropes along the edges of a net or rope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub springs: Option<Springs>,
    /// What makes a sheet, besides its material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cloth: Option<ClothTable>,
    /// Order of a solid's elements: 1 (default), tetrahedra of four nodes, or 2, of ten nodes, which bend without locking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// True averages the strain of a solid over patches of elements, so that it neither locks nor, of order 1, is too stiff; `"thin"` for bodies of
    /// one or two cells that bend. Default false.
    #[serde(default, skip_serializing_if = "Averaging::is_off")]
    pub average: Averaging,
    /// Strain limit of a solid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// Rayleigh damping; none by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<Damping>,
    /// Moves the shape, in m; after `scale` and `rotate`.
    #[serde(default)]
    pub translate: [f64; 3],
    /// Turns the shape about the origin; after `scale`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotate: Option<Rotation>,
    /// Scales the shape about the origin: one factor, or one per axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scale>,
    /// Where and how fast it starts, if not at rest.
    #[serde(default)]
    pub start: StartState,
    /// Its colour in pictures and exports. Default: the next of eight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<ColourText>,
    /// A pattern that moves with the body, so that the motion of smooth bodies is seen: `plain` (default), `stripes` or `checker`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Pattern>,
    /// Text beside it in pictures: `true` for its name, or the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<LabelText>,
    /// Other materials for parts of a solid, later ones first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub region: Vec<Region>,
}

/// How a surface is filled. Give `size` or `tets`, or neither for a size of a thirtieth of the bounding box's diagonal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct FillTable {
    /// Length of the lattice's long edges in m, > 0, after `scale`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<f64>,
    /// About this number of tetrahedra, within a tenth where the shape allows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tets: Option<usize>,
    /// `conform` (default: nodes on the surface), `grow` (a little beyond it) or `cage` (whole lattice tetrahedra).
    pub kind: crate::mesh::fill::Kind,
    /// `keep` (default) or `fill` shells that face inwards and lie in others.
    pub cavities: crate::mesh::fill::Cavities,
    /// Parts that share no face: `all` (default) or the `largest`.
    pub parts: crate::mesh::fill::PartsKept,
}

/// What of a body touches obstacles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ContactPart {
    /// The nodes of its tetrahedra.
    Tets,
    /// The vertices of its skin.
    Skin,
}

/// The skin of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum SkinChoice {
    /// The surface that was filled, or none.
    Own(bool),
    /// A mesh file with triangles, relative to the scene file.
    File(String),
}

/// Springs along the edges of a net or rope.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Springs {
    /// Stiffness of each in N/m, > 0. Rods and ropes need none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// Mass of the whole body in kg, > 0.
    pub mass: f64,
    /// Rest length as a share of the length at the start. Default 1.
    #[serde(default = "one")]
    pub rest: f64,
    /// What they are: `spring` (default), `tension` (only pulls), `rod` (exactly the length) or `rope` (at most the length).
    #[serde(default)]
    pub kind: SpringKind,
}

fn one() -> f64 {
    1.0
}

/// Order of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "u32", into = "u32")]
pub enum Order {
    /// Nodes at corners.
    #[default]
    One,
    /// Nodes on edges too.
    Two,
}

impl TryFrom<u32> for Order {
    type Error = String;
    fn try_from(n: u32) -> Result<Self, String> {
        match n {
            1 => Ok(Order::One),
            2 => Ok(Order::Two),
            _ => Err(format!("elements have order 1 or 2, not {n}")),
        }
    }
}

impl From<Order> for u32 {
    fn from(o: Order) -> u32 {
        if o == Order::Two { 2 } else { 1 }
    }
}

/// Another material for a part of a solid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Elements whose centre is selected (`ids` are numbers of elements).
    pub select: Select,
    /// Their material; its density counts too.
    pub material: MaterialTable,
    /// Their colour in pictures, where a box or a sphere selects them: `"#rrggbb"`, or three numbers from 0 to 1. Default: the body's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<ColourText>,
}

/// A material of solids on a surface from a file: a solid was meant, and what is missing is its filling.
fn meant_solid(e: SceneError, body: &Body) -> SceneError {
    let Some(path) = body.mesh.as_ref().filter(|_| e.message.contains("is a material of solids")) else {
        return e;
    };
    let message = format!("{path} is a surface, without tetrahedra; {}", e.message);
    let hint =
        "fill it, `fill = { tets = 10000 }`, or use it as a sheet with one of those materials".to_string();
    SceneError { message, hint: Some(hint), ..e }
}

/// Adds a body to a scene.
pub(super) fn add_body(scene: &mut Scene, body: &Body, p: &Placed, key: &str) -> Result<(), SceneError> {
    let built = |e: BuildError| SceneError::at(key, e.to_string());
    if let Some(damping) = &body.damping {
        damping.check().map_err(|e| SceneError::at(format!("{key}.damping"), e.reason))?;
        if damping.stiffness > 0.0 && p.mesh.is_none() && body.material.is_none() {
            return Err(SceneError::at(
                format!("{key}.damping.stiffness"),
                "is for solids and for sheets with a material",
            ));
        }
    }
    if let Some(limit) = &body.limit {
        if p.mesh.is_none() {
            return Err(SceneError::at(format!("{key}.limit"), "is for solids; a sheet has `cloth.limit`"));
        }
        limit.check().map_err(|e| SceneError::at(format!("{key}.limit.{}", e.name), e.reason))?;
        if limit.along == Along::Threads {
            return Err(SceneError::at(
                format!("{key}.limit.along"),
                "a solid has no threads: it is limited in every direction, along `stretches`",
            ));
        }
    }
    if let Some(sheet) = &p.sheet {
        return scene
            .add_cloth(&body.name, sheet.clone(), cloth(body, sheet, key).map_err(|e| meant_solid(e, body))?)
            .map(|_| ())
            .map_err(built);
    }
    if body.cloth.is_some() {
        return Err(SceneError::at(
            format!("{key}.cloth"),
            "is for sheets: a cloth shape or a mesh of triangles",
        ));
    }
    let Some(mesh) = &p.mesh else {
        let Some(s) = &body.springs else {
            return Err(SceneError::at(key, "is a net of springs and needs `springs`"));
        };
        if body.material.is_some() {
            return Err(SceneError::at(
                format!("{key}.material"),
                "is for solids and sheets; a net has `springs`",
            ));
        }
        let rigid = matches!(s.kind, SpringKind::Rod | SpringKind::Rope);
        let Some(stiffness) = s.stiffness.or(rigid.then_some(1.0)) else {
            return Err(SceneError::at(format!("{key}.springs"), "need a `stiffness` in N/m"));
        };
        for (name, v) in [("stiffness", stiffness), ("mass", s.mass), ("rest", s.rest)] {
            if !(v.is_finite() && v > 0.0) {
                return Err(SceneError::at(
                    format!("{key}.springs.{name}"),
                    format!("must be positive, not {v}"),
                ));
            }
        }
        let list = p.edges.iter().map(|&nodes| {
            let [a, b] = nodes.map(|v| p.vertices[v as usize]);
            let d = (0..3).map(|c| (a[c] - b[c]).powi(2)).sum::<f64>().sqrt();
            Spring { rest_length: Some(s.rest * d), kind: s.kind, ..Spring::new(nodes, stiffness) }
        });
        let masses = vec![s.mass / p.vertices.len() as f64; p.vertices.len()];
        return scene
            .add_springs(&body.name, p.vertices.clone(), masses, list.collect())
            .map(|_| ())
            .map_err(built);
    };
    let Some(whole) = &body.material else {
        return Err(SceneError::at(key, "is a solid and needs a `material`"));
    };
    if body.springs.is_some() {
        return Err(SceneError::at(format!("{key}.springs"), "are for cloth and ropes, not for solids"));
    }
    let of = regions(mesh, &body.region, key)?;
    let (base, base_density) = material(whole, &format!("{key}.material"))?;
    let mut others = Vec::new();
    for (i, r) in body.region.iter().enumerate() {
        others.push(material(&r.material, &format!("{key}.region[{i}].material"))?);
    }
    let masses = mesh.node_masses(|e| of[e].map_or(base_density, |r| others[r].1));
    let materials = of.iter().map(|region| region.map_or(&base, |r| &others[r].0).clone()).collect();
    scene.add_solid_with_masses(&body.name, mesh.clone(), materials, masses).map(|_| ()).map_err(built)
}

/// For each element the region that its centre lies in, later regions first.
fn regions(mesh: &TetMesh, regions: &[Region], key: &str) -> Result<Vec<Option<usize>>, SceneError> {
    let mut of = vec![None; mesh.tets().len()];
    if regions.is_empty() {
        return Ok(of);
    }
    let corners = |t: &[u32; 4]| t.map(|v| mesh.vertices().get(v as usize).copied().unwrap_or([f64::NAN; 3]));
    let centres: Vec<[f64; 3]> = mesh.tets().iter().map(|t| place::centre(&corners(t))).collect();
    for (i, r) in regions.iter().enumerate() {
        if r.select.skin {
            let message = "has no meaning here: regions are of elements, not of the skin";
            return Err(SceneError::at(format!("{key}.region[{i}].select.skin"), message));
        }
        for e in select(&r.select, &format!("{key}.region[{i}].select"), &centres, &[])? {
            of.get_mut(e as usize).into_iter().for_each(|of| *of = Some(i));
        }
    }
    Ok(of)
}
