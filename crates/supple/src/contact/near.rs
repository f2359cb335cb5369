//! Which nodes and edges of bodies are near triangles and edges of bodies where a step begins, and their contacts.
//!
//! A node faces a triangle that it is above, or the edge or corner of a surface that is nearer than all around it; two edges face
//! each other if both surfaces turn away from the line between them. The normal is the way between the nearest points, from one
//! side or the other: sheets have two. Each contact has four nodes with weights that sum to zero, so momentum is conserved.

use super::closest::{edges_nearest, segments_nearest, triangle_nearest};
use super::impact::Kind;
use super::pairs::far_apart;
use super::slack::Near;
use super::surfaces::{Edge, Skin};
use super::tangle::Tangle;
use super::{BODIES, Contact, Law, four, frame};
use crate::math::nodes::Row;
use crate::math::small::{axpy, cross, dot, scale, sub};
use std::collections::HashMap;

/// Things nearer than this, as a share of the local edge length, have no direction between them.
pub(super) const TOUCHING: f64 = 1e-7;

/// Keys of contacts: bit 31 says that they are between bodies, bit 30 that they are between edges.
pub(super) fn node_key(node: u32, triangle: u32) -> u64 {
    u64::from(node) << 32 | 1 << 31 | u64::from(triangle)
}
pub(super) fn edge_key(edge: u32, other: u32) -> u64 {
    u64::from(edge) << 32 | 3 << 30 | u64::from(other)
}

/// What a contact is made of, before it has a frame.
pub(super) struct Rows {
    pub kind: Kind,
    pub nodes: [u32; 4],
    pub weights: [f64; 4],
    /// Of unit length, from the second thing to the first.
    pub normal: [f64; 3],
    pub key: u64,
    /// Distance where the step begins, negative where the second thing has been entered.
    pub distance: f64,
}

/// A step from x that would lead to `to` without contact; nodes from `free` on do not move by forces.
#[derive(Clone, Copy)]
pub(super) struct Way<'a> {
    pub x: &'a [Row],
    pub to: &'a [Row],
    pub free: usize,
}

impl Way<'_> {
    /// Where four nodes begin and end.
    pub fn ends(&self, nodes: &[u32; 4]) -> [[[f64; 3]; 4]; 2] {
        [self.x, self.to].map(|rows| nodes.map(|i| rows[i as usize].xyz()))
    }

    /// Length of the way of some nodes against each other.
    fn relative(&self, nodes: &[u32; 4], weights: &[f64; 4]) -> f64 {
        let [from, to] = self.ends(nodes);
        let sum = (0..4).fold([0.0; 3], |sum, k| axpy(sum, weights[k], sub(to[k], from[k])));
        dot(sum, sum).sqrt()
    }
}

/// Corner against corner, or nearly, is seen from both sides: once is enough, since twice leaves the share of each undetermined.
fn once(contacts: &mut Vec<(Contact, f64)>, first: usize) {
    let mut seen: HashMap<(u32, u32), [f64; 3]> = HashMap::new();
    let mut at = 0;
    contacts.retain(|(c, _)| {
        at += 1;
        let corner = (1..4).find(|&k| c.weights[k] < -1.0 + 1e-3).map(|k| c.nodes[k]);
        match corner.filter(|_| at > first) {
            Some(q) if seen.get(&(q, c.nodes[0])).is_some_and(|n| dot(*n, c.frame[0]) < -0.999) => false,
            Some(q) => {
                seen.insert((c.nodes[0], q), c.frame[0]);
                true
            }
            None => true,
        }
    });
}

impl Skin {
    /// Appends the contacts of a step.
    pub fn find(&mut self, way: Way<'_>, tangle: &Tangle, out: &mut Vec<(Contact, f64)>) {
        if !way.to.iter().all(|r| r.is_finite()) {
            return;
        }
        self.pair_up(way.x, way.to);
        self.look_ahead(way);
        let first = out.len();
        self.exec.collect(self.pairs.around_nodes(), out, |some, out| {
            for k in some {
                self.above(k, way, tangle, out);
            }
        });
        once(out, first);
        self.exec.collect(self.pairs.edges.len(), out, |some, out| {
            for pair in some {
                self.across(pair, way, tangle, out);
            }
        });
        self.slack_is_known();
    }

