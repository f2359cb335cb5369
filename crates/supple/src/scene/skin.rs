//! Surfaces that are filled, and the skins that the bodies then carry.

use super::file::{FillTable, SkinChoice};
use super::parse::SceneError;
use crate::mesh::fill::{FillReport, FillSettings, Fineness, Surface, fill};
use crate::mesh::{Embedding, MeshError, TetMesh, vertex_normals};

/// The detailed surface of a body: what is drawn and exported in place of its tetrahedra's boundary.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// Positions at rest in m, in the order of the file.
    pub vertices: Vec<[f64; 3]>,
    /// Triangles, in the order of the file.
    pub triangles: Vec<[u32; 3]>,
    /// Normals at rest, of unit length.
    pub normals: Vec<[f64; 3]>,
    /// How the vertices ride in the body's tetrahedra.
    pub embedding: Embedding,
}

impl Skin {
    /// Binds a surface to a body; both at rest.
    pub fn new(mesh: &TetMesh, vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Result<Skin, MeshError> {
        // Of order 2 by the tetrahedra of order 1 between the same nodes.
        let embedding = Embedding::new(&mesh.refined()?, &vertices)?;
        let normals = vertex_normals(&vertices, &triangles);
        Ok(Skin { vertices, triangles, normals, embedding })
    }
    /// Where the vertices are when the body's nodes are at `x`.
    pub fn positions(&self, x: &[[f64; 3]]) -> Result<Vec<[f64; 3]>, MeshError> {
        self.embedding.positions(x)
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

/// Groups of a skin's vertices as groups of nodes: those of the tetrahedra that carry them.
pub(super) fn carried(groups: &[(String, Vec<u32>)], embedding: &Embedding) -> Vec<(String, Vec<u32>)> {
    let nodes = |ids: &[u32]| {
        let of = ids.iter().filter_map(|&v| embedding.nodes().get(v as usize));
        let mut nodes: Vec<u32> = of.flatten().copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    };
    groups.iter().map(|(name, ids)| (name.clone(), nodes(ids))).collect()
}

impl SkinChoice {
    /// Whether there is one.
    pub fn is_some(&self) -> bool {
        !matches!(self, SkinChoice::Own(false))
    }
}
