//! The linear system of a step: the Hessian at its solution, as it is, with the rows of what touches.

use super::rows::Row3;
use crate::exec::Exec;
use crate::global::{BlockFactor, System};
use crate::math::nodes::Row;
use crate::math::small::{Mat3, transpose};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::lu::{LuRef, NumericLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Conj, MatMut, Par};

/// Held coordinates have so much more on their diagonal than anything else.
const FIRM: f64 = 1e30;

/// H over the free nodes, and its factor.
pub(super) struct Hessian {
    factor: BlockFactor,
    free: usize,
    /// Blocks that were added, to multiply with and to factor otherwise.
    blocks: Vec<(u32, u32, Mat3<f64>)>,
    firm: Vec<(usize, usize)>,
}

/// A solution, and how it was found.
pub(super) struct Solved {
    pub indefinite: bool,
    pub residual: f64,
}

impl Hessian {
    pub fn new(pattern: &System) -> Hessian {
        Hessian { factor: BlockFactor::new(pattern), free: pattern.n(), blocks: Vec::new(), firm: Vec::new() }
    }

    pub fn clear(&mut self) {
        self.blocks.clear();
        self.firm.clear();
    }

    /// Adds a block at (i, j) and its transpose at (j, i); also those of pinned nodes, for [`Hessian::multiply_until`].
    pub fn add(&mut self, i: u32, j: u32, block: &Mat3<f64>) {
        self.blocks.push((i, j, *block));
    }

    /// A coordinate that does not move.
    pub fn hold(&mut self, node: usize, axis: usize) {
        self.firm.push((node, axis));
    }

    /// How many blocks there are.
    pub fn mark(&self) -> usize {
        self.blocks.len()
    }

    /// H v of all nodes, pinned ones too.
    fn multiply(&self, v: &[Row], out: &mut [Row]) {
        self.multiply_until(self.blocks.len(), v, out);
    }

    /// The same with the first blocks alone.
    pub fn multiply_until(&self, mark: usize, v: &[Row], out: &mut [Row]) {
        out.fill(Row::default());
        for (i, j, k) in &self.blocks[..mark] {
            let (i, j) = (*i as usize, *j as usize);
            for c in 0..3 {
                for r in 0..3 {
                    out[i].0[r] += k[c][r] * v[j].0[c];
                    if i != j {
                        out[j].0[c] += k[c][r] * v[i].0[r];
                    }
                }
            }
        }
    }

    /// b ← H⁻¹b, or with rows the solution of [H, −CᵀW; C, 0]ᵀ(v, η) = (b, 0), η being put into the rows. None if there is none.
    pub fn solve(&mut self, b: &mut [Row], rows: &mut [Row3], exec: &Exec) -> Option<Solved> {
        let mut wanted = b.to_vec();
        for &(i, c) in &self.firm {
            (wanted[i].0[c], b[i].0[c]) = (0.0, 0.0);
        }
        let mut indefinite = false;
        let direct = rows.is_empty() && self.factorise(exec);
        if direct {
            self.factor.solve(b, false, exec);
            self.release(b);
            // Once more with what rounding left.
            let mut left = self.left(&wanted, b);
            self.factor.solve(&mut left, false, exec);
            for (b, d) in b.iter_mut().zip(&left) {
                (0..3).for_each(|c| b.0[c] += d.0[c]);
            }
            self.release(b);
        } else {
            indefinite = rows.is_empty();
            self.by_lu(b, rows)?;
            self.release(b);
        }
        if b.iter().any(|r| !r.is_finite()) {
            return None;
        }
        let residual = if rows.is_empty() {
            let norm = |rows: &[Row]| {
                rows.iter().map(|r| r.0[0].powi(2) + r.0[1].powi(2) + r.0[2].powi(2)).sum::<f64>()
            };
            let size = norm(&wanted);
            if size > 0.0 { (norm(&self.left(&wanted, b)) / size).sqrt() } else { 0.0 }
        } else {
            0.0
        };
        Some(Solved { indefinite, residual })
    }

    fn release(&self, rows: &mut [Row]) {
        self.firm.iter().for_each(|&(i, c)| rows[i].0[c] = 0.0);
    }

