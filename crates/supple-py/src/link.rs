//! Sliding constraints, attachments and stitches, from Python's arguments.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use supple::{AttachTo, BodyId, ObstacleId, SlideOn};

use crate::array;
use crate::body::{self, Body};
use crate::error::bad;

/// What slide() was given: one of them.
pub struct Shapes<'a, 'py> {
    pub plane: Option<&'a Bound<'py, PyAny>>,
    pub line: Option<&'a Bound<'py, PyAny>>,
    pub curve: Option<&'a Bound<'py, PyAny>>,
    pub surface: Option<&'a Bound<'py, PyAny>>,
    pub closed: bool,
    pub distance: Option<f64>,
}

/// A point and a direction.
fn pair(value: &Bound<'_, PyAny>, name: &str) -> PyResult<([f64; 3], [f64; 3])> {
    let two: (Bound<'_, PyAny>, Bound<'_, PyAny>) = value
        .extract()
        .map_err(|_| PyTypeError::new_err(format!("{name} must be a tuple of a point and a direction")))?;
    Ok((array::vector(&two.0, name)?, array::vector(&two.1, name)?))
}

impl Shapes<'_, '_> {
    /// What nodes slide on.
    pub fn read(&self, bodies: &[Body]) -> PyResult<SlideOn> {
        match (self.plane, self.line, self.curve, self.surface) {
            (Some(v), None, None, None) => pair(v, "plane").map(|(p, n)| SlideOn::Plane(p, n)),
            (None, Some(v), None, None) => pair(v, "line").map(|(p, d)| SlideOn::Line(p, d)),
            (None, None, Some(v), None) => Ok(SlideOn::Curve(array::points(v, "curve", None)?, self.closed)),
            (None, None, None, Some(v)) => {
                let other = body::find(v, bodies)?;
                Ok(SlideOn::Surface(BodyId(other.index), self.distance))
            }
            _ => Err(bad("slide() needs one of plane, line, curve and surface")),
        }
    }
}

/// What attach() was given: nothing, a body, or the number of an obstacle.
pub fn place(
    body: Option<&Bound<'_, PyAny>>,
    obstacle: Option<usize>,
    bodies: &[Body],
) -> PyResult<AttachTo> {
    match (body, obstacle) {
        (None, None) => Ok(AttachTo::Place),
        (Some(b), None) => Ok(AttachTo::Body(BodyId(body::find(b, bodies)?.index))),
        (None, Some(o)) => Ok(AttachTo::Obstacle(ObstacleId(o), None)),
        (Some(_), Some(_)) => Err(bad("attach() takes to or obstacle, not both")),
    }
}

/// Pairs of nodes (k, 2), a node of one body and one of another.
pub fn pairs(value: &Bound<'_, PyAny>, counts: [usize; 2]) -> PyResult<Vec<[u32; 2]>> {
    let pairs = array::elements::<2>(value, "pairs", counts[0].max(counts[1]))?;
    for p in &pairs {
        for (node, count) in p.iter().zip(counts) {
            if *node as usize >= count {
                return Err(bad(format!("pairs: node {node} does not exist (the body has {count} nodes)")));
            }
        }
    }
    Ok(pairs)
}
