//! What a scene gives back for an obstacle or for links that were added to it: handles, which work as numbers too.

use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyInt;

use crate::error::bad;
use crate::simulation::Simulation;

/// An obstacle of a scene, as Scene.add_obstacle() returns it. It works as its number: sim.reactions[obstacle].
#[pyclass(frozen, module = "supple")]
pub struct ObstacleHandle {
    scene: u64,
    /// Number of the obstacle, in order of adding.
    #[pyo3(get)]
    index: usize,
    /// Its name.
    #[pyo3(get)]
    name: String,
}

impl ObstacleHandle {
    pub fn new(scene: u64, index: usize, name: String) -> ObstacleHandle {
        ObstacleHandle { scene, index, name }
    }
}

#[pymethods]
impl ObstacleHandle {
    /// Moves the obstacle as Simulation.move_obstacle() does: at the end of the next step it is turned about center by the rotation
    /// vector (axis times angle in radians) and then moved by translation (m), both relative to where it was added.
    #[pyo3(name = "move", signature = (simulation, *, translation=None, rotation=None, center=None))]
    fn move_to(
        slf: &Bound<'_, Self>,
        simulation: &Bound<'_, Simulation>,
        translation: Option<&Bound<'_, PyAny>>,
        rotation: Option<&Bound<'_, PyAny>>,
        center: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        simulation.get().move_obstacle(slf.py(), slf.as_any(), translation, rotation, center)
    }

    /// Force of the obstacle on the bodies in the last step in N: a new array (3,).
    fn reaction<'py>(
        &self,
        py: Python<'py>,
        simulation: &Bound<'py, Simulation>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let sim = simulation.get();
        belongs(self.scene, sim, "obstacle", &self.name)?;
        Ok(PyArray1::from_slice(py, &sim.reaction(py, self.index)?))
    }

    fn __index__(&self) -> usize {
        self.index
    }
    fn __hash__(&self) -> usize {
        self.index
    }
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        match other.cast::<ObstacleHandle>() {
            Ok(other) => (other.get().scene, other.get().index) == (self.scene, self.index),
            Err(_) => is_number(other, self.index),
        }
    }
    fn __repr__(&self) -> String {
        format!("ObstacleHandle(index={}, name='{}')", self.index, self.name)
    }
}

/// The links that one call of Scene.slide(), attach() or stitch() made. It works as their number: sim.link_forces(links).
#[pyclass(frozen, module = "supple")]
pub struct LinkHandle {
    scene: u64,
    /// Number of the group of links, in order of adding.
    #[pyo3(get)]
    index: usize,
    /// "slide", "attach" or "stitch".
    #[pyo3(get)]
    kind: &'static str,
}

impl LinkHandle {
    pub fn new(scene: u64, index: usize, kind: &'static str) -> LinkHandle {
        LinkHandle { scene, index, kind }
    }
}

#[pymethods]
impl LinkHandle {
    /// Moves the plane, line, curve or places of the links as Simulation.move_link() does.
    #[pyo3(name = "move", signature = (simulation, *, translation=None, rotation=None, center=None))]
    fn move_to(
        slf: &Bound<'_, Self>,
        simulation: &Bound<'_, Simulation>,
        translation: Option<&Bound<'_, PyAny>>,
        rotation: Option<&Bound<'_, PyAny>>,
        center: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        simulation.get().move_link(slf.py(), slf.as_any(), translation, rotation, center)
    }

    /// Force of each link on its node in the last step in N: a new array (nodes, 3).
    fn forces<'py>(
        slf: &Bound<'py, Self>,
        simulation: &Bound<'py, Simulation>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        simulation.get().link_forces(slf.py(), slf.as_any())
    }

    /// Which of the links are broken: a new array (nodes,) of bool.
    fn broken<'py>(
        slf: &Bound<'py, Self>,
        simulation: &Bound<'py, Simulation>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        simulation.get().broken_links(slf.py(), slf.as_any())
    }

    fn __index__(&self) -> usize {
        self.index
    }
    fn __hash__(&self) -> usize {
        self.index
    }
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        match other.cast::<LinkHandle>() {
            Ok(other) => (other.get().scene, other.get().index) == (self.scene, self.index),
            Err(_) => is_number(other, self.index),
        }
    }
    fn __repr__(&self) -> String {
        format!("LinkHandle(index={}, kind='{}')", self.index, self.kind)
    }
}

/// Not another handle, which has a number too.
fn is_number(value: &Bound<'_, PyAny>, number: usize) -> bool {
    value.cast::<PyInt>().is_ok_and(|n| n.extract::<usize>().is_ok_and(|n| n == number))
}

fn belongs(scene: u64, sim: &Simulation, what: &str, name: &str) -> PyResult<()> {
    match sim.scene() == Some(scene) {
        true => Ok(()),
        false => Err(bad(format!("{what} `{name}` belongs to another scene"))),
    }
}

/// The number that a handle of an obstacle of this scene, or a number, means.
pub fn obstacle(value: &Bound<'_, PyAny>, scene: Option<u64>) -> PyResult<usize> {
    match value.cast::<ObstacleHandle>() {
        Ok(h) if Some(h.get().scene) == scene => Ok(h.get().index),
        Ok(h) => Err(bad(format!("obstacle `{}` belongs to another scene", h.get().name))),
        Err(_) if value.cast::<LinkHandle>().is_ok() => {
            Err(PyTypeError::new_err("an obstacle is an ObstacleHandle, a name or a number, not links"))
        }
        Err(_) => value.extract(),
    }
}

/// The number that a handle of links of this scene, or a number, means.
pub fn link(value: &Bound<'_, PyAny>, scene: Option<u64>) -> PyResult<usize> {
    match value.cast::<LinkHandle>() {
        Ok(h) if Some(h.get().scene) == scene => Ok(h.get().index),
        Ok(h) => Err(bad(format!("links {} ({}) belong to another scene", h.get().index, h.get().kind))),
        Err(_) if value.cast::<ObstacleHandle>().is_ok() => {
            Err(PyTypeError::new_err("links are a LinkHandle or a number, not an obstacle"))
        }
        Err(_) => value.extract(),
    }
}
