//! Minimisers known on paper, and inputs that are no numbers.

use super::bridge;
use super::common;
use super::prox::{library, library_matrix};
use super::reference::body::RefBody;
use super::reference::material::{Lame, RefMaterial};
use super::reference::prox::{prox_by_search, prox_objective};
use super::reference::shape::{Random, unit_box_1_1_2};
use super::reference::svd::rotation_of;
use super::reference::{M3, V3};
use supple::energy::project::{Lengths, Point};
use supple::energy::{Element, Potential, Soft};

/// Published digits: St. Venant–Kirchhoff μ = λ = 1, k = 5 at (1, 1, −2) ends on the boundary,
/// (1.05652564, 1.05652564, 0), objective 10.35; 1e-8 and 5e-3. With k = 0.1 the minimiser inside is lower.
#[test]
fn st_venant_kirchhoff_on_the_boundary_and_inside() {
    let m = RefMaterial::StVenantKirchhoff(Lame { mu: 1.0, lambda: 1.0 });
    let target = V3::new(1.0, 1.0, -2.0);
    let (z, _) = library(&m, &target, 5.0, None);
    assert!((z - V3::new(1.05652564, 1.05652564, 0.0)).norm() <= 1e-8, "{z:?}");
    assert!((prox_objective(&m, &z, &target, 5.0) - 10.35).abs() <= 5e-3);
    let (z, _) = library(&m, &target, 0.1, None);
    assert!(z[2] > 0.5, "{z:?}");
}

/// Regression: nearly incompressible and inverted, k ≪ λ. The minimiser inside, near rest, is lower than the one on the
/// boundary; a scan of σ3 whose step grows with √(λ/μ) goes past it. Expected: `prox_by_search`, 1e-9 of the objective.
#[test]
fn st_venant_kirchhoff_nearly_incompressible_and_inverted() {
    let m = RefMaterial::StVenantKirchhoff(Lame::from_young(1.0, 0.4999));
    for (target, k) in [
        (V3::new(1.75, 1.16, -0.61), 0.021),
        (V3::new(5.0, 3.8, -1.5), 0.021),
        (V3::new(1.8, 1e-9, -4e-10), 0.021),
        (V3::new(1.4, 1e-9, -1e-9), 0.65),
    ] {
        let (z, _) = library(&m, &target, k, None);
        let found = prox_objective(&m, &z, &target, k);
        let wanted = prox_by_search(&m, &target, k);
        assert!(found - wanted.objective <= 1e-9 * wanted.objective, "{z:?} {found}, lower: {wanted:?}");
    }
}

/// Corotated with λ ≫ μ, stretched: the minimiser on the kink σ3 = −σ2. Published digits (3.950, 0, 0), objective 72.9
/// (not 110.1); by hand σ1 = (2μ + 3λ + kσ̃1)/(2μ + λ + k), 1e-13.
#[test]
fn corotated_on_the_kink() {
    let (mu, lambda, k, target) = (1.0, 49.0, 50.0, V3::new(5.0, 0.5, 0.5));
    let m = RefMaterial::Corotated(Lame { mu, lambda });
    let (z, _) = library(&m, &target, k, None);
    let s = (2.0 * mu + 3.0 * lambda + k * target[0]) / (2.0 * mu + lambda + k);
    assert!((z - V3::new(s, 0.0, 0.0)).norm() <= 1e-13 && (s - 3.950).abs() <= 5e-4, "{z:?}");
    let value = prox_objective(&m, &z, &target, k);
    assert!((value - 72.9).abs() <= 0.05, "{value}");
    // As a matrix, in turned directions: the same objective, 1e-10 of it.
    let mut random = Random::new(103);
    for _ in 0..20 {
        let f = random.rotation() * M3::from_diagonal(&target) * random.rotation();
        let z = library_matrix(&m, &f, k);
        let there = m.energy(&z) + 0.5 * k * (z - f).norm_squared();
        assert!((there - value).abs() <= 1e-10 * value, "{there} {value}");
    }
}

/// Neo-Hookean whose smallest stretch is on the other branch of its quadratic: λ = 9, k = 6.2 at (9.2, 4.9, 4.9), μ in
/// the range around 1. Expected: the lowest of a dense scan of σ3 with the other two by bisection, 1e-9.
#[test]
fn neo_hookean_on_the_other_branch() {
    let (lambda, k, target) = (9.0, 6.2, V3::new(9.2, 4.9, 4.9));
    let mut other_branch = 0;
    for mu in [0.3, 0.6, 1.0, 1.5, 2.0] {
        let m = RefMaterial::NeoHookean(Lame { mu, lambda });
        let (z, _) = library(&m, &target, k, None);
        // Stationarity: ασ² − kσ̃σ = c with one c for all three; every c is tried with every choice of roots.
        let alpha = mu + k;
        let root = |b: f64, c: f64, sign: f64| {
            (b + sign * (b * b + 4.0 * alpha * c).max(0.0).sqrt()) / (2.0 * alpha)
        };
        let mut lowest = f64::INFINITY;
        let c_min = -(k * target[2]).powi(2) / (4.0 * alpha);
        for sign in [1.0, -1.0] {
            let at = |c: f64| {
                V3::new(
                    root(k * target[0], c, 1.0),
                    root(k * target[1], c, 1.0),
                    root(k * target[2], c, sign),
                )
            };
            let g = |c: f64| lambda * at(c).iter().map(|s| s.ln()).sum::<f64>() + c - mu;
            let n = 200_000;
            let c_at = |i: usize| c_min + (if sign > 0.0 { 40.0 } else { -c_min }) * i as f64 / n as f64;
            for i in 0..n - 1 {
                let (mut low, mut high) = (c_at(i), c_at(i + 1));
                if (g(low) < 0.0) == (g(high) < 0.0) {
                    continue;
                }
                let rising = g(low) < g(high);
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    if (g(middle) < 0.0) == rising { low = middle } else { high = middle }
                }
                lowest = lowest.min(prox_objective(&m, &at(low), &target, k));
            }
        }
        let found = prox_objective(&m, &z, &target, k);
        assert!((found - lowest).abs() <= 1e-9 * lowest, "μ {mu}: {z:?} {found} {lowest}");
        other_branch += usize::from(z[2] < 0.5 * k * target[2] / alpha);
    }
    assert!(other_branch > 0, "no input was on the other branch");
}

