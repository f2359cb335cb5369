//! An exporter that works beside the simulation, on a thread of its own, two frames behind at most.
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use supple::StepReport;
use supple_files::output::OutputDir;

use super::exporter::{Exporter, Finish};
use super::{ExportError, Frame};

/// Frames that may wait, besides the one that is drawn: all are still drawn when a run is interrupted, which must not take long.
const WAITING: usize = 1;

enum Job {
    Report(Box<StepReport>),
    Frame(OutputDir, Box<Kept>),
}

/// A frame that owns what it holds.
struct Kept {
    index: u64,
    time: f64,
    positions: Vec<[f64; 3]>,
    velocities: Vec<[f64; 3]>,
    element_fields: Vec<(&'static str, Vec<f64>)>,
    normals: Vec<[f64; 3]>,
}

/// What a thread gives back: the exporter, and what went wrong.
type Ended = (Box<dyn Exporter>, Result<(), ExportError>);

struct Worker {
    jobs: SyncSender<Job>,
    thread: JoinHandle<Ended>,
}

impl Worker {
    fn start(exporter: Box<dyn Exporter>) -> Worker {
        let (jobs, list) = sync_channel(WAITING);
        Worker { jobs, thread: std::thread::spawn(move || work(exporter, &list)) }
    }

    fn join(self) -> Ended {
        drop(self.jobs);
        self.thread.join().unwrap_or_else(|_| {
            let gone = "the thread that draws has stopped".to_owned();
            (Box::new(Gone), Err(ExportError::Encode(gone)))
        })
    }
}

fn work(mut exporter: Box<dyn Exporter>, jobs: &Receiver<Job>) -> Ended {
    for job in jobs {
        match job {
            Job::Report(report) => exporter.report(&report),
            Job::Frame(out, kept) => {
                let frame = Frame {
                    index: kept.index,
                    time: kept.time,
                    positions: &kept.positions,
                    velocities: &kept.velocities,
                    element_fields: &kept.element_fields,
                    normals: &kept.normals,
                };
                if let Err(e) = exporter.frame(&out, &frame) {
                    return (exporter, Err(e));
                }
            }
        }
    }
    (exporter, Ok(()))
}

/// Hands frames to another exporter, in their order. What goes wrong there is reported with a later frame, or at the end.
pub(super) struct Beside {
    /// Here before the first frame, and after the last.
    exporter: Option<Box<dyn Exporter>>,
    worker: Option<Worker>,
    /// A frame failed: no other is taken.
    failed: bool,
}

impl Beside {
    pub fn new(exporter: Box<dyn Exporter>) -> Beside {
        Beside { exporter: Some(exporter), worker: None, failed: false }
    }

    fn send(&mut self, job: Job) -> Result<(), ExportError> {
        if self.failed {
            return Err(ExportError::Frames("a frame before could not be written"));
        }
        if let Some(exporter) = self.exporter.take() {
            self.worker = Some(Worker::start(exporter));
        }
        match &self.worker {
            // A thread that has ended has failed.
            Some(worker) if worker.jobs.send(job).is_err() => self.wait(),
            _ => Ok(()),
        }
    }

    /// Until all frames are written.
    fn wait(&mut self) -> Result<(), ExportError> {
        let Some(worker) = self.worker.take() else { return Ok(()) };
        let (exporter, outcome) = worker.join();
        self.exporter = Some(exporter);
        self.failed = outcome.is_err();
        outcome
    }
}

impl Exporter for Beside {
    fn report(&mut self, report: &StepReport) {
        // A failure comes back with the next frame.
        if self.worker.is_some() && !self.failed {
            let sent = self.send(Job::Report(Box::new(*report)));
            self.failed |= sent.is_err();
        }
    }

    fn frame(&mut self, out: &OutputDir, frame: &Frame<'_>) -> Result<(), ExportError> {
        let kept = Kept {
            index: frame.index,
            time: frame.time,
            positions: frame.positions.to_vec(),
            velocities: frame.velocities.to_vec(),
            element_fields: frame.element_fields.to_vec(),
            normals: frame.normals.to_vec(),
        };
        self.send(Job::Frame(out.clone(), Box::new(kept)))
    }

    fn end(&mut self, out: &OutputDir, stop: &dyn Fn() -> bool) -> Result<Finish, ExportError> {
        let outcome = self.wait();
        // What came before a failure is still written.
        let done = self.exporter.as_mut().map_or_else(|| Ok(Finish::default()), |e| e.end(out, stop));
        outcome.and(done)
    }

    fn outputs(&self, frames: u64) -> Box<dyn Iterator<Item = String> + '_> {
        match &self.exporter {
            Some(exporter) => exporter.outputs(frames),
            None => Box::new(std::iter::empty()),
        }
    }
}

/// In place of an exporter that is lost.
struct Gone;

impl Exporter for Gone {
    fn frame(&mut self, _: &OutputDir, _: &Frame<'_>) -> Result<(), ExportError> {
        Err(ExportError::Frames("the thread that draws has stopped"))
    }
    fn end(&mut self, _: &OutputDir, _: &dyn Fn() -> bool) -> Result<Finish, ExportError> {
        Ok(Finish::default())
    }
    fn outputs(&self, _: u64) -> Box<dyn Iterator<Item = String> + '_> {
        Box::new(std::iter::empty())
    }
}
