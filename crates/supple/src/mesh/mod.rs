//! Meshes: shapes of bodies at rest.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | [`TetMesh`], validated on construction |
//! | `triangles.rs` | [`TriMesh`], the same for sheets; neighbours and edges |
//! | `shapes.rs` | built-in shapes with resolution |
//! | `patches.rs` | neighbouring tetrahedra whose strain is averaged |
//! | `quadratic.rs` | tetrahedra of ten nodes: mid-side nodes, masses, their surface |
//! | `surface.rs` | the boundary triangles of a tetrahedral mesh |
//! | `io/` | mesh files: bytes in, [`io::RawMesh`] out, and back |
//! | `fill/` | [`fill()`]: from a surface to a body |
//! | `drawn.rs` | [`Drawn`]: a surface as its file draws it, with texture coordinates, normals, materials |
//! | `embedding.rs` | [`Embedding`]: skins that ride in a body's tetrahedra |
//! | `limbs.rs` | [`Limbs`]: figures of rounded limbs |
//! | `repair.rs` | winding, unused nodes, and defects of elements |
//! | `quality.rs` | shape of elements, closedness, parts: what `supple mesh info` tells |

pub mod drawn;
mod embedding;
pub mod fill;
pub mod io;
mod limbs;
mod patches;
mod quadratic;
pub mod quality;
pub mod repair;
pub mod shapes;
mod surface;
mod triangles;

pub use drawn::{Attributes, Drawn};
pub use embedding::{Embedding, vertex_normals};
pub use fill::fill;
pub use limbs::{Contour, Limb, Limbs};
pub(crate) use patches::MOST_NODES;
pub use quadratic::MidPoints;
pub use surface::surface;
pub use triangles::TriMesh;

use crate::math::tet::{TetError, tetrahedron};
use crate::math::triangle::TriangleError;

/// What is wrong with a mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// A vertex is not finite.
    #[error("node {node}: its position {position:?} is not finite")]
    NotFinite {
        /// Number of the vertex.
        node: usize,
        /// Its position.
        position: [f64; 3],
    },
    /// An element names a vertex that is not there.
    #[error("element {element}: node {node} does not exist (the mesh has {nodes} nodes)")]
    Index {
        /// Number of the tetrahedron.
        element: usize,
        /// The vertex that it names.
        node: u32,
        /// How many there are.
        nodes: usize,
    },
    /// An element names a vertex twice.
    #[error("element {element}: node {node} appears twice")]
    Repeated {
        /// Number of the tetrahedron.
        element: usize,
        /// The vertex.
        node: u32,
    },
    /// A tetrahedron is flat or inverted at rest.
    #[error("element {element} {reason}")]
    Shape {
        /// Number of the tetrahedron.
        element: usize,
        /// What is wrong with it.
        reason: TetError,
    },
    /// A triangle is flat at rest.
    #[error("element {element} {reason}")]
    Triangle {
        /// Number of the triangle.
        element: usize,
        /// What is wrong with it.
        reason: TriangleError,
    },
    /// A fill fraction outside of (0, 1].
    #[error("element {element}: its fill fraction must lie above 0 and at most at 1, not {fill}")]
    Fill {
        /// Number of the tetrahedron.
        element: usize,
        /// The fraction.
        fill: f64,
    },
    /// More vertices or tetrahedra than 32-bit numbers count.
    #[error("{what}: {count} are too many")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// No vertex or no element.
    #[error("the mesh is empty")]
    Empty,
    /// A built-in shape with numbers that make no shape.
    #[error("{0}")]
    Parameter(String),
}

/// Finite vertices, corners that exist and differ.
fn check<const V: usize>(vertices: &[[f64; 3]], elements: &[[u32; V]]) -> Result<(), MeshError> {
    if vertices.is_empty() || elements.is_empty() {
        return Err(MeshError::Empty);
    }
    for (what, count) in [("nodes", vertices.len()), ("elements", elements.len())] {
        if count >= (u32::MAX / 8) as usize {
            return Err(MeshError::TooMany { what, count });
        }
    }
    if let Some(node) = vertices.iter().position(|p| p.iter().any(|a| !a.is_finite())) {
        return Err(MeshError::NotFinite { node, position: vertices[node] });
    }
    for (element, corners) in elements.iter().enumerate() {
        for (i, &node) in corners.iter().enumerate() {
            if node as usize >= vertices.len() {
                return Err(MeshError::Index { element, node, nodes: vertices.len() });
            }
            if corners[..i].contains(&node) {
                return Err(MeshError::Repeated { element, node });
            }
        }
    }
    Ok(())
}

