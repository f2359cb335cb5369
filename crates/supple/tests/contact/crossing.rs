//! Whether surfaces pass through each other, by brute force and without the library's own tests of triangles.

use supple::Simulation;

pub type V = [f64; 3];

fn sub(a: V, b: V) -> V {
    std::array::from_fn(|c| a[c] - b[c])
}

/// Six times the volume of the tetrahedron a, b, c, d: its sign says on which side of the triangle a, b, c the point d is.
fn side(a: V, b: V, c: V, d: V) -> f64 {
    let (u, v, w) = (sub(b, a), sub(c, a), sub(d, a));
    u[0] * (v[1] * w[2] - v[2] * w[1])
        + u[1] * (v[2] * w[0] - v[0] * w[2])
        + u[2] * (v[0] * w[1] - v[1] * w[0])
}

/// True if the edge p, q passes through the triangle a, b, c: p and q are on different sides of it, and it turns the same way around
/// its line at all corners.
pub fn passes(p: V, q: V, [a, b, c]: [V; 3]) -> bool {
    let length = |d: V| (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
    // What lies in one plane is on neither side, but for rounding.
    let rounding = 1e-13 * length(sub(p, q)) * length(sub(a, b)) * length(sub(a, c));
    let (first, second) = (side(a, b, c, p), side(a, b, c, q));
    if first * second >= 0.0 || first.abs().min(second.abs()) <= rounding {
        return false;
    }
    let turns = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    turns.iter().all(|t| *t > 0.0) || turns.iter().all(|t| *t < 0.0)
}

/// A body's triangles, and edges that belong to none, by node of the simulation.
#[derive(Clone, Default)]
pub struct Shape {
    pub triangles: Vec<[u32; 3]>,
    pub lines: Vec<[u32; 2]>,
}

impl Shape {
    pub fn of_triangles(triangles: impl IntoIterator<Item = [u32; 3]>, first: usize) -> Shape {
        let triangles = triangles.into_iter().map(|t| t.map(|v| v + first as u32)).collect();
        Shape { triangles, lines: Vec::new() }
    }
    fn edges(&self) -> Vec<[u32; 2]> {
        let of = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
        let mut all: Vec<[u32; 2]> =
            self.triangles.iter().flat_map(of).map(|[i, j]| [i.min(j), i.max(j)]).collect();
        all.extend(&self.lines);
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The first edge and triangle that cross, of all shapes and of each with itself.
pub fn crossing(sim: &Simulation, shapes: &[Shape]) -> Option<([u32; 2], [u32; 3])> {
    crossing_at(&sim.positions(), shapes)
}

/// The first node and shape so that the node has gone through the shape's triangles an odd number of times on the straight ways from some
/// positions to those of now: it has come out on the other side.
pub fn passed_since(sim: &Simulation, before: &[V], shapes: &[Shape]) -> Option<(u32, usize)> {
    const TIMES: usize = 100;
    let now = sim.positions();
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
                for k in 1..=TIMES {
                    let [mut low, mut high] = [k - 1, k].map(|k| k as f64 / TIMES as f64);
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

fn crossing_at(x: &[V], shapes: &[Shape]) -> Option<([u32; 2], [u32; 3])> {
    let at = |i: u32| x[i as usize];
    for e in shapes.iter().flat_map(Shape::edges) {
        let (p, q) = (at(e[0]), at(e[1]));
        for t in shapes.iter().flat_map(|s| &s.triangles) {
            let c = t.map(at);
            let apart = (0..3).any(|k| {
                let (low, high) = (p[k].min(q[k]), p[k].max(q[k]));
                c.iter().all(|v| v[k] < low) || c.iter().all(|v| v[k] > high)
            });
            if !apart && !t.contains(&e[0]) && !t.contains(&e[1]) && passes(p, q, c) {
                return Some((e, *t));
            }
        }
    }
    None
}
