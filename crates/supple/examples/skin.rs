//! A surface becomes a body: it is filled with tetrahedra, falls, and its own vertices ride along.
#![allow(clippy::print_stdout)]

use supple::contact::HalfSpace;
use supple::mesh::fill::{self, FillSettings, Surface};
use supple::mesh::{Embedding, shapes, surface};
use supple::{Material, MaterialKind, Obstacle, Scene, Settings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Any triangles do, also with holes and overlaps: `mesh::io` reads them from files. Here those of a ring.
    let ring = shapes::torus(0.2, 0.07, 8, 40)?;
    let vertices: Vec<[f64; 3]> = ring.vertices().iter().map(|p| [p[0], p[1] + 0.5, p[2]]).collect();
    let triangles = surface(ring.tets());
    let (mesh, report) =
        fill::fill(&Surface { vertices: &vertices, triangles: &triangles }, &FillSettings::tets(3000))?;
    println!(
        "{} triangles, {} tetrahedra, made in {:.0} ms",
        triangles.len(),
        mesh.tets().len(),
        1e3 * report.seconds
    );

    let skin = Embedding::new(&mesh, &vertices)?;
    let rest = mesh.vertices().to_vec();
    let mut settings = Settings::default();
    settings.time.dt = 0.02;
    let mut scene = Scene::new(settings);
    scene.add_solid("ring", mesh, Material::new(MaterialKind::NeoHookean, 5e4, 0.4)?, 1000.0)?;
    scene.add_obstacle(Obstacle::new("floor", HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0])?))?;
    let mut simulation = scene.build()?;

    // Where nothing has moved, the skin is where it was drawn.
    let off = |x: &[[f64; 3]]| -> Result<f64, Box<dyn std::error::Error>> {
        let now = skin.positions(x)?;
        Ok(vertices
            .iter()
            .zip(now)
            .map(|(a, b)| (0..3).map(|c| (a[c] - b[c]).abs()).fold(0.0, f64::max))
            .fold(0.0, f64::max))
    };
    let before = off(&rest)?;
    for _ in 0..50 {
        simulation.step()?;
    }
    let now = skin.positions(&simulation.positions())?;
    let lowest = now.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
    println!(
        "the skin was off by {before:.1e} m; it has landed, its lowest vertex is at {:.2} mm",
        1e3 * lowest
    );
    // Nodes stand on the floor, and the skin is inside of the tetrahedra, or a little outside where it is round.
    if before > 1e-12 || !(-5e-3..0.05).contains(&lowest) {
        return Err(format!("off by {before} m, lowest at {lowest} m").into());
    }
    Ok(())
}

#[test]
fn example() {
    main().unwrap();
}
