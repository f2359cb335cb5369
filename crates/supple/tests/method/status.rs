//! How a step ends, and what its report says.

use super::bridge::{self, lame};
use super::common::settings;
use super::iterates::{disturbed, furnished};
use super::reference::V3;
use super::reference::body::RefBody;
use super::reference::material::RefMaterial;
use super::reference::shape::{bar, tet_volume};
use supple::{Control, Factors, Method, Simulation, Status};

/// A disturbed body of every kind of term.
fn sim(change: impl Fn(&mut supple::Settings)) -> (Simulation, RefBody) {
    let body = furnished(RefMaterial::Corotated(lame()));
    let mut s = settings(0.02);
    s.world.gravity = [0.3, -9.8, 0.2];
    change(&mut s);
    let mut sim = bridge::simulation(&body, s, lame());
    let (x, v) = disturbed(&body, 0.1);
    bridge::put(&mut sim, &body, &x, &v);
    (sim, body)
}

/// Tolerance 0 uses every iteration, from rest too, where the first is exact already.
#[test]
fn tolerance_zero_never_stops_early() {
    for iterations in [1, 2, 7, 300] {
        let (mut moving, _) = sim(|s| {
            s.solve.tolerance = 0.0;
            s.solve.iterations = iterations;
        });
        let report = moving.step().unwrap();
        assert_eq!((report.iterations, report.status), (iterations, Status::IterationLimit));

        let body = RefBody::new(&bar(1, 1.0), RefMaterial::arap(lame()), 1000.0);
        let mut s = settings(0.02);
        s.solve.tolerance = 0.0;
        s.solve.iterations = iterations;
        let mut resting = bridge::simulation(&body, s, lame());
        let report = resting.step().unwrap();
        assert_eq!((report.iterations, report.status), (iterations, Status::IterationLimit));
    }
}

/// Each end has its status: the limit, the observer, the clock, the tolerance.
#[test]
fn every_end_has_its_status() {
    let (mut s, _) = sim(|s| s.solve.iterations = 3);
    let report = s.step().unwrap();
    assert_eq!((report.iterations, report.status), (3, Status::IterationLimit));

    let (mut s, _) = sim(|_| {});
    let mut seen = 0;
    let report = s
        .step_with(&mut |it| {
            seen = it.index();
            if it.index() == 5 { Control::Stop } else { Control::Continue }
        })
        .unwrap();
    assert_eq!((report.iterations, report.status, seen), (5, Status::Stopped, 5));

    // A nanosecond is over after the first iteration.
    let (mut s, _) = sim(|s| s.solve.time_budget = Some(1e-9));
    let report = s.step().unwrap();
    assert_eq!((report.iterations, report.status), (1, Status::TimeLimit));
    // The last iteration ends at the limit of iterations, not of time.
    let (mut s, _) = sim(|s| {
        s.solve.time_budget = Some(1e-9);
        s.solve.iterations = 1;
    });
    assert_eq!(s.step().unwrap().status, Status::IterationLimit);
    // A generous budget changes nothing.
    let (mut s, _) = sim(|s| s.solve.time_budget = Some(1e3));
    let report = s.step().unwrap();
    assert_eq!(report.status, Status::Converged);
    let (mut free, _) = sim(|_| {});
    assert_eq!(free.step().unwrap().iterations, report.iterations);

    let words: Vec<&str> = [
        Status::Converged,
        Status::IterationLimit,
        Status::TimeLimit,
        Status::Stalled,
        Status::Diverged,
        Status::Stopped,
    ]
    .iter()
    .map(|s| s.as_str())
    .collect();
    assert_eq!(words, ["converged", "iteration_limit", "time_limit", "stalled", "diverged", "stopped"]);
}

/// A stopped step is the step of so many iterations: the same bits.
#[test]
fn stopping_is_the_same_as_a_limit() {
    let (mut stopped, _) = sim(|_| {});
    stopped.step_with(&mut |it| if it.index() == 4 { Control::Stop } else { Control::Continue }).unwrap();
    let (mut limited, _) = sim(|s| s.solve.iterations = 4);
    limited.step().unwrap();
    assert_eq!(stopped.positions(), limited.positions());
    assert_eq!(stopped.velocities(), limited.velocities());
}

