//! The triangles of a frame as Wavefront OBJ.
use std::io::Write;

use super::ExportError;
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
