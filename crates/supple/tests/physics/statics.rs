//! Equilibria: the patch test, a body at rest, a hanging bar.

use super::bridge::{self, lame};
use super::common::{distance, settings};
use super::reference::body::{RefBody, RefPin};
use super::reference::material::RefMaterial;
use super::reference::shape::{Random, RefMesh, bar, box_mesh, extent, max_distance, rotation};
use super::reference::{M3, V3};
use supple::Status;

/// Boundary nodes pinned to an affine image of the rest shape, inner nodes put at random: they end at their affine image,
/// 1e-9 of the extent. Every material; a turned map for those that are objective.
#[test]
fn affine_patch() {
    let stretch = M3::new(1.2, 0.1, 0.0, -0.05, 0.9, 0.15, 0.1, 0.0, 1.1);
    let turned = rotation(&V3::new(1.0, -1.0, 0.5), 1.3) * stretch;
    for material in RefMaterial::all(lame()).into_iter().chain(RefMaterial::more(lame())) {
        for (name, f) in [("stretched", stretch), ("turned", turned)] {
            let mut body = RefBody::new(&box_mesh([3, 3, 3], V3::repeat(0.4)), material, 1000.0);
            let map = |p: &V3| f * p + V3::new(0.3, 0.1, -0.2);
            let (mut random, mut inner) = (Random::new(701), Vec::new());
            let mut x: Vec<V3> = body.rest.iter().map(map).collect();
            for node in 0..x.len() {
                if body.rest[node].iter().all(|c| *c > 0.1 && *c < 1.1) {
                    x[node] += random.vector(0.05);
                    inner.push(node);
                } else {
                    body.pins.push(RefPin { node, target: x[node] });
                }
            }
            assert_eq!(inner.len(), 8);
            let mut s = settings(1.0);
            s.solve.weight_scale = 1.2;
            let mut sim = bridge::simulation(&body, s, lame());
            bridge::put(&mut sim, &body, &x, &vec![V3::zeros(); x.len()]);
            for _ in 0..15 {
                let report = sim.step().unwrap();
                assert_eq!(report.status, Status::Converged, "{} {name}: {report:?}", material.name());
            }
            let wanted: Vec<V3> = body.rest.iter().map(map).collect();
            let error = max_distance(&bridge::points(&sim.positions()), &wanted) / extent(&body.rest);
            assert!(error <= 1e-9, "{} {name}: {error:e}", material.name());
        }
    }
}

/// A body at rest without forces stays there for 1e4 frames: at most 1e-13 of the extent away, and in the last thousand
/// frames no further than in the first thousand (beside 1e-14 of the extent). At the origin, turned, and 10 m away; with
/// a tolerance and without.
#[test]
fn rest_is_rest() {
    let turn = rotation(&V3::new(0.3, 1.0, -0.6), 0.9);
    let mut wrong = Vec::new();
    for material in RefMaterial::all(lame()).into_iter().chain(RefMaterial::more(lame())) {
        for (name, r, t) in [
            ("as built", M3::identity(), V3::zeros()),
            ("turned", turn, V3::new(0.1, 0.2, 0.3)),
            ("far away", turn, V3::new(10.0, -10.0, 10.0)),
        ] {
            for tolerance in [1e-10, 0.0] {
                let mesh = bar(1, 1.0);
                let rest = mesh.rest.iter().map(|p| r * p + t).collect();
                let body = RefBody::new(&RefMesh { rest, tets: mesh.tets }, material, 1000.0);
                let mut s = settings(0.04);
                s.solve.iterations = 5;
                s.solve.tolerance = tolerance;
                let mut sim = bridge::simulation(&body, s, lame());
                let (start, size) = (sim.positions(), extent(&body.rest));
                let (mut early, mut late) = (0.0_f64, 0.0_f64);
                for frame in 0..10_000 {
                    sim.step().unwrap();
                    if frame < 1000 {
                        early = early.max(distance(&sim.positions(), &start) / size);
                    } else if frame >= 9000 {
                        late = late.max(distance(&sim.positions(), &start) / size);
                    }
                }
                let context =
                    format!("{} {name}, tolerance {tolerance}: {early:e}, {late:e}", material.name());
                if !(early <= 1e-13 && late <= 1e-13 && late <= early + 1e-14) {
                    wrong.push(context);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of 30:\n{}", wrong.len(), wrong.join("\n"));
}

/// A bar that hangs by its end under gravity comes to rest: forces balance at its free nodes (1e-7 of the weight), and it
/// is where Newton's is, 1e-6 of the extent. The same mesh in both, so locking is the same.
#[test]
fn a_hanging_bar() {
    let (h, gravity) = (0.3, V3::new(0.0, 0.0, -9.8));
    for material in RefMaterial::all(lame()) {
        let mut body = RefBody::new(&box_mesh([1, 1, 4], V3::repeat(0.25)), material, 1000.0);
        for node in 0..body.rest.len() {
            if body.rest[node].z == 1.0 {
                body.pins.push(RefPin { node, target: body.rest[node] });
            }
        }
        let mut s = settings(h);
        s.world.gravity = [gravity.x, gravity.y, gravity.z];
        s.solve.weight_scale = 1.2;
        let mut sim = bridge::simulation(&body, s, lame());
        let (mut x, mut v) = (body.rest.clone(), vec![V3::zeros(); body.rest.len()]);
        for _ in 0..100 {
            let report = sim.step().unwrap();
            assert_eq!(report.status, Status::Converged, "{}: {report:?}", material.name());
            body.advance(&mut x, &mut v, h, &gravity);
        }
        let found = bridge::points(&sim.positions());
        let error = max_distance(&found, &x) / extent(&body.rest);
        assert!(error <= 1e-6, "{}: {error:e}", material.name());
        let weight = 9.8 * body.masses.iter().sum::<f64>();
        let forces = body.gradient(&found);
        for i in body.free_nodes() {
            let left = (forces[i] - gravity * body.masses[i]).norm();
            assert!(left <= 1e-7 * weight, "{} node {i}: {left:e} N", material.name());
        }
        // The pins carry what is left of the weight.
        let carried: f64 = body.pins.iter().map(|p| forces[p.node].z).sum();
        let above: f64 = body.pins.iter().map(|p| 9.8 * body.masses[p.node]).sum();
        assert!((carried - (weight - above)).abs() <= 1e-6 * weight, "{}: {carried} N", material.name());
        let sag = body.rest.iter().zip(&found).map(|(r, p)| r.z - p.z).fold(0.0, f64::max);
        assert!(sag > 0.02, "{}: {sag}", material.name());
    }
}
