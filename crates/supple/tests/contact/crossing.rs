//! Whether surfaces pass through each other, without any test of triangles of the library: edges against triangles with exact signs,
//! lines against lines by their distance, obstacles that have faces by these. A sweep along an axis finds who may cross, so that it can be
//! done after every step.

pub use super::exact::V;
use super::exact::passes;
use std::collections::HashSet;
use supple::Simulation;
use supple::contact::{Obstacle, Pose};
use supple::scene::Program;

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
    pub fn of_lines(lines: impl IntoIterator<Item = [u32; 2]>, first: usize) -> Shape {
        let lines = lines.into_iter().map(|e| e.map(|v| v + first as u32)).collect();
        Shape { triangles: Vec::new(), lines }
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

/// An edge and a triangle that cross, by node; nodes of obstacles come after those of bodies.
pub type Crossing = ([u32; 2], [u32; 3]);

/// What is looked at: bodies, each with itself or not, and obstacles with faces.
#[derive(Clone)]
pub struct Surfaces {
    edges: Vec<([u32; 2], u32)>,
    triangles: Vec<([u32; 3], u32)>,
    lines: Vec<([u32; 2], u32)>,
    /// Whether a body may cross itself.
    within: bool,
    /// Bodies; the owners from here on are obstacles, which may cross each other.
    bodies: u32,
    obstacles: Vec<(usize, Vec<V>)>,
}

impl Surfaces {
    pub fn new(shapes: &[Shape], within: bool) -> Surfaces {
        let mut s = Surfaces {
            edges: Vec::new(),
            triangles: Vec::new(),
            lines: Vec::new(),
            within,
            bodies: shapes.len() as u32,
            obstacles: Vec::new(),
        };
        shapes.iter().enumerate().for_each(|(owner, shape)| s.add(shape, owner as u32));
        s
    }
    fn add(&mut self, shape: &Shape, owner: u32) {
        self.edges.extend(shape.edges().into_iter().map(|e| (e, owner)));
        self.triangles.extend(shape.triangles.iter().map(|t| (*t, owner)));
        self.lines.extend(shape.lines.iter().map(|e| (*e, owner)));
    }
    /// Bodies and obstacles of a scene. Faces of obstacles are taken `slack` inwards: nodes may be that deep where the law of nodes is
    /// solved to a tolerance.
    pub fn of_program(p: &Program, within: bool, slack: f64) -> Surfaces {
        let mut shapes = Vec::new();
        for (look, body) in p.bodies.iter().zip(p.simulation.bodies()) {
            let mut shape = Shape::of_triangles(look.surface.iter().copied(), body.first_node);
            if look.surface.is_empty() {
                shape = Shape::of_lines(look.edges.iter().copied(), body.first_node);
            }
            shapes.push(shape);
        }
        let mut s = Surfaces::new(&shapes, within);
        s.add_obstacles(&p.simulation, slack);
        s
    }
    /// Obstacles that have faces: boxes and closed meshes.
    pub fn add_obstacles(&mut self, sim: &Simulation, slack: f64) {
        let mut first = sim.node_count();
        for (number, o) in sim.obstacles().iter().enumerate() {
            let Some((vertices, triangles)) = faces(o, slack) else { continue };
            self.add(&Shape::of_triangles(triangles, first), self.bodies + number as u32);
            first += vertices.len();
            self.obstacles.push((number, vertices));
        }
    }
    /// Positions of all nodes: bodies as given, obstacles where the simulation has them.
    fn places(&self, x: &[V], sim: &Simulation) -> Vec<V> {
        let mut all = x.to_vec();
        for (number, vertices) in &self.obstacles {
            let pose: Pose = sim.obstacle_pose(*number).unwrap();
            all.extend(vertices.iter().map(|v| pose.apply(*v)));
        }
        all
    }

    /// All crossings of bodies and obstacles as they are.
    pub fn crossings(&self, sim: &Simulation) -> Vec<Crossing> {
        self.crossings_at(&self.places(&sim.positions(), sim))
    }

    /// All crossings at some positions.
    pub fn crossings_at(&self, x: &[V]) -> Vec<Crossing> {
        let mut found = Vec::new();
        let edges = Boxes::new(x, self.edges.iter().map(|(e, _)| &e[..]));
        let triangles = Boxes::new(x, self.triangles.iter().map(|(t, _)| &t[..]));
        sweep(&edges, &triangles, 0.0, &mut |i, j| {
            let ((e, a), (t, b)) = (self.edges[i], self.triangles[j]);
            let apart = if a == b { self.within && a < self.bodies } else { a.min(b) < self.bodies };
            if !apart || t.contains(&e[0]) || t.contains(&e[1]) {
                return;
            }
            let [p, q] = e.map(|n| x[n as usize]);
            if passes(p, q, t.map(|n| x[n as usize])) {
                found.push((e, t));
            }
        });
        found.sort_unstable();
        found
    }

    /// The smallest distance between lines of ropes that share no node, if it is less than `reach`.
    pub fn nearest_lines(&self, x: &[V], reach: f64) -> f64 {
        let mut least = reach;
        let lines = Boxes::new(x, self.lines.iter().map(|(e, _)| &e[..]));
        sweep(&lines, &lines, reach, &mut |i, j| {
            let ((e, a), (f, b)) = (self.lines[i], self.lines[j]);
            if i < j && (a != b || self.within) && !f.contains(&e[0]) && !f.contains(&e[1]) {
                let [p, q] = [e, f].map(|e| e.map(|n| x[n as usize]));
                least = least.min(between(p, q));
            }
        });
        least
    }
}

/// Vertices and faces of an obstacle that has some, each face moved inwards.
fn faces(o: &Obstacle, slack: f64) -> Option<(Vec<V>, Vec<[u32; 3]>)> {
    if !["box", "mesh"].contains(&o.shape.kind()) {
        return None;
    }
    let (mut vertices, mut triangles) = o.shape.triangles();
    // Pictures may have a vertex once for each face.
    let place: Vec<u32> = (0..vertices.len())
        .map(|i| vertices.iter().position(|v| *v == vertices[i]).unwrap() as u32)
        .collect();
    triangles.iter_mut().for_each(|t| *t = t.map(|v| place[v as usize]));
    let mut normals = vec![Vec::<V>::new(); vertices.len()];
    for t in &triangles {
        let [a, b, c] = t.map(|v| vertices[v as usize]);
        let n = cross(sub(b, a), sub(c, a));
        let n = n.map(|v| v / dot(n, n).sqrt());
        for v in t {
            let all = &mut normals[*v as usize];
            if all.iter().all(|m| dot(*m, n) < 1.0 - 1e-9) {
                all.push(n);
            }
        }
    }
    for (v, all) in vertices.iter_mut().zip(&normals) {
        // At a corner of a box, and roughly elsewhere, each of its faces goes in by the slack.
        *v = std::array::from_fn(|c| v[c] - slack * all.iter().map(|n| n[c]).sum::<f64>());
    }
    Some((vertices, triangles))
}

fn sub(a: V, b: V) -> V {
    std::array::from_fn(|c| a[c] - b[c])
}
fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Distance of two segments: of inner points if those are nearest, else of an end from the other.
pub fn between([a, b]: [V; 2], [c, d]: [V; 2]) -> f64 {
    let (u, v, w) = (sub(b, a), sub(d, c), sub(a, c));
    let to = |p: V, q: V, d: V| {
        let t = (dot(sub(p, q), d) / dot(d, d)).clamp(0.0, 1.0);
        let off: V = std::array::from_fn(|k| p[k] - q[k] - t * d[k]);
        dot(off, off).sqrt()
    };
    let ends = to(a, c, v).min(to(b, c, v)).min(to(c, a, u)).min(to(d, a, u));
    let (uu, uv, vv, uw, vw) = (dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w));
    let det = uu * vv - uv * uv;
    let (s, t) = ((uv * vw - vv * uw) / det, (uu * vw - uv * uw) / det);
    if !(0.0..=1.0).contains(&s) || !(0.0..=1.0).contains(&t) {
        return ends;
    }
    let off: V = std::array::from_fn(|k| w[k] + s * u[k] - t * v[k]);
    ends.min(dot(off, off).sqrt())
}

