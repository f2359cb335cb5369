//! All nodes for numpy: `numpy.load("name.npz")["x"]`.
//!
//! | array | shape | type | holds |
//! |---|---|---|---|
//! | `x` | frames, nodes, 3 | f64 | positions, m |
//! | `time` | frames | f64 | times, s |
//! | `tets` | tetrahedra, 4 | u32 | nodes counted over all bodies |
//! | `surface` | triangles, 3 | u32 | counter-clockwise from outside |
//! | `springs` | springs, 2 | u32 | only if there are any |
use std::io::Write;
use std::path::PathBuf;

use super::bytes::{put_f64, put_u32};
use super::exporter::{Names, Sink};
use super::spool::Spool;
use super::zip::ZipWriter;
use super::{ExportError, Frame, Model, ModelBody};
use crate::files::OutputDir;

pub(super) struct Npz {
    name: String,
    /// The data of `x`, and its checksum so far.
    spool: Option<(Spool, crc32fast::Hasher)>,
    nodes: usize,
    times: Vec<f64>,
}

impl Npz {
    pub fn new(names: Names) -> Self {
        Self { name: names.whole("npz"), spool: None, nodes: 0, times: Vec::new() }
    }
}

impl Sink for Npz {
    fn frame(&mut self, out: &OutputDir, _: &Model, frame: &Frame<'_>) -> Result<(), ExportError> {
        self.nodes = frame.positions.len();
        let mut record = Vec::with_capacity(self.nodes * 24);
        put_f64(&mut record, frame.positions.iter().flatten().copied());
        if self.spool.is_none() {
            self.spool = Some((Spool::create(out, &self.name, record.len())?, crc32fast::Hasher::new()));
        }
        if let Some((spool, checksum)) = &mut self.spool {
            spool.push(&record)?;
            checksum.update(&record);
            self.times.push(frame.time);
        }
        Ok(())
    }

    fn finish(&mut self, out: &OutputDir, model: &Model) -> Result<Vec<PathBuf>, ExportError> {
        let Some((spool, checksum)) = &mut self.spool else { return Ok(Vec::new()) };
        let path = out.write(&self.name, |file| {
            let mut zip = ZipWriter::new(file);
            let head = header("<f8", &[spool.records(), self.nodes as u64, 3]);
            let mut all = crc32fast::Hasher::new();
            all.update(&head);
            all.combine(checksum);
            zip.entry("x.npy", head.len() as u64 + spool.bytes(), all.finalize(), |file| {
                file.write_all(&head)?;
                spool.copy_to(file)
            })?;
            let mut times = header("<f8", &[self.times.len() as u64]);
            put_f64(&mut times, self.times.iter().copied());
            zip.bytes("time.npy", &times)?;
            zip.bytes("tets.npy", &cells(model, |body| &body.tets))?;
            if model.bodies.iter().any(|body| !body.mids.is_empty()) {
                zip.bytes("mids.npy", &cells(model, |body| &body.mids))?;
            }
            zip.bytes("surface.npy", &cells(model, |body| &body.surface))?;
            if model.bodies.iter().any(|body| !body.edges.is_empty()) {
                zip.bytes("springs.npy", &cells(model, |body| &body.edges))?;
            }
            zip.finish()
        })?;
        Ok(vec![path])
    }

    fn outputs(&self, _: u64) -> Box<dyn Iterator<Item = String> + '_> {
        Box::new(std::iter::once(self.name.clone()))
    }
}

/// An .npz file of arrays of whole numbers, one-dimensional, and of arrays of reals with rows of some length.
pub fn npz_arrays(wholes: &[(&str, &[i64])], reals: &[(&str, &[f64], usize)]) -> std::io::Result<Vec<u8>> {
    let mut file = std::io::Cursor::new(Vec::new());
    let mut zip = ZipWriter::new(&mut file);
    for (name, values) in wholes {
        let mut bytes = header("<i8", &[values.len() as u64]);
        values.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
        zip.bytes(&format!("{name}.npy"), &bytes)?;
    }
    for (name, values, row) in reals {
        let mut bytes = header("<f8", &[(values.len() / row) as u64, *row as u64]);
        put_f64(&mut bytes, values.iter().copied());
        zip.bytes(&format!("{name}.npy"), &bytes)?;
    }
    zip.finish()?;
    Ok(file.into_inner())
}

/// The cells of all bodies by nodes counted over all bodies.
fn cells<const N: usize>(model: &Model, of: impl Fn(&ModelBody) -> &Vec<[u32; N]>) -> Vec<u8> {
    let count: usize = model.bodies.iter().map(|body| of(body).len()).sum();
    let mut bytes = header("<u4", &[count as u64, N as u64]);
    for body in &model.bodies {
        put_u32(&mut bytes, of(body).iter().flat_map(|&cell| body.global(cell)));
    }
    bytes
}

/// What stands before the data of an array; the data starts at a multiple of 64 bytes.
fn header(kind: &str, shape: &[u64]) -> Vec<u8> {
    let shape: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let mut text =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}), }}", shape.trim_end());
    while (10 + text.len() + 1) % 64 != 0 {
        text.push(' ');
    }
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(text.len() as u16).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    bytes
}
