//! Gauss–Seidel projection onto hard constraints, for steps that end before they converge.
//!
//! An element that is off by N = Dx − P(Dx), P the nearest point of its set, moves its nodes by the least in the metric of the masses
//! that takes dist(Dx, C) = |N| to zero to first order: δx_v = −α M_v⁻¹ N g_v with α = |N|²/Σ_v M_v⁻¹|N g_v|², which is exact for lengths.
//!
//! Elements of a colour share no node that can move, so that they are projected side by side in lanes; colours are greedy in the order of
//! elements. One thread does it all: the same bits on any number.

use super::batch::Chunk;
use crate::energy::{Element, MAX_PARAMS, Potential};
use crate::math::lane::{Kernel, dispatch};
use crate::math::nodes::Row;
use crate::math::real::{BLOCK, Block, Real};
use crate::math::small::{Local, Vec3, axpy, minus, norm2, scale, sub, zeros};

/// The elements of a batch by colours, in packets. Lanes without an element repeat one.
#[derive(Default)]
pub(super) struct Colours<const V: usize> {
    /// Chunk, packet and lane of each element: [`BLOCK`] after [`BLOCK`] make a packet.
    from: Vec<[u32; 3]>,
    /// Elements that count in each packet.
    live: Vec<usize>,
    nodes: Vec<[[u32; BLOCK]; V]>,
    /// M⁻¹ of each corner; none of what is pinned.
    inverse: Vec<[Block; V]>,
    g: Vec<Block>,
    param: Vec<Block>,
}

impl<const V: usize> Colours<V> {
    /// Sorts elements by colours, once; nodes from `free` on are pinned. Then takes their numbers as they are now.
    pub fn prepare(&mut self, chunks: &[Chunk<V>], inverse_mass: &[f64], rows: usize, params: usize) {
        if self.from.is_empty() {
            self.sort(chunks, inverse_mass);
        }
        let packets = self.live.len();
        self.inverse.resize(packets, [Block::default(); V]);
        self.g.resize(packets * rows, Block::default());
        self.param.resize(packets * params, Block::default());
        for (slot, &[c, p, l]) in self.from.iter().enumerate() {
            let (c, p, l) = (&chunks[c as usize], p as usize, l as usize);
            let (packet, lane) = (slot / BLOCK, slot % BLOCK);
            for v in 0..V {
                self.inverse[packet][v].0[lane] = inverse_mass[c.nodes[p][v][l] as usize];
            }
            for q in 0..rows {
                self.g[packet * rows + q].0[lane] = c.g[p * rows + q].0[l];
            }
            for q in 0..params {
                self.param[packet * params + q].0[lane] = c.param[p * params + q].0[l];
            }
        }
    }

    fn sort(&mut self, chunks: &[Chunk<V>], inverse_mass: &[f64]) {
        let mut colours: Vec<Vec<[u32; 3]>> = Vec::new();
        // The colours of each node, as bits; those beyond the last share none.
        let mut taken = vec![0u64; inverse_mass.len()];
        for (number, c) in chunks.iter().enumerate() {
            for slot in 0..c.live {
                let (p, l) = (slot / BLOCK, slot % BLOCK);
                let free = |v: &usize| inverse_mass[c.nodes[p][*v][l] as usize] > 0.0;
                let used = (0..V).filter(free).fold(0, |a, v| a | taken[c.nodes[p][v][l] as usize]);
                if (0..V).all(|v| !free(&v)) {
                    continue;
                }
                let colour = (!used).trailing_zeros() as usize;
                let place = [number as u32, p as u32, l as u32];
                if colour >= 64 {
                    colours.push(vec![place]);
                    continue;
                }
                for v in (0..V).filter(free) {
                    taken[c.nodes[p][v][l] as usize] |= 1 << colour;
                }
                if colours.len() <= colour {
                    colours.resize(colour + 1, Vec::new());
                }
                colours[colour].push(place);
            }
        }
        for packet in colours.iter().flat_map(|c| c.chunks(BLOCK)) {
            self.live.push(packet.len());
            let mut nodes = [[0; BLOCK]; V];
            for lane in 0..BLOCK {
                let from = packet[lane.min(packet.len() - 1)];
                let [c, p, l] = from.map(|a| a as usize);
                for v in 0..V {
                    nodes[v][lane] = chunks[c].nodes[p][v][l];
                }
                self.from.push(from);
            }
            self.nodes.push(nodes);
        }
    }

