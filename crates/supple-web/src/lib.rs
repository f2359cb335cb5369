//! supple in the browser: the session of the viewer (`supple_cli::view::Session`) in a worker of the page, which talks to it in the messages of
//! docs/stream-format.md. docs/site.md says how page, worker and module belong together.
//!
//! | file | holds |
//! |---|---|
//! | `worker.rs` | the session and what it has to say |
//! | `boundary.rs` | what WebAssembly exports: numbers and one byte buffer each way |
//! | `record.rs` | frames of a scene as bits, for comparisons with other machines |
//! | `lanes.rs` | every operation of lanes against plain numbers |
#[cfg(target_family = "wasm")]
mod boundary;
pub mod lanes;
pub mod record;
pub mod worker;
