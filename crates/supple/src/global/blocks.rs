//! The Hessian of Newton's method: a 3×3 block for each entry of the pattern, and its factor.
//!
//! Unknown c of node i has the number 3i + c. The pattern is that of the global step's matrix with each entry widened to a
//! block, so the order of elimination is as good for it.

use super::cholesky::{Cholesky, FactorError, SolveScratch};
use super::system::System;
use crate::exec::Exec;
use crate::math::nodes::Row;
use crate::math::small::Mat3;

/// A symmetric matrix of 3×3 blocks and its factor.
#[derive(Debug)]
pub struct BlockFactor {
    /// Pattern by nodes.
    starts: Vec<usize>,
    rows: Vec<u32>,
    /// Row, column and place in the column of each block in the order in which they were added last: mostly the same each time, and
    /// then not searched.
    places: Vec<[u32; 3]>,
    added: usize,
    system: System,
    factor: Option<Cholesky>,
    /// For one right-hand side.
    flat: Vec<f64>,
    flat_scratch: SolveScratch<f64>,
    /// For three; empty until they are asked for.
    wide: Vec<Row>,
    wide_scratch: SolveScratch,
}

impl BlockFactor {
    /// A matrix of zeros with the pattern of `system`, not factored.
    pub fn new(system: &System) -> BlockFactor {
        BlockFactor {
            starts: system.col_ptr().to_vec(),
            rows: system.row_idx().to_vec(),
            places: Vec::new(),
            added: 0,
            system: system.widened(),
            factor: None,
            flat: vec![0.0; 3 * system.n()],
            flat_scratch: SolveScratch::default(),
            wide: Vec::new(),
            wide_scratch: SolveScratch::default(),
        }
    }

    /// Nodes.
    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Sets all blocks to zero.
    pub fn clear(&mut self) {
        self.system.clear();
        self.added = 0;
    }

    /// True if two nodes have a block.
    pub fn has(&self, i: usize, j: usize) -> bool {
        let (row, column) = (i.max(j), i.min(j));
        self.rows[self.starts[column]..self.starts[column + 1]].binary_search(&(row as u32)).is_ok()
    }

    /// The place of a block in its column.
    fn place(&mut self, row: usize, column: usize) -> Option<usize> {
        let (next, row, column) = (self.added, row as u32, column as u32);
        self.added += 1;
        match self.places.get(next) {
            Some(&[i, j, at]) if i == row && j == column => return Some(at as usize),
            _ => {}
        }
        let (start, end) = (self.starts[column as usize], self.starts[column as usize + 1]);
        let at = self.rows[start..end].binary_search(&row).ok()?;
        if next < self.places.len() {
            self.places[next] = [row, column, at as u32];
        } else if next == self.places.len() {
            self.places.push([row, column, at as u32]);
        }
        Some(at)
    }

    /// Adds a block, by columns, at (i, j), and its transpose at (j, i). Nothing if a node or the pair is not in the pattern.
    pub fn add(&mut self, i: usize, j: usize, block: &Mat3<f64>) {
        let n = self.nodes();
        if i >= n || j >= n {
            return;
        }
        let (row, column) = if i > j { (i, j) } else { (j, i) };
        let (start, end) = (self.starts[column], self.starts[column + 1]);
        let Some(at) = self.place(row, column) else { return };
        // Column 3·column + c has 3·(rows of the node) − c entries, from its diagonal down.
        let height = 3 * (end - start);
        let mut first = 9 * start - 3 * column;
        let values = self.system.values_mut();
        for c in 0..3 {
            // Entry (3·row + r, 3·column + c) is block[c][r], or block[r][c] of the transpose.
            for r in if at == 0 { c } else { 0 }..3 {
                let value = if i >= j { block[c][r] } else { block[r][c] };
                values[first + 3 * at + r - c] += value;
            }
            first += height - c;
        }
    }

    /// Adds a number to the diagonal of a node's block.
    pub fn add_diagonal(&mut self, i: usize, a: f64) {
        self.add(i, i, &[[a, 0.0, 0.0], [0.0, a, 0.0], [0.0, 0.0, a]]);
    }

    /// Factors the matrix. After an error there is no factor. Call inside [`Exec::install`].
    pub fn factor(&mut self, exec: &Exec) -> Result<(), FactorError> {
        let result = match &mut self.factor {
            Some(factor) => factor.refactor(&self.system, exec),
            None => Cholesky::new(&self.system, exec).map(|factor| self.factor = Some(factor)),
        };
        if result.is_err() {
            self.factor = None;
        }
        result
    }

    /// The largest number on the diagonal.
    pub fn largest(&self) -> f64 {
        let values = self.system.values();
        self.system.col_ptr()[..3 * self.nodes()].iter().map(|&at| values[at]).fold(0.0, f64::max)
    }

