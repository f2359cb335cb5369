//! What is held: pins that are driven into something; friction at rest, without creep; bodies that start in each other and are led apart.

use super::cloth::linen;
use super::crossing::{Shape, Surfaces, V, Watch};
use super::setup::{drift, settings};
use supple::contact::HalfSpace;
use supple::mesh::shapes::{Split, box_mesh};
use supple::mesh::surface;
use supple::scene::Collisions;
use supple::{
    BodyId, Material, MaterialKind, Method, Obstacle, Scene, Settings, Simulation, Status, TetMesh, TriMesh,
};

fn firm(young: f64) -> Material {
    Material::new(MaterialKind::Corotated, young, 0.3).unwrap()
}

fn block(size: V, cells: [usize; 3], at: V) -> TetMesh {
    box_mesh(size, cells, Split::Six).unwrap().map(|p| std::array::from_fn(|c| p[c] + at[c])).unwrap()
}

/// A block on a slope of tan θ = 0.5 that is a half-space, or another body whose nodes are all pinned, or lies on a half-space itself.
fn on_slope(mu: f64, below: &str, s: Settings) -> (Simulation, BodyId) {
    let mut s = s;
    let angle = 0.5_f64.atan();
    s.world.gravity = [9.8 * angle.sin(), -9.8 * angle.cos(), 0.0];
    let mut scene = Scene::new(s);
    let gap = if below == "obstacle" { 0.0 } else { 1e-4 };
    let body = scene
        .add_solid("block", block([0.4, 0.2, 0.4], [4, 2, 4], [0.0, gap, 0.0]), firm(1e8), 1000.0)
        .unwrap();
    if below == "obstacle" {
        let slope = HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap();
        scene.add_obstacle(Obstacle::new("slope", slope).with_friction(mu)).unwrap();
    } else {
        let slope = block([1.5, 0.2, 0.8], [6, 1, 3], [-0.2, -0.2, -0.2]);
        let all: Vec<u32> = (0..slope.vertices().len() as u32).collect();
        let slope = scene.add_solid("slope", slope, firm(1e8), 1000.0).unwrap();
        scene.pin(slope, &all).unwrap();
        scene.collide(Collisions { friction: mu, ..Collisions::default() }).unwrap();
    }
    (scene.build().unwrap(), body)
}

/// Velocity and place along the slope of the block, whose nodes come first.
fn along(sim: &Simulation, values: &[V]) -> f64 {
    let m = sim.masses();
    let (sum, all) = (0..75).fold((0.0, 0.0), |(s, a), i| (s + m[i] * values[i][0], a + m[i]));
    sum / all
}

/// Coulomb's law between bodies: at 0.49 the block slides with g(sin θ − μ cos θ) = 0.087644 m/s² within 1 %, at 0.51 it stays.
#[test]
fn bodies_on_bodies_slide_at_049_and_stick_at_051() {
    for below in ["obstacle", "body"] {
        let mut s = settings(Method::Auto, 0.01);
        s.solve.tolerance = 1e-6;
        let (mut sim, _) = on_slope(0.49, below, s.clone());
        let mut speed = 0.0;
        for frame in 0..200 {
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "{below}, {frame}: {r:?}");
            if frame == 99 {
                speed = along(&sim, &sim.velocities());
            }
        }
        let a = along(&sim, &sim.velocities()) - speed;
        assert!((a - 0.087644).abs() <= 0.01 * 0.087644, "{below}: {a} m/s²");
        let (mut sim, _) = on_slope(0.51, below, s);
        for _ in 0..50 {
            sim.step().unwrap();
        }
        let start = along(&sim, &sim.positions());
        for frame in 0..150 {
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "{below}, {frame}: {r:?}");
        }
        let way = along(&sim, &sim.positions()) - start;
        // A thousandth of what it would go at 0.49 in that time, 0.5·0.0876·1.5² m.
        assert!(way.abs() < 1e-4, "{below}: {way} m");
    }
}

/// What rests on a slope does not creep: at most 1e-9 m in 10 000 steps, on an obstacle and on a body.
#[test]
fn rest_on_a_slope_does_not_creep() {
    for below in ["obstacle", "body"] {
        let mut s = settings(Method::Auto, 0.01);
        s.solve.tolerance = 1e-8;
        s.world.damping = 1.0;
        let (mut sim, _) = on_slope(0.6, below, s);
        for _ in 0..1500 {
            sim.step().unwrap();
        }
        let start = sim.positions();
        for _ in 0..10_000 {
            sim.step().unwrap();
        }
        let moved = super::common::distance(&start, &sim.positions());
        assert!(moved <= 1e-9, "{below}: {moved} m in 10 000 steps");
    }
}

