//! Surfaces that are filled, and the skins that the bodies then carry.

use super::file::{FillTable, SkinChoice};
use super::parse::SceneError;
use crate::mesh::drawn::NONE;
use crate::mesh::fill::{FillReport, FillSettings, Fineness, Surface, fill};
use crate::mesh::{Attributes, Drawn, Embedding, MeshError, TetMesh, vertex_normals};

/// The detailed surface of a body: what is drawn and exported in place of its tetrahedra's boundary.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// Positions at rest in m, in the order of the file.
    pub vertices: Vec<[f64; 3]>,
    /// Triangles, in the order of the file.
    pub triangles: Vec<[u32; 3]>,
    /// Normals at rest, of unit length.
    pub normals: Vec<[f64; 3]>,
    /// What is on the surface: texture coordinates, an artist's normals, the names of materials and groups.
    pub attributes: Attributes,
    /// How the vertices ride in the body's tetrahedra.
    pub embedding: Embedding,
    /// The vertex of each normal of the attributes.
    normal_at: Vec<u32>,
}

impl Skin {
    /// Binds a surface to a body; both at rest.
    pub fn new(mesh: &TetMesh, vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Result<Skin, MeshError> {
        // Of order 2 by the tetrahedra of order 1 between the same nodes.
        let embedding = Embedding::new(&mesh.refined()?, &vertices)?;
        let normals = vertex_normals(&vertices, &triangles);
        let (attributes, normal_at) = (Attributes::default(), Vec::new());
        Ok(Skin { vertices, triangles, normals, attributes, embedding, normal_at })
    }
    /// With what is on the surface. A normal that several vertices share becomes one of each; see [`crate::mesh::drawn::Corners::split`].
    pub fn with_attributes(mut self, mut attributes: Attributes) -> Skin {
        self.normal_at = attributes.normals.split(&self.triangles);
        if let Some(normals) = attributes.normals.by_vertex(&self.triangles, self.vertices.len()) {
            let value = |&i: &u32| attributes.normals.values.get(i as usize).copied().unwrap_or_default();
            self.normals = normals.iter().map(value).collect();
        }
        self.attributes = attributes;
        self
    }
    /// Where the vertices are when the body's nodes are at `x`.
    pub fn positions(&self, x: &[[f64; 3]]) -> Result<Vec<[f64; 3]>, MeshError> {
        self.embedding.positions(x)
    }
    /// The normals of its attributes when the body's nodes are at `x`.
    pub fn corner_normals(&self, x: &[[f64; 3]]) -> Result<Vec<[f64; 3]>, MeshError> {
        let rest = &self.attributes.normals.values;
        let used = self.normal_at.iter().zip(rest).filter(|(at, _)| **at != NONE);
        let mut turned = self.embedding.normals_at(x, used.map(|(at, n)| (*at as usize, *n)))?.into_iter();
        let now = self.normal_at.iter().zip(rest);
        Ok(now.map(|(at, n)| if *at == NONE { *n } else { turned.next().unwrap_or(*n) }).collect())
    }
}

impl FillTable {
    /// The settings that it means.
    pub fn settings(&self) -> Result<FillSettings, String> {
        let fineness = match (self.size, self.tets) {
            (Some(_), Some(_)) => return Err("has both `size` and `tets`: give one of them".into()),
            (Some(size), None) => Fineness::Size(size),
            (None, Some(tets)) => Fineness::Tets(tets),
            (None, None) => Fineness::Default,
        };
        let (kind, cavities, parts) = (self.kind, self.cavities, self.parts);
        Ok(FillSettings { fineness, kind, cavities, parts, ..FillSettings::default() })
    }
}

/// Fills a placed surface.
pub(super) fn fill_surface(
    table: &FillTable,
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    key: &str,
) -> Result<(TetMesh, FillReport), SceneError> {
    let settings = table.settings().map_err(|e| SceneError::at(format!("{key}.fill"), e))?;
    fill(&Surface { vertices, triangles }, &settings)
        .map_err(|e| SceneError::at(format!("{key}.fill"), e.to_string()))
}

/// Nodes that carry points of a skin: corners of their tetrahedra, but for those of no weight. Where they are held, the points are.
pub(super) fn carriers(ids: &[u32], embedding: &Embedding) -> Vec<u32> {
    let of = ids
        .iter()
        .filter_map(|&v| embedding.nodes().get(v as usize).zip(embedding.weights().get(v as usize)));
    let heavy = of.flat_map(|(nodes, weights)| nodes.iter().zip(weights).filter(|(_, w)| w.abs() > 1e-9));
    let mut nodes: Vec<u32> = heavy.map(|(node, _)| *node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Groups of a skin's vertices as groups of the nodes that carry them.
pub(super) fn carried(groups: &[(String, Vec<u32>)], embedding: &Embedding) -> Vec<(String, Vec<u32>)> {
    groups.iter().map(|(name, ids)| (name.clone(), carriers(ids, embedding))).collect()
}

/// A surface to be bound to a body.
#[derive(Default)]
pub(super) struct Cover {
    pub vertices: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
    pub attributes: Attributes,
    /// Groups of its vertices.
    pub groups: Vec<(String, Vec<u32>)>,
}

impl Cover {
    /// Of a surface that a file has: as it is drawn, or else its mesh. Not placed.
    pub fn new(
        drawn: Option<Drawn>,
        vertices: Vec<[f64; 3]>,
        triangles: Vec<[u32; 3]>,
        groups: &[(String, Vec<u32>)],
    ) -> Cover {
        let Some(drawn) = drawn else {
            return Cover { vertices, triangles, groups: groups.to_vec(), ..Cover::default() };
        };
        let all = |(name, ids): &(String, Vec<u32>)| {
            // Those of a group are ascending.
            let inside = (0u32..).zip(&drawn.nodes).filter(|(_, node)| ids.binary_search(node).is_ok());
            (name.clone(), inside.map(|(vertex, _)| vertex).collect())
        };
        let groups = groups.iter().map(all).collect();
        Cover { vertices: drawn.vertices, triangles: drawn.triangles, attributes: drawn.attributes, groups }
    }
    /// The same with every point and normal moved; normals are left alone where `turn` is `None`.
    pub fn placed(
        mut self,
        put: impl Fn(&[f64; 3]) -> [f64; 3],
        turn: Option<impl Fn(&[f64; 3]) -> [f64; 3]>,
    ) -> Cover {
        self.vertices = self.vertices.iter().map(put).collect();
        if let Some(turn) = turn {
            let normals = &mut self.attributes.normals.values;
            *normals = normals.iter().map(turn).collect();
        }
        self
    }
}

impl SkinChoice {
    /// Whether there is one.
    pub fn is_some(&self) -> bool {
        !matches!(self, SkinChoice::Own(false))
    }
}