    /// Keeps the factor in single precision too; see [`Cholesky::shorten`]. After [`BlockFactor::factor`].
    pub fn shorten(&mut self, exec: &Exec) {
        if let Some(factor) = &mut self.factor {
            factor.shorten(true, exec);
        }
    }

    /// Solves from right-hand sides to solution in place, with `short` by the factor in single precision if it is there. Call inside
    /// [`Exec::install`], after [`BlockFactor::factor`].
    pub fn solve(&mut self, rhs: &mut [Row], short: bool, exec: &Exec) {
        let Some(factor) = &self.factor else { return };
        let (flat, _) = self.flat.as_chunks_mut::<3>();
        for (f, r) in flat.iter_mut().zip(rhs.iter()) {
            *f = r.xyz();
        }
        factor.solve_one(&mut self.flat, &mut self.flat_scratch, short, exec);
        let (flat, _) = self.flat.as_chunks::<3>();
        for (f, r) in flat.iter().zip(rhs) {
            *r = Row::new(*f);
        }
    }

    /// The three columns of the inverse that belong to a node, at each of `at`: blocks by columns. Call as
    /// [`BlockFactor::solve`].
    pub fn columns(&mut self, node: u32, at: &[u32], exec: &Exec) -> Vec<f64> {
        let mut out = vec![0.0; 9 * at.len()];
        let Some(factor) = &self.factor else { return out };
        self.wide.clear();
        self.wide.resize(3 * self.starts.len().saturating_sub(1), Row::default());
        for c in 0..3 {
            if let Some(w) = self.wide.get_mut(3 * node as usize + c) {
                w.0[c] = 1.0;
            }
        }
        factor.solve(&mut self.wide, &mut self.wide_scratch, exec);
        for (block, &i) in out.chunks_exact_mut(9).zip(at) {
            let Some(rows) = self.wide.get(3 * i as usize..3 * i as usize + 3) else { continue };
            for c in 0..3 {
                for r in 0..3 {
                    block[3 * c + r] = rows[r].0[c];
                }
            }
        }
        out
    }

    /// Bytes that one solve reads, and floating-point operations of a factorisation; zeros before the first.
    pub fn cost(&self) -> (usize, f64) {
        self.factor.as_ref().map_or((0, 0.0), |f| (f.bytes(), f.operations()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cliques, System};
    use super::*;
    use crate::exec::Exec;

    /// A random positive definite block matrix against a dense solve.
    #[test]
    fn solves_what_was_added() {
        let mut cliques = Cliques::new(5);
        for c in [[0u32, 1, 3], [1, 2, 4], [3, 4, 0]] {
            assert!(cliques.push(&c));
        }
        let pattern = System::from_pattern(&cliques);
        let mut blocks = BlockFactor::new(&pattern);
        let mut dense = [[0.0f64; 15]; 15];
        let mut seed = 1u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / 2f64.powi(31) - 0.5
        };
        for clique in [[0usize, 1, 3], [1, 2, 4], [3, 4, 0]] {
            // vvᵀ over the clique's nine unknowns, pairs in either order.
            let v: Vec<f64> = (0..9).map(|_| random()).collect();
            for a in 0..3 {
                for b in 0..=a {
                    let mut block = [[0.0; 3]; 3];
                    for c in 0..3 {
                        for r in 0..3 {
                            block[c][r] = v[3 * a + r] * v[3 * b + c];
                        }
                    }
                    blocks.add(clique[a], clique[b], &block);
                }
            }
            for a in 0..9 {
                for b in 0..9 {
                    dense[3 * clique[a / 3] + a % 3][3 * clique[b / 3] + b % 3] += v[a] * v[b];
                }
            }
        }
        for i in 0..5 {
            blocks.add_diagonal(i, 2.0);
            for c in 0..3 {
                dense[3 * i + c][3 * i + c] += 2.0;
            }
        }
        let exec = Exec::new(1);
        assert!(blocks.factor(&exec).is_ok());
        let x: Vec<f64> = (0..15).map(|_| random()).collect();
        let mut rhs: Vec<Row> = (0..5)
            .map(|i| {
                let b = |c: usize| (0..15).map(|j| dense[3 * i + c][j] * x[j]).sum::<f64>();
                Row([b(0), b(1), b(2), 0.0])
            })
            .collect();
        blocks.solve(&mut rhs, false, &exec);
        for i in 0..5 {
            for c in 0..3 {
                assert!((rhs[i].0[c] - x[3 * i + c]).abs() < 1e-13, "{:?}", rhs[i]);
            }
        }
    }
}
