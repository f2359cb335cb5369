//! Elements of one kind with one potential, stored in packets of lanes (arrays of structures of arrays).
//!
//! Packets are grouped in chunks: a chunk is the piece of work that one thread takes. Its size never depends on the
//! number of threads, and sums are taken chunk by chunk in order, so results have the same bits on any number.
//! The lanes of a last, unfilled packet repeat its last element; nothing reads what they write.

use super::kernel::View;
use super::mix::{Dots, Past};
use super::sweep::Colours;
use super::weight::WeightRule;
use super::{Split, Sums};
use crate::energy::Potential;
use crate::exec::Exec;
use crate::math::nodes::Row;
use crate::math::real::{BLOCK, Block};
use crate::math::small::norm2;

/// Packets per chunk.
pub(super) const CHUNK: usize = 32;

/// Elements as a user thinks of them, before they are packed.
#[derive(Clone, Debug, Default)]
pub struct ElementList<const V: usize, const D: usize> {
    /// Node ids of each element, in the user's numbers.
    pub nodes: Vec<[u32; V]>,
    /// g_v of each element for v ≥ 1 (for V = 1, of the node itself): max(V−1, 1) rows of D numbers per element.
    pub gradients: Vec<[f64; D]>,
    /// Volume of each element in m³; 1 for elements without one.
    pub volume: Vec<f64>,
    /// k·V of each element by each [`WeightRule`], so that w² = s·k·V.
    pub weight: Vec<[f64; WeightRule::COUNT]>,
    /// The material's numbers, [`Potential::PARAMS`] per element.
    pub params: Vec<f64>,
    /// Body, and number within the body.
    pub origin: Vec<(u32, u32)>,
    /// Of elements that stand for several: their numbers within the body, and shares of the volume. Else empty.
    pub members: Vec<Vec<(u32, f64)>>,
}

impl<const V: usize, const D: usize> ElementList<V, D> {
    /// Adds an element without a volume whose weight is its stiffness by every rule; its numbers are the caller's to add.
    pub fn push(&mut self, nodes: [u32; V], gradients: &[[f64; D]], stiffness: f64, origin: (u32, u32)) {
        self.nodes.push(nodes);
        self.gradients.extend(gradients);
        self.volume.push(1.0);
        self.weight.push([stiffness; WeightRule::COUNT]);
        self.origin.push(origin);
    }
}

/// The state of some packets, worked on by one thread at a time.
pub(super) struct Chunk<const V: usize> {
    /// Node ids, by packet and corner.
    pub nodes: Vec<[[u32; BLOCK]; V]>,
    /// The same as rows of the chunk's loads; lanes without an element have a row that nothing reads.
    pub rows: Vec<[[u32; BLOCK]; V]>,
    /// The nodes of the rows.
    pub touched: Vec<u32>,
    /// Gradients of corners v ≥ 1: (V−1)·D blocks per packet.
    pub g: Vec<Block>,
    /// w², V, k = w²/V, and k·V of the stiffer rule, which does not depend on settings: four blocks per packet.
    pub scale: Vec<Block>,
    /// The material's numbers: PARAMS blocks per packet.
    pub param: Vec<Block>,
    /// Warm start of the proximal operator: one block per packet.
    pub warm: Vec<Block>,
    /// Scaled dual variable: 3·D blocks per packet.
    pub u: Vec<Block>,
    /// u at the end of the last step for the weights of the rule, for hard constraints.
    pub kept: Vec<Block>,
    /// By how much the weight of a hard constraint is above that of the rule, a power of two: one block per packet.
    pub raised: Vec<Block>,
    /// z after the last local step that kept it, and before it.
    pub z: Vec<Block>,
    pub z_before: Vec<Block>,
    /// Live elements.
    pub live: usize,
    /// What the last sum over this chunk gave.
    pub sums: Sums,
    /// What accelerations keep, and the inner products they took last.
    pub past: Past,
    pub dots: Dots,
}

impl<const V: usize> Chunk<V> {
    /// End of the lanes that hold the element in lane l of packet p: the last element of a chunk is repeated to the end.
    pub(super) fn lanes_of(&self, p: usize, l: usize) -> usize {
        let last = (self.live - 1) % BLOCK == l && p == self.nodes.len() - 1;
        if last { BLOCK } else { l + 1 }
    }
}

/// A batch of elements with V nodes, 3×D local coordinates and potential P.
pub struct Batch<const V: usize, const D: usize, P> {
    pub(super) potential: P,
    pub(super) chunks: Vec<Chunk<V>>,
    /// Rows of loads per chunk.
    pub(super) stride: usize,
    /// Place in the packets of each element in order of adding, and the reverse.
    pub(super) place: Vec<u32>,
    pub(super) origin: Vec<(u32, u32)>,
    /// Of patches: the elements that each stands for, and their shares.
    pub(super) members: Vec<Vec<(u32, f64)>>,
    pub(super) weight: Vec<[f64; WeightRule::COUNT]>,
    pub(super) weight_scale: f64,
    /// Nodes from this one on are pinned; hard constraints of such nodes alone.
    pub(super) free: usize,
    pub(super) fixed: Vec<u32>,
    /// The elements by colours; empty until they are asked for.
    pub(super) colours: Colours<V>,
    /// Second derivatives of some chunks; empty until they are asked for.
    pub(super) blocks: Vec<Block>,
}

impl<const V: usize, const D: usize, P: Potential<D>> Batch<V, D, P> {
    pub(super) const ROWS: usize = if V > 1 { V - 1 } else { 1 };

