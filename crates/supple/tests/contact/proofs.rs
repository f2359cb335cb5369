//! Friction per pair of bodies, friction that creates no energy, and the same bits on any number of threads: bodies and sheets.

use super::cloth::{linen, sheet};
use super::setup::{centre, floor, settings};
use supple::contact::{Cuboid, Sphere};
use supple::mesh::shapes::{Split, box_mesh};
use supple::scene::{Collisions, Program, parse::parse};
use supple::{Material, MaterialKind, Method, Obstacle, Scene, Settings, Simulation, Status, TetMesh};

type V = [f64; 3];

fn block(size: V, cells: [usize; 3], at: V) -> TetMesh {
    box_mesh(size, cells, Split::Six).unwrap().map(|p| std::array::from_fn(|c| p[c] + at[c])).unwrap()
}

fn rubber(young: f64) -> Material {
    Material::new(MaterialKind::NeoHookean, young, 0.3).unwrap()
}

/// Mean velocity along x of the nodes of a body.
fn speed(sim: &Simulation, body: usize) -> f64 {
    let b = &sim.bodies()[body];
    sim.velocities()[b.first_node..b.first_node + b.nodes].iter().map(|v| v[0]).sum::<f64>() / b.nodes as f64
}

/// Gravity of an incline with tan θ = 0.5.
fn incline() -> V {
    let angle = 0.5f64.atan();
    [9.8 * angle.sin(), -9.8 * angle.cos(), 0.0]
}

/// Two blocks on a slab that is held: μ = 0.4 with one, 0.51 with the other and 0.9 for all that is not said. The first slides with
/// g(sin θ − μ cos θ), the second stays. From Rust and from a scene file.
#[test]
fn friction_is_that_of_the_pair() {
    let want = 9.8 * (0.5f64.atan().sin() - 0.4 * 0.5f64.atan().cos());
    let mut s = settings(Method::Auto, 0.01);
    (s.solve.tolerance, s.world.gravity) = (1e-6, incline());
    let mut scene = Scene::new(s);
    let slab = block([3.0, 0.1, 1.0], [6, 1, 2], [-0.5, -0.1, 0.0]);
    let all: Vec<u32> = (0..slab.vertices().len() as u32).collect();
    let low = scene.add_solid("slab", slab, rubber(1e7), 1000.0).unwrap();
    scene.pin(low, &all).unwrap();
    let a = scene
        .add_solid("slides", block([0.2, 0.1, 0.2], [2, 1, 2], [0.0, 0.0, 0.1]), rubber(1e7), 1000.0)
        .unwrap();
    let b = scene
        .add_solid("stays", block([0.2, 0.1, 0.2], [2, 1, 2], [0.0, 0.0, 0.6]), rubber(1e7), 1000.0)
        .unwrap();
    let pairs = vec![(a, low, 0.4), (low, b, 0.51)];
    scene.collide(Collisions { friction: 0.9, pairs, ..Collisions::default() }).unwrap();
    let from_rust = scene.build().unwrap();
    let g = incline();
    let body = |name: &str, size: &str, cells: &str, at: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nshape = {{ kind = \"box\", size = {size}, cells = {cells} }}\n\
             material = {{ kind = \"neo_hookean\", young = 1e7, poisson = 0.3, density = 1000 }}\ntranslate = {at}\n"
        )
    };
    let text = format!(
        "version = 1\n[time]\ndt = 0.01\n[world]\ngravity = [{}, {}, 0]\n[solve]\ntolerance = 1e-6\n{}{}{}\
         [[pin]]\nbody = \"slab\"\nselect = {{ all = true }}\n[collide]\nfriction = 0.9\n\
         pair = [{{ bodies = [\"slides\", \"slab\"], friction = 0.4 }}, {{ bodies = [\"slab\", \"stays\"], friction = 0.51 }}]\n",
        g[0],
        g[1],
        body("slab", "[3, 0.1, 1]", "[6, 1, 2]", "[-0.5, -0.1, 0]"),
        body("slides", "[0.2, 0.1, 0.2]", "[2, 1, 2]", "[0, 0, 0.1]"),
        body("stays", "[0.2, 0.1, 0.2]", "[2, 1, 2]", "[0, 0, 0.6]"),
    );
    let file = parse(&text, &[]).unwrap();
    let from_file = Program::new(&file, &mut |_| Err("no files".into())).unwrap().simulation;
    for mut sim in [from_rust, from_file] {
        let mut before = 0.0;
        // Over many edges of the slab, three nodes at once after 0.1 m: none of them may hold it up.
        for frame in 0..110 {
            let r = sim.step().unwrap();
            assert_eq!(r.max_penetration, 0.0, "{frame}: {r:?}");
            if frame == 9 {
                before = speed(&sim, 1);
            }
        }
        let a = (speed(&sim, 1) - before) / 1.0;
        assert!((a - want).abs() <= 0.01 * want, "{a}, not {want}");
        assert!(speed(&sim, 2).abs() < 1e-3, "{}", speed(&sim, 2));
    }
}

