//! BDF2 with a variable step (Hairer, Nørsett & Wanner 1993, section III.5): second order, A- and L-stable for equal steps.
//!
//! y⁺ = (1+ω)²/(1+2ω) y_n − ω²/(1+2ω) y_{n−1} + (1+ω)/(1+2ω) Δt f⁺ with ω = Δt/Δt_before; for equal steps 4/3, 1/3 and 2/3.

use super::Rule;

/// Steps that grow by more than this, 1 + √2, make the formula unstable: then, as without a past, backward Euler. One such step has an
/// error of second order and spoils nothing.
const GROWTH: f64 = 2.4;

pub(super) fn rule(dt: f64, before: f64) -> Rule {
    let ratio = dt / before;
    if !(before > 0.0 && ratio <= GROWTH && ratio.is_finite()) {
        return Rule::backward_euler(dt);
    }
    let (over, more) = (1.0 / (1.0 + 2.0 * ratio), 1.0 + ratio);
    Rule {
        dt,
        step: dt * more * over,
        weights: [more * more * over, -ratio * ratio * over],
        ahead: [more, -ratio],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exact for parabolas y = t², whatever the steps: y⁺ = w₀y_n + w₁y_{n−1} + s y′⁺.
    #[test]
    fn exact_for_parabolas() {
        for (before, dt) in [(1.0, 1.0), (0.5, 1.0), (2.0, 0.3), (1.0, 2.4)] {
            let r = rule(dt, before);
            let y = |t: f64| t * t;
            let next = r.weights[0] * y(0.0) + r.weights[1] * y(-before) + r.step * 2.0 * dt;
            assert!((next - y(dt)).abs() < 1e-14, "{before} {dt}: {next}");
            assert!((r.weights[0] + r.weights[1] - 1.0).abs() < 1e-15);
            // Lines are extrapolated exactly.
            assert!((r.ahead[1] * -before - dt).abs() < 1e-14);
        }
        for (before, dt) in [(0.0, 1.0), (1.0, 2.5)] {
            assert_eq!(rule(dt, before), Rule::backward_euler(dt));
        }
    }
}
