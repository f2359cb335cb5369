//! Vertices for formats that keep one normal per vertex: split where the surface has a sharp edge.
use supple::math::sets::Sets;
use supple::mesh::Attributes;
use supple::mesh::drawn::NONE;

use super::shell::Shell;
use super::stl::{normal, unit};

/// Faces that meet at more than this angle (radians) in the first frame keep a sharp edge throughout.
const CREASE: f64 = 0.9;
/// The same of sheets, whose folds come and go.
const FOLD: f64 = 1.4;

/// A shell whose vertices are split at its sharp edges.
pub(crate) struct Creased {
    /// The vertex of the shell at each vertex.
    pub origin: Vec<u32>,
    /// The surface.
    pub triangles: Vec<[u32; 3]>,
    /// The springs.
    pub edges: Vec<[u32; 2]>,
}

impl Creased {
    /// Splits the vertices of a shell at these positions; a sheet may be folded more before that is an edge.
    pub fn new(shell: &Shell, positions: &[[f64; 3]], sheet: bool) -> Self {
        let crease = if sheet { FOLD } else { CREASE };
        let faces: Vec<[f64; 3]> =
            shell.triangles.iter().map(|t| normal(t.map(|v| positions[v as usize]))).collect();
        // Both faces at each edge: their corners there are one vertex if the edge is not sharp.
        let mut sides: Vec<(u32, u32, u32)> = Vec::with_capacity(shell.triangles.len() * 3);
        for (face, t) in shell.triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                sides.push((a.min(b), a.max(b), face as u32));
            }
        }
        sides.sort_unstable();
        let mut corners = Sets::new(shell.triangles.len() * 3);
        for pair in sides.windows(2) {
            let [(a, b, one), (c, d, other)] = [pair[0], pair[1]];
            if (a, b) != (c, d) {
                continue;
            }
            let (m, n) = (faces[one as usize], faces[other as usize]);
            let flat = m == [0.0; 3] || n == [0.0; 3];
            if flat || m[0] * n[0] + m[1] * n[1] + m[2] * n[2] > crease.cos() {
                for vertex in [a, b] {
                    let corner = |face: u32| {
                        let t = shell.triangles[face as usize];
                        face * 3 + (0..3).find(|&k| t[k as usize] == vertex).unwrap_or(0)
                    };
                    corners.join(corner(one), corner(other));
                }
            }
        }

        const NONE: u32 = u32::MAX;
        let mut origin = Vec::new();
        let mut of_set = vec![NONE; shell.triangles.len() * 3];
        let mut of_vertex = vec![NONE; shell.nodes.len()];
        let mut triangles = shell.triangles.clone();
        for (face, t) in triangles.iter_mut().enumerate() {
            for (k, vertex) in t.iter_mut().enumerate() {
                let slot = &mut of_set[corners.root((face * 3 + k) as u32) as usize];
                if *slot == NONE {
                    *slot = origin.len() as u32;
                    origin.push(*vertex);
                }
                of_vertex[*vertex as usize] = *slot;
                *vertex = *slot;
            }
        }
        let mut edges = shell.edges.clone();
        for vertex in edges.iter_mut().flatten() {
            let slot = &mut of_vertex[*vertex as usize];
            if *slot == NONE {
                *slot = origin.len() as u32;
                origin.push(*vertex);
            }
            *vertex = *slot;
        }
        Self { origin, triangles, edges }
    }

    /// With the attributes of the shell's surface: vertices are also split at seams of the texture and, where there are normals, by those instead of
    /// sharp edges. Vertices keep their order. Besides, the numbers of the texture coordinates and normals of each vertex.
    pub fn with_attributes(
        shell: &Shell,
        positions: &[[f64; 3]],
        attributes: &Attributes,
        sheet: bool,
    ) -> (Self, Vec<[u32; 2]>) {
        let plain = Self::new(shell, positions, sheet);
        let corner = |list: &[[u32; 3]], t: usize, k: usize| list.get(t).map_or(NONE, |c| c[k]);
        // Vertex, texture coordinates, normal, and the side of a sharp edge where corners have no normal.
        let mut keys: Vec<[u32; 4]> = Vec::with_capacity(3 * shell.triangles.len());
        for (t, triangle) in shell.triangles.iter().enumerate() {
            for k in 0..3 {
                let normal = corner(&attributes.normals.of, t, k);
                let side = if normal == NONE { plain.triangles[t][k] } else { NONE };
                keys.push([triangle[k], corner(&attributes.uvs.of, t, k), normal, side]);
            }
        }
        let mut sorted = keys.clone();
        sorted.extend(shell.edges.as_flattened().iter().map(|&v| [v, NONE, NONE, NONE]));
        sorted.sort_unstable();
        sorted.dedup();
        let number = |key: &[u32; 4]| sorted.binary_search(key).unwrap_or(0) as u32;
        let triangles = keys.chunks_exact(3).map(|t| std::array::from_fn(|k| number(&t[k]))).collect();
        let edges = shell.edges.iter().map(|e| e.map(|v| number(&[v, NONE, NONE, NONE]))).collect();
        let origin = sorted.iter().map(|key| key[0]).collect();
        let numbers = sorted.iter().map(|key| [key[1], key[2]]).collect();
        (Self { origin, triangles, edges }, numbers)
    }

    /// Unit normals at the vertices: means of the faces around, by their angles. Upwards where there are no faces.
    pub fn normals(&self, positions: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let mut sums = vec![[0.0; 3]; self.origin.len()];
        for t in &self.triangles {
            let p = t.map(|v| positions[self.origin[v as usize] as usize]);
            let face = normal(p);
            for k in 0..3 {
                let angle = angle(p[k], p[(k + 1) % 3], p[(k + 2) % 3]);
                let sum = &mut sums[t[k] as usize];
                (0..3).for_each(|axis| sum[axis] += angle * face[axis]);
            }
        }
        sums.into_iter()
            .map(|sum| {
                let mean = unit(sum);
                if mean == [0.0; 3] { [0.0, 1.0, 0.0] } else { mean }
            })
            .collect()
    }
}

/// Angle at `a` between `b` and `c`.
fn angle(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> f64 {
    let (u, v) =
        (unit([b[0] - a[0], b[1] - a[1], b[2] - a[2]]), unit([c[0] - a[0], c[1] - a[1], c[2] - a[2]]));
    (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]).clamp(-1.0, 1.0).acos()
}
