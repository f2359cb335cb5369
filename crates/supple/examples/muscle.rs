//! A muscle: fibres in a soft bar that contract. Where nothing holds them, force balance gives its length.
#![allow(clippy::print_stdout)]

use supple::energy::fibre::Fibres;
use supple::mesh::shapes;
use supple::sim::Static;
use supple::{Material, MaterialKind, Scene, Settings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (young, fibre, contraction) = (1e5, 3e5, 0.2);
    let mesh = shapes::box_mesh([0.3, 0.1, 0.1], [6, 2, 2], shapes::Split::default())?;
    let end: Vec<u32> =
        (0..mesh.vertices().len() as u32).filter(|&i| mesh.vertices()[i as usize][0] == 0.0).collect();
    let last = mesh.vertices().len() - 1;

    let mut settings = Settings::default();
    settings.world.gravity = [0.0; 3];
    let mut scene = Scene::new(settings);
    let flesh = Material::new(MaterialKind::Arap, young, 0.0)?;
    let muscle =
        scene.add_solid("muscle", mesh, flesh.with_fibres(Fibres::new([1.0, 0.0, 0.0], fibre)?), 1060.0)?;
    scene.pin(muscle, &end)?;
    let mut simulation = scene.build()?;
    simulation.contract(0, contraction)?; // any share from 0 to 0.95, at any time, per body or per element
    simulation.equilibrium(&Static::default())?;

    let length = simulation.positions()[last][0] / 0.3;
    // E (s − 1) + k (s − (1 − c)) = 0 along the fibres.
    let expected = 1.0 - fibre * contraction / (young + fibre);
    println!("it shortens to {length:.6} of its length, expected {expected:.6}");
    if (length - expected).abs() > 1e-6 {
        return Err(format!("a length of {length} is wrong").into());
    }
    Ok(())
}

#[test]
fn example() {
    main().unwrap();
}
