//! Gauss–Seidel over nodes, colour by colour; a node that would enter stays on the plane of its contact.

use super::stiffness;
use crate::global::System;
use crate::math::small::{add as plus, dot as dot3, scale};
use crate::solve::Problem;

/// Most sweeps of `nodal` in one global step.
const MOST_SWEEPS: usize = 400;

/// The matrix by rows and its nodes by colours: nodes of a colour are not coupled.
#[derive(Debug, Default)]
pub struct Nodal {
    start: Vec<usize>,
    entries: Vec<(u32, f64)>,
    /// Nodes, colour after colour.
    order: Vec<u32>,
}

impl Nodal {
    /// Forgets the matrix: it has changed.
    pub fn forget(&mut self) {
        *self = Nodal::default();
    }

    fn prepare(&mut self, matrix: &System) {
        let n = matrix.n();
        if self.start.len() == n + 1 {
            return;
        }
        let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); n];
        for j in 0..n {
            for k in matrix.col_ptr()[j]..matrix.col_ptr()[j + 1] {
                let (i, v) = (matrix.row_idx()[k] as usize, matrix.values()[k]);
                rows[j].push((i as u32, v));
                if i != j {
                    rows[i].push((j as u32, v));
                }
            }
        }
        // Greedy, in the order of nodes: the same colours on any machine.
        let mut colour = vec![u32::MAX; n];
        for i in 0..n {
            let taken: Vec<u32> = rows[i].iter().map(|e| colour[e.0 as usize]).collect();
            colour[i] = (0..).find(|c| !taken.contains(c)).unwrap_or(0);
        }
        self.order = (0..n as u32).collect();
        self.order.sort_by_key(|&i| (colour[i as usize], i));
        self.start = vec![0];
        self.entries.clear();
        for row in rows {
            self.entries.extend(row);
            self.start.push(self.entries.len());
        }
    }
}

/// The global step of `nodal`; the right-hand side is ready, with the forces as they were.
pub(in crate::solve) fn nodal(p: &mut Problem<'_>, tolerance: f64) {
    if p.only_rounding() && p.contact.is_met(p.x, tolerance) {
        return;
    }
    let h2 = p.dt * p.dt;
    let count = p.free();
    // Contacts of each node, and the right-hand side without their forces.
    let mut of: Vec<(u32, usize)> =
        p.contact.contacts().iter().enumerate().map(|(k, c)| (c.nodes[0], k)).collect();
    of.sort_unstable();
    for (r, f) in p.rhs.iter_mut().zip(p.contact.force()) {
        for d in 0..3 {
            r.0[d] -= h2 * f.0[d];
        }
    }
    let mut nodal = std::mem::take(p.nodal);
    nodal.prepare(p.matrix);
    let contacts = p.contact.contacts();
    let mut force: Vec<f64> = contacts.iter().map(|c| c.force[0]).collect();
    let mut delta = vec![[0.0f64; 3]; count];
    let within = 1e-3 * tolerance.max(1e-10) * p.contact.shortest();
    let mut sweeps = 0;
    while sweeps < MOST_SWEEPS {
        sweeps += 1;
        let mut most = 0.0f64;
        for &i in &nodal.order {
            let i = i as usize;
            // (b_i − Σ a_ij x_j)/a_ii
            let (mut own, mut sum) = (1.0, p.rhs[i].xyz());
            for &(j, a) in &nodal.entries[nodal.start[i]..nodal.start[i + 1]] {
                match j as usize == i {
                    true => own = a,
                    false => sum = plus(sum, scale(-a, delta[j as usize])),
                }
            }
            // What is pinned along an axis does not move along it, whatever pushes.
            let held = p.held_along(i);
            let free =
                |v: [f64; 3]| -> [f64; 3] { std::array::from_fn(|d| if held[d] { 0.0 } else { v[d] }) };
            let mut x = plus(p.x[i].xyz(), free(scale(1.0 / own, sum)));
            // On the plane through q with tangents G: x = G Gᵀ(x − q) + q, which takes away what is along the normal. With
            // several planes, one after the other until all hold.
            let first = of.partition_point(|o| (o.0 as usize) < i);
            let mine = of[first..].iter().take_while(|o| o.0 as usize == i);
            let planes = mine.clone().count();
            mine.clone().for_each(|&(_, k)| force[k] *= f64::from(u8::from(planes > 1)));
            for &(_, k) in mine.clone() {
                x = plus(x, free(scale(force[k] * h2 / own, contacts[k].frame[0])));
            }
            for _ in 0..if planes > 1 { 30 } else { planes } {
                for &(_, k) in mine.clone() {
                    let c = &contacts[k];
                    let y = c.frame[0].iter().zip(x).map(|(n, x)| n * x).sum::<f64>() - c.origin[0];
                    let way = free(c.frame[0]);
                    // How far the node gives way along the normal; 1 unless it is pinned along an axis.
                    let gives = if held == [false; 3] { 1.0 } else { dot3(way, c.frame[0]) };
                    if gives == 0.0 {
                        continue;
                    }
                    let next = (force[k] - y * own / (h2 * gives)).max(0.0);
                    x = plus(x, scale((next - force[k]) * h2 / own, way));
                    force[k] = next;
                }
            }
            for d in 0..3 {
                let moved = x[d] - p.x[i].0[d];
                most = most.max((moved - delta[i][d]).abs());
                delta[i][d] = moved;
            }
        }
        if !(most > within) {
            break;
        }
    }
    let bounds: Vec<f64> = contacts.iter().map(|c| 1.0 / stiffness(p, c.nodes[0])).collect();
    *p.nodal = nodal;
    p.contact.change_forces(|k, _| ([force[k], 0.0, 0.0], bounds[k]));
    p.contact.count_sweeps(sweeps);
    for (x, d) in p.x.iter_mut().zip(&delta) {
        for k in 0..3 {
            x.0[k] += d[k];
        }
    }
    p.contact.update(p.x);
}
