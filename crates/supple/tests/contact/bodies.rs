//! Bodies that touch each other.

use super::setup::{floor, settings};
use supple::mesh::shapes::{Split, box_mesh, torus};
use supple::scene::Collisions;
use supple::{Material, MaterialKind, Method, Scene, Settings, Simulation, Status, TetMesh};

type V = [f64; 3];

fn sub(a: V, b: V) -> V {
    std::array::from_fn(|c| a[c] - b[c])
}

/// Solids that may touch each other, and the floor if there is friction for it.
fn build(s: Settings, meshes: &[TetMesh], young: f64, collisions: Collisions, on: Option<f64>) -> Simulation {
    let mut scene = Scene::new(s);
    for (i, m) in meshes.iter().enumerate() {
        let material = Material::new(MaterialKind::NeoHookean, young, 0.35).unwrap();
        scene.add_solid(&format!("body{i}"), m.clone(), material, 1000.0).unwrap();
    }
    scene.collide(collisions).unwrap();
    if let Some(mu) = on {
        scene.add_obstacle(floor(mu)).unwrap();
    }
    scene.build().unwrap()
}

fn block(size: V, cells: [usize; 3], at: V, angle: f64) -> TetMesh {
    let (s, c) = angle.sin_cos();
    box_mesh(size, cells, Split::Six)
        .unwrap()
        .map(|p| [c * p[0] - s * p[1] + at[0], s * p[0] + c * p[1] + at[1], p[2] + at[2]])
        .unwrap()
}

/// How deep nodes of one body are in tetrahedra of another, by brute force: the largest of the smallest barycentric coordinates.
fn deepest(sim: &Simulation, meshes: &[TetMesh]) -> f64 {
    let x = sim.positions();
    let mut most = 0.0f64;
    for (a, body) in sim.bodies().iter().enumerate() {
        for (b, mesh) in meshes.iter().enumerate().filter(|(b, _)| *b != a) {
            let first = sim.bodies()[b].first_node;
            for p in &x[body.first_node..body.first_node + body.nodes] {
                for t in mesh.tets() {
                    let c = t.map(|v| x[first + v as usize]);
                    let volume = |q: [V; 4]| {
                        let (u, v, w) = (sub(q[1], q[0]), sub(q[2], q[0]), sub(q[3], q[0]));
                        u[0] * (v[1] * w[2] - v[2] * w[1])
                            + u[1] * (v[2] * w[0] - v[0] * w[2])
                            + u[2] * (v[0] * w[1] - v[1] * w[0])
                    };
                    let whole = volume(c);
                    let least = (0..4)
                        .map(|k| {
                            let mut q = c;
                            q[k] = *p;
                            volume(q) / whole
                        })
                        .fold(f64::INFINITY, f64::min);
                    most = most.max(least);
                }
            }
        }
    }
    most
}

fn momentum(sim: &Simulation) -> V {
    let (m, v) = (sim.masses(), sim.velocities());
    std::array::from_fn(|c| m.iter().zip(&v).map(|(m, v)| m * v[c]).sum())
}

