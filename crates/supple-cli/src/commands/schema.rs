//! `supple schema`: the JSON schema of scene files.
use std::io::Write;

use miette::IntoDiagnostic;
use supple::scene::file::SceneFile;

use super::Failure;

/// The schema as text.
pub fn text() -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(&schemars::schema_for!(SceneFile)).map(|t| t + "\n")
}

/// Prints the schema.
pub fn run() -> Result<(), Failure> {
    let text = text().into_diagnostic().map_err(Failure::run)?;
    std::io::stdout().write_all(text.as_bytes()).into_diagnostic().map_err(Failure::run)
}
