//! Contact by a potential: what bodies, and obstacles where bodies may touch each other, do to each other in a step.
//!
//! Every iterate is reached from the last one along straight ways that have been checked by continuous detection, and cut before anything
//! meets, all bodies of a group alike. So every iterate is free of intersections, and a step may end after any of them.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | [`Barrier`]: begin a step, the friction list, energy, forces and blocks, what the next step remembers |
//! | `pair.rs` | the repulsion of one pair, and its friction with remembered forces |
//! | `blocks.rs` | what each pair has in the matrix |
//! | `start.rs` | where a step begins: what touches, what is in something, shares of d̂ |
//! | `proximity.rs` | what is near what at the iterate |
//! | `foresight.rs` | which pairs will bear a force at the end of a way |
//! | `motion.rs` | how far things have gone against each other |
//! | `surface_sum.rs` | a node near several triangles of one surface |
//! | `held_rows.rs` | links, and ways out, as stiff terms |
//! | `turning.rs` | how normals turn, as far as that resists |
//! | `touches.rs` | what touches what at the end of a step, with forces |
//! | `step_limit.rs` | ways that are cut before anything meets |
//!
//! Obstacles with faces, balls and capsules are bodies whose nodes are prescribed: they stand behind those of the system in `y`. Others
//! (half-spaces, grids, cylinders, own shapes) are touched by nodes.

mod blocks;
mod foresight;
pub mod held_rows;
mod motion;
mod pair;
mod proximity;
mod start;
mod step_limit;
mod surface_sum;
mod touches;
mod turning;

pub use blocks::Local;
pub use foresight::Foresight;
pub use start::Reaches;
pub use touches::Touch;

use crate::contact::BODIES;
use crate::contact::Touching;
use crate::contact::detect::continuous::{Kind, meets};
use crate::contact::detect::crossings::Tangle;
use crate::contact::detect::nodes::Moving;
use crate::contact::detect::surfaces::{Edge, Skin, Surfaces};
use crate::contact::{ContactInfo, Kept};
use crate::contact::{Obstacle, Pose, Touched};
use crate::exec::Exec;
use crate::math::nodes::Row;
use crate::math::small::{Mat3, add, axpy, dot, scale, sub};
use held_rows::Held;
use motion::Motion;
use pair::{Friction, Pair, in_plane, outer};
use std::sync::Arc;

/// κ is so many times the stiffness of the two sides in series.
const STIFFER: f64 = 5.0;

/// d̂ of solids, as a share of the local edge length.
const SHARE: f64 = 4e-2;

/// No pair comes nearer than this share of d̂, or half of what it is at the start of an iteration.
const FLOOR: f64 = 0.05;

/// Pairs that end a way before this time are braced: by this share of ψ'' at first, and by so many times more each time again.
const EARLY: f64 = 0.25;
const BRACED: f64 = 1e-2;
const BRACE: f64 = 10.0;

/// A list is worn once so many distances were taken in vain for each of its pairs, and for each thing: then another costs no more. To see that a pair
/// needs no look is as much as so many shares of a look.
const WORN: usize = 2;
const WORN_THING: usize = 10;
const GLANCES: usize = 8;

/// Pairs up to so many times d̂ are in the pattern of the matrix; beyond so many times that, boxes tell how far two things are apart.
const AHEAD: f64 = 3.0;
const FAR: f64 = 3.0;

/// An obstacle that is a prescribed body: its number, its nodes behind those of the system, and where they are while nothing has moved it.
#[derive(Debug)]
struct Prescribed {
    obstacle: usize,
    first: usize,
    vertices: Vec<[f64; 3]>,
}

/// Two things that may come near.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// A node and a triangle, or two edges.
    things: [u32; 2],
    /// How much nearer than where nodes are in `seen` they have to come, at least, to be active, in m: then they are within [`AHEAD`] times d̂.
    slack: f32,
    /// True if both are of one body.
    same: bool,
}

/// A candidate that may come within reach on the way of an iteration, with what is constant over a step.
#[derive(Clone, Copy, Debug)]
struct Active {
    /// Its number among the candidates.
    index: u32,
    kind: Kind,
    things: [u32; 2],
    nodes: [u32; 4],
    /// No part of the present way leads nearer than this, in m.
    clear: f64,
    /// Taken off the distance, in m.
    offset: f64,
    /// d̂ in m.
    reach: f64,
    /// κ in N/m; 0 if the pair does not repel, and only may not meet.
    stiffness: f64,
    /// Coulomb's coefficient, and the obstacle among the two.
    friction: f64,
    obstacle: u32,
}

