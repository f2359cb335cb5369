//! Obstacles: shapes that bodies cannot enter.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use supple::contact::{self, Pose};

use crate::array;
use crate::error::bad;
use crate::recipe::Recipe;

/// Something that bodies cannot enter: HalfSpace, Sphere, Box, Capsule, Cylinder, ClosedMesh or DistanceGrid. Add it with
/// Scene.add_obstacle().
///
/// friction is Coulomb's coefficient (0 unless given); nodes stay thickness (m) away from the shape.
#[pyclass(subclass, frozen, module = "supple")]
pub struct Obstacle {
    inner: supple::Obstacle,
    recipe: Recipe,
}

fn made<S: contact::Surface + 'static>(
    shape: Result<S, String>,
    friction: f64,
    thickness: f64,
) -> PyResult<Obstacle> {
    let wrong = |e: String| bad(format!("obstacle: {e}"));
    let inner = supple::Obstacle::new("obstacle", shape.map_err(wrong)?)
        .with_friction(friction)
        .with_thickness(thickness);
    inner.check().map_err(wrong)?;
    Ok(Obstacle { inner, recipe: Recipe::default() })
}

#[pymethods]
impl Obstacle {
    #[pyo3(signature = (*args, **named))]
    fn __init__(
        slf: &Bound<'_, Self>,
        args: &Bound<'_, PyTuple>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        slf.get().recipe.called(&slf.get_type(), args, named)
    }
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.recipe.reduce(py, "this obstacle cannot be pickled: make it by its class")
    }
    /// Coulomb's coefficient of friction.
    #[getter]
    fn friction(&self) -> f64 {
        self.inner.friction
    }
    /// How far nodes stay away from the shape, in m.
    #[getter]
    fn thickness(&self) -> f64 {
        self.inner.thickness
    }
    /// Distance of points (n, 3) from the surface in m, negative inside: (n,).
    #[pyo3(signature = (points, /))]
    fn distance<'py>(&self, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, numpy::PyArray1<f64>>> {
        let p = array::points(points, "points", None)?;
        let d: Vec<f64> = p.iter().map(|p| self.inner.shape.closest(*p).distance).collect();
        Ok(numpy::PyArray1::from_vec(points.py(), d))
    }
    fn __repr__(&self) -> String {
        // A mesh is too long to be shown.
        let shape = match self.inner.shape.kind() {
            "mesh" => format!("mesh of {} triangles", self.inner.shape.triangles().1.len()),
            _ => format!("{:?}", self.inner.shape),
        };
        format!("<supple obstacle {shape}, friction {}>", self.inner.friction)
    }
}

/// Everything behind the plane through point; normal points out of it.
#[pyclass(extends = Obstacle, frozen, module = "supple")]
pub struct HalfSpace;

#[pymethods]
impl HalfSpace {
    #[new]
    #[pyo3(signature = (point, normal, friction=0.0, *, thickness=0.0))]
    fn new(
        point: &Bound<'_, PyAny>,
        normal: &Bound<'_, PyAny>,
        friction: f64,
        thickness: f64,
    ) -> PyResult<PyClassInitializer<HalfSpace>> {
        let shape = contact::HalfSpace::new(array::vector(point, "point")?, array::vector(normal, "normal")?);
        Ok(PyClassInitializer::from(made(shape, friction, thickness)?).add_subclass(HalfSpace))
    }
}

/// A ball.
#[pyclass(extends = Obstacle, frozen, module = "supple")]
pub struct Sphere;

#[pymethods]
impl Sphere {
    #[new]
    #[pyo3(signature = (center, radius, friction=0.0, *, thickness=0.0))]
    fn new(
        center: &Bound<'_, PyAny>,
        radius: f64,
        friction: f64,
        thickness: f64,
    ) -> PyResult<PyClassInitializer<Sphere>> {
        let shape = contact::Sphere::new(array::vector(center, "center")?, radius);
        Ok(PyClassInitializer::from(made(shape, friction, thickness)?).add_subclass(Sphere))
    }
}

/// A box along the axes; size is its lengths along x, y and z. Simulation.move_obstacle() turns it.
#[pyclass(extends = Obstacle, frozen, module = "supple")]
pub struct Box;

#[pymethods]
impl Box {
    #[new]
    #[pyo3(signature = (center, size, friction=0.0, *, thickness=0.0))]
    fn new(
        center: &Bound<'_, PyAny>,
        size: &Bound<'_, PyAny>,
        friction: f64,
        thickness: f64,
    ) -> PyResult<PyClassInitializer<Box>> {
        let shape = contact::Cuboid::new(array::vector(center, "center")?, array::vector(size, "size")?);
        Ok(PyClassInitializer::from(made(shape, friction, thickness)?).add_subclass(Box))
    }
}

/// All points within radius of the line from a to b.
#[pyclass(extends = Obstacle, frozen, module = "supple")]
pub struct Capsule;

