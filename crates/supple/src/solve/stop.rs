//! When an iteration stops, and how that is called.

use std::fmt;

/// How a step ended. Not converging is a value, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The tolerance is met.
    Converged,
    /// The given number of iterations is used up.
    IterationLimit,
    /// The given time is used up.
    TimeLimit,
    /// No progress any more, although the tolerance is not met.
    Stalled,
    /// Hard constraints cannot hold, together or with the pins where they are: the step is as near to them as it got.
    Infeasible,
    /// The residual grew without bound.
    Diverged,
    /// The observer asked to stop.
    Stopped,
}

impl Status {
    /// The word used in JSON, Python and messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Converged => "converged",
            Status::IterationLimit => "iteration_limit",
            Status::TimeLimit => "time_limit",
            Status::Stalled => "stalled",
            Status::Infeasible => "infeasible",
            Status::Diverged => "diverged",
            Status::Stopped => "stopped",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
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
