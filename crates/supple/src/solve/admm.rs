//! Algorithm 1 of the paper: ADMM for implicit time integration.

use super::accelerate::Accelerator;
use super::firm::Firmness;
use super::infeasible::Feasibility;
use super::stop::{Progress, Status};
use super::{Outcome, Problem, Run};
use crate::settings::Method;
use crate::term::mix::Onward;

/// A step has not converged while a hard constraint is off by more than this share, or a hundred times the tolerance if that is less; a
/// tolerance that is greater is meant.
const HOLDS: f64 = 5e-4;

/// The violation, as a share, that passes for none.
pub(super) fn within(tolerance: f64) -> f64 {
    HOLDS.min(100.0 * tolerance).max(tolerance)
}

/// Iterations until the next look at the forces, which are so many times above their tolerance after so many iterations: they seldom fall
/// faster than by half in three, and what was nearly done must not wait for long.
fn wait(above: f64, iterations: usize) -> usize {
    // Also where it is infinite, or no number.
    let likely = (3.0 * crate::math::elementary::log2(above)).max(1.0) as usize;
    likely.min(1 + iterations / 8)
}

/// How long to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// To the tolerance.
    Done,
    /// To the tolerance, or until no element is inverted or flat any more.
    Sound,
}

/// Minimises (5) from the problem's iterate. `None` if it left off because all elements are sound.
pub fn minimise(p: &mut Problem<'_>, run: &mut Run<'_, '_>, until: Until) -> Option<Outcome> {
    let settings = run.settings;
    let limit = settings.iterations;
    let mut accelerator = Accelerator::new(settings);
    let watched = settings.tolerance > 0.0
        || settings.time_budget.is_some()
        || run.observer.is_some()
        || until == Until::Sound
        || !accelerator.is_none();
    let h2 = p.dt * p.dt;
    let (mut primal_progress, mut force_progress) = (Progress::new(), Progress::new());
    let mut force = None;
    // Forces are looked at in every iteration of the published method, else where they may be small enough.
    let patient = !accelerator.is_none();
    let mut next_check = 0;
    let mut feasibility = Feasibility::default();

    p.method = Method::Admm;
    // The paper splits quadratic terms too; the accelerated method need not.
    p.terms.keep_quadratics_whole(!accelerator.is_none());
    let start = run.clock.seconds();
    p.terms.reset(p.x, settings.dual_start, p.exec);
    p.find_rounding();
    // The residuals at the end take as long.
    let reserve = run.reserve;
    run.reserve += run.clock.seconds() - start;
    let mut firmness = Firmness::begin(p, settings);
    let mut onward = Onward::Plain;
    let status = loop {
        // z is kept for the residuals where someone will ask for them.
        let keep = watched || run.iterations + 2 >= limit;

        // Local step, all terms in parallel: z = prox(Dx + u) (24), u += Dx − z (25).
        let start = run.clock.seconds();
        p.terms.local_step(p.x, onward, keep, p.exec);
        onward = Onward::Plain;
        let middle = run.clock.seconds();

        // Global step (15) in increment form: A δ = M(x̃ − x) + Δt² DᵀW²(z − u − Dx), x += δ.
        p.global_step(h2, run);
        let end = run.clock.seconds();
        run.local += middle - start;
        run.global += end - middle;

        let last = run.look(p, end - start);
        if last == Some(Status::Stopped) {
            break Status::Stopped;
        }
        let mut changed = false;
        force = None;
        let last_one = last.is_some() || run.used_up();
        let looks = settings.tolerance > 0.0 || !accelerator.is_none();
        let (sums, dots) =
            if looks { p.terms.look(p.x, accelerator.slots(), p.exec) } else { Default::default() };
        run.local += run.clock.seconds() - end;
        let primal = sums.primal.sqrt();
        if settings.tolerance > 0.0 {
            let bound = settings.tolerance * sums.size.sqrt();
            let hopeless = if primal <= bound && run.iterations < next_check && !last_one {
                None
            } else if primal <= bound {
                let mut f = p.force_residual();
                force = Some(f);
                if p.terms.hard() {
                    // Sums over all terms may hide a constraint that is far off: none is off by more than that.
                    let off = f.sums.violated / within(settings.tolerance) * settings.tolerance;
                    f.worst = f.worst.max(off).max(p.relative_dual());
                }
                if f.relative.max(f.worst) <= settings.tolerance {
                    // Forces of hard constraints are those of u, which are off by the dual residual.
                    if p.terms.hard() {
                        p.dual();
                    }
                    f.worst = f.worst.max(p.forces_against_motion());
                }
                if f.relative.max(f.worst) <= settings.tolerance && p.contact.is_met(p.x, settings.tolerance)
                {
                    break Status::Converged;
                }
                let waited = if patient { wait(f.worst / settings.tolerance, run.iterations) } else { 1 };
                next_check = run.iterations + waited;
                force_progress.watch_after(waited, f.worst)
            } else {
                primal_progress.watch(primal / bound.max(f64::MIN_POSITIVE))
            };
            if let Some(hopeless) = hopeless {
                if hopeless != Status::Stalled
                    || last.is_some()
                    || run.used_up()
                    || !firmness.stalled(p, run.iterations)
                {
                    break hopeless;
                }
                changed = true;
            }
        }
        if settings.tolerance > 0.0 && feasibility.fails(p, run.iterations, within(settings.tolerance)) {
            break Status::Infeasible;
        }
        if let Some(status) = last {
            break status;
        }
        if run.used_up() {
            break Status::IterationLimit;
        }
        if until == Until::Sound {
            let sums = p.terms.energy(p.x, p.exec);
            if sums.degenerate == 0 && sums.infinite == 0 {
                p.terms.keep_quadratics_whole(false);
                run.reserve = reserve;
                return None;
            }
        }
        // Other weights: what was learned of the old ones is of no use.
        if changed || firmness.look(p, run.iterations) {
            accelerator = Accelerator::new(settings);
            (primal_progress, force_progress) = (Progress::new(), Progress::new());
            continue;
        }
        if looks {
            onward = accelerator.advance(p, primal, &dots);
        }
    };

    let primal = p.primal().primal.sqrt();
    let dual = p.dual();
    p.terms.keep_quadratics_whole(false);
    let force = force.unwrap_or_else(|| p.force_residual());
    Some(Outcome { primal, dual, ..run.end_with(force, Method::Admm, status, 0.0) })
}
