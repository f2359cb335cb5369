//! Settings and bodies at the ends of their ranges: nothing panics, numbers stay numbers, statuses stay honest.

use super::bridge::{self, lame};
use super::reference::V3;
use super::reference::body::{RefAnchor, RefBody, RefPin, RefSpring};
use super::reference::material::RefMaterial;
use super::reference::shape::{Random, extent, max_distance, single_tet, two_tets};
use super::setup::{
    DESCENT, GRAVITY, Named, disturbed, everyone, furnished, heavy, minimisers, minimum_near, positions,
    settings, simulation, still, twisted,
};
use supple::{Acceleration, FirstHessian, Method, Start, Status};

const H: f64 = 0.02;

fn finite(sim: &supple::Simulation) -> bool {
    sim.positions().iter().chain(&sim.velocities()).flatten().all(|a| a.is_finite())
}

/// Tolerance 0 never stops early and ends with the limit of iterations: `docs/conventions.md`.
#[test]
fn tolerance_zero_uses_all_iterations() {
    let mut wrong = Vec::new();
    for (name, method) in everyone() {
        for iterations in [1, 2, 7, 60] {
            let body = furnished(RefMaterial::arap(lame()));
            let (x, v) = disturbed(&body, 61);
            let s = heavy(H, |s| {
                method(s);
                (s.iterations, s.tolerance) = (iterations, 0.0);
            });
            let mut sim = simulation(&body, s, &x, &v);
            let report = sim.step().unwrap();
            assert!(finite(&sim));
            if (report.iterations, report.status) != (iterations, Status::IterationLimit) {
                wrong.push(format!("{name} {iterations}: {} after {}", report.status, report.iterations));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Settings at the ends of their ranges, together with every method: finite, and converged is true.
#[test]
fn settings_at_the_ends() {
    const ENDS: [Named; 14] = [
        ("one iteration", |s| s.iterations = 1),
        ("no history", |s| s.history = 0),
        ("history 1", |s| s.history = 1),
        ("history 32", |s| s.history = 32),
        ("memory 1", |s| (s.acceleration, s.memory) = (Acceleration::Anderson, 1)),
        ("memory 10", |s| (s.acceleration, s.memory) = (Acceleration::Anderson, 10)),
        ("relaxation 1.99", |s| (s.acceleration, s.relaxation) = (Acceleration::OverRelaxation, 1.99)),
        ("relaxation .001", |s| (s.acceleration, s.relaxation) = (Acceleration::OverRelaxation, 1e-3)),
        ("radius .9999", |s| (s.acceleration, s.spectral_radius) = (Acceleration::Chebyshev, 0.9999)),
        ("identity", |s| s.first_hessian = FirstHessian::Identity),
        ("weights × 1e-3", |s| s.weight_scale = 1e-3),
        ("weights × 1e3", |s| s.weight_scale = 1e3),
        ("tolerance 1e-300", |s| s.tolerance = 1e-300),
        ("inertia", |s| s.start = Start::Inertia),
    ];
    let mut wrong = Vec::new();
    for (name, method) in everyone() {
        let material =
            if name == "projective" { RefMaterial::arap(lame()) } else { RefMaterial::NeoHookean(lame()) };
        let body = furnished(material);
        for (end, change) in ENDS {
            let (x, v) = disturbed(&body, 62);
            let s = heavy(H, |s| {
                (s.iterations, s.tolerance) = (300, 1e-5);
                method(s);
                change(s);
            });
            let tolerance = s.solve.tolerance;
            let mut sim = simulation(&body, s, &x, &v);
            for frame in 0..3 {
                let (x, v) = (positions(&sim), bridge::points(&sim.velocities()));
                let report = sim.step().unwrap();
                assert!(finite(&sim), "{name} {end}");
                if report.status != Status::Converged {
                    continue;
                }
                let now = positions(&sim);
                let (value, what) = if DESCENT.iter().any(|d| d.0 == name) {
                    let exact = minimum_near(&body, &now, &x, &v, H, &GRAVITY);
                    (max_distance(&now, &exact) / extent(&body.rest), "distance")
                } else {
                    let xtilde = body.predicted(&x, &v, H, &GRAVITY);
                    (body.force_residual(&now, &xtilde, &x, &v, H), "force residual")
                };
                if !(value <= tolerance * 1.001 + 1e-13) {
                    wrong.push(format!("{name}, {end}, frame {frame}: {what} {value:.1e}, {report:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} lies:\n{}", wrong.len(), wrong.join("\n"));
}

/// Weights a thousand, a million and a thousand million times too large: no method may call standing still converged.
#[test]
fn heavy_weights_are_no_excuse() {
    let (body, x) = twisted(RefMaterial::NeoHookean(lame()), 4, 1.0, true);
    let mut wrong = Vec::new();
    for (name, method) in minimisers() {
        for scale in [1e3, 1e6, 1e9] {
            let s = settings(H, |s| {
                (s.iterations, s.tolerance) = (200, 1e-4);
                method(s);
                s.weight_scale = scale;
            });
            let mut sim = simulation(&body, s, &x, &still(&body));
            let report = sim.step().unwrap();
            let end = positions(&sim);
            let exact = minimum_near(&body, &end, &x, &still(&body), H, &V3::zeros());
            let error = max_distance(&end, &exact) / extent(&body.rest);
            if report.status == Status::Converged && error > 1e-3 {
                wrong.push(format!("{name} × {scale:e}: {error:.1e} from the minimum, {report:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} lies:\n{}", wrong.len(), wrong.join("\n"));
}

/// One tetrahedron, two; nodes all pinned; springs only; anchors only; springs of no length, also of no extent; nodes of
/// a milligram beside a ton; 1e6 m from the origin. Every method: finite; minimisers: the minimum, to what rounding allows.
#[test]
fn odd_bodies() {
    let mut random = Random::new(63);
    let arap = RefMaterial::arap(lame());
    let mut bodies: Vec<(&str, RefBody, f64)> = vec![
        ("one tetrahedron", RefBody::new(&single_tet(), arap, 1000.0), 1e-8),
        ("two tetrahedra", RefBody::new(&two_tets(), arap, 1000.0), 1e-8),
    ];
    let mut pinned = RefBody::new(&single_tet(), arap, 1000.0);
    pinned.pins = (0..4).map(|node| RefPin { node, target: pinned.rest[node] * 1.1 }).collect();
    bodies.push(("all pinned", pinned, 0.0));
    let mut springs = RefBody::particles((0..4).map(|_| random.vector(1.0)).collect(), vec![1.0; 4]);
    for a in 0..3 {
        springs.springs.push(RefSpring { a, b: a + 1, k: 100.0, length: 0.7 });
    }
    bodies.push(("springs", springs.clone(), 1e-8));
    for s in &mut springs.springs {
        s.length = 0.0;
    }
    bodies.push(("springs of no length", springs.clone(), 1e-8));
    let mut anchors = RefBody::particles((0..3).map(|_| random.vector(1.0)).collect(), vec![1.0; 3]);
    for node in 0..3 {
        anchors.anchors.push(RefAnchor { node, target: random.vector(1.0), k: 100.0 });
    }
    bodies.push(("anchors", anchors, 1e-8));
    let mut uneven = RefBody::new(&two_tets(), arap, 1000.0);
    uneven.masses = vec![1e-6, 1e3, 1.0, 1e-6, 1e3];
    bodies.push(("uneven masses", uneven, 1e-8));
    let mut far = RefBody::new(&two_tets(), arap, 1000.0);
    far.rest.iter_mut().for_each(|p| *p += V3::new(1e6, -1e6, 1e6));
    bodies.push(("far away", far, 1e-8));
    let mut wrong = Vec::new();
    for (what, body, bound) in bodies {
        for (name, method) in everyone() {
            let s = heavy(H, |s| {
                (s.iterations, s.tolerance) = (3000, if what == "far away" { 1e-7 } else { 1e-10 });
                method(s);
            });
            let mut random = Random::new(64);
            let mut x: Vec<V3> = body.rest.iter().map(|p| p + random.vector(0.05)).collect();
            body.put_pins(&mut x);
            let v: Vec<V3> = body.rest.iter().map(|_| random.vector(0.5)).collect();
            let mut sim = simulation(&body, s, &x, &v);
            for frame in 0..3 {
                let (x, v) = (positions(&sim), bridge::points(&sim.velocities()));
                let report = sim.step().unwrap();
                assert!(finite(&sim), "{what} {name}");
                // Springs under pressure are where w² = k makes ADMM cycle.
                let cycles = what == "springs" && name.starts_with("admm");
                if name.starts_with("position") || (cycles && report.status == Status::Stalled) {
                    continue;
                }
                let end = positions(&sim);
                let exact = minimum_near(&body, &end, &x, &v, H, &GRAVITY);
                let error = max_distance(&end, &exact) / extent(&body.rest);
                if report.status != Status::Converged || error > bound {
                    wrong.push(format!("{what} {name} frame {frame}: {error:.1e} {report:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Two nodes at the same place with a spring of no length, and with one: finite, and the first is at rest.
#[test]
fn springs_of_no_extent() {
    for length in [0.0, 0.5] {
        let mut body = RefBody::particles(vec![V3::zeros(); 2], vec![1.0; 2]);
        body.springs.push(RefSpring { a: 0, b: 1, k: 1e4, length });
        for (name, method) in everyone() {
            let mut sim = simulation(&body, settings(H, method), &body.rest, &still(&body));
            for _ in 0..5 {
                let report = sim.step().unwrap();
                assert!(finite(&sim), "{name} {length}: {report:?}");
            }
            if length == 0.0 {
                assert!(positions(&sim).iter().all(|p| p.norm() <= 1e-15), "{name}");
            }
        }
    }
}

/// Positions so large that squares overflow: an error, or finite numbers and no claim of convergence with forces that do
/// not balance.
#[test]
fn overflow_is_not_convergence() {
    let mut wrong = Vec::new();
    for (name, method) in everyone() {
        for material in RefMaterial::all(lame()) {
            if name == "projective" && material.name() != "arap" {
                continue;
            }
            for size in [1e100, 1e154, 1e160, 1e300] {
                let body = RefBody::new(&two_tets(), material, 1000.0);
                let mut x = body.rest.clone();
                x[4] = V3::new(size, -size, size);
                let s = settings(H, |s| {
                    (s.iterations, s.tolerance) = (30, 1e-3);
                    method(s);
                });
                let mut sim = simulation(&body, s, &x, &still(&body));
                match sim.step() {
                    Ok(r) => {
                        assert!(finite(&sim), "{name} {} {size:e}", material.name());
                        let moved = (positions(&sim)[4] - x[4]).norm() / size;
                        if r.status == Status::Converged && !(r.force_residual <= 1e-2) {
                            wrong.push(format!(
                                "{name} {} {size:e}: moved {moved:.1e}, {r:?}",
                                material.name()
                            ));
                        }
                    }
                    Err(_) => assert!(positions(&sim) == x),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} lies:\n{}", wrong.len(), wrong.join("\n"));
}

/// Position-based dynamics knows inertia from its start only: whatever `start` says, two nodes that fly on together while
/// a stiff spring holds them keep their momentum, 1e-12.
#[test]
fn position_starts_from_inertia() {
    let mut body = RefBody::particles(vec![V3::zeros(), V3::x()], vec![1.0; 2]);
    body.springs.push(RefSpring { a: 0, b: 1, k: 1e6, length: 1.0 });
    let v = vec![V3::new(-1.0, 3.0, 0.0), V3::new(1.0, 3.0, 0.0)];
    for start in [Start::Inertia, Start::Best] {
        let s = settings(H, |s| {
            (s.method, s.start) = (Method::Position, start);
            (s.iterations, s.tolerance) = (10, 0.0);
        });
        let mut sim = simulation(&body, s, &body.rest, &v);
        sim.step().unwrap();
        let after: V3 = bridge::points(&sim.velocities()).iter().sum();
        assert!((after - V3::new(0.0, 6.0, 0.0)).norm() <= 1e-12, "{start:?}: {after}");
    }
}
