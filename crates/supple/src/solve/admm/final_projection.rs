//! The end of a step that stops before it converges: hard constraints are projected one after the other (`term/sweep.rs`).
//!
//! ADMM gets forces right before it gets constraints right. What is left is local, and sweeps of Gauss–Seidel in the metric of the masses take most
//! of it away at the cost of an iteration each. They are kept if constraints are nearer to holding and no energy comes from nowhere.

use crate::math::nodes::Row;
use crate::settings::Method;
use crate::solve::start::History;
use crate::solve::{Outcome, Problem, Run, Status};

/// The share of a time budget that is kept for this.
const SHARE: f64 = 0.25;
/// How often the sweeps that are asked for are repeated while a time budget lasts.
const ROUNDS: usize = 10;
/// Energy may grow by this share.
const GROWS: f64 = 0.1;
/// A round that takes away less than this of what was left is the last.
const WORTH: f64 = 0.1;

/// Before the method runs: keeps time for the end.
pub fn reserve(p: &Problem<'_>, run: &mut Run<'_, '_>) {
    if wanted(p, run) {
        run.reserve = SHARE * run.settings.time_budget.unwrap_or(0.0);
    }
}

/// Contacts and pins along some axes know nothing of these moves: with them the step stays as it is.
fn wanted(p: &Problem<'_>, run: &Run<'_, '_>) -> bool {
    run.settings.projections > 0 && p.terms.hard() && p.contact.is_empty() && p.axes.is_empty()
}

/// Kinetic energy of a step from x_n to x, in J.
fn kinetic(p: &Problem<'_>, x: &[Row], x_n: &[Row]) -> f64 {
    let mut sum = 0.0;
    for i in 0..p.free() {
        for c in 0..3 {
            let d = x[i].0[c] - x_n[i].0[c];
            sum += p.mass[i] * d * d;
        }
    }
    0.5 * sum / (p.dt * p.dt)
}

/// After the method: sweeps, if it did not converge. `memory` is for masses.
pub fn finish(
    p: &mut Problem<'_>,
    run: &mut Run<'_, '_>,
    history: &History<'_>,
    mut outcome: Outcome,
    memory: &mut Vec<f64>,
) -> Outcome {
    run.reserve = 0.0;
    let ended = matches!(outcome.status, Status::IterationLimit | Status::TimeLimit | Status::Stalled);
    if !ended || outcome.method != Method::Admm || !wanted(p, run) || outcome.force.sums.violation == 0.0 {
        return outcome;
    }
    let free = p.free();
    memory.clear();
    memory.extend(p.mass.iter().enumerate().map(|(i, m)| if i < free { 1.0 / m } else { 0.0 }));
    let before = outcome.force.sums;
    // No more than what was there, or than what inertia and outer forces alone would bring.
    let moved = kinetic(p, p.x_tilde, history.x).max((1.0 + GROWS) * kinetic(p, p.x, history.x));
    let most = moved + before.energy + GROWS * before.energy.abs();
    let rounds = if outcome.status == Status::TimeLimit { ROUNDS } else { 1 };
    let (mut left, mut kept) = (before.violation, false);
    let mut prepare = true;
    for _ in 0..rounds {
        p.rhs.copy_from_slice(&p.x[..free]);
        let mut each = 0.0;
        for k in 0..run.settings.projections {
            let start = run.clock.seconds();
            // The first sweeps are worth being late for, the forces and the report are still to come.
            if k > 1 && !run.fits(2.0 * each) {
                break;
            }
            p.terms.sweep(p.x, memory, prepare);
            prepare = false;
            each = run.clock.seconds() - start;
        }
        let sums = p.terms.energy(p.x, p.exec);
        let sound = sums.infinite <= before.infinite && sums.energy + kinetic(p, p.x, history.x) <= most;
        if !(sums.violation < left && sound) {
            p.x[..free].copy_from_slice(p.rhs);
            break;
        }
        let worth = sums.violation < (1.0 - WORTH) * left;
        (left, kept) = (sums.violation, true);
        if !worth || left <= run.settings.tolerance || !run.fits(each * run.settings.projections as f64) {
            break;
        }
    }
    if kept {
        outcome.primal = p.primal().primal.sqrt();
        outcome.force = p.force_residual();
    }
    outcome
}
