//! What contact between bodies guarantees, each in a scene of its own: nothing crosses on any way, ropes hold ropes, obstacles are felt between
//! nodes, pins that are driven into something are held.

use super::cloth::{linen, sheet};
use super::crossing::{Shape, Surfaces, V, Watch};
use super::passage::lines_passed;
use super::setup::{centre, settings};
use supple::Control;
use supple::contact::{Cuboid, Pose};
use supple::mesh::shapes::{Split, box_mesh, rope};
use supple::mesh::surface;
use supple::scene::Collisions;
use supple::{
    Material, MaterialKind, Method, Obstacle, Scene, Settings, Simulation, Spring, Status, StepReport,
    TetMesh, TriMesh,
};

fn rubber(young: f64) -> Material {
    Material::new(MaterialKind::NeoHookean, young, 0.35).unwrap()
}

/// Without gravity.
fn still(dt: f64) -> Settings {
    let mut s = settings(Method::Auto, dt);
    s.world.gravity = [0.0; 3];
    (s.solve.tolerance, s.solve.iterations) = (1e-4, 100);
    s
}

/// Two bodies shot at each other along y: what they are, and their surfaces.
fn shot(what: &str, speed: f64, dt: f64) -> (Simulation, Vec<Shape>, usize) {
    let mut scene = Scene::new(still(dt));
    let (mut shapes, mut counts) = (Vec::new(), Vec::new());
    for (k, kind) in what.split(", ").enumerate() {
        let first: usize = counts.iter().sum();
        let (up, name) = (0.5 * k as f64, format!("body{k}"));
        match kind {
            "solid" => {
                let mesh = box_mesh([0.3; 3], [2; 3], Split::Six)
                    .unwrap()
                    .map(|p| [p[0] - 0.13, p[1] + up + 0.2 * p[0], p[2] - 0.16])
                    .unwrap();
                shapes.push(Shape::of_triangles(surface(mesh.tets()), first));
                counts.push(mesh.vertices().len());
                scene.add_solid(&name, mesh, rubber(1e5), 1000.0).unwrap();
            }
            "sheet" => {
                let flat = sheet(0.5, 6, [0.0, up, 0.01 * up], false);
                let x = flat.vertices().iter().map(|p| [p[0], p[1] + 0.4 * up * p[0], p[2]]).collect();
                let mesh = TriMesh::new(x, flat.triangles().to_vec()).unwrap();
                shapes.push(Shape::of_triangles(mesh.triangles().to_vec(), first));
                counts.push(mesh.vertices().len());
                scene.add_cloth(&name, mesh, linen()).unwrap();
            }
            _ => {
                let (nodes, lines) = rope(0.5, 8).unwrap();
                let across = |p: &V| if k == 0 { [p[0] - 0.25, up, 0.01] } else { [0.02, up, p[0] - 0.25] };
                shapes.push(Shape::of_lines(lines.clone(), first));
                counts.push(nodes.len());
                let springs = lines.into_iter().map(|e| Spring::new(e, 2000.0)).collect();
                scene.add_springs(&name, nodes.iter().map(across).collect(), vec![0.01; 9], springs).unwrap();
            }
        }
    }
    let c = Collisions { friction: 0.3, within: true, thickness: 0.002, ..Collisions::default() };
    scene.collide(c).unwrap();
    let mut sim = scene.build().unwrap();
    let x = sim.positions();
    let half = |i: usize| if i < counts[0] { 0.5 * speed } else { -0.5 * speed };
    let v: Vec<V> = (0..x.len()).map(|i| [0.0, half(i), 0.0]).collect();
    sim.set_state(&x, &v).unwrap();
    (sim, shapes, counts[0])
}

const SHOTS: [&str; 5] = ["solid, solid", "solid, sheet", "sheet, sheet", "rope, sheet", "rope, solid"];
const SPEEDS: [(f64, f64); 3] = [(5.0, 0.01), (30.0, 0.02), (100.0, 0.04)];

/// Steps once; the positions that the step went through: where it began, its iterates, where it ended. Ways between them are straight.
pub fn ways(sim: &mut Simulation) -> (Vec<Vec<V>>, StepReport) {
    let mut ways = vec![sim.positions()];
    let report = sim
        .step_with(&mut |i| {
            ways.push(i.positions());
            Control::Continue
        })
        .unwrap();
    ways.push(sim.positions());
    (ways, report)
}

/// Positions at `count` times on the whole way of a step, and at every iterate.
fn on_the_way(ways: &[Vec<V>], count: usize) -> impl Iterator<Item = Vec<V>> {
    let each = count.div_ceil(ways.len() - 1).max(2);
    ways.windows(2).flat_map(move |pair| {
        (1..=each).map(move |k| {
            let t = k as f64 / each as f64;
            let between = |(a, b): (&V, &V)| -> V { std::array::from_fn(|c| a[c] + t * (b[c] - a[c])) };
            pair[0].iter().zip(&pair[1]).map(between).collect()
        })
    })
}

