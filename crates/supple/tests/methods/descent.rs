//! Newton and quasi-Newton: always downhill, never through the barrier.

use super::bridge::{self, lame};
use super::reference::V3;
use super::reference::body::{RefBody, flatten};
use super::reference::material::{Lame, RefMaterial};
use super::reference::shape::{Random, bar, box_mesh, extent, max_distance};
use super::setup::{DESCENT, heavy, hold, inverted, positions, settings, simulation, still, twisted};
use nalgebra::DMatrix;
use supple::{Control, FirstHessian, Method, Simulation, SolveSettings, Status};

/// Steps with someone who checks each iterate: no element inverted, ε never above the last one but for rounding.
fn watch(what: &str, body: &RefBody, sim: &mut Simulation, frames: usize) -> usize {
    let mut looks = 0;
    for frame in 0..frames {
        let mut last = f64::NAN;
        let report = sim
            .step_with(&mut |it| {
                let x = bridge::points(&it.positions());
                assert_eq!(inverted(body, &x), 0, "{what} frame {frame} iteration {}", it.index());
                if last.is_nan() {
                    last = it.start_objective();
                }
                let now = it.objective();
                assert!(
                    now <= last + 1e-12 * last.abs(),
                    "{what} frame {frame} iteration {}: {last} {now}",
                    it.index()
                );
                last = now;
                looks += 1;
                Control::Continue
            })
            .unwrap();
        assert!(
            report.method != Method::Admm,
            "{what} frame {frame}: from a sound state nobody else is needed"
        );
        assert_eq!(report.inverted, 0);
    }
    looks
}

/// Neo-Hookean bodies that are thrown at their pins with 100 m/s, torn, twisted and shaken: no iterate of any frame has an
/// inverted element, and the objective only falls (to 1e-12 of itself).
#[test]
fn violence_inverts_nothing() {
    for (name, method) in DESCENT {
        for poisson in [0.3, 0.45] {
            let l = Lame::from_young(1e5, poisson);
            let mut body = RefBody::new(&bar(4, 0.25), RefMaterial::NeoHookean(l), 1000.0);
            hold(&mut body);
            let mut random = Random::new(21);
            for (motion, v) in [
                ("into pins", body.rest.iter().map(|_| V3::new(-100.0, 0.0, 0.0)).collect::<Vec<_>>()),
                ("torn", body.rest.iter().map(|p| V3::new(200.0 * p.x, 0.0, 0.0)).collect()),
                ("crossed", body.rest.iter().map(|_| random.vector(60.0)).collect()),
                (
                    "spun",
                    body.rest.iter().map(|p| V3::new(0.0, p.z - 0.1, 0.1 - p.y) * (400.0 * p.x)).collect(),
                ),
            ] {
                for h in [0.005, 0.04] {
                    let s = heavy(h, |s| {
                        (s.iterations, s.tolerance) = (60, 1e-6);
                        method(s);
                    });
                    let mut sim = simulation(&body, s, &body.rest, &v);
                    let looks = watch(&format!("{name} ν {poisson} {motion} h {h}"), &body, &mut sim, 6);
                    assert!(looks > 6);
                }
            }
        }
    }
}

/// The same for pins that jump and turn, as far as the jump itself inverts nothing.
#[test]
fn pins_that_pull_invert_nothing() {
    for (name, method) in DESCENT {
        let l = Lame::from_young(1e5, 0.45);
        let (mut body, x) = twisted(RefMaterial::NeoHookean(l), 4, 2.0, true);
        let s = settings(0.02, |s| {
            (s.iterations, s.tolerance) = (100, 1e-6);
            method(s);
        });
        let mut sim = simulation(&body, s, &x, &still(&body));
        let rest = body.rest.clone();
        for frame in 0..12 {
            let a = 0.15 * f64::from(frame);
            for pin in &mut body.pins {
                let p = rest[pin.node];
                pin.target = V3::new(
                    -0.01 * f64::from(frame),
                    p.y * a.cos() - p.z * a.sin(),
                    p.y * a.sin() + p.z * a.cos(),
                );
            }
            bridge::move_targets(&mut sim, &body);
            watch(name, &body, &mut sim, 1);
        }
    }
}

/// With every history from none to 32, and from the identity, the end is the same minimum: 1e-7 of the extent.
#[test]
fn any_history_finds_the_minimum() {
    let (body, x) = twisted(RefMaterial::NeoHookean(lame()), 3, 1.0, true);
    let exact = body.minimise(&x, &x, 0.02).x;
    let mut lines = Vec::new();
    for first_hessian in [FirstHessian::Matrix, FirstHessian::Identity] {
        for history in [0, 1, 2, 8, 32] {
            let s = settings(0.02, |s| {
                s.method = Method::QuasiNewton;
                (s.iterations, s.tolerance) = (20000, 1e-9);
                (s.history, s.first_hessian) = (history, first_hessian);
            });
            let mut sim = simulation(&body, s, &x, &still(&body));
            let report = sim.step().unwrap();
            let error = max_distance(&positions(&sim), &exact) / extent(&body.rest);
            lines.push(format!(
                "{first_hessian:?} {history}: {} {} {error:.1e}",
                report.status, report.iterations
            ));
            assert_eq!(report.status, Status::Converged, "{first_hessian:?} {history}: {report:?}");
            assert!(error <= 1e-7, "{first_hessian:?} {history}: {error:e}");
        }
    }
    super::setup::show(&lines);
}

