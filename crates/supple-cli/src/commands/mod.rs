//! The verbs of the command line, one file each.
//!
//! To add a verb: `commands/<verb>.rs` with a `#[derive(clap::Args)]` struct whose doc comment is the help and a
//! `pub fn run(args) -> miette::Result<()>`; then one variant in [`Command`] and one arm in [`run`].
pub mod bench;
pub mod demo;
pub mod mesh;

use std::io::Write;
use std::process::ExitCode;

use clap::Subcommand;

use crate::cli::{self, Cli};
use crate::input::InputError;

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a built-in scene and draw it
    Demo(demo::Args),
    /// Measure this machine and the solver on it
    Bench(bench::Args),
    /// Look at mesh files and convert them
    Mesh(mesh::Args),
}

/// Runs what was typed and turns its outcome into the exit code: 0 done, 1 failed, 2 the input makes no
/// sense (the reason is on standard error). Usage errors leave with 2 before they come here.
pub fn run(cli: Cli) -> ExitCode {
    let outcome = match cli.command {
        Some(Command::Demo(args)) => demo::run(&args),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Mesh(args)) => mesh::run(&args),
        None => cli::print_help().map_err(|error| miette::miette!("cannot print the help: {error}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(report) => {
            report_failure(&report);
            if report.is::<InputError>() { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

/// Prints `error: …`, its causes and its advice. A closed standard error is no reason to fail differently.
fn report_failure(report: &miette::Report) {
    let mut text = format!("error: {report}\n");
    for cause in report.chain().skip(1) {
        text.push_str(&format!("  because: {cause}\n"));
    }
    if let Some(help) = report.help() {
        text.push_str(&format!("  help: {help}\n"));
    }
    let _ = std::io::stderr().write_all(text.as_bytes());
}