/// At 100 times on the way of each step, edges included, nothing crosses, however fast bodies are: that is why a step may end after any iteration.
#[test]
fn nothing_crosses_on_the_way_of_fast_bodies() {
    for what in SHOTS {
        for (speed, dt) in SPEEDS {
            let (mut sim, shapes, count) = shot(what, speed, dt);
            let surfaces = Surfaces::new(&shapes, true);
            let slower = |sim: &Simulation| {
                sim.velocities()[..count].iter().map(|v| v[1]).sum::<f64>() / (count as f64) < 0.45 * speed
            };
            let mut hit = false;
            for frame in 0..12 {
                let (ways, r) = ways(&mut sim);
                // A step that is longer than the bodies may lead them around each other, and says so.
                hit |= r.contacts > 0 || slower(&sim) || r.status != Status::Converged;
                for x in on_the_way(&ways, 100) {
                    let found = surfaces.crossings_at(&x);
                    assert!(found.is_empty(), "{what} at {speed} m/s, {frame}: {:?}, {r:?}", found[0]);
                }
            }
            assert!(hit, "{what} at {speed} m/s: they never met");
        }
    }
}

/// A rope thrown across a rope that is held at both ends is caught, at any speed: on no way from iterate to iterate does a line pass through a line.
#[test]
fn ropes_do_not_pass_through_ropes() {
    for (speed, dt) in [(1.0, 0.01), (10.0, 0.01), (30.0, 0.02), (100.0, 0.04)] {
        let mut scene = Scene::new(still(dt));
        let mut shapes = Vec::new();
        for (k, name) in ["low", "high"].into_iter().enumerate() {
            let (nodes, lines) = rope(1.0, 10).unwrap();
            let at = |p: &V| if k == 0 { [p[0] - 0.47, 0.0, 0.0] } else { [0.013, 0.1, p[0] - 0.46] };
            shapes.push(Shape::of_lines(lines.clone(), 11 * k));
            let springs = lines.into_iter().map(|e| Spring::new(e, 2000.0)).collect();
            let body =
                scene.add_springs(name, nodes.iter().map(at).collect(), vec![0.01; 11], springs).unwrap();
            if k == 0 {
                scene.pin(body, &[0, 10]).unwrap();
            }
        }
        scene
            .collide(Collisions { friction: 0.3, thickness: 0.01, within: true, ..Collisions::default() })
            .unwrap();
        let mut sim = scene.build().unwrap();
        let x = sim.positions();
        let v: Vec<V> = (0..22).map(|i| [0.0, if i < 11 { 0.0 } else { -speed }, 0.0]).collect();
        sim.set_state(&x, &v).unwrap();
        let surfaces = Surfaces::new(&shapes, true);
        let mut hit = false;
        for frame in 0..((0.2 / (speed * dt)) as usize + 8) {
            let (ways, r) = ways(&mut sim);
            hit |= r.contacts > 0;
            let near = surfaces.nearest_lines(&sim.positions(), 1.0);
            assert!(near > 1e-5, "{speed} m/s, {frame}: {near} m apart, {r:?}");
            // The report says how near they are, and how far that is into their thickness.
            if near < 0.01 {
                assert!((r.gap - near).abs() <= 1e-9, "{speed} m/s, {frame}: {near} m apart, {r:?}");
                assert!((r.contact_offset - (0.01 - near)).abs() <= 1e-9, "{speed} m/s, {frame}: {r:?}");
            }
            for pair in ways.windows(2) {
                assert_eq!(lines_passed(&pair[0], &pair[1], &shapes), None, "{speed} m/s, {frame}: {r:?}");
            }
        }
        assert!(hit, "{speed} m/s: they never met");
    }
}

