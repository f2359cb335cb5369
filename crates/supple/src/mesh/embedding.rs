//! Skins: points of a detailed surface that ride in the tetrahedra of a body.
//!
//! At rest each point p has a tetrahedron and weights β with Σβ = 1; it moves to p + Σ β_v u_v, u_v the displacements of the corners, so that a point
//! whose tetrahedron has not moved keeps its bits. Normals turn with n = cof(F̄) n₀, F̄ the deformation gradient averaged over the tetrahedra around each
//! node, so that they do not jump from one tetrahedron to the next; where nothing moved they keep their bits too.

use super::fill::tree::Tree;
use super::{MeshError, TetMesh, tet_volume};
use crate::math::small::{add, axpy, cofactor, cross, dot, mul_vec, scale, sub};
use crate::math::tet::tetrahedron;

/// Points of a body: for each a tetrahedron and weights of its corners.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    tets: Vec<u32>,
    weights: Vec<[f64; 4]>,
    /// Nodes of each point's tetrahedron.
    nodes: Vec<[u32; 4]>,
    outside: usize,
    /// Tetrahedra at which normals look: all around the nodes that carry points.
    stencils: Vec<Stencil>,
    /// The points at rest.
    points: Vec<[f64; 3]>,
    /// The body's nodes at rest.
    rest: Vec<[f64; 3]>,
}

/// A tetrahedron's nodes, its gradients and its share in its corners' means.
#[derive(Clone, Debug, PartialEq)]
struct Stencil {
    nodes: [u32; 4],
    gradients: [[f64; 3]; 3],
    volume: f64,
}

