//! Figures whose energies or obstacles are not there yet.
use serde_json::json;

use super::page::{Claim, Section};

fn missing(id: &'static str, title: &str, claim: &str, paper: &str, why: &str) -> Section {
    Section {
        id,
        title: title.into(),
        claims: vec![Claim::new(claim, paper, format!("not yet: {why}"), None)],
        html: String::new(),
        data: json!({ "available": false, "reason": why }),
    }
}

/// Collisions.
pub(super) fn fig5() -> Section {
    missing(
        "fig5",
        "Fig. 5: an elastic horse falls through cylinders",
        "Collisions are one more proximal operator and leave the system matrix as it is",
        "a picture",
        "there are no obstacles",
    )
}
