//! Eq. (34) of every material over stretches and over matrices, against the search of the oracle.

use super::reference::material::{Lame, RefMaterial};
use super::reference::more::More;
use super::reference::prox::{
    Domain, projected_gradient, prox_by_refinement, prox_by_search, prox_matrix, prox_objective,
};
use super::reference::shape::Random;
use super::reference::svd::signed_svd;
use super::reference::{M3, V3};
use supple::energy::{
    Arap, Corotated, Element, FixedCorotated, Fung, Isotropic, Linear, MooneyRivlin, NeoHookean, Ogden,
    Potential, StVenantKirchhoff, StableNeoHookean, Stretch,
};

/// The numbers that the library keeps for an element of the oracle's material.
pub fn element(m: &RefMaterial, k: f64) -> Element<f64> {
    match *m {
        RefMaterial::Arap { k: stiffness } => Element::new(k, &[stiffness]),
        RefMaterial::Linear(l)
        | RefMaterial::Corotated(l)
        | RefMaterial::NeoHookean(l)
        | RefMaterial::StVenantKirchhoff(l)
        | RefMaterial::More(More::FixedCorotated, l) => Element::new(k, &[l.mu, l.lambda]),
        RefMaterial::More(m, l) => {
            let lame = supple::energy::Lame::new(l.mu, l.lambda).unwrap();
            match m {
                More::StableNeoHookean => Element::new(k, &StableNeoHookean::numbers(lame)),
                More::MooneyRivlin => Element::new(k, &MooneyRivlin::numbers(lame)),
                More::Ogden => Element::new(k, &Ogden::numbers(lame)),
                _ => Element::new(k, &Fung::numbers(lame, 2.0).unwrap()),
            }
        }
    }
}

/// The library's prox over stretches, cold or from a given warm start.
pub fn library(m: &RefMaterial, target: &V3, k: f64, warm: Option<f64>) -> (V3, f64) {
    fn run<I: Isotropic<3>>(i: I, e: &Element<f64>, t: &[f64; 3], warm: Option<f64>) -> (V3, f64) {
        let mut warm = warm.unwrap_or_else(|| i.cold(e));
        let s = i.prox(e, t, &mut warm);
        (V3::new(s[0], s[1], s[2]), warm)
    }
    let (e, t) = (element(m, k), [target[0], target[1], target[2]]);
    match m {
        RefMaterial::Arap { .. } => run(Arap, &e, &t, warm),
        RefMaterial::Corotated(_) => run(Corotated, &e, &t, warm),
        RefMaterial::NeoHookean(_) => run(NeoHookean, &e, &t, warm),
        RefMaterial::StVenantKirchhoff(_) => run(StVenantKirchhoff, &e, &t, warm),
        RefMaterial::More(More::StableNeoHookean, _) => run(StableNeoHookean, &e, &t, warm),
        RefMaterial::More(More::FixedCorotated, _) => run(FixedCorotated, &e, &t, warm),
        RefMaterial::More(More::MooneyRivlin, _) => run(MooneyRivlin, &e, &t, warm),
        RefMaterial::More(More::Ogden, _) => run(Ogden, &e, &t, warm),
        RefMaterial::More(More::Fung, _) => run(Fung, &e, &t, warm),
        RefMaterial::Linear(_) => panic!("linear elasticity has no stretches"),
    }
}

/// The library's prox over matrices.
pub fn library_matrix(m: &RefMaterial, f: &M3, k: f64) -> M3 {
    fn run<P: Potential<3>>(p: P, e: &Element<f64>, f: &M3) -> M3 {
        let columns = [0, 1, 2].map(|c| [f[(0, c)], f[(1, c)], f[(2, c)]]);
        let mut warm = p.cold(e);
        let z = p.prox(e, &columns, &mut warm);
        M3::from_fn(|r, c| z[c][r])
    }
    let e = element(m, k);
    match m {
        RefMaterial::Linear(_) => run(Linear, &e, f),
        RefMaterial::Arap { .. } => run(Stretch(Arap), &e, f),
        RefMaterial::Corotated(_) => run(Stretch(Corotated), &e, f),
        RefMaterial::NeoHookean(_) => run(Stretch(NeoHookean), &e, f),
        RefMaterial::StVenantKirchhoff(_) => run(Stretch(StVenantKirchhoff), &e, f),
        RefMaterial::More(More::StableNeoHookean, _) => run(Stretch(StableNeoHookean), &e, f),
        RefMaterial::More(More::FixedCorotated, _) => run(Stretch(FixedCorotated), &e, f),
        RefMaterial::More(More::MooneyRivlin, _) => run(Stretch(MooneyRivlin), &e, f),
        RefMaterial::More(More::Ogden, _) => run(Stretch(Ogden), &e, f),
        RefMaterial::More(More::Fung, _) => run(Stretch(Fung), &e, f),
    }
}

/// The largest number in the objective: what rounding and tolerances are relative to.
pub fn scale(m: &RefMaterial, k: f64) -> f64 {
    match *m {
        RefMaterial::Arap { k: stiffness } => stiffness + k,
        RefMaterial::Linear(l)
        | RefMaterial::Corotated(l)
        | RefMaterial::NeoHookean(l)
        | RefMaterial::StVenantKirchhoff(l)
        | RefMaterial::More(_, l) => 2.0 * l.mu + l.lambda + k,
    }
}

