//! What viewers change: values, scenes, files, the method beside; and what is built of it.
use serde_json::Value;
use supple::scene::file::SceneFile;

use super::beside::{Beside, Rival};
use super::files::{Files, Opening};
use super::job::{Built, Pair};
use super::recipe::Recipe;
use super::session::{Outlet, Session};
use super::stream::Numbers;
use super::tune;

/// Whether two scenes differ in nothing but settings, which a simulation takes while it runs; whether there is any air is none of them.
fn same_but_settings(a: &SceneFile, b: &SceneFile) -> bool {
    a.world.wind.is_some() == b.world.wind.is_some()
        && *a == SceneFile { world: a.world.clone(), solve: a.solve.clone(), ..b.clone() }
}

impl<O: Outlet> Session<O> {
    /// Another value.
    pub(super) fn set(&mut self, viewer: u64, key: &str, value: &Value, body: Option<&str>, more: bool) {
        let before = self.recipe.file.clone();
        match tune::set(&mut self.recipe.file, key, value, body) {
            Ok(()) if before == self.recipe.file => {}
            Ok(()) => {
                let what = body.map_or_else(|| key.into(), |body| format!("{key} of {body}"));
                self.changes.add(what, viewer, more, &before);
                self.apply();
            }
            Err(e) => self.refuse(e),
        }
    }

    /// The values as they were before the last change, or as they were before that was taken back.
    pub(super) fn undo(&mut self, back: bool) {
        self.forget_iterates();
        if self.changes.go(back, &mut self.recipe.file) {
            self.apply();
        }
    }

    /// Makes the program follow the recipe: at once if no new matrix is needed.
    fn apply(&mut self) {
        let parts = same_but_settings(&self.good.file, &self.recipe.file) && !self.building();
        let rival = self.beside.as_ref().map(|b| b.rival.scene(&self.recipe.file));
        let wanted = supple::scene::settings(&self.recipe.file);
        let wanted = wanted.and_then(|w| Ok((w, rival.as_ref().map(supple::scene::settings).transpose()?)));
        let mut simulations = vec![&mut self.program.simulation]
            .into_iter()
            .chain(self.beside.iter_mut().map(|b| &mut b.program.simulation));
        match wanted {
            Ok((first, second)) => {
                let mut all: Vec<_> =
                    simulations.by_ref().zip([Some(first), second].into_iter().flatten()).collect();
                let light = all.iter().all(|(simulation, new)| {
                    let touching = simulation.touching();
                    new.solve.weights(touching) == simulation.settings().solve.weights(touching)
                });
                if !(parts && light) {
                    return self.wish(true);
                }
                let before: Vec<_> = all.iter().map(|(s, _)| s.settings().clone()).collect();
                let done = all.iter_mut().try_for_each(|(s, new)| s.update_settings(new.clone()));
                if let Err(e) = done {
                    // They were in force before.
                    all.iter_mut().zip(before).for_each(|((s, _), old)| drop(s.update_settings(old)));
                    return self.take_back(e.to_string());
                }
                self.good = self.recipe.clone();
            }
            Err(e) => self.take_back(e.to_string()),
        }
    }

    /// What was changed last cannot be: why.
    fn take_back(&mut self, why: String) {
        self.recipe = self.good.clone();
        self.changes.refused(&self.good.file);
        self.refuse(why);
    }

    pub(super) fn change_scene(&mut self, name: &str) {
        let own = [Some(&self.first), self.opened.as_ref()].into_iter().flatten().find(|r| r.name == name);
        match own.cloned().or_else(|| Recipe::built_in(name)) {
            Some(recipe) => {
                self.recipe = recipe;
                self.drop_grips(|_| true);
                self.rival = None;
                self.wish(false);
            }
            None => {
                self.outlet.calm();
                self.refuse("there is no built-in scene of that name".into());
            }
        }
    }

    /// Files came: a scene is built, a checkpoint is gone to.
    pub fn open(&mut self, files: Files) {
        self.dirty = true;
        // Only what it is at a glance: a mesh is filled elsewhere.
        if !files.is_checkpoint() {
            self.forget_iterates();
            return self.wish_files(false, Some(files));
        }
        let state = match files.opening() {
            Ok(Opening::Checkpoint(state)) => state,
            Ok(Opening::Scene(..)) => return,
            Err(e) => return self.refuse(e),
        };
        let held = self.drop_grips(|_| true);
        self.looked = 0;
        match self.go_to(&state) {
            Ok(()) => {
                self.error = None;
                self.running = false;
                self.history.clear();
                self.last = Numbers::default();
                self.keep();
                self.publish(true);
            }
            Err(e) => self.refuse(e),
        }
        if held {
            self.wish(true);
        }
    }

