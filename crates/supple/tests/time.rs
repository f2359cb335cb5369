//! Time: integrators and their order, equilibria, and what is measured of a state.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod bridge;
mod common;
mod reference;

#[path = "time/axes.rs"]
mod axes;
#[path = "time/axes_contact.rs"]
mod axes_contact;
#[path = "time/bdf2.rs"]
mod bdf2;
#[path = "time/defaults.rs"]
mod defaults;
#[path = "time/equilibrium.rs"]
mod equilibrium;
#[path = "time/files.rs"]
mod files;
#[path = "time/hertz.rs"]
mod hertz;
#[path = "time/measure.rs"]
mod measure;
#[path = "time/sheet.rs"]
mod sheet;
