//! Quadratic terms as one matrix: bending towards being flat.
//!
//! U(x) = ½ Σ kV‖Dx‖² = ½ Σ_ij B_ij x_i·x_j with B = Σ kV GGᵀ, which is a part of A. Such a term need not be split: with it in f of (5) instead of in
//! g(Dx) it has no z and no u, the global step minimises it exactly, and its load −Bx is one product with a sparse matrix. The iterates are
//! others than those of the paper's splitting and fewer; the minimiser is the same.

use super::TermBatch;
use crate::exec::Exec;
use crate::math::lane::{Kernel, dispatch};
use crate::math::nodes::Row;
use crate::math::real::Real;

/// Nodes per piece of work.
const PIECE: usize = 256;

/// B without its diagonal, row after row: rows sum to zero, since no term sees a translation.
#[derive(Debug, Default)]
pub(super) struct Quadratic {
    first: Vec<u32>,
    entries: Vec<(u32, f64)>,
    /// −Bx of the last local step.
    loads: Vec<Row>,
}

impl Quadratic {
    /// The sum of the quadratic batches over `nodes` nodes.
    pub fn new(nodes: usize, batches: &[Box<dyn TermBatch>]) -> Quadratic {
        let mut pairs = Vec::new();
        for b in batches.iter().filter(|b| b.quadratic()) {
            b.assemble(&mut |i, j, w| {
                if i != j {
                    pairs.extend([(i, j, w), (j, i, w)]);
                }
            });
        }
        // Stable: what is summed into one entry comes in the order of the elements.
        pairs.sort_by_key(|&(i, j, _)| (i, j));
        let mut q = Quadratic { first: vec![0; nodes + 1], ..Quadratic::default() };
        let mut last = None;
        for (i, j, w) in pairs {
            match q.entries.last_mut() {
                Some(entry) if last == Some((i, j)) => entry.1 += w,
                _ => {
                    q.entries.push((j, w));
                    q.first[i as usize + 1] += 1;
                }
            }
            last = Some((i, j));
        }
        for i in 0..nodes {
            q.first[i + 1] += q.first[i];
        }
        q.loads = vec![Row::default(); nodes];
        q
    }

    /// Takes −Bx.
    pub fn take(&mut self, x: &[Row], exec: &Exec) {
        let (first, entries) = (&self.first, &self.entries);
        exec.for_each_chunk(&mut self.loads, PIECE, |piece, out| {
            dispatch(Product { first, entries, x, at: piece * PIECE, out });
        });
    }

    /// −Bx of node i as [`Quadratic::take`] took it last.
    pub fn load(&self, i: usize) -> [f64; 4] {
        self.loads.get(i).map_or([0.0; 4], |r| r.0)
    }
}

/// Rows of −Bx = Σ_j B_ij (x_i − x_j), j ≠ i.
struct Product<'a> {
    first: &'a [u32],
    entries: &'a [(u32, f64)],
    x: &'a [Row],
    at: usize,
    out: &'a mut [Row],
}

impl Kernel for Product<'_> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        for (k, out) in self.out.iter_mut().enumerate() {
            let i = self.at + k;
            let own = self.x[i].0;
            let mut sum = [0.0; 4];
            for &(j, b) in &self.entries[self.first[i] as usize..self.first[i + 1] as usize] {
                let other = &self.x[j as usize].0;
                for c in 0..4 {
                    sum[c] += b * (own[c] - other[c]);
                }
            }
            *out = Row([sum[0], sum[1], sum[2], 0.0]);
        }
    }
}
