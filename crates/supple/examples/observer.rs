//! Look at a step iteration by iteration, and stop it when it is good enough: what a plot of convergence is made of.
#![allow(clippy::print_stdout)]

use supple::mesh::shapes;
use supple::{Control, Material, MaterialKind, Method, Scene, Settings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mesh = shapes::box_mesh([1.0, 0.2, 0.2], [10, 2, 2], shapes::Split::default())?;
    let mut twisted = mesh.vertices().to_vec();
    shapes::twist(&mut twisted, 1.0, 1.0, [0.1, 0.1]);
    let mut settings = Settings::published(); // Algorithm 1 as in the paper, not accelerated
    settings.solve.method = Method::Admm;
    settings.solve.iterations = 200;
    let mut scene = Scene::new(settings);
    scene.add_solid("box", mesh, Material::new(MaterialKind::NeoHookean, 1e5, 0.3)?, 1000.0)?;
    let mut simulation = scene.build()?;
    simulation.set_state(&twisted, &vec![[0.0; 3]; twisted.len()])?;

    let mut curve = Vec::new();
    let report = simulation.step_with(&mut |it| {
        curve.push((it.objective(), it.force_residual()));
        if it.force_residual() < 1e-3 { Control::Stop } else { Control::Continue }
    })?;
    for (k, (objective, residual)) in curve.iter().enumerate().filter(|(k, _)| k.is_power_of_two()) {
        println!("iteration {:3}: objective {objective:.6} J, force residual {residual:.1e}", k + 1);
    }
    println!("{} after {} iterations", report.status, report.iterations);
    let falls =
        curve.last().zip(curve.first()).is_some_and(|(last, first)| last.0 < first.0 && last.1 < 1e-3);
    if !falls || report.iterations != curve.len() {
        return Err(
            format!("it stopped after {} iterations, of {} seen", report.iterations, curve.len()).into()
        );
    }
    Ok(())
}

#[test]
fn example() {
    main().unwrap();
}
