//! Patches: neighbouring tetrahedra whose strain is averaged; and how thick a mesh is in cells.
//!
//! A mesh has five to six tetrahedra to a node. If each of them keeps its volume, more is asked of the nodes than they can do, and the body
//! locks. Patches of as many tetrahedra ask once per node. They are grown one after the other: the neighbour that adds fewest nodes comes
//! first, then the one nearest to the patch's centre, so that the tetrahedra of a cell find each other.

use super::{TetMesh, surface};
use crate::math::small::{cross, dot};
use std::collections::HashMap;

/// Most nodes of a patch.
pub const MOST_NODES: usize = 10;
/// Most nodes while it grows: those of a cell of a box.
const GROWN: usize = 8;

impl TetMesh {
    /// Parts the elements into patches that are joined by faces, each of one `class` and of at most [`MOST_NODES`] corners.
    pub(crate) fn patches(&self, class: &[u32]) -> Vec<Vec<u32>> {
        let neighbours = neighbours(&self.tets);
        let centre = |e: usize| -> [f64; 3] {
            std::array::from_fn(|c| {
                self.tets[e].iter().map(|&v| self.vertices[v as usize][c]).sum::<f64>() / 4.0
            })
        };
        const FREE: u32 = u32::MAX;
        let mut of = vec![FREE; self.tets.len()];
        let mut patches: Vec<Vec<u32>> = Vec::new();
        for seed in 0..self.tets.len() {
            if of[seed] != FREE {
                continue;
            }
            let number = patches.len() as u32;
            let (mut patch, mut nodes) = (vec![seed as u32], self.tets[seed].to_vec());
            let mut sum = centre(seed);
            of[seed] = number;
            loop {
                let count = patch.len() as f64;
                let far = |e: usize| {
                    let c = centre(e);
                    (0..3).map(|i| (c[i] - sum[i] / count).powi(2)).sum::<f64>()
                };
                let mut best: Option<(usize, f64, usize)> = None;
                for e in patch.iter().flat_map(|&e| neighbours[e as usize]).filter(|e| *e != FREE) {
                    let e = e as usize;
                    let new = self.tets[e].iter().filter(|v| !nodes.contains(v)).count();
                    if of[e] == FREE && class.get(e) == class.get(seed) && nodes.len() + new <= GROWN {
                        let this = (new, far(e), e);
                        let nearer = |b: (usize, f64, usize)| {
                            this.0.cmp(&b.0).then(this.1.total_cmp(&b.1)).then(this.2.cmp(&b.2)).is_lt()
                        };
                        if best.is_none_or(nearer) {
                            best = Some(this);
                        }
                    }
                }
                let Some((_, _, e)) = best else { break };
                of[e] = number;
                patch.push(e as u32);
                let here = self.tets[e];
                here.iter().for_each(|v| {
                    if !nodes.contains(v) {
                        nodes.push(*v);
                    }
                });
                let c = centre(e);
                (0..3).for_each(|i| sum[i] += c[i]);
            }
            patches.push(patch);
        }
        self.join_small(&mut patches, &mut of, &neighbours, class);
        patches.retain(|p| !p.is_empty());
        patches
    }

    /// Patches of one or two elements, left over between others, join a neighbour if the two are not too large together.
    fn join_small(&self, patches: &mut [Vec<u32>], of: &mut [u32], neighbours: &[[u32; 4]], class: &[u32]) {
        for small in 0..patches.len() {
            if patches[small].is_empty() || patches[small].len() > 2 {
                continue;
            }
            let mut best: Option<(usize, usize)> = None;
            for e in patches[small].iter().flat_map(|&e| neighbours[e as usize]).filter(|e| *e != u32::MAX) {
                let other = of[e as usize] as usize;
                let same = class.get(e as usize) == class.get(patches[small][0] as usize);
                let mut nodes: Vec<u32> = Vec::new();
                for &t in patches[small].iter().chain(&patches[other]) {
                    nodes.extend(self.tets[t as usize]);
                }
                nodes.sort_unstable();
                nodes.dedup();
                if other != small && same && nodes.len() <= MOST_NODES {
                    let this = (nodes.len(), other);
                    best = Some(best.map_or(this, |b| b.min(this)));
                }
            }
            if let Some((_, other)) = best {
                let moved = std::mem::take(&mut patches[small]);
                moved.iter().for_each(|&e| of[e as usize] = other as u32);
                patches[other].extend(moved);
            }
        }
    }
}

impl TetMesh {
    /// Length against thickness: the diagonal of the bounding box over 6V/A, which is the side of a cube of the same volume and surface.
    pub fn slenderness(&self) -> f64 {
        let area: f64 = surface(&self.tets)
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| self.vertices[v as usize]);
                let e = |p: [f64; 3]| -> [f64; 3] { std::array::from_fn(|i| p[i] - a[i]) };
                let n = cross(e(b), e(c));
                0.5 * dot(n, n).sqrt()
            })
            .sum();
        let mut square = 0.0;
        for c in 0..3 {
            let along = self.vertices.iter().map(|p| p[c]);
            let (low, high) =
                along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            square += (high - low) * (high - low);
        }
        square.sqrt() * area / (6.0 * self.volume())
    }

    /// Share of the surface's nodes that are farther than three edges from every tetrahedron inside: one without a node on the surface.
    /// There is none where a body is one or two cells thick.
    pub fn thin_share(&self) -> f64 {
        let mut outside = vec![false; self.vertices.len()];
        surface(&self.tets).into_iter().flatten().for_each(|v| outside[v as usize] = true);
        let mut near = vec![false; self.vertices.len()];
        for t in self.tets.iter().filter(|t| t.iter().all(|&v| !outside[v as usize])) {
            t.iter().for_each(|&v| near[v as usize] = true);
        }
        for _ in 0..3 {
            let before = near.clone();
            for t in self.tets.iter().filter(|t| t.iter().any(|&v| before[v as usize])) {
                t.iter().for_each(|&v| near[v as usize] = true);
            }
        }
        let count = outside.iter().filter(|o| **o).count();
        outside.iter().zip(&near).filter(|(o, n)| **o && !**n).count() as f64 / count.max(1) as f64
    }
}

/// The elements across the four faces of each; `u32::MAX` where there is none.
fn neighbours(tets: &[[u32; 4]]) -> Vec<[u32; 4]> {
    let mut across = vec![[u32::MAX; 4]; tets.len()];
    let mut seen: HashMap<[u32; 3], (u32, usize)> = HashMap::with_capacity(2 * tets.len());
    for (e, t) in tets.iter().enumerate() {
        for skip in 0..4 {
            let mut face = [0; 3];
            face.iter_mut().zip((0..4).filter(|v| *v != skip)).for_each(|(f, v)| *f = t[v]);
            face.sort_unstable();
            if let Some((other, side)) = seen.insert(face, (e as u32, skip)) {
                across[e][skip] = other;
                across[other as usize][side] = e as u32;
            }
        }
    }
    across
}
