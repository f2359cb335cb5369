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
    /// The scheme. Default `backward_euler`.
    pub integrator: Integrator,
}

impl Default for TimeSettings {
    fn default() -> Self {
        TimeSettings { dt: 0.04, integrator: Integrator::default() }
    }
}

/// How a step's velocities come from its positions; docs/time.md says what each costs and damps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Integrator {
    /// First order; damps a vibration of angular frequency ω by the ratio ωΔt/2.
    #[default]
    BackwardEuler,
    /// The backward differentiation formula of second order; damps by (ωΔt)³/4. It starts with a step of backward Euler, and takes
    /// one after an impact.
    Bdf2,
}

impl Integrator {
    /// All of them.
    pub const ALL: [Integrator; 2] = [Integrator::BackwardEuler, Integrator::Bdf2];

    /// The word used in scene files and Python.
    pub fn as_str(self) -> &'static str {
        match self {
            Integrator::BackwardEuler => "backward_euler",
            Integrator::Bdf2 => "bdf2",
        }
    }
}

impl std::fmt::Display for Integrator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Wind on sheets: each triangle feels −½ρA|r|(c_n r_n + c_t r_t), r its velocity against the air, r_n and r_t the parts of it
/// across and along the triangle.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Wind {
    /// Mean velocity of the air in m/s. Default [0, 0, 0]: still air, which slows what moves.
    pub velocity: [f64; 3],
    /// Density of the air in kg/m³. Default 1.2.
    pub air_density: f64,
    /// Coefficient c_n across a triangle. Default 1.2.
    pub drag: f64,
    /// Coefficient c_t along it. Default 0.05.
    pub friction: f64,
    /// Gusts: how far the speed swings, as a share of the mean, 0 to 1. Default 0.
    pub gust: f64,
    /// Seconds of a gust. Default 2.
    pub gust_time: f64,
    /// Other gusts for other seeds. Default 0.
    pub seed: u64,
}

impl Default for Wind {
    fn default() -> Self {
        Wind {
            velocity: [0.0; 3],
            air_density: 1.2,
            drag: 1.2,
            friction: 0.05,
            gust: 0.0,
            gust_time: 2.0,
            seed: 0,
        }
    }
}

impl Wind {
    fn validate(&self) -> Result<(), BuildError> {
        check(self.velocity.iter().all(|v| v.abs() <= 1e4), "world.wind.velocity", || {
            format!("the velocity must be finite and at most 1e4 m/s, not {:?}", self.velocity)
        })?;
        for (name, value) in [
            ("world.wind.air_density", self.air_density),
            ("world.wind.drag", self.drag),
            ("world.wind.friction", self.friction),
        ] {
            check((0.0..=1e6).contains(&value), name, || format!("must lie between 0 and 1e6, not {value}"))?;
        }
        check((0.0..=1.0).contains(&self.gust), "world.wind.gust", || {
            format!("must lie between 0 and 1, not {}", self.gust)
        })?;
        check(self.gust_time > 0.0 && self.gust_time.is_finite(), "world.wind.gust_time", || {
            format!("must be positive, not {}", self.gust_time)
        })
    }
}

/// The world around the bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorldSettings {
    /// Wind on sheets; none by default.
    pub wind: Option<Wind>,
    /// Acceleration of gravity in m/s². Default (0, −9.8, 0).
    pub gravity: [f64; 3],
    /// Rate at which velocities die away in 1/s, from 0 to 1e6: before each step they are multiplied by e^(−damping·Δt).
    /// Default 0.
    pub damping: f64,
}

impl Default for WorldSettings {
    fn default() -> Self {
        WorldSettings { wind: None, gravity: [0.0, -9.8, 0.0], damping: 0.0 }
    }
}

/// Who minimises a step's problem (5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The alternating direction method of multipliers, Algorithm 1 of the paper; takes every term.
    Admm,
    /// Projective dynamics, eqs. (27)–(29) of the paper; takes springs, anchors and `arap` only.
    Projective,
    /// Position-based dynamics: constraints projected one after the other. A baseline for comparisons: stiffness depends on
    /// the number of iterations.
    Position,
    /// L-BFGS whose first Hessian is the matrix of ADMM, factored once.
    QuasiNewton,
    /// Newton's method with projected Hessians, factored in each iteration: the reference for accuracy.
    Newton,
    /// Lagged Newton where the problem is smooth, ADMM where it is not or where an element is inverted.
    #[default]
    Auto,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 6] = [
        Method::Admm,
        Method::Projective,
        Method::Position,
        Method::QuasiNewton,
        Method::Newton,
        Method::Auto,
    ];

    /// The word used in scene files, JSON and Python.
    pub fn as_str(self) -> &'static str {
        match self {
            Method::Admm => "admm",
            Method::Projective => "projective",
            Method::Position => "position",
            Method::QuasiNewton => "quasi_newton",
            Method::Newton => "newton",
            Method::Auto => "auto",
        }
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Acceleration of ADMM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Acceleration {
    /// As published.
    None,
    /// Anderson acceleration on Dx + u, safeguarded.
    #[default]
    Anderson,
    /// Over-relaxation by the factor `relaxation`.
    OverRelaxation,
    /// Chebyshev's semi-iterative method for the spectral radius `spectral_radius`.
    Chebyshev,
}

