//! The surface of a frame as binary PLY, with colours.
use std::io::Write;

use super::bytes::{put_point, put_u32};
use super::{ExportError, Frame, Model};

/// Writes all nodes of all bodies in order, with the colours of their bodies, the triangles, and the springs as
/// elements of the kind `edge`. Single precision.
pub fn write_ply_frame(mut writer: impl Write, model: &Model, frame: &Frame<'_>) -> Result<(), ExportError> {
    let vertices: usize = model.bodies.iter().map(|b| frame.of(b).len()).sum();
    let faces: usize = model.bodies.iter().map(|b| b.surface.len()).sum();
    let edges: usize = model.bodies.iter().map(|b| b.edges.len()).sum();
    if i32::try_from(vertices).is_err() {
        return Err(ExportError::Frames("a ply file counts at most 2147483647 nodes"));
    }
    write!(
        writer,
        "ply\nformat binary_little_endian 1.0\ncomment frame {}, {:?} s, m\n\
         element vertex {vertices}\nproperty float x\nproperty float y\nproperty float z\n\
         property uchar red\nproperty uchar green\nproperty uchar blue\n\
         element face {faces}\nproperty list uchar int vertex_indices\n",
        frame.index, frame.time
    )?;
    if edges > 0 {
        write!(writer, "element edge {edges}\nproperty int vertex1\nproperty int vertex2\n")?;
    }
    writer.write_all(b"end_header\n")?;

    let mut bytes = Vec::new();
    for body in &model.bodies {
        let colour = body.colour.map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8);
        for &position in frame.of(body) {
            put_point(&mut bytes, position);
            bytes.extend_from_slice(&colour);
        }
        writer.write_all(&bytes)?;
        bytes.clear();
    }
    for (base, body) in bases(model) {
        for triangle in &body.surface {
            bytes.push(3);
            put_u32(&mut bytes, triangle.map(|v| base + v));
        }
        writer.write_all(&bytes)?;
        bytes.clear();
    }
    for (base, body) in bases(model) {
        put_u32(&mut bytes, body.edges.iter().flatten().map(|v| base + v));
        writer.write_all(&bytes)?;
        bytes.clear();
    }
    Ok(())
}

/// Each body with the number of its first vertex in the file, where the bodies follow each other without gaps.
fn bases(model: &Model) -> impl Iterator<Item = (u32, &super::ModelBody)> {
    model.bodies.iter().scan(0_u32, |next, body| {
        let base = *next;
        *next = next.saturating_add(body.nodes as u32);
        Some((base, body))
    })
}
