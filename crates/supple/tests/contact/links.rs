//! Sliding constraints, attachments and stitches, against closed forms.

use super::setup::{METHODS, centre, drift, floor, settings};
use supple::contact::{Cuboid, Pose};
use supple::mesh::shapes::{Split, box_mesh};
use supple::scene::{AttachTo, SlideOn};
use supple::{
    BodyId, Cloth, Material, MaterialKind, Method, Obstacle, Scene, Settings, Simulation, Status, TriMesh,
};

const RUBBER: (MaterialKind, f64, f64) = (MaterialKind::NeoHookean, 1e5, 0.4);

fn material((kind, young, poisson): (MaterialKind, f64, f64)) -> Material {
    Material::new(kind, young, poisson).unwrap()
}

/// Adds a box whose lowest corner is at `at`.
fn block(scene: &mut Scene, name: &str, size: [f64; 3], cells: [usize; 3], at: [f64; 3]) -> BodyId {
    let mesh =
        box_mesh(size, cells, Split::Six).unwrap().map(|p| std::array::from_fn(|c| p[c] + at[c])).unwrap();
    scene.add_solid(name, mesh, material(RUBBER), 1000.0).unwrap()
}

fn nodes(sim: &Simulation, test: impl Fn([f64; 3]) -> bool) -> Vec<u32> {
    (0..sim.node_count() as u32).filter(|&i| test(sim.positions()[i as usize])).collect()
}

fn tight(method: Method, h: f64) -> Settings {
    let mut s = settings(method, h);
    s.solve.tolerance = 1e-10;
    s
}

fn add(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|c| a[c] + b[c])
}
fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// A particle on a rail of 26.565°: a = g sinθ = 4.382685 m/s² in every step, on a plane, a line and a polyline along it.
#[test]
fn a_particle_slides_down_a_rail() {
    let angle = 26.565f64.to_radians();
    let along = [angle.cos(), -angle.sin(), 0.0];
    let a = 9.8 * angle.sin();
    assert!((a - 4.382685).abs() < 1e-6);
    let at = |s: f64| along.map(|d| s * d);
    for method in METHODS {
        for on in [
            SlideOn::Plane([0.0; 3], [angle.sin(), angle.cos(), 0.0]),
            SlideOn::Line(at(3.0), along.map(|d| -2.5 * d)),
            SlideOn::Curve(vec![at(-1.0), at(0.1), at(0.3), at(0.5), at(9.0)], false),
        ] {
            let mut scene = Scene::new(settings(method, 0.01));
            let body = scene.add_springs("bead", vec![[0.0; 3]], vec![2.0], vec![]).unwrap();
            let link = scene.slide(body, &[0], on.clone(), None).unwrap();
            let mut sim = scene.build().unwrap();
            let mut before = 0.0;
            for frame in 0..100 {
                let r = sim.step().unwrap();
                assert_eq!(r.status, Status::Converged, "{method}, {on:?}, {frame}: {r:?}");
                assert!(r.link_gap <= 1e-9, "{method}, {on:?}, {frame}: {r:?}");
                let speed = (0..3).map(|c| sim.velocities()[0][c] * along[c]).sum::<f64>();
                let got = (speed - before) / 0.01;
                assert!((got - a).abs() <= 1e-6 * a, "{method}, {on:?}, {frame}: {got}");
                before = speed;
                // The rail bears what gravity has across it.
                let force = sim.link_forces(link.0).unwrap()[0];
                let want = [angle.sin(), angle.cos(), 0.0].map(|n| 2.0 * 9.8 * angle.cos() * n);
                assert!((0..3).all(|c| (force[c] - want[c]).abs() <= 1e-6 * 19.6), "{method}: {force:?}");
            }
        }
    }
}

