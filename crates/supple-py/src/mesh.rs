//! Mesh files and built-in shapes.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use supple::mesh::io::{Format, RawMesh, WriteError, write};
use supple::mesh::{TetMesh, shapes};
use supple_files::{input, memory};

use crate::array;
use crate::error::{bad, guard};
use crate::files;

/// What `supple.Mesh` is made of: vertices, tets, triangles, groups, notes.
type Fields<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyDict>, Vec<String>);

fn fields<'py>(py: Python<'py>, mesh: RawMesh) -> PyResult<Fields<'py>> {
    let groups = PyDict::new(py);
    for g in mesh.groups {
        let ids: Vec<i64> = g.nodes.iter().map(|&v| i64::from(v)).collect();
        groups.set_item(g.name, numpy::PyArray1::from_vec(py, ids))?;
    }
    Ok((
        array::rows(py, mesh.vertices)?.into_any(),
        array::node_rows(py, &mesh.tets)?.into_any(),
        array::node_rows(py, &mesh.triangles)?.into_any(),
        groups,
        mesh.notes,
    ))
}

/// Reads a mesh file.
#[pyfunction]
pub fn read_mesh(py: Python<'_>, path: PathBuf) -> PyResult<Fields<'_>> {
    let mesh = py.detach(|| guard(|| input::read_mesh(&path)))?.map_err(|e| files::input_error(&e))?;
    fields(py, mesh)
}

/// Writes a mesh file.
#[pyfunction]
pub fn write_mesh(
    py: Python<'_>,
    path: PathBuf,
    vertices: &Bound<'_, PyAny>,
    tets: Option<&Bound<'_, PyAny>>,
    triangles: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let format = input::format_of(&path).map_err(|e| files::input_error(&e))?;
    let vertices = array::points(vertices, "vertices", None)?;
    let n = vertices.len();
    let tets = tets.map_or(Ok(Vec::new()), |t| array::elements(t, "tets", n))?;
    let triangles = triangles.map_or(Ok(Vec::new()), |t| array::elements(t, "triangles", n))?;
    let mesh = RawMesh { vertices, tets, triangles, ..RawMesh::default() };
    // TetGen's mesh is two files.
    let parts = match format {
        Format::TetgenNode | Format::TetgenEle => {
            vec![
                (Format::TetgenNode, path.with_extension("node")),
                (Format::TetgenEle, path.with_extension("ele")),
            ]
        }
        _ => vec![(format, path)],
    };
    for (format, path) in parts {
        // Errors of the mesh are reported before a file is touched.
        let mut bytes = Vec::new();
        py.detach(|| guard(|| write(format, &mesh, &mut bytes)))?.map_err(|e| match e {
            WriteError::Io(e) => crate::error::file(&e, &path),
            other => bad(format!("{}: {other}", path.display())),
        })?;
        files::write(&path, &bytes)?;
    }
    Ok(())
}

fn shape<'py>(
    py: Python<'py>,
    make: impl FnOnce() -> Result<TetMesh, supple::mesh::MeshError> + Send,
) -> PyResult<Fields<'py>> {
    let mesh = py.detach(|| guard(make))?.map_err(|e| bad(e.to_string()))?;
    fields(py, RawMesh::from(&mesh))
}

fn fits(nodes: f64, tets: f64) -> PyResult<()> {
    let count = |v: f64| if v < 1e18 { v as usize } else { usize::MAX / 4 };
    memory::check_mesh(count(nodes), count(tets), memory::limit()).map_err(|e| bad(format!("the mesh {e}")))
}

/// A box from the origin.
#[pyfunction]
pub fn box_mesh<'py>(
    py: Python<'py>,
    size: &Bound<'py, PyAny>,
    cells: [usize; 3],
    split: u32,
) -> PyResult<Fields<'py>> {
    let size = array::vector(size, "size")?;
    let split = match split {
        5 => shapes::Split::Five,
        6 => shapes::Split::Six,
        24 => shapes::Split::TwentyFour,
        n => return Err(bad(format!("split must be 5, 6 or 24 tetrahedra per cell, not {n}"))),
    };
    let all = cells.iter().map(|&c| c as f64).product::<f64>();
    fits(all, split.per_cell() as f64 * all)?;
    shape(py, move || shapes::box_mesh(size, cells, split))
}

/// A ball around the origin.
#[pyfunction]
pub fn ball_mesh(py: Python<'_>, radius: f64, cells: usize) -> PyResult<Fields<'_>> {
    fits((cells as f64).powi(3), 6.0 * (cells as f64).powi(3))?;
    shape(py, move || shapes::ball(radius, cells))
}

/// A cylinder along x.
#[pyfunction]
pub fn cylinder_mesh(
    py: Python<'_>,
    radius: f64,
    length: f64,
    cells: usize,
    along: usize,
) -> PyResult<Fields<'_>> {
    let all = (cells as f64).powi(2) * along as f64;
    fits(all, 6.0 * all)?;
    shape(py, move || shapes::cylinder(radius, length, cells, along))
}

/// Boundary triangles of tetrahedra.
#[pyfunction]
pub fn surface<'py>(py: Python<'py>, tets: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let tets = array::elements(tets, "tets", u32::MAX as usize)?;
    let triangles = py.detach(|| guard(|| supple::mesh::surface(&tets)))?;
    Ok(array::node_rows(py, &triangles)?.into_any())
}
