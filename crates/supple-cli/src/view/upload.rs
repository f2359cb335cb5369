//! Files on their way in: announced, then sent in pieces. All viewers share the room for them.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::command::Announced;
use super::files::{Files, MOST};

/// How long a viewer may be silent in between.
const SILENT: Duration = Duration::from_secs(30);

/// Bytes that are taken of [`MOST`], given back when it is dropped.
struct Room(Arc<AtomicUsize>, usize);

impl Drop for Room {
    fn drop(&mut self) {
        self.0.fetch_sub(self.1, Ordering::SeqCst);
    }
}

/// Files that are not complete.
pub struct Upload {
    announced: std::vec::IntoIter<Announced>,
    /// The file at which it is, and what is there of it.
    now: Announced,
    bytes: Vec<u8>,
    files: Files,
    heard: Instant,
}

impl Upload {
    /// Takes room for what was announced; `taken` is what all take.
    pub fn begin(list: Vec<Announced>, taken: &Arc<AtomicUsize>) -> Result<Option<Upload>, String> {
        let all = list.iter().map(|f| f.bytes).sum();
        let mut announced = list.into_iter();
        let Some(now) = announced.next() else { return Ok(None) };
        let room = |n: usize| n.checked_add(all).filter(|n| *n <= MOST);
        if taken.fetch_update(Ordering::SeqCst, Ordering::SeqCst, room).is_err() {
            return Err("other files are on their way: try again when they are there".into());
        }
        let files = Files::with_room(Arc::new(Room(taken.clone(), all)));
        Ok(Some(Upload { announced, now, bytes: Vec::new(), files, heard: Instant::now() }))
    }

    /// Takes a piece; the files, once all are there. After an error it is of no use.
    pub fn piece(&mut self, mut piece: &[u8]) -> Result<Option<Files>, String> {
        self.heard = Instant::now();
        loop {
            let (mine, rest) = piece.split_at(piece.len().min(self.now.bytes - self.bytes.len()));
            // Nothing is reserved because an announcement says so.
            self.bytes.extend_from_slice(mine);
            piece = rest;
            if self.bytes.len() < self.now.bytes {
                return Ok(None);
            }
            self.files.put(&self.now.name, std::mem::take(&mut self.bytes), MOST)?;
            match self.announced.next() {
                Some(next) => self.now = next,
                None if piece.is_empty() => return Ok(Some(std::mem::take(&mut self.files))),
                None => return Err(format!("{} bytes more than were announced", piece.len())),
            }
        }
    }

    /// Nothing came for too long.
    pub fn is_stale(&self) -> bool {
        self.heard.elapsed() > SILENT
    }
}
