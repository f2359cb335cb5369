//! What stands behind the `supple` command: pictures, exports, files and the verbs themselves.
//!
//! | module | holds |
//! |---|---|
//! | [`advice`] | what looks wrong before a run, what helps after it |
//! | [`cli`] | what may be typed |
//! | [`commands`] | one file per verb, and [`commands::run()`] |
//! | [`scenes`] | the built-in scenes |
//! | [`compare`] | one time step by several methods |
//! | [`fit`] | materials from measurements |
//! | [`plot`] | line plots as SVG |
//! | [`picture`] | a software rasteriser: triangle meshes in, [`picture::Image`] out |
//! | [`export`] | animations and pictures in thirteen formats |
//! | [`input`], [`load`] | files that a user names; scene files and what they name |
//! | [`memory`] | is there memory for a scene? |
//! | [`view`] | a scene, live in the browser |
//! | [`files`] | the output folder: nothing half-written, nothing overwritten by accident |
pub mod advice;
pub mod cli;
pub mod commands;
pub mod compare;
pub mod export;
pub mod files;
pub mod fit;
pub mod input;
pub mod load;
pub mod memory;
pub mod picture;
pub mod plot;
pub mod scenes;
pub mod view;
