//! All settings, grouped; one structure for Rust, scene files and Python.
//!
//! Each field says its meaning, unit, default and range. [`Settings::validate`] checks ranges once, when a simulation
//! is built; [`Settings::validate_as_update`] says what may change while it runs.

pub use crate::term::DualStart;
pub use crate::term::weight::WeightRule;

use crate::error::BuildError;
use serde::{Deserialize, Serialize};

/// Everything that is set once for a simulation.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Time stepping.
    pub time: TimeSettings,
    /// The world around the bodies.
    pub world: WorldSettings,
    /// How each step is solved.
    pub solve: SolveSettings,
}

/// Time stepping.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TimeSettings {
    /// Length of a step in s, > 0. Default 1/25.
    pub dt: f64,
}

impl Default for TimeSettings {
    fn default() -> Self {
        TimeSettings { dt: 0.04 }
    }
}

/// The world around the bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorldSettings {
    /// Acceleration of gravity in m/s². Default (0, −9.8, 0).
    pub gravity: [f64; 3],
}

impl Default for WorldSettings {
    fn default() -> Self {
        WorldSettings { gravity: [0.0, -9.8, 0.0] }
    }
}

/// Who minimises a step's problem (5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The alternating direction method of multipliers, Algorithm 1 of the paper.
    #[default]
    Admm,
}

/// Where a step's iteration starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// At x̃, where the body would go without elastic forces; as published.
    #[default]
    Inertia,
    /// At the lowest objective among x̃, x, x + Δt v, that plus gravity as far as it acted in the last step, and that plus
    /// the last acceleration.
    Best,
}

/// How each step is solved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SolveSettings {
    /// The method. Default `admm`.
    pub method: Method,
    /// Most iterations per step, ≥ 1. Default 20.
    pub iterations: usize,
    /// Relative tolerance at which a step stops early, ≥ 0; 0 never stops early. Default 1e-6.
    ///
    /// Converged means: force residual ≤ tolerance and primal residual ≤ tolerance·‖W Dx‖.
    pub tolerance: f64,
    /// Most wall-clock time per step in s, > 0; none by default.
    pub time_budget: Option<f64>,
    /// Rule for the weights w. Default `bulk`.
    pub weight_rule: WeightRule,
    /// Factor s in w² = s·k·V, from 1e-9 to 1e9. Default 1.
    pub weight_scale: f64,
    /// Where the iteration starts. Default `inertia`.
    pub start: Start,
    /// How the dual variables start. Default `zero`.
    pub dual_start: DualStart,
    /// Threads; 0 takes as many as the machine has. Default 0. Results do not depend on it.
    pub threads: usize,
}

impl Default for SolveSettings {
    fn default() -> Self {
        SolveSettings {
            method: Method::default(),
            iterations: 20,
            tolerance: 1e-6,
            time_budget: None,
            weight_rule: WeightRule::default(),
            weight_scale: 1.0,
            start: Start::default(),
            dual_start: DualStart::default(),
            threads: 0,
        }
    }
}

fn check(ok: bool, name: &'static str, reason: impl FnOnce() -> String) -> Result<(), BuildError> {
    if ok { Ok(()) } else { Err(BuildError::Setting { name, reason: reason() }) }
}

impl Settings {
    /// Checks every range.
    pub fn validate(&self) -> Result<(), BuildError> {
        let (t, w, s) = (&self.time, &self.world, &self.solve);
        check(t.dt.is_finite() && t.dt > 0.0, "time.dt", || {
            format!("the time step must be positive and finite, not {}", t.dt)
        })?;
        // h² and 1/h² appear in the equations: both must be numbers.
        check((1e-100..=1e100).contains(&t.dt), "time.dt", || format!("{} s is out of range", t.dt))?;
        check(w.gravity.iter().all(|g| g.is_finite()), "world.gravity", || {
            format!("gravity must be finite, not {:?}", w.gravity)
        })?;
        check(s.iterations >= 1, "solve.iterations", || "at least one iteration is needed".into())?;
        check(s.tolerance.is_finite() && s.tolerance >= 0.0, "solve.tolerance", || {
            format!("the tolerance must be zero or positive, not {}", s.tolerance)
        })?;
        if let Some(budget) = s.time_budget {
            check(budget.is_finite() && budget > 0.0, "solve.time_budget", || {
                format!("the time budget must be positive, not {budget} s")
            })?;
        }
        check((1e-9..=1e9).contains(&s.weight_scale), "solve.weight_scale", || {
            format!("the scale of the weights must lie between 1e-9 and 1e9, not {}", s.weight_scale)
        })?;
        check(s.threads <= 1024, "solve.threads", || format!("{} threads are too many", s.threads))
    }

    /// Checks ranges, and that nothing changes that is fixed once a simulation runs: the number of threads.
    pub fn validate_as_update(&self, before: &Settings) -> Result<(), BuildError> {
        self.validate()?;
        if self.solve.threads != before.solve.threads {
            return Err(BuildError::Fixed { name: "solve.threads" });
        }
        Ok(())
    }

    /// Threads that `solve.threads` stands for on this machine.
    pub fn thread_count(&self) -> usize {
        match self.solve.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            n => n,
        }
    }
}
