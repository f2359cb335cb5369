//! Elastic bodies by implicit time integration with ADMM.
#![allow(missing_docs)]
pub mod energy;
pub mod exec;
pub mod global;
pub mod math;
pub mod term;
