//! The factor A = L Lᵀ and the solve with it.

use super::factor::factor;
use super::kernel::{Backward, Forward};
use super::panels::Panels;
use super::single;
use super::system::System;
use super::tree::{Supernodes, Task};
use crate::exec::Exec;
use crate::math::lane::dispatch;
use crate::math::nodes::Row;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::cholesky::{simplicial, supernodal};

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
    /// [`Cholesky::refactor`] was given a matrix with an entry that the factor has no place for.
    #[error("the matrix has another pattern than the one that was factored first")]
    OtherPattern,
}

/// A factored matrix.
#[derive(Debug)]
pub struct Cholesky {
    n: usize,
    pattern: Supernodes,
    root: Task,
    count: u64,
}

/// Memory for [`Cholesky::solve`], made once by [`Cholesky::scratch`]: a vector for every task.
/// One made otherwise, or for another matrix, is replaced at its first use.
#[derive(Debug, Default)]
pub struct SolveScratch<T = Row> {
    x: Vec<T>,
    children: Vec<SolveScratch<T>>,
}

/// What a vector is made of: rows of three right-hand sides, or numbers of one.
trait Entry: Copy + Default + Send + Sync {
    fn add(&mut self, other: &Self);
    /// With `short`, by the numbers in single precision if they are there.
    fn forward(panels: &Panels, x: &mut [Self], short: bool);
    fn backward(panels: &Panels, x: &mut [Self], short: bool);
}

impl Entry for Row {
    #[inline(always)]
    fn add(&mut self, other: &Row) {
        for c in 0..4 {
            self.0[c] += other.0[c];
        }
    }
    fn forward(panels: &Panels, x: &mut [Row], _: bool) {
        dispatch(Forward { panels, x });
    }
    fn backward(panels: &Panels, x: &mut [Row], _: bool) {
        dispatch(Backward { panels, x });
    }
}

impl Entry for f64 {
    #[inline(always)]
    fn add(&mut self, other: &f64) {
        *self += other;
    }
    fn forward(panels: &Panels, x: &mut [f64], short: bool) {
        if short && panels.short.len() == panels.values.len() {
            dispatch(single::Forward { panels, values: &panels.short, x });
        } else {
            dispatch(single::Forward { panels, values: &panels.values, x });
        }
    }
    fn backward(panels: &Panels, x: &mut [f64], short: bool) {
        if short && panels.short.len() == panels.values.len() {
            dispatch(single::Backward { panels, values: &panels.short, x });
        } else {
            dispatch(single::Backward { panels, values: &panels.values, x });
        }
    }
}

impl Cholesky {
    /// Factors a matrix whose nodes are already in a good order (see [`super::order`]).
    /// Call inside [`Exec::install`].
    pub fn new(system: &System, exec: &Exec) -> Result<Cholesky, FactorError> {
        let pattern = analyse(system)?;
        let root = Task::new(&pattern);
        let mut cholesky = Cholesky { n: system.n(), pattern, root, count: 0 };
        cholesky.refactor(system, exec)?;
        Ok(cholesky)
    }

    /// Factors another matrix of the same pattern. After an error the factor must not be used before
    /// another call of this has succeeded. Call inside [`Exec::install`].
    pub fn refactor(&mut self, system: &System, exec: &Exec) -> Result<(), FactorError> {
        if system.n() != self.n {
            return Err(FactorError::OtherPattern);
        }
        finite(system)?;
        self.count += 1;
        self.shorten(false, exec);
        factor(&mut self.root, &self.pattern, system, exec)
    }

    /// Matrices factored so far, the first included.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Rows, and columns.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Memory for [`Cholesky::solve`].
    pub fn scratch(&self) -> SolveScratch {
        SolveScratch::new(&self.root)
    }

    /// Keeps the factor in single precision too, or no longer, for [`Cholesky::solve_one`]. Until the next factorisation.
    pub fn shorten(&mut self, short: bool, exec: &Exec) {
        shorten(&mut self.root, short, exec);
    }

    /// Bytes of the factor that one solve reads: all of it forward, and all of it backward.
    pub fn bytes(&self) -> usize {
        2 * self.root.bytes()
    }

    /// Floating-point operations of a factorisation, about.
    pub fn operations(&self) -> f64 {
        let p = &self.pattern;
        (0..p.len())
            .map(|s| {
                let (c, b) = (p.columns(s).len() as f64, p.below(s).len() as f64);
                c * c * c / 3.0 + c * c * b + c * b * b
            })
            .sum()
    }

    /// Solves A x = b for x, y and z, from b to x in place. `rhs` has [`Cholesky::n`] rows; the fourth
    /// number of a row is no part of the problem. Allocates nothing; the same bits on any number of threads.
    /// Call inside [`Exec::install`].
    ///
    /// # Panics
    /// If `rhs` has fewer rows than the matrix.
    pub fn solve(&self, rhs: &mut [Row], scratch: &mut SolveScratch, exec: &Exec) {
        self.solve_any(rhs, scratch, false, exec);
    }

