//! From a format to the thing that writes it, and the door where every frame is checked.
use std::path::PathBuf;

use supple::StepReport;
use supple_files::output::OutputDir;

use super::beside::Beside;
use super::movie::Movie;
use super::reel::MovieKind;
use super::sequence::{Sequence, SequenceKind};
use super::{ExportError, Format, Frame, Model, glb, html, npz, pc2, usda, vtu};
use crate::picture::{Bounds, Camera, Look, MAX_SIDE};

/// Writes an animation, frame after frame.
pub trait Exporter: Send {
    /// What is known of how the next frame was solved; most formats do not keep it.
    fn report(&mut self, _report: &StepReport) {}

    /// Takes a frame. On failure the frames before it stay, and [`Self::finish`] still writes them.
    fn frame(&mut self, out: &OutputDir, frame: &Frame<'_>) -> Result<(), ExportError>;

    /// Completes the output with the frames so far and returns all files that were written. Without any frame there
    /// is no file. May be called again, also after a failure; no frame may follow a success.
    fn finish(&mut self, out: &OutputDir) -> Result<Vec<PathBuf>, ExportError> {
        self.end(out, &|| false).map(|done| done.files)
    }

    /// As [`Self::finish`], but shortened as soon as `stop` is true, which is tested between pictures: the frames so
    /// far are written as they were drawn while they came. Also tells what the user should know of the output.
    fn end(&mut self, out: &OutputDir, stop: &dyn Fn() -> bool) -> Result<Finish, ExportError>;

    /// The names that a run with the frames 0 to `frames`, both included, will write: to be checked before it.
    fn outputs(&self, frames: u64) -> Box<dyn Iterator<Item = String> + '_>;
}

/// What a finished export says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Finish {
    /// All files that were written.
    pub files: Vec<PathBuf>,
    /// What the user should know of them.
    pub notes: Vec<String>,
}

/// What a format needs to know besides the model. The default is a picture of the whole run from
/// [`Camera::THREE_QUARTER`].
#[derive(Debug, Clone)]
pub struct Options {
    /// Frames per second of simulated time, so that movies play at the speed of nature. 0.001 to 100 000.
    pub fps: f64,
    /// Number of the last frame, if known: names of a sequence then have as many digits as it, four at least.
    pub frames: u64,
    /// Most iterations per step, 0 if not known: reports of frames that did not converge say it.
    pub iterations: usize,
    /// Width and height of pictures, pixels. H.264 needs even ones: an MP4 leaves out an odd last row or column.
    pub size: (u32, u32),
    /// What the camera shows. None: all surfaces and springs at all times.
    pub bounds: Option<Bounds>,
    /// What the bodies are expected to reach, as far as that can be known before: pictures are drawn while the run
    /// lasts, and only at its end, if the guess was bad, again. None: only where they start.
    pub expected: Option<Bounds>,
    /// What lies outside of this box does not make the camera show more: bodies that leave. None: all counts.
    pub limit: Option<Bounds>,
    /// Direction from the bodies to the eye.
    pub from: [f64; 3],
    /// A camera that stands where it is, whatever there is to be seen. None: one that shows all.
    pub camera: Option<Camera>,
    /// Number of the body that the camera goes along with.
    pub follow: Option<usize>,
    /// Turns the camera around what it looks at, rad/s.
    pub orbit: f64,
    /// The floor of pictures.
    pub floor: Floor,
    /// Background and light of pictures.
    pub look: Look,
    /// A line of text in pictures.
    pub caption: Option<String>,
    /// Colours of solids by a field of their elements. None: each body has its own colour.
    pub colour_by: Option<ColourBy>,
}

/// The floor of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Floor {
    /// A little below everything.
    #[default]
    Below,
    /// At this height, m.
    At(f64),
    /// None.
    Off,
}

/// A field that pictures show by colour.
#[derive(Debug, Clone, PartialEq)]
pub struct ColourBy {
    /// Its name among [`Frame::element_fields`].
    pub field: String,
    /// What the legend says: quantity and unit.
    pub title: String,
    /// Values at both ends of the colours. None: the least and the greatest in the whole run.
    pub range: Option<[f64; 2]>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            fps: 25.0,
            frames: 0,
            iterations: 0,
            size: (960, 540),
            bounds: None,
            expected: None,
            limit: None,
            from: Camera::THREE_QUARTER,
            camera: None,
            follow: None,
            orbit: 0.0,
            floor: Floor::Below,
            look: Look::LIGHT,
            caption: None,
            colour_by: None,
        }
    }
}

