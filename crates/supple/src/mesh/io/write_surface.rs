//! Writing surfaces: of a tetrahedral mesh its boundary.

use std::io::{self, Write};

use super::RawMesh;
use super::write::WriteError;
use crate::mesh::repair;

/// Vertices and triangles of the boundary, vertices without a triangle left out.
fn boundary(mesh: &RawMesh) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let (mut vertices, mut triangles) = (mesh.vertices.clone(), mesh.boundary());
    repair::drop_unused(&mut vertices, &mut [], &mut triangles);
    (vertices, triangles)
}

pub(super) fn obj(mesh: &RawMesh, out: &mut dyn Write) -> io::Result<()> {
    let (vertices, triangles) = boundary(mesh);
    for [x, y, z] in &vertices {
        writeln!(out, "v {x:?} {y:?} {z:?}")?;
    }
    for t in &triangles {
        let [a, b, c] = t.map(|v| u64::from(v) + 1);
        writeln!(out, "f {a} {b} {c}")?;
    }
    Ok(())
}

/// Binary, little-endian, 64 bits.
pub(super) fn ply(mesh: &RawMesh, out: &mut dyn Write) -> io::Result<()> {
    let (vertices, triangles) = boundary(mesh);
    writeln!(out, "ply\nformat binary_little_endian 1.0\nelement vertex {}", vertices.len())?;
    writeln!(out, "property double x\nproperty double y\nproperty double z")?;
    writeln!(out, "element face {}", triangles.len())?;
    writeln!(out, "property list uchar uint vertex_indices\nend_header")?;
    for c in vertices.iter().flatten() {
        out.write_all(&c.to_le_bytes())?;
    }
    for t in &triangles {
        out.write_all(&[3])?;
        for v in t {
            out.write_all(&v.to_le_bytes())?;
        }
    }
    Ok(())
}

/// Binary, 32 bits, as the format demands.
pub(super) fn stl(mesh: &RawMesh, out: &mut dyn Write) -> Result<(), WriteError> {
    let triangles = mesh.boundary();
    let corner = |v: u32| mesh.vertices.get(v as usize).copied().unwrap_or([f64::NAN; 3]);
    for &v in triangles.iter().flatten() {
        if corner(v).iter().any(|c| !(*c as f32).is_finite()) {
            return Err(WriteError::Coordinate(v as usize));
        }
    }
    let mut header = [b' '; 80];
    header.iter_mut().zip(b"binary STL by supple").for_each(|(h, c)| *h = *c);
    out.write_all(&header)?;
    out.write_all(&(triangles.len() as u32).to_le_bytes())?;
    for t in &triangles {
        let [a, b, c] = t.map(corner);
        let e = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
        let f = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
        let n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
        let length = n.iter().map(|c| c * c).sum::<f64>().sqrt();
        let normal = n.map(|c| if length > 0.0 { c / length } else { 0.0 });
        for c in [normal, a, b, c].iter().flatten() {
            out.write_all(&(*c as f32).to_le_bytes())?;
        }
        out.write_all(&[0, 0])?;
    }
    Ok(())
}
