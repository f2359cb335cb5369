//! Which nodes and edges of bodies may touch triangles and edges of bodies.
//!
//! Found once per step, where it begins: the side that something is on is decided there and kept, since iterates may be on the
//! wrong one. A node faces a triangle that it lies in front of, or the edge or corner that is nearest to it; two edges face each
//! other if both bodies turn away from the line between them. Each contact has four nodes with weights that sum to zero, so
//! momentum is conserved.

use super::bvh::{Bounds, Tree, around};
use super::closest::{Nearest, edges_nearest, segments_nearest, triangle_nearest};
use super::impact::{edge_meets, node_meets};
use super::{BODIES, Contact, Law, four, frame};
use crate::math::nodes::Row;
use crate::math::small::{axpy, cross, dot, scale, sub};
use std::collections::HashMap;

/// Things nearer than this, as a share of the local edge length, touch.
const TOUCHING: f64 = 1e-6;

/// Keys of contacts: bit 31 says that they are between bodies, bit 30 that they are between edges.
fn node_key(node: u32, triangle: u32) -> u64 {
    u64::from(node) << 32 | 1 << 31 | u64::from(triangle)
}
fn edge_key(edge: u32, other: u32) -> u64 {
    u64::from(edge) << 32 | 3 << 30 | u64::from(other)
}

/// Corner against corner is seen from both sides: once is enough, since twice leaves the share of each undetermined.
fn once(contacts: &mut Vec<(Contact, f64)>, first: usize) {
    let mut seen: HashMap<(u32, u32), [f64; 3]> = HashMap::new();
    let mut at = 0;
    contacts.retain(|(c, _)| {
        at += 1;
        let corner = (1..4).find(|&k| c.weights[k] < -1.0 + 1e-9).map(|k| c.nodes[k]);
        match corner.filter(|_| at > first) {
            Some(q) if seen.get(&(q, c.nodes[0])).is_some_and(|n| dot(*n, c.frame[0]) < -1.0 + 1e-6) => false,
            Some(q) => {
                seen.insert((c.nodes[0], q), c.frame[0]);
                true
            }
            None => true,
        }
    });
}

/// What can collide: surfaces of bodies, and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surfaces {
    /// Triangles, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Body of each triangle.
    pub body: Vec<u32>,
    /// Coulomb's coefficient of friction.
    pub friction: f64,
    /// Other coefficients for pairs of bodies, the lower number first.
    pub pairs: Vec<(u32, u32, f64)>,
    /// Bodies keep this far from each other, in m.
    pub thickness: f64,
    /// True if a body may touch itself.
    pub within: bool,
}

/// An edge of a surface and the faces beside it.
#[derive(Clone, Copy, Debug)]
struct Edge {
    nodes: [u32; 2],
    faces: [u32; 2],
}

/// Surfaces made ready for search.
#[derive(Debug, Default)]
pub(super) struct Finder {
    surfaces: Surfaces,
    edges: Vec<Edge>,
    nodes: Vec<u32>,
    /// Body and local edge length of each node of the system.
    body: Vec<u32>,
    length: Vec<f64>,
    /// Neighbours of each node along edges, sorted.
    beside: Vec<Vec<u32>>,
    triangle_tree: Tree,
    edge_tree: Tree,
    boxes: Vec<Bounds>,
    edge_boxes: Vec<Bounds>,
}

/// A node before a triangle.
#[derive(Clone, Copy)]
struct Facing {
    triangle: u32,
    body: u32,
    near: Nearest,
    /// Height above the triangle's plane.
    height: f64,
    normal: [f64; 3],
}

impl Finder {
    /// Over surfaces whose nodes are those of the system, at `x`.
    pub fn new(surfaces: Surfaces, x: &[Row]) -> Finder {
        let mut finder = Finder { surfaces, ..Finder::default() };
        let n = x.len();
        (finder.body, finder.length) = (vec![u32::MAX; n], vec![f64::INFINITY; n]);
        finder.beside = vec![Vec::new(); n];
        let mut sides: Vec<([u32; 2], u32)> = Vec::new();
        for (f, t) in finder.surfaces.triangles.iter().enumerate() {
            for k in 0..3 {
                let (i, j) = (t[k], t[(k + 1) % 3]);
                sides.push(([i.min(j), i.max(j)], f as u32));
                finder.body[i as usize] = finder.surfaces.body[f];
                let d = sub(x[i as usize].xyz(), x[j as usize].xyz());
                for v in [i, j] {
                    finder.length[v as usize] = finder.length[v as usize].min(dot(d, d).sqrt());
                }
                finder.beside[i as usize].push(j);
                finder.beside[j as usize].push(i);
            }
        }
        finder.beside.iter_mut().for_each(|b| {
            b.sort_unstable();
            b.dedup();
        });
        sides.sort_unstable();
        for pair in sides.chunk_by(|a, b| a.0 == b.0) {
            let other = pair.get(1).map_or(pair[0].1, |p| p.1);
            finder.edges.push(Edge { nodes: pair[0].0, faces: [pair[0].1, other] });
        }
        finder.nodes = finder.surfaces.triangles.iter().flatten().copied().collect();
        finder.nodes.sort_unstable();
        finder.nodes.dedup();
        finder.bound(x, x);
        finder.triangle_tree = Tree::new(&finder.boxes);
        finder.edge_tree = Tree::new(&finder.edge_boxes);
        finder
    }

