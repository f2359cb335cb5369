//! What anybody would try first: blocks that slide on bodies, balls that meet, boxes on boxes, plates that touch with hundreds of nodes.

use super::setup::{centre, cube, drift, settings};
use supple::contact::HalfSpace;
use supple::scene::{Program, parse::parse};
use supple::{MaterialKind, Method, Obstacle, Simulation, Status};

fn scene(text: &str) -> Simulation {
    let file = parse(&format!("version = 1\n{text}"), &[]).unwrap();
    Program::new(&file, &mut |_| Err("no files".into())).unwrap().simulation
}

/// Mean of a quantity along x over the nodes of a body.
fn mean(sim: &Simulation, body: usize, of: &[[f64; 3]]) -> f64 {
    let b = &sim.bodies()[body];
    of[b.first_node..b.first_node + b.nodes].iter().map(|v| v[0]).sum::<f64>() / b.nodes as f64
}

/// Without friction a block keeps its speed, whatever edges, nodes and borders there are in the flat top that it slides on; the slab is held
/// at all nodes, or only below.
#[test]
fn edges_in_a_plane_do_not_hold_a_block() {
    let slabs = [
        // Cells of the slab and its stiffness, turn of the block, speed, what is held.
        ("[12, 1, 2]", "1e6", 0.0, 2.0, "{ all = true }"),
        ("[30, 1, 5]", "1e6", 0.0, 0.5, "{ all = true }"),
        ("[60, 1, 10]", "1e7", 17.0, 2.0, "{ plane = { point = [0, -0.199, 0], normal = [0, -1, 0] } }"),
    ];
    for (cells, young, turn, speed, held) in slabs {
        let mut sim = scene(&format!(
            "[time]\ndt = 0.01\n[solve]\ntolerance = 1e-6\nthreads = 1\n[collide]\nfriction = 0\n\
             [[body]]\nname = \"slab\"\nshape = {{ kind = \"box\", size = [6, 0.2, 1], cells = {cells} }}\n\
             material = {{ kind = \"neo_hookean\", young = {young}, poisson = 0.3, density = 1000 }}\n\
             translate = [-0.5, -0.2, -0.5]\n\
             [[body]]\nname = \"block\"\nshape = {{ kind = \"box\", size = [0.4, 0.2, 0.4], cells = [2, 1, 2] }}\n\
             material = {{ kind = \"neo_hookean\", young = {young}, poisson = 0.3, density = 1000 }}\n\
             rotate = {{ axis = \"y\", angle = {turn} }}\ntranslate = [0.13, 0.0002, -0.1]\n\
             start = {{ velocity = [{speed}, 0, 0] }}\n[[pin]]\nbody = \"slab\"\nselect = {held}\n"
        ));
        for frame in 0..40 {
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "{cells} {frame}: {r:?}");
            let v = mean(&sim, 1, &sim.velocities());
            assert!((v / speed - 1.0).abs() < 2e-3, "{cells} {frame}: {v} m/s of {speed}");
        }
    }
}

/// Two elastic balls that meet slowly or fast, in steps in which they come nearer by more than a cell, part again: nothing stays stuck to what
/// it has met. Momentum stays what it was.
#[test]
fn balls_that_meet_part_again() {
    for (young, speed, dt, frames) in [(1e6, 3.0, 0.01, 20), (1e5, 1.0, 0.03, 15), (1e7, 10.0, 0.003, 25)] {
        let ball = |name: &str, at: &str, v: f64| {
            format!(
                "[[body]]\nname = \"{name}\"\nshape = {{ kind = \"sphere\", radius = 0.15, cells = 4 }}\n\
                 material = {{ kind = \"neo_hookean\", young = {young}, poisson = 0.35, density = 1000 }}\n\
                 translate = {at}\nstart = {{ velocity = [{v}, 0, 0] }}\n"
            )
        };
        let mut sim = scene(&format!(
            "[time]\ndt = {dt}\n[world]\ngravity = [0, 0, 0]\n[solve]\ntolerance = 1e-6\nthreads = 1\n\
             [collide]\nfriction = 0\n{}{}",
            ball("a", "[0, 0, 0]", speed),
            ball("b", "[0.35, 0.02, 0.01]", -speed),
        ));
        let mut shortened = 0;
        for _ in 0..frames {
            let r = sim.step().unwrap();
            assert_eq!(r.max_penetration, 0.0, "{r:?}");
            shortened += usize::from(r.islands_shortened > 0);
            assert!(drift(&sim).iter().all(|v| v.abs() < 1e-10 * speed), "{:?}", drift(&sim));
        }
        let [a, b] = [0, 1].map(|i| mean(&sim, i, &sim.velocities()));
        assert!(b - a > 0.1 * speed, "{young} Pa: still {a} and {b} m/s");
        assert!(shortened <= 2, "{young} Pa: {shortened} steps shortened");
    }
}

