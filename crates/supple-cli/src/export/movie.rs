//! Frames that are drawn at the end, when it is known what the camera must show.
use std::path::PathBuf;

use super::apng::ApngWriter;
use super::exporter::{Names, Options, Sink};
use super::ffmpeg::{Encoder, find_ffmpeg};
use super::gif::GifWriter;
use super::paint::Painter;
use super::png::write_png;
use super::quantise::Palette;
use super::spool::Spool;
use super::{ExportError, Frame, Model};
use crate::files::OutputDir;
use crate::picture::{Camera, Image, render};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MovieKind {
    Png,
    Gif,
    Apng,
    Mp4,
}

impl MovieKind {
    fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Gif => "gif",
            // Also a PNG, but of its own name, so that both can be written in one run.
            Self::Apng => "apng",
            Self::Mp4 => "mp4",
        }
    }

    /// Frames per second beyond which frames are left out, so that the movie keeps its speed: browsers slow down
    /// faster GIFs, screens do not show more.
    fn most(self) -> f64 {
        match self {
            Self::Png => f64::INFINITY,
            Self::Gif => 50.0,
            Self::Apng | Self::Mp4 => 60.0,
        }
    }
}

/// Frames from which the colours of a GIF are chosen.
const PALETTE_FRAMES: usize = 16;

pub(super) struct Movie {
    kind: MovieKind,
    names: Names,
    size: (u32, u32),
    fps: f64,
    painter: Painter,
    ffmpeg: Option<PathBuf>,
    spool: Option<Spool>,
    /// Bytes per record.
    record: usize,
    /// Number of each frame.
    indices: Vec<u64>,
    /// What [`Sink::finish`] has written of a sequence, in case it is called again.
    written: Vec<PathBuf>,
}

impl Movie {
    pub fn new(kind: MovieKind, model: &Model, names: Names, options: &Options) -> Result<Self, ExportError> {
        let mut size = options.size;
        let mut ffmpeg = None;
        if kind == MovieKind::Mp4 {
            ffmpeg = Some(find_ffmpeg()?);
            // Colours are shared by two by two pixels.
            size = (size.0.max(2) & !1, size.1.max(2) & !1);
        }
        if kind == MovieKind::Gif && size.0.max(size.1) > u32::from(u16::MAX) {
            return Err(ExportError::Frames("a GIF is at most 65535 pixels wide and high"));
        }
        Ok(Self {
            kind,
            names,
            size,
            fps: options.fps,
            painter: Painter::new(model, options),
            ffmpeg,
            spool: None,
            record: 0,
            indices: Vec::new(),
            written: Vec::new(),
        })
    }

    fn name(&self, frame: u64) -> String {
        match self.kind {
            MovieKind::Png => self.names.part(frame, "png"),
            kind => self.names.whole(kind.extension()),
        }
    }
}

impl Sink for Movie {
    fn frame(&mut self, out: &OutputDir, model: &Model, frame: &Frame<'_>) -> Result<(), ExportError> {
        let record = self.painter.record(model, frame)?;
        if self.spool.is_none() {
            self.spool = Some(Spool::create(out, &self.name(frame.index), record.len())?);
            self.record = record.len();
        }
        if let Some(spool) = &mut self.spool {
            spool.push(&record)?;
            self.indices.push(frame.index);
        }
        Ok(())
    }

    fn finish(&mut self, out: &OutputDir, model: &Model) -> Result<Vec<PathBuf>, ExportError> {
        let stride = (self.fps / self.kind.most()).ceil().max(1.0) as usize;
        let fps = self.fps / stride as f64;
        let chosen: Vec<u64> = (0..self.indices.len() as u64).step_by(stride).collect();
        let name = self.name(0);
        let (width, height) = self.size;
        let Some(spool) = &mut self.spool else { return Ok(Vec::new()) };
        let camera = self.painter.camera(width, height);
        let bytes = vec![0; self.record];
        let mut reel = Reel { spool, painter: &self.painter, model, camera, size: self.size, bytes };
        let mut image = Image::default();
        match self.kind {
            MovieKind::Png => {
                // Called again after a failure, it goes on where it stopped.
                for k in self.written.len()..self.indices.len() {
                    reel.draw(k as u64, &mut image)?;
                    let name = self.names.part(self.indices[k], "png");
                    self.written.push(out.write(&name, |file| write_png(file, &image))?);
                }
                return Ok(self.written.clone());
            }
            MovieKind::Gif => out.write(&name, |file| {
                let step = chosen.len().div_ceil(PALETTE_FRAMES).max(1);
                let mut samples = Vec::new();
                for &k in chosen.iter().step_by(step) {
                    let mut sample = Image::default();
                    reel.draw(k, &mut sample)?;
                    samples.push(sample);
                }
                let mut movie = GifWriter::new(file, width, height, Palette::new(&samples), fps)?;
                for &k in &chosen {
                    reel.draw(k, &mut image)?;
                    movie.frame(&image)?;
                }
                movie.finish().map(|_| ())
            }),
            MovieKind::Apng => out.write(&name, |file| {
                let mut movie = ApngWriter::new(file, width, height, chosen.len() as u32, fps)?;
                for &k in &chosen {
                    reel.draw(k, &mut image)?;
                    movie.frame(&image)?;
                }
                movie.finish()
            }),
            MovieKind::Mp4 => {
                out.check(&name)?;
                let program = match &self.ffmpeg {
                    Some(program) => program.clone(),
                    None => find_ffmpeg()?,
                };
                let mut encoder = Encoder::start(&program, out.path(), self.size, fps)?;
                for &k in &chosen {
                    reel.draw(k, &mut image)?;
                    encoder.frame(image.bytes())?;
                }
                let mut movie = encoder.finish()?;
                out.write(&name, |file| std::io::copy(&mut movie, file).map(|_| ()))
            }
        }
        .map(|path| vec![path])
        .map_err(ExportError::from)
    }

    fn outputs(&self, frames: u64) -> Vec<String> {
        match self.kind {
            MovieKind::Png => (0..=frames).map(|frame| self.name(frame)).collect(),
            _ => vec![self.name(0)],
        }
    }
}

/// Draws the frames that were kept.
struct Reel<'a> {
    spool: &'a mut Spool,
    painter: &'a Painter,
    model: &'a Model,
    camera: Camera,
    size: (u32, u32),
    bytes: Vec<u8>,
}

impl Reel<'_> {
    fn draw(&mut self, record: u64, image: &mut Image) -> Result<(), ExportError> {
        self.spool.read(record, 0, &mut self.bytes)?;
        let scene = self.painter.scene(self.model, &self.bytes);
        render(&scene, &self.camera, self.size.0, self.size.1, image);
        Ok(())
    }
}
