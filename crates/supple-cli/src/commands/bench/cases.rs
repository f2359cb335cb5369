//! Whole steps of boxes of several sizes and of flags, as in the paper's Table 1.
use std::time::Instant;

use miette::IntoDiagnostic;
use serde::Serialize;
use supple::mesh::shapes;
use supple::scene::Average;
use supple::{Along, Bending, Cloth, Limit, Material, MaterialKind, Scene, Settings, TriMesh};

use super::machine::Machine;

/// A body to measure.
pub struct Plan {
    name: String,
    kind: MaterialKind,
    body: Body,
    repeats: usize,
}

/// What is measured.
#[derive(Clone, Copy)]
enum Body {
    /// A box of so many cells that was twisted by half a turn.
    Box([usize; 3]),
    /// The same of order 2, with half as many cells each way and so about as many nodes.
    OrderTwo([usize; 3]),
    /// The box with its strain averaged over patches.
    Averaged([usize; 3]),
    /// The flag of Fig. 4, stretched and waved so that many of its limits hold.
    Flag(Option<Along>),
}

/// What was measured. Times are per iteration, but for `setup_ms` and `frame_ms`.
#[derive(Clone, Debug, Serialize)]
pub struct Case {
    /// Material and cells.
    pub name: String,
    /// Material.
    pub material: &'static str,
    /// Nodes.
    pub nodes: usize,
    /// Tetrahedra, or triangles.
    pub elements: usize,
    /// Threads.
    pub threads: usize,
    /// Iterations per frame.
    pub iterations: usize,
    /// Ordering, packing and factoring.
    pub setup_ms: f64,
    /// Local step (24), (25).
    pub local_ms: f64,
    /// Global step (15): right-hand side, solve, update.
    pub global_ms: f64,
    /// The solve alone.
    pub solve_ms: f64,
    /// One frame.
    pub frame_ms: f64,
    /// Cycles of the local step per element and thread.
    pub cycles_per_element: f64,
    /// Share of the measured read bandwidth that the solve reaches; above 1 where the factor fits into the cache.
    pub roofline: f64,
    /// Memory of the factor and of the terms in MB.
    pub memory_mb: f64,
}

/// The bodies of README's table; the small ones alone if it should be quick.
pub fn of_readme(quick: bool) -> Vec<Plan> {
    let small = [18, 9, 9];
    let large = (!quick).then_some((MaterialKind::NeoHookean, [40, 20, 20]));
    [MaterialKind::NeoHookean, MaterialKind::Corotated, MaterialKind::StVenantKirchhoff]
        .into_iter()
        .map(|kind| (kind, small))
        .chain(large)
        .map(|(kind, cells)| Plan {
            name: format!("{} {}×{}×{}", kind.name(), cells[0], cells[1], cells[2]),
            kind,
            body: Body::Box(cells),
            repeats: if quick { 4 } else { 12 },
        })
        .collect()
}

/// The bodies: about 9k and 90k tetrahedra of every material, one larger for the memory.
pub fn plan(quick: bool, huge: bool) -> Vec<Plan> {
    let mut plans = Vec::new();
    let mut add = |kind: MaterialKind, body: Body, repeats: usize| {
        let what = match body {
            Body::Box(cells) => format!("{}×{}×{}", cells[0], cells[1], cells[2]),
            Body::OrderTwo(cells) => format!("{}×{}×{}, order 2", cells[0], cells[1], cells[2]),
            Body::Averaged(cells) => format!("{}×{}×{}, averaged", cells[0], cells[1], cells[2]),
            Body::Flag(None) => "flag".into(),
            Body::Flag(Some(Along::Stretches)) => "flag, limits".into(),
            Body::Flag(Some(Along::Threads)) => "flag, threads".into(),
        };
        plans.push(Plan { name: format!("{} {what}", kind.name()), kind, body, repeats });
    };
    let repeats = if quick { 4 } else { 12 };
    for kind in MaterialKind::ALL {
        add(kind, Body::Box([18, 9, 9]), repeats);
    }
    add(MaterialKind::NeoHookean, Body::OrderTwo([9, 5, 5]), repeats);
    add(MaterialKind::NeoHookean, Body::Averaged([18, 9, 9]), repeats);
    let sheets = [
        MaterialKind::Arap,
        MaterialKind::Corotated,
        MaterialKind::StVenantKirchhoff,
        MaterialKind::NeoHookean,
    ];
    // A frame of a flag takes two milliseconds: the least of many is steadier.
    for kind in sheets {
        add(kind, Body::Flag(None), 20);
        add(kind, Body::Flag(Some(Along::Stretches)), 20);
    }
    add(MaterialKind::Arap, Body::Flag(Some(Along::Threads)), 20);
    if !quick {
        for kind in MaterialKind::ALL {
            add(kind, Body::Box([40, 20, 20]), 4);
        }
        add(MaterialKind::NeoHookean, Body::Box([48, 24, 24]), 3);
    }
    if huge {
        add(MaterialKind::NeoHookean, Body::Box([131, 47, 47]), 1);
    }
    plans
}

