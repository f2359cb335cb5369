//! Tests of the oracle itself (`tests/reference`): against finite differences, closed forms, and its own
//! parts against each other. The tests of the minimisers are in `reference/self_tests`. Each test states its
//! tolerance and where the expected value comes from.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod reference;

#[path = "reference/self_tests/admm_dense.rs"]
mod test_admm_dense;
#[path = "reference/self_tests/prox.rs"]
mod test_prox;

use reference::body::{RefAnchor, RefBody, RefPin, RefSpring, flatten};
use reference::closed_form::{free_fall, spring_oscillator, uniaxial, uniaxial_neo_hookean};
use reference::material::{Lame, RefMaterial, diagonal};
use reference::shape::{
    Random, bar, box_mesh, extent, max_distance, rigid_fit, rotation, shape_error, single_tet, tet_volume,
    twist_about_z, two_tets, unit_box_1_1_2,
};
use reference::svd::signed_svd;
use reference::{M3, V3, V9, mat3, vec9};

/// E = 1e5 Pa, ν = 0.4, the constants of the catalogue.
fn lame() -> Lame {
    Lame::from_young(1e5, 0.4)
}

/// Deformation gradients where every material is smooth: stretched 0.6 … 1.6, and for those that stay finite,
/// inverted.
fn sample_gradients() -> Vec<M3> {
    let mut random = Random::new(1);
    let mut out: Vec<M3> = (0..40).map(|_| random.stretched(0.6, 1.6)).collect();
    out.push(diagonal(1.0, 1.0, 1.0));
    out.push(diagonal(1.3, 0.9, 0.9));
    out
}

fn inverted_gradients() -> Vec<M3> {
    let mut random = Random::new(2);
    (0..20).map(|_| random.stretched(0.8, 1.6) * diagonal(1.0, 1.0, -0.5)).collect()
}

/// By definition F = UΣVᵀ, 2e-14 of ‖F‖; U and V are rotations, 1e-14; order and sign.
#[test]
fn signed_svd_is_what_it_says() {
    let mut random = Random::new(3);
    let mut samples: Vec<M3> = (0..200).map(|_| random.matrix(2.0)).collect();
    samples.extend(inverted_gradients());
    samples.extend([
        M3::zeros(),
        M3::identity(),
        -M3::identity(),
        diagonal(1.0, 1.0, 1e-12),
        diagonal(0.0, 0.0, -3.0),
        diagonal(2.0, -2.0, 2.0),
        V3::new(1.0, 2.0, 3.0) * V3::new(-1.0, 0.5, 0.2).transpose(),
        M3::repeat(1e-300),
        random.rotation() * diagonal(1.0, 1e-9, 1e-9) * random.rotation(),
    ]);
    for f in &samples {
        let svd = signed_svd(f);
        let tolerance = 1e-14 * f.norm().max(1e-300);
        assert!((svd.with_stretches(&svd.sigma) - f).norm() <= 2.0 * tolerance, "{f}");
        assert!((svd.u.transpose() * svd.u - M3::identity()).norm() < 1e-14, "{f}");
        assert!((svd.v.transpose() * svd.v - M3::identity()).norm() < 1e-14, "{f}");
        assert!((svd.u.determinant() - 1.0).abs() < 1e-14 && (svd.v.determinant() - 1.0).abs() < 1e-14);
        let s = svd.sigma;
        assert!(s[0] >= s[1] - tolerance && s[1] >= s[2].abs() - tolerance, "{s}");
        assert!(s[2] * f.determinant() >= 0.0 || s[2].abs() <= tolerance);
    }
}

/// nalgebra's singular values, which know no sign, are the absolute stretches: 1e-14 relative to the largest.
#[test]
fn signed_svd_agrees_with_another_svd() {
    let mut random = Random::new(4);
    for _ in 0..200 {
        let f = random.matrix(2.0);
        let other = f.singular_values();
        let ours = signed_svd(&f).sigma;
        for i in 0..3 {
            assert!((ours[i].abs() - other[i]).abs() <= 1e-14 * other[0]);
        }
    }
}

/// The directional derivative of the energy by eighth-order central differences; 2e-8 of ‖P‖ + stiffness.
#[test]
fn stress_is_the_derivative_of_energy() {
    for material in RefMaterial::all(lame()) {
        let mut samples = sample_gradients();
        if !matches!(material, RefMaterial::NeoHookean(_)) {
            samples.extend(inverted_gradients());
        }
        for f in &samples {
            let p = vec9(&material.stress(f));
            for c in 0..9 {
                let df = mat3(&V9::ith(c, 1.0));
                let slope = difference(|t| material.energy(&(f + df * t)), 1e-3);
                let error = (slope - p[c]).abs() / p.norm().max(1e5);
                assert!(error < 2e-8, "{} at {f}: {error:e}", material.name());
            }
        }
    }
}

