//! What is near what at the iterate: candidates that hold for some iterations, and the pairs among them.

use super::*;
use crate::math::small::cross;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Edges count less and less from this square of the sine of their angle on (Li et al. 2020, section 5: their ψ of parallel edges has no slope either).
const PARALLEL: f64 = 1e-3;

impl Barrier {
    /// d̂ of a node with a shape.
    pub(super) fn reach_of_shape(&self, o: &Obstacle, t: &Touching, s: usize) -> f64 {
        let radius = self
            .skin
            .body
            .get(t.node as usize)
            .map_or(0.0, |&b| self.skin.surfaces.radius.get(b as usize).copied().unwrap_or(0.0));
        let share = self.reaches.share([self.of[t.node as usize], self.party(s)]);
        share * (o.thickness + radius).max(SHARE * t.edge)
    }

    /// The number of a shape among bodies, obstacles that are prescribed bodies, and shapes.
    pub(super) fn party(&self, s: usize) -> u32 {
        (self.bodies + self.prescribed.len() + s) as u32
    }

    /// True if a pair began inside of each other: then it is led out.
    pub(super) fn has_sunk(&self, key: u64) -> bool {
        !self.sunk.is_empty() && self.sunk.binary_search(&key).is_ok()
    }

    /// True for balls and capsules, which are touched in many places at once: their nodes are no points of their surface.
    pub(super) fn is_round(&self, body: u32) -> bool {
        body as usize >= self.bodies && self.skin.surfaces.radius[body as usize] > 0.0
    }

    /// The obstacle that a node of `y` belongs to.
    pub(super) fn obstacle_of(&self, node: u32) -> Option<usize> {
        if (node as usize) < self.nodes {
            return None;
        }
        let at = self.prescribed.partition_point(|p| p.first <= node as usize);
        self.prescribed.get(at.checked_sub(1)?).map(|p| p.obstacle)
    }

    /// What is taken off the distance of two things, and d̂; `None` if they do not touch.
    fn rules(&self, kind: Kind, nodes: &[u32; 4], obstacles: &[Obstacle]) -> Option<(f64, f64)> {
        if nodes.iter().all(|&i| i as usize >= self.free) {
            return None;
        }
        let [a, b] = self.skin.bodies_of(nodes);
        let surfaces = &self.skin.surfaces;
        let (ra, rb) = (surfaces.radius[a as usize], surfaces.radius[b as usize]);
        // A node has one d̂ with all of another body.
        let of_node =
            |i: u32| if (i as usize) < self.nodes { self.skin.length[i as usize] } else { f64::INFINITY };
        let edge = match kind {
            Kind::Node if a != b => {
                let surface =
                    if (b as usize) < self.bodies { self.mean_length[b as usize] } else { f64::INFINITY };
                of_node(nodes[0]).min(surface)
            }
            _ => nodes.iter().map(|&i| of_node(i)).fold(f64::INFINITY, f64::min),
        };
        if let Some(number) = self.obstacle_of(nodes[0]).or_else(|| self.obstacle_of(nodes[3])) {
            let first = (nodes[0] as usize) >= self.nodes;
            let (radius, sheet) = if first { (ra, rb) } else { (rb, ra) };
            let reach = (obstacles[number].thickness + sheet).max(SHARE * edge);
            return Some((radius, self.reaches.share([a, b]) * reach));
        }
        let mut reach = surfaces.thickness.max(ra + rb);
        if reach <= 0.0 {
            reach = SHARE * edge;
        }
        if a == b {
            let rest = self.skin.rest_distance_up_to(kind, nodes, 2.0 * reach);
            if rest <= 1e-6 * edge {
                return None;
            }
            reach = reach.min(0.5 * rest);
        }
        Some((0.0, self.reaches.share([a, b]) * reach))
    }

