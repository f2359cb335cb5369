//! VERIFICATION F: contact and friction, against closed forms and an independent solver.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod bridge;
mod common;
mod reference;

#[path = "contact/drop.rs"]
mod drop;
#[path = "contact/incline.rs"]
mod incline;
#[path = "contact/particle.rs"]
mod particle;
#[path = "contact/setup.rs"]
mod setup;
#[path = "contact/signorini.rs"]
mod signorini;
