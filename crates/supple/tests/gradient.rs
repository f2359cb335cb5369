//! Gradients through steps against central differences of whole simulations: every material, every kind of parameter, contact at rest and
//! sliding; a Taylor test on 10 000 tetrahedra; a hundred steps.
//!
//! Differences are of five points with a step of a thousandth, f′ = (8(f₁ − f₋₁) − (f₂ − f₋₂))/12h, whose own error is of the order 1e-12; the solver's
//! tolerance of 1e-13 leaves about 1e-8 of them. The bound is 1e-5.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use supple::contact::{HalfSpace, Pose};
use supple::mesh::shapes::{Split, box_mesh};
use supple::sim::gradient::{Gradient, Seed};
use supple::{
    Cloth, Damping, Integrator, Material, MaterialKind, Method, Obstacle, Scene, Settings, Simulation,
    Spring, TetMesh, TriMesh,
};

const BOUND: f64 = 1e-5;
const PLENTY: usize = 1 << 30;

/// A number between −1 and 1 for each k, always the same.
fn noise(k: usize) -> f64 {
    let mut z = (k as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) as f64 / (u64::MAX as f64) * 2.0 - 1.0
}
fn rows(n: usize, seed: usize) -> Vec<[f64; 3]> {
    (0..n).map(|i| std::array::from_fn(|c| noise(1000 * seed + 3 * i + c))).collect()
}

fn settings() -> Settings {
    let mut s = Settings::default();
    s.time.dt = 0.02;
    s.solve.method = Method::Newton;
    s.solve.tolerance = 1e-13;
    s.solve.iterations = 100;
    s.solve.threads = 1;
    s
}

fn five(f: impl Fn(f64) -> f64, h: f64) -> f64 {
    (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}

fn close(what: &str, found: f64, wanted: f64, size: f64) {
    let off = (found - wanted).abs() / size.max(wanted.abs());
    assert!(off <= BOUND, "{what}: {found:e} against {wanted:e}, off by {off:e}");
}

fn dot(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a * b).sum()
}

/// L of a run: weights times the last positions and velocities, and times the positions in the middle.
struct Measure {
    steps: usize,
}

impl Measure {
    fn seeds(&self, n: usize) -> Vec<Seed> {
        vec![
            Seed {
                step: self.steps,
                dx: rows(n, 1),
                dv: rows(n, 2).iter().map(|r| r.map(|a| 0.01 * a)).collect(),
            },
            Seed { step: self.steps / 2, dx: rows(n, 3), dv: Vec::new() },
        ]
    }
    fn run(&self, sim: &mut Simulation, inputs: &dyn Fn(&mut Simulation, usize)) -> f64 {
        let mut sum = 0.0;
        let seeds = self.seeds(sim.node_count());
        for k in 0..self.steps {
            inputs(sim, k);
            sim.step().unwrap();
            for s in seeds.iter().filter(|s| s.step == k + 1) {
                sum += dot(&s.dx, &sim.positions()) + dot(&s.dv, &sim.velocities());
            }
        }
        sum
    }
    fn gradient(&self, sim: &mut Simulation, inputs: &dyn Fn(&mut Simulation, usize)) -> Gradient {
        sim.record(PLENTY).unwrap();
        self.run(sim, inputs);
        let tape = sim.end_record().unwrap();
        let seeds = self.seeds(sim.node_count());
        sim.backward(&tape, &seeds).unwrap()
    }
}

fn constant(sim: &Simulation, g: &Gradient, name: &str) -> f64 {
    let all = sim.by_constant(g, 0).unwrap();
    all.iter().find(|c| c.name == name).unwrap_or_else(|| panic!("no {name} among {all:?}")).total
}

fn mesh() -> TetMesh {
    box_mesh([0.4, 0.2, 0.2], [2, 1, 1], Split::default()).unwrap()
}

fn left(mesh: &TetMesh) -> Vec<u32> {
    (0..mesh.vertices().len() as u32).filter(|&i| mesh.vertices()[i as usize][0] == 0.0).collect()
}

/// A start that is bent and moves.
fn start(sim: &mut Simulation, share: f64) {
    let x: Vec<[f64; 3]> = sim.positions();
    let n = x.len();
    let held = sim.held();
    let moved = x.iter().zip(rows(n, 7)).zip(&held);
    let x: Vec<[f64; 3]> = moved
        .map(|((x, r), h)| std::array::from_fn(|c| x[c] + if h[c] { 0.0 } else { share * r[c] }))
        .collect();
    sim.set_state(&x, &rows(n, 8).iter().map(|r| r.map(|a| 0.3 * a)).collect::<Vec<_>>()).unwrap();
}

