//! The contacts of a step.

use super::finish::LEFT;
use super::gauss_seidel::{Compliance, GaussSeidel, Sweeps};
use crate::contact::Contact;
use crate::contact::ContactReport;
use crate::contact::Law;
use crate::contact::Touching;
use crate::contact::detect::nodes::{Moving, REACH};
use crate::contact::detect::surfaces::Surfaces;
use crate::contact::potential::held_rows::Why;
use crate::contact::potential::{Barrier, Reaches};
use crate::contact::{LINKS, Link, Links};
use crate::contact::{Obstacle, Pose};
use crate::exec::{Exec, Stopwatch};
use crate::math::nodes::Row;
use std::sync::Arc;

/// Most sweeps over the contacts in one solve.
const MOST_SWEEPS: usize = 200;

/// A contact force that the next step starts with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept {
    /// [`Contact::key`].
    pub key: u64,
    /// Force on the first node in N.
    pub force: [f64; 3],
}

/// Obstacles, the nodes that may touch them, and the contacts of the present step.
#[derive(Debug, Default)]
pub struct ContactSet {
    pub(in crate::contact) obstacles: Vec<Obstacle>,
    pub(in crate::contact) touching: Vec<Touching>,
    pub(in crate::contact) links: Links,
    found: Vec<(Contact, f64)>,
    pub(in crate::contact) free: usize,
    /// Of this step, per obstacle: where it is at the start and at the end.
    poses: Vec<[Pose; 2]>,
    /// Per touching node, where it is at the start.
    pub(in crate::contact) from: Vec<[f64; 3]>,
    /// Per obstacle and touching node: its distance at the start, and whether there is a contact.
    pub(in crate::contact) start: Vec<(f64, bool)>,
    pub(in crate::contact) contacts: Vec<Contact>,
    /// Number in `touching` of each contact's node, for obstacles, and the local edge length.
    pub(in crate::contact) of: Vec<(u32, f64)>,
    pub(in crate::contact) method: GaussSeidel,
    force: Vec<Row>,
    change: Vec<Row>,
    pub(in crate::contact) solves: usize,
    sweeps: Sweeps,
    pub(in crate::contact) settled: bool,
    /// How far the last update has moved the rows of curves at their nodes, in m.
    pub(in crate::contact) shift: f64,
    pub(in crate::contact) report: ContactReport,
    /// Depth in m that this step has brought: of nodes that were outside of obstacles before.
    pub(in crate::contact) entered: f64,
    /// Σψ of the repulsion in J.
    energy: f64,
    /// Spent on looking for contacts, in s.
    pub(in crate::contact) seconds: f64,
    /// Contact by a potential, where bodies may touch each other.
    pub(crate) barrier: Barrier,
    /// Nodes that are pinned along some axes, in order, and which.
    held: Vec<(u32, [bool; 3])>,
}

impl ContactSet {
    /// Obstacles, and the nodes that may touch them; nodes from `free` on do not move by forces.
    pub fn new(obstacles: Vec<Obstacle>, touching: Vec<Touching>, free: usize) -> ContactSet {
        let rows = if obstacles.is_empty() { 0 } else { free };
        ContactSet {
            obstacles,
            touching,
            free,
            force: vec![Row::default(); rows],
            change: vec![Row::default(); rows],
            ..ContactSet::default()
        }
    }

    /// Bodies touch each other, and obstacles, by a potential: for methods that factor a Hessian. `body` is that of each node. Then whatever looks
    /// for contacts is called inside [`Exec::install`].
    pub fn with_potential(
        mut self,
        surfaces: Surfaces,
        x: &[Row],
        body: &[u32],
        exec: Arc<Exec>,
    ) -> ContactSet {
        self.barrier = Barrier::new(surfaces, &self.obstacles, &self.touching, (x, self.free, body), exec);
        self.force = vec![Row::default(); self.free];
        self.change = vec![Row::default(); self.free];
        self
    }

    /// Nodes that are pinned along some axes, in order. Where such a pin is all that could give way along a normal there is no contact, as there is none of a
    /// node that is pinned altogether.
    pub fn with_held(mut self, held: Vec<(u32, [bool; 3])>) -> ContactSet {
        self.held = held;
        self
    }

    /// True if some node of a contact may move along its normal.
    pub(in crate::contact) fn gives_way(&self, c: &Contact) -> bool {
        let along = |node: u32| {
            let axes = self.held.binary_search_by_key(&node, |h| h.0).map_or([false; 3], |k| self.held[k].1);
            (0..3).any(|d| !axes[d] && c.frame[0][d].abs() > 1e-6)
        };
        self.held.is_empty() || c.nodes[..c.count as usize].iter().any(|&node| along(node))
    }

