//! A body, and what is asked of it by definition: energy, gradient, Hessian, residuals. Dense, by plain sums.

use super::material::RefMaterial;
use super::shape::{RefMesh, lumped_masses, tet_volume};
use super::{M3, V3, vec9};
use nalgebra::{DMatrix, DVector};

/// k/2 (|x_b − x_a| − length)².
#[derive(Clone, Copy, Debug)]
pub struct RefSpring {
    pub a: usize,
    pub b: usize,
    pub k: f64,
    pub length: f64,
}

/// k/2 |x − target|².
#[derive(Clone, Copy, Debug)]
pub struct RefAnchor {
    pub node: usize,
    pub target: V3,
    pub k: f64,
}

/// The node is at the target, whatever the force.
#[derive(Clone, Copy, Debug)]
pub struct RefPin {
    pub node: usize,
    pub target: V3,
}

/// A body of tetrahedra, springs and anchors. Fields are public: push springs, anchors and pins as needed.
#[derive(Clone, Debug)]
pub struct RefBody {
    pub rest: Vec<V3>,
    pub tets: Vec<[usize; 4]>,
    /// One per tetrahedron.
    pub materials: Vec<RefMaterial>,
    /// One per node, kg.
    pub masses: Vec<f64>,
    pub springs: Vec<RefSpring>,
    pub anchors: Vec<RefAnchor>,
    pub pins: Vec<RefPin>,
    /// Rest volume of each tetrahedron, m³.
    pub volumes: Vec<f64>,
    /// F = Σ_v x_v g_vᵀ: the four g of each tetrahedron, 1/m.
    pub gradients: Vec<[V3; 4]>,
}

impl RefBody {
    /// One material and one density (kg/m³) throughout, masses lumped.
    pub fn new(mesh: &RefMesh, material: RefMaterial, density: f64) -> Self {
        let masses = lumped_masses(&mesh.rest, &mesh.tets, density);
        let volumes: Vec<f64> = mesh.tets.iter().map(|t| tet_volume(&mesh.rest, t)).collect();
        assert!(volumes.iter().all(|&v| v > 0.0), "a rest tetrahedron is inverted or flat");
        let gradients = mesh.tets.iter().map(|t| shape_gradients(&mesh.rest, t)).collect();
        Self {
            rest: mesh.rest.clone(),
            tets: mesh.tets.clone(),
            materials: vec![material; mesh.tets.len()],
            masses,
            springs: Vec::new(),
            anchors: Vec::new(),
            pins: Vec::new(),
            volumes,
            gradients,
        }
    }

    /// Nodes without tetrahedra, for springs and anchors.
    pub fn particles(rest: Vec<V3>, masses: Vec<f64>) -> Self {
        Self {
            rest,
            tets: Vec::new(),
            materials: Vec::new(),
            masses,
            springs: Vec::new(),
            anchors: Vec::new(),
            pins: Vec::new(),
            volumes: Vec::new(),
            gradients: Vec::new(),
        }
    }

    pub fn node_count(&self) -> usize {
        self.rest.len()
    }

    /// The deformation gradient of tetrahedron `e`, eq. (32).
    pub fn deformation(&self, e: usize, x: &[V3]) -> M3 {
        let [a, b, c, d] = self.tets[e].map(|i| x[i]);
        let [ra, rb, rc, rd] = self.tets[e].map(|i| self.rest[i]);
        let deformed = M3::from_columns(&[b - a, c - a, d - a]);
        let rest = M3::from_columns(&[rb - ra, rc - ra, rd - ra]);
        deformed * rest.try_inverse().unwrap()
    }

    /// U(x), J.
    pub fn energy(&self, x: &[V3]) -> f64 {
        let tets = (0..self.tets.len())
            .map(|e| self.volumes[e] * self.materials[e].energy(&self.deformation(e, x)))
            .sum::<f64>();
        let springs = self
            .springs
            .iter()
            .map(|s| 0.5 * s.k * ((x[s.b] - x[s.a]).norm() - s.length).powi(2))
            .sum::<f64>();
        let anchors =
            self.anchors.iter().map(|a| 0.5 * a.k * (x[a.node] - a.target).norm_squared()).sum::<f64>();
        tets + springs + anchors
    }

