//! Particles, for which every step is known on paper.

use super::setup::{METHODS, floor, settings};
use supple::contact::HalfSpace;
use supple::{Method, Obstacle, Scene, Simulation, Status};

fn particle(method: Method, h: f64, at: [f64; 3], v: [f64; 3], obstacle: Obstacle) -> Simulation {
    let mut scene = Scene::new(settings(method, h));
    scene.add_springs("particle", vec![at], vec![2.0], vec![]).unwrap();
    scene.add_obstacle(obstacle).unwrap();
    let mut sim = scene.build().unwrap();
    sim.set_state(&[at], &[v]).unwrap();
    sim
}

/// y⁺ = max(0, y + h v − h² g), and the force that it takes; no friction along the floor.
#[test]
fn a_particle_stops_at_the_floor() {
    for method in METHODS.into_iter().chain([Method::Projective]) {
        for h in [1e-3, 0.01, 0.04] {
            let mut sim = particle(method, h, [0.0, 0.005, 0.0], [0.3, -0.2, 0.1], floor(0.0));
            let (mut y, mut v) = (0.005f64, -0.2f64);
            for frame in 0..60 {
                let free = y + h * v - h * h * 9.8;
                let next = free.max(0.0);
                let force = 2.0 * (next - free) / (h * h);
                (v, y) = ((next - y) / h, next);
                let r = sim.step().unwrap();
                assert_eq!(r.status, Status::Converged, "{method}, {h}, {frame}: {r:?}");
                let x = sim.positions()[0];
                assert!((x[1] - y).abs() <= 1e-9, "{method}, {h}, {frame}: {} is not {y}", x[1]);
                assert!((x[0] - 0.3 * h * (frame + 1) as f64).abs() <= 1e-9, "{method}: {x:?}");
                let pushed = sim.reactions()[0];
                assert!(
                    (pushed[1] - force).abs() <= 1e-9 * force.max(1.0) / (h * h),
                    "{method}: {pushed:?} {force}"
                );
                assert!(r.max_penetration <= 1e-12 && r.contact_residual <= 1e-12, "{r:?}");
            }
            assert_eq!(y, 0.0);
        }
    }
}

/// On an incline a particle sticks or slides by Coulomb's law, exactly: h² (g sinθ − μ g cosθ) per step and step.
#[test]
fn a_particle_on_an_incline_is_exact() {
    for method in METHODS {
        for (angle, mu) in [(0.5f64, 0.3), (0.5, 0.54), (0.5, 0.55), (0.2, 0.0), (1.2, 2.0), (1.2, 3.0)] {
            let n = [angle.sin(), angle.cos(), 0.0];
            let slope = HalfSpace::new([0.0; 3], n).unwrap();
            let h = 0.01;
            let mut sim =
                particle(method, h, [0.0; 3], [0.0; 3], Obstacle::new("slope", slope).with_friction(mu));
            let a = (9.8 * (angle.sin() - mu * angle.cos())).max(0.0);
            for frame in 1..=50 {
                let r = sim.step().unwrap();
                assert_eq!(r.status, Status::Converged, "{method}: {r:?}");
                let x = sim.positions()[0];
                let along = x[0] * angle.cos() - x[1] * angle.sin();
                let want = 0.5 * a * h * h * (frame * (frame + 1)) as f64;
                assert!((along - want).abs() <= 1e-9, "{method}, {angle}, {mu}: {along} is not {want}");
                assert!(r.cone_violation <= 1e-15 && r.max_penetration <= 1e-12, "{r:?}");
            }
        }
    }
}

/// A floor that moves carries what sticks to it, and lifts what lies on it.
#[test]
fn a_moving_floor_carries() {
    use supple::contact::Pose;
    for method in METHODS {
        let h = 0.01;
        let mut sim = particle(method, h, [0.0; 3], [0.0; 3], floor(0.5));
        for frame in 1..=20 {
            let t = h * f64::from(frame);
            // 2 m/s² along x: less than μ(g + 1), so it sticks; 1 m/s² upwards.
            let pose = Pose::new([0.0; 3], [0.0; 3], [t * t, 0.5 * t * t, 0.0]);
            sim.move_obstacle(0, pose).unwrap();
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged);
            let x = sim.positions()[0];
            assert!((x[0] - t * t).abs() <= 1e-9 && (x[1] - 0.5 * t * t).abs() <= 1e-9, "{method}: {x:?}");
        }
    }
}

#[test]
fn what_cannot_carry_contact_says_so() {
    let mut scene = Scene::new(settings(Method::Position, 0.01));
    scene.add_springs("particle", vec![[0.0; 3]], vec![2.0], vec![]).unwrap();
    scene.add_obstacle(floor(0.0)).unwrap();
    let e = scene.build().err().unwrap().to_string();
    assert!(e.contains("`floor`") && e.contains("position"), "{e}");
    scene.settings.solve.method = Method::Auto;
    let mut sim = scene.build().unwrap();
    let mut s = sim.settings().clone();
    s.solve.method = Method::Position;
    assert!(sim.update_settings(s).unwrap_err().to_string().contains("`floor`"));
    assert!(scene.add_obstacle(floor(0.0)).unwrap_err().to_string().contains("already"));
    for mu in [-0.1, f64::NAN, f64::INFINITY, 1e300] {
        let mut o = floor(mu);
        o.name = "other".into();
        assert!(scene.add_obstacle(o).unwrap_err().to_string().contains("friction"));
    }
    assert!(HalfSpace::new([0.0; 3], [0.0; 3]).is_err());
    assert!(HalfSpace::new([f64::NAN, 0.0, 0.0], [0.0, 1.0, 0.0]).is_err());
}
