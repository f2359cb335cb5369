//! The step that is solved, and one method's way through it.
use std::path::PathBuf;
use std::time::{Duration, Instant};

use miette::miette;
use supple::scene::Program;
use supple::{Control, Method, Settings, Start, Status};
use supple_files::load::Loaded;

use super::Variant;
use crate::commands::Failure;

/// What all methods have in common.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The frame whose (first) step is solved, from 1.
    pub frame: u64,
    /// Where all of them start.
    pub start: Start,
    /// Tolerance, as each method understands it.
    pub tolerance: f64,
    /// Most iterations.
    pub iterations: usize,
    /// How often each is run for its times, after a first run that does not count; the least time to each iterate counts.
    pub repeats: usize,
}

impl Default for Plan {
    fn default() -> Self {
        Plan { frame: 1, start: Start::Inertia, tolerance: 1e-10, iterations: 1000, repeats: 3 }
    }
}

/// An iterate: its number, the solver's own time up to it and its objective ε(x) in J.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Number of the iteration, from 1.
    pub iteration: usize,
    /// Seconds since the start of the step, without those of the onlooker.
    pub seconds: f64,
    /// ε(x).
    pub objective: f64,
}

/// A method's way to the end.
#[derive(Debug, Clone)]
pub struct Done {
    /// Its iterates.
    pub samples: Vec<Sample>,
    /// ε(x⁰).
    pub start: f64,
    /// How it ended.
    pub status: Status,
    /// Who was at work in the end; differs from what was asked for with `auto`.
    pub method: Method,
    /// Iterations done.
    pub iterations: usize,
    /// Seconds of the whole step, without those of the onlooker and of the test whether to stop.
    pub seconds: f64,
    /// Force residual at the end.
    pub force_residual: f64,
    /// True if it goes the same way, bit for bit, with and without the test whether to stop.
    pub repeatable: bool,
}

/// What became of a method.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// It ran.
    Done(Done),
    /// It does not go with the scene, or broke down; why.
    Impossible(String),
}

/// A method and what became of it.
#[derive(Debug, Clone)]
pub struct Run {
    /// Its name.
    pub name: String,
    /// What became of it.
    pub outcome: Outcome,
}

impl Run {
    /// Its way, if it ran.
    pub fn done(&self) -> Option<&Done> {
        match &self.outcome {
            Outcome::Done(done) => Some(done),
            Outcome::Impossible(_) => None,
        }
    }
}

/// A step of a scene, ready to be solved again and again.
pub struct Race<'a> {
    scene: &'a Loaded,
    allowed: &'a [PathBuf],
    checkpoint: Vec<u8>,
    settings: Settings,
    /// What all methods have in common.
    pub plan: Plan,
    /// Nodes of the scene.
    pub nodes: usize,
    /// Elements of the scene.
    pub elements: usize,
    /// Threads at work.
    pub threads: usize,
}

impl<'a> Race<'a> {
    /// True if bodies touch something: then the lowest objective alone does not decide.
    pub fn touches(&self) -> bool {
        !self.scene.file.obstacle.is_empty() || self.scene.file.collide.is_some()
    }

