//! Elements of order 2 touch with their refined boundary: the four triangles between the six nodes of each face.

use super::crossing::{Shape, Surfaces};
use super::setup::{floor, settings};
use supple::contact::Sphere;
use supple::mesh::shapes::{Split, box_mesh};
use supple::scene::Collisions;
use supple::sim::Static;
use supple::{Material, MaterialKind, Method, Obstacle, Scene, Settings, Simulation, Status, TetMesh};

/// A block of order 2 of so many cells whose lowest corner is at `at`.
fn block(size: [f64; 3], cells: [usize; 3], at: [f64; 3]) -> TetMesh {
    let mesh = box_mesh(size, cells, Split::Five).unwrap();
    mesh.map(|p| std::array::from_fn(|c| p[c] + at[c])).unwrap().quadratic().unwrap()
}

fn scene(s: Settings, bodies: &[TetMesh]) -> Scene {
    let mut scene = Scene::new(s);
    for (i, mesh) in bodies.iter().enumerate() {
        let rubber = Material::new(MaterialKind::NeoHookean, 1e5, 0.3).unwrap();
        scene.add_solid(&format!("block {i}"), mesh.clone(), rubber, 1000.0).unwrap();
    }
    scene
}

fn watch(bodies: &[TetMesh], sim: &Simulation) -> Surfaces {
    let shapes: Vec<Shape> = bodies
        .iter()
        .zip(sim.bodies())
        .map(|(m, b)| Shape::of_triangles(m.surface(), b.first_node))
        .collect();
    Surfaces::new(&shapes, false)
}

/// A cube of one cell sinks onto a small ball under the middle of its lower face, where there is a node on the face's diagonal and no corner: it is that node which touches, by every
/// method that takes obstacles, and nothing is in the ball.
#[test]
fn a_node_on_an_edge_touches() {
    for method in super::setup::METHODS {
        let mesh = block([0.2; 3], [1; 3], [-0.1, 0.0, -0.1]);
        let corners = mesh.corner_count();
        let mut scene = scene(settings(method, 0.01), std::slice::from_ref(&mesh));
        let ball = Sphere::new([0.0, -0.05, 0.0], 0.05).unwrap();
        scene.add_obstacle(Obstacle::new("ball", ball).with_friction(0.5)).unwrap();
        let mut sim = scene.build().unwrap();
        let under = mesh.vertices().iter().position(|p| p.iter().all(|v| v.abs() < 1e-12)).unwrap();
        assert!(under >= corners, "the middle of the face is a node on its diagonal");
        for step in 0..10 {
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "{method}, {step}: {r:?}");
            let touching = sim.contacts();
            assert!(!touching.is_empty(), "{method}, {step}");
            let inside = sim
                .positions()
                .iter()
                .map(|p| 0.05 - f64::sqrt(p[0] * p[0] + (p[1] + 0.05).powi(2) + p[2] * p[2]))
                .fold(f64::NEG_INFINITY, f64::max);
            assert!(inside <= 1e-8, "{method}, {step}: {inside}");
        }
        let x = sim.positions();
        assert!(
            x[0][1] < -1e-4 && x[under][1] > x[0][1],
            "the corners hang lower: {:?}, {:?}",
            x[0],
            x[under]
        );
    }
}

/// A small block at rest on a larger one, of other cells, on a floor, both of order 2: each bears what is above it, 1e-6 of the weight of all, what one gives the other feels, and the refined boundaries do
/// not cross.
#[test]
fn blocks_bear_each_other() {
    let bodies = [
        block([0.3, 0.1, 0.3], [3, 1, 3], [0.0, 0.002, 0.0]),
        block([0.16, 0.1, 0.16], [2, 2, 2], [0.06, 0.105, 0.05]),
    ];
    let mut s = settings(Method::Auto, 0.02);
    s.solve.tolerance = 1e-7;
    let mut scene = scene(s, &bodies);
    scene.add_obstacle(floor(0.5)).unwrap();
    scene.collide(Collisions { friction: 0.5, ..Collisions::default() }).unwrap();
    let mut sim = scene.build().unwrap();
    let r = sim.equilibrium(&Static::default()).unwrap();
    assert_eq!(r.status, Status::Converged, "{r:?}");
    let weights: Vec<f64> = bodies.iter().map(|b| 9.8e3 * b.volume()).collect();
    let all: f64 = weights.iter().sum();
    assert!((sim.reactions()[0][1] - all).abs() <= 1e-6 * all, "{:?} of {all}", sim.reactions());
    let sums = sim.contact_sums();
    assert!((sums[1][0][1] - weights[1]).abs() <= 1e-6 * all, "{sums:?}, {weights:?}");
    assert!((0..3).all(|c| (sums[1][0][c] + sums[0][1][c]).abs() <= 1e-9 * all), "{sums:?}");
    assert!(watch(&bodies, &sim).crossings(&sim).is_empty());
}

