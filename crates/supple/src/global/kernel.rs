//! Substitution with packed panels: the inner loops of the solve.
//!
//! A number of the factor is broadcast and multiplies x, y and z of a node at once, so that a row of
//! results is one register, forward and backward, and tiles need no padding. That one lane of four is idle
//! costs little: these loops are bound by loads, and on large systems by memory. Forward, a full tile of
//! many columns takes its rows as lanes instead (`tile_sums`). Where x, y and z have factors of their own
//! (`split.rs`), a number is three, loaded at once in place of a broadcast.

use super::panels::{Node, Panels, TILE};
use crate::math::lane::Kernel;
use crate::math::nodes::Row;
use crate::math::real::{BLOCK, Block, Real};

/// From so many columns on, a tile is worth transposing its sums.
const WIDE: usize = 12;

/// A number of the factor: one for all coordinates, or one for each.
pub(super) trait Number: Copy + Send + Sync {
    /// `acc + a·x`, fused where the lanes are the eight of AVX2 with FMA (elsewhere a fused operation could be
    /// a call of a library function).
    fn madd<R: Real>(self, x: &[f64; 4], acc: &mut [f64; 4]);
    /// [`tile_sums`] of a tile of `rows`, where that is the faster way.
    fn sums<R: Real>(tile: &[Self], rows: usize, x: &[Row]) -> Option<[R; 3]>;
}

#[inline(always)]
fn add<R: Real>(a: f64, x: f64, acc: f64) -> f64 {
    if R::LANES == BLOCK { a.mul_add(x, acc) } else { a * x + acc }
}

impl Number for f64 {
    #[inline(always)]
    fn madd<R: Real>(self, x: &[f64; 4], acc: &mut [f64; 4]) {
        for c in 0..4 {
            acc[c] = add::<R>(self, x[c], acc[c]);
        }
    }
    #[inline(always)]
    fn sums<R: Real>(tile: &[f64], rows: usize, x: &[Row]) -> Option<[R; 3]> {
        if R::LANES == BLOCK && rows == BLOCK && x.len() >= WIDE {
            Some(tile_sums::<R>(tile, x))
        } else {
            None
        }
    }
}

impl Number for [f64; 4] {
    #[inline(always)]
    fn madd<R: Real>(self, x: &[f64; 4], acc: &mut [f64; 4]) {
        for c in 0..4 {
            acc[c] = add::<R>(self[c], x[c], acc[c]);
        }
    }
    #[inline(always)]
    fn sums<R: Real>(_: &[[f64; 4]], _: usize, _: &[Row]) -> Option<[R; 3]> {
        None
    }
}

/// acc[i] += Σ_c tile[c][i] x[c].
#[inline(always)]
fn tile_forward<R: Real, T: Number, const M: usize>(tile: &[T], x: &[Row], acc: &mut [[f64; 4]; M]) {
    let (columns, _) = tile.as_chunks::<M>();
    let mut sum = *acc;
    for (a, x) in columns.iter().zip(x) {
        for i in 0..M {
            a[i].madd::<R>(&x.0, &mut sum[i]);
        }
    }
    *acc = sum;
}

/// Σ_c tile[c][i] x[c] of a full tile, with the rows of the tile as lanes: fewer broadcasts than
/// [`tile_forward`], but the sums have to be transposed.
#[inline(always)]
fn tile_sums<R: Real>(tile: &[f64], x: &[Row]) -> [R; 3] {
    let (columns, _) = tile.as_chunks::<BLOCK>();
    // Even and odd columns apart: twelve sums, enough to hide the latency of the additions.
    let (mut even, mut odd) = ([R::zero(); 3], [R::zero(); 3]);
    let (pairs, last) = columns.as_chunks::<2>();
    let (x_pairs, x_last) = x.as_chunks::<2>();
    for (a, x) in pairs.iter().zip(x_pairs) {
        let (a0, a1) = (R::load(&Block(a[0]), 0), R::load(&Block(a[1]), 0));
        for c in 0..3 {
            even[c] = a0.madd(R::splat(x[0].0[c]), even[c]);
            odd[c] = a1.madd(R::splat(x[1].0[c]), odd[c]);
        }
    }
    for (a, x) in last.iter().zip(x_last) {
        let a = R::load(&Block(*a), 0);
        for c in 0..3 {
            even[c] = a.madd(R::splat(x.0[c]), even[c]);
        }
    }
    [even[0] + odd[0], even[1] + odd[1], even[2] + odd[2]]
}

