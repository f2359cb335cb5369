//! `supple view`: a scene, live in the browser.
//!
//! ```text
//! browser ⇄ server.rs, socket.rs (one task per viewer) ⇄ hub.rs ⇄ host.rs (the simulation's own thread): session.rs ⇄ builder.rs
//! page    ⇄ worker of the page (crates/supple-web): session.rs
//! ```
//! The simulation never waits for a viewer: it leaves its newest frame in the hub, and each viewer takes the newest there is when
//! it is ready for one. Commands go the other way through one bounded queue.
//!
//! | file | holds |
//! |---|---|
//! | `server.rs` | addresses, connections, headers; what is served |
//! | `guard.rs` | who may: Host, Origin, token |
//! | `socket.rs` | one viewer: frames out, commands in, both with time limits |
//! | `hub.rs` | what the viewers and the simulation share |
//! | `command.rs` | what a viewer may ask for, checked |
//! | `session.rs`, `pace.rs` | a running scene: run, pause, step, reset; when the next frame is due |
//! | `change.rs`, `undo.rs` | other values, scenes, files and methods; and back again |
//! | `taking.rs`, `history.rs` | a frame; the frames that were, to go back to |
//! | `beside.rs` | the same scene by a second method |
//! | `files.rs`, `upload.rs` | files that viewers send: what they are, and how they come in |
//! | `host.rs` | the simulation's thread |
//! | `iterate.rs` | one step, iteration by iteration |
//! | `grip.rs` | points that viewers hold |
//! | `recipe.rs`, `tune.rs` | the scene as it is to be built; values of it that viewers change |
//! | `job.rs` | what is to be built |
//! | `builder.rs` | builds in the background, the newest wish only |
//! | `state.rs` | what viewers receive besides frames, as JSON |
//! | `stream.rs`, `skin.rs`, `decode.rs` | models and frames as bytes (docs/stream-format.md), what is seen of a scene; and back |
pub mod beside;
mod change;
pub mod command;
pub mod decode;
pub mod files;
pub mod grip;
mod history;
mod iterate;
pub mod job;
mod pace;
mod recipe;
pub mod session;
pub(crate) mod skin;
mod state;
pub mod stream;
mod taking;
mod tune;
mod undo;

pub use recipe::Recipe;
pub use session::Session;

// The server.
#[cfg(not(target_family = "wasm"))]
mod builder;
#[cfg(not(target_family = "wasm"))]
pub mod guard;
#[cfg(not(target_family = "wasm"))]
mod host;
#[cfg(not(target_family = "wasm"))]
mod hub;
#[cfg(not(target_family = "wasm"))]
pub mod server;
#[cfg(not(target_family = "wasm"))]
mod socket;
#[cfg(not(target_family = "wasm"))]
mod upload;

#[cfg(not(target_family = "wasm"))]
pub use server::{Options, Server};
