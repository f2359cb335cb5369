//! Time integration in its minimisation form: the prediction x̃ of eq. (1) and the velocity of eq. (2).
//!
//! Every scheme here sets x⁺ = X + s v⁺ and v⁺ = V + s M⁻¹f(x⁺), with X = Σ w_k x_{n−k} and V = Σ w_k v_{n−k}. So each step is the
//! problem (5) with s for Δt and x̃ = X + sV + s²(g + f/m), and everything else, from materials to contact, knows nothing of the scheme.
//! A scheme is a [`Rule`]: s and the weights w.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | [`Rule`], [`Past`], prediction, end of a step; backward Euler |
//! | `bdf2.rs` | the second-order backward differentiation formula |
//!
//! One more: a file with its rule, and an arm in [`Rule::of`] for its variant of [`Integrator`].

mod bdf2;

use crate::math::nodes::Row;
use crate::settings::Integrator;

/// Most states before the present one that a scheme looks at.
pub const MOST_PAST: usize = 1;

/// A state before the present one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// Positions.
    pub x: Vec<Row>,
    /// Velocities.
    pub v: Vec<Row>,
    /// Time from here to the next newer state in s; 0 if there is no such state.
    pub dt: f64,
    /// Steps that do not become a past, after a jolt.
    pub wait: u32,
}

impl Past {
    /// As if there had been no step.
    pub fn forget(&mut self) {
        (self.dt, self.wait) = (0.0, 0);
    }
}

/// One step of a scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Δt, the length of the step in s.
    pub dt: f64,
    /// s: what takes the place of Δt in (5), in s.
    pub step: f64,
    /// w: the weights of the present state and of those before it; their sum is 1.
    pub weights: [f64; 1 + MOST_PAST],
    /// Weights that extrapolate both to the end of the step, for what is taken explicitly.
    pub ahead: [f64; 1 + MOST_PAST],
}

impl Rule {
    /// Backward Euler: what every scheme starts with.
    pub fn backward_euler(dt: f64) -> Rule {
        Rule { dt, step: dt, weights: [1.0, 0.0], ahead: [1.0, 0.0] }
    }

    /// The rule of the next step, of length `dt`.
    pub fn of(integrator: Integrator, dt: f64, past: &Past) -> Rule {
        match integrator {
            Integrator::BackwardEuler => Rule::backward_euler(dt),
            Integrator::Bdf2 => bdf2::rule(dt, past.dt),
        }
    }

    /// True if the rule looks further back than the present.
    fn looks_back(&self) -> bool {
        self.weights[1] != 0.0
    }

    /// Σ w_k y_{n−k} of positions or velocities, from their difference: exact where nothing moves.
    pub fn combine(&self, weights: [f64; 1 + MOST_PAST], now: &[Row], past: &[Row], out: &mut [Row]) {
        if !self.looks_back() {
            return out.copy_from_slice(now);
        }
        for i in 0..out.len() {
            for c in 0..3 {
                out[i].0[c] = now[i].0[c] + weights[1] * (past[i].0[c] - now[i].0[c]);
            }
        }
    }
}

/// X + sV, and x̃ = X + sV + s²(g + f/m), for the free nodes. Velocities are multiplied by e^(−damping·t), t the time from their state to
/// the end of the step: a factor that integrates damping exactly.
pub fn predict(
    rule: &Rule,
    (base, v, past): (&[Row], &[Row], &Past),
    (force, mass): (&[Row], &[f64]),
    (gravity, damping): ([f64; 3], f64),
    (x_free, x_tilde): (&mut [Row], &mut [Row]),
) {
    let s = rule.step;
    let kept = crate::math::elementary::exp(-damping * rule.dt);
    let kept_before = kept * crate::math::elementary::exp(-damping * past.dt);
    for i in 0..x_free.len() {
        for c in 0..3 {
            let mut velocity = rule.weights[0] * (kept * v[i].0[c]);
            if rule.looks_back() {
                velocity += rule.weights[1] * (kept_before * past.v[i].0[c]);
            }
            let free = base[i].0[c] + s * velocity;
            x_free[i].0[c] = free;
            x_tilde[i].0[c] = free + s * s * (gravity[c] + force[i].0[c] / mass[i]);
        }
    }
}

/// v⁺ = (x⁺ − X)/s (2), and the acceleration (v⁺ − V)/s that led there. A scheme that looks back remembers the state it leaves.
pub fn commit(
    rule: &Rule,
    remember: bool,
    (x_new, x_base, v_base): (&[Row], &[Row], &[Row]),
    (x, v, a, past): (&mut [Row], &mut [Row], &mut [Row], &mut Past),
) {
    if past.wait > 0 {
        past.wait -= 1;
        past.dt = 0.0;
    } else if remember {
        past.x.clear();
        past.x.extend_from_slice(x);
        past.v.clear();
        past.v.extend_from_slice(v);
        past.dt = rule.dt;
    }
    for i in 0..x_new.len() {
        for c in 0..3 {
            let v_new = (x_new[i].0[c] - x_base[i].0[c]) / rule.step;
            a[i].0[c] = (v_new - v_base[i].0[c]) / rule.step;
            v[i].0[c] = v_new;
            x[i].0[c] = x_new[i].0[c];
        }
    }
}

/// Where a contact has changed velocities abruptly, a body's past says nothing of its future: BDF2 would turn a halt into a rebound of up to
/// half the speed. Bodies in which an acceleration is [`JOLT`] times as large as any of the step before, or as gravity, get the velocity of
/// backward Euler, and all bodies two steps of it: in the first they come to rest, in the second they are at rest.
pub fn soften_jolts(
    rule: &Rule,
    (x_before, x, v, a, past): (&[Row], &[Row], &mut [Row], &[Row], &mut Past),
    before: &[f64],
    body: &[u32],
    now: &mut [f64],
) {
    accelerations(a, body, now);
    let jolted = |b: u32| match (now.get(b as usize), before.get(b as usize)) {
        (Some(now), Some(before)) => *now > JOLT * before,
        _ => false,
    };
    let mut any = false;
    for (i, &b) in body.iter().enumerate() {
        if jolted(b) {
            any = true;
            for c in 0..3 {
                v[i].0[c] = (x[i].0[c] - x_before[i].0[c]) / rule.dt;
            }
        }
    }
    if any {
        (past.dt, past.wait) = (0.0, SETTLE);
    }
}

/// Steps after a jolt that do not become a past.
pub const SETTLE: u32 = 1;

/// See [`soften_jolts`].
pub const JOLT: f64 = 4.0;

/// The largest acceleration in each body.
pub fn accelerations(a: &[Row], body: &[u32], out: &mut [f64]) {
    out.fill(0.0);
    for (a, &b) in a.iter().zip(body) {
        let size = (a.0[0] * a.0[0] + a.0[1] * a.0[1] + a.0[2] * a.0[2]).sqrt();
        if let Some(most) = out.get_mut(b as usize) {
            *most = most.max(size);
        }
    }
}
