//! When a node meets a triangle, or an edge an edge, on straight ways: additive continuous collision detection (Li et al. 2021).
//!
//! The distance of two things that move no faster than l cannot vanish before distance/l. So time goes on by a bit less than that,
//! again and again, until the distance has all but vanished or the step is over. Nothing is missed, whatever the rounding.

use super::closest::{segments_nearest, triangle_nearest};
use crate::math::small::{add, axpy, dot, scale, sub};

/// What is left of the first distance where things count as having met.
const LEFT: f64 = 0.02;

fn length(v: [f64; 3]) -> f64 {
    dot(v, v).sqrt()
}

/// When four points that move from `a` to `b` meet, as node against triangle or as edge against edge; 0 to 1.
fn meet(
    a: [[f64; 3]; 4],
    b: [[f64; 3]; 4],
    split: usize,
    distance: impl Fn([[f64; 3]; 4]) -> f64,
) -> Option<f64> {
    // What all do alike does not bring them nearer.
    let mut ways: [[f64; 3]; 4] = std::array::from_fn(|i| sub(b[i], a[i]));
    let mean = scale(0.25, ways.iter().fold([0.0; 3], |s, w| add(s, *w)));
    for w in &mut ways {
        *w = sub(*w, mean);
    }
    let fastest = |part: &[[f64; 3]]| part.iter().map(|w| length(*w)).fold(0.0, f64::max);
    let speed = fastest(&ways[..split]) + fastest(&ways[split..]);
    let first = distance(a);
    if !(speed > first && first > 0.0) {
        return None;
    }
    let at = |t: f64| -> [[f64; 3]; 4] { std::array::from_fn(|i| axpy(a[i], t, ways[i])) };
    let mut t = 0.0;
    for _ in 0..10_000 {
        let d = distance(at(t));
        if d <= LEFT * first {
            return Some(t);
        }
        t += 0.9 * (d - 0.5 * LEFT * first) / speed;
        if !(t < 1.0) {
            return None;
        }
    }
    Some(t)
}

/// When a node, the first point, meets the triangle of the other three.
pub(super) fn node_meets(a: [[f64; 3]; 4], b: [[f64; 3]; 4]) -> Option<f64> {
    meet(a, b, 1, |p| triangle_nearest(p[0], [p[1], p[2], p[3]]).distance)
}

/// When the edge of the first two points meets that of the others.
pub(super) fn edge_meets(a: [[f64; 3]; 4], b: [[f64; 3]; 4]) -> Option<f64> {
    meet(a, b, 2, |p| {
        let (s, t) = segments_nearest(p[0], p[1], p[2], p[3]);
        length(sub(axpy(p[0], s, sub(p[1], p[0])), axpy(p[2], t, sub(p[3], p[2]))))
    })
}
