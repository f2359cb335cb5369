//! Where a step begins: what touches exactly, what is in something, and how far those that begin nearer than d̂ keep from each other.
//!
//! The potential wants bodies that are apart, by d̂ if nothing presses them together. People put boxes on boxes. So
//! - where things touch exactly, the first iterate is moved apart by [`TOUCH`] d̂ (the step still begins where it did);
//! - between bodies that begin nearer than d̂, it is as much less ([`Reaches`]) until they part: there is no blow, and what was put on something
//!   stays where it was put, to [`LEAST`] d̂;
//! - what is inside of something, or crosses it, has no potential: it is led out little by little ([`Why::Out`]), by a fifth of its depth per step.

use super::held_rows::{Held, Why};
use super::*;
use crate::contact::Told;
use crate::contact::detect::crossings::WayOut;
use crate::contact::detect::nodes::target;
use crate::contact::{Contact, Law, frame};

/// Things that touch are moved apart by so much of d̂ …
const TOUCH: f64 = 1e-3;

/// … in so many rounds.
const ROUNDS: usize = 6;

/// Shares of d̂ grow by this factor in a step at whose end the two are further apart than that; they are at least this.
const GROWTH: f64 = 1.2;
const LEAST: f64 = 0.02;

/// Nodes deeper in an obstacle than this share of the local edge length are led out; others are put on its surface.
const INSIDE: f64 = 1e-4;

/// Share of d̂ that holds between two bodies, or a body and an obstacle, that began nearer than d̂. Checkpoints carry it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reaches {
    /// False before the first step from positions that were set: then all are found.
    pub begun: bool,
    /// The two, the lower number first, in order; 0 for what was in each other, until it is not.
    pub shares: Vec<([u32; 2], f64)>,
}

impl Reaches {
    /// The share of d̂ of two bodies.
    pub(super) fn share(&self, [a, b]: [u32; 2]) -> f64 {
        if self.shares.is_empty() {
            return 1.0;
        }
        let at = self.shares.binary_search_by_key(&[a.min(b), a.max(b)], |s| s.0);
        at.map_or(1.0, |k| self.shares[k].1).clamp(1e-6, 1.0)
    }

    fn lower(&mut self, [a, b]: [u32; 2], share: f64) {
        let key = [a.min(b), a.max(b)];
        match self.shares.binary_search_by_key(&key, |s| s.0) {
            Ok(k) if self.shares[k].1 > 0.0 => self.shares[k].1 = self.shares[k].1.min(share),
            Ok(k) => self.shares[k].1 = share,
            Err(k) => self.shares.insert(k, (key, share)),
        }
    }
}

impl Barrier {
    /// Starts a step from positions `x`, with links that are to be held.
    pub fn begin(
        &mut self,
        obstacles: &[Obstacle],
        poses: &[[Pose; 2]],
        x: &[Row],
        (kept, reaches): (&[Kept], &Reaches),
        links: &[Contact],
    ) {
        self.poses.clear();
        self.poses.extend_from_slice(poses);
        (self.progress, self.before) = (0.0, 0.0);
        self.outdated = true;
        self.share.clear();
        self.braced.clear();
        self.y_n[..self.nodes].copy_from_slice(x);
        self.place_obstacles(0.0);
        let tail = self.nodes;
        self.y_n[tail..].copy_from_slice(&self.y[tail..]);
        self.y[..tail].copy_from_slice(x);
        self.awake.clear();
        self.met.clear();
        self.detections = 0;
        self.drowsy.clear();
        // What the last step knew of friction is in `kept`, which checkpoints have.
        self.friction.clear();
        self.kept.clear();
        self.kept.extend_from_slice(kept);
        self.held.clear();
        self.held.extend(links.iter().map(|c| Held::new(*c, Why::Link)));
        if self.compliance.len() != self.free {
            // Until they are known: what is free gives, what is prescribed does not.
            self.compliance = vec![1.0; self.free];
            self.mean_compliance = vec![1.0; self.skin.surfaces.closed.len()];
        }
        let was = self.is_clear();
        self.reaches = Reaches::default();
        self.untangle();
        self.lead_out(obstacles);
        // Whoever is led out, or was, has another place among the candidates. Shares of d̂ only say what is active.
        if !was || !self.is_clear() || !reaches.begun {
            self.version = u64::MAX;
        }
        self.set_shares(obstacles, reaches);
        let here = self.y.clone();
        self.look_around(&here, obstacles);
        self.find(obstacles);
        // What touches although it was moved, as parts of one sheet that lie in each other, has no side: it is left out, and reported.
        let touching: Vec<u64> = self.pairs.iter().filter(|p| !(p.distance > 0.0)).map(|p| p.key).collect();
        self.outdated |= !touching.is_empty();
        self.sunk.extend(touching);
        self.sunk.sort_unstable();
    }

