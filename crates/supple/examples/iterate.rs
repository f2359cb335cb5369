//! One step of a twisted box, or of a flag, with a given material and number of iterations: what
//! `scripts/kernels` counts.
#![allow(clippy::print_stdout)]

use supple::mesh::{TriMesh, shapes};
use supple::settings::Wind;
use supple::{
    Along, Bending, Cloth, Limit, Material, MaterialKind, Method, Scene, Settings, Simulation, SolveSettings,
    Status,
};

const USAGE: &str = "usage: iterate elements|triangles | iterate [watched:|sheet:|limited:|threads:|watched-threads:]MATERIAL ITERATIONS \
                     | iterate frames:MATERIAL FRAMES";

/// Cells of the sheet.
const CELLS: [usize; 2] = [40, 30];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let word = words.get(1).ok_or(USAGE)?;
    match word.as_str() {
        "elements" => println!("{}", solid()?.tets().len()),
        "triangles" => println!("{}", 2 * CELLS[0] * CELLS[1]),
        _ => {
            let (shape, name) = word.split_once(':').unwrap_or(("solid", word));
            let kind = MaterialKind::ALL.into_iter().find(|k| k.name() == name).ok_or("no such material")?;
            let mut settings = Settings::published();
            settings.world.gravity = [0.0; 3];
            settings.solve.threads = 1;
            settings.solve.tolerance = 0.0;
            settings.solve.iterations = words.get(2).ok_or(USAGE)?.parse()?;
            if shape.starts_with("watched") || shape == "frames" {
                // As by default, but for the tolerance, which is never met: what looking costs, not how soon it ends.
                settings.solve = SolveSettings {
                    method: Method::Admm,
                    threads: 1,
                    tolerance: 1e-30,
                    iterations: settings.solve.iterations,
                    ..SolveSettings::default()
                };
            }
            if shape == "frames" {
                return frames(kind, settings);
            }
            let mut simulation = match shape {
                "solid" | "watched" => twisted(kind, settings)?,
                "sheet" => flag(kind, settings, None)?,
                "limited" => flag(kind, settings, Some(Limit { along: Along::default(), ..threads() }))?,
                "threads" | "watched-threads" => flag(kind, settings, Some(threads()))?,
                _ => return Err(USAGE.into()),
            };
            println!("{:?}", simulation.step()?);
        }
    }
    Ok(())
}

fn solid() -> Result<supple::TetMesh, Box<dyn std::error::Error>> {
    Ok(shapes::box_mesh([2.0, 1.0, 1.0], [18, 9, 9], shapes::Split::Six)?)
}

fn twisted(kind: MaterialKind, settings: Settings) -> Result<Simulation, Box<dyn std::error::Error>> {
    let mesh = solid()?;
    let mut twisted = mesh.vertices().to_vec();
    shapes::twist(&mut twisted, std::f64::consts::PI, 2.0, [0.5, 0.5]);
    let mut scene = Scene::new(settings);
    // fung is not stable below 0.4.
    let poisson = if kind == MaterialKind::Fung { 0.4 } else { 0.3 };
    scene.add_solid("box", mesh, Material::new(kind, 1e5, poisson)?, 1000.0)?;
    let mut simulation = scene.build()?;
    simulation.set_state(&twisted, &vec![[0.0; 3]; twisted.len()])?;
    Ok(simulation)
}

/// Threads that stretch by at most 5 %.
fn threads() -> Limit {
    Limit { range: [0.95, 1.05], along: Along::Threads, stiffness: None }
}

/// Frames of a flag in wind, each one step that converges; on the way, what it took.
fn frames(kind: MaterialKind, mut settings: Settings) -> Result<(), Box<dyn std::error::Error>> {
    let frames = std::mem::replace(&mut settings.solve.iterations, 1000);
    settings.solve.tolerance = 1e-5;
    settings.world.wind =
        Some(Wind { velocity: [20.0, 2.0, 0.0], gust: 0.3, gust_time: 0.7, ..Wind::default() });
    let mut simulation = flag(kind, settings, Some(threads()))?;
    let (mut iterations, mut converged) = (0, 0);
    for _ in 0..frames {
        let report = simulation.step()?;
        iterations += report.iterations;
        converged += usize::from(report.status == Status::Converged);
    }
    println!("{frames} frames, {converged} converged, {iterations} iterations");
    Ok(())
}

/// A flag that starts 8 % too long and in waves, held at its mast.
fn flag(
    kind: MaterialKind,
    settings: Settings,
    limit: Option<Limit>,
) -> Result<Simulation, Box<dyn std::error::Error>> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for j in 0..=CELLS[1] {
        for i in 0..=CELLS[0] {
            vertices.push([i as f64 / CELLS[0] as f64, 0.0, 0.75 * j as f64 / CELLS[1] as f64]);
        }
    }
    let at = |i: usize, j: usize| (j * (CELLS[0] + 1) + i) as u32;
    for j in 0..CELLS[1] {
        for i in 0..CELLS[0] {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, c, b], [a, d, c]]);
        }
    }
    let pulled: Vec<[f64; 3]> =
        vertices.iter().map(|p| [1.08 * p[0], 0.1 * (6.0 * p[0]).sin(), p[2]]).collect();
    let mut cloth = Cloth::new(Material::new(kind, 1e5, 0.3)?, 5e-4, 400.0);
    cloth.bending =
        if limit.is_some_and(|l| l.along == Along::Threads) { Bending::Flat(5e-3) } else { Bending::None };
    cloth.limit = limit;
    let mut scene = Scene::new(settings);
    let mast: Vec<u32> = (0..=CELLS[1]).map(|j| at(0, j)).collect();
    let flag = scene.add_cloth("flag", TriMesh::new(vertices, triangles)?, cloth)?;
    scene.pin(flag, &mast)?;
    let mut simulation = scene.build()?;
    simulation.set_state(&pulled, &vec![[0.0; 3]; pulled.len()])?;
    Ok(simulation)
}
