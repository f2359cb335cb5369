//! Bodies that have entered each other where a step begins: which, and how they come apart.
//!
//! Bodies that begin apart stay apart, so these were put so. What crosses is found anew at every step: edges of one surface that
//! pass through triangles of another, and solids that lie in solids. Nodes inside of another solid are led out by the nearest way.
//! Where a sheet is involved there is no inside. There the curve along which two surfaces cross tells: it divides a surface into
//! regions, and all but the largest are on the wrong side (global intersection analysis; Baraff, Witkin and Kass 2003, *Untangling
//! cloth*). Edges that lead from such a region to the right side go back through the triangle that they cross. Where the curve divides
//! neither surface it is made shorter until it is gone. All of that happens little by little: a fifth of the depth per step.

use super::broad_phase::far_apart;
use super::bvh::{Bounds, around};
use super::nearest_points::triangle_nearest;
use super::surfaces::Skin;
use crate::math::nodes::Row;
use crate::math::small::{add, axpy, cross, dot, scale, sub};
use std::collections::{BTreeMap, BTreeSet};

/// What is nearer than this share of an edge touches, and does not cross.
const TOUCHING: f64 = 1e-7;

/// A curve that turns by less than this, in radians, is straight.
const STRAIGHT: f64 = 0.05;

/// What crosses where a step begins.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct Tangle {
    /// Edges and the triangles that they pass through.
    pub crossings: Vec<Crossing>,
    /// Nodes of solids that lie in others.
    pub inside: Vec<Inside>,
    /// Pairs of bodies, the lower number first, in order.
    pairs: Vec<[u32; 2]>,
    /// Nodes on the wrong side of another body, or of their own, and that body; sorted.
    behind: Vec<(u32, u32)>,
    /// Of each node: true if it is in a tangle, or next to it. Empty if there is none.
    involved: Vec<bool>,
    /// Where this was found.
    at: Vec<Row>,
}

/// An edge that passes through a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::contact) struct Crossing {
    pub edge: [u32; 2],
    pub triangle: u32,
    /// Weights of the triangle's corners where they meet.
    weights: [f64; 3],
    /// Heights of the edge's ends above the triangle.
    heights: [f64; 2],
}

/// A node that lies in a solid, and what of it is nearest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::contact) struct Inside {
    pub node: u32,
    pub triangle: u32,
    weights: [f64; 3],
    /// The way out.
    way: [f64; 3],
}

/// A point of an edge and one of a triangle that come apart along a normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::contact) struct WayOut {
    pub nodes: [u32; 5],
    pub weights: [f64; 5],
    pub normal: [f64; 3],
    /// How far they have to go, in m.
    pub depth: f64,
}

impl Tangle {
    /// True if surfaces of two bodies, or of a body and itself, cross.
    fn has(&self, [a, b]: [u32; 2]) -> bool {
        !self.pairs.is_empty() && self.pairs.binary_search(&[a.min(b), a.max(b)]).is_ok()
    }

    /// True if one of some nodes is in a tangle, or next to it: there it is not certain who is on which side.
    pub fn involves(&self, nodes: &[u32; 4]) -> bool {
        !self.involved.is_empty() && nodes.iter().any(|&i| self.involved[i as usize])
    }

    /// True if some nodes of two bodies are where these cross.
    pub fn holds(&self, bodies: [u32; 2], nodes: &[u32; 4]) -> bool {
        self.has(bodies) && self.involves(nodes)
    }

    /// Pairs of bodies that cross, or lie in each other, the lower number first, in order.
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// True if nothing has entered anything.
    pub fn is_empty(&self) -> bool {
        self.crossings.is_empty() && self.inside.is_empty()
    }

    /// True if a node is in a region that is on the wrong side of a body.
    fn is_behind(&self, node: u32, body: u32) -> bool {
        self.behind.binary_search(&(node, body)).is_ok()
    }

