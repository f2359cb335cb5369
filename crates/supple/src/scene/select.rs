//! `select`: which nodes, vertices of a skin or elements are meant.

use super::parse::SceneError;
use super::place::{Placed, finite};
use super::skin;
use crate::math::small::{dot, norm2, sub};
use serde::{Deserialize, Serialize};

/// Which nodes, of the placed rest shape. Give one of them.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Select {
    /// By number, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<u32>>,
    /// Inside of a box, its border included.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub in_box: Option<BoxSelect>,
    /// Inside of a sphere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sphere: Option<SphereSelect>,
    /// On the side of a plane that its normal points to, the plane included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plane: Option<PlaneSelect>,
    /// A named group of the mesh file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// All of them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// Looks at the vertices of the skin instead of the nodes: what carries the selected ones is meant.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub skin: bool,
}

/// A box from `min` to `max`, in m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BoxSelect {
    /// Lowest corner.
    pub min: [f64; 3],
    /// Highest corner.
    pub max: [f64; 3],
}

/// A sphere, in m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SphereSelect {
    /// Its centre.
    pub centre: [f64; 3],
    /// Its radius.
    pub radius: f64,
}

/// A plane, in m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlaneSelect {
    /// A point on it.
    pub point: [f64; 3],
    /// Where it points to.
    pub normal: [f64; 3],
}

/// The nodes of a body that a selection means: of one that looks at the skin, those that carry what it selects.
pub(super) fn chosen(s: &Select, key: &str, body: &Placed) -> Result<Vec<u32>, SceneError> {
    if !s.skin {
        return select(s, key, &body.vertices, &body.groups);
    }
    let Some(skin) = &body.skin else {
        return Err(SceneError::at(
            format!("{key}.skin"),
            "is for bodies with a skin; give the body `skin = true`",
        ));
    };
    Ok(skin::carriers(&select(s, key, &skin.vertices, &body.skin_groups)?, &skin.embedding))
}

/// The points that a selection means.
pub(super) fn select(
    s: &Select,
    key: &str,
    points: &[[f64; 3]],
    groups: &[(String, Vec<u32>)],
) -> Result<Vec<u32>, SceneError> {
    let given = [
        s.ids.is_some(),
        s.in_box.is_some(),
        s.sphere.is_some(),
        s.plane.is_some(),
        s.group.is_some(),
        s.all,
    ];
    if given.iter().filter(|g| **g).count() != 1 {
        return Err(SceneError::at(key, "give one of ids, box, sphere, plane, group or all"));
    }
    let inside = |test: &dyn Fn(&[f64; 3]) -> bool| -> Vec<u32> {
        (0..).zip(points).filter(|(_, p)| test(p)).map(|(i, _)| i).collect()
    };
    let found = if let Some(ids) = &s.ids {
        if let Some(i) = ids.iter().find(|i| **i as usize >= points.len()) {
            let message = format!("{i} does not exist: there are {}, numbered from 0", points.len());
            return Err(SceneError::at(format!("{key}.ids"), message));
        }
        let mut ids = ids.clone();
        ids.sort_unstable();
        ids.dedup();
        ids
    } else if let Some(b) = &s.in_box {
        finite(|| format!("{key}.box"), &[b.min, b.max].concat())?;
        inside(&|p| p.iter().zip(b.min.iter().zip(&b.max)).all(|(p, (low, high))| low <= p && p <= high))
    } else if let Some(q) = &s.sphere {
        finite(|| format!("{key}.sphere"), &[&q.centre[..], &[q.radius]].concat())?;
        inside(&|p| norm2(&[sub(*p, q.centre)]) <= q.radius * q.radius)
    } else if let Some(q) = &s.plane {
        finite(|| format!("{key}.plane"), &[q.point, q.normal].concat())?;
        inside(&|p| dot(sub(*p, q.point), q.normal) >= 0.0)
    } else if let Some(name) = &s.group {
        let Some((_, ids)) = groups.iter().find(|(n, _)| n == name) else {
            let names: Vec<&str> = groups.iter().map(|(n, _)| n.as_str()).collect();
            let message = if names.is_empty() {
                format!("there is no group `{name}`: the mesh has none")
            } else {
                format!("there is no group `{name}`; the mesh has {}", names.join(", "))
            };
            let mut e = SceneError::at(format!("{key}.group"), message);
            e.hint = super::parse::nearest(name, names).map(|n| format!("did you mean `{n}`?"));
            return Err(e);
        };
        ids.clone()
    } else {
        (0..points.len() as u32).collect()
    };
    if found.is_empty() {
        return Err(SceneError::at(key, "selects nothing"));
    }
    Ok(found)
}
