//! prox_Ψ(F̃, k) = argmin Ψ(F) + k/2 ‖F − F̃‖², eq. (34): the global minimiser, by search and refinement.
//!
//! For an isotropic energy the minimiser has the singular vectors of F̃, and what is left is a problem in
//! three stretches. Energies that stay finite when inverted are minimised over the signed stretches σ₁ ≥ σ₂ ≥
//! |σ₃|; the barrier and St. Venant–Kirchhoff over σ ≥ 0. Either domain is a cone on which the energy is a
//! smooth symmetric formula, so its minimiser is a stationary point in the inside of one of the cone's faces:
//! every face is searched by a grid, and the best points of each are refined by Newton's method.

use super::material::{Lame, RefMaterial};
use super::svd::signed_svd;
use super::{M3, M9, V3, V9, mat3, vec9};
use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// Which stretches an energy admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// σ₁ ≥ σ₂ ≥ |σ₃|: the smallest may be negative.
    Signed,
    /// σ ≥ 0.
    NonNegative,
}

/// A minimiser and the value there.
#[derive(Clone, Copy, Debug)]
pub struct RefProx {
    pub sigma: V3,
    /// Ψ(σ) + k/2 ‖σ − σ̃‖², J/m³.
    pub objective: f64,
}

impl RefMaterial {
    /// Panics for `Linear`, which is no function of stretches.
    pub fn domain(&self) -> Domain {
        match self {
            Self::Arap { .. } | Self::Corotated(_) => Domain::Signed,
            Self::NeoHookean(_) | Self::StVenantKirchhoff(_) => Domain::NonNegative,
            Self::More(m, _) if m.barrier() => Domain::NonNegative,
            Self::More(..) => Domain::Signed,
            Self::Linear(_) => panic!("linear elasticity has no stretches"),
        }
    }

    /// Ψ as a formula of the stretches, right in the domain.
    pub fn stretch_density(&self, s: &V3) -> f64 {
        match *self {
            Self::Arap { k } => 0.5 * k * s.add_scalar(-1.0).norm_squared(),
            Self::Corotated(Lame { mu, lambda }) => {
                mu * s.add_scalar(-1.0).norm_squared() + 0.5 * lambda * (s.sum() - 3.0).powi(2)
            }
            Self::NeoHookean(Lame { mu, lambda }) => {
                if s.min() <= 0.0 {
                    return f64::INFINITY;
                }
                let log_j: f64 = s.iter().map(|c| c.ln()).sum();
                0.5 * mu * (s.norm_squared() - 3.0) - mu * log_j + 0.5 * lambda * log_j * log_j
            }
            Self::StVenantKirchhoff(Lame { mu, lambda }) => {
                let e = s.map(|c| 0.5 * (c * c - 1.0));
                mu * e.norm_squared() + 0.5 * lambda * e.sum().powi(2)
            }
            Self::More(m, lame) => m.density(lame, s),
            Self::Linear(_) => panic!("linear elasticity has no stretches"),
        }
    }

    /// ∂Ψ/∂σ.
    pub fn stretch_gradient(&self, s: &V3) -> V3 {
        match *self {
            Self::Arap { k } => s.add_scalar(-1.0) * k,
            Self::Corotated(Lame { mu, lambda }) => {
                s.map(|c| 2.0 * mu * (c - 1.0) + lambda * (s.sum() - 3.0))
            }
            Self::NeoHookean(Lame { mu, lambda }) => {
                let log_j: f64 = s.iter().map(|c| c.ln()).sum();
                s.map(|c| mu * (c - 1.0 / c) + lambda * log_j / c)
            }
            Self::StVenantKirchhoff(Lame { mu, lambda }) => {
                let trace = 0.5 * (s.norm_squared() - 3.0);
                s.map(|c| c * (mu * (c * c - 1.0) + lambda * trace))
            }
            Self::More(m, lame) => m.gradient(lame, s),
            Self::Linear(_) => panic!("linear elasticity has no stretches"),
        }
    }

