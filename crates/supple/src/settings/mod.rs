//! All settings, grouped; one structure for Rust, scene files, Python and the viewer.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the settings: each with its meaning, unit, type, default and range |
//! | `choices.rs` | what can be chosen among: methods, integrators, ways to contact … |
//! | `range.rs` | [`Range`], and the list that settings are made of |
//!
//! To add a setting, write a line here and use it. [`Settings::validate`] checks ranges once, when a simulation is built;
//! [`Settings::validate_as_update`] says what may change while it runs.

#[macro_use]
mod range;
mod choices;

pub use crate::term::DualStart;
pub use crate::term::weight::WeightRule;
pub use choices::{Acceleration, ContactMethod, FirstHessian, Integrator, Method, Start, Sweep};
pub use range::{Key, Range};

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

settings! {
    /// Time stepping.
    pub struct TimeSettings in "time" {
        /// Length of a step in s, from 1e-100 to 1e100: h² and 1/h² appear in the equations. Default 0.04.
        dt: f64 = 0.04, Range::from(1e-100).to(1e100);
        /// The scheme. Default `backward_euler`.
        integrator: Integrator = Integrator::BackwardEuler;
    }
}

settings! {
    /// Wind on sheets: each triangle feels −½ρA|r|(c_n r_n + c_t r_t), r its velocity against the air, r_n and r_t the parts of it
    /// across and along the triangle.
    #[derive(Copy)]
    pub struct Wind in "world.wind" {
        /// Mean velocity of the air in m/s, each part from -1e4 to 1e4. Default [0, 0, 0]: still air, which slows what moves.
        velocity: [f64; 3] = [0.0; 3], Range::from(-1e4).to(1e4);
        /// Density of the air in kg/m³, from 0 to 1e6. Default 1.2.
        air_density: f64 = 1.2, Range::from(0.0).to(1e6);
        /// Coefficient c_n across a triangle, from 0 to 1e6. Default 1.2.
        drag: f64 = 1.2, Range::from(0.0).to(1e6);
        /// Coefficient c_t along it, from 0 to 1e6. Default 0.05.
        friction: f64 = 0.05, Range::from(0.0).to(1e6);
        /// Gusts: how far the speed swings, as a share of the mean, from 0 to 1. Default 0.
        gust: f64 = 0.0, Range::from(0.0).to(1.0);
        /// Seconds of a gust, > 0. Default 2.
        gust_time: f64 = 2.0, Range::above(0.0);
        /// Other gusts for other seeds. Default 0.
        seed: u64 = 0;
    }
}

settings! {
    /// The world around the bodies.
    pub struct WorldSettings in "world" {
        /// Acceleration of gravity in m/s². Default [0, -9.8, 0].
        gravity: [f64; 3] = [0.0, -9.8, 0.0], Range::FINITE;
        /// Wind on sheets; none by default.
        #[serde(skip_serializing_if = "Option::is_none")]
        wind: Option<Wind> = None;
        /// Rate at which velocities die away in 1/s, from 0 to 1e6: before each step they are multiplied by e^(−damping·Δt).
        /// Default 0.
        damping: f64 = 0.0, Range::from(0.0).to(1e6);
    }
}

settings! {
    /// How each step is solved.
    pub struct SolveSettings in "solve" {
        /// The method. Default `auto`.
        method: Method = Method::Auto;
        /// Most iterations per step, ≥ 1. Default 200.
        iterations: usize = 200, Range::from(1.0);
        /// Tolerance at which a step stops early, ≥ 0; 0 never stops early. Default 1e-6.
        ///
        /// For `admm`, `projective` and `position` converged means: force residual ≤ tolerance and primal residual ≤
        /// tolerance·‖W Dx‖. For `newton`, `quasi_newton` and `auto`: no node would move by more than tolerance·L, L the diagonal
        /// of its body's bounding box. For all: nor by more than 1000·tolerance of what forces do in the step (docs/conventions.md).
        tolerance: f64 = 1e-6, Range::from(0.0);
        /// Most wall-clock time per step in s (in scene files `time_budget_ms`, in ms), > 0; none by default.
        #[serde(rename = "time_budget_ms", with = "milliseconds", skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<f64>")]
        time_budget: Option<f64> = None, Range::above(0.0);
        /// Rule for the weights w. Default `robust`. `projective` has its own: w² = kV.
        weight_rule: WeightRule = WeightRule::Robust;
        /// Factor s in w² = s·k·V, from 1e-9 to 1e9. Default 1.
        weight_scale: f64 = 1.0, Range::from(1e-9).to(1e9);
        /// Where the iteration starts. Default `best`.
        start: Start = Start::Best;
        /// How the dual variables of `admm` start. Default `stress`.
        dual_start: DualStart = DualStart::Stress;
        /// Acceleration of `admm`. Default `anderson`.
        acceleration: Acceleration = Acceleration::Anderson;
        /// Steps that Anderson acceleration looks back, from 1 to 10. Default 6.
        memory: usize = 6, Range::from(1.0).to(crate::term::MOST_MEMORY as f64);
        /// Factor of over-relaxation, 0 < α < 2. Default 1.6.
        relaxation: f64 = 1.6, Range::above(0.0).below(2.0);
        /// Spectral radius that Chebyshev's method assumes, 0 ≤ ρ < 1. Default 0.9.
        spectral_radius: f64 = 0.9, Range::from(0.0).below(1.0);
        /// Steps that L-BFGS looks back, from 0 to 32. Default 8.
        history: usize = 8, Range::from(0.0).to(32.0);
        /// First Hessian of `quasi_newton`. Default `matrix`.
        first_hessian: FirstHessian = FirstHessian::Matrix;
        /// Order of `position`. Default `gauss_seidel`.
        sweep: Sweep = Sweep::GaussSeidel;
        /// How `admm` carries contact with obstacles. Default `delassus`.
        contact: ContactMethod = ContactMethod::Delassus;
        /// Sweeps of projection onto hard constraints at the end of a step that has not converged, from 0 to 1000; 0 for none. Under a time
        /// budget they are repeated while it lasts. Not where something may touch. Default 20.
        projections: usize = 20, Range::from(0.0).to(1000.0);
        /// Threads, from 0 to 1024; 0 takes as many as the machine has, and one for scenes of at most 500 nodes. Default 0. Results do not
        /// depend on it.
        threads: usize = 0, Range::from(0.0).to(1024.0);
    }
}

