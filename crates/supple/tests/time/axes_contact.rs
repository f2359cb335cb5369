//! Pins along some of the axes where bodies touch obstacles, are linked or have hard constraints: with every method.

use super::common::{bar, distance, wall};
use super::measure::{default, floor, material, raised};
use supple::contact::{HalfSpace, Pose, Sphere};
use supple::mesh::shapes::{Split, box_mesh};
use supple::{
    ContactMethod, Material, MaterialKind, Method, Obstacle, Scene, Settings, SlideOn, Spring, SpringKind,
    Status,
};

const SIZE: f64 = 0.2;

/// A block that a ball presses onto a floor, or the quarter of it at x, z ≥ 0 on two planes of symmetry. Nodes by where they were.
fn pressed(s: Settings, kind: MaterialKind, mu: f64, whole: bool) -> Vec<([i64; 3], [f64; 3])> {
    let (sides, shift) = if whole { (2, SIZE) } else { (1, 0.0) };
    let mesh = box_mesh(
        [sides as f64 * SIZE, SIZE, sides as f64 * SIZE],
        [2 * sides, 2, 2 * sides],
        Split::TwentyFour,
    );
    let mesh = mesh.unwrap().map(|p| [p[0] - shift, p[1], p[2] - shift]).unwrap();
    let mut scene = Scene::new(s);
    let m = Material::new(kind, 1e5, 0.3).unwrap();
    let body = scene.add_solid("body", mesh.clone(), m, 1000.0).unwrap();
    if !whole {
        for c in [0, 2] {
            let at = |i: &u32| mesh.vertices()[*i as usize][c].abs() < 1e-9;
            let ids: Vec<u32> = (0..mesh.vertices().len() as u32).filter(at).collect();
            scene.pin_axes(body, &ids, std::array::from_fn(|k| k == c)).unwrap();
        }
    }
    scene.add_obstacle(floor(mu)).unwrap();
    let ball = Obstacle::new("ball", Sphere::new([0.0, SIZE + 0.5, 0.0], 0.5).unwrap()).with_friction(mu);
    let ball = scene.add_obstacle(ball).unwrap();
    let mut sim = scene.build().unwrap();
    for step in 1..=8 {
        let down = Pose { shift: [0.0, -0.003 * f64::from(step), 0.0], ..Pose::default() };
        sim.move_obstacle(ball.0, down).unwrap();
        let r = sim.step().unwrap();
        assert_eq!(r.status, Status::Converged, "{:?}, step {step}: {r:?}", sim.settings().solve);
        assert!(r.max_penetration <= 1e-8, "{r:?}");
    }
    let both = mesh.vertices().iter().zip(sim.positions()).zip(sim.held());
    for ((p, x), held) in both.clone() {
        (0..3).filter(|&c| held[c]).for_each(|c| assert_eq!(x[c], p[c]));
    }
    let quarter = both.filter(|((p, _), _)| p[0] > -1e-9 && p[2] > -1e-9);
    let mut nodes: Vec<_> = quarter.map(|((p, x), _)| (p.map(|v| (v * 1e6).round() as i64), x)).collect();
    nodes.sort_by_key(|n| n.0);
    nodes
}

fn apart(a: &[([i64; 3], [f64; 3])], b: &[([i64; 3], [f64; 3])]) -> f64 {
    assert!(a.iter().map(|n| n.0).eq(b.iter().map(|n| n.0)));
    let rows = |n: &[([i64; 3], [f64; 3])]| n.iter().map(|n| n.1).collect::<Vec<_>>();
    distance(&rows(a), &rows(b))
}

fn by(method: Method) -> Settings {
    let mut s = default(0.02);
    s.world.gravity = [0.0, -9.8, 0.0];
    (s.solve.method, s.solve.iterations) = (method, 50_000);
    s
}

