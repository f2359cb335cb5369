//! The rest shape of a tetrahedron: its gradients and volume, or what is wrong with it.

use super::small::{cofactor, det};

/// Gradients and volume of a tetrahedron: F = [x_b−x_a x_c−x_a x_d−x_a] B⁻¹ (32), V = det B/6 (33).
///
/// The error says what is wrong with the rest shape.
pub fn tetrahedron(p: [[f64; 3]; 4]) -> Result<([[f64; 3]; 3], f64), TetError> {
    let edge = |v: usize| [p[v][0] - p[0][0], p[v][1] - p[0][1], p[v][2] - p[0][2]];
    let b = [edge(1), edge(2), edge(3)];
    let six_volumes = det(&b);
    let longest = (0..4)
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| (0..3).map(|c| (p[i][c] - p[j][c]).powi(2)).sum::<f64>())
        .fold(0.0, f64::max)
        .sqrt();
    let cube = longest * longest * longest;
    if !(six_volumes.is_finite() && cube.is_finite()) {
        return Err(TetError::NotFinite);
    }
    if six_volumes.abs() <= 1e-12 * cube || six_volumes == 0.0 {
        return Err(TetError::Flat { volume: six_volumes / 6.0 });
    }
    if six_volumes < 0.0 {
        return Err(TetError::Inverted { volume: six_volumes / 6.0 });
    }
    // Row v−1 of B⁻¹ is the gradient of node v: cof(B)/det(B) by columns of B.
    let cof = cofactor(&b);
    let mut g = [[0.0; 3]; 3];
    for v in 0..3 {
        for d in 0..3 {
            g[v][d] = cof[v][d] / six_volumes;
        }
    }
    Ok((g, six_volumes / 6.0))
}

/// What makes a rest tetrahedron useless.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum TetError {
    /// Its volume vanishes against its longest edge.
    #[error("has no volume ({volume:e} m³): its four nodes lie in a plane")]
    Flat {
        /// Signed volume in m³.
        volume: f64,
    },
    /// Its volume is negative.
    #[error("is inverted at rest (volume {volume:e} m³): exchange two of its nodes")]
    Inverted {
        /// Signed volume in m³.
        volume: f64,
    },
    /// A corner is not a finite number, or its volume overflows.
    #[error("has a corner that is not finite, or is too large")]
    NotFinite,
}
