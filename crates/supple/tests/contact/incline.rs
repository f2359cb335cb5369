//! Blocks on inclines: Coulomb's law in the large.

use super::setup::{METHODS, centre, cube, drift, settings};
use supple::contact::HalfSpace;
use supple::{MaterialKind, Method, Obstacle, Simulation, Status};

/// A stiff block that lies on a plane inclined by gravity: the plane is y = 0, gravity is turned.
fn block(method: Method, angle: f64, mu: f64, h: f64) -> Simulation {
    let mut s = settings(method, h);
    s.solve.tolerance = 1e-7;
    s.world.gravity = [9.8 * angle.sin(), -9.8 * angle.cos(), 0.0];
    let slope = Obstacle::new("slope", HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap()).with_friction(mu);
    cube(s, (MaterialKind::Corotated, 1e8, 0.3), [0.4, 0.2, 0.4], [4, 2, 4], [0.0; 3], vec![slope])
}

/// 26.565°: at μ = 0.49 it slides with g(sinθ − μ cosθ) = 0.087644 m/s² within 1 %, at μ = 0.51 it stays within 1 mm for 2 s.
#[test]
fn slides_at_049_and_sticks_at_051() {
    let angle = 0.5f64.atan();
    for method in METHODS {
        let mut sim = block(method, angle, 0.49, 0.01);
        let mut speed = 0.0;
        for frame in 0..200 {
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "{method}, {frame}: {r:?}");
            assert!(r.max_penetration <= 1e-7, "{r:?}");
            if frame == 99 {
                speed = drift(&sim)[0];
            }
        }
        let a = drift(&sim)[0] - speed;
        assert!((a - 0.087644).abs() <= 0.01 * 0.087644, "{method}: {a}");

        let mut sim = block(method, angle, 0.51, 0.01);
        let start = centre(&sim)[0];
        for frame in 0..200 {
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "{method}, {frame}: {r:?}");
        }
        assert!((centre(&sim)[0] - start).abs() < 1e-3, "{method}: {}", centre(&sim)[0] - start);
    }
}

/// No angle and no friction are mistaken for others where |tan θ − μ| > 0.01.
#[test]
fn nothing_is_mistaken() {
    for mu in [0.05, 0.15, 0.3, 0.5, 0.8, 1.2] {
        for off in [-0.3, -0.1, -0.03, -0.011, 0.011, 0.03, 0.1, 0.3] {
            let tan: f64 = mu + off;
            if tan <= 0.0 {
                continue;
            }
            let mut sim = block(Method::Auto, tan.atan(), mu, 0.01);
            for _ in 0..60 {
                assert_eq!(sim.step().unwrap().status, Status::Converged);
            }
            let early = drift(&sim)[0];
            for _ in 0..20 {
                sim.step().unwrap();
            }
            let (a, angle) = ((drift(&sim)[0] - early) / 0.2, tan.atan());
            let want = (9.8 * (angle.sin() - mu * angle.cos())).max(0.0);
            assert!((a - want).abs() <= 0.02 * want + 1e-3, "μ = {mu}, tan θ = {tan}: {a}, not {want}");
            assert_eq!(a > 0.01, off > 0.0, "μ = {mu}, tan θ = {tan}: {a}");
        }
    }
}