    /// Runs a scene with its own settings up to the frame before the one of the plan. Its meshes may also lie in the folders
    /// of `allowed`.
    pub fn new(scene: &'a Loaded, allowed: &'a [PathBuf], plan: Plan) -> Result<Race<'a>, Failure> {
        let (mut program, _) = scene.build(allowed).map_err(Failure::load)?;
        for frame in 1..plan.frame {
            program.frame().map_err(|e| Failure::run(miette!("frame {frame}: {e}")))?;
        }
        let s = &program.simulation;
        Ok(Race {
            scene,
            allowed,
            checkpoint: s.checkpoint(),
            settings: s.settings().clone(),
            plan,
            nodes: s.node_count(),
            elements: s.element_count(),
            threads: s.threads(),
        })
    }

    /// The settings of a method in this race.
    fn settings_of(&self, variant: &Variant) -> Settings {
        let mut settings = self.settings.clone();
        let threads = settings.solve.threads;
        settings.solve = variant.solve.clone();
        settings.solve.threads = threads;
        settings.solve.start = self.plan.start;
        settings
    }

    /// A simulation of its own for a method: nothing that one learnt of the step is left for another.
    fn prepare(&self, settings: &Settings) -> Result<Program, String> {
        let (mut program, _) = self.scene.build(self.allowed).map_err(|e| e.0)?;
        program.simulation.update_settings(settings.clone()).map_err(|e| e.to_string())?;
        Ok(program)
    }

    /// Back to the start of the step, whatever was learnt in it forgotten.
    fn rewind(&self, program: &mut Program) -> Result<(), String> {
        program.simulation.restore(&self.checkpoint).map_err(|e| e.to_string())?;
        program.aim_next().map_err(|e| e.to_string())
    }

    /// A method's way, with the plan's tolerance and iterations.
    pub fn run(&self, variant: &Variant) -> Run {
        let mut settings = self.settings_of(variant);
        settings.solve.tolerance = self.plan.tolerance;
        settings.solve.iterations = self.plan.iterations;
        self.run_with(variant, &settings, self.plan.repeats)
    }

    /// Newton's way to rounding.
    pub(super) fn reference(&self) -> Run {
        let variant = Variant::reference();
        self.run_with(&variant, &self.settings_of(&variant), 0)
    }

    fn run_with(&self, variant: &Variant, settings: &Settings, repeats: usize) -> Run {
        let outcome = match self.best_of(settings, repeats) {
            Ok(done) => Outcome::Done(done),
            Err(why) => Outcome::Impossible(why),
        };
        Run { name: variant.name.clone(), outcome }
    }

    /// Once with the test whether to stop, which sets up all that is set up once and says how it ends; then `repeats` times as
    /// many iterations without the test, for their times.
    fn best_of(&self, settings: &Settings, repeats: usize) -> Result<Done, String> {
        let mut program = self.prepare(settings)?;
        self.rewind(&mut program)?;
        let mut done = once(&mut program)?;
        let mut bare = settings.clone();
        bare.solve.tolerance = 0.0;
        bare.solve.iterations = done.samples.len().max(1);
        if repeats == 0 || self.time(&mut program, bare, repeats, &mut done)? {
            return Ok(done);
        }
        // The test took part in what was done: its time belongs to it.
        done.repeatable = false;
        self.time(&mut program, settings.clone(), repeats, &mut done)?;
        Ok(done)
    }

    /// Takes times from repeats; false, and no times, if they go another way.
    fn time(
        &self,
        program: &mut Program,
        settings: Settings,
        repeats: usize,
        done: &mut Done,
    ) -> Result<bool, String> {
        program.simulation.update_settings(settings).map_err(|e| e.to_string())?;
        let mut timed = done.clone();
        for i in 0..repeats {
            self.rewind(program)?;
            let again = once(program)?;
            if !same_way(&done.samples, &again.samples) {
                return Ok(false);
            }
            // The least time to each iterate: what comes between is never the solver's.
            let least = |before: f64, now: f64| if i == 0 { now } else { before.min(now) };
            for (s, t) in timed.samples.iter_mut().zip(&again.samples) {
                s.seconds = least(s.seconds, t.seconds);
            }
            timed.seconds = least(timed.seconds, again.seconds);
        }
        *done = timed;
        Ok(true)
    }

    /// Seconds of a step of exactly so many iterations, without onlooker and without a test whether to stop: the fastest of
    /// `repeats`.
    pub fn seconds(&self, variant: &Variant, iterations: usize, repeats: usize) -> Result<f64, String> {
        let mut settings = self.settings_of(variant);
        settings.solve.tolerance = 0.0;
        settings.solve.iterations = iterations.max(1);
        let mut program = self.prepare(&settings)?;
        let mut fastest = f64::INFINITY;
        for i in 0..=repeats.max(1) {
            self.rewind(&mut program)?;
            let begun = Instant::now();
            program.simulation.step().map_err(|e| e.to_string())?;
            // The first one sets up.
            if i > 0 {
                fastest = fastest.min(begun.elapsed().as_secs_f64());
            }
        }
        Ok(fastest)
    }
}

/// One step, observed after each iteration.
fn once(program: &mut Program) -> Result<Done, String> {
    let mut samples = Vec::new();
    let mut start = f64::NAN;
    let mut looking = Duration::ZERO;
    let begun = Instant::now();
    let report = program
        .simulation
        .step_with(&mut |it| {
            let now = Instant::now();
            let seconds = (now - begun).saturating_sub(looking).as_secs_f64();
            start = it.start_objective();
            samples.push(Sample { iteration: it.index(), seconds, objective: it.objective() });
            looking += now.elapsed();
            Control::Continue
        })
        .map_err(|e| e.to_string())?;
    let seconds = begun.elapsed().saturating_sub(looking).as_secs_f64();
    Ok(Done {
        samples,
        start,
        status: report.status,
        method: report.method,
        iterations: report.iterations,
        seconds,
        force_residual: report.force_residual,
        repeatable: true,
    })
}

fn same_way(a: &[Sample], b: &[Sample]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(p, q)| p.objective.to_bits() == q.objective.to_bits())
}
