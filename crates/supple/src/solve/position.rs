//! Position-based dynamics (Müller et al. 2007; its place among these methods: Bouaziz et al. 2014, section 5).
//!
//! The constraint of a term is C = √(2Ψ) = 0, for a spring its length, and its projection the mass-weighted step
//! Δx = −M⁻¹∇C C/|M^(−½)∇C|² = −M⁻¹∇Ψ 2Ψ/|M^(−½)∇Ψ|². How stiff a term is does not enter, only how often it is projected:
//! a baseline that shows why that is not enough.
//!
//! Gauss–Seidel takes one term after the other. Jacobi takes all at once and averages: with the momentum term it minimises
//! ½Δt⁻²‖M^½(x − x̃)‖² + Σ_i ½ Σ_v κ_iv |x_v − p_iv|² over x, with p_i the projected corners and κ_iv = w²|g_v|².

use super::stop::{Progress, by_forces};
use super::{Outcome, Problem, Run};
use crate::math::nodes::Row;
use crate::settings::{DualStart, Method, Sweep};
use crate::term::Constraint;

/// How far each corner of a term moves: (factor of the gradient, over its mass) for the projection; 0 where it is satisfied, or
/// where the energy is infinite and leads nowhere.
fn reach(c: &Constraint<'_>, inverse_mass: &[[f64; 3]]) -> f64 {
    let mut size = 0.0;
    for (g, &v) in c.gradient.iter().zip(c.nodes) {
        let [x, y, z] = inverse_mass[v as usize];
        size += x * (g[0] * g[0]) + y * (g[1] * g[1]) + z * (g[2] * g[2]);
    }
    let factor = -2.0 * c.energy / size;
    if c.energy.is_finite() && size > 0.0 && factor.is_finite() { factor } else { 0.0 }
}

/// Projects from the problem's iterate.
pub fn minimise(p: &mut Problem<'_>, run: &mut Run<'_, '_>, memory: &mut Vec<[f64; 3]>) -> Outcome {
    let mut progress = Progress::new();
    p.method = Method::Position;
    p.terms.reset(p.x, DualStart::Zero, p.exec);
    p.find_rounding();
    // What is pinned has no inverse mass.
    p.inverse_masses(memory);
    let inverse_mass = &*memory;
    let status = loop {
        let start = run.clock.seconds();
        match run.settings.sweep {
            Sweep::GaussSeidel => p.terms.each_constraint(p.x, &mut |x, term| {
                let factor = reach(term, inverse_mass);
                for (g, &v) in term.gradient.iter().zip(term.nodes) {
                    let v = v as usize;
                    for c in 0..3 {
                        x[v].0[c] += factor * inverse_mass[v][c] * g[c];
                    }
                }
            }),
            Sweep::Jacobi => jacobi(p, inverse_mass),
        }
        let end = run.clock.seconds();
        run.local += end - start;
        let last = run.look(p, end - start);
        if let Some(status) = by_forces(p, run, &mut progress, last) {
            break status;
        }
    };
    run.end(p, Method::Position, status, 0.0)
}

/// One sweep over all terms at once: rhs holds numerator and, as its fourth number, denominator of the averages.
fn jacobi(p: &mut Problem<'_>, inverse_mass: &[[f64; 3]]) {
    let free = p.free();
    let inv = 1.0 / (p.dt * p.dt);
    for i in 0..free {
        let m = p.mass[i] * inv;
        p.rhs[i].0[3] = m;
        for c in 0..3 {
            // Sums of differences to x, which are small.
            p.rhs[i].0[c] = m * (p.x_tilde[i].0[c] - p.x[i].0[c]);
        }
    }
    let rhs = &mut *p.rhs;
    p.terms.each_constraint(p.x, &mut |_, term| {
        let factor = reach(term, inverse_mass);
        for ((g, &k), &v) in term.gradient.iter().zip(term.stiffness).zip(term.nodes) {
            let v = v as usize;
            if v < free {
                rhs[v].0[3] += k;
                for c in 0..3 {
                    rhs[v].0[c] += k * factor * inverse_mass[v][c] * g[c];
                }
            }
        }
    });
    p.hold_rhs();
    for i in 0..free {
        let Row(r) = p.rhs[i];
        for c in 0..3 {
            p.x[i].0[c] += r[c] / r[3];
        }
    }
}
