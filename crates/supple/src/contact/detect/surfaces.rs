//! Surfaces of bodies that may touch each other, made ready for search.

use super::broad_phase::Pairs;
use super::continuous::Kind;
use crate::exec::Exec;
use crate::math::nodes::Row;
use crate::math::small::{cross, dot, sub};
use std::sync::Arc;

/// Angles, in radians, up to which the surface at an edge is flat, and from which on it is bent.
const FLAT: f64 = 1e-2;
const BENT: f64 = 0.1;

/// What can collide: surfaces of bodies, and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surfaces {
    /// Triangles; those of solids counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Body of each triangle.
    pub body: Vec<u32>,
    /// Edges that belong to no triangle: ropes and nets.
    pub lines: Vec<[u32; 2]>,
    /// Nodes that belong to no triangle, and their bodies.
    pub loose: Vec<(u32, u32)>,
    /// Of each body: true for solids, which have an inside.
    pub closed: Vec<bool>,
    /// Of each body: half its thickness in m; 0 for solids.
    pub radius: Vec<f64>,
    /// Coulomb's coefficient of friction.
    pub friction: f64,
    /// Other coefficients for pairs of bodies, the lower number first.
    pub pairs: Vec<(u32, u32, f64)>,
    /// Bodies keep this far from each other, in m.
    pub thickness: f64,
    /// True if a body may touch itself.
    pub within: bool,
}

impl Surfaces {
    /// True if nothing can touch anything.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty() && self.lines.is_empty()
    }

    /// The same with other numbers of nodes.
    pub fn renumber(mut self, place: impl Fn(u32) -> u32) -> Surfaces {
        self.triangles.iter_mut().flatten().for_each(|i| *i = place(*i));
        self.lines.iter_mut().flatten().for_each(|i| *i = place(*i));
        self.loose.iter_mut().for_each(|(i, _)| *i = place(*i));
        self
    }

    /// Coulomb's coefficient between two bodies.
    pub(in crate::contact) fn friction(&self, a: u32, b: u32) -> f64 {
        let key = (a.min(b), a.max(b));
        let found = self.pairs.iter().find(|p| (p.0, p.1) == key);
        found.map_or(self.friction, |p| p.2)
    }
}

/// An edge of a surface.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Edge {
    pub nodes: [u32; 2],
    /// The two triangles beside it, if there are two: not for borders, ropes, and where more meet.
    pub faces: Option<[u32; 2]>,
}

/// Surfaces with all that a search wants to know of them.
#[derive(Debug, Default)]
pub(in crate::contact) struct Skin {
    pub surfaces: Surfaces,
    pub edges: Vec<Edge>,
    /// Nodes of all surfaces.
    pub nodes: Vec<u32>,
    /// Body and local edge length of each node of the system.
    pub body: Vec<u32>,
    pub length: Vec<f64>,
    /// How near is near for each node: two things are listed if they come within the sum of both, in m.
    pub margin: Vec<f64>,
    /// Neighbours of each node along edges, and its triangles.
    pub beside: Vec<Vec<u32>>,
    pub faces: Vec<Vec<u32>>,
    pub rest: Vec<Row>,
    /// What may come near what.
    pub pairs: Pairs,
    /// Threads that search.
    pub exec: Arc<Exec>,
}

