//! Regressions: bodies that are inverted, mirrored, shrunk or collapsed come back, whatever the number of iterations.

use super::bridge::{self, lame};
use super::reference::body::RefBody;
use super::reference::material::RefMaterial;
use super::reference::shape::{Random, RefMesh, box_mesh, extent, shape_error, tet_volume};
use super::reference::{M3, V3};
use supple::{Settings, Status};

/// How far from the rest shape. `linear` is no function of the shape: its forces leave Σ m X×x as it is and its energy
/// does not see (I + A)X for antisymmetric A, so what must vanish is its strain, sym(F) − I.
fn error(body: &RefBody, x: &[V3]) -> f64 {
    if body.materials[0].is_isotropic() {
        return shape_error(x, &body.rest);
    }
    (0..body.tets.len())
        .map(|e| {
            let f = body.deformation(e, x);
            ((f + f.transpose()) * 0.5 - M3::identity()).norm()
        })
        .fold(0.0, f64::max)
}

fn inverted(body: &RefBody, x: &[V3]) -> usize {
    body.tets.iter().filter(|t| tet_volume(x, t) < 0.0).count()
}

/// 200 frames of 40 ms without gravity from x at rest; the end, and the furthest that a node came from the origin.
fn run(body: &RefBody, x: &[V3], iterations: usize, weight_scale: f64) -> (Vec<V3>, f64, usize) {
    let mut s = Settings::published();
    s.world.gravity = [0.0; 3];
    s.solve.threads = 1;
    s.solve.iterations = iterations;
    s.solve.weight_scale = weight_scale;
    let mut sim = bridge::simulation(body, s, lame());
    bridge::put(&mut sim, body, x, &vec![V3::zeros(); x.len()]);
    assert_eq!(sim.inverted(), inverted(body, x));
    let (mut far, mut last) = (0.0_f64, 0);
    for _ in 0..200 {
        last = sim.step().unwrap().inverted;
        far = sim.positions().iter().flatten().fold(far, |a, c| a.max(c.abs()));
    }
    let x = bridge::points(&sim.positions());
    assert_eq!(last, inverted(body, &x), "reported and recounted inverted elements");
    (x, far, last)
}

/// A regular tetrahedron around the origin, edges of √2 m; its masses have the same moment about every axis, so that the
/// symmetric deformations below leave `linear` no rotation to hide in.
fn tetrahedron() -> RefMesh {
    let p = |x: f64, y: f64, z: f64| V3::new(x, y, z) * 0.5;
    RefMesh {
        rest: vec![p(1.0, 1.0, 1.0), p(1.0, -1.0, -1.0), p(-1.0, -1.0, 1.0), p(-1.0, 1.0, -1.0)],
        tets: vec![[0, 1, 2, 3]],
    }
}