/// An elastic block on a sloping plane: the plane pushes and pulls across itself only, so its middle falls with g sinθ.
#[test]
fn a_block_slides_down_a_plane() {
    let angle = 26.565f64.to_radians();
    for method in METHODS {
        let mut s = tight(method, 0.01);
        s.world.gravity = [9.8 * angle.sin(), -9.8 * angle.cos(), 0.0];
        let mut scene = Scene::new(s);
        let body = block(&mut scene, "block", [0.2, 0.1, 0.1], [4, 2, 2], [0.0; 3]);
        let low = nodes(&scene.build().unwrap(), |p| p[1] == 0.0);
        let link = scene.slide(body, &low, SlideOn::Plane([0.0; 3], [0.0, 1.0, 0.0]), None).unwrap();
        let mut sim = scene.build().unwrap();
        let mut before = 0.0;
        for frame in 0..40 {
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "{method}, {frame}: {r:?}");
            let a = (drift(&sim)[0] - before) / 0.01;
            assert!((a - 4.382685).abs() <= 1e-6 * 4.382685, "{method}, {frame}: {a}");
            before = drift(&sim)[0];
            assert!(low.iter().all(|&i| sim.positions()[i as usize][1].abs() <= 1e-9), "{method}");
            assert_eq!((r.contacts, r.candidates), (0, 0), "links are no contacts: {r:?}");
        }
        let forces = sim.link_forces(link.0).unwrap();
        assert!(forces.iter().all(|f| f[0] == 0.0 && f[2] == 0.0), "{method}: {forces:?}");
    }
}

/// A pendulum's bob on a circle of 64 corners: it keeps to the curve and its energy does not grow.
#[test]
fn a_bead_goes_round_a_closed_curve() {
    for method in METHODS {
        let ring: Vec<[f64; 3]> = (0..64)
            .map(|i| f64::from(i) * std::f64::consts::TAU / 64.0)
            .map(|a| [a.cos(), a.sin(), 0.0])
            .collect();
        let mut scene = Scene::new(settings(method, 0.002));
        let body = scene.add_springs("bead", vec![[1.0, 0.0, 0.0]], vec![1.0], vec![]).unwrap();
        scene.slide(body, &[0], SlideOn::Curve(ring, true), None).unwrap();
        let mut sim = scene.build().unwrap();
        let (mut lowest, mut left) = (0.0f64, 0.0f64);
        for frame in 0..500 {
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "{method}, {frame}: {r:?}");
            assert!(r.link_gap <= 1e-7, "{method}, {frame}: {r:?}");
            let p = sim.positions()[0];
            assert!((length(p) - 1.0).abs() < 2e-3 && p[2] == 0.0, "{method}, {frame}: {p:?}");
            (lowest, left) = (lowest.min(p[1]), left.min(p[0]));
            assert!(r.energy.kinetic + r.energy.potential <= 1e-6, "{method}, {frame}: {r:?}");
        }
        // Through the lowest point and up on the other side, with the little that backward Euler and 64 corners take.
        assert!(lowest < -0.99 && left < -0.9, "{method}: {lowest} {left}");
    }
}

/// A bead that comes to a corner of its wire, of whatever angle, stays on the wire and goes on along it as a force or its speed tells;
/// its energy does not grow. A step that says `converged` is never off the wire.
#[test]
fn a_bead_stays_on_its_wire_at_corners() {
    for method in METHODS {
        for degrees in [10.0f64, 30.0, 80.0, 90.0, 120.0] {
            let turn = degrees.to_radians();
            let wire = vec![[-1.0, 0.0, 0.0], [0.0; 3], [3.0 * turn.cos(), 3.0 * turn.sin(), 0.0]];
            let mut s = settings(method, 0.01);
            // Along the second part of the wire.
            s.world.gravity = [5.0 * turn.cos(), 5.0 * turn.sin(), 0.0];
            let mut scene = Scene::new(s);
            let body = scene.add_springs("bead", vec![[-0.105, 0.0, 0.0]], vec![1.0], vec![]).unwrap();
            scene.slide(body, &[0], SlideOn::Curve(wire, false), None).unwrap();
            let mut sim = scene.build().unwrap();
            sim.set_state(&sim.positions(), &[[5.0, 0.0, 0.0]]).unwrap();
            let (mut energy, mut stopped) = (f64::INFINITY, false);
            for frame in 0..40 {
                let r = sim.step().unwrap();
                // Where the rows turn, `admm` takes the jump of its residual for a divergence, and says so.
                if r.status != Status::Converged && method == Method::Admm {
                    stopped = true;
                    break;
                }
                assert_eq!(r.status, Status::Converged, "{method}, {degrees}, {frame}: {r:?}");
                let [x, y, z] = sim.positions()[0];
                let along = (x * turn.cos() + y * turn.sin()).max(0.0);
                let first = length([x.max(0.0), y, z]);
                let off = first.min(length([x - along * turn.cos(), y - along * turn.sin(), z]));
                assert!(off < 1e-6 && r.link_gap < 1e-6, "{method}, {degrees}, {frame}: {off} m off, {r:?}");
                let now = r.energy.kinetic + r.energy.potential;
                assert!(now <= energy + 1e-6, "{method}, {degrees}, {frame}: {energy} to {now} J");
                energy = now;
            }
            let [x, y, _] = sim.positions()[0];
            assert!(
                stopped || x * turn.cos() + y * turn.sin() > 0.1,
                "{method}, {degrees}: still at {x} {y}"
            );
        }
    }
}

