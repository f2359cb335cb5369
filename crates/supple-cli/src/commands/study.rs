//! `supple study`: hands over to the Python package, which has studies, fits and gradients.

use std::ffi::OsString;
use std::process::Command;

use super::Failure;

/// Arguments after `study` are passed on unchanged.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The study, a TOML file; then --store, --engine, --workers, --shard I/N, --merge, --failed, --report, --quiet
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "FILE")]
    rest: Vec<OsString>,
}

/// Looks for Python with the package: `SUPPLE_PYTHON`, `python3`, `python`.
pub fn run(args: &Args) -> Result<(), Failure> {
    let named = std::env::var_os("SUPPLE_PYTHON").filter(|p| !p.is_empty());
    let candidates = match named {
        Some(python) => vec![python],
        None => vec!["python3".into(), "python".into()],
    };
    let has_package = |python: &OsString| {
        let asked = Command::new(python).args(["-c", "import supple"]).output();
        asked.is_ok_and(|o| o.status.success())
    };
    let Some(python) = candidates.iter().find(|p| has_package(p)) else {
        let tried: Vec<_> = candidates.iter().map(|c| c.to_string_lossy()).collect();
        return Err(Failure::input(miette::miette!(
            help = "install it with `pip install supple`, or name a Python that has it in SUPPLE_PYTHON",
            "studies are in the Python package of supple, which {} has not",
            tried.join(" or ")
        )));
    };
    let status = Command::new(python).args(["-m", "supple", "study"]).args(&args.rest).status();
    match status {
        Ok(s) if s.success() => Ok(()),
        // It has said why.
        Ok(s) => Err(Failure {
            code: s.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1),
            text: String::new(),
        }),
        Err(e) => Err(Failure::run(miette::miette!("cannot start {}: {e}", python.to_string_lossy()))),
    }
}
