//! Elements of one kind with one potential, stored in packets of lanes (arrays of structures of arrays).
//!
//! Packets are grouped in chunks: a chunk is the piece of work that one thread takes. Its size never depends on the
//! number of threads, and sums are taken chunk by chunk in order, so results have the same bits on any number.
//! The lanes of a last, unfilled packet repeat its last element; nothing reads what they write.

use super::curve::{self, pairs};
use super::kernel::{self, Then, View};
use super::mix::{self, Change, Dots, Onward, Past, Slots};
use super::sweep::Colours;
use super::weight::WeightRule;
use super::{Constraint, DualStart, Firm, Share, Sums, TermBatch};
use crate::energy::{Element, Potential};
use crate::exec::Exec;
use crate::math::lane::dispatch;
use crate::math::nodes::Row;
use crate::math::real::{BLOCK, Block};
use crate::math::small::{Mat3, axpy, norm2};

/// Packets per chunk.
const CHUNK: usize = 32;

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
    pub firm: Vec<Block>,
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
    fn lanes_of(&self, p: usize, l: usize) -> usize {
        let last = (self.live - 1) % BLOCK == l && p == self.nodes.len() - 1;
        if last { BLOCK } else { l + 1 }
    }
}

/// A batch of elements with V nodes, 3×D local coordinates and potential P.
pub struct Batch<const V: usize, const D: usize, P> {
    pub(super) potential: P,
    pub(super) chunks: Vec<Chunk<V>>,
    /// Rows of loads per chunk.
    stride: usize,
    /// Place in the packets of each element in order of adding, and the reverse.
    place: Vec<u32>,
    origin: Vec<(u32, u32)>,
    /// Of patches: the elements that each stands for, and their shares.
    pub(super) members: Vec<Vec<(u32, f64)>>,
    weight: Vec<[f64; WeightRule::COUNT]>,
    weight_scale: f64,
    /// Nodes from this one on are pinned; hard constraints of such nodes alone.
    free: usize,
    fixed: Vec<u32>,
    /// The elements by colours; empty until they are asked for.
    colours: Colours<V>,
    /// Second derivatives of [`WAVE`] chunks; empty until they are asked for.
    blocks: Vec<Block>,
}

