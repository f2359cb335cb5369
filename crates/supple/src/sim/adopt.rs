//! Going on with another simulation of the same bodies: after a change that needs a new matrix, such as another material
//! or another anchor, the new simulation is built while the old one still runs, and then takes over its state.

use super::integrator::Past;
use super::{Simulation, State, axes};
use crate::contact::Reaches;
use crate::error::BuildError;
use crate::math::nodes::Row;

impl Simulation {
    /// Takes over the state of another simulation of the same bodies: time, frame, positions, velocities, accelerations and
    /// external forces of all nodes, where pins and anchors that both have are to go, and how far
    /// muscles have contracted, if both have as many. Settings, materials, pins and anchors
    /// stay this simulation's own. A pin that only this one has holds its node where the node is. On an error nothing changes.
    pub fn adopt(&mut self, other: &Simulation) -> Result<(), BuildError> {
        self.break_record("adopt()");
        let same = |a: &[super::Body], b: &[super::Body]| {
            a.len() == b.len()
                && a.iter().zip(b).all(|(a, b)| (a.first_node, a.nodes) == (b.first_node, b.nodes))
        };
        if !same(&self.bodies, &other.bodies) {
            return Err(BuildError::Setting {
                name: "state",
                reason: "the other simulation has other bodies, or as many with other numbers of nodes"
                    .into(),
            });
        }
        let place = |rows: &[Row]| {
            let mut mine = vec![Row::default(); rows.len()];
            for (&to, &from) in self.place.iter().zip(&other.place).take(rows.len()) {
                mine[to as usize] = rows[from as usize];
            }
            mine
        };
        let theirs = &other.state;
        let mut targets = place(&theirs.x).split_off(self.free);
        for (&to, &from) in self.place.iter().zip(&other.place) {
            let pinned = ((to as usize).checked_sub(self.free), (from as usize).checked_sub(other.free));
            if let (Some(to), Some(from)) = pinned {
                targets[to] = theirs.targets[from];
            }
        }
        let mut axis_targets = axes::targets(&self.axes, &place(&theirs.x));
        for (&to, &from) in self.place.iter().zip(&other.place) {
            if let (Some(to), Some(from)) = (self.axes_of(to as usize), other.axes_of(from as usize)) {
                axis_targets[to] = theirs.axis_targets[from];
            }
        }
        // Frame, time and whatever else does not depend on the order of nodes is theirs.
        self.state = State {
            x: place(&theirs.x),
            v: place(&theirs.v),
            a: place(&theirs.a),
            a_before: place(&theirs.a_before),
            past: Past { x: place(&theirs.past.x), v: place(&theirs.past.v), ..theirs.past.clone() },
            force: place(&theirs.force),
            targets,
            axis_targets,
            touches: Vec::new(),
            // Contacts are found anew; obstacles are where theirs are, if there are as many.
            kept: Vec::new(),
            reaches: Reaches::default(),
            reactions: self.state.reactions.clone(),
            link_forces: Vec::new(),
            // Links stay broken, if there are as many.
            frames: if theirs.frames.len() == self.state.frames.len() {
                &theirs.frames
            } else {
                &self.state.frames
            }
            .clone(),
            broken: if theirs.broken.len() == self.state.broken.len() {
                &theirs.broken
            } else {
                &self.state.broken
            }
            .clone(),
            poses: if theirs.poses.len() == self.state.poses.len() {
                &theirs.poses
            } else {
                &self.state.poses
            }
            .clone(),
            ..theirs.clone()
        };
        for anchor in self.anchors.clone() {
            let key = (anchor.body, anchor.node);
            let order = |&k: &u32| (other.anchors[k as usize].body, other.anchors[k as usize].node);
            let Ok(k) = other.anchor_order.binary_search_by_key(&key, order) else { continue };
            let from = &other.anchors[other.anchor_order[k] as usize];
            let target = other.terms.batches().get(from.batch).map(|b| b.params(from.element));
            if let (Some(params), Some(batch)) = (target, self.terms.batch_mut(anchor.batch)) {
                batch.set_params(anchor.element, 1, &params[1..4]);
            }
        }
        self.fibres.set_rest_lengths(&mut self.terms, &other.fibres.rest_lengths(&other.terms));
        self.lagged.hessian.forget();
        // Constraints may have other weights here: their forces are found anew.
        self.terms.keep_forces(true);
        Ok(())
    }

    /// How hard a node of a body is to move against the system matrix: its diagonal entry divided by Δt², in N/m. An anchor of
    /// a few times that stiffness holds the node firmly and still suits the rest of the matrix. None for a pinned node.
    pub fn node_stiffness(&self, body: usize, id: u32) -> Result<Option<f64>, BuildError> {
        let node = self.node_of(body, id as usize)?;
        let step = self.matrix_step;
        Ok(self.system.diagonal(node).map(|d| d / (step * step)))
    }
}