/// H without the negative part of each element, dense.
fn projected_hessian(body: &RefBody, x: &[V3], h: f64) -> DMatrix<f64> {
    let free = body.free_nodes();
    let n = 3 * body.node_count();
    let mut all = DMatrix::<f64>::zeros(n, n);
    for (e, tet) in body.tets.iter().enumerate() {
        let (k, _) = super::curvature::clamped(&body.materials[e].hessian(&body.deformation(e, x)));
        let d = body.tet_reduction(e);
        super::curvature::add(&mut all, tet, &(d.transpose() * (k * body.volumes[e]) * d));
    }
    for i in 0..n {
        all[(i, i)] += body.masses[i / 3] / (h * h);
    }
    let rows: Vec<usize> = free.iter().flat_map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    all.select_rows(&rows).select_columns(&rows)
}

/// Each iterate of Newton is the last one minus α H⁻¹g with the dense projected Hessian, 1e-8 of the step, and α = 1 at the
/// end; nine iterations are enough.
#[test]
fn newton_takes_the_dense_step() {
    for material in RefMaterial::all(lame()) {
        let (body, x) = twisted(material, 3, 0.7, true);
        let x: Vec<V3> = x.iter().map(|p| V3::new(1.1 * p.x, p.y, p.z)).collect();
        let s = settings(0.02, |s| {
            s.method = Method::Newton;
            s.tolerance = 1e-13;
        });
        let mut sim = simulation(&body, s, &x, &still(&body));
        let mut seen = Vec::new();
        sim.step_with(&mut |it| {
            seen.push(bridge::points(&it.positions()));
            Control::Continue
        })
        .unwrap();
        let exact = body.minimise(&positions(&sim), &x, 0.02).x;
        let error = max_distance(&positions(&sim), &exact) / extent(&body.rest);
        assert!(error <= 1e-12 && seen.len() <= 9, "{}: {error:e} after {}", material.name(), seen.len());
        let free = body.free_nodes();
        let of = |x: &[V3]| flatten(&free.iter().map(|&i| x[i]).collect::<Vec<_>>());
        let mut last = x.clone();
        for (n, next) in seen.iter().enumerate() {
            let gradient = of(&body.objective_gradient(&last, &x, 0.02));
            let step = projected_hessian(&body, &last, 0.02).cholesky().unwrap().solve(&(-gradient));
            let moved = of(next) - of(&last);
            let alpha = moved.dot(&step) / step.norm_squared();
            // Below this the rounding of the gradient is seen.
            if step.norm() > 1e-8 {
                let off = (&moved - &step * alpha).norm() / step.norm();
                assert!(off <= 1e-8, "{} iteration {}: {off:e}", material.name(), n + 1);
                assert!(alpha > 0.0 && alpha <= 1.0 + 1e-8, "{}: {alpha}", material.name());
                assert!(step.norm() > 1e-3 || (alpha - 1.0).abs() <= 1e-8, "{}: {alpha}", material.name());
            }
            last.clone_from(next);
        }
    }
}

/// Asked directly from states that only ADMM leads out of: numbers stay numbers, ten frames long, and nobody panics.
#[test]
fn hopeless_states_stay_finite() {
    const CHANGES: [super::setup::Named; 4] = [
        ("newton", |s: &mut SolveSettings| s.method = Method::Newton),
        ("quasi_newton", |s| s.method = Method::QuasiNewton),
        ("quasi_newton, identity", |s| {
            s.method = Method::QuasiNewton;
            s.first_hessian = FirstHessian::Identity;
        }),
        ("auto", |s| s.method = Method::Auto),
    ];
    let mut random = Random::new(22);
    for material in RefMaterial::all(lame()) {
        let body = RefBody::new(&box_mesh([2, 1, 1], V3::repeat(0.5)), material, 1000.0);
        for (state, d, jitter) in [
            ("point", V3::zeros(), 0.0),
            ("nearly a point", V3::zeros(), 1e-9),
            ("line", V3::new(1.0, 0.0, 0.0), 0.0),
            ("plane", V3::new(1.0, 1.0, 0.0), 0.0),
            ("nearly a plane", V3::new(1.0, 1.0, 1e-7), 1e-9),
            ("mirrored", V3::new(1.0, -1.0, 1.0), 0.0),
            ("random", V3::zeros(), 1.0),
            ("huge", V3::repeat(1e5), 0.0),
        ] {
            let x: Vec<V3> =
                body.rest.iter().map(|p| p.component_mul(&d) + random.vector(1.0) * jitter).collect();
            for (name, method) in CHANGES {
                let s = settings(0.04, |s| {
                    (s.iterations, s.tolerance) = (40, 1e-6);
                    method(s);
                });
                let mut sim = simulation(&body, s, &x, &still(&body));
                for frame in 0..10 {
                    let r = sim.step().unwrap();
                    let finite =
                        sim.positions().iter().chain(&sim.velocities()).flatten().all(|a| a.is_finite());
                    assert!(finite, "{} {state} {name} frame {frame}", material.name());
                    assert!(
                        !r.force_residual.is_nan() && !r.step.is_nan(),
                        "{} {state} {name}: {r:?}",
                        material.name()
                    );
                }
            }
        }
    }
}
