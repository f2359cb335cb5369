//! The rest shape of a triangle, and how it bends against its neighbours.

use super::small::{cross, dot, sub};

/// What makes a rest triangle useless.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum TriangleError {
    /// Its area vanishes against its longest edge.
    #[error("has no area ({area:e} m²): its three nodes lie on a line")]
    Flat {
        /// Area in m².
        area: f64,
    },
    /// A corner is not a finite number, or its area overflows.
    #[error("has a corner that is not finite, or is too large")]
    NotFinite,
}

/// Gradients and area of a triangle: F = [x_b−x_a x_c−x_a] B⁻¹ is 3×2, B the same edges in coordinates along `warp` and across
/// it within the triangle's plane. A warp that stands on the triangle leaves the direction to its first edge.
pub fn triangle(p: [[f64; 3]; 3], warp: [f64; 3]) -> Result<([[f64; 2]; 2], f64), TriangleError> {
    let (a, b) = (sub(p[1], p[0]), sub(p[2], p[0]));
    let normal = cross(a, b);
    let twice = dot(normal, normal).sqrt();
    let c = sub(b, a);
    let longest = dot(a, a).max(dot(b, b)).max(dot(c, c));
    if !(twice.is_finite() && longest.is_finite()) {
        return Err(TriangleError::NotFinite);
    }
    if twice <= 1e-12 * longest || twice == 0.0 {
        return Err(TriangleError::Flat { area: 0.5 * twice });
    }
    let n = normal.map(|c| c / twice);
    let e1 = within(warp, n).or_else(|| within(a, n)).ok_or(TriangleError::NotFinite)?;
    let e2 = cross(n, e1);
    let (a, b) = ([dot(a, e1), dot(a, e2)], [dot(b, e1), dot(b, e2)]);
    // Rows of B⁻¹ for B = [a b] by columns.
    let d = a[0] * b[1] - a[1] * b[0];
    Ok(([[b[1] / d, -b[0] / d], [-a[1] / d, a[0] / d]], 0.5 * twice))
}

/// The direction of v within the plane of normal n; none if v stands on it.
fn within(v: [f64; 3], n: [f64; 3]) -> Option<[f64; 3]> {
    let size = v.iter().fold(0.0f64, |m, c| m.max(c.abs()));
    let v = v.map(|c| c / size);
    let along = dot(v, n);
    let flat = [v[0] - along * n[0], v[1] - along * n[1], v[2] - along * n[2]];
    let length = dot(flat, flat).sqrt();
    (length > 1e-6 && length.is_finite()).then(|| flat.map(|c| c / length))
}

/// True if a direction stands on a triangle that has an area, so that it is none within it.
pub fn stands_on(p: [[f64; 3]; 3], direction: [f64; 3]) -> bool {
    let normal = cross(sub(p[1], p[0]), sub(p[2], p[0]));
    let twice = dot(normal, normal).sqrt();
    twice > 0.0 && twice.is_finite() && within(direction, normal.map(|c| c / twice)).is_none()
}