/// Keys of pairs: the same in every step. Two bits tell the kind; of nodes and triangles two more are left for `surface_sum.rs`.
fn node_key(node: u32, triangle: u32) -> u64 {
    u64::from(node) << 32 | 1 << 31 | u64::from(triangle)
}
fn edge_key(edge: u32, other: u32) -> u64 {
    u64::from(edge) << 32 | 3 << 30 | u64::from(other)
}

/// The key of two things.
fn key(kind: Kind, [a, b]: [u32; 2]) -> u64 {
    match kind {
        Kind::Node => node_key(a, b),
        Kind::Edge => edge_key(a, b),
    }
}

impl Active {
    /// The same for the same things in every step.
    fn key(&self) -> u64 {
        key(self.kind, self.things)
    }
}

/// When two things come as near as they may, 0 to 1, and whose.
#[derive(Clone, Copy, Debug)]
struct Hit {
    time: f64,
    bodies: [u32; 2],
    key: u64,
}

/// What the contacts of a step are made of.
#[derive(Debug, Default)]
pub struct Barrier {
    skin: Skin,
    prescribed: Vec<Prescribed>,
    /// Obstacles that are touched by nodes.
    shapes: Vec<usize>,
    touching: Vec<Touching>,
    /// Body of each free node; bodies of the system, and all with obstacles.
    bodies: usize,
    nodes: usize,
    free: usize,
    /// Positions, those of prescribed obstacles behind them: where the step began and where the iterate is.
    pub y_n: Vec<Row>,
    /// See `y_n`.
    pub y: Vec<Row>,
    /// The way of the next iteration.
    way: Vec<Row>,
    /// How far obstacles have come on their way, 0 to 1.
    progress: f64,
    before: f64,
    poses: Vec<[Pose; 2]>,
    /// Shares of d̂ between those that began nearer.
    reaches: Reaches,
    /// What began in something: bodies in each other, and keys of nodes in shapes and segments.
    tangle: Tangle,
    sunk: Vec<u64>,
    /// Links, and ways out of what bodies began in.
    pub held: Vec<Held>,
    /// What may come near, where nodes were when distances were taken, and which of them may come within reach on the present way.
    candidates: Vec<Candidate>,
    /// Those of a node and a triangle are first.
    with_nodes: usize,
    seen: Vec<Row>,
    active: Vec<Active>,
    active_before: Vec<Active>,
    /// True if what is constant over a step has changed since these were found.
    outdated: bool,
    version: u64,
    /// Bodies that would have met in this step.
    met: Vec<[u32; 2]>,
    /// How often candidates were listed in this step.
    detections: usize,
    /// Distances that were taken in vain since.
    looked: usize,
    /// How far things have gone since, and go.
    motion: Motion,
    /// 1/h of each free node in m/N.
    compliance: Vec<f64>,
    /// Of each body: the mean of that over the nodes of its surface, and their mean edge length in m.
    mean_compliance: Vec<f64>,
    mean_length: Vec<f64>,
    /// How far surfaces are bent at their edges at rest ([`Skin::bend`]), 1 for sheets, and pairs of edges that count whatever that says; sorted.
    bend: Vec<f32>,
    awake: Vec<u64>,
    drowsy: Vec<u64>,
    /// True if the last way has woken some.
    pub woken: bool,
    /// Near pairs at the iterate, and friction.
    pub pairs: Vec<Pair>,
    /// The list of friction, in the order of keys.
    pub friction: Vec<Friction>,
    /// For each of the list, true if its pair is near.
    partnered: Vec<bool>,
    kept: Vec<Kept>,
    /// Keys of pairs that resist motion along each other, and how much, as a share of ψ''; sorted.
    braced: Vec<(u64, f64)>,
    /// Share of the last way that each body went.
    share: Vec<f64>,
    /// Body of each node of `y`.
    of: Vec<u32>,
}

