//! The factor A = L Lᵀ and the solve with it.

use super::kernel::{Backward, Forward};
use super::panels::{Panels, WIDEST, pack};
use super::system::System;
use crate::exec::Exec;
use crate::math::lane::dispatch;
use crate::math::nodes::Row;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::sparse::linalg::cholesky::{simplicial, supernodal};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};

/// Why a matrix has no factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FactorError {
    /// The matrix is not positive definite, or has a number that is not finite.
    #[error("the matrix is not positive definite: no pivot at column {column}")]
    NotPositive {
        /// The first column where that shows, in the numbering of the matrix.
        column: usize,
    },
    /// The factor would need more memory or larger counts than there are.
    #[error("the factor is too large for this machine")]
    TooLarge,
    /// [`Cholesky::refactor`] was given a matrix of another pattern.
    #[error("the matrix has another pattern than the one that was factored first")]
    OtherPattern,
}

/// A factored matrix.
#[derive(Debug)]
pub struct Cholesky {
    n: usize,
    entries: usize,
    symbolic: supernodal::SymbolicSupernodalCholesky<u32>,
    panels: Panels,
}

/// Memory for [`Cholesky::solve`], made once by [`Cholesky::scratch`].
#[derive(Debug, Default)]
pub struct SolveScratch {}

impl Cholesky {
    /// Factors a matrix whose nodes are already in a good order (see [`super::order`]).
    pub fn new(system: &System, exec: &Exec) -> Result<Cholesky, FactorError> {
        let symbolic = analyse(system)?;
        let mut panels = Panels::default();
        for s in 0..symbolic.n_supernodes() {
            let (first, end) = (symbolic.supernode_begin()[s] as usize, symbolic.supernode_end()[s] as usize);
            let below = symbolic.supernode(s).pattern();
            let mut at = first;
            while at < end {
                let next = end.min(at + WIDEST);
                let rows: Vec<u32> = (next as u32..end as u32).chain(below.iter().copied()).collect();
                panels.push(at, next - at, &rows);
                at = next;
            }
        }
        let n = system.n();
        let mut cholesky = Cholesky { n, entries: system.row_idx().len(), symbolic, panels };
        cholesky.refactor(system, exec)?;
        Ok(cholesky)
    }

    /// Factors a matrix of the same pattern again. After an error the factor must not be used before
    /// another call of this has succeeded.
    pub fn refactor(&mut self, system: &System, exec: &Exec) -> Result<(), FactorError> {
        let _ = exec;
        let n = self.n;
        if system.n() != n || system.row_idx().len() != self.entries {
            return Err(FactorError::OtherPattern);
        }
        finite(system)?;
        let starts: Vec<u32> = system.col_ptr().iter().map(|&p| p as u32).collect();
        let lower = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, system.row_idx());
        let lower = SparseColMatRef::new(lower, system.values());
        let need = supernodal::factorize_supernodal_numeric_llt_scratch::<u32, f64>(
            &self.symbolic,
            faer::Par::Seq,
            Default::default(),
        );
        let mut memory = MemBuffer::try_new(need).map_err(|_| FactorError::TooLarge)?;
        let mut values = vec![0.0; self.symbolic.len_val()];
        supernodal::factorize_supernodal_numeric_llt(
            &mut values,
            lower,
            Default::default(),
            &self.symbolic,
            faer::Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        )
        .map_err(|LltError::NonPositivePivot { index }| FactorError::NotPositive { column: index })?;
        // The numbers of the panels, supernode by supernode, cut as in `new`.
        self.panels.values.resize(self.panels.len(), 0.0);
        let mut out = &mut self.panels.values[..];
        let mut nodes = self.panels.nodes.iter();
        for s in 0..self.symbolic.n_supernodes() {
            let (first, end) =
                (self.symbolic.supernode_begin()[s] as usize, self.symbolic.supernode_end()[s] as usize);
            let stride = end - first + self.symbolic.supernode(s).pattern().len();
            let l = &values[self.symbolic.col_ptr_for_val()[s] as usize..];
            let mut at = first;
            while at < end {
                let Some(node) = nodes.next() else { break };
                let (part, rest) = std::mem::take(&mut out).split_at_mut(node.len());
                let offset = at - first;
                pack(&l[offset * stride + offset..], stride, node.cols, node.rows, part);
                out = rest;
                at += node.cols;
            }
        }
        Ok(())
    }

    /// Rows, and columns.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Memory for [`Cholesky::solve`].
    pub fn scratch(&self) -> SolveScratch {
        SolveScratch {}
    }

    /// Bytes of the factor that one solve reads: all of it forward, and all of it backward.
    pub fn bytes(&self) -> usize {
        2 * (std::mem::size_of_val(&self.panels.values[..]) + std::mem::size_of_val(&self.panels.ids[..]))
    }

    /// Solves A x = b for x, y and z, from b to x in place. `rhs` has [`Cholesky::n`] rows; the fourth
    /// number of a row is no part of the problem. Allocates nothing; the same bits on any number of threads.
    /// Call inside [`Exec::install`].
    pub fn solve(&self, rhs: &mut [Row], scratch: &mut SolveScratch, exec: &Exec) {
        let _ = (scratch, exec);
        dispatch(Forward { panels: &self.panels, x: &mut rhs[..self.n] });
        dispatch(Backward { panels: &self.panels, x: &mut rhs[..self.n] });
    }
}

/// The first column with a number that is not finite, as an error.
fn finite(system: &System) -> Result<(), FactorError> {
    match system.values().iter().position(|a| !a.is_finite()) {
        None => Ok(()),
        Some(at) => {
            let column = system.col_ptr().partition_point(|&start| start <= at) - 1;
            Err(FactorError::NotPositive { column })
        }
    }
}

/// The pattern of the factor: supernodes and their rows.
fn analyse(system: &System) -> Result<supernodal::SymbolicSupernodalCholesky<u32>, FactorError> {
    let n = system.n();
    if system.row_idx().len() > (u32::MAX / 2) as usize {
        return Err(FactorError::TooLarge);
    }
    // The upper triangle by columns is the lower one transposed.
    let mut starts = vec![0u32; n + 1];
    for &i in system.row_idx() {
        starts[i as usize + 1] += 1;
    }
    for j in 0..n {
        starts[j + 1] += starts[j];
    }
    let mut place = starts.clone();
    let mut ids = vec![0u32; system.row_idx().len()];
    for j in 0..n {
        for &i in &system.row_idx()[system.col_ptr()[j]..system.col_ptr()[j + 1]] {
            ids[place[i as usize] as usize] = j as u32;
            place[i as usize] += 1;
        }
    }
    let upper = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &ids);
    let need = StackReq::any_of(&[
        simplicial::prefactorize_symbolic_cholesky_scratch::<u32>(n, ids.len()),
        supernodal::factorize_supernodal_symbolic_cholesky_scratch::<u32>(n),
    ]);
    let mut memory = MemBuffer::try_new(need).map_err(|_| FactorError::TooLarge)?;
    let mut tree = vec![0i32; n];
    let mut counts = vec![0u32; n];
    let tree =
        simplicial::prefactorize_symbolic_cholesky(&mut tree, &mut counts, upper, MemStack::new(&mut memory));
    supernodal::factorize_supernodal_symbolic_cholesky(
        upper,
        tree,
        &counts,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .map_err(|_| FactorError::TooLarge)
}
