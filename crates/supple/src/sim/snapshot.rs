//! A state in memory, and back, bit for bit.

use super::checkpoint::{rows_of, same_bodies};
use super::{Body, Simulation, axes};
use crate::contact::{Pose, Reaches, Touch};
use crate::error::CheckpointError;
use crate::math::nodes::Row;
use crate::settings::Settings;

/// A state and the settings in force; see [`Simulation::snapshot`].
#[derive(Clone, Debug)]
pub struct Snapshot {
    bytes: Vec<u8>,
    settings: Settings,
    reactions: Vec<[f64; 3]>,
    link_forces: Vec<[f64; 3]>,
    touches: Vec<Touch>,
    clock: (u64, f64),
    bodies: Vec<Body>,
    poses: Vec<[Pose; 2]>,
    frames: Vec<[Pose; 2]>,
    broken: Vec<bool>,
}

impl Snapshot {
    /// Frame and time.
    pub fn clock(&self) -> (u64, f64) {
        self.clock
    }

    /// The settings that were in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// About how many bytes of memory it takes.
    pub fn size(&self) -> usize {
        let triples = self.reactions.len() + self.link_forces.len();
        self.bytes.len()
            + std::mem::size_of::<[f64; 3]>() * triples
            + std::mem::size_of::<Touch>() * self.touches.len()
            + std::mem::size_of::<[Pose; 2]>() * (self.poses.len() + self.frames.len())
    }
}

impl Simulation {
    /// The state now, settings included: [`Simulation::rewind`] comes back to it, and every later step has the same bits.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            bytes: self.checkpoint(),
            settings: self.settings.clone(),
            reactions: self.state.reactions.clone(),
            link_forces: self.state.link_forces.clone(),
            touches: self.state.touches.clone(),
            clock: (self.state.frame, self.state.time),
            bodies: self.bodies.clone(),
            poses: self.state.poses.clone(),
            frames: self.state.frames.clone(),
            broken: self.state.broken.clone(),
        }
    }

    /// Takes over from a snapshot of the same bodies, with other materials, pins, anchors or settings, what
    /// [`Simulation::adopt`] takes over from a simulation: frame, time, positions, velocities, accelerations and external forces, where
    /// obstacles are, and which links are broken, if there are as many. Contacts, and forces of hard constraints, are found anew; an
    /// integrator that looks back starts anew. Pins hold their nodes where these are. On an error nothing changes.
    pub fn adopt_snapshot(&mut self, snapshot: &Snapshot) -> Result<(), CheckpointError> {
        if !same_bodies(&self.bodies, &snapshot.bodies) {
            return Err(CheckpointError::OtherScene("it has other bodies, or other numbers of nodes"));
        }
        let short = CheckpointError::Length { found: snapshot.bytes.len() as u64, expected: 0 };
        let [x, v, a, force] = rows_of(&snapshot.bytes, self.place.len()).ok_or(short)?.map(|rows| {
            let mut mine = vec![Row::default(); rows.len()];
            self.place.iter().zip(rows).for_each(|(&p, row)| mine[p as usize] = row);
            mine
        });
        self.break_record("adopt_snapshot()");
        let state = &mut self.state;
        (state.frame, state.time) = snapshot.clock;
        state.targets.copy_from_slice(&x[self.free..]);
        state.axis_targets = axes::targets(&self.axes, &x);
        (state.x, state.v, state.a, state.force) = (x, v, a, force);
        state.past.forget();
        state.touches.clear();
        state.kept.clear();
        state.link_forces.clear();
        state.reaches = Reaches::default();
        for (mine, theirs) in [(&mut state.poses, &snapshot.poses), (&mut state.frames, &snapshot.frames)] {
            if mine.len() == theirs.len() {
                mine.clone_from(theirs);
            }
        }
        if state.broken.len() == snapshot.broken.len() {
            state.broken.clone_from(&snapshot.broken);
        }
        self.newton.hessian.forget();
        self.terms.keep_forces(true);
        Ok(())
    }

    /// Comes back to a snapshot of this simulation, or of another one of the same scene. On an error nothing changes.
    pub fn rewind(&mut self, snapshot: &Snapshot) -> Result<(), CheckpointError> {
        let before = self.settings.clone();
        if before != snapshot.settings {
            let other = CheckpointError::OtherScene("its settings do not suit this simulation");
            self.update_settings(snapshot.settings.clone()).map_err(|_| other)?;
        }
        if let Err(e) = self.restore(&snapshot.bytes) {
            let back = self.update_settings(before);
            debug_assert!(back.is_ok(), "they were in force before");
            return Err(e);
        }
        self.state.reactions.clone_from(&snapshot.reactions);
        self.state.link_forces.clone_from(&snapshot.link_forces);
        self.state.touches.clone_from(&snapshot.touches);
        Ok(())
    }
}
