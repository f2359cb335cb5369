//! Substitution with packed panels for one right-hand side: what Newton's matrix is solved for.
//!
//! With three right-hand sides (`kernel.rs`) a number of the factor is broadcast and multiplies a row. With one that would leave three lanes of
//! four idle, so here the rows of a tile are the lanes: a number of the vector is broadcast, and multiplies a column of the tile. Backward, each column
//! keeps eight partial sums, one per row of a tile, until all of its tiles have been read. The factor is read as one stream either way; it may be kept in
//! single precision, which halves it.

use super::panels::{Node, Panels, TILE, WIDEST};
use crate::math::lane::Kernel;
use crate::math::real::{BLOCK, Block, Real};

/// A number of the factor as it is stored.
pub(super) trait Stored: Copy + Send + Sync + 'static {
    /// Its value.
    fn wide(self) -> f64;
    /// Lanes of a column of a full tile.
    fn load<R: Real>(column: &[Self; BLOCK], lane: usize) -> R;
}

impl Stored for f64 {
    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }
    #[inline(always)]
    fn load<R: Real>(column: &[f64; BLOCK], lane: usize) -> R {
        R::load(&Block(*column), lane)
    }
}

impl Stored for f32 {
    #[inline(always)]
    fn wide(self) -> f64 {
        self as f64
    }
    #[inline(always)]
    fn load<R: Real>(column: &[f32; BLOCK], lane: usize) -> R {
        R::load_short(column, lane)
    }
}

/// `a·x + sum`, fused where the lanes are eight, as in `kernel.rs`.
#[inline(always)]
fn madd<R: Real>(a: f64, x: f64, sum: f64) -> f64 {
    if R::LANES == BLOCK { a.mul_add(x, sum) } else { a * x + sum }
}

/// Σ_c tile[c] x[c], for each row of the tile.
#[inline(always)]
fn sums<R: Real, S: Stored, const M: usize>(tile: &[S], x: &[f64]) -> [f64; M] {
    let mut out = [0.0; M];
    if M == BLOCK {
        let (columns, _) = tile.as_chunks::<BLOCK>();
        let ((fours, rest), (x_fours, x_rest)) = (columns.as_chunks::<4>(), x.as_chunks::<4>());
        let mut block = Block::default();
        for lane in (0..BLOCK).step_by(R::LANES) {
            // Four sums, to hide the latency of the additions.
            let mut sum = [R::zero(); 4];
            for (a, x) in fours.iter().zip(x_fours) {
                for k in 0..4 {
                    sum[k] = S::load::<R>(&a[k], lane).madd(R::splat(x[k]), sum[k]);
                }
            }
            for (a, x) in rest.iter().zip(x_rest) {
                sum[0] = S::load::<R>(a, lane).madd(R::splat(*x), sum[0]);
            }
            ((sum[0] + sum[1]) + (sum[2] + sum[3])).store(&mut block, lane);
        }
        for i in 0..M {
            out[i] = block.0[i];
        }
    } else {
        let (columns, _) = tile.as_chunks::<M>();
        for (a, x) in columns.iter().zip(x) {
            for i in 0..M {
                out[i] = madd::<R>(a[i].wide(), *x, out[i]);
            }
        }
    }
    out
}

/// partial[c][i] += tile[c][i] y[i].
#[inline(always)]
fn spread<R: Real, S: Stored, const M: usize>(tile: &[S], y: &[f64; M], partial: &mut [Block]) {
    if M == BLOCK {
        let (columns, _) = tile.as_chunks::<BLOCK>();
        let mut block = Block::default();
        for i in 0..M {
            block.0[i] = y[i];
        }
        for lane in (0..BLOCK).step_by(R::LANES) {
            let y = R::load(&block, lane);
            for (a, sum) in columns.iter().zip(&mut *partial) {
                S::load::<R>(a, lane).madd(y, R::load(sum, lane)).store(sum, lane);
            }
        }
    } else {
        let (columns, _) = tile.as_chunks::<M>();
        for (a, sum) in columns.iter().zip(partial) {
            for i in 0..M {
                sum.0[i] = madd::<R>(a[i].wide(), y[i], sum.0[i]);
            }
        }
    }
}

#[inline(always)]
fn total(b: &Block) -> f64 {
    let b = &b.0;
    ((b[0] + b[1]) + (b[2] + b[3])) + ((b[4] + b[5]) + (b[6] + b[7]))
}

/// x_b = T (x_b − L x_before): rows `at..at + M` of the diagonal block.
#[inline(always)]
fn diagonal_forward<R: Real, S: Stored, const M: usize>(tile: &[S], own: &mut [f64], at: usize) {
    let (before, rest) = own.split_at_mut(at);
    let (left, triangle) = tile.split_at(at * M);
    let mut sum = sums::<R, S, M>(left, before);
    for i in 0..M {
        sum[i] += rest[i];
    }
    // Above its diagonal the inverse of the triangle is stored as zeros.
    rest[..M].copy_from_slice(&sums::<R, S, M>(&triangle[..M * M], &sum));
}

