//! Which nodes may touch which obstacle in a step, and where.
//!
//! A node's way through the step is a straight line in the obstacle's own frame. Where it first meets the surface the contact
//! gets its normal, so nothing is jumped over however fast it is; a node that only ends near the surface gets the normal
//! there. A contact that turns out not to be one changes nothing.

use crate::contact::Touching;
use crate::contact::{Contact, Law, frame};
use crate::contact::{Obstacle, Pose, SurfacePoint};
use crate::math::small::{add, axpy, dot, scale, sub};

/// Contacts are made within this share of the local edge length.
pub(in crate::contact) const REACH: f64 = 0.3;

/// Depth at the start of a step, as a share of the local edge length, from which on it is removed little by little.
const DEEP: f64 = 1e-4;

/// Share of such a depth that is left after a step.
const LEFT: f64 = 0.8;

/// The gap that must be left after a step that starts with some gap: none, but what is deep inside comes out little by little, since
/// at once would be a blow.
pub(in crate::contact) fn target(gap: f64, edge: f64) -> f64 {
    if gap < -DEEP * edge { LEFT * gap } else { 0.0 }
}

/// An obstacle at the start and at the end of a step.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Moving<'a> {
    pub obstacle: &'a Obstacle,
    pub now: &'a Pose,
    pub next: &'a Pose,
}

impl Moving<'_> {
    /// Nearest point in the obstacle's own frame, its thickness included in the distance.
    fn closest(&self, p: [f64; 3]) -> SurfacePoint {
        let s = self.obstacle.shape.closest(p);
        SurfacePoint { distance: s.distance - self.obstacle.thickness, ..s }
    }

    /// Distance of a node at the start of the step, or as much of it as is certain.
    pub fn start(&self, x: [f64; 3]) -> f64 {
        self.obstacle.shape.clear(self.closest(self.now.undo(x)).distance)
    }

    /// Distance of a node at the end of the step, negative inside.
    pub fn end(&self, x: [f64; 3]) -> f64 {
        self.closest(self.next.undo(x)).distance
    }

    /// Length of a node's way in the obstacle's frame.
    pub fn way(&self, from: [f64; 3], to: [f64; 3]) -> f64 {
        let d = sub(self.next.undo(to), self.now.undo(from));
        dot(d, d).sqrt()
    }

    /// When (0 to 1) and where the way of a node comes within `slack` of the surface.
    pub fn meet(&self, from: [f64; 3], to: [f64; 3], slack: f64) -> Option<(f64, SurfacePoint)> {
        let (a, b) = (self.now.undo(from), self.next.undo(to));
        let d = sub(b, a);
        let length = dot(d, d).sqrt();
        let mut t = 0.0;
        // The distance says how far nothing can be met. Grazing ways take many steps: after enough, call it a meeting.
        for _ in 0..200 {
            let s = self.closest(axpy(a, t, d));
            if s.distance <= slack {
                return Some((t, s));
            }
            t += self.obstacle.shape.clear(s.distance) / length;
            if !(t <= 1.0) {
                return None;
            }
        }
        Some((t, self.closest(axpy(a, t, d))))
    }

    /// Where a node on its way may touch, in the obstacle's frame; `near` is how close is close.
    pub fn touch(&self, from: [f64; 3], to: [f64; 3], near: f64) -> Option<SurfacePoint> {
        if self.obstacle.shape.is_flat() {
            let (a, b) = (self.closest(self.now.undo(from)), self.closest(self.next.undo(to)));
            return (a.distance.min(b.distance) <= near).then_some(a);
        }
        if let Some((_, s)) = self.meet(from, to, 1e-6 * near) {
            return Some(s);
        }
        let s = self.closest(self.next.undo(to));
        (s.distance <= near).then_some(s)
    }

    /// The contact of a node that was at `from`, with a point of the surface.
    pub fn contact(&self, t: &Touching, from: [f64; 3], s: &SurfacePoint, number: u32) -> Contact {
        let (nodes, weights, count) = t.row();
        let mut c = Contact {
            nodes,
            weights,
            count,
            frame: frame(self.next.turn(s.normal)),
            origin: [0.0; 3],
            law: Law::Coulomb(self.obstacle.friction),
            force: [0.0; 3],
            obstacle: number,
            side: self.next.turn(s.normal),
            key: t.key() | u64::from(number),
        };
        self.aim(&mut c, from, s, t.edge);
        c
    }

    /// Puts a contact to another point of the surface: frame and y₀. The force in space stays.
    pub fn aim(&self, c: &mut Contact, from: [f64; 3], s: &SurfacePoint, edge: f64) {
        let force = c.to_world(c.force);
        c.frame = frame(self.next.turn(s.normal));
        let there = self.next.apply(s.point);
        let carried = sub(there, self.now.apply(s.point));
        let slipped = add(from, carried);
        let plane = add(there, scale(self.obstacle.thickness, c.frame[0]));
        c.origin = [dot(c.frame[0], plane), dot(c.frame[1], slipped), dot(c.frame[2], slipped)];
        c.origin[0] += target(self.start(from), edge);
        c.force = c.law.project(c.to_local(force));
    }

    /// Where the surface is nearest to a node at the end of the step, unless that is around a corner.
    pub fn again(&self, x: [f64; 3], side: [f64; 3]) -> Option<SurfacePoint> {
        let s = self.closest(self.next.undo(x));
        (dot(self.next.turn(s.normal), side) >= 0.5).then_some(s)
    }

    /// As [`Moving::again`], where that is around a corner but not behind, and the node is inside by more than `slack`.
    pub fn crease(&self, x: [f64; 3], side: [f64; 3], slack: f64) -> Option<SurfacePoint> {
        let s = self.closest(self.next.undo(x));
        (s.distance < -slack && dot(self.next.turn(s.normal), side) > -0.5).then_some(s)
    }

    /// True if a point of the surface has about the normal of a contact.
    pub fn same_side(&self, s: &SurfacePoint, side: [f64; 3]) -> bool {
        dot(self.next.turn(s.normal), side) >= 0.5
    }

    /// True if the surface nearest to a node at the end of the step faces away from a normal in the obstacle's frame.
    pub fn opposite(&self, x: [f64; 3], normal: [f64; 3]) -> bool {
        dot(self.closest(self.next.undo(x)).normal, normal) < -0.5
    }

    /// True if the way of a node leads through the inside.
    pub fn inside_between(&self, from: [f64; 3], to: [f64; 3]) -> bool {
        let (a, b) = (self.now.undo(from), self.next.undo(to));
        (1..32).any(|i| self.closest(axpy(a, f64::from(i) / 32.0, sub(b, a))).distance < 0.0)
    }
}
