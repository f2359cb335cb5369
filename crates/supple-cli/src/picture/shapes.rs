//! Balls and rods as triangles.
use super::vec3::{V3, add, along, cross, scale, sub, unit};

/// Points, unit normals at the points, triangles.
pub(crate) struct Shape {
    pub points: Vec<V3>,
    pub normals: Vec<V3>,
    pub triangles: Vec<[u32; 3]>,
}

/// The unit sphere in rings of latitude; `sides` around, half as many from pole to pole.
pub(crate) fn sphere(sides: u32) -> Shape {
    let rings = (sides / 2).max(2);
    let mut points = vec![[0.0, 1.0, 0.0]];
    for ring in 1..rings {
        let (s, c) = (std::f32::consts::PI * ring as f32 / rings as f32).sin_cos();
        for side in 0..sides {
            let (sin, cos) = (std::f32::consts::TAU * side as f32 / sides as f32).sin_cos();
            points.push([s * sin, c, s * cos]);
        }
    }
    points.push([0.0, -1.0, 0.0]);
    let last = points.len() as u32 - 1;
    let at = |ring: u32, side: u32| 1 + (ring - 1) * sides + side % sides;
    let mut triangles = Vec::new();
    for side in 0..sides {
        triangles.push([0, at(1, side), at(1, side + 1)]);
        for ring in 1..rings - 1 {
            let (a, b) = (at(ring, side), at(ring, side + 1));
            let (c, d) = (at(ring + 1, side), at(ring + 1, side + 1));
            triangles.extend([[a, c, d], [a, d, b]]);
        }
        triangles.push([at(rings - 1, side), last, at(rings - 1, side + 1)]);
    }
    Shape { normals: points.clone(), points, triangles }
}

/// A cylinder between two points with rounded ends; None if it has no length.
pub(crate) fn rod(from: V3, to: V3, radius: f32, sides: u32) -> Option<Shape> {
    let axis = unit(sub(to, from));
    if axis == [0.0; 3] {
        return None;
    }
    let (u, v) = super::vec3::frame(axis);
    // Two rings and a point at each end: the ends bulge by half a radius.
    let rings = [(from, -0.5, 0.5), (from, 0.0, 1.0), (to, 0.0, 1.0), (to, 0.5, 0.5)];
    let mut points = vec![along(from, axis, -0.7 * radius)];
    let mut normals = vec![scale(axis, -1.0)];
    for (end, lift, width) in rings {
        for side in 0..sides {
            let (sin, cos) = (std::f32::consts::TAU * side as f32 / sides as f32).sin_cos();
            let outward = add(scale(u, cos), scale(v, sin));
            points.push(along(along(end, axis, lift * radius), outward, width * radius));
            normals.push(unit(along(outward, axis, 2.0 * lift)));
        }
    }
    points.push(along(to, axis, 0.7 * radius));
    normals.push(axis);
    let last = points.len() as u32 - 1;
    let at = |ring: u32, side: u32| 1 + ring * sides + side % sides;
    let mut triangles = Vec::new();
    for side in 0..sides {
        triangles.push([0, at(0, side + 1), at(0, side)]);
        for ring in 0..3 {
            let (a, b) = (at(ring, side), at(ring, side + 1));
            let (c, d) = (at(ring + 1, side), at(ring + 1, side + 1));
            triangles.extend([[a, b, d], [a, d, c]]);
        }
        triangles.push([last, at(3, side), at(3, side + 1)]);
    }
    debug_assert!(cross(u, v)[0] - axis[0] < 1e-3);
    Some(Shape { points, normals, triangles })
}