    /// ∂²Ψ/∂σ².
    pub fn stretch_hessian(&self, s: &V3) -> M3 {
        match *self {
            Self::Arap { k } => M3::identity() * k,
            Self::Corotated(Lame { mu, lambda }) => M3::identity() * (2.0 * mu) + M3::repeat(lambda),
            Self::NeoHookean(Lame { mu, lambda }) => {
                let log_j: f64 = s.iter().map(|c| c.ln()).sum();
                let inverse = s.map(|c| 1.0 / c);
                let own = s.map(|c| mu + (mu - lambda * log_j) / (c * c));
                M3::from_diagonal(&own) + inverse * inverse.transpose() * lambda
            }
            Self::StVenantKirchhoff(Lame { mu, lambda }) => {
                let trace = 0.5 * (s.norm_squared() - 3.0);
                let own = s.map(|c| mu * (3.0 * c * c - 1.0) + lambda * trace);
                M3::from_diagonal(&own) + s * s.transpose() * lambda
            }
            Self::More(m, lame) => m.hessian(lame, s),
            Self::Linear(_) => panic!("linear elasticity has no stretches"),
        }
    }

    fn largest_modulus(&self) -> f64 {
        match *self {
            Self::Arap { k } => k,
            Self::Linear(l)
            | Self::Corotated(l)
            | Self::NeoHookean(l)
            | Self::StVenantKirchhoff(l)
            | Self::More(_, l) => l.mu.max(l.lambda.abs()),
        }
    }
}

/// Ψ(σ) + k/2 ‖σ − σ̃‖², +∞ outside the domain.
pub fn prox_objective(material: &RefMaterial, sigma: &V3, target: &V3, k: f64) -> f64 {
    if outside(material.domain(), sigma) {
        return f64::INFINITY;
    }
    material.stretch_density(sigma) + 0.5 * k * (sigma - target).norm_squared()
}

/// The global minimiser over the domain, by a search that knows nothing of the energy. `target` is in order,
/// σ̃₁ ≥ σ̃₂ ≥ |σ̃₃|. The objective is right to about 1e-14 of the larger of the moduli and k.
pub fn prox_by_search(material: &RefMaterial, target: &V3, k: f64) -> RefProx {
    Problem::new(material, target, k).minimise(true)
}

/// The same by refinement from a few starts only: fast enough for the inside of a loop. `tests/oracle.rs`
/// compares it with the search.
pub fn prox_by_refinement(material: &RefMaterial, target: &V3, k: f64) -> RefProx {
    Problem::new(material, target, k).minimise(false)
}

/// prox_Ψ(F̃, k) as a matrix, by refinement in the stretches; for `Linear` the dense 9×9 system
/// (∂P/∂F + k) vec F = k vec F̃ − vec P(0).
pub fn prox_matrix(material: &RefMaterial, f: &M3, k: f64) -> M3 {
    if !material.is_isotropic() {
        let system: M9 = material.hessian(f) + M9::identity() * k;
        let load: V9 = vec9(f) * k - vec9(&material.stress(&M3::zeros()));
        return mat3(&system.lu().solve(&load).unwrap());
    }
    let svd = signed_svd(f);
    svd.with_stretches(&prox_by_refinement(material, &svd.sigma, k).sigma)
}

/// How far −∇ of the objective is from the normal cone of the domain at σ: 0 at a minimiser, on the boundary
/// or not.
pub fn projected_gradient(material: &RefMaterial, sigma: &V3, target: &V3, k: f64) -> f64 {
    let g = material.stretch_gradient(sigma) + (sigma - target) * k;
    let touching = 1e-12 * sigma.amax().max(1e-300);
    let walls: Vec<V3> = inward_normals(material.domain())
        .into_iter()
        .filter(|n| n.dot(sigma).abs() <= touching || sigma.amax() == 0.0)
        .collect();
    // Least distance of g from the non-negative combinations of the inward normals, subset by subset.
    let mut best = g.norm();
    for subset in 1_u32..1 << walls.len() {
        let chosen: Vec<V3> = (0..walls.len()).filter(|i| subset & (1 << i) != 0).map(|i| walls[i]).collect();
        let n = DMatrix::from_columns(
            &chosen.iter().map(|c| DVector::from_column_slice(c.as_slice())).collect::<Vec<_>>(),
        );
        let load = DVector::from_column_slice(g.as_slice());
        let Some(multipliers) = (n.transpose() * &n).lu().solve(&(n.transpose() * &load)) else { continue };
        if multipliers.iter().all(|&m| m >= 0.0) {
            best = best.min((&load - &n * multipliers).norm());
        }
    }
    best
}

