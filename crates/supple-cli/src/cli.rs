//! What may be typed on the command line. What it *does* is in [`crate::commands`].
use clap::{CommandFactory, Parser};

use crate::commands::Command;

/// Elastic bodies by implicit time integration with ADMM.
#[derive(Debug, Parser)]
#[command(name = "supple", version, max_term_width = 100)]
pub struct Cli {
    /// The verb and its arguments.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Reads the arguments of the process; prints help, version or a usage error and leaves where clap does.
pub fn parse() -> Cli {
    Cli::parse()
}

/// Prints the short help on standard output.
pub(crate) fn print_help() -> std::io::Result<()> {
    Cli::command().print_help()
}
