//! The surface of a frame as binary PLY, with colours.
use std::io::Write;

use supple::mesh::drawn::NONE;

use super::bytes::{put_f32, put_point, put_u32};
use super::{ExportError, Frame, Model, ModelBody};

/// Writes all nodes of all bodies in order, with the colours of their bodies, the triangles, and the springs as
/// elements of the kind `edge`. Skins bring normals and texture coordinates `s` and `t` where each vertex has one of them; with seams in the
/// texture its coordinates are lists `texcoord` of the faces. Single precision.
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
         property uchar red\nproperty uchar green\nproperty uchar blue\n",
        frame.index, frame.time
    )?;
    let looks: Vec<Looks> = model.bodies.iter().map(Looks::new).collect();
    let normals = looks.iter().any(|l| l.normals.is_some());
    let uvs = looks.iter().any(|l| l.uvs.is_some());
    let seams = looks.iter().any(|l| l.seams);
    if normals {
        writer.write_all(b"property float nx\nproperty float ny\nproperty float nz\n")?;
    }
    if uvs {
        writer.write_all(b"property float s\nproperty float t\n")?;
    }
    write!(writer, "element face {faces}\nproperty list uchar int vertex_indices\n")?;
    if seams {
        writer.write_all(b"property list uchar float texcoord\n")?;
    }
    if edges > 0 {
        write!(writer, "element edge {edges}\nproperty int vertex1\nproperty int vertex2\n")?;
    }
    writer.write_all(b"end_header\n")?;

    let mut bytes = Vec::new();
    for (body, looks) in model.bodies.iter().zip(&looks) {
        let colour = body.colour.map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8);
        let now = frame.normals_of(body);
        for (vertex, &position) in frame.of(body).iter().enumerate() {
            put_point(&mut bytes, position);
            bytes.extend_from_slice(&colour);
            let number =
                |of: &Option<Vec<u32>>| of.as_ref().and_then(|of| of.get(vertex)).copied().unwrap_or(NONE);
            if normals {
                put_point(&mut bytes, now.get(number(&looks.normals) as usize).copied().unwrap_or_default());
            }
            if uvs {
                let uv = body.attributes.as_ref().map(|a| a.uv(number(&looks.uvs), false));
                put_f32(&mut bytes, uv.unwrap_or_default().map(|c| c as f32));
            }
        }
        writer.write_all(&bytes)?;
        bytes.clear();
    }
    for (base, body) in bases(model) {
        for (t, triangle) in body.surface.iter().enumerate() {
            bytes.push(3);
            put_u32(&mut bytes, triangle.map(|v| base + v));
            let corners = body.attributes.as_deref().and_then(|a| Some((a, a.uvs.of.get(t)?)));
            match corners {
                Some((a, corners)) if seams => {
                    bytes.push(6);
                    put_f32(&mut bytes, corners.iter().flat_map(|&c| a.uv(c, false)).map(|c| c as f32));
                }
                _ if seams => bytes.push(0),
                _ => {}
            }
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

/// How a body's attributes fit into rows of vertices.
struct Looks {
    normals: Option<Vec<u32>>,
    uvs: Option<Vec<u32>>,
    seams: bool,
}

impl Looks {
    fn new(body: &ModelBody) -> Self {
        let uvs = body.vertex_uvs();
        let seams = uvs.is_none() && body.attributes.as_ref().is_some_and(|a| !a.uvs.is_empty());
        Self { normals: body.vertex_normals(), uvs, seams }
    }
}

/// Each body with the number of its first vertex in the file, where the bodies follow each other without gaps.
fn bases(model: &Model) -> impl Iterator<Item = (u32, &ModelBody)> {
    model.bodies.iter().scan(0_u32, |next, body| {
        let base = *next;
        *next = next.saturating_add(body.nodes as u32);
        Some((base, body))
    })
}
