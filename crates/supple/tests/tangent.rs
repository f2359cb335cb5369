//! Forward mode against central differences of whole simulations, and against reverse mode: every kind of parameter, contact at rest, sticking and
//! sliding, both integrators, checkpoints.
//!
//! Differences are of five points, as in `gradient.rs`; the bound is 1e-5. Forward mode takes differences of three points of forces, a
//! ten-thousandth apart, whose error is of the order 1e-8.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use supple::contact::{HalfSpace, Pose};
use supple::mesh::shapes::{Split, box_mesh};
use supple::sim::gradient::{Nearby, Seed, Tangents, forward};
use supple::{
    Cloth, Damping, Integrator, Material, MaterialKind, Method, Obstacle, Scene, Settings, Simulation,
    Spring, TetMesh, TriMesh,
};

const BOUND: f64 = 1e-5;
const PLENTY: usize = 1 << 30;
const STEPS: usize = 6;

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
fn dot(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a * b).sum()
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

fn mesh() -> TetMesh {
    box_mesh([0.4, 0.2, 0.2], [2, 1, 1], Split::default()).unwrap()
}
fn left(mesh: &TetMesh) -> Vec<u32> {
    (0..mesh.vertices().len() as u32).filter(|&i| mesh.vertices()[i as usize][0] == 0.0).collect()
}

/// A start that is bent and moves.
fn start(sim: &mut Simulation, share: f64) {
    let n = sim.node_count();
    let held = sim.held();
    let moved = sim.positions().into_iter().zip(rows(n, 7)).zip(held);
    let x: Vec<[f64; 3]> = moved
        .map(|((x, r), h)| std::array::from_fn(|c| x[c] + if h[c] { 0.0 } else { share * r[c] }))
        .collect();
    sim.set_state(&x, &rows(n, 8).iter().map(|r| r.map(|a| 0.3 * a)).collect::<Vec<_>>()).unwrap();
}

type Drive<'a> = &'a dyn Fn(&mut Simulation, usize);
fn nothing(_: &mut Simulation, _: usize) {}

/// L is weights times the last positions and velocities, and times positions in the middle.
fn seeds(n: usize) -> [Seed; 2] {
    let dv = rows(n, 2).iter().map(|r| r.map(|a| 0.01 * a)).collect();
    [Seed { step: STEPS, dx: rows(n, 1), dv }, Seed { step: STEPS / 2, dx: rows(n, 3), dv: Vec::new() }]
}

fn run(sim: &mut Simulation, drive: Drive<'_>) -> f64 {
    let (mut sum, seeds) = (0.0, seeds(sim.node_count()));
    for k in 0..STEPS {
        drive(sim, k);
        sim.step().unwrap();
        for s in seeds.iter().filter(|s| s.step == k + 1) {
            sum += dot(&s.dx, &sim.positions()) + dot(&s.dv, &sim.velocities());
        }
    }
    sum
}

/// dL/dθ from the tangents of one parameter.
fn total(found: &Tangents, n: usize) -> f64 {
    let t = &found.parameters[0];
    assert_eq!((t.positions.len(), found.notes.len()), (STEPS + 1, STEPS));
    seeds(n).iter().map(|s| dot(&s.dx, &t.positions[s.step]) + dot(&s.dv, &t.velocities[s.step])).sum()
}

