//! Triangle meshes: sheets.

use super::{MeshError, check};
use crate::math::triangle::triangle;
use std::collections::BTreeMap;

/// A triangle mesh: finite vertices in m, triangles with an area.
#[derive(Clone, Debug, PartialEq)]
pub struct TriMesh {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// Checks and takes vertices and triangles.
    pub fn new(vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Result<TriMesh, MeshError> {
        check(&vertices, &triangles)?;
        for (element, t) in triangles.iter().enumerate() {
            triangle(t.map(|v| vertices[v as usize]), [1.0, 0.0, 0.0])
                .map_err(|reason| MeshError::Triangle { element, reason })?;
        }
        Ok(TriMesh { vertices, triangles })
    }

    /// Positions in m.
    pub fn vertices(&self) -> &[[f64; 3]] {
        &self.vertices
    }
    /// Corners of each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }
    /// Area in m².
    pub fn area(&self) -> f64 {
        let area = |t: &[u32; 3]| {
            triangle(t.map(|v| self.vertices[v as usize]), [1.0, 0.0, 0.0]).map_or(0.0, |(_, a)| a)
        };
        self.triangles.iter().map(area).sum()
    }

    /// For each triangle the node across each of its edges, edge i being that from corner i to the next. None at the boundary and
    /// where three triangles or more meet.
    pub fn across(&self) -> Vec<[Option<u32>; 3]> {
        let mut at: BTreeMap<[u32; 2], Vec<(usize, usize)>> = BTreeMap::new();
        for (e, t) in self.triangles.iter().enumerate() {
            for i in 0..3 {
                let (a, b) = (t[i], t[(i + 1) % 3]);
                at.entry([a.min(b), a.max(b)]).or_default().push((e, i));
            }
        }
        let mut across = vec![[None; 3]; self.triangles.len()];
        for pair in at.values() {
            if let [(e, i), (f, j)] = pair[..] {
                across[e][i] = Some(self.triangles[f][(j + 2) % 3]);
                across[f][j] = Some(self.triangles[e][(i + 2) % 3]);
            }
        }
        across
    }

    /// Edges, each once, in order of their nodes.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let mut edges: Vec<[u32; 2]> = self
            .triangles
            .iter()
            .flat_map(|t| (0..3).map(|i| [t[i].min(t[(i + 1) % 3]), t[i].max(t[(i + 1) % 3])]))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}
