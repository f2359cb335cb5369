//! Contact by a potential: what bodies, and obstacles where bodies may touch each other, do to each other in a step.
//!
//! Every iterate is reached from the last one along straight ways that have been checked by continuous detection, and cut before anything
//! meets, all bodies of a group alike. So every iterate is free of intersections, and a step may end after any of them.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | [`Barrier`]: begin a step, the friction list, energy, forces and blocks, what the next step remembers |
//! | `near.rs` | what is near what at the iterate |
//! | `ways.rs` | ways that are cut before anything meets |
//!
//! Obstacles with faces, balls and capsules are bodies whose nodes are prescribed: they stand behind those of the system in `y`. Others
//! (half-spaces, grids, cylinders, own shapes) are touched by nodes.

mod near;
mod ways;

use super::BODIES;
use super::detect::Moving;
use super::impact::{Kind, meets};
use super::obstacle::{Obstacle, Pose, Touched};
use super::potential::{Friction, Pair, in_plane};
use super::set::{Kept, Touching};
use super::surfaces::{Skin, Surfaces};
use crate::contact::near::{edge_key, node_key};
use crate::exec::Exec;
use crate::math::nodes::Row;
use crate::math::small::{axpy, dot, scale, sub};
use std::sync::Arc;

/// κ is so many times the stiffness of the two sides in series.
const STIFFER: f64 = 5.0;

/// d̂ of solids, as a share of the local edge length.
const SHARE: f64 = 4e-2;

/// No pair comes nearer than this share of d̂, or half of what it is at the start of an iteration.
const FLOOR: f64 = 0.05;

/// Nodes that start on the surface of a shape, or a little inside, are given this share of d̂ as room.
const ROOM: f64 = 0.1;

/// … up to this share of the local edge length inside.
const INSIDE: f64 = 1e-2;

/// Pairs that end a way before this time are braced: by this share of ψ'' at first, and by so many times more each time again.
const EARLY: f64 = 0.25;
const BRACED: f64 = 1e-2;
const BRACE: f64 = 10.0;

/// Distances are taken anew after so many looks in vain for each pair.
const STALE: usize = 1;

/// Pairs up to so many times d̂ are in the pattern of the matrix.
const AHEAD: f64 = 3.0;

/// An obstacle that is a prescribed body: its number, its nodes behind those of the system, and where they are while nothing has moved it.
#[derive(Debug)]
struct Prescribed {
    obstacle: usize,
    first: usize,
    vertices: Vec<[f64; 3]>,
}

