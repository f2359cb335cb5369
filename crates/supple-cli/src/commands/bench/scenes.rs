//! Whole motions in which bodies touch each other and themselves: what their steps cost, and how many of them converge.
use std::time::{Duration, Instant};

use miette::IntoDiagnostic;
use serde::Serialize;
use supple::Status;
use supple::scene::{Asset, Program, parse};

/// A scene with contact, and what of it is changed.
pub struct Plan {
    name: &'static str,
    text: &'static str,
    set: &'static [(&'static str, &'static str)],
}

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Motion {
    /// The scene.
    pub name: &'static str,
    /// Nodes.
    pub nodes: usize,
    /// Threads.
    pub threads: usize,
    /// Steps that were taken; fewer than asked for if the time was up.
    pub steps: usize,
    /// Wall-clock time of a step: the mean, half of the steps are below, the longest.
    pub mean_ms: f64,
    pub median_ms: f64,
    pub most_ms: f64,
    /// The mean time of a step in the search for contacts.
    pub detection_ms: f64,
    /// Iterations of a step: the mean, the most.
    pub iterations: f64,
    pub most_iterations: usize,
    /// Matrices factored per step for weights that changed.
    pub factored: f64,
    /// Share of the steps that converged.
    pub converged: f64,
    /// Contacts that bear a force: the mean, the most.
    pub contacts: f64,
    pub most_contacts: usize,
    /// Bodies that were shortened, all steps.
    pub shortened: usize,
    /// Largest depth in m at the end of a step.
    pub depth: f64,
}

/// How much of each scene is run.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Most steps.
    pub steps: u64,
    /// Most time; it is looked at between steps.
    pub time: Duration,
    /// Threads; 0 for all of the machine.
    pub threads: usize,
}

const FINE: &[(&str, &str)] = &[("body.cloth.shape.cells", "[40, 40]")];
const FINER: &[(&str, &str)] = &[("body.cloth.shape.cells", "[60, 60]")];
const SIX: &[(&str, &str)] = &[
    ("body.lowest.shape.cells", "[6, 6, 6]"),
    ("body.second.shape.cells", "[6, 6, 6]"),
    ("body.third.shape.cells", "[6, 6, 6]"),
    ("body.heavy.shape.cells", "[6, 6, 6]"),
];
const SLIPPERY: &[(&str, &str)] = &[("collide.friction", "0.05"), ("obstacle.floor.friction", "0.05")];

/// All scenes whose name contains one of `names`; all if there is none.
pub fn plan(names: &[String]) -> Vec<Plan> {
    let built_in = |name: &str| crate::scenes::find(name).map_or("", |s| s.text);
    let mut plans = Vec::new();
    let mut add = |name, text, set| plans.push(Plan { name, text, set });
    add("drape 20×20", built_in("drape"), &[]);
    add("drape 40×40", built_in("drape"), FINE);
    add("drape 60×60", built_in("drape"), FINER);
    add("strip", built_in("strip"), &[]);
    add("twist", built_in("twist"), &[]);
    add("stack 4×4×4", built_in("stack"), &[]);
    add("stack 6×6×6", built_in("stack"), SIX);
    add("wall", include_str!("scenes/wall.toml"), &[]);
    add("bowl", built_in("bowl"), &[]);
    add("knot", built_in("knot"), &[]);
    add("pile", built_in("pile"), &[]);
    add("skin", built_in("skin"), &[]);
    add("ring", built_in("ring"), &[]);
    add("plates", built_in("plates"), &[]);
    add("cards, friction 0.5", include_str!("scenes/cards.toml"), &[]);
    add("cards, friction 0.05", include_str!("scenes/cards.toml"), SLIPPERY);
    plans.retain(|p| names.is_empty() || names.iter().any(|n| p.name.contains(n.as_str())));
    plans
}

/// Runs a scene.
pub fn measure(plan: &Plan, limits: Limits) -> miette::Result<Motion> {
    let mut set: Vec<(String, String)> =
        plan.set.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).collect();
    set.push(("solve.threads".into(), limits.threads.to_string()));
    let wrong = |e: supple::scene::SceneError| miette::miette!("{}: {e}", plan.name);
    let file = parse::parse(plan.text, &set).map_err(wrong)?;
    let none = &mut |_: &str| Err::<Asset, _>("scenes of the benchmark have no files".to_string());
    let mut program = Program::new(&file, none).map_err(wrong)?;
    let (started, steps) = (Instant::now(), program.frames.min(limits.steps));
    let mut times = Vec::new();
    let mut m = Motion {
        name: plan.name,
        nodes: program.simulation.node_count(),
        threads: program.simulation.threads(),
        steps: 0,
        mean_ms: 0.0,
        median_ms: 0.0,
        most_ms: 0.0,
        detection_ms: 0.0,
        iterations: 0.0,
        most_iterations: 0,
        factored: 0.0,
        converged: 0.0,
        contacts: 0.0,
        most_contacts: 0,
        shortened: 0,
        depth: 0.0,
    };
    while (times.len() as u64) < steps && (times.is_empty() || started.elapsed() < limits.time) {
        let before = Instant::now();
        let r = program.frame().into_diagnostic()?;
        times.push(1e3 * before.elapsed().as_secs_f64());
        m.detection_ms += 1e3 * r.timings.detection;
        m.iterations += r.iterations as f64;
        m.most_iterations = m.most_iterations.max(r.iterations);
        m.factored += r.factored as f64;
        m.converged += f64::from(u8::from(r.status == Status::Converged));
        m.contacts += r.contacts as f64;
        m.most_contacts = m.most_contacts.max(r.contacts);
        m.shortened += r.islands_shortened;
        m.depth = m.depth.max(r.max_penetration);
    }
    let taken = times.len().max(1) as f64;
    times.sort_by(f64::total_cmp);
    m.steps = times.len();
    m.mean_ms = times.iter().sum::<f64>() / taken;
    m.median_ms = times.get(times.len() / 2).copied().unwrap_or(0.0);
    m.most_ms = times.last().copied().unwrap_or(0.0);
    for sum in [&mut m.detection_ms, &mut m.iterations, &mut m.factored, &mut m.converged, &mut m.contacts] {
        *sum /= taken;
    }
    Ok(m)
}