impl Embedding {
    /// Binds points (in m, at rest) to the tetrahedra around them. A point outside of all is bound to the tetrahedron of the nearest boundary
    /// triangle, with weights some of which are negative.
    pub fn new(mesh: &TetMesh, points: &[[f64; 3]]) -> Result<Embedding, MeshError> {
        if let Some(node) = points.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
            return Err(MeshError::NotFinite { node, position: points[node] });
        }
        let at = |t: &[u32; 4]| t.map(|v| mesh.vertices()[v as usize]);
        let grid = Grid::new(mesh);
        let faces = super::surface(mesh.tets());
        let owners = owners(mesh.tets(), &faces);
        let tree = Tree::new(faces.iter().map(|f| f.map(|v| mesh.vertices()[v as usize])));
        let (mut tets, mut weights, mut outside) = (Vec::new(), Vec::new(), 0);
        for &p in points {
            let inside = grid.around(p).iter().map(|&t| (t, barycentric(at(&mesh.tets()[t as usize]), p)));
            // The tetrahedron that holds it best: rounding must not make a point on a face homeless.
            let best = inside
                .map(|(t, w)| (t, w, w.iter().fold(f64::INFINITY, |a, b| a.min(*b))))
                .filter(|(.., least)| *least >= -1e-9)
                .max_by(|a, b| a.2.total_cmp(&b.2).then(b.0.cmp(&a.0)));
            let (t, w) = match best {
                Some((t, w, _)) => (t, w),
                None => {
                    outside += 1;
                    let face = tree.nearest(p, f64::INFINITY).map_or(0, |(_, f)| f);
                    let t = owners.get(face as usize).copied().unwrap_or(0);
                    (t, barycentric(at(&mesh.tets()[t as usize]), p))
                }
            };
            tets.push(t);
            weights.push(w);
        }
        let nodes: Vec<[u32; 4]> = tets.iter().map(|&t| mesh.tets()[t as usize]).collect();
        let mut used = vec![false; mesh.vertices().len()];
        nodes.iter().flatten().for_each(|&v| used[v as usize] = true);
        let stencils = mesh.tets().iter().filter(|t| t.iter().any(|&v| used[v as usize]));
        let stencils = stencils.filter_map(|t| {
            let (gradients, volume) = tetrahedron(at(t)).ok()?;
            Some(Stencil { nodes: *t, gradients, volume })
        });
        let (stencils, points) = (stencils.collect(), points.to_vec());
        Ok(Embedding { tets, weights, nodes, outside, stencils, points, rest: mesh.vertices().to_vec() })
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.tets.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tets.is_empty()
    }
    /// The tetrahedron of each point.
    pub fn tets(&self) -> &[u32] {
        &self.tets
    }
    /// The weights of its corners.
    pub fn weights(&self) -> &[[f64; 4]] {
        &self.weights
    }
    /// The corners of each point's tetrahedron.
    pub fn nodes(&self) -> &[[u32; 4]] {
        &self.nodes
    }
    /// Points that lie outside of all tetrahedra.
    pub fn outside(&self) -> usize {
        self.outside
    }

    /// Where the points are when the body's nodes are at `x` (in m, as many as the body has). Points whose tetrahedra have not moved have the bits
    /// that they were bound with.
    pub fn positions(&self, x: &[[f64; 3]]) -> Result<Vec<[f64; 3]>, MeshError> {
        self.check(x)?;
        let moved = |v: u32| sub(x[v as usize], self.rest[v as usize]);
        let at = |i: usize| {
            let (n, w) = (&self.nodes[i], &self.weights[i]);
            let first = moved(n[0]);
            // From one corner, so that a body that moves as a whole loses no digits.
            let u = (1..4).fold(first, |u, v| axpy(u, w[v], sub(moved(n[v]), first)));
            add(self.points[i], u)
        };
        Ok((0..self.len()).map(at).collect())
    }

    /// Normals of unit length when the body's nodes are at `x`, from those at rest. A normal that is zero stays zero.
    pub fn normals(&self, x: &[[f64; 3]], rest: &[[f64; 3]]) -> Result<Vec<[f64; 3]>, MeshError> {
        if rest.len() != self.len() {
            let (given, points) = (rest.len(), self.len());
            return Err(MeshError::Parameter(format!("{given} normals for {points} points")));
        }
        self.normals_at(x, rest.iter().copied().enumerate())
    }

    /// The same of any normals at rest, each with the number of the point where it stands.
    pub fn normals_at(
        &self,
        x: &[[f64; 3]],
        rest: impl Iterator<Item = (usize, [f64; 3])>,
    ) -> Result<Vec<[f64; 3]>, MeshError> {
        self.check(x)?;
        let turns = self.turns(x);
        let turn = |(point, normal): (usize, [f64; 3])| {
            let (Some(nodes), Some(weights)) = (self.nodes.get(point), self.weights.get(point)) else {
                return Err(MeshError::Parameter(format!("there is no point {point}")));
            };
            // Σβ = 1: what is averaged is the difference from the identity.
            let mut c = [[0.0; 3]; 3];
            for (v, w) in nodes.iter().zip(weights) {
                for d in 0..3 {
                    c[d] = axpy(c[d], *w, turns[*v as usize][d]);
                }
            }
            if c == [[0.0; 3]; 3] {
                return Ok(normal);
            }
            let n = add(normal, mul_vec(&c, normal));
            let length = dot(n, n).sqrt();
            Ok(if length > 0.0 && length.is_finite() { scale(1.0 / length, n) } else { normal })
        };
        rest.map(turn).collect()
    }

    /// cof(F̄) − 1 at each node that carries points; zero, to the bit, where nothing around it moved.
    fn turns(&self, x: &[[f64; 3]]) -> Vec<[[f64; 3]; 3]> {
        let zero = [[0.0; 3]; 3];
        let moved = |v: u32| sub(x[v as usize], self.rest[v as usize]);
        // The gradient of displacements, F − 1.
        let mut mean = vec![(zero, 0.0); self.rest.len()];
        for s in &self.stencils {
            let first = moved(s.nodes[0]);
            let mut f = zero;
            for (v, g) in s.gradients.iter().enumerate() {
                let edge = sub(moved(s.nodes[v + 1]), first);
                for d in 0..3 {
                    f[d] = axpy(f[d], g[d], edge);
                }
            }
            for v in s.nodes {
                let m = &mut mean[v as usize];
                for d in 0..3 {
                    m.0[d] = axpy(m.0[d], s.volume, f[d]);
                }
                m.1 += s.volume;
            }
        }
        let turn = |(gradient, volume): &([[f64; 3]; 3], f64)| {
            if *volume <= 0.0 || *gradient == zero {
                return zero;
            }
            let mut f = gradient.map(|c| scale(1.0 / volume, c));
            (0..3).for_each(|d| f[d][d] += 1.0);
            let mut c = cofactor(&f);
            (0..3).for_each(|d| c[d][d] -= 1.0);
            c
        };
        mean.iter().map(turn).collect()
    }

    fn check(&self, x: &[[f64; 3]]) -> Result<(), MeshError> {
        if x.len() != self.rest.len() {
            let reason = format!("{} positions for a body of {} nodes", x.len(), self.rest.len());
            return Err(MeshError::Parameter(reason));
        }
        Ok(())
    }
}

