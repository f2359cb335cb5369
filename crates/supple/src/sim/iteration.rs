//! What observers see of an iteration, and the local variables of ADMM.

use super::Simulation;
use crate::settings::Method;
use crate::solve::Problem;
use crate::term::TermSet;

/// What an observer sees of an iteration. Quantities are computed when they are asked for.
pub struct Iteration<'a, 'b> {
    pub(super) index: usize,
    pub(super) place: &'a [u32],
    pub(super) problem: &'a mut Problem<'b>,
}

impl Iteration<'_, '_> {
    /// Number of the iteration: 1 after the first global step.
    pub fn index(&self) -> usize {
        self.index
    }
    /// The iterate, in m, by node.
    pub fn positions(&self) -> Vec<[f64; 3]> {
        self.place.iter().map(|&p| self.problem.x[p as usize].xyz()).collect()
    }
    /// Who made this iterate: the method asked for, or the one that `auto` is at.
    pub fn method(&self) -> Method {
        self.problem.method
    }
    /// ‖W(Dx − z)‖ (22); as in the report 0 for methods other than `admm`.
    pub fn primal(&mut self) -> f64 {
        if self.method() == Method::Admm { self.problem.primal().primal.sqrt() } else { 0.0 }
    }
    /// ‖DᵀW²(z − z_before)‖ (23); as in the report 0 for methods other than `admm` and `projective`.
    pub fn dual(&mut self) -> f64 {
        if matches!(self.method(), Method::Admm | Method::Projective) { self.problem.dual() } else { 0.0 }
    }
    /// ‖M(x − x̃)/Δt² + ∇U(x)‖/f_ref.
    pub fn force_residual(&mut self) -> f64 {
        self.problem.force_residual().relative
    }
    /// ε(x), the objective of (5), in J.
    pub fn objective(&mut self) -> f64 {
        self.problem.objective()
    }
    /// ε(x⁰), the objective at the start of the iteration, in J.
    pub fn start_objective(&self) -> f64 {
        self.problem.start_objective
    }
    /// (z, u, w²) of element `element` of batch `batch`; 3×D matrices by columns.
    pub fn local_state(&self, batch: usize, element: usize) -> Option<(Vec<f64>, Vec<f64>, f64)> {
        self.problem.terms.batches().get(batch)?.local_state(element)
    }
    /// (z, u) of every tetrahedron, body after body in order of adding; of use while [`Iteration::method`] is `admm`.
    pub fn tetrahedra(&self) -> Vec<LocalState> {
        tetrahedra(self.problem.terms)
    }
    /// Elements of each batch.
    pub fn batches(&self) -> Vec<usize> {
        self.problem.terms.batches().iter().map(|b| b.len()).collect()
    }
    /// x̃, in m, by node.
    pub fn prediction(&self) -> Vec<[f64; 3]> {
        self.place.iter().map(|&p| self.problem.x_tilde[p as usize].xyz()).collect()
    }
}

/// z, u and w² of a tetrahedron; matrices by columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalState {
    /// Number of the body, and of the tetrahedron within it.
    pub origin: (u32, u32),
    /// z of eq. (24).
    pub z: [f64; 9],
    /// u of eq. (25).
    pub u: [f64; 9],
    /// w², in J.
    pub weight: f64,
}

fn tetrahedra(terms: &TermSet) -> Vec<LocalState> {
    let mut all = Vec::new();
    for b in terms.batches().iter().filter(|b| !b.beside()) {
        for e in 0..b.len() {
            let (Some(origin), Some((z, u, weight))) = (b.origin(e), b.local_state(e)) else { continue };
            // Springs and anchors have three numbers.
            if let (Ok(z), Ok(u)) = (z.try_into(), u.try_into()) {
                all.push(LocalState { origin, z, u, weight });
            }
        }
    }
    all.sort_by_key(|s| s.origin);
    all
}

impl Simulation {
    /// z, u and w² of every tetrahedron after the last step, body after body in order of adding.
    pub fn tetrahedra(&self) -> Vec<LocalState> {
        tetrahedra(&self.terms)
    }
    /// (z, u, w²) of element `element` of batch `batch` after the last step; of flat bending, which accelerated ADMM does not split, as they were at its start.
    pub fn local_state(&self, batch: usize, element: usize) -> Option<(Vec<f64>, Vec<f64>, f64)> {
        self.terms.batches().get(batch)?.local_state(element)
    }
}
