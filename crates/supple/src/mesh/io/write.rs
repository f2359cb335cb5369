//! Writing mesh files: those that can hold tetrahedra.
//!
//! Coordinates are written so that they read back exactly, except to .stl, which has 32 bits.

use std::io::{self, Write};

use super::{Format, RawMesh, write_surface};

/// Why a mesh could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The format can be read only.
    #[error("files of this format can be read, but not written")]
    ReadOnly,
    /// TetGen's files hold nothing but tetrahedra, and the mesh has none.
    #[error("the mesh has no tetrahedra, which this format needs")]
    NoTets,
    /// Fill fractions that do not belong to the tetrahedra.
    #[error("{0} fill fractions for {1} tetrahedra")]
    Fill(usize, usize),
    /// The mesh has neither tetrahedra nor triangles.
    #[error("the mesh is empty")]
    Empty,
    /// An element or a group names a node that is not there.
    #[error("node {0} does not exist")]
    Index(u32),
    /// A coordinate is not finite or too large for the format.
    #[error("node {0}: a coordinate is not finite, or too large for this format")]
    Coordinate(usize),
    /// The output could not take it.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Writes a mesh. TetGen's two files are written one at a time, [`Format::TetgenNode`] and [`Format::TetgenEle`]; surface
/// formats take the boundary of the tetrahedra. Only .msh keeps groups;
/// .msh, .vtk and .vtu keep fill fractions ([`Format::holds_fill`]).
pub fn write(format: Format, mesh: &RawMesh, mut out: impl Write) -> Result<(), WriteError> {
    check(mesh)?;
    let out: &mut dyn Write = &mut out;
    match format {
        Format::TetgenNode | Format::TetgenEle if mesh.tets.is_empty() => Err(WriteError::NoTets),
        Format::TetgenNode => Ok(tetgen_node(mesh, out)?),
        Format::TetgenEle => Ok(tetgen_ele(mesh, out)?),
        Format::Gmsh => Ok(gmsh(mesh, out)?),
        Format::Medit => Ok(medit(mesh, out)?),
        Format::Vtk => Ok(vtk(mesh, out)?),
        Format::Vtu => Ok(vtu(mesh, out)?),
        Format::Obj => Ok(write_surface::obj(mesh, out)?),
        Format::Ply => Ok(write_surface::ply(mesh, out)?),
        Format::Stl => write_surface::stl(mesh, out),
        Format::Gltf => Err(WriteError::ReadOnly),
    }
}

/// The fields of a [`RawMesh`] are open, so what must hold is checked here.
fn check(mesh: &RawMesh) -> Result<(), WriteError> {
    if mesh.tets.is_empty() && mesh.triangles.is_empty() {
        return Err(WriteError::Empty);
    }
    if !mesh.fill.is_empty() && mesh.fill.len() != mesh.tets.len() {
        return Err(WriteError::Fill(mesh.fill.len(), mesh.tets.len()));
    }
    if let Some(node) = mesh.vertices.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
        return Err(WriteError::Coordinate(node));
    }
    let nodes = mesh.tets.iter().flatten().chain(mesh.triangles.iter().flatten());
    let mut nodes = nodes.chain(mesh.groups.iter().flat_map(|g| &g.nodes));
    match nodes.find(|v| **v as usize >= mesh.vertices.len()) {
        Some(node) => Err(WriteError::Index(*node)),
        None => Ok(()),
    }
}

fn tetgen_node(mesh: &RawMesh, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} 3 0 0", mesh.vertices.len())?;
    for (i, [x, y, z]) in mesh.vertices.iter().enumerate() {
        writeln!(out, "{i} {x:?} {y:?} {z:?}")?;
    }
    Ok(())
}

fn tetgen_ele(mesh: &RawMesh, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} 4 0", mesh.tets.len())?;
    for (i, [a, b, c, d]) in mesh.tets.iter().enumerate() {
        writeln!(out, "{i} {a} {b} {c} {d}")?;
    }
    Ok(())
}

