//! A time budget is honoured: the median step is late by no more than a fifth of it, or 2 ms. A program of its own, so that no other test runs
//! at the same time; what is late only because the machine was busy gets other chances.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::time::Instant;
use supple::scene::{Asset, Program, parse};
use supple_cli::scenes;

/// Frames whose median counts, and how often that is tried.
const FRAMES: usize = 9;
const CHANCES: usize = 4;

fn program(name: &str, set: &[(&str, String)]) -> Program {
    let mut all = vec![("solve.threads".to_string(), "1".to_string())];
    all.extend(set.iter().map(|(k, v)| (k.to_string(), v.clone())));
    let file = parse::parse(scenes::find(name).unwrap().text, &all).unwrap();
    Program::new(&file, &mut |_| Err::<Asset, _>("no files here".into())).unwrap()
}

/// The median time of a step in ms.
fn step(p: &mut Program, frames: usize) -> f64 {
    let mut times: Vec<f64> = (0..frames)
        .map(|_| {
            let start = Instant::now();
            p.frame().unwrap();
            1e3 * start.elapsed().as_secs_f64() / f64::from(p.substeps.max(1))
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[frames / 2]
}

/// Budget and time of the best of some chances, if it is late; with half of the time that a step takes without a budget, but at least 1 ms.
fn late(name: &str, set: &[(&str, String)]) -> Option<String> {
    let budget = (0.5 * step(&mut program(name, set), 3)).max(1.0);
    let mut best = f64::INFINITY;
    for _ in 0..CHANCES {
        let mut set = set.to_vec();
        set.push(("solve.time_budget_ms", format!("{budget}")));
        best = best.min(step(&mut program(name, &set), FRAMES));
        if best <= budget + (0.2 * budget).max(2.0) {
            return None;
        }
    }
    Some(format!("{name} {set:?}: {best:.2} ms instead of {budget:.2}"))
}

#[test]
fn steps_end_when_their_time_is_over() {
    // Those without contact: it takes the time that it needs to keep bodies apart.
    let names =
        scenes::ALL.iter().filter(|s| !s.text.contains("[collide]") && !s.text.contains("[[obstacle]]"));
    let mut runs: Vec<(&str, Vec<(&str, String)>)> = names.map(|s| (s.name, Vec::new())).collect();
    assert!(runs.len() >= 15, "{} scenes", runs.len());
    for method in ["admm", "projective", "position", "quasi_newton", "newton", "auto"] {
        runs.push(("swing", vec![("solve.method", format!("\"{method}\""))]));
    }
    let wrong: Vec<String> = runs.iter().filter_map(|(name, set)| late(name, set)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