/// The stress by eighth-order central differences; 2e-8 of the Hessian's norm. It is also symmetric, 1e-13.
#[test]
fn hessian_is_the_derivative_of_stress() {
    for material in RefMaterial::all(lame()) {
        let mut samples = sample_gradients();
        if !matches!(material, RefMaterial::NeoHookean(_)) {
            samples.extend(inverted_gradients());
        }
        for f in &samples {
            let h = material.hessian(f);
            assert!((h - h.transpose()).norm() <= 1e-13 * h.norm(), "{} at {f}", material.name());
            for c in 0..9 {
                let df = mat3(&V9::ith(c, 1.0));
                for r in 0..9 {
                    let slope = difference(|t| vec9(&material.stress(&(f + df * t)))[r], 1e-3);
                    let error = (slope - h[(r, c)]).abs() / h.norm();
                    assert!(error < 2e-8, "{} at {f}: {error:e}", material.name());
                }
            }
        }
    }
}

/// f′(0) from eight values (error of order step⁸).
fn difference(f: impl Fn(f64) -> f64, step: f64) -> f64 {
    let c = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    (1..=4).map(|i| c[i - 1] * (f(i as f64 * step) - f(-(i as f64) * step))).sum::<f64>() / step
}

/// At rest Ψ = 0 and P = 0 by definition (1e-11 Pa of 1e5); objectivity and isotropy, 1e-12 relative, except
/// `linear`.
#[test]
fn materials_rest_and_do_not_see_rotations() {
    let mut random = Random::new(5);
    for material in RefMaterial::all(lame()) {
        assert!(material.energy(&M3::identity()).abs() < 1e-11);
        assert!(material.stress(&M3::identity()).norm() < 1e-10);
        for f in sample_gradients().iter().filter(|_| material.is_isotropic()) {
            let (q, r) = (random.rotation(), random.rotation());
            let (a, b) = (material.energy(f), material.energy(&(q * f * r)));
            assert!((a - b).abs() <= 1e-12 * (a + 1e5), "{}", material.name());
            let (p, pr) = (material.stress(f), material.stress(&(q * f * r)));
            assert!((q * p * r - pr).norm() <= 1e-12 * (p.norm() + 1e5), "{}", material.name());
        }
    }
}

/// At F = I every Hessian is that of small strains, 2μ sym(dF) + λ tr(dF) I, 1e-12 relative; arap's is 2μ
/// sym(dF).
#[test]
fn materials_have_the_same_small_strains() {
    let lame = lame();
    let wanted = RefMaterial::Linear(lame).hessian(&M3::identity());
    for material in RefMaterial::all(lame) {
        let wanted = match material {
            RefMaterial::Arap { .. } => {
                RefMaterial::Linear(Lame { lambda: 0.0, ..lame }).hessian(&M3::identity())
            }
            _ => wanted,
        };
        let h = material.hessian(&M3::identity());
        assert!((h - wanted).norm() <= 1e-12 * wanted.norm(), "{}", material.name());
    }
}

/// Uniaxial tension of 1.5 with free sides. St. Venant–Kirchhoff and corotated are worked out by hand (E₂₂ =
/// −ν E₁₁, a = 1 − ν(s − 1)): 1e-12. Neo-Hookean: published digits, to the last of them, and the scalar
/// equation, 1e-12.
#[test]
fn uniaxial_tension() {
    let close = |a: f64, b: f64, relative: f64| assert!((a - b).abs() <= relative * b.abs(), "{a} {b}");
    let (a, p) = uniaxial(&RefMaterial::StVenantKirchhoff(lame()), 1.5);
    close(a, 0.5_f64.sqrt(), 1e-12);
    close(p, 93750.0, 1e-12);
    let (a, p) = uniaxial(&RefMaterial::Corotated(lame()), 1.5);
    close(a, 0.8, 1e-12);
    close(p, 50000.0, 1e-12);
    let (a, p) = uniaxial(&RefMaterial::NeoHookean(lame()), 1.5);
    assert!((a - 0.846028).abs() < 5e-7, "{a}");
    assert!((p - 36529.4478).abs() < 5e-5, "{p}");
    let (a2, p2) = uniaxial_neo_hookean(lame().mu, lame().lambda, 1.5);
    close(a, a2, 1e-12);
    close(p, p2, 1e-12);
}

