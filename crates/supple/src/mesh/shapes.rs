//! Built-in shapes.

use super::{MeshError, TetMesh};

/// How a box-shaped cell is cut into tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Split {
    /// Five tetrahedra, mirrored from cell to cell so that faces fit.
    Five,
    /// Six tetrahedra around the cell's diagonal.
    #[default]
    Six,
}

/// The six tetrahedra around the diagonal 0–7 of a cell, by corner bits (x = 1, y = 2, z = 4).
const SIX: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];
/// Five tetrahedra with the corners 0, 3, 5, 6 in the middle one; the mirrored cell exchanges x = 0 and x = 1.
const FIVE: [[usize; 4]; 5] = [[0, 3, 6, 5], [0, 1, 3, 5], [0, 3, 2, 6], [0, 6, 4, 5], [3, 6, 5, 7]];

/// A box [0, size] of `cells` cells, each cut into tetrahedra. Node (i, j, k) has the number
/// i + (nx+1)(j + (ny+1)k).
pub fn box_mesh(size: [f64; 3], cells: [usize; 3], split: Split) -> Result<TetMesh, MeshError> {
    if size.iter().any(|s| !(s.is_finite() && *s > 0.0)) {
        return Err(MeshError::Parameter(format!("the size of a box must be positive, not {size:?}")));
    }
    if cells.contains(&0) {
        return Err(MeshError::Parameter(format!("a box needs at least one cell each way, not {cells:?}")));
    }
    let per_cell: usize = if split == Split::Six { 6 } else { 5 };
    let count = cells.iter().try_fold(per_cell, |n, c| n.checked_mul(c.checked_add(1)?));
    if count.is_none_or(|n| n > 100_000_000) {
        return Err(MeshError::Parameter(format!("a box of {cells:?} cells is too large")));
    }
    let [nx, ny, nz] = cells;
    let mut vertices = Vec::with_capacity((nx + 1) * (ny + 1) * (nz + 1));
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                let at = |c: usize, q: usize| size[c] * q as f64 / cells[c] as f64;
                vertices.push([at(0, i), at(1, j), at(2, k)]);
            }
        }
    }
    let mut tets = Vec::with_capacity(nx * ny * nz * per_cell);
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let mirrored = split == Split::Five && (i + j + k) % 2 == 1;
                let id = |corner: usize| {
                    let x = i + ((corner & 1) ^ usize::from(mirrored));
                    (x + (nx + 1) * ((j + (corner >> 1 & 1)) + (ny + 1) * (k + (corner >> 2)))) as u32
                };
                let pattern: &[[usize; 4]] = if split == Split::Six { &SIX } else { &FIVE };
                for t in pattern {
                    let mut tet = [id(t[0]), id(t[1]), id(t[2]), id(t[3])];
                    if mirrored {
                        tet.swap(2, 3);
                    }
                    tets.push(tet);
                }
            }
        }
    }
    TetMesh::new(vertices, tets)
}

/// Twists points about the x axis through `centre` (y, z): by `angle` radians over `length` metres from x = 0.
pub fn twist(points: &mut [[f64; 3]], angle: f64, length: f64, centre: [f64; 2]) {
    for p in points {
        let (s, c) = (angle * p[0] / length).sin_cos();
        let (y, z) = (p[1] - centre[0], p[2] - centre[1]);
        (p[1], p[2]) = (centre[0] + c * y - s * z, centre[1] + s * y + c * z);
    }
}
