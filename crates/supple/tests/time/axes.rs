//! Pins along some of the axes: with every method, at planes of symmetry, in motion, at nodes on edges.

use super::common::{bar, distance, settings, wall};
use super::measure::{default, floor, material, raised};
use supple::mesh::shapes::{Split, box_mesh};
use supple::{
    Material, MaterialKind, Method, Scene, SlideOn, SolveSettings, Spring, SpringKind, Status, TetMesh,
};

fn at(mesh: &TetMesh, c: usize, v: f64) -> Vec<u32> {
    let near = |i: &u32| (mesh.vertices()[*i as usize][c] - v).abs() < 1e-9;
    (0..mesh.vertices().len() as u32).filter(near).collect()
}

/// Pins along an axis do what a frictionless plane of both sides does, which is solved in quite another way: 1e-7 of the size over 10 steps,
/// with every method that has both; the held coordinates are exact.
#[test]
fn pins_along_an_axis_are_a_plane() {
    let mesh = bar([4, 2, 2], 0.1);
    for method in [Method::Auto, Method::Newton, Method::QuasiNewton, Method::Admm] {
        let run = |pins: bool| {
            let mut s = default(0.02);
            (s.solve.method, s.solve.iterations) = (method, 20_000);
            let mut scene = Scene::new(s);
            let body = scene.add_solid("body", mesh.clone(), material(), 1000.0).unwrap();
            let ids = wall(&mesh);
            match pins {
                true => scene.pin_axes(body, &ids, [true, false, false]).unwrap(),
                false => {
                    let on = SlideOn::Plane([0.0; 3], [1.0, 0.0, 0.0]);
                    let _ = scene.slide(body, &ids, on, None).unwrap();
                }
            }
            let mut sim = scene.build().unwrap();
            for _ in 0..10 {
                assert_eq!(sim.step().unwrap().status, Status::Converged, "{method} {pins}");
            }
            if pins {
                assert!(ids.iter().all(|&i| sim.positions()[i as usize][0] == 0.0));
            }
            sim.positions()
        };
        let error = distance(&run(true), &run(false)) / 0.49;
        assert!(error <= 1e-7, "{method}: {error:e}");
    }
}

/// An eighth of a block on three planes of symmetry, whose corner is pulled along the diagonal, moves as the whole block does by ADMM, projective dynamics and Newton's
/// method: 1e-7 of its size over 6 steps at a tolerance of 1e-10. The whole block has no pins.
#[test]
fn an_eighth_moves_as_the_whole() {
    let size = 0.2;
    for (method, kind) in [
        (Method::Admm, MaterialKind::NeoHookean),
        (Method::Projective, MaterialKind::Arap),
        (Method::Newton, MaterialKind::NeoHookean),
        (Method::Auto, MaterialKind::NeoHookean),
    ] {
        let run = |whole: bool| {
            let mut s = default(0.02);
            s.world.gravity = [0.0; 3];
            (s.solve.method, s.solve.iterations, s.solve.tolerance) = (method, 20_000, 1e-10);
            let cells = if whole { 4 } else { 2 };
            let side = if whole { 2.0 * size } else { size };
            let mesh = box_mesh([side; 3], [cells; 3], Split::TwentyFour).unwrap();
            let shift = if whole { size } else { 0.0 };
            let mesh = mesh.map(|p| p.map(|v| v - shift)).unwrap();
            let mut scene = Scene::new(s);
            let m = Material::new(kind, 1e5, 0.3).unwrap();
            let body = scene.add_solid("body", mesh.clone(), m, 1000.0).unwrap();
            if !whole {
                for c in 0..3 {
                    scene.pin_axes(body, &at(&mesh, c, 0.0), std::array::from_fn(|k| k == c)).unwrap();
                }
            }
            let mut sim = scene.build().unwrap();
            let corner = |p: &[f64; 3]| p.iter().all(|v| (v.abs() - size).abs() < 1e-9);
            let pull = |p: &[f64; 3]| if corner(p) { p.map(|v| 30.0 * v.signum()) } else { [0.0; 3] };
            sim.set_forces(&mesh.vertices().iter().map(pull).collect::<Vec<_>>()).unwrap();
            for _ in 0..6 {
                let r = sim.step().unwrap();
                assert_eq!(r.status, Status::Converged, "{method} {r:?}");
            }
            // The nodes of the eighth in an order of their own.
            let eighth = mesh.vertices().iter().zip(sim.positions());
            let mut nodes: Vec<([i64; 3], [f64; 3])> = eighth
                .filter(|(p, _)| p.iter().all(|v| *v > -1e-9))
                .map(|(p, q)| (p.map(|v| (v * 1e6).round() as i64), q))
                .collect();
            nodes.sort_by_key(|n| n.0);
            nodes
        };
        let (whole, part) = (run(true), run(false));
        assert_eq!(whole.len(), part.len());
        let mut most = 0.0f64;
        for (a, b) in whole.iter().zip(&part) {
            assert_eq!(a.0, b.0);
            (0..3).for_each(|c| most = most.max((a.1[c] - b.1[c]).abs()));
        }
        assert!(most <= 1e-7 * size, "{method}: {most:e}");
        let far = part.iter().map(|n| n.1[0] - n.0[0] as f64 * 1e-6).fold(0.0, f64::max);
        assert!(far > 1e-3, "{method}: nothing moves, {far}");
    }
}

