//! What viewers receive besides frames, as JSON.
use serde_json::{Value, json};

use super::session::{Outlet, Session};
use super::tune;
use crate::scenes;
use crate::show::counts;

impl<O: Outlet> Session<O> {
    /// The state in words and numbers.
    pub(super) fn state(&self) -> Value {
        let sim = &self.program.simulation;
        let mut scenes: Vec<Value> = Vec::new();
        if scenes::find(&self.first.name).is_none() {
            scenes.push(
                json!({ "name": self.first.name, "about": "the scene that the viewer was started with" }),
            );
        }
        if let Some(opened) = &self.opened {
            scenes.push(json!({ "name": opened.name, "about": "the scene that was opened last" }));
        }
        let [undo, redo] = self.changes.words();
        scenes.extend(scenes::ALL.iter().map(|s| json!({ "name": s.name, "about": s.about() })));
        json!({
            "type": "state", "scene": self.recipe.name, "scenes": scenes,
            "running": self.running, "speed": self.pace.speed,
            "building": self.building(), "held": self.grips.len(), "viewers": self.outlet.viewers(),
            "nodes": sim.node_count(), "elements": counts(&self.program).iter().sum::<usize>(), "threads": sim.threads(),
            "values": tune::values(&self.recipe.file), "error": self.error,
            "beside": self.beside.as_ref().map(|b| b.rival.word()), "undo": undo, "redo": redo,
            "note": self.note.as_ref().map(|(number, text)| json!({ "number": number, "text": text })),
        })
    }
}