/// A weight that hangs from its attachment pulls with its weight, wherever it is attached.
#[test]
fn an_attached_weight_pulls_with_its_weight() {
    for method in METHODS {
        for to in 0..3 {
            let mut s = tight(method, 0.02);
            s.world.damping = 20.0;
            let mut scene = Scene::new(s);
            let body = block(&mut scene, "weight", [0.1; 3], [2; 3], [0.0, -0.1, 0.0]);
            let shelf = block(&mut scene, "shelf", [0.3, 0.1, 0.1], [3, 1, 1], [-0.1, 0.0, 0.0]);
            let empty = scene.build().unwrap();
            let high: Vec<u32> = (0..27).filter(|&i| empty.positions()[i as usize][1] == 0.0).collect();
            let shelf_nodes: Vec<u32> = (0..empty.bodies()[1].nodes as u32).collect();
            scene.pin(shelf, &shelf_nodes).unwrap();
            let hook = Obstacle::new("hook", Cuboid::new([5.0; 3], [0.1; 3]).unwrap());
            let hook = scene.add_obstacle(hook).unwrap();
            let place = [AttachTo::Place, AttachTo::Obstacle(hook, None), AttachTo::Body(shelf)][to].clone();
            let link = scene.attach(body, &high, place, None).unwrap();
            let mut sim = scene.build().unwrap();
            let weight: f64 = sim.masses()[..27].iter().sum::<f64>() * 9.8;
            let mut last = None;
            for frame in 0..400 {
                let r = sim.step().unwrap();
                assert_eq!(r.status, Status::Converged, "{method}, {to}, {frame}: {r:?}");
                assert!(r.link_gap <= 1e-9, "{method}, {to}, {frame}: {r:?}");
                last = Some(r);
            }
            assert!(last.unwrap().energy.kinetic < 1e-12, "{method}, {to}: not at rest");
            let sum = sim.link_forces(link.0).unwrap().into_iter().fold([0.0; 3], add);
            assert!((sum[1] - weight).abs() <= 1e-6 * weight, "{method}, {to}: {sum:?}, not {weight}");
            assert!(sum[0].abs() + sum[2].abs() <= 1e-6 * weight, "{method}, {to}: {sum:?}");
            let hook = sim.reactions()[0];
            let want = if to == 1 { sum } else { [0.0; 3] };
            assert_eq!(hook, want, "{method}, {to}");
        }
    }
}

