//! One time step's optimisation problem (5), and who minimises it.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | [`minimise`]: start, method, end |
//! | `problem.rs` | [`Problem`]: f(x) + U(Dx), its objective, gradient and residuals |
//! | `capabilities.rs` | which method takes which terms, contacts and links |
//! | `run.rs` | what the methods share: settings, clock, observer, counts; [`Outcome`] |
//! | `start.rs` | where the iteration starts |
//! | `stop.rs` | when it stops, and with which [`Status`] |
//! | `admm/` | `admm`: Algorithm 1 of the paper |
//! | `projective.rs` | `projective`: eqs. (27)–(29) of the paper |
//! | `position.rs` | `position`: position-based dynamics |
//! | `descent/` | `quasi_newton`, `newton` and `auto`: L-BFGS with a first Hessian |
//! | `barrier/` | Newton's method where bodies may touch each other |
//! | `axis_pins.rs` | nodes that are pinned along some axes only |
//! | `free_bodies.rs` | bodies that nothing holds, moved as a whole |
//!
//! Nothing here names a material, an element, an obstacle or a linear-algebra library.

pub mod admm;
pub mod axis_pins;
pub mod barrier;
pub mod capabilities;
pub mod descent;
pub mod free_bodies;
pub mod position;
pub mod problem;
pub mod projective;
pub mod run;
pub mod start;
pub mod stop;

pub use admm::baselines::Nodal;
pub use admm::constraint_weights::fill;
pub use axis_pins::Axes;
pub use descent::Descent;
pub use descent::auto::{Habits, NewtonMemory};
pub use free_bodies::Free;
pub use problem::{BodySums, ForceResidual, Problem};
pub use run::{Control, Observer, Outcome, Run};
pub use stop::Status;

use admm::final_projection;

use crate::settings::{Method, Start};
use crate::term::Sums;

/// From the prediction to the solution: start, then the method asked for. However it ends, the mass centre of what nothing holds is where it
/// should be.
pub fn minimise(
    p: &mut Problem<'_>,
    run: &mut Run<'_, '_>,
    history: &start::History<'_>,
    descent: &mut Descent,
    newton: &mut NewtonMemory,
) -> Outcome {
    let mut outcome = by_method(p, run, history, descent, newton);
    if p.carry() {
        outcome.force = p.force_residual();
    }
    outcome
}

fn by_method(
    p: &mut Problem<'_>,
    run: &mut Run<'_, '_>,
    history: &start::History<'_>,
    descent: &mut Descent,
    newton: &mut NewtonMemory,
) -> Outcome {
    let settings = run.settings;
    if p.contact.by_potential() {
        return barrier::minimise(p, run, &mut newton.contact);
    }
    // Only ADMM takes constraints: `auto` leaves everything to it then.
    let method =
        if settings.method == Method::Auto && p.terms.hard() { Method::Admm } else { settings.method };
    let descends = matches!(method, Method::Auto | Method::Newton | Method::QuasiNewton);
    let mut sums = Sums::default();
    if method == Method::Position {
        // At x̃, always: it knows of inertia and forces from nowhere else.
    } else if settings.start == Start::Best {
        sums = start::best(p, history, descends);
    } else if descends {
        sums = p.terms.energy(p.x, p.exec);
        // Descent cannot start from inverted elements: another start than the one asked for, if there is one.
        if sums.degenerate > 0 {
            sums = start::best(p, history, true);
        }
    }
    if run.observer.is_some() {
        p.start_objective = p.objective();
    }
    if descends {
        p.find_start_rounding();
        // Only ADMM leads out of inverted and flat elements; the others need no more than a finite energy.
        let stuck = sums.infinite > 0 || (method == Method::Auto && sums.degenerate > 0);
        if stuck && let Some(outcome) = admm::minimise(p, run, admm::Until::Sound) {
            return outcome;
        }
    }
    match method {
        Method::Admm => {
            final_projection::reserve(p, run);
            let fixed = p.terms.left_out(p.x) > admm::within(settings.tolerance);
            let outcome = admm::minimise(p, run, admm::Until::Done)
                .unwrap_or_else(|| run.end(p, Method::Admm, Status::Stopped, 0.0));
            let mut outcome = final_projection::finish(p, run, history, outcome, &mut descent.inverse_mass);
            if fixed && !matches!(outcome.status, Status::Diverged | Status::Stopped) {
                outcome.status = Status::Infeasible;
            }
            outcome
        }
        Method::Projective => projective::minimise(p, run),
        Method::Position => position::minimise(p, run, &mut descent.inverse_masses),
        Method::QuasiNewton => descent::quasi_newton::minimise(p, run, descent, &mut newton.hessian),
        Method::Newton => descent::newton::minimise(p, run, descent, &mut newton.hessian),
        Method::Auto => descent::auto::minimise(p, run, descent, newton),
    }
}