    /// True if there is nothing to collide.
    pub fn is_empty(&self) -> bool {
        self.surfaces.triangles.is_empty()
    }

    fn reach(&self, nodes: &[u32]) -> f64 {
        let edge = nodes.iter().map(|&i| self.length[i as usize]).fold(f64::INFINITY, f64::min);
        super::detect::REACH * edge + self.surfaces.thickness
    }

    /// Boxes of triangles and edges on their way.
    fn bound(&mut self, x: &[Row], to: &[Row]) {
        let mut boxes = std::mem::take(&mut self.boxes);
        boxes.clear();
        let both = |i: u32| [x[i as usize].xyz(), to[i as usize].xyz()];
        boxes.extend(
            self.surfaces.triangles.iter().map(|t| around(t.iter().flat_map(|&i| both(i)), self.reach(t))),
        );
        self.boxes = boxes;
        let mut boxes = std::mem::take(&mut self.edge_boxes);
        boxes.clear();
        boxes.extend(
            self.edges.iter().map(|e| around(e.nodes.iter().flat_map(|&i| both(i)), self.reach(&e.nodes))),
        );
        self.edge_boxes = boxes;
    }

    fn friction(&self, a: u32, b: u32) -> f64 {
        let key = (a.min(b), a.max(b));
        let found = self.surfaces.pairs.iter().find(|p| (p.0, p.1) == key);
        found.map_or(self.surfaces.friction, |p| p.2)
    }

    /// Appends the contacts of a step from `x` that would lead to `to` without contact; nodes from `free` on do not move.
    pub fn find(&mut self, x: &[Row], to: &[Row], free: usize, out: &mut Vec<(Contact, f64)>) {
        self.bound(x, to);
        self.triangle_tree.refit(&self.boxes);
        self.edge_tree.refit(&self.edge_boxes);
        let mut facing = Vec::new();
        let first = out.len();
        for &p in &self.nodes {
            self.face(p, x, to, &mut facing);
            self.choose(p, x, free, &mut facing, out);
        }
        once(out, first);
        for (number, e) in self.edges.iter().enumerate() {
            self.edge_tree.visit(&self.edge_boxes, &self.edge_boxes[number], &mut |other| {
                if other as usize > number {
                    self.cross(number, e, other as usize, (x, to), free, out);
                }
            });
        }
    }

