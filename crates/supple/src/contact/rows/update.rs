//! Rows follow the iterates: those with curved obstacles turn, and what would pass through something gets one.

use crate::contact::ContactSet;
use crate::contact::LINKS;
use crate::exec::Stopwatch;
use crate::math::nodes::Row;

/// Solves after which contacts with curved obstacles keep their normals.
const MOST_TURNS: usize = 50;

/// Solves after which a node that slides on a curve and goes to and fro around a corner stays where it is.
const LINK_TURNS: usize = 15;

/// Places of one obstacle that a node may touch at once.
const MOST_SIDES: usize = 4;

/// Points of a skin that touch one obstacle and ride in one tetrahedron: more hold its plane twice.
const MOST_POINTS: usize = 3;

impl ContactSet {
    /// Of the contacts of skins with an obstacle, from the `first` on, keeps the deepest few of each tetrahedron.
    pub(in crate::contact) fn thin_out(&mut self, first: usize, number: usize, to: &[Row]) {
        let m = self.moving(number);
        let mut order: Vec<([u32; 4], f64, usize)> = Vec::new();
        for i in first..self.contacts.len() {
            let t = &self.touching[self.of[i].0 as usize];
            order.extend(t.carried.map(|c| (c.nodes, m.end(t.at(to)), i)));
        }
        if order.is_empty() {
            return;
        }
        order.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
        let mut keep = vec![true; self.contacts.len()];
        for group in order.chunk_by(|a, b| a.0 == b.0) {
            group.iter().skip(MOST_POINTS).for_each(|g| keep[g.2] = false);
        }
        let mut kept = keep.iter();
        self.contacts.retain(|_| kept.next() == Some(&true));
        let mut kept = keep.iter();
        self.of.retain(|_| kept.next() == Some(&true));
    }

    /// At an iterate: turns contacts with curved obstacles to where the nodes are now, and adds those of nodes that would pass
    /// through something.
    pub fn update(&mut self, x: &[Row]) {
        if self.contacts.is_empty() && self.obstacles.is_empty() {
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
                let (from, to) = (self.from[k], t.at(x));
                let m = self.moving(number);
                if m.way(from, to) < distance {
                    continue;
                }
                if let Some((_, s)) = m.meet(from, to, 1e-6 * t.edge) {
                    let c = m.contact(&t, from, &s, number as u32);
                    if self.gives_way(&c) {
                        self.contacts.push(c);
                        self.of.push((k as u32, t.edge));
                    }
                    self.start[number * self.touching.len() + k].1 = true;
                }
            }
        }
        if self.contacts.len() > before {
            self.settled = false;
            self.method.begin(&self.contacts, self.free);
        }
        self.seconds += clock.seconds();
    }

    /// Normals of curved obstacles at the iterate.
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
            if self.obstacles.get(c.obstacle as usize).is_none_or(|o| o.shape.is_flat()) {
                continue;
            }
            let k = self.of[i].0 as usize;
            let m = self.moving(c.obstacle as usize);
            let at = self.touching[k].at(x);
            let Some(s) = m.again(at, c.side) else {
                // Around a corner, and inside: one more contact, as in a crease that has two sides.
                let number = c.obstacle;
                let there =
                    self.contacts.iter().filter(|o| o.key >> 32 == c.key >> 32 && o.obstacle == number);
                if let Some(s) = m.crease(at, c.side, 1e-7 * self.touching[k].edge)
                    && there.clone().count() < MOST_SIDES
                    && there.clone().all(|o| !m.same_side(&s, o.side))
                {
                    let mut other = m.contact(&self.touching[k], self.from[k], &s, number);
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
}
