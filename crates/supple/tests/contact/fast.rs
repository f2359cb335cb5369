//! Fast things and thin things.

use super::setup::{cube, settings};
use supple::contact::{Capsule, Cuboid, Sphere};
use supple::{MaterialKind, Method, Obstacle, Scene};

/// Particles at up to 100 m/s and 40 ms do not pass through a sheet of a centimetre or a wire, and pass beside them unhindered.
#[test]
fn particles_do_not_tunnel() {
    for method in [Method::Auto, Method::Admm] {
        for speed in [1.0, 10.0, 100.0] {
            let mut s = settings(method, 0.04);
            s.world.gravity = [0.0; 3];
            let mut scene = Scene::new(s);
            let at = [[0.0, 1.0, 0.0], [0.3, 2.0, 0.1], [5.0, 1.5, 0.0], [10.0, 1.0, 0.0], [11.5, 1.0, 0.0]];
            scene.add_springs("particles", at.to_vec(), vec![1.0; 5], vec![]).unwrap();
            let sheet = Cuboid::new([0.0; 3], [2.0, 0.01, 2.0]).unwrap();
            let wire = Capsule::new([5.0, 0.0, -1.0], [5.0, 0.0, 1.0], 0.005).unwrap();
            let ball = Sphere::new([10.0, 0.0, 0.0], 0.1).unwrap();
            scene.add_obstacle(Obstacle::new("sheet", sheet)).unwrap();
            scene.add_obstacle(Obstacle::new("wire", wire)).unwrap();
            scene.add_obstacle(Obstacle::new("ball", ball)).unwrap();
            let mut sim = scene.build().unwrap();
            sim.set_state(&at, &[[0.0, -speed, 0.0]; 5]).unwrap();
            for frame in 1..=200 {
                let r = sim.step().unwrap();
                assert!(r.max_penetration <= 1e-9, "{method}, {speed}: {r:?}");
                let x = sim.positions();
                for (i, least) in [(0, 0.005), (1, 0.005), (2, 0.005), (3, 0.1)] {
                    assert!(x[i][1] >= least - 1e-9, "{method}, {speed}, {frame}: {i} is at {:?}", x[i]);
                }
                let free = 1.0 - speed * 0.04 * f64::from(frame);
                assert!((x[4][1] - free).abs() <= 1e-9 * (1.0 + free.abs()), "{method}: {:?}", x[4]);
            }
        }
    }
}

/// A soft cube thrown at a thin wall at up to 100 m/s stays on its side, whatever the status.
#[test]
fn bodies_do_not_tunnel() {
    for (speed, h) in [(10.0, 0.01), (30.0, 0.02), (100.0, 0.04)] {
        let wall = Obstacle::new("wall", Cuboid::new([-0.05, 0.15, 0.15], [0.02, 4.0, 4.0]).unwrap());
        let mut s = settings(Method::Auto, h);
        s.world.gravity = [0.0; 3];
        s.solve.iterations = 100;
        s.solve.tolerance = 1e-4;
        let material = (MaterialKind::NeoHookean, 1e5, 0.4);
        let mut sim = cube(s, material, [0.3; 3], [3; 3], [0.5, 0.0, 0.0], vec![wall]);
        let x = sim.positions();
        sim.set_state(&x, &vec![[-speed, 0.0, 0.0]; x.len()]).unwrap();
        for frame in 0..40 {
            let r = sim.step().unwrap();
            let least = sim.positions().iter().map(|p| p[0]).fold(f64::INFINITY, f64::min);
            assert!(least >= -0.04 - 1e-6, "{speed}, {frame}: {least}, {r:?}");
        }
        let v = super::setup::drift(&sim);
        assert!(v[0] > -0.5, "{speed}: it went through, {v:?}");
    }
}

/// A sheet thrown at a thin wall at up to 100 m/s stays on its side, flat or tilted.
#[test]
fn sheets_do_not_tunnel() {
    for (speed, h) in [(10.0, 0.01), (30.0, 0.02), (100.0, 0.04)] {
        for tilt in [0.0, 0.3] {
            let mut s = settings(Method::Auto, h);
            s.world.gravity = [0.0; 3];
            (s.solve.iterations, s.solve.tolerance) = (100, 1e-4);
            let mut scene = Scene::new(s);
            let flat = super::cloth::sheet(0.4, 5, [0.0; 3], false);
            let x: Vec<_> = flat.vertices().iter().map(|p| [p[0], 0.2 + tilt * (p[0] + 0.2), p[2]]).collect();
            let mesh = supple::TriMesh::new(x.clone(), flat.triangles().to_vec()).unwrap();
            scene.add_cloth("sheet", mesh, super::cloth::linen()).unwrap();
            let collisions = supple::scene::Collisions { within: true, ..Default::default() };
            scene.collide(collisions).unwrap();
            let wall = Cuboid::new([0.0, -0.005, 0.0], [9.0, 0.01, 9.0]).unwrap();
            scene.add_obstacle(Obstacle::new("wall", wall)).unwrap();
            let mut sim = scene.build().unwrap();
            sim.set_state(&x, &vec![[0.0, -speed, 0.0]; x.len()]).unwrap();
            for frame in 0..12 {
                let r = sim.step().unwrap();
                let least = sim.positions().iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
                assert!(least >= -1e-6, "{speed}, {tilt}, {frame}: {least}, {r:?}");
            }
        }
    }
}

/// What starts inside comes out little by little, and the depth is reported.
#[test]
fn a_start_inside_is_told_and_resolved() {
    let s = settings(Method::Auto, 0.01);
    let material = (MaterialKind::Corotated, 1e5, 0.3);
    let mut sim = cube(s, material, [0.2; 3], [2; 3], [0.0, -0.02, 0.0], vec![super::setup::floor(0.3)]);
    let mut depth = 0.02;
    for frame in 0..60 {
        let r = sim.step().unwrap();
        assert!(r.max_penetration <= depth * 0.85 + 1e-5, "{frame}: {r:?}");
        assert!(frame > 0 || r.max_penetration > 0.01, "at once: {r:?}");
        depth = r.max_penetration;
        let fastest = sim.velocities().iter().map(|v| v[1].abs()).fold(0.0, f64::max);
        assert!(fastest < 1.0, "{frame}: a blow, {fastest}");
    }
    assert!(depth < 1e-5, "{depth}");
}
