//! Backward Euler in its minimisation form: the prediction x̃ of eq. (1) and the velocity of eq. (2).
//!
//! A multi-step scheme such as BDF2 changes these two functions, the factor of Δt in the system, and the history that
//! they read; nothing else.

use crate::math::nodes::Row;

/// x_n + Δt v_n, and x̃ = x_n + Δt v_n + Δt² (g + f/m), for the free nodes; v_n is multiplied by `kept`, what damping leaves of it.
pub fn predict(
    (x, v, force): (&[Row], &[Row], &[Row]),
    mass: &[f64],
    (gravity, kept): ([f64; 3], f64),
    dt: f64,
    (x_free, x_tilde): (&mut [Row], &mut [Row]),
) {
    for i in 0..x_free.len() {
        for c in 0..3 {
            let free = x[i].0[c] + dt * (kept * v[i].0[c]);
            x_free[i].0[c] = free;
            x_tilde[i].0[c] = free + dt * dt * (gravity[c] + force[i].0[c] / mass[i]);
        }
    }
}

/// v = (x⁺ − x)/Δt (2), and the acceleration that led there.
pub fn commit(x_new: &[Row], dt: f64, (x, v, a): (&mut [Row], &mut [Row], &mut [Row])) {
    for i in 0..x_new.len() {
        for c in 0..3 {
            let v_new = (x_new[i].0[c] - x[i].0[c]) / dt;
            a[i].0[c] = (v_new - v[i].0[c]) / dt;
            v[i].0[c] = v_new;
            x[i].0[c] = x_new[i].0[c];
        }
    }
}
