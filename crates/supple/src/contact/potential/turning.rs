//! How the normal of a pair turns, as far as that resists.
//!
//! What slides along a surface that turns comes nearer to it in second order. With σ the slip Σ a_i u_i along the surface and q the change of
//! the normal, both in its plane, and q = −Σ G_i (n·u_i) (G: gradients of the triangle's weights; of two edges, the dual basis of their directions; of a node
//! and an edge only the part along the edge),
//!
//! ```text
//! ∂²d[u, u] = 2 q·σ − d q²        −λ ∂²d[u, u] ≈ −2λ q·σ
//! ```
//!
//! which is not positive. Of each axis of the plane the positive part is λ/2h (h q − σ)², with h such that both count alike. Only sheets have it: the
//! surface of a solid turns little, and there the negative part, which is left out, is as large.

use super::*;
use crate::math::small::cross;

/// Gradients G, and the axis that counts if it is one.
type Turning = ([[f64; 3]; 4], Option<[f64; 3]>);

/// Vectors in the plane of two that are 1 along one of them and 0 along the other.
fn dual(u: [f64; 3], v: [f64; 3]) -> Option<[[f64; 3]; 2]> {
    let (uu, uv, vv) = (dot(u, u), dot(u, v), dot(v, v));
    let det = uu * vv - uv * uv;
    (det > 1e-6 * uu * vv)
        .then(|| [axpy(scale(vv / det, u), -uv / det, v), axpy(scale(uu / det, v), -uv / det, u)])
}

impl Barrier {
    /// Gradients G of the nodes of a pair, and how many axes count: two, or the one of an edge.
    fn turning(&self, p: &Pair) -> Option<Turning> {
        let at = |k: usize| self.y[p.nodes[k] as usize].xyz();
        let mut g = [[0.0; 3]; 4];
        if p.key >> 30 & 3 == 3 {
            let inner = p.weights.iter().all(|w| *w != 0.0);
            let [a, b] = dual(sub(at(1), at(0)), sub(at(3), at(2))).filter(|_| inner)?;
            g = [scale(-1.0, a), a, scale(-1.0, b), b];
            return Some((g, None));
        }
        let mut on = [0; 3];
        let mut count = 0;
        for k in (1..4).filter(|&k| p.weights[k] != 0.0) {
            on[count] = k;
            count += 1;
        }
        match on[..count] {
            [1, 2, 3] => {
                let [b, c] = dual(sub(at(2), at(1)), sub(at(3), at(1)))?;
                g[1] = sub(scale(-1.0, b), c);
                (g[2], g[3]) = (b, c);
                Some((g, None))
            }
            [i, j] => {
                let e = sub(at(j), at(i));
                let along = scale(1.0 / dot(e, e).max(f64::MIN_POSITIVE), e);
                (g[i], g[j]) = (scale(-1.0, along), along);
                Some((g, Some(scale(1.0 / dot(e, e).sqrt().max(f64::MIN_POSITIVE), e))))
            }
            _ => None,
        }
    }

    /// Adds the blocks of a pair by how its normal turns; false if there are none.
    pub(super) fn turn(&self, p: &Pair, local: &mut Local) -> bool {
        let sheet = |i: u32| {
            let body = self.of[i as usize] as usize;
            body < self.bodies && !self.skin.surfaces.closed[body]
        };
        let turns = p.count == 4 && p.stiffness > 0.0 && (sheet(p.nodes[0]) || sheet(p.nodes[3]));
        let force = if turns { p.force() } else { 0.0 };
        if !(force > 0.0) {
            return false;
        }
        let Some((g, edge)) = self.turning(p) else { return false };
        let n = p.normal;
        let first = edge.unwrap_or_else(|| {
            let k = (0..3).fold(0, |k, c| if n[c].abs() < n[k].abs() { c } else { k });
            let mut e = [0.0; 3];
            e[k] = 1.0;
            let e = in_plane(e, n);
            scale(1.0 / dot(e, e).sqrt(), e)
        });
        let axes = [first, cross(n, first)];
        for axis in &axes[..if edge.is_some() { 1 } else { 2 }] {
            let turns = g.map(|g| dot(g, *axis));
            let size: f64 = turns.iter().map(|t| t * t).sum();
            if !(size > 0.0) {
                continue;
            }
            let h = (p.weights.iter().map(|w| w * w).sum::<f64>() / size).sqrt();
            // h q − σ = −Σ (h G_i n + a_i axis)·u_i.
            let c: [[f64; 3]; 4] = std::array::from_fn(|i| axpy(scale(h * turns[i], n), p.weights[i], *axis));
            local.add_square(0.5 * force / h, &c);
        }
        true
    }
}