/// Hard constraints with such pins, by `auto`: a pendulum of a rod that may only move in the plane z = 0 though it is pushed out of it, with its bob on a rail along y: it
/// hangs to the side by the rod's length, exactly; the rod holds to 1e-6.
#[test]
fn rods_on_rails() {
    let mut s = default(0.02);
    (s.world.gravity, s.solve.tolerance, s.solve.iterations) = ([3.0, -9.8, 2.0], 1e-8, 20_000);
    let mut scene = Scene::new(s);
    let nodes = vec![[0.0, 0.0, 0.0], [0.3, -0.4, 0.0]];
    let rod = Spring { kind: SpringKind::Rod, ..Spring::new([0, 1], 1.0) };
    let body = scene.add_springs("rod", nodes, vec![1.0; 2], vec![rod]).unwrap();
    scene.pin_axes(body, &[0], [true, false, true]).unwrap();
    scene.pin_axes(body, &[1], [false, true, true]).unwrap();
    let mut sim = scene.build().unwrap();
    for step in 0..20 {
        let r = sim.step().unwrap();
        assert_eq!(r.status, Status::Converged, "step {step}: {r:?}");
        let x = sim.positions();
        assert!(x[0][0] == 0.0 && x[0][2] == 0.0 && x[1][1] == -0.4 && x[1][2] == 0.0, "{x:?}");
        let length = f64::hypot(x[1][0] - x[0][0], x[1][1] - x[0][1]);
        assert!((length - 0.5).abs() <= 1e-6, "{length}");
    }
    assert!(sim.positions()[0][1] < -0.01, "it slides: {:?}", sim.positions());
}

/// Position-based dynamics keeps held coordinates exactly, in both sweeps, and satisfies a spring along what is free.
#[test]
fn positions_are_projected_along_what_is_free() {
    for sweep in [supple::Sweep::GaussSeidel, supple::Sweep::Jacobi] {
        let mut s = settings(0.02);
        s.solve = SolveSettings { threads: 1, method: Method::Position, iterations: 500, sweep, ..s.solve };
        s.world.gravity = [0.0; 3];
        let mut scene = Scene::new(s);
        let nodes = vec![[0.0; 3], [0.3, 0.5, 0.0]];
        let spring = Spring { rest_length: Some(0.5), ..Spring::new([0, 1], 1e5) };
        let body = scene.add_springs("spring", nodes, vec![1.0; 2], vec![spring]).unwrap();
        scene.pin(body, &[0]).unwrap();
        scene.pin_axes(body, &[1], [true, false, false]).unwrap();
        let mut sim = scene.build().unwrap();
        for _ in 0..20 {
            sim.step().unwrap();
            assert_eq!(sim.positions()[1][0], 0.3);
        }
        let y = sim.positions()[1][1];
        assert!(y < 0.5 && y > 0.35, "{sweep:?}: {y}");
    }
}