/// One inverted tetrahedron (mirrored; turned inside out; one corner pushed through the opposite face) is at rest again
/// after 200 frames, shape error at most 1e-2, for every material and every number of iterations from 1 to 60, and no
/// node ever leaves the ball of ten extents.
#[test]
fn one_inverted_tetrahedron_returns() {
    let mut wrong = Vec::new();
    for material in RefMaterial::all(lame()) {
        let body = RefBody::new(&tetrahedron(), material, 1000.0);
        let normal = body.rest[3].normalize();
        for (name, f) in [
            ("mirrored", M3::from_diagonal(&V3::new(1.0, 1.0, -1.0))),
            ("inside out", -M3::identity()),
            ("pushed through", M3::identity() - normal * normal.transpose() * 1.5),
        ] {
            let x: Vec<V3> = body.rest.iter().map(|p| f * p).collect();
            assert_eq!(inverted(&body, &x), 1);
            for iterations in 1..=60 {
                let (end, far, left) = run(&body, &x, iterations, 1.0);
                let e = shape_error(&end, &body.rest).max(error(&body, &end));
                if !(e <= 1e-2 && left == 0 && far <= 10.0 * extent(&body.rest)) {
                    wrong.push(format!(
                        "{} {name}, {iterations} iterations: shape error {e:.1e}, inverted {left}, furthest {far:.1e}",
                        material.name()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of 900:\n{}", wrong.len(), wrong.join("\n"));
}

/// True if the energy itself holds the body where it is: no element is inverted, and twenty large steps of the oracle's
/// Newton from there, each stopped before the next, do not bring the shape back either. (A cube wound twice about its
/// diagonal is such a minimum: 9174 J for arap, 12600 J for corotated, 17540 J for neo-Hookean here.)
fn held_by_its_energy(body: &RefBody, x: &[V3]) -> bool {
    if inverted(body, x) > 0 {
        return false;
    }
    let mut x = x.to_vec();
    for _ in 0..20 {
        x = body.minimise(&x, &x, 0.2).x;
    }
    inverted(body, &x) == 0 && error(body, &x) > 5e-2
}

/// Weights of crumpled cubes. With w² = bulk·V the exact proximal operator of St. Venant–Kirchhoff maps every inverted input
/// to σ3 = 0 (p = λ tr E − μ + k > 0 for k = bulk), where its energy has no force: parts of a crumpled body may stay
/// there, see `published_weights_may_leave_st_venant_kirchhoff_crumpled`. With half the weight they do not.
fn weight_scale(body: &RefBody) -> f64 {
    if body.materials[0].name() == "st_venant_kirchhoff" { 0.5 } else { 1.0 }
}

/// Runs a spoilt cube; a complaint if it neither recovers nor is held by its energy.
fn complain(
    body: &RefBody,
    name: &str,
    x: &[V3],
    iterations: usize,
    scale: f64,
    recovered: &mut usize,
) -> Option<String> {
    let (end, far, left) = run(body, x, iterations, scale);
    let e = error(body, &end);
    let bounded = far <= 10.0 * extent(&body.rest);
    if e <= 5e-2 && left == 0 && bounded {
        *recovered += 1;
        return None;
    }
    if bounded && held_by_its_energy(body, &end) {
        return None;
    }
    let material = body.materials[0].name();
    Some(format!(
        "{material} {name}, {iterations} iterations: shape error {e:.1e}, inverted {left}, furthest {far:.1e}"
    ))
}

fn cube(material: RefMaterial) -> RefBody {
    RefBody::new(&box_mesh([2, 2, 2], V3::repeat(0.5)), material, 1000.0)
}

/// Cubes whose nodes are thrown at random into the unit box: shape error at most 5e-2 after 200 frames of 10 iterations
/// and no inverted element left, or held by the energy. Three of four recover fully.
#[test]
fn a_scattered_cube_recovers() {
    let mut wrong = Vec::new();
    for material in RefMaterial::all(lame()) {
        let body = cube(material);
        let mut recovered = 0;
        for seed in 800..816 {
            let mut random = Random::new(seed);
            let x: Vec<V3> = body.rest.iter().map(|_| V3::repeat(0.5) + random.vector(0.5)).collect();
            assert!(inverted(&body, &x) > 0);
            wrong.extend(complain(
                &body,
                &format!("seed {seed}"),
                &x,
                10,
                weight_scale(&body),
                &mut recovered,
            ));
        }
        if recovered < 12 {
            wrong.push(format!("{}: only {recovered} of 16 recovered", material.name()));
        }
    }
    assert!(wrong.is_empty(), "{} of 80:\n{}", wrong.len(), wrong.join("\n"));
}

/// St. Venant–Kirchhoff cubes with the published weights: at least 14 of the 16 scattered ones recover, and of those that do not
/// every step says so: inverted elements, not converged.
#[test]
fn published_weights_may_leave_st_venant_kirchhoff_crumpled() {
    let body = cube(RefMaterial::all(lame())[4]);
    let mut recovered = 0;
    for seed in 800..816 {
        let mut random = Random::new(seed);
        let x: Vec<V3> = body.rest.iter().map(|_| V3::repeat(0.5) + random.vector(0.5)).collect();
        let mut s = Settings::published();
        s.world.gravity = [0.0; 3];
        s.solve.threads = 1;
        s.solve.iterations = 10;
        let mut sim = bridge::simulation(&body, s, lame());
        bridge::put(&mut sim, &body, &x, &vec![V3::zeros(); x.len()]);
        let mut last = sim.step().unwrap();
        for _ in 1..200 {
            last = sim.step().unwrap();
        }
        if error(&body, &bridge::points(&sim.positions())) <= 5e-2 {
            recovered += 1;
        } else {
            assert!(last.inverted > 0 && last.status != Status::Converged && last.force_residual > 1e-3);
        }
    }
    assert!(recovered >= 14, "{recovered} of 16");
}

/// A cube that is mirrored, turned inside out or shrunk recovers with 10 iterations; one collapsed to a plane, a line or
/// a point with 40, exactly collapsed and beside a jitter of 1e-6 (nearly a point: 20; what comes of it is chaotic, and more
/// iterations are not better). Shape error at most 5e-2 after 200 frames, no
/// inverted element left, or held by the energy.
///
/// Exempt: St. Venant–Kirchhoff exactly in a plane or on a line. Its stress F(2μE + λ tr E) has no component out of
/// them, so that by symmetry this is an equilibrium, if an unstable one; with the jitter it must recover.
#[test]
fn a_spoilt_cube_recovers() {
    let mut wrong = Vec::new();
    for material in RefMaterial::all(lame()) {
        let body = cube(material);
        let mapped = |d: V3, jitter: f64| -> Vec<V3> {
            let mut random = Random::new(5);
            body.rest.iter().map(|p| p.component_mul(&d) + random.vector(1.0) * jitter).collect()
        };
        let mut recovered = 0;
        for (name, d, jitter, iterations) in [
            ("mirrored", V3::new(1.0, -1.0, 1.0), 0.0, 10),
            ("inside out", V3::repeat(-1.0), 0.0, 10),
            ("shrunk", V3::repeat(0.1), 0.0, 10),
            ("shrunk to a millionth", V3::repeat(1e-6), 0.0, 10),
            ("flat", V3::new(1.0, 0.0, 1.0), 0.0, 40),
            ("a line", V3::new(0.0, 1.0, 0.0), 0.0, 40),
            ("a point", V3::zeros(), 0.0, 40),
            ("nearly flat", V3::new(1.0, 0.0, 1.0), 1e-6, 40),
            ("nearly a line", V3::new(0.0, 1.0, 0.0), 1e-6, 40),
            ("nearly a point", V3::zeros(), 1e-6, 20),
        ] {
            let exempt = material.name() == "st_venant_kirchhoff" && (name == "flat" || name == "a line");
            if exempt {
                continue;
            }
            wrong.extend(complain(&body, name, &mapped(d, jitter), iterations, 1.0, &mut recovered));
        }
        if recovered < 7 {
            wrong.push(format!("{}: only {recovered} recovered", material.name()));
        }
    }
    assert!(wrong.is_empty(), "{} of 50:\n{}", wrong.len(), wrong.join("\n"));
}
