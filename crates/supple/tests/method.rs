//! The proximal operators, and the iteration, against the oracle.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod bridge;
mod common;
mod reference;

#[path = "method/affine.rs"]
mod affine;
#[path = "method/discard.rs"]
mod discard;
#[path = "method/iterates.rs"]
mod iterates;
#[path = "method/minimiser.rs"]
mod minimiser;
#[path = "method/own.rs"]
mod own;
#[path = "method/prox.rs"]
mod prox;
#[path = "method/prox_known.rs"]
mod prox_known;
#[path = "method/status.rs"]
mod status;
