//! Contact by local terms: each node that may touch has a term of its own with D = I. Its local step takes the node out of the obstacles,
//! z = prox(x + u), and its weight w² is part of the matrix.

use super::stiffness;
use crate::solve::Problem;
use crate::solve::admm::contact;

/// Local step of `local` before the right-hand side is made: with y the gap and slip of x, λ⁺ = project(λ − w²y), which is
/// z = prox(x + u) with u = −Rᵀλ/w². The load of the term, w²(z − u⁺ − x), is then Cᵀ(2λ⁺ − λ).
pub(in crate::solve) fn local_step(p: &mut Problem<'_>) {
    let half = |p: &Problem<'_>, node| 0.5 * stiffness(p, node);
    let weights: Vec<f64> = p.contact.contacts().iter().map(|c| half(p, c.nodes[0])).collect();
    let x = &*p.x;
    p.contact.change_forces(|k, c| {
        let y = c.gap(x);
        (c.law.project(std::array::from_fn(|d| c.force[d] - weights[k] * y[d])), 1.0 / weights[k])
    });
}

/// The global step of `local`, whose right-hand side is ready.
pub(in crate::solve) fn global_step(p: &mut Problem<'_>) {
    p.solve_rhs();
    contact::add(p.x, p.rhs);
    p.contact.update(p.x);
}
