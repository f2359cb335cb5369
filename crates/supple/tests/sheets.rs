//! Sheets, rods, ropes, strain limits: their energies by themselves, and known answers.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

#[path = "sheets/air.rs"]
mod air;
#[path = "sheets/anytime.rs"]
mod anytime;
#[path = "sheets/bending.rs"]
mod bending;
#[path = "sheets/fields.rs"]
mod fields;
#[path = "sheets/flag.rs"]
mod flag;
#[path = "sheets/hard.rs"]
mod hard;
#[path = "sheets/infeasible.rs"]
mod infeasible;
#[path = "sheets/laws.rs"]
mod laws;
#[path = "sheets/limits.rs"]
mod limits;