    /// Coulomb's coefficient of two things, and the obstacle among them.
    fn friction_of(&self, nodes: &[u32; 4], obstacles: &[Obstacle]) -> (f64, u32) {
        match self.obstacle_of(nodes[0]).or_else(|| self.obstacle_of(nodes[3])) {
            Some(number) => (obstacles[number].friction, number as u32),
            None => {
                let [a, b] = self.skin.bodies_of(nodes);
                (self.skin.surfaces.friction(a, b), BODIES)
            }
        }
    }

    /// Makes sure that all that can come near on the way from the iterate to `to` is active.
    pub(super) fn look_around(&mut self, to: &[Row], obstacles: &[Obstacle]) {
        let things = self.skin.nodes.len() + self.skin.edges.len();
        let worn = self.looked > WORN * self.candidates.len() + WORN_THING * things;
        self.skin.pair_up(&self.y, to, worn);
        if self.version != self.skin.pairs.version {
            self.list_candidates();
        }
        let mut motion = std::mem::take(&mut self.motion);
        motion.set(&self.skin, [&self.seen, &self.y, to]);
        self.motion = motion;
        self.activate(obstacles);
    }

    /// Takes the distances of all pairs that the lists have.
    fn list_candidates(&mut self) {
        self.looked = 0;
        self.detections += 1;
        self.version = self.skin.pairs.version;
        self.seen.clone_from(&self.y);
        self.outdated = true;
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        let exec = self.exec();
        let this = &*self;
        let (faces, edges) = (this.skin.pairs.faces(), &this.skin.pairs.edges);
        exec.collect(faces.len(), &mut candidates, |some, out| {
            out.extend(faces[some].iter().filter_map(|&p| this.candidate(Kind::Node, p)));
        });
        let with_nodes = candidates.len();
        exec.collect(edges.len(), &mut candidates, |some, out| {
            out.extend(edges[some].iter().filter_map(|&p| this.candidate(Kind::Edge, p)));
        });
        self.candidates = candidates;
        self.with_nodes = with_nodes;
    }

    /// Finds the candidates that may come within reach on the present way.
    pub(super) fn activate(&mut self, obstacles: &[Obstacle]) {
        let before = std::mem::take(&mut self.active);
        let known: &[Active] = if self.outdated { &[] } else { &before };
        let mut active = std::mem::take(&mut self.active_before);
        active.clear();
        let exec = self.exec();
        let this = &*self;
        let vain = AtomicUsize::new(0);
        exec.collect(this.candidates.len(), &mut active, |some, out| {
            let mut known = &known[known.partition_point(|a| (a.index as usize) < some.start)..];
            let mut taken = some.len() / GLANCES;
            for index in some {
                let c = &this.candidates[index];
                let kind = this.kind_of(index);
                if this.motion.spares(kind, c) {
                    continue;
                }
                let nodes = this.nodes_of(kind, c.things);
                let within = this.within(kind, &nodes);
                let at = nodes.map(|i| this.y[i as usize].xyz());
                let nearer = this.motion.nearer(kind, c);
                let clear = kind.distance_beyond(&at, within + nearer) - nearer;
                if clear > within {
                    taken += 1;
                    continue;
                }
                while known.first().is_some_and(|a| (a.index as usize) < index) {
                    known = &known[1..];
                }
                match known.first().filter(|a| a.index as usize == index) {
                    Some(a) => out.push(Active { clear, ..*a }),
                    None => {
                        out.extend(this.active_one(index, c, nodes, obstacles).map(|a| Active { clear, ..a }))
                    }
                }
            }
            vain.fetch_add(taken, Ordering::Relaxed);
        });
        self.looked += vain.into_inner();
        (self.active, self.active_before) = (active, before);
        self.outdated = false;
    }

    fn kind_of(&self, candidate: usize) -> Kind {
        if candidate < self.with_nodes { Kind::Node } else { Kind::Edge }
    }

    /// Where two things are active, in m: at least [`AHEAD`] times d̂.
    fn within(&self, kind: Kind, nodes: &[u32; 4]) -> f64 {
        let ([a, b], surfaces) = (self.skin.bodies_of(nodes), &self.skin.surfaces);
        let thick = surfaces.thickness.max(surfaces.radius[a as usize] + surfaces.radius[b as usize]);
        if thick > 0.0 && (a.max(b) as usize) < self.bodies {
            return AHEAD * thick;
        }
        let split = kind.split();
        self.skin.reach(&nodes[..split]) + self.skin.reach(&nodes[split..])
    }

