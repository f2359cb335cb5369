//! One step of a twisted box with a given material and number of iterations: what `scripts/kernels` counts.
#![allow(clippy::print_stdout)]

use supple::mesh::shapes;
use supple::{Material, MaterialKind, Scene, Settings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let mesh = shapes::box_mesh([2.0, 1.0, 1.0], [18, 9, 9], shapes::Split::Six)?;
    let usage = "usage: iterate elements | iterate MATERIAL ITERATIONS";
    let word = words.get(1).ok_or(usage)?;
    if word == "elements" {
        println!("{}", mesh.tets().len());
        return Ok(());
    }
    let kind = MaterialKind::ALL.into_iter().find(|k| k.name() == word).ok_or("no such material")?;
    let mut settings = Settings::published();
    settings.solve.threads = 1;
    settings.solve.tolerance = 0.0;
    settings.solve.iterations = words.get(2).ok_or(usage)?.parse()?;
    let mut twisted = mesh.vertices().to_vec();
    shapes::twist(&mut twisted, std::f64::consts::PI, 2.0, [0.5, 0.5]);
    let mut scene = Scene::new(settings);
    // fung is not stable below 0.4.
    let poisson = if kind == MaterialKind::Fung { 0.4 } else { 0.3 };
    scene.add_solid("box", mesh, Material::new(kind, 1e5, poisson)?, 1000.0)?;
    let mut simulation = scene.build()?;
    simulation.set_state(&twisted, &vec![[0.0; 3]; twisted.len()])?;
    println!("{:?}", simulation.step()?);
    Ok(())
}