/// Makes the exporter that writes `name.ext`, or `name-0000.ext` and so on. Fails before the run rather than at its
/// end: if the model has indices out of range, an option is out of range, or a program is missing.
pub fn exporter(
    format: Format,
    name: &str,
    model: Model,
    options: &Options,
) -> Result<Box<dyn Exporter>, ExportError> {
    exporters(&[format], name, &model, options)?.pop().ok_or(ExportError::Frames("no format was given"))
}

/// Makes the exporters of several formats, in their order but for pictures, which come last: one exporter writes all
/// of them, because it draws each frame once.
pub fn exporters(
    formats: &[Format],
    name: &str,
    model: &Model,
    options: &Options,
) -> Result<Vec<Box<dyn Exporter>>, ExportError> {
    model.check()?;
    if !(1e-3..=1e5).contains(&options.fps) {
        let fps = options.fps;
        return Err(ExportError::Model(format!("{fps} frames per second are not between 0.001 and 100000")));
    }
    let (width, height) = options.size;
    if !(1..=MAX_SIDE).contains(&width) || !(1..=MAX_SIDE).contains(&height) {
        let text = format!("a picture of {width} by {height} pixels: each must be from 1 to {MAX_SIDE}");
        return Err(ExportError::Model(text));
    }
    let names = Names::new(name, options.frames);
    let mut movies = Vec::new();
    let mut doors = Vec::new();
    for &format in formats {
        let names = names.clone();
        let sink: Box<dyn Sink> = match format {
            Format::Obj => Box::new(Sequence::new(SequenceKind::Obj, names)),
            Format::Ply => Box::new(Sequence::new(SequenceKind::Ply, names)),
            Format::Stl => Box::new(Sequence::new(SequenceKind::Stl, names)),
            Format::Vtu => Box::new(vtu::Vtu::new(model, names)),
            Format::Glb => Box::new(glb::Glb::new(names)),
            Format::Usda => Box::new(usda::Usda::new(model, names, options.fps)),
            Format::Pc2 => Box::new(pc2::Pc2::new(names)),
            Format::Npz => Box::new(npz::Npz::new(names)),
            Format::Html => Box::new(html::Html::new(name, &names, options)?),
            Format::Png | Format::Gif | Format::Apng | Format::Mp4 => {
                movies.push(format);
                continue;
            }
        };
        doors.push(Door::boxed(format, model, sink));
    }
    if let Some(&first) = movies.first() {
        let kinds = movies.iter().filter_map(|&format| MovieKind::of(format)).collect();
        doors.push(Door::boxed(first, model, Box::new(Movie::new(kinds, model, names, options)?)));
    }
    Ok(doors)
}

/// The same exporters, those of pictures and pages on threads of their own beside the caller's. What goes wrong with a frame there is
/// reported with a later one, or at the end.
pub fn beside(exporters: Vec<Box<dyn Exporter>>) -> Vec<Box<dyn Exporter>> {
    exporters.into_iter().map(|e| Box::new(Beside::new(e)) as Box<dyn Exporter>).collect()
}

/// A format; frames have been checked before they come here.
pub(super) trait Sink: Send {
    /// What is known of how the next frame was solved.
    fn report(&mut self, _report: &StepReport) {}
    fn frame(&mut self, out: &OutputDir, model: &Model, frame: &Frame<'_>) -> Result<(), ExportError>;
    /// Called after at least one frame.
    fn finish(&mut self, out: &OutputDir, model: &Model) -> Result<Vec<PathBuf>, ExportError>;
    /// The same, in a hurry if asked; see [`Exporter::end`].
    fn end(
        &mut self,
        out: &OutputDir,
        model: &Model,
        _stop: &dyn Fn() -> bool,
    ) -> Result<Finish, ExportError> {
        Ok(Finish { files: self.finish(out, model)?, notes: Vec::new() })
    }
    fn outputs(&self, frames: u64) -> Box<dyn Iterator<Item = String> + '_>;
}

/// How files are named.
#[derive(Debug, Clone)]
pub(super) struct Names {
    name: String,
    digits: usize,
}

impl Names {
    fn new(name: &str, frames: u64) -> Self {
        Self { name: name.to_owned(), digits: frames.to_string().len().max(4) }
    }

