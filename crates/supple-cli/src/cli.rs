//! What may be typed on the command line. What it *does* is in [`crate::commands`].
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use supple::scene::parse::nearest;

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
    Cli::try_parse().unwrap_or_else(|mut e| {
        // Names of verbs are too short for the likeness that the parser asks for.
        let wrong = match (e.kind(), e.get(ContextKind::InvalidSubcommand)) {
            (ErrorKind::InvalidSubcommand, Some(ContextValue::String(word))) => Some(word.clone()),
            _ => None,
        };
        let command = Cli::command();
        let verbs = command.get_subcommands().map(clap::Command::get_name);
        if let Some(near) = wrong.and_then(|word| nearest(&word, verbs)) {
            e.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![near.to_owned()]));
        }
        e.exit()
    })
}

/// Prints the short help on standard output.
pub(crate) fn print_help() -> std::io::Result<()> {
    Cli::command().print_help()
}