/// At rest all contacts stick, and one factor gives their forces at once, instead of many sweeps.
#[test]
fn at_rest_forces_are_found_at_once() {
    for method in [Method::Auto, Method::Admm] {
        let mut s = settings(method, 0.02);
        (s.solve.tolerance, s.solve.iterations) = (1e-6, 500);
        let mut scene = Scene::new(s);
        scene.add_solid("block", block([0.4, 0.2, 0.4], [4, 2, 4], [0.0; 3]), rubber(1e5), 1000.0).unwrap();
        scene.add_obstacle(floor(0.5)).unwrap();
        let mut sim = scene.build().unwrap();
        let weight = 9.8 * sim.masses().iter().sum::<f64>();
        for _ in 0..200 {
            sim.step().unwrap();
        }
        for frame in 0..10 {
            let r = sim.step().unwrap();
            assert_eq!((r.status, r.contacts), (Status::Converged, 25), "{method}, {frame}: {r:?}");
            assert!(r.sweeps <= 2 * r.iterations.max(1), "{method}, {frame}: {r:?}");
            assert!(r.contact_residual <= 1e-9 && r.cone_violation <= 1e-12, "{method}, {frame}: {r:?}");
            let push = sim.reactions()[0][1];
            assert!((push - weight).abs() <= 1e-3 * weight, "{method}, {frame}: {push} of {weight}");
        }
    }
}

/// Steps from a state with some velocities: total energy never grows by more than `slack` of the kinetic energy at the start. The largest
/// growth.
fn falls(sim: &mut Simulation, v: &[V], frames: usize, slack: f64, what: &str) -> f64 {
    let x = sim.positions();
    sim.set_state(&x, v).unwrap();
    let e = sim.energy();
    let (mut total, kinetic) = (e.elastic + e.kinetic + e.potential, e.kinetic);
    let (mut touched, mut off, mut worst) = (0, 0, 0.0f64);
    for frame in 0..frames {
        let r = sim.step().unwrap();
        let now = r.energy.elastic + r.energy.kinetic + r.energy.potential + r.energy.contact;
        worst = worst.max((now - total) / kinetic);
        assert!(now <= total + slack * kinetic, "{what}, {frame}: {total} to {now}, {r:?}");
        total = now;
        touched += r.contacts;
        off += usize::from(r.status != Status::Converged);
    }
    assert!(touched > frames, "{what}: it hardly touched, {touched}");
    assert!(off <= frames / 10, "{what}: {off} of {frames} steps did not converge");
    worst
}

/// A sheet that slides and turns on a floor and over a ball.
#[test]
fn sheets_gain_no_energy_from_friction() {
    for mu in [0.0, 0.2, 1.0] {
        let mut s = settings(Method::Auto, 0.005);
        s.solve.tolerance = 1e-7;
        let mut scene = Scene::new(s);
        scene.add_cloth("sheet", sheet(0.4, 6, [0.0, 0.105, 0.0], false), linen()).unwrap();
        let ball = Sphere::new([0.02, 0.0, 0.01], 0.1).unwrap();
        scene.add_obstacle(Obstacle::new("ball", ball).with_friction(mu)).unwrap();
        scene.add_obstacle(floor(mu)).unwrap();
        let mut sim = scene.build().unwrap();
        let v: Vec<V> = sim.positions().iter().map(|p| [1.0 + 3.0 * p[2], -0.5, -3.0 * p[0]]).collect();
        let grown = falls(&mut sim, &v, 100, 1e-6, &format!("sheet, μ = {mu}"));
        println!("sheet, μ = {mu}: energy grows by {grown:e} at most");
    }
}

