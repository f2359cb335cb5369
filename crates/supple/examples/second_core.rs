//! Times of steps on one thread and on several, by turns: what `scripts/second-core` runs beside other programs. With one number of threads
//! only, those steps and nothing else: for profiles and counts of instructions.
#![allow(clippy::print_stdout)]

use std::time::Instant;
use supple::mesh::shapes::{self, Split};
use supple::sim::Timings;
use supple::{Material, MaterialKind, Method, Scene, Settings, Simulation};

const USAGE: &str =
    "usage: second_core published|beam|large [STEPS [THREADS,THREADS,… [TOLERANCE [METHOD]]]]";

/// `published`: a box of 8748 tetrahedra that was twisted, 20 iterations of ADMM. `beam`, `large`: a cantilever of 9600 or 92 480, by default
/// settings to a tolerance of 1e-4 unless another one is given.
fn scene(
    name: &str,
    threads: usize,
    tolerance: f64,
    method: Method,
) -> Result<Simulation, Box<dyn std::error::Error>> {
    let (size, cells, split) = match name {
        "published" => ([2.0, 1.0, 1.0], [18, 9, 9], Split::Six),
        "beam" => ([4.0, 1.0, 1.0], [30, 8, 8], Split::Five),
        "large" => ([4.0, 1.0, 1.0], [64, 17, 17], Split::Five),
        _ => return Err(USAGE.into()),
    };
    let mut settings = if name == "published" { Settings::published() } else { Settings::default() };
    settings.solve.threads = threads;
    if name == "published" {
        (settings.solve.iterations, settings.solve.tolerance) = (20, 0.0);
    } else {
        (settings.solve.tolerance, settings.solve.method) = (tolerance, method);
    }
    let mesh = shapes::box_mesh(size, cells, split)?;
    let mut state = mesh.vertices().to_vec();
    let wall: Vec<u32> = (0..state.len() as u32).filter(|&v| state[v as usize][0] == 0.0).collect();
    let mut scene = Scene::new(settings);
    let material = Material::new(MaterialKind::NeoHookean, 1e6, 0.4)?;
    let body = scene.add_solid("bar", mesh, material, 1000.0)?;
    if name != "published" {
        scene.pin(body, &wall)?;
    }
    let mut simulation = scene.build()?;
    if name == "published" {
        shapes::twist(&mut state, std::f64::consts::PI, 2.0, [0.5, 0.5]);
        simulation.set_state(&state, &vec![[0.0; 3]; state.len()])?;
    }
    Ok(simulation)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let name = words.get(1).ok_or(USAGE)?;
    let steps: usize = words.get(2).map_or(Ok(100), |w| w.parse())?;
    let counts = words.get(3).map_or("1,2", |w| w);
    let counts: Vec<usize> = counts.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let tolerance = words.get(4).map_or(Ok(1e-4), |w| w.parse())?;
    let method = match words.get(5).map(String::as_str) {
        None | Some("auto") => Method::Auto,
        Some("quasi_newton") => Method::QuasiNewton,
        Some("newton") => Method::Newton,
        Some("admm") => Method::Admm,
        Some(_) => return Err(USAGE.into()),
    };
    let make = |&n: &usize| scene(name, n, tolerance, method);
    let mut simulations = counts.iter().map(make).collect::<Result<Vec<_>, _>>()?;
    let mut times = vec![Vec::with_capacity(steps); counts.len()];
    // By turns, ten steps each, so that what the machine does meanwhile is the same for all.
    let (mut iterations, mut hessians, mut energy) = (0, 0, 0.0);
    let mut parts = Timings::default();
    for _ in 0..steps.div_ceil(10) {
        for (simulation, times) in simulations.iter_mut().zip(&mut times) {
            for _ in 0..10.min(steps) {
                let start = Instant::now();
                let report = simulation.step()?;
                times.push(1e3 * start.elapsed().as_secs_f64());
                iterations += report.iterations;
                hessians += report.hessians;
                parts = parts.plus(&report.timings);
                energy += report.energy.elastic;
            }
        }
    }
    for (count, times) in counts.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        println!("{name} {count} threads: least {:.2} median {:.2} p90 {:.2} ms", at(0.0), at(0.5), at(0.9));
    }
    let ms = |seconds: f64| 1e3 * seconds / (steps * counts.len()) as f64;
    println!("{iterations} iterations, {hessians} Hessians, energies {energy:e}");
    let (local, solve, other) = (ms(parts.local), ms(parts.solve), ms(parts.global - parts.solve));
    println!(
        "ms per step: {local:.2} gradients, {solve:.2} solves, {other:.2} factors, {:.2} rest",
        ms(parts.rest)
    );
    Ok(())
}
