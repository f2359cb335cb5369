//! What stands between [`supple`], which takes text and bytes, and the disk. The command line and the Python package share it.
//!
//! | module | holds |
//! |---|---|
//! | [`input`] | files that a user names: regular ones of sensible size, and meshes from them |
//! | [`load`] | scene files and the meshes that they name, none from outside of the scene's folder |
//! | [`memory`] | is there memory for a scene? |
//! | [`output`] | the output folder: nothing half-written, nothing overwritten by accident |
#![deny(clippy::indexing_slicing)]

pub mod input;
pub mod load;
pub mod memory;
pub mod output;
