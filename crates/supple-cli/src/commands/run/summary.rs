//! What a run says at its end, to a person and as JSON.
use std::io::Write;
use std::path::PathBuf;

use miette::IntoDiagnostic;
use serde_json::json;
use supple::scene::Program;
use supple::{Status, StepReport};

use super::{Failure, Options, create};
use crate::advice::Seen;
use crate::export::Finish;
use crate::show::counts;

/// What a run knows of its frames.
#[derive(Default)]
pub struct Tally {
    pub reports: usize,
    pub converged: usize,
    pub iterations: usize,
    pub seconds: f64,
    pub worst: f64,
    pub inverted: usize,
    /// The largest violation of a hard constraint.
    pub violation: f64,
    pub last: Option<StepReport>,
    /// What was seen of frames that did not converge.
    pub seen: Seen,
    /// Ended by the user.
    pub interrupted: bool,
}

impl Tally {
    pub fn add(&mut self, r: &StepReport) {
        self.reports += 1;
        self.converged += usize::from(r.status == Status::Converged);
        self.iterations += r.iterations;
        self.seconds += r.timings.total();
        // A residual that is no number counts as the worst.
        self.worst = if r.force_residual >= self.worst || r.force_residual.is_nan() {
            r.force_residual
        } else {
            self.worst
        };
        self.inverted = self.inverted.max(r.inverted);
        self.violation = self.violation.max(r.violation);
        self.last = Some(*r);
        self.seen.add(r);
    }
}

/// Prints the summary and writes the JSON, as asked for. `seconds`: the whole time.
pub fn summary(
    program: &Program,
    t: &Tally,
    warnings: &[String],
    options: &Options,
    seconds: f64,
    done: &Finish,
) -> Result<(), Failure> {
    let (written, interrupted) = (&done.files, t.interrupted);
    let violation = program.simulation.constrained().then_some(t.violation);
    let [tetrahedra, triangles, springs] = counts(program);
    let remedy = t.seen.remedy(program.simulation.settings(), program.substeps);
    let frames = t.reports.max(1) as f64;
    if let Some(path) = &options.json {
        let energy = t.last.map(|r| r.energy);
        let text = json!({
            "frames": t.reports, "converged": t.converged, "interrupted": interrupted,
            "nodes": program.simulation.node_count(), "elements": tetrahedra + triangles + springs,
            "tetrahedra": tetrahedra, "triangles": triangles, "springs": springs,
            "terms": program.simulation.element_count(), "threads": program.simulation.threads(), "iterations": t.iterations,
            "frame_ms": 1e3 * t.seconds / frames, "seconds": seconds,
            "worst_force_residual": t.worst, "most_inverted": t.inverted, "worst_violation": violation,
            "energy": energy, "notes": done.notes, "warnings": warnings, "advice": remedy,
            "outputs": written.iter().map(|p| p.display().to_string()).collect::<Vec<_>>(),
        });
        let text = format!("{text}\n");
        if path.as_os_str() == "-" {
            std::io::stdout().write_all(text.as_bytes()).into_diagnostic().map_err(Failure::run)?;
        } else {
            let (mut file, _) = create(path, options.force)?;
            file.write_all(text.as_bytes())
                .and_then(|()| file.flush())
                .into_diagnostic()
                .map_err(Failure::run)?;
        }
    }
    if options.quiet || options.json.as_deref().is_some_and(|p| p.as_os_str() == "-") {
        return Ok(());
    }
    let mut text = String::new();
    let mut row = |name: &str, value: String| text.push_str(&format!("{name:<22}{value}\n"));
    row("bodies", format!("{}", program.bodies.len()));
    row("nodes", format!("{}", program.simulation.node_count()));
    row("elements", elements([tetrahedra, triangles, springs]));
    row(
        "frames",
        format!("{}{} in {seconds:.1} s", t.reports, if interrupted { " (interrupted)" } else { "" }),
    );
    row(
        "time per frame",
        format!(
            "{:.2} ms on {} thread(s), {:.1} iterations",
            1e3 * t.seconds / frames,
            program.simulation.threads(),
            t.iterations as f64 / frames
        ),
    );
    row(
        "converged",
        format!("{} of {} frames; worst force residual {:.1e}", t.converged, t.reports, t.worst),
    );
    if let Some(remedy) = &remedy {
        // What the number means, and what to do.
        if program.simulation.settings().solve.tolerance > 0.0 {
            row("", meaning(t));
        }
        row("", remedy.text.clone());
    }
    if t.inverted > 0 {
        let now = t.last.map_or(0, |r| r.inverted);
        row("inverted elements", format!("at most {}, {now} in the last frame", t.inverted));
    }
    if let Some(most) = violation {
        row("hard constraints", format!("largest violation {most:.1e} (m for lengths, a share for strains)"));
    }
    if let Some(r) = t.last {
        row(
            "energy at the end",
            format!("elastic {:.3e} J, kinetic {:.3e} J", r.energy.elastic, r.energy.kinetic),
        );
    }
    for line in by_kind(written) {
        row("wrote", line);
    }
    for note in &done.notes {
        row("note", note.clone());
    }
    for warning in warnings {
        row("warning", warning.clone());
    }
    std::io::stdout().write_all(text.as_bytes()).into_diagnostic().map_err(Failure::run)
}

/// What it means that frames did not converge.
fn meaning(t: &Tally) -> String {
    let left = t.reports - t.converged;
    let how = match t.worst {
        w if w < 1e-3 => "which is hardly seen",
        w if w < 0.1 => "so motion is a little off in them",
        _ => "so motion in them is not to be trusted",
    };
    format!(
        "{left} ended before the tolerance; forces are out of balance by up to {:.0e} of their sum, {how}",
        t.worst
    )
}

/// Tetrahedra, triangles of sheets and springs in words: those that there are.
pub fn elements(counts: [usize; 3]) -> String {
    let names = ["tetrahedra", "triangles", "springs"];
    let some = counts.iter().zip(names).filter(|(n, _)| **n > 0).map(|(n, name)| format!("{n} {name}"));
    some.collect::<Vec<_>>().join(", ")
}

/// One line per kind of file: the file, or the first and last of a sequence.
fn by_kind(written: &[PathBuf]) -> Vec<String> {
    let mut kinds: Vec<(&std::ffi::OsStr, Vec<&PathBuf>)> = Vec::new();
    for p in written {
        let kind = p.extension().unwrap_or_default();
        match kinds.iter_mut().find(|(k, _)| *k == kind) {
            Some((_, list)) => list.push(p),
            None => kinds.push((kind, vec![p])),
        }
    }
    let line = |list: &[&PathBuf]| match list {
        [one] => one.display().to_string(),
        [first, .., last] => {
            let last = last.file_name().unwrap_or_default().to_string_lossy();
            format!("{} … {last} ({} files)", first.display(), list.len())
        }
        [] => String::new(),
    };
    kinds.iter().map(|(_, list)| line(list)).collect()
}
