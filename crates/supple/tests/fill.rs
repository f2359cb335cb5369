//! From surfaces to bodies: volumes, counts, damages, errors, the same bits on any number of threads.
//!
//! | file | tests |
//! |---|---|
//! | `fill/shapes.rs` | surfaces with a known inside, and what harms them |
//! | `fill/bodies.rs` | volume to second order, counts, kinds, parts, cavities, threads |
//! | `fill/damage.rs` | holes, turned triangles, soups, shells |
//! | `fill/skin.rs` | embeddings |
//! | `fill/bad.rs` | what is refused, and what is said |
//! | `fill/random.rs` | surfaces that nobody would draw |
//! | `fill/stand.rs` | skins that touch obstacles: gaps, friction |
//! | `fill/methods.rs` | a filled figure by every method |
//! | `fill/order_two.rs` | filled bodies of order 2: masses, skins |
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "fill/bad.rs"]
mod bad;
#[path = "fill/bodies.rs"]
mod bodies;
#[path = "fill/damage.rs"]
mod damage;
#[path = "fill/methods.rs"]
mod methods;
#[path = "fill/order_two.rs"]
mod order_two;
#[path = "fill/random.rs"]
mod random;
#[path = "fill/shapes.rs"]
mod shapes;
#[path = "fill/skin.rs"]
mod skin;
#[path = "fill/stand.rs"]
mod stand;
