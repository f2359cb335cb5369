//! A curtain that hangs from its upper edge: it grows by its own weight as a bar does.
#![allow(clippy::print_stdout)]

use supple::mesh::{TriMesh, shapes};
use supple::sim::Static;
use supple::{Cloth, Material, MaterialKind, Scene, Settings, Status};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (height, young, thickness, density) = (1.0, 1e6, 1e-3, 400.0);

    // A grid in the x–z plane, turned upright.
    let (nodes, _) = shapes::net([0.5, height], [5, 10])?;
    let vertices: Vec<[f64; 3]> = nodes.iter().map(|p| [p[0], -p[2], 0.0]).collect();
    let id = |i: u32, k: u32| i + 6 * k;
    let triangles = (0..10)
        .flat_map(|k| (0..5).map(move |i| [id(i, k), id(i + 1, k), id(i + 1, k + 1), id(i, k + 1)]))
        .flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]])
        .collect();

    let mut scene = Scene::new(Settings::default());
    let cotton = Material::new(MaterialKind::StVenantKirchhoff, young, 0.0)?;
    let curtain = Cloth::new(cotton, thickness, density); // bends as a plate of its material and thickness
    let body = scene.add_cloth("curtain", TriMesh::new(vertices, triangles)?, curtain)?;
    scene.pin(body, &[0, 1, 2, 3, 4, 5])?;
    let mut simulation = scene.build()?;
    let report = simulation.equilibrium(&Static::default())?;

    let lowest = simulation.positions().iter().map(|p| p[1]).fold(0.0, f64::min);
    let growth = -lowest - height;
    // Strain at depth y is what hangs below it, ρ g (h − y)/E.
    let expected = density * 9.8 * height * height / (2.0 * young);
    println!("{}: grows by {:.4} mm, expected {:.4} mm", report.status, 1e3 * growth, 1e3 * expected);
    if report.status != Status::Converged || (growth / expected - 1.0).abs() > 0.02 {
        return Err(format!("a growth of {growth} m is wrong").into());
    }
    Ok(())
}

#[test]
fn example() {
    main().unwrap();
}