/// Two bodies that hit each other off centre keep their momentum to 1e-10, by every method that takes them, converged or not.
#[test]
fn momentum_is_conserved() {
    for method in [Method::Auto, Method::Newton] {
        for (angle, mu) in [(0.0, 0.0), (0.6, 0.5), (0.3, 0.2)] {
            let meshes =
                [block([0.3; 3], [3; 3], [0.0; 3], 0.0), block([0.3; 3], [2; 3], [0.45, 0.1, 0.05], angle)];
            let mut s = settings(method, 0.01);
            s.world.gravity = [0.0; 3];
            s.solve.tolerance = 1e-6;
            s.solve.iterations = 300;
            let c = Collisions { friction: mu, ..Collisions::default() };
            let mut sim = build(s, &meshes, 1e5, c, None);
            let x = sim.positions();
            let n = sim.bodies()[0].nodes;
            let v: Vec<V> =
                (0..x.len()).map(|i| if i < n { [2.0, 0.3, 0.0] } else { [-2.0, 0.0, 0.1] }).collect();
            sim.set_state(&x, &v).unwrap();
            let before = momentum(&sim);
            let mut touched = 0;
            for frame in 0..40 {
                let r = sim.step().unwrap();
                touched += r.contacts;
                let now = momentum(&sim);
                let lost = sub(now, before).iter().map(|v| v.abs()).fold(0.0, f64::max);
                assert!(lost <= 1e-10 * 54.0, "{method}, {angle}, {frame}: {lost}, {r:?}");
                let inside = deepest(&sim, &meshes);
                assert!(inside <= 0.05, "{method}, {angle}, {frame}: {inside}, {r:?}");
            }
            assert!(touched > 10, "{method}, {angle}: {touched}");
            // They hit each other: the first is slower than before.
            let v = sim.velocities();
            assert!(v[..n].iter().map(|v| v[0]).sum::<f64>() / (n as f64) < 1.0, "{method}, {angle}");
        }
    }
}

/// Five cubes on each other rest for 10 s: drift below 1e-3, the floor bears their weight within 1 %.
#[test]
fn a_stack_of_five_stays() {
    let meshes: Vec<TetMesh> =
        (0..5).map(|i| block([0.2; 3], [2; 3], [0.0, 0.2 * f64::from(i), 0.0], 0.0)).collect();
    let mut s = settings(Method::Auto, 0.02);
    s.solve.tolerance = 1e-6;
    s.solve.iterations = 200;
    let c = Collisions { friction: 0.5, ..Collisions::default() };
    let mut sim = build(s, &meshes, 1e7, c, Some(0.5));
    let (start, weight) = (sim.positions(), 9.8 * sim.masses().iter().sum::<f64>());
    let mut off = 0;
    for frame in 0..500 {
        let r = sim.step().unwrap();
        off += usize::from(r.status != Status::Converged);
        assert!(r.max_penetration <= 1e-6, "{frame}: {r:?}");
        if frame > 100 {
            let push = sim.reactions()[0][1];
            assert!((push - weight).abs() <= 0.01 * weight, "{frame}: {push} of {weight}, {r:?}");
        }
    }
    let moved = super::common::distance(&start, &sim.positions());
    assert!(moved < 1e-3, "{moved}");
    assert!(off <= 5, "{off} of 500 steps did not converge");
}

/// A block falls with its edge across the edge of another: nodes alone would not see it.
#[test]
fn edges_hold_edges() {
    // A beam along x below, one along z above and turned by 45° about z, so that edge meets edge.
    let low = box_mesh([1.0, 0.14, 0.14], [3, 1, 1], Split::Six)
        .unwrap()
        .map(|p| {
            let (y, z) = (p[1] - 0.07, p[2] - 0.07);
            [p[0] - 0.5, std::f64::consts::FRAC_1_SQRT_2 * (y + z), std::f64::consts::FRAC_1_SQRT_2 * (z - y)]
        })
        .unwrap();
    let high = box_mesh([0.14, 0.14, 1.0], [1, 1, 3], Split::Six)
        .unwrap()
        .map(|p| {
            let (x, y) = (p[0] - 0.07, p[1] - 0.07);
            [
                std::f64::consts::FRAC_1_SQRT_2 * (x - y),
                std::f64::consts::FRAC_1_SQRT_2 * (x + y) + 0.22,
                p[2] - 0.45,
            ]
        })
        .unwrap();
    let ends: Vec<u32> =
        (0..low.vertices().len() as u32).filter(|&i| low.vertices()[i as usize][0].abs() > 0.4).collect();
    let mut s = settings(Method::Auto, 0.01);
    s.solve.tolerance = 1e-5;
    let mut scene = Scene::new(s);
    let material = Material::new(MaterialKind::NeoHookean, 1e6, 0.35).unwrap();
    let a = scene.add_solid("low", low.clone(), material.clone(), 1000.0).unwrap();
    scene.add_solid("high", high.clone(), material, 1000.0).unwrap();
    scene.pin(a, &ends).unwrap();
    scene.collide(Collisions { friction: 0.3, ..Collisions::default() }).unwrap();
    let mut sim = scene.build().unwrap();
    let n = low.vertices().len();
    let mut touched = 0;
    for frame in 0..30 {
        let r = sim.step().unwrap();
        touched += r.contacts;
        // The edges that cross: both are straight between two nodes there.
        let x = sim.positions();
        let near = |points: &[V], rest: &[V], axis: usize, sign: f64, y: f64| {
            let mut ids: Vec<usize> = (0..rest.len()).filter(|&i| (rest[i][1] - y) * sign > -1e-6).collect();
            ids.sort_by(|&i, &j| rest[i][axis].abs().total_cmp(&rest[j][axis].abs()));
            let (p, q) = (points[ids[0]], points[ids[1]]);
            let t = p[axis] / (p[axis] - q[axis]);
            p[1] + t * (q[1] - p[1])
        };
        let below = near(&x[..n], low.vertices(), 0, 1.0, 0.0989949);
        let above = near(&x[n..], high.vertices(), 2, -1.0, 0.22 - 0.0989949);
        assert!(above - below > -2e-3, "{frame}: {above} is below {below}, {r:?}");
    }
    assert!(touched > 5, "{touched}");
}

