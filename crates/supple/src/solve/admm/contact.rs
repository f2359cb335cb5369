//! Contact and friction in the global step of `admm` and `projective`.
//!
//! Forces of contacts are found in the metric of the matrix at hand, B: x_f = x − B⁻¹(∇E(x) − Cᵀλ₀) is where the nodes would
//! go with the forces as they were; Gauss–Seidel finds the forces λ with which the law holds at x⁺ = x_f + B⁻¹Cᵀ(λ − λ₀). For
//! B = A/Δt² that is the global step itself; `descent/contact.rs` has what the Newton-like methods make of it.

use crate::contact::{Columns, Compliance};
use crate::global::System;
use crate::math::nodes::Row;
use crate::solve::Problem;
use crate::solve::axis_pins::Inverse;

/// B⁻¹, the metric in which forces of contacts are found: that of the global step's matrix A/Δt² or of a Hessian.
pub(in crate::solve) trait InverseMetric {
    /// Numbers of a column per node: 1 if x, y and z are alike, 3 if they differ, 9 if they are coupled.
    fn width(&self) -> usize;
    /// Nodes.
    fn size(&self) -> usize;
    /// rows ← B⁻¹ rows.
    fn apply(&mut self, rows: &mut [Row]);
    /// Makes the columns of nodes that have none yet.
    fn make(&mut self, columns: &mut Columns, missing: &[u32]);
}

/// What contacts see of a metric: its columns at the nodes that may touch, kept over steps.
pub(in crate::solve) struct InMetric<'a, B> {
    pub columns: &'a mut Columns,
    pub inverse: B,
    /// A, which is also about right for a Hessian.
    pub matrix: &'a System,
    /// Δt².
    pub h2: f64,
}

impl<B: InverseMetric> Compliance for InMetric<'_, B> {
    fn width(&self) -> usize {
        self.inverse.width()
    }
    fn make(&mut self, nodes: &[u32]) {
        let missing: Vec<u32> = nodes.iter().copied().filter(|&i| !self.columns.has(i)).collect();
        if !missing.is_empty() {
            self.inverse.make(self.columns, &missing);
        }
    }
    fn gather(&self, node: u32, at: &[u32], out: &mut Vec<f64>) {
        self.columns.gather(node, at, self.inverse.width(), out);
    }
    fn size(&self) -> usize {
        self.inverse.size()
    }
    fn apply(&mut self, rows: &mut [Row]) {
        self.inverse.apply(rows);
    }
    fn resist(&self, rows: &[Row], out: &mut [Row]) {
        self.matrix.mul(rows, out);
        out.iter_mut().for_each(|r| r.0 = r.0.map(|f| f / self.h2));
    }
    fn own(&self, node: u32) -> f64 {
        self.matrix.diagonal(node as usize).map_or(0.0, |a| self.h2 / a)
    }
    fn version(&self) -> u64 {
        self.columns.version()
    }
}

/// A⁻¹Δt²; with pins along axes its columns of x, y and z differ.
struct OfMatrix<'a> {
    inverse: Inverse<'a>,
    h2: f64,
}

impl InverseMetric for OfMatrix<'_> {
    fn width(&self) -> usize {
        if self.inverse.axes.is_empty() { 1 } else { 3 }
    }
    fn size(&self) -> usize {
        self.inverse.global.n()
    }
    fn apply(&mut self, rows: &mut [Row]) {
        rows.iter_mut().for_each(|r| r.0 = r.0.map(|f| self.h2 * f));
        self.inverse.solve(rows);
    }
    fn make(&mut self, columns: &mut Columns, missing: &[u32]) {
        let mut rhs = vec![Row::default(); self.size()];
        if self.width() == 3 {
            for &i in missing {
                rhs.fill(Row::default());
                rhs[i as usize] = Row::new([self.h2; 3]);
                self.inverse.solve(&mut rhs);
                let column = columns.reach(i).iter().flat_map(|&j| rhs[j as usize].xyz()).collect();
                columns.keep(i, column);
            }
            return;
        }
        // A solve has room for three right-hand sides.
        for three in missing.chunks(3) {
            rhs.fill(Row::default());
            for (c, &i) in three.iter().enumerate() {
                rhs[i as usize].0[c] = self.h2;
            }
            self.inverse.solve(&mut rhs);
            for (c, &i) in three.iter().enumerate() {
                let column = columns.reach(i).iter().map(|&j| rhs[j as usize].0[c]).collect();
                columns.keep(i, column);
            }
        }
    }
}

/// What rounding leaves of the sum of a contact force and inertia, in N; `stiffness` is m/Δt².
pub(in crate::solve) fn rounding(contact: Option<&Row>, stiffness: f64, x: &Row) -> f64 {
    let size = |r: &Row| r.0[0].abs() + r.0[1].abs() + r.0[2].abs();
    match contact {
        Some(f) if f.0 != [0.0; 4] => 64.0 * f64::EPSILON * (size(f) + stiffness * size(x)),
        _ => 0.0,
    }
}

/// The global step with contact; the right-hand side is ready, with the forces as they were.
pub(in crate::solve) fn global_step(p: &mut Problem<'_>, tolerance: f64) {
    if p.only_rounding() && p.contact.is_met(p.x, 0.0) {
        return;
    }
    p.solve_rhs();
    add(p.x, p.rhs);
    if solve_law(p, tolerance) {
        let h2 = p.dt * p.dt;
        for (r, f) in p.rhs.iter_mut().zip(p.contact.change()) {
            *r = Row([h2 * f.0[0], h2 * f.0[1], h2 * f.0[2], 0.0]);
        }
        p.solve_rhs();
        add(p.x, p.rhs);
    }
    p.contact.update(p.x);
}

/// Forces with which the law holds in the metric of A, from where nodes go with the forces as they were.
pub(in crate::solve) fn solve_law(p: &mut Problem<'_>, tolerance: f64) -> bool {
    let (global, matrix, axes, exec) = (&*p.global, &*p.matrix, p.axes, p.exec);
    let inverse = Inverse { global, matrix, split: &mut *p.split, scratch: &mut *p.scratch, axes, exec };
    let h2 = p.dt * p.dt;
    let mut compliance = InMetric { columns: &mut *p.columns, inverse: OfMatrix { inverse, h2 }, matrix, h2 };
    p.contact.solve(p.x, &mut compliance, tolerance)
}

pub(in crate::solve) fn add(x: &mut [Row], d: &[Row]) {
    for (x, d) in x.iter_mut().zip(d) {
        for c in 0..3 {
            x.0[c] += d.0[c];
        }
    }
}
