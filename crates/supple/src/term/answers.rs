//! How a [`Batch`] answers what solvers ask.

use super::batch::{Batch, CHUNK, Chunk};
use super::curve::{self, pairs};
use super::kernel::{self, Then, View};
use super::mix::{self, Change, Dots, Onward, Slots};
use super::weight::WeightRule;
use super::{
    Constraint, DampedTerms, DualStart, Elements, Energies, HardTerms, Reweight, Share, Split, Sums,
    TermBatch,
};
use crate::energy::{Element, Potential};
use crate::exec::Exec;
use crate::math::lane::dispatch;
use crate::math::nodes::Row;
use crate::math::real::{BLOCK, Block};
use crate::math::small::{Mat3, axpy};

/// Chunks whose second derivatives are held at a time.
const WAVE: usize = 16;

impl<const V: usize, const D: usize, P: Potential<D>> TermBatch for Batch<V, D, P> {
    fn hard(&self) -> Option<&dyn HardTerms> {
        if P::HARD { Some(self) } else { None }
    }
    fn hard_mut(&mut self) -> Option<&mut dyn HardTerms> {
        if P::HARD { Some(self) } else { None }
    }
    fn damped(&mut self) -> Option<&mut dyn DampedTerms> {
        if P::LAGGED { Some(self) } else { None }
    }
    fn projective(&self) -> bool {
        self.potential.projective()
    }
    fn project(&mut self, x: &[Row], loads: &mut [Row], exec: &Exec) {
        self.each_with_loads(loads, exec, |view, loads| {
            dispatch(kernel::LocalStep::<V, D, P> { view, x, keep: true, project: true, loads });
        });
    }
}

impl<const V: usize, const D: usize, P: Potential<D>> Elements for Batch<V, D, P> {
    fn name(&self) -> &'static str {
        self.potential.name()
    }
    fn len(&self) -> usize {
        self.place.len()
    }
    fn bytes(&self) -> usize {
        let of = |c: &Chunk<V>| {
            let blocks = [&c.g, &c.scale, &c.param, &c.warm, &c.u, &c.kept, &c.raised, &c.z, &c.z_before];
            let nodes = 2 * size_of_val(c.nodes.as_slice());
            nodes + blocks.iter().map(|b| size_of_val(b.as_slice())).sum::<usize>()
        };
        self.chunks.iter().map(of).sum()
    }
    fn origin(&self, element: usize) -> Option<(u32, u32)> {
        self.origin.get(element).copied()
    }
    fn params(&self, element: usize) -> Vec<f64> {
        let Some((c, p, l)) = self.locate(element) else { return Vec::new() };
        (0..P::PARAMS).map(|q| self.chunks[c].param[p * P::PARAMS + q].0[l]).collect()
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
    fn beside(&self) -> bool {
        P::BESIDE
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
    fn local_state(&self, element: usize) -> Option<(Vec<f64>, Vec<f64>, f64)> {
        let (c, p, l) = self.locate(element)?;
        let c = &self.chunks[c];
        let column = |a: &[Block]| (0..3 * D).map(|q| a[p * 3 * D + q].0[l]).collect();
        Some((column(&c.z), column(&c.u), c.scale[4 * p].0[l]))
    }
    fn find_non_finite(&self) -> Option<usize> {
        (0..self.len()).find(|&e| {
            self.local_state(e)
                .is_some_and(|(z, u, w)| !w.is_finite() || z.iter().chain(&u).any(|a| !a.is_finite()))
        })
    }
}

impl<const V: usize, const D: usize, P: Potential<D>> Split for Batch<V, D, P> {
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
    fn set_weights(&mut self, rule: WeightRule, scale: f64) {
        self.weight_scale = scale;
        for e in 0..self.place.len() {
            let Some((c, p, l)) = self.locate(e) else { continue };
            let chunk = &mut self.chunks[c];
            let w = scale * self.weight[e][rule as usize] * chunk.raised.get(p).map_or(1.0, |f| f.0[l]);
            for lane in l..chunk.lanes_of(p, l) {
                chunk.scale[4 * p].0[lane] = w;
                chunk.scale[4 * p + 2].0[lane] = w / chunk.scale[4 * p + 1].0[lane];
            }
        }
        if P::HARD && self.free != usize::MAX {
            self.leave_out(self.free);
        }
    }
    fn quadratic(&self) -> bool {
        P::QUADRATIC && V > 1 && self.weight_scale == 1.0
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
    fn size_loads(&mut self, loads: &mut [Row], exec: &Exec) {
        self.each_with_loads(loads, exec, |view, loads| {
            dispatch(kernel::Transpose::<V, D> { chunk: view.chunk, what: kernel::What::Size, loads });
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
}

impl<const V: usize, const D: usize, P: Potential<D>> Energies for Batch<V, D, P> {
    fn gradient(&mut self, x: &[Row], loads: &mut [Row], exec: &Exec) -> Sums {
        self.each_with_loads(loads, exec, |view, loads| {
            dispatch(kernel::Gradient::<V, D, P> { view, x, then: Then::Loads(loads) });
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
}

impl<const V: usize, const D: usize, P: Potential<D>> HardTerms for Batch<V, D, P> {
    fn keep_forces(&mut self, forget: bool) {
        for c in &mut self.chunks {
            if forget {
                c.kept.fill(Block::default());
            } else {
                c.keep_forces(3 * D);
            }
        }
    }
    fn kept_forces(&self) -> Vec<f64> {
        let mut all = Vec::new();
        for e in 0..self.len() {
            let Some((c, p, l)) = self.locate(e) else { continue };
            all.extend((0..3 * D).map(|q| self.chunks[c].kept[p * 3 * D + q].0[l]));
        }
        all
    }
    fn set_kept_forces(&mut self, u: &[f64]) {
        for (e, u) in u.chunks_exact(3 * D).enumerate() {
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
        for e in 0..self.place.len() {
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
        for (e, origin) in self.origin.iter().enumerate() {
            let (off, _) = self.off(e, x);
            if off > 0.0 {
                f(*origin, off);
            }
        }
    }
    fn off_loads(&mut self, x: &[Row], loads: &mut [Row], exec: &Exec) -> Sums {
        self.each_with_loads(loads, exec, |view, loads| {
            dispatch(kernel::Off::<V, D, P> { view, x, loads });
        });
        self.total()
    }
    fn reweight(&mut self, how: Reweight) -> usize {
        self.chunks.iter_mut().map(|c| c.reweight(how, 3 * D)).sum()
    }
    fn sweep(&mut self, x: &mut [Row], inverse_mass: &[f64], prepare: bool) {
        if prepare {
            self.colours.prepare(&self.chunks, inverse_mass, Self::ROWS * D, P::PARAMS);
        }
        self.colours.sweep(&self.potential, x);
    }
}

impl<const V: usize, const D: usize, P: Potential<D>> DampedTerms for Batch<V, D, P> {
    fn lag(&mut self, x: &[Row], rate: f64, exec: &Exec) {
        self.each(exec, |view| dispatch(kernel::Lag::<V, D, P> { view, x, rate }));
    }
}
