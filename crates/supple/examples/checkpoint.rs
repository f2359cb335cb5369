//! A checkpoint resumes bit for bit, in another process or on another number of threads.
#![allow(clippy::print_stdout)]

use supple::mesh::shapes;
use supple::{Material, MaterialKind, Scene, Settings, Simulation};

fn beam(threads: usize) -> Result<Simulation, Box<dyn std::error::Error>> {
    let mesh = shapes::box_mesh([1.0, 0.2, 0.2], [10, 2, 2], shapes::Split::default())?;
    let wall: Vec<u32> =
        (0..mesh.vertices().len() as u32).filter(|&i| mesh.vertices()[i as usize][0] == 0.0).collect();
    let mut settings = Settings::default();
    settings.solve.threads = threads;
    let mut scene = Scene::new(settings);
    let body = scene.add_solid("beam", mesh, Material::new(MaterialKind::NeoHookean, 1e5, 0.4)?, 1000.0)?;
    scene.pin(body, &wall)?;
    Ok(scene.build()?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut first = beam(1)?;
    for _ in 0..10 {
        first.step()?;
    }
    let bytes = first.checkpoint(); // write them to a file
    for _ in 0..10 {
        first.step()?;
    }

    let mut second = beam(2)?; // the same scene
    second.restore(&bytes)?;
    for _ in 0..10 {
        second.step()?;
    }
    println!("{} bytes; same bits after 20 steps: {}", bytes.len(), first.positions() == second.positions());

    // A file that was cut or changed is refused, and the simulation stays as it was.
    let refused = second.restore(&bytes[..bytes.len() - 1]);
    println!("a file that was cut: {}", refused.as_ref().err().map_or("taken".into(), ToString::to_string));
    if first.positions() != second.positions() || refused.is_ok() {
        return Err("the run was not resumed".into());
    }
    Ok(())
}

#[test]
fn example() {
    main().unwrap();
}