/// Two stitched bodies that spin freely: linear momentum stays to 1e-10 of the largest, in every step.
#[test]
fn stitched_bodies_conserve_momentum() {
    for method in METHODS {
        for way in 0..3 {
            let mut s = tight(method, 0.01);
            s.world.gravity = [0.0; 3];
            let mut scene = Scene::new(s);
            let a = block(&mut scene, "a", [0.2, 0.1, 0.1], [2, 1, 1], [0.0; 3]);
            let b = block(&mut scene, "b", [0.2, 0.1, 0.1], [3, 2, 2], [0.2, 0.0, 0.0]);
            let empty = scene.build().unwrap();
            let first = empty.bodies()[1].first_node;
            let x = empty.positions();
            let seam: Vec<u32> =
                (0..first as u32).filter(|&i| (x[i as usize][0] - 0.2).abs() < 1e-12).collect();
            let pairs: Vec<[u32; 2]> = seam
                .iter()
                .map(|&i| {
                    let there = (first..x.len()).find(|&j| length(sub(x[j], x[i as usize])) < 1e-9).unwrap();
                    [i, (there - first) as u32]
                })
                .collect();
            assert_eq!(pairs.len(), 4);
            match way {
                0 => scene.stitch(a, b, &pairs, None),
                1 => scene.stitch_to_surface(a, &seam, b, None),
                _ => scene.attach(a, &seam, AttachTo::Body(b), None),
            }
            .unwrap();
            let mut sim = scene.build().unwrap();
            let v: Vec<[f64; 3]> = x.iter().map(|p| [0.3 - 2.0 * p[1], 3.0 * (p[0] - 0.2), 0.1]).collect();
            sim.set_state(&x, &v).unwrap();
            let momentum = |sim: &Simulation| -> [f64; 3] {
                let (m, v) = (sim.masses(), sim.velocities());
                std::array::from_fn(|c| m.iter().zip(&v).map(|(m, v)| m * v[c]).sum())
            };
            let size: f64 = sim.masses().iter().zip(&v).map(|(m, v)| m * length(*v)).sum();
            let before = momentum(&sim);
            for frame in 0..50 {
                let r = sim.step().unwrap();
                assert_eq!(r.status, Status::Converged, "{method}, {way}, {frame}: {r:?}");
                assert!(r.link_gap <= 1e-9, "{method}, {way}, {frame}: {r:?}");
                let off = length(sub(momentum(&sim), before)) / size;
                assert!(off <= 1e-10, "{method}, {way}, {frame}: momentum is off by {off}");
            }
            // They pull at each other: a free body would have kept its own momentum.
            let forces = sim.link_forces(0).unwrap();
            assert!(forces.iter().any(|f| length(*f) > 1e-3), "{method}, {way}: {forces:?}");
        }
    }
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|c| a[c] - b[c])
}

/// A particle of weight 19.6 N holds at a breaking force of 19.6(1 + 1e-9) N and breaks at 19.6(1 − 1e-9) N.
#[test]
fn a_link_breaks_exactly_above_its_force() {
    for method in METHODS {
        for (share, breaks) in [(1.0 + 1e-9, false), (1.0 - 1e-9, true)] {
            let mut scene = Scene::new(tight(method, 0.01));
            let body = scene.add_springs("weight", vec![[0.0; 3]], vec![2.0], vec![]).unwrap();
            scene.attach(body, &[0], AttachTo::Place, Some(19.6 * share)).unwrap();
            let mut sim = scene.build().unwrap();
            let r = sim.step().unwrap();
            assert_eq!(r.links_broken, usize::from(breaks), "{method}, {share}: {r:?}");
            assert_eq!(sim.broken_links(0).unwrap(), [breaks]);
            let r = sim.step().unwrap();
            assert_eq!(r.links_broken, 0, "{method}: it breaks once");
            let y = sim.positions()[0][1];
            if breaks {
                assert!((y + 9.8e-4).abs() < 1e-12, "{method}: it falls from where it was held, {y}");
                assert_eq!(sim.link_forces(0).unwrap(), [[0.0; 3]]);
            } else {
                assert!(y.abs() < 1e-12, "{method}: {y}");
            }
        }
    }
}

