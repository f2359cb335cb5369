//! .gltf and .glb: the parts of the JSON that describe shapes, and the numbers in its buffers.

use std::borrow::Cow;

use serde::Deserialize;

use super::error::{Fault, Parsed, Place, printable};
use super::number::{Order, Scalar, base64};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Json {
    #[serde(default)]
    pub extensions_required: Vec<String>,
    pub scene: Option<usize>,
    #[serde(default)]
    pub scenes: Vec<Scene>,
    #[serde(default)]
    pub nodes: Vec<Node>,
    #[serde(default)]
    pub meshes: Vec<Mesh>,
    #[serde(default)]
    pub materials: Vec<Material>,
    #[serde(default)]
    accessors: Vec<Accessor>,
    #[serde(default)]
    buffer_views: Vec<View>,
    #[serde(default)]
    buffers: Vec<Buffer>,
}
#[derive(Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub nodes: Vec<usize>,
}
#[derive(Deserialize)]
pub(super) struct Node {
    #[serde(default)]
    pub children: Vec<usize>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    pub matrix: Option<[f64; 16]>,
    pub translation: Option<[f64; 3]>,
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
}
#[derive(Deserialize)]
pub(super) struct Mesh {
    pub name: Option<String>,
    pub primitives: Vec<Primitive>,
}
#[derive(Deserialize)]
pub(super) struct Primitive {
    pub attributes: Attributes,
    pub indices: Option<usize>,
    pub mode: Option<u32>,
    pub material: Option<usize>,
}
#[derive(Deserialize)]
pub(super) struct Material {
    pub name: Option<String>,
}
#[derive(Deserialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub position: Option<usize>,
    #[serde(rename = "NORMAL")]
    pub normal: Option<usize>,
    #[serde(rename = "TEXCOORD_0")]
    pub uv: Option<usize>,
}
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Accessor {
    buffer_view: Option<usize>,
    #[serde(default)]
    byte_offset: usize,
    component_type: u32,
    count: usize,
    #[serde(rename = "type")]
    kind: String,
    sparse: Option<serde::de::IgnoredAny>,
}
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct View {
    buffer: usize,
    #[serde(default)]
    byte_offset: usize,
    byte_length: usize,
    byte_stride: Option<usize>,
}
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Buffer {
    uri: Option<String>,
    byte_length: usize,
}

/// The file taken apart.
pub(super) struct Gltf<'a> {
    pub json: Json,
    buffers: Vec<Cow<'a, [u8]>>,
    /// For complaints about what the JSON says.
    pub place: Place,
}

/// JSON and binary chunk of a file, and where the JSON starts.
type Chunks<'a> = (&'a [u8], Option<&'a [u8]>, Place);

fn chunks(bytes: &[u8]) -> Parsed<Chunks<'_>> {
    if !bytes.starts_with(b"glTF") {
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            return Err(Fault::new(Place::line(1), "the file is UTF-16; save it as UTF-8"));
        }
        if bytes.trim_ascii().is_empty() {
            return Err(Fault::new(Place::line(1), "the file is empty"));
        }
        return Ok((bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes), None, Place::line(1)));
    }
    let word = |at: usize| {
        let word = bytes.get(at..at + 4).and_then(|b| Scalar::U32.decode(b, Order::Little).whole());
        word.and_then(|w| usize::try_from(w).ok())
            .ok_or_else(|| Fault::new(Place::byte(at), "the file ends inside of a header"))
    };
    let version = word(4)?;
    if version != 2 {
        return Err(Fault::new(Place::byte(4), format!("version {version} cannot be read, only 2")));
    }
    let length = word(8)?;
    if length > bytes.len() {
        let have = bytes.len();
        return Err(Fault::new(Place::byte(8), format!("{length} bytes are announced; the file has {have}")));
    }
    let chunk = |at: usize, kind: &[u8; 4]| {
        let size = word(at)?;
        if bytes.get(at + 4..at + 8) != Some(kind) {
            let reason = format!("no {} chunk here", printable(&String::from_utf8_lossy(kind), 4));
            return Err(Fault::new(Place::byte(at + 4), reason));
        }
        bytes.get(at + 8..(at + 8).saturating_add(size)).ok_or_else(|| {
            Fault::new(Place::byte(at), format!("a chunk of {size} bytes leads out of the file"))
        })
    };
    let json = chunk(12, b"JSON")?;
    let next = 20 + json.len();
    let binary = if next + 8 <= length { Some(chunk(next, b"BIN\0")?) } else { None };
    Ok((json, binary, Place::byte(20)))
}

fn parse(json: &[u8], start: Place) -> Parsed<Json> {
    serde_json::from_slice(json).map_err(|error| {
        let place = if start.as_line().is_some() { Place::line(error.line().max(1) as u64) } else { start };
        // serde repeats names of the file in its messages.
        Fault::new(place, printable(&error.to_string(), 200))
    })
}