    /// The contact of two things, with the local edge length; none if nothing in it can move, or if it is between things that touch at
    /// rest.
    pub fn contact(&self, rows: Rows, way: Way<'_>) -> Option<(Contact, f64)> {
        if rows.nodes.iter().all(|&i| i as usize >= way.free) {
            return None;
        }
        let keep = self.keep(rows.kind, &rows.nodes)?;
        let [a, b] = self.bodies_of(&rows.nodes);
        let mut c = Contact {
            nodes: four(rows.nodes, rows.nodes[3]),
            weights: four(rows.weights, 0.0),
            count: 4,
            frame: frame(rows.normal),
            origin: [0.0; 3],
            law: Law::Coulomb(self.surfaces.friction(a, b)),
            force: [0.0; 3],
            obstacle: BODIES,
            side: rows.normal,
            key: rows.key,
        };
        let y = c.to_local(c.rel(way.x));
        let edge = self.shortest(&rows.nodes);
        // Nearer than they should be: apart little by little.
        c.origin = [super::detect::target(rows.distance - keep, edge) + keep, y[1], y[2]];
        Some((c, edge))
    }

    /// The contacts of a node with triangles, and with their edges and corners.
    fn above(&self, k: usize, way: Way<'_>, tangle: &Tangle, out: &mut Vec<(Contact, f64)>) {
        let mut places: Vec<([f64; 3], [f64; 3])> = Vec::new();
        for (pair, (p, t)) in self.pairs.around_node(k) {
            if self.slack.spares_face(Near::Reach, pair, (p, t)) {
                continue;
            }
            let (at, edge) = (way.x[p as usize].xyz(), self.length[p as usize]);
            let triangle = self.surfaces.triangles[t as usize];
            let nodes = [p, triangle[0], triangle[1], triangle[2]];
            let corners = triangle.map(|i| way.x[i as usize].xyz());
            let reach = self.reach(&[p]).max(self.reach(&triangle));
            let matter = || [reach, self.apart(&nodes)];
            if far_apart([at], corners, reach + edge) {
                self.slack.learn_face(pair, || (reach + edge, matter()));
                continue;
            }
            let near = triangle_nearest(at, corners);
            self.slack.learn_face(pair, || (near.distance, matter()));
            let w = near.weights;
            let weights = [1.0, -w[0], -w[1], -w[2]];
            if near.distance > reach + edge
                || near.distance > reach + way.relative(&nodes, &weights).min(edge)
                || (tangle.involves(&nodes) && !self.closed(t))
            {
                continue;
            }
            let normal = self.normal(t, way.x);
            let size = dot(normal, normal).sqrt();
            let (touches, closed) = (near.distance <= TOUCHING * edge, self.closed(t));
            let height = dot(normal, sub(at, way.x[triangle[0] as usize].xyz()));
            // What is behind the surface of a solid is in front of another part of it, or has been inside from the start.
            if !(size > 0.0) || (closed && height < 0.0 && !touches) || (touches && !closed) {
                continue;
            }
            let normal = if touches {
                scale(1.0 / size, normal)
            } else if near.inner {
                scale(height.signum() / size, normal)
            } else if self.is_lowest(&near.weights, t, at, near.distance, |i| way.x[i as usize].xyz()) {
                scale(1.0 / near.distance, sub(at, near.point))
            } else {
                continue;
            };
            // Above an edge or a corner, all triangles around it say the same.
            let again = places.iter().any(|(point, n)| {
                let d = sub(*point, near.point);
                dot(d, d).sqrt() <= 1e-6 * edge && dot(*n, normal) > 1.0 - 1e-9
            });
            if again || !self.stands(p, way.x, normal) {
                continue;
            }
            places.push((near.point, normal));
            let (key, distance) = (node_key(p, t), near.distance);
            out.extend(self.contact(Rows { kind: Kind::Node, nodes, weights, normal, key, distance }, way));
        }
    }

    /// True if no other triangle around an edge or a corner of a triangle is nearer to a point.
    pub(super) fn is_lowest(
        &self,
        weights: &[f64; 3],
        triangle: u32,
        at: [f64; 3],
        distance: f64,
        x: impl Fn(u32) -> [f64; 3],
    ) -> bool {
        let corners = self.surfaces.triangles[triangle as usize];
        let on = || (0..3).filter(|&k| weights[k] > 0.0).map(|k| corners[k]);
        let Some(first) = on().next() else { return false };
        self.faces[first as usize].iter().all(|&f| {
            let other = self.surfaces.triangles[f as usize];
            f == triangle
                || !on().all(|i| other.contains(&i))
                || triangle_nearest(at, other.map(&x)).distance >= distance * (1.0 - 1e-9)
        })
    }

