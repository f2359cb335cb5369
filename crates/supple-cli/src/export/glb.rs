//! The surfaces and springs as binary glTF: a mesh per body, with a morph target for each frame after the first.
//!
//! The weights go from one target to the next along straight lines, so that each frame is hit and viewers move
//! evenly between them. The binary part holds, one after another: for each frame the vertices and normals of all
//! bodies (those of the first frame, then differences to it), the indices, the texture coordinates, the times, the weights; then vertices and normals of
//! obstacles, once, and of those that move where they are in each frame: their nodes turn and shift. Materials of a skin become primitives of their
//! own.
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use supple::mesh::Attributes;
use supple::mesh::drawn::NONE;
use supple_files::output::OutputDir;

use super::bytes::{put_f32, put_u32};
use super::crease::Creased;
use super::exporter::{Names, Sink};
use super::gltf_json::{self, Layout, MeshLayout, Still};
use super::rigid::{Place, Rigid};
use super::shell::Shell;
use super::spool::Spool;
use super::stl::unit;
use super::{ExportError, Frame, Model, ModelBody};

/// Most frames for which all weights, most of them zero, are written out: larger animations leave the zeros out, by a
/// sparse accessor, which not all readers know.
const DENSE: u64 = 1024;
/// Weights are counted by 32 bits.
const MOST_FRAMES: u64 = 65_536;
/// More than the text about one frame of one body ever takes, bytes.
const TEXT: u64 = 640;

pub(super) struct Glb {
    name: String,
    bodies: Vec<Body>,
    spool: Option<Spool>,
    /// The time of the first frame; times since then.
    start: f64,
    times: Vec<f32>,
}

struct Body {
    shell: Shell,
    skin: Creased,
    /// Vertices and normals of the first frame, as written.
    first: Vec<[f32; 3]>,
    first_normals: Vec<[f32; 3]>,
    /// Texture coordinates of the vertices; empty without.
    uvs: Vec<[f32; 2]>,
    /// The number of each vertex's normal among those of the body's attributes, NONE for one that is computed.
    normals: Vec<u32>,
    /// For each material its name and how many triangles it has, in their order.
    materials: Vec<(Option<String>, u64)>,
    /// Least and greatest of each frame's vertices or differences.
    ranges: Vec<[[f32; 3]; 2]>,
    /// Of an obstacle: how it is found where it is, and where it was in each frame.
    rigid: Option<(Rigid, Vec<Place>)>,
}

impl Body {
    /// Bytes of it in each frame.
    fn record(&self) -> u64 {
        if self.rigid.is_some() { 0 } else { self.first.len() as u64 * 24 }
    }

    /// True if it is rigid, and not where it was in some frame.
    fn moves(&self) -> bool {
        let away = |p: &Place| p.shift != [0.0; 3] || p.turn[..3] != [0.0; 3];
        self.rigid.as_ref().is_some_and(|(_, places)| places.iter().any(away))
    }
}

impl Glb {
    pub fn new(names: Names) -> Self {
        Self { name: names.whole("glb"), bodies: Vec::new(), spool: None, start: 0.0, times: Vec::new() }
    }

