//! Surfaces that become bodies, and skins that ride in them.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use supple::TetMesh;
use supple::mesh::fill::{Cavities, FillReport, FillSettings, Fineness, Kind, PartsKept, Surface, fill};
use supple::mesh::{Embedding, vertex_normals};
use supple_cli::memory;

use crate::array;
use crate::error::{bad, guard};

/// Vertices, tets, fill fractions, report.
type Filled<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyDict>);

/// One of some words.
fn choice<T: Copy>(name: &str, given: &str, words: &[(&str, T)]) -> PyResult<T> {
    words.iter().find(|(word, _)| *word == given).map(|(_, value)| *value).ok_or_else(|| {
        let known = words.iter().map(|(word, _)| format!("{word:?}")).collect::<Vec<_>>().join(", ");
        bad(format!("{name} must be one of {known}, not {given:?}"))
    })
}

/// Fills a surface with tetrahedra.
#[pyfunction]
pub fn fill_surface<'py>(
    py: Python<'py>,
    vertices: &Bound<'py, PyAny>,
    triangles: &Bound<'py, PyAny>,
    size: Option<f64>,
    tets: Option<usize>,
    kind: &str,
    cavities: &str,
    parts: &str,
    threads: usize,
) -> PyResult<Filled<'py>> {
    let vertices = array::points(vertices, "vertices", None)?;
    let triangles = array::elements::<3>(triangles, "triangles", vertices.len())?;
    let fineness = match (size, tets) {
        (Some(_), Some(_)) => return Err(bad("fill takes size or tets, not both")),
        (Some(size), None) => Fineness::Size(size),
        (None, Some(tets)) => Fineness::Tets(tets),
        (None, None) => Fineness::Default,
    };
    let kinds = [("conform", Kind::Conform), ("grow", Kind::Grow), ("cage", Kind::Cage)];
    let default = FillSettings::default();
    let settings = FillSettings {
        fineness,
        kind: choice("kind", kind, &kinds)?,
        cavities: choice("cavities", cavities, &[("keep", Cavities::Keep), ("fill", Cavities::Fill)])?,
        parts: choice("parts", parts, &[("all", PartsKept::All), ("largest", PartsKept::Largest)])?,
        threads,
        memory: memory::limit().unwrap_or(default.memory),
    };
    let made =
        py.detach(|| guard(|| fill(&Surface { vertices: &vertices, triangles: &triangles }, &settings)))?;
    let (mesh, found) = made.map_err(|e| bad(e.to_string()))?;
    let fractions: Vec<f64> = (0..mesh.tets().len()).map(|t| mesh.fill_of(t)).collect();
    Ok((
        array::rows(py, mesh.vertices().to_vec())?.into_any(),
        array::node_rows(py, mesh.tets())?.into_any(),
        numpy::PyArray1::from_vec(py, fractions).into_any(),
        report(py, &found, kind)?,
    ))
}

fn report<'py>(py: Python<'py>, r: &FillReport, kind: &str) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    for (name, count) in [
        ("welded", r.welded),
        ("degenerate", r.degenerate),
        ("doubled", r.doubled),
        ("turned", r.turned),
        ("shells", r.shells),
        ("shells_turned", r.shells_turned),
        ("cavities", r.cavities),
        ("cavities_filled", r.cavities_filled),
        ("open_edges", r.open_edges),
        ("passes", r.passes),
        ("nodes", r.nodes),
        ("tets", r.tets),
        ("parts", r.parts),
        ("parts_dropped", r.parts_dropped),
        ("split_nodes", r.split_nodes),
        ("hinges_dropped", r.hinges_dropped),
        ("joined", r.joined),
    ] {
        out.set_item(name, count)?;
    }
    for (name, value) in [
        ("size", r.size),
        ("min_dihedral", r.dihedral[0].to_degrees()),
        ("max_dihedral", r.dihedral[1].to_degrees()),
        ("volume", r.volume),
        ("lost_area", r.lost_area),
        ("dropped_volume", r.dropped_volume),
        ("thin", r.thin),
        ("seconds", r.seconds),
    ] {
        out.set_item(name, value)?;
    }
    out.set_item("kind", kind)?;
    out.set_item("closed", r.open_edges == 0)?;
    out.set_item("asked", r.asked)?;
    out.set_item("surface_volume", r.surface_volume)?;
    out.set_item("volume_error", r.volume_error)?;
    out.set_item("thickness", r.thickness.map(|t| (t[0], t[1])))?;
    out.set_item("size_that_would_do", r.size_that_would_do())?;
    out.set_item("notes", r.notes())?;
    Ok(out)
}

/// Points that ride in the tetrahedra of a body.
#[pyclass(frozen, module = "supple._supple")]
pub struct _Skin {
    embedding: Embedding,
    normals: Option<Vec<[f64; 3]>>,
}

#[pymethods]
impl _Skin {
    #[new]
    fn new(
        py: Python<'_>,
        body: &Bound<'_, PyAny>,
        tets: &Bound<'_, PyAny>,
        vertices: &Bound<'_, PyAny>,
        triangles: Option<&Bound<'_, PyAny>>,
        normals: Option<&Bound<'_, PyAny>>,
        order: u32,
    ) -> PyResult<_Skin> {
        if !(1..=2).contains(&order) {
            return Err(bad(format!("order must be 1 or 2, not {order}")));
        }
        let body = array::points(body, "filled.vertices", None)?;
        let tets = array::elements::<4>(tets, "filled.tets", body.len())?;
        let points = array::points(vertices, "vertices", None)?;
        let triangles = triangles.map(|t| array::elements::<3>(t, "triangles", points.len())).transpose()?;
        let given = normals.map(|n| array::points(n, "normals", Some(points.len()))).transpose()?;
        let made = py.detach(|| {
            guard(|| {
                let mesh = TetMesh::new(body, tets)?;
                // Of order 2 in the tetrahedra between all nodes.
                let mesh = if order == 2 { mesh.quadratic()?.refined()? } else { mesh };
                let normals = given.or_else(|| triangles.map(|t| vertex_normals(&points, &t)));
                Ok::<_, supple::mesh::MeshError>((Embedding::new(&mesh, &points)?, normals))
            })
        })?;
        let (embedding, normals) = made.map_err(|e| bad(e.to_string()))?;
        Ok(_Skin { embedding, normals })
    }
    #[getter]
    fn tets<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        let tets = self.embedding.tets().iter().map(|&t| i64::from(t)).collect();
        numpy::PyArray1::<i64>::from_vec(py, tets).into_any()
    }
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let values = self.embedding.weights().as_flattened().to_vec();
        Ok(array::shaped(py, values, vec![self.embedding.len(), 4])?.into_any())
    }
    #[getter]
    fn outside(&self) -> usize {
        self.embedding.outside()
    }
    fn positions<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let x = array::points(x, "x", None)?;
        let p = py.detach(|| guard(|| self.embedding.positions(&x)))?.map_err(|e| bad(e.to_string()))?;
        Ok(array::rows(py, p)?.into_any())
    }
    fn normals<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Some(rest) = &self.normals else {
            return Err(bad("this skin has no normals at rest: give it triangles or normals"));
        };
        let x = array::points(x, "x", None)?;
        let n = py.detach(|| guard(|| self.embedding.normals(&x, rest)))?.map_err(|e| bad(e.to_string()))?;
        Ok(array::rows(py, n)?.into_any())
    }
}
