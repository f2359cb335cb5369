//! Fill fractions: the share φ of a tetrahedron that lies inside of the body.

use super::inside::{Placed, Views};
use crate::exec::Exec;
use crate::mesh::tet_volume;

/// Smallest fill fraction: what a tetrahedron that the body only touches has.
pub(super) const LEAST: f64 = 0.02;
/// Tetrahedra that one thread looks at at a time.
const PIECE: usize = 64;

/// Barycentric coordinates (k + ¼)/4 with k₀ + k₁ + k₂ + k₃ = 3: twenty points strictly inside, spread evenly.
const POINTS: [[f64; 4]; 20] = {
    let mut out = [[0.0; 4]; 20];
    let (mut n, mut a) = (0, 0);
    while a <= 3 {
        let mut b = 0;
        while a + b <= 3 {
            let mut c = 0;
            while a + b + c <= 3 {
                let d = 3 - a - b - c;
                out[n] = [
                    (a as f64 + 0.25) / 4.0,
                    (b as f64 + 0.25) / 4.0,
                    (c as f64 + 0.25) / 4.0,
                    (d as f64 + 0.25) / 4.0,
                ];
                n += 1;
                c += 1;
            }
            b += 1;
        }
        a += 1;
    }
    out
};

/// Points of a tetrahedron at which the inside is asked for.
pub(super) fn samples(p: &[[f64; 3]; 4]) -> impl Iterator<Item = [f64; 3]> {
    POINTS
        .iter()
        .map(|w| std::array::from_fn(|c| w[0] * p[0][c] + w[1] * p[1][c] + w[2] * p[2][c] + w[3] * p[3][c]))
}

/// Fill fraction of each tetrahedron, and whether any is above 0.
pub(super) fn fractions(
    placed: &Placed,
    vertices: &[[f64; 3]],
    tets: &[[u32; 4]],
    exec: &Exec,
) -> (Vec<f64>, bool) {
    let mut out = vec![0.0; tets.len()];
    exec.for_each_chunk(&mut out, PIECE, |piece, out| {
        let mut views = Views::default();
        for (i, fill) in out.iter_mut().enumerate() {
            let p = tets[piece * PIECE + i].map(|v| vertices[v as usize]);
            *fill = fraction(placed, &p, &mut views);
        }
    });
    let some = out.iter().any(|f| *f > 0.0);
    out.iter_mut().for_each(|f| *f = f.max(LEAST));
    (out, some)
}

/// Scales the fractions below 1 so that all together give a volume, first by a fifth at most: points count a tetrahedron's share to a few
/// hundredths only, and empty ones have [`LEAST`]. Where a body is so thin that those alone are too much, they shrink too, and where
/// no point lies in it, all share its volume.
pub(super) fn balance(fill: &mut [f64], vertices: &[[f64; 3]], tets: &[[u32; 4]], volume: f64) {
    let of = |e: usize| tet_volume(tets[e].map(|v| vertices[v as usize]));
    // Some reach a limit when they are scaled: a few rounds.
    for _ in 0..4 {
        let (mut full, mut part) = (0.0, 0.0);
        for (e, f) in fill.iter().enumerate() {
            let sum = if *f > LEAST && *f < 1.0 { &mut part } else { &mut full };
            *sum += f * of(e);
        }
        if !(part > 0.0) {
            break;
        }
        let scale = ((volume - full) / part).clamp(0.8, 1.2);
        fill.iter_mut()
            .filter(|f| **f > LEAST && **f < 1.0)
            .for_each(|f| *f = (*f * scale).clamp(LEAST, 1.0));
    }
    let all: f64 = fill.iter().enumerate().map(|(e, f)| f * of(e)).sum();
    let unseen = fill.iter().all(|f| *f <= LEAST);
    if (all > 1.005 * volume || unseen) && volume > 0.0 {
        fill.iter_mut().for_each(|f| *f = (*f * volume / all).min(1.0));
    }
}

fn fraction(placed: &Placed, p: &[[f64; 3]; 4], views: &mut Views) -> f64 {
    // Far from all triangles one point speaks for all.
    if let Some(grid) = &placed.grid {
        let range = |c: usize| {
            let low = p.iter().map(|p| p[c]).fold(f64::INFINITY, f64::min);
            let high = p.iter().map(|p| p[c]).fold(f64::NEG_INFINITY, f64::max);
            let last = placed.lattice.cells[c] - 1;
            (low.max(0.0) as usize).min(last)..=(high.max(0.0) as usize).min(last)
        };
        let empty = range(2)
            .all(|k| range(1).all(|j| range(0).all(|i| grid.of(placed.lattice.cell([i, j, k])).is_empty())));
        if empty {
            let middle = std::array::from_fn(|c| 0.25 * (p[0][c] + p[1][c] + p[2][c] + p[3][c]));
            return f64::from(u8::from(placed.inside_with(middle, views)));
        }
    }
    samples(p).filter(|q| placed.inside_with(*q, views)).count() as f64 / POINTS.len() as f64
}
