//! `supple view`: a scene, live in the browser.
//!
//! ```text
//! browser ⇄ server.rs, socket.rs (one task per viewer) ⇄ hub.rs ⇄ session.rs (the simulation's own thread) ⇄ builder.rs
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
//! | `session.rs`, `pace.rs` | the simulation's thread: run, pause, step, reset; when the next frame is due |
//! | `iterate.rs` | one step, iteration by iteration |
//! | `grip.rs` | points that viewers hold |
//! | `recipe.rs`, `tune.rs` | the scene as it is to be built; values of it that viewers change |
//! | `builder.rs` | builds in the background, the newest wish only |
//! | `state.rs` | what viewers are told besides frames, as JSON |
//! | `stream.rs`, `skin.rs`, `decode.rs` | models and frames as bytes (docs/stream-format.md), what is seen of a scene; and back |
//! | `page.rs` | the page, embedded |
mod builder;
pub mod command;
pub mod decode;
pub mod grip;
pub mod guard;
mod hub;
mod iterate;
mod pace;
pub mod page;
mod recipe;
pub mod server;
mod session;
pub(crate) mod skin;
mod socket;
mod state;
pub mod stream;
mod tune;

pub use recipe::Recipe;
pub use server::{Options, Server};