/// A quarter of a block that a ball presses onto a floor, both rough, moves as the whole block does, which has no pins: 1e-7 of its size over 8 steps at a tolerance of
/// 1e-10, by every method that takes obstacles, held coordinates exact.
#[test]
fn a_quarter_under_a_ball_moves_as_the_whole() {
    for (kind, methods) in [
        (MaterialKind::NeoHookean, &[Method::Newton, Method::Auto, Method::QuasiNewton, Method::Admm][..]),
        (MaterialKind::Arap, &[Method::Newton, Method::Projective][..]),
    ] {
        let whole = pressed(by(Method::Newton), kind, 0.3, true);
        let sunk = whole.iter().map(|n| n.0[1] as f64 * 1e-6 - n.1[1]).fold(0.0, f64::max);
        assert!(sunk > 0.01, "the ball presses nothing: {sunk}");
        for &method in methods {
            let off = apart(&whole, &pressed(by(method), kind, 0.3, false)) / SIZE;
            assert!(off <= 1e-7, "{method}: {off:e}");
        }
    }
}

/// The same without friction by the papers' ways to contact, whose iterations are those of the whole: 1e-6 of the size.
#[test]
fn the_papers_ways_keep_pins_along_axes() {
    for way in [ContactMethod::Local, ContactMethod::Uzawa, ContactMethod::Nodal] {
        let mut s = by(Method::Admm);
        s.solve.contact = way;
        let run = |whole| pressed(s.clone(), MaterialKind::NeoHookean, 0.0, whole);
        let off = apart(&run(true), &run(false)) / SIZE;
        assert!(off <= 1e-6, "{way:?}: {off:e}");
    }
}

/// Links and pins along an axis at once: a bar on a plane of symmetry whose other end slides along a line that goes up. Every method is where Newton's is, 1e-7 of the size;
/// what slides is on its line.
#[test]
fn links_and_pins_along_axes() {
    let mesh = bar([4, 2, 2], 0.1);
    let run = |method: Method| {
        let mut scene = Scene::new(by(method));
        let body = scene.add_solid("body", mesh.clone(), material(), 1000.0).unwrap();
        scene.pin_axes(body, &wall(&mesh), [true, false, true]).unwrap();
        let end = (0..mesh.vertices().len() as u32).find(|&i| mesh.vertices()[i as usize] == [0.4, 0.0, 0.0]);
        let end = end.unwrap();
        let line = SlideOn::Line([0.4, 0.0, 0.0], [0.6, 0.8, 0.0]);
        let _ = scene.slide(body, &[end], line, None).unwrap();
        let mut sim = scene.build().unwrap();
        for step in 0..10 {
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "{method}, {step}: {r:?}");
        }
        let x = sim.positions();
        let [a, b, c] = x[end as usize];
        assert!((0.8 * (a - 0.4) - 0.6 * b).abs() <= 1e-9 && c.abs() <= 1e-9, "{method}");
        assert!(wall(&mesh).iter().all(|&i| x[i as usize][0] == 0.0));
        x
    };
    let newton = run(Method::Newton);
    assert!(distance(&newton, mesh.vertices()) > 0.01);
    for method in [Method::Auto, Method::QuasiNewton, Method::Admm] {
        let off = distance(&newton, &run(method)) / 0.49;
        assert!(off <= 1e-7, "{method}: {off:e}");
    }
}

