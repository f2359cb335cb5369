//! What a person who pulls at a running simulation needs: a new simulation takes over the state of the old one, anchors hold
//! firmly, velocities die away.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod common;

use common::{bar, distance, material, settings, solid, wall};
use supple::{MaterialKind, Method, Scene, Settings, Simulation, Spring};

fn beam(settings: Settings, anchored: &[u32]) -> Simulation {
    let mesh = bar([6, 2, 2], 0.25);
    let (mut scene, body) = solid(settings, &mesh, MaterialKind::NeoHookean);
    scene.pin(body, &wall(&mesh)).unwrap();
    let plain = scene.build().unwrap();
    if anchored.is_empty() {
        return plain;
    }
    for &id in anchored {
        scene.anchor(body, &[id], 4.0 * plain.node_stiffness(0, id).unwrap().unwrap()).unwrap();
    }
    scene.build().unwrap()
}

fn falling(method: Method) -> Settings {
    let mut s = settings(0.02);
    s.world.gravity = [0.0, -9.8, 0.0];
    s.solve.method = method;
    s.solve.iterations = 200;
    s.solve.tolerance = 1e-6;
    s
}

#[test]
fn the_same_simulation_built_again_goes_on_with_the_same_bits() {
    for method in [Method::Admm, Method::QuasiNewton, Method::Newton] {
        let mut old = beam(falling(method), &[]);
        for _ in 0..5 {
            old.step().unwrap();
        }
        let mut new = beam(falling(method), &[]);
        new.adopt(&old).unwrap();
        assert_eq!((new.frame(), new.time()), (old.frame(), old.time()));
        for frame in 0..5 {
            old.step().unwrap();
            new.step().unwrap();
            assert_eq!(new.positions(), old.positions(), "{method}, frame {frame}");
            assert_eq!(new.velocities(), old.velocities(), "{method}, frame {frame}");
        }
    }
}

#[test]
fn a_grabbed_node_follows_and_swings_when_let_go() {
    let tip = bar([6, 2, 2], 0.25).vertices().iter().position(|p| *p == [1.5, 0.5, 0.5]).unwrap();
    let mut free = beam(falling(Method::Auto), &[]);
    for _ in 0..10 {
        free.step().unwrap();
    }
    let mut held = beam(falling(Method::Auto), &[tip as u32]);
    held.adopt(&free).unwrap();
    assert_eq!(held.positions(), free.positions());
    let from = held.position(tip).unwrap();
    let target = [from[0], from[1] + 0.3, from[2] + 0.2];
    held.move_anchors(0, &[tip as u32], &[target]).unwrap();
    for _ in 0..5 {
        held.step().unwrap();
    }
    // A tenth of a second later it is there, but for a tenth of the way.
    let left = distance(&[held.position(tip).unwrap()], &[target]);
    assert!(left < 0.1 * distance(&[from], &[target]), "{left} m are left");

    let mut released = beam(falling(Method::Auto), &[]);
    released.adopt(&held).unwrap();
    assert_eq!(released.velocities(), held.velocities());
    released.step().unwrap();
    let way = distance(&[released.position(tip).unwrap()], &[held.position(tip).unwrap()]);
    assert!(way > 1e-3, "after a step without the anchor the node is {way} m away");

    // Anchors that both have keep their targets.
    let mut again = beam(falling(Method::Auto), &[tip as u32]);
    again.adopt(&held).unwrap();
    for _ in 0..100 {
        again.step().unwrap();
    }
    assert!(distance(&[again.position(tip).unwrap()], &[target]) < 0.05);
}

#[test]
fn a_pin_of_the_new_simulation_holds_its_node_where_it_is() {
    let mut free = beam(falling(Method::Auto), &[]);
    for _ in 0..10 {
        free.step().unwrap();
    }
    let mesh = bar([6, 2, 2], 0.25);
    let (mut scene, body) = solid(falling(Method::Auto), &mesh, MaterialKind::NeoHookean);
    let last = mesh.vertices().len() as u32 - 1;
    scene.pin(body, &[last]).unwrap();
    let mut pinned = scene.build().unwrap();
    pinned.adopt(&free).unwrap();
    let at = free.position(last as usize).unwrap();
    for _ in 0..3 {
        pinned.step().unwrap();
        assert_eq!(pinned.position(last as usize).unwrap(), at);
    }
}

