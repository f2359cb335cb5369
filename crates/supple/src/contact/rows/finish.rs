//! The end of a step: what has gone through something stops short of it, and depths are measured anew.

use crate::contact::ContactSet;
use crate::contact::LINKS;
use crate::contact::Law;
use crate::contact::Pose;
use crate::contact::detect::nodes::Moving;
use crate::exec::Stopwatch;
use crate::math::nodes::Row;
use crate::math::small::{add, scale};

/// A node is inside of an obstacle from this depth on, as a share of the local edge length: the default tolerance of a solve, which may
/// leave as much.
const INSIDE: f64 = 1e-4;

/// A force this far within its cone, as a share, is that of a contact that sticks.
const MARGIN: f64 = 1e-9;

/// What the law may be off by in a solve, as a share of the tolerance and the local edge length ([`ContactSet::solve`]).
pub(super) const LEFT: f64 = 0.01;

/// Takes nodes that have entered something, and its triangle, or none and the number of the obstacle.
pub type Told<'a> = &'a mut dyn FnMut(&[u32], Option<[u32; 3]>, usize);

impl ContactSet {
    /// After a step that has converged to the tolerance: nodes that stick go exactly where what they stick to takes them. What the solve leaves of
    /// slip would add up to a walk, since friction knows only of where the step began. What slides, or is off by more than the solve may leave, stays.
    pub fn settle(&self, x: &mut [Row], tolerance: f64) {
        for (c, of) in self.contacts.iter().zip(&self.of) {
            let Law::Coulomb(mu) = c.law else { continue };
            let ([n, a, b], [_, p, q]) = (c.force, c.gap(x));
            let sticks = (a * a + b * b).sqrt() < (1.0 - MARGIN) * mu * n;
            // Pins are exact.
            if c.count != 1
                || self.is_held(c.nodes[0])
                || !sticks
                || (p * p + q * q).sqrt() > LEFT * tolerance * of.1
            {
                continue;
            }
            let slip = add(scale(p, c.frame[1]), scale(q, c.frame[2]));
            if let Some(row) = x.get_mut(c.nodes[0] as usize) {
                for d in 0..3 {
                    row.0[d] -= slip[d] / c.weights[0];
                }
            }
        }
    }

    /// At the end of a step: bodies of which a node has passed through something stop short of it; `body` is that of each free
    /// node. Then the depth of nodes is measured once more, from the surfaces themselves.
    pub fn finish(&mut self, x_n: &[Row], x: &mut [Row], body: &[u32]) {
        // Where something is NaN the step fails with an error.
        if !x.iter().all(|r| r.is_finite()) {
            return;
        }
        if self.by_potential() {
            self.measure_by_potential(x);
            return;
        }
        let clock = Stopwatch::start();
        let mut share: Vec<(u32, f64)> = Vec::new();
        for number in 0..self.obstacles.len() {
            let m = self.moving(number);
            for (k, t) in self.touching.iter().enumerate() {
                let (distance, _) = self.start[number * self.touching.len() + k];
                let (from, to) = (self.from[k], t.at(x));
                if distance <= 0.0 || m.way(from, to) < distance {
                    continue;
                }
                let end = m.end(to);
                // A little depth is for the report, and a way around a corner may cut it; what is deep inside, or comes out on the
                // other side, has gone through.
                let Some((when, entry)) = m.meet(from, to, 0.0) else { continue };
                let through = end >= 0.0 && m.opposite(to, entry.normal) && m.inside_between(from, to);
                if (end < -0.5 * t.edge || through)
                    && let Some(&b) = body.get(t.node as usize)
                {
                    share.push((b, 0.9 * when));
                }
            }
        }
        share.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        share.dedup_by_key(|s| s.0);
        self.report.islands_shortened = share.len();
        for (i, &b) in body.iter().enumerate() {
            if let Ok(at) = share.binary_search_by_key(&b, |s| s.0) {
                for d in 0..3 {
                    x[i].0[d] = x_n[i].0[d] + share[at].1 * (x[i].0[d] - x_n[i].0[d]);
                }
            }
        }
        self.measure(x);
        self.seconds += clock.seconds();
    }

    /// Calls `told` with what has entered something at `x`: an edge or a node, and the triangle or the number of the obstacle. Every node is looked
    /// at, as at the start.
    pub fn intersections(&mut self, x: &[Row], poses: &[Pose], told: Told<'_>) {
        if self.by_potential() {
            let mut barrier = std::mem::take(&mut self.barrier);
            barrier.crossings(x, poses, told);
            self.barrier = barrier;
        }
        for (number, (obstacle, pose)) in self.obstacles.iter().zip(poses).enumerate() {
            let m = Moving { obstacle, now: pose, next: pose };
            for t in &self.touching {
                if m.start(t.at(x)) < -INSIDE * t.edge {
                    told(&[t.node], None, number);
                }
            }
        }
    }

    /// Depths after a step by potential, in which obstacles have come as far as they could; distances within their thickness are part of the law.
    fn measure_by_potential(&mut self, x: &[Row]) {
        let clock = Stopwatch::start();
        let mut deepest = 0.0f64;
        for number in 0..self.obstacles.len() {
            let m = self.moving(number);
            let pose = m.now.towards(m.next, self.progress_of(number));
            let there = Moving { now: &pose, next: &pose, ..m };
            for t in &self.touching {
                deepest = deepest.max(-there.end(t.at(x)) - m.obstacle.thickness);
            }
        }
        self.report.max_penetration = deepest.max(self.barrier.depth());
        self.report.link_gap = self.link_gap(x);
        self.seconds += clock.seconds();
    }

    /// Largest distance of a linked node from where it should be, in m.
    fn link_gap(&self, x: &[Row]) -> f64 {
        let linked = self.contacts.iter().filter(|c| c.obstacle == LINKS);
        linked.map(|c| self.links.distance(c, x)).fold(0.0, f64::max)
    }

    fn measure(&mut self, x: &[Row]) {
        let (mut deepest, mut entered) = (0.0f64, 0.0f64);
        for number in 0..self.obstacles.len() {
            let m = self.moving(number);
            for (k, t) in self.touching.iter().enumerate() {
                let depth = -m.end(t.at(x));
                deepest = deepest.max(depth);
                if self.start[number * self.touching.len() + k].0 >= 0.0 {
                    entered = entered.max(depth);
                }
            }
        }
        self.entered = entered;
        self.report.link_gap = self.link_gap(x);
        let touching = || self.contacts.iter().filter(|c| c.obstacle != LINKS);
        let largest = touching().map(|c| c.force[0]).fold(0.0, f64::max);
        let outside = self.contacts.iter().map(|c| c.law.violation(c.force)).fold(0.0, f64::max);
        self.report.contacts = touching().filter(|c| c.force != [0.0; 3]).count();
        self.report.candidates = touching().count();
        self.report.max_penetration = deepest;
        self.report.contact_residual = self.residual(x);
        self.report.cone_violation = if largest > 0.0 { outside / largest } else { 0.0 };
    }
}