/// Boxes of edges or triangles, in order of where they begin along an axis.
struct Boxes(Vec<([f64; 3], [f64; 3], usize)>);

impl Boxes {
    fn new<'a>(x: &[V], parts: impl Iterator<Item = &'a [u32]>) -> Boxes {
        let boxed = |(i, part): (usize, &[u32])| {
            let bound = |c: usize, far: fn(f64, f64) -> f64| {
                part.iter().map(|n| x[*n as usize][c]).reduce(far).unwrap()
            };
            (std::array::from_fn(|c| bound(c, f64::min)), std::array::from_fn(|c| bound(c, f64::max)), i)
        };
        Boxes(parts.enumerate().map(boxed).collect())
    }
}

/// Calls for each pair of boxes of two lists that are nearer than `reach`.
fn sweep(first: &Boxes, second: &Boxes, reach: f64, found: &mut impl FnMut(usize, usize)) {
    let all = || first.0.iter().chain(&second.0);
    let extent = |c: usize| {
        let low = all().map(|b| b.0[c]).fold(f64::INFINITY, f64::min);
        all().map(|b| b.1[c]).fold(f64::NEG_INFINITY, f64::max) - low
    };
    let axis = (0..3).max_by(|a, b| extent(*a).total_cmp(&extent(*b))).unwrap();
    let mut order: Vec<(f64, bool, usize)> = Vec::new();
    order.extend(first.0.iter().enumerate().map(|(i, b)| (b.0[axis], false, i)));
    order.extend(second.0.iter().enumerate().map(|(i, b)| (b.0[axis], true, i)));
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut open: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
    for (start, is_second, i) in order {
        let (mine, others) = if is_second { (second, first) } else { (first, second) };
        let list = &mut open[usize::from(!is_second)];
        list.retain(|&j| others.0[j].1[axis] + reach >= start);
        let b = &mine.0[i];
        for &j in list.iter() {
            let o = &others.0[j];
            if (0..3).all(|c| b.0[c] <= o.1[c] + reach && o.0[c] <= b.1[c] + reach) {
                let (p, q) = if is_second { (o.2, b.2) } else { (b.2, o.2) };
                found(p, q);
            }
        }
        open[usize::from(is_second)].push(i);
    }
}

