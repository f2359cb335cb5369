//! Contacts follow the iterates: those with curved obstacles turn, and what would pass through something gets one.

use super::BODIES;
use super::Contact;
use super::link::LINKS;
use super::near::Way;
use super::set::ContactSet;
use super::sweep::{Dips, LEFT};
use crate::exec::Stopwatch;
use crate::math::nodes::Row;
use crate::math::small::dot;

/// Solves after which contacts with curved obstacles keep their normals.
const MOST_TURNS: usize = 50;

/// Solves after which contacts between bodies keep theirs: a node at the border of a triangle may go to and fro, and planes that turn
/// do a little work.
const SOME_TURNS: usize = 5;

/// Solves after which a node that slides on a curve and goes to and fro around a corner stays where it is.
const LINK_TURNS: usize = 15;

/// Rounds in which contacts are added for what has passed through a body.
const MOST_ROUNDS: usize = 3;

/// Solves after which such contacts are looked for before the iteration has converged.
const SOME_SOLVES: usize = 10;

/// Places of one obstacle that a node may touch at once.
const MOST_SIDES: usize = 4;

impl ContactSet {
    /// At an iterate: turns contacts with curved obstacles to where the nodes are now, and adds those of nodes that would pass
    /// through something.
    pub fn update(&mut self, x: &[Row]) {
        if self.contacts.is_empty() && self.obstacles.is_empty() && self.skin.is_empty() {
            return;
        }
        let clock = Stopwatch::start();
        (self.settled, self.shift) = (true, 0.0);
        self.turn(x);
        let before = self.contacts.len();
        for number in 0..self.obstacles.len() {
            for k in 0..self.touching.len() {
                let (distance, there) = self.start[number * self.touching.len() + k];
                if there {
                    continue;
                }
                let t = self.touching[k];
                let (from, to) = (self.from[k], x[t.node as usize].xyz());
                let m = self.moving(number);
                if m.way(from, to) < distance {
                    continue;
                }
                if let Some((_, s)) = m.meet(from, to, 1e-6 * t.edge) {
                    let c = m.contact(t.node, from, &s, t.edge, number as u32);
                    self.contacts.push(c);
                    self.of.push((k as u32, t.edge));
                    self.start[number * self.touching.len() + k].1 = true;
                }
            }
        }
        if self.contacts.len() > before {
            self.settled = false;
            self.method.begin(&self.contacts, self.free);
        }
        // What takes long, or never gets there, is looked after on its way.
        if self.solves.is_multiple_of(SOME_SOLVES) && self.rounds[1] < MOST_ROUNDS {
            self.rounds[1] += 1;
            self.sweep(x);
        }
        self.info.seconds += clock.seconds();
    }

