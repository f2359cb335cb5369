//! Animations in every format. Here what can be told from the bytes; `scripts/export-oracles` reads the same files
//! with other people's readers.
#![allow(clippy::unwrap_used, clippy::panic)]
mod door;
mod formats;
mod oracle;
mod pictures;
mod scene;
