//! Threads, repeats, restart, NaN and infinity, ranges; and no allocation in a step.
//!
//! Expected values: the same bits, or exact equality with an untouched twin.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, unsafe_code)]

mod common;
use common::{bar, settings, twisted};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use supple::{CheckpointError, Material, MaterialKind, Scene, Simulation, Spring, Start, Status, StepError};

/// Counts allocations of the thread that asks.
struct Counting;
thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}
// SAFETY: all calls go on to the system's allocator unchanged; the counter is the thread's own.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(ptr, layout) }
    }
}
#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn bits(sim: &Simulation) -> Vec<u64> {
    sim.positions().iter().chain(&sim.velocities()).flatten().map(|a| a.to_bits()).collect()
}

#[test]
fn a_step_allocates_nothing_after_the_first() {
    for kind in MaterialKind::ALL {
        for tolerance in [0.0, 1e-8] {
            let mut s = settings(0.02);
            s.solve.iterations = 15;
            s.solve.tolerance = tolerance;
            s.solve.start = Start::Best;
            let mut sim = twisted(s, kind, [6, 3, 3], true);
            sim.step().unwrap();
            let before = COUNT.with(Cell::get);
            sim.step().unwrap();
            assert_eq!(COUNT.with(Cell::get) - before, 0, "{kind:?}, tolerance {tolerance}");
        }
    }
}

