//! Tetrahedra of ten nodes: a node more on each edge.

use super::{MeshError, TetMesh, surface, tet_volume};
use crate::math::quadratic::{CORNER_MASS, EDGE_MASS, EDGES, quadratic};
use std::collections::HashMap;

/// Positions of the nodes on the edges of a tetrahedron, in the order of [`TetMesh::mids`].
pub type MidPoints = [[f64; 3]; 6];

/// The eight tetrahedra that the nodes of a quadratic one make: four at the corners, four around a diagonal of the octahedron that is
/// left.
const EIGHT: [[usize; 4]; 8] = [
    [0, 4, 6, 7],
    [4, 1, 5, 8],
    [6, 5, 2, 9],
    [7, 8, 9, 3],
    [7, 5, 4, 6],
    [7, 5, 6, 9],
    [7, 5, 9, 8],
    [7, 5, 8, 4],
];

impl TetMesh {
    /// The same mesh with a node in the middle of each edge, behind those that are there: elements of order 2. A mesh that has such nodes
    /// stays as it is.
    pub fn quadratic(&self) -> Result<TetMesh, MeshError> {
        if self.mids.is_empty() { self.with_mid_points(&[]) } else { Ok(self.clone()) }
    }

    /// The same with nodes on edges at places of their own, as files of second order have them: [`MidPoints`] of each tetrahedron, or none
    /// at all for the middles. Edges may be curved.
    pub fn with_mid_points(&self, points: &[MidPoints]) -> Result<TetMesh, MeshError> {
        if !points.is_empty() && points.len() != self.tets.len() {
            let (given, tets) = (points.len(), self.tets.len());
            return Err(MeshError::Parameter(format!("nodes on the edges of {given} of {tets} tetrahedra")));
        }
        let mut vertices = self.vertices[..self.corner_count()].to_vec();
        let mut of: HashMap<[u32; 2], u32> = HashMap::with_capacity(2 * self.tets.len());
        let mut mids = Vec::with_capacity(self.tets.len());
        for (element, t) in self.tets.iter().enumerate() {
            let mut on = [0; 6];
            for (e, ends) in EDGES.iter().enumerate() {
                let mut ends = ends.map(|i| t[i]);
                ends.sort_unstable();
                let [a, b] = ends.map(|v| vertices[v as usize]);
                let middle = std::array::from_fn(|c| 0.5 * (a[c] + b[c]));
                let at = points.get(element).map_or(middle, |p| p[e]);
                let next = vertices.len() as u32;
                on[e] = *of.entry(ends).or_insert(next);
                if on[e] == next {
                    vertices.push(at);
                } else {
                    let length = (0..3).map(|c| (a[c] - b[c]).powi(2)).sum::<f64>().sqrt();
                    let other = vertices[on[e] as usize];
                    if (0..3).any(|c| !((other[c] - at[c]).abs() <= 1e-6 * length)) {
                        let [i, j] = ends;
                        return Err(MeshError::Parameter(format!(
                            "element {element}: the node on its edge {i}–{j} is not that of its neighbour"
                        )));
                    }
                }
            }
            mids.push(on);
        }
        super::check(&vertices, &self.tets)?;
        for (element, (t, on)) in self.tets.iter().zip(&mids).enumerate() {
            quadratic(ten(&vertices, t, on)).map_err(|reason| MeshError::Shape { element, reason })?;
        }
        Ok(TetMesh { vertices, tets: self.tets.clone(), fill: self.fill.clone(), mids })
    }

    /// Nodes on the edges of each tetrahedron (a, b, c, d), those of ab, bc, ac, ad, bd, cd; empty for elements of order 1.
    pub fn mids(&self) -> &[[u32; 6]] {
        &self.mids
    }
    /// 1, or 2 with nodes on edges.
    pub fn order(&self) -> usize {
        if self.mids.is_empty() { 1 } else { 2 }
    }
    /// How many nodes are corners; those behind them lie on edges.
    pub fn corner_count(&self) -> usize {
        self.mids.iter().flatten().min().map_or(self.vertices.len(), |&first| first as usize)
    }

    /// Each node on an edge, and the ends of that.
    pub fn edge_nodes(&self) -> Vec<(u32, [u32; 2])> {
        let mut all: Vec<(u32, [u32; 2])> = Vec::new();
        for (t, on) in self.tets.iter().zip(&self.mids) {
            all.extend(EDGES.iter().zip(on).map(|([i, j], &m)| (m, [t[*i], t[*j]])));
        }
        all.sort_unstable_by_key(|(m, _)| *m);
        all.dedup_by_key(|(m, _)| *m);
        all
    }

