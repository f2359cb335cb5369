//! Contacts that all stick: then the law is linear, and one factor of the Delassus operator serves as long as the same contacts do.
//!
//! The matrix of the global step acts alike on x, y and z, and so does S = C B⁻¹ Cᵀ: one number per pair of contacts, whatever
//! their normals are. If all contacts that bear a force hold still, y = 0 there, and S Δλ = −y in world coordinates. What
//! comes out is the answer if every force is in its cone and no other contact is entered; bodies at rest are so.

use super::gauss_seidel::{GaussSeidel, length};
use super::{Contact, Law, MOST_NODES};
use crate::math::nodes::Row;

/// Fewer are found as fast by sweeps; more take too long to factor.
const RANGE: std::ops::RangeInclusive<usize> = 12..=500;

/// Solves that are left to sweeps after one that was not as hoped.
const PATIENCE: usize = 10;

/// A contact as S sees it.
type Seen = ([u32; MOST_NODES], [f64; MOST_NODES]);

/// The factor S = L Lᵀ of some contacts.
#[derive(Debug, Default)]
pub(super) struct Stick {
    seen: Vec<Seen>,
    version: u64,
    lower: Vec<f64>,
    wait: usize,
}

impl Stick {
    /// True if it is worth a try: all contacts that bear a force or are entered could stick.
    pub fn candidates(&mut self, contacts: &[Contact], needed: &[usize]) -> bool {
        let could = |&i: &usize| match contacts[i].law {
            Law::Coulomb(mu) => mu > 0.0,
            Law::Hold(count) => count == 3,
        };
        if self.wait > 0 {
            self.wait -= 1;
            return false;
        }
        RANGE.contains(&needed.len()) && needed.iter().all(could)
    }

    /// Sweeps shall do it for a while.
    pub fn give_up(&mut self) {
        self.wait = PATIENCE;
    }

    /// Factors S of some contacts, of which `between` gives the numbers, unless it is there. `version` is that of the matrix.
    pub fn factor(
        &mut self,
        contacts: &[Contact],
        which: &[usize],
        version: u64,
        between: impl Fn(usize, usize) -> f64,
    ) -> bool {
        let seen = |&i: &usize| (contacts[i].nodes, contacts[i].weights);
        if self.version == version && self.seen.iter().copied().eq(which.iter().map(seen)) {
            return !self.lower.is_empty();
        }
        self.seen.clear();
        self.seen.extend(which.iter().map(seen));
        (self.version, self.lower) = (version, vec![0.0; which.len() * which.len()]);
        if !cholesky(&mut self.lower, which.len(), |i, j| between(which[i], which[j])) {
            self.lower.clear();
        }
        !self.lower.is_empty()
    }

    /// S⁻¹ b for three right-hand sides at once, in place.
    pub fn solve(&self, b: &mut [[f64; 3]]) {
        let n = b.len();
        for i in 0..n {
            let row = &self.lower[i * n..i * n + i + 1];
            let mut sum = b[i];
            for (l, x) in row[..i].iter().zip(&*b) {
                for d in 0..3 {
                    sum[d] -= l * x[d];
                }
            }
            b[i] = sum.map(|s| s / row[i]);
        }
        for i in (0..n).rev() {
            let row = &self.lower[i * n..i * n + i + 1];
            let x = b[i].map(|v| v / row[i]);
            b[i] = x;
            for (l, y) in row[..i].iter().zip(&mut *b) {
                for d in 0..3 {
                    y[d] -= l * x[d];
                }
            }
        }
    }
}

/// L of an n×n matrix by rows; false if it is not clearly positive definite, as with two contacts of one node.
fn cholesky(lower: &mut [f64], n: usize, a: impl Fn(usize, usize) -> f64) -> bool {
    for i in 0..n {
        let (done, rest) = lower.split_at_mut(i * n);
        let row = &mut rest[..n];
        for j in 0..=i {
            let other = if j < i { &done[j * n..j * n + j] } else { &[][..] };
            let mut sum = a(i, j);
            if j < i {
                sum -= row[..j].iter().zip(other).map(|(p, q)| p * q).sum::<f64>();
                row[j] = sum / done[j * n + j];
            } else {
                let whole = sum;
                sum -= row[..i].iter().map(|p| p * p).sum::<f64>();
                if !(sum > 1e-10 * whole) {
                    return false;
                }
                row[i] = sum.sqrt();
            }
        }
    }
    true
}

impl GaussSeidel {
    /// Tries the forces with which all contacts that bear one stick, which are candidates. True if they obey the law; else nothing has changed.
    pub(super) fn stick(
        &mut self,
        contacts: &mut [Contact],
        which: &[usize],
        version: u64,
        tolerance: f64,
    ) -> bool {
        let mut stick = std::mem::take(&mut self.stick);
        let ready = stick.factor(contacts, which, version, |i, j| self.number(contacts, i, j));
        let mut met = false;
        if ready {
            let mut change: Vec<[f64; 3]> =
                which.iter().map(|&i| contacts[i].to_world(self.free[i]).map(|y| -y)).collect();
            stick.solve(&mut change);
            for (&i, change) in which.iter().zip(&change) {
                let d = contacts[i].to_local(*change);
                let c = &mut contacts[i];
                c.force = std::array::from_fn(|k| c.force[k] + d[k]);
            }
            self.replay(contacts);
            let holds = |i: usize| {
                let (c, y) = (&contacts[i], self.gap(contacts, i));
                let entered = y[0] < -tolerance || (c.force != [0.0; 3] && length(y) > tolerance);
                !entered && c.law.violation(c.force) == 0.0
            };
            met = (0..contacts.len()).all(holds);
            if !met {
                for (c, first) in contacts.iter_mut().zip(&self.first) {
                    c.force = *first;
                }
                self.moved.fill(Row::default());
                stick.give_up();
            }
        }
        self.stick = stick;
        met
    }
}
