//! A time budget is honoured: the median step is late by no more than a fifth of it, or 2 ms; and with the budget that the viewer gives, every
//! built-in scene makes 30 frames in a second. A program of its own, with one test, so that nothing else runs at the same time; what is late only because
//! the machine was busy gets other chances.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::time::Instant;
use supple::scene::{Asset, Program, parse};

/// Frames whose median counts, and how often that is tried.
const FRAMES: usize = 9;
const CHANCES: usize = 4;

/// What the viewer lets a frame take, and what it may take, in ms.
const VIEWER: f64 = 23.4;
const SMOOTH: f64 = 1000.0 / 30.0;

/// Scenes whose steps cannot end in time: one iteration, which is always made, takes longer.
const EXEMPT: [&str; 0] = [];

fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

fn program(name: &str, set: &[(&str, String)]) -> Program {
    let all: Vec<_> = set.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
    let text = std::fs::read_to_string(folder().join(format!("{name}.toml"))).unwrap();
    Program::new(&parse::parse(&text, &all).unwrap(), &mut |_| Err::<Asset, _>("no files here".into()))
        .unwrap()
}

/// The median time of a frame in ms.
fn frame(p: &mut Program, frames: usize) -> f64 {
    let mut times: Vec<f64> = (0..frames)
        .map(|_| {
            let start = Instant::now();
            p.frame().unwrap();
            1e3 * start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[frames / 2]
}

/// The best of some chances to make frames within `most` ms if steps have `budget` ms, in ms.
fn within(name: &str, set: &[(&str, String)], budget: f64, most: f64) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..CHANCES {
        let mut set = set.to_vec();
        set.push(("solve.time_budget_ms", format!("{budget}")));
        best = best.min(frame(&mut program(name, &set), FRAMES));
        if best <= most {
            break;
        }
    }
    best
}

#[test]
fn steps_end_when_their_time_is_over() {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .filter_map(|e| Some(e.unwrap().file_name().to_str()?.strip_suffix(".toml")?.to_string()))
        .collect();
    names.sort();
    assert!(names.len() >= 20, "{names:?}");
    let mut runs: Vec<(&str, Vec<(&str, String)>)> = names.iter().map(|n| (n.as_str(), Vec::new())).collect();
    for method in ["admm", "projective", "position", "quasi_newton", "newton", "auto"] {
        runs.push(("swing", vec![("solve.method", format!("\"{method}\""))]));
    }
    let mut wrong = Vec::new();
    for (name, set) in &runs {
        let mut free = program(name, set);
        let steps = f64::from(free.substeps.max(1));
        let needs = frame(&mut free, 3) / steps;
        // Half of the time that a step takes, but at least 1 ms.
        let budget = (0.5 * needs).max(1.0);
        let took = within(name, set, budget, steps * (budget + (0.2 * budget).max(2.0))) / steps;
        let late = took > budget + (0.2 * budget).max(2.0);
        let live =
            if needs * steps <= VIEWER { needs * steps } else { within(name, set, VIEWER / steps, SMOOTH) };
        let line =
            format!("{name} {set:?}: {took:.2} ms of {budget:.2}; a frame for the viewer {live:.1} ms");
        println!("{line}");
        if (late || live > SMOOTH) && !EXEMPT.contains(name) {
            wrong.push(line);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