    /// Packs a list. Elements are stored by their smallest node, so that neighbours in space are neighbours in memory.
    /// `nodes` are the list's nodes in the numbers of the system.
    pub fn new(
        potential: P,
        list: &ElementList<V, D>,
        nodes: &[[u32; V]],
        rule: WeightRule,
        scale: f64,
    ) -> Batch<V, D, P> {
        let n = nodes.len();
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|&e| {
            let mut key = nodes[e as usize];
            key.sort_unstable();
            (key, e)
        });
        let mut place = vec![0; n];
        for (at, &e) in order.iter().enumerate() {
            place[e as usize] = at as u32;
        }
        let chunks = order
            .chunks(CHUNK * BLOCK)
            .map(|elements| {
                let packets = elements.len().div_ceil(BLOCK);
                let mut c = Chunk {
                    nodes: vec![[[0; BLOCK]; V]; packets],
                    rows: vec![[[0; BLOCK]; V]; packets],
                    touched: elements.iter().flat_map(|&e| nodes[e as usize]).collect(),
                    g: vec![Block::default(); packets * Self::ROWS * D],
                    scale: vec![Block::default(); packets * 4],
                    param: vec![Block::default(); packets * P::PARAMS],
                    warm: vec![Block::default(); packets],
                    u: vec![Block::default(); packets * 3 * D],
                    kept: vec![Block::default(); if P::HARD { packets * 3 * D } else { 0 }],
                    raised: vec![Block([1.0; BLOCK]); if P::HARD { packets } else { 0 }],
                    z: vec![Block::default(); packets * 3 * D],
                    z_before: vec![Block::default(); packets * 3 * D],
                    live: elements.len(),
                    sums: Sums::default(),
                    past: Past::default(),
                    dots: Dots::default(),
                };
                c.touched.sort_unstable();
                c.touched.dedup();
                let nowhere = c.touched.len();
                for slot in 0..packets * BLOCK {
                    let e = elements[slot.min(elements.len() - 1)] as usize;
                    let (p, l) = (slot / BLOCK, slot % BLOCK);
                    for v in 0..V {
                        c.nodes[p][v][l] = nodes[e][v];
                        let row = if slot < elements.len() {
                            c.touched.partition_point(|&node| node < nodes[e][v])
                        } else {
                            nowhere
                        };
                        c.rows[p][v][l] = row as u32;
                    }
                    for r in 0..Self::ROWS {
                        for d in 0..D {
                            c.g[(p * Self::ROWS + r) * D + d].0[l] = list.gradients[e * Self::ROWS + r][d];
                        }
                    }
                    c.scale[4 * p + 1].0[l] = list.volume[e];
                    c.scale[4 * p + 3].0[l] = list.weight[e][0].max(list.weight[e][1]);
                    for q in 0..P::PARAMS {
                        c.param[p * P::PARAMS + q].0[l] = list.params[e * P::PARAMS + q];
                    }
                }
                c
            })
            .collect::<Vec<_>>();
        let stride = 1 + chunks.iter().map(|c| c.touched.len()).max().unwrap_or(0);
        let (origin, weight) = (list.origin.clone(), list.weight.clone());
        let members = list.members.clone();
        let (colours, blocks) = (Colours::default(), Vec::new());
        let (free, fixed) = (usize::MAX, Vec::new());
        let mut batch = Batch {
            potential,
            chunks,
            stride,
            place,
            origin,
            members,
            weight,
            weight_scale: scale,
            free,
            fixed,
            colours,
            blocks,
        };
        batch.set_weights(rule, scale);
        batch
    }

    /// Chunk, packet and lane of an element.
    pub(super) fn locate(&self, element: usize) -> Option<(usize, usize, usize)> {
        let at = *self.place.get(element)? as usize;
        Some((at / (CHUNK * BLOCK), at / BLOCK % CHUNK, at % BLOCK))
    }

    /// g of every corner of an element.
    pub(super) fn corner_gradients(&self, c: &Chunk<V>, p: usize, l: usize) -> [[f64; D]; V] {
        let mut g = [[0.0; D]; V];
        for r in 0..Self::ROWS {
            let v = r + usize::from(V > 1);
            for d in 0..D {
                g[v][d] = c.g[(p * Self::ROWS + r) * D + d].0[l];
                if V > 1 {
                    g[0][d] -= g[v][d];
                }
            }
        }
        g
    }

    pub(super) fn each<K>(&mut self, exec: &Exec, run: K)
    where
        K: Fn(View<'_, V, P>) + Sync,
    {
        let potential = &self.potential;
        exec.for_each(&mut self.chunks, |_, chunk| run(View { potential, chunk }));
    }

    pub(super) fn each_with_loads<K>(&mut self, loads: &mut [Row], exec: &Exec, run: K)
    where
        K: Fn(View<'_, V, P>, &mut [Row]) + Sync,
    {
        let potential = &self.potential;
        exec.for_each_pair(&mut self.chunks, loads, self.stride, |chunk, loads| {
            run(View { potential, chunk }, loads);
        });
    }

    /// How far a constraint is off, and as a share of ‖Dx‖.
    pub(super) fn off(&self, element: usize, x: &[Row]) -> (f64, f64) {
        let Some((c, p, l)) = self.locate(element) else { return (0.0, 0.0) };
        let chunk = &self.chunks[c];
        let dx = chunk.local::<f64, D>(p, l, x);
        let off = self.potential.off(&chunk.element::<f64>(p, l, P::PARAMS), &dx).sqrt();
        (off, off / norm2(&dx).sqrt().max(f64::MIN_POSITIVE))
    }

    pub(super) fn total(&self) -> Sums {
        let mut sums = Sums::default();
        for c in &self.chunks {
            sums.add(&c.sums);
        }
        sums
    }
}