/// Those of `after` that were not there before.
pub fn crossings_that_are_new(before: &[Crossing], after: &[Crossing]) -> Vec<Crossing> {
    let known: HashSet<&Crossing> = before.iter().collect();
    after.iter().filter(|c| !known.contains(c)).copied().collect()
}

/// Looks at a simulation after each step.
pub struct Watch {
    pub surfaces: Surfaces,
    last: Vec<Crossing>,
}

impl Watch {
    pub fn new(surfaces: Surfaces, sim: &Simulation) -> Watch {
        let last = surfaces.crossings(sim);
        Watch { surfaces, last }
    }
    pub fn of_program(p: &Program, within: bool, slack: f64) -> Watch {
        Watch::new(Surfaces::of_program(p, within, slack), &p.simulation)
    }
    /// Crossings that were there at the start, or at the last look.
    pub fn known(&self) -> usize {
        self.last.len()
    }
    /// What crosses now and did not at the last look.
    pub fn look(&mut self, sim: &Simulation) -> Vec<Crossing> {
        let now = self.surfaces.crossings(sim);
        let new = crossings_that_are_new(&self.last, &now);
        self.last = now;
        new
    }
}

/// The first edge and triangle that cross, of all shapes and of each with itself.
pub fn crossing(sim: &Simulation, shapes: &[Shape]) -> Option<Crossing> {
    Surfaces::new(shapes, true).crossings_at(&sim.positions()).first().copied()
}

