//! Links: nodes that slide on planes, lines, curves and surfaces or are held at points, from both sides and without friction.
//!
//! They are the same rows as contacts, with the law [`Law::Hold`]: a plane keeps the normal row, a line two rows, a point all
//! three. What a node is linked to is carried by a frame or an obstacle that may move, or is made of other nodes.

use crate::contact::Pose;
use crate::contact::Skin;
use crate::contact::{Contact, Law, frame};
use crate::error::ParameterError;
use crate::math::nodes::Row;
use crate::math::small::{add, axpy, dot, scale, sub};
use std::sync::Arc;

/// In place of an obstacle, for links.
pub const LINKS: u32 = u32::MAX - 1;

/// A distance at the start of a step, as a share of the local edge length, from which on it is removed little by little.
const FAR: f64 = 1e-4;

/// Nodes that are this near to a curve, as a share of the local edge length, are on it.
const ON_CURVE: f64 = 1e-9;

/// Share of such a distance that is left after a step.
const LEFT: f64 = 0.8;

/// Corners of a polyline; the first and the last segment of an open one go on without end.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    points: Vec<[f64; 3]>,
    closed: bool,
}

impl Curve {
    /// Through these points, at least two, each another than the one before.
    pub fn new(points: Vec<[f64; 3]>, closed: bool) -> Result<Curve, ParameterError> {
        if points.len() < if closed { 3 } else { 2 } {
            return Err(ParameterError::new(
                "points",
                points.len(),
                format!("a curve needs two points, a closed one three, not {}", points.len()),
            ));
        }
        if let Some(i) = points.iter().position(|p| !p.iter().all(|v| v.abs() <= 1e9)) {
            return Err(ParameterError::new(
                "points",
                points[i],
                format!("point {i} must be numbers within ±1e9 m, not {:?}", points[i]),
            ));
        }
        let curve = Curve { points, closed };
        for i in 0..curve.segments() {
            let [a, b] = curve.segment(i);
            let d = sub(b, a);
            if !(dot(d, d) > 1e-24) {
                return Err(ParameterError::new(
                    "points",
                    curve.points[i],
                    format!("points {i} and {} are the same", (i + 1) % curve.points.len()),
                ));
            }
        }
        Ok(curve)
    }

    fn segments(&self) -> usize {
        self.points.len() - usize::from(!self.closed)
    }

    fn segment(&self, i: usize) -> [[f64; 3]; 2] {
        [self.points[i], self.points[(i + 1) % self.points.len()]]
    }

    /// The nearest point, and the unit direction in which it moves with p: that of its segment; around a corner across the way to it, as
    /// if the corner were a little round.
    fn nearest(&self, p: [f64; 3]) -> ([f64; 3], [f64; 3]) {
        let mut best = (f64::INFINITY, self.points[0], 0);
        let last = self.segments() - 1;
        for i in 0..=last {
            let [a, b] = self.segment(i);
            let d = sub(b, a);
            let mut share = dot(sub(p, a), d) / dot(d, d);
            if self.closed || i > 0 {
                share = share.max(0.0);
            }
            if self.closed || i < last {
                share = share.min(1.0);
            }
            let at = axpy(a, share, d);
            let way = sub(p, at);
            if dot(way, way) < best.0 {
                best = (dot(way, way), at, i);
            }
        }
        let (square, at, i) = best;
        let next = if i < last || self.closed { (i + 1) % (last + 1) } else { i };
        let way = sub(p, at);
        let across = |v: [f64; 3]| axpy(v, -dot(v, way) / square, way);
        // Of a corner the segment before it is found first, but for that between the last and the first of a closed curve.
        let [own, other] = [i, if i == 0 && self.closed && at == self.points[0] { last } else { next }]
            .map(|i| self.segment(i))
            .map(|[a, b]| unit(sub(b, a)));
        // What is nearly on the curve has a way that is rounding of its place.
        let rounding = 8.0 * f64::EPSILON * dot(p, p).max(dot(at, at)).sqrt();
        let corner = square > 0.0 && dot(own, way).abs() > 1e-9 * square.sqrt() + rounding;
        match corner.then(|| [across(add(own, other)), across(other)]) {
            Some([mean, _]) if dot(mean, mean) > 1e-6 => (at, unit(mean)),
            Some([_, along]) if dot(along, along) > 1e-6 => (at, unit(along)),
            _ => (at, own),
        }
    }
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    scale(1.0 / dot(v, v).sqrt(), v)
}

/// Where a linked node may be.
#[derive(Clone, Debug, PartialEq)]
pub enum Guide {
    /// On a plane, given by a point and its unit normal.
    Plane([f64; 3], [f64; 3]),
    /// On a line, given by a point and its unit direction.
    Line([f64; 3], [f64; 3]),
    /// On a polyline.
    Curve(Arc<Curve>),
    /// At a point.
    Point([f64; 3]),
    /// At the mean of some nodes with these weights, which sum to one; a weight of 0 means nothing.
    Nodes([u32; 4], [f64; 4]),
    /// This far from a surface, of the number given, in m along its normal.
    Surface(u32, f64),
}