/// Two blocks of order 2 thrown at each other, corner against face, at up to 50 m/s and 20 ms: no edge of a refined boundary passes through a triangle of the other, whatever the
/// status; momentum stays where steps converge, 1e-8 of that of one; each keeps to its side where steps are shorter than it.
#[test]
fn blocks_do_not_pass_through_each_other() {
    for (speed, h) in [(2.0, 0.01), (10.0, 0.01), (50.0, 0.02)] {
        let turned = supple::mesh::shapes::box_mesh([0.2; 3], [2; 3], Split::Five).unwrap();
        // About its corner-to-corner axis, which is turned to x.
        let (a, b, c) = (1.0 / 3f64.sqrt(), 1.0 / 2f64.sqrt(), 1.0 / 6f64.sqrt());
        let axes = [[a, a, a], [b, -b, 0.0], [c, c, -2.0 * c]];
        let turned = turned
            .map(|p| {
                let r: [f64; 3] = std::array::from_fn(|k| (0..3).map(|c| axes[k][c] * p[c]).sum());
                [r[0] + 0.25, r[1] + 0.11, r[2] + 0.09]
            })
            .unwrap()
            .quadratic()
            .unwrap();
        let bodies = [block([0.2; 3], [2; 3], [0.0; 3]), turned];
        let mut s = settings(Method::Auto, h);
        (s.world.gravity, s.solve.tolerance, s.solve.iterations) = ([0.0; 3], 1e-6, 200);
        let mut scene = scene(s, &bodies);
        scene.collide(Collisions { friction: 0.3, ..Collisions::default() }).unwrap();
        let mut sim = scene.build().unwrap();
        let first = bodies[0].vertices().len();
        let x = sim.positions();
        let v: Vec<[f64; 3]> =
            (0..x.len()).map(|i| [if i < first { speed } else { -speed }, 0.0, 0.0]).collect();
        sim.set_state(&x, &v).unwrap();
        let masses = sim.masses();
        let momentum =
            |sim: &Simulation| -> f64 { sim.velocities().iter().zip(&masses).map(|(v, m)| m * v[0]).sum() };
        let watch = watch(&bodies, &sim);
        let one = speed * masses[..first].iter().sum::<f64>();
        let (mut before, mut touched, mut sound) = (momentum(&sim), false, true);
        for frame in 0..30 {
            let r = sim.step().unwrap();
            touched |= r.contacts > 0;
            assert!(watch.crossings(&sim).is_empty(), "{speed}, {frame}: {r:?}");
            let middle = |r: std::ops::Range<usize>| {
                let n = r.len() as f64;
                sim.positions()[r].iter().map(|p| p[0]).sum::<f64>() / n
            };
            // In steps of ten sizes a way may lead around the other body: docs/contact.md. Such a step does not say that it has converged.
            sound &= r.status == Status::Converged;
            let past = middle(0..first) >= middle(first..x.len());
            assert!(!past || speed > 20.0 && !sound, "{speed}, {frame}: {r:?}");
            let now = momentum(&sim);
            if r.status == Status::Converged {
                assert!((now - before).abs() <= 1e-8 * one, "{speed}, {frame}: {before} → {now}, {r:?}");
            }
            before = now;
        }
        assert!(touched || !sound, "{speed}");
    }
}
