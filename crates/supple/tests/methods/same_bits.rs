//! The same bits: on any number of threads, after a restart, and after going back in time.

use super::bridge::lame;
use super::common::{bar, wall};
use super::reference::material::RefMaterial;
use super::setup::{Named, everyone, furnished, heavy, settings, simulation, still, twisted};
use supple::mesh::shapes::twist;
use supple::{Material, MaterialKind, Method, Scene, Settings, Simulation, Spring};

fn bits(sim: &Simulation) -> Vec<u64> {
    sim.positions().iter().chain(&sim.velocities()).flatten().map(|a| a.to_bits()).collect()
}

/// A twisted bar of 432 tetrahedra (two pieces of work), held, with anchors, and a spring beside it.
fn scene(s: Settings, kind: MaterialKind, poisson: f64) -> Simulation {
    let mesh = bar([8, 3, 3], 0.1);
    let mut scene = Scene::new(s);
    let body =
        scene.add_solid("bar", mesh.clone(), Material::new(kind, 1e5, poisson).unwrap(), 1000.0).unwrap();
    scene.pin(body, &wall(&mesh)).unwrap();
    scene.anchor(body, &[40, 80], 100.0).unwrap();
    let spring = Spring { rest_length: Some(0.5), ..Spring::new([0, 1], 50.0) };
    scene.add_springs("net", vec![[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]], vec![0.1; 2], vec![spring]).unwrap();
    let mut sim = scene.build().unwrap();
    let mut x = sim.positions();
    let n = mesh.vertices().len();
    twist(&mut x[..n], 1.5, 0.8, [0.15, 0.15]);
    let v = vec![[0.1, 0.2, 0.3]; x.len()];
    sim.set_state(&x, &v).unwrap();
    sim
}

fn kind_for(method: &str) -> MaterialKind {
    if method == "projective" { MaterialKind::Arap } else { MaterialKind::NeoHookean }
}

/// Every method on 1, 2, 3 and 8 threads: positions, velocities and reports of 10 frames.
#[test]
fn on_any_number_of_threads() {
    for (name, method) in everyone() {
        let run = |threads: usize| {
            let s = heavy(0.02, |s| {
                (s.iterations, s.tolerance, s.threads) = (12, 1e-7, threads);
                method(s);
            });
            let mut sim = scene(s, kind_for(name), 0.4);
            let mut out = Vec::new();
            for _ in 0..10 {
                let r = sim.step().unwrap();
                out.extend(bits(&sim));
                out.extend([r.primal, r.dual, r.force_residual, r.step, r.energy.elastic].map(f64::to_bits));
                out.push(r.iterations as u64);
            }
            out
        };
        let one = run(1);
        for threads in [2, 3, 8] {
            assert!(run(threads) == one, "{name} on {threads} threads");
        }
    }
}

/// Settings under which `auto` keeps a Hessian over steps.
const LAGGED: Named = ("auto with its Hessian", |s| {
    s.method = Method::Auto;
    (s.iterations, s.tolerance) = (300, 1e-9);
});

fn cases() -> impl Iterator<Item = (Named, f64)> {
    everyone().map(|n| (n, 0.4)).chain([(LAGGED, 0.49)])
}

/// Every method: a checkpoint of frame 6, restored in a fresh simulation and in one that has seen other things, goes on
/// with the same bytes for 10 frames. `auto` in a state where it works with a Hessian of an earlier frame.
#[test]
fn after_a_restart() {
    for ((name, method), poisson) in cases() {
        let build = || {
            let s = heavy(0.02, |s| {
                (s.iterations, s.tolerance) = (15, 1e-7);
                method(s);
            });
            scene(s, kind_for(name), poisson)
        };
        let mut sim = build();
        let mut newton = 0;
        for _ in 0..6 {
            newton += usize::from(sim.step().unwrap().method == Method::Newton);
        }
        let saved = sim.checkpoint();
        let mut fresh = build();
        fresh.restore(&saved).unwrap();
        let mut other = build();
        let far: Vec<[f64; 3]> = other.positions().iter().map(|p| [1.3 * p[0], p[2], -p[1]]).collect();
        other.set_state(&far, &vec![[0.0; 3]; far.len()]).unwrap();
        for _ in 0..3 {
            other.step().unwrap();
        }
        other.restore(&saved).unwrap();
        for frame in 0..10 {
            newton += usize::from(sim.step().unwrap().method == Method::Newton);
            fresh.step().unwrap();
            other.step().unwrap();
            assert!(bits(&sim) == bits(&fresh), "{name}: fresh, frame {frame}");
            assert!(bits(&sim) == bits(&other), "{name}: another, frame {frame}");
            assert!(sim.checkpoint() == fresh.checkpoint(), "{name}: the checkpoint itself, frame {frame}");
        }
        assert!(name != LAGGED.0 || newton >= 3, "{name}: {newton} frames with a Hessian");
    }
}

