//! What has come through something on the straight ways of a step: nodes through triangles, lines through lines.

use super::crossing::{Shape, V};

fn sub(a: V, b: V) -> V {
    std::array::from_fn(|c| a[c] - b[c])
}

/// Six times the volume of the tetrahedron a, b, c, d.
fn side(a: V, b: V, c: V, d: V) -> f64 {
    let (u, v, w) = (sub(b, a), sub(c, a), sub(d, a));
    u[0] * (v[1] * w[2] - v[2] * w[1])
        + u[1] * (v[2] * w[0] - v[0] * w[2])
        + u[2] * (v[0] * w[1] - v[1] * w[0])
}

/// The first node and shape so that the node has gone through the shape's triangles an odd number of times on the straight ways from some
/// positions to others, at so many times: it has come out on the other side.
pub fn passed(before: &[V], now: &[V], shapes: &[Shape], times: usize) -> Option<(u32, usize)> {
    let at = |i: u32, t: f64| -> V {
        let (a, b) = (before[i as usize], now[i as usize]);
        std::array::from_fn(|c| a[c] + t * (b[c] - a[c]))
    };
    for node in 0..now.len() as u32 {
        for (number, shape) in shapes.iter().enumerate() {
            if shape.triangles.iter().flatten().any(|&i| i == node) {
                continue;
            }
            let mut count = 0;
            for t in &shape.triangles {
                let height = |s: f64| side(at(t[0], s), at(t[1], s), at(t[2], s), at(node, s));
                let mut last = height(0.0);
                for k in 1..=times {
                    let [mut low, mut high] = [k - 1, k].map(|k| k as f64 / times as f64);
                    let next = height(high);
                    if last * next < 0.0 {
                        for _ in 0..60 {
                            let middle = 0.5 * (low + high);
                            if height(middle) * last > 0.0 { low = middle } else { high = middle }
                        }
                        let corners = t.map(|i| at(i, low));
                        count += usize::from(lies_in(at(node, low), corners));
                    }
                    last = next;
                }
            }
            if count % 2 == 1 {
                return Some((node, number));
            }
        }
    }
    None
}

/// True if a point in the plane of a triangle lies in the triangle.
fn lies_in(p: V, [a, b, c]: [V; 3]) -> bool {
    let (u, v) = (sub(b, a), sub(c, a));
    let n: V = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let above = |q: V| -> V { std::array::from_fn(|k| q[k] + n[k]) };
    let turns = [side(a, b, above(a), p), side(b, c, above(b), p), side(c, a, above(c), p)];
    turns.iter().all(|t| *t > 0.0) || turns.iter().all(|t| *t < 0.0)
}

/// The first two lines of different shapes, or of one, so that one has gone through the other an odd number of times on the straight ways
/// from some positions to others.
pub fn lines_passed(before: &[V], now: &[V], shapes: &[Shape]) -> Option<([u32; 2], [u32; 2])> {
    let times = 100;
    let at = |i: u32, t: f64| -> V {
        let (a, b) = (before[i as usize], now[i as usize]);
        std::array::from_fn(|c| a[c] + t * (b[c] - a[c]))
    };
    let lines: Vec<[u32; 2]> = shapes.iter().flat_map(|s| s.lines.iter().copied()).collect();
    for (k, e) in lines.iter().enumerate() {
        for f in lines[..k].iter().filter(|f| !f.contains(&e[0]) && !f.contains(&e[1])) {
            let volume = |t: f64| side(at(e[0], t), at(e[1], t), at(f[0], t), at(f[1], t));
            let (mut last, mut count) = (volume(0.0), 0);
            for k in 1..=times {
                let [mut low, mut high] = [k - 1, k].map(|k| k as f64 / times as f64);
                let next = volume(high);
                if last * next < 0.0 {
                    for _ in 0..60 {
                        let middle = 0.5 * (low + high);
                        if volume(middle) * last > 0.0 { low = middle } else { high = middle }
                    }
                    count += usize::from(lines_meet(e.map(|i| at(i, low)), f.map(|i| at(i, low))));
                }
                last = next;
            }
            if count % 2 == 1 {
                return Some((*e, *f));
            }
        }
    }
    None
}

/// True if two segments of one plane meet: the ends of each lie on different sides of the other.
fn lines_meet([a, b]: [V; 2], [c, d]: [V; 2]) -> bool {
    let (u, v) = (sub(b, a), sub(d, c));
    let n: V = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let above = |q: V| -> V { std::array::from_fn(|k| q[k] + n[k]) };
    side(a, b, above(a), c) * side(a, b, above(a), d) < 0.0
        && side(c, d, above(c), a) * side(c, d, above(c), b) < 0.0
}

#[test]
fn lines_that_pass_are_found() {
    let shapes = [Shape::of_lines([[0, 1]], 0), Shape::of_lines([[0, 1]], 2)];
    let low: [V; 2] = [[-1.0, 0.0, 0.1], [1.0, 0.0, -0.1]];
    let at = |y: f64, x: f64| -> Vec<V> { vec![low[0], low[1], [x, y, -1.0], [x + 0.1, y + 0.01, 1.0]] };
    assert_eq!(lines_passed(&at(0.5, 0.0), &at(-0.7, 0.1), &shapes), Some(([2, 3], [0, 1])));
    assert_eq!(lines_passed(&at(0.5, 0.0), &at(0.1, 0.1), &shapes), None);
    // Beside it, and over its end.
    assert_eq!(lines_passed(&at(0.5, 2.0), &at(-0.7, 2.1), &shapes), None);
}