    /// The vertices of the first frame fix what follows.
    fn begin(&mut self, out: &OutputDir, model: &Model, frame: &Frame<'_>) -> Result<(), ExportError> {
        self.bodies.clear();
        for (shell, body) in Shell::all(model).into_iter().zip(&model.bodies) {
            let sheet = body.sheet.is_some();
            let positions: Vec<[f64; 3]> = shell.positions(body, frame).collect();
            let (mut skin, numbers) = match &body.attributes {
                Some(attributes) => Creased::with_attributes(&shell, &positions, attributes, sheet),
                None => (Creased::new(&shell, &positions, sheet), Vec::new()),
            };
            let first = skin.origin.iter().map(|&v| positions[v as usize].map(|c| c as f32)).collect();
            let textured = body.attributes.as_ref().filter(|a| !a.uvs.is_empty());
            let uv =
                |a: &Arc<Attributes>| numbers.iter().map(|n| a.uv(n[0], true).map(|c| c as f32)).collect();
            let uvs = textured.map_or_else(Vec::new, uv);
            let materials = by_material(&mut skin.triangles, body);
            let normals: Vec<u32> = numbers.iter().map(|n| n[1]).collect();
            let first_normals = now(&skin, &normals, &positions, frame.normals_of(body));
            let first_normals = first_normals.into_iter().map(|n| n.map(|c| c as f32)).collect();
            let ranges = Vec::new();
            let rigid = if body.obstacle { Rigid::new(&positions).map(|r| (r, Vec::new())) } else { None };
            self.bodies.push(Body {
                shell,
                skin,
                first,
                first_normals,
                uvs,
                normals,
                materials,
                ranges,
                rigid,
            });
        }
        let record: u64 = self.bodies.iter().map(Body::record).sum();
        self.spool = Some(Spool::create(out, &self.name, record as usize)?);
        self.start = frame.time;
        Ok(())
    }

    fn layout(&self, model: &Model) -> Layout {
        let frames = self.times.len() as u64;
        let record: u64 = self.bodies.iter().map(Body::record).sum();
        let mut meshes = Vec::new();
        let (mut vertices, mut indices, mut uvs) = (0, 0, 0);
        // Vertices and normals of obstacles, then where they are.
        let (mut still, mut places) = (0, 0);
        for (body, of) in self.bodies.iter().zip(&model.bodies) {
            let count = body.first.len() as u64;
            meshes.push(MeshLayout {
                name: of.name.clone(),
                colour: of.colour,
                glass: of.glass,
                two_sided: of.two_sided(),
                still: body
                    .rigid
                    .is_some()
                    .then(|| Still { at: still, places: body.moves().then_some(places) }),
                offset: vertices,
                vertices: count,
                first_index: indices,
                materials: body.materials.clone(),
                lines: body.skin.edges.len() as u64,
                uvs: (!body.uvs.is_empty()).then_some(uvs),
                ranges: body.ranges.clone(),
            });
            uvs += body.uvs.len() as u64;
            vertices += body.record();
            if body.rigid.is_some() {
                still += count * 24;
            }
            if body.moves() {
                places += frames * 28;
            }
            indices += body.skin.triangles.len() as u64 * 3 + body.skin.edges.len() as u64 * 2;
        }
        let dense = frames <= DENSE;
        Layout {
            frames,
            record,
            indices,
            uvs,
            dense,
            still,
            places,
            last_time: self.times.last().copied().unwrap_or(0.0),
            meshes,
        }
    }

    /// Indices, times and weights.
    fn tail(&self, layout: &Layout) -> Vec<u8> {
        let mut bytes = Vec::new();
        for body in &self.bodies {
            put_u32(&mut bytes, body.skin.triangles.iter().flatten().copied());
            put_u32(&mut bytes, body.skin.edges.iter().flatten().copied());
        }
        self.bodies.iter().for_each(|body| put_f32(&mut bytes, body.uvs.iter().flatten().copied()));
        if layout.frames >= 2 {
            self.weights(layout, &mut bytes);
        }
        for body in self.bodies.iter().filter(|b| b.rigid.is_some()) {
            put_f32(&mut bytes, body.first.iter().flatten().copied());
            put_f32(&mut bytes, body.first_normals.iter().flatten().copied());
        }
        for body in self.bodies.iter().filter(|b| b.moves()) {
            let places = || body.rigid.iter().flat_map(|(_, places)| places);
            put_f32(&mut bytes, places().flat_map(|p| p.shift.map(|c| c as f32)));
            put_f32(&mut bytes, places().flat_map(|p| p.turn.map(|c| c as f32)));
        }
        bytes
    }