    fn left(&self, wanted: &[Row], v: &[Row]) -> Vec<Row> {
        let most = self.blocks.iter().map(|b| b.0.max(b.1) as usize + 1).max().unwrap_or(0).max(v.len());
        let mut all = v.to_vec();
        all.resize(most, Row::default());
        let mut out = vec![Row::default(); most];
        self.multiply(&all, &mut out);
        out.truncate(v.len());
        for (o, w) in out.iter_mut().zip(wanted) {
            (0..3).for_each(|c| o.0[c] = w.0[c] - o.0[c]);
        }
        self.release(&mut out);
        out
    }

    fn factorise(&mut self, exec: &Exec) -> bool {
        self.factor.clear();
        let mut size = 0.0f64;
        for (i, j, k) in &self.blocks {
            if (*i as usize) < self.free && (*j as usize) < self.free {
                self.factor.add(*i as usize, *j as usize, k);
                size = size.max(k[0][0].abs());
            }
        }
        for &(i, c) in &self.firm {
            let mut block = [[0.0; 3]; 3];
            block[c][c] = FIRM * size.max(f64::MIN_POSITIVE);
            self.factor.add(i, i, &block);
        }
        self.factor.factor(exec).is_ok()
    }

    /// The transposed matrix with its rows, by elimination with pivots.
    fn by_lu(&self, b: &mut [Row], rows: &mut [Row3]) -> Option<()> {
        let n = 3 * self.free;
        let total = n + rows.iter().map(|r| r.count).sum::<usize>();
        let mut held = vec![false; n];
        self.firm.iter().for_each(|&(i, c)| held[3 * i + c] = true);
        let mut entries: Vec<Triplet<usize, usize, f64>> = Vec::new();
        let mut put = |r: usize, c: usize, value: f64| {
            if (r >= n || !held[r]) && (c >= n || !held[c]) {
                entries.push(Triplet::new(r, c, value));
            }
        };
        for (i, j, k) in &self.blocks {
            let (i, j) = (*i as usize, *j as usize);
            if i >= self.free || j >= self.free {
                continue;
            }
            for (a, z, k) in [(i, j, *k), (j, i, transpose(k))].into_iter().take(1 + usize::from(i != j)) {
                for c in 0..3 {
                    for r in 0..3 {
                        // Symmetric: its own transpose.
                        put(3 * a + r, 3 * z + c, k[c][r]);
                    }
                }
            }
        }
        let mut at = n;
        for row in rows.iter() {
            for (node, weight) in row.parts().filter(|p| (p.0 as usize) < self.free) {
                for k in 0..row.count {
                    for c in 0..3 {
                        // Of the transposed matrix: C below the diagonal's side becomes a column.
                        put(3 * node as usize + c, at + k, weight * row.gap[k][c]);
                        put(at + k, 3 * node as usize + c, -weight * row.force[k][c]);
                    }
                }
            }
            at += row.count;
        }
        for (i, held) in held.iter().enumerate() {
            if *held {
                entries.push(Triplet::new(i, i, 1.0));
            }
        }
        let matrix = SparseColMat::<usize, f64>::try_new_from_triplets(total, total, &entries).ok()?;
        let symbolic = factorize_symbolic_lu(matrix.symbolic(), Default::default()).ok()?;
        let mut numeric = NumericLu::<usize, f64>::new();
        let need = symbolic.factorize_numeric_lu_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(need).ok()?;
        symbolic
            .factorize_numeric_lu(
                &mut numeric,
                matrix.as_ref(),
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .ok()?;
        let mut v: Vec<f64> = b.iter().flat_map(|r| r.xyz()).collect();
        v.resize(total, 0.0);
        let mut memory = MemBuffer::try_new(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq)).ok()?;
        let rhs = MatMut::from_column_major_slice_mut(&mut v, total, 1);
        LuRef::new_unchecked(&symbolic, &numeric).solve_in_place_with_conj(
            Conj::No,
            rhs,
            Par::Seq,
            MemStack::new(&mut memory),
        );
        for (r, v) in b.iter_mut().zip(v.chunks_exact(3)) {
            *r = Row::new([v[0], v[1], v[2]]);
        }
        let mut at = n;
        for row in rows.iter_mut() {
            row.multiplier[..row.count].copy_from_slice(&v[at..at + row.count]);
            at += row.count;
        }
        v.iter().all(|v| v.is_finite()).then_some(())
    }
}