fn nothing(_: &mut Simulation, _: usize) {}

/// Positions, velocities, forces, pins and gravity of what `build` makes, along random directions.
fn check_state(what: &str, build: &dyn Fn(f64) -> Simulation, steps: usize) {
    let measure = Measure { steps };
    let mut sim = build(0.0);
    let n = sim.node_count();
    let (x0, v0) = (sim.positions(), sim.velocities());
    let g = measure.gradient(&mut sim, &nothing);
    let size = |a: &[[f64; 3]]| dot(a, a).sqrt();
    let along = |a: &[[f64; 3]], d: &[[f64; 3]], s: f64| -> Vec<[f64; 3]> {
        a.iter().zip(d).map(|(a, d)| std::array::from_fn(|c| a[c] + s * d[c])).collect()
    };
    let d = rows(n, 11);
    let by_x = five(
        |s| {
            let mut sim = build(0.0);
            sim.set_state(&along(&x0, &d, s), &v0).unwrap();
            measure.run(&mut sim, &nothing)
        },
        1e-5,
    );
    close(&format!("{what}: positions"), dot(&g.positions, &d), by_x, 1e-2 * size(&g.positions));
    let by_v = five(
        |s| {
            let mut sim = build(0.0);
            sim.set_state(&x0, &along(&v0, &d, s)).unwrap();
            measure.run(&mut sim, &nothing)
        },
        1e-3,
    );
    close(&format!("{what}: velocities"), dot(&g.velocities, &d), by_v, 1e-2 * size(&g.velocities));
    let force: Vec<[f64; 3]> = d.iter().map(|r| r.map(|a| 0.1 * a)).collect();
    let by_f = five(
        |s| {
            let mut sim = build(0.0);
            sim.set_forces(&along(&vec![[0.0; 3]; n], &force, s)).unwrap();
            measure.run(&mut sim, &nothing)
        },
        1e-2,
    );
    let all: Vec<f64> = g.forces.iter().map(|f| dot(f, &force)).collect();
    close(
        &format!("{what}: forces"),
        all.iter().sum(),
        by_f,
        1e-3 * all.iter().map(|a| a.abs()).sum::<f64>(),
    );
    let by_g = five(
        |s| {
            let mut sim = build(0.0);
            let mut settings = sim.settings().clone();
            settings.world.gravity = [0.3 * s, -9.8 + s, 0.5 * s];
            sim.update_settings(settings).unwrap();
            measure.run(&mut sim, &nothing)
        },
        1e-2,
    );
    close(&format!("{what}: gravity"), 0.3 * g.gravity[0] + g.gravity[1] + 0.5 * g.gravity[2], by_g, 1e-6);
    assert!(g.notes.len() == steps && g.notes.iter().all(|n| n.linear_residual < 1e-10), "{:?}", g.notes);
}

fn solid(material: Material, density: f64, damping: Damping, settings: Settings) -> Simulation {
    let mut scene = Scene::new(settings);
    let mesh = mesh();
    let pins = left(&mesh);
    let body = scene.add_solid("beam", mesh, material, density).unwrap();
    scene.pin(body, &pins).unwrap();
    scene.damp(body, damping).unwrap();
    let mut sim = scene.build().unwrap();
    start(&mut sim, 0.01);
    sim
}

/// Relative derivatives of L by a number that makes a simulation.
fn check_constant(what: &str, name: &str, value: f64, build: &dyn Fn(f64) -> Simulation, steps: usize) {
    let measure = Measure { steps };
    let mut sim = build(value);
    let g = measure.gradient(&mut sim, &nothing);
    let found = constant(&sim, &g, name) * value;
    let wanted = five(|s| measure.run(&mut build(value * (1.0 + s)), &nothing), 2e-3);
    close(&format!("{what}: {name}"), found, wanted, 1e-7);
}

#[test]
fn every_material_and_its_constants() {
    let none = Damping::default();
    for kind in MaterialKind::ALL {
        let (e, nu) = (1e4, if kind == MaterialKind::Fung { 0.42 } else { 0.3 });
        let of =
            |e: f64, nu: f64, rho: f64| solid(Material::new(kind, e, nu).unwrap(), rho, none, settings());
        check_state(kind.name(), &|_| of(e, nu, 1000.0), 4);
        let steps = 4;
        if kind != MaterialKind::Fibre {
            check_constant(kind.name(), "young", e, &|e| of(e, nu, 1000.0), steps);
        }
        check_constant(kind.name(), "density", 1000.0, &|rho| of(e, nu, rho), steps);
        if !matches!(kind, MaterialKind::Spline | MaterialKind::Fibre) {
            check_constant(kind.name(), "poisson", nu, &|nu| of(e, nu, 1000.0), steps);
        }
    }
}

