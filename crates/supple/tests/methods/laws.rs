//! What holds for every method: rest, falling, pins, momentum, numbers that are none, honest statuses.

use super::bridge::{self, lame};
use super::reference::V3;
use super::reference::body::RefBody;
use super::reference::closed_form::free_fall;
use super::reference::material::{Lame, RefMaterial};
use super::reference::shape::{bar, box_mesh, extent, max_distance};
use super::setup::{
    ADMM, GRAVITY, Named, PROJECTIVE, disturbed, everyone, furnished, heavy, hold, positions, settings,
    simulation, simulation_of, still,
};
use supple::{Simulation, Status, StepError};

/// Materials that a method takes.
fn materials(method: &str) -> Vec<RefMaterial> {
    let all = RefMaterial::all(lame());
    if method == "projective" { vec![all[1]] } else { all.to_vec() }
}

/// A number that is none fails the step with the node's name, and the state stays as it was, bit for bit.
#[test]
fn a_number_that_is_none_is_an_error() {
    for (name, method) in everyone() {
        for material in materials(name) {
            let body = furnished(material);
            let (x, v) = disturbed(&body, 41);
            let mut sim = simulation(&body, heavy(0.02, method), &x, &v);
            sim.step().unwrap();
            let good = sim.checkpoint();
            let node = 7;
            // Finite in itself, but x + Δt v is not.
            let (mut far, mut fast) = (sim.positions(), sim.velocities());
            (far[node], fast[node]) = ([f64::MAX; 3], [f64::MAX; 3]);
            sim.set_state(&far, &fast).unwrap();
            let state = |sim: &Simulation| -> Vec<u64> {
                sim.positions().iter().chain(&sim.velocities()).flatten().map(|a| a.to_bits()).collect()
            };
            let before = state(&sim);
            match sim.step() {
                Err(StepError::NonFinite { body, node: found, .. }) => {
                    assert_eq!(body, "solid", "{name} {}", material.name());
                    assert_eq!(found, node, "{name} {}", material.name());
                }
                other => panic!("{name} {}: {other:?}", material.name()),
            }
            assert!(state(&sim) == before && sim.frame() == 1, "{name} {}", material.name());
            sim.restore(&good).unwrap();
            let report = sim.step().unwrap();
            assert!(report.force_residual.is_finite(), "{name} {}", material.name());
        }
    }
}

/// A body at rest stays: 1000 frames, 1e-13 of the extent, every method and material.
#[test]
fn rest_is_rest() {
    let mut lines = Vec::new();
    for (name, method) in everyone() {
        for material in materials(name) {
            let mut body = RefBody::new(&bar(2, 0.37), material, 1000.0);
            body.rest.iter_mut().for_each(|p| *p += V3::new(0.1, 0.7, -0.3));
            let s = settings(0.02, |s| {
                (s.iterations, s.tolerance) = (10, 1e-8);
                method(s);
            });
            let mut sim = simulation(&body, s, &body.rest, &still(&body));
            for _ in 0..1000 {
                sim.step().unwrap();
            }
            let error = max_distance(&positions(&sim), &body.rest) / extent(&body.rest);
            if error > 1e-15 {
                lines.push(format!("{name} {}: {error:.1e}", material.name()));
            }
            assert!(error <= 1e-13, "{name} {}: {error:e}", material.name());
        }
    }
    super::setup::show(&lines);
}

/// Free fall is exact, 1e-12, h from 1e-5 to 1, every method and material.
#[test]
fn falling_is_exact() {
    let v0 = V3::new(0.5, 3.0, -1.0);
    for (name, method) in everyone() {
        for material in materials(name) {
            let body = RefBody::new(&bar(2, 0.5), material, 1000.0);
            for h in [1e-5, 1e-3, 0.04, 1.0] {
                let s = heavy(h, |s| {
                    (s.iterations, s.tolerance) = (10, 1e-8);
                    method(s);
                });
                let mut sim = simulation(&body, s, &body.rest, &vec![v0; body.rest.len()]);
                for n in 1..=10 {
                    let report = sim.step().unwrap();
                    let wanted: Vec<V3> =
                        body.rest.iter().map(|p| free_fall(p, &v0, &GRAVITY, h, n)).collect();
                    let size = extent(&body.rest) + (wanted[0] - body.rest[0]).norm();
                    let error = max_distance(&positions(&sim), &wanted);
                    assert!(
                        error <= 1e-12 * size,
                        "{name} {} h {h} frame {n}: {:e} {report:?}",
                        material.name(),
                        error / size
                    );
                }
            }
        }
    }
}

/// Pins are exact, moving or not, after any number of iterations.
#[test]
fn pins_are_exact() {
    for (name, method) in everyone() {
        let mut body = furnished(RefMaterial::arap(lame()));
        let (x, v) = disturbed(&body, 42);
        for iterations in [1, 7] {
            let s = heavy(0.02, |s| {
                (s.iterations, s.tolerance) = (iterations, 1e-9);
                method(s);
            });
            let mut sim = simulation(&body, s, &x, &v);
            for frame in 0..5 {
                for pin in &mut body.pins {
                    pin.target += V3::new(0.013, -0.007 * f64::from(frame), 0.011);
                }
                bridge::move_targets(&mut sim, &body);
                sim.step().unwrap();
                let x = positions(&sim);
                assert!(body.pins.iter().all(|p| x[p.node] == p.target), "{name}");
            }
        }
    }
}

