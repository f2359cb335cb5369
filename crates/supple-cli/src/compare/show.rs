//! A comparison for people and programs: table, CSV, JSON, plots.
use std::fmt::Write;

use serde_json::{Value, json};
use supple::{Start, Status};

use super::{Comparison, Done, Outcome, TARGETS};
use crate::plot::{Axis, Plot, Series};

/// What lies below is rounding: drawn at the lower border.
const FLOOR: f64 = 1e-12;

/// Milliseconds with three digits that count.
pub fn milliseconds(seconds: f64) -> String {
    let ms = 1e3 * seconds;
    let digits = if ms >= 100.0 {
        0
    } else if ms >= 10.0 {
        1
    } else {
        2
    };
    format!("{ms:.digits$}")
}

/// A factor of k as people write it: k/4, k, 16 k.
pub fn ratio(scale: f64) -> String {
    let inverse = (1.0 / scale).round();
    if scale == 1.0 {
        "k".into()
    } else if scale < 1.0 && (inverse * scale - 1.0).abs() < 1e-12 {
        format!("k/{inverse}")
    } else {
        format!("{scale} k")
    }
}

/// The word for a status; one that will never converge says where it stays.
fn status(c: &Comparison, done: &Done) -> String {
    match done.status {
        Status::Stalled => format!("stalled at {:.0e}", c.final_error(done)),
        s => s.to_string(),
    }
}

fn start(c: &Comparison) -> &'static str {
    match c.start {
        Start::Inertia => "inertia: x̃, where the body would go without elastic forces",
        Start::Best => "best: the lowest objective among five guesses",
    }
}

/// The table on the terminal.
pub fn table(c: &Comparison) -> String {
    let mut out = String::new();
    let [nodes, elements, threads] = c.size;
    let _ = writeln!(
        out,
        "{}, frame {}: {nodes} nodes, {elements} elements, {threads} thread(s)\n\
         start {}; ε(x⁰) = {:.6e} J, ε* = {:.6e} J by {}",
        c.scene,
        c.frame,
        start(c),
        c.first,
        c.lowest,
        c.found_by
    );
    for n in &c.notes {
        let _ = writeln!(out, "note: {n}");
    }
    let wide = c.runs.iter().map(|r| r.name.chars().count()).max().unwrap_or(0).max(6);
    let _ = write!(out, "\n{:<wide$}  {:<17}{:>6}{:>9}", "method", "status", "iter.", "ms");
    for t in TARGETS {
        let _ = write!(out, "{:>20}", format!("to {t:.0e}: iter., ms"));
    }
    let _ = writeln!(out, "{:>12}{:>10}", "error", "residual");
    for r in &c.runs {
        let done = match &r.outcome {
            Outcome::Done(done) => done,
            Outcome::Impossible(why) => {
                let _ = writeln!(out, "{:<wide$}  not possible: {}", r.name, why.trim_end());
                continue;
            }
        };
        let _ = write!(
            out,
            "{:<wide$}  {:<17}{:>6}{:>9}",
            r.name,
            status(c, done),
            done.iterations,
            milliseconds(done.seconds)
        );
        for t in TARGETS {
            let text = match c.milestone(done, t) {
                Some(m) => format!("{:>6}{:>9}", m.iterations, milliseconds(m.seconds)),
                None => "–".into(),
            };
            let _ = write!(out, "{text:>20}");
        }
        let _ = writeln!(out, "{:>12.1e}{:>10.1e}", c.final_error(done).max(0.0), done.force_residual);
    }
    out
}

/// One line per iterate; iteration 0 is the start.
pub fn csv(c: &Comparison) -> String {
    let mut out = String::from("method,iteration,seconds,objective,relative_error\n");
    for r in &c.runs {
        let Some(done) = r.done() else { continue };
        // Names are ours, without commas and quotes.
        let _ = writeln!(out, "{},0,0,{:e},{:e}", r.name, done.start, c.error(done.start));
        for s in &done.samples {
            let error = c.error(s.objective);
            let _ = writeln!(out, "{},{},{:e},{:e},{error:e}", r.name, s.iteration, s.seconds, s.objective);
        }
    }
    out
}

/// Everything but the iterates.
pub fn json(c: &Comparison) -> Value {
    let runs = c.runs.iter().map(|r| match &r.outcome {
        Outcome::Impossible(why) => json!({ "method": r.name, "possible": false, "reason": why.trim_end() }),
        Outcome::Done(d) => {
            let to = TARGETS.map(|t| {
                let m = c.milestone(d, t);
                json!({ "error": t, "iterations": m.map(|m| m.iterations), "ms": m.map(|m| 1e3 * m.seconds) })
            });
            json!({
                "method": r.name, "possible": true, "ended_with": d.method, "status": d.status,
                "iterations": d.iterations, "ms": 1e3 * d.seconds, "to": to,
                "relative_error": c.final_error(d), "force_residual": d.force_residual, "repeatable": d.repeatable,
            })
        }
    });
    json!({
        "scene": c.scene, "frame": c.frame, "start": c.start, "nodes": c.size[0], "elements": c.size[1],
        "threads": c.size[2], "start_objective": c.first, "lowest_objective": c.lowest, "found_by": c.found_by,
        "notes": c.notes, "methods": runs.collect::<Vec<_>>(),
    })
}

/// Relative error against iterations or, with `time`, against milliseconds.
pub fn error_plot(c: &Comparison, title: &str, time: bool) -> Plot {
    let mut highest = 1.0f64;
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    let mut series = Vec::new();
    for r in &c.runs {
        let Some(done) = r.done() else { continue };
        let mut points = Vec::with_capacity(done.samples.len() + 1);
        for s in &done.samples {
            let x = if time { 1e3 * s.seconds } else { s.iteration as f64 };
            let error = c.error(s.objective);
            if error.is_finite() {
                highest = highest.max(error);
            }
            // Rounding may lie on the other side of zero.
            points.push([x, if error.is_finite() { error.max(0.1 * FLOOR) } else { f64::NAN }]);
        }
        // Once in the rounding and never out again: nothing more to see.
        while let [.., [_, a], [_, b]] = points[..]
            && a <= FLOOR
            && b <= FLOOR
        {
            points.pop();
        }
        if let (Some(first), Some(last)) = (points.first(), points.last()) {
            least = least.min(if time { first[0] } else { last[0] });
            most = most.max(last[0]);
        }
        series.push(Series::new(r.name.clone(), points));
    }
    let what = if time { "time in the solver, ms" } else { "iterations" };
    // Few iterations fit on an even axis; else what is over soon would be a stroke at the left.
    let wide = most / least > 12.0 || most > 100.0;
    let x = if wide { Axis::log(what) } else { Axis::linear(what) };
    let top = 10f64.powf(highest.min(1e3).log10().ceil());
    let y = Axis::log("relative error of the objective").between(FLOOR, top.max(1.0));
    Plot { title: title.to_string(), x, y, series }
}