    /// The largest depth: of a node in a solid, or of the shorter end of an edge behind a triangle.
    pub fn depth(&self) -> f64 {
        let crossings = self.crossings.iter().map(|c| c.heights[0].abs().min(c.heights[1].abs()));
        let inside = self.inside.iter().map(|i| dot(i.way, i.way).sqrt());
        crossings.chain(inside).fold(0.0, f64::max)
    }
}

impl Skin {
    /// What crosses at `x`; `tangle` is kept if it is of there.
    pub fn untangle(&mut self, x: &[Row], tangle: &mut Tangle) {
        if tangle.at == x {
            return;
        }
        // At the start all nodes are looked at, and as long as some are inside; later nothing gets in without crossing.
        let all = tangle.at.is_empty() || !tangle.inside.is_empty();
        tangle.at.clear();
        tangle.at.extend_from_slice(x);
        self.find_crossings(x, &mut tangle.crossings);
        let pair = |a: u32, b: u32| [a.min(b), a.max(b)];
        let body = |i: u32| self.body[i as usize];
        tangle.pairs.clear();
        for c in &tangle.crossings {
            tangle.pairs.push(pair(body(c.edge[0]), self.surfaces.body[c.triangle as usize]));
        }
        tangle.pairs.sort_unstable();
        tangle.pairs.dedup();
        self.look_inside(x, tangle, all);
        for i in &tangle.inside {
            tangle.pairs.push(pair(body(i.node), self.surfaces.body[i.triangle as usize]));
        }
        tangle.pairs.sort_unstable();
        tangle.pairs.dedup();
        self.find_sides(tangle);
        tangle.involved.clear();
        if tangle.crossings.is_empty() && tangle.inside.is_empty() {
            return;
        }
        let corners = |t: u32| self.surfaces.triangles[t as usize];
        let crossing = tangle.crossings.iter().flat_map(|c| c.edge.into_iter().chain(corners(c.triangle)));
        let inside = tangle.inside.iter().flat_map(|i| [i.node].into_iter().chain(corners(i.triangle)));
        tangle.involved.resize(x.len(), false);
        for i in crossing.chain(inside) {
            tangle.involved[i as usize] = true;
            self.beside[i as usize].iter().for_each(|&j| tangle.involved[j as usize] = true);
        }
        tangle.behind.iter().for_each(|b| tangle.involved[b.0 as usize] = true);
    }

    /// Which parts of surfaces are on the wrong side of others: those that the curves of crossing cut off, all but the largest. Where two are
    /// equally large nothing is known.
    fn find_sides(&self, tangle: &mut Tangle) {
        tangle.behind.clear();
        // Edges of a body that pass through another, or itself.
        let mut cut: BTreeMap<[u32; 2], Vec<[u32; 2]>> = BTreeMap::new();
        for c in &tangle.crossings {
            let bodies = [self.body[c.edge[0] as usize], self.surfaces.body[c.triangle as usize]];
            // Of solids it is known what is inside.
            if !bodies.iter().all(|&b| self.surfaces.closed[b as usize]) || bodies[0] == bodies[1] {
                let [a, b] = c.edge;
                cut.entry(bodies).or_default().push([a.min(b), a.max(b)]);
            }
        }
        for ([body, other], mut edges) in cut {
            edges.sort_unstable();
            let regions = self.regions(body, &edges);
            let sizes: Vec<usize> = regions.iter().map(Vec::len).collect();
            let most = sizes.iter().copied().max().unwrap_or(0);
            if sizes.iter().filter(|&&s| s == most).count() == 1 {
                let lesser = regions.iter().filter(|r| r.len() < most).flatten();
                tangle.behind.extend(lesser.map(|&i| (i, other)));
            }
        }
        tangle.behind.sort_unstable();
    }

    /// The nodes of a body's surface in parts that hang together when some edges, sorted, are cut.
    fn regions(&self, body: u32, cut: &[[u32; 2]]) -> Vec<Vec<u32>> {
        let nodes = self.nodes_of(body);
        let mut seen: BTreeSet<u32> = BTreeSet::new();
        let mut regions = Vec::new();
        for &first in nodes {
            if !seen.insert(first) {
                continue;
            }
            let mut region = vec![first];
            let mut next = 0;
            while let Some(&i) = region.get(next) {
                next += 1;
                for &j in &self.beside[i as usize] {
                    if cut.binary_search(&[i.min(j), i.max(j)]).is_err() && seen.insert(j) {
                        region.push(j);
                    }
                }
            }
            regions.push(region);
        }
        regions
    }