/// Frame, time, energies and inverted elements of the report, recomputed from positions and velocities by the oracle,
/// 1e-12; residuals are those that an observer sees last.
#[test]
fn the_report_is_consistent() {
    for material in RefMaterial::all(lame()) {
        let body = furnished(material);
        let gravity = V3::new(0.3, -9.8, 0.2);
        let mut s = settings(0.02);
        s.world.gravity = [gravity.x, gravity.y, gravity.z];
        s.solve.iterations = 1;
        let mut sim = bridge::simulation(&body, s, lame());
        let (x, v) = disturbed(&body, 1.5);
        bridge::put(&mut sim, &body, &x, &v);
        let mut inverted = 0;
        for frame in 1..=5_u64 {
            let mut last = (0, 0.0, 0.0);
            let report = sim
                .step_with(&mut |it| {
                    last = (it.index(), it.primal(), it.dual());
                    Control::Continue
                })
                .unwrap();
            assert_eq!((report.iterations, report.primal, report.dual), last);
            assert_eq!((report.frame, sim.frame()), (frame, frame));
            assert!((report.time - 0.02 * frame as f64).abs() <= 1e-15 && report.time == sim.time());
            let (x, v) = (bridge::points(&sim.positions()), bridge::points(&sim.velocities()));
            let kinetic: f64 = v.iter().zip(&body.masses).map(|(v, m)| 0.5 * m * v.norm_squared()).sum();
            let potential: f64 = x.iter().zip(&body.masses).map(|(x, m)| -m * gravity.dot(x)).sum();
            let size: f64 = x.iter().zip(&body.masses).map(|(x, m)| (m * gravity.dot(x)).abs()).sum();
            assert!((report.energy.kinetic - kinetic).abs() <= 1e-12 * kinetic);
            assert!((report.energy.potential - potential).abs() <= 1e-12 * size);
            let elastic = body.energy(&x);
            if elastic.is_finite() {
                assert!(
                    (report.energy.elastic - elastic).abs() <= 1e-12 * (elastic + 1e3),
                    "{report:?} {elastic}"
                );
            } else {
                assert_eq!(report.energy.elastic, f64::INFINITY, "{}", material.name());
                assert_eq!(report.force_residual, f64::INFINITY);
            }
            assert_eq!(report.energy, sim.energy());
            let count = body.tets.iter().filter(|t| tet_volume(&x, t) < 0.0).count();
            assert_eq!((report.inverted, sim.inverted()), (count, count), "{}", material.name());
            inverted += count;
            let t = report.timings;
            assert!(t.local >= 0.0 && t.global >= 0.0 && t.rest >= 0.0 && t.total() < 10.0);
        }
        assert!(inverted > 0, "{}: no element was inverted", material.name());
    }
}

/// Pins and anchors that move for 1000 frames leave the factor as it was, by `admm` and `projective`: one matrix was factored, at the build, and
/// no Hessian; and the next step has the same bits as that of a scene built and factored anew.
#[test]
fn one_factor_serves_a_thousand_frames() {
    for (method, material) in [
        (Method::Admm, RefMaterial::StVenantKirchhoff(lame())),
        (Method::Admm, RefMaterial::arap(lame())),
        (Method::Projective, RefMaterial::arap(lame())),
    ] {
        let body = furnished(material);
        let mut s = settings(0.02);
        s.solve.method = method;
        s.solve.iterations = 10;
        s.solve.tolerance = 0.0;
        let at = |frame: usize| {
            let mut moved = body.clone();
            let shift = V3::new(0.1, 0.2, 0.0) * (0.05 * frame as f64).sin();
            moved.pins.iter_mut().for_each(|p| p.target += shift);
            moved.anchors.iter_mut().for_each(|a| a.target -= shift);
            moved
        };
        let mut old = bridge::simulation(&body, s.clone(), lame());
        for frame in 0..1000 {
            bridge::move_targets(&mut old, &at(frame));
            let report = old.step().unwrap();
            assert_eq!((report.factored, report.hessians), (0, 0), "{method:?}, frame {frame}");
        }
        assert_eq!(old.factors(), Factors { matrices: 1, hessians: 0 }, "{method:?}");
        let mut new = bridge::simulation(&body, s, lame());
        new.set_state(&old.positions(), &old.velocities()).unwrap();
        for sim in [&mut old, &mut new] {
            bridge::move_targets(sim, &at(1000));
            sim.step().unwrap();
        }
        assert_eq!(old.positions(), new.positions());
        assert_eq!(old.velocities(), new.velocities());
    }
}

/// Who factors more says so: `newton` a Hessian in each iteration, `auto` at most as many as it has iterations, another Δt one matrix more.
/// What the steps report adds up to what the simulation counts.
#[test]
fn factors_are_counted() {
    for method in [Method::Newton, Method::Auto, Method::QuasiNewton, Method::Admm] {
        let (mut sim, _) = sim(|s| s.solve.method = method);
        assert_eq!(sim.factors(), Factors { matrices: 1, hessians: 0 });
        let (mut matrices, mut hessians) = (1, 0);
        for frame in 0..20 {
            let r = sim.step().unwrap();
            (matrices, hessians) = (matrices + r.factored as u64, hessians + r.hessians as u64);
            match method {
                // One for each iteration, and one to see that nothing is left to do.
                Method::Newton => assert!((r.iterations..=r.iterations + 1).contains(&r.hessians), "{r:?}"),
                Method::Auto => assert!(r.hessians <= r.iterations + 1, "{r:?}"),
                _ => assert_eq!(r.hessians, 0),
            }
            assert_eq!(sim.factors(), Factors { matrices, hessians }, "{method:?}, frame {frame}");
        }
        let mut s = sim.settings().clone();
        s.time.dt = 0.01;
        sim.update_settings(s).unwrap();
        assert_eq!(sim.factors().matrices, matrices + 1);
        assert_eq!(sim.step().unwrap().factored, 0);
    }
}
