//! Messages of the stream read back: docs/stream-format.md. For programs that watch, and for tests.
use serde_json::Value;

use super::stream::{FRAME, FRAME_HEADER, MAGIC, MODEL, MODEL_HEADER, Numbers, VERSION};

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// A scene.
    Model(ModelMessage),
    /// Positions.
    Frame(FrameMessage),
}

/// A scene.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelMessage {
    /// Its number.
    pub number: u32,
    /// What it says in words and single numbers.
    pub about: Value,
    /// The arrays of each body: drawn vertices, triangles, edges, pins, anchors.
    pub bodies: Vec<[Vec<u32>; 5]>,
}

/// Positions.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameMessage {
    /// The numbers of its head.
    pub numbers: Numbers,
    /// Positions of the vertices, in m.
    pub positions: Vec<[f32; 3]>,
    /// Stretch, stress and velocity at the vertices, as far as they are there.
    pub fields: [Option<Vec<f32>>; 3],
}

fn take<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], String> {
    let part = bytes.get(at..at + N).and_then(|b| b.try_into().ok());
    part.ok_or_else(|| format!("the message ends at byte {}", bytes.len()))
}

fn number(bytes: &[u8], at: usize) -> Result<u32, String> {
    take(bytes, at).map(u32::from_le_bytes)
}

fn single(bytes: &[u8], at: usize) -> Result<f32, String> {
    take(bytes, at).map(f32::from_le_bytes)
}

/// Reads a message. Lengths that do not fit are errors; nothing is reserved because a header says so.
pub fn message(bytes: &[u8]) -> Result<Message, String> {
    if take::<4>(bytes, 0)? != MAGIC {
        return Err("this is not a message of supple".into());
    }
    let version = u16::from_le_bytes(take(bytes, 4)?);
    if version != VERSION {
        return Err(format!("version {version} of the stream is not known; this is version {VERSION}"));
    }
    match u16::from_le_bytes(take(bytes, 6)?) {
        MODEL => model(bytes).map(Message::Model),
        FRAME => frame(bytes).map(Message::Frame),
        other => Err(format!("a message of kind {other} is not known")),
    }
}

fn model(bytes: &[u8]) -> Result<ModelMessage, String> {
    let end = MODEL_HEADER + number(bytes, 12)? as usize;
    let text = bytes.get(MODEL_HEADER..end).ok_or("the message ends within its text")?;
    let about: Value = serde_json::from_slice(text).map_err(|e| e.to_string())?;
    let mut at = end;
    let mut bodies = Vec::new();
    for body in about.get("bodies").and_then(Value::as_array).ok_or("the model has no bodies")? {
        let mut arrays: [Vec<u32>; 5] = Default::default();
        let keys = [("drawn", 1), ("triangles", 3), ("edges", 2), ("pins", 1), ("anchors", 1)];
        for ((key, width), array) in keys.into_iter().zip(&mut arrays) {
            let count = body[key].as_u64().ok_or_else(|| format!("a body has no {key}"))?;
            for _ in 0..count.saturating_mul(width) {
                array.push(number(bytes, at)?);
                at += 4;
            }
        }
        bodies.push(arrays);
    }
    if at != bytes.len() {
        return Err(format!("{} bytes are left over", bytes.len() - at));
    }
    Ok(ModelMessage { number: number(bytes, 8)?, about, bodies })
}

fn frame(bytes: &[u8]) -> Result<FrameMessage, String> {
    let count = number(bytes, 12)? as usize;
    let [status, mask, side, _] = take::<4>(bytes, 44)?;
    let numbers = Numbers {
        model: number(bytes, 8)?,
        frame: u64::from_le_bytes(take(bytes, 16)?),
        time: f64::from_le_bytes(take(bytes, 24)?),
        ms: single(bytes, 32)?,
        iterations: number(bytes, 36)?,
        residual: single(bytes, 40)?,
        status,
        iteration: number(bytes, 48)?,
        inverted: number(bytes, 52)?,
        limit: number(bytes, 56)?,
        energy: [single(bytes, 60)?, single(bytes, 64)?],
        side,
        newest: number(bytes, 68)?,
    };
    let length = FRAME_HEADER as u64 + 4 * count as u64 * (3 + u64::from((mask & 7).count_ones()));
    if length != bytes.len() as u64 || mask > 7 || side > 1 {
        return Err(format!("a frame of {count} vertices has {length} bytes, not {}", bytes.len()));
    }
    let values = |at: usize, n: usize| (0..n).map(move |i| single(bytes, at + 4 * i));
    let all: Vec<f32> = values(FRAME_HEADER, 3 * count).collect::<Result<_, _>>()?;
    let positions = all.as_chunks::<3>().0.to_vec();
    let mut fields: [Option<Vec<f32>>; 3] = Default::default();
    let mut at = FRAME_HEADER + 12 * count;
    for (i, field) in fields.iter_mut().enumerate() {
        if mask >> i & 1 == 1 {
            *field = Some(values(at, count).collect::<Result<_, _>>()?);
            at += 4 * count;
        }
    }
    Ok(FrameMessage { numbers, positions, fields })
}