/// A knife, thinner than a cell and between all nodes, bears a coarse block across it: its edge is not passed by more than 1e-6 m at any point of
/// the block's surface, and in the mean over the last half second it bears the weight within 5 %.
#[test]
fn a_knife_is_felt_between_nodes() {
    for (dt, drop) in [(0.01, 0.02), (0.04, 0.3)] {
        let mut s = settings(Method::Auto, dt);
        (s.solve.tolerance, s.solve.iterations) = (1e-5, 200);
        s.world.damping = 3.0;
        let mut scene = Scene::new(s);
        let block: TetMesh = box_mesh([0.6, 0.2, 0.4], [3, 1, 2], Split::Five)
            .unwrap()
            .map(|p| [p[0] - 0.3, p[1] + drop, p[2] - 0.2])
            .unwrap();
        let shape = Shape::of_triangles(surface(block.tets()), 0);
        scene.add_solid("block", block, rubber(1e6), 1000.0).unwrap();
        scene.collide(Collisions { friction: 0.5, ..Collisions::default() }).unwrap();
        let knife = Cuboid::new([0.0, -0.2, 0.0], [0.01, 0.4, 2.0]).unwrap();
        scene.add_obstacle(Obstacle::new("knife", knife).with_friction(0.5)).unwrap();
        let mut sim = scene.build().unwrap();
        let mut surfaces = Surfaces::new(&[shape], false);
        surfaces.add_obstacles(&sim, 1e-6);
        let mut watch = Watch::new(surfaces, &sim);
        let steps = (1.5 / dt) as usize;
        let (mut borne, mut counted) = (0.0, 0.0);
        for frame in 0..steps {
            let r = sim.step().unwrap();
            let new = watch.look(&sim);
            assert!(new.is_empty(), "{dt} s, {frame}: {new:?}, {r:?}");
            if 3 * frame > 2 * steps {
                (borne, counted) = (borne + sim.reactions()[0][1], counted + 1.0);
            }
        }
        let weight = 9.8 * sim.masses().iter().sum::<f64>();
        assert!((borne / counted / weight - 1.0).abs() < 0.05, "{dt} s: {} N of {weight}", borne / counted);
        assert!(centre(&sim)[1] > 0.0, "{dt} s: {:?}", centre(&sim));
    }
}

/// A needle under the inside of a triangle holds a sheet up.
#[test]
fn a_needle_is_felt_inside_a_triangle() {
    let mut s = settings(Method::Auto, 0.01);
    (s.solve.tolerance, s.solve.iterations) = (1e-4, 200);
    let mut scene = Scene::new(s);
    let cloth = sheet(0.6, 3, [0.0, 0.03, 0.0], false);
    let shape = Shape::of_triangles(cloth.triangles().to_vec(), 0);
    scene.add_cloth("cloth", cloth, linen()).unwrap();
    scene.collide(Collisions { friction: 0.5, within: true, ..Collisions::default() }).unwrap();
    // In the middle cell, off its diagonals.
    let needle = Cuboid::new([0.03, -0.5, -0.01], [0.01, 1.0, 0.01]).unwrap();
    scene.add_obstacle(Obstacle::new("needle", needle).with_friction(0.5)).unwrap();
    let mut sim = scene.build().unwrap();
    let mut surfaces = Surfaces::new(&[shape], true);
    surfaces.add_obstacles(&sim, 1e-6);
    let mut watch = Watch::new(surfaces, &sim);
    for frame in 0..30 {
        let r = sim.step().unwrap();
        let new = watch.look(&sim);
        assert!(new.is_empty(), "{frame}: {new:?}, {r:?}");
    }
    // In free fall for 0.3 s it would be 0.44 m lower, all of it.
    let high = sim.positions().iter().map(|p| p[1]).fold(f64::NEG_INFINITY, f64::max);
    assert!(high > -0.05, "{high}");
}

/// A thin plate is driven through where a coarse block lies, fast and slowly: it pushes the block along and cuts nothing.
#[test]
fn a_driven_plate_pushes_and_does_not_cut() {
    for (speed, dt) in [(0.5, 0.01), (10.0, 0.02), (50.0, 0.02)] {
        let mut scene = Scene::new(still(dt));
        let block = box_mesh([0.4; 3], [2; 3], Split::Six).unwrap().map(|p| p.map(|c| c - 0.19)).unwrap();
        let shape = Shape::of_triangles(surface(block.tets()), 0);
        scene.add_solid("block", block, rubber(1e6), 1000.0).unwrap();
        scene.collide(Collisions { friction: 0.3, ..Collisions::default() }).unwrap();
        // Its edge is towards the block, between two layers of nodes.
        let plate = Cuboid::new([-0.7, 0.1, 0.0], [1.0, 0.01, 2.0]).unwrap();
        scene.add_obstacle(Obstacle::new("plate", plate).with_friction(0.3)).unwrap();
        let mut sim = scene.build().unwrap();
        let mut surfaces = Surfaces::new(&[shape], false);
        surfaces.add_obstacles(&sim, 1e-6);
        let mut watch = Watch::new(surfaces, &sim);
        let steps = ((0.4 / (speed * dt)) as usize).clamp(10, 100);
        for frame in 1..=steps {
            let way = speed * dt * frame as f64;
            sim.move_obstacle(0, Pose::new([0.0; 3], [0.0; 3], [way, 0.0, 0.0])).unwrap();
            let r = sim.step().unwrap();
            let new = watch.look(&sim);
            assert!(new.is_empty(), "{speed} m/s, {frame}: {new:?}, {r:?}");
        }
        assert!(centre(&sim)[0] > 0.05, "{speed} m/s: it was not pushed, {:?}", centre(&sim));
    }
}