    /// The nodes on edges that are pinned along some axes because both ends are, and these ends. `pins` are lists of nodes as they were
    /// pinned, and along which axes: one that names nodes on edges is taken by its word, one of corners means the edges between them too.
    pub(crate) fn held_mids<'a>(
        &self,
        pins: impl Iterator<Item = (&'a [u32], [bool; 3])>,
    ) -> Vec<(u32, [u32; 2], [bool; 3])> {
        if self.order() == 1 {
            return Vec::new();
        }
        let corners = self.corner_count();
        let mut held = vec![[false; 3]; corners];
        for (ids, axes) in pins.filter(|(ids, _)| ids.iter().all(|&v| (v as usize) < corners)) {
            for &v in ids {
                (0..3).for_each(|c| held[v as usize][c] |= axes[c]);
            }
        }
        let both = |(m, ends): (u32, [u32; 2])| {
            let [a, b] = ends.map(|v| held[v as usize]);
            (m, ends, [0, 1, 2].map(|c| a[c] && b[c]))
        };
        self.edge_nodes().into_iter().map(both).filter(|(_, _, held)| *held != [false; 3]).collect()
    }

    /// The boundary triangles, counter-clockwise from outside, in a fixed order. Of a face of order 2 there are four, between its six nodes.
    pub fn surface(&self) -> Vec<[u32; 3]> {
        let faces = surface(&self.tets);
        if self.mids.is_empty() {
            return faces;
        }
        let of: HashMap<[u32; 2], u32> = self.edge_nodes().into_iter().map(|(m, e)| (sorted(e), m)).collect();
        let on = |i: u32, j: u32| of.get(&sorted([i, j])).copied().unwrap_or(i);
        let four = |[a, b, c]: [u32; 3]| {
            let (ab, bc, ca) = (on(a, b), on(b, c), on(c, a));
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        faces.into_iter().flat_map(four).collect()
    }

    /// The mesh of order 1 between the same nodes: eight tetrahedra for one of order 2, number 8e + k for element e. Of strongly curved
    /// elements some may be flat: an error.
    pub fn refined(&self) -> Result<TetMesh, MeshError> {
        if self.mids.is_empty() {
            return Ok(self.clone());
        }
        let mut tets = Vec::with_capacity(8 * self.tets.len());
        for (t, on) in self.tets.iter().zip(&self.mids) {
            let node = |v: usize| if v < 4 { t[v] } else { on[v - 4] };
            tets.extend(EIGHT.map(|e| e.map(node)));
        }
        let fill = self.fill.iter().flat_map(|f| [*f; 8]).collect();
        TetMesh::new(self.vertices.clone(), tets)?.with_fill(fill)
    }

    /// The nodes of an element of order 2: corners, then those on edges.
    pub(crate) fn ten_nodes(&self, tet: usize) -> Option<[u32; 10]> {
        let (t, on) = (self.tets.get(tet)?, self.mids.get(tet)?);
        Some(std::array::from_fn(|v| if v < 4 { t[v] } else { on[v - 4] }))
    }

    /// Volume of an element in m³, curved edges counted, without its fill fraction.
    pub fn element_volume(&self, tet: usize) -> f64 {
        let straight = tet_volume(self.tets[tet].map(|v| self.vertices[v as usize]));
        let ten = self.mids.get(tet).map(|on| ten(&self.vertices, &self.tets[tet], on));
        match ten.map(quadratic) {
            Some(Ok(points)) => points.iter().map(|p| p.1).sum(),
            _ => straight,
        }
    }

    /// Masses of the nodes in kg, of elements with these densities in kg/m³, fill fractions counted: a quarter of an element's mass for each
    /// corner, and for order 2 its shares after Hinton, Rock and Zienkiewicz, which are positive.
    pub fn node_masses(&self, density: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut masses = vec![0.0; self.vertices.len()];
        for (e, t) in self.tets.iter().enumerate() {
            let mass = density(e) * self.filled_volume(e);
            let corner = if self.mids.is_empty() { 0.25 } else { CORNER_MASS };
            t.iter().for_each(|&v| masses[v as usize] += corner * mass);
            for &m in self.mids.get(e).into_iter().flatten() {
                masses[m as usize] += EDGE_MASS * mass;
            }
        }
        masses
    }
}

fn ten(vertices: &[[f64; 3]], corners: &[u32; 4], mids: &[u32; 6]) -> [[f64; 3]; 10] {
    std::array::from_fn(|v| vertices[if v < 4 { corners[v] } else { mids[v - 4] } as usize])
}

fn sorted(mut edge: [u32; 2]) -> [u32; 2] {
    edge.sort_unstable();
    edge
}
