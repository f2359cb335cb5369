//! What pins, anchors and contacts bear, and the derivatives of the energy: for those who measure.

use super::Simulation;
use crate::math::nodes::Row;
use crate::math::small::{scale, sub};

/// Takes two nodes and a 3×3 block, by columns.
pub type EachBlock<'a> = &'a mut dyn FnMut(u32, u32, &[[f64; 3]; 3]);

/// Which second derivatives of the energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hessian {
    /// ∂²U/∂x² as it is: loaded bodies may have negative eigenvalues.
    #[default]
    Exact,
    /// Without the negative part of each element, as Newton's method has it: positive semi-definite.
    Projected,
}

/// A contact that bears a force at the end of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// Where, on the first body, in m.
    pub point: [f64; 3],
    /// Unit normal, towards the first body.
    pub normal: [f64; 3],
    /// Force on the first body in N, friction included.
    pub force: [f64; 3],
    /// Number of the first body, and of the second unless that is an obstacle.
    pub bodies: [Option<u32>; 2],
    /// Number of the obstacle, if the second is one.
    pub obstacle: Option<u32>,
}

impl Simulation {
    /// Forces at each node of the system that the elements and the world leave over, ∇U − mg − f, in N; with that of contacts on free nodes.
    pub(super) fn imbalance(&mut self) -> Vec<Row> {
        let exec = self.exec.clone();
        let (mass, gravity) = (&self.mass, self.settings.world.gravity);
        let force = if self.air.is_empty() { &self.state.force } else { &self.work.force };
        let contact = self.contact.force();
        let mut out = vec![Row::default(); mass.len()];
        exec.install(|| {
            self.terms.gradient(&self.state.x, true, &exec);
            self.terms.sum_loads(&mut out, &exec, |i, sum, out| {
                for c in 0..3 {
                    let touch = contact.get(i).map_or(0.0, |f| f.0[c]);
                    out.0[c] = sum.0[c] - mass[i] * gravity[c] - force[i].0[c] - touch;
                }
                // What it is made of.
                out.0[3] = sum.0[3];
            });
        });
        out
    }

    /// Force of each pin on its node at the end of the last step in N, zero for other nodes: what keeps m·a = Σ forces there. Of nodes pinned
    /// along some axes only these coordinates.
    pub fn pin_forces(&mut self) -> Vec<[f64; 3]> {
        let held = self.held();
        let left = self.imbalance();
        let forces = self.place.iter().zip(held).map(|(&p, held)| {
            let (p, a) = (p as usize, &self.state.a[p as usize]);
            std::array::from_fn(|c| if held[c] { left[p].0[c] + self.mass[p] * a.0[c] } else { 0.0 })
        });
        forces.collect()
    }

    /// Force of the anchors on each node at the present state in N: stiffness times the way to the target.
    pub fn anchor_forces(&self) -> Vec<[f64; 3]> {
        let mut forces = vec![[0.0; 3]; self.place.len()];
        for a in &self.anchors {
            let Some(body) = self.bodies.get(a.body as usize) else { continue };
            let node = body.first_node + a.node as usize;
            let params = self.terms.batches()[a.batch].params(a.element);
            if let (Some(&p), &[k, x, y, z, ..]) = (self.place.get(node), params.as_slice()) {
                forces[node] = scale(k, sub([x, y, z], self.state.x[p as usize].xyz()));
            }
        }
        forces
    }

    /// Every contact that bears a force at the end of the last step; none after [`Simulation::set_state`].
    pub fn contacts(&self) -> Vec<ContactForce> {
        if self.state.touches.is_empty() {
            return Vec::new();
        }
        let mut body = vec![0; self.place.len()];
        for (number, b) in self.bodies.iter().enumerate() {
            for &p in &self.place[b.first_node..b.first_node + b.nodes] {
                body[p as usize] = number as u32;
            }
        }
        let of = |node: Option<u32>| node.and_then(|n| body.get(n as usize).copied());
        let contacts = self.state.touches.iter().map(|t| ContactForce {
            point: t.point,
            normal: t.normal,
            force: t.force,
            bodies: t.nodes.map(of),
            obstacle: t.obstacle,
        });
        contacts.collect()
    }

