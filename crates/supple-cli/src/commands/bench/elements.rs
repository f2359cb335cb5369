//! How far off elements of several kinds are, and how long they take: the tables of docs/elements.md.
use std::collections::HashMap;
use std::time::Instant;

use miette::IntoDiagnostic;
use serde::Serialize;
use supple::mesh::shapes::{Split, box_mesh};
use supple::scene::Average;
use supple::{BodyId, Material, MaterialKind, Method, Scene, Settings, Simulation, Status, TetMesh};

/// A body bent or pressed with one kind of elements.
#[derive(Clone, Debug, Serialize)]
pub struct Error {
    /// Which body.
    pub body: &'static str,
    pub poisson: f64,
    /// Cells across.
    pub cells: usize,
    /// What it is made of.
    pub elements: &'static str,
    pub nodes: usize,
    /// What is measured over what it should be, less 1.
    pub off: f64,
    /// From a mesh to the result.
    pub seconds: f64,
}

#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    split: Split,
    order: usize,
    average: bool,
}

const KINDS: [Kind; 5] = [
    Kind { name: "order 1, 6 per cell", split: Split::Six, order: 1, average: false },
    Kind { name: "order 1", split: Split::Five, order: 1, average: false },
    Kind { name: "order 1, averaged", split: Split::Five, order: 1, average: true },
    Kind { name: "order 2", split: Split::Five, order: 2, average: false },
    Kind { name: "order 2, averaged", split: Split::Five, order: 2, average: true },
];

const LENGTH: f64 = 1.0;
const WIDTH: f64 = 0.05;
/// P L²/(E I) of the cantilever.
const LOAD: f64 = 2.0;
const YOUNG: f64 = 1e6;
/// Meshes of order 2 with averaged strain at ν = 0.49, 12 and 16 cells, and 8 and 10: the way up of Cook's corner over Young's modulus' share of the load in m, and the
/// energy of the pressed block over Young's modulus in m³.
const MEMBRANE: f64 = 0.06754;
const PRESSED: f64 = 651.7e-5;

/// Bodies, ratios of Poisson and cells, from coarse to fine.
pub fn plan(quick: bool) -> Vec<(&'static str, f64, usize)> {
    let mut plan = Vec::new();
    for poisson in if quick { vec![0.3] } else { vec![0.0, 0.3, 0.4, 0.45, 0.49] } {
        let cells = if quick { &[1, 2][..] } else { &[1, 2, 4] };
        plan.extend(cells.iter().map(|&n| ("cantilever", poisson, n)));
    }
    if !quick {
        plan.extend([("cantilever", 0.3, 6), ("cantilever", 0.3, 8)]);
        plan.extend([("Cook's membrane", 0.49, 4), ("pressed block", 0.49, 4)]);
    }
    plan
}

/// All kinds of elements on one body.
pub fn measure(&(body, poisson, cells): &(&'static str, f64, usize)) -> miette::Result<Vec<Error>> {
    let mut out = Vec::new();
    for kind in KINDS {
        // Order 2 with so many nodes takes minutes and is right long before.
        if cells > 4 && kind.order == 2 {
            continue;
        }
        let start = Instant::now();
        let (nodes, found) = match body {
            "cantilever" => cantilever(poisson, cells, kind)?,
            "pressed block" => pressed(poisson, cells, kind)?,
            _ => membrane(poisson, cells, kind)?,
        };
        let wanted = match body {
            "cantilever" => elastica(LOAD, poisson),
            "pressed block" => PRESSED,
            _ => MEMBRANE,
        };
        let seconds = start.elapsed().as_secs_f64();
        out.push(Error {
            body,
            poisson,
            cells,
            elements: kind.name,
            nodes,
            off: found / wanted - 1.0,
            seconds,
        });
    }
    Ok(out)
}

/// A body of elements of a kind, held where `held` says, for statics.
fn build(
    mesh: TetMesh,
    poisson: f64,
    kind: Kind,
    held: impl Fn([f64; 3]) -> bool,
) -> miette::Result<(TetMesh, Simulation)> {
    let mesh = if kind.order == 2 { mesh.quadratic().into_diagnostic()? } else { mesh };
    let mut settings = Settings::default();
    settings.time.dt = 1e3;
    settings.world.gravity = [0.0; 3];
    settings.solve.method = Method::Newton;
    settings.solve.tolerance = 1e-9;
    let mut scene = Scene::new(settings);
    let material =
        Material::new(MaterialKind::NeoHookean, YOUNG, poisson).map_err(|e| miette::miette!("{e}"))?;
    scene.add_solid("body", mesh.clone(), material, 1000.0).into_diagnostic()?;
    if kind.average {
        scene.average(BodyId(0), Average::default()).into_diagnostic()?;
    }
    let nodes = 0..mesh.vertices().len() as u32;
    let ids: Vec<u32> = nodes.filter(|&i| held(mesh.vertices()[i as usize])).collect();
    scene.pin(BodyId(0), &ids).into_diagnostic()?;
    Ok((mesh, scene.build().into_diagnostic()?))
}

/// The area of the boundary where `x = at` that each node stands for: a third of each triangle for its corners, of order 2 for the middles of its edges.
fn shares(mesh: &TetMesh, at: f64) -> Vec<f64> {
    let place = |v: u32| mesh.vertices()[v as usize];
    let edges: HashMap<[u32; 2], u32> =
        mesh.edge_nodes().into_iter().map(|(m, [a, b])| ([a.min(b), a.max(b)], m)).collect();
    let mut share = vec![0.0; mesh.vertices().len()];
    for t in supple::mesh::surface(mesh.tets()) {
        let [a, b, c] = t.map(place);
        if [a, b, c].iter().any(|p| (p[0] - at).abs() > 1e-9) {
            continue;
        }
        let area = 0.5 * ((b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1])).abs();
        for i in 0..3 {
            let (v, w) = (t[i], t[(i + 1) % 3]);
            let node = edges.get(&[v.min(w), v.max(w)]).copied().unwrap_or(v);
            share[node as usize] += area / 3.0;
        }
    }
    share
}