/// x[c] += Σ_i tile[c][i] y[i].
#[inline(always)]
fn tile_backward<R: Real, T: Number, const M: usize>(tile: &[T], y: &[[f64; 4]; M], x: &mut [Row]) {
    let (columns, _) = tile.as_chunks::<M>();
    for (a, x) in columns.iter().zip(x) {
        // Left alone, the compiler would take four columns side by side, and shuffle more than it adds.
        core::hint::black_box(());
        // Two sums, to shorten the chain of additions, and x last: the tile before may just have stored it.
        let (mut even, mut odd) = ([0.0; 4], [0.0; 4]);
        for i in 0..M {
            a[i].madd::<R>(&y[i], if i % 2 == 0 { &mut even } else { &mut odd });
        }
        for c in 0..4 {
            x.0[c] += even[c] + odd[c];
        }
    }
}

/// x_b = T (x_b − L x_before): rows `at..at + M` of the diagonal block.
#[inline(always)]
fn diagonal_forward<R: Real, T: Number, const M: usize>(tile: &[T], own: &mut [Row], at: usize) {
    let (before, rest) = own.split_at_mut(at);
    let (left, triangle) = tile.split_at(at * M);
    let mut sum = [[0.0; 4]; M];
    if let Some(sums) = T::sums::<R>(left, M, before) {
        let mut rows = [Row::default(); BLOCK];
        R::scatter(sums, &mut rows, 0, 1, 0);
        for i in 0..M {
            sum[i] = rows[i].0;
        }
    } else {
        tile_forward::<R, T, M>(left, before, &mut sum);
    }
    let (triangle, rest) = (&triangle[..M * M], &mut rest[..M]);
    for i in 0..M {
        for c in 0..4 {
            sum[i][c] += rest[i].0[c];
        }
    }
    for i in 0..M {
        let (mut even, mut odd) = ([0.0; 4], [0.0; 4]);
        for j in 0..M {
            if j <= i {
                triangle[j * M + i].madd::<R>(&sum[j], if j % 2 == 0 { &mut even } else { &mut odd });
            }
        }
        for c in 0..4 {
            rest[i].0[c] = even[c] + odd[c];
        }
    }
}

/// x_b = Tᵀ x_b; x_before −= Lᵀ x_b.
#[inline(always)]
fn diagonal_backward<R: Real, T: Number, const M: usize>(tile: &[T], own: &mut [Row], at: usize) {
    let (before, rest) = own.split_at_mut(at);
    let (left, triangle) = tile.split_at(at * M);
    let (triangle, rest) = (&triangle[..M * M], &mut rest[..M]);
    let mut y = [[0.0; 4]; M];
    for j in 0..M {
        let (mut even, mut odd) = ([0.0; 4], [0.0; 4]);
        for i in 0..M {
            if j <= i {
                triangle[j * M + i].madd::<R>(&rest[i].0, if i % 2 == 0 { &mut even } else { &mut odd });
            }
        }
        for c in 0..4 {
            y[j][c] = even[c] + odd[c];
        }
    }
    for j in 0..M {
        rest[j].0 = y[j];
    }
    tile_backward::<R, T, M>(left, &y, before);
}

