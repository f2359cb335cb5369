//! The surface of a frame as binary STL.
use std::io::Write;

use super::bytes::put_f32;
use super::{ExportError, Frame, Model};

/// Writes the triangles of all bodies with their normals (zero where a triangle has none). Single precision.
pub fn write_stl_frame(mut writer: impl Write, model: &Model, frame: &Frame<'_>) -> Result<(), ExportError> {
    let count: usize = model.bodies.iter().map(|b| b.surface.len()).sum();
    let Ok(count) = u32::try_from(count) else {
        return Err(ExportError::Frames("an stl file counts at most 4294967295 triangles"));
    };
    // Not "solid", which would mark the text variant.
    let mut head = format!("binary stl by supple, frame {}, {:?} s, m", frame.index, frame.time).into_bytes();
    head.resize(80, b' ');
    writer.write_all(&head)?;
    writer.write_all(&count.to_le_bytes())?;
    let mut bytes = Vec::with_capacity(50);
    for body in &model.bodies {
        let positions = frame.of(body);
        for triangle in &body.surface {
            let corners = triangle.map(|v| positions.get(v as usize).copied().unwrap_or_default());
            bytes.clear();
            put_f32(&mut bytes, normal(corners).map(|c| c as f32));
            put_f32(&mut bytes, corners.into_iter().flatten().map(|c| c as f32));
            bytes.extend_from_slice(&[0, 0]);
            writer.write_all(&bytes)?;
        }
    }
    Ok(())
}

/// Unit normal, counter-clockwise; zero for a triangle without area.
pub(super) fn normal([a, b, c]: [[f64; 3]; 3]) -> [f64; 3] {
    let sub = |p: [f64; 3], q: [f64; 3]| [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
    let (u, v) = (unit(sub(b, a)), unit(sub(c, a)));
    unit([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]])
}

/// The vector divided by its length, or zero; divided by its largest component first, so that tiny and huge ones
/// keep their direction.
pub(super) fn unit(v: [f64; 3]) -> [f64; 3] {
    let largest = v.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return [0.0; 3];
    }
    let v = v.map(|c| c / largest);
    let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    v.map(|c| c / length)
}
