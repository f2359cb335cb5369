//! One viewer: the newest frame out whenever it is ready for one, commands in.
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket};
use serde_json::json;
use tokio::time::{Instant, interval_at, timeout};

use super::command::{Command, Field};
use super::hub::{Hub, Mail};
use super::upload::Upload;

/// A viewer that takes longer for one message is gone.
const SLOW: Duration = Duration::from_secs(10);
/// How often a viewer is asked whether it is there, and how long it may be silent.
const ASK: Duration = Duration::from_secs(20);
const SILENT: Duration = Duration::from_secs(60);

/// Counts a viewer out again, however its task ends.
struct Seat {
    hub: Arc<Hub>,
    colour: Option<Field>,
}

impl Seat {
    fn want(&mut self, field: Option<Field>) {
        if let Some(old) = std::mem::replace(&mut self.colour, field) {
            self.hub.want(old, false);
        }
        if let Some(new) = field {
            self.hub.want(new, true);
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.want(None);
        self.hub.leave();
    }
}

/// Serves one viewer until it leaves.
pub async fn serve(mut socket: WebSocket, hub: Arc<Hub>, viewer: u64) {
    let mut seat = Seat { hub: hub.clone(), colour: None };
    // Nothing depends on how it ended: it is gone.
    let _ = talk(&mut socket, &mut seat, viewer).await;
    drop(seat);
    hub.post(Mail::Left(viewer)).await;
}

/// Sends a message within the time limit; none if that failed.
async fn send(socket: &mut WebSocket, message: Message) -> Option<()> {
    timeout(SLOW, socket.send(message)).await.ok()?.ok()
}

/// Tells a viewer why something is not done.
async fn refuse(socket: &mut WebSocket, reason: &str) -> Option<()> {
    let text = json!({ "type": "refused", "reason": reason }).to_string();
    send(socket, Message::Text(text.into())).await
}

async fn talk(socket: &mut WebSocket, seat: &mut Seat, viewer: u64) -> Option<()> {
    let hub = seat.hub.clone();
    let (mut frames, mut states, model) =
        (hub.frame.subscribe(), hub.state.subscribe(), hub.model.subscribe());
    frames.mark_changed();
    states.mark_changed();
    hub.post(Mail::Came).await;
    let mut known = 0;
    let mut ask = interval_at(Instant::now() + ASK, ASK);
    let mut heard = Instant::now();
    let mut upload: Option<Upload> = None;
    loop {
        tokio::select! {
            message = socket.recv() => {
                heard = Instant::now();
                match message?.ok()? {
                    Message::Text(text) => match Command::read(&text) {
                        Ok(Command::Open { files }) => {
                            // What was sent before is dropped first: it may be the reason why there is no room.
                            upload = None;
                            match Upload::begin(files, &hub.files) {
                                Ok(begun) => upload = begun,
                                Err(reason) => refuse(socket, &reason).await?,
                            }
                        }
                        Ok(command) => {
                            if let Command::Colour { by } = &command {
                                seat.want(*by);
                            }
                            if !hub.post(Mail::Command(viewer, command)).await {
                                return None;
                            }
                        }
                        Err(reason) => refuse(socket, &reason).await?,
                    },
                    Message::Close(_) => return None,
                    Message::Binary(piece) => {
                        let Some(sent) = &mut upload else {
                            refuse(socket, "these bytes are of no file that was announced; commands are JSON text").await?;
                            continue;
                        };
                        match sent.piece(&piece) {
                            Ok(None) => {}
                            Ok(Some(files)) => {
                                upload = None;
                                if !hub.post(Mail::Files(files)).await {
                                    return None;
                                }
                            }
                            Err(reason) => {
                                upload = None;
                                refuse(socket, &reason).await?;
                            }
                        }
                    }
                    // Pings are answered by the library.
                    Message::Ping(_) | Message::Pong(_) => {}
                }
            }
            changed = states.changed() => {
                changed.ok()?;
                let state = states.borrow_and_update().clone();
                if !state.is_empty() {
                    send(socket, Message::Text(state.as_ref().into())).await?;
                }
            }
            changed = frames.changed() => {
                changed.ok()?;
                // The model first: a frame is of use only to those who know it.
                let (number, bytes) = model.borrow().clone();
                if number != known {
                    known = number;
                    send(socket, Message::Binary(bytes)).await?;
                }
                let frames: [Bytes; 2] = frames.borrow_and_update().clone();
                for frame in frames.into_iter().filter(|f| !f.is_empty()) {
                    send(socket, Message::Binary(frame)).await?;
                }
            }
            _ = ask.tick() => {
                if heard.elapsed() > SILENT {
                    return None;
                }
                if upload.as_ref().is_some_and(Upload::is_stale) {
                    upload = None;
                    refuse(socket, "the rest of the files did not come").await?;
                }
                send(socket, Message::Ping(Bytes::new())).await?;
            }
        }
    }
}
