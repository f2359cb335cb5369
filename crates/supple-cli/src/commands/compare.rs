//! `supple compare`: one frame of a scene, solved by several methods.
use std::io::Write;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use miette::{IntoDiagnostic, miette};
use supple::scene::parse::nearest;
use supple::{Start, WeightRule};
use supple_files::load::Loaded;
use supple_files::output::OutputDir;

use super::Failure;
use crate::compare::{self, Comparison, NAMES, Plan, Race, Variant};
use crate::scenes;

/// Methods that are compared if none are named.
const DEFAULT: &[&str] = &["admm-published", "admm", "projective", "lbfgs", "quasi_newton", "newton", "auto"];

/// What to compare.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    options: Options,
    /// Methods, separated by commas: admm, admm-published, admm-anderson, admm-relaxed, admm-chebyshev, admm-local,
    /// admm-uzawa, admm-nodal, projective, position, position-jacobi, quasi_newton, lbfgs, newton, auto [default: admm-published, admm, projective, lbfgs,
    /// quasi_newton, newton, auto]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    methods: Vec<String>,
    /// Also ADMM as published with weights w² = W·k for these W
    #[arg(long, value_name = "W,…", value_delimiter = ',')]
    weights: Vec<f64>,
}

/// Options of comparisons.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// The scene, a TOML file or the name of a built-in one
    pub scene: PathBuf,
    /// The frame to solve
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub frame: u64,
    /// Tolerance of each method, as it understands it
    #[arg(long, value_name = "T", default_value = "1e-10")]
    pub tolerance: f64,
    /// Maximum number of iterations of each method
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub iterations: usize,
    /// Where all methods start: inertia (as published) or best
    #[arg(long, value_name = "START", default_value = "inertia", value_parser = start)]
    pub start: Start,
    /// Folder for the results [default: out/ and the verb and the scene's name]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,
    /// Print the numbers as JSON instead of a table
    #[arg(long)]
    pub json: bool,
    /// Set a value of the scene, for example body.beam.material.young=2e5
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Number of threads, overriding the scene; 0 uses all cores
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Also allow the scene to read meshes from this folder
    #[arg(long, value_name = "DIR")]
    pub allow_dir: Vec<PathBuf>,
}

fn start(word: &str) -> Result<Start, String> {
    match word {
        "inertia" => Ok(Start::Inertia),
        "best" => Ok(Start::Best),
        _ => Err("write inertia or best".into()),
    }
}

/// Runs the methods.
pub fn run(args: &Args) -> Result<(), Failure> {
    let names: Vec<&str> = if args.methods.is_empty() {
        DEFAULT.to_vec()
    } else {
        args.methods.iter().map(|m| m.trim()).collect()
    };
    let mut variants: Vec<Variant> = Vec::new();
    for name in names {
        let Some(variant) = Variant::named(name) else {
            let known = NAMES.iter().map(|n| n.0);
            let hint = nearest(name, known.clone()).map_or_else(
                || format!("known are {}", known.collect::<Vec<_>>().join(", ")),
                |n| format!("did you mean {n}?"),
            );
            return Err(Failure::input(miette!(help = hint, "there is no method {name:?}")));
        };
        if variants.iter().any(|v| v.name == variant.name) {
            return Err(Failure::input(miette!("{name} is named twice")));
        }
        variants.push(variant);
    }
    variants.extend(weighted(&args.weights, WeightRule::Bulk)?);
    args.options.compare("compare", &variants, "")
}

/// ADMM as published, for a range of weights.
pub(super) fn weighted(scales: &[f64], rule: WeightRule) -> Result<Vec<Variant>, Failure> {
    let one = |&scale: &f64| {
        if !(1e-9..=1e9).contains(&scale) {
            return Err(Failure::input(miette!("a weight of {scale} k is out of range: from 1e-9 to 1e9")));
        }
        Ok(Variant::weighted(format!("admm w² = {}", compare::ratio(scale)), rule, scale))
    };
    scales.iter().map(one).collect()
}

impl Options {
    /// The scene from a file or, where there is none of that name, a built-in one; and its name.
    fn load(&self) -> Result<(Loaded, String), Failure> {
        let mut set = self.set.clone();
        if let Some(n) = self.threads {
            set.push(format!("solve.threads={n}"));
        }
        let built_in = self.scene.to_str().and_then(scenes::find).filter(|_| !self.scene.exists());
        if let Some(scene) = built_in {
            let name = format!("{} (built in)", scene.name);
            let loaded = Loaded::parse(&name, scene.text.to_string(), None, &set).map_err(Failure::load)?;
            return Ok((loaded, scene.name.to_string()));
        }
        let stem =
            self.scene.file_stem().map_or_else(|| "scene".into(), |s| s.to_string_lossy().into_owned());
        Ok((Loaded::read(&self.scene, &set).map_err(Failure::load)?, stem))
    }

    /// Compares the variants, prints the table and writes the files. `title` stands above the plots.
    pub(super) fn compare(&self, verb: &str, variants: &[Variant], title: &str) -> Result<(), Failure> {
        if !(self.tolerance.is_finite() && self.tolerance >= 0.0) {
            return Err(Failure::input(miette!(
                "the tolerance must be zero or positive, not {}",
                self.tolerance
            )));
        }
        if self.iterations == 0 {
            return Err(Failure::input(miette!("at least one iteration is needed")));
        }
        let (scene, name) = self.load()?;
        let out = self.out.clone().unwrap_or_else(|| Path::new("out").join(format!("{verb}-{name}")));
        let folder = OutputDir::create(&out, self.force).map_err(Failure::input)?;
        let files = [format!("{name}.csv"), format!("{name}-iterations.svg"), format!("{name}-time.svg")];
        for file in &files {
            folder.check(file).map_err(Failure::input)?;
        }

        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(std::time::Duration::from_millis(200));
        bar.set_message(format!("frames before {}", self.frame));
        let plan = Plan {
            frame: self.frame,
            start: self.start,
            tolerance: self.tolerance,
            iterations: self.iterations,
            ..Plan::default()
        };
        let outcome = Race::new(&scene, &self.allow_dir, plan).map(|race| {
            Comparison::of(&race, &name, variants, &mut |what| bar.set_message(what.to_string()))
        });
        bar.finish_and_clear();
        let c = outcome?;

        let title = if title.is_empty() {
            format!("{name}, frame {}", self.frame)
        } else {
            format!("{name}: {title}")
        };
        let plots = [compare::error_plot(&c, &title, false), compare::error_plot(&c, &title, true)];
        let texts = [compare::csv(&c), plots[0].svg() + "\n", plots[1].svg() + "\n"];
        let mut written = Vec::new();
        for (file, text) in files.iter().zip(&texts) {
            written.push(folder.write_bytes(file, text.as_bytes()).map_err(Failure::run)?);
        }
        let text = if self.json {
            format!("{}\n", compare::json(&c))
        } else {
            let mut text = compare::table(&c);
            text.push('\n');
            for path in &written {
                text.push_str(&format!("wrote {}\n", path.display()));
            }
            text
        };
        std::io::stdout().write_all(text.as_bytes()).into_diagnostic().map_err(Failure::run)
    }
}
