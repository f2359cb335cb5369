//! What viewers and the simulation share. Neither waits for the other: the newest model, frame and state lie here to be taken,
//! commands go through a queue of a fixed length.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use axum::body::Bytes;
use tokio::sync::watch;

use super::command::{Command, Field};
use super::files::Files;
use super::job::Built;

/// Commands that wait; more make the viewer that sends them wait.
const QUEUE: usize = 128;

/// Messages to the simulation's thread.
pub enum Mail {
    /// A viewer wants something.
    Command(u64, Command),
    /// Files of a viewer are there.
    Files(Files),
    /// A viewer came.
    Came,
    /// A viewer has left.
    Left(u64),
    /// A program is ready.
    Built(Box<Built>),
    /// The server ends.
    End,
}

/// What is shared.
pub struct Hub {
    /// The newest model message and its number.
    pub model: watch::Sender<(u32, Bytes)>,
    /// The newest frame message, and that of the method beside or nothing.
    pub frame: watch::Sender<[Bytes; 2]>,
    /// The newest state, JSON.
    pub state: watch::Sender<Arc<str>>,
    /// The scene as a file, as it is now.
    pub scene: watch::Sender<Arc<str>>,
    /// Set when a running step is to be given up.
    pub hurry: AtomicBool,
    /// Bytes of files that were announced and are not opened yet.
    pub files: Arc<AtomicUsize>,
    /// Viewers who want each field.
    wants: [AtomicUsize; 3],
    next_viewer: AtomicU64,
    viewers: AtomicUsize,
    mail: SyncSender<Mail>,
}

impl Hub {
    /// An empty one, and the end of its queue.
    pub fn new() -> (Arc<Hub>, Receiver<Mail>) {
        let (mail, inbox) = sync_channel(QUEUE);
        let hub = Hub {
            model: watch::Sender::new((0, Bytes::new())),
            frame: watch::Sender::new([Bytes::new(), Bytes::new()]),
            files: Arc::default(),
            state: watch::Sender::new(Arc::from("")),
            scene: watch::Sender::new(Arc::from("")),
            hurry: AtomicBool::new(false),
            wants: Default::default(),
            next_viewer: AtomicU64::new(1),
            viewers: AtomicUsize::new(0),
            mail,
        };
        (Arc::new(hub), inbox)
    }

    /// Counts a viewer in, unless there are `most` already.
    pub fn enter(&self, most: usize) -> Option<u64> {
        let room = |n: usize| (n < most).then_some(n + 1);
        self.viewers.fetch_update(Ordering::SeqCst, Ordering::SeqCst, room).ok()?;
        Some(self.next_viewer.fetch_add(1, Ordering::SeqCst))
    }

    /// Counts it out.
    pub fn leave(&self) {
        self.viewers.fetch_sub(1, Ordering::SeqCst);
    }

    /// How many there are.
    pub fn viewers(&self) -> usize {
        self.viewers.load(Ordering::SeqCst)
    }

    /// One more, or one less, viewer wants a field.
    pub fn want(&self, field: Field, more: bool) {
        let Some(count) = self.wants.get(field as usize) else { return };
        if more {
            count.fetch_add(1, Ordering::SeqCst);
        } else {
            count.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Which fields someone wants.
    pub fn wanted(&self) -> [bool; 3] {
        self.wants.each_ref().map(|count| count.load(Ordering::SeqCst) > 0)
    }

    /// Sends a message to the simulation from a task; waits while the queue is full. False if the simulation has ended.
    pub async fn post(&self, mail: Mail) -> bool {
        if matches!(&mail, Mail::Command(_, Command::Reset {} | Command::Scene { .. }) | Mail::End) {
            self.hurry.store(true, Ordering::SeqCst);
        }
        let mut mail = mail;
        loop {
            match self.mail.try_send(mail) {
                Ok(()) => return true,
                Err(TrySendError::Disconnected(_)) => return false,
                Err(TrySendError::Full(back)) => mail = back,
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// The same from a thread.
    pub fn deliver(&self, mail: Mail) -> bool {
        self.mail.send(mail).is_ok()
    }
}