/// Linear momentum without convergence, 1e-12 of the momenta that there are: ADMM with every acceleration, projective.
#[test]
fn momentum_needs_no_convergence() {
    let mut lines = Vec::new();
    for (name, method) in ADMM.into_iter().chain([PROJECTIVE]) {
        for material in materials(name) {
            let mut body = furnished(material);
            (body.pins, body.anchors) = (Vec::new(), Vec::new());
            let (x, v) = disturbed(&body, 43);
            let mut worst = 0.0_f64;
            for iterations in [1, 2, 3, 5, 12] {
                let s = settings(0.02, |s| {
                    (s.iterations, s.tolerance) = (iterations, 0.0);
                    method(s);
                });
                let mut sim = simulation(&body, s, &x, &v);
                let sum = |v: &[V3]| v.iter().zip(&body.masses).map(|(v, m)| v * *m).sum::<V3>();
                for _ in 0..5 {
                    sim.step().unwrap();
                    let after = bridge::points(&sim.velocities());
                    let size: f64 = after.iter().zip(&body.masses).map(|(v, m)| v.norm() * m).sum();
                    worst = worst.max((sum(&after) - sum(&v)).norm() / size);
                }
            }
            lines.push(format!("{name} {}: {worst:.1e}", material.name()));
            assert!(worst <= 1e-12, "{name} {}: {worst:e}", material.name());
        }
    }
    super::setup::show(&lines);
}

/// h from 1e-5 to 1 and E from 1e2 to 1e12: finite, and converged is true. For admm, projective and position: the force
/// residual recomputed outside is at most the tolerance; for the others the distance to the minimum, over the extent.
#[test]
fn every_range_is_finite_and_honest() {
    let mut wrong = Vec::new();
    let (mut converged, mut all) = (0, 0);
    for (name, method) in everyone() {
        let lengths = ["newton", "quasi_newton", "auto"].contains(&name);
        for h in [1e-5, 1e-3, 0.04, 1.0] {
            for young in [1e2, 1e5, 1e9, 1e12] {
                let l = Lame::from_young(young, 0.4);
                for material in
                    [RefMaterial::arap(l), RefMaterial::NeoHookean(l), RefMaterial::StVenantKirchhoff(l)]
                {
                    if name == "projective" && material.name() != "arap" {
                        continue;
                    }
                    let mut body = RefBody::new(&box_mesh([2, 1, 1], V3::repeat(0.3)), material, 1000.0);
                    hold(&mut body);
                    let tolerance = 1e-6;
                    let s = heavy(h, |s| {
                        (s.iterations, s.tolerance) = (50, tolerance);
                        method(s);
                    });
                    let mut sim = simulation_of(&body, s, l, &body.rest, &still(&body));
                    for frame in 0..4 {
                        let (x, v) = (positions(&sim), bridge::points(&sim.velocities()));
                        let report = sim.step().unwrap();
                        let end = positions(&sim);
                        assert!(end.iter().all(|p| p.iter().all(|c| c.is_finite())));
                        all += 1;
                        if report.status != Status::Converged {
                            continue;
                        }
                        converged += 1;
                        let xtilde = body.predicted(&x, &v, h, &GRAVITY);
                        let what = format!("{name} {} h {h:e} E {young:e} frame {frame}", material.name());
                        if lengths {
                            let exact = body.minimise(&end, &xtilde, h).x;
                            let error = max_distance(&end, &exact) / extent(&body.rest);
                            if !(error <= tolerance) {
                                wrong.push(format!("{what}: {error:.1e} from the minimum, {report:?}"));
                            }
                        } else {
                            let force = body.force_residual(&end, &xtilde, &x, &v, h);
                            // What is only rounding of forces counts as nothing.
                            let rounding =
                                young * 0.3 * 3e-14 / body.force_scale(&end, &x, &v, h).max(1e-300);
                            if !(force <= tolerance * 1.001 + rounding) {
                                wrong.push(format!("{what}: force residual {force:.1e} ({rounding:.1e})"));
                            }
                        }
                    }
                }
            }
        }
    }
    super::setup::show(&[format!("{converged} of {all} converged")]);
    assert!(wrong.is_empty(), "{} lies:\n{}", wrong.len(), wrong.join("\n"));
    assert!(converged * 2 > all, "{converged} of {all}");
}

/// With three iterations a step of every method says what it reached, honestly.
#[test]
fn three_iterations_are_told() {
    const FEW: [Named; 3] = super::setup::DESCENT;
    for (name, method) in FEW {
        for material in RefMaterial::all(lame()) {
            let body = furnished(material);
            let (x, v) = disturbed(&body, 44);
            let s = heavy(0.04, |s| {
                (s.iterations, s.tolerance) = (3, 1e-9);
                method(s);
            });
            let mut sim = simulation(&body, s, &x, &v);
            let (report, error) = super::setup::error_of_step(&body, &mut sim, (&x, &v), 0.04, &GRAVITY);
            assert!(report.iterations <= 3, "{name}");
            if error > 1e-9 {
                assert_eq!(report.status, Status::IterationLimit, "{name} {}: {error:e}", material.name());
                assert!(report.step > 1e-11, "{name} {}: {report:?}", material.name());
            }
        }
    }
}