#[pymethods]
impl Capsule {
    #[new]
    #[pyo3(signature = (a, b, radius, friction=0.0, *, thickness=0.0))]
    fn new(
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        radius: f64,
        friction: f64,
        thickness: f64,
    ) -> PyResult<PyClassInitializer<Capsule>> {
        let shape = contact::Capsule::new(array::vector(a, "a")?, array::vector(b, "b")?, radius);
        Ok(PyClassInitializer::from(made(shape, friction, thickness)?).add_subclass(Capsule))
    }
}

/// A solid cylinder with flat ends, from the middle a of one end to the middle b of the other.
#[pyclass(extends = Obstacle, frozen, module = "supple")]
pub struct Cylinder;

#[pymethods]
impl Cylinder {
    #[new]
    #[pyo3(signature = (a, b, radius, friction=0.0, *, thickness=0.0))]
    fn new(
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        radius: f64,
        friction: f64,
        thickness: f64,
    ) -> PyResult<PyClassInitializer<Cylinder>> {
        let shape = contact::Cylinder::new(array::vector(a, "a")?, array::vector(b, "b")?, radius);
        Ok(PyClassInitializer::from(made(shape, friction, thickness)?).add_subclass(Cylinder))
    }
}

/// The inside of a closed surface: triangles (m, 3) of points (n, 3), counter-clockwise from outside; each edge belongs to two of them.
#[pyclass(extends = Obstacle, frozen, module = "supple")]
pub struct ClosedMesh;

#[pymethods]
impl ClosedMesh {
    #[new]
    #[pyo3(signature = (points, triangles, friction=0.0, *, thickness=0.0))]
    fn new(
        points: &Bound<'_, PyAny>,
        triangles: &Bound<'_, PyAny>,
        friction: f64,
        thickness: f64,
    ) -> PyResult<PyClassInitializer<ClosedMesh>> {
        let points = array::points(points, "points", None)?;
        let triangles = array::elements::<3>(triangles, "triangles", points.len())?;
        let shape = contact::ClosedMesh::new(points, triangles);
        Ok(PyClassInitializer::from(made(shape, friction, thickness)?).add_subclass(ClosedMesh))
    }
}

/// The inside of a surface given by signed distances (m, negative inside) on a grid: values (nx, ny, nz), where values[i, j, k] is at
/// origin + spacing * (i, j, k). spacing is a number, or three along x, y and z. The shape is cut off at the sides of the grid.
///
/// distance() is interpolated inside of the grid, and no more than the distance outside of it.
#[pyclass(extends = Obstacle, frozen, module = "supple")]
pub struct DistanceGrid;

#[pymethods]
impl DistanceGrid {
    #[new]
    #[pyo3(signature = (origin, spacing, values, friction=0.0, *, thickness=0.0))]
    fn new(
        origin: &Bound<'_, PyAny>,
        spacing: &Bound<'_, PyAny>,
        values: &Bound<'_, PyAny>,
        friction: f64,
        thickness: f64,
    ) -> PyResult<PyClassInitializer<DistanceGrid>> {
        let spacing = array::each(spacing, "spacing", 3)?;
        let (values, shape) = array::reals(values, "values")?;
        let counts = <[usize; 3]>::try_from(shape).map_err(|shape| {
            bad(format!("values must have shape (nx, ny, nz), not {}", array::shown(&shape)))
        })?;
        let spacing = [spacing[0], spacing[1], spacing[2]];
        let shape = contact::DistanceGrid::new(array::vector(origin, "origin")?, spacing, counts, values);
        Ok(PyClassInitializer::from(made(shape, friction, thickness)?).add_subclass(DistanceGrid))
    }
}

/// The library's obstacle under a name.
pub fn extract(value: &Bound<'_, PyAny>, name: String) -> PyResult<supple::Obstacle> {
    match value.cast::<Obstacle>() {
        Ok(o) => Ok(supple::Obstacle { name, ..o.get().inner.clone() }),
        Err(_) => Err(PyTypeError::new_err(
            "an obstacle is a HalfSpace, Sphere, Box, Capsule, Cylinder, ClosedMesh or DistanceGrid of this package",
        )),
    }
}

/// The pose of Simulation.move_obstacle().
pub fn pose(
    translation: Option<&Bound<'_, PyAny>>,
    rotation: Option<&Bound<'_, PyAny>>,
    center: Option<&Bound<'_, PyAny>>,
    middle: [f64; 3],
) -> PyResult<Pose> {
    let vector = |v: Option<&Bound<'_, PyAny>>, name: &str, otherwise: [f64; 3]| match v {
        Some(v) => array::vector(v, name),
        None => Ok(otherwise),
    };
    let turn = vector(rotation, "rotation", [0.0; 3])?;
    let shift = vector(translation, "translation", [0.0; 3])?;
    let centre = vector(center, "center", middle)?;
    if !turn.iter().chain(&shift).chain(&centre).all(|v| v.is_finite()) {
        return Err(bad("translation, rotation and center must be finite"));
    }
    Ok(Pose::new(turn, centre, shift))
}
