//! What a viewer may ask for. None of it touches files on the disk; every number is checked before it goes further.
use serde::Deserialize;
use serde_json::Value;

use super::beside::Rival;
use super::files;

/// Longest message that a viewer may send, in bytes.
pub const LONGEST: usize = 1 << 20;
/// Farthest place that a point may be pulled to, in m.
pub const FARTHEST: f64 = 1e9;

/// A command, as JSON: `{"type": "run", "on": true}`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Runs or pauses.
    Run {
        /// Runs.
        on: bool,
    },
    /// Pauses, and takes one frame.
    Step {},
    /// Pauses, and takes one iteration of a step.
    Iterate {},
    /// Back to the start, nothing held.
    Reset {},
    /// How fast: a multiple of real time; 0 is as fast as it goes; none is the default, real time.
    Speed {
        /// 0, or from 0.001 to 1000.
        factor: Option<f64>,
    },
    /// Another scene, by name: a built-in one or the one that the viewer was started with.
    Scene {
        /// Its name.
        name: String,
    },
    /// Another value of the scene.
    Set {
        /// Which; see `tune.rs`.
        key: String,
        /// What.
        value: Value,
        /// Of this body only.
        #[serde(default)]
        body: Option<String>,
        /// It belongs to the same move as the one before: both are undone together.
        #[serde(default)]
        more: bool,
    },
    /// Takes back the last change of a value.
    Undo {},
    /// Takes that back.
    Redo {},
    /// Pauses, and goes to a frame that was simulated.
    Seek {
        /// Its number; the last kept one that is not after it counts.
        frame: u64,
    },
    /// The same scene by another method too, or no more.
    Beside {
        /// By which.
        with: Option<Rival>,
    },
    /// Announces files, whose bytes follow.
    Open {
        /// Names and lengths.
        files: Vec<Announced>,
    },
    /// Holds vertices of the surface: 1 to 16, numbered as in the model.
    Grab {
        /// The vertices.
        vertices: Vec<u32>,
        /// The point by which they are held, in m.
        at: [f64; 3],
        /// 1 if that is where they are by the method beside.
        #[serde(default)]
        side: u8,
    },
    /// Pulls what is held.
    Drag {
        /// Where the point is to go, in m.
        to: [f64; 3],
    },
    /// Lets go.
    Release {},
    /// Also wants the values of a field with each frame.
    Colour {
        /// Which.
        by: Option<Field>,
    },
}

/// A file that is going to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Announced {
    /// Its name, without folders.
    pub name: String,
    /// How long it is.
    pub bytes: usize,
}

/// What is wrong with an announcement.
fn announced(list: &[Announced]) -> Result<(), String> {
    if list.len() > files::COUNT {
        return Err(format!("{} files are too many: {} at a time", list.len(), files::COUNT));
    }
    if let Some(problem) = list.iter().find_map(|f| files::name_problem(&f.name)) {
        return Err(problem);
    }
    if let Some(empty) = list.iter().find(|f| f.bytes == 0) {
        return Err(format!("{} is empty", empty.name));
    }
    let all = list.iter().try_fold(0_usize, |sum, f| sum.checked_add(f.bytes));
    match all {
        Some(all) if all <= files::MOST => Ok(()),
        _ => Err(format!("more than {} MiB of files", files::MOST >> 20)),
    }
}

/// A field that bodies can be coloured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// Largest stretch of the tetrahedra around a vertex.
    Stretch,
    /// Von Mises stress of the same, in Pa.
    Stress,
    /// Length of the velocity, in m/s.
    Velocity,
}

impl Field {
    /// All, in the order of their arrays in a frame.
    pub const ALL: [Field; 3] = [Field::Stretch, Field::Stress, Field::Velocity];
}

impl Command {
    /// Reads a message. The error is for the person at the page.
    pub fn read(text: &str) -> Result<Command, String> {
        if text.len() > LONGEST {
            return Err(format!("a message of {} bytes is too long", text.len()));
        }
        let command: Command = serde_json::from_str(text).map_err(|e| format!("invalid command: {e}"))?;
        match &command {
            Command::Speed { factor: Some(f) } if !(*f == 0.0 || (1e-3..=1e3).contains(f)) => {
                Err(format!("the speed must be 0 or between 0.001 and 1000, not {f}"))
            }
            Command::Grab { vertices, .. } if !(1..=16).contains(&vertices.len()) => {
                Err(format!("1 to 16 vertices can be held at a time, not {}", vertices.len()))
            }
            Command::Grab { at: p, .. } | Command::Drag { to: p }
                if !p.iter().all(|c| c.abs() <= FARTHEST) =>
            {
                Err(format!("{p:?} is out of reach"))
            }
            Command::Grab { side, .. } if *side > 1 => Err(format!("there is no side {side}")),
            Command::Open { files } => announced(files).map(|()| command),
            _ => Ok(command),
        }
    }
}
