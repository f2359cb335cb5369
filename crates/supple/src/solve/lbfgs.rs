//! The corrections of L-BFGS in compact form (Byrd, Nocedal, Schnabel 1994), in pieces that threads share.
//!
//! With the last steps s and changes of the gradient y as columns, oldest first, R the upper triangle of SᵀY, D its diagonal and Z = B₀⁻¹Y:
//!
//! B⁻¹g = B₀⁻¹g + S a − Z b, b = R⁻¹Sᵀg, a = R⁻ᵀ((D + YᵀZ) b − Zᵀg)
//!
//! That is what the two loops of Nocedal & Wright's algorithm 7.4 compute, but all inner products are taken in one pass over the history, and
//! all sums in a second one. Y is not kept: z is the change of B₀⁻¹g, which each iteration computes anyway, and new rows of SᵀY and YᵀZ are
//! products with y of the last step alone. S and Z are kept in single precision: they say how the iteration goes on, not where it ends, and half
//! of the bytes are half of the time.

use crate::exec::Exec;
use crate::math::lane::{Kernel, dispatch};
use crate::math::nodes::Row;
use crate::math::real::{BLOCK, Block, Real};

/// Rows per piece of work; does not depend on the number of threads.
const PIECE: usize = 256;

/// Rows per block.
const PAIR: usize = BLOCK / 4;

/// A block in single precision.
type Short = [f32; BLOCK];

/// s and z of some rows, slot after slot.
#[derive(Debug, Default)]
struct Piece {
    first: usize,
    rows: usize,
    s: Vec<Short>,
    z: Vec<Short>,
    /// Memory for a gradient, and for y or the direction.
    g: Vec<Block>,
    y: Vec<Block>,
    /// Products of each slot with the gradient and with y.
    products: Vec<Products>,
    /// s·s and y·y of the newest slot.
    squares: [f64; 2],
    /// g·direction.
    slope: f64,
}

/// Inner products.
#[derive(Clone, Copy, Debug, Default)]
struct Products {
    sg: f64,
    zg: f64,
    sy: f64,
    zy: f64,
}