impl Barrier {
    /// Bodies with surfaces, obstacles, and nodes that may touch those without faces; `x` are the nodes of the system at rest.
    pub fn new(
        mut surfaces: Surfaces,
        obstacles: &[Obstacle],
        touching: &[Touching],
        (x, free, body): (&[Row], usize, &[u32]),
        exec: Arc<Exec>,
    ) -> Barrier {
        let (nodes, bodies) = (x.len(), surfaces.closed.len());
        let (mut rest, mut of) = (x.to_vec(), body.to_vec());
        let (mut prescribed, mut shapes) = (Vec::new(), Vec::new());
        for (number, o) in obstacles.iter().enumerate() {
            let first = rest.len();
            let vertices = match o.shape.touched() {
                Touched::ByNodes => {
                    shapes.push(number);
                    continue;
                }
                Touched::Segment { ends, radius } => {
                    surfaces.lines.push([first as u32, first as u32 + 1]);
                    surfaces.loose.extend((0..2).map(|k| (first as u32 + k, surfaces.closed.len() as u32)));
                    surfaces.radius.push(radius);
                    ends.to_vec()
                }
                Touched::ByFaces => {
                    let (vertices, triangles) = o.shape.triangles();
                    let body = surfaces.closed.len() as u32;
                    surfaces.body.extend(triangles.iter().map(|_| body));
                    surfaces.triangles.extend(triangles.iter().map(|t| t.map(|v| v + first as u32)));
                    surfaces.radius.push(0.0);
                    vertices
                }
            };
            surfaces.closed.push(o.shape.touched() == Touched::ByFaces);
            of.extend(vertices.iter().map(|_| surfaces.closed.len() as u32 - 1));
            rest.extend(vertices.iter().map(|v| Row::new(*v)));
            prescribed.push(Prescribed { obstacle: number, first, vertices });
        }
        // Obstacles are kept off by their own thickness, bodies by half of theirs each.
        let (radius, half) = (surfaces.radius.clone(), 0.5 * surfaces.thickness);
        let kept: Vec<f64> = prescribed.iter().map(|p| obstacles[p.obstacle].thickness).collect();
        let margin = |edge: f64, body: usize| match body.checked_sub(bodies) {
            Some(k) => radius[body] + AHEAD * kept[k],
            None => AHEAD * half.max(radius[body]).max(SHARE * edge),
        };
        let skin = Skin::new(surfaces, &rest, margin, exec);
        let barrier = Barrier {
            skin,
            prescribed,
            shapes,
            touching: touching.to_vec(),
            bodies,
            nodes,
            free,
            of,
            y_n: rest.clone(),
            y: rest.clone(),
            way: vec![Row::default(); rest.len()],
            ..Barrier::default()
        };
        let mean_length = barrier.mean_over_bodies(|i| barrier.skin.length[i]);
        // Sheets are flat at rest, and fold anywhere.
        let skin = &barrier.skin;
        let sheet = |e: &Edge| !skin.surfaces.closed[skin.body[e.nodes[0] as usize] as usize];
        let bend = |e: &Edge| if sheet(e) { 1.0 } else { skin.bend(e, &skin.rest) as f32 };
        let bend = skin.edges.iter().map(bend).collect();
        Barrier { mean_length, bend, ..barrier }
    }

    /// True if nothing can touch.
    pub fn is_empty(&self) -> bool {
        self.skin.is_empty()
    }

    fn exec(&self) -> Arc<Exec> {
        self.skin.exec.clone()
    }

    /// Stiffness of the free nodes, ⅓ tr H_ii in N/m, at the beginning of the step; then the first list of friction.
    pub fn set_stiffness(&mut self, obstacles: &[Obstacle], h: impl Iterator<Item = f64>) {
        let compliance: Vec<f64> = h.map(|h| 1.0 / h).collect();
        if self.compliance != compliance {
            self.compliance = compliance;
            self.mean_compliance = self.mean_over_bodies(|i| self.compliance.get(i).copied().unwrap_or(0.0));
            self.outdated = true;
        }
        self.held.iter_mut().for_each(|h| h.stiffen(&self.compliance));
        if self.outdated {
            let here = self.y.clone();
            self.look_around(&here, obstacles);
            self.find(obstacles);
        }
        self.renew();
    }

    /// The mean of something over the nodes of each body's surface.
    fn mean_over_bodies(&self, of: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sums = vec![(0.0f64, 0.0f64); self.skin.surfaces.closed.len()];
        for &i in &self.skin.nodes {
            let s = &mut sums[self.skin.body[i as usize] as usize];
            *s = (s.0 + of(i as usize), s.1 + 1.0);
        }
        sums.into_iter().map(|(sum, count)| sum / count.max(1.0)).collect()
    }