/// The scene, where its nodes start, and its elements.
fn scene(plan: &Plan, settings: Settings) -> miette::Result<(Scene, Vec<[f64; 3]>, usize)> {
    let mut scene = Scene::new(settings);
    // fung is not stable below 0.4.
    let poisson = if plan.kind == MaterialKind::Fung { 0.4 } else { 0.3 };
    let material = Material::new(plan.kind, 1e5, poisson).map_err(|e| miette::miette!("{e}"))?;
    match plan.body {
        Body::Box(cells) | Body::OrderTwo(cells) | Body::Averaged(cells) => {
            let mesh = shapes::box_mesh([2.0, 1.0, 1.0], cells, shapes::Split::Six).into_diagnostic()?;
            let two = matches!(plan.body, Body::OrderTwo(_));
            let mesh = if two { mesh.quadratic().into_diagnostic()? } else { mesh };
            let mut start = mesh.vertices().to_vec();
            shapes::twist(&mut start, std::f64::consts::PI, 2.0, [0.5, 0.5]);
            let elements = mesh.tets().len();
            let body = scene.add_solid("box", mesh, material, 1000.0).into_diagnostic()?;
            if matches!(plan.body, Body::Averaged(_)) {
                scene.average(body, Average::default()).into_diagnostic()?;
            }
            Ok((scene, start, elements))
        }
        Body::Flag(limit) => {
            let mesh: TriMesh = crate::commands::paper::flag()?;
            let start =
                mesh.vertices().iter().map(|p| [1.08 * p[0], p[1], 0.1 * (6.0 * p[0]).sin()]).collect();
            let elements = mesh.triangles().len();
            let mast: Vec<u32> = (0..mesh.vertices().len() as u32)
                .filter(|&i| mesh.vertices()[i as usize][0] == 0.0)
                .collect();
            let mut cloth = Cloth::new(material, 5e-4, 400.0);
            cloth.limit = limit.map(|along| Limit { range: [0.95, 1.05], along, stiffness: None });
            cloth.bending = Bending::None;
            let flag = scene.add_cloth("flag", mesh, cloth).into_diagnostic()?;
            scene.pin(flag, &mast).into_diagnostic()?;
            Ok((scene, start, elements))
        }
    }
}

/// Measures one body on one and on all threads.
pub fn measure(plan: &Plan, machine: &Machine) -> miette::Result<Vec<Case>> {
    let mut threads = vec![1, machine.threads];
    threads.dedup();
    let mut out = Vec::new();
    for threads in threads {
        let mut settings = Settings::published();
        settings.world.gravity = [0.0; 3];
        settings.solve.threads = threads;
        settings.solve.iterations = 20;
        settings.solve.tolerance = 0.0;
        let iterations = settings.solve.iterations;
        let (scene, start, elements) = scene(plan, settings)?;
        let still = vec![[0.0; 3]; start.len()];
        let started = Instant::now();
        let mut simulation = scene.build().into_diagnostic()?;
        let setup_ms = 1e3 * started.elapsed().as_secs_f64();

        let [mut local, mut global, mut solve, mut frame] = [f64::INFINITY; 4];
        for _ in 0..plan.repeats {
            // The first step from the same state, always the same work.
            simulation.set_state(&start, &still).into_diagnostic()?;
            let t = simulation.step().into_diagnostic()?.timings;
            local = local.min(t.local);
            global = global.min(t.global);
            solve = solve.min(t.solve);
            frame = frame.min(t.total());
        }
        let per_iteration = 1e3 / iterations as f64;
        let bandwidth = 1e9 * if threads == 1 { machine.read_gbs_1 } else { machine.read_gbs };
        out.push(Case {
            name: plan.name.clone(),
            material: plan.kind.name(),
            nodes: start.len(),
            elements,
            threads,
            iterations,
            setup_ms,
            local_ms: local * per_iteration,
            global_ms: global * per_iteration,
            solve_ms: solve * per_iteration,
            frame_ms: 1e3 * frame,
            cycles_per_element: local / iterations as f64 * machine.ghz * 1e9 * threads as f64
                / elements as f64,
            roofline: simulation.factor_bytes() as f64 / (solve / iterations as f64) / bandwidth,
            memory_mb: 1e-6 * (simulation.factor_bytes() + simulation.term_bytes()) as f64,
        });
    }
    Ok(out)
}
