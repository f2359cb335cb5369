//! A Hessian whose pattern grows: 3×3 blocks of elements, which stay, and of contacts, which come and go.
//!
//! It has an order of elimination of its own, since contacts couple nodes that are far from each other in the mesh. Pattern, order and symbolic
//! analysis are kept as long as every pair that is asked for has its place.

use super::blocks::BlockFactor;
use super::cholesky::FactorError;
use super::ordering::{inverse, order};
use super::system::{Cliques, System};
use crate::exec::Exec;
use crate::math::nodes::Row;
use crate::math::small::Mat3;

/// The matrix and its factor.
#[derive(Debug, Default)]
pub struct Coupled {
    blocks: Option<BlockFactor>,
    /// Place of each node in the matrix, and the node at each place.
    rank: Vec<u32>,
    order: Vec<u32>,
    rhs: Vec<Row>,
    count: u64,
}

impl Coupled {
    /// Sets all blocks to zero. False if one of these pairs of nodes, the lower first, has no place: then [`Coupled::analyse`].
    pub fn begin(&mut self, pairs: &[(u32, u32)]) -> bool {
        let known = pairs.iter().all(|&(i, j)| self.has_room(&[i, j]));
        match &mut self.blocks {
            Some(blocks) if known => blocks.clear(),
            _ => return false,
        }
        true
    }

    /// Makes room for blocks at the pairs of `elements` and at `pairs`, the lower node first; all are zero.
    pub fn analyse(&mut self, elements: &System, pairs: &mut Vec<(u32, u32)>, x: &[Row], exec: &Exec) {
        pairs.sort_unstable();
        pairs.dedup();
        let n = elements.n();
        let mut cliques = Cliques::with_capacity(n, elements.row_idx().len() + pairs.len(), 0);
        let mut push = |i: u32, j: u32| {
            let fits = cliques.push(&[i, j]);
            debug_assert!(fits);
        };
        for j in 0..n {
            let rows = &elements.row_idx()[elements.col_ptr()[j]..elements.col_ptr()[j + 1]];
            rows.iter().filter(|&&i| i as usize != j).for_each(|&i| push(j as u32, i));
        }
        pairs.iter().for_each(|&(i, j)| push(i, j));
        let positions: Vec<[f64; 3]> = x[..n].iter().map(|r| r.xyz()).collect();
        self.order = order(&cliques, &positions, exec);
        self.rank = inverse(&self.order);
        cliques.renumber(&self.rank);
        self.blocks = Some(BlockFactor::new(&System::from_pattern(&cliques)));
        self.rhs = vec![Row::default(); n];
    }

    /// True if blocks between these nodes have their place; those that are not free need none.
    pub fn has_room(&self, nodes: &[u32]) -> bool {
        let Some(blocks) = &self.blocks else { return false };
        let rank = |i: &u32| self.rank.get(*i as usize);
        nodes.iter().enumerate().all(|(k, i)| {
            let Some(&a) = rank(i) else { return true };
            nodes[..k].iter().filter_map(rank).all(|&b| blocks.has(a as usize, b as usize))
        })
    }

    /// Adds a block, by columns, at (i, j), and its transpose at (j, i); nothing for nodes that are not free.
    pub fn add(&mut self, i: u32, j: u32, block: &Mat3<f64>) {
        let (Some(&a), Some(&b)) = (self.rank.get(i as usize), self.rank.get(j as usize)) else { return };
        if let Some(blocks) = &mut self.blocks {
            blocks.add(a as usize, b as usize, block);
        }
    }

    /// Factors the matrix. Call inside [`Exec::install`].
    pub fn factor(&mut self, exec: &Exec) -> Result<(), FactorError> {
        self.count += 1;
        match &mut self.blocks {
            Some(blocks) => blocks.factor(exec),
            None => Err(FactorError::OtherPattern),
        }
    }

    /// Matrices factored so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// v ← K⁻¹v. Call inside [`Exec::install`], after [`Coupled::factor`].
    pub fn solve(&mut self, v: &mut [Row], exec: &Exec) {
        let Some(blocks) = &mut self.blocks else { return };
        for (to, &from) in self.rhs.iter_mut().zip(&self.order) {
            *to = v[from as usize];
        }
        blocks.solve(&mut self.rhs, false, exec);
        for (from, &to) in self.rhs.iter().zip(&self.order) {
            v[to as usize] = *from;
        }
    }
}
