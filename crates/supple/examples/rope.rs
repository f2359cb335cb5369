//! A chain of rigid rods between two hooks hangs as a catenary.
#![allow(clippy::print_stdout)]

use supple::mesh::shapes;
use supple::{Scene, Settings, Spring};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (length, span, links) = (1.0, 0.6, 50);
    let (nodes, edges) = shapes::rope(length, links)?;
    // It starts as an arc that is bent downwards and let go, with air that slows it.
    let mut settings = Settings::default();
    settings.world.damping = 4.0;
    let mut scene = Scene::new(settings);
    let masses = vec![0.01; nodes.len()];
    let rope = scene.add_springs("chain", nodes, masses, edges.into_iter().map(Spring::rod).collect())?;
    scene.pin(rope, &[0, links as u32])?;
    let mut simulation = scene.build()?;

    // Pins move without a new factorisation: the second hook comes nearer in a second.
    for step in 1..=200 {
        let share = (f64::from(step) / 25.0).min(1.0);
        simulation.move_pins(0, &[links as u32], &[[length + share * (span - length), 0.0, 0.0]])?;
        simulation.step()?;
    }
    let sag = -simulation.positions().iter().map(|p| p[1]).fold(0.0, f64::min);

    // L = 2a sinh(d/2a), sag = a cosh(d/2a) − a.
    let (mut low, mut high) = (1e-3, 10.0);
    for _ in 0..100 {
        let a: f64 = 0.5 * (low + high);
        if 2.0 * a * (span / (2.0 * a)).sinh() > length { low = a } else { high = a }
    }
    let catenary = low * (span / (2.0 * low)).cosh() - low;
    println!("the chain sags by {sag:.4} m, a catenary by {catenary:.4} m");
    if (sag / catenary - 1.0).abs() > 0.01 {
        return Err(format!("a sag of {sag} m is wrong").into());
    }
    Ok(())
}

#[test]
fn example() {
    main().unwrap();
}