/// (30), (31) for arap, springs and anchors: z = (k_C proj(y) + k y)/(k_C + k), by hand, 1e-13.
#[test]
fn projective_energies_have_the_closed_form() {
    let mut random = Random::new(104);
    for _ in 0..200 {
        let (stiffness, k, f) = (random.uniform(0.1, 5.0), random.uniform(0.1, 5.0), random.matrix(2.0));
        let wanted = (rotation_of(&f) * stiffness + f * k) / (stiffness + k);
        let error = (library_matrix(&RefMaterial::Arap { k: stiffness }, &f, k) - wanted).norm();
        // Where σ2 + σ3 → 0 the rotation is not determined: its rounding grows by 1/(σ2 + σ3).
        let s = super::reference::svd::signed_svd(&f).sigma;
        let condition = f.norm().max(1.0) / (s[1] + s[2]).min(1.0);
        assert!(error <= 1e-13 * condition.max(1.0), "{error:e} at {f}");

        let (y, centre, length) = (random.vector(2.0), random.vector(1.0), random.uniform(0.0, 2.0));
        let mut warm = 0.0;
        let e = Element::new(k, &[stiffness, length, length]);
        let z = Soft(Lengths("spring")).prox(&e, &[[y.x, y.y, y.z]], &mut warm)[0];
        let wanted = (y.normalize() * length * stiffness + y * k) / (stiffness + k);
        assert!((V3::new(z[0], z[1], z[2]) - wanted).norm() <= 1e-13);
        let e = Element::new(k, &[stiffness, centre.x, centre.y, centre.z]);
        let z = Soft(Point).prox(&e, &[[y.x, y.y, y.z]], &mut warm)[0];
        let wanted = (centre * stiffness + y * k) / (stiffness + k);
        assert!((V3::new(z[0], z[1], z[2]) - wanted).norm() <= 1e-13);
    }
}

/// NaN, infinity and 1e300 as local coordinates: an answer of any kind, no panic, no hang.
#[test]
fn no_number_makes_the_prox_panic() {
    for material in RefMaterial::all(Lame::from_young(1e5, 0.4)) {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300] {
            for at in 0..9 {
                let mut f = M3::identity();
                f[at] = bad;
                let z = library_matrix(&material, &f, 2e5);
                // Garbage must not look like an answer.
                assert!(
                    bad.abs() == 1e300 || z.iter().any(|c| !c.is_finite()),
                    "{} {bad}: {z}",
                    material.name()
                );
                library_matrix(&material, &M3::repeat(bad), 2e5);
            }
            if material.is_isotropic() {
                for s in [V3::repeat(bad), V3::new(bad, 1.0, 1.0), V3::new(1.0, 1.0, bad)] {
                    library(&material, &s, 2e5, None);
                }
            }
        }
    }
}

/// A node at 1e300 m, 1e155 m (its square overflows) or no number: an error that names body, node and element, the
/// state before the step kept; or, where the arithmetic holds, a finite state.
#[test]
fn a_node_at_infinity_is_an_error_that_names_it() {
    for material in RefMaterial::all(bridge::lame()) {
        let body = RefBody::new(&unit_box_1_1_2(), material, 1000.0);
        let still = vec![V3::zeros(); body.rest.len()];
        for far in [1e300, 1e155] {
            let mut sim = bridge::simulation(&body, common::settings(0.02), bridge::lame());
            let mut x = body.rest.clone();
            x[7].y = far;
            bridge::put(&mut sim, &body, &x, &still);
            let before = sim.positions();
            match sim.step() {
                Ok(_) => assert!(sim.positions().iter().flatten().all(|c| c.is_finite())),
                Err(e) => {
                    let text = e.to_string();
                    for word in ["`solid`", "node ", "element "] {
                        assert!(text.contains(word), "{} {far}: {text}", material.name());
                    }
                    assert!(sim.positions() == before, "{}", material.name());
                }
            }
        }
        for bad in [f64::NAN, f64::INFINITY] {
            let mut sim = bridge::simulation(&body, common::settings(0.02), bridge::lame());
            let mut x = bridge::rows(&body.rest);
            x[7][1] = bad;
            let text = sim.set_state(&x, &bridge::rows(&still)).unwrap_err().to_string();
            assert!(text.contains("`solid`") && text.contains("node 7") && text.contains("finite"), "{text}");
        }
    }
}