#[test]
fn constants_of_their_own() {
    let none = Damping::default();
    let of = |m: Material| solid(m, 1000.0, none, settings());
    check_constant("mooney", "c10", 2e3, &|c| of(Material::mooney_rivlin(c, 5e2, 2e4).unwrap()), 4);
    check_constant("mooney", "c01", 5e2, &|c| of(Material::mooney_rivlin(2e3, c, 2e4).unwrap()), 4);
    check_constant("mooney", "d1", 2e4, &|d| of(Material::mooney_rivlin(2e3, 5e2, d).unwrap()), 4);
    let ogden = |m: f64, a: f64, k: f64| of(Material::ogden(&[(m, a), (-2e2, -2.0)], k).unwrap());
    check_constant("ogden", "mu1", 4e3, &|m| ogden(m, 1.6, 3e4), 4);
    check_constant("ogden", "alpha1", 1.6, &|a| ogden(4e3, a, 3e4), 4);
    check_constant("ogden", "kappa", 3e4, &|k| ogden(4e3, 1.6, k), 4);
    // With a stiffness of its own it has no ν: k is E.
    check_constant("arap", "young", 1e4, &|k| of(Material::arap_with_stiffness(k).unwrap()), 4);
    let lame = supple::energy::Lame::from_young(1e4, 0.45).unwrap();
    check_constant("fung", "b", 2.0, &|b| of(Material::fung(lame, b).unwrap()), 4);
    let fibre = |k: f64| {
        let fibres = supple::energy::Fibres::new([1.0, 0.3, 0.0], k).unwrap().contracted(0.1).unwrap();
        of(Material::new(MaterialKind::NeoHookean, 1e4, 0.3).unwrap().with_fibres(fibres))
    };
    check_constant("fibre", "fibre_stiffness", 1e4, &fibre, 4);
}

#[test]
fn damping_of_both_kinds_and_bdf2() {
    let m = || Material::new(MaterialKind::NeoHookean, 1e4, 0.3).unwrap();
    for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
        let mut s = settings();
        s.time.integrator = integrator;
        s.world.damping = 0.7;
        let of = |mass: f64, stiffness: f64| solid(m(), 1000.0, Damping { mass, stiffness }, s.clone());
        check_state(&format!("damped, {integrator:?}"), &|_| of(0.8, 0.004), 5);
        check_constant("damped", "damping_mass", 0.8, &|a| of(a, 0.004), 5);
        check_constant("damped", "damping_stiffness", 0.004, &|b| of(0.8, b), 5);
        let young = |e: f64| {
            let m = Material::new(MaterialKind::NeoHookean, e, 0.3).unwrap();
            solid(m, 1000.0, Damping { mass: 0.8, stiffness: 0.004 }, s.clone())
        };
        check_constant("damped", "young", 1e4, &young, 5);
    }
}