    /// Every term's gradient at each of its nodes, N: minus the force of that term on that node.
    pub fn term_gradients(&self, x: &[V3]) -> Vec<(usize, V3)> {
        let mut out = Vec::new();
        for (e, tet) in self.tets.iter().enumerate() {
            let p = self.materials[e].stress(&self.deformation(e, x)) * self.volumes[e];
            for (v, &node) in tet.iter().enumerate() {
                out.push((node, p * self.gradients[e][v]));
            }
        }
        for s in &self.springs {
            let d = x[s.b] - x[s.a];
            let length = d.norm();
            let pull = if length > 0.0 { d * (s.k * (length - s.length) / length) } else { V3::zeros() };
            out.push((s.a, -pull));
            out.push((s.b, pull));
        }
        for a in &self.anchors {
            out.push((a.node, (x[a.node] - a.target) * a.k));
        }
        out
    }

    /// ∇U(x), N.
    pub fn gradient(&self, x: &[V3]) -> Vec<V3> {
        let mut g = vec![V3::zeros(); self.node_count()];
        for (node, term) in self.term_gradients(x) {
            g[node] += term;
        }
        g
    }

    /// ∇²U(x), 3n × 3n, N/m; row 3i + c is component c of node i. Not projected.
    pub fn hessian(&self, x: &[V3]) -> DMatrix<f64> {
        let n = 3 * self.node_count();
        let mut h = DMatrix::zeros(n, n);
        for e in 0..self.tets.len() {
            let h9 = self.materials[e].hessian(&self.deformation(e, x)) * self.volumes[e];
            let d9 = self.tet_reduction(e);
            let h12 = d9.transpose() * h9 * &d9;
            for (v, &i) in self.tets[e].iter().enumerate() {
                for (w, &j) in self.tets[e].iter().enumerate() {
                    let mut block = h.view_mut((3 * i, 3 * j), (3, 3));
                    block += h12.view((3 * v, 3 * w), (3, 3));
                }
            }
        }
        for s in &self.springs {
            let d = x[s.b] - x[s.a];
            let length = d.norm();
            let n = d / length;
            let along = n * n.transpose();
            let block = (along + (M3::identity() - along) * (1.0 - s.length / length)) * s.k;
            for (i, j, sign) in [(s.a, s.a, 1.0), (s.b, s.b, 1.0), (s.a, s.b, -1.0), (s.b, s.a, -1.0)] {
                let mut target = h.view_mut((3 * i, 3 * j), (3, 3));
                target += block * sign;
            }
        }
        for a in &self.anchors {
            let mut target = h.view_mut((3 * a.node, 3 * a.node), (3, 3));
            target += M3::identity() * a.k;
        }
        h
    }

    /// The 9 × 12 matrix from the corners of tetrahedron `e` to vec(F), columns of F stacked.
    pub fn tet_reduction(&self, e: usize) -> DMatrix<f64> {
        let mut d = DMatrix::zeros(9, 12);
        for v in 0..4 {
            for column in 0..3 {
                for row in 0..3 {
                    d[(3 * column + row, 3 * v + row)] = self.gradients[e][v][column];
                }
            }
        }
        d
    }

    /// x̃ = x + h v + h² a (1); pinned nodes are at their targets.
    pub fn predicted(&self, x: &[V3], v: &[V3], h: f64, a_ext: &V3) -> Vec<V3> {
        let mut out: Vec<V3> = x.iter().zip(v).map(|(x, v)| x + v * h + a_ext * (h * h)).collect();
        self.put_pins(&mut out);
        out
    }

    /// Moves pinned nodes to their targets.
    pub fn put_pins(&self, x: &mut [V3]) {
        for pin in &self.pins {
            x[pin.node] = pin.target;
        }
    }

    /// The objective of (1): 1/(2h²) Σ m |x − x̃|² + U(x), J. Pinned nodes are left out of the first sum.
    pub fn objective(&self, x: &[V3], xtilde: &[V3], h: f64) -> f64 {
        let inertia: f64 =
            self.free_nodes().iter().map(|&i| self.masses[i] * (x[i] - xtilde[i]).norm_squared()).sum();
        inertia / (2.0 * h * h) + self.energy(x)
    }