/// Two boxes of the same mesh, one on the other, node above node: hundreds of pairs are linearly dependent. All steps converge, and the floor bears both.
#[test]
fn a_box_rests_on_a_box_of_the_same_mesh() {
    for (cells, dt) in [(3, 0.03), (4, 0.04)] {
        let of = |name: &str, y: f64| {
            format!(
                "[[body]]\nname = \"{name}\"\nshape = {{ kind = \"box\", size = [0.3, 0.3, 0.3], cells = [{cells}, {cells}, {cells}] }}\n\
                 material = {{ kind = \"neo_hookean\", young = 1e6, poisson = 0.3, density = 1000 }}\ntranslate = [0, {y}, 0]\n"
            )
        };
        let mut sim = scene(&format!(
            "[time]\ndt = {dt}\n[solve]\ntolerance = 1e-6\nthreads = 1\n[collide]\nfriction = 0.3\n\
             [[obstacle]]\nname = \"floor\"\nshape = {{ kind = \"half_space\", point = [0, 0, 0], normal = [0, 1, 0] }}\nfriction = 0.5\n{}{}",
            of("a", 0.0),
            of("b", 0.3001),
        ));
        for frame in 0..20 {
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "{cells} {frame}: {r:?}");
        }
        let weight = 9.8 * sim.masses().iter().sum::<f64>();
        let up = sim.reactions()[0][1];
        assert!((up / weight - 1.0).abs() < 1e-2, "{up} N of {weight}");
    }
}

/// A plate that touches with 361 nodes: it bears its weight, and on an incline it sticks or slides as one body does, with every method.
#[test]
fn hundreds_of_contacts_obey_the_law() {
    for (method, young) in [(Method::Auto, 1e8), (Method::Newton, 1e8), (Method::Admm, 1e6)] {
        for (mu, slides) in [(0.51, false), (0.3, true)] {
            let mut s = settings(method, 0.01);
            let angle = 0.5f64.atan();
            (s.solve.tolerance, s.world.gravity) = (1e-6, [9.8 * angle.sin(), -9.8 * angle.cos(), 0.0]);
            let floor = Obstacle::new("floor", HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap());
            let mut sim = cube(
                s,
                (MaterialKind::Corotated, young, 0.3),
                [1.0, 0.1, 1.0],
                [18, 1, 18],
                [0.0; 3],
                vec![floor.with_friction(mu)],
            );
            let mut first = [0.0; 2];
            for frame in 0..30 {
                let r = sim.step().unwrap();
                assert_eq!(r.status, Status::Converged, "{method:?} {mu} {frame}: {r:?}");
                assert!(
                    r.max_penetration < 1e-6 && r.cone_violation < 1e-9,
                    "{method:?} {mu} {frame}: {r:?}"
                );
                if frame == 9 {
                    first = [drift(&sim)[0], centre(&sim)[0]];
                }
            }
            let a = (drift(&sim)[0] - first[0]) / 0.2;
            let way = centre(&sim)[0] - first[1];
            if slides {
                let want = 9.8 * (angle.sin() - mu * angle.cos());
                assert!((a / want - 1.0).abs() < 1e-2, "{method:?}: {a} m/s² of {want}");
            } else {
                assert!(way.abs() < 1e-4, "{method:?}: {way} m");
            }
            let (up, weight) = (sim.reactions()[0][1], 100.0 * 9.8 * angle.cos());
            assert!((up / weight - 1.0).abs() < 1e-2, "{method:?} {mu}: {up} N of {weight}");
        }
    }
}
