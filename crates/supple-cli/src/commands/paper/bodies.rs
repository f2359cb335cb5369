//! Bodies of the sizes of the paper's: figures of cells, rounded off, that stand in for its scanned models.
use std::collections::BTreeMap;

use miette::IntoDiagnostic;
use supple::mesh::{TetMesh, shapes, surface, tet_volume};

/// A rounded stick: two ends, and the radius at each.
type Stick = ([f64; 3], [f64; 3], f64, f64);

/// A figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Upright, with arms, legs, ears and a tail, for the armadillo.
    Biped,
    /// Sitting, with long ears, for the bunny.
    Hare,
    /// On four legs, for the horse.
    Steed,
}

impl Figure {
    /// Its parts on the right side and in the middle; those with x > 0 are there twice, mirrored. Heights in m.
    fn sticks(self) -> &'static [Stick] {
        match self {
            Figure::Biped => &[
                ([0.0, 0.44, 0.0], [0.0, 0.68, 0.0], 0.17, 0.155),
                ([0.0, 0.86, 0.03], [0.0, 0.86, 0.03], 0.125, 0.125),
                ([0.0, 0.85, 0.1], [0.0, 0.82, 0.22], 0.08, 0.06),
                ([0.09, 0.94, 0.0], [0.15, 1.07, -0.01], 0.055, 0.045),
                ([0.14, 0.68, 0.0], [0.36, 0.6, 0.06], 0.075, 0.065),
                ([0.36, 0.6, 0.06], [0.5, 0.76, 0.14], 0.065, 0.07),
                ([0.1, 0.4, 0.0], [0.17, 0.07, 0.0], 0.095, 0.075),
                ([0.17, 0.06, 0.0], [0.18, 0.06, 0.15], 0.07, 0.06),
                ([0.0, 0.38, -0.12], [0.0, 0.12, -0.4], 0.09, 0.05),
            ],
            Figure::Hare => &[
                ([0.0, 0.24, -0.12], [0.0, 0.29, 0.1], 0.23, 0.2),
                ([0.0, 0.54, 0.24], [0.0, 0.54, 0.24], 0.15, 0.15),
                ([0.0, 0.4, 0.15], [0.0, 0.5, 0.2], 0.16, 0.14),
                ([0.07, 0.64, 0.22], [0.12, 0.95, 0.1], 0.06, 0.05),
                ([0.0, 0.26, -0.36], [0.0, 0.26, -0.36], 0.09, 0.09),
                ([0.11, 0.06, 0.14], [0.12, 0.06, 0.32], 0.07, 0.06),
                ([0.16, 0.09, -0.1], [0.17, 0.06, 0.06], 0.1, 0.07),
            ],
            Figure::Steed => &[
                ([0.0, 0.64, -0.3], [0.0, 0.66, 0.3], 0.19, 0.18),
                ([0.0, 0.72, 0.32], [0.0, 1.02, 0.52], 0.13, 0.1),
                ([0.0, 1.02, 0.52], [0.0, 0.9, 0.76], 0.1, 0.07),
                ([0.05, 1.1, 0.48], [0.06, 1.17, 0.47], 0.04, 0.04),
                ([0.11, 0.58, 0.3], [0.12, 0.06, 0.3], 0.085, 0.065),
                ([0.11, 0.58, -0.32], [0.12, 0.06, -0.34], 0.095, 0.065),
                ([0.0, 0.66, -0.46], [0.0, 0.3, -0.6], 0.07, 0.055),
            ],
        }
    }

    /// Length of a cell in m, chosen so that nodes and elements are as many as the model's, within 10 %.
    fn cell(self) -> f64 {
        match self {
            Figure::Biped => 0.0575,
            Figure::Hare => 0.0645,
            Figure::Steed => 0.06625,
        }
    }

    fn contains(self, p: [f64; 3]) -> bool {
        let p = [p[0].abs(), p[1], p[2]];
        self.sticks().iter().any(|&(a, b, ra, rb)| {
            let (ab, ap): ([f64; 3], [f64; 3]) =
                (std::array::from_fn(|c| b[c] - a[c]), std::array::from_fn(|c| p[c] - a[c]));
            let (dot, square) = (0..3).fold((0.0, 0.0), |s, c| (s.0 + ab[c] * ap[c], s.1 + ab[c] * ab[c]));
            let t = if square > 0.0 { (dot / square).clamp(0.0, 1.0) } else { 0.0 };
            let d = (0..3).map(|c| (ap[c] - t * ab[c]).powi(2)).sum::<f64>().sqrt();
            d <= ra + t * (rb - ra)
        })
    }

    /// Its mesh.
    pub fn mesh(self) -> miette::Result<TetMesh> {
        let h = self.cell();
        const LOW: [f64; 3] = [-0.66, 0.0, -0.72];
        const SIZE: [f64; 3] = [1.32, 1.26, 1.62];
        let cells = SIZE.map(|s| (s / h).ceil() as usize);
        // Mirrored about x = 0: an even number of cells across, the middle between two.
        let cells = [cells[0] + cells[0] % 2, cells[1], cells[2]];
        let size: [f64; 3] = std::array::from_fn(|c| cells[c] as f64 * h);
        let low = [-0.5 * size[0], LOW[1], LOW[2]];
        let block = shapes::box_mesh(size, cells, shapes::Split::Six).into_diagnostic()?;
        let mut new_number = BTreeMap::new();
        let (mut vertices, mut tets) = (Vec::new(), Vec::new());
        for (number, t) in block.tets().iter().enumerate() {
            // Six tetrahedra per cell, cell by cell.
            let cell = number / 6;
            let at = [cell % cells[0], cell / cells[0] % cells[1], cell / (cells[0] * cells[1])];
            if !self.contains(std::array::from_fn(|c| low[c] + (at[c] as f64 + 0.5) * h)) {
                continue;
            }
            tets.push(t.map(|v| {
                *new_number.entry(v).or_insert_with(|| {
                    let p = block.vertices()[v as usize];
                    vertices.push(std::array::from_fn(|c| low[c] + p[c]));
                    vertices.len() as u32 - 1
                })
            }));
        }
        round_off(&mut vertices, &tets);
        TetMesh::new(vertices, tets).into_diagnostic()
    }
}

/// Moves each node of the surface towards the mean of its neighbours there, as far as no tetrahedron gets flat.
fn round_off(vertices: &mut [[f64; 3]], tets: &[[u32; 4]]) {
    let volume = |vertices: &[[f64; 3]], t: &[u32; 4]| tet_volume(t.map(|v| vertices[v as usize]));
    let least: Vec<f64> = tets.iter().map(|t| 0.25 * volume(vertices, t)).collect();
    let mut around = vec![Vec::new(); vertices.len()];
    for (e, t) in tets.iter().enumerate() {
        for &v in t {
            around[v as usize].push(e);
        }
    }
    let mut neighbours: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for t in surface(tets) {
        for k in 0..3 {
            neighbours.entry(t[k]).or_default().push(t[(k + 1) % 3]);
        }
    }
    for _ in 0..4 {
        for (&v, list) in &neighbours {
            let before = vertices[v as usize];
            let mean: [f64; 3] = std::array::from_fn(|c| {
                list.iter().map(|&n| vertices[n as usize][c]).sum::<f64>() / list.len() as f64
            });
            for share in [0.6, 0.3, 0.1] {
                vertices[v as usize] = std::array::from_fn(|c| before[c] + share * (mean[c] - before[c]));
                if around[v as usize].iter().all(|&e| volume(vertices, &tets[e]) >= least[e]) {
                    break;
                }
                vertices[v as usize] = before;
            }
        }
    }
}
