//! The simulation's own thread: mail between frames, frames when they are due.
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use super::builder::Builder;
use super::hub::{Hub, Mail};
use super::job::{Built, Job, Ready};
use super::recipe::Recipe;
use super::session::{Outlet, Session};

/// Commands between two frames; the others wait, so that no flood of them stops the simulation.
const AT_ONCE: usize = 64;

/// What a session on a server tells, it tells the hub; what it wants built, another thread builds.
pub struct Desk {
    hub: Arc<Hub>,
    builder: Builder,
}

impl Outlet for Desk {
    fn model(&self, number: u32, message: Vec<u8>) {
        self.hub.model.send_replace((number, message.into()));
    }
    fn frame(&self, message: Vec<u8>, beside: Option<Vec<u8>>) {
        self.hub.frame.send_replace([message.into(), beside.unwrap_or_default().into()]);
    }
    fn state(&self, json: String) {
        self.hub.state.send_replace(json.into());
    }
    fn scene(&self, text: String) {
        self.hub.scene.send_replace(text.into());
    }
    fn viewers(&self) -> usize {
        self.hub.viewers()
    }
    fn wanted(&self) -> [bool; 3] {
        self.hub.wanted()
    }
    fn hurry(&self) -> bool {
        self.hub.hurry.load(Ordering::Relaxed)
    }
    fn calm(&self) {
        self.hub.hurry.store(false, Ordering::SeqCst);
    }
    fn build(&self, job: Job) {
        self.builder.wish(job);
    }
}

/// A session with its mail.
pub struct Host {
    session: Session<Desk>,
    inbox: Receiver<Mail>,
}

impl Host {
    /// A host of a program that was built from the recipe.
    pub fn new(hub: Arc<Hub>, inbox: Receiver<Mail>, recipe: Recipe, built: Ready) -> std::io::Result<Host> {
        let mail = hub.clone();
        let builder = Builder::start(move |built: Built| mail.deliver(Mail::Built(Box::new(built))))?;
        Ok(Host { session: Session::new(Desk { hub, builder }, recipe, built), inbox })
    }

    /// Until the server ends.
    pub fn run(mut self) {
        loop {
            for _ in 0..AT_ONCE {
                match self.next_mail() {
                    None => break,
                    Some(Mail::End) => return,
                    Some(Mail::Command(viewer, command)) => self.session.command(viewer, command),
                    Some(Mail::Files(files)) => self.session.open(files),
                    Some(Mail::Came) => self.session.came(),
                    Some(Mail::Left(viewer)) => self.session.left(viewer),
                    Some(Mail::Built(built)) => self.session.accept(*built),
                }
            }
            self.session.tell();
            self.session.advance();
        }
    }

    /// The next mail before a frame is due; waits for it if none is.
    fn next_mail(&mut self) -> Option<Mail> {
        if self.session.has_news() {
            return self.inbox.try_recv().ok();
        }
        match self.session.wait() {
            None => Some(self.inbox.recv().unwrap_or(Mail::End)),
            Some(0.0) => self.inbox.try_recv().ok(),
            Some(wait) => self.inbox.recv_timeout(Duration::from_secs_f64(wait)).ok(),
        }
    }
}
