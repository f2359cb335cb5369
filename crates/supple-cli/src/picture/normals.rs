//! Normals at the corners of triangles: smooth where the surface is smooth, sharp at creases.
use rayon::prelude::*;

use super::vec3::{V3, along, cross, dot, smoothstep, sub, unit};

/// For each corner of each triangle the mean of the normals of the faces around its vertex, weighted by their angle
/// there and by how well they agree with the corner's own face. The agreement falls smoothly from one at 0.6
/// `crease` to nothing at `crease` (radians), so that a body in motion does not flicker between smooth and sharp.
pub(crate) fn corner_normals(points: &[V3], triangles: &[[u32; 3]], crease: f32) -> Vec<[V3; 3]> {
    let crease = if crease.is_nan() { 0.0 } else { crease.clamp(1e-3, std::f32::consts::PI) };
    let (none, full) = (crease.cos(), (0.6 * crease).cos());

    let faces: Vec<(V3, [f32; 3])> =
        triangles.par_iter().with_min_len(1024).map(|t| face(t.map(|v| points[v as usize]))).collect();

    // Faces around each vertex, in compressed rows: `around[start[v]..start[v + 1]]` holds face · 4 + corner.
    let mut start = vec![0_u32; points.len() + 1];
    for &vertex in triangles.iter().flatten() {
        start[vertex as usize + 1] += 1;
    }
    for v in 0..points.len() {
        start[v + 1] += start[v];
    }
    let mut next = start.clone();
    let mut around = vec![0_u32; triangles.len() * 3];
    for (f, triangle) in triangles.iter().enumerate() {
        for (corner, &vertex) in triangle.iter().enumerate() {
            let slot = &mut next[vertex as usize];
            around[*slot as usize] = (f as u32) << 2 | corner as u32;
            *slot += 1;
        }
    }

    (0..triangles.len())
        .into_par_iter()
        .with_min_len(1024)
        .map(|f| {
            let own = faces[f].0;
            triangles[f].map(|vertex| {
                let v = vertex as usize;
                let mut sum = [0.0; 3];
                for &entry in &around[start[v] as usize..start[v + 1] as usize] {
                    let (normal, angles) = &faces[(entry >> 2) as usize];
                    let weight = smoothstep(none, full, dot(own, *normal));
                    sum = along(sum, *normal, weight * angles[(entry & 3) as usize]);
                }
                let mean = unit(sum);
                if mean == [0.0; 3] { own } else { mean }
            })
        })
        .collect()
}

/// Unit normal (zero for a degenerate triangle) and the angles at the three corners.
fn face(p: [V3; 3]) -> (V3, [f32; 3]) {
    let normal = unit(cross(sub(p[1], p[0]), sub(p[2], p[0])));
    let angles = std::array::from_fn(|k| {
        let a = unit(sub(p[(k + 1) % 3], p[k]));
        let b = unit(sub(p[(k + 2) % 3], p[k]));
        dot(a, b).clamp(-1.0, 1.0).acos()
    });
    (normal, angles)
}
