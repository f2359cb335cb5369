//! What `converged` promises, on random scenes: exactly the table of docs/conventions.md, recomputed by the oracle. The seed is fixed.

use super::bridge;
use super::reference::V3;
use super::reference::body::{RefAnchor, RefBody, RefPin};
use super::reference::material::{Lame, RefMaterial};
use super::reference::shape::{Random, box_mesh, extent, max_distance, tet_volume};
use super::setup::{GRAVITY, everyone, heavy, minimum_near, positions, show, simulation_of, still};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use supple::contact::HalfSpace;
use supple::mesh::shapes::{self, Split};
use supple::scene::Collisions;
use supple::{Material, MaterialKind, Method, Obstacle, Scene, Spring, Status};

fn power(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low..high).prop_map(|a| 10_f64.powf(a))
}

/// So many random cases, always the same.
fn each<S: Strategy>(cases: usize, of: &S, check: &mut dyn FnMut(S::Value)) {
    let mut runner = TestRunner::new(Config { rng_seed: RngSeed::Fixed(1917), ..Config::default() });
    for _ in 0..cases {
        check(of.new_tree(&mut runner).unwrap().current());
    }
}

/// 140 random solids with anchors and pins, disturbed and moving, every method and material, three steps each.
///
/// The bounds are those of the table; what is added to them is rounding: 1e-12 of the extent, and 1e-9 of the force residual, which is a
/// difference of forces up to 1e9 times as large.
#[test]
fn random_solids_keep_the_promise() {
    let methods: Vec<_> = everyone().collect();
    let scenes = (
        ([1_usize..3, 1..3, 1..3], 0..methods.len(), 0_usize..5, any::<u64>()),
        (power(3.0, 8.0), 0.0..0.45, power(-3.0, -0.7), prop::sample::select(vec![1e-3, 1e-5, 1e-7])),
        (power(-3.0, -0.5), power(-2.0, 0.7), 0_usize..4),
    );
    let (mut steps, mut converged, mut wrong) = (0, 0, Vec::new());
    let mut check = |(
        (cells, method, material, seed),
        (young, poisson, h, tolerance),
        (off, speed, held),
    ): (([usize; 3], usize, usize, u64), (f64, f64, f64, f64), (f64, f64, usize))| {
        let (name, method) = methods[method];
        let lame = Lame::from_young(young, poisson);
        let material = RefMaterial::all(lame)[if name == "projective" { 1 } else { material }];
        let mut random = Random::new(seed);
        let mut body = RefBody::new(&box_mesh(cells, V3::repeat(0.5)), material, 1000.0);
        if held & 1 == 1 {
            body.pins.push(RefPin { node: 0, target: body.rest[0] });
        }
        if held & 2 == 2 {
            body.anchors.push(RefAnchor {
                node: 2,
                target: body.rest[2] + random.vector(0.1),
                k: 0.1 * young,
            });
        }
        let size = extent(&body.rest);
        let mut x: Vec<V3> = body.rest.iter().map(|p| p + random.vector(off * 0.5)).collect();
        body.put_pins(&mut x);
        let v: Vec<V3> = still(&body).iter().map(|_| random.vector(speed)).collect();
        let s = heavy(h, |s| {
            (s.tolerance, s.iterations) = (tolerance, 400);
            method(s);
        });
        let mut sim = simulation_of(&body, s, lame, &x, &v);
        for frame in 0..3 {
            let (x, v) = (positions(&sim), bridge::points(&sim.velocities()));
            let report = sim.step().unwrap();
            steps += 1;
            if report.status != Status::Converged {
                continue;
            }
            converged += 1;
            let end = positions(&sim);
            let forces = matches!(report.method, Method::Admm | Method::Projective | Method::Position);
            // At a wall of the domain the oracle, which has none, has another minimum.
            let flat = |t: &[usize; 4]| tet_volume(&end, t) <= 1e-3 * tet_volume(&body.rest, t);
            let (what, found, bound) = if forces {
                let xtilde = body.predicted(&x, &v, h, &GRAVITY);
                ("forces", body.force_residual(&end, &xtilde, &x, &v, h), tolerance + 1e-9)
            } else if body.tets.iter().any(flat) {
                continue;
            } else {
                let exact = minimum_near(&body, &end, &x, &v, h, &GRAVITY);
                ("displacement", max_distance(&end, &exact) / size, tolerance + 1e-12)
            };
            if !(found <= bound) {
                wrong.push(format!(
                    "{name} ({}) {} {cells:?} seed {seed} E {young:.1e} nu {poisson:.3} h {h:.1e} frame {frame}: {what} {found:.1e}, promised {bound:.1e}",
                    report.method,
                    material.name()
                ));
            }
        }
    };
    each(140, &scenes, &mut check);
    show(&[format!("{converged} of {steps} converged")]);
    assert!(wrong.is_empty(), "{} of {converged}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(2 * converged >= steps, "only {converged} of {steps} say anything");
}

/// 60 random scenes of the rest of the table: boxes that fall on a floor with friction, no deeper in it than the tolerance; and hanging
/// chains of rods, no rod off by more than 5e-4 of its length or 100 tolerances.
#[test]
fn random_contacts_and_constraints_keep_the_promise() {
    let scenes =
        (0_usize..4, any::<bool>(), power(4.0, 7.0), power(-2.5, -1.0), (1e-6..1e-3, 0.0..0.9), any::<u64>());
    let (mut steps, mut converged, mut wrong) = (0, 0, Vec::new());
    let mut check = |(method, rods, young, h, (tolerance, mu), seed): (
        usize,
        bool,
        f64,
        f64,
        (f64, f64),
        u64,
    )| {
        let mut random = Random::new(seed);
        let hard = [Method::Admm, Method::Auto];
        let method = if rods {
            hard[method % 2]
        } else {
            [Method::Auto, Method::Newton, Method::QuasiNewton, Method::Admm][method]
        };
        let mut scene =
            Scene::new(heavy(h, |s| (s.method, s.tolerance, s.iterations) = (method, tolerance, 600)));
        const LINKS: usize = 6;
        let mut size = 1.0;
        if rods {
            let nodes: Vec<[f64; 3]> = (0..=LINKS).map(|i| [0.2 * i as f64, 0.0, 0.0]).collect();
            let springs = (0..LINKS as u32).map(|i| Spring::rod([i, i + 1])).collect();
            let body = scene.add_springs("chain", nodes, vec![0.5; LINKS + 1], springs).unwrap();
            scene.pin(body, &[0]).unwrap();
        } else {
            let mut mesh =
                shapes::box_mesh([0.6, 0.4, 0.4], [3, 2, 2], Split::Six).unwrap().vertices().to_vec();
            let tilt = random.uniform(-0.5, 0.5);
            mesh.iter_mut().for_each(|p| *p = [p[0] - tilt * p[1], p[1] + tilt * p[0] + 0.35, p[2]]);
            let tets = shapes::box_mesh([0.6, 0.4, 0.4], [3, 2, 2], Split::Six).unwrap().tets().to_vec();
            let mesh = supple::TetMesh::new(mesh, tets).unwrap();
            size = (0.36f64 + 0.16 + 0.16).sqrt() * (1.0 + tilt * tilt).sqrt();
            let material = Material::new(MaterialKind::StableNeoHookean, young, 0.3).unwrap();
            scene.add_solid("box", mesh, material, 1000.0).unwrap();
            let floor = HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap();
            scene.add_obstacle(Obstacle::new("floor", floor).with_friction(mu)).unwrap();
        }
        let mut sim = scene.build().unwrap();
        for frame in 0..20 {
            let report = sim.step().unwrap();
            steps += 1;
            if report.status != Status::Converged {
                continue;
            }
            converged += 1;
            let x = bridge::points(&sim.positions());
            let (found, bound) = if rods {
                let off = x.windows(2).map(|p| ((p[1] - p[0]).norm() - 0.2).abs() / 0.2).fold(0.0, f64::max);
                (off, (100.0 * tolerance).min(5e-4).max(tolerance))
            } else {
                (x.iter().map(|p| -p.y).fold(0.0, f64::max), tolerance.max(1e-9) * size)
            };
            if !(found <= bound * (1.0 + 1e-6)) {
                wrong.push(format!("{method} rods {rods} E {young:.1e} h {h:.1e} mu {mu:.2} seed {seed} frame {frame}: {found:.1e}, promised {bound:.1e}"));
            }
        }
    };
    each(60, &scenes, &mut check);
    show(&[format!("{converged} of {steps} converged")]);
    assert!(wrong.is_empty(), "{} of {converged}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(2 * converged >= steps, "only {converged} of {steps} say anything");
}

/// 20 random pairs of boxes that fall on each other and on a floor, by the methods that take contact between bodies: after a step that says
/// `converged` no node of one is inside of the other, which is the table's tolerance·L with nothing left of it, since what the potential allows is
/// free of intersections. Seen by tetrahedra: a node is inside of one if its four barycentric coordinates are above 1e-9.
#[test]
fn random_bodies_in_contact_keep_the_promise() {
    let scenes = (
        any::<bool>(),
        power(4.0, 6.0),
        power(-2.3, -1.4),
        (1e-5..1e-3, 0.0..0.8),
        (any::<u64>(), -3.0..0.0),
    );
    let (mut steps, mut converged, mut near, mut wrong) = (0, 0, 0, Vec::new());
    let mut check = |(newton, young, h, (tolerance, mu), (seed, speed)): (
        bool,
        f64,
        f64,
        (f64, f64),
        (u64, f64),
    )| {
        let mut random = Random::new(seed);
        let method = if newton { Method::Newton } else { Method::Auto };
        let mut scene =
            Scene::new(heavy(h, |s| (s.method, s.tolerance, s.iterations) = (method, tolerance, 300)));
        let floor = HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap();
        scene.add_obstacle(Obstacle::new("floor", floor).with_friction(mu)).unwrap();
        let mut tets = Vec::new();
        for (name, up) in [("lower", 0.02), ("upper", 0.36)] {
            let mesh = shapes::box_mesh([0.4, 0.3, 0.4], [2, 2, 2], Split::Six).unwrap();
            let off = [random.uniform(-0.15, 0.15), up, random.uniform(-0.15, 0.15)];
            let tilt = random.uniform(0.0, 0.08);
            let points = mesh.vertices().iter();
            let points =
                points.map(|p| [p[0] + off[0], p[1] + off[1] + tilt * p[0], p[2] + off[2]]).collect();
            let first = 27 * u32::from(name == "upper");
            tets.push(mesh.tets().iter().map(|t| t.map(|i| (i + first) as usize)).collect::<Vec<_>>());
            let mesh = supple::TetMesh::new(points, mesh.tets().to_vec()).unwrap();
            let material = Material::new(MaterialKind::StableNeoHookean, young, 0.3).unwrap();
            scene.add_solid(name, mesh, material, 1000.0).unwrap();
        }
        scene.collide(Collisions { friction: mu, ..Collisions::default() }).unwrap();
        let mut sim = scene.build().unwrap();
        let v: Vec<[f64; 3]> = (0..54).map(|i| [0.0, if i < 27 { 0.0 } else { speed }, 0.0]).collect();
        let x = sim.positions();
        sim.set_state(&x, &v).unwrap();
        for frame in 0..20 {
            let report = sim.step().unwrap();
            steps += 1;
            if report.status != Status::Converged {
                continue;
            }
            converged += 1;
            let x = bridge::points(&sim.positions());
            near += usize::from(report.contacts > 0);
            for (own, other) in [(0..27, 1), (27..54, 0)] {
                for node in own {
                    let inside = |t: &[usize; 4]| {
                        let whole = tet_volume(&x, t);
                        (0..4).all(|k| {
                            let mut part = *t;
                            part[k] = node;
                            tet_volume(&x, &part) > 1e-9 * whole
                        })
                    };
                    if tets[other].iter().any(inside) {
                        wrong.push(format!("{method} E {young:.1e} h {h:.1e} mu {mu:.2} seed {seed} frame {frame}: node {node} is inside"));
                    }
                }
            }
        }
    };
    each(20, &scenes, &mut check);
    show(&[format!("{converged} of {steps} converged, {near} of them in contact")]);
    assert!(wrong.is_empty(), "{} of {converged}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(
        2 * converged >= steps && near >= 100,
        "only {converged} of {steps}, {near} in contact, say anything"
    );
}
