//! What is measured of a state: snapshots, forces of pins, anchors and contacts, derivatives.

use super::common::{bar, settings, wall};
use supple::contact::HalfSpace;
use supple::sim::Hessian;
use supple::{
    Bending, Cloth, Integrator, Material, MaterialKind, Method, Obstacle, Scene, Settings, Simulation,
    SolveSettings, Spring, Status, TetMesh,
};

pub fn default(dt: f64) -> Settings {
    let mut s = settings(dt);
    s.solve = SolveSettings { threads: 1, tolerance: 1e-10, ..SolveSettings::default() };
    s.world.gravity = [0.3, -9.8, 0.2];
    s
}

pub fn material() -> Material {
    Material::new(MaterialKind::NeoHookean, 1e5, 0.3).unwrap()
}

fn bits(sim: &Simulation) -> Vec<u64> {
    let rows = sim.positions().into_iter().chain(sim.velocities());
    rows.flatten().map(f64::to_bits).collect()
}

pub fn floor(friction: f64) -> Obstacle {
    Obstacle::new("floor", HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap()).with_friction(friction)
}

pub fn raised(mesh: &TetMesh, by: f64) -> TetMesh {
    let up = mesh.vertices().iter().map(|p| [p[0], p[1] + by, p[2]]).collect();
    TetMesh::new(up, mesh.tets().to_vec()).unwrap()
}

/// Rewound, a simulation takes the same steps bit for bit, whatever was done between; with every method, integrator, and in contact.
#[test]
fn a_rewound_simulation_repeats_itself() {
    for integrator in Integrator::ALL {
        for method in [Method::Auto, Method::Newton, Method::QuasiNewton, Method::Admm] {
            let mut s = default(0.02);
            (s.time.integrator, s.solve.method, s.solve.tolerance) = (integrator, method, 1e-6);
            let mut scene = Scene::new(s.clone());
            let body =
                scene.add_solid("body", raised(&bar([3, 1, 1], 0.1), 0.02), material(), 1000.0).unwrap();
            scene.anchor(body, &[3], 50.0).unwrap();
            scene.add_obstacle(floor(0.3)).unwrap();
            let mut sim = scene.build().unwrap();
            for _ in 0..4 {
                sim.step().unwrap();
            }
            let (here, touching, snapshot) = (bits(&sim), sim.contacts(), sim.snapshot());
            let mut later = Vec::new();
            for _ in 0..6 {
                let r = sim.step().unwrap();
                later.push((bits(&sim), r.iterations, r.force_residual.to_bits(), sim.contacts()));
            }
            s.time.dt = 0.01;
            sim.update_settings(s).unwrap();
            sim.move_anchors(body.0, &[3], &[[1.0, 1.0, 1.0]]).unwrap();
            sim.set_state(&sim.positions(), &sim.velocities()).unwrap();
            sim.step().unwrap();
            sim.rewind(&snapshot).unwrap();
            assert_eq!((bits(&sim), sim.contacts(), sim.frame()), (here, touching, 4));
            for (k, later) in later.iter().enumerate() {
                let r = sim.step().unwrap();
                let now = (bits(&sim), r.iterations, r.force_residual.to_bits(), sim.contacts());
                assert!(now == *later, "{integrator} {method}: step {k} differs");
            }
        }
    }
}

/// A snapshot of another scene is refused, and nothing changes.
#[test]
fn a_snapshot_knows_its_scene() {
    let build = |young: f64| {
        let mut scene = Scene::new(default(0.02));
        let m = Material::new(MaterialKind::NeoHookean, young, 0.3).unwrap();
        scene.add_solid("body", bar([2, 1, 1], 0.1), m, 1000.0).unwrap();
        scene.build().unwrap()
    };
    let (mut a, b) = (build(1e5), build(2e5));
    let before = bits(&a);
    assert!(a.rewind(&b.snapshot()).is_err());
    assert_eq!(bits(&a), before);
}

