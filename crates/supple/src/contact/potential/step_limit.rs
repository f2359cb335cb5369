//! Ways of an iteration, cut before anything meets: continuous detection, groups of bodies that go together, and going.

use super::*;

impl Barrier {
    /// How far prescribed obstacles still have to go, written into the way of the next iteration; true if any moves.
    pub(super) fn obstacle_ways(&mut self) -> bool {
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
    /// alike. Then [`Barrier::go`] goes what is left of it. Returns how many nodes were cut.
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
        let mut hits: Vec<Hit> = Vec::new();
        let exec = self.exec();
        let this = &*self;
        exec.collect(this.active.len(), &mut hits, |some, out| {
            out.extend(this.active[some].iter().filter_map(|a| this.hit(a, &to)));
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
        self.wake(&hits);
        if self.woken {
            self.outdated = true;
            self.activate(obstacles);
        }
        let others = |h: &&Hit| h.time < 1.0 && h.bodies[0] != h.bodies[1];
        self.met.extend(hits.iter().filter(others).map(|h| h.bodies));
        self.met.sort_unstable();
        self.met.dedup();
        let cut = self.join_groups(&hits, moving as usize + 1);
        if bound { cut.max(1) } else { cut }
    }

    /// Edges that end two ways in a row early count from now on, however flat.
    fn wake(&mut self, hits: &[Hit]) {
        let early =
            |h: &&Hit| h.time < EARLY && h.key >> 30 & 3 == 3 && self.awake.binary_search(&h.key).is_err();
        let mut now: Vec<u64> = hits.iter().filter(early).map(|h| h.key).collect();
        now.sort_unstable();
        let again = now.iter().filter(|k| self.drowsy.binary_search(k).is_ok());
        let before = self.awake.len();
        self.awake.extend(again);
        self.woken = self.awake.len() > before;
        self.awake.sort_unstable();
        self.drowsy = now;
    }

    /// Makes ways shorter, all alike, if a body would be deformed by more than an edge in one of them: what is far from a solution points
    /// anywhere. True if any was.
    pub(super) fn bound_deformation(&mut self) -> bool {
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
    pub(super) fn join_groups(&mut self, hits: &[Hit], count: usize) -> usize {
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
    pub(super) fn brace(&mut self, hits: &[Hit]) {
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
    fn hit(&self, c: &Active, to: &[Row]) -> Option<Hit> {
        if c.clear > c.offset + FLOOR * c.reach {
            return None;
        }
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
        Some(Hit { time, bodies: [a, b], key: c.key() })
    }

    /// True if an obstacle that is a prescribed body moves in this step.
    pub(super) fn moves(&self, body: u32) -> bool {
        let p = self.prescribed.get(body as usize - self.bodies);
        p.is_some_and(|p| self.poses[p.obstacle][0] != self.poses[p.obstacle][1])
    }

    pub(super) fn hit_shape(&self, (s, k): (usize, usize), to: &[Row], o: &Obstacle) -> Option<f64> {
        let (number, t) = (self.shapes[s], &self.touching[k]);
        let [now, next] = &self.poses[number];
        let a = now.towards(next, self.progress).undo(self.y[t.node as usize].xyz());
        let b = next.undo(to[t.node as usize].xyz());
        let way = sub(b, a);
        let length = dot(way, way).sqrt();
        if self.has_sunk(u64::from(t.node) << 32 | number as u64) {
            return None;
        }
        let distance = |s: f64| o.shape.closest(axpy(a, s, way)).distance;
        let start = distance(0.0);
        let least = FLOOR * self.reach_of_shape(o, t, s);
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
        self.friction.iter_mut().for_each(|f| f.follow(&self.y, &self.y_n));
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
