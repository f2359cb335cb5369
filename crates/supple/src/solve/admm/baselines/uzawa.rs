//! Uzawa's method: min ½xᵀAx − bᵀx so that C x ≥ c, by conjugate gradients on C A⁻¹ Cᵀ for the contacts that bear a force; A stays the
//! factor of before.

use super::stiffness;
use crate::math::nodes::Row;
use crate::solve::Problem;
use crate::solve::admm::contact;

/// Most rounds in which `uzawa` changes the set of contacts that bear a force.
const MOST_ROUNDS: usize = 40;

/// C A⁻¹ Cᵀ v Δt² for contacts without friction; A⁻¹CᵀvΔt² is left in the right-hand side.
fn apply(p: &mut Problem<'_>, v: &[f64], out: &mut [f64]) {
    let h2 = p.dt * p.dt;
    p.rhs.fill(Row::default());
    for (c, &v) in p.contact.contacts().iter().zip(v) {
        if let Some(row) = p.rhs.get_mut(c.nodes[0] as usize) {
            for d in 0..3 {
                row.0[d] += h2 * v * c.frame[0][d];
            }
        }
    }
    p.solve_rhs();
    for (c, out) in p.contact.contacts().iter().zip(out) {
        let u = p.rhs.get(c.nodes[0] as usize).map_or([0.0; 3], |r| r.xyz());
        *out = (0..3).map(|d| c.frame[0][d] * u[d]).sum();
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).fold(0.0, |a, b| a + b)
}

/// The global step of `uzawa`; the right-hand side is ready, with the forces as they were.
pub(in crate::solve) fn uzawa(p: &mut Problem<'_>, tolerance: f64) {
    if p.only_rounding() && p.contact.is_met(p.x, tolerance) {
        return;
    }
    p.solve_rhs();
    contact::add(p.x, p.rhs);
    let count = p.contact.contacts().len();
    let within = 1e-2 * tolerance.max(1e-10) * p.contact.shortest();
    let first: Vec<f64> = p.contact.contacts().iter().map(|c| c.force[0]).collect();
    let free: Vec<f64> = p.contact.contacts().iter().map(|c| c.gap(p.x)[0]).collect();
    let (mut force, mut gap) = (first.clone(), free.clone());
    let mut bears: Vec<bool> = (0..count).map(|k| force[k] > 0.0 || gap[k] < 0.0).collect();
    let (mut q, mut solves) = (vec![0.0; count], 0);
    for _ in 0..MOST_ROUNDS {
        for k in 0..count {
            force[k] = if bears[k] { force[k].max(0.0) } else { 0.0 };
        }
        let change: Vec<f64> = force.iter().zip(&first).map(|(f, f0)| f - f0).collect();
        apply(p, &change, &mut q);
        (0..count).for_each(|k| gap[k] = free[k] + q[k]);
        // Conjugate gradients for y = 0 at the contacts that bear.
        let mut r: Vec<f64> = (0..count).map(|k| if bears[k] { -gap[k] } else { 0.0 }).collect();
        let (mut along, mut rr) = (r.clone(), dot(&r, &r));
        for _ in 0..2 * count + 10 {
            if r.iter().all(|r| r.abs() <= within) {
                break;
            }
            apply(p, &along, &mut q);
            solves += 1;
            let curvature = dot(&along, &q);
            if !(curvature > 0.0) {
                break;
            }
            let share = rr / curvature;
            for k in 0..count {
                force[k] += share * along[k];
                gap[k] += share * q[k];
                r[k] = if bears[k] { -gap[k] } else { 0.0 };
            }
            let next = dot(&r, &r);
            (0..count).for_each(|k| along[k] = r[k] + next / rr * along[k]);
            rr = next;
        }
        // What pulls lets go; what is entered bears.
        let mut same = true;
        for k in 0..count {
            let now = if bears[k] { force[k] >= 0.0 } else { gap[k] < -within };
            same &= now == bears[k];
            bears[k] = now;
        }
        if same {
            break;
        }
    }
    let bounds: Vec<f64> = p.contact.contacts().iter().map(|c| 1.0 / stiffness(p, c.nodes[0])).collect();
    p.contact.change_forces(|k, _| ([force[k].max(0.0), 0.0, 0.0], bounds[k]));
    p.contact.count_sweeps(solves);
    let h2 = p.dt * p.dt;
    for (r, f) in p.rhs.iter_mut().zip(p.contact.change()) {
        *r = Row([h2 * f.0[0], h2 * f.0[1], h2 * f.0[2], 0.0]);
    }
    p.solve_rhs();
    contact::add(p.x, p.rhs);
    p.contact.update(p.x);
}