    /// True for a node that is pinned along some axes.
    pub(in crate::contact) fn is_held(&self, node: u32) -> bool {
        self.held.binary_search_by_key(&node, |h| h.0).is_ok()
    }

    /// True if contact is by a potential: where bodies may touch each other.
    pub fn by_potential(&self) -> bool {
        !self.barrier.is_empty()
    }

    /// Forces and counts at the end of a step by potential.
    pub fn take_forces(&mut self, b: &Barrier) {
        self.force.fill(Row::default());
        b.add_forces(&mut self.force);
        let bear = b.pairs.iter().filter(|p| p.force() > 0.0).count();
        let (held, way) = b.held();
        self.report.contacts = bear;
        self.report.candidates = b.pairs.len();
        self.report.contact_residual = b.friction_residual();
        (self.report.held, self.report.held_way) = (held, way);
        b.tell(&mut self.report);
        self.energy = b.repulsion();
        let links = b.held.iter().filter(|h| h.why == Why::Link);
        for (c, h) in self.contacts.iter_mut().zip(links) {
            *c = h.row;
        }
    }

    /// How far an obstacle has come on its way through the step, 0 to 1.
    pub fn progress_of(&self, obstacle: usize) -> f64 {
        if self.by_potential() { self.barrier.progress_of(obstacle) } else { 1.0 }
    }

    /// Links too.
    pub fn with_links(mut self, links: Links) -> ContactSet {
        self.links = links;
        self.force = vec![Row::default(); self.free];
        self.change = vec![Row::default(); self.free];
        self
    }