    /// Sums of contact forces at the end of the last step in N, row by row: on each body those of each body, and then of each obstacle.
    pub fn contact_sums(&self) -> Vec<Vec<[f64; 3]>> {
        let (bodies, obstacles) = (self.bodies.len(), self.obstacles().len());
        let mut sums = vec![vec![[0.0; 3]; bodies + obstacles]; bodies];
        for c in self.contacts() {
            let other = match (c.bodies[1], c.obstacle) {
                (_, Some(o)) => bodies + o as usize,
                (Some(b), None) => b as usize,
                (None, None) => continue,
            };
            let Some(on) = c.bodies[0].map(|b| b as usize) else { continue };
            let mut add = |on: usize, by: usize, sign: f64| {
                if let Some(sum) = sums.get_mut(on).and_then(|row| row.get_mut(by)) {
                    (0..3).for_each(|k| sum[k] += sign * c.force[k]);
                }
            };
            add(on, other, 1.0);
            if other < bodies && other != on {
                add(other, on, -1.0);
            }
        }
        sums
    }

    /// Writes the position of each node in m; false, and nothing, unless there is a row for each. Nothing is allocated.
    pub fn write_positions(&self, out: &mut [[f64; 3]]) -> bool {
        self.write(&self.state.x, out)
    }

    /// Writes the velocity of each node in m/s, as [`Simulation::write_positions`] does.
    pub fn write_velocities(&self, out: &mut [[f64; 3]]) -> bool {
        self.write(&self.state.v, out)
    }

    fn write(&self, rows: &[Row], out: &mut [[f64; 3]]) -> bool {
        let fits = out.len() == self.place.len();
        if fits {
            out.iter_mut().zip(&self.place).for_each(|(o, &p)| *o = rows[p as usize].xyz());
        }
        fits
    }

    /// Force of all contacts and links on each node in the last step in N; zero for pinned nodes.
    pub fn contact_forces(&self) -> Vec<[f64; 3]> {
        let force = self.contact.force();
        self.place.iter().map(|&p| force.get(p as usize).map_or([0.0; 3], |f| f.xyz())).collect()
    }

    /// For each tetrahedron, body after body in order of adding, and then for each triangle of a sheet: Cauchy's stress in Pa, by columns, with
    /// what [`Simulation::element_fields`] counts.
    pub fn element_stresses(&self) -> Vec<[[f64; 3]; 3]> {
        crate::term::stresses(&self.terms, &self.state.x)
    }

    /// ∇U of the elastic energy at the present state in N, by node: minus the elastic force. Anchors are part of U; dissipation is that of
    /// the last step.
    pub fn gradient(&mut self) -> Vec<[f64; 3]> {
        let exec = self.exec.clone();
        let mut out = vec![Row::default(); self.mass.len()];
        exec.install(|| {
            self.terms.gradient(&self.state.x, false, &exec);
            self.terms.sum_loads(&mut out, &exec, |_, sum, out| *out = sum);
        });
        self.user_order(&out)
    }

    /// Calls `f` with nodes i ≥ j and the 3×3 block, by columns, of each element's share of ∂²U/∂x² at the present state in N/m. A block
    /// with i ≠ j stands for its transpose too.
    pub fn hessian(&mut self, kind: Hessian, f: EachBlock<'_>) {
        let exec = self.exec.clone();
        let mut user = vec![0u32; self.place.len()];
        for (node, &p) in self.place.iter().enumerate() {
            user[p as usize] = node as u32;
        }
        let mut out = Vec::new();
        let mut keep = |i, j, k: &[[f64; 3]; 3]| out.push((i, j, *k));
        match kind {
            Hessian::Exact => self.terms.second(&self.state.x, &mut keep),
            Hessian::Projected => exec.install(|| self.terms.curvature(&self.state.x, &exec, &mut keep)),
        }
        for (i, j, k) in out {
            let (i, j) = (user[i as usize], user[j as usize]);
            match i >= j {
                true => f(i, j, &k),
                false => f(j, i, &std::array::from_fn(|c| std::array::from_fn(|r| k[r][c]))),
            }
        }
    }
}