    /// True if the step begins with nothing in anything.
    pub fn is_clear(&self) -> bool {
        self.tangle.is_empty() && self.sunk.is_empty()
    }

    /// What crosses where the step begins.
    fn untangle(&mut self) {
        let mut tangle = std::mem::take(&mut self.tangle);
        self.skin.untangle(&self.y_n, &mut tangle);
        self.tangle = tangle;
    }

    /// Calls `told` with what crosses, or lies in something, at `x`, obstacles at `poses`; all nodes are looked at.
    pub fn crossings(&mut self, x: &[Row], poses: &[Pose], told: Told<'_>) {
        let mut y = x.to_vec();
        for p in &self.prescribed {
            y.extend(p.vertices.iter().map(|v| Row::new(poses[p.obstacle].apply(*v))));
        }
        let mut tangle = Tangle::default();
        self.skin.untangle(&y, &mut tangle);
        let mut tell = |nodes: &[u32], t: u32| {
            let corners = self.skin.surfaces.triangles[t as usize];
            // Nodes inside obstacles are reported by the obstacle itself.
            match self.obstacle_of(corners[0]) {
                Some(number) if nodes.len() > 1 => told(nodes, None, number),
                Some(_) => {}
                None if nodes.iter().all(|&i| (i as usize) < self.nodes) => told(nodes, Some(corners), 0),
                None => {
                    if let Some(number) = self.obstacle_of(nodes[0]) {
                        told(&corners, None, number);
                    }
                }
            }
        };
        tangle.crossings.iter().for_each(|c| tell(&c.edge, c.triangle));
        tangle.inside.iter().for_each(|i| tell(&[i.node], i.triangle));
    }

    /// Largest depth of a node in something, or of the shorter end of an edge that crosses something, at the iterate, in m.
    pub fn depth(&mut self) -> f64 {
        let mut tangle = std::mem::take(&mut self.tangle);
        self.skin.untangle(&self.y, &mut tangle);
        self.tangle = tangle;
        self.tangle.depth()
    }

    /// Rows for what began inside of something.
    fn lead_out(&mut self, obstacles: &[Obstacle]) {
        self.sunk.clear();
        let mut ways = Vec::new();
        self.skin.find_ways_out(&self.y_n, &self.tangle, &mut ways);
        for w in ways.iter().filter(|w| w.nodes.iter().any(|&i| (i as usize) < self.free)) {
            self.held.push(Held::new(self.row(w), Why::Out));
        }
        for (s, &number) in self.shapes.iter().enumerate() {
            let (o, pose) = (&obstacles[number], self.poses[number]);
            for t in &self.touching {
                let i = t.node as usize;
                let point = o.shape.closest(pose[0].undo(self.y[i].xyz()));
                let least = TOUCH * self.reach_of_shape(o, t, s);
                if point.distance < -INSIDE * t.edge {
                    let m = Moving { obstacle: o, now: &pose[0], next: &pose[1] };
                    let row = m.contact(t, self.y[i].xyz(), &point, number as u32);
                    self.sunk.push(row.key);
                    self.held.push(Held::new(row, Why::Out));
                } else if point.distance < least {
                    let n = pose[0].turn(point.normal);
                    self.y[i] = Row::new(axpy(self.y[i].xyz(), 1.5 * least - point.distance, n));
                }
            }
        }
        self.sunk.sort_unstable();
    }

