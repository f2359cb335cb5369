//! Pictures and movies of a run, drawn frame by frame while it lasts, once for all formats.
//!
//! A camera that shows the whole motion is known only at its end. So each frame is drawn at once on a stage that is a
//! guess: what the run is expected to need, enlarged when the motion leaves it. That makes a whole output at any time,
//! for a run that is interrupted. At the end of a run that is not, the frames are drawn again on the stage that the
//! whole motion needs, unless the guess was good.
use std::path::PathBuf;

use rayon::prelude::*;
use supple_files::output::OutputDir;

use super::exporter::{Finish, Names, Options, Sink};
use super::ffmpeg::find_ffmpeg;
use super::paint::{Painter, Stage};
use super::reel::{MovieKind, Reel, Setup};
use super::spool::Spool;
use super::{ExportError, Frame, Model};
use crate::picture::{Bounds, Image, render};

/// Pictures from which the colours of a GIF are chosen.
const PALETTE_FRAMES: usize = 16;
/// A guess is good if the camera could not be nearer by more than this.
const NEAR_ENOUGH: f64 = 0.9;
/// A stage that was left is enlarged by this share of the excess, and of its diagonal.
const GROWTH: (f64, f64) = (0.5, 0.1);

pub(super) struct Movie {
    kinds: Vec<MovieKind>,
    names: Names,
    size: (u32, u32),
    fps: f64,
    painter: Painter,
    /// What the run is expected to show.
    expected: Bounds,
    /// What was kept of each frame.
    spool: Option<Spool>,
    /// Bytes of each.
    record: usize,
    /// Number of each frame.
    indices: Vec<u64>,
    /// How frames are drawn now.
    stage: Option<Stage>,
    reels: Vec<Reel>,
    /// Frames at which the view changes.
    cuts: Vec<u64>,
    image: Image,
}

impl Movie {
    pub fn new(
        kinds: Vec<MovieKind>,
        model: &Model,
        names: Names,
        options: &Options,
    ) -> Result<Self, ExportError> {
        let mut size = options.size;
        if kinds.contains(&MovieKind::Mp4) {
            find_ffmpeg()?;
            size = (size.0.max(2), size.1.max(2));
        }
        if kinds.contains(&MovieKind::Gif) && size.0.max(size.1) > u32::from(u16::MAX) {
            return Err(ExportError::Frames("a GIF is at most 65535 pixels wide and high"));
        }
        Ok(Self {
            kinds,
            names,
            size,
            fps: options.fps,
            painter: Painter::new(model, options),
            expected: options.expected.unwrap_or(Bounds::EMPTY),
            spool: None,
            record: 0,
            indices: Vec::new(),
            stage: None,
            reels: Vec::new(),
            cuts: Vec::new(),
            image: Image::default(),
        })
    }

    fn aspect(&self) -> f64 {
        f64::from(self.size.0) / f64::from(self.size.1)
    }

    /// The stage for the frame that came last: the one before it, or a larger one if that does not show it.
    fn set_stage(&mut self, frame: u64) -> Stage {
        let aspect = self.aspect();
        let stage = match self.stage {
            Some(stage) if self.painter.fits(&stage, aspect) => stage,
            None => {
                self.expected.join(self.painter.bounds());
                self.painter.stage(Some(&self.expected), aspect)
            }
            Some(_) => {
                self.cuts.push(frame);
                let (seen, mut larger) = (*self.painter.bounds(), self.expected);
                let margin = GROWTH.1 * larger.diagonal();
                for k in 0..3 {
                    let (below, above) = (larger.low[k] - seen.low[k], seen.high[k] - larger.high[k]);
                    if below > 0.0 {
                        larger.low[k] = seen.low[k] - GROWTH.0 * below - margin;
                    }
                    if above > 0.0 {
                        larger.high[k] = seen.high[k] + GROWTH.0 * above + margin;
                    }
                }
                self.expected = larger;
                self.painter.stage(Some(&larger), aspect)
            }
        };
        self.stage = Some(stage);
        stage
    }

    /// Gives the picture of a frame, the `count`-th from 0, to all reels that want it.
    fn draw(
        &mut self,
        out: &OutputDir,
        model: &Model,
        stage: &Stage,
        record: &[u8],
        count: usize,
    ) -> Result<(), ExportError> {
        if self.reels.iter().any(|reel| reel.wants(count)) {
            let scene = self.painter.scene(model, record, stage);
            let camera = self.painter.camera(record, stage);
            render(&scene, &camera, self.size.0, self.size.1, &mut self.image);
        }
        let (names, frame) = (&self.names, self.indices[count]);
        let wanted = self.reels.par_iter_mut().filter(|reel| reel.wants(count));
        // A format that fails does not take the picture from the others.
        let outcomes: Vec<_> = wanted.map(|reel| reel.picture(out, names, frame, &self.image)).collect();
        outcomes.into_iter().collect()
    }

