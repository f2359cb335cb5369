//! The factor as the solve reads it: one stream of numbers, supernode after supernode.
//!
//! A supernode is a run of columns with the same rows below. It is stored in tiles of up to eight rows by
//! all its columns, `[column][row of the tile]`: first its triangle (tile by tile, the columns left of the
//! tile and then the *inverse* of the small triangle on the diagonal), then its rows below. Everything but
//! the inverses has its sign changed, so that the solve only adds.

/// Rows of a tile.
pub(super) const TILE: usize = 8;

/// Supernodes wider than this are cut: their part of the vector would leave the first-level cache.
pub(super) const WIDEST: usize = 512;

/// One supernode, or a cut of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The first of its columns.
    pub first: usize,
    /// How many columns.
    pub cols: usize,
    /// How many rows below the triangle.
    pub rows: usize,
    /// Where its row numbers start in [`Panels::ids`].
    ids_at: usize,
    /// Where its numbers start in [`Panels::values`].
    values_at: usize,
}

impl Node {
    /// Numbers stored for the triangle of `cols` columns.
    pub fn diagonal_len(cols: usize) -> usize {
        let (full, rest) = (cols / TILE, cols % TILE);
        TILE * TILE * full * (full + 1) / 2 + rest * cols
    }

    /// Numbers stored in all.
    pub fn len(&self) -> usize {
        Node::diagonal_len(self.cols) + self.cols * self.rows
    }
}

/// A sequence of supernodes.
#[derive(Debug, Default)]
pub(super) struct Panels {
    pub nodes: Vec<Node>,
    pub ids: Vec<u32>,
    pub values: Vec<f64>,
    /// The same in single precision, where that is asked for; else empty.
    pub short: Vec<f32>,
}

impl Panels {
    /// Appends a supernode, without its numbers: columns `first..first + cols`, then `rows` below.
    pub fn push(&mut self, first: usize, cols: usize, rows: &[u32]) {
        let values_at = self.nodes.last().map_or(0, |last| last.values_at + last.len());
        let node = Node { first, cols, rows: rows.len(), ids_at: self.ids.len(), values_at };
        self.ids.extend_from_slice(rows);
        self.nodes.push(node);
    }

    /// How many numbers the pushed supernodes need.
    pub fn len(&self) -> usize {
        self.nodes.last().map_or(0, |last| last.values_at + last.len())
    }

    /// The numbers and the row numbers of a supernode.
    #[inline(always)]
    pub fn of(&self, node: &Node) -> (&[f64], &[u32]) {
        self.of_stored(node, &self.values)
    }

    /// The same, of these numbers.
    #[inline(always)]
    pub fn of_stored<'a, S>(&'a self, node: &Node, values: &'a [S]) -> (&'a [S], &'a [u32]) {
        (
            &values[node.values_at..node.values_at + node.len()],
            &self.ids[node.ids_at..node.ids_at + node.rows],
        )
    }

    /// Keeps the numbers in single precision too, or no longer.
    pub fn shorten(&mut self, short: bool) {
        self.short.clear();
        if short {
            self.short.extend(self.values.iter().map(|&a| a as f32));
        }
    }
}

/// Packs a supernode given by columns: `l[j * stride + i]` with row 0 the first row of the triangle.
pub(super) fn pack(l: &[f64], stride: usize, cols: usize, rows: usize, mut out: &mut [f64]) {
    let mut at = 0;
    while at < cols {
        let m = TILE.min(cols - at);
        let (tile, rest) = out.split_at_mut((at + m) * m);
        let (left, triangle) = tile.split_at_mut(at * m);
        for (j, column) in left.chunks_exact_mut(m).enumerate() {
            for (i, a) in column.iter_mut().enumerate() {
                *a = -l[j * stride + at + i];
            }
        }
        invert(&l[at * stride + at..], stride, m, triangle);
        out = rest;
        at += m;
    }
    let mut at = 0;
    while at < rows {
        let m = TILE.min(rows - at);
        let (tile, rest) = out.split_at_mut(cols * m);
        for (j, column) in tile.chunks_exact_mut(m).enumerate() {
            let from = j * stride + cols + at;
            for (a, l) in column.iter_mut().zip(&l[from..from + m]) {
                *a = -l;
            }
        }
        out = rest;
        at += m;
    }
}

/// The inverse of a lower triangle of `m` rows, by columns; zeros above the diagonal.
fn invert(l: &[f64], stride: usize, m: usize, out: &mut [f64]) {
    for j in 0..m {
        let column = &mut out[j * m..(j + 1) * m];
        for i in 0..m {
            // (L t)_i = δ_ij.
            let mut sum = if i == j { 1.0 } else { 0.0 };
            for k in j..i {
                sum -= l[k * stride + i] * column[k];
            }
            column[i] = if i < j { 0.0 } else { sum / l[i * stride + i] };
        }
    }
}
