//! Ways beside each other: errors relative to the lowest objective that was found.
use supple::{Start, Status};

use super::{Done, Race, Run, Sample, Variant};

/// Relative errors whose iterations and times are reported.
pub const TARGETS: [f64; 3] = [1e-2, 1e-4, 1e-9];

/// When a method first was below a target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Milestone {
    /// Iterations.
    pub iterations: usize,
    /// Seconds of the solver.
    pub seconds: f64,
}

/// All methods on one step.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Name of the scene.
    pub scene: String,
    /// The frame.
    pub frame: u64,
    /// Where all start.
    pub start: Start,
    /// Nodes, elements, threads.
    pub size: [usize; 3],
    /// ε(x⁰) in J.
    pub first: f64,
    /// ε*, the lowest objective found, in J.
    pub lowest: f64,
    /// Who found it.
    pub found_by: String,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// The methods.
    pub runs: Vec<Run>,
}

/// The lowest objective on a way.
fn lowest(done: &Done) -> f64 {
    done.samples.iter().map(|s| s.objective).fold(f64::INFINITY, f64::min)
}

impl Comparison {
    /// Runs the methods, and Newton to rounding for ε*. `tell` is called with the name of each before it runs.
    pub fn of(race: &Race<'_>, scene: &str, variants: &[Variant], tell: &mut dyn FnMut(&str)) -> Comparison {
        tell("newton, to rounding");
        let reference = race.reference();
        let mut runs = Vec::new();
        for v in variants {
            tell(&v.name);
            runs.push(race.run(v));
        }
        Comparison::new(race, scene, &reference, runs)
    }

    fn new(race: &Race<'_>, scene: &str, reference: &Run, runs: Vec<Run>) -> Comparison {
        let mut notes = Vec::new();
        if race.touches() {
            notes.push(
                "bodies may touch: what has entered something can lie below ε*, and with friction no objective has its minimum at the \
                 solution, so that methods which have converged differ in ε; compare residuals"
                    .into(),
            );
        }
        let all = || runs.iter().chain([reference]).filter_map(|r| r.done().map(|d| (r, d)));
        let first = all().map(|(_, d)| d.start).find(|s| s.is_finite());
        let first = first.unwrap_or_else(|| {
            // Somewhere an element of a barrier material is inverted: errors are taken relative to where it no longer is.
            notes.push(
                "the objective is infinite at the start (an element is inverted): errors are relative to the highest finite \
                 objective on the way"
                    .into(),
            );
            let finite = all().flat_map(|(_, d)| d.samples.iter().map(|s| s.objective)).filter(|o| o.is_finite());
            finite.fold(f64::NEG_INFINITY, f64::max)
        });
        let newton = reference.done().map(lowest).filter(|l| l.is_finite());
        let best = all()
            .map(|(r, d)| (r.name.as_str(), lowest(d)))
            .filter(|(_, l)| l.is_finite())
            .fold(("", f64::INFINITY), |a, b| if b.1 < a.1 { b } else { a });
        match newton {
            None => notes.push(format!(
                "newton gave no objective to compare with ({}); ε* is the lowest that any method found",
                match &reference.outcome {
                    super::Outcome::Impossible(why) => why.as_str(),
                    super::Outcome::Done(_) => "its objective is infinite",
                }
            )),
            Some(l) => {
                // Rounding may keep it from its tolerance, but not from forces that balance.
                let open =
                    reference.done().filter(|d| d.status != Status::Converged && d.force_residual > 1e-9);
                // Beyond rounding of the objective itself.
                let above = (l - best.1) / (first - best.1).abs();
                if let Some(d) = open {
                    notes.push(format!(
                        "newton, meant to run to rounding, ended as {} with a force residual of {:.1e}; ε* is the lowest that any method found",
                        d.status, d.force_residual
                    ));
                } else if above > 1e-10 {
                    notes.push(format!(
                        "{} found a lower minimum than newton, which stands {above:.1e} above it: the problem has several",
                        best.0
                    ));
                }
            }
        }
        for r in &runs {
            if r.done().is_some_and(|d| !d.repeatable) {
                notes.push(format!(
                    "{} goes another way without its test whether to stop: its times include the test",
                    r.name
                ));
            }
        }
        let found_by = match newton {
            Some(l) if l - best.1 <= 1e-10 * (first - best.1).abs() => "newton".into(),
            _ => best.0.to_string(),
        };
        Comparison {
            scene: scene.to_string(),
            frame: race.plan.frame,
            start: race.plan.start,
            size: [race.nodes, race.elements, race.threads],
            first,
            lowest: best.1,
            found_by,
            notes,
            runs,
        }
    }

    /// (ε(x) − ε*)/(ε(x⁰) − ε*).
    pub fn error(&self, objective: f64) -> f64 {
        (objective - self.lowest) / (self.first - self.lowest)
    }

    /// When a way first was at or below a relative error.
    pub fn milestone(&self, done: &Done, target: f64) -> Option<Milestone> {
        let reached = |s: &&Sample| self.error(s.objective) <= target;
        let s = done.samples.iter().find(reached)?;
        Some(Milestone { iterations: s.iteration, seconds: s.seconds })
    }

    /// The relative error at the end of a way.
    pub fn final_error(&self, done: &Done) -> f64 {
        done.samples.last().map_or(f64::NAN, |s| self.error(s.objective))
    }

    /// The run of a name.
    pub fn run(&self, name: &str) -> Option<&Run> {
        self.runs.iter().find(|r| r.name == name)
    }

    /// When a method first was below a relative error.
    pub fn reached(&self, name: &str, target: f64) -> Option<Milestone> {
        self.milestone(self.run(name)?.done()?, target)
    }
}