    /// Appends contacts of what meets on its way from `x` to `to` and is not in `known`, sorted; with the time at which each
    /// meets.
    pub fn sweep(
        &mut self,
        x: &[Row],
        to: &[Row],
        free: usize,
        known: &[u64],
        out: &mut Vec<(Contact, f64)>,
        times: &mut Vec<f64>,
    ) {
        self.bound(x, to);
        self.triangle_tree.refit(&self.boxes);
        self.edge_tree.refit(&self.edge_boxes);
        let ends = |nodes: [u32; 4]| [x, to].map(|rows| nodes.map(|i| rows[i as usize].xyz()));
        for &p in &self.nodes {
            let bounds = around([x[p as usize].xyz(), to[p as usize].xyz()], 0.0);
            self.triangle_tree.visit(&self.boxes, &bounds, &mut |t| {
                let ([a, b, c], body) = (self.surfaces.triangles[t as usize], self.surfaces.body[t as usize]);
                let key = node_key(p, t);
                let own = self.body[p as usize];
                let skip = body == own && (!self.surfaces.within || self.related(p, &[a, b, c]));
                if skip || known.binary_search(&key).is_ok() {
                    return;
                }
                let nodes = [p, a, b, c];
                let [from, there] = ends(nodes);
                // What touches already has its contact, or none.
                if triangle_nearest(from[0], [from[1], from[2], from[3]]).distance
                    <= TOUCHING * self.length[p as usize]
                {
                    return;
                }
                let Some(time) = node_meets(from, there) else { return };
                let at: [[f64; 3]; 4] = std::array::from_fn(|i| axpy(from[i], time, sub(there[i], from[i])));
                let near = triangle_nearest(at[0], [at[1], at[2], at[3]]);
                let w = near.weights;
                let weights = [1.0, -w[0], -w[1], -w[2]];
                // In front of the triangle its own normal counts: a node that slides over flat ground meets no edges.
                let n = cross(sub(from[2], from[1]), sub(from[3], from[1]));
                let front = dot(n, sub(from[0], from[1])) >= 0.0;
                let normal =
                    if front { cross(sub(at[2], at[1]), sub(at[3], at[1])) } else { sub(at[0], near.point) };
                if let Some(c) = self.meeting(nodes, weights, key, normal, (own, body), (x, to, free)) {
                    out.push(c);
                    times.push(time);
                }
            });
        }
        for (number, e) in self.edges.iter().enumerate() {
            self.edge_tree.visit(&self.edge_boxes, &self.edge_boxes[number], &mut |other| {
                let f = &self.edges[other as usize];
                let (own, others) = (self.body[e.nodes[0] as usize], self.body[f.nodes[0] as usize]);
                let related = || e.nodes.iter().any(|&i| self.related(i, &f.nodes));
                let key = edge_key(number as u32, other);
                let skip =
                    other as usize <= number || (own == others && (!self.surfaces.within || related()));
                if skip || known.binary_search(&key).is_ok() {
                    return;
                }
                let nodes = [e.nodes[0], e.nodes[1], f.nodes[0], f.nodes[1]];
                let [from, there] = ends(nodes);
                let (s, t) = segments_nearest(from[0], from[1], from[2], from[3]);
                let before = (0..4).fold([0.0; 3], |sum, i| axpy(sum, [1.0 - s, s, t - 1.0, -t][i], from[i]));
                if dot(before, before).sqrt() <= TOUCHING * self.length[nodes[0] as usize] {
                    return;
                }
                let Some(time) = edge_meets(from, there) else { return };
                let at: [[f64; 3]; 4] = std::array::from_fn(|i| axpy(from[i], time, sub(there[i], from[i])));
                let (s, t) = segments_nearest(at[0], at[1], at[2], at[3]);
                let weights = [1.0 - s, s, t - 1.0, -t];
                let apart = (0..4).fold([0.0; 3], |sum, i| axpy(sum, weights[i], at[i]));
                let faces = self.leaves(e, x, apart) && self.leaves(f, x, scale(-1.0, apart));
                let found = self.meeting(nodes, weights, key, apart, (own, others), (x, to, free));
                if let Some(c) = found.filter(|_| faces) {
                    out.push(c);
                    times.push(time);
                }
            });
        }
    }

    /// The contact of things that meet along a normal of any length, if they have passed each other at the end.
    fn meeting(
        &self,
        nodes: [u32; 4],
        weights: [f64; 4],
        key: u64,
        normal: [f64; 3],
        (a, b): (u32, u32),
        (x, to, free): (&[Row], &[Row], usize),
    ) -> Option<(Contact, f64)> {
        let d = dot(normal, normal).sqrt();
        if !(d > 0.0) {
            return None;
        }
        let (normal, zero) = (scale(1.0 / d, normal), [0.0; 3]);
        let law = Law::Coulomb(self.friction(a, b));
        let mut c = Contact {
            nodes: four(nodes, nodes[3]),
            weights: four(weights, 0.0),
            count: 4,
            frame: frame(normal),
            origin: zero,
            law,
            force: zero,
            obstacle: BODIES,
            side: normal,
            key,
        };
        let edge = nodes.iter().map(|&i| self.length[i as usize]).fold(f64::INFINITY, f64::min);
        let mut one = Vec::new();
        self.finish(&mut c, x, free, edge, &mut one);
        one.pop().filter(|(c, edge)| c.gap(to)[0] < -TOUCHING * edge)
    }

    /// The bodies of a contact.
    pub fn bodies_of(&self, c: &Contact) -> [u32; 2] {
        [self.body[c.nodes[0] as usize], self.body[c.nodes[3] as usize]]
    }