/// x_b = Tᵀ (x_b + what the columns have gathered); x_before −= Lᵀ x_b, into the partial sums.
#[inline(always)]
fn diagonal_backward<R: Real, S: Stored, const M: usize>(
    tile: &[S],
    own: &mut [f64],
    partial: &mut [Block],
    at: usize,
) {
    let (left, triangle) = tile.split_at(at * M);
    let (triangle, rest) = (&triangle[..M * M], &mut own[at..at + M]);
    let (before, here) = partial.split_at_mut(at);
    let (mut x, mut y) = ([0.0; M], [0.0; M]);
    for i in 0..M {
        x[i] = rest[i] + total(&here[i]);
    }
    for j in 0..M {
        let (mut even, mut odd) = (0.0, 0.0);
        for i in j..M {
            let sum = if i % 2 == 0 { &mut even } else { &mut odd };
            *sum = madd::<R>(triangle[j * M + i].wide(), x[i], *sum);
        }
        y[j] = even + odd;
    }
    rest.copy_from_slice(&y);
    spread::<R, S, M>(left, &y, before);
}

/// x_ids −= L own.
#[inline(always)]
fn rows_forward<R: Real, S: Stored, const M: usize>(
    tile: &[S],
    own: &[f64],
    ids: &[u32],
    outer: &mut [f64],
    shift: usize,
) {
    let sum = sums::<R, S, M>(tile, own);
    for i in 0..M {
        outer[ids[i] as usize - shift] += sum[i];
    }
}

/// own −= Lᵀ x_ids, into the partial sums.
#[inline(always)]
fn rows_backward<R: Real, S: Stored, const M: usize>(
    tile: &[S],
    partial: &mut [Block],
    ids: &[u32],
    outer: &[f64],
    shift: usize,
) {
    let mut y = [0.0; M];
    for i in 0..M {
        y[i] = outer[ids[i] as usize - shift];
    }
    spread::<R, S, M>(tile, &y, partial);
}

/// Calls a function with the number of rows of a tile as a constant.
macro_rules! with_rows {
    ($m:expr, $f:ident, $($arg:expr),*) => {
        match $m {
            8 => $f::<R, S, 8>($($arg),*),
            7 => $f::<R, S, 7>($($arg),*),
            6 => $f::<R, S, 6>($($arg),*),
            5 => $f::<R, S, 5>($($arg),*),
            4 => $f::<R, S, 4>($($arg),*),
            3 => $f::<R, S, 3>($($arg),*),
            2 => $f::<R, S, 2>($($arg),*),
            _ => $f::<R, S, 1>($($arg),*),
        }
    };
}

/// L y = b in place, for the columns of `panels`; numbers beyond them get what is to be added to them.
pub(super) struct Forward<'a, S> {
    pub panels: &'a Panels,
    pub values: &'a [S],
    pub x: &'a mut [f64],
}

impl<S: Stored> Kernel for Forward<'_, S> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        for node in &self.panels.nodes {
            let Node { first, cols, rows, .. } = *node;
            let (mut values, ids) = self.panels.of_stored(node, self.values);
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

/// Lᵀ x = y in place, for the columns of `panels`, given x in the numbers beyond them.
pub(super) struct Backward<'a, S> {
    pub panels: &'a Panels,
    pub values: &'a [S],
    pub x: &'a mut [f64],
}

impl<S: Stored> Kernel for Backward<'_, S> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        let mut partial = [Block::default(); WIDEST];
        for node in self.panels.nodes.iter().rev() {
            let Node { first, cols, rows, .. } = *node;
            let (values, ids) = self.panels.of_stored(node, self.values);
            let (head, outer) = self.x.split_at_mut(first + cols);
            let (own, partial) = (&mut head[first..], &mut partial[..cols]);
            partial.fill(Block::default());
            let (mut diagonal, mut values) = values.split_at(Node::diagonal_len(cols));
            let mut at = 0;
            while at < rows {
                let m = TILE.min(rows - at);
                let (tile, rest) = values.split_at(cols * m);
                with_rows!(m, rows_backward, tile, partial, &ids[at..at + m], outer, first + cols);
                values = rest;
                at += m;
            }
            let mut end = cols;
            while end > 0 {
                let m = if end % TILE == 0 { TILE } else { end % TILE };
                let (rest, tile) = diagonal.split_at(diagonal.len() - end * m);
                with_rows!(m, diagonal_backward, tile, own, partial, end - m);
                diagonal = rest;
                end -= m;
            }
        }
    }
}
