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
use crate::math::real::Real;

/// Rows per piece of work; does not depend on the number of threads.
const PIECE: usize = 256;

/// A row in single precision.
type Short = [f32; 4];

/// s and z of some rows, slot after slot.
#[derive(Debug, Default)]
struct Piece {
    first: usize,
    rows: usize,
    s: Vec<Short>,
    z: Vec<Short>,
    /// Memory for y.
    y: Vec<Row>,
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
                self.pieces.push(Piece {
                    first,
                    rows,
                    s: vec![Short::default(); rows * slots],
                    z: vec![Short::default(); rows * slots],
                    y: vec![Row::default(); rows],
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

#[inline(always)]
fn short(a: [f64; 4]) -> Short {
    [a[0] as f32, a[1] as f32, a[2] as f32, a[3] as f32]
}

#[inline(always)]
fn long(a: Short) -> [f64; 4] {
    [a[0] as f64, a[1] as f64, a[2] as f64, a[3] as f64]
}

#[inline(always)]
fn total(a: [f64; 4]) -> f64 {
    (a[0] + a[1]) + (a[2] + a[3])
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
        let n = piece.rows;
        let (x0, x1) = (&step.x[0][rows.clone()], &step.x[1][rows.clone()]);
        let (g0, g1) = (&step.gradient[0][rows.clone()], &step.gradient[1][rows.clone()]);
        let (b0, b1) = (&step.base[0][rows.clone()], &step.base[1][rows]);
        let (s, z) = (&mut piece.s[new * n..(new + 1) * n], &mut piece.z[new * n..(new + 1) * n]);
        let y = &mut piece.y[..n];
        let mut squares = [[0.0; 4]; 2];
        for i in 0..n {
            let (mut ds, mut dz) = ([0.0; 4], [0.0; 4]);
            for c in 0..4 {
                ds[c] = x1[i].0[c] - x0[i].0[c];
                dz[c] = b1[i].0[c] - b0[i].0[c];
                y[i].0[c] = g1[i].0[c] - g0[i].0[c];
            }
            (s[i], z[i]) = (short(ds), short(dz));
            for c in 0..4 {
                squares[0][c] += ds[c] * ds[c];
                squares[1][c] += y[i].0[c] * y[i].0[c];
            }
        }
        piece.squares = [total(squares[0]), total(squares[1])];
        piece.products[new] = products(&piece.s[new * n..], &piece.z[new * n..], g1, y);
        for &j in order {
            piece.products[j] = products(&piece.s[j * n..], &piece.z[j * n..], g1, y);
        }
    }
}

/// Products of s and z with g and y.
#[inline(always)]
fn products(s: &[Short], z: &[Short], g: &[Row], y: &[Row]) -> Products {
    // Two rows side by side, to hide the latency of the additions.
    let mut sum = [[[0.0; 4]; 4]; 2];
    let n = g.len();
    let (s, z, y) = (&s[..n], &z[..n], &y[..n]);
    for i in 0..n / 2 {
        for k in 0..2 {
            add_products(&mut sum[k], s[2 * i + k], z[2 * i + k], &g[2 * i + k], &y[2 * i + k]);
        }
    }
    if n % 2 == 1 {
        add_products(&mut sum[0], s[n - 1], z[n - 1], &g[n - 1], &y[n - 1]);
    }
    let [one, two] = sum;
    Products {
        sg: total(one[0]) + total(two[0]),
        zg: total(one[1]) + total(two[1]),
        sy: total(one[2]) + total(two[2]),
        zy: total(one[3]) + total(two[3]),
    }
}

#[inline(always)]
fn add_products(sum: &mut [[f64; 4]; 4], s: Short, z: Short, g: &Row, y: &Row) {
    let (s, z) = (long(s), long(z));
    for c in 0..4 {
        sum[0][c] += s[c] * g.0[c];
        sum[1][c] += z[c] * g.0[c];
        sum[2][c] += s[c] * y.0[c];
        sum[3][c] += z[c] * y.0[c];
    }
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
        let n = self.out.len();
        for i in 0..n {
            for c in 0..4 {
                self.out[i].0[c] = -self.gamma * self.base[i].0[c];
            }
        }
        for (k, &j) in self.order.iter().enumerate() {
            let (a, b) = (self.a[k], self.b[k]);
            let (s, z) = (&self.piece.s[j * n..(j + 1) * n], &self.piece.z[j * n..(j + 1) * n]);
            for i in 0..n {
                let (si, zi) = (long(s[i]), long(z[i]));
                for c in 0..4 {
                    self.out[i].0[c] += b * zi[c] - a * si[c];
                }
            }
        }
        let mut slope = [0.0; 4];
        for i in 0..n {
            for c in 0..4 {
                slope[c] += self.gradient[i].0[c] * self.out[i].0[c];
            }
        }
        self.piece.slope = total(slope);
    }
}