    fn find_crossings(&mut self, x: &[Row], found: &mut Vec<Crossing>) {
        self.pair_up(x, x, false);
        self.list_crossings();
        found.clear();
        self.exec.collect(self.pairs.crossings.len(), found, |some, out| {
            for &(edge, t) in &self.pairs.crossings[some] {
                let edge = self.edges[edge as usize].nodes;
                let corners = self.surfaces.triangles[t as usize].map(|i| x[i as usize].xyz());
                if !far_apart(edge.map(|i| x[i as usize].xyz()), corners, 0.0) {
                    out.extend(self.crossing(edge, t, x));
                }
            }
        });
    }

    /// True if a point of a triangle lies on its border, and the surface is bent there: what passes through it may run along that edge.
    fn only_touches(&self, weights: &[f64; 3], triangle: u32, x: &[Row]) -> bool {
        let corners = self.surfaces.triangles[triangle as usize];
        let rim: Vec<usize> = (0..3).filter(|&k| weights[k] < TOUCHING).collect();
        match rim[..] {
            [] => false,
            [k] => {
                let (a, b) = (corners[(k + 1) % 3], corners[(k + 2) % 3]);
                let other = |f: &&u32| **f != triangle && self.surfaces.triangles[**f as usize].contains(&b);
                match self.faces[a as usize].iter().find(other) {
                    Some(&f) => {
                        let edge = super::surfaces::Edge { nodes: [a, b], faces: Some([triangle, f]) };
                        self.bend(&edge, x) > 0.0
                    }
                    None => true,
                }
            }
            _ => true,
        }
    }

    /// Where an edge passes through a triangle.
    fn crossing(&self, edge: [u32; 2], triangle: u32, x: &[Row]) -> Option<Crossing> {
        let corners = self.surfaces.triangles[triangle as usize];
        let own = self.body[edge[0] as usize] == self.surfaces.body[triangle as usize];
        if own && (!self.surfaces.within || edge.iter().any(|i| corners.contains(i))) {
            return None;
        }
        let normal = self.normal(triangle, x);
        let size = dot(normal, normal).sqrt();
        let [p, q] = edge.map(|i| x[i as usize].xyz());
        let first = x[corners[0] as usize].xyz();
        let heights = [p, q].map(|v| dot(normal, sub(v, first)) / size);
        // What only touches does not cross.
        let tiny = TOUCHING * self.shortest(&edge);
        if !(heights[0].abs() > tiny && heights[1].abs() > tiny && heights[0] * heights[1] < 0.0) {
            return None;
        }
        let at = axpy(p, heights[0] / (heights[0] - heights[1]), sub(q, p));
        let near = triangle_nearest(at, corners.map(|i| x[i as usize].xyz()));
        let passes =
            near.distance <= 1e-9 * self.shortest(&edge) && !self.only_touches(&near.weights, triangle, x);
        passes.then_some(Crossing { edge, triangle, weights: near.weights, heights })
    }

