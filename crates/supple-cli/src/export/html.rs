//! A run as one HTML file: the viewer's page with the frames inside, playable without a server.
//!
//! The data of the page is base64 of records: the length of a message (u32, little-endian) and the message, a model and then the
//! frames of docs/stream-format.md with all fields.
use std::io::Write;
use std::path::PathBuf;

use base64::prelude::BASE64_STANDARD as STANDARD;
use base64::write::EncoderWriter;
use supple::StepReport;
use supple::scene::file::CameraTable;
use supple_files::output::OutputDir;
use supple_page::Page;

use super::exporter::{Floor, Names, Options, Sink};
use super::spool::Spool;
use super::{ExportError, Frame, Model};
use crate::picture::Bounds;
use crate::view::command::Field;
use crate::view::skin::Skin;
use crate::view::stream::{self, About, Numbers};

/// Bytes of frames that a browser still takes in one page.
const MOST: u64 = 350 << 20;

pub(super) struct Html {
    page: &'static Page,
    /// Of the scene, and of the file.
    title: String,
    name: String,
    options: Options,
    report: Option<StepReport>,
    run: Option<Run>,
}

/// What is known from the first frame on.
struct Run {
    skin: Skin,
    head: Vec<u8>,
    spool: Spool,
}

impl Html {
    pub fn new(title: &str, names: &Names, options: &Options) -> Result<Self, ExportError> {
        let page = supple_page::embedded().map_err(ExportError::NoPage)?;
        let (title, name) = (title.to_owned(), names.whole("html"));
        Ok(Self { page, title, name, options: options.clone(), report: None, run: None })
    }

    fn about(&self, frame: &Frame<'_>) -> About<'_> {
        let mut bounds = Bounds::EMPTY;
        frame.positions.iter().for_each(|&p| bounds.include(p));
        if let Some(expected) = &self.options.expected {
            bounds.join(expected);
        }
        let below = bounds.low[1] - 0.01 * bounds.diagonal();
        let floor = if let Floor::At(height) = self.options.floor { height } else { below };
        let (dt, view) = (1.0 / self.options.fps, self.options.from);
        let camera = self.options.camera.map(|c| CameraTable {
            position: c.eye,
            target: c.target,
            fov: c.fov.to_degrees(),
        });
        About {
            scene: &self.title,
            dt,
            view,
            floor,
            bounds: [bounds.low, bounds.high],
            camera,
            follow: self.options.follow,
        }
    }
}

impl Sink for Html {
    fn report(&mut self, report: &StepReport) {
        self.report = Some(*report);
    }

    fn frame(&mut self, out: &OutputDir, model: &Model, frame: &Frame<'_>) -> Result<(), ExportError> {
        let report = self.report.take();
        let numbers = report.map_or_else(
            || Numbers { model: 1, frame: frame.index, time: frame.time, ..Numbers::default() },
            |r| Numbers { time: frame.time, ..Numbers::of(1, frame.index, &r, self.options.iterations) },
        );
        if self.run.is_none() {
            let skin = Skin::of_model(model, frame);
            let head = record(&stream::model(1, &skin, &self.about(frame)));
            // Positions and three fields: 24 bytes per vertex.
            let length = 4 + stream::FRAME_HEADER + 24 * skin.vertices();
            self.run = Some(Run { skin, head, spool: Spool::create(out, &self.name, length)? });
        }
        let Some(run) = &mut self.run else { return Ok(()) };
        let column = |name: &str| frame.element_fields.iter().find(|f| f.0 == name).map_or(&[][..], |f| &f.1);
        let (stretch, stress) = (column("stretch"), column("stress"));
        let elements: Vec<[f64; 2]> = stretch.iter().zip(stress).map(|(a, b)| [*a, *b]).collect();
        let fields = Field::ALL.map(|f| Some(run.skin.field(f, frame.velocities, &elements)));
        let positions: Vec<[f64; 3]> = run.skin.positions(frame.positions).collect();
        let message = record(&stream::frame(&numbers, positions.into_iter(), &fields));
        if run.spool.bytes() + message.len() as u64 > MOST {
            let limit = "an HTML report holds 350 MB of frames; write fewer frames";
            return Err(ExportError::TooLarge { frame: frame.index, limit });
        }
        Ok(run.spool.push(&message)?)
    }

    fn finish(&mut self, out: &OutputDir, _: &Model) -> Result<Vec<PathBuf>, ExportError> {
        let Some(run) = &mut self.run else { return Ok(Vec::new()) };
        let (before, after) = self.page.report(&self.title);
        let path = out.write(&self.name, |file| {
            file.write_all(before.as_bytes())?;
            let mut text = EncoderWriter::new(file, &STANDARD);
            text.write_all(&run.head)?;
            run.spool.copy_to(&mut text)?;
            let file = text.finish()?;
            file.write_all(b"</script>")?;
            file.write_all(after.as_bytes())
        })?;
        Ok(vec![path])
    }

    fn outputs(&self, _: u64) -> Box<dyn Iterator<Item = String> + '_> {
        Box::new(std::iter::once(self.name.clone()))
    }
}

/// A message with its length before it.
fn record(message: &[u8]) -> Vec<u8> {
    [&(message.len() as u32).to_le_bytes(), message].concat()
}
