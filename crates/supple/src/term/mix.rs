//! What accelerations of ADMM need of the terms.
//!
//! In Douglas–Rachford form one iteration maps s = Dx + u (what the proximal operators see) to G = u⁺ + Dx⁺, where u⁺ = s − z.
//! Its residual is G − s = Dx⁺ − z. Accelerations choose another s⁺ than G; here that means another u, because the next
//! local step takes Dx⁺ + u.

use super::MOST_MEMORY;
use super::batch::Chunk;
use super::kernel::{load_local, store_local};
use crate::math::lane::Kernel;
use crate::math::nodes::Row;
use crate::math::real::{BLOCK, Block, Real};
use crate::math::small::{Local, axpy, minus, plus, scale, sub};

/// Which differences of r = Dx − z and of G are kept.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    /// Where the difference to the last r and G goes; none after a fresh start.
    pub newest: Option<usize>,
    /// How many slots are in use, the newest among them.
    pub used: usize,
}

/// Inner products with weights W².
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dots {
    /// ΔR_j · r.
    pub residual: [f64; MOST_MEMORY],
    /// ΔR_j · ΔR of the newest slot.
    pub newest: [f64; MOST_MEMORY],
}

impl Dots {
    /// Adds another sum.
    pub fn add(&mut self, o: &Dots) {
        for j in 0..MOST_MEMORY {
            self.residual[j] += o.residual[j];
            self.newest[j] += o.newest[j];
        }
    }
}

/// How u changes before the next local step.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    /// Anderson: s⁺ = G − Σ θ_j ΔG_j.
    Combine(&'a [f64]),
    /// s⁺ = the last G that was kept: a step that made things worse is undone.
    Retreat,
    /// Over-relaxation: s⁺ = s + α(G − s).
    Relax(f64),
    /// Chebyshev: s⁺ = ω(G − s₋) + s₋, s₋ the s before this one.
    Chebyshev(f64),
}

/// What a chunk keeps from iteration to iteration.
#[derive(Default)]
pub(super) struct Past {
    /// r and G of the last iteration.
    r: Vec<Block>,
    g: Vec<Block>,
    /// Their differences, slot after slot.
    delta_r: [Vec<Block>; MOST_MEMORY],
    delta_g: [Vec<Block>; MOST_MEMORY],
}

/// Makes room at first use.
fn room(blocks: &mut Vec<Block>, len: usize) {
    if blocks.len() != len {
        *blocks = vec![Block::default(); len];
    }
}

/// Keeps r and G, and takes inner products.
pub(super) struct Remember<'a, const V: usize, const D: usize> {
    pub chunk: &'a mut Chunk<V>,
    pub x: &'a [Row],
    pub slots: Slots,
}

impl<const V: usize, const D: usize> Kernel for Remember<'_, V, D> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        let (chunk, slots) = (self.chunk, self.slots);
        let mut past = core::mem::take(&mut chunk.past);
        let len = chunk.z.len();
        room(&mut past.r, len);
        room(&mut past.g, len);
        if let Some(new) = slots.newest {
            room(&mut past.delta_r[new], len);
            room(&mut past.delta_g[new], len);
        }
        let mut residual = [Block::default(); MOST_MEMORY];
        let mut newest = [Block::default(); MOST_MEMORY];
        for p in 0..chunk.nodes.len() {
            for lane in (0..BLOCK).step_by(R::LANES) {
                let dx = chunk.local::<R, D>(p, lane, self.x);
                let r = minus(&dx, &load_local(&chunk.z, p, lane));
                let g = plus(&dx, &load_local(&chunk.u, p, lane));
                if let Some(new) = slots.newest {
                    let dr = minus(&r, &load_local(&past.r, p, lane));
                    let dg = minus(&g, &load_local(&past.g, p, lane));
                    store_local(&dr, &mut past.delta_r[new], p, lane);
                    store_local(&dg, &mut past.delta_g[new], p, lane);
                    // Lanes that repeat an element count for nothing.
                    let mut w = chunk.weight::<R>(p, lane);
                    for i in chunk.live_lanes(p, lane, R::LANES)..R::LANES {
                        w = w.with_lane(i, 0.0);
                    }
                    for j in 0..slots.used {
                        let old: Local<R, D> = load_local(&past.delta_r[j], p, lane);
                        let (mut with_r, mut with_new) = (R::zero(), R::zero());
                        for d in 0..D {
                            for i in 0..3 {
                                with_r = old[d][i].madd(r[d][i], with_r);
                                with_new = old[d][i].madd(dr[d][i], with_new);
                            }
                        }
                        (R::load(&residual[j], lane) + w * with_r).store(&mut residual[j], lane);
                        (R::load(&newest[j], lane) + w * with_new).store(&mut newest[j], lane);
                    }
                }
                store_local(&r, &mut past.r, p, lane);
                store_local(&g, &mut past.g, p, lane);
            }
        }
        chunk.past = past;
        for j in 0..MOST_MEMORY {
            chunk.dots.residual[j] = residual[j].0.iter().sum();
            chunk.dots.newest[j] = newest[j].0.iter().sum();
        }
    }
}

/// Changes u.
pub(super) struct Mix<'a, const V: usize, const D: usize> {
    pub chunk: &'a mut Chunk<V>,
    pub x: &'a [Row],
    pub change: &'a Change<'a>,
}

impl<const V: usize, const D: usize> Kernel for Mix<'_, V, D> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        let chunk = self.chunk;
        let mut past = core::mem::take(&mut chunk.past);
        room(&mut past.g, chunk.z.len());
        for p in 0..chunk.nodes.len() {
            for lane in (0..BLOCK).step_by(R::LANES) {
                let mut u: Local<R, D> = load_local(&chunk.u, p, lane);
                match self.change {
                    Change::Combine(theta) => {
                        for (j, theta) in theta.iter().enumerate() {
                            let dg: Local<R, D> = load_local(&past.delta_g[j], p, lane);
                            for d in 0..D {
                                u[d] = axpy(u[d], R::splat(-theta), dg[d]);
                            }
                        }
                    }
                    Change::Retreat => {
                        let dx = chunk.local::<R, D>(p, lane, self.x);
                        u = minus(&load_local(&past.g, p, lane), &dx);
                    }
                    Change::Relax(alpha) => {
                        let dx = chunk.local::<R, D>(p, lane, self.x);
                        let z: Local<R, D> = load_local(&chunk.z, p, lane);
                        for d in 0..D {
                            u[d] = axpy(u[d], R::splat(alpha - 1.0), sub(dx[d], z[d]));
                        }
                    }
                    Change::Chebyshev(omega) => {
                        let dx = chunk.local::<R, D>(p, lane, self.x);
                        let s = plus(&u, &load_local(&chunk.z, p, lane));
                        if *omega != 1.0 {
                            let before: Local<R, D> = load_local(&past.g, p, lane);
                            let (a, b) = (R::splat(*omega), R::splat(1.0 - omega));
                            for d in 0..D {
                                // ω(u + Dx) + (1 − ω)s₋ − Dx
                                let moved = axpy(scale(b, before[d]), a, u[d]);
                                u[d] = axpy(moved, R::splat(omega - 1.0), dx[d]);
                            }
                        }
                        store_local(&s, &mut past.g, p, lane);
                    }
                }
                store_local(&u, &mut chunk.u, p, lane);
            }
        }
        chunk.past = past;
    }
}