/// What carries planes, lines, curves and points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// The frame of the link's own group.
    Frame(u32),
    /// An obstacle.
    Obstacle(u32),
}

/// A node and where it may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The node.
    pub node: u32,
    /// Length of the shortest edge at it in m.
    pub edge: f64,
    /// Where it may be.
    pub guide: Guide,
    /// What carries that.
    pub carrier: Carrier,
    /// The force in N above which it breaks; infinite if it never does.
    pub breaking: f64,
}

/// The links of a simulation, and where they are in the present step.
#[derive(Debug, Default)]
pub struct Links {
    links: Vec<Link>,
    surfaces: Vec<Skin>,
    /// Of each link, where its carrier is at the start and at the end.
    poses: Vec<[Pose; 2]>,
    /// Of each link, its distance from the guide at the start, in the frame of the carrier; `None` if it is broken.
    start: Vec<Option<[f64; 3]>>,
}

impl Links {
    /// Links between nodes of the system, and the surfaces that some of them slide on.
    pub fn new(links: Vec<Link>, surfaces: Vec<Skin>) -> Links {
        let (poses, start) = (vec![[Pose::default(); 2]; links.len()], vec![None; links.len()]);
        Links { links, surfaces, poses, start }
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// The links.
    pub fn all(&self) -> &[Link] {
        &self.links
    }

    /// All nodes that may bear a force, some more than once.
    pub fn nodes(&self) -> impl Iterator<Item = u32> {
        let others = self.links.iter().filter_map(|l| match &l.guide {
            Guide::Nodes(nodes, _) => Some(*nodes),
            _ => None,
        });
        let surfaces = self.surfaces.iter().flat_map(|s| s.triangles().iter().flatten().copied());
        self.links.iter().map(|l| l.node).chain(others.flatten()).chain(surfaces)
    }

    /// Where frames and obstacles are in the next step, and which links are broken.
    pub fn aim(&mut self, frames: &[[Pose; 2]], obstacles: &[[Pose; 2]], broken: &[bool]) {
        for (k, l) in self.links.iter().enumerate() {
            let pose = match l.carrier {
                Carrier::Frame(i) => frames.get(i as usize),
                Carrier::Obstacle(i) => obstacles.get(i as usize),
            };
            self.poses[k] = pose.copied().unwrap_or_default();
            self.start[k] = (!broken.get(k).copied().unwrap_or(false)).then_some([0.0; 3]);
        }
    }

    /// The rows of the step that starts at x, with the local edge length of each.
    pub fn find(&mut self, x: &[Row], free: usize, out: &mut Vec<(Contact, f64)>) {
        for s in &mut self.surfaces {
            s.refit(|i| x[i as usize].xyz());
        }
        for k in 0..self.links.len() {
            let l = &self.links[k];
            if self.start[k].is_none() {
                continue;
            }
            let Some((mut c, gap)) = self.row(k, x) else { continue };
            // Between pinned nodes there is nothing to hold.
            if !c.nodes[..c.count as usize].iter().any(|&i| (i as usize) < free) {
                continue;
            }
            self.start[k] = Some(gap);
            self.put(k, &mut c, x, false);
            out.push((c, l.edge));
        }
    }

    /// A link as a row without origin, and its distance from the guide in the frame of its carrier, at the start of a step.
    fn row(&self, k: usize, x: &[Row]) -> Option<(Contact, [f64; 3])> {
        let l = &self.links[k];
        let mut c = Contact {
            nodes: [l.node; 5],
            weights: [1.0, 0.0, 0.0, 0.0, 0.0],
            count: 1,
            frame: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            origin: [0.0; 3],
            law: Law::Hold(3),
            force: [0.0; 3],
            obstacle: LINKS,
            side: [0.0; 3],
            key: (k as u64) << 32 | 1 << 30,
        };
        match &l.guide {
            Guide::Nodes(nodes, weights) => {
                for (&i, &w) in nodes.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
                    c.nodes[c.count as usize] = i;
                    c.weights[c.count as usize] = -w;
                    c.count += 1;
                }
                let gap = c.rel(x);
                Some((c, gap))
            }
            Guide::Surface(number, distance) => {
                let skin = self.surfaces.get(*number as usize)?;
                let near = skin.nearest(x[l.node as usize].xyz(), |i| x[i as usize].xyz())?;
                for (i, w) in skin.triangles()[near.triangle].into_iter().zip(near.weights) {
                    c.nodes[c.count as usize] = i;
                    c.weights[c.count as usize] = -w;
                    c.count += 1;
                }
                c.law = Law::Hold(1);
                c.frame = frame(near.normal);
                let gap = scale(dot(near.normal, c.rel(x)) - distance, near.normal);
                Some((c, gap))
            }
            guide => {
                let p = self.poses[k][0].undo(x[l.node as usize].xyz());
                let (at, rows, held) = place(guide, p);
                (c.law, c.frame) = (Law::Hold(held), rows);
                let gap = sub(p, at);
                // Along the guide there is no distance.
                let across =
                    (0..held as usize).fold([0.0; 3], |sum, r| add(sum, scale(dot(rows[r], gap), rows[r])));
                Some((c, across))
            }
        }
    }