/// Chunks whose second derivatives are held at a time.
const WAVE: usize = 16;

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
                    firm: vec![Block([1.0; BLOCK]); if P::HARD { packets } else { 0 }],
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

    fn each<K>(&mut self, exec: &Exec, run: K)
    where
        K: Fn(View<'_, V, P>) + Sync,
    {
        let potential = &self.potential;
        exec.for_each(&mut self.chunks, |_, chunk| run(View { potential, chunk }));
    }

    fn each_with_loads<K>(&mut self, loads: &mut [Row], exec: &Exec, run: K)
    where
        K: Fn(View<'_, V, P>, &mut [Row]) + Sync,
    {
        let potential = &self.potential;
        exec.for_each_pair(&mut self.chunks, loads, self.stride, |chunk, loads| {
            run(View { potential, chunk }, loads);
        });
    }

    /// How far a constraint is off, and as a share of ‖Dx‖.
    fn off(&self, element: usize, x: &[Row]) -> (f64, f64) {
        let Some((c, p, l)) = self.locate(element) else { return (0.0, 0.0) };
        let chunk = &self.chunks[c];
        let dx = chunk.local::<f64, D>(p, l, x);
        let off = self.potential.off(&chunk.element::<f64>(p, l, P::PARAMS), &dx).sqrt();
        (off, off / norm2(&dx).sqrt().max(f64::MIN_POSITIVE))
    }

    fn total(&self) -> Sums {
        let mut sums = Sums::default();
        for c in &self.chunks {
            sums.add(&c.sums);
        }
        sums
    }
}

impl<const V: usize, const D: usize, P: Potential<D>> TermBatch for Batch<V, D, P> {
    fn name(&self) -> &'static str {
        self.potential.name()
    }
    fn len(&self) -> usize {
        self.place.len()
    }
    fn bytes(&self) -> usize {
        let of = |c: &Chunk<V>| {
            let blocks = [&c.g, &c.scale, &c.param, &c.warm, &c.u, &c.kept, &c.firm, &c.z, &c.z_before];
            let nodes = 2 * size_of_val(c.nodes.as_slice());
            nodes + blocks.iter().map(|b| size_of_val(b.as_slice())).sum::<usize>()
        };
        self.chunks.iter().map(of).sum()
    }
    fn load_rows(&self) -> usize {
        self.chunks.len() * self.stride
    }
    fn rows(&self, f: &mut dyn FnMut(u32, usize)) {
        for (i, c) in self.chunks.iter().enumerate() {
            for (row, &node) in c.touched.iter().enumerate() {
                f(node, i * self.stride + row);
            }
        }
    }
    fn corners(&self, f: &mut dyn FnMut(u32, usize)) {
        for (i, c) in self.chunks.iter().enumerate() {
            for slot in 0..c.live {
                for v in 0..V {
                    f(c.nodes[slot / BLOCK][v][slot % BLOCK], (i * CHUNK * BLOCK + slot) * V + v);
                }
            }
        }
    }
    fn assemble(&self, f: &mut dyn FnMut(u32, u32, f64)) {
        for c in &self.chunks {
            for slot in 0..c.live {
                let (p, l) = (slot / BLOCK, slot % BLOCK);
                let g = self.corner_gradients(c, p, l);
                for a in 0..V {
                    for b in 0..=a {
                        let gg: f64 = (0..D).map(|d| g[a][d] * g[b][d]).sum();
                        f(c.nodes[p][a][l], c.nodes[p][b][l], c.scale[4 * p].0[l] * gg);
                    }
                }
            }
        }
    }
    fn hard(&self) -> bool {
        P::HARD
    }
    fn quadratic(&self) -> bool {
        P::QUADRATIC && V > 1 && self.weight_scale == 1.0
    }
    fn beside(&self) -> bool {
        P::BESIDE
    }
    fn lag(&mut self, x: &[Row], rate: f64, exec: &Exec) {
        if P::LAGGED {
            self.each(exec, |view| dispatch(kernel::Lag::<V, D, P> { view, x, rate }));
        }
    }
    fn keep_forces(&mut self, forget: bool) {
        for c in self.chunks.iter_mut().filter(|_| P::HARD) {
            if forget {
                c.kept.fill(Block::default());
            } else {
                c.keep_forces(3 * D);
            }
        }
    }
    fn kept_forces(&self) -> Vec<f64> {
        let mut all = Vec::new();
        for e in (0..self.len()).filter(|_| P::HARD) {
            let Some((c, p, l)) = self.locate(e) else { continue };
            all.extend((0..3 * D).map(|q| self.chunks[c].kept[p * 3 * D + q].0[l]));
        }
        all
    }
    fn set_kept_forces(&mut self, u: &[f64]) {
        for (e, u) in u.chunks_exact(3 * D).enumerate().filter(|_| P::HARD) {
            let Some((c, p, l)) = self.locate(e) else { continue };
            let chunk = &mut self.chunks[c];
            for lane in l..chunk.lanes_of(p, l) {
                for q in 0..3 * D {
                    chunk.kept[p * 3 * D + q].0[lane] = u[q];
                }
            }
        }
    }
    fn leave_out(&mut self, free: usize) {
        self.free = free;
        self.fixed.clear();
        for e in (0..self.place.len()).filter(|_| P::HARD) {
            let Some((c, p, l)) = self.locate(e) else { continue };
            let chunk = &mut self.chunks[c];
            if (0..V).all(|v| chunk.nodes[p][v][l] as usize >= free) {
                self.fixed.push(e as u32);
                for lane in l..chunk.lanes_of(p, l) {
                    chunk.scale[4 * p].0[lane] = 0.0;
                }
            }
        }
    }
    fn left_out(&self, x: &[Row]) -> f64 {
        self.fixed.iter().map(|&e| self.off(e as usize, x).1).fold(0.0, f64::max)
    }
    fn violations(&self, x: &[Row], f: &mut dyn FnMut((u32, u32), f64)) {
        for (e, origin) in self.origin.iter().enumerate().filter(|_| P::HARD) {
            let (off, _) = self.off(e, x);
            if off > 0.0 {
                f(*origin, off);
            }
        }
    }
    fn off_loads(&mut self, x: &[Row], loads: &mut [Row], exec: &Exec) -> Sums {
        if !P::HARD {
            loads.fill(Row::default());
            return Sums::default();
        }
        self.each_with_loads(loads, exec, |view, loads| {
            dispatch(kernel::Off::<V, D, P> { view, x, loads });
        });
        self.total()
    }
    fn set_weights(&mut self, rule: WeightRule, scale: f64) {
        self.weight_scale = scale;
        for e in 0..self.place.len() {
            let Some((c, p, l)) = self.locate(e) else { continue };
            let chunk = &mut self.chunks[c];
            let w = scale * self.weight[e][rule as usize] * chunk.firm.get(p).map_or(1.0, |f| f.0[l]);
            for lane in l..chunk.lanes_of(p, l) {
                chunk.scale[4 * p].0[lane] = w;
                chunk.scale[4 * p + 2].0[lane] = w / chunk.scale[4 * p + 1].0[lane];
            }
        }
        if P::HARD && self.free != usize::MAX {
            self.leave_out(self.free);
        }
    }
    fn firm(&mut self, firm: Firm) -> usize {
        self.chunks.iter_mut().filter(|_| P::HARD).map(|c| c.follow(firm, 3 * D)).sum()
    }
    fn reset(&mut self, x: &[Row], dual: DualStart, exec: &Exec) {
        self.each(exec, |view| {
            // The cold start of each element's proximal operator.
            let (potential, chunk) = (view.potential, view.chunk);
            for p in 0..chunk.nodes.len() {
                for l in 0..BLOCK {
                    let mut e = Element::new(chunk.scale[4 * p + 2].0[l], &[]);
                    for q in 0..P::PARAMS {
                        e.param[q] = chunk.param[p * P::PARAMS + q].0[l];
                    }
                    chunk.warm[p].0[l] = potential.cold(&e);
                }
            }
            dispatch(kernel::Reset::<V, D> { chunk: &mut *chunk, x });
            if dual == DualStart::Stress && P::HARD {
                chunk.take_forces(3 * D);
            } else if dual == DualStart::Stress {
                let (view, then) = (View { potential, chunk }, Then::DualStart);
                dispatch(kernel::Gradient::<V, D, P> { view, x, then });
            }
        });
    }
    fn local_step(&mut self, x: &[Row], onward: Onward<'_>, keep: bool, loads: &mut [Row], exec: &Exec) {
        self.each_with_loads(loads, exec, |view, loads| match onward {
            Onward::Plain => {
                dispatch(kernel::LocalStep::<V, D, P> { view, x, keep, project: false, loads });
            }
            _ => dispatch(kernel::NextStep::<V, D, P> { view, onward, loads }),
        });
    }
    fn primal(&mut self, x: &[Row], exec: &Exec) -> Sums {
        self.each(exec, |view| dispatch(kernel::Primal::<V, D> { chunk: view.chunk, x }));
        self.total()
    }
    fn dual_loads(&mut self, loads: &mut [Row], exec: &Exec) {
        self.each_with_loads(loads, exec, |view, loads| {
            dispatch(kernel::Transpose::<V, D> { chunk: view.chunk, what: kernel::What::Step, loads });
        });
    }
    fn force_loads(&mut self, loads: &mut [Row], exec: &Exec) {
        self.each_with_loads(loads, exec, |view, loads| {
            dispatch(kernel::Transpose::<V, D> { chunk: view.chunk, what: kernel::What::Force, loads });
        });
    }
    fn size_loads(&mut self, x: &[Row], loads: &mut [Row], exec: &Exec) {
        self.each_with_loads(loads, exec, |view, loads| {
            dispatch(kernel::Size::<V, D> { chunk: view.chunk, x, loads });
        });
    }
    fn gradient(&mut self, x: &[Row], lengths: bool, loads: &mut [Row], exec: &Exec) -> Sums {
        self.each_with_loads(loads, exec, |view, loads| {
            dispatch(kernel::Gradient::<V, D, P> { view, x, then: Then::Loads(loads, lengths) });
        });
        self.total()
    }
    fn energy(&mut self, x: &[Row], exec: &Exec) -> Sums {
        self.each(exec, |view| dispatch(kernel::Gradient::<V, D, P> { view, x, then: Then::Nothing }));
        self.total()
    }
    fn curvature(&mut self, x: &[Row], exec: &Exec, f: &mut dyn FnMut(u32, u32, &Mat3<f64>)) {
        const NUMBERS: usize = 9 * CHUNK;
        let size = NUMBERS * pairs(V);
        self.blocks.resize(size * WAVE.min(self.chunks.len()), Block::default());
        let potential = &self.potential;
        for wave in self.chunks.chunks_mut(WAVE) {
            exec.for_each_pair(wave, &mut self.blocks, size, |chunk, out| {
                dispatch(curve::Curve::<V, D, P> { view: View { potential, chunk }, x, out });
            });
            for (c, blocks) in wave.iter().zip(self.blocks.chunks(size)) {
                for slot in 0..c.live {
                    let (p, l) = (slot / BLOCK, slot % BLOCK);
                    curve::spread::<V>(&blocks[9 * pairs(V) * p..], l, &mut |a, b, k| {
                        f(c.nodes[p][a][l], c.nodes[p][b][l], k);
                    });
                }
            }
        }
    }
    fn second(&self, x: &[Row], f: &mut dyn FnMut(u32, u32, &Mat3<f64>)) {
        for (p, l, c) in
            (0..self.place.len()).filter_map(|e| self.locate(e)).map(|(c, p, l)| (p, l, &self.chunks[c]))
        {
            let second = self.potential.second(&c.element(p, l, P::PARAMS), &c.local(p, l, x));
            let (g, volume) = (self.corner_gradients(c, p, l), c.volume::<f64>(p, l));
            for a in 0..V {
                for b in 0..a + 1 {
                    let mut block = [[0.0; 3]; 3];
                    for (d, by) in second.iter().enumerate() {
                        for q in 0..D {
                            let share = volume * g[b][d] * g[a][q];
                            for j in 0..3 {
                                (0..3).for_each(|i| block[j][i] += share * by[j][q][i]);
                            }
                        }
                    }
                    f(c.nodes[p][a][l], c.nodes[p][b][l], &block);
                }
            }
        }
    }
    fn projective(&self) -> bool {
        self.potential.projective()
    }
    fn project(&mut self, x: &[Row], loads: &mut [Row], exec: &Exec) {
        self.each_with_loads(loads, exec, |view, loads| {
            dispatch(kernel::LocalStep::<V, D, P> { view, x, keep: true, project: true, loads });
        });
    }
    fn look(&mut self, x: &[Row], slots: Option<Slots>, exec: &Exec) -> (Sums, Dots) {
        self.each(exec, |view| dispatch(mix::Look::<V, D> { chunk: view.chunk, x, slots }));
        let mut dots = Dots::default();
        for c in &self.chunks {
            dots.add(&c.dots);
        }
        (self.total(), dots)
    }
    fn mix(&mut self, x: &[Row], change: Change, exec: &Exec) {
        self.each(exec, |view| dispatch(mix::Mix::<V, D> { chunk: view.chunk, x, change }));
    }
    fn each_constraint(&self, x: &mut [Row], f: &mut dyn FnMut(&mut [Row], &Constraint<'_>)) {
        if P::LAGGED {
            // Dissipation is no constraint: position-based dynamics has none.
            return;
        }
        for element in 0..self.place.len() {
            let Some((c, p, l)) = self.locate(element) else { continue };
            let chunk = &self.chunks[c];
            let e = chunk.element::<f64>(p, l, P::PARAMS);
            let dx = chunk.local::<f64, D>(p, l, x);
            let (mut energy, stress) = self.potential.energy_and_stress(&e, &dx);
            // At rest the energy of a solid is a difference of larger numbers: below this it is only rounding.
            let stiff = chunk.scale[4 * p + 3].0[l] / chunk.scale[4 * p + 1].0[l];
            if D >= 3 && energy.abs() <= 16.0 * f64::EPSILON * stiff {
                energy = 0.0;
            }
            let (mut gradient, mut stiffness) = ([[0.0; 3]; V], [0.0; V]);
            let g = self.corner_gradients(chunk, p, l);
            for v in 0..V {
                for d in 0..D {
                    stiffness[v] += chunk.scale[4 * p].0[l] * g[v][d] * g[v][d];
                    for i in 0..3 {
                        gradient[v][i] += stress[d][i] * g[v][d];
                    }
                }
            }
            let mut nodes = [0; V];
            for v in 0..V {
                nodes[v] = chunk.nodes[p][v][l];
            }
            f(x, &Constraint { nodes: &nodes, energy, gradient: &gradient, stiffness: &stiffness });
        }
    }
    fn sweep(&mut self, x: &mut [Row], inverse_mass: &[f64], prepare: bool) {
        if !P::HARD {
            return;
        }
        if prepare {
            self.colours.prepare(&self.chunks, inverse_mass, Self::ROWS * D, P::PARAMS);
        }
        self.colours.sweep(&self.potential, x);
    }
    fn set_params(&mut self, element: usize, first: usize, values: &[f64]) -> bool {
        let Some((c, p, l)) = self.locate(element) else { return false };
        if first + values.len() > P::PARAMS {
            return false;
        }
        let chunk = &mut self.chunks[c];
        for lane in l..chunk.lanes_of(p, l) {
            for (q, value) in values.iter().enumerate() {
                chunk.param[p * P::PARAMS + first + q].0[lane] = *value;
            }
        }
        true
    }
    fn params(&self, element: usize) -> Vec<f64> {
        let Some((c, p, l)) = self.locate(element) else { return Vec::new() };
        (0..P::PARAMS).map(|q| self.chunks[c].param[p * P::PARAMS + q].0[l]).collect()
    }
    fn origin(&self, element: usize) -> Option<(u32, u32)> {
        self.origin.get(element).copied()
    }
    fn shares(&self, x: &[Row], f: &mut dyn FnMut((u32, u32), Share)) {
        // Triangles; tetrahedra, of ten nodes too.
        if !matches!(V, 3 | 4 | 10) {
            return;
        }
        for (element, origin) in self.origin.iter().enumerate() {
            let Some((c, p, l)) = self.locate(element) else { continue };
            let chunk = &self.chunks[c];
            let dx = chunk.local::<f64, D>(p, l, x);
            let volume = chunk.volume::<f64>(p, l);
            let mut share = Share { triangle: V == 3, ..Share::default() };
            if D == if V == 3 { 2 } else { 3 } {
                let column = |d: usize| if d < D { dx[d] } else { [0.0; 3] };
                share.gradient = Some([column(0), column(1), column(2)]);
                share.volume = (!P::BESIDE).then_some(volume);
            }
            let of_patch = self.members.get(element).filter(|m| !m.is_empty());
            if of_patch.is_some() {
                // Its elements know their own F and volume.
                (share.gradient, share.volume) = (None, None);
            }
            if !P::LAGGED {
                let stress = self.potential.stress(&chunk.element::<f64>(p, l, P::PARAMS), &dx);
                for (s, z) in stress.iter().zip(&dx) {
                    for j in 0..3 {
                        share.load[j] = axpy(share.load[j], volume * z[j], *s);
                    }
                }
            }
            match of_patch {
                None => f(*origin, share),
                Some(members) => {
                    for &(e, part) in members {
                        f((origin.0, e), Share { load: share.load.map(|c| c.map(|a| part * a)), ..share });
                    }
                }
            }
        }
    }
    fn find_non_finite(&self) -> Option<usize> {
        (0..self.len()).find(|&e| {
            self.local_state(e)
                .is_some_and(|(z, u, w)| !w.is_finite() || z.iter().chain(&u).any(|a| !a.is_finite()))
        })
    }
    fn local_state(&self, element: usize) -> Option<(Vec<f64>, Vec<f64>, f64)> {
        let (c, p, l) = self.locate(element)?;
        let c = &self.chunks[c];
        let column = |a: &[Block]| (0..3 * D).map(|q| a[p * 3 * D + q].0[l]).collect();
        Some((column(&c.z), column(&c.u), c.scale[4 * p].0[l]))
    }
}
