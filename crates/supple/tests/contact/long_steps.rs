//! Steps so long that little is left of the physics: 10 and 1000 s.

use super::setup::{cube, settings};
use supple::contact::HalfSpace;
use supple::mesh::shapes::{Split, box_mesh};
use supple::scene::SlideOn;
use supple::{Material, MaterialKind, Method, Obstacle, Scene, Simulation, Status};

const RUBBER: (MaterialKind, f64, f64) = (MaterialKind::NeoHookean, 1e5, 0.4);

/// A block whose lower side slides on a slope; nothing else holds it.
fn sliding(h: f64) -> Simulation {
    let mesh = box_mesh([0.4; 3], [2; 3], Split::Six).unwrap();
    let x = mesh.vertices();
    let low: Vec<u32> = (0..x.len() as u32).filter(|&i| x[i as usize][1] < 1e-9).collect();
    let mut scene = Scene::new(settings(Method::Auto, h));
    let rubber = Material::new(RUBBER.0, RUBBER.1, RUBBER.2).unwrap();
    let body = scene.add_solid("block", mesh, rubber, 1000.0).unwrap();
    scene.slide(body, &low, SlideOn::Plane([0.0; 3], [0.0, 1.0, 0.2]), None).unwrap();
    scene.build().unwrap()
}

/// A block, and half-spaces below it or on both sides.
fn between(h: f64, plates: usize) -> Simulation {
    let plate = |name: &str, y: f64, up: f64| {
        Obstacle::new(name, HalfSpace::new([0.0, y, 0.0], [0.0, up, 0.0]).unwrap())
    };
    let all = [plate("below", 0.0, 1.0), plate("above", 0.5, -1.0)].into_iter().take(plates).collect();
    cube(settings(Method::Auto, h), RUBBER, [0.4; 3], [2; 3], [0.0, 0.02, 0.0], all)
}

fn largest(x: &[[f64; 3]]) -> f64 {
    x.iter().flatten().fold(0.0, |a, b| a.max(b.abs()))
}

/// Each step converges, or says that it did not and stays within 1e3 of the scene: what leaves it is called diverged and rolled back,
/// bit for bit. A body on a floor or between plates stays where it is.
#[test]
fn long_steps_settle_or_say_so() {
    for h in [10.0, 1000.0] {
        for (name, mut sim, held) in [
            ("slide", sliding(h), false),
            ("between plates", between(h, 2), true),
            ("floor", between(h, 1), true),
        ] {
            for n in 0..10 {
                let (x, v, frame) = (sim.positions(), sim.velocities(), sim.frame());
                let r = sim.step().unwrap();
                let now = sim.positions();
                if r.status == Status::Diverged && r.frame == frame {
                    assert_eq!((x, v), (now, sim.velocities()), "{name} {h}: not rolled back");
                    continue;
                }
                if r.status != Status::Converged {
                    // Size of the scene, and how far it would go by its speed and by gravity.
                    let scene = 2.0 * largest(&x) + 1.0 + h * largest(&v) + 10.0 * h * h;
                    assert!(largest(&now) <= 1e3 * scene, "{name} {h} step {n}: {r:?}");
                }
                if held {
                    let far = largest(&now);
                    assert!(far <= 1.0, "{name} {h} step {n}: {far:e} m, {r:?}");
                }
            }
        }
    }
}
