//! The `supple` command.
use std::process::ExitCode;

fn main() -> ExitCode {
    supple_cli::commands::run(supple_cli::cli::parse())
}
