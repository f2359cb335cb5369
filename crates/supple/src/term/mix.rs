//! What accelerations of ADMM need of the terms, and residuals with it.
//!
//! In Douglas–Rachford form one iteration maps s = Dx + u (what the proximal operators see) to G = u⁺ + Dx⁺, where u⁺ = s − z.
//! Its residual is G − s = Dx⁺ − z. Accelerations choose another s⁺ than G.
//!
//! One pass after each global step (`Look`) takes Dx⁺, the residuals and the inner products, and keeps Dx⁺ and G; the next local step
//! starts from those ([`Onward`]) and gathers nothing.

use super::batch::Chunk;
use super::kernel::{load_local, store_local};
use super::{MOST_MEMORY, Sums};
use crate::math::lane::Kernel;
use crate::math::nodes::Row;
use crate::math::real::{BLOCK, Block, Real};
use crate::math::small::{Local, axpy, minus, norm2, plus, scale, sub};

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
    /// ΔR · r of the newest slot. Those of older ones follow from `newest`, since r changes by ΔR of the newest slot.
    pub residual: f64,
    /// ΔR_j · ΔR of the newest slot.
    pub newest: [f64; MOST_MEMORY],
}

impl Dots {
    /// Adds another sum.
    pub fn add(&mut self, o: &Dots) {
        self.residual += o.residual;
        for j in 0..MOST_MEMORY {
            self.newest[j] += o.newest[j];
        }
    }
}

/// Where a local step starts.
#[derive(Clone, Copy, Debug)]
pub enum Onward<'a> {
    /// At Dx + u.
    Plain,
    /// At G − Σ θ_j ΔG_j, with what `Look` kept. Without θ the same as `Plain`, bit for bit, while x, u and W are what they were then.
    Kept(&'a [f64]),
    /// At the G before the last, with the Dx that `Look` kept: a step that made things worse is undone.
    Retreat,
}

/// How u changes before the next local step.
#[derive(Clone, Copy, Debug)]
pub enum Change {
    /// Over-relaxation: s⁺ = s + α(G − s).
    Relax(f64),
    /// Chebyshev: s⁺ = ω(G − s₋) + s₋, s₋ the s before this one.
    Chebyshev(f64),
}

/// What a chunk keeps from iteration to iteration.
#[derive(Default)]
pub(super) struct Past {
    /// Dx, and G, at the last look; the G of the look before.
    dx: Vec<Block>,
    g: Vec<Block>,
    g_before: Vec<Block>,
    /// r of the last look; for Chebyshev the s before.
    r: Vec<Block>,
    /// Differences of r and of G, slot after slot.
    delta_r: [Vec<Block>; MOST_MEMORY],
    delta_g: [Vec<Block>; MOST_MEMORY],
}

impl Past {
    /// s and Dx of packet p for a local step that goes on from what is kept.
    #[inline(always)]
    pub fn onward<R: Real, const D: usize>(
        &self,
        p: usize,
        lane: usize,
        onward: Onward<'_>,
    ) -> (Local<R, D>, Local<R, D>) {
        let dx = load_local(&self.dx, p, lane);
        let theta = match onward {
            Onward::Retreat => return (load_local(&self.g_before, p, lane), dx),
            Onward::Plain => &[],
            Onward::Kept(theta) => theta,
        };
        if theta.len() == USUAL_MEMORY {
            return (self.mixed::<R, D, USUAL_MEMORY>(p, lane, theta), dx);
        }
        let mut s: Local<R, D> = load_local(&self.g, p, lane);
        for (j, theta) in theta.iter().enumerate() {
            let (dg, theta): (Local<R, D>, R) = (load_local(&self.delta_g[j], p, lane), R::splat(-theta));
            for d in 0..D {
                for i in 0..3 {
                    s[d][i] = theta.madd(dg[d][i], s[d][i]);
                }
            }
        }
        (s, dx)
    }

    /// G − Σ θ_j ΔG_j for N of them: the same numbers, each in a register until it is done.
    #[inline(always)]
    fn mixed<R: Real, const D: usize, const N: usize>(
        &self,
        p: usize,
        lane: usize,
        theta: &[f64],
    ) -> Local<R, D> {
        let mut factors = [R::zero(); N];
        let mut deltas: [&[Block]; N] = [&[]; N];
        for j in 0..N {
            factors[j] = R::splat(-theta[j]);
            deltas[j] = &self.delta_g[j][p * 3 * D..(p + 1) * 3 * D];
        }
        let mut s: Local<R, D> = load_local(&self.g, p, lane);
        for d in 0..D {
            for i in 0..3 {
                let mut sum = s[d][i];
                for j in 0..N {
                    sum = factors[j].madd(R::load(&deltas[j][3 * d + i], lane), sum);
                }
                s[d][i] = sum;
            }
        }
        s
    }
}

/// Steps that Anderson's acceleration remembers by default: worth a loop of its own.
const USUAL_MEMORY: usize = 6;

/// Makes room at first use.
fn room(blocks: &mut Vec<Block>, len: usize) {
    if blocks.len() != len {
        *blocks = vec![Block::default(); len];
    }
}