/// The domain is where every one of these has a non-negative product with σ. The order of stretches is not
/// among them: the energy is symmetric, and an unordered minimiser is an ordered one renamed.
fn inward_normals(domain: Domain) -> Vec<V3> {
    match domain {
        Domain::NonNegative => vec![V3::x(), V3::y(), V3::z()],
        Domain::Signed => {
            vec![V3::new(1.0, 1.0, 0.0), V3::new(1.0, 0.0, 1.0), V3::new(0.0, 1.0, 1.0)]
        }
    }
}

fn outside(domain: Domain, sigma: &V3) -> bool {
    let touching = 1e-13 * sigma.amax();
    inward_normals(domain).iter().any(|n| n.dot(sigma) < -touching)
}

/// The faces of the domain, each by vectors that span it.
fn faces(domain: Domain) -> Vec<Vec<V3>> {
    let (x, y, z) = (V3::x(), V3::y(), V3::z());
    match domain {
        Domain::NonNegative => {
            vec![vec![x, y, z], vec![x, y], vec![x, z], vec![y, z], vec![x], vec![y], vec![z], vec![]]
        }
        Domain::Signed => vec![vec![x, y, z], vec![x, y - z], vec![x + y - z], vec![x], vec![]],
    }
}

/// The problem with moduli of the order of one.
struct Problem {
    material: RefMaterial,
    target: V3,
    k: f64,
    scale: f64,
}

impl Problem {
    fn new(material: &RefMaterial, target: &V3, k: f64) -> Self {
        let scale = material.largest_modulus().max(k);
        Self { material: material.scaled(1.0 / scale), target: *target, k: k / scale, scale }
    }

    fn value(&self, sigma: &V3) -> f64 {
        prox_objective(&self.material, sigma, &self.target, self.k)
    }

    fn minimise(&self, search: bool) -> RefProx {
        let mut found = Vec::new();
        for face in faces(self.material.domain()) {
            let mut starts = self.usual_starts(&face);
            if search {
                starts.extend(self.grid_starts(&face));
            }
            for start in starts {
                let mut sigma = self.refine(&face, start);
                sigma.as_mut_slice().sort_by(|a, b| b.total_cmp(a));
                found.push(RefProx { sigma, objective: self.value(&sigma) });
            }
        }
        // A run that only crept up to a wall has the objective of the point on the wall: among equals, the
        // one that is stationary.
        let lowest = found.iter().map(|f| f.objective).fold(f64::INFINITY, f64::min);
        let slope = |f: &RefProx| projected_gradient(&self.material, &f.sigma, &self.target, self.k);
        let mut best = found
            .into_iter()
            .filter(|f| f.objective <= lowest + 1e-14 * (1.0 + lowest))
            .min_by(|f, g| slope(f).total_cmp(&slope(g)))
            .unwrap();
        best.objective *= self.scale;
        best
    }

    /// σ̃, rest, what is between, and much compressed: their nearest points of the face.
    fn usual_starts(&self, face: &[V3]) -> Vec<DVector<f64>> {
        let one = V3::repeat(1.0);
        let inside = |s: V3| match self.material.domain() {
            Domain::NonNegative => s.map(|c| c.max(0.02)),
            Domain::Signed => s,
        };
        [self.target, one, (self.target + one) * 0.5, one * 0.1]
            .into_iter()
            .map(|s| {
                DVector::from_iterator(face.len(), face.iter().map(|b| b.dot(&inside(s)) / b.norm_squared()))
            })
            .collect()
    }

