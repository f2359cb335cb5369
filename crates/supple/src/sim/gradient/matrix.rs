//! The linear system of a step: the Hessian at its solution, as it is, with the rows of what touches.

use super::rows::Row3;
use crate::exec::Exec;
use crate::global::{BlockFactor, System};
use crate::math::nodes::Row;
use crate::math::small::{Mat3, transpose};
use crate::solve::Axes;
use crate::term::TermSet;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::lu::{LuRef, NumericLu, SymbolicLu, factorize_symbolic_lu};
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
    /// How it was factored: by Cholesky unless there is something here.
    lu: Option<(SymbolicLu<usize>, NumericLu<usize, f64>)>,
}

/// Which system it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    /// [H, −FᵀW; C, 0](δx, δλ) = (b, c), F and C the rows of forces and of gaps.
    Tangent,
    /// Its transpose.
    Adjoint,
}

impl Hessian {
    pub fn new(pattern: &System) -> Hessian {
        let (blocks, firm, lu) = Default::default();
        Hessian { factor: BlockFactor::new(pattern), free: pattern.n(), blocks, firm, lu }
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

    /// Factors it, with rows by elimination with pivots. True if it is not positive definite; None if it is singular.
    pub fn factor(&mut self, rows: &[Row3], side: Side, exec: &Exec) -> Option<bool> {
        self.lu = None;
        if rows.is_empty() && self.factorise(exec) {
            return Some(false);
        }
        self.lu = Some(self.eliminate(rows, side)?);
        Some(rows.is_empty())
    }

    /// b ← the solution of the system that was factored; the numbers of the rows are taken from their multipliers, and multipliers put there. Gives
    /// ‖Hx − b‖/‖b‖ (0 with rows), None if there is no solution.
    pub fn solve(&mut self, b: &mut [Row], rows: &mut [Row3], exec: &Exec) -> Option<f64> {
        let mut wanted = b.to_vec();
        for &(i, c) in &self.firm {
            (wanted[i].0[c], b[i].0[c]) = (0.0, 0.0);
        }
        if self.lu.is_some() {
            self.by_lu(b, rows)?;
            self.release(b);
        } else {
            self.factor.solve(b, exec);
            self.release(b);
            // Once more with what rounding left.
            let mut left = self.left(&wanted, b);
            self.factor.solve(&mut left, exec);
            for (b, d) in b.iter_mut().zip(&left) {
                (0..3).for_each(|c| b.0[c] += d.0[c]);
            }
            self.release(b);
        }
        if b.iter().any(|r| !r.is_finite()) {
            return None;
        }
        let norm =
            |rows: &[Row]| rows.iter().map(|r| r.0[0].powi(2) + r.0[1].powi(2) + r.0[2].powi(2)).sum::<f64>();
        let size = norm(&wanted);
        let told = rows.is_empty() && size > 0.0;
        Some(if told { (norm(&self.left(&wanted, b)) / size).sqrt() } else { 0.0 })
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

    /// The matrix with its rows, by elimination with pivots.
    fn eliminate(&self, rows: &[Row3], side: Side) -> Option<(SymbolicLu<usize>, NumericLu<usize, f64>)> {
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
                        let (i, gap, force) =
                            (3 * node as usize + c, weight * row.gap[k][c], -weight * row.force[k][c]);
                        let (below, beside) = if side == Side::Tangent { (gap, force) } else { (force, gap) };
                        put(at + k, i, below);
                        put(i, at + k, beside);
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
        Some((symbolic, numeric))
    }

    fn by_lu(&self, b: &mut [Row], rows: &mut [Row3]) -> Option<()> {
        let (symbolic, numeric) = self.lu.as_ref()?;
        let mut v: Vec<f64> = b.iter().flat_map(|r| r.xyz()).collect();
        for row in rows.iter() {
            v.extend_from_slice(&row.multiplier[..row.count]);
        }
        let total = v.len();
        let mut memory = MemBuffer::try_new(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq)).ok()?;
        let rhs = MatMut::from_column_major_slice_mut(&mut v, total, 1);
        LuRef::new_unchecked(symbolic, numeric).solve_in_place_with_conj(
            Conj::No,
            rhs,
            Par::Seq,
            MemStack::new(&mut memory),
        );
        for (r, v) in b.iter_mut().zip(v.chunks_exact(3)) {
            *r = Row::new([v[0], v[1], v[2]]);
        }
        let mut at = 3 * self.free;
        for row in rows.iter_mut() {
            row.multiplier[..row.count].copy_from_slice(&v[at..at + row.count]);
            at += row.count;
        }
        v.iter().all(|v| v.is_finite()).then_some(())
    }

    /// H of a step at its solution, which must have been prepared: blocks of terms, of what turns with slipping contacts, and then of masses.
    /// Gives how many there are before those of masses.
    pub fn assemble(
        &mut self,
        (terms, axes): (&TermSet, &[Axes]),
        (x, mass, step): (&[Row], &[f64], f64),
        rows: &[Row3],
    ) -> usize {
        self.blocks.clear();
        self.firm.clear();
        let blocks = &mut self.blocks;
        for b in terms.batches() {
            b.tangent(x, &mut |i, j, block| blocks.push((i, j, *block)));
        }
        for row in rows.iter().filter(|r| r.turn > 0.0) {
            let block = row.block();
            let parts: Vec<(u32, f64)> = row.parts().collect();
            for (q, &(i, a)) in parts.iter().enumerate() {
                for &(j, b) in &parts[..=q] {
                    blocks.push((i, j, block.map(|c| c.map(|e| a * b * e))));
                }
            }
        }
        let mark = blocks.len();
        for (i, mass) in mass.iter().enumerate().take(self.free) {
            let m = mass / (step * step);
            blocks.push((i as u32, i as u32, [[m, 0.0, 0.0], [0.0, m, 0.0], [0.0, 0.0, m]]));
        }
        for a in axes {
            let held = (0..3).filter(|&c| a.held[c]).map(|c| (a.node as usize, c));
            self.firm.extend(held);
        }
        mark
    }
}