    /// Normals of curved obstacles, and places and normals of contacts between bodies, at the iterate.
    fn turn(&mut self, x: &[Row]) {
        if self.solves > MOST_TURNS {
            return;
        }
        let mut turned = false;
        let before = self.contacts.len();
        for i in 0..before {
            let mut c = self.contacts[i];
            if c.obstacle == LINKS {
                if let Some(shift) = self.links.turn(&mut c, x, self.solves > LINK_TURNS) {
                    self.settled &= shift <= 1e-7 * self.of[i].1;
                    self.shift = self.shift.max(shift);
                    turned = true;
                    self.contacts[i] = c;
                }
                continue;
            }
            if c.obstacle == BODIES {
                if self.solves > SOME_TURNS {
                    continue;
                }
                let edge = self.of[i].1;
                let gap = c.gap(x)[0];
                let Some(next) = self.skin.turned(&c, x, &self.x_n, &self.tangle) else { continue };
                let now = next.gap(x)[0];
                if (now - gap).abs() > 1e-7 * edge && (c.force[0] > 0.0 || now < 0.0) {
                    (self.settled, turned) = (false, true);
                    self.contacts[i] = next;
                }
                continue;
            }
            if self.obstacles.get(c.obstacle as usize).is_none_or(|o| o.shape.is_flat()) {
                continue;
            }
            let k = self.of[i].0 as usize;
            let m = self.moving(c.obstacle as usize);
            let at = x[c.nodes[0] as usize].xyz();
            let Some(s) = m.again(at, c.side) else {
                // Around a corner, and inside: one more contact, as in a crease that has two sides.
                let number = c.obstacle;
                let there = self.contacts.iter().filter(|o| o.nodes[0] == c.nodes[0] && o.obstacle == number);
                if let Some(s) = m.crease(at, c.side, 1e-7 * self.touching[k].edge)
                    && there.clone().count() < MOST_SIDES
                    && there.clone().all(|o| !m.same_side(&s, o.side))
                {
                    let mut other = m.contact(c.nodes[0], self.from[k], &s, self.touching[k].edge, number);
                    other.key |= (there.count() as u64) << 28;
                    self.contacts.push(other);
                    self.of.push(self.of[i]);
                }
                continue;
            };
            let gap = c.gap(x)[0];
            m.aim(&mut c, self.from[k], &s, self.touching[k].edge);
            // The law must hold at the surface itself, not at a plane beside it.
            let shift = (c.gap(x)[0] - gap).abs();
            self.settled &= c.force[0] == 0.0 || shift <= 1e-7 * self.touching[k].edge;
            turned = true;
            self.contacts[i] = c;
        }
        if self.contacts.len() > before {
            self.settled = false;
            self.method.begin(&self.contacts, self.free);
        }
        if turned {
            self.sum_forces();
        }
    }

    /// As [`ContactSet::is_met`], and nothing has passed through a body on its way to x; else the contacts of what has are added, in
    /// up to three rounds.
    pub fn confirm(&mut self, x: &[Row], tolerance: f64) -> bool {
        if !self.is_met(x, tolerance) {
            return false;
        }
        if self.rounds[0] >= MOST_ROUNDS {
            return true;
        }
        self.rounds[0] += 1;
        let clock = Stopwatch::start();
        let met = self.sweep(x);
        self.info.seconds += clock.seconds();
        !met
    }

    /// Puts contacts where things meet on their way to `to`, each at its time of impact. True if there are any.
    pub(super) fn sweep(&mut self, to: &[Row]) -> bool {
        if self.skin.is_empty() {
            return false;
        }
        let mut met = std::mem::take(&mut self.met);
        self.skin.sweep(
            Way { x: &self.x_n, to, free: self.free },
            &self.tangle,
            (LEFT, Dips::Pass),
            &mut met,
        );
        let mut known: Vec<(u64, usize)> =
            self.contacts.iter().enumerate().map(|(i, c)| (c.key, i)).collect();
        known.sort_unstable();
        self.lasting.extend(met.iter().map(|m| m.contact.key));
        for m in &met {
            let first = known.partition_point(|k| k.0 < m.contact.key);
            let same = known[first..].iter().take_while(|k| k.0 == m.contact.key);
            match same.map(|k| k.1).find(|&i| alike(&self.contacts[i], &m.contact)) {
                // Its plane was not quite the right one. The force stays.
                Some(i) => {
                    let c = &mut self.contacts[i];
                    let force = c.to_world(c.force);
                    *c = m.contact;
                    c.force = c.law.project(c.to_local(force));
                }
                // A new one, or one more, as at a corner that has two sides, or where edges meet at another place as they turn.
                None => {
                    self.contacts.push(m.contact);
                    self.of.push((u32::MAX, m.edge));
                }
            }
        }
        if !met.is_empty() {
            self.settled = false;
            self.method.begin(&self.contacts, self.free);
            self.sum_forces();
        }
        self.met = met;
        !self.met.is_empty()
    }
}

/// True if two contacts of the same things are at about the same place and in about the same direction.
fn alike(a: &Contact, b: &Contact) -> bool {
    let near = a.weights.iter().zip(&b.weights).all(|(a, b)| (a - b).abs() < 0.05);
    near && dot(a.frame[0], b.frame[0]) > 0.98
}