    /// The points of a grid on the face that are lower than their neighbours, and the lowest few. No
    /// minimiser is further from σ̃ than √(2 J₀/k) for any J₀ that the objective takes, as Ψ ≥ 0.
    fn grid_starts(&self, face: &[V3]) -> Vec<DVector<f64>> {
        let d = face.len();
        let reachable = self.value(&V3::repeat(1.0)).min(self.value(&self.target));
        let radius = (2.0 * reachable / self.k).sqrt().max(1e-3);
        let per_axis: usize = match d {
            3 => 21,
            2 => 61,
            1 => 401,
            _ => return Vec::new(),
        };
        let count = per_axis.pow(d as u32);
        let coordinates = |index: usize| -> DVector<f64> {
            DVector::from_fn(d, |axis, _| {
                let at = index / per_axis.pow(axis as u32) % per_axis;
                let centre = face[axis].dot(&self.target) / face[axis].norm_squared();
                centre + radius * (2.0 * at as f64 / (per_axis - 1) as f64 - 1.0)
            })
        };
        let values: Vec<f64> = (0..count).map(|i| self.value(&on_face(face, &coordinates(i)))).collect();
        let mut order: Vec<usize> = (0..count).filter(|&i| values[i].is_finite()).collect();
        order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
        let lower_than_neighbours = |i: usize| {
            (0..d).all(|axis| {
                let stride = per_axis.pow(axis as u32);
                let at = i / stride % per_axis;
                (at == 0 || values[i] <= values[i - stride])
                    && (at + 1 == per_axis || values[i] <= values[i + stride])
            })
        };
        let mut starts: Vec<usize> = order.iter().copied().take(8).collect();
        starts.extend(order.iter().copied().filter(|&i| lower_than_neighbours(i)));
        starts.into_iter().map(coordinates).collect()
    }

    /// Newton's method in the coordinates of the face, with absolute eigenvalues and a line search that never
    /// leaves the domain; ends where neither the value nor the gradient gets smaller.
    fn refine(&self, face: &[V3], start: DVector<f64>) -> V3 {
        let mut t = start;
        let mut value = self.value_on_face(face, &t);
        if face.is_empty() || !value.is_finite() {
            return on_face(face, &t);
        }
        let mut g = self.gradient_on_face(face, &t);
        for _ in 0..200 {
            let step = -self.newton_step(face, &t, &g);
            let slope = step.dot(&g);
            let at_the_end = -slope <= 1e-13 * value.abs() || step.norm() <= 1e-12 * t.norm();
            let mut alpha = 1.0;
            let mut accepted = None;
            while alpha > if at_the_end { 0.5 } else { 1e-12 } {
                let trial = &t + &step * alpha;
                let trial_value = self.value_on_face(face, &trial);
                if trial_value.is_finite() && (at_the_end || trial_value <= value + 1e-4 * alpha * slope) {
                    let trial_g = self.gradient_on_face(face, &trial);
                    if !at_the_end || trial_g.norm() < g.norm() {
                        accepted = Some((trial, trial_value, trial_g));
                    }
                    break;
                }
                alpha *= 0.5;
            }
            let Some(next) = accepted else { break };
            (t, value, g) = next;
        }
        on_face(face, &t)
    }

    /// The smooth formula. The signed domain is left freely on the way (what ends outside is dropped at the
    /// end); σ ≥ 0 is not, since beyond it a symmetric energy only repeats itself.
    fn value_on_face(&self, face: &[V3], t: &DVector<f64>) -> f64 {
        let sigma = on_face(face, t);
        if self.material.domain() == Domain::NonNegative && outside(Domain::NonNegative, &sigma) {
            return f64::INFINITY;
        }
        self.material.stretch_density(&sigma) + 0.5 * self.k * (sigma - self.target).norm_squared()
    }

    fn gradient_on_face(&self, face: &[V3], t: &DVector<f64>) -> DVector<f64> {
        let sigma = on_face(face, t);
        let g = self.material.stretch_gradient(&sigma) + (sigma - self.target) * self.k;
        DVector::from_iterator(face.len(), face.iter().map(|b| b.dot(&g)))
    }

    /// |H|⁻¹ g.
    fn newton_step(&self, face: &[V3], t: &DVector<f64>, g: &DVector<f64>) -> DVector<f64> {
        let h = self.material.stretch_hessian(&on_face(face, t)) + M3::identity() * self.k;
        let on = DMatrix::from_fn(face.len(), face.len(), |i, j| face[i].dot(&(h * face[j])));
        let eigen = SymmetricEigen::new(on);
        let floor = 1e-10 * eigen.eigenvalues.amax();
        let mut c = eigen.eigenvectors.tr_mul(g);
        for i in 0..c.len() {
            c[i] /= eigen.eigenvalues[i].abs().max(floor);
        }
        eigen.eigenvectors * c
    }
}

fn on_face(face: &[V3], t: &DVector<f64>) -> V3 {
    face.iter().zip(t.iter()).map(|(b, c)| b * *c).sum()
}
