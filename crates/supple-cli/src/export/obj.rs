//! The triangles of a frame as Wavefront OBJ.
use std::io::Write;

use super::{ExportError, Frame, Model};
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
/// order, also those inside. Coordinates read back exactly.
pub fn write_obj_frame(mut writer: impl Write, model: &Model, frame: &Frame<'_>) -> Result<(), ExportError> {
    writeln!(writer, "# frame {}, {:?} s, m", frame.index, frame.time)?;
    let mut base = 1_u64;
    for (index, body) in model.bodies.iter().enumerate() {
        writeln!(writer, "o {}", object_name(&body.name, index))?;
        for [x, y, z] in frame.of(body) {
            writeln!(writer, "v {x:?} {y:?} {z:?}")?;
        }
        for triangle in &body.surface {
            let [a, b, c] = triangle.map(|v| base + u64::from(v));
            writeln!(writer, "f {a} {b} {c}")?;
        }
        for edge in &body.edges {
            let [a, b] = edge.map(|v| base + u64::from(v));
            writeln!(writer, "l {a} {b}")?;
        }
        base += frame.of(body).len() as u64;
    }
    Ok(())
}

/// Readers end a name at a space or a line; some take `#` for a comment and `\` for a line that goes on.
fn object_name(name: &str, index: usize) -> String {
    let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '#' | '\\');
    let plain: String = name.chars().map(|c| if odd(c) { '_' } else { c }).collect();
    if plain.is_empty() { format!("body{index}") } else { plain }
}