/// A tetrahedral mesh: finite vertices in m, tetrahedra with positive volume, of order 1 or, with nodes on their edges, 2.
#[derive(Clone, Debug, PartialEq)]
pub struct TetMesh {
    vertices: Vec<[f64; 3]>,
    tets: Vec<[u32; 4]>,
    /// Empty where all are 1.
    fill: Vec<f64>,
    /// Empty for order 1.
    mids: Vec<[u32; 6]>,
}

impl TetMesh {
    /// Checks and takes vertices and tetrahedra; a tetrahedron (a, b, c, d) must have det[b−a, c−a, d−a] > 0.
    pub fn new(vertices: Vec<[f64; 3]>, tets: Vec<[u32; 4]>) -> Result<TetMesh, MeshError> {
        check(&vertices, &tets)?;
        for (element, tet) in tets.iter().enumerate() {
            tetrahedron(tet.map(|v| vertices[v as usize]))
                .map_err(|reason| MeshError::Shape { element, reason })?;
        }
        Ok(TetMesh { vertices, tets, fill: Vec::new(), mids: Vec::new() })
    }

    /// The same mesh with a fill fraction in (0, 1] for each tetrahedron: the share of it that is full of material. Its energy and its mass
    /// are those of its volume times this. None at all means that all are full.
    pub fn with_fill(self, fill: Vec<f64>) -> Result<TetMesh, MeshError> {
        if !fill.is_empty() && fill.len() != self.tets.len() {
            let (given, tets) = (fill.len(), self.tets.len());
            return Err(MeshError::Parameter(format!("{given} fill fractions for {tets} tetrahedra")));
        }
        if let Some(element) = fill.iter().position(|f| !(*f > 0.0 && *f <= 1.0)) {
            return Err(MeshError::Fill { element, fill: fill[element] });
        }
        Ok(TetMesh { fill, ..self })
    }

    /// Positions in m; nodes on edges stand behind the corners.
    pub fn vertices(&self) -> &[[f64; 3]] {
        &self.vertices
    }
    /// Corners of each tetrahedron.
    pub fn tets(&self) -> &[[u32; 4]] {
        &self.tets
    }
    /// The same mesh moved vertex by vertex, checked again.
    pub fn map(&self, f: impl FnMut([f64; 3]) -> [f64; 3]) -> Result<TetMesh, MeshError> {
        let vertices: Vec<[f64; 3]> = self.vertices.iter().copied().map(f).collect();
        let on = |m: &[u32; 6]| m.map(|v| vertices[v as usize]);
        let points: Vec<MidPoints> = self.mids.iter().map(on).collect();
        let corners = vertices[..self.corner_count()].to_vec();
        let mesh = TetMesh::new(corners, self.tets.clone())?.with_fill(self.fill.clone())?;
        if points.is_empty() { Ok(mesh) } else { mesh.with_mid_points(&points) }
    }
    /// Fill fraction of each tetrahedron; empty where all are full.
    pub fn fill(&self) -> &[f64] {
        &self.fill
    }
    /// Fill fraction of a tetrahedron.
    pub fn fill_of(&self, tet: usize) -> f64 {
        self.fill.get(tet).copied().unwrap_or(1.0)
    }
    /// Volume of a tetrahedron in m³, times its fill fraction.
    pub fn filled_volume(&self, tet: usize) -> f64 {
        self.fill_of(tet) * self.element_volume(tet)
    }
    /// Volume in m³, with fill fractions.
    pub fn volume(&self) -> f64 {
        (0..self.tets.len()).map(|t| self.filled_volume(t)).sum()
    }
}

/// Signed volume of a tetrahedron.
pub fn tet_volume(p: [[f64; 3]; 4]) -> f64 {
    let e = |v: usize| [p[v][0] - p[0][0], p[v][1] - p[0][1], p[v][2] - p[0][2]];
    crate::math::small::det(&[e(1), e(2), e(3)]) / 6.0
}