/// The same for every method that keeps no Hessian.
#[test]
fn no_method_allocates_after_its_first_step() {
    use supple::{Acceleration, Method, Sweep};
    let methods: [fn(&mut supple::SolveSettings); 7] = [
        |s| (s.method, s.acceleration) = (Method::Admm, Acceleration::Anderson),
        |s| (s.method, s.acceleration) = (Method::Admm, Acceleration::OverRelaxation),
        |s| (s.method, s.acceleration) = (Method::Admm, Acceleration::Chebyshev),
        |s| s.method = Method::Projective,
        |s| s.method = Method::QuasiNewton,
        |s| s.method = Method::Position,
        |s| (s.method, s.sweep) = (Method::Position, Sweep::Jacobi),
    ];
    for (number, method) in methods.into_iter().enumerate() {
        for kind in MaterialKind::ALL {
            let mut s = settings(0.02);
            s.solve.iterations = 15;
            s.solve.tolerance = 1e-8;
            s.solve.start = Start::Best;
            method(&mut s.solve);
            if s.solve.method == Method::Projective && kind != MaterialKind::Arap {
                continue;
            }
            let mut sim = twisted(s, kind, [6, 3, 3], true);
            sim.step().unwrap();
            let before = COUNT.with(Cell::get);
            for _ in 0..3 {
                sim.step().unwrap();
            }
            assert_eq!(COUNT.with(Cell::get) - before, 0, "method {number}, {kind:?}");
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for kind in MaterialKind::ALL {
        let run = |threads: usize| {
            let mut s = settings(0.02);
            s.solve.iterations = 12;
            s.solve.threads = threads;
            let mut sim = twisted(s, kind, [12, 8, 8], true);
            assert_eq!(sim.threads(), threads);
            let mut reports = Vec::new();
            for _ in 0..3 {
                let r = sim.step().unwrap();
                reports.push([r.primal, r.dual, r.force_residual, r.energy.elastic].map(f64::to_bits));
            }
            (bits(&sim), reports)
        };
        let one = run(1);
        for threads in [2, 3, 8] {
            assert!(run(threads) == one, "{kind:?} on {threads} threads");
        }
    }
}

#[test]
fn ten_repeats_give_the_same_bits() {
    let run = || {
        let mut s = settings(0.02);
        s.solve.threads = 2;
        s.solve.iterations = 10;
        let mut sim = twisted(s, MaterialKind::NeoHookean, [10, 6, 6], false);
        for _ in 0..4 {
            sim.step().unwrap();
        }
        bits(&sim)
    };
    let first = run();
    for _ in 1..10 {
        assert!(run() == first);
    }
}

/// A scene with everything that a checkpoint must hold: pins that move, anchors that moved, forces.
fn busy() -> Simulation {
    let mesh = bar([5, 2, 2], 0.2);
    let mut s = settings(0.02);
    s.solve.iterations = 8;
    s.solve.start = Start::Best;
    s.world.gravity = [0.0, -9.8, 0.0];
    let (mut scene, body) = common::solid(s, &mesh, MaterialKind::NeoHookean);
    scene.pin(body, &common::wall(&mesh)).unwrap();
    scene.anchor(body, &[5, 11], 50.0).unwrap();
    let net = scene
        .add_springs(
            "net",
            vec![[0.0, 2.0, 0.0], [1.0, 2.0, 0.0], [2.0, 2.0, 0.0]],
            vec![0.1; 3],
            vec![Spring::new([0, 1], 100.0), Spring { rest_length: Some(0.8), ..Spring::new([1, 2], 100.0) }],
        )
        .unwrap();
    scene.pin(net, &[0]).unwrap();
    let mut sim = scene.build().unwrap();
    sim.move_anchors(body.0, &[5], &[[1.2, 0.4, 0.1]]).unwrap();
    sim.move_pins(net.0, &[0], &[[0.1, 2.1, 0.0]]).unwrap();
    let forces = vec![[0.0, 0.1, 0.0]; sim.node_count()];
    sim.set_forces(&forces).unwrap();
    sim
}

#[test]
fn a_restored_simulation_goes_on_with_the_same_bytes() {
    let mut sim = busy();
    for _ in 0..5 {
        sim.step().unwrap();
    }
    let saved = sim.checkpoint();
    let mut other = busy();
    other.step().unwrap();
    other.restore(&saved).unwrap();
    assert_eq!(other.checkpoint(), saved);
    for _ in 0..20 {
        sim.step().unwrap();
        other.step().unwrap();
        assert!(sim.checkpoint() == other.checkpoint());
    }
    assert_eq!(sim.frame(), 25);
}

#[test]
fn a_damaged_checkpoint_is_an_error_and_changes_nothing() {
    let mut sim = busy();
    sim.step().unwrap();
    let good = sim.checkpoint();
    for at in (0..good.len()).step_by(7).chain([8, 12, good.len() - 1]) {
        for bit in [0, 7] {
            let mut bad = good.clone();
            bad[at] ^= 1 << bit;
            assert!(sim.restore(&bad).is_err(), "byte {at}");
        }
    }
    for length in [0, 7, 8, 11, 12, 19, 20, 40, good.len() - 1] {
        assert!(sim.restore(&good[..length]).is_err(), "{length} bytes");
    }
    let mut longer = good.clone();
    longer.push(0);
    assert!(matches!(sim.restore(&longer), Err(CheckpointError::Length { .. })));
    assert_eq!(sim.checkpoint(), good);
    let mut other = twisted(settings(0.02), MaterialKind::Arap, [5, 2, 2], true);
    assert!(matches!(other.restore(&good), Err(CheckpointError::OtherScene(_))));
}

#[test]
fn a_number_that_is_none_fails_the_step_and_names_the_node() {
    let mut sim = busy();
    sim.step().unwrap();
    let mut poisoned = busy();
    poisoned.step().unwrap();
    // Finite in itself, but x + Δt v is not.
    let (mut x, mut v) = (poisoned.positions(), poisoned.velocities());
    // Node 1 of the second body.
    let node = sim.bodies()[1].first_node + 1;
    (x[node], v[node]) = ([f64::MAX; 3], [f64::MAX; 3]);
    poisoned.set_state(&x, &v).unwrap();
    let before = bits(&poisoned);
    match poisoned.step() {
        Err(StepError::NonFinite { body, node, .. }) => assert_eq!((body.as_str(), node), ("net", 1)),
        other => panic!("{other:?}"),
    }
    assert!(bits(&poisoned) == before);
    assert_eq!(poisoned.frame(), 1);
    // And with a good state it goes on.
    poisoned.restore(&sim.checkpoint()).unwrap();
    poisoned.step().unwrap();
}

#[test]
fn bad_state_is_refused_at_the_door() {
    let mut sim = busy();
    let n = sim.node_count();
    let (x, v) = (sim.positions(), sim.velocities());
    for value in [f64::NAN, f64::INFINITY] {
        let mut bad = x.clone();
        bad[3][1] = value;
        let e = sim.set_state(&bad, &v).unwrap_err().to_string();
        assert!(e.contains("`body`") && e.contains("node 3"), "{e}");
        let mut f = vec![[0.0; 3]; n];
        f[n - 1][0] = value;
        let e = sim.set_forces(&f).unwrap_err().to_string();
        assert!(e.contains("`net`") && e.contains("node 2"), "{e}");
    }
    assert!(sim.set_state(&x[1..], &v).is_err());
    assert!(sim.move_pins(0, &[1000], &[[0.0; 3]]).is_err());
    assert!(sim.move_pins(0, &[1], &[[0.0; 3]]).unwrap_err().to_string().contains("not pinned"));
    assert!(sim.move_pins(7, &[0], &[[0.0; 3]]).is_err());
    assert!(sim.move_pins(0, &[0, 6], &[[0.0; 3]]).is_err());
    assert!(sim.move_anchors(0, &[0], &[[0.0; 3]]).unwrap_err().to_string().contains("no anchor"));
    assert_eq!(sim.positions(), x);
}

#[test]
fn huge_positions_end_in_an_error_or_finite_numbers() {
    for kind in MaterialKind::ALL {
        for size in [1e100, 1e160, 1e300] {
            let mut sim = twisted(settings(0.02), kind, [3, 1, 1], false);
            let mut x = sim.positions();
            x[2] = [size, -size, size];
            let before = x.clone();
            sim.set_state(&x, &vec![[0.0; 3]; x.len()]).unwrap();
            let mut s = sim.settings().clone();
            s.solve.iterations = 20;
            sim.update_settings(s).unwrap();
            match sim.step() {
                Ok(r) => {
                    assert!(sim.positions().iter().flatten().all(|a| a.is_finite()));
                    let [elastic, kinetic] = [r.energy.elastic, r.energy.kinetic];
                    // An inverted element of a barrier material has an infinite energy: then the step has not converged.
                    let sound = elastic.is_finite() || (elastic > 0.0 && r.status != Status::Converged);
                    assert!(kinetic.is_finite() && sound, "{kind:?} {size}: {r:?}");
                }
                Err(_) => assert_eq!(sim.positions(), before),
            }
        }
    }
}

/// A body that flies at 1e155 m/s has finite positions and no finite energy: an error that names it, with an observer and without, and
/// the state of before.
#[test]
fn an_energy_that_is_none_is_an_error() {
    for observed in [false, true] {
        let mut sim = twisted(settings(0.02), MaterialKind::Corotated, [3, 1, 1], false);
        let x = sim.positions();
        sim.set_state(&x, &vec![[1e155, 0.0, 0.0]; x.len()]).unwrap();
        let result = if observed { sim.step_with(&mut |_| supple::Control::Continue) } else { sim.step() };
        match result {
            Err(StepError::Energy { body, kinetic, .. }) => {
                assert!(body == sim.bodies()[0].name && kinetic == f64::INFINITY, "{body} {kinetic}");
            }
            other => panic!("{other:?}"),
        }
        assert!(sim.positions() == x && sim.frame() == 0);
    }
}

#[test]
fn every_range_of_step_stiffness_and_mass_stays_finite_and_honest() {
    let mesh = bar([3, 1, 1], 0.25);
    for kind in MaterialKind::ALL {
        for h in [1e-5, 1e-3, 0.04, 1.0] {
            for young in [1e2, 1e5, 1e9, 1e12] {
                for ratio in [1.0, 1e6] {
                    let mut s = settings(h);
                    s.solve.iterations = 10;
                    s.world.gravity = [0.0, -9.8, 0.0];
                    let mut scene = Scene::new(s);
                    let n = mesh.vertices().len();
                    let masses = (0..n).map(|i| if i % 2 == 0 { 0.1 } else { 0.1 * ratio }).collect();
                    let m = vec![Material::new(kind, young, 0.45).unwrap(); mesh.tets().len()];
                    let body = scene.add_solid_with_masses("bar", mesh.clone(), m, masses).unwrap();
                    scene.pin(body, &common::wall(&mesh)).unwrap();
                    let mut sim = scene.build().unwrap();
                    for _ in 0..5 {
                        let r = sim.step().unwrap();
                        assert!(sim.positions().iter().flatten().all(|a| a.is_finite()));
                        assert!(!r.primal.is_nan() && !r.dual.is_nan() && !r.force_residual.is_nan());
                        if r.status == supple::Status::Converged {
                            assert!(r.force_residual <= 1e-10);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_thousand_frames_neither_drift_nor_grow() {
    // A tiny mesh swings for 1e4 frames: energy stays bounded by its start.
    let mut s = settings(0.01);
    s.solve.iterations = 4;
    s.solve.tolerance = 0.0;
    let mut sim = twisted(s, MaterialKind::StVenantKirchhoff, [3, 1, 1], true);
    let start = sim.energy();
    let total = |e: supple::Energy| e.elastic + e.kinetic + e.potential;
    for _ in 0..10_000 {
        let r = sim.step().unwrap();
        assert!(total(r.energy) <= total(start) + 1e-3 * start.elastic.abs());
    }
}

/// A gel beside a stiff body at rest: the gel's residual must not drown in the stiff body's rounding. Expected: as many
/// iterations as the gel alone (± a quarter), and its positions to the solver's tolerance.
#[test]
fn a_stiff_body_does_not_hide_a_soft_one() {
    let gel = bar([3, 1, 1], 0.05);
    let run = |stiff: Option<f64>| {
        let mut s = settings(0.04);
        s.solve.iterations = 500;
        s.solve.tolerance = 1e-6;
        let mut scene = Scene::new(s);
        let soft = Material::new(MaterialKind::Corotated, 1e3, 0.3).unwrap();
        scene.add_solid("gel", gel.clone(), soft, 1000.0).unwrap();
        let mut x: Vec<[f64; 3]> = gel.vertices().iter().map(|p| [1.5 * p[0], p[1], p[2]]).collect();
        if let Some(young) = stiff {
            let beam = bar([4, 1, 1], 2.0).map(|p| [p[0], p[1] + 5.0, p[2]]).unwrap();
            x.extend(beam.vertices());
            scene
                .add_solid("beam", beam, Material::new(MaterialKind::Corotated, young, 0.3).unwrap(), 8000.0)
                .unwrap();
        }
        let mut sim = scene.build().unwrap();
        sim.set_state(&x, &vec![[0.0; 3]; x.len()]).unwrap();
        let r = sim.step().unwrap();
        (r, sim.positions()[..gel.vertices().len()].to_vec())
    };
    let (alone, expected) = run(None);
    assert_eq!(alone.status, supple::Status::Converged);
    for young in [1e6, 2e11, 1e14] {
        let (r, x) = run(Some(young));
        assert_eq!(r.status, supple::Status::Converged, "E = {young}");
        assert!(common::distance(&x, &expected) < 1e-5, "E = {young}: {}", common::distance(&x, &expected));
    }
}

/// A checkpoint of a scene that differs in a material's number, a rest position or an element only is refused.
#[test]
fn a_checkpoint_knows_its_scene() {
    let scene = |young: f64, stretch: f64| {
        let mesh = bar([3, 1, 1], 0.25).map(|p| [stretch * p[0], p[1], p[2]]).unwrap();
        let n = mesh.vertices().len();
        let materials = vec![Material::new(MaterialKind::NeoHookean, young, 0.4).unwrap(); mesh.tets().len()];
        let mut scene = Scene::new(settings(0.02));
        scene.add_solid_with_masses("bar", mesh, materials, vec![1.0; n]).unwrap();
        scene.build().unwrap()
    };
    let saved = scene(1e5, 1.0).checkpoint();
    scene(1e5, 1.0).restore(&saved).unwrap();
    assert!(scene(2e5, 1.0).restore(&saved).is_err());
    assert!(scene(1e5, 1.1).restore(&saved).is_err());
}

/// Weights that drown elasticity are refused, large ones give an honest residual.
#[test]
fn large_weights_are_not_called_converged() {
    let mut s = settings(0.04);
    s.solve.iterations = 20;
    s.solve.weight_scale = 1e9;
    let mut sim = twisted(s.clone(), MaterialKind::NeoHookean, [4, 1, 1], true);
    let r = sim.step().unwrap();
    assert!(r.status != supple::Status::Converged && r.force_residual > 0.1, "{r:?}");
    s.solve.weight_scale = 1e14;
    assert!(sim.update_settings(s).is_err());
}

/// Stiffness near the end of the numbers: forces overflow, which is not convergence.
#[test]
fn overflow_is_not_convergence() {
    let mesh = bar([3, 1, 1], 0.25);
    let mut s = settings(0.04);
    s.solve.iterations = 20;
    s.solve.tolerance = 1e-3;
    s.world.gravity = [0.0, -9.8, 0.0];
    let mut scene = Scene::new(s);
    let body = scene.add_solid(
        "bar",
        mesh.clone(),
        Material::new(MaterialKind::NeoHookean, 1e160, 0.4).unwrap(),
        1000.0,
    );
    scene.pin(body.unwrap(), &common::wall(&mesh)).unwrap();
    let mut sim = scene.build().unwrap();
    if let Ok(r) = sim.step() {
        assert!(r.status != supple::Status::Converged || r.force_residual <= 1e-3, "{r:?}");
        assert!(r.force_residual > 0.0, "{r:?}");
    }
}

/// An inverted element of a barrier material makes the force residual infinite, which is no divergence.
#[test]
fn an_inverted_barrier_element_is_not_divergence() {
    let mut s = settings(0.04);
    s.solve.iterations = 30;
    s.solve.tolerance = 0.5;
    let mut sim = twisted(s, MaterialKind::NeoHookean, [3, 1, 1], false);
    let mut x = sim.positions();
    x.swap(0, 7);
    sim.set_state(&x, &vec![[0.0; 3]; x.len()]).unwrap();
    assert!(sim.inverted() > 0);
    let r = sim.step().unwrap();
    assert!(r.status != supple::Status::Diverged && r.iterations > 1, "{r:?}");
}

/// A pin that jumps so far that its velocity overflows fails the step; the state stays finite.
#[test]
fn an_infinite_velocity_never_reaches_the_state() {
    let mut sim = twisted(settings(1e-3), MaterialKind::Arap, [3, 1, 1], true);
    let before = bits(&sim);
    sim.move_pins(0, &[0], &[[1e308, 0.0, 0.0]]).unwrap();
    assert!(sim.step().is_err());
    assert!(bits(&sim) == before);
}
