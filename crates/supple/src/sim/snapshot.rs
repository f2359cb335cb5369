//! A state in memory, and back, bit for bit.

use super::Simulation;
use crate::contact::Touch;
use crate::error::CheckpointError;
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
}

impl Snapshot {
    /// Frame and time.
    pub fn clock(&self) -> (u64, f64) {
        self.clock
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
        }
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