    fn place_obstacles(&mut self, progress: f64) {
        for p in &self.prescribed {
            let [now, next] = &self.poses[p.obstacle];
            for (k, v) in p.vertices.iter().enumerate() {
                let (a, b) = (now.apply(*v), next.apply(*v));
                self.y[p.first + k] = Row::new(axpy(a, progress, sub(b, a)));
            }
        }
    }

    /// The friction list anew, from the pairs of now: forces that are remembered are those of the last step.
    pub fn renew(&mut self) {
        let before = std::mem::take(&mut self.friction);
        let again = |mut f: Friction| {
            // What slipped goes on to slip: only what begins to is firm.
            if let Ok(k) = before.binary_search_by_key(&f.pair.key, |b| b.pair.key) {
                f.carry(&before[k], &self.y, &self.y_n);
            }
            f
        };
        let mut list: Vec<Friction> =
            self.pairs.iter().filter_map(|p| self.friction_at(p)).map(again).collect();
        list.sort_unstable_by_key(|f| f.pair.key);
        self.friction = list;
    }

    /// Friction of a pair as it is now.
    fn friction_at(&self, p: &Pair) -> Option<Friction> {
        let normal_force = p.force();
        if !(normal_force > 0.0 && p.friction > 0.0) {
            return None;
        }
        let at = self.kept.partition_point(|k| k.key < p.key);
        let kept = self.kept.get(at).filter(|k| k.key == p.key).map_or([0.0; 3], |k| k.force);
        let remembered = in_plane(kept, p.normal);
        // Slip is over the whole step: the surface goes all of its way in it.
        let p = &Pair { carried: add(p.carried, p.ahead), ..*p };
        let mut f = Friction { pair: *p, normal_force, remembered, before: remembered, firm: 0.0 };
        f.follow(&self.y, &self.y_n);
        Some(f)
    }

    /// Force in N by which friction on each body would change if the list were made anew.
    pub fn list_error(&self) -> Vec<[f64; 3]> {
        let mut sums = vec![[0.0; 3]; self.bodies];
        let mut add = |f: &Friction, sign: f64| {
            let force = f.at(&self.y, &self.y_n).1;
            for (i, a) in f.pair.parts().filter(|(i, _)| (*i as usize) < self.free) {
                if let Some(sum) = sums.get_mut(self.of[i as usize] as usize) {
                    *sum = axpy(*sum, sign * a, force);
                }
            }
        };
        self.friction.iter().for_each(|f| add(f, -1.0));
        self.pairs.iter().filter_map(|p| self.friction_at(p)).for_each(|f| add(&f, 1.0));
        sums
    }

    /// True if two bodies that would have met have gone further against each other than the smaller is large: ways are cut before they meet, but may
    /// lead around. `size` of each body in m.
    pub fn has_passed(&self, size: &[f64]) -> bool {
        let mut mean = vec![([0.0; 3], 0.0f64); self.bodies];
        for i in 0..self.nodes {
            if let Some(m) = mean.get_mut(self.of[i] as usize) {
                *m = (add(m.0, sub(self.y[i].xyz(), self.y_n[i].xyz())), m.1 + 1.0);
            }
        }
        let way = |b: u32| mean.get(b as usize).map(|(sum, count)| scale(1.0 / count.max(1.0), *sum));
        let far = |[a, b]: &[u32; 2]| {
            let (Some(p), Some(q)) = (way(*a), way(*b)) else { return false };
            let (d, least) = (sub(p, q), size[*a as usize].min(size[*b as usize]));
            dot(d, d) > least * least
        };
        self.met.iter().any(far)
    }

    /// Nodes of the system at rest.
    pub fn rest(&self) -> &[Row] {
        &self.skin.rest[..self.nodes]
    }

    /// The body of each node.
    pub fn bodies(&self) -> &[u32] {
        &self.of
    }

