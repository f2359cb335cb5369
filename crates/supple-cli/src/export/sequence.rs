//! One file per frame.
use std::path::PathBuf;

use supple_files::output::OutputDir;

use super::exporter::{Names, Sink};
use super::obj::write_obj_frame;
use super::ply::write_ply_frame;
use super::stl::write_stl_frame;
use super::{ExportError, Frame, Model};

#[derive(Debug, Clone, Copy)]
pub(super) enum SequenceKind {
    Obj,
    Ply,
    Stl,
}

pub(super) struct Sequence {
    kind: SequenceKind,
    names: Names,
    written: Vec<PathBuf>,
}

impl Sequence {
    pub fn new(kind: SequenceKind, names: Names) -> Self {
        Self { kind, names, written: Vec::new() }
    }

    fn name(&self, frame: u64) -> String {
        let extension = match self.kind {
            SequenceKind::Obj => "obj",
            SequenceKind::Ply => "ply",
            SequenceKind::Stl => "stl",
        };
        self.names.part(frame, extension)
    }
}

impl Sink for Sequence {
    fn frame(&mut self, out: &OutputDir, model: &Model, frame: &Frame<'_>) -> Result<(), ExportError> {
        let path = out.write(&self.name(frame.index), |file| match self.kind {
            SequenceKind::Obj => write_obj_frame(file, model, frame),
            SequenceKind::Ply => write_ply_frame(file, model, frame),
            SequenceKind::Stl => write_stl_frame(file, model, frame),
        })?;
        self.written.push(path);
        Ok(())
    }

    fn finish(&mut self, _: &OutputDir, _: &Model) -> Result<Vec<PathBuf>, ExportError> {
        Ok(self.written.clone())
    }

    fn outputs(&self, frames: u64) -> Box<dyn Iterator<Item = String> + '_> {
        Box::new((0..=frames).map(|frame| self.name(frame)))
    }
}
