//! Bodies as Python names them.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::array;
use crate::error::bad;

/// What is seen of a body, by its own nodes.
#[derive(Clone, Default)]
pub struct Seen {
    /// Triangles of its surface.
    pub triangles: Vec<[u32; 3]>,
    /// Springs.
    pub edges: Vec<[u32; 2]>,
}

/// A body of a scene: its share of the nodes. Wherever a body is asked for, its name or number will do too.
#[pyclass(frozen, eq, hash, module = "supple")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Body {
    /// Number of the scene, so that bodies of another one are noticed.
    pub scene: u64,
    /// Number of the body, in order of adding.
    #[pyo3(get)]
    pub index: usize,
    /// Its name.
    #[pyo3(get)]
    pub name: String,
    /// Number of its first node among those of all bodies.
    #[pyo3(get)]
    pub first_node: usize,
    /// How many nodes it has.
    #[pyo3(get)]
    pub node_count: usize,
    /// How many of them, the first, are corners of elements; those behind lie on edges of tetrahedra of order 2.
    #[pyo3(get)]
    pub corner_count: usize,
}

#[pymethods]
impl Body {
    /// Its rows in arrays of all nodes: sim.positions[body.slice].
    #[getter]
    fn slice<'py>(&self, py: Python<'py>) -> Bound<'py, PySlice> {
        let (first, end) = (self.first_node, self.first_node + self.node_count);
        PySlice::new(py, first as isize, end as isize, 1)
    }
    fn __index__(&self) -> usize {
        self.index
    }
    fn __repr__(&self) -> String {
        format!("Body(index={}, name='{}', node_count={})", self.index, self.name, self.node_count)
    }
}

impl Body {
    /// Ids of its nodes from an array of them, or from a mask over its nodes or over its corners.
    pub fn ids(&self, value: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
        let corners = array::is_mask(value, self.corner_count);
        array::ids(value, "ids", if corners { self.corner_count } else { self.node_count })
    }
}

/// The body that a `Body`, a name or a number means.
pub fn find<'a>(value: &Bound<'_, PyAny>, bodies: &'a [Body]) -> PyResult<&'a Body> {
    if let Ok(b) = value.cast::<Body>() {
        let b = b.get();
        return bodies
            .get(b.index)
            .filter(|own| *own == b)
            .ok_or_else(|| bad(format!("body `{}` belongs to another scene", b.name)));
    }
    if let Ok(name) = value.extract::<String>() {
        return bodies
            .iter()
            .find(|b| b.name == name)
            .ok_or_else(|| bad(format!("there is no body `{name}`")));
    }
    match value.extract::<i64>() {
        Ok(n) => usize::try_from(n)
            .ok()
            .and_then(|n| bodies.get(n))
            .ok_or_else(|| bad(format!("there is no body number {n} (the scene has {})", bodies.len()))),
        Err(_) => Err(PyTypeError::new_err("body must be a supple.Body, a name or a number")),
    }
}
