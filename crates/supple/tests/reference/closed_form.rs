//! Answers known on paper.

use super::V3;
use super::material::{RefMaterial, diagonal};

/// Position after `n` steps of backward Euler in a uniform field: x₀ + n h v₀ + g h² n(n+1)/2.
pub fn free_fall(x0: &V3, v0: &V3, g: &V3, h: f64, n: usize) -> V3 {
    let steps = n as f64;
    x0 + v0 * (steps * h) + g * (h * h * steps * (steps + 1.0) / 2.0)
}

/// Displacement after `n` steps of backward Euler of a particle on a linear spring, ω² = k/m:
/// (1 + ω²h²)^(−n/2) [x₀ cos nφ + (v₀/ω) sin nφ], φ = atan ωh.
pub fn spring_oscillator(x0: f64, v0: f64, omega: f64, h: f64, n: usize) -> f64 {
    let steps = n as f64;
    let angle = steps * (omega * h).atan();
    let decay = (1.0 + (omega * h).powi(2)).powf(-steps / 2.0);
    decay * (x0 * angle.cos() + v0 / omega * angle.sin())
}

/// Uniaxial tension with free sides: the lateral stretch a at which P₂₂(diag(s, a, a)) = 0, and P₁₁ there.
/// Bisection in [0.05, 5] down to neighbouring numbers; P₂₂ grows with a there for stretches up to about 2.
pub fn uniaxial(material: &RefMaterial, stretch: f64) -> (f64, f64) {
    let side = |a: f64| material.stress(&diagonal(stretch, a, a))[(1, 1)];
    // St. Venant–Kirchhoff also has P₂₂ = 0 at a = 0: the bracket starts above the spinodal.
    let mut low = 0.05;
    let mut high = 5.0;
    while side(low) > 0.0 && low < high {
        low += 0.01;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if side(middle) > 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    let lateral = 0.5 * (low + high);
    (lateral, material.stress(&diagonal(stretch, lateral, lateral))[(0, 0)])
}

/// Uniaxial neo-Hookean tension from the scalar equations, without going through F: with free sides
/// μ(a² − 1) + λ ln(s a²) = 0, and P₁₁ = (μ(s² − 1) + λ ln(s a²)) / s = μ(s² − a²)/s.
pub fn uniaxial_neo_hookean(mu: f64, lambda: f64, stretch: f64) -> (f64, f64) {
    let (mut low, mut high) = (1e-6_f64, 10.0_f64);
    for _ in 0..200 {
        let a = 0.5 * (low + high);
        if mu * (a * a - 1.0) + lambda * (stretch * a * a).ln() > 0.0 {
            high = a;
        } else {
            low = a;
        }
    }
    let a = 0.5 * (low + high);
    (a, mu * (stretch * stretch - a * a) / stretch)
}
