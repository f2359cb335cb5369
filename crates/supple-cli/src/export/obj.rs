//! The triangles of a frame as Wavefront OBJ.
use std::io::Write;

use supple::mesh::Attributes;
use supple::mesh::drawn::NONE;

use super::{ExportError, Frame, Model, ModelBody};
use crate::picture::{Colour, Drawable};

/// Writes meshes, each an object of its own. Coordinates are written so that they read back exactly; colours per
/// vertex follow them, as most programs understand. Triangles with an index out of range or a corner that is not
/// finite are left out, since readers refuse them; such a vertex keeps its place, at the origin.
pub fn write_obj(mut writer: impl Write, meshes: &[Drawable]) -> Result<(), ExportError> {
    let mut base = 1_usize;
    for (index, mesh) in meshes.iter().enumerate() {
        writeln!(writer, "o body{index}")?;
        let finite = |p: &[f64; 3]| p.iter().all(|c| c.is_finite());
        for (vertex, position) in mesh.positions.iter().enumerate() {
            let [x, y, z] = if finite(position) { *position } else { [0.0; 3] };
            match &mesh.colour {
                Colour::PerVertex(colours) => {
                    let [r, g, b] = colours.get(vertex).copied().unwrap_or([0.5; 3]);
                    writeln!(writer, "v {x} {y} {z} {r} {g} {b}")?;
                }
                Colour::Uniform(_) => writeln!(writer, "v {x} {y} {z}")?,
            }
        }
        for triangle in &mesh.triangles {
            if triangle.iter().all(|&v| mesh.positions.get(v as usize).is_some_and(finite)) {
                let [a, b, c] = triangle.map(|v| base + v as usize);
                writeln!(writer, "f {a} {b} {c}")?;
            }
        }
        base += mesh.positions.len();
    }
    Ok(())
}

/// Writes the surface and the springs (as lines) of all bodies, each an object of its own with all its nodes in
/// order, also those inside. Coordinates read back exactly, and so do texture coordinates and the normals of a skin that has not moved.
pub fn write_obj_frame(mut writer: impl Write, model: &Model, frame: &Frame<'_>) -> Result<(), ExportError> {
    writeln!(writer, "# frame {}, {:?} s, m", frame.index, frame.time)?;
    let mut libraries: Vec<&String> = Vec::new();
    for name in model.bodies.iter().filter_map(|b| b.attributes.as_deref()).flat_map(|a| &a.libraries) {
        if !libraries.contains(&name) {
            writeln!(writer, "mtllib {name}")?;
            libraries.push(name);
        }
    }
    let (mut base, mut looks) = (1_u64, [1_u64; 2]);
    for (index, body) in model.bodies.iter().enumerate() {
        writeln!(writer, "o {}", object_name(&body.name, index))?;
        for [x, y, z] in frame.of(body) {
            writeln!(writer, "v {x:?} {y:?} {z:?}")?;
        }
        faces(&mut writer, body, frame, base, &mut looks)?;
        for edge in &body.edges {
            let [a, b] = edge.map(|v| base + u64::from(v));
            writeln!(writer, "l {a} {b}")?;
        }
        base += frame.of(body).len() as u64;
    }
    Ok(())
}

/// Faces with the texture coordinates, normals and names of their body; `looks` counts the former two over all bodies.
fn faces(
    writer: &mut impl Write,
    body: &ModelBody,
    frame: &Frame<'_>,
    base: u64,
    looks: &mut [u64; 2],
) -> Result<(), ExportError> {
    let none = Attributes::default();
    let attributes = body.attributes.as_deref().unwrap_or(&none);
    for number in 0..attributes.uvs.values.len() as u32 {
        let [u, v] = attributes.uv(number, false);
        writeln!(writer, "vt {u:?} {v:?}")?;
    }
    let normals = frame.normals_of(body);
    for [x, y, z] in normals {
        writeln!(writer, "vn {x:?} {y:?} {z:?}")?;
    }
    let (mut group, mut material) = (None, None);
    for (t, triangle) in body.surface.iter().enumerate() {
        let now = [attributes.groups.of(t), attributes.materials.of(t)];
        if now[0] != group {
            writeln!(writer, "g {}", now[0].map_or(String::new(), line))?;
            group = now[0];
        }
        if let Some(name) = now[1].filter(|_| now[1] != material) {
            writeln!(writer, "usemtl {}", line(name))?;
            material = now[1];
        }
        writer.write_all(b"f")?;
        for k in 0..3 {
            write!(writer, " {}", base + u64::from(triangle[k]))?;
            let of = |list: &[[u32; 3]]| list.get(t).map(|c| c[k]).filter(|&i| i != NONE).map(u64::from);
            let normal = of(&attributes.normals.of).filter(|_| !normals.is_empty());
            match (of(&attributes.uvs.of), normal) {
                (None, None) => {}
                (Some(uv), None) => write!(writer, "/{}", looks[0] + uv)?,
                (None, Some(n)) => write!(writer, "//{}", looks[1] + n)?,
                (Some(uv), Some(n)) => write!(writer, "/{}/{}", looks[0] + uv, looks[1] + n)?,
            }
        }
        writeln!(writer)?;
    }
    looks[0] += attributes.uvs.values.len() as u64;
    looks[1] += normals.len() as u64;
    Ok(())
}

/// A name as it stands at the end of a line.
fn line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() || matches!(c, '#' | '\\') { '_' } else { c }).collect()
}

/// Readers end a name at a space or a line; some take `#` for a comment and `\` for a line that goes on.
fn object_name(name: &str, index: usize) -> String {
    let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '#' | '\\');
    let plain: String = name.chars().map(|c| if odd(c) { '_' } else { c }).collect();
    if plain.is_empty() { format!("body{index}") } else { plain }
}