    /// One sweep.
    pub fn sweep<const D: usize, P: Potential<D>>(&self, potential: &P, x: &mut [Row]) {
        dispatch(Sweep::<V, D, P> { colours: self, potential, x });
    }
}

struct Sweep<'a, const V: usize, const D: usize, P> {
    colours: &'a Colours<V>,
    potential: &'a P,
    x: &'a mut [Row],
}

/// N g_v of the corners, and |N g_v|² over their masses.
#[inline(always)]
fn spread<R: Real, const V: usize, const D: usize>(
    n: &Local<R, D>,
    g: &[Local<R, D>; V],
    inverse: &[R; V],
) -> ([Vec3<R>; V], R) {
    let mut f = [[R::zero(); 3]; V];
    let mut size = R::zero();
    for v in 0..V {
        for d in 0..D {
            // g is kept in the first row.
            f[v] = axpy(f[v], g[v][d][0], n[d]);
        }
        for i in 0..3 {
            size = inverse[v].madd(f[v][i] * f[v][i], size);
        }
    }
    (f, size)
}

impl<const V: usize, const D: usize, P: Potential<D>> Kernel for Sweep<'_, V, D, P> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        let (c, x) = (self.colours, self.x);
        let rows = if V > 1 { V - 1 } else { 1 };
        for p in 0..c.live.len() {
            for lane in (0..BLOCK).step_by(R::LANES) {
                let mut e = Element { k: R::one(), param: [R::zero(); MAX_PARAMS] };
                for q in 0..P::PARAMS {
                    e.param[q] = R::load(&c.param[p * P::PARAMS + q], lane);
                }
                let (mut at, mut inverse) = ([[R::zero(); 3]; V], [R::zero(); V]);
                let mut g = [zeros::<R, D>(); V];
                for v in 0..V {
                    at[v] = R::gather(x, &c.nodes[p][v], lane);
                    inverse[v] = R::load(&c.inverse[p][v], lane);
                    for d in 0..D {
                        if V == 1 {
                            g[v][d][0] = R::load(&c.g[p * D + d], lane);
                        } else if v > 0 {
                            let gvd = R::load(&c.g[(p * rows + v - 1) * D + d], lane);
                            g[v][d][0] = gvd;
                            g[0][d][0] -= gvd;
                        }
                    }
                }
                let mut y = zeros::<R, D>();
                for v in usize::from(V > 1)..V {
                    let edge = if V > 1 { sub(at[v], at[0]) } else { at[v] };
                    for d in 0..D {
                        y[d] = axpy(y[d], g[v][d][0], edge);
                    }
                }
                let n = minus(&y, &self.potential.nearest(&e, &y));
                let (f, size) = spread(&n, &g, &inverse);
                let some = size.gt(R::splat(f64::MIN_POSITIVE)) & size.finite();
                let alpha = R::select(some, norm2(&n) / R::select(some, size, R::one()), R::zero());
                for v in 0..V {
                    at[v] = sub(at[v], scale(alpha * inverse[v], f[v]));
                }
                for i in 0..c.live[p].saturating_sub(lane).min(R::LANES) {
                    for v in 0..V {
                        // What is pinned may be a corner of several, and stays.
                        if inverse[v].lane(i) > 0.0 {
                            let row = &mut x[c.nodes[p][v][lane + i] as usize];
                            for k in 0..3 {
                                row.0[k] = at[v][k].lane(i);
                            }
                        }
                    }
                }
            }
        }
    }
}
