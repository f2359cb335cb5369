//! Tests of `prox.rs`.

use super::reference::material::{Lame, RefMaterial};
use super::reference::prox::{
    Domain, projected_gradient, prox_by_refinement, prox_by_search, prox_matrix, prox_objective,
};
use super::reference::shape::Random;
use super::reference::svd::{rotation_of, signed_svd};
use super::reference::{M3, V3};
use super::{difference, lame};

/// The formulas in stretches against the matrix ones at diag(σ), in the domain: energy 1e-13, gradient the
/// diagonal of P 1e-13, Hessian the derivative of the gradient along each axis 1e-8, all relative.
#[test]
fn stretch_formulas_are_the_materials() {
    let mut random = Random::new(10);
    for material in RefMaterial::all(lame()).into_iter().filter(RefMaterial::is_isotropic) {
        for _ in 0..50 {
            let mut s = signed_svd(&random.stretched(0.5, 1.8)).sigma;
            if material.domain() == Domain::Signed {
                s[2] *= random.uniform(-0.9, 0.9);
            }
            let f = M3::from_diagonal(&s);
            let (a, b) = (material.stretch_density(&s), material.energy(&f));
            assert!((a - b).abs() <= 1e-13 * (1e5 + b), "{} at {s}", material.name());
            let (g, p) = (material.stretch_gradient(&s), material.stress(&f));
            assert!(
                (M3::from_diagonal(&g) - p).norm() <= 1e-13 * (1e5 + p.norm()),
                "{} at {s}",
                material.name()
            );
            let h = material.stretch_hessian(&s);
            for (r, c) in [(0, 0), (0, 1), (1, 2), (2, 2)] {
                let slope = difference(|t| material.stretch_gradient(&(s + V3::ith(c, t)))[r], 1e-3);
                assert!((slope - h[(r, c)]).abs() <= 1e-8 * h.norm(), "{} at {s}", material.name());
            }
        }
    }
}

/// Inputs of every kind: stretched, inverted, collapsed, repeated, times five, zero; in order.
fn sample_stretches(random: &mut Random, kind: usize) -> V3 {
    let mut one = |low, high| random.uniform(low, high);
    let s = match kind {
        0 => V3::new(one(0.3, 2.0), one(0.3, 2.0), one(0.3, 2.0)),
        1 => V3::new(one(0.3, 2.0), one(0.3, 2.0), one(-2.0, 0.0)),
        2 => V3::new(one(0.3, 2.0), one(-1e-9, 1e-9), one(-1e-9, 1e-9)),
        3 => V3::repeat(one(0.1, 2.0)),
        4 => V3::new(5.0, one(0.5, 5.0), one(-5.0, 5.0)),
        _ => V3::zeros(),
    };
    signed_svd(&M3::from_diagonal(&s)).sigma
}

/// The search's minimiser is stationary (projected gradient 1e-11 · max(1, k), E = 1), no random point of the
/// domain is lower, and the quick refinement finds the same objective, 1e-12.
#[test]
fn prox_search_and_refinement_agree() {
    let mut random = Random::new(11);
    for poisson in [0.0, 0.3, 0.45, 0.4999] {
        let lame = Lame::from_young(1.0, poisson);
        for material in RefMaterial::all(lame).into_iter().filter(RefMaterial::is_isotropic) {
            for i in 0..60 {
                let target = sample_stretches(&mut random, i % 6);
                let stiffness = if i % 4 < 2 { 2.0 * lame.mu } else { lame.bulk() };
                let k = stiffness * 10_f64.powf(random.uniform(-1.5, 1.5));
                let searched = prox_by_search(&material, &target, k);
                let context = format!("{} nu {poisson} k {k} at {target:?}: {searched:?}", material.name());
                let slope = projected_gradient(&material, &searched.sigma, &target, k);
                assert!(slope <= 1e-11 * k.max(1.0), "{context}: {slope:e}");
                let quick = prox_by_refinement(&material, &target, k);
                assert!(
                    (quick.objective - searched.objective).abs() <= 1e-12 * k.max(1.0),
                    "{context}: {quick:?}"
                );
                for size in [1.0, 0.1, 1e-3, 1e-5] {
                    for _ in 0..50 {
                        let sigma = searched.sigma + random.vector(size);
                        let value = prox_objective(&material, &sigma, &target, k);
                        assert!(
                            value >= searched.objective - 1e-12 * k.max(1.0),
                            "{context}: {value} at {sigma}"
                        );
                    }
                }
            }
        }
    }
}