/// A rod (a hard constraint) whose upper end slides down a rail and whose lower end stands on a floor without friction, held in the plane z = 0: a ladder. It slides
/// off as the closed form of the ladder says at rest against a stop: with both ends stopped nothing moves, and what the floor bears is the ladder's weight, 1e-6.
#[test]
fn a_rod_on_a_rail_and_a_floor() {
    for method in [Method::Auto, Method::Admm] {
        let mut s = by(method);
        (s.solve.tolerance, s.solve.iterations) = (1e-8, 20_000);
        let mut scene = Scene::new(s);
        let rod = Spring { kind: SpringKind::Rod, ..Spring::new([0, 1], 1.0) };
        let body = scene
            .add_springs("ladder", vec![[0.0, 0.4, 0.0], [0.3, 0.0, 0.0]], vec![1.0; 2], vec![rod])
            .unwrap();
        scene.pin_axes(body, &[0], [true, false, true]).unwrap();
        scene.pin_axes(body, &[1], [false, false, true]).unwrap();
        scene.add_obstacle(floor(0.0)).unwrap();
        let stop = HalfSpace::new([0.35, 0.0, 0.0], [-1.0, 0.0, 0.0]).unwrap();
        scene.add_obstacle(Obstacle::new("stop", stop)).unwrap();
        let mut sim = scene.build().unwrap();
        for step in 0..40 {
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "{method}, {step}: {r:?}");
            let x = sim.positions();
            assert!(x[0][0] == 0.0 && x[0][2] == 0.0 && x[1][2] == 0.0, "{x:?}");
            assert!(x[1][1] >= -1e-8 && x[1][0] <= 0.35 + 1e-8, "{x:?}");
            let length = f64::hypot(x[1][0] - x[0][0], x[1][1] - x[0][1]);
            assert!((length - 0.5).abs() <= 1e-6, "{length}");
        }
        let x = sim.positions();
        assert!(
            (x[1][0] - 0.35).abs() <= 1e-6 && (x[0][1] - (0.25f64 - 0.35 * 0.35).sqrt()).abs() <= 1e-6,
            "{x:?}"
        );
        // The rail is smooth: the floor bears all of the weight, the stop what leans: mg·0.35/√(0.5² − 0.35²).
        let forces = sim.reactions();
        let lean = 9.8 * 0.35 / x[0][1];
        assert!((forces[0][1] - 19.6).abs() <= 2e-5, "{forces:?}");
        assert!((forces[1][0] + lean).abs() <= 1e-5 * lean, "{forces:?} {lean}");
    }
}

/// Where the coordinate along a contact's normal is pinned nothing can give way: such a node goes where its pin goes, like one that is pinned along all axes, and does not
/// hold up the others, which are where Newton's method has them; a step that ends in an obstacle does not say that it has converged.
#[test]
fn a_pin_along_the_normal_is_obeyed() {
    let mesh = bar([2, 2, 2], 0.1);
    let run = |method: Method| {
        let mut s = by(method);
        s.solve.iterations = 2000;
        let mut scene = Scene::new(s);
        let body = scene.add_solid("body", raised(&mesh, 0.01), material(), 1000.0).unwrap();
        let low: Vec<u32> =
            (0..mesh.vertices().len() as u32).filter(|&i| mesh.vertices()[i as usize][1] == 0.0).collect();
        scene.pin_axes(body, &low[..5], [false, true, false]).unwrap();
        scene.pin_axes(body, &low[..2], [true, false, true]).unwrap();
        scene.add_obstacle(floor(0.2)).unwrap();
        let mut sim = scene.build().unwrap();
        for step in 1..=6 {
            let height = 0.01 - 0.003 * f64::from(step);
            let to: Vec<[f64; 3]> = low[..5]
                .iter()
                .map(|&i| {
                    let p = mesh.vertices()[i as usize];
                    [p[0], height, p[2]]
                })
                .collect();
            sim.move_pins(body.0, &low[..5], &to).unwrap();
            let r = sim.step().unwrap();
            // The fourth step takes them into the floor.
            assert_eq!(r.status == Status::Converged, step != 4, "{method}, {step}: {r:?}");
            assert!((r.max_penetration - (-height).max(0.0)).abs() <= 1e-9, "{method}, {step}: {r:?}");
            let x = sim.positions();
            assert!(low[..5].iter().all(|&i| x[i as usize][1] == height), "{method}");
            assert!(low[5..].iter().all(|&i| x[i as usize][1] >= -1e-9), "{method}: {x:?}");
        }
        sim.positions()
    };
    let newton = run(Method::Newton);
    for method in [Method::Auto, Method::QuasiNewton, Method::Admm] {
        let off = distance(&newton, &run(method)) / 0.2;
        assert!(off <= 1e-6, "{method}: {off:e}");
    }
}
