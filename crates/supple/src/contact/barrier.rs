//! Contact by a potential: what bodies, and obstacles where bodies may touch each other, do to each other in a step.
//!
//! Every iterate is reached from the last one along straight ways that have been checked by continuous detection, and cut before anything
//! meets, all bodies of a group alike. So every iterate is free of intersections, and a step may end after any of them.
//!
//! Obstacles with faces, balls and capsules are bodies whose nodes are prescribed: they stand behind those of the system in `y`. Others
//! (half-spaces, grids, cylinders, own shapes) are touched by nodes.

use super::BODIES;
use super::detect::Moving;
use super::impact::{Kind, meets};
use super::near::{edge_key, node_key};
use super::obstacle::{Obstacle, Pose, Touched};
use super::potential::{Friction, Pair, in_plane};
use super::set::{Kept, Touching};
use super::surfaces::{Skin, Surfaces};
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

    /// d̂ of a node with a shape.
    fn reach_of_shape(&self, o: &Obstacle, t: &Touching) -> f64 {
        let radius = self
            .skin
            .body
            .get(t.node as usize)
            .map_or(0.0, |&b| self.skin.surfaces.radius.get(b as usize).copied().unwrap_or(0.0));
        (o.thickness + radius).max(SHARE * t.edge)
    }

    /// The obstacle that a node of `y` belongs to.
    fn obstacle_of(&self, node: u32) -> Option<usize> {
        if (node as usize) < self.nodes {
            return None;
        }
        let at = self.prescribed.partition_point(|p| p.first <= node as usize);
        self.prescribed.get(at.checked_sub(1)?).map(|p| p.obstacle)
    }

    /// What is taken off the distance of two things, d̂, friction and obstacle; `None` if they do not touch.
    fn rules(&self, kind: Kind, nodes: &[u32; 4], obstacles: &[Obstacle]) -> Option<(f64, f64, f64, u32)> {
        if nodes.iter().all(|&i| i as usize >= self.free) {
            return None;
        }
        let [a, b] = self.skin.bodies_of(nodes);
        let surfaces = &self.skin.surfaces;
        let (ra, rb) = (surfaces.radius[a as usize], surfaces.radius[b as usize]);
        let own = nodes.iter().filter(|&&i| (i as usize) < self.nodes);
        let edge = own.map(|&i| self.skin.length[i as usize]).fold(f64::INFINITY, f64::min);
        let obstacle = self.obstacle_of(nodes[0]).or_else(|| self.obstacle_of(nodes[3]));
        if let Some(number) = obstacle {
            let first = (nodes[0] as usize) >= self.nodes;
            let (radius, sheet) = if first { (ra, rb) } else { (rb, ra) };
            let o = &obstacles[number];
            return Some((radius, (o.thickness + sheet).max(SHARE * edge), o.friction, number as u32));
        }
        let mut reach = surfaces.thickness.max(ra + rb);
        if reach <= 0.0 {
            reach = SHARE * edge;
        }
        if a == b {
            let rest = self.skin.rest_distance(kind, nodes);
            if rest <= 1e-6 * edge {
                return None;
            }
            reach = reach.min(0.5 * rest);
        }
        Some((0.0, reach, surfaces.friction(a, b), BODIES))
    }

    /// Makes sure that all that can come near on the way from the iterate to `to` is among the candidates.
    fn look_around(&mut self, to: &[Row], obstacles: &[Obstacle]) {
        self.skin.pair_up(&self.y, to);
        // Where nodes have gone so far that many pairs are looked at in vain, distances are taken anew.
        let stale = self.looked > STALE * (self.close.len() + 1000);
        if self.version == self.skin.pairs.version && !stale {
            return;
        }
        self.looked = 0;
        self.version = self.skin.pairs.version;
        self.seen.clone_from(&self.y);
        let (mut close, mut slack) = (std::mem::take(&mut self.close), std::mem::take(&mut self.slack));
        let mut found: Vec<(Candidate, f32)> = Vec::new();
        let exec = self.exec();
        let this = &*self;
        exec.collect(this.skin.pairs.faces().len(), &mut found, |some, out| {
            for &(p, t) in &this.skin.pairs.faces()[some] {
                let c = this.skin.surfaces.triangles[t as usize];
                out.extend(this.candidate(Kind::Node, [p, c[0], c[1], c[2]], node_key(p, t), obstacles));
            }
        });
        exec.collect(this.skin.pairs.edges.len(), &mut found, |some, out| {
            for &(e, f) in &this.skin.pairs.edges[some] {
                let ([a, b], [c, d]) = (this.skin.edges[e as usize].nodes, this.skin.edges[f as usize].nodes);
                out.extend(this.candidate(Kind::Edge, [a, b, c, d], edge_key(e, f), obstacles));
            }
        });
        close.clear();
        slack.clear();
        for (c, s) in found {
            close.push(c);
            slack.push(s);
        }
        (self.close, self.slack) = (close, slack);
    }

    /// Two things that may touch, and how much room there is before they are near.
    fn candidate(
        &self,
        kind: Kind,
        nodes: [u32; 4],
        key: u64,
        obstacles: &[Obstacle],
    ) -> Option<(Candidate, f32)> {
        let (offset, reach, friction, obstacle) = self.rules(kind, &nodes, obstacles)?;
        let at = nodes.map(|i| self.y[i as usize].xyz());
        // Boxes tell enough of what is far away.
        let apart = kind.box_distance(&at);
        let near = offset + AHEAD * reach;
        let far = apart > near + 4.0 * reach;
        let room = if far { apart } else { kind.distance(&at) } - near;
        let candidate = Candidate { kind, nodes, key, offset, reach, friction, obstacle };
        Some((candidate, (room - 1e-6 * room.abs()) as f32))
    }

    /// How far nodes are from where slack was found, less what all do alike; with `way`, at the end of it at most.
    fn travelled(&self, way: Option<&[Row]>, out: &mut Vec<f32>) {
        let nodes = &self.skin.nodes;
        let count = nodes.len().max(1) as f64;
        let gone = |i: usize| sub(self.y[i].xyz(), self.seen[i].xyz());
        let mut mean = [[0.0; 3]; 2];
        for &i in nodes {
            let i = i as usize;
            mean[0] = axpy(mean[0], 1.0 / count, gone(i));
            // Bodies may go different shares of their ways: what they do alike counts only for one.
            if let Some(way) = way.filter(|_| self.bodies == 1) {
                mean[1] = axpy(mean[1], 1.0 / count, way[i].xyz());
            }
        }
        let length = |v: [f64; 3]| dot(v, v).sqrt();
        out.resize(self.y.len(), 0.0);
        for &i in nodes {
            let i = i as usize;
            let next = way.map_or(0.0, |way| length(sub(way[i].xyz(), mean[1])));
            out[i] = (length(sub(gone(i), mean[0])) + next) as f32 * (1.0 + 1e-6) + f32::MIN_POSITIVE;
        }
    }

    /// True if two things cannot be near after such travels.
    fn spared(&self, k: usize, travel: &[f32]) -> bool {
        let c = &self.close[k];
        let t = c.nodes.map(|i| travel[i as usize]);
        let far = match c.kind {
            Kind::Node => t[0] + t[1].max(t[2]).max(t[3]),
            Kind::Edge => t[0].max(t[1]) + t[2].max(t[3]),
        };
        self.slack[k] > far
    }

    /// Pairs near the iterate.
    pub fn find(&mut self, obstacles: &[Obstacle]) {
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        let mut travel = std::mem::take(&mut self.travel);
        self.travelled(None, &mut travel);
        self.travel = travel;
        let exec = self.exec();
        let this = &*self;
        exec.collect(this.close.len(), &mut pairs, |some, out| {
            let near = |k: usize| if this.spared(k, &this.travel) { None } else { this.near(&this.close[k]) };
            out.extend(some.filter_map(near));
        });
        let looked = (0..this.close.len()).filter(|&k| !this.spared(k, &this.travel)).count();
        let in_vain = looked.saturating_sub(pairs.len());
        exec.collect(this.touching.len(), &mut pairs, |some, out| {
            for k in some {
                for (s, &number) in this.shapes.iter().enumerate() {
                    out.extend(this.near_shape((s, k), &obstacles[number]));
                }
            }
        });
        self.pairs = pairs;
        self.looked += in_vain;
    }

    /// 1/h of one side: the mean over its nodes, 0 for those that are prescribed.
    fn give(&self, nodes: &[u32]) -> f64 {
        let of = |&i: &u32| self.compliance.get(i as usize).copied().unwrap_or(0.0);
        nodes.iter().map(of).sum::<f64>() / nodes.len() as f64
    }

    fn near(&self, c: &Candidate) -> Option<Pair> {
        let at = c.nodes.map(|i| self.y[i as usize].xyz());
        let far = c.offset + AHEAD * c.reach;
        if c.kind.far_apart(&at, &at, far) {
            return None;
        }
        let (weights, r) = c.kind.nearest(&at);
        let length = dot(r, r).sqrt();
        if length > far {
            return None;
        }
        let split = if c.kind == Kind::Node { 1 } else { 2 };
        let soft = self.give(&c.nodes[..split]) + self.give(&c.nodes[split..]);
        (soft > 0.0).then(|| Pair {
            nodes: c.nodes,
            weights,
            count: 4,
            normal: if length > 0.0 { scale(1.0 / length, r) } else { [0.0, 0.0, 1.0] },
            distance: length - c.offset,
            reach: c.reach,
            stiffness: STIFFER / soft,
            friction: c.friction,
            carried: [0.0; 3],
            obstacle: c.obstacle,
            key: c.key,
        })
    }

    /// The pair of a node, by its number in `touching`, and a shape, by its number in `shapes`.
    fn near_shape(&self, (s, k): (usize, usize), o: &Obstacle) -> Option<Pair> {
        let (number, t) = (self.shapes[s], &self.touching[k]);
        let reach = self.reach_of_shape(o, t);
        let pose = self.poses[number][0].towards(&self.poses[number][1], self.progress);
        let x = self.y[t.node as usize].xyz();
        let point = o.shape.closest(pose.undo(x));
        let distance = point.distance + self.given[s * self.touching.len() + k];
        if distance > AHEAD * reach {
            return None;
        }
        let carried = sub(pose.apply(point.point), self.poses[number][0].apply(point.point));
        Some(Pair {
            nodes: [t.node; 4],
            weights: [1.0, 0.0, 0.0, 0.0],
            count: 1,
            normal: pose.turn(point.normal),
            distance,
            reach,
            stiffness: STIFFER / self.give(&[t.node]),
            friction: o.friction,
            carried,
            obstacle: number as u32,
            key: u64::from(t.node) << 32 | number as u64,
        })
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

    /// How far prescribed obstacles still have to go, written into the way of the next iteration; true if any moves.
    fn obstacle_ways(&mut self) -> bool {
        let mut any = false;
        for p in &self.prescribed {
            let next = &self.poses[p.obstacle][1];
            for (k, v) in p.vertices.iter().enumerate() {
                let d = sub(next.apply(*v), self.y[p.first + k].xyz());
                any |= d != [0.0; 3];
                self.way[p.first + k] = Row::new(d);
            }
        }
        any || self.progress < 1.0 && self.shapes.iter().any(|&n| self.poses[n][0] != self.poses[n][1])
    }

    /// Takes the way `p` of the nodes of the system, and of obstacles to where they go, and cuts it so that nothing meets: all bodies of a group
    /// alike. Then [`Barrier::cut`] gives what is left of it. Returns how many nodes were cut.
    pub fn limit(&mut self, obstacles: &[Obstacle], p: &[Row]) -> usize {
        self.way[..self.nodes].copy_from_slice(p);
        self.obstacle_ways();
        let bound = self.bound_deformation();
        let to: Vec<Row> = self
            .y
            .iter()
            .zip(&self.way)
            .map(|(y, d)| Row([y.0[0] + d.0[0], y.0[1] + d.0[1], y.0[2] + d.0[2], 0.0]))
            .collect();
        self.look_around(&to, obstacles);
        let mut ahead = std::mem::take(&mut self.ahead);
        self.travelled(Some(&self.way), &mut ahead);
        self.ahead = ahead;
        let mut hits: Vec<Hit> = Vec::new();
        let exec = self.exec();
        let this = &*self;
        exec.collect(this.close.len(), &mut hits, |some, out| {
            let hit =
                |k: usize| if this.spared(k, &this.ahead) { None } else { this.hit(&this.close[k], &to) };
            out.extend(some.filter_map(hit));
        });
        let moving = (self.bodies + self.prescribed.len()) as u32;
        exec.collect(this.touching.len(), &mut hits, |some, out| {
            for k in some {
                for (s, &number) in this.shapes.iter().enumerate() {
                    if let Some(time) = this.hit_shape((s, k), &to, &obstacles[number]) {
                        let moves = this.poses[number][0] != this.poses[number][1];
                        let body = this.of[this.touching[k].node as usize];
                        let other = if moves { moving } else { body };
                        let key = u64::from(this.touching[k].node) << 32 | number as u64;
                        out.push(Hit { time, bodies: [body, other], key });
                    }
                }
            }
        });
        let cut = self.join_groups(&hits, moving as usize + 1);
        if bound { cut.max(1) } else { cut }
    }

    /// Makes ways shorter, all alike, if a body would be deformed by more than an edge in one of them: what is far from a solution points
    /// anywhere. True if any was.
    fn bound_deformation(&mut self) -> bool {
        let mut mean = vec![([0.0; 3], 0.0f64); self.bodies];
        for i in 0..self.nodes {
            if let Some(m) = mean.get_mut(self.of[i] as usize) {
                *m = (axpy(m.0, 1.0, self.way[i].xyz()), m.1 + 1.0);
            }
        }
        let mut share = 1.0f64;
        for &i in self.skin.nodes.iter().filter(|&&i| (i as usize) < self.nodes) {
            if let Some((sum, count)) = mean.get(self.of[i as usize] as usize) {
                let d = axpy(self.way[i as usize].xyz(), -1.0 / count, *sum);
                share = share.min(self.skin.length[i as usize] / dot(d, d).sqrt().max(1e-300));
            }
        }
        if share >= 1.0 {
            return false;
        }
        self.way.iter_mut().for_each(|r| r.0 = r.0.map(|v| share * v));
        true
    }

    /// Groups of bodies that meet something together, and the shortest time of each.
    fn join_groups(&mut self, hits: &[Hit], count: usize) -> usize {
        let mut of: Vec<u32> = (0..count as u32).collect();
        fn root(of: &mut [u32], mut i: u32) -> u32 {
            while of[i as usize] != i {
                of[i as usize] = of[of[i as usize] as usize];
                i = of[i as usize];
            }
            i
        }
        for hit in hits {
            let [a, b] = hit.bodies.map(|i| root(&mut of, i));
            of[a.max(b) as usize] = a.min(b);
        }
        let mut share = vec![1.0f64; count];
        for hit in hits {
            let a = root(&mut of, hit.bodies[0]) as usize;
            share[a] = share[a].min(hit.time);
        }
        self.brace(hits);
        self.share = (0..count as u32).map(|i| share[root(&mut of, i) as usize]).collect();
        (0..self.nodes).filter(|&i| self.share_of(self.of[i] as usize) < 1.0).count()
    }

    /// Pairs that end a way early resist motion along each other too in the next matrix, more each time: a long way along a surface leads
    /// into it by how both turn, which the normal does not see. Gradients stay what they are.
    fn brace(&mut self, hits: &[Hit]) {
        let mut next: Vec<(u64, f64)> = Vec::new();
        for hit in hits.iter().filter(|h| h.time < EARLY) {
            let before =
                self.braced.binary_search_by_key(&hit.key, |b| b.0).map_or(0.0, |k| self.braced[k].1);
            next.push((hit.key, (BRACE * before).clamp(BRACED, 1.0)));
        }
        let kept = self.braced.iter().map(|b| (b.0, b.1 / BRACE)).filter(|b| b.1 >= BRACED);
        next.extend(kept);
        // The larger of the same key first.
        next.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        next.dedup_by_key(|b| b.0);
        self.braced = next;
    }

    /// Share of its way that a body goes.
    pub fn share_of(&self, body: usize) -> f64 {
        self.share.get(body).copied().unwrap_or(1.0)
    }

    /// When two things would come as near as they may, and the groups that they belong to; nothing if they stay far from each other.
    fn hit(&self, c: &Candidate, to: &[Row]) -> Option<Hit> {
        let (from, end) = (c.nodes.map(|i| self.y[i as usize].xyz()), c.nodes.map(|i| to[i as usize].xyz()));
        if c.kind.far_apart(&from, &end, c.offset + FLOOR * c.reach) {
            return None;
        }
        let start = c.kind.distance(&from) - c.offset;
        let floor = (FLOOR * c.reach).min(0.5 * start);
        // What comes near without meeting goes together too: if one stayed behind, the other might run into it.
        let time = meets(c.kind, &from, &end, c.offset + floor).unwrap_or(1.0);
        let [a, b] = self.skin.bodies_of(&c.nodes);
        // What stands still is no reason for bodies that rest on it to wait for each other.
        let still = |body: u32| body as usize >= self.bodies && !self.moves(body);
        let (a, b) = match (still(a), still(b)) {
            (true, _) => (b, b),
            (_, true) => (a, a),
            _ => (a, b),
        };
        Some(Hit { time, bodies: [a, b], key: c.key })
    }

    /// True if an obstacle that is a prescribed body moves in this step.
    fn moves(&self, body: u32) -> bool {
        let p = self.prescribed.get(body as usize - self.bodies);
        p.is_some_and(|p| self.poses[p.obstacle][0] != self.poses[p.obstacle][1])
    }

    fn hit_shape(&self, (s, k): (usize, usize), to: &[Row], o: &Obstacle) -> Option<f64> {
        let (number, t) = (self.shapes[s], &self.touching[k]);
        let [now, next] = &self.poses[number];
        let a = now.towards(next, self.progress).undo(self.y[t.node as usize].xyz());
        let b = next.undo(to[t.node as usize].xyz());
        let way = sub(b, a);
        let length = dot(way, way).sqrt();
        let room = self.given[s * self.touching.len() + k];
        let distance = |s: f64| o.shape.closest(axpy(a, s, way)).distance + room;
        let start = distance(0.0);
        let least = FLOOR * self.reach_of_shape(o, t);
        if o.shape.clear(start) > length + least {
            return None;
        }
        let floor = least.min(0.5 * start);
        let mut s = 0.0;
        for _ in 0..200 {
            let d = distance(s) - floor;
            if d < 0.1 * (start - floor) {
                return Some(s);
            }
            s += 0.9 * o.shape.clear(d) / length;
            if !(s < 1.0) {
                return Some(1.0);
            }
        }
        Some(s)
    }

    /// Moves the iterate by `t` times the way of each body, from positions `from`.
    pub fn go(&mut self, from: &[Row], t: f64) {
        for i in 0..self.y.len() {
            let share = t * self.share_of(self.of[i] as usize);
            for c in 0..3 {
                let way = self.way[i].0[c];
                // All of a way leads exactly to its end, where pins and obstacles have to be.
                self.y[i].0[c] = from[i].0[c] + if share == 1.0 { way } else { share * way };
            }
        }
        let left = 1.0 - self.before;
        self.progress = match t * self.share_of(self.bodies + self.prescribed.len()) {
            1.0 => 1.0,
            share => self.before + share * left,
        };
    }

    /// The last [`Barrier::go`] is where the next one starts.
    pub fn advance(&mut self) {
        self.before = self.progress;
        // Rounding does not keep an obstacle from its place.
        for p in &self.prescribed {
            let next = &self.poses[p.obstacle][1];
            for (k, v) in p.vertices.iter().enumerate() {
                let (to, at) = (next.apply(*v), self.y[p.first + k].xyz());
                if (0..3).all(|c| (to[c] - at[c]).abs() <= 1e-14 * (1.0 + to[c].abs())) {
                    self.y[p.first + k] = Row::new(to);
                }
            }
        }
    }

    /// True if an obstacle has not yet arrived.
    pub fn moves_on(&self) -> bool {
        let shape = |&n: &usize| self.poses[n][0] != self.poses[n][1];
        let vertex = |p: &Prescribed| {
            let next = &self.poses[p.obstacle][1];
            p.vertices.iter().enumerate().any(|(k, v)| next.apply(*v) != self.y[p.first + k].xyz())
        };
        (self.progress < 1.0 && self.shapes.iter().any(shape)) || self.prescribed.iter().any(vertex)
    }

    /// Ways of what is prescribed: pins of the system, given, and obstacles; zero for free nodes.
    pub fn prescribed_ways(&self, way: &[Row], free: usize) -> Vec<Row> {
        let mut all = vec![Row::default(); self.y.len()];
        all[free..self.nodes].copy_from_slice(&way[free..]);
        for p in &self.prescribed {
            let next = &self.poses[p.obstacle][1];
            for (k, v) in p.vertices.iter().enumerate() {
                all[p.first + k] = Row::new(sub(next.apply(*v), self.y[p.first + k].xyz()));
            }
        }
        all
    }

    /// Slope of what is minimised along the ways of free nodes as they were cut.
    pub fn slope(&self, gradient: &[Row]) -> f64 {
        let along = |(i, (g, d)): (usize, (&Row, &Row))| {
            self.share_of(self.of[i] as usize) * (0..3).map(|c| g.0[c] * d.0[c]).sum::<f64>()
        };
        gradient.iter().zip(&self.way).enumerate().map(along).fold(0.0, |a, b| a + b)
    }

    /// How far obstacles have come, 0 to 1.
    pub fn progress_of(&self, obstacle: usize) -> f64 {
        let Some(p) = self.prescribed.iter().find(|p| p.obstacle == obstacle) else { return self.progress };
        let [now, next] = &self.poses[obstacle];
        let parts = p.vertices.iter().enumerate().map(|(k, v)| {
            let (a, b, at) = (now.apply(*v), next.apply(*v), self.y[p.first + k].xyz());
            let (way, done) = (sub(b, a), sub(at, a));
            let all = dot(way, way);
            if all > 0.0 { (dot(done, way) / all).clamp(0.0, 1.0) } else { 1.0 }
        });
        parts.fold(1.0, f64::min)
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

    /// The largest way in m that the last iteration did not go, and how many nodes that concerns.
    pub fn held(&self) -> (usize, f64) {
        let mut most = (0, 0.0f64);
        for i in 0..self.nodes {
            let missing = 1.0 - self.share_of(self.of[i] as usize);
            if missing > 0.0 {
                let d = self.way[i].xyz();
                most = (most.0 + 1, most.1.max(missing * dot(d, d).sqrt()));
            }
        }
        most
    }
}