    /// The links.
    pub fn links(&self) -> &[Link] {
        self.links.all()
    }
    /// Where the frames and obstacles of links are in the next step, and which links are broken. Before [`ContactSet::begin`].
    pub fn aim_links(&mut self, frames: &[[Pose; 2]], obstacles: &[[Pose; 2]], broken: &[bool]) {
        self.links.aim(frames, obstacles, broken);
    }
    /// Force of each link on its node in the last step, in N.
    pub fn link_forces(&self, out: &mut Vec<[f64; 3]>) {
        out.clear();
        out.resize(self.links.all().len(), [0.0; 3]);
        for c in self.contacts.iter().filter(|c| c.obstacle == LINKS) {
            if let Some(f) = out.get_mut((c.key >> 32) as usize) {
                *f = c.to_world(c.force);
            }
        }
    }
    /// Nodes that may touch obstacles.
    pub fn touching(&self) -> &[Touching] {
        &self.touching
    }
    /// The obstacles.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }
    /// The contacts.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }
    /// True if nothing can touch in this step.
    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty()
    }
    /// Cᵀλ for each free node in N; empty if there are no obstacles.
    pub fn force(&self) -> &[Row] {
        &self.force
    }
    /// Cᵀ(λ − λ₀) of the last solve.
    pub fn change(&self) -> &[Row] {
        &self.change
    }
    /// How far the last update has moved the rows of curves at their nodes, in m.
    pub fn shift(&self) -> f64 {
        self.shift
    }
    /// What the last step said.
    pub fn report(&self) -> ContactReport {
        self.report
    }
    /// Depth in m that the last step has brought: of nodes that were outside of obstacles before.
    pub fn entered(&self) -> f64 {
        self.entered
    }
    /// Σψ of the repulsion between bodies at the end of the last step, in J.
    pub fn energy(&self) -> f64 {
        self.energy
    }
    /// What the last step spent on looking for contacts, in s.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    pub(in crate::contact) fn moving(&self, obstacle: usize) -> Moving<'_> {
        let [now, next] = &self.poses[obstacle];
        Moving { obstacle: &self.obstacles[obstacle], now, next }
    }

    /// Starts a step from positions `x` that would lead to `to` without contact, with what is kept from the last one.
    pub fn begin(&mut self, poses: &[[Pose; 2]], x: &[Row], to: &[Row], kept: (&[Kept], &Reaches)) {
        self.contacts.clear();
        self.of.clear();
        self.from.clear();
        self.start.clear();
        self.report = ContactReport::default();
        (self.entered, self.energy, self.seconds) = (0.0, 0.0, 0.0);
        let clock = Stopwatch::start();
        (self.solves, self.sweeps, self.settled) = (0, Sweeps::default(), true);
        self.method.begin_step();
        self.force.fill(Row::default());
        if self.obstacles.is_empty() && self.barrier.is_empty() && self.links.is_empty() {
            return;
        }
        self.poses.clear();
        self.poses.extend_from_slice(poses);
        if !self.by_potential() {
            self.find_rows(x, to);
        }
        self.find_links(x);
        self.recall(kept.0);
        if self.by_potential() {
            let mut barrier = std::mem::take(&mut self.barrier);
            barrier.begin(&self.obstacles, poses, x, kept, &self.contacts);
            self.barrier = barrier;
        } else {
            self.method.begin(&self.contacts, self.free);
            self.sum_forces();
        }
        self.seconds = clock.seconds();
    }

    fn find_rows(&mut self, x: &[Row], to: &[Row]) {
        self.from.extend(self.touching.iter().map(|t| t.at(x)));
        for number in 0..self.obstacles.len() {
            let first = self.contacts.len();
            for k in 0..self.touching.len() {
                let t = self.touching[k];
                let (from, to) = (self.from[k], t.at(to));
                let m = self.moving(number);
                let distance = m.start(from);
                let way = m.way(from, to);
                let near = REACH * t.edge + way.min(t.edge);
                let touch = if distance > near + way { None } else { m.touch(from, to, near) };
                let contact = touch.map(|s| m.contact(&t, from, &s, number as u32));
                self.start.push((distance, contact.is_some()));
                if let Some(c) = contact.filter(|c| self.gives_way(c)) {
                    self.contacts.push(c);
                    self.of.push((k as u32, t.edge));
                }
            }
            self.thin_out(first, number, to);
        }
    }

    fn find_links(&mut self, x: &[Row]) {
        if self.links.is_empty() {
            return;
        }
        self.found.clear();
        self.links.find(x, self.free, &mut self.found);
        for (c, edge) in &self.found {
            self.contacts.push(*c);
            self.of.push((u32::MAX, *edge));
        }
    }

    /// Contacts start with the forces of the last step.
    fn recall(&mut self, kept: &[Kept]) {
        // What follows the iterates has not yet.
        let flat = |c: &Contact| self.obstacles.get(c.obstacle as usize).is_some_and(|o| o.shape.is_flat());
        self.settled = self.contacts.iter().all(flat);
        for c in &mut self.contacts {
            // Of the same key the first one has the force.
            let at = kept.partition_point(|k| k.key < c.key);
            if let Some(k) = kept.get(at).filter(|k| k.key == c.key) {
                c.force = c.law.project(c.to_local(k.force));
            }
        }
    }

    /// How far links and curves are from where they should be at `y`, after rows of curves were put to where their nodes are.
    pub fn turn_links(
        &self,
        held: &mut crate::contact::potential::held_rows::Held,
        y: &[Row],
        stay: bool,
    ) -> f64 {
        match held.why {
            Why::Link => self.links.turn(&mut held.row, y, stay).unwrap_or(0.0),
            Why::Out => 0.0,
        }
    }

    pub(in crate::contact) fn sum_forces(&mut self) {
        self.force.fill(Row::default());
        for c in &self.contacts {
            let f = c.to_world(c.force);
            for k in 0..c.count as usize {
                if let Some(row) = self.force.get_mut(c.nodes[k] as usize) {
                    for d in 0..3 {
                        row.0[d] += c.weights[k] * f[d];
                    }
                }
            }
        }
    }

    /// Solves for the forces that keep the law at `x_f` + B⁻¹Cᵀ(λ − λ₀); then [`ContactSet::change`] is Cᵀ(λ − λ₀). True if there
    /// is any change. `tolerance` is a share of the local edge length.
    pub fn solve(&mut self, x_f: &[Row], compliance: &mut dyn Compliance, tolerance: f64) -> bool {
        let edge = self.shortest();
        let within = (LEFT * tolerance.max(1e-10), edge, MOST_SWEEPS);
        let gaps: Vec<[f64; 3]> = self.contacts.iter().map(|c| c.gap(x_f)).collect();
        self.sweeps = self.method.solve(&mut self.contacts, gaps.into_iter(), compliance, within);
        self.report.sweeps += self.sweeps.sweeps;
        self.solves += 1;
        self.find_change()
    }

    /// Cᵀλ and its change since it was last summed. True if there is any.
    fn find_change(&mut self) -> bool {
        std::mem::swap(&mut self.force, &mut self.change);
        self.sum_forces();
        let mut any = false;
        for (change, force) in self.change.iter_mut().zip(&self.force) {
            for d in 0..3 {
                change.0[d] = force.0[d] - change.0[d];
                any |= change.0[d] != 0.0;
            }
        }
        any
    }

    /// Other forces, in the frame of each contact, and a bound of its own block in m/N, from its number and itself. Then
    /// [`ContactSet::change`] is Cᵀ of what has changed. For the papers' ways to contact.
    pub fn change_forces(&mut self, f: impl Fn(usize, &Contact) -> ([f64; 3], f64)) {
        for (k, c) in self.contacts.iter_mut().enumerate() {
            let (force, bound) = f(k, c);
            c.force = force;
            self.method.set_bound(k, bound);
        }
        self.solves += 1;
        self.find_change();
    }

    /// Adds to the sweeps that the report counts.
    pub fn count_sweeps(&mut self, sweeps: usize) {
        self.report.sweeps += sweeps;
    }

    /// The shortest edge at any contact in m.
    pub fn shortest(&self) -> f64 {
        self.of.iter().map(|of| of.1).fold(f64::INFINITY, f64::min)
    }

    /// Forgets what was computed for the matrix of the last solve: the next one is with another.
    pub fn forget_matrix(&mut self) {
        self.method.forget();
    }

    /// max s|λ − project(λ − y/s)| at x, in m.
    pub fn residual(&self, x: &[Row]) -> f64 {
        let mut most = 0.0f64;
        for (i, c) in self.contacts.iter().enumerate() {
            let (y, s) = (c.gap(x), self.method.bound(i));
            let length = |v: [f64; 3]| (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
            let part = if let Law::Hold(_) = c.law {
                // λ drops out, also where links contradict each other and it is so large that y/s is lost in it.
                length(c.law.project(y))
            } else if s > 0.0 {
                let q = c.law.project(std::array::from_fn(|d| c.force[d] - y[d] / s));
                length(std::array::from_fn(|d| s * (c.force[d] - q[d])))
            } else if c.force != [0.0; 3] {
                // A force of before that was not looked at yet.
                length(y)
            } else {
                (-y[0]).max(0.0)
            };
            if part.is_nan() {
                return f64::INFINITY;
            }
            most = most.max(part);
        }
        most
    }

    /// True if the law holds at x within a share of the shortest edge, and contacts are where they should be.
    pub fn is_met(&self, x: &[Row], tolerance: f64) -> bool {
        let edge = self.shortest();
        self.contacts.is_empty() || (self.settled && self.residual(x) <= tolerance.max(1e-10) * edge)
    }

    /// What a merit function adds to the energy at x, in J: the work of friction with the present normal forces, and depth times
    /// a little more than these forces; the same for links.
    pub fn merit(&self, x: &[Row]) -> f64 {
        let mut sum = 0.0;
        for c in &self.contacts {
            let y = c.gap(x);
            match c.law {
                Law::Coulomb(mu) => {
                    let n = c.force[0].max(0.0);
                    sum += mu * n * (y[1] * y[1] + y[2] * y[2]).sqrt() + 1.5 * n * (-y[0]).max(0.0);
                }
                Law::Hold(_) => {
                    let (f, d) = (c.force, c.law.project(y));
                    let length = |v: [f64; 3]| (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
                    sum += 1.5 * length(f) * length(d);
                }
            }
        }
        sum
    }

    /// Sum of the forces of each obstacle on the bodies, attachments included, in N.
    pub fn reactions(&self, out: &mut Vec<[f64; 3]>) {
        out.clear();
        out.resize(self.obstacles.len(), [0.0; 3]);
        if self.by_potential() {
            self.barrier.add_reactions(out);
        }
        for c in &self.contacts {
            let f = c.to_world(c.force);
            if let Some(sum) = out.get_mut(self.links.obstacle(c).unwrap_or(c.obstacle) as usize) {
                for d in 0..3 {
                    sum[d] += f[d];
                }
            }
        }
    }

    /// The forces that the next step starts with, by key.
    pub fn keep(&self, out: &mut Vec<Kept>) {
        out.clear();
        if self.by_potential() {
            self.barrier.keep(out);
        }
        let bearing = self.contacts.iter().filter(|c| c.force != [0.0; 3]);
        out.extend(bearing.map(|c| Kept { key: c.key, force: c.to_world(c.force) }));
        // Of the same key in the order of contacts.
        out.sort_by_key(|k| k.key);
        out.dedup_by_key(|k| (k.key, k.force == [0.0; 3]));
    }
}
