//! Whole steps of boxes of several sizes, as in the paper's Table 1.
use std::time::Instant;

use miette::IntoDiagnostic;
use serde::Serialize;
use supple::mesh::shapes;
use supple::{Material, MaterialKind, Scene, Settings};

use super::machine::Machine;

/// A body to measure.
pub struct Plan {
    name: String,
    kind: MaterialKind,
    cells: [usize; 3],
    /// Twist over the whole length in radians.
    twist: f64,
    repeats: usize,
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
    /// Tetrahedra.
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
}

/// The bodies: about 9k and 90k tetrahedra of every material, one larger for the memory.
pub fn plan(quick: bool, huge: bool) -> Vec<Plan> {
    let mut plans = Vec::new();
    let mut add = |kind: MaterialKind, cells: [usize; 3], twist: f64, repeats: usize| {
        let name = format!("{} {}×{}×{}", kind.name(), cells[0], cells[1], cells[2]);
        plans.push(Plan { name, kind, cells, twist, repeats });
    };
    for kind in MaterialKind::ALL {
        add(kind, [18, 9, 9], std::f64::consts::PI, if quick { 4 } else { 12 });
    }
    if !quick {
        for kind in MaterialKind::ALL {
            add(kind, [40, 20, 20], std::f64::consts::PI, 4);
        }
        add(MaterialKind::NeoHookean, [48, 24, 24], std::f64::consts::PI, 3);
    }
    if huge {
        add(MaterialKind::NeoHookean, [131, 47, 47], std::f64::consts::PI, 1);
    }
    plans
}

/// Measures one body on one and on all threads.
pub fn measure(plan: &Plan, machine: &Machine) -> miette::Result<Vec<Case>> {
    let mesh = shapes::box_mesh([2.0, 1.0, 1.0], plan.cells, shapes::Split::Six).into_diagnostic()?;
    let mut twisted = mesh.vertices().to_vec();
    shapes::twist(&mut twisted, plan.twist, 2.0, [0.5, 0.5]);
    let still = vec![[0.0; 3]; twisted.len()];
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
        let mut scene = Scene::new(settings);
        // fung is not stable below 0.4.
        let poisson = if plan.kind == MaterialKind::Fung { 0.4 } else { 0.3 };
        let material = Material::new(plan.kind, 1e5, poisson).map_err(|e| miette::miette!("{e}"))?;
        scene.add_solid("box", mesh.clone(), material, 1000.0).into_diagnostic()?;
        let started = Instant::now();
        let mut simulation = scene.build().into_diagnostic()?;
        let setup_ms = 1e3 * started.elapsed().as_secs_f64();

        let [mut local, mut global, mut solve, mut frame] = [f64::INFINITY; 4];
        for _ in 0..plan.repeats {
            // The first step from the twisted state, always the same work.
            simulation.set_state(&twisted, &still).into_diagnostic()?;
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
            nodes: twisted.len(),
            elements: mesh.tets().len(),
            threads,
            iterations,
            setup_ms,
            local_ms: local * per_iteration,
            global_ms: global * per_iteration,
            solve_ms: solve * per_iteration,
            frame_ms: 1e3 * frame,
            cycles_per_element: local / iterations as f64 * machine.ghz * 1e9 * threads as f64
                / mesh.tets().len() as f64,
            roofline: simulation.factor_bytes() as f64 / (solve / iterations as f64) / bandwidth,
        });
    }
    Ok(out)
}