/// Two things that may come near, and what holds for them.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    kind: Kind,
    nodes: [u32; 4],
    key: u64,
    /// Taken off their distance, in m.
    offset: f64,
    /// d̂ in m.
    reach: f64,
    friction: f64,
    obstacle: u32,
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
    /// Room given to nodes that began on shapes, shape after shape in order of `touching`, in m.
    given: Vec<f64>,
    /// What may come near, and how far both must go from where they are in `seen` before it does, in m.
    close: Vec<Candidate>,
    slack: Vec<f32>,
    seen: Vec<Row>,
    version: u64,
    /// Pairs that were looked at since, beyond those that are near.
    looked: usize,
    /// How far each node is from there, less what all do alike, and the same at the end of its way.
    travel: Vec<f32>,
    ahead: Vec<f32>,
    /// 1/h of each free node in m/N.
    compliance: Vec<f64>,
    /// Near pairs at the iterate, and friction.
    pub pairs: Vec<Pair>,
    /// See `pairs`.
    pub friction: Vec<Friction>,
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
            surfaces.closed.push(false);
            of.extend(vertices.iter().map(|_| surfaces.closed.len() as u32 - 1));
            rest.extend(vertices.iter().map(|v| Row::new(*v)));
            prescribed.push(Prescribed { obstacle: number, first, vertices });
        }
        let skin = Skin::new(surfaces, &rest, exec);
        Barrier {
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
        }
    }

    /// True if nothing can touch.
    pub fn is_empty(&self) -> bool {
        self.skin.is_empty()
    }

    /// The forces that this step was begun with.
    pub fn kept(&self) -> &[Kept] {
        &self.kept
    }

    fn exec(&self) -> Arc<Exec> {
        self.skin.exec.clone()
    }

    /// Starts a step from positions `x`. False if something is in something, or touches it exactly: that is not for this method.
    pub fn begin(
        &mut self,
        obstacles: &[Obstacle],
        poses: &[[Pose; 2]],
        x: &[Row],
        to: &[Row],
        kept: &[Kept],
    ) -> bool {
        self.poses.clear();
        self.poses.extend_from_slice(poses);
        (self.progress, self.before) = (0.0, 0.0);
        self.share.clear();
        self.braced.clear();
        self.y_n[..self.nodes].copy_from_slice(x);
        self.place_obstacles(0.0);
        let tail = self.nodes;
        self.y_n[tail..].copy_from_slice(&self.y[tail..]);
        self.y[..tail].copy_from_slice(x);
        self.kept.clear();
        self.kept.extend_from_slice(kept);
        self.given.clear();
        for &number in &self.shapes {
            let o = &obstacles[number];
            let m = Moving { obstacle: o, now: &poses[number][0], next: &poses[number][0] };
            for t in &self.touching {
                let d = m.start(x[t.node as usize].xyz()) + o.thickness;
                if d < -INSIDE * t.edge {
                    return false;
                }
                self.given.push((ROOM * self.reach_of_shape(o, t) - d).max(0.0));
            }
        }
        if !to.iter().all(|r| r.is_finite()) {
            return false;
        }
        let here = self.y.clone();
        self.look_around(&here, obstacles);
        // Stiffness is not known yet: with one, pairs that touch show.
        self.compliance.clear();
        self.compliance.resize(self.free, 1.0);
        self.find(obstacles);
        self.pairs.iter().all(|p| p.distance > 1e-6 * p.reach)
    }

    /// Stiffness of the free nodes, ⅓ tr H_ii in N/m, at the beginning of the step; then the first list of friction.
    pub fn set_stiffness(&mut self, obstacles: &[Obstacle], h: impl Iterator<Item = f64>) {
        self.compliance.clear();
        self.compliance.extend(h.map(|h| 1.0 / h));
        self.find(obstacles);
        self.renew();
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
        self.friction.clear();
        for p in &self.pairs {
            let normal_force = p.force();
            if normal_force > 0.0 && p.friction > 0.0 {
                let at = self.kept.partition_point(|k| k.key < p.key);
                let kept = self.kept.get(at).filter(|k| k.key == p.key).map_or([0.0; 3], |k| k.force);
                let remembered = in_plane(kept, p.normal);
                self.friction.push(Friction { pair: *p, normal_force, remembered });
            }
        }
    }

    /// max μ|λ_now − λ|/κ in m over the list and the pairs of now: how far the list is from being right.
    pub fn friction_residual(&self) -> f64 {
        let mut list: Vec<(u64, f64)> = self.friction.iter().map(|f| (f.pair.key, f.normal_force)).collect();
        list.sort_unstable_by_key(|l| l.0);
        let mut seen = vec![false; list.len()];
        let mut most = 0.0f64;
        for p in self.pairs.iter().filter(|p| p.friction > 0.0) {
            let now = p.force();
            let before = match list.binary_search_by_key(&p.key, |l| l.0) {
                Ok(at) => {
                    seen[at] = true;
                    list[at].1
                }
                Err(_) => 0.0,
            };
            most = most.max(p.friction * (now - before).abs() / p.stiffness);
        }
        for f in &self.friction {
            if let Ok(at) = list.binary_search_by_key(&f.pair.key, |l| l.0)
                && !seen[at]
            {
                most = most.max(f.pair.friction * f.normal_force / f.pair.stiffness);
            }
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
        self.friction.iter().fold(sum, |sum, f| sum + f.at(&self.y, &self.y_n).0)
    }

    /// Forces on the free nodes, in N, added to `out`.
    pub fn add_forces(&self, out: &mut [Row]) {
        let mut add = |pair: &Pair, f: [f64; 3]| {
            for (i, a) in pair.parts() {
                if let Some(row) = out.get_mut(i as usize) {
                    for c in 0..3 {
                        row.0[c] += a * f[c];
                    }
                }
            }
        };
        for p in &self.pairs {
            let force = p.force();
            if force > 0.0 {
                add(p, scale(force, p.normal));
            }
        }
        for f in &self.friction {
            add(&f.pair, f.at(&self.y, &self.y_n).1);
        }
    }

    /// Calls `f` with each pair's nodes and weights and its positive block for weights one.
    pub fn each_block(&self, f: &mut dyn FnMut(&Pair, &crate::math::small::Mat3<f64>)) {
        for p in &self.pairs {
            let stiffness = p.potential()[2];
            if stiffness > 0.0 {
                let mut block = super::potential::outer(stiffness, p.normal);
                if let Ok(k) = self.braced.binary_search_by_key(&p.key, |b| b.0) {
                    let along = self.braced[k].1 * stiffness;
                    let across = super::potential::outer(along, p.normal);
                    for c in 0..3 {
                        for r in 0..3 {
                            block[c][r] -= across[c][r];
                        }
                        block[c][c] += along;
                    }
                }
                f(p, &block);
            }
        }
        for l in &self.friction {
            f(&l.pair, &l.curvature(&self.y, &self.y_n));
        }
    }

    /// Pairs of free nodes that a matrix needs room for, the lower first.
    pub fn pattern(&self, out: &mut Vec<(u32, u32)>) {
        out.clear();
        let free = self.free as u32;
        for p in self.pairs.iter().chain(self.friction.iter().map(|f| &f.pair)) {
            let n = &p.nodes[..p.count as usize];
            for (k, &i) in n.iter().enumerate() {
                out.extend(
                    n[..k].iter().filter(|&&j| i != j && i < free && j < free).map(|&j| (i.min(j), i.max(j))),
                );
            }
        }
    }

    /// Friction forces at the iterate, for the next step, by key.
    pub fn keep(&self, out: &mut Vec<Kept>) {
        out.clear();
        out.extend(self.friction.iter().map(|f| Kept { key: f.pair.key, force: f.at(&self.y, &self.y_n).1 }));
        out.retain(|k| k.force != [0.0; 3]);
        out.sort_by_key(|k| k.key);
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