    /// Times and weights.
    fn weights(&self, layout: &Layout, bytes: &mut Vec<u8>) {
        put_f32(bytes, self.times.iter().copied());
        let targets = layout.frames - 1;
        if layout.dense {
            // Frame k is the target k − 1; the first frame is the mesh itself.
            for frame in 0..layout.frames {
                put_f32(bytes, (0..targets).map(|t| if t + 1 == frame { 1.0 } else { 0.0 }));
            }
        } else {
            put_u32(bytes, (1..layout.frames).map(|frame| (frame * targets + frame - 1) as u32));
            put_f32(bytes, (1..layout.frames).map(|_| 1.0));
        }
    }
}

/// Normals of the vertices: the given ones by number, and computed ones where there are none.
fn now(skin: &Creased, numbers: &[u32], positions: &[[f64; 3]], given: &[[f64; 3]]) -> Vec<[f64; 3]> {
    if given.is_empty() {
        return skin.normals(positions);
    }
    let known = |n: &u32| given.get(*n as usize).copied();
    if numbers.iter().all(|n| known(n).is_some()) {
        return numbers.iter().filter_map(known).map(long).collect();
    }
    let computed = skin.normals(positions);
    numbers.iter().zip(computed).map(|(n, computed)| known(n).map_or(computed, long)).collect()
}

/// A normal as the format wants it: of unit length, left alone if it is that to single precision.
fn long(n: [f64; 3]) -> [f64; 3] {
    let length = n.iter().map(|c| c * c).sum::<f64>().sqrt();
    if (length - 1.0).abs() < 5e-4 {
        return n;
    }
    let unit = unit(n);
    if unit == [0.0; 3] { [0.0, 1.0, 0.0] } else { unit }
}

/// Sorts triangles by material, each in its order; the materials and how many triangles they have.
fn by_material(triangles: &mut Vec<[u32; 3]>, body: &ModelBody) -> Vec<(Option<String>, u64)> {
    let Some(labels) = body.attributes.as_ref().map(|a| &a.materials).filter(|m| !m.of.is_empty()) else {
        return if triangles.is_empty() { Vec::new() } else { vec![(None, triangles.len() as u64)] };
    };
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by_key(|&t| labels.of.get(t));
    let mut counts: Vec<(u32, u64)> = Vec::new();
    for &t in &order {
        let label = labels.of.get(t).copied().unwrap_or(NONE);
        match counts.last_mut() {
            Some((last, count)) if *last == label => *count += 1,
            _ => counts.push((label, 1)),
        }
    }
    *triangles = order.iter().map(|&t| triangles[t]).collect();
    counts.into_iter().map(|(label, count)| (labels.names.get(label as usize).cloned(), count)).collect()
}

