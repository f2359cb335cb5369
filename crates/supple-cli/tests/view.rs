//! The viewer's server: what it serves, whom it refuses, what the simulation does when viewers ask.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::expect_used)]

#[path = "view/client.rs"]
mod client;
#[path = "view/hold.rs"]
mod hold;
#[path = "view/hostile.rs"]
mod hostile;
#[path = "view/kept.rs"]
mod kept;
#[path = "view/opening.rs"]
mod opening;
#[path = "view/run.rs"]
mod run;
#[path = "view/stream.rs"]
mod stream;
