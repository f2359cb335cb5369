//! The nodes of all bodies as PointCache2, which Blender's mesh cache and others apply to a mesh with the same order of vertices:
//! that of [`Format::Obj`](super::Format::Obj) of the same run.
use std::io::Write;
use std::path::PathBuf;

use supple_files::output::OutputDir;

use super::bytes::{put_f32, put_point};
use super::exporter::{Names, Sink};
use super::spool::Spool;
use super::{ExportError, Frame, Model};

pub(super) struct Pc2 {
    name: String,
    spool: Option<Spool>,
    nodes: usize,
    /// Numbers of the first and the last frame.
    first: u64,
    last: u64,
}

impl Pc2 {
    pub fn new(names: Names) -> Self {
        Self { name: names.whole("pc2"), spool: None, nodes: 0, first: 0, last: 0 }
    }

    /// Mark, version, points, first frame, frames from sample to sample, samples.
    fn header(&self, samples: u64) -> Result<Vec<u8>, ExportError> {
        let (Ok(points), Ok(count)) = (i32::try_from(self.nodes), i32::try_from(samples)) else {
            return Err(ExportError::Frames("a pc2 file holds at most 2147483647 points and samples"));
        };
        let mut bytes = b"POINTCACHE2\0".to_vec();
        bytes.extend_from_slice(&1_i32.to_le_bytes());
        bytes.extend_from_slice(&points.to_le_bytes());
        let steps = samples.saturating_sub(1).max(1);
        let rate = if samples > 1 { (self.last - self.first) as f32 / steps as f32 } else { 1.0 };
        put_f32(&mut bytes, [self.first as f32, rate]);
        bytes.extend_from_slice(&count.to_le_bytes());
        Ok(bytes)
    }
}

impl Sink for Pc2 {
    fn frame(&mut self, out: &OutputDir, model: &Model, frame: &Frame<'_>) -> Result<(), ExportError> {
        let mut record = Vec::with_capacity(frame.positions.len() * 12);
        // Body by body, as .obj has them: of one with a skin only that.
        model.bodies.iter().flat_map(|body| frame.of(body)).for_each(|&p| put_point(&mut record, p));
        if self.spool.is_none() {
            self.spool = Some(Spool::create(out, &self.name, record.len())?);
            self.nodes = record.len() / 12;
        }
        if let Some(spool) = &mut self.spool {
            spool.push(&record)?;
            if spool.records() == 1 {
                self.first = frame.index;
            }
            self.last = frame.index;
        }
        Ok(())
    }

    fn finish(&mut self, out: &OutputDir, _: &Model) -> Result<Vec<PathBuf>, ExportError> {
        let samples = self.spool.as_ref().map_or(0, Spool::records);
        let header = self.header(samples)?;
        let Some(spool) = &mut self.spool else { return Ok(Vec::new()) };
        let path = out.write(&self.name, |file| {
            file.write_all(&header)?;
            spool.copy_to(file)
        })?;
        Ok(vec![path])
    }

    fn outputs(&self, _: u64) -> Box<dyn Iterator<Item = String> + '_> {
        Box::new(std::iter::once(self.name.clone()))
    }
}