/// x_ids −= L own.
#[inline(always)]
fn rows_forward<R: Real, T: Number, const M: usize>(
    tile: &[T],
    own: &[Row],
    ids: &[u32],
    outer: &mut [Row],
    shift: usize,
) {
    if let Some([x, y, z]) = T::sums::<R>(tile, M, own) {
        let mut at = [0; BLOCK];
        for i in 0..M {
            at[i] = ids[i] - shift as u32;
        }
        R::scatter_add([x, y, z, R::zero()], outer, &at, 0);
        return;
    }
    let mut sum = [[0.0; 4]; M];
    tile_forward::<R, T, M>(tile, own, &mut sum);
    for i in 0..M {
        let row = &mut outer[ids[i] as usize - shift].0;
        for c in 0..4 {
            row[c] += sum[i][c];
        }
    }
}

/// own −= Lᵀ x_ids.
#[inline(always)]
fn rows_backward<R: Real, T: Number, const M: usize>(
    tile: &[T],
    own: &mut [Row],
    ids: &[u32],
    outer: &[Row],
    shift: usize,
) {
    let mut y = [[0.0; 4]; M];
    for i in 0..M {
        y[i] = outer[ids[i] as usize - shift].0;
    }
    tile_backward::<R, T, M>(tile, &y, own);
}

/// Calls a function with the number of rows of a tile as a constant.
macro_rules! with_rows {
    ($m:expr, $f:ident, $($arg:expr),*) => {
        match $m {
            8 => $f::<R, T, 8>($($arg),*),
            7 => $f::<R, T, 7>($($arg),*),
            6 => $f::<R, T, 6>($($arg),*),
            5 => $f::<R, T, 5>($($arg),*),
            4 => $f::<R, T, 4>($($arg),*),
            3 => $f::<R, T, 3>($($arg),*),
            2 => $f::<R, T, 2>($($arg),*),
            _ => $f::<R, T, 1>($($arg),*),
        }
    };
}

/// L y = b in place, for the columns of `panels`, with their numbers or others; rows beyond them get what is to be added to them.
pub(super) struct Forward<'a, T> {
    pub panels: &'a Panels,
    pub values: &'a [T],
    pub x: &'a mut [Row],
}

impl<T: Number> Kernel for Forward<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        for node in &self.panels.nodes {
            let Node { first, cols, rows, .. } = *node;
            let (mut values, ids) = self.panels.of(node, self.values);
            let (head, outer) = self.x.split_at_mut(first + cols);
            let own = &mut head[first..];
            let mut at = 0;
            while at < cols {
                let m = TILE.min(cols - at);
                let (tile, rest) = values.split_at((at + m) * m);
                with_rows!(m, diagonal_forward, tile, own, at);
                values = rest;
                at += m;
            }
            let mut at = 0;
            while at < rows {
                let m = TILE.min(rows - at);
                let (tile, rest) = values.split_at(cols * m);
                with_rows!(m, rows_forward, tile, own, &ids[at..at + m], outer, first + cols);
                values = rest;
                at += m;
            }
        }
    }
}

/// Lᵀ x = y in place, for the columns of `panels`, given x in the rows beyond them.
pub(super) struct Backward<'a, T> {
    pub panels: &'a Panels,
    pub values: &'a [T],
    pub x: &'a mut [Row],
}

impl<T: Number> Kernel for Backward<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        for node in self.panels.nodes.iter().rev() {
            let Node { first, cols, rows, .. } = *node;
            let (values, ids) = self.panels.of(node, self.values);
            let (head, outer) = self.x.split_at_mut(first + cols);
            let own = &mut head[first..];
            let (mut diagonal, mut values) = values.split_at(Node::diagonal_len(cols));
            let mut at = 0;
            while at < rows {
                let m = TILE.min(rows - at);
                let (tile, rest) = values.split_at(cols * m);
                with_rows!(m, rows_backward, tile, own, &ids[at..at + m], outer, first + cols);
                values = rest;
                at += m;
            }
            let mut end = cols;
            while end > 0 {
                let m = if end % TILE == 0 { TILE } else { end % TILE };
                let (rest, tile) = diagonal.split_at(diagonal.len() - end * m);
                with_rows!(m, diagonal_backward, tile, own, end - m);
                diagonal = rest;
                end -= m;
            }
        }
    }
}