    /// max μ|λ_now − λ|/κ in m over the list and the pairs of now: how far the list is from being right.
    pub fn friction_residual(&self) -> f64 {
        let mut seen = vec![false; self.friction.len()];
        let mut most = 0.0f64;
        for p in self.pairs.iter().filter(|p| p.friction > 0.0 && p.stiffness > 0.0) {
            let now = p.force();
            let before = match self.friction.binary_search_by_key(&p.key, |f| f.pair.key) {
                Ok(at) => {
                    seen[at] = true;
                    self.friction[at].normal_force
                }
                Err(_) => 0.0,
            };
            most = most.max(p.friction * (now - before).abs() / p.stiffness);
        }
        for (f, _) in self.friction.iter().zip(&seen).filter(|(_, seen)| !**seen) {
            most = most.max(f.pair.friction * f.normal_force / f.pair.stiffness);
        }
        most
    }

    /// Σψ + Σφ at the iterate, in J; infinite where something touches.
    pub fn energy(&self) -> f64 {
        let mut sum = 0.0;
        for p in &self.pairs {
            if p.distance <= 0.0 {
                return f64::INFINITY;
            }
            sum += p.potential()[0];
        }
        sum = self.friction.iter().fold(sum, |sum, f| sum + f.at(&self.y, &self.y_n).0);
        self.held.iter().fold(sum, |sum, h| sum + h.at(&self.y).0)
    }

    /// Forces on the free nodes, in N, added to `out`.
    pub fn add_forces(&self, out: &mut [Row]) {
        let mut add = |i: u32, a: f64, f: [f64; 3]| {
            if let Some(row) = out.get_mut(i as usize) {
                for c in 0..3 {
                    row.0[c] += a * f[c];
                }
            }
        };
        for p in &self.pairs {
            let f = scale(p.force(), p.normal);
            p.parts().for_each(|(i, a)| add(i, a, f));
        }
        for l in &self.friction {
            let f = l.at(&self.y, &self.y_n).1;
            l.pair.parts().for_each(|(i, a)| add(i, a, f));
        }
        for h in &self.held {
            let f = h.at(&self.y).1;
            h.parts().for_each(|(i, a)| add(i, a, f));
        }
    }

    /// Pairs of free nodes that the matrix needs room for, the lower first: those of now, of the springs of `sight`, and of what may become near soon.
    pub fn pattern(&self, out: &mut Vec<(u32, u32)>, sight: &Foresight) {
        out.clear();
        let free = self.free as u32;
        let mut push = |n: &[u32]| {
            for (k, &i) in n.iter().enumerate() {
                let others = n[..k].iter().filter(|&&j| i != j && i < free && j < free);
                out.extend(others.map(|&j| (i.min(j), i.max(j))));
            }
        };
        for p in self.pairs.iter().chain(self.friction.iter().map(|f| &f.pair)) {
            push(&p.nodes[..p.count as usize]);
        }
        self.held.iter().for_each(|h| push(&h.row.nodes[..h.row.count as usize]));
        sight.nodes().for_each(&mut push);
        self.each_ahead(&mut |nodes| push(&nodes));
    }

    /// Appends friction forces at the iterate, for the next step.
    pub fn keep(&self, out: &mut Vec<Kept>) {
        out.extend(self.friction.iter().map(|f| Kept { key: f.pair.key, force: f.at(&self.y, &self.y_n).1 }));
        out.retain(|k| k.force != [0.0; 3]);
    }

    /// What the report says of the pairs at the end of a step.
    pub fn tell(&self, info: &mut ContactInfo) {
        info.energy = self.pairs.iter().map(|p| p.potential()[0]).sum();
        let touching = || self.pairs.iter().filter(|p| p.distance < p.reach);
        info.gap = touching().map(|p| p.distance).fold(f64::INFINITY, f64::min);
        info.offset = touching().map(|p| p.reach - p.distance).fold(0.0, f64::max);
        info.stick_slip = self.friction.iter().map(|f| f.gives(&self.y, &self.y_n)).fold(0.0, f64::max);
        info.detections = self.detections;
    }

    /// Force of each obstacle on bodies, added to `out`, in N.
    pub fn add_reactions(&self, out: &mut [[f64; 3]]) {
        let mut add = |pair: &Pair, f: [f64; 3]| {
            // The force is on the first side; an obstacle may be either.
            let sign = if (pair.nodes[0] as usize) < self.nodes { 1.0 } else { -1.0 };
            if let Some(sum) = out.get_mut(pair.obstacle as usize) {
                *sum = axpy(*sum, sign, f);
            }
        };
        self.pairs.iter().for_each(|p| add(p, scale(p.force(), p.normal)));
        self.friction.iter().for_each(|f| add(&f.pair, f.at(&self.y, &self.y_n).1));
    }
}
