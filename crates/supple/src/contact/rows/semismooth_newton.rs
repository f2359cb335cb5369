//! The law of all contacts by a semi-smooth Newton method (Alart & Curnier 1991), for what Gauss–Seidel leaves.
//!
//! The equations are F(λ) = λ − project(λ − y/s) = 0 with y = y_f + S(λ − λ₀). Each contact is open (λ = 0), sticks (y = 0) or
//! slips; the derivative of F for these is a dense system over the contacts that are not open.

use crate::contact::{Contact, Law};
use crate::math::lane::{Kernel, dispatch};
use crate::math::real::Real;

/// Most contacts for which the dense system is worth it.
pub(in crate::contact) const MOST: usize = 120;

/// Contacts that are linearly dependent, such as corner against corner seen from both sides, share their force evenly by this much of stiffness.
const SAME: f64 = 1e-8;

/// Memory of the method.
#[derive(Debug, Default)]
pub(in crate::contact) struct Dense {
    matrix: Vec<f64>,
    rhs: Vec<f64>,
}

impl Dense {
    /// The change of force of each contact in `which`, from its y and bound s and from `block(c, d)` = R_c S_cd R_dᵀ by rows. The
    /// contacts not in `which` have no force and get none. `None` if the derivative is singular.
    pub fn step(
        &mut self,
        contacts: &[Contact],
        which: &[usize],
        state: impl Fn(usize) -> ([f64; 3], f64),
        block: impl Fn(usize, usize) -> [[f64; 3]; 3],
    ) -> Option<&[f64]> {
        let n = 3 * which.len();
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        self.rhs.clear();
        self.rhs.resize(n, 0.0);
        for (i, &c) in which.iter().enumerate() {
            let ((y, s), force) = (state(c), contacts[c].force);
            let q: [f64; 3] = std::array::from_fn(|k| force[k] - y[k] / s);
            // F' = I − P(I − S/s), P the derivative of the projection at q.
            let p = derivative(contacts[c].law, q);
            let target = contacts[c].law.project(q);
            for r in 0..3 {
                self.rhs[3 * i + r] = target[r] - force[r];
            }
            for (j, &d) in which.iter().enumerate() {
                let b = block(c, d);
                for r in 0..3 {
                    for k in 0..3 {
                        let ps = (0..3).map(|m| p[r][m] * b[m][k]).sum::<f64>() / s;
                        let own = if i == j { f64::from(r == k) * (1.0 + SAME) - p[r][k] } else { 0.0 };
                        self.matrix[(3 * i + r) * n + 3 * j + k] = own + ps;
                    }
                }
            }
        }
        solve(&mut self.matrix, &mut self.rhs).then_some(&self.rhs[..])
    }
}

/// The derivative of [`Law::project`] at q, by rows.
fn derivative(law: Law, q: [f64; 3]) -> [[f64; 3]; 3] {
    let mut p = [[0.0; 3]; 3];
    match law {
        Law::Hold(count) => {
            for c in 0..count.min(3) as usize {
                p[c][c] = 1.0;
            }
        }
        Law::Coulomb(mu) => {
            if q[0] <= 0.0 {
                return p;
            }
            let length = (q[1] * q[1] + q[2] * q[2]).sqrt();
            p[0][0] = 1.0;
            if length <= mu * q[0] {
                (p[1][1], p[2][2]) = (1.0, 1.0);
            } else {
                let t = [q[1] / length, q[2] / length];
                let share = mu * q[0] / length;
                for r in 0..2 {
                    p[1 + r][0] = mu * t[r];
                    for k in 0..2 {
                        p[1 + r][1 + k] = share * (f64::from(r == k) - t[r] * t[k]);
                    }
                }
            }
        }
    }
    p
}

/// Solves a dense system in place, by elimination with pivots. False if it is singular.
fn solve(a: &mut [f64], b: &mut [f64]) -> bool {
    dispatch(Solve(a, b))
}

struct Solve<'a>(&'a mut [f64], &'a mut [f64]);

impl Kernel for Solve<'_> {
    type Out = bool;
    #[inline(always)]
    fn run<R: Real>(self) -> bool {
        let Solve(a, b) = self;
        let n = b.len();
        for k in 0..n {
            let mut pivot = k;
            for i in k + 1..n {
                if a[i * n + k].abs() > a[pivot * n + k].abs() {
                    pivot = i;
                }
            }
            if !(a[pivot * n + k].abs() > 1e-14) {
                return false;
            }
            if pivot != k {
                let (up, down) = a.split_at_mut(pivot * n);
                up[k * n..(k + 1) * n].swap_with_slice(&mut down[..n]);
                b.swap(k, pivot);
            }
            let (top, rest) = a.split_at_mut((k + 1) * n);
            let row = &top[k * n..];
            for (i, line) in rest.chunks_exact_mut(n).enumerate() {
                let f = line[k] / row[k];
                if f != 0.0 {
                    for (x, r) in line[k..].iter_mut().zip(&row[k..]) {
                        *x -= f * r;
                    }
                    b[k + 1 + i] -= f * b[k];
                }
            }
        }
        for k in (0..n).rev() {
            let row = &a[k * n..(k + 1) * n];
            let sum: f64 = (k + 1..n).map(|j| row[j] * b[j]).sum();
            b[k] = (b[k] - sum) / row[k];
        }
        b.iter().all(|v| v.is_finite())
    }
}
