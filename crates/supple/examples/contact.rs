//! A block on a slope: it stays while tan θ < μ, and slides with g (sin θ − μ cos θ) otherwise.
#![allow(clippy::print_stdout)]

use supple::contact::HalfSpace;
use supple::mesh::shapes;
use supple::{Material, MaterialKind, Obstacle, Scene, Settings};

/// How far a block comes in one second on a slope of tan θ = 1/2.
fn slide(friction: f64) -> Result<f64, Box<dyn std::error::Error>> {
    let angle = 0.5f64.atan();
    let mut settings = Settings::default();
    settings.time.dt = 0.01;
    // The slope is level, and gravity leans.
    settings.world.gravity = [9.8 * angle.sin(), -9.8 * angle.cos(), 0.0];
    let mut scene = Scene::new(settings);
    let mesh = shapes::box_mesh([0.2, 0.1, 0.2], [4, 2, 4], shapes::Split::default())?;
    scene.add_solid("block", mesh, Material::new(MaterialKind::NeoHookean, 1e6, 0.3)?, 1000.0)?;
    scene.add_obstacle(
        Obstacle::new("slope", HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0])?).with_friction(friction),
    )?;
    let mut simulation = scene.build()?;
    let middle = |x: Vec<[f64; 3]>| x.iter().map(|p| p[0]).sum::<f64>() / x.len() as f64;
    let before = middle(simulation.positions());
    for _ in 0..100 {
        simulation.step()?;
    }
    Ok(middle(simulation.positions()) - before)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (stays, slides) = (slide(0.51)?, slide(0.4)?);
    let angle = 0.5f64.atan();
    // Backward Euler goes ½ a t (t + Δt).
    let expected = 0.5 * 9.8 * (angle.sin() - 0.4 * angle.cos()) * 1.01;
    println!("mu = 0.51: {:.1e} m; mu = 0.40: {slides:.4} m, expected {expected:.4} m", stays);
    if stays.abs() > 1e-3 || (slides / expected - 1.0).abs() > 0.01 {
        return Err("this is not Coulomb's law".into());
    }
    Ok(())
}

#[test]
fn example() {
    main().unwrap();
}