fn tangents(
    value: f64,
    step: f64,
    memory: usize,
    (build, drive): (&dyn Fn(f64) -> Simulation, Drive<'_>),
) -> (Simulation, Tangents, supple::sim::Tape) {
    let mut sim = build(value);
    sim.record(memory).unwrap();
    run(&mut sim, drive);
    let tape = sim.end_record().unwrap();
    let here = sim.positions();
    let (mut more, mut less) = (build(value + step), build(value - step));
    let mut nearby = [Nearby { sides: [&mut more, &mut less], width: 2.0 * step }];
    let found = forward(&mut sim, &tape, &mut nearby).unwrap();
    assert_eq!(sim.positions(), here, "the state stays");
    (sim, found, tape)
}

/// dL/dθ against differences, θ being `value` and changing by the order of `scale`.
fn check(what: &str, (value, scale): (f64, f64), build: &dyn Fn(f64) -> Simulation, drive: Drive<'_>) {
    let (sim, found, _) = tangents(value, 1e-4 * scale, PLENTY, (build, drive));
    assert!(
        found.notes.iter().all(|n| !n.switching && n.linear_residual < 1e-10),
        "{what}: {:?}",
        found.notes
    );
    let found = total(&found, sim.node_count()) * scale;
    let h = 2e-3;
    let by = |s: f64| run(&mut build(value + s * scale), drive);
    let wanted = (8.0 * (by(h) - by(-h)) - (by(2.0 * h) - by(-2.0 * h))) / (12.0 * h);
    let off = (found - wanted).abs() / wanted.abs().max(1e-7);
    assert!(off <= BOUND, "{what}: {found:e} against {wanted:e}, off by {off:e}");
}

struct Beam {
    kind: MaterialKind,
    young: f64,
    poisson: f64,
    density: f64,
    damping: Damping,
    gravity: f64,
    turn: f64,
    stretch: f64,
    settings: Settings,
}

impl Default for Beam {
    fn default() -> Beam {
        Beam {
            kind: MaterialKind::NeoHookean,
            young: 2e4,
            poisson: 0.3,
            density: 1000.0,
            damping: Damping { mass: 0.7, stiffness: 0.003 },
            gravity: -9.8,
            turn: 1.0,
            stretch: 1.0,
            settings: settings(),
        }
    }
}

impl Beam {
    fn build(&self) -> Simulation {
        let mut settings = self.settings.clone();
        settings.world.gravity[1] = self.gravity;
        let mut scene = Scene::new(settings);
        let base = mesh();
        let x = base.vertices().iter().map(|x| [x[0] * self.stretch, x[1], x[2]]).collect();
        let mesh = TetMesh::new(x, base.tets().to_vec()).unwrap();
        let pins = left(&mesh);
        let m = Material::new(self.kind, self.young, self.poisson).unwrap();
        let body = scene.add_solid("beam", mesh, m, self.density).unwrap();
        scene.pin(body, &pins).unwrap();
        scene.damp(body, self.damping).unwrap();
        let mut sim = scene.build().unwrap();
        start(&mut sim, 0.01);
        let v: Vec<[f64; 3]> = sim.velocities().iter().map(|v| v.map(|v| v * self.turn)).collect();
        sim.set_state(&sim.positions(), &v).unwrap();
        sim
    }
}

#[test]
fn every_material() {
    for kind in [
        MaterialKind::Linear,
        MaterialKind::Arap,
        MaterialKind::Corotated,
        MaterialKind::FixedCorotated,
        MaterialKind::NeoHookean,
        MaterialKind::StableNeoHookean,
        MaterialKind::StVenantKirchhoff,
    ] {
        let build = |young| Beam { kind, young, ..Beam::default() }.build();
        check(&format!("{kind:?}: young"), (2e4, 2e4), &build, &nothing);
        if kind != MaterialKind::Arap {
            let build = |poisson| Beam { kind, poisson, ..Beam::default() }.build();
            check(&format!("{kind:?}: poisson"), (0.3, 0.3), &build, &nothing);
        }
    }
}

/// Whatever makes a scene is a parameter, by both integrators: also the length of a body, which changes masses, rest shape and start.
#[test]
fn every_number_of_a_scene() {
    for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
        let base = || {
            let mut b = Beam::default();
            b.settings.time.integrator = integrator;
            b
        };
        let name = |what: &str| format!("{integrator:?}: {what}");
        check(&name("density"), (1000.0, 1000.0), &|density| Beam { density, ..base() }.build(), &nothing);
        check(&name("gravity"), (-9.8, 9.8), &|gravity| Beam { gravity, ..base() }.build(), &nothing);
        check(&name("velocity"), (1.0, 1.0), &|turn| Beam { turn, ..base() }.build(), &nothing);
        check(&name("length"), (1.0, 1.0), &|stretch| Beam { stretch, ..base() }.build(), &nothing);
        let damp = |mass, stiffness| Beam { damping: Damping { mass, stiffness }, ..base() }.build();
        check(&name("damping by mass"), (0.7, 0.7), &|d| damp(d, 0.003), &nothing);
        check(&name("damping by stiffness"), (0.003, 0.003), &|d| damp(0.7, d), &nothing);
    }
}

/// What a run sets by hand stays: pins, forces and muscles that move do not change with the parameter, those that it leaves alone do.
#[test]
fn motions_stay() {
    let fibres = supple::energy::Fibres::new([1.0, 0.3, 0.0], 2e4).unwrap();
    let ids = left(&mesh());
    let home = |k: usize| mesh().vertices()[ids[k] as usize];
    let tip = mesh().vertices()[8];
    let build = |s: f64| {
        let mut scene = Scene::new(settings());
        let m = Material::new(MaterialKind::NeoHookean, 1e4 * s, 0.3).unwrap().with_fibres(fibres);
        let body = scene.add_solid("arm", mesh(), m, 1000.0).unwrap();
        scene.pin(body, &ids).unwrap();
        scene.anchor(body, &[8], 40.0 * s * s).unwrap();
        let mut sim = scene.build().unwrap();
        // Forces, a pin and a muscle that depend on the parameter from the start …
        let n = sim.node_count();
        sim.set_forces(&rows(n, 5).iter().map(|f| f.map(|f| 0.3 * s * f)).collect::<Vec<_>>()).unwrap();
        sim.move_pins(0, &ids[1..2], &[[home(1)[0] + 0.01 * s, home(1)[1] + 0.01, home(1)[2] * s]]).unwrap();
        sim.contract(0, 0.1 * s).unwrap();
        sim
    };
    let drive = |sim: &mut Simulation, k: usize| {
        // … and others that the run moves.
        let t = 0.004 * (k + 1) as f64;
        sim.move_pins(0, &ids[..1], &[[home(0)[0] + t, home(0)[1] - t, home(0)[2]]]).unwrap();
        sim.move_anchors(0, &[8], &[[tip[0] + t, tip[1] + t, tip[2]]]).unwrap();
        if k == 3 {
            sim.contract(0, 0.2).unwrap();
        }
    };
    check("by hand", (1.0, 1.0), &build, &drive);
}

