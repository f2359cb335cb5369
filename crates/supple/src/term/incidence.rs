//! Which contributions belong to which node, and their sum in a fixed order: no atomics, the same bits on any
//! number of threads.

use super::TermBatch;
use crate::exec::Exec;
use crate::math::lane::{Kernel, dispatch};
use crate::math::nodes::Row;
use crate::math::real::Real;

/// Nodes per piece of work.
const PIECE: usize = 256;

/// The sums of a piece; with the instructions that the lanes have, which take a row at once.
struct Sum<'a, F> {
    of: &'a Incidence,
    loads: &'a [Row],
    first: usize,
    out: &'a mut [Row],
    f: &'a F,
}

impl<F: Fn(usize, Row, &mut Row)> Kernel for Sum<'_, F> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        for (j, o) in self.out.iter_mut().enumerate() {
            let i = self.first + j;
            let mut s = [0.0; 4];
            for &r in self.of.of(i) {
                let l = &self.loads[r as usize].0;
                for c in 0..4 {
                    s[c] += l[c];
                }
            }
            (self.f)(i, Row(s), o);
        }
    }
}

/// For each node, the rows of loads that act on it.
#[derive(Debug, Default)]
pub struct Incidence {
    first: Vec<u32>,
    rows: Vec<u32>,
}

impl Incidence {
    /// From the rows of batches that are `taken`; rows of a batch stand behind those of the batches before it.
    pub fn new(
        nodes: usize,
        batches: &[Box<dyn TermBatch>],
        taken: impl Fn(&dyn TermBatch) -> bool,
    ) -> Incidence {
        let mut first = vec![0u32; nodes + 1];
        for b in batches.iter().filter(|b| taken(b.as_ref())) {
            b.rows(&mut |node, _| first[node as usize + 1] += 1);
        }
        for i in 0..nodes {
            first[i + 1] += first[i];
        }
        let mut next = first.clone();
        let mut rows = vec![0u32; first[nodes] as usize];
        let mut base = 0;
        for b in batches {
            if !taken(b.as_ref()) {
                base += b.load_rows();
                continue;
            }
            b.rows(&mut |node, row| {
                let at = &mut next[node as usize];
                rows[*at as usize] = (base + row) as u32;
                *at += 1;
            });
            base += b.load_rows();
        }
        Incidence { first, rows }
    }

    /// Nodes; 0 before there is anything.
    pub fn nodes(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    fn of(&self, node: usize) -> &[u32] {
        &self.rows[self.first[node] as usize..self.first[node + 1] as usize]
    }

    /// `f(i, Σ loads of node i, out_i)` for the first nodes.
    pub fn sum(&self, loads: &[Row], out: &mut [Row], exec: &Exec, f: impl Fn(usize, Row, &mut Row) + Sync) {
        exec.for_each_chunk(out, PIECE, |piece, out| {
            dispatch(Sum { of: self, loads, first: piece * PIECE, out, f: &f });
        });
    }
}
