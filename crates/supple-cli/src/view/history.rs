//! Frames that were simulated, to go back to, in memory of a fixed size.
use std::collections::VecDeque;

use supple::sim::Snapshot;

use super::stream::Numbers;

/// Bytes that all kept states take at most.
pub const MOST: usize = if cfg!(target_family = "wasm") { 32 << 20 } else { 256 << 20 };

/// A state that was reached.
pub struct Kept {
    /// Number of the frame, and of each side the state and what the frame had come to.
    pub frame: u64,
    /// Of each side the state, and what the frame had come to.
    pub sides: Vec<(Snapshot, Numbers)>,
}

impl Kept {
    fn size(&self) -> usize {
        self.sides.iter().map(|(state, _)| state.size() + std::mem::size_of::<(Snapshot, Numbers)>()).sum()
    }
}

/// States in the order of their frames.
pub struct History {
    kept: VecDeque<Kept>,
    bytes: usize,
    most: usize,
    /// Every so many-th frame is kept, besides the newest.
    every: u64,
}

impl History {
    /// Nothing yet, and never more than `most` bytes.
    pub fn new(most: usize) -> History {
        History { kept: VecDeque::new(), bytes: 0, most, every: 1 }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        *self = History::new(self.most);
    }

    /// Number of the newest frame.
    pub fn newest(&self) -> Option<u64> {
        self.kept.back().map(|k| k.frame)
    }

    /// The last kept frame that is not after this one, or else the first.
    pub fn at(&self, frame: u64) -> Option<&Kept> {
        let after = self.kept.partition_point(|k| k.frame <= frame);
        self.kept.get(after.saturating_sub(1))
    }

    /// Keeps a state; those of later frames, and of the same one, are no more.
    pub fn push(&mut self, state: Kept) {
        while self.newest().is_some_and(|n| n >= state.frame) {
            self.drop_back();
        }
        // The newest is only kept for good if it is one of those that are.
        if self.kept.len() > 1 && self.newest().is_some_and(|n| n % self.every != 0) {
            self.drop_back();
        }
        // One that is too large by itself is not kept.
        if state.size() > self.most {
            return;
        }
        self.bytes += state.size();
        self.kept.push_back(state);
        while self.bytes > self.most && self.kept.len() > 1 {
            self.thin();
        }
    }

    fn drop_back(&mut self) {
        self.bytes -= self.kept.pop_back().map_or(0, |k| k.size());
    }

    /// Keeps every second of those that are between the first and the last.
    fn thin(&mut self) {
        // At most as often as there are bits: then two are left, and after those one.
        if self.kept.len() == 2 {
            self.bytes -= self.kept.pop_front().map_or(0, |k| k.size());
            return;
        }
        self.every = self.every.saturating_mul(2);
        let (every, last) = (self.every, self.kept.len() - 1);
        let mut number = 0;
        self.kept.retain(|k| {
            let stays = number == 0 || number == last || k.frame % every == 0;
            number += 1;
            stays
        });
        self.bytes = self.kept.iter().map(Kept::size).sum();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use supple::{Material, MaterialKind, Scene, Settings, mesh::shapes};

    fn snapshot() -> Snapshot {
        let mesh = shapes::box_mesh([1.0; 3], [1; 3], shapes::Split::default()).unwrap();
        let mut scene = Scene::new(Settings::default());
        let material = Material::new(MaterialKind::Arap, 1e5, 0.0).unwrap();
        scene.add_solid("box", mesh, material, 1.0).unwrap();
        scene.build().unwrap().snapshot()
    }

    fn kept(frame: u64, state: &Snapshot) -> Kept {
        Kept { frame, sides: vec![(state.clone(), Numbers::default())] }
    }

    fn frames(history: &History) -> Vec<u64> {
        history.kept.iter().map(|k| k.frame).collect()
    }

    #[test]
    fn memory_is_bounded_and_the_whole_run_stays_in_reach() {
        let state = snapshot();
        let size = kept(0, &state).size();
        let mut history = History::new(10 * size);
        for frame in 0..1000 {
            history.push(kept(frame, &state));
            assert!(history.bytes <= 10 * size && history.bytes == size * history.kept.len());
            assert_eq!((frames(&history)[0], history.newest()), (0, Some(frame)));
        }
        // No gap is longer than a fifth of the run: at least five of the ten are left after each thinning.
        let all = frames(&history);
        assert!(all.windows(2).all(|w| w[1] - w[0] <= 200), "{all:?}");
        assert_eq!(history.at(0).unwrap().frame, 0);
        assert_eq!(history.at(u64::MAX).unwrap().frame, 999);
        let [low, high] = [all[2], all[3]];
        assert_eq!(history.at(high - 1).unwrap().frame, low);
        // From an earlier frame on what was after it is no more.
        history.push(kept(low + 1, &state));
        assert_eq!(frames(&history).last(), Some(&(low + 1)));
        assert_eq!(frames(&history).len(), 4);
        // What is too large alone is not kept.
        let mut none = History::new(size - 1);
        none.push(kept(0, &state));
        assert!(none.at(0).is_none() && none.newest().is_none());
    }
}
