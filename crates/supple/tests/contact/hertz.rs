//! A rigid ball pressed into an elastic block: F = 4/3 E* √R δ^(3/2), E* = E/(1 − ν²) (Hertz 1882).

use super::setup::settings;
use supple::contact::{Pose, Sphere};
use supple::mesh::shapes::{Split, box_mesh};
use supple::{Material, MaterialKind, Method, Obstacle, Scene, Status};

#[test]
fn hertz() {
    let (young, poisson, radius) = (1e5, 0.3, 2.0);
    // A block of 4 × 2 × 4 m, large against the contact, whose cells are fine around the middle of its upper side.
    let finer = |t: f64| 0.3 * t + 1.7 * t.powi(3);
    let mesh = box_mesh([2.0, 1.0, 2.0], [32, 16, 32], Split::Six)
        .unwrap()
        .map(|p| [finer(p[0] - 1.0), -finer(1.0 - p[1]), finer(p[2] - 1.0)])
        .unwrap();
    let base: Vec<u32> =
        (0..mesh.vertices().len() as u32).filter(|&i| mesh.vertices()[i as usize][1] < -1.999).collect();
    let mut s = settings(Method::Auto, 1.0);
    s.world.gravity = [0.0; 3];
    s.solve.tolerance = 1e-7;
    s.solve.threads = 0;
    let mut scene = Scene::new(s);
    let material = Material::new(MaterialKind::Corotated, young, poisson).unwrap();
    let block = scene.add_solid("block", mesh, material, 1.0).unwrap();
    scene.pin(block, &base).unwrap();
    scene.add_obstacle(Obstacle::new("ball", Sphere::new([0.0, radius, 0.0], radius).unwrap())).unwrap();
    let mut sim = scene.build().unwrap();
    for depth in [0.005, 0.01] {
        let mut r = None;
        sim.move_obstacle(0, Pose::new([0.0; 3], [0.0; 3], [0.0, -depth, 0.0])).unwrap();
        for _ in 0..4 {
            r = Some(sim.step().unwrap());
        }
        let r = r.unwrap();
        assert_eq!(r.status, Status::Converged, "{r:?}");
        let force = -sim.reactions()[0][1];
        let want = 4.0 / 3.0 * young / (1.0 - poisson * poisson) * radius.sqrt() * f64::powf(depth, 1.5);
        assert!((force - want).abs() <= 0.15 * want, "depth {depth}: {force} N, Hertz {want} N, {r:?}");
        assert!(r.contacts > 8, "{r:?}");
    }
}