/// Broken links stay broken in a checkpoint, and the rest goes on with the same bits.
#[test]
fn a_checkpoint_keeps_what_is_broken() {
    let build = || {
        let mut s = settings(Method::Auto, 0.01);
        s.solve.threads = 2;
        let mut scene = Scene::new(s);
        let body = block(&mut scene, "b", [0.1; 3], [2; 3], [0.0; 3]);
        let x = scene.build().unwrap().positions();
        let high: Vec<u32> = (0..27).filter(|&i| x[i as usize][1] == 0.1).collect();
        // Corners bear less than the middle: some break, others follow.
        scene.attach(body, &high, AttachTo::Place, Some(1.3)).unwrap();
        scene.slide(body, &[0], SlideOn::Line([0.0; 3], [0.0, 1.0, 0.0]), None).unwrap();
        scene.build().unwrap()
    };
    let mut sim = build();
    let mut broken = 0;
    for _ in 0..6 {
        broken += sim.step().unwrap().links_broken;
        sim.move_link(1, Pose::new([0.0; 3], [0.0; 3], [1e-3, 0.0, 0.0])).unwrap();
    }
    assert!(broken > 0, "nothing broke");
    let bytes = sim.checkpoint();
    let mut other = build();
    other.restore(&bytes).unwrap();
    assert_eq!(other.broken_links(0).unwrap(), sim.broken_links(0).unwrap());
    for _ in 0..6 {
        sim.step().unwrap();
        other.step().unwrap();
        assert_eq!(sim.positions(), other.positions());
    }
    // Without links, or with others, it is another scene.
    let mut scene = Scene::new(settings(Method::Auto, 0.01));
    let body = block(&mut scene, "b", [0.1; 3], [2; 3], [0.0; 3]);
    assert!(scene.build().unwrap().restore(&bytes).is_err());
    scene.attach(body, &[0], AttachTo::Place, None).unwrap();
    assert!(scene.build().unwrap().restore(&bytes).is_err());
}

/// What is attached follows a moving obstacle and a scripted frame exactly, turns included.
#[test]
fn attachments_follow() {
    for method in METHODS {
        let mut scene = Scene::new(tight(method, 0.01));
        let ball = Obstacle::new("hand", Cuboid::new([0.0, 5.0, 0.0], [0.1; 3]).unwrap());
        let hand = scene.add_obstacle(ball).unwrap();
        let a = block(&mut scene, "a", [0.1; 3], [1; 3], [0.0; 3]);
        let b = block(&mut scene, "b", [0.1; 3], [1; 3], [1.0, 0.0, 0.0]);
        scene.attach(a, &[0, 1], AttachTo::Obstacle(hand, None), None).unwrap();
        let frame = scene.attach(b, &[0, 1, 2], AttachTo::Place, None).unwrap();
        let mut sim = scene.build().unwrap();
        let home = sim.positions();
        for k in 1..=30 {
            let t = 0.01 * f64::from(k);
            let pose = Pose::new([0.0, 0.0, t], [0.3, 0.2, 0.0], [0.2 * t, t * t, -0.1 * t]);
            sim.move_obstacle(0, pose).unwrap();
            sim.move_link(frame.0, pose).unwrap();
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "{method}, {k}: {r:?}");
            for i in [0, 1, 8, 9, 10] {
                let off = length(sub(sim.positions()[i], pose.apply(home[i])));
                assert!(off <= 1e-9, "{method}, {k}, node {i}: {off}");
            }
        }
    }
}