/// An edge with both ends pinned along an axis has its node pinned along it, and along that only; it follows its ends. Ends that are pinned in two calls along
/// different axes pin it along none.
#[test]
fn nodes_on_edges_follow() {
    let mesh = bar([3, 1, 1], 0.1).quadratic().unwrap();
    let corners = mesh.corner_count();
    let (left, right): (Vec<u32>, Vec<u32>) = (
        at(&mesh, 0, 0.0).into_iter().filter(|&i| (i as usize) < corners).collect(),
        at(&mesh, 0, 0.3).into_iter().filter(|&i| (i as usize) < corners).collect(),
    );
    let mut scene = Scene::new(default(0.02));
    let body = scene.add_solid("body", mesh.clone(), material(), 1000.0).unwrap();
    scene.pin_axes(body, &left, [true, false, false]).unwrap();
    scene.pin_axes(body, &right, [true, true, false]).unwrap();
    scene.pin_axes(body, &right[..1], [false, false, true]).unwrap();
    let mut sim = scene.build().unwrap();
    let held = sim.held();
    for (i, p) in mesh.vertices().iter().enumerate() {
        let wanted = match p[0] {
            0.0 => [true, false, false],
            x if (x - 0.3).abs() < 1e-9 => [true, true, i == right[0] as usize],
            _ => [false; 3],
        };
        assert_eq!(held[i], wanted, "{p:?}");
    }
    // Corners move and turn the face; the nodes between them go along with what is held.
    let to: Vec<[f64; 3]> = right
        .iter()
        .map(|&i| {
            let p = mesh.vertices()[i as usize];
            [p[0] + 0.02 + 0.1 * p[1], p[1] - 0.01, p[2]]
        })
        .collect();
    sim.move_pins(body.0, &right, &to).unwrap();
    sim.step().unwrap();
    let x = sim.positions();
    for &i in at(&mesh, 0, 0.3).iter() {
        let (p, q) = (mesh.vertices()[i as usize], x[i as usize]);
        assert!(
            (q[0] - p[0] - 0.02 - 0.1 * p[1]).abs() < 1e-15 && (q[1] - p[1] + 0.01).abs() < 1e-15,
            "{q:?}"
        );
    }
    for &i in at(&mesh, 0, 0.0).iter() {
        assert_eq!(x[i as usize][0], 0.0);
    }
    let free =
        at(&mesh, 0, 0.3).iter().filter(|&&i| x[i as usize][2] != mesh.vertices()[i as usize][2]).count();
    assert!(free > 0, "gravity along z moves what is free");
    // One that is given a place of its own goes there.
    let mid = *at(&mesh, 0, 0.3).iter().find(|&&i| i as usize >= corners).unwrap();
    let own = [0.33, mesh.vertices()[mid as usize][1], 0.0];
    sim.move_pins(body.0, &[mid], &[own]).unwrap();
    sim.step().unwrap();
    assert_eq!(sim.positions()[mid as usize][0], 0.33);
}

/// Pins along axes that move, in contact with a floor, and of bodies that touch each other: held coordinates are exact, steps converge.
#[test]
fn pins_along_axes_move_and_touch() {
    let mesh = bar([2, 2, 2], 0.1);
    for collide in [false, true] {
        let mut s = default(0.01);
        s.solve.tolerance = 1e-6;
        let mut scene = Scene::new(s);
        let body = scene.add_solid("body", raised(&mesh, 0.01), material(), 1000.0).unwrap();
        let ids = wall(&mesh);
        scene.pin_axes(body, &ids, [true, false, true]).unwrap();
        scene.add_obstacle(floor(0.2)).unwrap();
        if collide {
            scene.add_solid("other", raised(&mesh, 0.25), material(), 1000.0).unwrap();
            scene.collide(Default::default()).unwrap();
        }
        let mut sim = scene.build().unwrap();
        let start = sim.positions();
        for step in 1..=30 {
            let to: Vec<[f64; 3]> = ids
                .iter()
                .map(|&i| {
                    let p = start[i as usize];
                    [p[0] + 0.001 * f64::from(step), 7.0, p[2]]
                })
                .collect();
            sim.move_pins(body.0, &ids, &to).unwrap();
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "collide {collide}, step {step}: {r:?}");
            let x = sim.positions();
            for (&i, to) in ids.iter().zip(&to) {
                let p = x[i as usize];
                assert!(p[0] == to[0] && p[2] == to[2], "{p:?} is not {to:?}");
                assert!(p[1] < 0.3);
            }
        }
        // It stands on the floor: the floor, pins and inertia bear it.
        assert!(!sim.contacts().is_empty());
    }
}

