//! What all targets check: no panic, and whatever a reader accepts is a sound mesh.
use supple::mesh::io::{Format, RawMesh, ReadError, read, write};
use supple::mesh::quality::inspect;

/// Reads a file that stands alone.
pub fn alone(extension: &str, bytes: &[u8]) {
    let format = Format::from_extension(extension).expect("a known extension");
    sound(read(format, "fuzz", bytes, None));
}

/// Reads a .node file and, behind a NUL byte, its .ele file.
pub fn tetgen(bytes: &[u8]) {
    let cut = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    let ele = bytes.get(cut + 1..).unwrap_or(&[]);
    sound(read(Format::TetgenNode, "fuzz", &bytes[..cut], Some(("fuzz.ele", ele))));
}

fn sound(outcome: Result<RawMesh, ReadError>) {
    let Ok(mesh) = outcome else { return };
    if !mesh.tets.is_empty() {
        mesh.to_tet_mesh().expect("tetrahedra that a body can have");
    }
    inspect(&mesh.vertices, &mesh.tets, &mesh.triangles);
    for format in [Format::Gmsh, Format::Vtu, Format::Ply] {
        write(format, &mesh, Vec::new()).expect("a mesh that can be written");
    }
}