/// The first Hessian of `quasi_newton`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FirstHessian {
    /// The matrix of ADMM, factored once.
    #[default]
    Matrix,
    /// A multiple of the identity, as in textbooks and in Fig. 2 of the paper.
    Identity,
}

/// How contact with obstacles is carried where bodies do not touch each other; where they may, contact is by a potential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ContactMethod {
    /// Signorini's and Coulomb's law by Gauss–Seidel on the Delassus operator, exactly. All methods but `position` have it.
    #[default]
    #[serde(alias = "potential")]
    Delassus,
    /// A term per node that takes it out of obstacles, as in the paper. `admm` only.
    Local,
    /// Uzawa's method with conjugate gradients on the factored matrix, without friction. `admm` only.
    Uzawa,
    /// Gauss–Seidel over nodes instead of the factored matrix, without friction. `admm` only.
    Nodal,
}

impl ContactMethod {
    /// The word used in scene files and Python.
    pub fn as_str(self) -> &'static str {
        match self {
            ContactMethod::Delassus => "delassus",
            ContactMethod::Local => "local",
            ContactMethod::Uzawa => "uzawa",
            ContactMethod::Nodal => "nodal",
        }
    }
}

/// The order in which `position` projects constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Sweep {
    /// One after the other, each seeing what those before it did.
    #[default]
    GaussSeidel,
    /// All at once, averaged, together with inertia.
    Jacobi,
}

/// Where a step's iteration starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// At x̃, where the body would go without elastic forces; as published.
    Inertia,
    /// At the lowest objective among x̃, x, x + Δt v, that plus gravity as far as it acted in the last step, that plus
    /// the last acceleration, and that plus an acceleration that goes on changing as it did (`auto`, `newton`, `quasi_newton`).
    #[default]
    Best,
}

/// How each step is solved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SolveSettings {
    /// The method. Default `auto`.
    pub method: Method,
    /// Most iterations per step, ≥ 1. Default 200.
    pub iterations: usize,
    /// Tolerance at which a step stops early, ≥ 0; 0 never stops early. Default 1e-6.
    ///
    /// For `admm`, `projective` and `position` converged means: force residual ≤ tolerance and primal residual ≤
    /// tolerance·‖W Dx‖. For `newton`, `quasi_newton` and `auto`: no node would move by more than tolerance·L, L the diagonal
    /// of its body's bounding box. For all: nor by more than 1000·tolerance of what forces do in the step (docs/conventions.md).
    pub tolerance: f64,
    /// Most wall-clock time per step in s, > 0; none by default.
    pub time_budget: Option<f64>,
    /// Rule for the weights w. Default `robust`. `projective` has its own: w² = kV.
    pub weight_rule: WeightRule,
    /// Factor s in w² = s·k·V, from 1e-9 to 1e9. Default 1.
    pub weight_scale: f64,
    /// Where the iteration starts. Default `best`.
    pub start: Start,
    /// How the dual variables of `admm` start. Default `stress`.
    pub dual_start: DualStart,
    /// Acceleration of `admm`. Default `anderson`.
    pub acceleration: Acceleration,
    /// Steps that Anderson acceleration looks back, from 1 to 10. Default 6.
    pub memory: usize,
    /// Factor of over-relaxation, 0 < α < 2. Default 1.6.
    pub relaxation: f64,
    /// Spectral radius that Chebyshev's method assumes, 0 ≤ ρ < 1. Default 0.9.
    pub spectral_radius: f64,
    /// Steps that L-BFGS looks back, from 0 to 32. Default 8.
    pub history: usize,
    /// First Hessian of `quasi_newton`. Default `matrix`.
    pub first_hessian: FirstHessian,
    /// Order of `position`. Default `gauss_seidel`.
    pub sweep: Sweep,
    /// How `admm` carries contact with obstacles. Default `delassus`.
    pub contact: ContactMethod,
    /// Sweeps of projection onto hard constraints at the end of a step that has not converged, up to 1000; 0 for none. Under a time budget they are
    /// repeated while it lasts. Not where something may touch. Default 20.
    pub projections: usize,
    /// Threads; 0 takes as many as the machine has, and one for scenes of at most 500 nodes. Default 0. Results do not depend on it.
    pub threads: usize,
}

