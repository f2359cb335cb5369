//! The Delassus operator S = C B⁻¹ Cᵀ as [`GaussSeidel`] has it: columns of B⁻¹ at the nodes of contacts, and what forces do to these nodes.

use super::Contact;
use super::gauss_seidel::{Compliance, FIXED, GaussSeidel};
use crate::math::lane::{Kernel, dispatch};
use crate::math::nodes::Row;
use crate::math::real::Real;

impl GaussSeidel {
    /// R_i S_ij R_jᵀ by rows.
    pub(super) fn between(&self, contacts: &[Contact], i: usize, j: usize) -> [[f64; 3]; 3] {
        let (a, b) = (&contacts[i], &contacts[j]);
        let mut world = [0.0; 9];
        for (k, &p) in self.local[j][..b.count as usize].iter().enumerate() {
            let Some(column) = self.columns.get(p as usize) else { continue };
            for (l, &q) in self.local[i][..a.count as usize].iter().enumerate() {
                if q == FIXED {
                    continue;
                }
                let (w, at) = (a.weights[l] * b.weights[k], self.width * q as usize);
                for d in 0..9 {
                    let diagonal = if d % 4 == 0 { column[at] } else { 0.0 };
                    world[d] += w * if self.width == 1 { diagonal } else { column[at + d] };
                }
            }
        }
        let mut out = [[0.0; 3]; 3];
        for c in 0..3 {
            let column = a.to_local(block(&world, b.frame[c]));
            for r in 0..3 {
                out[r][c] = column[r];
            }
        }
        out
    }

    /// S_ij where it is a multiple of the identity.
    pub(super) fn number(&self, contacts: &[Contact], i: usize, j: usize) -> f64 {
        let mut sum = 0.0;
        for (&p, b) in self.local[j][..contacts[j].count as usize].iter().zip(contacts[j].weights) {
            let Some(column) = self.columns.get(p as usize) else { continue };
            for (&q, a) in self.local[i][..contacts[i].count as usize].iter().zip(contacts[i].weights) {
                sum += a * b * column.get(q as usize).copied().unwrap_or(0.0);
            }
        }
        sum
    }

    /// y of a contact with the forces as they are.
    pub(super) fn gap(&self, contacts: &[Contact], i: usize) -> [f64; 3] {
        let c = &contacts[i];
        let mut rel = [0.0; 3];
        for (&k, a) in self.local[i].iter().zip(c.weights) {
            if let Some(m) = self.moved.get(k as usize) {
                for d in 0..3 {
                    rel[d] += a * m.0[d];
                }
            }
        }
        let y = c.to_local(rel);
        std::array::from_fn(|d| self.free[i][d] + y[d])
    }

    /// Moves all nodes by a force on one contact.
    pub(super) fn push(&mut self, c: &Contact, i: usize, force: [f64; 3]) {
        for k in 0..c.count as usize {
            let node = self.local[i][k] as usize;
            let Some(column) = self.columns.get(node) else { continue };
            let f = force.map(|f| c.weights[k] * f);
            dispatch(Push { width: self.width, column, force: Row::new(f), moved: &mut self.moved });
        }
    }

    /// B⁻¹Cᵀ(λ − λ₀) from the beginning.
    pub(super) fn replay(&mut self, contacts: &[Contact]) {
        self.moved.fill(Row::default());
        for (i, c) in contacts.iter().enumerate() {
            let change: [f64; 3] = std::array::from_fn(|k| c.force[k] - self.first[i][k]);
            if change != [0.0; 3] {
                self.push(c, i, c.to_world(change));
            }
        }
    }

    /// Gets the columns of some contacts, and their own blocks.
    pub(super) fn activate(
        &mut self,
        contacts: &[Contact],
        which: &[usize],
        compliance: &mut dyn Compliance,
    ) {
        self.wanted.clear();
        for &i in which {
            for &k in &self.local[i][..contacts[i].count as usize] {
                if self.columns.get(k as usize).is_some_and(Vec::is_empty) {
                    self.wanted.push(k);
                }
            }
        }
        self.wanted.sort_unstable();
        self.wanted.dedup();
        let nodes: Vec<u32> = self.wanted.iter().map(|&k| self.nodes[k as usize]).collect();
        compliance.make(&nodes);
        for &k in &self.wanted {
            compliance.gather(self.nodes[k as usize], &self.nodes, &mut self.columns[k as usize]);
        }
        for &i in which {
            if self.bound[i] > 0.0 {
                continue;
            }
            let c = &contacts[i];
            let mut own = [0.0; 9];
            for (k, &p) in self.local[i][..c.count as usize].iter().enumerate() {
                let Some(column) = self.columns.get(p as usize) else { continue };
                for (l, &q) in self.local[i][..c.count as usize].iter().enumerate() {
                    if q == FIXED {
                        continue;
                    }
                    let a = c.weights[k] * c.weights[l];
                    let at = self.width * q as usize;
                    for d in 0..9 {
                        let diagonal = if d % 4 == 0 { column[at] } else { 0.0 };
                        own[d] += a * if self.width == 1 { diagonal } else { column[at + d] };
                    }
                }
            }
            self.own[i] = own;
            // The largest sum of a row is at least the largest eigenvalue.
            let row = |r: usize| own[r].abs() + own[3 + r].abs() + own[6 + r].abs();
            self.bound[i] = row(0).max(row(1)).max(row(2));
        }
    }
}

/// moved += column · force, of numbers or of 3×3 blocks; with the instructions that the lanes have, which decide on its speed.
pub(super) struct Push<'a> {
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
pub(super) fn block(m: &[f64; 9], v: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|r| m[r] * v[0] + m[3 + r] * v[1] + m[6 + r] * v[2])
}