    /// What is constant over a step for two things; `None` if they do not touch.
    fn active_one(
        &self,
        index: usize,
        c: &Candidate,
        nodes: [u32; 4],
        obstacles: &[Obstacle],
    ) -> Option<Active> {
        let kind = self.kind_of(index);
        let (offset, reach) = self.rules(kind, &nodes, obstacles)?;
        if self.has_sunk(key(kind, c.things)) {
            return None;
        }
        let split = kind.split();
        let soft = match kind {
            // A node has one κ with all of another body.
            Kind::Node if !c.same => {
                self.give(&nodes[..1]) + self.mean_compliance[self.skin.body[nodes[1] as usize] as usize]
            }
            _ => self.give(&nodes[..split]) + self.give(&nodes[split..]),
        };
        let (friction, obstacle) = self.friction_of(&nodes, obstacles);
        let stiffness = if soft > 0.0 { self.counts(kind, c.things) * STIFFER / soft } else { 0.0 };
        Some(Active {
            index: index as u32,
            kind,
            things: c.things,
            nodes,
            clear: 0.0,
            offset,
            reach,
            stiffness,
            friction,
            obstacle,
        })
    }

    /// The nodes of two things: a node and a triangle, or two edges.
    pub(super) fn nodes_of(&self, kind: Kind, [a, b]: [u32; 2]) -> [u32; 4] {
        match kind {
            Kind::Node => {
                let [i, j, k] = self.skin.surfaces.triangles[b as usize];
                [a, i, j, k]
            }
            Kind::Edge => {
                let ([i, j], [k, l]) = (self.skin.edges[a as usize].nodes, self.skin.edges[b as usize].nodes);
                [i, j, k, l]
            }
        }
    }

    /// Two things that may touch, and how far they are apart at least.
    fn candidate(&self, kind: Kind, (a, b): (u32, u32)) -> Option<Candidate> {
        let nodes = self.nodes_of(kind, [a, b]);
        if nodes.iter().all(|&i| i as usize >= self.free) {
            return None;
        }
        let [one, other] = self.skin.bodies_of(&nodes);
        // What crosses does not know its sides.
        if self.tangle.holds([one, other], &nodes) {
            return None;
        }
        let within = self.within(kind, &nodes);
        let at = nodes.map(|i| self.y[i as usize].xyz());
        // Boxes tell enough of what is far away.
        let apart = kind.distance_beyond(&at, FAR * within);
        let slack = (apart - within - 1e-6 * (apart + within)) as f32;
        Some(Candidate { things: [a, b], slack, same: one == other })
    }

    /// Pairs near the iterate.
    pub fn find(&mut self, obstacles: &[Obstacle]) {
        let mut pairs = std::mem::take(&mut self.pairs);
        self.gather(&mut pairs, 1.0, obstacles);
        self.pairs = pairs;
    }

    /// Pairs at the iterate that are nearer than so many times d̂.
    pub(super) fn gather(&self, pairs: &mut Vec<Pair>, reaches: f64, obstacles: &[Obstacle]) {
        pairs.clear();
        let exec = self.exec();
        exec.collect(self.active.len(), pairs, |some, out| {
            out.extend(self.active[some].iter().filter_map(|a| self.near(a, reaches)));
        });
        self.unite(pairs, reaches);
        exec.collect(self.touching.len(), pairs, |some, out| {
            for k in some {
                for (s, &number) in self.shapes.iter().enumerate() {
                    out.extend(self.near_shape((s, k), reaches, &obstacles[number]));
                }
            }
        });
    }