    /// The triangles that a node is near to.
    fn face(&self, p: u32, x: &[Row], to: &[Row], out: &mut Vec<Facing>) {
        out.clear();
        let at = x[p as usize].xyz();
        let way = sub(to[p as usize].xyz(), at);
        let own = self.body[p as usize];
        let bounds = around([at, to[p as usize].xyz()], self.reach(&[p]));
        self.triangle_tree.visit(&self.boxes, &bounds, &mut |t| {
            let (nodes, body) = (self.surfaces.triangles[t as usize], self.surfaces.body[t as usize]);
            if body == own && (!self.surfaces.within || self.related(p, &nodes)) {
                return;
            }
            let corners = nodes.map(|i| x[i as usize].xyz());
            let near = triangle_nearest(at, corners);
            let mut relative = way;
            for k in 0..3 {
                let i = nodes[k] as usize;
                relative = axpy(relative, -near.weights[k], sub(to[i].xyz(), x[i].xyz()));
            }
            let motion = dot(relative, relative).sqrt();
            let reach = self.reach(&[p]).max(self.reach(&nodes)) + motion;
            let n = cross(sub(corners[1], corners[0]), sub(corners[2], corners[0]));
            let length = dot(n, n).sqrt();
            if near.distance <= reach && length > 0.0 {
                let normal = scale(1.0 / length, n);
                let height = dot(normal, sub(at, corners[0]));
                out.push(Facing { triangle: t, body, near, height, normal });
            }
        });
        out.sort_by(|a, b| {
            (a.body.cmp(&b.body))
                .then(a.near.distance.total_cmp(&b.near.distance))
                .then(a.triangle.cmp(&b.triangle))
        });
    }

    /// True if a node and a triangle share a corner or are joined by an edge.
    fn related(&self, p: u32, nodes: &[u32]) -> bool {
        nodes.contains(&p) || nodes.iter().any(|i| self.beside[p as usize].binary_search(i).is_ok())
    }

    /// Of the triangles of each body: those that the node is in front of, or the nearest if it is inside of the body or before an
    /// edge or a corner.
    fn choose(&self, p: u32, x: &[Row], free: usize, facing: &mut [Facing], out: &mut Vec<(Contact, f64)>) {
        let edge = self.length[p as usize];
        let (at, own) = (x[p as usize].xyz(), self.body[p as usize]);
        for of_body in facing.chunk_by(|a, b| a.body == b.body) {
            let first = out.len();
            let nearest = of_body[0];
            let inside = nearest.height < 0.0 && nearest.near.inner;
            for (k, f) in of_body.iter().enumerate() {
                let touches = f.height.abs() <= 1e-6 * edge;
                let normal = if f.near.inner && (f.height > 0.0 || touches) {
                    f.normal
                } else if k > 0 || f.body == own {
                    continue;
                } else if inside {
                    f.normal
                } else if f.near.distance > 1e-6 * edge {
                    scale(1.0 / f.near.distance, sub(at, f.near.point))
                } else {
                    f.normal
                };
                if !self.stands(p, x, normal) {
                    continue;
                }
                // Above a corner, all triangles around it say the same.
                let again = |(c, _): &(Contact, f64)| dot(c.frame[0], normal) > 1.0 - 1e-9 && c.nodes[0] == p;
                let above = |(c, _): &(Contact, f64)| {
                    let mut d = f.near.point;
                    for k in 1..4 {
                        d = axpy(d, c.weights[k], x[c.nodes[k] as usize].xyz());
                    }
                    dot(d, d).sqrt() <= 1e-6 * edge
                };
                if out[first..].iter().any(|c| again(c) && above(c)) {
                    continue;
                }
                let [a, b, c] = self.surfaces.triangles[f.triangle as usize];
                let w = f.near.weights;
                let mut contact = Contact {
                    nodes: four([p, a, b, c], c),
                    weights: four([1.0, -w[0], -w[1], -w[2]], 0.0),
                    count: 4,
                    frame: frame(normal),
                    origin: [0.0; 3],
                    law: Law::Coulomb(self.friction(own, f.body)),
                    force: [0.0; 3],
                    obstacle: BODIES,
                    side: normal,
                    key: node_key(p, f.triangle),
                };
                self.finish(&mut contact, x, free, edge, out);
            }
        }
    }

    fn finish(&self, c: &mut Contact, x: &[Row], free: usize, edge: f64, out: &mut Vec<(Contact, f64)>) {
        if c.nodes.iter().all(|&i| i as usize >= free) {
            return;
        }
        let y = c.to_local(c.rel(x));
        let gap = y[0] - self.surfaces.thickness;
        c.origin = [super::detect::target(gap, edge) + self.surfaces.thickness, y[1], y[2]];
        out.push((*c, edge));
    }