/// The last step: where it started, and what was there and is here.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    /// Positions.
    pub x: [&'a [Row]; 2],
    /// Gradients.
    pub gradient: [&'a [Row]; 2],
    /// B₀⁻¹ times the gradients.
    pub base: [&'a [Row]; 2],
}

/// What L-BFGS keeps of the last steps, allocated at first use.
#[derive(Debug, Default)]
pub(super) struct Corrections {
    pieces: Vec<Piece>,
    slots: usize,
    /// Slots in use, oldest first.
    order: Vec<usize>,
    /// s_i·y_j for pairs i not younger than j, and y_i·z_j, by slot.
    sy: Vec<f64>,
    yz: Vec<f64>,
    /// Of the present gradient, by slot.
    products: Vec<Products>,
    /// a and b, by age.
    a: Vec<f64>,
    b: Vec<f64>,
}

impl Corrections {
    /// Room for `slots` steps of `n` rows; forgets all.
    pub fn prepare(&mut self, n: usize, slots: usize) {
        if self.slots != slots || self.pieces.iter().map(|p| p.rows).sum::<usize>() != n {
            self.slots = slots;
            self.pieces.clear();
            for first in (0..if slots > 0 { n } else { 0 }).step_by(PIECE) {
                let rows = PIECE.min(n - first);
                let blocks = rows.div_ceil(PAIR);
                self.pieces.push(Piece {
                    first,
                    rows,
                    s: vec![Short::default(); blocks * slots],
                    z: vec![Short::default(); blocks * slots],
                    g: vec![Block::default(); blocks],
                    y: vec![Block::default(); blocks],
                    products: vec![Products::default(); slots],
                    ..Piece::default()
                });
            }
            (self.sy, self.yz) = (vec![0.0; slots * slots], vec![0.0; slots * slots]);
            self.products = vec![Products::default(); slots];
        }
        self.forget();
    }

    /// Forgets all steps.
    pub fn forget(&mut self) {
        self.order.clear();
    }

    /// True if it knows of no step.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Products with the present gradient; keeps the step that led to it, if it says anything about the curvature.
    pub fn learn(&mut self, step: Step<'_>, exec: &Exec) {
        if self.slots == 0 {
            return;
        }
        let new = match self.order.len() {
            len if len == self.slots => self.order.remove(0),
            len => (0..self.slots).find(|s| !self.order.contains(s)).unwrap_or(len),
        };
        let order = &self.order;
        exec.for_each(&mut self.pieces, |_, piece| {
            let rows = piece.first..piece.first + piece.rows;
            dispatch(Learn { piece, step, rows, new, order });
        });
        self.products.fill(Products::default());
        let mut squares = [0.0; 2];
        for piece in &self.pieces {
            for (sum, part) in self.products.iter_mut().zip(&piece.products) {
                sum.sg += part.sg;
                sum.zg += part.zg;
                sum.sy += part.sy;
                sum.zy += part.zy;
            }
            squares[0] += piece.squares[0];
            squares[1] += piece.squares[1];
        }
        if self.products[new].sy > 1e-10 * (squares[0] * squares[1]).sqrt() {
            self.order.push(new);
            for &j in &self.order {
                self.sy[j * self.slots + new] = self.products[j].sy;
                self.yz[j * self.slots + new] = self.products[j].zy;
                self.yz[new * self.slots + j] = self.products[j].zy;
            }
        }
    }

    /// direction = −B⁻¹g, given B₀⁻¹g; returns g·direction. After [`Corrections::learn`] or [`Corrections::forget`]. With `scaled`, B₀ is
    /// known up to a factor only: the one that fits the last step.
    pub fn point(
        &mut self,
        gradient: &[Row],
        base: &[Row],
        scaled: bool,
        direction: &mut [Row],
        exec: &Exec,
    ) -> f64 {
        let gamma = self.solve(scaled);
        if self.pieces.is_empty() {
            for (d, b) in direction.iter_mut().zip(base) {
                d.0 = b.0.map(|b| -b);
            }
            return crate::math::nodes::dot(gradient, direction);
        }
        let (order, a, b) = (&self.order, &self.a, &self.b);
        exec.for_each_pair(&mut self.pieces, direction, PIECE, |piece, out| {
            let rows = piece.first..piece.first + piece.rows;
            let (gradient, base) = (&gradient[rows.clone()], &base[rows]);
            dispatch(Point { piece, gradient, base, gamma, order, a, b, out });
        });
        self.pieces.iter().map(|p| p.slope).fold(0.0, |a, b| a + b)
    }

    /// a and b, with the factor of B₀⁻¹, which is returned.
    fn solve(&mut self, scaled: bool) -> f64 {
        let (m, order, n) = (self.slots, &self.order, self.order.len());
        let gamma = match order.last() {
            Some(&last) if scaled => self.sy[last * m + last] / self.yz[last * m + last],
            _ => 1.0,
        };
        self.a.clear();
        self.b.clear();
        self.a.resize(n, 0.0);
        self.b.resize(n, 0.0);
        for i in (0..n).rev() {
            let mut sum = self.products[order[i]].sg;
            for j in i + 1..n {
                sum -= self.sy[order[i] * m + order[j]] * self.b[j];
            }
            self.b[i] = sum / self.sy[order[i] * m + order[i]];
        }
        for i in 0..n {
            let diagonal = self.sy[order[i] * m + order[i]];
            let mut sum = diagonal * self.b[i] - gamma * self.products[order[i]].zg;
            for j in 0..n {
                sum += gamma * self.yz[order[i] * m + order[j]] * self.b[j];
            }
            for j in 0..i {
                sum -= self.sy[order[j] * m + order[i]] * self.a[j];
            }
            self.a[i] = sum / diagonal;
        }
        for b in &mut self.b {
            *b *= gamma;
        }
        gamma
    }
}

/// The products of a piece.
struct Learn<'a> {
    piece: &'a mut Piece,
    step: Step<'a>,
    rows: core::ops::Range<usize>,
    new: usize,
    order: &'a [usize],
}

impl Kernel for Learn<'_> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        let Learn { piece, step, rows, new, order } = self;
        let (n, blocks) = (piece.rows, piece.g.len());
        let (x0, x1) = (&step.x[0][rows.clone()], &step.x[1][rows.clone()]);
        let (g0, g1) = (&step.gradient[0][rows.clone()], &step.gradient[1][rows.clone()]);
        let (b0, b1) = (&step.base[0][rows.clone()], &step.base[1][rows]);
        // An odd last row leaves half a block, which must count for nothing.
        if let (Some(g), Some(y)) = (piece.g.last_mut(), piece.y.last_mut()) {
            (*g, *y) = Default::default();
        }
        let mut squares = [[0.0; 4]; 2];
        for i in 0..n {
            let (block, at) = (i / PAIR, 4 * (i % PAIR));
            for c in 0..4 {
                let (ds, dg) = (x1[i].0[c] - x0[i].0[c], g1[i].0[c] - g0[i].0[c]);
                piece.s[new * blocks + block][at + c] = ds as f32;
                piece.z[new * blocks + block][at + c] = (b1[i].0[c] - b0[i].0[c]) as f32;
                piece.g[block].0[at + c] = g1[i].0[c];
                piece.y[block].0[at + c] = dg;
                squares[0][c] += ds * ds;
                squares[1][c] += dg * dg;
            }
        }
        let [s, y] = squares;
        piece.squares = [(s[0] + s[1]) + (s[2] + s[3]), (y[0] + y[1]) + (y[2] + y[3])];
        piece.products[new] = products::<R>(piece, new);
        for &j in order {
            piece.products[j] = products::<R>(piece, j);
        }
    }
}