    /// Calls `f` with the nodes of what may become near soon.
    pub(super) fn each_ahead(&self, f: &mut dyn FnMut([u32; 4])) {
        for a in &self.active {
            let far = a.offset + AHEAD * a.reach;
            if a.clear > far {
                continue;
            }
            let at = a.nodes.map(|i| self.y[i as usize].xyz());
            if !a.kind.far_apart(&at, &at, far) && a.kind.distance(&at) <= far {
                f(a.nodes);
            }
        }
    }

    /// 1/h of one side: the mean over its nodes, 0 for those that are prescribed.
    pub(super) fn give(&self, nodes: &[u32]) -> f64 {
        let of = |&i: &u32| self.compliance.get(i as usize).copied().unwrap_or(0.0);
        nodes.iter().map(of).sum::<f64>() / nodes.len() as f64
    }

    /// How much a pair counts, 0 to 1, the same over a step. Two edges of flat surfaces, and parallel ones, meet where nodes meet triangles: they say
    /// nothing of their own, and where they are nearest jumps from end to end.
    fn counts(&self, kind: Kind, things: [u32; 2]) -> f64 {
        let round = |e: u32| self.is_round(self.skin.body[self.skin.edges[e as usize].nodes[0] as usize]);
        if kind == Kind::Node
            || things.iter().any(|&e| round(e))
            || self.awake.binary_search(&key(kind, things)).is_ok()
        {
            return 1.0;
        }
        let bend = things.map(|e| f64::from(self.bend[e as usize]));
        let [a, b, i, j] = self.nodes_of(kind, things).map(|i| self.y_n[i as usize].xyz());
        let (u, v) = (sub(b, a), sub(j, i));
        let n = cross(u, v);
        let across = dot(n, n) / (dot(u, u) * dot(v, v)).max(f64::MIN_POSITIVE) / PARALLEL;
        bend[0].max(bend[1]) * if across < 1.0 { across * (2.0 - across) } else { 1.0 }
    }

    fn near(&self, a: &Active, reaches: f64) -> Option<Pair> {
        let far = a.offset + reaches * a.reach;
        if a.stiffness == 0.0 || a.clear > far {
            return None;
        }
        let at = a.nodes.map(|i| self.y[i as usize].xyz());
        if a.kind.far_apart(&at, &at, far) {
            return None;
        }
        let (weights, r) = a.kind.nearest(&at);
        let length = dot(r, r).sqrt();
        (length < far).then(|| Pair {
            nodes: a.nodes,
            weights,
            count: 4,
            normal: if length > 0.0 { scale(1.0 / length, r) } else { [0.0, 0.0, 1.0] },
            distance: length - a.offset,
            reach: a.reach,
            stiffness: a.stiffness,
            friction: a.friction,
            carried: [0.0; 3],
            ahead: [0.0; 3],
            obstacle: a.obstacle,
            key: a.key(),
        })
    }

    /// The pair of a node, by its number in `touching`, and a shape, by its number in `shapes`.
    pub(super) fn near_shape(&self, (s, k): (usize, usize), reaches: f64, o: &Obstacle) -> Option<Pair> {
        let (number, t) = (self.shapes[s], &self.touching[k]);
        let reach = self.reach_of_shape(o, t, s);
        let key = u64::from(t.node) << 32 | number as u64;
        if self.has_sunk(key) {
            return None;
        }
        let pose = self.poses[number][0].towards(&self.poses[number][1], self.progress);
        let x = self.y[t.node as usize].xyz();
        let point = o.shape.closest(pose.undo(x));
        let distance = point.distance;
        if distance >= reaches * reach {
            return None;
        }
        let at = pose.apply(point.point);
        let [first, last] = self.poses[number].map(|pose| pose.apply(point.point));
        Some(Pair {
            nodes: [t.node; 4],
            weights: [1.0, 0.0, 0.0, 0.0],
            count: 1,
            normal: pose.turn(point.normal),
            distance,
            reach,
            stiffness: STIFFER / self.give(&[t.node]),
            friction: o.friction,
            carried: sub(at, first),
            ahead: sub(last, at),
            obstacle: number as u32,
            key,
        })
    }
}
