//! The same bits on any number of threads and after a checkpoint; energy; many contacts.

use super::setup::{cube, floor, settings};
use supple::contact::{Cuboid, Pose, Sphere};
use supple::mesh::shapes::{Split, box_mesh};
use supple::{Material, MaterialKind, Method, Obstacle, Scene, Simulation, Status};

/// A cube that falls on a moving ball and a floor with friction.
fn scene(method: Method, threads: usize) -> Simulation {
    let mut s = settings(method, 0.02);
    s.solve.threads = threads;
    s.solve.tolerance = 1e-5;
    let ball = Obstacle::new("ball", Sphere::new([0.2, -0.1, 0.2], 0.25).unwrap()).with_friction(0.4);
    let material = (MaterialKind::NeoHookean, 5e4, 0.4);
    let mut low = floor(0.3);
    low.shape = std::sync::Arc::new(Cuboid::new([0.0, -0.1, 0.0], [4.0, 0.2, 4.0]).unwrap());
    cube(s, material, [0.3; 3], [4; 3], [0.0, 0.2, 0.0], vec![low, ball])
}

fn advance(sim: &mut Simulation) {
    let t = sim.time() + 0.02;
    sim.move_obstacle(1, Pose::new([0.0, 3.0 * t, 0.0], [0.2, -0.1, 0.2], [0.3 * t, 0.0, 0.0])).unwrap();
    sim.step().unwrap();
}

fn bits(sim: &Simulation) -> Vec<u64> {
    sim.positions().iter().chain(&sim.velocities()).flatten().map(|v| v.to_bits()).collect()
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    for method in [Method::Auto, Method::Admm] {
        let mut sims: Vec<Simulation> = [1, 2, 3].map(|n| scene(method, n)).into();
        let mut touched = false;
        for frame in 0..30 {
            sims.iter_mut().for_each(advance);
            let first = bits(&sims[0]);
            for other in &sims[1..] {
                assert_eq!(first, bits(other), "{method}, frame {frame}");
                assert_eq!(sims[0].reactions(), other.reactions());
            }
            touched |= sims[0].reactions().iter().all(|f| *f != [0.0; 3]);
        }
        assert!(touched);
    }
}

#[test]
fn checkpoints_continue_bit_for_bit() {
    for method in [Method::Auto, Method::Admm] {
        let mut sim = scene(method, 1);
        (0..20).for_each(|_| advance(&mut sim));
        assert!(sim.reactions().iter().any(|f| *f != [0.0; 3]));
        let bytes = sim.checkpoint();
        let mut other = scene(method, 2);
        other.restore(&bytes).unwrap();
        assert_eq!(other.checkpoint(), bytes);
        for frame in 0..10 {
            advance(&mut sim);
            advance(&mut other);
            assert_eq!(bits(&sim), bits(&other), "{method}, frame {frame}");
        }
        // Every flipped byte is found, and an obstacle more or less is another scene.
        for at in (0..bytes.len()).step_by(97) {
            let mut wrong = bytes.clone();
            wrong[at] ^= 1;
            assert!(other.restore(&wrong).is_err(), "byte {at}");
        }
        let mut less = cube(
            settings(method, 0.02),
            (MaterialKind::NeoHookean, 5e4, 0.4),
            [0.3; 3],
            [4; 3],
            [0.0, 0.2, 0.0],
            vec![],
        );
        assert!(less.restore(&bytes).is_err());
    }
}

/// With friction, and obstacles at rest, energy only falls.
#[test]
fn friction_never_creates_energy() {
    for method in [Method::Auto, Method::Admm] {
        for mu in [0.0, 0.2, 1.0] {
            let mut s = settings(method, 0.01);
            s.solve.tolerance = 1e-7;
            let material = (MaterialKind::Corotated, 2e5, 0.3);
            let mut sim = cube(s, material, [0.2; 3], [2; 3], [0.0, 0.02, 0.0], vec![floor(mu)]);
            let x = sim.positions();
            let v: Vec<_> = x.iter().map(|p| [2.0 - 3.0 * p[1], -1.0, 4.0 * p[0]]).collect();
            sim.set_state(&x, &v).unwrap();
            let e = sim.energy();
            let mut total = e.elastic + e.kinetic + e.potential;
            let first = total;
            for frame in 0..120 {
                let r = sim.step().unwrap();
                assert_eq!(r.status, Status::Converged, "{r:?}");
                let now = r.energy.elastic + r.energy.kinetic + r.energy.potential;
                assert!(now <= total + 1e-8 * first.abs(), "{method}, {mu}, {frame}: {total} to {now}");
                total = now;
            }
        }
    }
}

/// A plate with more than a thousand nodes on the floor.
#[test]
fn a_thousand_contacts() {
    let mut s = settings(Method::Auto, 0.01);
    s.solve.tolerance = 1e-5;
    s.solve.threads = 0;
    let mesh = box_mesh([3.2, 0.1, 3.2], [32, 1, 32], Split::Six).unwrap();
    let mut scene = Scene::new(s);
    scene
        .add_solid("plate", mesh, Material::new(MaterialKind::Corotated, 1e6, 0.3).unwrap(), 1000.0)
        .unwrap();
    scene.add_obstacle(floor(0.5)).unwrap();
    let mut sim = scene.build().unwrap();
    let weight = 9.8 * sim.masses().iter().sum::<f64>();
    for frame in 0..30 {
        let r = sim.step().unwrap();
        assert_eq!(r.status, Status::Converged, "{frame}: {r:?}");
        assert!(r.max_penetration <= 1e-8, "{frame}: {r:?}");
        if frame >= 25 {
            assert!(r.contacts >= 1000, "{frame}: {r:?}");
            let push = sim.reactions()[0][1];
            assert!((push - weight).abs() <= 0.05 * weight, "{frame}: {push} of {weight}");
        }
    }
}

/// A body at rest on a floor stays where it is, and the floor bears its weight.
#[test]
fn rest_is_rest() {
    for method in [Method::Auto, Method::Admm, Method::Newton, Method::QuasiNewton] {
        let mut s = settings(method, 0.1);
        s.solve.tolerance = 1e-9;
        let material = (MaterialKind::Corotated, 1e5, 0.3);
        let mut sim = cube(s, material, [0.2; 3], [2; 3], [0.0; 3], vec![floor(0.5)]);
        let weight = 9.8 * sim.masses().iter().sum::<f64>();
        for _ in 0..400 {
            sim.step().unwrap();
        }
        let before = sim.positions();
        for _ in 0..100 {
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "{method}: {r:?}");
            let push = sim.reactions()[0];
            assert!((push[1] - weight).abs() <= 1e-6 * weight, "{method}: {push:?}");
        }
        let moved = super::common::distance(&before, &sim.positions());
        // 1e-9 of the diagonal is what each step is solved to.
        assert!(moved <= 1e-9 * 0.35, "{method}: it crept by {moved}");
    }
}