fn cloth_mesh() -> TriMesh {
    let at = |i: usize, j: usize| [0.1 * i as f64, 0.02 * noise(i + 7 * j), 0.1 * j as f64];
    let vertices = (0..4).flat_map(|j| (0..4).map(move |i| at(i, j))).collect();
    let mut triangles = Vec::new();
    for j in 0..3u32 {
        for i in 0..3u32 {
            let a = 4 * j + i;
            triangles.extend([[a, a + 4, a + 1], [a + 1, a + 4, a + 5]]);
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

#[test]
fn sheets() {
    let sheet = |kind: MaterialKind, e: f64, nu: f64, t: f64, threads: [f64; 2], rho: f64| {
        let mut scene = Scene::new(settings());
        let mut cloth = Cloth::new(Material::new(kind, e, nu).unwrap(), t, rho);
        cloth.threads = threads;
        let body = scene.add_cloth("sheet", cloth_mesh(), cloth).unwrap();
        scene.pin(body, &[0, 3]).unwrap();
        let mut sim = scene.build().unwrap();
        start(&mut sim, 0.003);
        sim
    };
    for kind in [
        MaterialKind::Arap,
        MaterialKind::Corotated,
        MaterialKind::StVenantKirchhoff,
        MaterialKind::NeoHookean,
    ] {
        let with = |e, nu, t, k, rho| sheet(kind, e, nu, t, [k, 5e4], rho);
        check_state(&format!("sheet {}", kind.name()), &|_| with(1e5, 0.3, 1e-2, 3e4, 500.0), 4);
        check_constant("sheet", "young", 1e5, &|e| with(e, 0.3, 1e-2, 3e4, 500.0), 4);
        check_constant("sheet", "poisson", 0.3, &|nu| with(1e5, nu, 1e-2, 3e4, 500.0), 4);
        check_constant("sheet", "thickness", 1e-2, &|t| with(1e5, 0.3, t, 3e4, 500.0), 4);
        check_constant("sheet", "thread_warp", 3e4, &|k| with(1e5, 0.3, 1e-2, k, 500.0), 4);
        check_constant("sheet", "density", 500.0, &|rho| with(1e5, 0.3, 1e-2, 3e4, rho), 4);
    }
}

#[test]
fn springs_and_their_lengths() {
    let net = |k: f64, l: f64, mass: f64| {
        let mut scene = Scene::new(settings());
        let x: Vec<[f64; 3]> =
            (0..6).map(|i| [0.1 * i as f64, 0.02 * noise(i), 0.02 * noise(i + 50)]).collect();
        let springs =
            (0..5u32).map(|i| Spring { rest_length: Some(l), ..Spring::new([i, i + 1], k) }).collect();
        let body = scene.add_springs("net", x, vec![mass / 6.0; 6], springs).unwrap();
        scene.pin(body, &[0]).unwrap();
        let mut sim = scene.build().unwrap();
        start(&mut sim, 0.01);
        sim
    };
    check_state("springs", &|_| net(50.0, 0.09, 0.06), 6);
    check_constant("springs", "stiffness", 50.0, &|k| net(k, 0.09, 0.06), 6);
    check_constant("springs", "rest_length", 0.09, &|l| net(50.0, l, 0.06), 6);
    check_constant("springs", "mass", 0.06, &|m| net(50.0, 0.09, m), 6);
}

/// Pins that move: each target of each step along a random direction. Muscles: the contraction of each step.
#[test]
fn motions_and_muscles() {
    let fibres = supple::energy::Fibres::new([1.0, 0.3, 0.0], 2e4).unwrap();
    let m = || Material::new(MaterialKind::NeoHookean, 1e4, 0.3).unwrap().with_fibres(fibres);
    let build = || solid(m(), 1000.0, Damping { mass: 0.0, stiffness: 0.003 }, settings());
    let ids = left(&mesh());
    let d = rows(ids.len(), 20);
    let measure = Measure { steps: 4 };
    let drive = |s: f64, contract: [f64; 4]| {
        let (ids, d) = (ids.clone(), d.clone());
        move |sim: &mut Simulation, k: usize| {
            let at = |(i, d): (&u32, &[f64; 3])| -> [f64; 3] {
                let x = mesh().vertices()[*i as usize];
                std::array::from_fn(|c| x[c] + 0.01 * (k as f64 + 1.0) + s * (k as f64 + 1.0) * d[c])
            };
            let to: Vec<[f64; 3]> = ids.iter().zip(&d).map(at).collect();
            sim.move_pins(0, &ids, &to).unwrap();
            sim.contract(0, contract[k]).unwrap();
        }
    };
    let c0 = [0.1, 0.2, 0.15, 0.1];
    let mut sim = build();
    let g = measure.gradient(&mut sim, &drive(0.0, c0));
    let wanted = five(|s| measure.run(&mut build(), &drive(s, c0)), 1e-4);
    let found: f64 = g
        .pins
        .iter()
        .enumerate()
        .map(|(k, p)| {
            let there: Vec<[f64; 3]> = ids.iter().map(|i| p[*i as usize]).collect();
            (k as f64 + 1.0) * dot(&there, &d)
        })
        .sum();
    close("pins", found, wanted, 1e-6);
    for k in 0..4 {
        let by = |s: f64| {
            let mut c = c0;
            c[k] += s;
            measure.run(&mut build(), &drive(0.0, c))
        };
        let found: f64 = g.contractions.iter().map(|c| c.1[k]).sum();
        close(&format!("contraction {k}"), found, five(by, 1e-4), 1e-6);
    }
}

/// Rest positions of one node, masses being what they are.
#[test]
fn rest_shape() {
    let base = mesh();
    let masses = base.node_masses(|_| 1000.0);
    let d = rows(base.vertices().len(), 30);
    let build = |s: f64| {
        let x =
            base.vertices().iter().zip(&d).map(|(x, d)| std::array::from_fn(|c| x[c] + s * d[c])).collect();
        let moved = TetMesh::new(x, base.tets().to_vec()).unwrap();
        let materials = vec![Material::new(MaterialKind::NeoHookean, 1e4, 0.3).unwrap(); base.tets().len()];
        let mut scene = Scene::new(settings());
        let body = scene.add_solid_with_masses("beam", moved, materials, masses.clone()).unwrap();
        scene.pin(body, &left(&base)).unwrap();
        let mut sim = scene.build().unwrap();
        sim.set_state(base.vertices(), &rows(d.len(), 8)).unwrap();
        sim
    };
    let measure = Measure { steps: 4 };
    let mut sim = build(0.0);
    let g = measure.gradient(&mut sim, &nothing);
    assert!(g.no_rest.is_empty());
    close("rest", dot(&g.rest, &d), five(|s| measure.run(&mut build(s), &nothing), 1e-4), 1e-6);
}

/// A block that rests on a floor, and one that slides over it: friction, the floor's motion and all else.
#[test]
fn contact_at_rest_and_sliding() {
    for (what, friction, speed) in [("frictionless", 0.0, 0.5), ("sliding", 0.3, 2.0), ("sticking", 0.9, 0.0)]
    {
        let block = |e: f64, mu: f64| {
            let mut s = settings();
            s.solve.method = Method::Newton;
            let mut scene = Scene::new(s);
            let m = Material::new(MaterialKind::NeoHookean, e, 0.3).unwrap();
            scene.add_solid("block", mesh(), m, 1000.0).unwrap();
            let floor = HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap();
            scene.add_obstacle(Obstacle { friction: mu, ..Obstacle::new("floor", floor) }).unwrap();
            let mut sim = scene.build().unwrap();
            let n = sim.node_count();
            let x = sim.positions();
            sim.set_state(&x, &vec![[speed, 0.0, 0.2 * speed]; n]).unwrap();
            for _ in 0..3 {
                sim.step().unwrap();
            }
            sim
        };
        let measure = Measure { steps: 4 };
        let build = || block(1e5, friction);
        let mut sim = build();
        let g = measure.gradient(&mut sim, &nothing);
        assert!(g.notes.iter().all(|n| !n.switching), "{what}: {:?}", g.notes);
        assert!(g.positions.iter().flatten().any(|a| *a != 0.0));
        let n = sim.node_count();
        let force: Vec<[f64; 3]> = rows(n, 41).iter().map(|r| r.map(|a| 5.0 * a)).collect();
        let pushed = |s: f64| {
            let mut sim = build();
            sim.set_forces(&force.iter().map(|f| f.map(|a| s * a)).collect::<Vec<_>>()).unwrap();
            measure.run(&mut sim, &nothing)
        };
        let found: f64 = g.forces.iter().map(|f| dot(f, &force)).sum();
        close(&format!("{what}: forces"), found, five(pushed, 0.1), 1e-7);
        let lift = |s: f64| {
            let drive = move |sim: &mut Simulation, k: usize| {
                let t = (k + 1) as f64;
                sim.move_obstacle(0, Pose::new([0.0; 3], [0.0; 3], [s * t, 0.5 * s * t, -s * t])).unwrap();
            };
            measure.run(&mut build(), &drive)
        };
        let found: f64 = g
            .obstacles
            .iter()
            .enumerate()
            .map(|(k, o)| (k as f64 + 1.0) * (o[0][0] + 0.5 * o[0][1] - o[0][2]))
            .sum();
        close(&format!("{what}: floor"), found, five(lift, 1e-4), 1e-7);
    }
}

/// What is refused is refused by name.
#[test]
fn what_is_not_covered_is_refused() {
    let mut scene = Scene::new(settings());
    scene.add_solid("a", mesh(), Material::new(MaterialKind::NeoHookean, 1e4, 0.3).unwrap(), 1000.0).unwrap();
    let ball = supple::contact::Sphere::new([0.0, -2.0, 0.0], 1.0).unwrap();
    scene.add_obstacle(Obstacle::new("ball", ball)).unwrap();
    let mut sim = scene.build().unwrap();
    let e = sim.record(PLENTY).unwrap_err().to_string();
    assert!(e.contains("`ball`"), "{e}");
    let mut sim =
        solid(Material::new(MaterialKind::Arap, 1e4, 0.3).unwrap(), 1e3, Damping::default(), settings());
    sim.record(PLENTY).unwrap();
    sim.step().unwrap();
    let x = sim.positions();
    sim.set_state(&x, &x).unwrap();
    sim.step().unwrap();
    let tape = sim.end_record().unwrap();
    let e = sim.backward(&tape, &[]).unwrap_err().to_string();
    assert!(e.contains("set_state()"), "{e}");
}

/// With little memory states are found again from checkpoints: the same bits.
#[test]
fn checkpoints_give_the_same_bits() {
    let m = || Material::new(MaterialKind::NeoHookean, 1e4, 0.3).unwrap();
    let mut s = settings();
    s.time.integrator = Integrator::Bdf2;
    let build = || solid(m(), 1000.0, Damping { mass: 0.5, stiffness: 0.003 }, s.clone());
    let measure = Measure { steps: 30 };
    let run = |memory: usize| {
        let mut sim = build();
        sim.record(memory).unwrap();
        measure.run(&mut sim, &nothing);
        let (x, tape) = (sim.positions(), sim.end_record().unwrap());
        let seeds = measure.seeds(x.len());
        let g = sim.backward(&tape, &seeds).unwrap();
        assert_eq!(sim.positions(), x, "the state stays");
        (tape.whole(), tape.bytes(), g)
    };
    let (whole, more, a) = run(PLENTY);
    let (part, less, b) = run(20_000);
    assert!(whole && !part && less < more, "{less} {more}");
    assert_eq!(a.positions, b.positions);
    assert_eq!(a.masses, b.masses);
    assert_eq!(a.forces, b.forces);
}

/// |L(θ + εd) − L(θ) − ε g·d| falls with ε²: on 10 000 tetrahedra, and after a hundred steps of a small body.
#[test]
fn taylor() {
    for (cells, steps, epsilons) in
        [([20, 10, 10], 2, [1e-2, 5e-3, 2.5e-3]), ([3, 1, 1], 100, [2e-3, 1e-3, 5e-4])]
    {
        let mesh = box_mesh([0.4, 0.2, 0.2], cells, Split::Five).unwrap();
        let tets = mesh.tets().len();
        assert!(cells[0] != 20 || tets >= 10_000, "{tets}");
        let build = |s: f64| {
            let mut set = settings();
            set.solve.tolerance = 1e-12;
            let mut scene = Scene::new(set);
            let m = Material::new(MaterialKind::NeoHookean, 3e4 * (1.0 + s), 0.35).unwrap();
            let pins = left(&mesh);
            let body = scene.add_solid("beam", mesh.clone(), m, 1000.0).unwrap();
            scene.pin(body, &pins).unwrap();
            let mut sim = scene.build().unwrap();
            let v: Vec<[f64; 3]> =
                mesh.vertices().iter().map(|x| [s * x[1], -x[0] * (1.0 + s), 0.0]).collect();
            let x = sim.positions();
            sim.set_state(&x, &v).unwrap();
            (sim, v)
        };
        let square = |sim: &Simulation| -> f64 { sim.positions().iter().map(|x| x[1] * x[1]).sum::<f64>() };
        let run = |s: f64| {
            let (mut sim, _) = build(s);
            for _ in 0..steps {
                sim.step().unwrap();
            }
            square(&sim)
        };
        let (mut sim, _) = build(0.0);
        sim.record(PLENTY).unwrap();
        for _ in 0..steps {
            sim.step().unwrap();
        }
        let l = square(&sim);
        let tape = sim.end_record().unwrap();
        let dx = sim.positions().iter().map(|x| [0.0, 2.0 * x[1], 0.0]).collect();
        let g = sim.backward(&tape, &[Seed { step: steps, dx, dv: Vec::new() }]).unwrap();
        let d: Vec<[f64; 3]> = mesh.vertices().iter().map(|x| [x[1], -x[0], 0.0]).collect();
        let slope = 3e4 * constant(&sim, &g, "young") + dot(&g.velocities, &d);
        let left: Vec<f64> = epsilons.iter().map(|e| (run(*e) - l - e * slope).abs()).collect();
        for (a, b) in left.iter().zip(&left[1..]) {
            let order = (a / b).log2();
            assert!((order - 2.0).abs() < 0.15, "{tets} tetrahedra, {steps} steps: {left:?}, order {order}");
        }
    }
}
