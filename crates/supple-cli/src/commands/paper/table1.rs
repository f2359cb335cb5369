//! Table 1: milliseconds per iteration and per frame, beside the paper's and the papers' own code.
use miette::{IntoDiagnostic, miette};
use serde_json::json;
use supple::mesh::{TetMesh, shapes};
use supple::sim::Timings;
use supple::{Material, MaterialKind, Scene, Settings, Simulation, SolveSettings};

use super::Context;
use super::bodies::Figure;
use super::fig1::Puppet;
use super::page::{Claim, Section, paragraph, table};
use super::{fig3, fig4, fig5};

/// A row of the paper's table: what it is, and what it was there.
struct Row {
    name: &'static str,
    body: Body,
    nodes: usize,
    elements: usize,
    iterations: usize,
    local_ms: f64,
    global_ms: f64,
    frame_ms: f64,
    /// One iteration of the papers' published code on two threads of a machine like this, where it was timed; in ms.
    their_code: Option<[f64; 2]>,
}

enum Body {
    /// Fig. 1.
    Puppet,
    /// Fig. 3.
    Hare,
    /// Fig. 5.
    Steed,
    /// Fig. 2: cells and material.
    Box([usize; 3], MaterialKind),
    /// Fig. 4.
    Flag,
}

const ROWS: &[Row] = &[
    row("Armadillo (Fig. 1), neo-Hookean", Body::Puppet, [919, 2761, 7], [7.9, 0.45, 64.0], None),
    row("Bunny (Fig. 3), St. Venant–Kirchhoff", Body::Hare, [777, 2510, 10], [4.3, 0.41, 47.0], None),
    row("Flag (Fig. 4), strain limits", Body::Flag, [1251, 2400, 20], [0.85, 0.58, 30.0], None),
    row("Horse (Fig. 5), through cylinders", Body::Steed, [962, 3221, 13], [0.96, 0.54, 19.0], None),
    row(
        "Untwist, low, linear",
        untwist(10, 5, MaterialKind::Arap),
        [367, 1562, 20],
        [0.57, 0.26, 16.0],
        None,
    ),
    row(
        "Untwist, medium, linear",
        untwist(13, 7, MaterialKind::Arap),
        [868, 4170, 20],
        [1.5, 0.81, 47.0],
        None,
    ),
    row(
        "Untwist, high, linear",
        untwist(17, 9, MaterialKind::Arap),
        [1727, 9031, 20],
        [3.4, 1.9, 107.0],
        Some([6.2, 6.5]),
    ),
    row(
        "Untwist, high, neo-Hookean",
        untwist(17, 9, MaterialKind::NeoHookean),
        [1727, 9031, 20],
        [29.0, 2.0, 633.0],
        Some([12.0, 13.5]),
    ),
];

const fn untwist(along: usize, across: usize, kind: MaterialKind) -> Body {
    Body::Box([along, across, across], kind)
}

const fn row(
    name: &'static str,
    body: Body,
    [nodes, elements, iterations]: [usize; 3],
    [local_ms, global_ms, frame_ms]: [f64; 3],
    their_code: Option<[f64; 2]>,
) -> Row {
    Row { name, body, nodes, elements, iterations, local_ms, global_ms, frame_ms, their_code }
}

/// What was measured of a row: nodes, tetrahedra, and a time step's parts in ms.
struct Measured {
    nodes: usize,
    elements: usize,
    local_ms: f64,
    global_ms: f64,
    frame_ms: f64,
    /// The largest violation of the flag's limits.
    violation: Option<f64>,
    /// Mean of the first eight frames, where an animation starts with most elements inverted.
    early_ms: Option<f64>,
}

fn solve(c: &Context, iterations: usize) -> SolveSettings {
    SolveSettings { iterations, tolerance: 0.0, threads: c.threads, ..SolveSettings::published() }
}