#[test]
fn other_bodies_are_refused_and_nothing_changes() {
    let old = beam(falling(Method::Auto), &[]);
    let mut scene = Scene::new(falling(Method::Auto));
    scene.add_solid("body", bar([5, 2, 2], 0.25), material(MaterialKind::Arap), 1000.0).unwrap();
    let mut other = scene.build().unwrap();
    let before = other.checkpoint();
    assert!(other.adopt(&old).unwrap_err().to_string().contains("other bodies"));
    assert_eq!(other.checkpoint(), before);
}

#[test]
fn the_stiffness_of_a_node_is_that_of_its_mass_and_springs() {
    let mut scene = Scene::new(settings(0.1));
    let spring = Spring::new([0, 1], 40.0);
    let other = Spring::new([1, 2], 2.0);
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
    let body = scene.add_springs("rope", points, vec![1.0, 3.0, 5.0], vec![spring, other]).unwrap();
    scene.pin(body, &[2]).unwrap();
    let sim = scene.build().unwrap();
    let of = |id| sim.node_stiffness(0, id).unwrap();
    // m/Δt² + Σ k, with w² = k of springs.
    assert!((of(0).unwrap() - 140.0).abs() < 1e-9);
    assert!((of(1).unwrap() - 342.0).abs() < 1e-9);
    assert_eq!(of(2), None);
    assert!(sim.node_stiffness(0, 3).is_err() && sim.node_stiffness(1, 0).is_err());
}

#[test]
fn damping_makes_velocities_die_away() {
    let (c, h, g) = (3.0, 0.02, -9.8);
    let mut s = falling(Method::Auto);
    s.world.damping = c;
    let (scene, _) = solid(s.clone(), &bar([2, 1, 1], 0.25), MaterialKind::Corotated);
    let mut sim = scene.build().unwrap();
    let start = sim.positions();
    sim.set_state(&start, &vec![[2.0, 0.0, 0.0]; start.len()]).unwrap();
    // v⁺ = e^(−ch) v + h g, node by node, and x⁺ = x + h v⁺.
    let (mut x, mut v) = ([0.0; 2], [2.0, 0.0]);
    for _ in 0..50 {
        sim.step().unwrap();
        v = [v[0] * (-c * h).exp(), v[1] * (-c * h).exp() + h * g];
        x = [x[0] + h * v[0], x[1] + h * v[1]];
    }
    let wanted: Vec<[f64; 3]> = start.iter().map(|p| [p[0] + x[0], p[1] + x[1], p[2]]).collect();
    assert!(distance(&sim.positions(), &wanted) < 1e-12);
    for wrong in [-1.0, f64::NAN, f64::INFINITY, 2e6] {
        s.world.damping = wrong;
        assert!(s.validate().unwrap_err().to_string().contains("world.damping"), "{wrong}");
    }
}

/// A snapshot, too, is taken over by a simulation with other anchors, as if the simulation that it is of stood there; and only of the same bodies.
#[test]
fn a_snapshot_is_taken_over_like_the_simulation_itself() {
    for method in [Method::Admm, Method::Auto] {
        let mut old = beam(falling(method), &[]);
        for _ in 0..5 {
            old.step().unwrap();
        }
        let snapshot = old.snapshot();
        old.step().unwrap();
        let mut back = beam(falling(method), &[]);
        back.rewind(&snapshot).unwrap();
        let tip = 20;
        let (mut by_adopt, mut by_snapshot) = (beam(falling(method), &[tip]), beam(falling(method), &[tip]));
        assert!(by_snapshot.rewind(&snapshot).is_err(), "another anchor is another scene");
        by_adopt.adopt(&back).unwrap();
        by_snapshot.adopt_snapshot(&snapshot).unwrap();
        assert_eq!((by_snapshot.frame(), by_snapshot.time()), (5, back.time()));
        assert_eq!(by_snapshot.positions(), back.positions());
        for frame in 0..5 {
            by_adopt.step().unwrap();
            by_snapshot.step().unwrap();
            assert_eq!(by_snapshot.positions(), by_adopt.positions(), "{method}, frame {frame}");
            assert_eq!(by_snapshot.velocities(), by_adopt.velocities(), "{method}, frame {frame}");
        }
        assert!(snapshot.size() > 120 * old.positions().len());
    }
    let mesh = bar([5, 2, 2], 0.25);
    let (scene, _) = solid(falling(Method::Auto), &mesh, MaterialKind::NeoHookean);
    let mut other = scene.build().unwrap();
    let before = other.positions();
    assert!(other.adopt_snapshot(&beam(falling(Method::Auto), &[]).snapshot()).is_err());
    assert_eq!(other.positions(), before);
}