    /// A way out of a tangle as a row.
    fn row(&self, w: &WayOut) -> Contact {
        let edge = self.skin.shortest(&w.nodes);
        let parts = w.nodes.iter().zip(&w.weights);
        let gap: f64 = parts.map(|(&i, a)| a * dot(w.normal, self.y_n[i as usize].xyz())).sum();
        Contact {
            nodes: w.nodes,
            weights: w.weights,
            count: 5,
            frame: frame(w.normal),
            origin: [gap + w.depth + target(-w.depth, edge), 0.0, 0.0],
            law: Law::Coulomb(0.0),
            force: [0.0; 3],
            obstacle: BODIES,
            side: w.normal,
            key: 0,
        }
    }

    /// Shares of d̂ for this step, after things that touch were moved apart.
    fn set_shares(&mut self, obstacles: &[Obstacle], last: &Reaches) {
        let tangled: Vec<[u32; 2]> = self.tangle.pairs().to_vec();
        let fresh = |p: &[u32; 2]| {
            !last.begun || last.shares.binary_search_by_key(p, |s| s.0).is_ok_and(|k| last.shares[k].1 == 0.0)
        };
        let known = last.shares.iter().copied().filter(|s| s.1 > 0.0);
        self.reaches = Reaches { begun: true, shares: known.collect() };
        let some = !last.begun || last.shares.iter().any(|s| s.1 == 0.0);
        let here = self.y.clone();
        for _ in 0..if some { ROUNDS } else { 0 } {
            self.look_around(&here, obstacles);
            self.find(obstacles);
            if !self.move_apart() {
                break;
            }
        }
        if some {
            let here = self.y.clone();
            self.look_around(&here, obstacles);
            self.find(obstacles);
            let found: Vec<([u32; 2], f64)> =
                self.pairs.iter().filter_map(|p| Some((self.parties(p)?, p.distance / p.reach))).collect();
            for (key, share) in found.into_iter().filter(|f| fresh(&f.0)) {
                self.reaches.lower(key, share.max(LEAST));
            }
            self.outdated = true;
        }
        for key in &tangled {
            self.reaches.lower(*key, 1.0);
            if let Ok(k) = self.reaches.shares.binary_search_by_key(key, |s| s.0) {
                self.reaches.shares[k].1 = 0.0;
            }
        }
    }

    /// The shares that the next step begins with: larger where no pair of the two is within reach at the end of this one.
    pub fn next_reaches(&self, obstacles: &[Obstacle]) -> Reaches {
        let mut near: Vec<[u32; 2]> = Vec::new();
        if !self.reaches.shares.is_empty() {
            near.extend(self.pairs.iter().filter_map(|p| self.parties(p)));
            near.sort_unstable();
        }
        let grow = |&(key, share): &([u32; 2], f64)| match near.binary_search(&key) {
            Ok(_) => (key, share),
            Err(_) => (key, (GROWTH * share).min(share * self.apart(key, obstacles))),
        };
        let shares = self.reaches.shares.iter().map(grow).filter(|s| s.1 < 1.0).collect();
        Reaches { begun: self.reaches.begun, shares }
    }