    /// The contact of two edges, if they face each other.
    fn across(&self, pair: usize, way: Way<'_>, tangle: &Tangle, out: &mut Vec<(Contact, f64)>) {
        let (number, other) = self.pairs.edges[pair];
        if self.slack.spares_edge(Near::Reach, pair, (number, other)) {
            return;
        }
        let (e, f) = (&self.edges[number as usize], &self.edges[other as usize]);
        let nodes = [e.nodes[0], e.nodes[1], f.nodes[0], f.nodes[1]];
        let [a, b, c, d] = nodes.map(|i| way.x[i as usize].xyz());
        let (edge, reach) = (self.shortest(&nodes), self.reach(&e.nodes).max(self.reach(&f.nodes)));
        let matter = || [reach, self.apart(&nodes)];
        if far_apart([a, b], [c, d], reach + edge) {
            self.slack.learn_edge(pair, || (reach + edge, matter()));
            return;
        }
        self.slack.learn_edge(pair, || (Kind::Edge.distance(&[a, b, c, d]), matter()));
        // Ropes have no triangles that would see the ends.
        let lines = e.faces().next().is_none() || f.faces().next().is_none();
        let found = if lines { Some(segments_nearest(a, b, c, d)) } else { edges_nearest(a, b, c, d) };
        let Some((s, t)) = found else { return };
        let between = sub(axpy(a, s, sub(b, a)), axpy(c, t, sub(d, c)));
        let distance = dot(between, between).sqrt();
        let weights = [1.0 - s, s, t - 1.0, -t];
        if distance > reach + edge || distance > reach + way.relative(&nodes, &weights).min(edge) {
            return;
        }
        let closed = self.bodies_of(&nodes).iter().all(|&b| self.surfaces.closed[b as usize]);
        let touches = distance <= TOUCHING * edge;
        if (touches && !closed) || tangle.involves(&nodes) {
            return;
        }
        let n = cross(sub(b, a), sub(d, c));
        let n = if touches { scale(1.0 / dot(n, n).sqrt(), n) } else { scale(1.0 / distance, between) };
        // Where the edges touch, the sides that their surfaces are on decide on the direction.
        for normal in [n, scale(-1.0, n)] {
            let towards = touches || dot(normal, between) > 0.0;
            if towards && self.leaves(e, way.x, normal) && self.leaves(f, way.x, scale(-1.0, normal)) {
                let key = edge_key(number, other);
                let rows = Rows { kind: Kind::Edge, nodes, weights, normal, key, distance };
                out.extend(self.contact(rows, way));
                return;
            }
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

    /// True if the faces beside an edge lie on the side that a normal points to, one of them clearly; ropes have none.
    fn leaves(&self, e: &Edge, x: &[Row], normal: [f64; 3]) -> bool {
        let [least, most] = self.lean(e, |i| x[i as usize].xyz(), normal);
        least > -1e-3 && (most > 1e-2 || most == f64::NEG_INFINITY)
    }

    /// From an edge across each face beside it, of unit length; not a number if the face has no area.
    pub(super) fn inward(&self, e: &Edge, x: &impl Fn(u32) -> [f64; 3]) -> impl Iterator<Item = [f64; 3]> {
        let [a, b] = e.nodes.map(x);
        let along = sub(b, a);
        e.faces().filter_map(move |face| {
            let triangle = self.surfaces.triangles[face as usize];
            let third = triangle.iter().find(|i| !e.nodes.contains(i))?;
            let v = sub(x(*third), a);
            let inward = axpy(v, -dot(v, along) / dot(along, along), along);
            Some(scale(1.0 / dot(inward, inward).sqrt(), inward))
        })
    }

    /// How much the faces beside an edge lie on the side that a normal points to, −1 to 1: least and most; infinities if there are none.
    pub(super) fn lean(&self, e: &Edge, x: impl Fn(u32) -> [f64; 3], normal: [f64; 3]) -> [f64; 2] {
        let mut range = [f64::INFINITY, f64::NEG_INFINITY];
        for inward in self.inward(e, &x) {
            let lean = dot(inward, normal);
            // Also a face without an area, which has no side.
            let lean = if lean.is_nan() { -1.0 } else { lean };
            range = [range[0].min(lean), range[1].max(lean)];
        }
        range
    }
}
