//! Contact and friction, against closed forms and an independent solver.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod bridge;
mod common;
mod reference;

#[path = "contact/anytime.rs"]
mod anytime;
#[path = "contact/bodies.rs"]
mod bodies;
#[path = "contact/cloth.rs"]
mod cloth;
#[path = "contact/counts.rs"]
mod counts;
#[path = "contact/crossing.rs"]
mod crossing;
#[path = "contact/drop.rs"]
mod drop;
#[path = "contact/endure.rs"]
mod endure;
#[path = "contact/everyday.rs"]
mod everyday;
#[path = "contact/exact.rs"]
mod exact;
#[path = "contact/fast.rs"]
mod fast;
#[path = "contact/files.rs"]
mod files;
#[path = "contact/grid_files.rs"]
mod grid_files;
#[path = "contact/grids.rs"]
mod grids;
#[path = "contact/guarantee.rs"]
mod guarantee;
#[path = "contact/guarantee_held.rs"]
mod guarantee_held;
#[path = "contact/guarantee_random.rs"]
mod guarantee_random;
#[path = "contact/guarantee_scenes.rs"]
mod guarantee_scenes;
#[path = "contact/incline.rs"]
mod incline;
#[path = "contact/link_files.rs"]
mod link_files;
#[path = "contact/links.rs"]
mod links;
#[path = "contact/long_steps.rs"]
mod long_steps;
#[path = "contact/order_two.rs"]
mod order_two;
#[path = "contact/particle.rs"]
mod particle;
#[path = "contact/passage.rs"]
mod passage;
#[path = "contact/proofs.rs"]
mod proofs;
#[path = "contact/random.rs"]
mod random;
#[path = "contact/setup.rs"]
mod setup;
#[path = "contact/shapes.rs"]
mod shapes;
#[path = "contact/signorini.rs"]
mod signorini;
#[path = "contact/stick.rs"]
mod stick;
#[path = "contact/tangled.rs"]
mod tangled;
#[path = "contact/untangle.rs"]
mod untangle;
#[path = "contact/ways.rs"]
mod ways;
