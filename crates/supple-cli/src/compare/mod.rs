//! One time step solved by several methods from the same start: the measuring behind `supple compare`,
//! `supple sweep-weights` and `supple paper`.
//!
//! | file | holds |
//! |---|---|
//! | `variant.rs` | [`Variant`]: methods by name, each with its settings |
//! | `race.rs` | [`Race`]: the step to be solved, and one method's way through it |
//! | `result.rs` | [`Comparison`]: ways beside each other, relative to the lowest objective that was found |
//! | `show.rs` | the table, CSV, JSON and plots of a comparison |
//!
//! To add a method: one arm in `variant.rs`.
mod race;
mod result;
mod show;
mod variant;

pub use race::{Done, Outcome, Plan, Race, Run, Sample};
pub use result::{Comparison, Milestone, TARGETS};
pub use show::{csv, error_plot, json, milliseconds, ratio, table};
pub use variant::{NAMES, Variant};
