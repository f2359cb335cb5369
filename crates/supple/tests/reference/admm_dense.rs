//! ADMM as published, eqs. (15), (24), (25) in the order of Algorithm 1 (local step first), and projective
//! dynamics, eqs. (27)–(29), with explicit matrices D, W² and M. For meshes of up to a hundred nodes.

use super::body::{RefBody, flatten, unflatten};
use super::material::RefMaterial;
use super::prox::prox_matrix;
use super::svd::rotation_of;
use super::{M3, V3, mat3, vec9};
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// w² of every term, N/m for springs and anchors, N·m for tetrahedra.
#[derive(Clone, Debug)]
pub struct Weights {
    pub tets: Vec<f64>,
    pub springs: Vec<f64>,
    pub anchors: Vec<f64>,
}

impl Weights {
    /// w² = k · volume for tetrahedra, k (Pa) the same for all; w² = k of its own for springs and anchors.
    pub fn stiffness(body: &RefBody, k: f64) -> Self {
        Self {
            tets: body.volumes.iter().map(|v| k * v).collect(),
            springs: body.springs.iter().map(|s| s.k).collect(),
            anchors: body.anchors.iter().map(|a| a.k).collect(),
        }
    }

    /// Every w² times `factor`.
    pub fn scaled(&self, factor: f64) -> Self {
        let times = |v: &[f64]| v.iter().map(|w| w * factor).collect();
        Self { tets: times(&self.tets), springs: times(&self.springs), anchors: times(&self.anchors) }
    }
}

/// x, z and u after an iteration. z and u stack the tetrahedra (nine rows each, vec F), then springs, then
/// anchors (three rows each).
#[derive(Clone, Debug)]
pub struct Iterate {
    pub x: Vec<V3>,
    pub z: DVector<f64>,
    pub u: DVector<f64>,
}

impl Iterate {
    /// z of tetrahedron `e`.
    pub fn tet_z(&self, e: usize) -> M3 {
        mat3(&self.z.fixed_rows::<9>(9 * e).into_owned())
    }

    /// u of tetrahedron `e`.
    pub fn tet_u(&self, e: usize) -> M3 {
        mat3(&self.u.fixed_rows::<9>(9 * e).into_owned())
    }
}

/// The matrices of one body, one h and one choice of weights.
pub struct DenseSolver<'a> {
    body: &'a RefBody,
    h: f64,
    weights: Weights,
    /// All local coordinates from all positions, rows × 3n.
    d: DMatrix<f64>,
    /// The diagonal of W².
    w2: DVector<f64>,
    /// Components of free nodes: 3i + c.
    free: Vec<usize>,
    /// D of the free nodes.
    d_free: DMatrix<f64>,
    /// M + h² DᵀW²D on the free nodes, and its factor.
    system: DMatrix<f64>,
    factor: Cholesky<f64, Dyn>,
}

