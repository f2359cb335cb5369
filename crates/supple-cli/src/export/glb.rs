//! The surfaces and springs as binary glTF: a mesh per body, with a morph target for each frame after the first.
//!
//! The weights go from one target to the next along straight lines, so that each frame is hit and viewers move
//! evenly between them. The binary part holds, one after another: for each frame the vertices and normals of all
//! bodies (those of the first frame, then differences to it), the indices, the times, the weights.
use std::io::Write;
use std::path::PathBuf;

use super::bytes::{put_f32, put_u32};
use super::crease::Creased;
use super::exporter::{Names, Sink};
use super::gltf_json::{self, Layout, MeshLayout};
use super::shell::Shell;
use super::spool::Spool;
use super::{ExportError, Frame, Model};
use crate::files::OutputDir;

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
    /// Least and greatest of each frame's vertices or differences.
    ranges: Vec<[[f32; 3]; 2]>,
}

impl Glb {
    pub fn new(names: Names) -> Self {
        Self { name: names.whole("glb"), bodies: Vec::new(), spool: None, start: 0.0, times: Vec::new() }
    }

    /// The vertices of the first frame fix what follows.
    fn begin(&mut self, out: &OutputDir, model: &Model, frame: &Frame<'_>) -> Result<(), ExportError> {
        self.bodies.clear();
        for (shell, body) in Shell::all(model).into_iter().zip(&model.bodies) {
            let positions: Vec<[f64; 3]> = shell.positions(body, frame).collect();
            let skin = Creased::new(&shell, &positions);
            let first = skin.origin.iter().map(|&v| positions[v as usize].map(|c| c as f32)).collect();
            let first_normals = skin.normals(&positions).into_iter().map(|n| n.map(|c| c as f32)).collect();
            self.bodies.push(Body { shell, skin, first, first_normals, ranges: Vec::new() });
        }
        let vertices: usize = self.bodies.iter().map(|b| b.first.len()).sum();
        self.spool = Some(Spool::create(out, &self.name, vertices * 24)?);
        self.start = frame.time;
        Ok(())
    }

    fn layout(&self, model: &Model) -> Layout {
        let frames = self.times.len() as u64;
        let record: u64 = self.bodies.iter().map(|b| b.first.len() as u64 * 24).sum();
        let mut meshes = Vec::new();
        let (mut vertices, mut indices) = (0, 0);
        for (body, of) in self.bodies.iter().zip(&model.bodies) {
            let count = body.first.len() as u64;
            meshes.push(MeshLayout {
                name: of.name.clone(),
                colour: of.colour,
                two_sided: of.two_sided(),
                offset: vertices,
                vertices: count,
                first_index: indices,
                triangles: body.skin.triangles.len() as u64,
                lines: body.skin.edges.len() as u64,
                ranges: body.ranges.clone(),
            });
            vertices += count * 24;
            indices += body.skin.triangles.len() as u64 * 3 + body.skin.edges.len() as u64 * 2;
        }
        let dense = frames <= DENSE;
        Layout {
            frames,
            record,
            indices,
            dense,
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
        if layout.frames < 2 {
            return bytes;
        }
        put_f32(&mut bytes, self.times.iter().copied());
        let targets = layout.frames - 1;
        if layout.dense {
            // Frame k is the target k − 1; the first frame is the mesh itself.
            for frame in 0..layout.frames {
                put_f32(&mut bytes, (0..targets).map(|t| if t + 1 == frame { 1.0 } else { 0.0 }));
            }
        } else {
            put_u32(&mut bytes, (1..layout.frames).map(|frame| (frame * targets + frame - 1) as u32));
            put_f32(&mut bytes, (1..layout.frames).map(|_| 1.0));
        }
        bytes
    }
}

impl Sink for Glb {
    fn frame(&mut self, out: &OutputDir, model: &Model, frame: &Frame<'_>) -> Result<(), ExportError> {
        if self.times.is_empty() {
            self.begin(out, model, frame)?;
        }
        let Some(spool) = &mut self.spool else { return Ok(()) };
        let frames = self.times.len() as u64 + 1;
        let record: u64 = self.bodies.iter().map(|b| b.first.len() as u64 * 24).sum();
        let indices: u64 =
            self.bodies.iter().map(|b| (b.skin.triangles.len() * 12 + b.skin.edges.len() * 8) as u64).sum();
        let weights = if frames <= DENSE { 4 * frames * frames } else { 8 * frames };
        let text = (frames + 4) * TEXT * self.bodies.len() as u64;
        let limit = if frames > MOST_FRAMES {
            Some("an animated glb file holds at most 65536 frames")
        } else if frames * (record + 4) + indices + weights + text > u64::from(u32::MAX) {
            Some("a glb file is at most 4 GiB large")
        } else {
            None
        };
        if let Some(limit) = limit {
            return Err(ExportError::TooLarge { frame: frame.index, limit });
        }

        let mut bytes = Vec::with_capacity(record as usize);
        let mut ranges = Vec::with_capacity(self.bodies.len());
        for (body, of) in self.bodies.iter().zip(&model.bodies) {
            let positions: Vec<[f64; 3]> = body.shell.positions(of, frame).collect();
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
                put_f32(&mut bytes, value);
            }
            if range[0].iter().chain(&range[1]).any(|c| c.is_infinite()) && !body.first.is_empty() {
                let reason = format!("body {:?} moves further than single precision can tell", of.name);
                return Err(ExportError::Frame { frame: frame.index, reason });
            }
            ranges.push(range);
            if frames == 1 {
                put_f32(&mut bytes, body.first_normals.iter().flatten().copied());
            } else {
                for (now, first) in body.skin.normals(&positions).iter().zip(&body.first_normals) {
                    put_f32(&mut bytes, (0..3).map(|k| (now[k] - f64::from(first[k])) as f32));
                }
            }
        }
        spool.push(&bytes)?;
        for (body, range) in self.bodies.iter_mut().zip(ranges) {
            body.ranges.push(range);
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
