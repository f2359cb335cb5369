//! One picture format of a movie: takes drawn pictures as they come, and can be ended after any of them.
use std::io::{BufWriter, Seek, Write};
use std::path::PathBuf;

use supple_files::output::OutputDir;

use super::apng::ApngWriter;
use super::exporter::Names;
use super::ffmpeg::{Encoder, find_ffmpeg};
use super::gif::GifWriter;
use super::png::write_png;
use super::quantise::Palette;
use super::spool::Draft;
use super::{ExportError, Format};
use crate::picture::Image;

/// What pictures can become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MovieKind {
    Png,
    Gif,
    Apng,
    Mp4,
}

impl MovieKind {
    /// What a format is, if pictures.
    pub fn of(format: Format) -> Option<Self> {
        match format {
            Format::Png => Some(Self::Png),
            Format::Gif => Some(Self::Gif),
            Format::Apng => Some(Self::Apng),
            Format::Mp4 => Some(Self::Mp4),
            _ => None,
        }
    }

    /// The name of its file, or of that of a frame.
    pub fn name(self, names: &Names, frame: u64) -> String {
        match self {
            Self::Png => names.part(frame, "png"),
            Self::Gif => names.whole("gif"),
            // Also a PNG, but of its own name, so that both can be written in one run.
            Self::Apng => names.whole("apng"),
            Self::Mp4 => names.whole("mp4"),
        }
    }

    /// Takes every how many-th frame. Faster movies leave frames out, so that they keep their speed: browsers slow
    /// down faster GIFs, screens do not show more.
    pub fn stride(self, fps: f64) -> usize {
        let most = match self {
            Self::Png => f64::INFINITY,
            Self::Gif => 50.0,
            Self::Apng | Self::Mp4 => 60.0,
        };
        (fps / most).ceil().max(1.0) as usize
    }
}

/// What all reels of a movie share.
pub(super) struct Setup<'a> {
    pub out: &'a OutputDir,
    pub names: &'a Names,
    pub size: (u32, u32),
    pub fps: f64,
    /// Pictures from which the colours of a GIF are chosen; made when asked for.
    pub samples: &'a mut dyn FnMut() -> Result<Vec<Image>, ExportError>,
    /// True if the files that this run wrote are to be replaced.
    pub again: bool,
}

/// Writes one format.
pub(super) struct Reel {
    kind: MovieKind,
    stride: usize,
    again: bool,
    /// A picture failed: the ones before it are kept, none follows.
    failed: bool,
    /// What it wrote, once ended.
    done: Option<Vec<PathBuf>>,
    writer: Writer,
}

type File = BufWriter<Draft>;

enum Writer {
    Png(Vec<PathBuf>),
    Gif(Option<GifWriter<File>>),
    Apng(Option<ApngWriter<File>>),
    Mp4(Encoder),
}

impl Reel {
    pub fn start(kind: MovieKind, setup: &mut Setup<'_>) -> Result<Self, ExportError> {
        let (width, height) = setup.size;
        let stride = kind.stride(setup.fps);
        let fps = setup.fps / stride as f64;
        let name = kind.name(setup.names, 0);
        if !setup.again {
            setup.out.check(&name)?;
        }
        let draft = || Draft::again(setup.out, &name).map(BufWriter::new);
        let writer = match kind {
            MovieKind::Png => Writer::Png(Vec::new()),
            MovieKind::Gif => {
                let palette = Palette::new(&(setup.samples)()?);
                Writer::Gif(Some(GifWriter::new(draft()?, width, height, palette, fps)?))
            }
            MovieKind::Apng => Writer::Apng(Some(ApngWriter::new(draft()?, width, height, fps)?)),
            MovieKind::Mp4 => {
                Writer::Mp4(Encoder::start(&find_ffmpeg()?, setup.out.path(), even(setup.size), fps)?)
            }
        };
        Ok(Self { kind, stride, again: setup.again, failed: false, done: None, writer })
    }

    /// True if no picture failed, nor the end.
    pub fn is_sound(&self) -> bool {
        !self.failed
            && (self.done.is_some() || !matches!(self.writer, Writer::Gif(None) | Writer::Apng(None)))
    }

    /// True if the `count`-th frame, from 0, is one that it shows.
    pub fn wants(&self, count: usize) -> bool {
        !self.failed && count.is_multiple_of(self.stride)
    }

    /// Takes the picture of a frame.
    pub fn picture(
        &mut self,
        out: &OutputDir,
        names: &Names,
        frame: u64,
        image: &Image,
    ) -> Result<(), ExportError> {
        let outcome = match &mut self.writer {
            Writer::Png(written) => {
                let name = self.kind.name(names, frame);
                let fill = |file: &mut BufWriter<std::fs::File>| write_png(file, image);
                let path = if self.again { out.replace(&name, fill) } else { out.write(&name, fill) };
                path.map(|path| written.push(path)).map_err(ExportError::from)
            }
            Writer::Gif(movie) => movie.as_mut().map_or(Ok(()), |movie| movie.frame(image)),
            Writer::Apng(movie) => movie.as_mut().map_or(Ok(()), |movie| movie.frame(image)),
            Writer::Mp4(encoder) => match even((image.width(), image.height())) {
                size if size == (image.width(), image.height()) => encoder.frame(image.bytes()),
                (width, height) => encoder.frame(&super::cut(image, [0, 0, width, height])),
            },
        };
        self.failed |= outcome.is_err();
        outcome
    }

    /// Completes the output with the pictures so far.
    pub fn finish(&mut self, out: &OutputDir, names: &Names) -> Result<Vec<PathBuf>, ExportError> {
        if let Some(done) = &self.done {
            return Ok(done.clone());
        }
        let done = self.complete(out, names)?;
        self.done = Some(done.clone());
        Ok(done)
    }

    fn complete(&mut self, out: &OutputDir, names: &Names) -> Result<Vec<PathBuf>, ExportError> {
        let name = self.kind.name(names, 0);
        if self.failed && self.kind != MovieKind::Png {
            return Err(GONE);
        }
        let file = match &mut self.writer {
            Writer::Png(written) => return Ok(written.clone()),
            Writer::Gif(movie) => match movie.take() {
                Some(movie) => movie.finish()?,
                None => return Err(GONE),
            },
            Writer::Apng(movie) => match movie.take() {
                Some(movie) => movie.finish()?,
                None => return Err(GONE),
            },
            Writer::Mp4(encoder) => {
                let mut movie = encoder.finish()?;
                return Ok(vec![out.write(&name, |file| std::io::copy(&mut movie, file).map(|_| ()))?]);
            }
        };
        let mut file = file;
        file.flush()?;
        let bytes = file.stream_position()?;
        let mut draft = file.into_inner().map_err(|error| error.into_error())?;
        Ok(vec![out.write(&name, |file| draft.copy_to(bytes, file))?])
    }
}

const GONE: ExportError = ExportError::Frames("a frame of the movie could not be written");

/// The colours of an MP4 are shared by two by two pixels: an odd last row or column is left out.
pub(super) fn even((width, height): (u32, u32)) -> (u32, u32) {
    (width.max(2) & !1, height.max(2) & !1)
}