fn solid(c: &Context, r: &Row, mesh: &TetMesh, kind: MaterialKind) -> miette::Result<Simulation> {
    let mut settings = Settings { solve: solve(c, r.iterations), ..Settings::default() };
    settings.world.gravity = [0.0; 3];
    let mut scene = Scene::new(settings);
    let material = Material::new(kind, 1e5, 0.3).map_err(|e| miette!("{e}"))?;
    scene.add_solid("body", mesh.clone(), material, 1000.0).into_diagnostic()?;
    scene.build().into_diagnostic()
}

/// Times of steps, the first, which sets things up, left out: means over an animation, medians over repeats of one step.
fn measure(c: &Context, r: &Row) -> miette::Result<Measured> {
    // An animation of 8 s at 25 frames per second, or as many repeats.
    let steps = match (&r.body, c.quick) {
        (Body::Box(..), true) => 8,
        (Body::Box(..), false) => 40,
        _ => 200,
    };
    let mut times: Vec<Timings> = Vec::new();
    let mut violation = None;
    let size = |mesh: &TetMesh| (mesh.vertices().len(), mesh.tets().len());
    let (nodes, elements) = match &r.body {
        Body::Flag => {
            let mut simulation = fig4::simulation(solve(c, r.iterations), 0.04, 20.0, None)?;
            let mut worst = 0.0f64;
            for _ in 0..=steps {
                let report = simulation.step().into_diagnostic()?;
                worst = worst.max(report.violation);
                times.push(report.timings);
            }
            violation = Some(worst);
            let mesh = fig4::mesh()?;
            (mesh.vertices().len(), mesh.triangles().len())
        }
        Body::Puppet => {
            let mut puppet = Puppet::new(c, solve(c, r.iterations))?;
            for _ in 0..=steps {
                times.push(puppet.step()?.timings);
            }
            size(&puppet.model.mesh)
        }
        Body::Hare => {
            let mesh = Figure::Hare.model(c.surface.as_ref())?.mesh;
            let mut simulation = fig3::simulation(c, &mesh)?;
            let still = vec![[0.0; 3]; mesh.vertices().len()];
            simulation.set_state(&fig3::strewn(&mesh), &still).into_diagnostic()?;
            for _ in 0..=steps {
                times.push(simulation.step().into_diagnostic()?.timings);
            }
            size(&mesh)
        }
        Body::Steed => {
            let model = Figure::Steed.model(c.surface.as_ref())?;
            let mut program = fig5::program(c, &model, true)?;
            for _ in 0..=steps {
                times.push(program.frame().map_err(|e| miette!("{e}"))?.timings);
            }
            size(&model.mesh)
        }
        Body::Box(cells, kind) => {
            let mesh = shapes::box_mesh([2.0, 1.0, 1.0], *cells, shapes::Split::Six).into_diagnostic()?;
            let mut simulation = solid(c, r, &mesh, *kind)?;
            let mut twisted = mesh.vertices().to_vec();
            shapes::twist(&mut twisted, std::f64::consts::PI, 2.0, [0.5, 0.5]);
            let still = vec![[0.0; 3]; twisted.len()];
            for _ in 0..=steps {
                // The same step again and again: the one of Fig. 2.
                simulation.set_state(&twisted, &still).into_diagnostic()?;
                times.push(simulation.step().into_diagnostic()?.timings);
            }
            size(&mesh)
        }
    };
    let times = &times[1..];
    let typical = if matches!(r.body, Body::Box(..)) { median } else { mean };
    let per_iteration = 1e3 / r.iterations as f64;
    Ok(Measured {
        nodes,
        elements,
        local_ms: per_iteration * typical(times, &|t| t.local),
        global_ms: per_iteration * typical(times, &|t| t.global),
        frame_ms: 1e3 * typical(times, &Timings::total),
        violation,
        early_ms: matches!(r.body, Body::Hare).then(|| 1e3 * mean(&times[..8], &Timings::total)),
    })
}

fn mean(times: &[Timings], of: &dyn Fn(&Timings) -> f64) -> f64 {
    times.iter().map(of).sum::<f64>() / times.len() as f64
}