impl Sink for Glb {
    fn frame(&mut self, out: &OutputDir, model: &Model, frame: &Frame<'_>) -> Result<(), ExportError> {
        if self.times.is_empty() {
            self.begin(out, model, frame)?;
        }
        let Some(spool) = &mut self.spool else { return Ok(()) };
        let frames = self.times.len() as u64 + 1;
        let record: u64 = self.bodies.iter().map(Body::record).sum();
        let still = |b: &Body| b.first.len() as u64 * 24 + frames * 28;
        let still: u64 = self.bodies.iter().filter(|b| b.rigid.is_some()).map(still).sum();
        let indices: u64 = self
            .bodies
            .iter()
            .map(|b| (b.skin.triangles.len() * 12 + b.skin.edges.len() * 8 + b.uvs.len() * 8) as u64)
            .sum();
        let weights = if frames <= DENSE { 4 * frames * frames } else { 8 * frames };
        let primitives: usize = self.bodies.iter().map(|b| b.materials.len() + 1).sum();
        let text = (frames + 4) * TEXT * primitives as u64;
        let limit = if frames > MOST_FRAMES {
            Some("an animated glb file holds at most 65536 frames")
        } else if frames * (record + 4) + indices + weights + text + still > u64::from(u32::MAX) {
            Some("a glb file is at most 4 GiB large")
        } else {
            None
        };
        if let Some(limit) = limit {
            return Err(ExportError::TooLarge { frame: frame.index, limit });
        }

        let mut bytes = Vec::with_capacity(record as usize);
        let mut ranges = Vec::with_capacity(self.bodies.len());
        for (number, (body, of)) in self.bodies.iter_mut().zip(&model.bodies).enumerate() {
            let positions: Vec<[f64; 3]> = body.shell.positions(of, frame).collect();
            if let Some((rigid, places)) = &mut body.rigid {
                let last = places.last().copied().unwrap_or(Place::FIRST);
                places.push(rigid.place(&positions, &last));
                if frames > 1 {
                    continue;
                }
            }
            let mut range = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
            for (&vertex, first) in body.skin.origin.iter().zip(&body.first) {
                let mut value = *first;
                if frames > 1 {
                    let now = positions[vertex as usize];
                    value = std::array::from_fn(|k| (now[k] - f64::from(first[k])) as f32);
                }
                for k in 0..3 {
                    range[0][k] = range[0][k].min(value[k]);
                    range[1][k] = range[1][k].max(value[k]);
                }
                if body.rigid.is_none() {
                    put_f32(&mut bytes, value);
                }
            }
            if range[0].iter().chain(&range[1]).any(|c| c.is_infinite()) && !body.first.is_empty() {
                let reason = format!("body {:?} moves further than single precision resolves", of.name);
                return Err(ExportError::Frame { frame: frame.index, reason });
            }
            ranges.push((number, range));
            if body.rigid.is_some() {
                continue;
            }
            if frames == 1 {
                put_f32(&mut bytes, body.first_normals.iter().flatten().copied());
            } else {
                let normals = now(&body.skin, &body.normals, &positions, frame.normals_of(of));
                for (now, first) in normals.iter().zip(&body.first_normals) {
                    put_f32(&mut bytes, (0..3).map(|k| (now[k] - f64::from(first[k])) as f32));
                }
            }
        }
        spool.push(&bytes)?;
        for (number, range) in ranges {
            self.bodies[number].ranges.push(range);
        }
        // Times must increase also after rounding.
        let time = (frame.time - self.start) as f32;
        self.times.push(self.times.last().map_or(0.0, |last| time.max(last.next_up())));
        Ok(())
    }

    fn finish(&mut self, out: &OutputDir, model: &Model) -> Result<Vec<PathBuf>, ExportError> {
        let layout = self.layout(model);
        let tail = self.tail(&layout);
        let mut json = serde_json::to_vec(&gltf_json::document(&layout))
            .map_err(|error| ExportError::Encode(error.to_string()))?;
        while json.len() % 4 != 0 {
            json.push(b' ');
        }
        let Some(spool) = &mut self.spool else { return Ok(Vec::new()) };
        let binary = if layout.is_empty() { 0 } else { spool.bytes() + tail.len() as u64 };
        let total = 20 + json.len() as u64 + if binary > 0 { 8 + binary } else { 0 };
        let Ok(total) = u32::try_from(total) else {
            return Err(ExportError::Frames("a glb file is at most 4 GiB large"));
        };
        let path = out.write(&self.name, |file| {
            file.write_all(b"glTF")?;
            for value in [2, total, json.len() as u32] {
                file.write_all(&value.to_le_bytes())?;
            }
            file.write_all(b"JSON")?;
            file.write_all(&json)?;
            if binary > 0 {
                file.write_all(&(binary as u32).to_le_bytes())?;
                file.write_all(b"BIN\0")?;
                spool.copy_to(file)?;
                file.write_all(&tail)?;
            }
            Ok::<(), std::io::Error>(())
        })?;
        Ok(vec![path])
    }

    fn outputs(&self, _: u64) -> Box<dyn Iterator<Item = String> + '_> {
        Box::new(std::iter::once(self.name.clone()))
    }
}