/// Pins along one axis on 140 scattered nodes of 768 tetrahedra, as data may have them: every method converges to where Newton's is, 1e-7 of the size.
#[test]
fn scattered_pins_along_an_axis() {
    let mesh = bar([8, 4, 4], 0.1);
    assert_eq!(mesh.tets().len(), 768);
    let free: Vec<u32> =
        (0..mesh.vertices().len() as u32).filter(|&i| mesh.vertices()[i as usize][0] > 0.0).collect();
    // In a stride that is prime to their number, so that they are nowhere near each other.
    let ids: Vec<u32> = (0..140).map(|k| free[(k * 37) % free.len()]).collect();
    let run = |method: Method| {
        let mut s = default(0.02);
        (s.solve.method, s.solve.iterations) = (method, 20_000);
        let mut scene = Scene::new(s);
        let body = scene.add_solid("body", mesh.clone(), material(), 1000.0).unwrap();
        scene.pin(body, &wall(&mesh)).unwrap();
        scene.pin_axes(body, &ids, [false, false, true]).unwrap();
        let mut sim = scene.build().unwrap();
        for step in 0..5 {
            assert_eq!(sim.step().unwrap().status, Status::Converged, "{method}, {step}");
        }
        let x = sim.positions();
        assert!(ids.iter().all(|&i| x[i as usize][2] == mesh.vertices()[i as usize][2]));
        x
    };
    let newton = run(Method::Newton);
    for method in [Method::Auto, Method::QuasiNewton, Method::Admm] {
        let off = distance(&newton, &run(method)) / 0.98;
        assert!(off <= 1e-7, "{method}: {off:e}");
    }
}

/// What pins along axes cost on 768 tetrahedra, by counts over 30 steps: no method takes more than a tenth more iterations or Hessians than without them, nor another matrix for all of its
/// nodes. Three planes of symmetry, 104 nodes that leave two sets to solve for besides the whole, and 140 nodes anywhere.
#[test]
fn pins_along_axes_cost_no_iterations() {
    let mesh = bar([8, 4, 4], 0.1);
    let free: Vec<u32> =
        (0..mesh.vertices().len() as u32).filter(|&i| mesh.vertices()[i as usize][0] > 0.0).collect();
    let on = |c: usize, v: f64| -> Vec<u32> {
        free.iter().copied().filter(|&i| (mesh.vertices()[i as usize][c] - v).abs() < 1e-9).collect()
    };
    let scattered: Vec<u32> = (0..140).map(|k| free[(k * 37) % free.len()]).collect();
    let planes = [(on(2, 0.0), 2), (on(2, 0.4), 2), (on(1, 0.0), 1)];
    let count = |method: Method, pins: &[(Vec<u32>, usize)]| {
        let mut s = settings(0.02);
        s.solve = SolveSettings { threads: 1, method, ..SolveSettings::default() };
        s.world.gravity = [0.0, -9.8, 0.0];
        let mut scene = Scene::new(s);
        let body = scene.add_solid("body", mesh.clone(), material(), 1000.0).unwrap();
        scene.pin(body, &wall(&mesh)).unwrap();
        for (ids, c) in pins {
            scene.pin_axes(body, ids, std::array::from_fn(|k| k == *c)).unwrap();
        }
        let mut sim = scene.build().unwrap();
        let (mut iterations, mut hessians) = (0, 0);
        for step in 0..30 {
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "{method}, {step}: {r:?}");
            (iterations, hessians) = (iterations + r.iterations, hessians + r.hessians);
        }
        (iterations, hessians, sim.factors().matrices)
    };
    for method in [Method::Auto, Method::Newton, Method::QuasiNewton] {
        let without = count(method, &[]);
        for pins in [&planes[..], &[(scattered.clone(), 2)]] {
            let with = count(method, pins);
            println!("{method}: {with:?}, without pins along axes {without:?}");
            assert!(10 * with.0 <= 11 * without.0, "{method}: {with:?}, {without:?}");
            assert!(10 * with.1 <= 11 * without.1, "{method}: {with:?}, {without:?}");
            assert_eq!(with.2, without.2, "{method}");
        }
    }
}