    /// The contact of two edges, if they face each other.
    fn cross(
        &self,
        number: usize,
        e: &Edge,
        other: usize,
        (x, to): (&[Row], &[Row]),
        free: usize,
        out: &mut Vec<(Contact, f64)>,
    ) {
        let f = &self.edges[other];
        let (own, others) = (self.body[e.nodes[0] as usize], self.body[f.nodes[0] as usize]);
        if own == others && (!self.surfaces.within || e.nodes.iter().any(|&i| self.related(i, &f.nodes))) {
            return;
        }
        let [a, b] = e.nodes.map(|i| x[i as usize].xyz());
        let [c, d] = f.nodes.map(|i| x[i as usize].xyz());
        let Some((s, t)) = edges_nearest(a, b, c, d) else { return };
        let between = sub(axpy(a, s, sub(b, a)), axpy(c, t, sub(d, c)));
        let distance = dot(between, between).sqrt();
        let moved = |i: u32| sub(to[i as usize].xyz(), x[i as usize].xyz());
        let weights = [1.0 - s, s, t - 1.0, -t];
        let nodes = [e.nodes[0], e.nodes[1], f.nodes[0], f.nodes[1]];
        let mut relative = [0.0; 3];
        for k in 0..4 {
            relative = axpy(relative, weights[k], moved(nodes[k]));
        }
        let edge = nodes.iter().map(|&i| self.length[i as usize]).fold(f64::INFINITY, f64::min);
        let reach = self.reach(&nodes) + dot(relative, relative).sqrt();
        if distance > reach {
            return;
        }
        let n = cross(sub(b, a), sub(d, c));
        let n = scale(1.0 / dot(n, n).sqrt(), n);
        // Both bodies must lie on their own side; where the edges touch, that decides on the direction too.
        for normal in [n, scale(-1.0, n)] {
            let apart = dot(normal, between);
            if apart < -1e-6 * edge {
                continue;
            }
            if !(self.leaves(e, x, normal) && self.leaves(f, x, scale(-1.0, normal))) {
                continue;
            }
            let mut contact = Contact {
                nodes: four(nodes, nodes[3]),
                weights: four(weights, 0.0),
                count: 4,
                frame: frame(normal),
                origin: [0.0; 3],
                law: Law::Coulomb(self.friction(own, others)),
                force: [0.0; 3],
                obstacle: BODIES,
                side: normal,
                key: edge_key(number as u32, other as u32),
            };
            self.finish(&mut contact, x, free, edge, out);
            return;
        }
    }

    /// True if the surface around a node lies on the side that a normal points to, or not far on the other: a node that stands at the
    /// edge of a table leans on its top, not on its side.
    fn stands(&self, p: u32, x: &[Row], normal: [f64; 3]) -> bool {
        let at = x[p as usize].xyz();
        self.beside[p as usize].iter().all(|&q| {
            let e = sub(x[q as usize].xyz(), at);
            dot(e, normal) > -0.7 * dot(e, e).sqrt()
        })
    }

    /// True if both faces beside an edge lie on the side that a normal points to, one of them clearly.
    fn leaves(&self, e: &Edge, x: &[Row], normal: [f64; 3]) -> bool {
        let [a, b] = e.nodes.map(|i| x[i as usize].xyz());
        let along = sub(b, a);
        let mut most = 0.0f64;
        for face in e.faces {
            let Some(&third) = self.surfaces.triangles[face as usize].iter().find(|i| !e.nodes.contains(i))
            else {
                return false;
            };
            let v = sub(x[third as usize].xyz(), a);
            let inward = axpy(v, -dot(v, along) / dot(along, along), along);
            let lean = dot(inward, normal) / dot(inward, inward).sqrt();
            if !(lean > -1e-3) {
                return false;
            }
            most = most.max(lean);
        }
        most > 1e-2
    }

    /// Depth of nodes behind the triangles that they touch, and of edges, at the end of a step.
    pub fn depth(&self, c: &Contact, x: &[Row]) -> f64 {
        let p = c.nodes.map(|i| x[i as usize].xyz());
        if c.key & (1 << 30) != 0 && c.key & (1 << 31) != 0 {
            return 0.0;
        }
        let near = triangle_nearest(p[0], [p[1], p[2], p[3]]);
        let n = cross(sub(p[2], p[1]), sub(p[3], p[1]));
        let height = dot(n, sub(p[0], p[1])) / dot(n, n).sqrt();
        let behind = near.inner && height < 0.0 && -height < self.length[c.nodes[0] as usize];
        if behind { -height } else { 0.0 }
    }
}
