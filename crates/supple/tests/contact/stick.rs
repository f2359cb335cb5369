//! Contacts most of which stick: the same answer by every method, and after a checkpoint; and obstacles that only inner nodes touch.

use super::setup::{cube, floor, settings};
use supple::contact::Sphere;
use supple::sim::Entered;
use supple::{MaterialKind, Method, Obstacle, Simulation, Status};

const SOFT: (MaterialKind, f64, f64) = (MaterialKind::NeoHookean, 2e4, 0.4);

/// A soft block on 25 nodes that lands with a little speed along the floor: it spreads, its border slips and its middle sticks.
fn landing(method: Method) -> Simulation {
    let at = [0.0, 0.005, 0.0];
    let mut sim = cube(settings(method, 0.01), SOFT, [0.4, 0.2, 0.4], [4, 2, 4], at, vec![floor(0.2)]);
    let x = sim.positions();
    sim.set_state(&x, &vec![[0.2, -0.3, 0.0]; x.len()]).unwrap();
    sim
}

#[test]
fn a_landing_block_is_the_same_by_every_method() {
    // Newton's Hessian has blocks in place of numbers: it goes another way to the same forces.
    let mut reference = landing(Method::Newton);
    let mut others = [Method::Auto, Method::QuasiNewton, Method::Admm].map(|m| (m, landing(m)));
    let mut most = 0;
    for frame in 0..40 {
        let r = reference.step().unwrap();
        assert_eq!(r.status, Status::Converged, "{frame}: {r:?}");
        most = most.max(r.contacts);
        for (method, sim) in &mut others {
            let other = sim.step().unwrap();
            assert_eq!(other.status, Status::Converged, "{method}, {frame}: {other:?}");
            assert!(other.cone_violation <= 1e-12, "{method}, {frame}: {other:?}");
            for (p, q) in sim.positions().iter().zip(&reference.positions()) {
                let off = (0..3).map(|c| (p[c] - q[c]).abs()).fold(0.0, f64::max);
                assert!(off <= 1e-5 * 0.4, "{method}, {frame}: {p:?} is not {q:?}");
            }
            let force = |sim: &Simulation| sim.reactions()[0][1];
            let (f, g) = (force(sim), force(&reference));
            assert!((f - g).abs() <= 1e-3 * (g.abs() + 1.0), "{method}, {frame}: {f} N is not {g} N");
        }
    }
    assert_eq!(most, 25);
}

/// What is kept from step to step does not show: a simulation that resumes from a checkpoint has the same bits.
#[test]
fn a_landing_block_goes_on_from_a_checkpoint() {
    for method in [Method::Auto, Method::Admm] {
        let (mut sim, mut again) = (landing(method), landing(method));
        let mut saved = Vec::new();
        for frame in 0..30 {
            if frame == 12 {
                saved = sim.checkpoint();
            }
            sim.step().unwrap();
        }
        again.restore(&saved).unwrap();
        for _ in 12..30 {
            again.step().unwrap();
        }
        assert_eq!(sim.positions(), again.positions(), "{method}");
    }
}

/// An obstacle that is smaller than a cell, around the node in the middle of a solid: told, and the node comes out.
#[test]
fn inner_nodes_do_not_stay_in_obstacles() {
    let ball = Obstacle::new("ball", Sphere::new([0.1, 0.1, 0.1], 0.03).unwrap());
    let mut s = settings(Method::Auto, 0.01);
    s.world.gravity = [0.0; 3];
    s.solve.tolerance = 1e-5;
    let mut sim = cube(s, SOFT, [0.2; 3], [2; 3], [0.004, 0.0, 0.0], vec![ball]);
    let found = sim.intersections();
    assert!(matches!(&found[..], [i] if i.entered == Entered::Obstacle(0)), "{found:?}");
    let r = sim.step().unwrap();
    assert!(r.max_penetration > 0.01, "{r:?}");
    let mut last = r;
    for _ in 0..60 {
        last = sim.step().unwrap();
    }
    assert!(last.max_penetration <= 1e-6, "{last:?}");
    let away = |p: &[f64; 3]| p.iter().map(|c| (c - 0.1).powi(2)).sum::<f64>().sqrt();
    assert!(sim.positions().iter().map(away).fold(f64::INFINITY, f64::min) >= 0.03 - 1e-6);
    assert!(sim.intersections().is_empty());
}
