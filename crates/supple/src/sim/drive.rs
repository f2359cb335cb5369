//! What is moved from outside: pins, anchors and obstacles.

use super::Simulation;
use crate::contact::{Obstacle, Pose, Reaches};
use crate::error::BuildError;
use crate::math::nodes::Row;

impl Simulation {
    /// Checks ids and targets that belong together.
    fn moves(&self, body: usize, ids: &[u32], targets: &[[f64; 3]]) -> Result<(), BuildError> {
        let b = self.bodies.get(body).ok_or(BuildError::NoBody(body))?;
        if ids.len() != targets.len() {
            return Err(BuildError::Body {
                body: b.name.clone(),
                reason: format!("{} nodes were given {} targets", ids.len(), targets.len()),
            });
        }
        for (&id, t) in ids.iter().zip(targets) {
            if t.iter().any(|a| !a.is_finite()) {
                return Err(BuildError::Node {
                    body: b.name.clone(),
                    node: id as usize,
                    reason: format!("its target {t:?} is not finite"),
                });
            }
        }
        Ok(())
    }

    /// Moves pinned nodes of a body, of those pinned along some axes these coordinates: they reach their targets (m) at the end of the next step.
    /// Nothing is factored. A pinned node on an edge of an element of order 2 follows the edge's ends unless it is given a target itself.
    pub fn move_pins(&mut self, body: usize, ids: &[u32], targets: &[[f64; 3]]) -> Result<(), BuildError> {
        self.move_pins_along(body, ids, targets, [true; 3])
    }

    /// As [`Simulation::move_pins`], some coordinates of the targets only.
    pub fn move_pins_along(
        &mut self,
        body: usize,
        ids: &[u32],
        targets: &[[f64; 3]],
        axes: [bool; 3],
    ) -> Result<(), BuildError> {
        self.moves(body, ids, targets)?;
        let mut places = Vec::with_capacity(ids.len());
        for &id in ids {
            let p = self.node_of(body, id as usize)?;
            if p < self.free && self.axes_of(p).is_none() {
                let (body, node) = self.name_of(p);
                return Err(BuildError::Node { body, node, reason: "is not pinned".into() });
            }
            places.push(p);
        }
        for (&p, t) in places.iter().zip(targets) {
            if let Some(to) = self.target_mut(p) {
                (0..3).filter(|&c| axes[c]).for_each(|c| to.0[c] = t[c]);
            }
        }
        if !self.followers.is_empty() {
            places.sort_unstable();
            let given = |p: &usize| places.binary_search(p).is_ok();
            let followers = std::mem::take(&mut self.followers);
            for f in followers.iter().filter(|f| !given(&f.node) && f.ends.iter().any(given)) {
                let [a, b] = f.ends.map(|e| self.target_mut(e).map_or([0.0; 3], |t| t.xyz()));
                if let Some(to) = self.target_mut(f.node) {
                    (0..3).filter(|&c| f.held[c]).for_each(|c| to.0[c] = 0.5 * (a[c] + b[c]) + f.offset[c]);
                }
            }
            self.followers = followers;
        }
        Ok(())
    }

    /// Where a node of the system that is pinned, or pinned along some axes, is to be.
    fn target_mut(&mut self, p: usize) -> Option<&mut Row> {
        match (p.checked_sub(self.free), self.axes_of(p)) {
            (Some(p), _) => self.state.targets.get_mut(p),
            (None, Some(k)) => self.state.axis_targets.get_mut(k),
            (None, None) => None,
        }
    }

    /// Moves the targets (m) of soft anchors of a body. Nothing is factored.
    pub fn move_anchors(&mut self, body: usize, ids: &[u32], targets: &[[f64; 3]]) -> Result<(), BuildError> {
        self.moves(body, ids, targets)?;
        let mut found = Vec::with_capacity(ids.len());
        for &id in ids {
            self.node_of(body, id as usize)?;
            let order = |&k: &u32| (self.anchors[k as usize].body as usize, self.anchors[k as usize].node);
            let Ok(k) = self.anchor_order.binary_search_by_key(&(body, id), order) else {
                let b = &self.bodies[body];
                return Err(BuildError::Node {
                    body: b.name.clone(),
                    node: id as usize,
                    reason: "has no anchor".into(),
                });
            };
            let a = &self.anchors[self.anchor_order[k] as usize];
            found.push((a.batch, a.element));
        }
        for ((batch, element), target) in found.into_iter().zip(targets) {
            if let Some(b) = self.terms.batch_mut(batch) {
                b.set_params(element, 1, target);
            }
        }
        Ok(())
    }

    /// The obstacles, in order of adding.
    pub fn obstacles(&self) -> &[Obstacle] {
        self.contact.obstacles()
    }

    /// Where an obstacle is, relative to where it was added.
    pub fn obstacle_pose(&self, obstacle: usize) -> Option<Pose> {
        self.state.poses.get(obstacle).map(|p| p[0])
    }

    /// Force of each obstacle on the bodies in the last step, in N; empty before the first step.
    pub fn reactions(&self) -> &[[f64; 3]] {
        &self.state.reactions
    }

    /// Moves an obstacle: at the end of the next step it is at this pose, relative to where it was added. Bodies that it touches
    /// feel its velocity.
    pub fn move_obstacle(&mut self, obstacle: usize, pose: Pose) -> Result<(), BuildError> {
        let count = self.state.poses.len();
        let Some(at) = self.state.poses.get_mut(obstacle) else {
            return Err(BuildError::NoObstacle { obstacle, count });
        };
        if !pose.is_finite() {
            let name = self.contact.obstacles()[obstacle].name.clone();
            return Err(BuildError::Obstacle { obstacle: name, reason: "its motion is not finite".into() });
        }
        at[1] = pose;
        Ok(())
    }

    /// Puts an obstacle somewhere at once, without a motion.
    pub fn place_obstacle(&mut self, obstacle: usize, pose: Pose) -> Result<(), BuildError> {
        self.break_record("place_obstacle()");
        self.move_obstacle(obstacle, pose)?;
        self.state.poses[obstacle][0] = pose;
        self.state.reaches = Reaches::default();
        Ok(())
    }
}
