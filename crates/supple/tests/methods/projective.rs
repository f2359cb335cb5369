//! Projective dynamics. Expected: (27)–(29) of the oracle, which has explicit matrices.

use super::bridge::{self, lame};
use super::common;
use super::reference::V3;
use super::reference::admm_dense::{DenseSolver, Weights};
use super::reference::body::{RefAnchor, RefBody, RefSpring};
use super::reference::material::RefMaterial;
use super::reference::shape::{Random, extent, max_distance};
use super::setup::{GRAVITY, PROJECTIVE, disturbed, furnished, heavy, settings, simulation};
use supple::{Control, Material, MaterialKind, Method, Scene, Start, Status};

const H: f64 = 0.02;

/// Every iterate of 30, 1e-12 of the extent: a bar of arap with springs, anchors and pins; the weights asked for make no
/// difference.
#[test]
fn every_iterate_is_the_published_one() {
    let body = furnished(RefMaterial::arap(lame()));
    let (x, v) = disturbed(&body, 801);
    let xtilde = body.predicted(&x, &v, H, &GRAVITY);
    let solver = DenseSolver::new(&body, H, Weights::stiffness(&body, 2.0 * lame().mu));
    for scale in [1.0, 7.0] {
        let s = heavy(H, |s| {
            PROJECTIVE.1(s);
            s.start = Start::Inertia;
            s.weight_scale = scale;
            (s.iterations, s.tolerance) = (30, 0.0);
        });
        let mut sim = simulation(&body, s, &x, &v);
        let mut found = Vec::new();
        let report = sim
            .step_with(&mut |it| {
                found.push(bridge::points(&it.positions()));
                Control::Continue
            })
            .unwrap();
        assert_eq!((report.method, report.status), (Method::Projective, Status::IterationLimit));
        let mut wanted = xtilde.clone();
        for (n, f) in found.iter().enumerate() {
            wanted = solver.projective(&wanted, &xtilde).1;
            let error = max_distance(f, &wanted) / extent(&body.rest);
            assert!(error <= 1e-12, "iteration {}: {error:e}", n + 1);
        }
        assert_eq!(found.len(), 30);
    }
}

/// An arap stiffness of the user's own is the stiffness: one step to tolerance, 1e-9 of the extent from Newton.
#[test]
fn takes_the_stiffness_of_the_material() {
    let mesh = common::bar([3, 1, 1], 0.3);
    let stiffness = 3e4;
    let rest: Vec<V3> = bridge::points(mesh.vertices());
    let tets: Vec<[usize; 4]> = mesh.tets().iter().map(|t| t.map(|v| v as usize)).collect();
    let body = RefBody::new(
        &super::reference::shape::RefMesh { rest, tets },
        RefMaterial::Arap { k: stiffness },
        1000.0,
    );
    let (x, v) = disturbed(&body, 802);
    let s = heavy(H, |s| {
        PROJECTIVE.1(s);
        (s.iterations, s.tolerance) = (5000, 1e-11);
    });
    let mut scene = Scene::new(s);
    scene.add_solid("bar", mesh, Material::arap_with_stiffness(stiffness).unwrap(), 1000.0).unwrap();
    let mut sim = scene.build().unwrap();
    sim.set_state(&bridge::rows(&x), &bridge::rows(&v)).unwrap();
    assert_eq!(sim.step().unwrap().status, Status::Converged);
    let wanted = body.step(&x, &v, H, &GRAVITY);
    let error = max_distance(&bridge::points(&sim.positions()), &wanted) / extent(&body.rest);
    assert!(error <= 1e-9, "{error:e}");
}

/// On affine sets (anchors, springs of no length) one iteration is exact: 1e-13 of the extent.
#[test]
fn affine_sets_take_one_iteration() {
    let mut random = Random::new(803);
    let rest: Vec<V3> = (0..8).map(|_| random.vector(1.0)).collect();
    let mut body = RefBody::particles(rest, (0..8).map(|_| random.uniform(0.5, 2.0)).collect());
    for a in 0..8 {
        body.springs.push(RefSpring { a, b: (a + 3) % 8, k: random.uniform(20.0, 90.0), length: 0.0 });
        body.anchors.push(RefAnchor { node: a, target: random.vector(1.0), k: random.uniform(20.0, 90.0) });
    }
    let (x, v) = disturbed(&body, 804);
    let s = settings(0.1, |s| {
        PROJECTIVE.1(s);
        (s.iterations, s.tolerance) = (1, 0.0);
    });
    let mut sim = simulation(&body, s, &x, &v);
    sim.step().unwrap();
    let wanted = body.step(&x, &v, 0.1, &V3::zeros());
    assert!(max_distance(&bridge::points(&sim.positions()), &wanted) <= 1e-13 * extent(&body.rest));
}

/// Terms that are no distance to a set are refused by name, when the scene is built and when settings change; the
/// simulation then goes on as it was.
#[test]
fn other_materials_are_refused_by_name() {
    for kind in MaterialKind::ALL {
        let build = |s| {
            let mut scene = Scene::new(s);
            let mesh = common::bar([1, 1, 1], 0.3);
            scene.add_solid("stone", mesh.clone(), common::material(MaterialKind::Arap), 1000.0).unwrap();
            scene.add_solid("jelly", mesh, common::material(kind), 1000.0).unwrap();
            scene.build()
        };
        let projective = settings(H, PROJECTIVE.1);
        if kind == MaterialKind::Arap {
            assert!(build(projective).is_ok());
            continue;
        }
        let Err(e) = build(projective.clone()) else { panic!("{kind:?} was taken") };
        // Fibres themselves are taken; what they lie in is not.
        let word = if kind == MaterialKind::Fibre { "neo_hookean" } else { kind.name() };
        let e = e.to_string();
        assert!(e.contains(word) && e.contains("jelly") && e.contains("projective"), "{e}");
        let before = settings(H, |_| {});
        let (mut sim, mut twin) = (build(before.clone()).unwrap(), build(before.clone()).unwrap());
        let e = sim.update_settings(projective).unwrap_err().to_string();
        assert!(e.contains(word) && e.contains("jelly"), "{e}");
        assert_eq!(*sim.settings(), before);
        sim.step().unwrap();
        twin.step().unwrap();
        assert_eq!(sim.positions(), twin.positions());
    }
}

/// To `projective` and back without a step between: the same bits as without.
#[test]
fn there_and_back_is_nothing() {
    let body = furnished(RefMaterial::arap(lame()));
    let (x, v) = disturbed(&body, 805);
    for (name, method) in super::setup::minimisers() {
        let s = heavy(H, |s| {
            s.iterations = 30;
            method(s);
        });
        let mut sim = simulation(&body, s.clone(), &x, &v);
        let mut twin = simulation(&body, s.clone(), &x, &v);
        let mut other = s.clone();
        other.solve.method = Method::Projective;
        for _ in 0..5 {
            sim.update_settings(other.clone()).unwrap();
            sim.update_settings(s.clone()).unwrap();
            sim.step().unwrap();
            twin.step().unwrap();
            assert!(sim.positions() == twin.positions(), "{name}");
        }
    }
}