/// The sweep finds what a look at all pairs finds, in heaps of random triangles.
#[test]
fn the_sweep_misses_nothing() {
    let mut random = super::random::Random(3);
    let mut count = 0;
    for round in 0..200 {
        let long = random.power(0.02, 1.0);
        let mut x: Vec<V> = Vec::new();
        let mut shapes = vec![Shape::default(), Shape::default()];
        for k in 0..60u32 {
            let middle: V = std::array::from_fn(|_| random.between(0.0, 1.0));
            for _ in 0..3 {
                x.push(std::array::from_fn(|c| middle[c] + random.between(-long, long)));
            }
            let shape = &mut shapes[(k % 2) as usize];
            if k % 5 == 0 {
                shape.lines.push([3 * k, 3 * k + 1]);
            } else {
                shape.triangles.push([3 * k, 3 * k + 1, 3 * k + 2]);
            }
        }
        let mut all = Vec::new();
        for (a, s) in shapes.iter().enumerate() {
            for e in s.edges() {
                for (b, t) in
                    shapes.iter().enumerate().flat_map(|(b, s)| s.triangles.iter().map(move |t| (b, t)))
                {
                    let [p, q] = e.map(|n| x[n as usize]);
                    let own = t.contains(&e[0]) || t.contains(&e[1]);
                    if (a != b || round % 2 == 0) && !own && passes(p, q, t.map(|n| x[n as usize])) {
                        all.push((e, *t));
                    }
                }
            }
        }
        all.sort_unstable();
        count += all.len();
        let surfaces = Surfaces::new(&shapes, round % 2 == 0);
        assert_eq!(surfaces.crossings_at(&x), all);
        assert_eq!(crossings_that_are_new(&all, &all), []);
        assert_eq!(crossings_that_are_new(&[], &all), all);
        // Distances of lines, against many points of both.
        let near = surfaces.nearest_lines(&x, 10.0);
        let mut least = 10.0_f64;
        let lines: Vec<_> = surfaces.lines.clone();
        for (k, (e, a)) in lines.iter().enumerate() {
            for (f, b) in lines[..k].iter().filter(|l| l.1 != *a || round % 2 == 0) {
                assert!(a != b || round % 2 == 0);
                let [p, q] = [e, f].map(|e| e.map(|n| x[n as usize]));
                for i in 0..=100 {
                    for j in 0..=100 {
                        let on = |s: [V; 2], t: f64| -> V {
                            std::array::from_fn(|c| s[0][c] + t * (s[1][c] - s[0][c]))
                        };
                        let d = sub(on(p, 0.01 * f64::from(i)), on(q, 0.01 * f64::from(j)));
                        least = least.min(dot(d, d).sqrt());
                    }
                }
            }
        }
        assert!(near <= least && near > least - 0.03 * long, "{near}, {least}");
    }
    assert!(count > 1000, "{count}");
}

/// A box and a mesh as obstacles have faces, where their pose puts them, and others have none.
#[test]
fn obstacles_have_faces() {
    use super::setup::{cube, settings};
    use supple::contact::{ClosedMesh, Cuboid, Sphere};
    let slab = || Cuboid::new([0.0; 3], [2.0, 0.02, 2.0]).unwrap();
    let (vertices, triangles) = supple::contact::Surface::triangles(&slab());
    let mesh = ClosedMesh::new(vertices, triangles).unwrap();
    let list = [
        (Obstacle::new("slab", slab()), true),
        (Obstacle::new("mesh", mesh), true),
        (Obstacle::new("ball", Sphere::new([0.0; 3], 1.0).unwrap()), false),
    ];
    for (o, seen) in list {
        let s = settings(supple::Method::Auto, 0.01);
        let material = (supple::MaterialKind::Corotated, 1e5, 0.3);
        let mut sim = cube(s, material, [0.2; 3], [1; 3], [0.0, 1.0, 0.0], vec![o]);
        let shape = Shape::of_triangles([[0, 1, 3], [0, 3, 2]], 0);
        let mut surfaces = Surfaces::new(&[shape], true);
        surfaces.add_obstacles(&sim, 1e-6);
        assert_eq!(surfaces.crossings(&sim), []);
        let mut watch = Watch::new(surfaces, &sim);
        let lift = |y: f64| Pose::new([0.0; 3], [0.0; 3], [0.0, y, 0.0]);
        // Two of the nodes are 0.2 m above the others: the slab is between them, or a little below.
        for (y, crosses) in [(0.98, false), (0.990_000_5, false), (1.1, true), (1.22, false)] {
            sim.place_obstacle(0, lift(y)).unwrap();
            assert_eq!(!watch.look(&sim).is_empty(), crosses && seen, "{y}");
            assert_eq!(watch.known() > 0, crosses && seen);
        }
    }
}
