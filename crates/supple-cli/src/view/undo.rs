//! Values that viewers changed, to go back to: only what `tune.rs` may change is kept, so that a long list of them takes little.
use supple::scene::CollideTable;
use supple::scene::file::{Body, Contract, MaterialTable, SceneFile, Springs};
use supple::settings::{SolveSettings, WorldSettings};

/// How many changes can be taken back.
const MOST: usize = 64;

/// What can be changed of a scene.
#[derive(Clone, PartialEq)]
struct Values {
    world: WorldSettings,
    solve: SolveSettings,
    /// Of each body its material, those of its regions, and its springs.
    bodies: Vec<(Option<MaterialTable>, Vec<MaterialTable>, Option<Springs>)>,
    contract: Vec<Contract>,
    collide: Option<CollideTable>,
    friction: Vec<f64>,
}

impl Values {
    fn of(file: &SceneFile) -> Values {
        let of =
            |b: &Body| (b.material.clone(), b.region.iter().map(|r| r.material.clone()).collect(), b.springs);
        Values {
            world: file.world.clone(),
            solve: file.solve.clone(),
            bodies: file.body.iter().map(of).collect(),
            contract: file.contract.clone(),
            collide: file.collide.clone(),
            friction: file.obstacle.iter().map(|o| o.friction).collect(),
        }
    }

    fn put(self, file: &mut SceneFile) {
        (file.world, file.solve) = (self.world, self.solve);
        (file.contract, file.collide) = (self.contract, self.collide);
        for (body, (material, regions, springs)) in file.body.iter_mut().zip(self.bodies) {
            (body.material, body.springs) = (material, springs);
            body.region.iter_mut().zip(regions).for_each(|(r, material)| r.material = material);
        }
        file.obstacle.iter_mut().zip(self.friction).for_each(|(o, friction)| o.friction = friction);
    }
}

/// A change: what it was of, and the values before it, or after it once it is taken back.
struct Change {
    what: String,
    by: u64,
    other: Values,
}

/// Changes that can be taken back, and those that were.
#[derive(Default)]
pub struct Changes {
    done: Vec<Change>,
    undone: Vec<Change>,
}

impl Changes {
    /// The values of `before` were changed by a viewer; `more`: by the same move as the last time, if that was of the same.
    pub fn add(&mut self, what: String, by: u64, more: bool, before: &SceneFile) {
        self.undone.clear();
        if more && self.done.last().is_some_and(|c| c.what == what && c.by == by) {
            return;
        }
        if self.done.len() == MOST {
            self.done.remove(0);
        }
        self.done.push(Change { what, by, other: Values::of(before) });
    }

    /// Takes the last change back, or what was taken back; false if there is none.
    pub fn go(&mut self, back: bool, file: &mut SceneFile) -> bool {
        let (from, to) =
            if back { (&mut self.done, &mut self.undone) } else { (&mut self.undone, &mut self.done) };
        let Some(Change { what, by, other }) = from.pop() else { return false };
        to.push(Change { what, by, other: Values::of(file) });
        other.put(file);
        true
    }

    /// What the next undo, and the next redo, would bring back.
    pub fn words(&self) -> [Option<&str>; 2] {
        [&self.done, &self.undone].map(|list| list.last().map(|c| c.what.as_str()))
    }

    /// The last change was refused, and the values are these again: there is nothing to take back of it.
    pub fn refused(&mut self, now: &SceneFile) {
        self.done.pop_if(|c| c.other == Values::of(now));
    }

    /// Another scene: there is nothing to go back to.
    pub fn clear(&mut self) {
        *self = Changes::default();
    }
}