/// Seconds, in files milliseconds.
mod milliseconds {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(seconds: &Option<f64>, s: S) -> Result<S::Ok, S::Error> {
        seconds.map(|t| 1e3 * t).serialize(s)
    }
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<f64>, D::Error> {
        Ok(Option::<f64>::deserialize(d)?.map(|ms| 1e-3 * ms))
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

impl Settings {
    /// The defaults, but for ADMM as the paper has it: [`SolveSettings::published`].
    pub fn published() -> Settings {
        Settings { solve: SolveSettings::published(), ..Settings::default() }
    }

    /// Every setting, table by table.
    pub fn keys() -> Vec<Key> {
        [TimeSettings::KEYS, WorldSettings::KEYS, Wind::KEYS, SolveSettings::KEYS].concat()
    }

    /// Checks every range.
    pub fn validate(&self) -> Result<(), BuildError> {
        self.time.check()?;
        self.world.check()?;
        self.world.wind.iter().try_for_each(Wind::check)?;
        self.solve.check()?;
        let SolveSettings { contact, method, .. } = self.solve;
        if contact != ContactMethod::Delassus && method != Method::Admm {
            let reason = format!("`{contact}` is for the method `admm`, not `{method}`");
            return Err(BuildError::Setting { name: "solve.contact", reason });
        }
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a key among defaults, as scene files write it; none if it is not given by default.
    fn default_of(key: &Key) -> Option<serde_json::Value> {
        let all = serde_json::to_value(Settings::default()).unwrap_or_default();
        match key.table {
            "world.wind" => serde_json::to_value(Wind::default()).ok()?.get(key.name).cloned(),
            table => all.get(table)?.get(key.name).cloned(),
        }
    }

    /// As documentation writes it.
    fn written(value: &serde_json::Value) -> String {
        match value {
            serde_json::Value::String(word) => format!("`{word}`"),
            serde_json::Value::Array(list) => {
                format!("[{}]", list.iter().map(written).collect::<Vec<_>>().join(", "))
            }
            number => number.to_string().trim_end_matches(".0").to_string(),
        }
    }

    #[test]
    fn what_is_said_of_a_setting_is_so() {
        let keys = Settings::keys();
        assert!(keys.len() > 25, "only {} settings", keys.len());
        for key in keys {
            let told = key.meaning;
            match default_of(&key) {
                None => assert!(told.contains("none by default"), "{key:?}"),
                Some(value) => {
                    let word = written(&value);
                    assert!(told.contains(&format!("Default {word}")), "{key:?}: its default is {word}");
                }
            }
            for end in key.range.iter().flat_map(|r| r.ends()).flatten() {
                let [plain, short] = [format!("{end}"), format!("{end:e}")];
                assert!(told.contains(&plain) || told.contains(&short), "{key:?}: its range ends at {plain}");
            }
        }
    }

    #[test]
    fn ranges_are_told_as_they_are() {
        let told = |r: Range| r.to_string();
        assert_eq!(told(Range::FINITE), "must be finite");
        assert_eq!(told(Range::above(0.0)), "must be positive and finite");
        assert_eq!(told(Range::from(0.0)), "must be zero or positive, and finite");
        assert_eq!(told(Range::from(1.0)), "must be at least 1");
        assert_eq!(told(Range::from(1e-9).to(1e9)), "must lie between 1e-9 and 1000000000.0");
        assert_eq!(told(Range::above(0.0).below(2.0)), "must lie between 0.0 and 2.0, both excluded");
        for (range, inside, outside) in [
            (Range::above(0.0).below(2.0), [1e-300, 1.999], [0.0, 2.0]),
            (Range::from(0.0).below(1.0), [0.0, 0.5], [-1e-300, 1.0]),
            (Range::from(1.0).to(10.0), [1.0, 10.0], [0.9, 10.1]),
            (Range::FINITE, [-1e300, 1e300], [f64::INFINITY, f64::NEG_INFINITY]),
        ] {
            assert!(inside.iter().all(|x| range.contains(*x)), "{range}");
            assert!(outside.iter().all(|x| !range.contains(*x)) && !range.contains(f64::NAN), "{range}");
        }
    }
}
