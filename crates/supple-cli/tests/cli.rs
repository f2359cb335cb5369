//! The command itself.
#![allow(clippy::unwrap_used)]
use std::process::Command;

use clap::CommandFactory;
use supple_cli::cli::Cli;

#[test]
fn the_arguments_are_consistent() {
    Cli::command().debug_assert();
}

#[test]
fn tells_its_version() {
    let output = Command::new(env!("CARGO_BIN_EXE_supple")).arg("--version").output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.trim(), format!("supple {}", env!("CARGO_PKG_VERSION")));
}

#[test]
fn shows_help_without_arguments_and_refuses_unknown_verbs() {
    let output = Command::new(env!("CARGO_BIN_EXE_supple")).output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8(output.stdout).unwrap().contains("Usage"));
    let output = Command::new(env!("CARGO_BIN_EXE_supple")).arg("frobnicate").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
