//! placeholder
use super::Failure;
/// Reproduce
#[derive(Debug, clap::Args)]
pub struct Args {}
/// Runs.
pub fn run(_args: &Args) -> Result<(), Failure> { Ok(()) }