#[test]
fn sheets_and_springs() {
    let sheet = |young: f64, poisson: f64, thickness: f64| {
        let cells = 3usize;
        let at = |i: usize, j: usize| (i * (cells + 1) + j) as u32;
        let x = (0..16).map(|k| [0.1 * (k / 4) as f64, 0.0, 0.1 * (k % 4) as f64]).collect();
        let squares = (0..cells * cells).map(|k| (k / cells, k % cells));
        let t = squares
            .flat_map(|(i, j)| {
                [[at(i, j), at(i, j + 1), at(i + 1, j)], [at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)]]
            })
            .collect();
        let m = Material::new(MaterialKind::StVenantKirchhoff, young, poisson).unwrap();
        let cloth = Cloth::new(m, thickness, 300.0);
        let mut scene = Scene::new(settings());
        let body = scene.add_cloth("sheet", TriMesh::new(x, t).unwrap(), cloth).unwrap();
        scene.pin(body, &[0, 3]).unwrap();
        let mut sim = scene.build().unwrap();
        start(&mut sim, 0.005);
        sim
    };
    check("sheet: young", (5e4, 5e4), &|e| sheet(e, 0.3, 0.01), &nothing);
    check("sheet: poisson", (0.3, 0.3), &|p| sheet(5e4, p, 0.01), &nothing);
    check("sheet: thickness", (0.01, 0.01), &|t| sheet(5e4, 0.3, t), &nothing);
    let net = |k: f64, l: f64| {
        let mut scene = Scene::new(settings());
        let x = (0..6).map(|i| [0.1 * i as f64, 0.02 * noise(i), 0.02 * noise(i + 50)]).collect();
        let springs =
            (0..5u32).map(|i| Spring { rest_length: Some(l), ..Spring::new([i, i + 1], k) }).collect();
        let body = scene.add_springs("net", x, vec![0.01; 6], springs).unwrap();
        scene.pin(body, &[0]).unwrap();
        let mut sim = scene.build().unwrap();
        start(&mut sim, 0.01);
        sim
    };
    check("springs: stiffness", (50.0, 50.0), &|k| net(k, 0.09), &nothing);
    check("springs: length", (0.09, 0.09), &|l| net(50.0, l), &nothing);
}

/// A block at rest on a floor, sliding and sticking: what it is made of, friction, how high the floor is, how it is moved.
#[test]
fn contact_at_rest_and_sliding() {
    for (what, friction, speed) in [("frictionless", 0.0, 0.5), ("sliding", 0.3, 2.0), ("sticking", 0.9, 0.0)]
    {
        let block = |young: f64, friction: f64, push: f64, lift: f64| {
            let mut scene = Scene::new(settings());
            let m = Material::new(MaterialKind::NeoHookean, young, 0.3).unwrap();
            scene.add_solid("block", mesh(), m, 1000.0).unwrap();
            let floor = HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap();
            scene.add_obstacle(Obstacle { friction, ..Obstacle::new("floor", floor) }).unwrap();
            let mut sim = scene.build().unwrap();
            let n = sim.node_count();
            sim.set_state(&sim.positions(), &vec![[speed, 0.0, 0.2 * speed]; n]).unwrap();
            for _ in 0..3 {
                sim.step().unwrap();
            }
            sim.set_forces(&rows(n, 41).iter().map(|f| f.map(|f| push * f)).collect::<Vec<_>>()).unwrap();
            sim.move_obstacle(0, Pose::new([0.0; 3], [0.0; 3], [lift, 0.5 * lift, -lift])).unwrap();
            sim
        };
        check(&format!("{what}: young"), (1e5, 1e5), &|e| block(e, friction, 1.0, 0.0), &nothing);
        check(&format!("{what}: push"), (1.0, 1.0), &|p| block(1e5, friction, p, 0.0), &nothing);
        check(&format!("{what}: lift"), (1e-3, 1e-3), &|l| block(1e5, friction, 1.0, l), &nothing);
        if speed > 0.0 && friction > 0.0 {
            check(&format!("{what}: friction"), (friction, friction), &|f| block(1e5, f, 1.0, 0.0), &nothing);
        }
    }
}

