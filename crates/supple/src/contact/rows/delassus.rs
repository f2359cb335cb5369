//! The Delassus operator S = C B⁻¹ Cᵀ as [`GaussSeidel`] has it: its columns for contacts that bear a force, and what forces do to all contacts.

use super::gauss_seidel::{Compliance, FIXED, GaussSeidel};
use crate::contact::Contact;
use crate::math::lane::{Kernel, dispatch};
use crate::math::nodes::Row;
use crate::math::real::Real;

impl GaussSeidel {
    /// S_ij, by columns.
    pub(in crate::contact) fn world(&self, i: usize, j: usize) -> [f64; 9] {
        let column = &self.columns[j];
        match self.width {
            1 => {
                let s = column[i];
                [s, 0.0, 0.0, 0.0, s, 0.0, 0.0, 0.0, s]
            }
            3 => {
                let [x, y, z] = std::array::from_fn(|d| column[3 * i + d]);
                [x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z]
            }
            _ => std::array::from_fn(|d| column[9 * i + d]),
        }
    }

    /// R_i S_ij R_jᵀ by rows, for a contact j that has its column.
    pub(in crate::contact) fn between(&self, contacts: &[Contact], i: usize, j: usize) -> [[f64; 3]; 3] {
        let world = self.world(i, j);
        let columns = contacts[j].frame.map(|axis| contacts[i].to_local(block(&world, axis)));
        std::array::from_fn(|r| std::array::from_fn(|c| columns[c][r]))
    }

    /// S_ij where it is a multiple of the identity, for a contact i that has its column.
    pub(in crate::contact) fn number(&self, i: usize, j: usize) -> f64 {
        self.columns[i][j]
    }

    /// y of a contact with the forces as they are.
    pub(in crate::contact) fn gap(&self, contacts: &[Contact], i: usize) -> [f64; 3] {
        let y = contacts[i].to_local(self.moved[i].xyz());
        std::array::from_fn(|d| self.free[i][d] + y[d])
    }

    /// Moves all contacts by a force on one.
    pub(in crate::contact) fn push(&mut self, i: usize, force: [f64; 3]) {
        let (width, column, force) = (self.width, &self.columns[i][..], Row::new(force));
        dispatch(Push { width, column, force, moved: &mut self.moved });
    }

    /// C B⁻¹Cᵀ(λ − λ₀) from the beginning.
    pub(in crate::contact) fn replay(&mut self, contacts: &[Contact]) {
        self.moved.fill(Row::default());
        for (i, c) in contacts.iter().enumerate() {
            let change: [f64; 3] = std::array::from_fn(|k| c.force[k] - self.first[i][k]);
            if change != [0.0; 3] {
                self.push(i, c.to_world(change));
            }
        }
    }

    /// Gets the columns of some contacts.
    pub(in crate::contact) fn activate(
        &mut self,
        contacts: &[Contact],
        which: &[usize],
        compliance: &mut dyn Compliance,
    ) {
        self.wanted.clear();
        for &i in which {
            for &k in &self.local[i][..contacts[i].count as usize] {
                if self.inverse.get(k as usize).is_some_and(Vec::is_empty) {
                    self.wanted.push(k);
                }
            }
        }
        self.wanted.sort_unstable();
        self.wanted.dedup();
        let nodes: Vec<u32> = self.wanted.iter().map(|&k| self.nodes[k as usize]).collect();
        compliance.make(&nodes);
        for &k in &self.wanted {
            compliance.gather(self.nodes[k as usize], &self.nodes, &mut self.inverse[k as usize]);
        }
        for &i in which {
            if self.columns[i].is_empty() {
                self.find_column(contacts, i);
                let own = self.world(i, i);
                // The largest sum of a row is at least the largest eigenvalue.
                let row = |r: usize| own[r].abs() + own[3 + r].abs() + own[6 + r].abs();
                self.bound[i] = row(0).max(row(1)).max(row(2));
            }
        }
    }

    /// Column i of S: C times B⁻¹ times the weights of the contact.
    fn find_column(&mut self, contacts: &[Contact], i: usize) {
        let width = self.width;
        self.combined.clear();
        self.combined.resize(width * self.nodes.len(), 0.0);
        for (k, &p) in self.local[i][..contacts[i].count as usize].iter().enumerate() {
            let Some(column) = self.inverse.get(p as usize) else { continue };
            for (sum, s) in self.combined.iter_mut().zip(column) {
                *sum += contacts[i].weights[k] * s;
            }
        }
        let column = &mut self.columns[i];
        column.clear();
        column.resize(width * contacts.len(), 0.0);
        for (out, (c, local)) in column.chunks_exact_mut(width).zip(contacts.iter().zip(&self.local)) {
            for (k, &q) in local[..c.count as usize].iter().enumerate().filter(|(_, q)| **q != FIXED) {
                let from = &self.combined[width * q as usize..][..width];
                out.iter_mut().zip(from).for_each(|(o, s)| *o += c.weights[k] * s);
            }
        }
    }
}

/// moved += column · force, of numbers, of diagonals or of 3×3 blocks; with the instructions that the lanes have, which decide on its speed.
pub(in crate::contact) struct Push<'a> {
    pub width: usize,
    pub column: &'a [f64],
    pub force: Row,
    pub moved: &'a mut [Row],
}

impl Kernel for Push<'_> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        let f = self.force.0;
        if self.width == 1 {
            for (m, s) in self.moved.iter_mut().zip(self.column) {
                for d in 0..4 {
                    m.0[d] += s * f[d];
                }
            }
        } else if self.width == 3 {
            for (m, s) in self.moved.iter_mut().zip(self.column.as_chunks::<3>().0) {
                for d in 0..3 {
                    m.0[d] += s[d] * f[d];
                }
            }
        } else {
            for (m, s) in self.moved.iter_mut().zip(self.column.as_chunks::<9>().0) {
                for d in 0..3 {
                    m.0[d] += s[d] * f[0] + s[3 + d] * f[1] + s[6 + d] * f[2];
                }
            }
        }
    }
}

/// A 3×3 block by columns times a vector.
pub(in crate::contact) fn block(m: &[f64; 9], v: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|r| m[r] * v[0] + m[3 + r] * v[1] + m[6 + r] * v[2])
}
