//! What stands behind the `supple` command: pictures, exports, files and the verbs themselves.
//!
//! | module | holds |
//! |---|---|
//! | [`advice`] | what looks wrong before a run, what helps after it |
//! | [`cli`] | what may be typed |
//! | [`commands`] | one file per verb, and [`commands::run()`] |
//! | [`dropped`] | the scene of a surface that falls |
//! | [`scenes`] | the built-in scenes |
//! | `show` | a scene as it is seen |
//! | [`compare`] | one time step by several methods |
//! | [`fit`] | materials from measurements |
//! | [`plot`] | line plots as SVG |
//! | [`picture`] | a software rasteriser: triangle meshes in, [`picture::Image`] out |
//! | [`export`] | animations and pictures in thirteen formats |
//! | [`view`] | a scene, live in the browser |
//!
//! In the browser there is no command line and no server; the rest is the same.
#![deny(clippy::indexing_slicing)]

#[cfg(not(target_family = "wasm"))]
pub mod advice;
#[cfg(not(target_family = "wasm"))]
pub mod cli;
#[cfg(not(target_family = "wasm"))]
pub mod commands;
#[cfg(not(target_family = "wasm"))]
pub mod compare;
pub mod dropped;
#[allow(clippy::indexing_slicing, reason = "bodies and nodes of a program that was built")]
pub mod export;
#[cfg(not(target_family = "wasm"))]
pub mod fit;
#[allow(clippy::indexing_slicing, reason = "a rasteriser: its own buffers, clipped before")]
pub mod picture;
#[cfg(not(target_family = "wasm"))]
#[allow(clippy::indexing_slicing, reason = "its own buffers")]
pub mod plot;
pub mod scenes;
// In the browser nothing is exported.
#[cfg_attr(target_family = "wasm", allow(dead_code))]
#[allow(clippy::indexing_slicing, reason = "bodies and nodes of a program that was built")]
pub(crate) mod show;
pub mod view;