/// In every step the forces of pins, anchors and gravity add up to the rate of momentum, 1e-8 of the weight: Newton's law for the
/// whole body. So they do with pins along axes, with both integrators.
#[test]
fn forces_of_pins_balance_momentum() {
    for integrator in Integrator::ALL {
        for axes in [[true; 3], [true, true, false], [false, true, false]] {
            let mut s = default(0.01);
            s.time.integrator = integrator;
            let (gravity, mesh) = (s.world.gravity, bar([4, 1, 1], 0.1));
            let mut scene = Scene::new(s);
            let body = scene.add_solid("body", mesh.clone(), material(), 1000.0).unwrap();
            scene.pin_axes(body, &wall(&mesh), axes).unwrap();
            scene.anchor(body, &[4, 9], 200.0).unwrap();
            let mut sim = scene.build().unwrap();
            let mass = sim.masses();
            let total: f64 = mass.iter().sum();
            let momentum = |sim: &Simulation, c: usize| -> f64 {
                sim.velocities().iter().zip(&mass).map(|(v, m)| m * v[c]).sum()
            };
            let (mut before, mut older) = ([0.0; 3], [0.0; 3]);
            for step in 0..8 {
                let r = sim.step().unwrap();
                assert_eq!(r.status, Status::Converged, "{r:?}");
                let (pins, anchors) = (sim.pin_forces(), sim.anchor_forces());
                for c in 0..3 {
                    let force: f64 =
                        pins.iter().chain(&anchors).map(|f| f[c]).sum::<f64>() + total * gravity[c];
                    let now = momentum(&sim, c);
                    let rate = if integrator == Integrator::BackwardEuler || step == 0 {
                        (now - before[c]) / 0.01
                    } else {
                        (3.0 * now - 4.0 * before[c] + older[c]) / 0.02
                    };
                    let wrong = (force - rate).abs() / (9.8 * total);
                    assert!(wrong <= 1e-7, "{integrator} {axes:?} step {step}, {c}: {force} is not {rate}");
                }
                let held = sim.held();
                for (f, h) in pins.iter().zip(&held) {
                    assert!((0..3).all(|c| h[c] || f[c] == 0.0));
                }
                older = before;
                before = std::array::from_fn(|c| momentum(&sim, c));
            }
        }
    }
}

/// A block at rest on the floor: contacts point up, lie in its plane, add up to the weight and to the reaction; so does a block on a
/// block, which feels as much as it gives.
#[test]
fn contacts_bear_the_weight() {
    for collide in [false, true] {
        let mut s = default(0.05);
        (s.world.gravity, s.world.damping, s.solve.tolerance) = ([0.0, -9.8, 0.0], 5.0, 1e-8);
        let mesh = bar([2, 1, 2], 0.1);
        let mut scene = Scene::new(s);
        scene.add_solid("low", mesh.clone(), material(), 1000.0).unwrap();
        scene.add_obstacle(floor(0.5)).unwrap();
        if collide {
            scene.add_solid("high", raised(&mesh, 0.105), material(), 1000.0).unwrap();
            scene.collide(Default::default()).unwrap();
        }
        let mut sim = scene.build().unwrap();
        for _ in 0..80 {
            sim.step().unwrap();
        }
        let weight = 9.8 * 4.0;
        let contacts = sim.contacts();
        let sums = sim.contact_sums();
        let bodies = if collide { 2.0 } else { 1.0 };
        let up: f64 = contacts.iter().filter(|c| c.obstacle == Some(0)).map(|c| c.force[1]).sum();
        let reaction = sim.reactions()[0][1];
        assert!((up - reaction).abs() <= 1e-9 * weight, "{up} is not {reaction}");
        assert!((up - bodies * weight).abs() <= 1e-3 * weight, "{up}");
        for c in contacts.iter().filter(|c| c.obstacle == Some(0)) {
            assert!(
                c.normal == [0.0, 1.0, 0.0] && c.point[1].abs() < 0.01 && c.bodies == [Some(0), None],
                "{c:?}"
            );
        }
        let floor_on_low = sums[0][if collide { 2 } else { 1 }];
        assert!((floor_on_low[1] - up).abs() <= 1e-9 * weight);
        if collide {
            let (on_high, on_low) = (sums[1][0], sums[0][1]);
            assert!((on_high[1] - weight).abs() <= 1e-3 * weight, "{on_high:?}");
            assert!((0..3).all(|k| (on_high[k] + on_low[k]).abs() <= 1e-12 * weight));
            for c in contacts.iter().filter(|c| c.obstacle.is_none()) {
                let up = if c.bodies == [Some(1), Some(0)] { 1.0 } else { -1.0 };
                assert!(c.normal[1] * up > 0.9 && (c.point[1] - 0.1).abs() < 0.01, "{c:?}");
            }
        }
    }
}

/// ∇U against the differences of the energy, 1e-6, and the Hessian at rest against those of the gradient, 1e-7.
#[test]
fn gradient_and_hessian_are_derivatives() {
    let mesh = bar([2, 1, 1], 0.1);
    let mut s = default(0.01);
    s.world.gravity = [0.0; 3];
    let mut scene = Scene::new(s);
    let body = scene.add_solid("body", mesh.clone(), material(), 1000.0).unwrap();
    scene.anchor(body, &[0], 300.0).unwrap();
    let mut sim = scene.build().unwrap();
    let rest = sim.positions();
    let still = vec![[0.0; 3]; rest.len()];
    let bent: Vec<[f64; 3]> =
        rest.iter().map(|p| [1.1 * p[0], p[1] + 0.2 * p[0], p[2] - p[0] * p[1]]).collect();
    sim.set_state(&bent, &still).unwrap();
    let g = sim.gradient();
    let size = g.iter().flatten().fold(0.0, |m: f64, v| m.max(v.abs()));
    let e = 1e-6;
    for i in 0..bent.len() {
        for c in 0..3 {
            let mut energy = |d: f64| {
                let mut x = bent.clone();
                x[i][c] += d;
                sim.set_state(&x, &still).unwrap();
                sim.energy().elastic
            };
            let slope = (energy(e) - energy(-e)) / (2.0 * e);
            assert!((slope - g[i][c]).abs() <= 1e-6 * size, "{slope} {}", g[i][c]);
        }
    }
    hessian_is_derivative(&mut sim, &rest);
}