    /// The nodes of solids that lie in others: all of those whose surfaces cross; of others one node tells, unless `all` are asked for:
    /// surfaces on the same grid meet in edges and corners, and none passes through another.
    fn look_inside(&self, x: &[Row], tangle: &mut Tangle, all: bool) {
        tangle.inside.clear();
        let bodies = self.surfaces.closed.len();
        let nodes: Vec<&[u32]> = (0..bodies as u32).map(|b| self.nodes_of(b)).collect();
        let boxes: Vec<Bounds> =
            nodes.iter().map(|of| around(of.iter().map(|&i| x[i as usize].xyz()), 0.0)).collect();
        let within = |p: [f64; 3], b: usize| (0..3).all(|c| boxes[b][0][c] <= p[c] && p[c] <= boxes[b][1][c]);
        for (a, of_a) in nodes.iter().enumerate() {
            for b in (0..bodies).filter(|&b| b != a && self.surfaces.closed[b]) {
                let meet =
                    (0..3).all(|c| boxes[a][0][c] <= boxes[b][1][c] && boxes[b][0][c] <= boxes[a][1][c]);
                let crossed = tangle.has([a as u32, b as u32]);
                if !meet || of_a.is_empty() || !(all || crossed || within(x[of_a[0] as usize].xyz(), b)) {
                    continue;
                }
                let one = if all || crossed { None } else { self.inside(of_a[0], b as u32, x) };
                if all || crossed || one.is_some() {
                    let near = of_a.iter().filter(|&&i| within(x[i as usize].xyz(), b));
                    tangle.inside.extend(near.filter_map(|&i| self.inside(i, b as u32, x)));
                }
            }
        }
    }

    /// The way out of a solid for a node that is in it.
    fn inside(&self, node: u32, body: u32, x: &[Row]) -> Option<Inside> {
        let p = x[node as usize].xyz();
        let mut best: Option<(u32, super::nearest_points::Nearest)> = None;
        // The boxes have some room: the nearest one is not always found first, but it is found.
        let (tree, boxes) = self.faces_of(body);
        tree.nearest(boxes, p, &mut |t, most| {
            let near = triangle_nearest(p, self.surfaces.triangles[t as usize].map(|i| x[i as usize].xyz()));
            if near.distance < most {
                best = Some((t, near));
                return near.distance;
            }
            most
        });
        let (triangle, near) = best?;
        let way = sub(near.point, p);
        let outward = self.outward(&near.weights, triangle, x);
        let deep = near.distance > TOUCHING * self.length[node as usize];
        (deep && dot(way, outward) > 0.0).then_some(Inside { node, triangle, weights: near.weights, way })
    }

    /// Out of the surface at a point of a triangle: on edges and at corners the normals of all faces there, by their angles
    /// (Bærentzen and Aanæs 2005).
    fn outward(&self, weights: &[f64; 3], triangle: u32, x: &[Row]) -> [f64; 3] {
        let corners = self.surfaces.triangles[triangle as usize];
        let on: Vec<u32> = (0..3).filter(|&k| weights[k] > 0.0).map(|k| corners[k]).collect();
        let mut sum = [0.0; 3];
        for &f in on.first().map_or(&[][..], |&i| &self.faces[i as usize]) {
            let t = self.surfaces.triangles[f as usize];
            if !on.iter().all(|i| t.contains(i)) {
                continue;
            }
            let n = self.normal(f, x);
            let mut angle = 1.0;
            if let [corner] = on[..] {
                let others: Vec<[f64; 3]> =
                    t.iter().filter(|&&i| i != corner).map(|&i| x[i as usize].xyz()).collect();
                if let [u, v] = others[..] {
                    let (u, v) = (sub(u, x[corner as usize].xyz()), sub(v, x[corner as usize].xyz()));
                    angle = crate::math::elementary::atan2(dot(n, n).sqrt(), dot(u, v));
                }
            }
            sum = add(sum, scale(angle / dot(n, n).sqrt().max(f64::MIN_POSITIVE), n));
        }
        sum
    }

