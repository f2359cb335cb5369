//! `supple generate`: completions and the manual page, from the same source as the help.
use std::io::Write;

use clap::CommandFactory;
use miette::IntoDiagnostic;

use super::Failure;
use crate::cli::Cli;

/// Print shell completions or the manual page
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to print
    what: What,
}

/// What can be generated.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum What {
    /// Completions for bash
    Bash,
    /// Completions for zsh
    Zsh,
    /// Completions for fish
    Fish,
    /// Completions for PowerShell
    Powershell,
    /// The manual page, in roff
    Man,
}

/// Prints what was asked for.
pub fn run(args: &Args) -> Result<(), Failure> {
    use clap_complete::{Shell, generate};
    let mut out = Vec::new();
    let mut command = Cli::command();
    let shell = match args.what {
        What::Bash => Some(Shell::Bash),
        What::Zsh => Some(Shell::Zsh),
        What::Fish => Some(Shell::Fish),
        What::Powershell => Some(Shell::PowerShell),
        What::Man => None,
    };
    match shell {
        Some(shell) => generate(shell, &mut command, "supple", &mut out),
        None => clap_mangen::Man::new(command).render(&mut out).into_diagnostic().map_err(Failure::run)?,
    }
    std::io::stdout().write_all(&out).into_diagnostic().map_err(Failure::run)
}