/// The plain file name of the buffer that a .gltf keeps outside, if there is one.
pub(super) fn external_buffer(bytes: &[u8]) -> Parsed<Option<String>> {
    let (json, _, place) = chunks(bytes)?;
    let json = parse(json, place)?;
    let Some(uri) =
        json.buffers.iter().filter_map(|b| b.uri.as_deref()).find(|uri| !uri.starts_with("data:"))
    else {
        return Ok(None);
    };
    let name = uri.replace("%20", " ");
    let plain = !name.is_empty()
        && name.len() <= 200
        && !name.contains("..")
        && !name.starts_with('.')
        && !name.chars().any(|c| matches!(c, '/' | '\\' | ':' | '%' | '?') || c.is_control());
    if plain {
        Ok(Some(name))
    } else {
        let shown = printable(uri, 60);
        Err(Fault::new(place, format!("the buffer \"{shown}\" is not a plain file name beside this file")))
    }
}

impl<'a> Gltf<'a> {
    pub fn new(bytes: &'a [u8], companion: Option<&'a [u8]>) -> Parsed<Gltf<'a>> {
        let (json, mut binary, place) = chunks(bytes)?;
        let json = parse(json, place)?;
        let fault = |reason: String| Fault::new(place, reason);
        let mut buffers = Vec::new();
        let mut outside = companion;
        for (i, buffer) in json.buffers.iter().enumerate() {
            let data = match &buffer.uri {
                None => binary.take().map(Cow::Borrowed),
                Some(uri) if uri.starts_with("data:") => {
                    let data = uri.split_once(";base64,").and_then(|(_, data)| base64(data.as_bytes()));
                    match data {
                        Some(data) => Some(Cow::Owned(data)),
                        None => return Err(fault(format!("buffer {i}: its base64 is damaged"))),
                    }
                }
                Some(_) => outside.take().map(Cow::Borrowed),
            };
            let Some(data) = data else {
                return Err(fault(format!(
                    "buffer {i} is not in the file; at most one can stand in a file beside it"
                )));
            };
            if data.len() < buffer.byte_length {
                let (have, need) = (data.len(), buffer.byte_length);
                return Err(fault(format!("buffer {i}: {need} bytes are announced, but it has {have}")));
            }
            buffers.push(data);
        }
        Ok(Gltf { json, buffers, place })
    }

    pub fn fault(&self, reason: impl Into<String>) -> Fault {
        Fault::new(self.place, reason)
    }

    /// The numbers of an accessor, `width` of them in each row.
    pub fn rows<'b>(
        &'b self,
        accessor: usize,
        width: usize,
        what: &str,
    ) -> Parsed<(usize, impl Iterator<Item = super::number::Number> + use<'a, 'b>)> {
        let fault = |reason: &str| self.fault(format!("accessor {accessor} ({what}) {reason}"));
        let entry = self.json.accessors.get(accessor).ok_or_else(|| fault("does not exist"))?;
        let scalar = match (width, entry.component_type, entry.kind.as_str()) {
            (3, 5126, "VEC3") | (2, 5126, "VEC2") => Scalar::F32,
            (1, 5121, "SCALAR") => Scalar::U8,
            (1, 5123, "SCALAR") => Scalar::U16,
            (1, 5125, "SCALAR") => Scalar::U32,
            (_, number, kind) => {
                let kind = printable(kind, 20);
                return Err(fault(&format!("has the type {kind} of {number}, which cannot be read")));
            }
        };
        if entry.sparse.is_some() {
            return Err(fault("is sparse, which cannot be read"));
        }
        let view = entry.buffer_view.and_then(|view| self.json.buffer_views.get(view));
        let view = view.ok_or_else(|| fault("has no buffer view"))?;
        let buffer = self.buffers.get(view.buffer).ok_or_else(|| fault("has no buffer"))?;
        let end = view.byte_offset.checked_add(view.byte_length);
        let data = end.and_then(|end| buffer.get(view.byte_offset..end));
        let data = data.and_then(|data| data.get(entry.byte_offset..));
        let data = data.ok_or_else(|| fault("leads out of its buffer"))?;
        let row = width * scalar.size();
        let stride = view.byte_stride.unwrap_or(row);
        if stride < row {
            return Err(fault(&format!("has a stride of {stride} bytes for rows of {row}")));
        }
        let needed = entry.count.checked_sub(1).and_then(|n| n.checked_mul(stride)?.checked_add(row));
        if entry.count > 0 && !needed.is_some_and(|n| n <= data.len()) {
            let (count, have) = (entry.count, data.len());
            return Err(fault(&format!("announces {count} rows, but only {have} bytes are there")));
        }
        let numbers = data.chunks(stride).take(entry.count).flat_map(move |chunk| {
            let row = chunk.get(..row).unwrap_or(&[]);
            row.chunks_exact(scalar.size()).map(move |n| scalar.decode(n, Order::Little))
        });
        Ok((entry.count, numbers))
    }
}