    /// Appends the ways that lead out of a tangle.
    pub fn find_ways_out(&self, x: &[Row], tangle: &Tangle, out: &mut Vec<WayOut>) {
        for i in &tangle.inside {
            let (d, w) = (dot(i.way, i.way).sqrt(), i.weights);
            let t = self.surfaces.triangles[i.triangle as usize];
            out.push(WayOut {
                nodes: [i.node, i.node, t[0], t[1], t[2]],
                weights: [1.0, 0.0, -w[0], -w[1], -w[2]],
                normal: scale(1.0 / d, i.way),
                depth: d,
            });
        }
        for c in &tangle.crossings {
            let bodies = [self.body[c.edge[0] as usize], self.surfaces.body[c.triangle as usize]];
            if bodies[0] != bodies[1] && bodies.iter().all(|&b| self.surfaces.closed[b as usize]) {
                continue;
            }
            // Of solids the end that is inside goes back, of sheets the one in a region that was cut off.
            let cut_off = c.edge.map(|i| tangle.is_behind(i, bodies[1]));
            let divided = |body: u32, other: u32| {
                tangle.behind.iter().any(|b| b.1 == other && self.body[b.0 as usize] == body)
            };
            let behind = if cut_off[0] != cut_off[1] {
                usize::from(cut_off[1])
            } else if self.closed(c.triangle) {
                usize::from(c.heights[1] < 0.0)
            } else if divided(bodies[1], bodies[0]) {
                // The other surface has passed through this one, and goes back.
                continue;
            } else {
                match self.shorter_curve(c, x) {
                    Some(way) => out.extend(way),
                    None => {
                        out.push(self.way_back(c, usize::from(c.heights[1].abs() < c.heights[0].abs()), x))
                    }
                }
                continue;
            };
            out.push(self.way_back(c, behind, x));
        }
    }

    /// One end of an edge goes back through the triangle.
    fn way_back(&self, c: &Crossing, behind: usize, x: &[Row]) -> WayOut {
        let (height, w) = (c.heights[behind], c.weights);
        let n = self.normal(c.triangle, x);
        let t = self.surfaces.triangles[c.triangle as usize];
        WayOut {
            nodes: [c.edge[behind], c.edge[1 - behind], t[0], t[1], t[2]],
            weights: [1.0, 0.0, -w[0], -w[1], -w[2]],
            normal: scale(-height.signum() / dot(n, n).sqrt(), n),
            depth: height.abs(),
        }
    }

    /// The motion of an edge against a triangle that shortens the curve along which surfaces cross, one edge far: the way out where
    /// that curve ends at a border of each surface and divides neither (after Volino and Magnenat-Thalmann 2006, *Resolving surface
    /// collisions through intersection contour minimization*).
    ///
    /// If the edge moves by d, the point where it meets the triangle moves by (I − e nᵀ/(e·n)) d, and the curve, which leaves that
    /// point along unit vectors r into the faces beside the edge, gets longer by −Σr of it. Where the curve is straight nothing is
    /// asked for; `None` for edges that have no faces.
    fn shorter_curve(&self, c: &Crossing, x: &[Row]) -> Option<Option<WayOut>> {
        let [a, b] = c.edge.map(|i| x[i as usize].xyz());
        let unit = |v: [f64; 3]| scale(1.0 / dot(v, v).sqrt().max(f64::MIN_POSITIVE), v);
        let (n, e) = (unit(self.normal(c.triangle, x)), sub(b, a));
        let beside = self.faces[c.edge[0] as usize].iter();
        let beside = beside.map(|&f| (f, self.surfaces.triangles[f as usize]));
        let (mut sum, mut count) = ([0.0; 3], 0);
        for (f, t) in beside.filter(|(_, t)| t.contains(&c.edge[1])) {
            count += 1;
            let third = t.iter().find(|i| !c.edge.contains(i))?;
            let to = sub(x[*third as usize].xyz(), a);
            let inward = axpy(to, -dot(to, e) / dot(e, e), e);
            let r = unit(cross(self.normal(f, x), n));
            sum = add(sum, if dot(r, inward) < 0.0 { scale(-1.0, r) } else { r });
        }
        if count == 0 {
            return None;
        }
        let way = axpy(sum, -dot(e, sum) / dot(e, n), n);
        let size = dot(way, way).sqrt();
        let (s, w) = (c.heights[0] / (c.heights[0] - c.heights[1]), c.weights);
        let t = self.surfaces.triangles[c.triangle as usize];
        let moves = size > STRAIGHT && size.is_finite();
        Some(moves.then(|| WayOut {
            nodes: [c.edge[0], c.edge[1], t[0], t[1], t[2]],
            weights: [1.0 - s, s, -w[0], -w[1], -w[2]],
            normal: scale(1.0 / size, way),
            depth: 0.5 * dot(e, e).sqrt() * size.min(1.0),
        }))
    }
}