impl Default for SolveSettings {
    fn default() -> Self {
        SolveSettings {
            method: Method::default(),
            iterations: 200,
            tolerance: 1e-6,
            time_budget: None,
            weight_rule: WeightRule::default(),
            weight_scale: 1.0,
            start: Start::default(),
            dual_start: DualStart::default(),
            acceleration: Acceleration::default(),
            memory: 6,
            relaxation: 1.6,
            spectral_radius: 0.9,
            history: 8,
            first_hessian: FirstHessian::default(),
            sweep: Sweep::default(),
            contact: ContactMethod::default(),
            projections: 20,
            threads: 0,
        }
    }
}

/// `admm` in contact takes the weights of rule `robust` times this. Of 45 steps of the scenes cylinders, rollers and pile it ends
/// 21, 25 and 40 with a factor of 1, 35, 45 and 43 with 2, and 45, 45 and 43 with 4; iterations are fewest from 2 to 4.
const IN_CONTACT: f64 = 4.0;

impl SolveSettings {
    /// Rule and scale of the weights in force: `projective` has its own, and where bodies may touch something `admm` has more of the
    /// default ones. What is squeezed has strong negative curvature, which the weights must outweigh.
    pub fn weights(&self, touching: bool) -> (WeightRule, f64) {
        match self.method {
            Method::Projective => (WeightRule::Shear, 1.0),
            Method::Admm if touching && self.weight_rule == WeightRule::Robust => {
                (WeightRule::Robust, IN_CONTACT * self.weight_scale)
            }
            _ => (self.weight_rule, self.weight_scale),
        }
    }

    /// ADMM as the paper has it: from x̃ and u = 0, with the bulk modulus for weights, not accelerated, 20 iterations.
    pub fn published() -> SolveSettings {
        SolveSettings {
            method: Method::Admm,
            iterations: 20,
            weight_rule: WeightRule::Bulk,
            start: Start::Inertia,
            dual_start: DualStart::Zero,
            acceleration: Acceleration::None,
            projections: 0,
            ..SolveSettings::default()
        }
    }
}

fn check(ok: bool, name: &'static str, reason: impl FnOnce() -> String) -> Result<(), BuildError> {
    if ok { Ok(()) } else { Err(BuildError::Setting { name, reason: reason() }) }
}

impl Settings {
    /// The defaults, but for ADMM as the paper has it: [`SolveSettings::published`].
    pub fn published() -> Settings {
        Settings { solve: SolveSettings::published(), ..Settings::default() }
    }

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
        if let Some(wind) = &w.wind {
            wind.validate()?;
        }
        check((0.0..=1e6).contains(&w.damping), "world.damping", || {
            format!("the damping must lie between 0 and 1e6 per second, not {}", w.damping)
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
        check((1..=crate::term::MOST_MEMORY).contains(&s.memory), "solve.memory", || {
            format!("must lie between 1 and {}, not {}", crate::term::MOST_MEMORY, s.memory)
        })?;
        check(s.relaxation > 0.0 && s.relaxation < 2.0, "solve.relaxation", || {
            format!("must lie between 0 and 2, not {}", s.relaxation)
        })?;
        check((0.0..1.0).contains(&s.spectral_radius), "solve.spectral_radius", || {
            format!("must lie between 0 and 1, not {}", s.spectral_radius)
        })?;
        check(s.history <= 32, "solve.history", || format!("at most 32 steps, not {}", s.history))?;
        check(s.projections <= 1000, "solve.projections", || {
            format!("at most 1000 sweeps, not {}", s.projections)
        })?;
        let carried = s.contact == ContactMethod::Delassus || s.method == Method::Admm;
        check(carried, "solve.contact", || {
            format!("`{}` is for the method `admm`, not `{}`", s.contact.as_str(), s.method)
        })?;
        check(s.threads <= 1024, "solve.threads", || format!("{} threads are too many", s.threads))
    }

    /// Checks ranges, and that nothing changes that is fixed once a simulation runs: the number of threads, and whether there is
    /// wind at all (it may be calm).
    pub fn validate_as_update(&self, before: &Settings) -> Result<(), BuildError> {
        self.validate()?;
        if self.solve.threads != before.solve.threads {
            return Err(BuildError::Fixed { name: "solve.threads" });
        }
        if self.world.wind.is_some() && before.world.wind.is_none() {
            return Err(BuildError::Fixed { name: "world.wind" });
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
