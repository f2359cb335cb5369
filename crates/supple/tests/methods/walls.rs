//! Elements at the wall σ3 = 0 of energies that do not see a reflection: what holds them there is a force of the wall, and nobody stops for it.

use super::bridge;
use super::reference::V3;
use super::reference::body::{RefBody, RefPin};
use super::reference::material::{Lame, RefMaterial};
use super::reference::shape::{box_mesh, extent, single_tet, tet_volume};
use super::setup::{distance_to_minimum, hold, positions, settings, show, simulation, still, wall_forces};
use supple::{Method, Settings, Status};

fn lame() -> Lame {
    Lame::from_young(1e6, 0.4)
}

fn falling(h: f64, method: Method, tolerance: f64, iterations: usize) -> Settings {
    let mut s = settings(h, |s| (s.method, s.tolerance, s.iterations) = (method, tolerance, iterations));
    s.world.gravity = [0.0, -9.8, 0.0];
    s
}

/// A tetrahedron on three pins whose fourth corner is twice as heavy as it can carry: St. Venant–Kirchhoff gives way at σ = 1/√3, where its stress is
/// largest, and the corner ends in the plane of the pins, σ3 = 0 to the tolerance, held by the wall. Each of the last 30 of 60 frames has converged there,
/// with the elastic energy V(μ/4 + λ/8), the formula's at σ = (1, 1, 0); those that minimise along directions converge on the way too.
#[test]
fn a_corner_that_is_pressed_into_the_plane_of_the_others() {
    let material = RefMaterial::StVenantKirchhoff(lame());
    let mut wrong = Vec::new();
    for (name, method) in [
        ("newton", Method::Newton),
        ("auto", Method::Auto),
        ("quasi_newton", Method::QuasiNewton),
        ("admm", Method::Admm),
    ] {
        for tolerance in [1e-3, 1e-6, 1e-8] {
            let mut body = RefBody::new(&single_tet(), material, 1000.0);
            let top = (0..4).find(|&i| body.rest[i].y > 0.5).unwrap();
            for node in (0..4).filter(|&i| i != top) {
                body.pins.push(RefPin { node, target: body.rest[node] });
            }
            // Ψ' = (μ + λ/2)σ(σ² − 1) is −2/(3√3) of its factor at most.
            let volume = tet_volume(&body.rest, &body.tets[0]);
            let carried = volume * (lame().lambda + 2.0 * lame().mu) / (3.0 * 3f64.sqrt());
            body.masses[top] = 2.0 * carried / 9.8;
            let s = falling(0.04, method, tolerance, 2000);
            let mut sim = simulation(&body, s, &body.rest, &still(&body));
            for frame in 0..60 {
                let report = sim.step().unwrap();
                let y = positions(&sim)[top].y;
                let at = format!("{name} {tolerance:e} frame {frame}: y {y:e}, {}", report.status);
                // The height over the plane is σ3 here, and the promise is a length.
                let most = tolerance * extent(&body.rest);
                if report.status != Status::Converged {
                    if method != Method::Admm || frame >= 30 {
                        wrong.push(format!("{at} after {}", report.iterations));
                    }
                    continue;
                }
                let wanted = volume * (lame().mu / 4.0 + lame().lambda / 8.0);
                // Ψ is stationary in σ3 there, Ψ(σ3)/Ψ(0) = (1 − σ3²)².
                let off = (report.energy.elastic - wanted).abs() / wanted;
                if y < -most || (frame >= 30 && (y > 2.0 * most || off > 1e-12 + 2.0 * y * y)) {
                    wrong.push(format!("{at}, energy off by {off:e}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// A soft cantilever that folds at its root. By `auto` each step converges, the body moves on, and what `converged` says holds as the oracle has it with
/// multipliers: within the tolerance of the minimum, walls that only push, nothing on the wrong side of them. What `newton` says holds, too.
#[test]
fn a_cantilever_that_folds_keeps_moving() {
    let (h, tolerance) = (0.04, 1e-6);
    let soft = RefMaterial::StVenantKirchhoff(Lame::from_young(2e5, 0.4));
    let mut body = RefBody::new(&box_mesh([8, 2, 2], V3::repeat(0.5)), soft, 1000.0);
    hold(&mut body);
    let down = V3::new(0.0, -9.8, 0.0);
    let (mut lines, mut wrong) = (Vec::new(), Vec::new());
    for (name, method) in [("newton", Method::Newton), ("auto", Method::Auto)] {
        let mut sim = simulation(&body, falling(h, method, tolerance, 200), &body.rest, &still(&body));
        let (mut at_wall, mut converged) = (0, 0);
        for frame in 0..50 {
            let (x, v) = (positions(&sim), bridge::points(&sim.velocities()));
            let report = sim.step().unwrap();
            let end = positions(&sim);
            let g = body.objective_gradient(&end, &body.predicted(&x, &v, h, &down), h);
            let pressed = wall_forces(&body, &end, &g, 2.0 * tolerance).1.len();
            let what =
                format!("{name} frame {frame}, {pressed} at the wall, {} iterations", report.iterations);
            if report.status != Status::Converged {
                if method == Method::Auto {
                    wrong.push(format!("{what}: {}", report.status));
                }
                continue;
            }
            converged += 1;
            at_wall += usize::from(pressed > 0);
            let error = distance_to_minimum(&body, &end, (&x, &v), (h, &down), tolerance);
            if !(error <= tolerance) || report.inverted > 0 {
                wrong.push(format!("{what}: {error:.1e} from the minimum, {} inverted", report.inverted));
            }
        }
        lines.push(format!("{name}: {converged} of 50 converged, {at_wall} with elements at the wall"));
        assert!(at_wall >= 10, "only few frames say anything: {lines:?}");
    }
    show(&lines);
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