/// Every method: back to the first frame, and the film is the same.
#[test]
fn after_going_back() {
    for ((name, method), poisson) in cases() {
        let s = heavy(0.02, |s| {
            (s.iterations, s.tolerance) = (15, 1e-7);
            method(s);
        });
        let mut sim = scene(s, kind_for(name), poisson);
        let start = sim.checkpoint();
        let film = |sim: &mut Simulation| -> Vec<Vec<u64>> {
            let mut frame = || {
                sim.step().unwrap();
                bits(sim)
            };
            (0..10).map(|_| frame()).collect()
        };
        let first = film(&mut sim);
        sim.restore(&start).unwrap();
        let second = film(&mut sim);
        for frame in 0..10 {
            assert!(first[frame] == second[frame], "{name}: frame {frame}");
        }
    }
}

/// A checkpoint taken after the time step was changed, which forgets a kept Hessian, restores to the same bits too.
#[test]
fn after_a_change_of_the_time_step() {
    let build = |h: f64| scene(heavy(h, LAGGED.1), MaterialKind::NeoHookean, 0.49);
    let mut sim = build(0.02);
    for _ in 0..6 {
        sim.step().unwrap();
    }
    let mut s = sim.settings().clone();
    s.time.dt = 0.015;
    sim.update_settings(s).unwrap();
    let mut fresh = build(0.015);
    fresh.restore(&sim.checkpoint()).unwrap();
    for frame in 0..10 {
        let (a, b) = (sim.step().unwrap(), fresh.step().unwrap());
        assert!(bits(&sim) == bits(&fresh), "frame {frame}: {a:?} {b:?}");
    }
}

/// Someone who looks changes nothing, whatever the method.
#[test]
fn observers_change_nothing() {
    for (name, method) in everyone() {
        let s = heavy(0.02, |s| {
            (s.iterations, s.tolerance) = (15, 1e-7);
            method(s);
        });
        let body = furnished(RefMaterial::arap(lame()));
        let (x, v) = super::setup::disturbed(&body, 31);
        let mut sim = simulation(&body, s.clone(), &x, &v);
        let mut watched = simulation(&body, s, &x, &v);
        for _ in 0..5 {
            let a = sim.step().unwrap();
            let mut looks = 0;
            let b = watched
                .step_with(&mut |it| {
                    looks += 1;
                    assert_eq!(it.index(), looks);
                    it.primal();
                    it.dual();
                    it.force_residual();
                    it.objective();
                    supple::Control::Continue
                })
                .unwrap();
            assert!(bits(&sim) == bits(&watched), "{name}");
            assert_eq!((a.iterations, a.status, a.method), (b.iterations, b.status, b.method), "{name}");
            assert_eq!(looks, b.iterations, "{name}");
        }
    }
}

/// Changing the method from frame to frame leaves no trace: a step depends on the state and the settings only, but for
/// the Hessian that `auto` and `newton` keep. Without those two: the same bits as from a fresh simulation.
#[test]
fn methods_leave_no_trace() {
    let (body, x) = twisted(RefMaterial::arap(lame()), 3, 1.0, true);
    let all: Vec<Named> = everyone().filter(|m| m.0 != "auto" && m.0 != "newton").collect();
    let s = settings(0.02, |s| (s.iterations, s.tolerance) = (15, 1e-7));
    let mut sim = simulation(&body, s.clone(), &x, &still(&body));
    for round in 0..3 {
        for (name, method) in &all {
            let mut next = s.clone();
            method(&mut next.solve);
            let saved = sim.checkpoint();
            let mut fresh = simulation(&body, next.clone(), &x, &still(&body));
            fresh.restore(&saved).unwrap();
            sim.update_settings(next).unwrap();
            sim.step().unwrap();
            fresh.step().unwrap();
            assert!(bits(&sim) == bits(&fresh), "{name}, round {round}");
        }
    }
}