    /// As [`Cholesky::solve`], for one right-hand side of [`Cholesky::n`] numbers. With `short`, and after [`Cholesky::shorten`], by the factor in
    /// single precision: half of the bytes, and the inverse of a matrix whose entries are off by 10⁻⁷ of the sums that they are made of.
    ///
    /// # Panics
    /// If `rhs` has fewer numbers than the matrix has rows.
    pub fn solve_one(&self, rhs: &mut [f64], scratch: &mut SolveScratch<f64>, short: bool, exec: &Exec) {
        self.solve_any(rhs, scratch, short, exec);
    }

    fn solve_any<T: Entry>(&self, rhs: &mut [T], scratch: &mut SolveScratch<T>, short: bool, exec: &Exec) {
        let rhs = &mut rhs[..self.n];
        if self.root.children.is_empty() {
            // One task, whose vector is the whole in the order it has.
            T::forward(&self.root.panels, rhs, short);
            T::backward(&self.root.panels, rhs, short);
        } else {
            if !scratch.fits(&self.root) {
                *scratch = SolveScratch::new(&self.root);
            }
            up(&self.root, scratch, rhs, short, exec);
            down(&self.root, scratch, short, exec);
            collect(&self.root, scratch, rhs);
        }
    }
}

fn shorten(task: &mut Task, short: bool, exec: &Exec) {
    task.panels.shorten(short);
    exec.for_each(&mut task.children, |_, child| shorten(child, short, exec));
}

impl<T: Copy + Default> SolveScratch<T> {
    fn new(task: &Task) -> SolveScratch<T> {
        SolveScratch {
            x: vec![T::default(); task.rows.len()],
            children: task.children.iter().map(SolveScratch::new).collect(),
        }
    }

    fn fits(&self, task: &Task) -> bool {
        self.x.len() == task.rows.len()
            && self.children.len() == task.children.len()
            && self.children.iter().zip(&task.children).all(|(child, task)| child.fits(task))
    }
}

/// Forward substitution, children first.
fn up<T: Entry>(task: &Task, scratch: &mut SolveScratch<T>, rhs: &[T], short: bool, exec: &Exec) {
    exec.for_each(&mut scratch.children, |i, below| up(&task.children[i], below, rhs, short, exec));
    let (own, outer) = scratch.x.split_at_mut(task.own);
    for (x, &row) in own.iter_mut().zip(&task.rows) {
        *x = rhs[row as usize];
    }
    outer.fill(T::default());
    for (child, below) in task.children.iter().zip(&scratch.children) {
        for (&to, from) in child.up.iter().zip(&below.x[child.own..]) {
            scratch.x[to as usize].add(from);
        }
    }
    T::forward(&task.panels, &mut scratch.x, short);
}

/// Backward substitution, children last.
fn down<T: Entry>(task: &Task, scratch: &mut SolveScratch<T>, short: bool, exec: &Exec) {
    T::backward(&task.panels, &mut scratch.x, short);
    for (child, below) in task.children.iter().zip(&mut scratch.children) {
        for (&from, to) in child.up.iter().zip(&mut below.x[child.own..]) {
            *to = scratch.x[from as usize];
        }
    }
    exec.for_each(&mut scratch.children, |i, below| down(&task.children[i], below, short, exec));
}

/// The solution of every task to its place.
fn collect<T: Copy>(task: &Task, scratch: &SolveScratch<T>, x: &mut [T]) {
    for (from, &row) in scratch.x.iter().zip(&task.rows[..task.own]) {
        x[row as usize] = *from;
    }
    for (child, below) in task.children.iter().zip(&scratch.children) {
        collect(child, below, x);
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
fn analyse(system: &System) -> Result<Supernodes, FactorError> {
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
    let symbolic = supernodal::factorize_supernodal_symbolic_cholesky(
        upper,
        tree,
        &counts,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .map_err(|_| FactorError::TooLarge)?;
    let mut begin = symbolic.supernode_begin().to_vec();
    begin.push(n as u32);
    let rows = symbolic.row_idx().to_vec();
    let row_ptr: Vec<usize> = symbolic.col_ptr_for_row_idx().iter().map(|&p| p as usize).collect();
    let count = begin.len() - 1;
    let mut parent: Vec<u32> = (0..count as u32).collect();
    for s in 0..count {
        if let Some(&row) = rows[row_ptr[s]..row_ptr[s + 1]].first() {
            parent[s] = begin.partition_point(|&start| start <= row) as u32 - 1;
        }
    }
    Ok(Supernodes { begin, row_ptr, rows, parent })
}