/// A dead load along y in some parts, each to rest.
fn pull(sim: &mut Simulation, share: &[f64], traction: f64) -> miette::Result<()> {
    for part in [0.25, 0.5, 0.75, 1.0] {
        let forces: Vec<[f64; 3]> = share.iter().map(|w| [0.0, traction * part * w, 0.0]).collect();
        sim.set_forces(&forces).into_diagnostic()?;
        for _ in 0..50 {
            let r = sim.step().into_diagnostic()?;
            if r.status == Status::Converged && r.force_residual < 1e-6 {
                break;
            }
        }
    }
    Ok(())
}

/// Deflection of the end of a cantilever over its length.
fn cantilever(poisson: f64, n: usize, kind: Kind) -> miette::Result<(usize, f64)> {
    let along = (LENGTH / WIDTH * n as f64).round() as usize;
    let mesh = box_mesh([LENGTH, WIDTH, WIDTH], [along, n, n], kind.split).into_diagnostic()?;
    let (mesh, mut sim) = build(mesh, poisson, kind, |p| p[0] == 0.0)?;
    let share = shares(&mesh, LENGTH);
    let area = WIDTH * WIDTH;
    pull(&mut sim, &share, -LOAD * YOUNG * WIDTH.powi(4) / 12.0 / (LENGTH * LENGTH) / area)?;
    let way = share.iter().zip(sim.positions()).zip(mesh.vertices());
    let moved: f64 = way.map(|((w, x), p)| w / area * (p[1] - x[1])).sum();
    Ok((mesh.vertices().len(), moved / LENGTH))
}

/// How far the corner of Cook's membrane goes up in m.
fn membrane(poisson: f64, n: usize, kind: Kind) -> miette::Result<(usize, f64)> {
    let flat = box_mesh([1.0, 1.0, 0.08], [n, n, (n / 4).max(1)], kind.split).into_diagnostic()?;
    let shape = |p: [f64; 3]| {
        let (low, high) = (0.44 * p[0], 0.44 + 0.16 * p[0]);
        [0.48 * p[0], low + (high - low) * p[1], p[2]]
    };
    let (mesh, mut sim) = build(flat.map(shape).into_diagnostic()?, poisson, kind, |p| p[0] == 0.0)?;
    pull(&mut sim, &shares(&mesh, 0.48), 0.02 * YOUNG)?;
    let corner = |p: &[f64; 3]| (p[0] - 0.48).abs() < 1e-9 && (p[1] - 0.6).abs() < 1e-9 && p[2] == 0.0;
    let at = mesh.vertices().iter().position(corner).unwrap_or_default();
    Ok((mesh.vertices().len(), sim.positions()[at][1] - 0.6))
}

/// Energy over Young's modulus of a cube pressed by a tenth between faces that hold it.
fn pressed(poisson: f64, n: usize, kind: Kind) -> miette::Result<(usize, f64)> {
    let mesh = box_mesh([1.0; 3], [n; 3], kind.split).into_diagnostic()?;
    let (mesh, mut sim) = build(mesh, poisson, kind, |p| p[1] == 0.0 || p[1] == 1.0)?;
    let x: Vec<[f64; 3]> = mesh.vertices().iter().map(|p| [p[0], 0.9 * p[1], p[2]]).collect();
    sim.set_state(&x, &vec![[0.0; 3]; x.len()]).into_diagnostic()?;
    for _ in 0..4 {
        sim.step().into_diagnostic()?;
    }
    Ok((x.len(), sim.energy().elastic / YOUNG))
}

/// Deflection of the elastica's tip over its length, θ″ = −k cos θ by shooting, with the shear of Timoshenko's beam.
fn elastica(k: f64, poisson: f64) -> f64 {
    let run = |start: f64| {
        let n = 2000;
        let h = 1.0 / f64::from(n);
        let slope = |y: [f64; 3]| [y[1], -k * y[0].cos(), y[0].sin()];
        let mut y = [0.0, start, 0.0];
        for _ in 0..n {
            let add = |d: [f64; 3], s: f64| -> [f64; 3] { std::array::from_fn(|i| y[i] + s * d[i]) };
            let a = slope(y);
            let b = slope(add(a, 0.5 * h));
            let c = slope(add(b, 0.5 * h));
            let d = slope(add(c, h));
            y = std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
        }
        (y[1], y[2])
    };
    let (mut low, mut high) = (0.0, 2.0 * k);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if run(middle).0 > 0.0 { high = middle } else { low = middle }
    }
    let bent = run(low).1;
    let thin = WIDTH / LENGTH;
    bent + k * thin * thin / 12.0 * 2.0 * (1.0 + poisson) / (5.0 / 6.0) * (1.0 - bent * bent)
}