impl Skin {
    /// Over surfaces whose nodes are those of the system, at rest at `x`; `margin` of a node's local edge length and body. Whatever searches
    /// is called inside [`Exec::install`].
    pub fn new(surfaces: Surfaces, x: &[Row], margin: impl Fn(f64, usize) -> f64, exec: Arc<Exec>) -> Skin {
        let n = x.len();
        let mut skin = Skin {
            body: vec![u32::MAX; n],
            length: vec![f64::INFINITY; n],
            beside: vec![Vec::new(); n],
            faces: vec![Vec::new(); n],
            rest: x.to_vec(),
            exec,
            ..Skin::default()
        };
        for &(i, body) in &surfaces.loose {
            skin.body[i as usize] = body;
        }
        let mut sides: Vec<([u32; 2], Option<u32>)> = Vec::new();
        for (f, t) in surfaces.triangles.iter().enumerate() {
            for k in 0..3 {
                let (i, j) = (t[k], t[(k + 1) % 3]);
                sides.push(([i.min(j), i.max(j)], Some(f as u32)));
                skin.body[i as usize] = surfaces.body[f];
                skin.faces[i as usize].push(f as u32);
            }
        }
        sides.extend(surfaces.lines.iter().map(|[i, j]| ([*i.min(j), *i.max(j)], None)));
        sides.sort_unstable();
        for same in sides.chunk_by(|a, b| a.0 == b.0) {
            let [i, j] = same[0].0;
            let faces = match same {
                [(_, Some(f)), (_, Some(g))] => Some([*f, *g]),
                _ => None,
            };
            skin.edges.push(Edge { nodes: [i, j], faces });
            let d = sub(x[i as usize].xyz(), x[j as usize].xyz());
            let d = dot(d, d).sqrt();
            for (v, w) in [(i, j), (j, i)] {
                // A spring of no length says nothing about size.
                if d > 0.0 {
                    skin.length[v as usize] = skin.length[v as usize].min(d);
                }
                skin.beside[v as usize].push(w);
            }
        }
        skin.nodes = surfaces.triangles.iter().flatten().copied().collect();
        skin.nodes.extend(surfaces.loose.iter().map(|l| l.0));
        skin.nodes.sort_unstable();
        skin.nodes.dedup();
        for &i in &skin.nodes {
            let length = &mut skin.length[i as usize];
            *length = if length.is_finite() { *length } else { 0.1 };
        }
        skin.margin = vec![0.0; n];
        for &i in &skin.nodes {
            let i = i as usize;
            skin.margin[i] = margin(skin.length[i], skin.body[i] as usize);
        }
        skin.surfaces = surfaces;
        skin.plant(x);
        skin
    }

    /// True if there is nothing to collide.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The shortest edge at some nodes.
    pub fn shortest(&self, nodes: &[u32]) -> f64 {
        nodes.iter().map(|&i| self.length[i as usize]).fold(f64::INFINITY, f64::min)
    }

    /// The largest margin of some nodes.
    pub fn reach(&self, nodes: &[u32]) -> f64 {
        nodes.iter().map(|&i| self.margin[i as usize]).fold(0.0, f64::max)
    }

    /// True if two things may touch: they are of different bodies, or of one that may touch itself, and share no node.
    pub fn may_touch(&self, kind: Kind, nodes: &[u32; 4]) -> bool {
        let [a, b] = self.bodies_of(nodes);
        let shared = || match kind {
            Kind::Node => nodes[1..].contains(&nodes[0]),
            Kind::Edge => nodes[2..].contains(&nodes[0]) || nodes[2..].contains(&nodes[1]),
        };
        a != b || (self.surfaces.within && !shared())
    }

    /// How far the surface is bent at an edge at `x`: 0 where it is flat, 1 from a tenth of a radian on, and at borders.
    pub fn bend(&self, edge: &Edge, x: &[Row]) -> f64 {
        let Some([n, m]) = edge.faces.map(|f| f.map(|t| self.normal(t, x))) else { return 1.0 };
        let c = cross(n, m);
        let sine = dot(c, c).sqrt() / (dot(n, n) * dot(m, m)).sqrt();
        // Folded back on itself it is an edge, too; and so is what has no normal.
        if dot(n, m) > 0.0 { ((sine - FLAT) / (BENT - FLAT)).clamp(0.0, 1.0) } else { 1.0 }
    }

    /// Distance of two things at rest, or a smaller one that is above `most`.
    pub fn rest_distance_up_to(&self, kind: Kind, nodes: &[u32; 4], most: f64) -> f64 {
        kind.distance_beyond(&nodes.map(|i| self.rest[i as usize].xyz()), most)
    }

    /// The bodies of two things.
    pub fn bodies_of(&self, nodes: &[u32]) -> [u32; 2] {
        [self.body[nodes[0] as usize], self.body[nodes[3] as usize]]
    }

    /// True if the body of a triangle has an inside.
    pub fn closed(&self, triangle: u32) -> bool {
        self.surfaces.closed[self.surfaces.body[triangle as usize] as usize]
    }

    /// Normal of a triangle, as long as its area doubled.
    pub fn normal(&self, triangle: u32, x: &[Row]) -> [f64; 3] {
        let [a, b, c] = self.surfaces.triangles[triangle as usize].map(|i| x[i as usize].xyz());
        cross(sub(b, a), sub(c, a))
    }
}