    /// Goes to a state in a file, by both methods. The one beside goes to the same positions and velocities.
    fn go_to(&mut self, state: &[u8]) -> Result<(), String> {
        let (before, substeps) =
            (self.program.simulation.snapshot(), u64::from(self.program.substeps.max(1)));
        let simulation = &mut self.program.simulation;
        simulation.restore(state).map_err(|e| format!("the checkpoint cannot be opened here: {e}"))?;
        if !simulation.frame().is_multiple_of(substeps) {
            simulation.rewind(&before).map_err(|e| e.to_string())?;
            return Err("the checkpoint lies between two frames: it was made with other substeps".into());
        }
        if let Some(b) = &mut self.beside {
            b.program.simulation.adopt(&self.program.simulation).map_err(|e| e.to_string())?;
            b.last = Numbers::default();
        }
        Ok(())
    }

    /// The same scene by another method too, from the start; or no more.
    pub(super) fn compare(&mut self, with: Option<Rival>) {
        self.forget_iterates();
        self.rival = with;
        if with.is_some() {
            self.drop_grips(|_| true);
            return self.wish(false);
        }
        if self.beside.take().is_some() {
            self.history.clear();
            self.keep();
        }
        self.publish(true);
    }

    /// A program is ready: it goes on from where the other one is, or starts anew.
    pub fn accept(&mut self, built: Built) {
        self.dirty = true;
        let newest = built.job.number == self.wished;
        self.built = built.job.number;
        // What starts anew counts only if nothing else was wished for since.
        if !newest && (self.fresh || !built.job.goes_on) {
            return;
        }
        let Built { mut job, result } = built;
        self.opening = false;
        match result.and_then(|pair| self.take(pair, job.goes_on, job.rival)) {
            Ok(()) => {
                let other = self.good.name != job.recipe.name || job.opened;
                if job.opened {
                    // All scenes of the list can be come back to.
                    let name = &mut job.recipe.name;
                    if *name == self.first.name || Recipe::built_in(name).is_some() {
                        name.push_str(" (opened)");
                    }
                    self.opened = Some(job.recipe.clone());
                }
                if newest {
                    self.recipe = job.recipe.clone();
                }
                if !job.goes_on {
                    self.rival = job.rival;
                }
                self.good = job.recipe;
                // Whoever pulls is not kept waiting for the next frame.
                if !self.grips.is_empty() {
                    self.pace.restart();
                }
                if !job.goes_on {
                    if other {
                        self.changes.clear();
                    }
                    self.fresh = false;
                    self.error = None;
                    self.outlet.calm();
                    self.show_model();
                    self.pace.restart();
                }
            }
            Err(e) if newest => {
                self.fresh = false;
                self.outlet.calm();
                self.rival = self.beside.as_ref().map(|b| b.rival);
                self.take_back(e);
                // What others hold, with the recipe that works.
                if self.drop_grips(|_| true) {
                    self.wish(true);
                }
            }
            Err(_) => {}
        }
    }

    /// Puts what was built in the place of what runs.
    fn take(&mut self, pair: Pair, goes_on: bool, rival: Option<Rival>) -> Result<(), String> {
        let Pair { first: (mut program, start), beside, state } = pair;
        // What goes on may have been wished for when another method was beside, or none.
        let mut beside = rival.filter(|r| !goes_on || self.rival == Some(*r)).zip(beside);
        if goes_on {
            program.simulation.adopt(&self.program.simulation).map_err(|e| e.to_string())?;
            if let Some((_, (program, _))) = &mut beside {
                let from = self.beside.as_ref().map_or(&self.program.simulation, |b| &b.program.simulation);
                program.simulation.adopt(from).map_err(|e| e.to_string())?;
            }
        } else {
            if let Some(state) = &state {
                let wrong = |e| format!("the checkpoint is not of this scene: {e}");
                program.simulation.restore(state).map_err(wrong)?;
                if let Some((_, (other, _))) = &mut beside {
                    other.simulation.adopt(&program.simulation).map_err(|e| e.to_string())?;
                }
            }
            self.last = Numbers::default();
            self.drop_grips(|_| true);
            self.history.clear();
        }
        let last = self.beside.as_ref().filter(|_| goes_on).map_or(Numbers::default(), |b| b.last);
        (self.program, self.start) = (program, start);
        let grips = &self.grips;
        self.beside = beside.map(|(rival, (program, start))| {
            let grips = match &self.beside {
                Some(b) if goes_on => b.grips.clone(),
                _ => grips.iter().map(|g| g.twin(&program)).collect(),
            };
            Beside { rival, program, start, last, grips }
        });
        Ok(())
    }

    pub(super) fn reset(&mut self) {
        self.looked = 0;
        self.outlet.calm();
        self.error = None;
        let held = self.drop_grips(|_| true);
        self.last = Numbers::default();
        let mut whole = self.program.simulation.restore(&self.start).is_ok();
        if let Some(b) = &mut self.beside {
            b.last = Numbers::default();
            whole &= b.program.simulation.restore(&b.start).is_ok();
        }
        if held || !whole {
            self.wish(whole);
        }
        self.history.clear();
        self.keep();
        self.pace.restart();
        self.publish(true);
    }
}
