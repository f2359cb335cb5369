//! What the reports of a run say about its settings.
use supple::settings::{Method, WeightRule};
use supple::{Settings, Status, StepReport};

use super::short;

/// What was seen of the frames of a run that did not converge.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    frames: usize,
    converged: usize,
    limit: usize,
    time: usize,
    stalled: usize,
    infeasible: usize,
    diverged: usize,
    /// Frames that did not converge in which bodies were held back or shortened by contact.
    blocked: usize,
    /// … in which something touched.
    touching: usize,
}

/// A setting to change, and why.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Remedy {
    /// The reason and the remedy in words.
    pub text: String,
    /// For `--set`; None where no single setting helps.
    pub set: Option<String>,
}

impl Seen {
    /// Counts a frame.
    pub fn add(&mut self, r: &StepReport) {
        self.frames += 1;
        let of = match r.status {
            Status::Converged => {
                self.converged += 1;
                return;
            }
            Status::IterationLimit => &mut self.limit,
            Status::TimeLimit => &mut self.time,
            Status::Stalled => &mut self.stalled,
            Status::Infeasible => &mut self.infeasible,
            Status::Diverged => &mut self.diverged,
            Status::Stopped => return,
        };
        *of += 1;
        self.blocked += usize::from(r.islands_shortened > 0 || r.held > 0);
        self.touching += usize::from(r.contacts > 0);
    }

    /// What would help most, from what most frames say that did not converge. None if all did.
    pub fn remedy(&self, settings: &Settings, substeps: u32) -> Option<Remedy> {
        let left = self.frames - self.converged;
        if left == 0 {
            return None;
        }
        let s = &settings.solve;
        let most = |n: usize| 2 * n >= left;
        let finer = || format!("time.substeps={}", 2 * substeps);
        let tell = |why: String, set: Option<String>| {
            let what = set.as_ref().map_or(String::new(), |set| format!(": try --set {set}"));
            Some(Remedy { text: format!("{why}{what}"), set })
        };
        if s.tolerance == 0.0 {
            let why =
                "the tolerance is 0, so that all iterations are made and no frame counts as converged".into();
            return tell(why, Some("solve.tolerance=1e-6".into()));
        }
        if self.infeasible > 0 && most(self.infeasible) {
            let why = "hard constraints cannot hold as the pins move: widen the limits, lengthen rods and ropes, or move pins less far";
            return tell(why.into(), None);
        }
        if self.diverged > 0 && most(self.diverged) {
            return tell(format!("steps of {} s diverge", short(settings.time.dt)), Some(finer()));
        }
        if most(self.time) {
            let budget = s.time_budget.unwrap_or(0.0);
            let why = format!("the time of {} ms per step ran out", short(1e3 * budget));
            return tell(why, Some(format!("solve.time_budget_ms={}", short(4e3 * budget))));
        }
        if matches!(s.method, Method::Position | Method::Projective) {
            let why =
                format!("`{}` does not solve the step to a tolerance, whatever the iterations", s.method);
            return tell(why, Some("solve.method=auto".into()));
        }
        if s.tolerance < 1e-10 {
            let why = format!("the tolerance of {} is near rounding", short(s.tolerance));
            return tell(why, Some("solve.tolerance=1e-6".into()));
        }
        if most(self.limit) && s.iterations < 50 {
            let why = format!("{} of {left} used up their {} iterations", self.limit, s.iterations);
            return tell(why, Some(format!("solve.iterations={}", (8 * s.iterations).max(100))));
        }
        if most(self.blocked) {
            let why = format!(
                "in {} of {left} bodies meet too fast for steps of {} s",
                self.blocked,
                short(settings.time.dt)
            );
            return tell(why, Some(finer()));
        }
        if s.method == Method::Admm {
            let (why, set) = match s.weight_rule {
                WeightRule::Robust => ("ADMM is slow near the tolerance", "solve.method=auto"),
                _ => ("the weights of ADMM suit the stiffness badly", "solve.weight_rule=robust"),
            };
            return tell(why.into(), Some(set.into()));
        }
        if most(self.limit) {
            let why = format!("{} of {left} used up their {} iterations", self.limit, s.iterations);
            return tell(why, Some(format!("solve.iterations={}", 4 * s.iterations)));
        }
        let why = match most(self.touching) {
            true => "what touches changes too much within a step",
            false => "the motion changes too much within a step",
        };
        tell(format!("{why} of {} s", short(settings.time.dt)), Some(finer()))
    }
}