/// Volumes of the meshes by geometry, 1e-14; every tetrahedron is the right way round.
#[test]
fn meshes_fill_their_boxes() {
    let volume = |m: &reference::shape::RefMesh| m.tets.iter().map(|t| tet_volume(&m.rest, t)).sum::<f64>();
    for (mesh, wanted) in [
        (single_tet(), 1.0 / 6.0),
        (unit_box_1_1_2(), 2.0),
        (bar(5, 0.1), 5e-3),
        (box_mesh([2, 3, 1], V3::new(0.5, 0.2, 0.3)), 1.0 * 0.6 * 0.3),
    ] {
        assert!(mesh.tets.iter().all(|t| tet_volume(&mesh.rest, t) > 0.0));
        assert!((volume(&mesh) - wanted).abs() < 1e-14);
        let masses = reference::shape::lumped_masses(&mesh.rest, &mesh.tets, 1000.0);
        assert!((masses.iter().sum::<f64>() - 1000.0 * wanted).abs() < 1e-11);
    }
    assert!(two_tets().tets.iter().all(|t| tet_volume(&two_tets().rest, t) > 0.0));
}

/// A rotated and moved shape has shape error 0 (1e-14) and the fit finds the motion (1e-14); moving one
/// corner of the unit box by d changes the error by at most d over the extent.
#[test]
fn rigid_fit_undoes_a_rigid_motion() {
    let mut random = Random::new(6);
    let mesh = unit_box_1_1_2();
    for _ in 0..20 {
        let (r, t) = (random.rotation(), random.vector(1.0));
        let mut x: Vec<V3> = mesh.rest.iter().map(|p| r * p + t).collect();
        let (fit_r, fit_t) = rigid_fit(&x, &mesh.rest);
        assert!((fit_r - r).norm() < 1e-14 && (fit_t - t).norm() < 1e-14);
        assert!(shape_error(&x, &mesh.rest) < 1e-14);
        x[0] += V3::new(0.1, 0.0, 0.0);
        let error = shape_error(&x, &mesh.rest);
        assert!(error > 0.03 / extent(&mesh.rest) && error <= 0.1 / extent(&mesh.rest));
    }
}

/// F of an affine map is its matrix, 1e-13, by eq. (32) and by Σ x_v g_vᵀ.
#[test]
fn deformation_of_an_affine_map() {
    let mut random = Random::new(7);
    let body = RefBody::new(&two_tets(), RefMaterial::arap(lame()), 1000.0);
    let (f, t) = (random.matrix(2.0), random.vector(1.0));
    let x: Vec<V3> = body.rest.iter().map(|p| f * p + t).collect();
    for e in 0..2 {
        assert!((body.deformation(e, &x) - f).norm() < 1e-13);
        let corners: Vec<V3> = body.tets[e].iter().map(|&i| x[i]).collect();
        let reduced = body.tet_reduction(e) * flatten(&corners);
        assert!((reduced - vec9(&f)).norm() < 1e-13);
    }
}

/// A body with every kind of term: tetrahedra, springs, anchors, a pin.
fn furnished_body(material: RefMaterial) -> RefBody {
    let mut body = RefBody::new(&unit_box_1_1_2(), material, 1000.0);
    body.springs.push(RefSpring { a: 0, b: 11, k: 3e4, length: 2.0 });
    body.anchors.push(RefAnchor { node: 5, target: V3::new(1.2, -0.1, 1.1), k: 2e4 });
    body.pins.push(RefPin { node: 0, target: V3::new(0.1, 0.0, -0.05) });
    body
}

/// Gradient and Hessian of the body's objective by eighth-order central differences, 1e-8 relative.
#[test]
fn body_gradient_and_hessian() {
    let mut random = Random::new(8);
    for material in RefMaterial::all(lame()) {
        let body = furnished_body(material);
        let mut x: Vec<V3> = body.rest.iter().map(|p| p + random.vector(0.05)).collect();
        body.put_pins(&mut x);
        let g = body.gradient(&x);
        let h = body.hessian(&x);
        for (i, c) in [(1, 0), (5, 2), (11, 1), (3, 1)] {
            let at = |t: f64| {
                let mut y = x.clone();
                y[i][c] += t;
                y
            };
            let slope = difference(|t| body.energy(&at(t)), 1e-3);
            assert!((slope - g[i][c]).abs() < 1e-8 * flatten(&g).norm(), "{}", material.name());
            for r in 0..36 {
                let slope = difference(|t| flatten(&body.gradient(&at(t)))[r], 1e-3);
                assert!((slope - h[(r, 3 * i + c)]).abs() < 1e-8 * h.amax(), "{}", material.name());
            }
        }
    }
}

