//! When an iteration stops, and how that is called.

use super::{Problem, Run};

choice! {
    /// How a step ended. Not converging is a value, not an error.
    pub enum Status {
        /// The tolerance is met.
        Converged = "converged",
        /// The given number of iterations is used up.
        IterationLimit = "iteration_limit",
        /// The given time is used up.
        TimeLimit = "time_limit",
        /// No progress any more, although the tolerance is not met.
        Stalled = "stalled",
        /// Hard constraints cannot hold, together or with the pins where they are: the step is as near to them as it got.
        Infeasible = "infeasible",
        /// The residual grew without bound.
        Diverged = "diverged",
        /// The observer asked to stop.
        Stopped = "stopped",
    }
}

impl Status {
    /// Of this step and the next one of the same frame the status that says more about what went wrong.
    #[must_use]
    pub fn worse(self, next: Status) -> Status {
        let rank = |s: Status| match s {
            Status::Converged => 0,
            Status::IterationLimit => 1,
            Status::TimeLimit => 2,
            Status::Stalled => 3,
            Status::Infeasible => 4,
            Status::Diverged => 5,
            Status::Stopped => 6,
        };
        if rank(next) >= rank(self) { next } else { self }
    }
}

/// Sees that a residual no longer falls.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    best: f64,
    first: f64,
    since: usize,
}

impl Progress {
    /// Iterations without a new best after which an iteration counts as stalled.
    const PATIENCE: usize = 200;

    /// Before the first residual.
    pub fn new() -> Progress {
        Progress { best: f64::INFINITY, first: f64::NAN, since: 0 }
    }

    /// Takes the next residual; `Some` status if it is hopeless to go on.
    pub fn watch(&mut self, residual: f64) -> Option<Status> {
        self.watch_after(1, residual)
    }

    /// As [`Progress::watch`], so many iterations after the last residual.
    pub fn watch_after(&mut self, iterations: usize, residual: f64) -> Option<Status> {
        if !self.first.is_finite() {
            self.first = residual;
        }
        if residual < 0.999 * self.best {
            (self.best, self.since) = (residual, 0);
        } else {
            self.since += iterations;
        }
        // Infinite is a force residual with an inverted element of a barrier material: not yet, and no sign of divergence.
        if residual.is_finite() && residual > 1e6 * self.first && residual > 1e3 {
            Some(Status::Diverged)
        } else if self.since >= Self::PATIENCE {
            Some(Status::Stalled)
        } else {
            None
        }
    }
}

impl Default for Progress {
    fn default() -> Self {
        Progress::new()
    }
}

/// After an iteration of a method whose test is one of forces, `projective` and `position`; `last` is what [`Run::look`] said of it. `Some`
/// status if it was the last one.
pub fn by_forces(
    p: &mut Problem<'_>,
    run: &Run<'_, '_>,
    progress: &mut Progress,
    last: Option<Status>,
) -> Option<Status> {
    let tolerance = run.settings.tolerance;
    if tolerance > 0.0 {
        let mut force = p.force_residual();
        if force.relative.max(force.worst) <= tolerance {
            force.worst = force.worst.max(p.forces_against_motion());
        }
        if force.relative.max(force.worst) <= tolerance && p.contact.is_met(p.x, tolerance) {
            return Some(Status::Converged);
        }
        if let Some(hopeless) = progress.watch(force.worst) {
            return Some(hopeless);
        }
    }
    last.or(run.used_up().then_some(Status::IterationLimit))
}