/// Version 2.2 as text. An element is written once for each of its groups, or once with the tag 0. Groups of nodes are
/// written as points.
fn gmsh(mesh: &RawMesh, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "$MeshFormat\n2.2 0 8\n$EndMeshFormat")?;
    if !mesh.groups.is_empty() {
        writeln!(out, "$PhysicalNames\n{}", mesh.groups.len())?;
        for (i, group) in mesh.groups.iter().enumerate() {
            let dimension = if group.tets.is_empty() { 0 } else { 3 };
            let name = group.name.replace(['"', '\n', '\r'], "'");
            writeln!(out, "{dimension} {} \"{name}\"", i + 1)?;
        }
        writeln!(out, "$EndPhysicalNames")?;
    }
    writeln!(out, "$Nodes\n{}", mesh.vertices.len())?;
    for (i, [x, y, z]) in mesh.vertices.iter().enumerate() {
        writeln!(out, "{} {x:?} {y:?} {z:?}", i + 1)?;
    }
    writeln!(out, "$EndNodes\n$Elements")?;
    let mut tags: Vec<Vec<usize>> = vec![Vec::new(); mesh.tets.len()];
    for (i, group) in mesh.groups.iter().enumerate() {
        for &tet in &group.tets {
            if let Some(tags) = tags.get_mut(tet as usize) {
                tags.push(i + 1);
            }
        }
    }
    tags.iter_mut().filter(|tags| tags.is_empty()).for_each(|tags| tags.push(0));
    let points = || mesh.groups.iter().enumerate().filter(|(_, group)| group.tets.is_empty());
    let count = mesh.triangles.len()
        + tags.iter().map(Vec::len).sum::<usize>()
        + points().map(|(_, group)| group.nodes.len()).sum::<usize>();
    writeln!(out, "{count}")?;
    let mut number = 0_usize;
    let mut next = || {
        number += 1;
        number
    };
    for (i, group) in points() {
        for &node in &group.nodes {
            writeln!(out, "{} 15 2 {} 0 {}", next(), i + 1, u64::from(node) + 1)?;
        }
    }
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|v| u64::from(v) + 1);
        writeln!(out, "{} 2 2 0 0 {a} {b} {c}", next())?;
    }
    let mut first_tet = None;
    // All tetrahedra once in their order, then those that belong to more groups again.
    let most = tags.iter().map(Vec::len).max().unwrap_or(0);
    for round in 0..most {
        for (t, tags) in mesh.tets.iter().zip(&tags) {
            if let Some(tag) = tags.get(round) {
                let [a, b, c, d] = t.map(|v| u64::from(v) + 1);
                let number = next();
                first_tet.get_or_insert(number);
                writeln!(out, "{number} 4 2 {tag} {tag} {a} {b} {c} {d}")?;
            }
        }
    }
    writeln!(out, "$EndElements")?;
    if let Some(first) = first_tet.filter(|_| !mesh.fill.is_empty()) {
        writeln!(out, "$ElementData\n1\n\"fill\"\n1\n0.0\n3\n0\n1\n{}", mesh.fill.len())?;
        for (i, fill) in mesh.fill.iter().enumerate() {
            writeln!(out, "{} {fill:?}", first + i)?;
        }
        writeln!(out, "$EndElementData")?;
    }
    Ok(())
}

fn medit(mesh: &RawMesh, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "MeshVersionFormatted 2\nDimension 3\nVertices\n{}", mesh.vertices.len())?;
    for [x, y, z] in &mesh.vertices {
        writeln!(out, "{x:?} {y:?} {z:?} 0")?;
    }
    if !mesh.triangles.is_empty() {
        writeln!(out, "Triangles\n{}", mesh.triangles.len())?;
        for t in &mesh.triangles {
            let [a, b, c] = t.map(|v| u64::from(v) + 1);
            writeln!(out, "{a} {b} {c} 0")?;
        }
    }
    if !mesh.tets.is_empty() {
        writeln!(out, "Tetrahedra\n{}", mesh.tets.len())?;
        for t in &mesh.tets {
            let [a, b, c, d] = t.map(|v| u64::from(v) + 1);
            writeln!(out, "{a} {b} {c} {d} 0")?;
        }
    }
    writeln!(out, "End")
}

