//! The rest shape of a tetrahedron of ten nodes: the gradients and volumes of its four quadrature points.
//!
//! Nodes 0–3 are corners, node 4 + e lies on the edge [`EDGES`]`[e]`. Shape functions in barycentric coordinates L are
//! L_c(2L_c − 1) at corners and 4L_iL_j on edges. The rule of four points is exact for polynomials of degree 2, and so for the energy of
//! a quadratic displacement of a linear material where edges are straight.

use super::small::{cofactor, det};
use super::tet::TetError;

/// The corners of each edge, in the order of VTK's quadratic tetrahedron.
pub const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]];

/// Share of the mass of an element that a corner carries, and that a node on an edge carries: the diagonal of the consistent mass matrix,
/// scaled to the whole mass (Hinton, Rock and Zienkiewicz 1976). Four corners and six edges make 1.
pub const CORNER_MASS: f64 = 1.0 / 36.0;
/// See [`CORNER_MASS`].
pub const EDGE_MASS: f64 = 4.0 / 27.0;

/// Gradients g_v of nodes v ≥ 1 at a quadrature point, and its share of the volume in m³.
pub type Point = ([[f64; 3]; 9], f64);

/// Gradients and volumes at the four quadrature points of an element with these nodes.
pub fn quadratic(p: [[f64; 3]; 10]) -> Result<[Point; 4], TetError> {
    let root = 5.0_f64.sqrt();
    let (near, far) = ((5.0 + 3.0 * root) / 20.0, (5.0 - root) / 20.0);
    let longest = EDGES
        .iter()
        .map(|[i, j]| (0..3).map(|c| (p[*i][c] - p[*j][c]).powi(2)).sum::<f64>())
        .fold(0.0, f64::max)
        .sqrt();
    let mut points = [([[0.0; 3]; 9], 0.0); 4];
    for (q, point) in points.iter_mut().enumerate() {
        let mut l = [far; 4];
        l[q] = near;
        let d = derivatives(l);
        // Columns of the Jacobian: ∂X/∂L_{k+1}, relative to node 0, so that a body far from the origin loses nothing.
        let mut jacobian = [[0.0; 3]; 3];
        for (k, column) in jacobian.iter_mut().enumerate() {
            for (v, d) in d.iter().enumerate().skip(1) {
                for c in 0..3 {
                    column[c] += (p[v][c] - p[0][c]) * d[k];
                }
            }
        }
        let size = det(&jacobian);
        let cube = longest * longest * longest;
        if !(size.is_finite() && cube.is_finite()) {
            return Err(TetError::NotFinite);
        }
        let volume = size / 24.0;
        if size.abs() <= 1e-12 * cube || size == 0.0 {
            return Err(TetError::Flat { volume });
        }
        if size < 0.0 {
            return Err(TetError::Inverted { volume });
        }
        let inverse = cofactor(&jacobian);
        for v in 1..10 {
            for c in 0..3 {
                point.0[v - 1][c] = (0..3).map(|k| inverse[k][c] * d[v][k]).sum::<f64>() / size;
            }
        }
        point.1 = volume;
    }
    Ok(points)
}

/// ∂N_v/∂L_{k+1} of every node at barycentric coordinates L, L_0 = 1 − L_1 − L_2 − L_3.
fn derivatives(l: [f64; 4]) -> [[f64; 3]; 10] {
    // ∂L_i/∂L_{k+1}.
    let along = |i: usize, k: usize| if i == 0 { -1.0 } else { f64::from(u8::from(i == k + 1)) };
    let mut d = [[0.0; 3]; 10];
    for k in 0..3 {
        for i in 0..4 {
            d[i][k] = (4.0 * l[i] - 1.0) * along(i, k);
        }
        for (e, [i, j]) in EDGES.into_iter().enumerate() {
            d[4 + e][k] = 4.0 * (l[i] * along(j, k) + l[j] * along(i, k));
        }
    }
    d
}