/// prox as a matrix is the minimiser among matrices too, where that is its domain (every F; det F ≥ 0 for the
/// barrier): no random F, near or far, is lower by 1e-12. `linear` is checked by ∂Ψ/∂F + k(F − F̃) = 0,
/// 1e-13.
#[test]
fn prox_is_the_least_among_matrices() {
    let mut random = Random::new(12);
    let lame = Lame::from_young(1.0, 0.4);
    for material in RefMaterial::all(lame) {
        for i in 0..40 {
            let target = match material {
                RefMaterial::StVenantKirchhoff(_) | RefMaterial::NeoHookean(_) => random.stretched(0.2, 2.0),
                _ => random.matrix(1.5),
            };
            let k = [0.3, 1.0, 4.0][i % 3];
            let objective = |f: &M3| material.energy(f) + 0.5 * k * (f - target).norm_squared();
            let nearest = prox_matrix(&material, &target, k);
            if !material.is_isotropic() {
                let slope = material.stress(&nearest) + (nearest - target) * k;
                assert!(slope.norm() < 1e-13);
            }
            for size in [2.0, 0.3, 0.03, 1e-3, 1e-5] {
                for _ in 0..100 {
                    let value = objective(&(nearest + random.matrix(size)));
                    assert!(value >= objective(&nearest) - 1e-12, "{} k {k} at {target}", material.name());
                }
            }
        }
    }
}

/// Known minimisers. arap: (30)–(31), 1e-13. St. Venant–Kirchhoff on the boundary: published digits, 1e-8.
/// Corotated on the wall σ₂ = −σ₃, which stretching far beyond 3 + 2μ/λ brings about: (s, t, −t) by hand, s =
/// (2μ + 3λ + kσ̃₁)/(2μ + λ + k) and t = kσ̃₂/(2μ + k), 1e-13.
#[test]
fn prox_known_minimisers() {
    let mut random = Random::new(13);
    for _ in 0..50 {
        let (stiffness, k, f) = (random.uniform(0.1, 5.0), random.uniform(0.1, 5.0), random.matrix(2.0));
        let wanted = (rotation_of(&f) * stiffness + f * k) / (stiffness + k);
        assert!((prox_matrix(&RefMaterial::Arap { k: stiffness }, &f, k) - wanted).norm() < 1e-13);
    }
    let stvk = RefMaterial::StVenantKirchhoff(Lame { mu: 1.0, lambda: 1.0 });
    let found = prox_by_search(&stvk, &V3::new(1.0, 1.0, -2.0), 5.0);
    assert!((found.sigma - V3::new(1.05652564, 1.05652564, 0.0)).norm() < 1e-8);
    // A softer k: the interior minimiser is lower than the one on the boundary.
    let found = prox_by_search(&stvk, &V3::new(1.0, 1.0, -2.0), 0.1);
    assert!(found.sigma[2] > 0.5);
    let (mu, lambda, k, target) = (0.1, 1.0, 5.0, V3::new(8.0, 1.0, -1.0));
    let found = prox_by_search(&RefMaterial::Corotated(Lame { mu, lambda }), &target, k);
    let s = (2.0 * mu + 3.0 * lambda + k * target[0]) / (2.0 * mu + lambda + k);
    let t = k * target[1] / (2.0 * mu + k);
    assert!((found.sigma - V3::new(s, t, -t)).norm() < 1e-13, "{found:?} {s} {t}");
}