/// A sheet on a tilted block slides off along its surface but is never lifted from it: both signs, closest triangle per step.
#[test]
fn skin_slides_over_muscle() {
    for method in METHODS {
        let mut s = settings(method, 0.01);
        s.world.gravity = [3.0, 5.0, 0.0];
        let mut scene = Scene::new(s);
        let muscle = block(&mut scene, "muscle", [2.0, 0.2, 1.0], [8, 1, 4], [0.0, -0.2, 0.0]);
        let count = scene.build().unwrap().node_count() as u32;
        scene.pin(muscle, &(0..count).collect::<Vec<_>>()).unwrap();
        let at = |i: u32| [0.2 + 0.1 * f64::from(i % 5), 0.002, 0.3 + 0.1 * f64::from(i / 5)];
        let cells = (0..20).filter(|i| i % 5 < 4);
        let triangles = cells.flat_map(|i| [[i, i + 5, i + 1], [i + 1, i + 5, i + 6]]).collect();
        let sheet = TriMesh::new((0..25).map(at).collect(), triangles).unwrap();
        let cloth = Cloth::new(material((MaterialKind::Corotated, 1e5, 0.3)), 0.001, 500.0);
        let skin = scene.add_cloth("skin", sheet, cloth).unwrap();
        let ids: Vec<u32> = (0..25).collect();
        scene.slide(skin, &ids, SlideOn::Surface(muscle, None), None).unwrap();
        let mut sim = scene.build().unwrap();
        for frame in 1..=40 {
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "{method}, {frame}: {r:?}");
            let x = &sim.positions()[count as usize..];
            assert!(x.iter().all(|p| (p[1] - 0.002).abs() <= 1e-9), "{method}, {frame}: {x:?}");
            let want = 0.2 + 1.5 * 1e-4 * f64::from(frame * (frame + 1));
            assert!((x[0][0] - want).abs() <= 1e-6, "{method}, {frame}: {} is not {want}", x[0][0]);
        }
    }
}

/// Bodies that are stitched while apart come together, and stay.
#[test]
fn stitches_close_a_gap() {
    for method in METHODS {
        let mut s = settings(method, 0.01);
        s.world.gravity = [0.0; 3];
        s.world.damping = 5.0;
        let mut scene = Scene::new(s);
        let a = block(&mut scene, "a", [0.1; 3], [1; 3], [0.0; 3]);
        let b = block(&mut scene, "b", [0.1; 3], [1; 3], [0.13, 0.0, 0.0]);
        let x = scene.build().unwrap().positions();
        let right: Vec<u32> = (0..8).filter(|&i| x[i as usize][0] == 0.1).collect();
        scene.stitch_to_surface(a, &right, b, None).unwrap();
        let mut sim = scene.build().unwrap();
        let middle = centre(&sim);
        let mut gap = 0.03;
        for frame in 0..100 {
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "{method}, {frame}: {r:?}");
            // By a fifth in each step, and then to the last bit.
            assert!(r.link_gap <= 0.8 * gap + 1e-9, "{method}, {frame}: {} after {gap}", r.link_gap);
            gap = r.link_gap;
        }
        assert!(gap <= 1e-9, "{method}: {gap}");
        assert!(length(sub(centre(&sim), middle)) < 1e-9, "{method}: they meet in the middle");
    }
}

#[test]
fn what_cannot_carry_links_says_so() {
    for method in [Method::Position, Method::Projective] {
        let mut scene = Scene::new(settings(method, 0.01));
        let body = scene.add_springs("bead", vec![[0.0; 3]], vec![2.0], vec![]).unwrap();
        scene.slide(body, &[0], SlideOn::Plane([0.0; 3], [0.0, 1.0, 0.0]), None).unwrap();
        let e = scene.build().err().unwrap().to_string();
        assert!(e.contains("`bead`") && e.contains("slide") && e.contains(method.as_str()), "{e}");
        scene.settings.solve.method = Method::Auto;
        let mut sim = scene.build().unwrap();
        let mut s = sim.settings().clone();
        s.solve.method = method;
        assert!(sim.update_settings(s).unwrap_err().to_string().contains("slide"));
        assert!(sim.move_link(1, Pose::default()).unwrap_err().to_string().contains("number 1"));
        assert!(sim.link_forces(7).is_err() && sim.broken_links(7).is_err());
        let bad = Pose { shift: [f64::NAN, 0.0, 0.0], ..Pose::default() };
        assert!(sim.move_link(0, bad).unwrap_err().to_string().contains("finite"));
    }
}