/// A ring that is squeezed flat touches itself, and does not pass through itself.
#[test]
fn a_ring_touches_itself() {
    use supple::contact::{HalfSpace, Pose};
    let ring = torus(0.3, 0.08, 4, 20).unwrap().map(|p| [p[0], 0.4 - p[2], p[1]]).unwrap();
    let mut s = settings(Method::Auto, 0.02);
    s.solve.tolerance = 1e-4;
    let shape = [super::crossing::Shape::of_triangles(supple::mesh::surface(ring.tets()), 0)];
    let run = |within: bool| {
        let mut scene = Scene::new(s.clone());
        let material = Material::new(MaterialKind::NeoHookean, 1e5, 0.35).unwrap();
        scene.add_solid("ring", ring.clone(), material, 500.0).unwrap();
        scene.collide(Collisions { within, ..Collisions::default() }).unwrap();
        scene.add_obstacle(floor(0.5)).unwrap();
        let press = HalfSpace::new([0.0, 0.8, 0.0], [0.0, -1.0, 0.0]).unwrap();
        scene.add_obstacle(supple::Obstacle::new("press", press).with_friction(0.5)).unwrap();
        let mut sim = scene.build().unwrap();
        for frame in 1..=60 {
            let down = 0.54 * f64::from(frame) / 60.0;
            sim.move_obstacle(1, Pose::new([0.0; 3], [0.0; 3], [0.0, -down, 0.0])).unwrap();
            let r = sim.step().unwrap();
            let crossed = super::crossing::crossing(&sim, &shape);
            assert!(!within || crossed.is_none(), "{frame}: {crossed:?}, {r:?}");
        }
        // The inner sides of the upper and the lower arc.
        let x = sim.positions();
        let inner = |up: bool| {
            let side = |i: &usize| {
                let p = ring.vertices()[*i];
                let r = (p[0] * p[0] + (p[1] - 0.4).powi(2)).sqrt();
                p[0].abs() < 0.05 && r < 0.235 && (p[1] > 0.4) == up
            };
            let ids: Vec<usize> = (0..x.len()).filter(side).collect();
            ids.iter().map(|&i| x[i][1]).sum::<f64>() / ids.len() as f64
        };
        inner(true) - inner(false)
    };
    let (through, held) = (run(false), run(true));
    assert!(through < -0.02, "without contact it passes through itself: {through}");
    // That nothing crosses was looked at above; arcs that slip a little beside each other come as near as this.
    assert!(held > -1e-3, "{held}");
}