/// How a triangle bends against its neighbours: weights of its corners and of the nodes across its edges (edge i is that from
/// corner i to the next), so that Σ_v x_v g_vᵀ is the curvature, for each of three modes a vector along the normal.
///
/// The neighbours are unfolded into the triangle's plane; the curvature H is that of the quadratic through all six nodes, which is
/// unique (Phaal & Calladine 1992), and the least one that fits where neighbours are missing. The modes are √((1+ν)/2)·(H11 + H22),
/// √((1−ν)/2)·(H11 − H22) and √(2(1−ν))·H12: a plate of stiffness B and area A has the energy BA/2 times the sum of their squares.
pub fn bend(p: [[f64; 3]; 3], across: [Option<[f64; 3]>; 3], poisson: f64) -> Option<[[f64; 3]; 6]> {
    // Corners in the plane.
    let (a, b) = (sub(p[1], p[0]), sub(p[2], p[0]));
    let length = dot(a, a).sqrt();
    let e1 = a.map(|c| c / length);
    let along = dot(b, e1);
    let up = sub(b, e1.map(|c| c * along));
    let corner = [[0.0, 0.0], [length, 0.0], [along, dot(up, up).sqrt()]];
    // √2 H12 as third unknown: then all three count alike.
    let quadratic =
        |q: [f64; 2]| [0.5 * q[0] * q[0], 0.5 * q[1] * q[1], q[0] * q[1] * std::f64::consts::FRAC_1_SQRT_2];
    // For each neighbour: how far a quadratic is there from the plane through its corners, and the corners' shares of that plane.
    let mut rows = Vec::new();
    for (i, far) in across.iter().enumerate() {
        let Some(far) = far else { continue };
        let j = (i + 1) % 3;
        let edge = sub(p[j], p[i]);
        let size = dot(edge, edge).sqrt();
        let d = sub(*far, p[i]);
        let foot = dot(d, edge) / size;
        let out = sub(d, edge.map(|c| c * foot / size));
        let height = dot(out, out).sqrt();
        let t = [(corner[j][0] - corner[i][0]) / size, (corner[j][1] - corner[i][1]) / size];
        // Corners run counter-clockwise: outside is to the right.
        let q = [corner[i][0] + foot * t[0] + height * t[1], corner[i][1] + foot * t[1] - height * t[0]];
        let third = q[1] / corner[2][1];
        let second = (q[0] - third * corner[2][0]) / length;
        let share = [1.0 - second - third, second, third];
        let mut row = quadratic(q);
        for (c, s) in share.iter().enumerate() {
            let at = quadratic(corner[c]);
            for (r, a) in row.iter_mut().zip(at) {
                *r -= s * a;
            }
        }
        rows.push((3 + i, row, share));
    }
    // H = Σ_k y_k w_k of least size with row·H = w: y by columns of rowsᵀ(rows rowsᵀ)⁻¹.
    let mut g = [[0.0; 3]; 6];
    for (k, (node, _, share)) in rows.iter().enumerate() {
        let y = least(&rows, k)?;
        for m in 0..3 {
            g[*node][m] += y[m];
            for c in 0..3 {
                g[c][m] -= share[c] * y[m];
            }
        }
    }
    let root = std::f64::consts::FRAC_1_SQRT_2;
    let (sum, difference) = ((1.0 + poisson).sqrt() * root, (1.0 - poisson).sqrt() * root);
    for row in &mut g {
        *row = [sum * (row[0] + row[1]), difference * (row[0] - row[1]), (1.0 - poisson).sqrt() * row[2]];
    }
    g.iter().flatten().all(|c| c.is_finite()).then_some(g)
}

/// One neighbour: its place among the six nodes, its deviation from the plane, the shares of the plane.
type Neighbour = (usize, [f64; 3], [f64; 3]);

/// Column k of rowsᵀ(rows rowsᵀ)⁻¹, by Gauss elimination of a system of at most three; damped a little, for nodes on a conic.
fn least(rows: &[Neighbour], k: usize) -> Option<[f64; 3]> {
    const DAMPING: f64 = 1e-8;
    let n = rows.len();
    let mut m = [[0.0; 4]; 3];
    for i in 0..n {
        for j in 0..n {
            m[i][j] = dot(rows[i].1, rows[j].1);
        }
        m[i][i] *= 1.0 + DAMPING;
        m[i][3] = f64::from(u8::from(i == k));
    }
    for c in 0..n {
        let pivot = m[c][c];
        if !(pivot > 0.0) {
            return None;
        }
        for i in (0..n).filter(|&i| i != c) {
            let f = m[i][c] / pivot;
            for j in 0..4 {
                m[i][j] -= f * m[c][j];
            }
        }
    }
    let mut y = [0.0; 3];
    for i in 0..n {
        let share = m[i][3] / m[i][i];
        for (y, r) in y.iter_mut().zip(rows[i].1) {
            *y += share * r;
        }
    }
    Some(y)
}