#[test]
fn links_that_contradict_each_other_are_never_called_converged() {
    for method in METHODS {
        let mut scene = Scene::new(tight(method, 0.01));
        let body = block(&mut scene, "block", [0.2; 3], [1; 3], [0.0; 3]);
        scene.attach(body, &[0], AttachTo::Place, None).unwrap();
        scene.slide(body, &[0], SlideOn::Plane([0.0, 1.0, 0.0], [0.0, 1.0, 0.0]), None).unwrap();
        let mut sim = scene.build().unwrap();
        for frame in 0..20 {
            let r = sim.step().unwrap();
            assert_ne!(r.status, Status::Converged, "{method}, {frame}: {r:?}");
            assert!(r.link_gap > 0.1, "{method}, {frame}: {r:?}");
        }
    }
}

#[test]
fn bad_links_are_refused() {
    let mut scene = Scene::new(settings(Method::Auto, 0.01));
    let a = block(&mut scene, "a", [0.1; 3], [1; 3], [0.0; 3]);
    let b = block(&mut scene, "b", [0.1; 3], [1; 3], [0.1, 0.0, 0.0]);
    let net = scene.add_springs("net", vec![[0.0; 3]], vec![2.0], vec![]).unwrap();
    let plane = || SlideOn::Plane([0.0; 3], [0.0, 1.0, 0.0]);
    let hold = scene.add_obstacle(floor(0.0)).unwrap();
    let mut refused = 0;
    let mut no = |e: Result<supple::LinkId, supple::BuildError>, word: &str| {
        let e = e.err().unwrap_or_else(|| panic!("{word} was taken")).to_string();
        assert!(e.contains(word), "{e} does not say {word}");
        refused += 1;
    };
    no(scene.slide(a, &[8], plane(), None), "node 8");
    no(scene.slide(a, &[], plane(), None), "no node");
    no(scene.slide(BodyId(9), &[0], plane(), None), "9");
    for f in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        no(scene.slide(a, &[0], plane(), Some(f)), "breaking force");
    }
    no(scene.slide(a, &[0], SlideOn::Plane([0.0; 3], [0.0; 3]), None), "direction");
    no(scene.slide(a, &[0], SlideOn::Line([f64::NAN; 3], [1.0; 3]), None), "point");
    no(scene.slide(a, &[0], SlideOn::Curve(vec![[0.0; 3]], false), None), "two points");
    no(scene.slide(a, &[0], SlideOn::Curve(vec![[0.0; 3], [0.0; 3]], false), None), "same");
    no(scene.slide(a, &[0], SlideOn::Curve(vec![[0.0; 3], [f64::INFINITY; 3]], false), None), "point 1");
    no(scene.slide(a, &[0], SlideOn::Surface(a, None), None), "own surface");
    no(scene.slide(a, &[0], SlideOn::Surface(net, None), None), "no surface");
    no(scene.slide(a, &[0], SlideOn::Surface(b, Some(f64::NAN)), None), "distance");
    no(scene.attach(a, &[0], AttachTo::Body(a), None), "itself");
    no(scene.attach(a, &[0], AttachTo::Body(net), None), "no surface");
    no(scene.attach(a, &[0], AttachTo::Point(b, vec![(0, 0.5), (1, 0.4)]), None), "sum to one");
    no(scene.attach(a, &[0], AttachTo::Point(b, vec![(0, f64::NAN)]), None), "sum to one");
    no(scene.attach(a, &[0], AttachTo::Point(b, vec![]), None), "one to four");
    no(scene.attach(a, &[0], AttachTo::Point(b, vec![(77, 1.0)]), None), "node 77");
    no(scene.attach(a, &[0], AttachTo::Obstacle(hold, Some(vec![])), None), "each node");
    no(scene.attach(a, &[0], AttachTo::Obstacle(supple::ObstacleId(3), None), None), "obstacle number 3");
    no(scene.stitch(a, b, &[[0, 99]], None), "node 99");
    no(scene.stitch(a, a, &[[3, 3]], None), "itself");
    no(scene.stitch_to_surface(a, &[0], a, None), "own surface");
    let far = block(&mut scene, "far", [0.1; 3], [1; 3], [100.0, 0.0, 0.0]);
    no(scene.attach(far, &[0], AttachTo::Body(a), None), "too far");
    assert_eq!(refused, 27);
}