/// Both modes are the same derivative.
#[test]
fn reverse_mode_agrees() {
    let build = |young| Beam { young, ..Beam::default() }.build();
    let (mut sim, found, tape) = tangents(2e4, 2.0, PLENTY, (&build, &nothing));
    let forward = total(&found, sim.node_count());
    let g = sim.backward(&tape, &seeds(sim.node_count())).unwrap();
    let all = sim.by_constant(&g, 0).unwrap();
    let reverse = all.iter().find(|c| c.name == "young").unwrap().total;
    assert!((forward / reverse - 1.0).abs() < 1e-7, "{forward:e} {reverse:e}");
}

/// What is set under record, before the first step, is where the record begins, by both modes.
#[test]
fn a_state_that_is_set_is_where_it_begins() {
    let build = |young| Beam { young, ..Beam::default() }.build();
    let mut sim = build(2e4);
    let n = sim.node_count();
    let x: Vec<[f64; 3]> = sim.positions().iter().map(|x| [x[0], x[1] + 0.02 * x[0], x[2]]).collect();
    let v = rows(n, 9);
    let set = |sim: &mut Simulation, v: &[[f64; 3]]| {
        sim.set_state(&x, v).unwrap();
        run(sim, &nothing)
    };
    sim.record(PLENTY).unwrap();
    set(&mut sim, &v);
    let tape = sim.end_record().unwrap();
    let (mut more, mut less) = (build(2e4 + 2.0), build(2e4 - 2.0));
    let found =
        forward(&mut sim, &tape, &mut [Nearby { sides: [&mut more, &mut less], width: 4.0 }]).unwrap();
    let five = |by: &dyn Fn(f64) -> f64, h: f64| {
        (8.0 * (by(h) - by(-h)) - (by(2.0 * h) - by(-2.0 * h))) / (12.0 * h)
    };
    let wanted = five(&|s| set(&mut build(2e4 * (1.0 + s)), &v), 2e-3);
    let off = (2e4 * total(&found, n) / wanted - 1.0).abs();
    assert!(off <= BOUND, "forward mode: {off:e}");
    let g = sim.backward(&tape, &seeds(n)).unwrap();
    let d = rows(n, 12);
    let along = |s: f64| -> Vec<[f64; 3]> {
        v.iter().zip(&d).map(|(v, d)| std::array::from_fn(|c| v[c] + s * d[c])).collect()
    };
    let wanted = five(&|s| set(&mut build(2e4), &along(s)), 1e-3);
    let off = (dot(&g.velocities, &d) / wanted - 1.0).abs();
    assert!(off <= BOUND, "reverse mode: {off:e}");
}

/// With little memory states are found again from checkpoints: the same bits.
#[test]
fn checkpoints_give_the_same_bits() {
    let build = |young| Beam { young, ..Beam::default() }.build();
    let (_, a, whole) = tangents(2e4, 2.0, PLENTY, (&build, &nothing));
    let (_, b, part) = tangents(2e4, 2.0, 1, (&build, &nothing));
    assert!(whole.whole() && !part.whole());
    assert_eq!(a.parameters[0].positions, b.parameters[0].positions);
    assert_eq!(a.parameters[0].velocities, b.parameters[0].velocities);
}

#[test]
fn what_is_not_covered_is_refused() {
    let build = |dt: f64, cells: usize| {
        let mut s = settings();
        s.time.dt = dt;
        let mut scene = Scene::new(s);
        let m = Material::new(MaterialKind::NeoHookean, 1e4, 0.3).unwrap();
        let mesh = box_mesh([0.4, 0.2, 0.2], [cells, 1, 1], Split::default()).unwrap();
        scene.add_solid("beam", mesh, m, 1000.0).unwrap();
        scene.build().unwrap()
    };
    let mut sim = build(0.02, 2);
    sim.record(PLENTY).unwrap();
    sim.step().unwrap();
    let tape = sim.end_record().unwrap();
    for (dt, cells, width, what) in
        [(0.021, 2, 0.1, "time step"), (0.02, 3, 0.1, "only numbers"), (0.02, 2, 0.0, "more than 0")]
    {
        let (mut more, mut less) = (build(dt, cells), build(0.02, 2));
        let e = forward(&mut sim, &tape, &mut [Nearby { sides: [&mut more, &mut less], width }]).unwrap_err();
        assert!(e.to_string().contains(what), "{e}");
    }
}
