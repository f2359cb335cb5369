//! The active set of a step: contacts that bear a force hold their node, those that slip along the normal alone.
//!
//! Sticking: y(x) = 0, three rows. Slipping: y_n = 0 and λ = λ_n w with w = n − μt, t the direction of slip, whose turning adds
//! λ_n μ(1 − ttᵀ)/|y_t| to the Hessian. Contacts without a force do nothing.

use crate::contact::{Contact, Law};
use crate::math::nodes::Row;
use crate::math::small::{Mat3, dot};

/// A contact is about to switch where it is nearer to it than this share of what it bears, or of the way that it slips.
const NEAR: f64 = 1e-6;

/// One contact of the active set.
#[derive(Clone)]
pub(super) struct Row3 {
    pub contact: Contact,
    /// Rows, 1 or 3: of gaps, and of what each multiplier does to the nodes.
    pub count: usize,
    pub gap: [[f64; 3]; 3],
    pub force: [[f64; 3]; 3],
    /// λ_nμ/|y_t| of one that slips, and t in space.
    pub turn: f64,
    pub along: [f64; 3],
    /// η of the solution.
    pub multiplier: [f64; 3],
}

impl Row3 {
    pub fn parts(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        (0..self.contact.count as usize).map(|k| (self.contact.nodes[k], self.contact.weights[k]))
    }

    /// λ_nμ(1 − ttᵀ − nnᵀ)/|y_t|: what turning adds, for weights one.
    pub fn block(&self) -> Mat3<f64> {
        let n = self.contact.frame[0];
        std::array::from_fn(|c| {
            std::array::from_fn(|r| {
                let unit = if c == r { 1.0 } else { 0.0 };
                self.turn * (unit - self.along[c] * self.along[r] - n[c] * n[r])
            })
        })
    }
}

/// The active set at x, and whether a contact is about to switch.
pub(super) fn active(contacts: &[Contact], x: &[Row]) -> (Vec<Row3>, bool) {
    let mut rows = Vec::new();
    let mut switching = false;
    let largest = contacts.iter().map(|c| c.force[0]).fold(0.0, f64::max);
    let edge = contacts.iter().map(|c| c.gap(x)[0].abs()).fold(0.0, f64::max);
    for c in contacts {
        let Law::Coulomb(mu) = c.law else { continue };
        let y = c.gap(x);
        if !(c.force[0] > 0.0) {
            // It may touch at once.
            switching |= y[0] <= NEAR * edge;
            continue;
        }
        switching |= c.force[0] <= NEAR * largest;
        let tangential = (c.force[1].powi(2) + c.force[2].powi(2)).sqrt();
        let slip = (y[1].powi(2) + y[2].powi(2)).sqrt();
        let most = mu * c.force[0];
        let mut row = Row3 {
            contact: *c,
            count: 1,
            gap: c.frame,
            force: c.frame,
            turn: 0.0,
            along: [0.0; 3],
            multiplier: [0.0; 3],
        };
        if mu > 0.0 {
            let slips = tangential >= most * (1.0 - 1e-9);
            if slips && slip > 0.0 {
                let t: [f64; 3] =
                    std::array::from_fn(|k| (y[1] * c.frame[1][k] + y[2] * c.frame[2][k]) / slip);
                row.along = t;
                row.turn = c.force[0] * mu / slip;
                row.force[0] = std::array::from_fn(|k| c.frame[0][k] - mu * t[k]);
                switching |= slip <= NEAR * edge.max(f64::MIN_POSITIVE);
            } else {
                row.count = 3;
                switching |= tangential >= most * (1.0 - NEAR);
            }
        }
        rows.push(row);
    }
    (rows, switching)
}

/// Σ a_i v_i of rows.
pub(super) fn relative(row: &Row3, v: &[Row]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (node, weight) in row.parts() {
        if let Some(v) = v.get(node as usize) {
            (0..3).for_each(|c| sum[c] += weight * v.0[c]);
        }
    }
    sum
}

/// ∂L/∂y₀ in space, of the adjoint `mu` of the nodes and the rows' multipliers: along the normal, and in the plane.
pub(super) fn of_origin(row: &Row3, adjoint: &[Row]) -> [[f64; 3]; 2] {
    let n = row.contact.frame[0];
    let normal = n.map(|c| row.multiplier[0] * c);
    let mut plane = [0.0; 3];
    for k in 1..row.count {
        (0..3).for_each(|c| plane[c] += row.multiplier[k] * row.gap[k][c]);
    }
    if row.turn > 0.0 {
        let rel = relative(row, adjoint);
        let (t, a) = (dot(row.along, rel), dot(n, rel));
        (0..3).for_each(|c| plane[c] += row.turn * (rel[c] - t * row.along[c] - a * n[c]));
    }
    [normal, plane]
}
