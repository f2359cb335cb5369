//! Elements of solids: order 2, splits of boxes, patches; against closed forms.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "elements/bend.rs"]
mod bend;
#[path = "elements/order_two.rs"]
mod order_two;
