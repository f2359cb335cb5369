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

/// The same on the straight ways of the nodes from some positions to those of now, at a hundred times.
pub fn crossing_since(sim: &Simulation, before: &[V], shapes: &[Shape]) -> Option<([u32; 2], [u32; 3])> {
    let now = sim.positions();
    (1..=100).find_map(|k| {
        let t = f64::from(k) / 100.0;
        let between = |(a, b): (&V, &V)| std::array::from_fn(|c| a[c] + t * (b[c] - a[c]));
        crossing_at(&before.iter().zip(&now).map(between).collect::<Vec<V>>(), shapes)
    })
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