/// After a global step: ‖W(Dx − z)‖² and ‖W Dx‖²; keeps Dx and G, and with `slots` r, their differences and inner products.
pub(super) struct Look<'a, const V: usize, const D: usize> {
    pub chunk: &'a mut Chunk<V>,
    pub x: &'a [Row],
    pub slots: Option<Slots>,
}

impl<const V: usize, const D: usize> Kernel for Look<'_, V, D> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        // The inner products need all numbers of an element at a time.
        self.look::<R::Half>();
    }
}

impl<const V: usize, const D: usize> Look<'_, V, D> {
    #[inline(always)]
    fn look<R: Real>(self) {
        let chunk = self.chunk;
        let mut past = core::mem::take(&mut chunk.past);
        let len = chunk.z.len();
        core::mem::swap(&mut past.g, &mut past.g_before);
        room(&mut past.dx, len);
        room(&mut past.g, len);
        let newest = self.slots.and_then(|s| s.newest);
        let used = self.slots.map_or(0, |s| s.used.min(MOST_MEMORY));
        if self.slots.is_some() {
            room(&mut past.r, len);
            room(&mut past.g_before, len);
        }
        if let Some(new) = newest {
            room(&mut past.delta_r[new], len);
            room(&mut past.delta_g[new], len);
        }
        let (mut primal, mut size, mut residual) = (Block::default(), Block::default(), Block::default());
        let mut dots = [Block::default(); MOST_MEMORY];
        for p in 0..chunk.nodes.len() {
            for lane in (0..BLOCK).step_by(R::LANES) {
                let dx = chunk.local::<R, D>(p, lane, self.x);
                let r = minus(&dx, &load_local(&chunk.z, p, lane));
                let g = plus(&dx, &load_local(&chunk.u, p, lane));
                // Lanes that repeat an element count for nothing.
                let mut w = chunk.weight::<R>(p, lane);
                for i in chunk.live_lanes(p, lane, R::LANES)..R::LANES {
                    w = w.with_lane(i, 0.0);
                }
                w.madd(norm2(&r), R::load(&primal, lane)).store(&mut primal, lane);
                w.madd(norm2(&dx), R::load(&size, lane)).store(&mut size, lane);
                if let Some(new) = newest {
                    let mut dr: Local<R, D> = minus(&r, &load_local(&past.r, p, lane));
                    let dg = minus(&g, &load_local(&past.g_before, p, lane));
                    store_local(&dr, &mut past.delta_r[new], p, lane);
                    store_local(&dg, &mut past.delta_g[new], p, lane);
                    let mut with_r = R::load(&residual, lane);
                    for d in 0..D {
                        dr[d] = scale(w, dr[d]);
                        for i in 0..3 {
                            with_r = dr[d][i].madd(r[d][i], with_r);
                        }
                    }
                    with_r.store(&mut residual, lane);
                    for j in 0..used {
                        let old: Local<R, D> = load_local(&past.delta_r[j], p, lane);
                        let mut dot = R::load(&dots[j], lane);
                        for d in 0..D {
                            for i in 0..3 {
                                dot = old[d][i].madd(dr[d][i], dot);
                            }
                        }
                        dot.store(&mut dots[j], lane);
                    }
                }
                if self.slots.is_some() {
                    store_local(&r, &mut past.r, p, lane);
                }
                store_local(&dx, &mut past.dx, p, lane);
                store_local(&g, &mut past.g, p, lane);
            }
        }
        chunk.past = past;
        chunk.sums = Sums { primal: total(&primal), size: total(&size), ..Sums::default() };
        chunk.dots = Dots { residual: total(&residual), ..Dots::default() };
        for j in 0..used {
            chunk.dots.newest[j] = total(&dots[j]);
        }
    }
}

fn total(b: &Block) -> f64 {
    b.0.iter().sum()
}

/// Changes u.
pub(super) struct Mix<'a, const V: usize, const D: usize> {
    pub chunk: &'a mut Chunk<V>,
    pub x: &'a [Row],
    pub change: Change,
}

impl<const V: usize, const D: usize> Kernel for Mix<'_, V, D> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        let chunk = self.chunk;
        let mut past = core::mem::take(&mut chunk.past);
        room(&mut past.r, chunk.z.len());
        for p in 0..chunk.nodes.len() {
            for lane in (0..BLOCK).step_by(R::LANES) {
                let mut u: Local<R, D> = load_local(&chunk.u, p, lane);
                match self.change {
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
                        if omega != 1.0 {
                            let before: Local<R, D> = load_local(&past.r, p, lane);
                            let (a, b) = (R::splat(omega), R::splat(1.0 - omega));
                            for d in 0..D {
                                // ω(u + Dx) + (1 − ω)s₋ − Dx
                                let moved = axpy(scale(b, before[d]), a, u[d]);
                                u[d] = axpy(moved, R::splat(omega - 1.0), dx[d]);
                            }
                        }
                        store_local(&s, &mut past.r, p, lane);
                    }
                }
                store_local(&u, &mut chunk.u, p, lane);
            }
        }
        chunk.past = past;
    }
}
