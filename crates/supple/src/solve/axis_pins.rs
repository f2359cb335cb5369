//! Coordinates that are held while the others of their node are free. ADMM's matrix is split by coordinate, Newton's has a diagonal there
//! that nothing outweighs.

use super::Problem;
use crate::exec::Exec;
use crate::global::{Cholesky, SolveScratch, Split, System};
use crate::math::nodes::Row;
use crate::math::small::Mat3;

/// A free node, and which of its coordinates are held at x̃.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axes {
    /// Node of the system.
    pub node: u32,
    /// x, y, z.
    pub held: [bool; 3],
}

/// Times m/Δt²: so much on the diagonal of Newton's matrix that what couples with it is below the last digit.
const STIFF: f64 = 1e30;

/// A⁻¹ over the free coordinates.
pub(super) struct Inverse<'a> {
    pub global: &'a Cholesky,
    pub matrix: &'a System,
    pub split: &'a mut Split,
    pub scratch: &'a mut SolveScratch,
    pub axes: &'a [Axes],
    pub exec: &'a Exec,
}

impl Inverse<'_> {
    /// v ← A⁻¹v; held coordinates become 0.
    pub fn solve(&mut self, v: &mut [Row]) {
        if self.axes.is_empty() {
            return self.global.solve(v, self.scratch, self.exec);
        }
        let held = self.axes.iter().map(|a| (a.node, a.held));
        let matrix = (self.global, self.matrix);
        if self.split.solve(matrix, held, (&mut *v, &mut *self.scratch), self.exec).is_err() {
            // The same matrix without some of its rows has a factor as it has; where numbers overflow, a step that is not that of the
            // method, which the residuals see.
            each_held(self.axes, |i, c| v[i].0[c] = 0.0);
        }
    }
}

fn each_held(axes: &[Axes], mut f: impl FnMut(usize, usize)) {
    for a in axes {
        (0..3).filter(|&c| a.held[c]).for_each(|c| f(a.node as usize, c));
    }
}

impl Problem<'_> {
    /// v ← A⁻¹v over the free coordinates; held ones become 0.
    pub fn solve_matrix(&mut self, v: &mut [Row]) {
        let (global, matrix, axes, exec) = (&*self.global, &*self.matrix, self.axes, self.exec);
        Inverse { global, matrix, split: &mut *self.split, scratch: &mut *self.scratch, axes, exec }.solve(v);
    }

    /// The same of the right-hand side, in place.
    pub fn solve_rhs(&mut self) {
        let rhs = std::mem::take(&mut self.rhs);
        self.solve_matrix(rhs);
        self.rhs = rhs;
    }

    /// Held coordinates of gradients and steps are zero.
    pub fn hold(&self, rows: &mut [Row]) {
        each_held(self.axes, |i, c| rows[i].0[c] = 0.0);
    }

    /// The same for right-hand sides.
    pub fn hold_rhs(&mut self) {
        each_held(self.axes, |i, c| self.rhs[i].0[c] = 0.0);
    }

    /// Which coordinates of a free node are held.
    pub fn held_along(&self, node: usize) -> [bool; 3] {
        let found = self.axes.binary_search_by_key(&(node as u32), |a| a.node);
        found.map_or([false; 3], |k| self.axes[k].held)
    }

    /// 1/m of each coordinate, 0 where it is pinned.
    pub fn inverse_masses(&self, out: &mut Vec<[f64; 3]>) {
        let free = self.free();
        out.clear();
        out.extend(self.mass.iter().enumerate().map(|(i, m)| if i < free { [1.0 / m; 3] } else { [0.0; 3] }));
        each_held(self.axes, |i, c| out[i][c] = 0.0);
    }

    /// Held coordinates of positions are where they should be.
    pub fn put_held(&mut self) {
        each_held(self.axes, |i, c| self.x[i].0[c] = self.x_tilde[i].0[c]);
    }

    /// The way that held coordinates still have to go, in a step of positions that are not yet there.
    pub fn lead_held(&self, step: &mut [Row]) {
        each_held(self.axes, |i, c| step[i].0[c] = self.x_tilde[i].0[c] - self.x[i].0[c]);
    }

    /// Calls `add` with nodes and blocks that hold them in Newton's matrix.
    pub fn each_pinned_block(&self, add: &mut dyn FnMut(usize, &Mat3<f64>)) {
        let inv = STIFF / (self.dt * self.dt);
        for a in self.axes {
            let mut block = [[0.0; 3]; 3];
            (0..3).filter(|&c| a.held[c]).for_each(|c| block[c][c] = inv * self.mass[a.node as usize]);
            add(a.node as usize, &block);
        }
    }
}