    /// Puts a row to where its guide is at the end of the step: frame and y₀. With `again` the guide is looked at from x. The
    /// force in space stays.
    fn put(&self, k: usize, c: &mut Contact, x: &[Row], again: bool) {
        let l = &self.links[k];
        let start = self.start[k].unwrap_or_default();
        // What is far away comes little by little, since at once would be a blow.
        let left = if dot(start, start).sqrt() > FAR * l.edge { scale(LEFT, start) } else { [0.0; 3] };
        let force = c.to_world(c.force);
        c.origin = match &l.guide {
            Guide::Nodes(..) => left,
            Guide::Surface(_, distance) => [distance + dot(c.frame[0], left), 0.0, 0.0],
            guide => {
                let pose = &self.poses[k];
                let p = if again {
                    pose[1].undo(x[l.node as usize].xyz())
                } else {
                    pose[0].undo(x[l.node as usize].xyz())
                };
                let (at, rows, held) = place(guide, p);
                c.frame = rows.map(|r| pose[1].turn(r));
                let target = pose[1].apply(add(at, left));
                std::array::from_fn(|r| if r < held as usize { dot(c.frame[r], target) } else { 0.0 })
            }
        };
        c.force = c.law.project(c.to_local(force));
    }

    /// At an iterate: puts the row of a curve to where the node is now; with `stay` the node stays at the nearest point of the curve, since
    /// at a sharp corner it may find no way on. How far that moves the guide at the node, in m.
    pub fn turn(&self, c: &mut Contact, x: &[Row], stay: bool) -> Option<f64> {
        let k = (c.key >> 32) as usize;
        let l = self.links.get(k)?;
        let Guide::Curve(curve) = &l.guide else { return None };
        // Where it is on the curve already its row is the right one: at a corner there are several.
        let p = self.poses[k][1].undo(x[l.node as usize].xyz());
        let nearest = curve.nearest(p).0;
        let off = sub(p, nearest);
        if dot(off, off).sqrt() <= ON_CURVE * l.edge {
            return Some(0.0);
        }
        let away = |c: &Contact| {
            let y = c.gap(x);
            c.to_world(c.law.project(y))
        };
        let before = away(c);
        if stay {
            let force = c.to_world(c.force);
            c.law = Law::Hold(3);
            c.frame = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            (c.origin, c.force) = (self.poses[k][1].apply(nearest), force);
        } else {
            self.put(k, c, x, true);
        }
        let d = sub(away(c), before);
        Some(dot(d, d).sqrt())
    }

    /// The obstacle that carries the link of a row.
    pub fn obstacle(&self, c: &Contact) -> Option<u32> {
        let own = self.links.get((c.key >> 32) as usize).filter(|_| c.obstacle == LINKS)?;
        match own.carrier {
            Carrier::Obstacle(i) => Some(i),
            Carrier::Frame(_) => None,
        }
    }

    /// How far a linked node is from where it should be, in m.
    pub fn distance(&self, c: &Contact, x: &[Row]) -> f64 {
        let Some(l) = self.links.get((c.key >> 32) as usize) else { return 0.0 };
        let way = match &l.guide {
            Guide::Nodes(..) => c.rel(x),
            Guide::Surface(_, distance) => scale(dot(c.frame[0], c.rel(x)) - distance, c.frame[0]),
            guide => {
                let p = self.poses[(c.key >> 32) as usize][1].undo(x[l.node as usize].xyz());
                let (at, rows, held) = place(guide, p);
                std::array::from_fn(|r| if r < held as usize { dot(rows[r], sub(p, at)) } else { 0.0 })
            }
        };
        dot(way, way).sqrt()
    }
}

/// The point of a guide that is nearest to p, a frame whose first rows are held, and how many are.
fn place(guide: &Guide, p: [f64; 3]) -> ([f64; 3], [[f64; 3]; 3], u8) {
    let line = |at: [f64; 3], along: [f64; 3]| {
        let [d, s, t] = frame(along);
        (at, [s, t, d], 2)
    };
    match guide {
        Guide::Plane(point, normal) => (*point, frame(*normal), 1),
        Guide::Line(point, direction) => line(*point, *direction),
        Guide::Curve(curve) => {
            let (at, along) = curve.nearest(p);
            line(at, along)
        }
        Guide::Point(point) => (*point, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 3),
        Guide::Nodes(..) | Guide::Surface(..) => (p, frame([0.0, 1.0, 0.0]), 0),
    }
}
