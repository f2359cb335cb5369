//! Words and numbers of sheets, springs and limits.

use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use supple::{Along, Bending, Limit, SpringKind};

use crate::error::bad;

fn word<T: DeserializeOwned>(text: &str, name: &str) -> PyResult<T> {
    T::deserialize(toml::Value::String(text.to_string())).map_err(|e| bad(format!("{name}: {}", e.message())))
}

/// What joins two nodes.
pub fn spring(kind: &str) -> PyResult<SpringKind> {
    word(kind, "kind")
}

/// A strain limit, if there is one.
pub fn limit(range: Option<(f64, f64)>, along: &str, stiffness: Option<f64>) -> PyResult<Option<Limit>> {
    let along: Along = word(along, "limit_along")?;
    match range {
        Some(range) => Ok(Some(Limit { range: range.into(), along, stiffness })),
        None if stiffness.is_some() => Err(bad("limit_stiffness is given without a limit")),
        None => Ok(None),
    }
}

/// How a sheet resists bending.
pub fn bending(kind: &str, stiffness: Option<f64>) -> PyResult<Bending> {
    match (kind, stiffness) {
        ("plate", None) => Ok(Bending::Plate),
        ("none", None) => Ok(Bending::None),
        ("flat", Some(b)) => Ok(Bending::Flat(b)),
        ("angle", Some(b)) => Ok(Bending::Angle(b)),
        ("either_side", Some(b)) => Ok(Bending::EitherSide(b)),
        ("flat" | "angle" | "either_side", None) => {
            Err(bad(format!("bending=\"{kind}\" needs bending_stiffness in N·m")))
        }
        ("plate" | "none", Some(_)) => {
            Err(bad("bending_stiffness is for bending=\"flat\", \"angle\" and \"either_side\""))
        }
        _ => Err(bad(format!(
            "bending must be \"plate\", \"none\", \"flat\", \"angle\" or \"either_side\", not \"{kind}\""
        ))),
    }
}