fn median(times: &[Timings], of: &dyn Fn(&Timings) -> f64) -> f64 {
    let mut values: Vec<f64> = times.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// How far a is from b, relative to b.
fn off(a: usize, b: usize) -> f64 {
    (a as f64 / b as f64 - 1.0).abs()
}

/// Measures all rows.
pub(super) fn section(c: &Context) -> miette::Result<Section> {
    let (mut rows, mut data) = (Vec::new(), Vec::new());
    let (mut worst, mut slower, mut run, mut early) = (0.0f64, Vec::new(), 0, Vec::new());
    for r in ROWS {
        let m = measure(c, r)?;
        let paper = json!({ "nodes": r.nodes, "elements": r.elements, "local_ms": r.local_ms, "global_ms": r.global_ms, "frame_ms": r.frame_ms });
        let theirs = r.their_code.map_or_else(|| "–".into(), |[a, b]| format!("{a}–{b}"));
        let mut row = vec![r.name.to_string()];
        run += 1;
        worst = worst.max(off(m.elements, r.elements));
        // A surface of the caller's has as many nodes as its shape asks for.
        if c.surface.is_none() {
            worst = worst.max(off(m.nodes, r.nodes));
        }
        if let Some(ms) = m.early_ms {
            early.push(Claim::new(
                "Of these, the bunny's first eight frames, strewn at random, with most elements inverted",
                format!("{} ms per frame, over the whole or not: not reported", r.frame_ms),
                format!("{ms:.1} ms per frame, against {:.1} ms over 200 frames", m.frame_ms),
                None,
            ));
        }
        if let Some(violation) = m.violation {
            early.push(Claim::new(
                format!("Of these, the flag's strain limits, after {} iterations per frame", r.iterations),
                "not reported",
                format!("violated by {violation:.1e} at most in 200 frames"),
                None,
            ));
        }
        if m.frame_ms > r.frame_ms {
            slower.push(r.name);
        }
        row.extend([
            format!("{} / {}", m.nodes, r.nodes),
            format!("{} / {}", m.elements, r.elements),
            r.iterations.to_string(),
            format!("{:.3} / {}", m.local_ms, r.local_ms),
            format!("{:.3} / {}", m.global_ms, r.global_ms),
            format!("{:.2} / {}", m.frame_ms, r.frame_ms),
            format!("{:.0}×", r.frame_ms / m.frame_ms),
            theirs,
        ]);
        rows.push(row);
        data.push(json!({
            "name": r.name, "iterations": r.iterations, "paper": paper, "their_code_ms_per_iteration": r.their_code,
            "here": { "nodes": m.nodes, "elements": m.elements, "local_ms": m.local_ms, "global_ms": m.global_ms, "frame_ms": m.frame_ms, "early_ms": m.early_ms, "violation": m.violation },
        }));
    }
    let mut claims = vec![Claim::new(
        "Bodies of these sizes are simulated at these speeds, at these numbers of iterations",
        "16 to 633 ms per frame",
        if slower.is_empty() {
            let what = if c.surface.is_none() { "nodes and elements" } else { "elements" };
            format!("all {run} rows are faster; counts of {what} within {:.1} %", 100.0 * worst)
        } else {
            format!("slower than the paper: {}", slower.join(", "))
        },
        Some(slower.is_empty() && worst <= 0.1),
    )];
    claims.extend(early);
    let head = [
        "example",
        "nodes",
        "elements",
        "iterations",
        "local ms per iteration",
        "global ms per iteration",
        "ms per frame",
        "faster",
        "papers' code, ms per iteration",
    ];
    let html = paragraph(
        "ADMM as published; means over an animation of 200 frames, for the box medians over repeats of the first step. “Linear” is `arap`, the solid of projective dynamics. Figures of limbs \
         stand in for the scanned models. The last column is the papers' published code, timed separately on two threads of this kind of \
         machine, where it was. The horse falls through its cylinders under gravity, \
         its nodes projected out of them.",
    ) + &table(
        &format!("Each cell: here, on {} thread(s) / in the paper, on 6 cores", c.threads()),
        &head,
        &rows,
    );
    Ok(Section {
        id: "table1",
        title: "Table 1: run time".into(),
        claims,
        html,
        data: json!({ "rows": data }),
    })
}
