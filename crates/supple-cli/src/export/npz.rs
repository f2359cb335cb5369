//! All nodes for numpy: `numpy.load("name.npz")["x"]`.
//!
//! | array | shape | type | holds |
//! |---|---|---|---|
//! | `x` | frames, nodes, 3 | f64 | positions, m |
//! | `time` | frames | f64 | times, s |
//! | `tets` | tetrahedra, 4 | u32 | nodes counted over all bodies |
//! | `surface` | triangles, 3 | u32 | counter-clockwise from outside |
//! | `springs` | springs, 2 | u32 | only if there are any |
//!
//! A file of skins has besides, where the skins have them:
//!
//! | array | shape | type | holds |
//! |---|---|---|---|
//! | `normals` | frames, normals, 3 | f64 | the normals of the surface's file as they have turned |
//! | `normal_of` | triangles, 3 | i8 | numbers of the corners' normals, −1 for none |
//! | `uv` | coordinates, 2 | f64 | texture coordinates, v upwards |
//! | `uv_of` | triangles, 3 | i8 | numbers of the corners' texture coordinates, −1 for none |
//! | `material_of`, `group_of` | triangles | i8 | numbers of names, −1 for none |
//! | `materials`, `groups` | names | str | the names |
use std::io::Write;
use std::path::PathBuf;

use supple::mesh::Attributes;
use supple::mesh::drawn::{Labels, NONE};
use supple_files::output::OutputDir;

use super::bytes::{put_f64, put_u32};
use super::exporter::{Names, Sink};
use super::spool::Spool;
use super::zip::ZipWriter;
use super::{ExportError, Frame, Model, ModelBody};

pub(super) struct Npz {
    name: String,
    /// The data of `x`, and its checksum so far.
    spool: Option<(Spool, crc32fast::Hasher)>,
    nodes: usize,
    times: Vec<f64>,
    /// The same of the normals of attributes.
    normals: Option<(Spool, crc32fast::Hasher)>,
    normal_count: usize,
}

impl Npz {
    pub fn new(names: Names) -> Self {
        Self {
            name: names.whole("npz"),
            spool: None,
            nodes: 0,
            times: Vec::new(),
            normals: None,
            normal_count: 0,
        }
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
        if !frame.normals.is_empty() {
            self.normal_count = frame.normals.len();
            let mut record = Vec::with_capacity(self.normal_count * 24);
            put_f64(&mut record, frame.normals.iter().flatten().copied());
            if self.normals.is_none() {
                let spool = Spool::create(out, &self.name, record.len())?;
                self.normals = Some((spool, crc32fast::Hasher::new()));
            }
            if let Some((spool, checksum)) = &mut self.normals {
                spool.push(&record)?;
                checksum.update(&record);
            }
        }
        Ok(())
    }

    fn finish(&mut self, out: &OutputDir, model: &Model) -> Result<Vec<PathBuf>, ExportError> {
        let Some((spool, checksum)) = &mut self.spool else { return Ok(Vec::new()) };
        let path = out.write(&self.name, |file| {
            let mut zip = ZipWriter::new(file);
            put(&mut zip, "x.npy", spool, checksum, self.nodes)?;
            if let Some((spool, checksum)) = &mut self.normals {
                put(&mut zip, "normals.npy", spool, checksum, self.normal_count)?;
            }
            attributes(&mut zip, model)?;
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

/// An array of points of all frames, whose data and their checksum have been collected.
fn put<W: Write>(
    zip: &mut ZipWriter<W>,
    name: &str,
    spool: &mut Spool,
    checksum: &crc32fast::Hasher,
    rows: usize,
) -> std::io::Result<()> {
    let head = header("<f8", &[spool.records(), rows as u64, 3]);
    let mut all = crc32fast::Hasher::new();
    all.update(&head);
    all.combine(checksum);
    zip.entry(name, head.len() as u64 + spool.bytes(), all.finalize(), |file| {
        file.write_all(&head)?;
        spool.copy_to(file)
    })
}

/// Numbers of values at corners, and how many values there are.
type CornerList = (Vec<[u32; 3]>, usize);
/// Names of two arrays, and where their labels are.
type LabelList = (&'static str, &'static str, fn(&Attributes) -> &Labels);

/// Arrays of the attributes of all bodies, in their order; triangles are those of `surface`.
fn attributes<W: Write>(zip: &mut ZipWriter<W>, model: &Model) -> std::io::Result<()> {
    let none = Attributes::default();
    let all = || model.bodies.iter().map(|b| (b, b.attributes.as_deref().unwrap_or(&none)));
    let number = |first: usize, i: u32| if i == NONE { -1 } else { first as i64 + i64::from(i) };
    let whole = |name: &str, shape: &[u64], values: &[i64], zip: &mut ZipWriter<W>| {
        let mut bytes = header("<i8", shape);
        values.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
        zip.bytes(name, &bytes)
    };
    let corners = |of: fn(&Attributes) -> CornerList| {
        let (mut rows, mut first) = (Vec::new(), 0);
        for (body, a) in all() {
            let (mut list, count) = of(a);
            list.resize(body.surface.len(), [NONE; 3]);
            rows.extend(list.as_flattened().iter().map(|&i| number(first, i)));
            first += count;
        }
        rows
    };
    let triangles: u64 = model.bodies.iter().map(|b| b.surface.len() as u64).sum();
    if all().any(|(_, a)| !a.normals.is_empty()) {
        let rows = corners(|a| (a.normals.of.clone(), a.normals.values.len()));
        whole("normal_of.npy", &[triangles, 3], &rows, zip)?;
    }
    if all().any(|(_, a)| !a.uvs.is_empty()) {
        let rows = corners(|a| (a.uvs.of.clone(), a.uvs.values.len()));
        whole("uv_of.npy", &[triangles, 3], &rows, zip)?;
        let values = all().flat_map(|(_, a)| (0..a.uvs.values.len() as u32).map(|i| a.uv(i, false)));
        let values: Vec<[f64; 2]> = values.collect();
        let mut bytes = header("<f8", &[values.len() as u64, 2]);
        put_f64(&mut bytes, values.iter().flatten().copied());
        zip.bytes("uv.npy", &bytes)?;
    }
    let kinds: [LabelList; 2] = [
        ("material_of.npy", "materials.npy", |a| &a.materials),
        ("group_of.npy", "groups.npy", |a| &a.groups),
    ];
    for (rows_name, names_name, of) in kinds {
        if all().all(|(_, a)| of(a).of.is_empty()) {
            continue;
        }
        let (mut rows, mut names) = (Vec::new(), Vec::new());
        for (body, a) in all() {
            let mut list = of(a).of.clone();
            list.resize(body.surface.len(), NONE);
            rows.extend(list.iter().map(|&i| number(names.len(), i)));
            names.extend(of(a).names.iter());
        }
        whole(rows_name, &[triangles], &rows, zip)?;
        let longest = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(1);
        let mut bytes = header(&format!("<U{longest}"), &[names.len() as u64]);
        for name in names {
            let letters = name.chars().map(u32::from).chain(std::iter::repeat(0));
            put_u32(&mut bytes, letters.take(longest));
        }
        zip.bytes(names_name, &bytes)?;
    }
    Ok(())
}