/// Newton ends at rounding: force residual 1e-12 (the definition, recomputed), from a twisted, moving start,
/// with a pin that stays where it is put, and lower than every one of 20 nearby random points.
#[test]
fn newton_reaches_rounding() {
    let mut random = Random::new(9);
    let (h, gravity) = (0.02, V3::new(0.0, -9.81, 0.0));
    for material in RefMaterial::all(lame()) {
        let body = furnished_body(material);
        let mut x = twist_about_z(&body.rest, &V3::new(0.5, 0.5, 0.0), 0.3);
        let mut v = vec![V3::zeros(); x.len()];
        for _ in 0..3 {
            let (xn, vn) = (x.clone(), v.clone());
            body.advance(&mut x, &mut v, h, &gravity);
            let xtilde = body.predicted(&xn, &vn, h, &gravity);
            let residual = body.force_residual(&x, &xtilde, &xn, &vn, h);
            assert!(residual < 1e-12, "{}: {residual:e}", material.name());
            assert_eq!(x[0], body.pins[0].target);
            for _ in 0..20 {
                let mut y: Vec<V3> = x.iter().map(|p| p + random.vector(1e-3)).collect();
                body.put_pins(&mut y);
                assert!(body.objective(&y, &xtilde, h) > body.objective(&x, &xtilde, h));
            }
        }
    }
}

/// x₀ + n h v₀ + g h² n(n+1)/2: 1e-12 of the distance fallen, any material.
#[test]
fn newton_falls_freely() {
    let (h, gravity, velocity) = (0.01, V3::new(0.0, -9.81, 0.0), V3::new(1.0, 2.0, -0.5));
    for material in RefMaterial::all(lame()) {
        let body = RefBody::new(&two_tets(), material, 1000.0);
        let mut x = body.rest.clone();
        let mut v = vec![velocity; x.len()];
        for n in 1..=30 {
            body.advance(&mut x, &mut v, h, &gravity);
            let wanted: Vec<V3> = body.rest.iter().map(|p| free_fall(p, &velocity, &gravity, h, n)).collect();
            assert!(max_distance(&x, &wanted) < 1e-12, "{}", material.name());
        }
    }
}

/// A mass on a spring of rest length 1 whose other end is pinned, moving along it, and the same by an anchor:
/// the closed form, 1e-12 of the amplitude.
#[test]
fn newton_oscillates_on_a_spring() {
    let (mass, k, h) = (2.0_f64, 50.0, 0.05);
    let omega = (k / mass).sqrt();
    let mut on_spring = RefBody::particles(vec![V3::zeros(), V3::x()], vec![mass; 2]);
    on_spring.springs.push(RefSpring { a: 0, b: 1, k, length: 1.0 });
    on_spring.pins.push(RefPin { node: 0, target: V3::zeros() });
    let mut on_anchor = RefBody::particles(vec![V3::zeros(), V3::x()], vec![mass; 2]);
    on_anchor.anchors.push(RefAnchor { node: 1, target: V3::x(), k });
    on_anchor.pins.push(RefPin { node: 0, target: V3::zeros() });
    for body in [on_spring, on_anchor] {
        let mut x = vec![V3::zeros(), V3::x() * 1.3];
        let mut v = vec![V3::zeros(), V3::x() * 0.7];
        for n in 1..=100 {
            body.advance(&mut x, &mut v, h, &V3::zeros());
            let wanted = 1.0 + spring_oscillator(0.3, 0.7, omega, h, n);
            assert!((x[1] - V3::x() * wanted).norm() < 1e-12 * 0.3, "step {n}: {}", x[1].x - wanted);
        }
    }
}

/// A rest shape under an affine displacement of its whole boundary is affine inside (the patch test), 1e-12.
#[test]
fn newton_passes_the_patch_test() {
    let f = rotation(&V3::new(1.0, 2.0, 0.5), 0.4) * diagonal(1.1, 0.95, 1.05);
    let mesh = box_mesh([2, 2, 2], V3::new(0.5, 0.5, 0.5));
    for material in RefMaterial::all(lame()) {
        let mut body = RefBody::new(&mesh, material, 1000.0);
        let inner = |p: &V3| p.iter().all(|&c| c > 0.25 && c < 0.75);
        for (node, p) in mesh.rest.iter().enumerate().filter(|(_, p)| !inner(p)) {
            body.pins.push(RefPin { node, target: f * p });
        }
        assert_eq!(body.free_nodes().len(), 1);
        // A huge h makes the step a static one.
        let wanted: Vec<V3> = mesh.rest.iter().map(|p| f * p).collect();
        let start: Vec<V3> = wanted.iter().map(|p| p + V3::new(0.05, -0.03, 0.08)).collect();
        let solution = body.minimise(&start, &mesh.rest, 1e9);
        assert!(max_distance(&solution.x, &wanted) < 1e-12, "{}", material.name());
    }
}
