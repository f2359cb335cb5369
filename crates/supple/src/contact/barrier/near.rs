//! What is near what at the iterate: candidates that hold for some iterations, and the pairs among them.

use super::*;

impl Barrier {
    /// d̂ of a node with a shape.
    pub(super) fn reach_of_shape(&self, o: &Obstacle, t: &Touching) -> f64 {
        let radius = self
            .skin
            .body
            .get(t.node as usize)
            .map_or(0.0, |&b| self.skin.surfaces.radius.get(b as usize).copied().unwrap_or(0.0));
        (o.thickness + radius).max(SHARE * t.edge)
    }

    /// The obstacle that a node of `y` belongs to.
    pub(super) fn obstacle_of(&self, node: u32) -> Option<usize> {
        if (node as usize) < self.nodes {
            return None;
        }
        let at = self.prescribed.partition_point(|p| p.first <= node as usize);
        self.prescribed.get(at.checked_sub(1)?).map(|p| p.obstacle)
    }

    /// What is taken off the distance of two things, d̂, friction and obstacle; `None` if they do not touch.
    pub(super) fn rules(
        &self,
        kind: Kind,
        nodes: &[u32; 4],
        obstacles: &[Obstacle],
    ) -> Option<(f64, f64, f64, u32)> {
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
    pub(super) fn look_around(&mut self, to: &[Row], obstacles: &[Obstacle]) {
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
    pub(super) fn candidate(
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
    pub(super) fn travelled(&self, way: Option<&[Row]>, out: &mut Vec<f32>) {
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
    pub(super) fn spared(&self, k: usize, travel: &[f32]) -> bool {
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
    pub(super) fn give(&self, nodes: &[u32]) -> f64 {
        let of = |&i: &u32| self.compliance.get(i as usize).copied().unwrap_or(0.0);
        nodes.iter().map(of).sum::<f64>() / nodes.len() as f64
    }

    pub(super) fn near(&self, c: &Candidate) -> Option<Pair> {
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
    pub(super) fn near_shape(&self, (s, k): (usize, usize), o: &Obstacle) -> Option<Pair> {
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
}