impl<'a> DenseSolver<'a> {
    pub fn new(body: &'a RefBody, h: f64, weights: Weights) -> Self {
        let columns = 3 * body.node_count();
        let rows = 9 * body.tets.len() + 3 * (body.springs.len() + body.anchors.len());
        let mut d = DMatrix::zeros(rows, columns);
        let mut w2 = DVector::zeros(rows);
        for (e, tet) in body.tets.iter().enumerate() {
            let local = body.tet_reduction(e);
            for (v, &node) in tet.iter().enumerate() {
                d.view_mut((9 * e, 3 * node), (9, 3)).copy_from(&local.view((0, 3 * v), (9, 3)));
            }
            w2.rows_mut(9 * e, 9).fill(weights.tets[e]);
        }
        let mut row = 9 * body.tets.len();
        for (spring, &weight) in body.springs.iter().zip(&weights.springs) {
            for c in 0..3 {
                d[(row + c, 3 * spring.b + c)] = 1.0;
                d[(row + c, 3 * spring.a + c)] = -1.0;
            }
            w2.rows_mut(row, 3).fill(weight);
            row += 3;
        }
        for (anchor, &weight) in body.anchors.iter().zip(&weights.anchors) {
            for c in 0..3 {
                d[(row + c, 3 * anchor.node + c)] = 1.0;
            }
            w2.rows_mut(row, 3).fill(weight);
            row += 3;
        }
        let free: Vec<usize> =
            body.free_nodes().iter().flat_map(|&i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let d_free = d.select_columns(&free);
        let mut system = d_free.transpose() * DMatrix::from_diagonal(&w2) * &d_free * (h * h);
        for (r, &c) in free.iter().enumerate() {
            system[(r, r)] += body.masses[c / 3];
        }
        let factor = Cholesky::new(system.clone()).unwrap();
        Self { body, h, weights, d, w2, free, d_free, system, factor }
    }

    /// x = x̃, u = 0 and, for the first dual residual, z = Dx̃. Pinned nodes are at their targets.
    pub fn start(&self, xtilde: &[V3]) -> Iterate {
        let mut x = xtilde.to_vec();
        self.body.put_pins(&mut x);
        let z = &self.d * flatten(&x);
        Iterate { x, u: DVector::zeros(z.len()), z }
    }

    /// One iteration of Algorithm 1: (24), (25), (15).
    pub fn iterate(&self, last: &Iterate, xtilde: &[V3]) -> Iterate {
        let dx = &self.d * flatten(&last.x);
        let y = &dx + &last.u;
        let z = self.local_minimisers(&y);
        let u = y - &z;
        let x = self.global_step(xtilde, &(&z - &u));
        Iterate { x, z, u }
    }

    /// The iterates 0 (the start) to `count`.
    pub fn run(&self, xtilde: &[V3], count: usize) -> Vec<Iterate> {
        let mut out = vec![self.start(xtilde)];
        for n in 0..count {
            out.push(self.iterate(&out[n], xtilde));
        }
        out
    }

    /// Iterates until ‖W(Dx − z)‖ ≤ tolerance · ‖W Dx‖ and the dual residual ≤ tolerance · ‖DᵀW²Dx‖, at most
    /// `most` times; the last iterate and how many there were.
    pub fn run_until(&self, xtilde: &[V3], tolerance: f64, most: usize) -> (Iterate, usize) {
        let mut last = self.start(xtilde);
        for n in 1..=most {
            let next = self.iterate(&last, xtilde);
            let dx = &self.d * flatten(&next.x);
            let primal_scale = self.weighted_norm(&dx);
            let dual_scale = (self.d_free.transpose() * self.w2.component_mul(&dx)).norm();
            let done = self.primal(&next) <= tolerance * primal_scale
                && self.dual(&next.z, &last.z) <= tolerance * dual_scale;
            last = next;
            if done {
                return (last, n);
            }
        }
        (last, most)
    }

    /// One iteration of projective dynamics: p = proj(Dx) (27), and x from (28). For arap tetrahedra (k V is
    /// the stiffness of (26)), springs and anchors; the weights of the solver must be those stiffnesses.
    pub fn projective(&self, x: &[V3], xtilde: &[V3]) -> (DVector<f64>, Vec<V3>) {
        let p = self.projections(&(&self.d * flatten(x)));
        let next = self.global_step(xtilde, &p);
        (p, next)
    }

    /// Primal residual (22), ‖W(Dx − z)‖, with x after the global step.
    pub fn primal(&self, iterate: &Iterate) -> f64 {
        self.weighted_norm(&(&self.d * flatten(&iterate.x) - &iterate.z))
    }

    /// Dual residual (23), ‖DᵀW²(z − z_prev)‖.
    pub fn dual(&self, z: &DVector<f64>, z_prev: &DVector<f64>) -> f64 {
        (self.d_free.transpose() * self.w2.component_mul(&(z - z_prev))).norm()
    }

    /// ‖W v‖ of stacked local coordinates.
    pub fn weighted_norm(&self, v: &DVector<f64>) -> f64 {
        v.component_mul(v).dot(&self.w2).sqrt()
    }

    /// a·W²b of stacked local coordinates.
    pub fn weighted_dot(&self, a: &DVector<f64>, b: &DVector<f64>) -> f64 {
        a.component_mul(b).dot(&self.w2)
    }

    /// Stacked local coordinates, Dx.
    pub fn local_coordinates(&self, x: &[V3]) -> DVector<f64> {
        &self.d * flatten(x)
    }

    /// The local step (24) for every term: argmin U_i(z) + w²/2 ‖z − y‖².
    fn local_minimisers(&self, y: &DVector<f64>) -> DVector<f64> {
        let mut z = y.clone();
        for e in 0..self.body.tets.len() {
            // (36): the volume goes out of both terms.
            let k = self.weights.tets[e] / self.body.volumes[e];
            let f = mat3(&y.fixed_rows::<9>(9 * e).into_owned());
            let nearest = match self.body.materials[e] {
                // (30), (31)
                RefMaterial::Arap { k: stiffness } => (rotation_of(&f) * stiffness + f * k) / (stiffness + k),
                material => prox_matrix(&material, &f, k),
            };
            z.rows_mut(9 * e, 9).copy_from(&vec9(&nearest));
        }
        // (30), (31) for springs and anchors, whose energies are k/2 (distance to a set)².
        let p = self.projections_from(9 * self.body.tets.len(), y);
        let mut row = 9 * self.body.tets.len();
        let stiffnesses = self.body.springs.iter().map(|s| s.k).chain(self.body.anchors.iter().map(|a| a.k));
        for stiffness in stiffnesses {
            for r in row..row + 3 {
                z[r] = (stiffness * p[r] + self.w2[r] * y[r]) / (stiffness + self.w2[r]);
            }
            row += 3;
        }
        z
    }

    /// proj(y) for arap tetrahedra, springs and anchors.
    fn projections(&self, y: &DVector<f64>) -> DVector<f64> {
        let mut p = self.projections_from(9 * self.body.tets.len(), y);
        for e in 0..self.body.tets.len() {
            assert!(matches!(self.body.materials[e], RefMaterial::Arap { .. }), "(26) needs a set");
            let f = mat3(&y.fixed_rows::<9>(9 * e).into_owned());
            p.rows_mut(9 * e, 9).copy_from(&vec9(&rotation_of(&f)));
        }
        p
    }

    /// proj(y) for the springs and anchors, whose rows start at `row`; other rows are those of y.
    fn projections_from(&self, mut row: usize, y: &DVector<f64>) -> DVector<f64> {
        let mut p = y.clone();
        for spring in &self.body.springs {
            let d: V3 = y.fixed_rows::<3>(row).into_owned();
            let length = d.norm();
            let on_sphere = if length > 0.0 { d * (spring.length / length) } else { V3::x() * spring.length };
            p.fixed_rows_mut::<3>(row).copy_from(&on_sphere);
            row += 3;
        }
        for anchor in &self.body.anchors {
            p.fixed_rows_mut::<3>(row).copy_from(&anchor.target);
            row += 3;
        }
        p
    }

    /// (15): (M + h² DᵀW²D) x = M x̃ + h² DᵀW² q, q = z − u. Pinned nodes are known and move to the
    /// right-hand side.
    fn global_step(&self, xtilde: &[V3], q: &DVector<f64>) -> Vec<V3> {
        let mut known = vec![V3::zeros(); self.body.node_count()];
        self.body.put_pins(&mut known);
        let mut x = flatten(&known);
        let from_pins = &self.d * &x;
        let tilde = flatten(xtilde);
        let mut load = self.d_free.transpose() * self.w2.component_mul(&(q - from_pins)) * (self.h * self.h);
        for (r, &c) in self.free.iter().enumerate() {
            load[r] += self.body.masses[c / 3] * tilde[c];
        }
        let mut solution = self.factor.solve(&load);
        // One round of refinement takes out the rounding of the factor.
        solution += self.factor.solve(&(&load - &self.system * &solution));
        for (r, &c) in self.free.iter().enumerate() {
            x[c] = solution[r];
        }
        unflatten(&x)
    }
}
