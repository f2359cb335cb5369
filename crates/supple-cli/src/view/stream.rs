//! Models and frames as bytes: docs/stream-format.md. Everything is little-endian.
use serde_json::json;
use supple::scene::file::CameraTable;
use supple::{Status, StepReport};

use super::skin::Skin;

/// The first four bytes of every message.
pub const MAGIC: [u8; 4] = *b"SUPL";
/// Version of the format.
pub const VERSION: u16 = 1;
/// Kind of a message that describes a scene.
pub const MODEL: u16 = 1;
/// Kind of a message with positions.
pub const FRAME: u16 = 2;
/// Bytes before the JSON of a model.
pub const MODEL_HEADER: usize = 16;
/// Bytes before the positions of a frame.
pub const FRAME_HEADER: usize = 72;

/// What a model says besides what is seen.
pub struct About<'a> {
    /// Name of the scene.
    pub scene: &'a str,
    /// Length of a frame in s.
    pub dt: f64,
    /// Direction from the bodies to the eye.
    pub view: [f64; 3],
    /// Height of the floor in m.
    pub floor: f64,
    /// A box around what the bodies are likely to reach, in m.
    pub bounds: [[f64; 3]; 2],
    /// The scene's camera.
    pub camera: Option<CameraTable>,
    /// The body that it goes along with.
    pub follow: Option<usize>,
}

/// The numbers of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Numbers {
    /// Number of the model that it belongs to.
    pub model: u32,
    /// Number of the frame, 0 for the start.
    pub frame: u64,
    /// Simulated time in s.
    pub time: f64,
    /// Wall-clock time of the frame in ms.
    pub ms: f32,
    /// Iterations.
    pub iterations: u32,
    /// Force residual.
    pub residual: f32,
    /// 0 for the start; otherwise see [`status_code`].
    pub status: u8,
    /// 0 after a whole step; otherwise the iteration of a step that is not complete.
    pub iteration: u32,
    /// Inverted elements.
    pub inverted: u32,
    /// Most iterations per step.
    pub limit: u32,
    /// Elastic and kinetic energy in J.
    pub energy: [f32; 2],
    /// 1 for a frame of the method beside.
    pub side: u8,
    /// Number of the newest frame that can be gone to.
    pub newest: u32,
}

impl Numbers {
    /// The numbers of a frame, from its report.
    pub fn of(model: u32, frame: u64, r: &StepReport, limit: usize) -> Numbers {
        Numbers {
            model,
            frame,
            time: r.time,
            ms: (1e3 * r.timings.total()) as f32,
            iterations: r.iterations as u32,
            residual: r.force_residual as f32,
            status: status_code(r.status),
            iteration: 0,
            inverted: r.inverted as u32,
            limit: u32::try_from(limit).unwrap_or(u32::MAX),
            energy: [r.energy.elastic as f32, r.energy.kinetic as f32],
            side: 0,
            newest: 0,
        }
    }
}

/// The number of a status.
pub fn status_code(status: Status) -> u8 {
    match status {
        Status::Converged => 1,
        Status::IterationLimit => 2,
        Status::TimeLimit => 3,
        Status::Stalled => 4,
        Status::Diverged => 5,
        Status::Stopped => 6,
        Status::Infeasible => 7,
    }
}

/// A model message.
pub(crate) fn model(number: u32, skin: &Skin, about: &About<'_>) -> Vec<u8> {
    let bodies: Vec<_> = skin
        .bodies
        .iter()
        .map(|b| {
            json!({
                "name": b.name, "obstacle": b.obstacle, "glass": b.glass, "colour": b.colour, "vertices": b.shell.nodes.len(), "drawn": b.drawn.origin.len(),
                "triangles": b.drawn.triangles.len(), "edges": b.shell.edges.len(),
                "pins": b.pins.len(), "anchors": b.anchors.len(),
            })
        })
        .collect();
    let json = json!({
        "scene": about.scene, "dt": about.dt, "view": about.view, "floor": about.floor, "bounds": about.bounds,
        "camera": about.camera, "follow": about.follow, "bodies": bodies,
    });
    let mut text = json.to_string();
    // The arrays start at a multiple of four.
    while !text.len().is_multiple_of(4) {
        text.push(' ');
    }
    let mut out = Vec::new();
    head(&mut out, MODEL);
    out.extend(number.to_le_bytes());
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
    for b in &skin.bodies {
        let parts = [
            &b.drawn.origin[..],
            b.drawn.triangles.as_flattened(),
            b.shell.edges.as_flattened(),
            &b.pins,
            &b.anchors,
        ];
        for index in parts.into_iter().flatten() {
            out.extend(index.to_le_bytes());
        }
    }
    out
}

/// A frame message; `fields` are those that are there, at their places of [`Field::ALL`](super::command::Field::ALL).
pub(crate) fn frame(
    numbers: &Numbers,
    positions: impl ExactSizeIterator<Item = [f64; 3]>,
    fields: &[Option<Vec<f32>>; 3],
) -> Vec<u8> {
    let count = positions.len();
    let some = fields.iter().flatten().count();
    let mut out = Vec::with_capacity(FRAME_HEADER + 4 * count * (3 + some));
    head(&mut out, FRAME);
    out.extend(numbers.model.to_le_bytes());
    out.extend((count as u32).to_le_bytes());
    out.extend(numbers.frame.to_le_bytes());
    out.extend(numbers.time.to_le_bytes());
    out.extend(numbers.ms.to_le_bytes());
    out.extend(numbers.iterations.to_le_bytes());
    out.extend(numbers.residual.to_le_bytes());
    let mask = fields.iter().rev().fold(0_u8, |m, field| m << 1 | u8::from(field.is_some()));
    out.extend([numbers.status, mask, numbers.side, 0]);
    out.extend(numbers.iteration.to_le_bytes());
    out.extend(numbers.inverted.to_le_bytes());
    out.extend(numbers.limit.to_le_bytes());
    numbers.energy.iter().for_each(|e| out.extend(e.to_le_bytes()));
    out.extend(numbers.newest.to_le_bytes());
    for p in positions {
        for c in p {
            // What single precision cannot hold goes to its end.
            out.extend((c.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32).to_le_bytes());
        }
    }
    for value in fields.iter().flatten().flatten() {
        out.extend(value.to_le_bytes());
    }
    out
}

fn head(out: &mut Vec<u8>, kind: u16) {
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend(kind.to_le_bytes());
}