/// A block thrown onto another, which stands on the floor: both slide, turn and stop. That energy falls is a theorem where energies are convex;
/// where a corner of one slides off the other, ψ is not, and a thousandth of the kinetic energy is allowed in a step.
#[test]
fn bodies_gain_no_energy_from_friction() {
    for method in [Method::Auto, Method::Newton] {
        for mu in [0.0, 0.3, 1.0] {
            let mut s = settings(method, 0.01);
            s.solve.tolerance = 1e-7;
            let mut scene = Scene::new(s);
            scene.add_solid("low", block([0.4, 0.1, 0.4], [3, 1, 3], [0.0; 3]), rubber(2e5), 1000.0).unwrap();
            scene
                .add_solid("high", block([0.2; 3], [2; 3], [0.11, 0.11, 0.07]), rubber(2e5), 1000.0)
                .unwrap();
            scene.collide(Collisions { friction: mu, ..Collisions::default() }).unwrap();
            scene.add_obstacle(floor(mu)).unwrap();
            let mut sim = scene.build().unwrap();
            let first = sim.bodies()[1].first_node;
            let v: Vec<V> = sim
                .positions()
                .iter()
                .enumerate()
                .map(|(i, p)| {
                    if i < first { [0.0; 3] } else { [0.6 + 2.0 * (p[2] - 0.17), -0.5, -2.0 * (p[0] - 0.21)] }
                })
                .collect();
            let grown = falls(&mut sim, &v, 60, 1e-3, &format!("{method}, bodies, μ = {mu}"));
            println!("{method}, bodies, μ = {mu}: energy grows by {grown:e} at most");
        }
    }
}

/// Solids and a sheet that fall on each other, and on a moving obstacle.
fn heap(s: Settings) -> Simulation {
    let mut scene = Scene::new(s);
    scene.add_solid("low", block([0.3, 0.1, 0.3], [3, 1, 3], [0.0; 3]), rubber(1e5), 800.0).unwrap();
    scene.add_solid("high", block([0.15; 3], [2; 3], [0.06, 0.12, 0.08]), rubber(1e5), 800.0).unwrap();
    scene.add_cloth("sheet", sheet(0.5, 8, [0.13, 0.3, 0.14], false), linen()).unwrap();
    scene.collide(Collisions { friction: 0.4, within: true, ..Collisions::default() }).unwrap();
    let table = Cuboid::new([0.1, -0.1, 0.1], [2.0, 0.2, 2.0]).unwrap();
    scene.add_obstacle(Obstacle::new("table", table).with_friction(0.5)).unwrap();
    scene.build().unwrap()
}

#[test]
fn bodies_and_sheets_have_the_same_bits_on_any_number_of_threads() {
    for method in [Method::Auto, Method::Newton] {
        let mut sims = [1, 2, 3].map(|threads| {
            let mut s = settings(method, 0.01);
            (s.solve.threads, s.solve.tolerance, s.solve.iterations) = (threads, 1e-4, 100);
            heap(s)
        });
        let mut most = 0;
        for frame in 0..35 {
            let bits = sims.each_mut().map(|sim| {
                most = most.max(sim.step().unwrap().contacts);
                let (x, v) = (sim.positions(), sim.velocities());
                x.iter().chain(&v).flatten().map(|v| v.to_bits()).collect::<Vec<u64>>()
            });
            assert!(bits[0] == bits[1] && bits[0] == bits[2], "{method}, frame {frame}");
            assert_eq!(sims[0].reactions(), sims[2].reactions());
        }
        println!("{method}: up to {most} contacts, the middle ends at {:?}", centre(&sims[0]));
        assert!(most > 40, "{method}: {most}");
    }
}
