//! A⁻¹ where nodes are held along some of the axes only: a Dirichlet split per coordinate.
//!
//! A is the same for x, y and z. Each coordinate's problem is A over the nodes that are free along it; rows and columns of the others are those of the
//! identity, so order and pattern stay as they are. There is a factor for each distinct set of held nodes, at most three. Small ones are merged, so that a
//! solve costs what it does without held nodes; larger ones, whose numbers come from memory, are solved one after the other.

use super::cholesky::{Cholesky, FactorError, Merged, SolveScratch};
use super::system::System;
use crate::exec::Exec;
use crate::math::nodes::Row;

/// The factors, made when they are needed first and when A has changed.
#[derive(Debug, Default)]
pub struct Split {
    /// Which factorisation of A they belong to.
    of: Option<u64>,
    /// The set of each coordinate.
    set: [usize; 3],
    sets: Vec<Set>,
    merged: Option<Merged>,
    work: Vec<Row>,
    out: Vec<Row>,
}

/// Nodes that are held along the same axes, in order; without any, A's own factor serves.
#[derive(Debug, Default)]
struct Set {
    held: Vec<u32>,
    factor: Option<Cholesky>,
    scratch: SolveScratch,
}

impl Split {
    /// Solves for each coordinate over what is free along it, in place; held coordinates are 0 afterwards. `global` is the factor of `matrix`, `held` says
    /// which coordinates of which nodes are held, the same at each call. Call inside [`Exec::install`].
    pub fn solve<'h>(
        &mut self,
        (global, matrix): (&Cholesky, &System),
        held: impl Iterator<Item = (u32, [bool; 3])> + 'h,
        (rhs, scratch): (&mut [Row], &mut SolveScratch),
        exec: &Exec,
    ) -> Result<(), FactorError> {
        if self.of != Some(global.count()) {
            self.factor(global, matrix, held, exec)?;
        }
        for (c, &set) in self.set.iter().enumerate() {
            for &i in &self.sets[set].held {
                rhs[i as usize].0[c] = 0.0;
            }
        }
        if let Some(merged) = &self.merged {
            merged.solve(global, rhs);
            return Ok(());
        }
        self.out.clear();
        self.out.extend_from_slice(rhs);
        for (k, set) in self.sets.iter_mut().enumerate() {
            self.work.clear();
            self.work.extend_from_slice(rhs);
            match &set.factor {
                Some(factor) => factor.solve(&mut self.work, &mut set.scratch, exec),
                None => global.solve(&mut self.work, scratch, exec),
            }
            for c in (0..3).filter(|&c| self.set[c] == k) {
                self.out.iter_mut().zip(&self.work).for_each(|(to, from)| to.0[c] = from.0[c]);
            }
        }
        rhs.copy_from_slice(&self.out);
        Ok(())
    }

    fn factor(
        &mut self,
        global: &Cholesky,
        matrix: &System,
        held: impl Iterator<Item = (u32, [bool; 3])>,
        exec: &Exec,
    ) -> Result<(), FactorError> {
        if self.sets.is_empty() {
            let mut along: [Vec<u32>; 3] = Default::default();
            for (node, axes) in held {
                (0..3).filter(|&c| axes[c]).for_each(|c| along[c].push(node));
            }
            for (c, held) in along.into_iter().enumerate() {
                let known = self.sets.iter().position(|s| s.held == held);
                self.set[c] = known.unwrap_or(self.sets.len());
                if known.is_none() {
                    self.sets.push(Set { held, ..Set::default() });
                }
            }
        }
        (self.of, self.merged) = (None, None);
        for set in self.sets.iter_mut().filter(|s| !s.held.is_empty()) {
            let part = matrix.without(&set.held);
            match &mut set.factor {
                Some(factor) => factor.refactor(&part, exec)?,
                None => {
                    let factor = Cholesky::new(&part, exec)?;
                    set.scratch = factor.scratch();
                    set.factor = Some(factor);
                }
            }
        }
        self.merged = Merged::new(self.set.map(|k| self.sets[k].factor.as_ref().unwrap_or(global)));
        self.of = Some(global.count());
        Ok(())
    }
}
