//! Physics, and regressions: what bodies do, against closed forms and an independent Newton solver.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod bridge;
mod common;
mod reference;

#[path = "physics/build.rs"]
mod build;
#[path = "physics/fill.rs"]
mod fill;
#[path = "physics/laws.rs"]
mod laws;
#[path = "physics/newton.rs"]
mod newton;
#[path = "physics/random.rs"]
mod random;
#[path = "physics/recover.rs"]
mod recover;
#[path = "physics/statics.rs"]
mod statics;
#[path = "physics/symmetry.rs"]
mod symmetry;
