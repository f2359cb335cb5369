//! Nearest points of triangles and edges.

use crate::math::small::{axpy, dot, sub};

/// The point of a triangle that is nearest to some point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::contact) struct Nearest {
    /// Weights of the corners.
    pub weights: [f64; 3],
    /// The point.
    pub point: [f64; 3],
    /// Distance in m, ≥ 0.
    pub distance: f64,
    /// True if it is not on an edge or corner, or only just.
    pub inner: bool,
}

/// The nearest point of a triangle (Ericson, Real-Time Collision Detection, section 5.1.5).
pub(in crate::contact) fn triangle_nearest(p: [f64; 3], [a, b, c]: [[f64; 3]; 3]) -> Nearest {
    let (ab, ac) = (sub(b, a), sub(c, a));
    let to = |q: [f64; 3]| (dot(ab, sub(p, q)), dot(ac, sub(p, q)));
    let ((d1, d2), (d3, d4), (d5, d6)) = (to(a), to(b), to(c));
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    let share = |over: f64, under: f64| if under > 0.0 { (over / under).clamp(0.0, 1.0) } else { 0.0 };
    let (weights, inner) = if d1 <= 0.0 && d2 <= 0.0 {
        ([1.0, 0.0, 0.0], false)
    } else if d3 >= 0.0 && d4 <= d3 {
        ([0.0, 1.0, 0.0], false)
    } else if d6 >= 0.0 && d5 <= d6 {
        ([0.0, 0.0, 1.0], false)
    } else if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = share(d1, d1 - d3);
        ([1.0 - t, t, 0.0], false)
    } else if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = share(d2, d2 - d6);
        ([1.0 - t, 0.0, t], false)
    } else if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let t = share(d4 - d3, (d4 - d3) + (d5 - d6));
        ([0.0, 1.0 - t, t], false)
    } else {
        let sum = va + vb + vc;
        let (v, w) = if sum > 0.0 { (vb / sum, vc / sum) } else { (0.0, 0.0) };
        ([1.0 - v - w, v, w], true)
    };
    let point = axpy(axpy(a, weights[1], ab), weights[2], ac);
    let way = sub(p, point);
    let distance = dot(way, way).sqrt();
    // Right above an edge or corner counts as above the face.
    let n = crate::math::small::cross(ab, ac);
    let height = dot(n, sub(p, a)).abs() / dot(n, n).sqrt();
    let inner = inner || distance - height <= 1e-9 * dot(ab, ab).sqrt();
    Nearest { weights, point, distance, inner }
}

/// Where two segments are nearest, as shares of their lengths, ends included.
pub(in crate::contact) fn segments_nearest(a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3]) -> (f64, f64) {
    let (u, v, w) = (sub(b, a), sub(d, c), sub(a, c));
    let (uu, uv, vv, uw, vw) = (dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w));
    let share = |over: f64, under: f64| if under > 0.0 { (over / under).clamp(0.0, 1.0) } else { 0.0 };
    let det = uu * vv - uv * uv;
    if !(det > 1e-8 * uu * vv) {
        return parallel_nearest([a, b, c, d], share);
    }
    let s = ((uv * vw - vv * uw) / det).clamp(0.0, 1.0);
    // The best t for this s, and then the best s for that t.
    let t = share(uv * s + vw, vv);
    (share(uv * t - uw, uu), t)
}

/// The same for segments that are nearly parallel: the best of what the four ends have. So the distance is continuous, wherever the points are.
fn parallel_nearest([a, b, c, d]: [[f64; 3]; 4], share: impl Fn(f64, f64) -> f64) -> (f64, f64) {
    let on = |p: [f64; 3], q: [f64; 3], r: [f64; 3]| {
        let along = sub(r, q);
        share(dot(sub(p, q), along), dot(along, along))
    };
    let ends = [(0.0, on(a, c, d)), (1.0, on(b, c, d)), (on(c, a, b), 0.0), (on(d, a, b), 1.0)];
    let apart = |(s, t): (f64, f64)| {
        let r = sub(axpy(a, s, sub(b, a)), axpy(c, t, sub(d, c)));
        dot(r, r)
    };
    ends.into_iter()
        .fold((ends[0], f64::INFINITY), |best, e| if apart(e) < best.1 { (e, apart(e)) } else { best })
        .0
}
