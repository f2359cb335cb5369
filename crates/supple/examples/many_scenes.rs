//! Many scenes at once: a simulation is `Send`, so a thread each is all it takes.
#![allow(clippy::print_stdout)]

use std::thread;
use supple::mesh::shapes;
use supple::sim::Static;
use supple::{Material, MaterialKind, Scene, Settings};

/// Length of a bar that hangs under its weight, less its length at rest, in m.
fn growth(young: f64) -> Result<f64, String> {
    let run = || -> Result<f64, Box<dyn std::error::Error>> {
        let mesh = shapes::box_mesh([1.0, 0.1, 0.1], [10, 1, 1], shapes::Split::default())?;
        let top: Vec<u32> =
            (0..mesh.vertices().len() as u32).filter(|&i| mesh.vertices()[i as usize][0] == 0.0).collect();
        let last = mesh.vertices().len() - 1;
        let mut settings = Settings::default();
        settings.solve.threads = 1; // the scenes are what runs in parallel
        settings.world.gravity = [9.8, 0.0, 0.0];
        let mut scene = Scene::new(settings);
        let bar =
            scene.add_solid("bar", mesh, Material::new(MaterialKind::Corotated, young, 0.0)?, 1000.0)?;
        scene.pin(bar, &top)?;
        let mut simulation = scene.build()?;
        simulation.equilibrium(&Static::default())?;
        Ok(simulation.positions()[last][0] - 1.0)
    };
    run().map_err(|e| e.to_string())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let moduli: Vec<f64> = (0..8).map(|k| 1e6 * 2f64.powi(k)).collect();
    let results: Vec<Result<f64, String>> = thread::scope(|s| {
        let runs: Vec<_> = moduli.iter().map(|&young| s.spawn(move || growth(young))).collect();
        runs.into_iter().map(|r| r.join().unwrap_or_else(|_| Err("a thread ended early".into()))).collect()
    });
    for (young, found) in moduli.iter().zip(results) {
        let (found, expected) = (found?, 1000.0 * 9.8 / (2.0 * young));
        println!("E = {young:8.1e} Pa: {:.4} mm, expected {:.4} mm", 1e3 * found, 1e3 * expected);
        // Strain is linear along the bar: linear elements hold its integral up to the last half cell.
        if (found / expected - 1.0).abs() > 0.02 {
            return Err(format!("a growth of {found} m is wrong").into());
        }
    }
    Ok(())
}

#[test]
fn example() {
    main().unwrap();
}