    /// Reels for a movie whose first frame is in `record`: its colours are those of that frame, seen from all sides.
    fn start(
        &mut self,
        out: &OutputDir,
        model: &Model,
        stage: &Stage,
        record: &[u8],
    ) -> Result<(), ExportError> {
        let (size, painter) = (self.size, &self.painter);
        let mut samples = || -> Result<Vec<Image>, ExportError> {
            let scene = painter.scene(model, record, stage);
            let around = [0.0_f64, 90.0, 180.0, 270.0].map(|angle| {
                let mut image = Image::default();
                let camera = painter.camera(record, stage).turned(angle.to_radians());
                render(&scene, &camera, size.0, size.1, &mut image);
                image
            });
            Ok(around.into())
        };
        let (names, fps) = (&self.names, self.fps);
        let mut setup = Setup { out, names, size, fps, samples: &mut samples, again: false };
        self.reels =
            self.kinds.iter().map(|&kind| Reel::start(kind, &mut setup)).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// True if the frames must be drawn again on the stage of the whole motion, so that nothing jumps and what is
    /// shown fills the picture.
    fn must_be_drawn_again(&self, whole: &Stage) -> bool {
        let Some(stage) = &self.stage else { return true };
        let near = whole.camera.distance() >= NEAR_ENOUGH * stage.camera.distance();
        !(self.cuts.is_empty() && self.reels.iter().all(Reel::is_sound) && near && stage.like(whole))
    }

    /// Draws all frames on one stage. If asked to stop, or on failure, the movies drawn before stay.
    fn again(
        &mut self,
        out: &OutputDir,
        model: &Model,
        stage: &Stage,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), ExportError> {
        let Some(mut spool) = self.spool.take() else { return Ok(()) };
        let outcome = self.again_from(&mut spool, out, model, stage, stop);
        self.spool = Some(spool);
        outcome
    }

    fn again_from(
        &mut self,
        spool: &mut Spool,
        out: &OutputDir,
        model: &Model,
        stage: &Stage,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), ExportError> {
        let (size, names, fps) = (self.size, &self.names, self.fps);
        let (painter, count, record) = (&self.painter, self.indices.len(), self.record);
        let mut samples = || -> Result<Vec<Image>, ExportError> {
            let (mut images, mut bytes) = (Vec::new(), vec![0; record]);
            for k in (0..count).step_by(count.div_ceil(PALETTE_FRAMES).max(1)).take_while(|_| !stop()) {
                spool.read(k as u64, 0, &mut bytes)?;
                let mut image = Image::default();
                let camera = painter.camera(&bytes, stage);
                render(&painter.scene(model, &bytes, stage), &camera, size.0, size.1, &mut image);
                images.push(image);
            }
            Ok(images)
        };
        let mut setup = Setup { out, names, size, fps, samples: &mut samples, again: true };
        let reels = self.kinds.iter().map(|&kind| Reel::start(kind, &mut setup)).collect::<Result<_, _>>()?;
        let drafts = std::mem::replace(&mut self.reels, reels);
        let (mut bytes, mut drawn, mut outcome) = (vec![0; self.record], 0, Ok(()));
        while drawn < self.indices.len() && outcome.is_ok() && !stop() {
            outcome = spool.read(drawn as u64, 0, &mut bytes).map_err(ExportError::from);
            outcome = outcome.and_then(|()| self.draw(out, model, stage, &bytes, drawn));
            drawn += usize::from(outcome.is_ok());
        }
        if drawn == self.indices.len() {
            self.stage = Some(*stage);
            self.cuts.clear();
        } else {
            self.reels = drafts;
            // Pictures that are files of their own were replaced one by one: there the view changes too.
            if drawn > 0 && self.kinds.contains(&MovieKind::Png) {
                self.cuts.push(self.indices[drawn]);
                self.cuts.sort_unstable();
                self.cuts.dedup();
            }
        }
        outcome
    }
}

impl Sink for Movie {
    fn frame(&mut self, out: &OutputDir, model: &Model, frame: &Frame<'_>) -> Result<(), ExportError> {
        let record = self.painter.record(model, frame)?;
        let first = self.spool.is_none();
        if first {
            for kind in &self.kinds {
                out.check(&kind.name(&self.names, frame.index))?;
            }
            self.spool = Some(Spool::create(out, &self.names.whole("frames"), record.len())?);
            self.record = record.len();
        }
        if let Some(spool) = &mut self.spool {
            spool.push(&record)?;
            self.indices.push(frame.index);
        }
        let stage = self.set_stage(frame.index);
        if first {
            self.start(out, model, &stage, &record)?;
        }
        self.draw(out, model, &stage, &record, self.indices.len() - 1)
    }

    fn finish(&mut self, out: &OutputDir, model: &Model) -> Result<Vec<PathBuf>, ExportError> {
        self.end(out, model, &|| false).map(|done| done.files)
    }

    fn end(
        &mut self,
        out: &OutputDir,
        model: &Model,
        stop: &dyn Fn() -> bool,
    ) -> Result<Finish, ExportError> {
        let whole = self.painter.stage(None, self.aspect());
        let mut outcome = Ok(());
        if self.must_be_drawn_again(&whole) && !stop() {
            outcome = self.again(out, model, &whole, stop);
        }
        let mut done = Finish::default();
        for reel in &mut self.reels {
            match reel.finish(out, &self.names) {
                Ok(files) => done.files.extend(files),
                Err(error) => outcome = outcome.and(Err(error)),
            }
        }
        outcome?;
        if !self.cuts.is_empty() {
            let list: Vec<String> = self.cuts.iter().map(u64::to_string).collect();
            done.notes.push(format!("the view of the pictures changes at frame {}", list.join(", ")));
        }
        Ok(done)
    }

    fn outputs(&self, frames: u64) -> Box<dyn Iterator<Item = String> + '_> {
        Box::new(self.kinds.iter().flat_map(move |kind| {
            let last = if *kind == MovieKind::Png { frames } else { 0 };
            (0..=last).map(|frame| kind.name(&self.names, frame))
        }))
    }
}