/// Weights of the corners of a tetrahedron at a point.
fn barycentric(p: [[f64; 3]; 4], q: [f64; 3]) -> [f64; 4] {
    let whole = tet_volume(p);
    let part = |i: usize| {
        let mut p = p;
        p[i] = q;
        tet_volume(p) / whole
    };
    let [b, c, d] = [part(1), part(2), part(3)];
    [1.0 - b - c - d, b, c, d]
}

/// The tetrahedron of each boundary face.
fn owners(tets: &[[u32; 4]], faces: &[[u32; 3]]) -> Vec<u32> {
    let key = |mut f: [u32; 3]| {
        f.sort_unstable();
        f
    };
    let all = tets
        .iter()
        .zip(0u32..)
        .flat_map(|(&[a, b, c, d], t)| [[a, b, c], [a, b, d], [a, c, d], [b, c, d]].map(|f| (key(f), t)));
    let of: std::collections::HashMap<[u32; 3], u32> = all.collect();
    faces.iter().map(|f| of.get(&key(*f)).copied().unwrap_or(0)).collect()
}

/// Tetrahedra by the cells of a grid that their boxes reach into.
struct Grid {
    low: [f64; 3],
    size: f64,
    cells: [usize; 3],
    start: Vec<u32>,
    tets: Vec<u32>,
}

impl Grid {
    fn new(mesh: &TetMesh) -> Grid {
        let mut low = [f64::INFINITY; 3];
        let mut high = [f64::NEG_INFINITY; 3];
        for p in mesh.vertices() {
            low = std::array::from_fn(|c| low[c].min(p[c]));
            high = std::array::from_fn(|c| high[c].max(p[c]));
        }
        let wide = sub(high, low);
        let volume: f64 =
            wide.iter().map(|w| w.max(1e-9 * wide.iter().fold(0.0f64, |a, b| a.max(*b)))).product();
        // About one tetrahedron to a cell, and never more cells than twice as many.
        let size = crate::math::elementary::cbrt(volume / mesh.tets().len() as f64).max(f64::MIN_POSITIVE);
        let cells = wide.map(|w| ((w / size) as usize + 1).min(1 << 10));
        let mut grid = Grid { low, size, cells, start: Vec::new(), tets: Vec::new() };
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (t, corners) in mesh.tets().iter().enumerate() {
            let p = corners.map(|v| mesh.vertices()[v as usize]);
            let bound = |c: usize, f: fn(f64, f64) -> f64| p[1..].iter().fold(p[0][c], |a, q| f(a, q[c]));
            let from: [usize; 3] = std::array::from_fn(|c| grid.place(bound(c, f64::min), c));
            let to: [usize; 3] = std::array::from_fn(|c| grid.place(bound(c, f64::max), c));
            for k in from[2]..=to[2] {
                for j in from[1]..=to[1] {
                    for i in from[0]..=to[0] {
                        pairs.push(((i + cells[0] * (j + cells[1] * k)) as u32, t as u32));
                    }
                }
            }
        }
        pairs.sort_unstable();
        grid.start = vec![0; cells.iter().product::<usize>() + 1];
        pairs.iter().for_each(|(cell, _)| grid.start[*cell as usize + 1] += 1);
        for i in 1..grid.start.len() {
            grid.start[i] += grid.start[i - 1];
        }
        grid.tets = pairs.into_iter().map(|(_, t)| t).collect();
        grid
    }
    fn place(&self, x: f64, c: usize) -> usize {
        (((x - self.low[c]) / self.size).max(0.0) as usize).min(self.cells[c] - 1)
    }
    /// Tetrahedra whose boxes reach into the cell of a point.
    fn around(&self, p: [f64; 3]) -> &[u32] {
        let [i, j, k] = std::array::from_fn(|c| self.place(p[c], c));
        let cell = i + self.cells[0] * (j + self.cells[1] * k);
        &self.tets[self.start[cell] as usize..self.start[cell + 1] as usize]
    }
}

/// Normals of vertices: the mean of those of the triangles around each, by area. For surfaces that come without.
pub fn vertex_normals(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<[f64; 3]> {
    let mut out = vec![[0.0; 3]; vertices.len()];
    for t in triangles {
        if let [Some(a), Some(b), Some(c)] = t.map(|v| vertices.get(v as usize).copied()) {
            let n = cross(sub(b, a), sub(c, a));
            t.iter().for_each(|&v| out[v as usize] = add(out[v as usize], n));
        }
    }
    for n in &mut out {
        let length = dot(*n, *n).sqrt();
        if length > 0.0 {
            *n = scale(1.0 / length, *n);
        }
    }
    out
}