/// Products of s and z of a slot with g and y.
#[inline(always)]
fn products<R: Real>(piece: &Piece, slot: usize) -> Products {
    let n = piece.g.len();
    let (s, z) = (&piece.s[slot * n..(slot + 1) * n], &piece.z[slot * n..(slot + 1) * n]);
    let (g, y) = (&piece.g[..n], &piece.y[..n]);
    let mut sums = [Block::default(); 4];
    for lane in (0..BLOCK).step_by(R::LANES) {
        let mut sum = [R::zero(); 4];
        for i in 0..n {
            let (s, z) = (R::load_short(&s[i], lane), R::load_short(&z[i], lane));
            let (g, y) = (R::load(&g[i], lane), R::load(&y[i], lane));
            sum[0] = s.madd(g, sum[0]);
            sum[1] = z.madd(g, sum[1]);
            sum[2] = s.madd(y, sum[2]);
            sum[3] = z.madd(y, sum[3]);
        }
        for k in 0..4 {
            sum[k].store(&mut sums[k], lane);
        }
    }
    Products { sg: total(&sums[0]), zg: total(&sums[1]), sy: total(&sums[2]), zy: total(&sums[3]) }
}

fn total(b: &Block) -> f64 {
    b.0.iter().fold(0.0, |a, b| a + b)
}

/// The direction of a piece.
struct Point<'a> {
    piece: &'a mut Piece,
    gradient: &'a [Row],
    base: &'a [Row],
    gamma: f64,
    order: &'a [usize],
    a: &'a [f64],
    b: &'a [f64],
    out: &'a mut [Row],
}

impl Kernel for Point<'_> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        let (piece, n) = (self.piece, self.out.len());
        let blocks = piece.g.len();
        for i in 0..n {
            let (block, at) = (i / PAIR, 4 * (i % PAIR));
            for c in 0..4 {
                piece.y[block].0[at + c] = -self.gamma * self.base[i].0[c];
            }
        }
        for (k, &j) in self.order.iter().enumerate() {
            let (s, z) = (&piece.s[j * blocks..(j + 1) * blocks], &piece.z[j * blocks..(j + 1) * blocks]);
            let d = &mut piece.y[..blocks];
            let (a, b) = (R::splat(-self.a[k]), R::splat(self.b[k]));
            for i in 0..blocks {
                for lane in (0..BLOCK).step_by(R::LANES) {
                    let way = b.madd(R::load_short(&z[i], lane), R::load(&d[i], lane));
                    a.madd(R::load_short(&s[i], lane), way).store(&mut d[i], lane);
                }
            }
        }
        let mut slope = [0.0; 4];
        for i in 0..n {
            let (block, at) = (i / PAIR, 4 * (i % PAIR));
            for c in 0..4 {
                self.out[i].0[c] = piece.y[block].0[at + c];
                slope[c] += self.gradient[i].0[c] * self.out[i].0[c];
            }
        }
        piece.slope = (slope[0] + slope[1]) + (slope[2] + slope[3]);
    }
}