    /// How far two bodies, or a body and a shape, are apart at the iterate, over the d̂ that holds between them; some large number if they are far.
    fn apart(&self, key: [u32; 2], obstacles: &[Obstacle]) -> f64 {
        let mut least = AHEAD;
        for c in &self.active {
            let [a, b] = self.skin.bodies_of(&c.nodes);
            if [a.min(b), a.max(b)] == key {
                let at = c.nodes.map(|i| self.y[i as usize].xyz());
                least = least.min((c.kind.distance(&at) - c.offset) / c.reach);
            }
        }
        for (s, &number) in self.shapes.iter().enumerate().filter(|(s, _)| self.party(*s) == key[1]) {
            let pose = self.poses[number][0].towards(&self.poses[number][1], self.progress);
            for t in self.touching.iter().filter(|t| self.of[t.node as usize] == key[0]) {
                let o = &obstacles[number];
                let distance = o.shape.closest(pose.undo(self.y[t.node as usize].xyz())).distance;
                least = least.min(distance / self.reach_of_shape(o, t, s));
            }
        }
        least.max(1.0)
    }

    /// The two that a pair is of, the lower number first.
    fn parties(&self, p: &Pair) -> Option<[u32; 2]> {
        let [a, b] = if p.count == 1 {
            let s = self.shapes.iter().position(|&n| n as u32 == p.obstacle)?;
            [self.of[p.nodes[0] as usize], self.party(s)]
        } else {
            self.skin.bodies_of(&p.nodes)
        };
        Some([a.min(b), a.max(b)])
    }

    /// Moves things that touch apart, to both sides; true if there were any.
    fn move_apart(&mut self) -> bool {
        let mut moves = vec![([0.0; 3], 0.0f64); self.nodes];
        for p in self.pairs.iter().filter(|p| p.count == 4 && p.distance < TOUCH * p.reach) {
            let split = if p.weights[1] > 0.0 || (p.weights[2] <= 0.0 && p.weights[0] < 1.0) { 2 } else { 1 };
            let normal =
                if p.distance > 1e-3 * TOUCH * p.reach { Some(p.normal) } else { self.side(p, split) };
            let Some(n) = normal else { continue };
            let moves_at = |i: &u32| (*i as usize) < self.free;
            let sides = [&p.nodes[..split], &p.nodes[split..]];
            let able = sides.map(|s| f64::from(u8::from(s.iter().any(moves_at))));
            let need = (1.5 * TOUCH * p.reach - p.distance) / (able[0] + able[1]).max(1.0);
            for (sign, side) in [1.0, -1.0].into_iter().zip(sides) {
                for i in side.iter().filter(|i| moves_at(i)) {
                    let m = &mut moves[*i as usize];
                    *m = (axpy(m.0, sign * need, n), m.1 + 1.0);
                }
            }
        }
        let mut any = false;
        for (i, (sum, count)) in moves.iter().enumerate().filter(|(_, m)| m.1 > 0.0) {
            any = true;
            self.y[i] = Row::new(add(self.y[i].xyz(), scale(1.0 / count, *sum)));
        }
        any
    }

    /// The side on which the first of two things that touch belongs: out of the second, if that is a solid; into what the first is not, if
    /// that is one; of two sheets the one with the lower number goes along the normals of the other.
    fn side(&self, p: &Pair, split: usize) -> Option<[f64; 3]> {
        let [a, b] = self.skin.bodies_of(&p.nodes);
        let closed = &self.skin.surfaces.closed;
        let (first, second) = (&p.nodes[..split], &p.nodes[split..]);
        let (of, sign) = match (closed[a as usize], closed[b as usize]) {
            (_, true) => (second, 1.0),
            (true, false) => (first, -1.0),
            _ if a < b => (second, 1.0),
            _ if a > b => (first, -1.0),
            _ => return None,
        };
        // The faces that have all of these nodes: a triangle itself, those beside an edge, those around a node.
        let faces = self.skin.faces.get(of[0] as usize)?;
        let mut sum = [0.0; 3];
        for &f in faces {
            if of.iter().all(|i| self.skin.surfaces.triangles[f as usize].contains(i)) {
                let n = self.skin.normal(f, &self.y);
                sum = axpy(sum, 1.0 / dot(n, n).sqrt().max(f64::MIN_POSITIVE), n);
            }
        }
        let length = dot(sum, sum).sqrt();
        (length > 1e-6).then(|| scale(sign / length, sum))
    }
}
