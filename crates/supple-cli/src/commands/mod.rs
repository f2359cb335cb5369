//! The verbs of the command line, one file each.
//!
//! To add a verb: `commands/<verb>.rs` with a `#[derive(clap::Args)]` struct whose doc comment is the help and a
//! `pub fn run(args) -> Result<(), Failure>`; then one variant in [`Command`] and one arm in [`run()`].
#[allow(clippy::indexing_slicing, reason = "they measure bodies of their own making")]
pub mod bench;
pub mod check;
pub mod compare;
pub mod demo;
pub mod drop;
pub mod generate;
pub mod material;
pub mod mesh;
#[allow(clippy::indexing_slicing, reason = "they measure bodies of their own making")]
pub mod paper;
pub mod run;
pub mod schema;
pub mod site;
pub mod study;
pub mod sweep_weights;
pub mod view;

use std::io::Write;
use std::process::ExitCode;

use clap::Subcommand;
use supple_files::input::InputError;
use supple_files::load::LoadError;
use supple_files::output::FileError;

use crate::cli::{self, Cli};

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scene file: simulate, show progress, write the animation and the numbers
    Run(run::Args),
    /// Open a scene in the browser, running live: look at it, pull at it, change it
    ///
    /// Prints the address of the page, which holds the token of this run, and opens it. The server listens at the loopback only; it
    /// ends with Ctrl-C. See docs/viewer.md.
    View(view::Args),
    /// Write the viewer as a folder for any web server: everything is solved in the visitor's browser
    ///
    /// The folder holds the page, the solver for the browser and the built-in scenes; the page contacts no other server. Try it with
    /// `python3 -m http.server --directory DIR`. See docs/site.md.
    Site(site::Args),
    /// Run a built-in scene and draw it
    Demo(demo::Args),
    /// Fill a surface, let it fall on the floor, and write pictures and a .glb
    ///
    /// Takes .obj, .ply, .stl, .gltf and .glb with y upwards and lengths in metres. The body has about --tets tetrahedra of a soft
    /// rubber whose stiffness fits its size, and is drawn and exported as the surface itself. --view opens it in the browser instead.
    Drop(drop::Args),
    /// Check a scene or mesh file without running it
    Check(check::Args),
    /// Inspect, fill and convert mesh files
    Mesh(mesh::Args),
    /// Materials: presets with their sources, and fits to measurements
    Material(material::Args),
    /// Print the JSON schema of scene files, for editors
    Schema(schema::Args),
    /// Run a scene for many parameters and keep the results in a folder
    ///
    /// The study is a TOML file: docs/studies.md. A study that is started again runs only what is missing. Needs the Python package.
    Study(study::Args),
    /// Solve one frame of a scene by several methods and compare them
    ///
    /// The scene runs with its own settings up to the frame before; then each method solves the same step from the same start,
    /// with its defaults. Writes a CSV of all iterates and plots of the relative error (ε(x)−ε*)/(ε(x⁰)−ε*) against
    /// iterations and against the solver's time; ε* is the lowest objective that Newton's method, run to rounding, or any other
    /// method found. Times exclude set-up, observation and the convergence test; the fastest of three runs counts.
    Compare(compare::Args),
    /// Solve one frame of a scene by ADMM with a range of weights
    ///
    /// ADMM as published, with weights w² = s·k·V for each scale s. Small weights are faster until the iteration
    /// cycles instead of converging: its status is then `stalled`, at a constant relative error.
    SweepWeights(sweep_weights::Args),
    /// Reproduce the figures and tables of the paper on one page
    ///
    /// Writes `paper.html`, one self-contained page with the paper's claims, its numbers and this run's measurements side by
    /// side, and `paper.json`, the same numbers for programs. The paper is "ADMM ⊇ Projective Dynamics" (Narain,
    /// Overby, Brown; SCA 2016).
    Paper(paper::Args),
    /// Measure this machine and the solver on it
    Bench(bench::Args),
    /// Print shell completions or the manual page
    Generate(generate::Args),
}

/// Why a verb failed, and with which exit code.
#[derive(Debug)]
pub struct Failure {
    /// 1: the simulation failed; 2: usage or input.
    code: u8,
    /// What to print.
    text: String,
}

impl Failure {
    /// Wrong input: exit code 2.
    pub fn input(report: impl Into<miette::Report>) -> Failure {
        Failure { code: 2, text: tell(&report.into()) }
    }
    /// Something went wrong while running: exit code 1.
    pub fn run(report: impl Into<miette::Report>) -> Failure {
        Failure { code: 1, text: tell(&report.into()) }
    }
    /// Wrong input or something else, as the report says.
    fn from_report(report: miette::Report) -> Failure {
        let input =
            report.is::<InputError>() || report.is::<FileError>() || report.is::<mesh::fill::Refused>();
        if input { Failure::input(report) } else { Failure::run(report) }
    }
    /// A scene that cannot be run: exit code 2.
    pub fn load(e: LoadError) -> Failure {
        Failure { code: 2, text: format!("error: {}", e.0) }
    }
}

/// Runs what was typed and turns its outcome into the exit code: 0 done, 1 the simulation failed, 2 usage or input; the
/// reason is on standard error.
pub fn run(cli: Cli) -> ExitCode {
    let outcome = match cli.command {
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::View(args)) => view::run(&args),
        Some(Command::Demo(args)) => demo::run(&args),
        Some(Command::Drop(args)) => drop::run(&args),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Mesh(args)) => mesh::run(&args).map_err(Failure::from_report),
        Some(Command::Material(args)) => material::run(&args),
        Some(Command::Schema(args)) => schema::run(&args),
        Some(Command::Study(args)) => study::run(&args),
        Some(Command::Site(args)) => site::run(&args),
        Some(Command::Compare(args)) => compare::run(&args),
        Some(Command::SweepWeights(args)) => sweep_weights::run(&args),
        Some(Command::Paper(args)) => paper::run(&args),
        Some(Command::Bench(args)) => bench::run(&args).map_err(Failure::run),
        Some(Command::Generate(args)) => generate::run(&args),
        None => {
            cli::print_help().map_err(|error| Failure::run(miette::miette!("cannot print the help: {error}")))
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // A closed standard error is no reason to fail differently.
            let _ = std::io::stderr().write_all(failure.text.as_bytes());
            ExitCode::from(failure.code)
        }
    }
}

/// `error: …`, its causes and its advice.
fn tell(report: &miette::Report) -> String {
    let mut text = format!("error: {report}\n");
    for cause in report.chain().skip(1) {
        text.push_str(&format!("  because: {cause}\n"));
    }
    if let Some(help) = report.help() {
        text.push_str(&format!("  help: {help}\n"));
    }
    text
}
