//! A cantilever at rest under its own weight, against Timoshenko's beam.
#![allow(clippy::print_stdout)]

use supple::mesh::shapes;
use supple::sim::Static;
use supple::{Material, MaterialKind, Scene, Settings, Status};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (length, side, young, density) = (1.0, 0.1, 1e8, 1000.0);
    let rubber = Material::new(MaterialKind::Corotated, young, 0.0)?;

    // Ten nodes per tetrahedron: two cells across bend as they should. docs/elements.md has the table.
    let mesh = shapes::box_mesh([length, side, side], [20, 2, 2], shapes::Split::default())?.quadratic()?;
    let at = |face: f64| -> Vec<u32> {
        (0..mesh.vertices().len() as u32)
            .filter(|&i| (mesh.vertices()[i as usize][0] - face).abs() < 1e-9)
            .collect()
    };
    let (wall, tip) = (at(0.0), at(length));

    let mut scene = Scene::new(Settings::default());
    let beam = scene.add_solid("beam", mesh, rubber, density)?;
    scene.pin(beam, &wall)?;
    let mut simulation = scene.build()?;
    let height = |x: Vec<[f64; 3]>| tip.iter().map(|&i| x[i as usize][1]).sum::<f64>() / tip.len() as f64;
    let before = height(simulation.positions());
    let report = simulation.equilibrium(&Static::default())?;
    let sag = before - height(simulation.positions());

    // q L⁴/8EI from bending and q L²/2κGA from shear, κ = 5/6 of a rectangle.
    let load = density * 9.8 * side * side;
    let bending = load * length.powi(4) / (8.0 * young * side.powi(4) / 12.0);
    let shear = load * length.powi(2) / (2.0 * (5.0 / 6.0) * (young / 2.0) * side * side);
    let beam = bending + shear;
    println!(
        "{}: the tip sags by {:.3} mm, a Timoshenko beam by {:.3} mm",
        report.status,
        1e3 * sag,
        1e3 * beam
    );
    if report.status != Status::Converged || (sag / beam - 1.0).abs() > 0.02 {
        return Err(format!("a sag of {sag} m is wrong").into());
    }
    Ok(())
}

#[test]
fn example() {
    main().unwrap();
}