/// The exact Hessian as a dense matrix.
fn dense(sim: &mut Simulation, kind: Hessian) -> nalgebra::DMatrix<f64> {
    let n = 3 * sim.node_count();
    let mut h = nalgebra::DMatrix::zeros(n, n);
    sim.hessian(kind, &mut |i, j, k| {
        assert!(i >= j);
        for c in 0..3 {
            for r in 0..3 {
                h[(3 * i as usize + r, 3 * j as usize + c)] += k[c][r];
                if i != j {
                    h[(3 * j as usize + c, 3 * i as usize + r)] += k[c][r];
                }
            }
        }
    });
    h
}

/// Against the differences of the gradient, 1e-7 of its size.
fn hessian_is_derivative(sim: &mut Simulation, x: &[[f64; 3]]) -> nalgebra::DMatrix<f64> {
    let still = vec![[0.0; 3]; x.len()];
    sim.set_state(x, &still).unwrap();
    let h = dense(sim, Hessian::Exact);
    let (n, most, e) = (3 * x.len(), h.amax(), 1e-6);
    for q in 0..n {
        let mut at = |d: f64| {
            let mut x = x.to_vec();
            x[q / 3][q % 3] += d;
            sim.set_state(&x, &still).unwrap();
            sim.gradient()
        };
        let (plus, minus) = (at(e), at(-e));
        for p in 0..n {
            let slope = (plus[p / 3][p % 3] - minus[p / 3][p % 3]) / (2.0 * e);
            let error = (slope - h[(p, q)]).abs();
            assert!(error <= 1e-7 * most, "{p} {q}: {slope} is not {}", h[(p, q)]);
        }
    }
    sim.set_state(x, &still).unwrap();
    h
}

/// Bodies that are pressed hard and bent have directions in which they give way: the Hessian is the derivative of the gradient there too, for every material of
/// solids, for fibres, cloth and springs; what Newton's method takes has no negative eigenvalue.
#[test]
fn the_hessian_of_loaded_bodies_is_exact() {
    let mesh = bar([2, 1, 1], 0.1);
    let press = |p: &[f64; 3]| [0.6 * p[0], 0.8 * p[1] + 0.3 * p[0] * p[0], p[2] - 0.2 * p[0] * p[1]];
    let mut negative = 0;
    for kind in MaterialKind::ALL {
        // fung has no ν below 0.4.
        let poisson = if kind == MaterialKind::Fung { 0.4 } else { 0.3 };
        let m = Material::new(kind, 1e5, poisson).unwrap();
        let mut scene = Scene::new(default(0.01));
        scene.add_solid("body", mesh.clone(), m, 1000.0).unwrap();
        let mut sim = scene.build().unwrap();
        let x: Vec<[f64; 3]> = mesh.vertices().iter().map(press).collect();
        let h = hessian_is_derivative(&mut sim, &x);
        let least = h.clone().symmetric_eigenvalues().min();
        negative += usize::from(least < -1e-6 * h.amax());
        let projected = dense(&mut sim, Hessian::Projected);
        let least = projected.clone().symmetric_eigenvalues().min();
        assert!(least >= -1e-9 * projected.amax(), "{kind:?}: {least:e}");
    }
    assert!(negative >= 5, "only {negative} materials give way: the test shows little");

    // A sheet that is pressed, and a spring that is.
    let mut scene = Scene::new(default(0.01));
    let sheet = super::sheet::grid([0.2, 0.2], [2, 2]);
    let cloth = Cloth { bending: Bending::Flat(1e-3), ..Cloth::new(material(), 0.001, 500.0) };
    scene.add_cloth("sheet", sheet.clone(), cloth).unwrap();
    scene
        .add_springs("spring", vec![[0.0; 3], [1.0, 0.2, 0.0]], vec![1.0; 2], vec![Spring::new([0, 1], 50.0)])
        .unwrap();
    let mut sim = scene.build().unwrap();
    let mut x: Vec<[f64; 3]> = sheet
        .vertices()
        .iter()
        .map(|p| [0.8 * p[0], 0.02 * (9.0 * p[0] + 5.0 * p[2]).sin(), 0.9 * p[2]])
        .collect();
    x.extend([[0.0; 3], [0.5, 0.1, 0.3]]);
    hessian_is_derivative(&mut sim, &x);
}
