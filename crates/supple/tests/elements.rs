//! Elements of solids: order 2, splits of boxes, patches; against closed forms.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

#[path = "elements/bend.rs"]
mod bend;
#[path = "elements/files.rs"]
mod files;
#[path = "elements/incompressible.rs"]
mod incompressible;
#[path = "elements/order_two.rs"]
mod order_two;