    /// `name.ext`
    pub fn whole(&self, extension: &str) -> String {
        format!("{}.{extension}", self.name)
    }

    /// `name-0000.ext`
    pub fn part(&self, frame: u64, extension: &str) -> String {
        let digits = self.digits;
        format!("{}-{frame:0digits$}.{extension}", self.name)
    }
}

/// What is remembered of the frame before.
struct Before {
    index: u64,
    time: f64,
    nodes: usize,
    fields: Vec<&'static str>,
    velocities: bool,
}

struct Door {
    format: Format,
    model: Model,
    sink: Box<dyn Sink>,
    before: Option<Before>,
    done: Option<Finish>,
}

impl Exporter for Door {
    fn report(&mut self, report: &StepReport) {
        self.sink.report(report);
    }

    fn frame(&mut self, out: &OutputDir, frame: &Frame<'_>) -> Result<(), ExportError> {
        if self.done.is_some() {
            return Err(ExportError::Frames("the export is finished already"));
        }
        self.check(frame)?;
        self.sink.frame(out, &self.model, frame)?;
        self.before = Some(Before {
            index: frame.index,
            time: frame.time,
            nodes: frame.positions.len(),
            fields: frame.element_fields.iter().map(|f| f.0).collect(),
            velocities: !frame.velocities.is_empty(),
        });
        Ok(())
    }

    fn end(&mut self, out: &OutputDir, stop: &dyn Fn() -> bool) -> Result<Finish, ExportError> {
        if let Some(done) = &self.done {
            return Ok(done.clone());
        }
        let done =
            if self.before.is_some() { self.sink.end(out, &self.model, stop)? } else { Finish::default() };
        self.done = Some(done.clone());
        Ok(done)
    }

    fn outputs(&self, frames: u64) -> Box<dyn Iterator<Item = String> + '_> {
        self.sink.outputs(frames)
    }
}

impl Door {
    fn boxed(format: Format, model: &Model, sink: Box<dyn Sink>) -> Box<dyn Exporter> {
        Box::new(Self { format, model: model.clone(), sink, before: None, done: None })
    }

    fn check(&self, frame: &Frame<'_>) -> Result<(), ExportError> {
        let refuse = |reason: String| Err(ExportError::Frame { frame: frame.index, reason });
        let (nodes, needed) = (frame.positions.len(), self.model.nodes());
        if nodes < needed {
            return refuse(format!("{nodes} positions for {needed} nodes"));
        }
        if !matches!(frame.velocities.len(), 0) && frame.velocities.len() != nodes {
            return refuse(format!("{} velocities for {nodes} nodes", frame.velocities.len()));
        }
        if !frame.time.is_finite() {
            return refuse(format!("its time is {} s", frame.time));
        }
        let (tets, triangles) = (self.model.tets(), self.model.sheet_triangles().count());
        for (name, values) in frame.element_fields {
            // Those of sheets may be left out.
            if values.len() != tets && values.len() != tets + triangles {
                let n = values.len();
                return refuse(format!(
                    "{n} values of {name} for {tets} tetrahedra and {triangles} triangles of sheets"
                ));
            }
        }
        if let Some(before) = &self.before {
            if nodes != before.nodes {
                return refuse(format!("{nodes} nodes, but {} in the frame before", before.nodes));
            }
            if frame.index <= before.index {
                return refuse(format!("it comes after frame {}", before.index));
            }
            if frame.time <= before.time {
                return refuse(format!("its time {} s is not after {} s", frame.time, before.time));
            }
            let same = before.fields.iter().copied().eq(frame.element_fields.iter().map(|f| f.0));
            if !same || before.velocities == frame.velocities.is_empty() && nodes > 0 {
                return refuse("it has other fields than the frame before".to_owned());
            }
        }
        let single = self.format.is_single();
        let fits = |c: f64| if single { (c as f32).is_finite() } else { c.is_finite() };
        for (what, values) in [("position", frame.positions), ("velocity", frame.velocities)] {
            if let Some(node) = values.iter().position(|p| !p.iter().all(|&c| fits(c))) {
                return Err(ExportError::NotFinite {
                    frame: frame.index,
                    what,
                    node,
                    place: self.model.place(node),
                    value: values[node],
                    format: self.format,
                });
            }
        }
        Ok(())
    }
}
