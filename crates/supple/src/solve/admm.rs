//! Algorithm 1 of the paper: ADMM for implicit time integration.

use super::stop::{Progress, Status};
use super::{Control, Observer, Outcome, Problem};
use crate::exec::Stopwatch;
use crate::settings::{Method, SolveSettings};

/// Minimises (5) from the problem's iterate.
pub fn minimise(
    p: &mut Problem<'_>,
    settings: &SolveSettings,
    clock: &Stopwatch,
    mut observer: Option<Observer<'_>>,
) -> Outcome {
    let limit = settings.iterations;
    let watched = settings.tolerance > 0.0 || settings.time_budget.is_some() || observer.is_some();
    let h2 = p.dt * p.dt;
    let (mut local, mut global, mut solve) = (0.0, 0.0, 0.0);
    let (mut primal_progress, mut force_progress) = (Progress::new(), Progress::new());
    let mut status = Status::IterationLimit;
    let mut force = None;
    let mut iterations = 0;

    p.terms.reset(p.x, settings.dual_start, p.exec);
    p.find_rounding();
    for n in 1..=limit {
        iterations = n;
        // z is kept for the residuals where someone will ask for them.
        let keep = watched || n + 1 >= limit;

        // Local step, all terms in parallel: z = prox(Dx + u) (24), u += Dx − z (25).
        let start = clock.seconds();
        p.terms.local_step(p.x, keep, p.exec);
        let middle = clock.seconds();

        // Global step (15) in increment form: A δ = M(x̃ − x) + Δt² DᵀW²(z − u − Dx), x += δ.
        let (mass, x_tilde, x) = (p.mass, p.x_tilde, &*p.x);
        p.terms.sum_loads(p.rhs, p.exec, |i, sum, out| {
            for c in 0..3 {
                out.0[c] = mass[i] * (x_tilde[i].0[c] - x[i].0[c]) + h2 * sum.0[c];
            }
            out.0[3] = 0.0;
        });
        let ready = clock.seconds();
        // A body at rest stays exactly at rest: what is only rounding would add up to a drift over many frames.
        if !p.only_rounding() {
            p.global.solve(p.rhs, p.scratch, p.exec);
            for (x, d) in p.x.iter_mut().zip(p.rhs.iter()) {
                for c in 0..3 {
                    x.0[c] += d.0[c];
                }
            }
        }
        solve += clock.seconds() - ready;
        let end = clock.seconds();
        local += middle - start;
        global += end - middle;

        if let Some(observer) = &mut observer
            && observer(n, p) == Control::Stop
        {
            status = Status::Stopped;
            break;
        }
        if settings.tolerance > 0.0 {
            let sums = p.primal();
            let (primal, bound) = (sums.primal.sqrt(), settings.tolerance * sums.size.sqrt());
            let hopeless = if primal <= bound {
                let f = p.force_residual();
                force = Some(f);
                if f.relative.max(f.worst) <= settings.tolerance {
                    status = Status::Converged;
                    break;
                }
                force_progress.watch(f.worst)
            } else {
                force = None;
                primal_progress.watch(primal / bound.max(f64::MIN_POSITIVE))
            };
            if let Some(hopeless) = hopeless {
                status = hopeless;
                break;
            }
        }
        if let Some(budget) = settings.time_budget
            && n < limit
            && clock.seconds() + (end - start) > budget
        {
            status = Status::TimeLimit;
            break;
        }
    }

    let primal = p.primal().primal.sqrt();
    let dual = p.dual();
    let force = force.unwrap_or_else(|| p.force_residual());
    Outcome { status, method: Method::Admm, iterations, primal, dual, step: 0.0, force, local, global, solve }
}