    /// The gradient of (1), N: M(x − x̃)/h² + ∇U(x), zero at pinned nodes.
    pub fn objective_gradient(&self, x: &[V3], xtilde: &[V3], h: f64) -> Vec<V3> {
        let mut g = self.gradient(x);
        for i in 0..g.len() {
            g[i] += (x[i] - xtilde[i]) * (self.masses[i] / (h * h));
        }
        for pin in &self.pins {
            g[pin.node] = V3::zeros();
        }
        g
    }

    /// Nodes without a pin, in order.
    pub fn free_nodes(&self) -> Vec<usize> {
        (0..self.node_count()).filter(|&i| self.pins.iter().all(|p| p.node != i)).collect()
    }

    /// f_ref = √Σ_i (Σ_e |f_e,i| + m_i |a_i|)² over free nodes, a = (x − x_n − h v_n)/h², N.
    pub fn force_scale(&self, x: &[V3], xn: &[V3], vn: &[V3], h: f64) -> f64 {
        let mut size = vec![0.0; self.node_count()];
        for (node, term) in self.term_gradients(x) {
            size[node] += term.norm();
        }
        for i in 0..size.len() {
            size[i] += self.masses[i] * (x[i] - xn[i] - vn[i] * h).norm() / (h * h);
        }
        self.free_nodes().iter().map(|&i| size[i] * size[i]).sum::<f64>().sqrt()
    }

    /// ‖M(x − x̃)/h² + ∇U(x) − Cᵀλ‖ / f_ref, 0 where f_ref is 0. Cᵀλ is the reaction at the pins, which takes
    /// all of the force there: both sums run over free nodes.
    pub fn force_residual(&self, x: &[V3], xtilde: &[V3], xn: &[V3], vn: &[V3], h: f64) -> f64 {
        let scale = self.force_scale(x, xn, vn, h);
        if scale == 0.0 {
            return 0.0;
        }
        flatten(&self.objective_gradient(x, xtilde, h)).norm() / scale
    }

    /// Primal residual (22), ‖W(Dx − z)‖, for a body of tetrahedra only: one 3×3 z and one w² per
    /// tetrahedron.
    pub fn primal_residual(&self, x: &[V3], z: &[M3], w2: &[f64]) -> f64 {
        let sum: f64 =
            (0..self.tets.len()).map(|e| w2[e] * (self.deformation(e, x) - z[e]).norm_squared()).sum();
        sum.sqrt()
    }

    /// Dual residual (23), ‖DᵀW²(z − z_prev)‖, for a body of tetrahedra only. Free nodes: D is that of the
    /// unknowns.
    pub fn dual_residual(&self, z: &[M3], z_prev: &[M3], w2: &[f64]) -> f64 {
        let n = 3 * self.node_count();
        let mut sum = DVector::<f64>::zeros(n);
        for e in 0..self.tets.len() {
            let change = self.tet_reduction(e).transpose() * vec9(&(z[e] - z_prev[e])) * w2[e];
            for (v, &i) in self.tets[e].iter().enumerate() {
                for c in 0..3 {
                    sum[3 * i + c] += change[3 * v + c];
                }
            }
        }
        let free: f64 = self.free_nodes().iter().map(|&i| sum.rows(3 * i, 3).norm_squared()).sum();
        free.sqrt()
    }
}

/// The gradients g of a tetrahedron's four hat functions, by which F = Σ x_v g_vᵀ.
fn shape_gradients(rest: &[V3], tet: &[usize; 4]) -> [V3; 4] {
    let [a, b, c, d] = tet.map(|i| rest[i]);
    let inverse = M3::from_columns(&[b - a, c - a, d - a]).try_inverse().unwrap();
    let [gb, gc, gd] = [0, 1, 2].map(|r| inverse.row(r).transpose());
    [-(gb + gc + gd), gb, gc, gd]
}

/// Positions as one vector of 3n numbers.
pub fn flatten(x: &[V3]) -> DVector<f64> {
    DVector::from_iterator(3 * x.len(), x.iter().flat_map(|p| [p.x, p.y, p.z]))
}

/// The points of a vector of 3n numbers.
pub fn unflatten(x: &DVector<f64>) -> Vec<V3> {
    (0..x.len() / 3).map(|i| V3::new(x[3 * i], x[3 * i + 1], x[3 * i + 2])).collect()
}
