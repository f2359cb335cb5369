//! The checks of a material, for every built-in one: one line each.
//!
//! Expected values: differences of the energy itself, small-strain elasticity, brute-force comparison of objectives.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use supple::energy::{
    Arap, Corotated, FixedCorotated, Fung, Lame, MooneyRivlin, NeoHookean, NeoHookeanPart, Ogden, Solid,
    Spline, StVenantKirchhoff, StableNeoHookean, check,
};

/// All checks of one material over Poisson's ratios.
macro_rules! solid_tests {
    ($name:ident, $material:expr, $params:expr, $lame:expr) => {
        mod $name {
            use super::*;
            fn run(check: impl Fn(&[f64], Lame) -> Result<(), check::CheckFailed>) {
                for (young, poisson) in
                    [(1e5, 0.4), (1.0, 0.0), (2.5, 0.3), (1.0, 0.45), (1.0, 0.49), (1.0, 0.4999), (1.0, -0.3)]
                {
                    let lame = Lame::from_young(young, poisson).unwrap();
                    let (params, small) = ($params(lame), $lame(lame));
                    if let Err(e) = check(&params, small) {
                        panic!("{} at E = {young}, ν = {poisson}: {e}", stringify!($name));
                    }
                }
            }
            #[test]
            fn derivatives() {
                run(|p, _| check::derivatives(&$material, p));
            }
            #[test]
            fn symmetry() {
                run(|p, _| check::symmetry(&$material, p));
            }
            #[test]
            fn small_strain() {
                run(|p, l| check::small_strain(&$material, p, l));
            }
            #[test]
            fn degenerate() {
                run(|p, _| check::degenerate(&$material, p));
            }
            #[test]
            fn prox() {
                // With λ < 0 the neo-Hookean energy falls without bound as J → 0: it has no proximal operator.
                // So has a part with λ < 0, which it refuses by itself.
                let none = |p: &[f64], l: Lame| l.lambda < 0.0 || Solid::check(&$material, p).is_err();
                run(|p, l| if none(p, l) { Ok(()) } else { check::prox(&$material, p) });
            }
        }
    };
}

fn both(l: Lame) -> Vec<f64> {
    vec![l.mu, l.lambda]
}
fn same(l: Lame) -> Lame {
    l
}

// arap is exempt from the user's E and ν: it has E = 2μ, ν = 0.
solid_tests!(arap, Arap, |l: Lame| vec![2.0 * l.mu], |l: Lame| Lame { mu: l.mu, lambda: 0.0 });
solid_tests!(corotated, Corotated, both, same);
solid_tests!(neo_hookean, NeoHookean, both, same);
// β adds ⅔β to λ at small strain.
solid_tests!(neo_hookean_rest, NeoHookeanPart, |l: Lame| vec![l.mu, l.lambda, 0.825 * l.mu], |l: Lame| {
    Lame { mu: l.mu, lambda: l.lambda + 0.55 * l.mu }
});
solid_tests!(neo_hookean_own, NeoHookeanPart, |l: Lame| vec![l.mu, 0.0, -0.825 * l.mu], |l: Lame| Lame {
    mu: l.mu,
    lambda: -0.55 * l.mu
});

/// What elements keep under averaged strain has no λ < 0 and so an exact proximal operator, although its bulk modulus is below ⅔μ.
#[test]
fn the_proximal_operator_of_a_part() {
    for beta in [-1.0, -0.825, -0.3] {
        check::prox(&NeoHookeanPart, &[2.0, 0.0, 2.0 * beta]).unwrap();
    }
}
solid_tests!(st_venant_kirchhoff, StVenantKirchhoff, both, same);
solid_tests!(fixed_corotated, FixedCorotated, both, same);
solid_tests!(stable_neo_hookean, StableNeoHookean, |l: Lame| StableNeoHookean::numbers(l).to_vec(), same);
solid_tests!(mooney_rivlin, MooneyRivlin, |l: Lame| MooneyRivlin::numbers(l).to_vec(), same);
solid_tests!(ogden, Ogden, |l: Lame| Ogden::numbers(l).to_vec(), same);
// λ is 2bμ more than the number λ', which is tried at every ratio.
solid_tests!(fung, Fung, |l: Lame| vec![l.mu, 2.0, l.lambda.max(0.0)], |l: Lame| Lame {
    mu: l.mu,
    lambda: l.lambda.max(0.0) + 4.0 * l.mu
});

/// The same for a material whose curves depend on the constants.
mod spline {
    use super::*;
    #[test]
    fn all_checks_of_every_name() {
        for (name, _) in supple::energy::spline::NAMES {
            for (young, poisson) in
                [(1e5, 0.4), (1.0, 0.0), (2.5, 0.3), (1.0, 0.45), (1.0, 0.49), (1.0, 0.4999)]
            {
                let lame = Lame::from_young(young, poisson).unwrap();
                let m = Spline::named(name, lame).unwrap();
                if let Err(e) = check::solid(&m, &[0.0], lame) {
                    panic!("{name} at E = {young}, ν = {poisson}: {e}");
                }
                // The compression term has a kink in its third derivative at rest, which differences see.
                let stiff = [1e3 * young];
                check::symmetry(&m, &stiff).unwrap();
                check::small_strain(&m, &stiff, lame).unwrap();
                check::degenerate(&m, &stiff).unwrap();
                check::prox(&m, &stiff).unwrap();
            }
        }
    }
    #[test]
    fn all_checks_with_a_curve_of_products() {
        // f' = 3 ln σ, nearly; g' = 0.2a + 0.05; h' = 4(J − 1) − 0.5, less what f' is at rest. The sum vanishes there.
        let f = [0.2, 0.45, 0.8, 1.2, 1.7, 2.5, 4.0].map(|x: f64| [x, 3.0 * x.ln()]);
        let g = [[0.2, 0.09], [1.0, 0.25], [4.0, 0.85]];
        let rest = supple::energy::Curve::new(&f).unwrap().at(1.0)[1];
        let h = [[0.0, -4.5 - rest], [1.0, -0.5 - rest], [3.0, 7.5 - rest]];
        let m = Spline::new(&f, Some(&g), &h).unwrap();
        let lame = m.lame().unwrap();
        check::solid(&m, &[0.0], lame).unwrap();
        check::prox(&m, &[10.0]).unwrap();
        // λ = g'' + g' + h'' + h' at rest.
        assert!((lame.lambda - (0.2 + 0.25 + 4.0 - 0.5 - rest)).abs() < 1e-12, "{lame:?}");
        let e = Spline::new(&f, None, &h).unwrap_err().reason;
        assert!(e.contains("must be 0") && e.contains("-0.5 Pa") || e.contains("-0.49999"), "{e}");
    }
}
