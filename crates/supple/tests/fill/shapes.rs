//! Surfaces with a known inside.

use supple::mesh::fill::Surface;

/// xorshift64*: the same numbers everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Vertices and triangles.
#[derive(Clone, Default)]
pub struct Mesh {
    pub vertices: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    pub fn surface(&self) -> Surface<'_> {
        Surface { vertices: &self.vertices, triangles: &self.triangles }
    }
    pub fn map(mut self, f: impl Fn([f64; 3]) -> [f64; 3]) -> Mesh {
        self.vertices.iter_mut().for_each(|p| *p = f(*p));
        self
    }
    pub fn turned(mut self) -> Mesh {
        self.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        self
    }
    pub fn with(mut self, other: &Mesh) -> Mesh {
        let first = self.vertices.len() as u32;
        self.vertices.extend(&other.vertices);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + first)));
        self
    }
    /// Volume of the polyhedron.
    pub fn volume(&self) -> f64 {
        let at = |v: u32| self.vertices[v as usize];
        let det = |[a, b, c]: [[f64; 3]; 3]| {
            a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0])
        };
        self.triangles.iter().map(|t| det(t.map(at)) / 6.0).sum()
    }
    /// Triangles with vertices of their own, each a little smaller: a soup with gaps.
    pub fn soup(&self, shrink: f64) -> Mesh {
        let mut out = Mesh::default();
        for t in &self.triangles {
            let p = t.map(|v| self.vertices[v as usize]);
            let first = out.vertices.len() as u32;
            for q in p {
                out.vertices.push(std::array::from_fn(|c| {
                    let middle = (p[0][c] + p[1][c] + p[2][c]) / 3.0;
                    middle + (1.0 - shrink) * (q[c] - middle)
                }));
            }
            out.triangles.push([first, first + 1, first + 2]);
        }
        out
    }
}

/// A sphere of triangles from rings, 2n rings of 4n.
pub fn sphere(radius: f64, n: usize) -> Mesh {
    let (rings, around) = (2 * n, 4 * n);
    let mut m = Mesh { vertices: vec![[0.0, 0.0, radius]], triangles: Vec::new() };
    for i in 1..rings {
        for j in 0..around {
            let (theta, phi) = (
                std::f64::consts::PI * i as f64 / rings as f64,
                std::f64::consts::TAU * j as f64 / around as f64,
            );
            m.vertices
                .push([theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos()].map(|c| c * radius));
        }
    }
    let last = m.vertices.len() as u32;
    m.vertices.push([0.0, 0.0, -radius]);
    let id = |i: usize, j: usize| (1 + (i - 1) * around + j % around) as u32;
    for j in 0..around {
        m.triangles.push([0, id(1, j), id(1, j + 1)]);
        m.triangles.push([last, id(rings - 1, j + 1), id(rings - 1, j)]);
        for i in 1..rings - 1 {
            m.triangles.push([id(i, j), id(i + 1, j), id(i + 1, j + 1)]);
            m.triangles.push([id(i, j), id(i + 1, j + 1), id(i, j + 1)]);
        }
    }
    m
}

/// A box between two corners, twelve triangles.
pub fn block(low: [f64; 3], high: [f64; 3]) -> Mesh {
    let corner = |i: usize| std::array::from_fn(|c| if i >> c & 1 == 0 { low[c] } else { high[c] });
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    Mesh {
        vertices: (0..8).map(corner).collect(),
        triangles: quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
    }
}

/// Turned by an angle about an axis of unit length.
pub fn turn(p: [f64; 3], axis: [f64; 3], angle: f64) -> [f64; 3] {
    let (s, c) = angle.sin_cos();
    let along: f64 = (0..3).map(|i| p[i] * axis[i]).sum();
    let cross =
        [axis[1] * p[2] - axis[2] * p[1], axis[2] * p[0] - axis[0] * p[2], axis[0] * p[1] - axis[1] * p[0]];
    std::array::from_fn(|i| c * p[i] + s * cross[i] + (1.0 - c) * along * axis[i])
}