fn vtk(mesh: &RawMesh, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# vtk DataFile Version 3.0\nsupple\nASCII\nDATASET UNSTRUCTURED_GRID")?;
    writeln!(out, "POINTS {} double", mesh.vertices.len())?;
    for [x, y, z] in &mesh.vertices {
        writeln!(out, "{x:?} {y:?} {z:?}")?;
    }
    let (tets, triangles) = (mesh.tets.len(), mesh.triangles.len());
    writeln!(out, "CELLS {} {}", tets + triangles, 5 * tets + 4 * triangles)?;
    for [a, b, c, d] in &mesh.tets {
        writeln!(out, "4 {a} {b} {c} {d}")?;
    }
    for [a, b, c] in &mesh.triangles {
        writeln!(out, "3 {a} {b} {c}")?;
    }
    writeln!(out, "CELL_TYPES {}", tets + triangles)?;
    mesh.tets.iter().try_for_each(|_| writeln!(out, "10"))?;
    mesh.triangles.iter().try_for_each(|_| writeln!(out, "5"))?;
    if !mesh.fill.is_empty() {
        writeln!(out, "CELL_DATA {}\nSCALARS fill double 1\nLOOKUP_TABLE default", tets + triangles)?;
        cell_fill(mesh, out)?;
    }
    Ok(())
}

/// Fill fractions of all cells: triangles are full.
fn cell_fill(mesh: &RawMesh, out: &mut dyn Write) -> io::Result<()> {
    mesh.fill.iter().try_for_each(|fill| writeln!(out, "{fill:?}"))?;
    mesh.triangles.iter().try_for_each(|_| writeln!(out, "1.0"))
}

fn vtu(mesh: &RawMesh, out: &mut dyn Write) -> io::Result<()> {
    let (tets, triangles) = (mesh.tets.len(), mesh.triangles.len());
    writeln!(out, "<?xml version=\"1.0\"?>")?;
    writeln!(out, "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\">")?;
    writeln!(out, "<UnstructuredGrid>")?;
    let (points, cells) = (mesh.vertices.len(), tets + triangles);
    writeln!(out, "<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">")?;
    writeln!(out, "<Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">")?;
    for [x, y, z] in &mesh.vertices {
        writeln!(out, "{x:?} {y:?} {z:?}")?;
    }
    writeln!(out, "</DataArray>\n</Points>\n<Cells>")?;
    writeln!(out, "<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">")?;
    for [a, b, c, d] in &mesh.tets {
        writeln!(out, "{a} {b} {c} {d}")?;
    }
    for [a, b, c] in &mesh.triangles {
        writeln!(out, "{a} {b} {c}")?;
    }
    writeln!(out, "</DataArray>\n<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">")?;
    (1..=tets).try_for_each(|i| writeln!(out, "{}", 4 * i))?;
    (1..=triangles).try_for_each(|i| writeln!(out, "{}", 4 * tets + 3 * i))?;
    writeln!(out, "</DataArray>\n<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">")?;
    mesh.tets.iter().try_for_each(|_| writeln!(out, "10"))?;
    mesh.triangles.iter().try_for_each(|_| writeln!(out, "5"))?;
    writeln!(out, "</DataArray>\n</Cells>")?;
    if !mesh.fill.is_empty() {
        writeln!(out, "<CellData>\n<DataArray type=\"Float64\" Name=\"fill\" format=\"ascii\">")?;
        cell_fill(mesh, out)?;
        writeln!(out, "</DataArray>\n</CellData>")?;
    }
    writeln!(out, "</Piece>\n</UnstructuredGrid>\n</VTKFile>")
}