/// A sheet folded double lies on a slope, its upper half on its lower one, by self-contact: neither half creeps.
#[test]
fn a_folded_sheet_does_not_creep() {
    let mut s = settings(Method::Auto, 0.01);
    s.solve.tolerance = 1e-8;
    s.solve.iterations = 200;
    s.world.damping = 3.0;
    let angle = 0.3_f64.atan();
    s.world.gravity = [9.8 * angle.sin(), -9.8 * angle.cos(), 0.0];
    let mut scene = Scene::new(s);
    // Two layers of 0.3 m, 8 mm apart at rest, and a fold of two cells between them.
    let profile: Vec<[f64; 2]> = (0..=6)
        .map(|i| [0.05 * f64::from(i), 0.0])
        .chain([[0.308, 0.004]])
        .chain((0..=6).rev().map(|i| [0.05 * f64::from(i), 0.008]))
        .collect();
    let (rows, across) = (profile.len() as u32, 5u32);
    let mut x = Vec::new();
    for p in &profile {
        for j in 0..across {
            x.push([p[0], p[1] + 0.0015, 0.05 * f64::from(j)]);
        }
    }
    let mut triangles = Vec::new();
    for i in 0..rows - 1 {
        for j in 0..across - 1 {
            let [a, b] = [i * across + j, (i + 1) * across + j];
            triangles.extend([[a, a + 1, b], [a + 1, b + 1, b]]);
        }
    }
    let shape = Shape::of_triangles(triangles.clone(), 0);
    scene.add_cloth("sheet", TriMesh::new(x, triangles).unwrap(), linen()).unwrap();
    scene.collide(Collisions { friction: 0.6, within: true, ..Collisions::default() }).unwrap();
    let slope = HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap();
    scene.add_obstacle(Obstacle::new("slope", slope).with_friction(0.6).with_thickness(0.001)).unwrap();
    let mut sim = scene.build().unwrap();
    let mut watch = Watch::new(Surfaces::new(&[shape], true), &sim);
    for _ in 0..1500 {
        sim.step().unwrap();
        assert!(watch.look(&sim).is_empty());
    }
    // The upper layer has come down on the lower one: 2 mm, its thickness, and not the 8 mm of rest.
    let start = sim.positions();
    let gap = start[11 * 5 + 2][1] - start[3 * 5 + 2][1];
    assert!(gap < 0.006, "{gap}");
    for _ in 0..10_000 {
        sim.step().unwrap();
    }
    let moved = super::common::distance(&start, &sim.positions());
    assert!(moved <= 1e-9, "{moved} m in 10 000 steps");
}

/// A pile of four thin cards on a slope of 20° holds at 0.5 (tan 20° = 0.36): no card moves by a millimetre in a second; at 0.05 all slide
/// with g(sin θ − μ cos θ) and lie apart: the lowest, which has the slope below and three cards above, is as fast as they.
#[test]
fn a_tilted_pile_of_cards_holds_at_05_and_slides_at_005() {
    let angle = 20.0_f64.to_radians();
    for (mu, holds) in [(0.5, true), (0.05, false)] {
        let mut s = settings(Method::Auto, 0.01);
        (s.solve.tolerance, s.solve.iterations) = (1e-5, 200);
        s.world.gravity = [9.8 * angle.sin(), -9.8 * angle.cos(), 0.0];
        let mut scene = Scene::new(s);
        let mut shapes = Vec::new();
        for k in 0..4 {
            let at = [0.003 * f64::from(k), 1e-4 + 0.0081 * f64::from(k), 0.002 * f64::from(k % 2)];
            let card = block([0.2, 0.008, 0.12], [5, 1, 3], at);
            shapes.push(Shape::of_triangles(surface(card.tets()), 48 * k as usize));
            scene.add_solid(&format!("card{k}"), card, firm(1e8), 1000.0).unwrap();
        }
        scene.collide(Collisions { friction: mu, ..Collisions::default() }).unwrap();
        let slope = HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap();
        scene.add_obstacle(Obstacle::new("slope", slope).with_friction(mu)).unwrap();
        let mut sim = scene.build().unwrap();
        let start = sim.positions();
        let mut watch = Watch::new(Surfaces::new(&shapes, false), &sim);
        for frame in 0..100 {
            let r = sim.step().unwrap();
            let new = watch.look(&sim);
            assert!(new.is_empty(), "{mu}, {frame}: {new:?}, {r:?}");
        }
        let moved = super::common::distance(&start, &sim.positions());
        if holds {
            assert!(moved < 1e-3, "{mu}: {moved} m");
        } else {
            let want = 9.8 * (angle.sin() - mu * angle.cos());
            let v = drift(&sim)[0];
            assert!((v / want - 1.0).abs() < 0.05, "{mu}: {v} m/s after a second, of {want}");
        }
    }
}