/// All but `linear`; `fung` where it is stable.
fn isotropic(lame: Lame) -> Vec<RefMaterial> {
    let all = RefMaterial::all(lame).into_iter().chain(RefMaterial::more(lame));
    let stable = |m: &RefMaterial| m.name() != "fung" || lame.lambda >= 4.0 * lame.mu;
    all.filter(RefMaterial::is_isotropic).filter(stable).collect()
}

const KINDS: [&str; 9] = [
    "any",
    "inverted",
    "collapsed to 1e-9",
    "collapsed to 1e-300",
    "repeated",
    "two repeated",
    "stretched by 5",
    "mirrored and stretched",
    "zero",
];

fn input(random: &mut Random, kind: &str) -> V3 {
    let mut one = |low, high| random.uniform(low, high);
    let s = match kind {
        "any" => V3::new(one(0.3, 2.0), one(0.3, 2.0), one(0.3, 2.0)),
        "inverted" => V3::new(one(0.3, 2.0), one(0.3, 2.0), one(-2.0, 0.0)),
        "collapsed to 1e-9" => V3::new(one(0.3, 2.0), 1e-9, one(-1e-9, 1e-9)),
        "collapsed to 1e-300" => V3::new(one(0.3, 2.0), 1e-300, 1e-300),
        "repeated" => V3::repeat(one(0.1, 2.0)),
        "two repeated" => {
            let a = one(0.1, 2.0);
            V3::new(a, a, one(-2.0, 2.0))
        }
        "stretched by 5" => V3::new(5.0, one(0.5, 5.0), one(0.0, 5.0)),
        "mirrored and stretched" => V3::new(5.0, one(0.5, 5.0), one(-5.0, 0.0)),
        _ => V3::zeros(),
    };
    signed_svd(&M3::from_diagonal(&s)).sigma
}

/// The objective is the global minimum (1e-9 of the largest modulus, from above and from below), the point is in the
/// domain and stationary (projected gradient 1e-8·max(1, k), E = 1). Expected: `prox_by_search`, which knows nothing of
/// the formulas. From a cold start and from the warm start that another input left.
#[test]
fn stretches_are_the_global_minimiser() {
    let mut random = Random::new(101);
    let (mut wrong, mut count) = (Vec::new(), 0);
    for poisson in [0.0, 0.2, 0.4, 0.45, 0.49, 0.4999] {
        let lame = Lame::from_young(1.0, poisson);
        for material in isotropic(lame) {
            for round in 0..9 * KINDS.len() {
                let kind = KINDS[round % KINDS.len()];
                let target = input(&mut random, kind);
                let stiffness = if round % 2 == 0 { 2.0 * lame.mu } else { lame.bulk() };
                let exponent = [-1.5, 1.5, random.uniform(-1.5, 1.5)][round / KINDS.len() % 3];
                let k = stiffness * 10_f64.powf(exponent);
                let searched = prox_by_search(&material, &target, k);
                let (cold, left) = library(&material, &input(&mut random, "any"), k, None);
                assert!(cold.iter().all(|c| c.is_finite()));
                for warm in [None, Some(left)] {
                    let (z, _) = library(&material, &target, k, warm);
                    let context = format!(
                        "{} ν {poisson} k {k} {kind} {target:?} warm {warm:?}: {z:?}, searched {searched:?}",
                        material.name()
                    );
                    let inside = material.domain() == Domain::Signed || z.min() >= 0.0;
                    let found = prox_objective(&material, &z, &target, k);
                    let excess = (found - searched.objective) / scale(&material, k);
                    let slope = projected_gradient(&material, &z, &target, k) / k.max(1.0);
                    count += 1;
                    if !(inside && excess.abs() <= 1e-9 && slope <= 1e-8) {
                        wrong.push(format!("{context}: objective off by {excess:e}, slope {slope:e}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Matrices, inverted ones too: the objective is the minimum, 1e-9 of the largest modulus, and the matrix is the
/// oracle's, 1e-9. Two minimisers of the same objective may exist where det F < 0: there the objective decides.
/// Expected: `prox_matrix`; for `linear` its dense 9×9 system.
#[test]
fn matrices_are_the_oracles() {
    let mut random = Random::new(102);
    for poisson in [0.0, 0.3, 0.45, 0.4999] {
        let lame = Lame::from_young(1.0, poisson);
        for material in isotropic(lame).into_iter().chain([RefMaterial::Linear(lame)]) {
            for i in 0..400 {
                let f = match i % 4 {
                    0 => random.stretched(0.3, 2.0),
                    1 => random.matrix(1.5),
                    2 => random.matrix(5.0),
                    _ => random.rotation() * M3::from_diagonal(&input(&mut random, KINDS[i / 4 % 9])),
                };
                let k = lame.bulk() * 10_f64.powf(random.uniform(-1.5, 1.5));
                let wanted = prox_matrix(&material, &f, k);
                let z = library_matrix(&material, &f, k);
                let context = format!("{} ν {poisson} k {k} at {f}: {z} wanted {wanted}", material.name());
                if !material.is_isotropic() {
                    assert!((z - wanted).norm() <= 1e-12 * (1.0 + f.norm()), "{context}");
                    continue;
                }
                let best = prox_by_refinement(&material, &signed_svd(&f).sigma, k);
                let found = material.energy(&z) + 0.5 * k * (z - f).norm_squared();
                let excess = (found - best.objective) / (scale(&material, k) * (1.0 + f.norm_squared()));
                assert!(excess.abs() <= 1e-9, "{context}: {excess:e}");
                if f.determinant() > 0.0 {
                    let error = (z - wanted).norm() / (1.0 + f.norm());
                    assert!(error <= 1e-9, "{context}: {error:e}");
                }
            }
        }
    }
}
