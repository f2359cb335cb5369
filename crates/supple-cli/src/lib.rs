//! What stands behind the `supple` command: pictures, exports, files and the verbs themselves.
//!
//! | module | holds |
//! |---|---|
//! | [`cli`] | what may be typed |
//! | [`commands`] | one file per verb, and [`commands::run`] |
//! | [`picture`] | a software rasteriser: triangle meshes in, [`picture::Image`] out |
//! | [`export`] | PNG, GIF, animated PNG and OBJ to any [`std::io::Write`] |
//! | [`input`] | files that come in: regular ones only, and meshes from them |
//! | [`files`] | the output folder: nothing half-written, nothing overwritten by accident |
pub mod cli;
pub mod commands;
pub mod export;
pub mod files;
pub mod input;
pub mod picture;
