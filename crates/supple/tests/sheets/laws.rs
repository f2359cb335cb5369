//! Laws of membranes: derivatives, known stresses, proximal operators; the decomposition of 3×2 matrices.

use nalgebra::{Matrix2, Matrix3x2};
use supple::energy::check::Random;
use supple::energy::plane::plane_stress;
use supple::energy::{
    Arap, Corotated, Domain, Element, Isotropic, Lame, Membrane, NeoHookean, Potential, StVenantKirchhoff,
};
use supple::math::stretches::stretches;
use supple::math::svd2::{compose2, svd2};

type Sheet = [[f64; 3]; 2];

fn rotate(random: &mut Random, s: [f64; 2]) -> Sheet {
    let (u, angle) = (random.rotation(), random.between(0.0, 6.3));
    compose2(&u, s, &[[angle.cos(), angle.sin()], [-angle.sin(), angle.cos()]])
}

fn matrix(f: &Sheet) -> Matrix3x2<f64> {
    Matrix3x2::from_fn(|r, c| f[c][r])
}

#[test]
fn the_decomposition_is_exact_and_orthonormal() {
    let mut random = Random(7);
    let mut all: Vec<Sheet> = vec![[[0.0; 3]; 2], [[1.0, 0.0, 0.0]; 2], [[0.0; 3], [0.0, 2.0, 0.0]]];
    for size in [1.0, 1e-200, 1e150, 1e-8] {
        for _ in 0..200 {
            let s = [random.between(0.0, 3.0) * size, random.between(0.0, 3.0) * size];
            all.push(rotate(&mut random, s));
            all.push(rotate(&mut random, [size, size]));
            all.push(rotate(&mut random, [size, 1e-13 * size]));
            all.push(rotate(&mut random, [size, 0.0]));
        }
    }
    for f in &all {
        let d = svd2(f);
        let size = f.iter().flatten().fold(1e-290f64, |m, a| m.max(a.abs()));
        let back = compose2(&d.u, d.s, &d.v);
        for j in 0..2 {
            for i in 0..3 {
                assert!((back[j][i] - f[j][i]).abs() <= 4e-15 * size, "{f:?} {back:?}");
            }
        }
        assert!(d.s[0] >= d.s[1] && d.s[1] >= 0.0);
        for a in 0..3 {
            for b in 0..3 {
                let dot: f64 = (0..3).map(|i| d.u[a][i] * d.u[b][i]).sum();
                assert!((dot - f64::from(u8::from(a == b))).abs() < 4e-15, "{f:?}");
            }
        }
        let v = Matrix2::from_fn(|r, c| d.v[c][r]);
        assert!((v.transpose() * v - Matrix2::identity()).abs().max() < 4e-15);
        if size > 1e-100 {
            let s = (matrix(f) / size).svd(false, false).singular_values;
            assert!((s[0].max(s[1]) - d.s[0] / size).abs() < 4e-15);
            assert!((s[0].min(s[1]) - d.s[1] / size).abs() < 4e-15, "{f:?}");
        }
    }
}

/// Poisson's ratios of all tests.
const RATIOS: [f64; 5] = [0.0, 0.1, 0.3, 0.4, 0.49];

/// The constants of Young's modulus 1e5 Pa, for solids and in plane stress.
fn constants(poisson: f64) -> (Lame, [f64; 2], [f64; 2]) {
    let l = Lame::from_young(1e5, poisson).unwrap();
    (l, [l.mu, l.lambda], [l.mu, plane_stress(l)])
}

fn energy_by_formula(law: &str, lame: Lame, f: &Sheet) -> f64 {
    // Through the singular values of nalgebra and, for neo-Hookean, a golden-section search over the thickness.
    let s = matrix(f).svd(false, false).singular_values;
    let Lame { mu, lambda } = lame;
    let bar = 2.0 * mu * lambda / (lambda + 2.0 * mu);
    let (a, b) = (s[0], s[1]);
    match law {
        "arap" => mu * ((a - 1.0).powi(2) + (b - 1.0).powi(2)),
        "corotated" => mu * ((a - 1.0).powi(2) + (b - 1.0).powi(2)) + bar / 2.0 * (a + b - 2.0).powi(2),
        "st_venant_kirchhoff" => {
            let (e, g) = ((a * a - 1.0) / 2.0, (b * b - 1.0) / 2.0);
            mu * (e * e + g * g) + bar / 2.0 * (e + g).powi(2)
        }
        _ => {
            let at = |t: f64| {
                let l = (a * b).ln() + t;
                mu / 2.0 * (a * a + b * b + (2.0 * t).exp() - 3.0) - mu * l + lambda / 2.0 * l * l
            };
            let (mut low, mut high) = (-8.0, 8.0);
            for _ in 0..200 {
                let (p, q) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
                if at(p) < at(q) { high = q } else { low = p }
            }
            at(0.5 * (low + high))
        }
    }
}

fn derivatives<M: Isotropic<2>>(m: M, lame: Lame, params: &[f64]) {
    let p = Membrane(m);
    let e = Element::new(1.0, params);
    let mut random = Random(3);
    for round in 0..60 {
        let s = match round % 3 {
            0 => [random.between(0.5, 2.0), random.between(0.5, 2.0)],
            1 => [random.between(0.5, 2.0); 2],
            _ => [random.between(1.0, 3.0), random.between(0.2, 0.5)],
        };
        let f = rotate(&mut random, s);
        let (energy, stress) = p.energy_and_stress(&e, &f);
        let formula = energy_by_formula(M::NAME, lame, &f);
        assert!((energy - formula).abs() <= 1e-10 * (1e5 + formula.abs()), "{} {energy} {formula}", M::NAME);
        for j in 0..2 {
            for i in 0..3 {
                let at = |h: f64| {
                    let mut g = f;
                    g[j][i] += h;
                    p.energy(&e, &g)
                };
                let fine = |h: f64| (8.0 * (at(h) - at(-h)) - at(2.0 * h) + at(-2.0 * h)) / (12.0 * h);
                let d = (16.0 * fine(1e-3) - fine(2e-3)) / 15.0;
                assert!((d - stress[j][i]).abs() <= 1e-7 * 1e5, "{} {d} {} {f:?}", M::NAME, stress[j][i]);
            }
        }
        // Curvature: that of the second differences, where there is no negative part.
        let c = p.curvature(&e, &f);
        let (g, h) = (p.0.gradient(&e, &s), p.0.hessian(&e, &s));
        if g[0] > 0.0 && g[1] > 0.0 && h[0][0] * h[1][1] > h[0][1] * h[0][1] && s[0] != s[1] {
            let x: Sheet = std::array::from_fn(|_| std::array::from_fn(|_| random.between(-1.0, 1.0)));
            let at = |h: f64| {
                let mut g = f;
                for j in 0..2 {
                    for i in 0..3 {
                        g[j][i] += h * x[j][i];
                    }
                }
                p.energy(&e, &g)
            };
            let h = 1e-3;
            let second =
                (16.0 * (at(h) + at(-h)) - at(2.0 * h) - at(-2.0 * h) - 30.0 * at(0.0)) / (12.0 * h * h);
            // xᵀHx by blocks with unit gradients.
            let (a, b) = (c.along(&[1.0, 0.0]), c.along(&[0.0, 1.0]));
            let rows = [a, b];
            let mut sum = 0.0;
            for p in 0..2 {
                for q in 0..2 {
                    let k = c.block(&rows[p], &rows[q]);
                    for i in 0..3 {
                        for j in 0..3 {
                            sum += x[p][i] * k[j][i] * x[q][j];
                        }
                    }
                }
            }
            assert!((sum - second).abs() < 1e-5 * (1e5 + second.abs()), "{} {sum} {second}", M::NAME);
        }
    }
}

fn prox<M: Isotropic<2>>(m: M, params: &[f64], rounds: usize) {
    let p = Membrane(m.clone());
    let mut random = Random(5);
    for round in 0..rounds {
        let k = 1e5 * 10f64.powf(random.between(-1.5, 1.5));
        let e = Element::new(k, params);
        let s = match round % 4 {
            0 => [random.between(0.5, 1.5), random.between(0.5, 1.5)],
            1 => [random.between(0.0, 5.0), random.between(0.0, 5.0)],
            2 => [random.between(0.0, 5.0), 1e-9],
            _ => [random.between(0.0, 3.0); 2],
        };
        let f = rotate(&mut random, s);
        let z = p.prox(&e, &f, &mut p.cold(&e));
        let objective = |z: &Sheet| {
            let d: f64 = (0..6).map(|q| (z[q / 3][q % 3] - f[q / 3][q % 3]).powi(2)).sum();
            p.energy(&e, z) + 0.5 * k * d
        };
        let here = objective(&z);
        assert!(here.is_finite());
        // No other point is lower: near ones, far ones, and all stretches of a grid with the same vectors.
        let d = svd2(&f);
        for i in 0..60 {
            for j in 0..60 {
                let s = [0.1 * i as f64 + 1e-6, 0.1 * j as f64 + 1e-6];
                let other = objective(&compose2(&d.u, s, &d.v));
                assert!(here <= other + 1e-9 * (k + 1e5), "{} {s:?} {here} {other} {f:?}", M::NAME);
            }
        }
        for _ in 0..100 {
            let spread = 10f64.powf(random.between(-5.0, 0.0));
            let mut other = z;
            other.iter_mut().flatten().for_each(|a| *a += spread * random.between(-1.0, 1.0));
            assert!(here <= objective(&other) + 1e-9 * (k + 1e5), "{}", M::NAME);
        }
    }
}

/// Sides free, stretch 1.5: the same lateral stretch and stress as a solid bar.
fn uniaxial<M: Isotropic<2>>(m: M, params: &[f64], lateral: f64, stress: f64) {
    let e = Element::new(1.0, params);
    let (mut low, mut high) = (0.2, 1.2);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if m.gradient(&e, &[1.5, middle])[1] < 0.0 { low = middle } else { high = middle }
    }
    assert!((low - lateral).abs() < 1e-6, "{} {low}", M::NAME);
    let found = m.gradient(&e, &[1.5, low])[0];
    // As many digits as the reference value has.
    assert!((found / stress - 1.0).abs() < 2e-9, "{} {found}", M::NAME);
}

#[test]
fn laws_of_sheets() {
    for poisson in RATIOS {
        let (l, solid, plane) = constants(poisson);
        derivatives(Arap, l, &[2.0 * l.mu]);
        derivatives(Corotated, l, &plane);
        derivatives(StVenantKirchhoff, l, &plane);
        derivatives(NeoHookean, l, &solid);
        // With ε = σ − 1 and with ε = (σ² − 1)/2 the strain across is −νε, and the stress that goes with ε is Eε.
        uniaxial(Corotated, &plane, 1.0 - 0.5 * poisson, 50000.0);
        uniaxial(StVenantKirchhoff, &plane, (1.0 - 1.25 * poisson).sqrt(), 93750.0);
        // A bar: μ(t² − 1) + λ ln(1.5t²) = 0 on its sides, and the stress μ(1.5 − t²/1.5).
        let (mut low, mut high) = (0.1f64, 1.1f64);
        for _ in 0..200 {
            let t = 0.5 * (low + high);
            if l.mu * (t * t - 1.0) + l.lambda * (1.5 * t * t).ln() < 0.0 { low = t } else { high = t }
        }
        uniaxial(NeoHookean, &solid, low, l.mu * (1.5 - low * low / 1.5));
    }
    let (_, solid, plane) = constants(0.4);
    uniaxial(NeoHookean, &solid, 0.846028, 36529.4478);
    uniaxial(StVenantKirchhoff, &plane, 0.5f64.sqrt(), 93750.0);
    uniaxial(Corotated, &plane, 0.8, 50000.0);
}

#[test]
fn proximal_operators_of_sheets() {
    for poisson in RATIOS {
        let (l, solid, plane) = constants(poisson);
        let rounds = if poisson == 0.4 { 400 } else { 100 };
        prox(Arap, &[2.0 * l.mu], rounds);
        prox(Corotated, &plane, rounds);
        prox(StVenantKirchhoff, &plane, rounds);
        prox(NeoHookean, &solid, rounds);
    }
    // With λ̄ ≫ μ a strong stretch folds the sheet to σ2 = 0.
    prox(Corotated, &[1e3, 1e5], 400);
    assert_eq!(<NeoHookean as Isotropic<2>>::DOMAIN, Domain::Barrier);
}

/// A sheet of any thickness and Poisson's ratio that is stretched alike everywhere has thickness times area times the density, 1e-12.
#[test]
fn energy_goes_with_thickness() {
    use supple::{Cloth, Material, MaterialKind, Scene, Settings};
    let stretch = [1.3, 0.9];
    for poisson in RATIOS {
        for thickness in [1e-5, 1e-3, 0.02] {
            for (kind, law) in [
                (MaterialKind::Arap, "arap"),
                (MaterialKind::Corotated, "corotated"),
                (MaterialKind::StVenantKirchhoff, "st_venant_kirchhoff"),
                (MaterialKind::NeoHookean, "neo_hookean"),
            ] {
                let mesh = super::bending::grid([0.4, 0.3], [3, 2]);
                let mut scene = Scene::new(Settings::default());
                let material = Material::new(kind, 1e5, poisson).unwrap();
                scene.add_cloth("a", mesh.clone(), Cloth::new(material, thickness, 500.0)).unwrap();
                let mut sim = scene.build().unwrap();
                let pull = |p: &[f64; 3]| [stretch[0] * p[0], stretch[1] * p[1], stretch[1] * p[2]];
                let x: Vec<[f64; 3]> = mesh.vertices().iter().map(pull).collect();
                sim.set_state(&x, &vec![[0.0; 3]; x.len()]).unwrap();
                let (lame, ..) = constants(poisson);
                let f = [[stretch[0], 0.0, 0.0], [0.0, stretch[1], 0.0]];
                let wanted = thickness * 0.12 * energy_by_formula(law, lame, &f);
                let found = sim.energy().elastic;
                assert!(
                    (found / wanted - 1.0).abs() < 1e-12,
                    "{law} ν = {poisson}, {thickness} m: {found} {wanted}"
                );
            }
        }
    }
}

/// The stretches are those that a matrix was made of, and so is the matrix with others in their place: within what a change of F's last
/// digits does to them, which is σ1/σ2 times as much.
#[test]
fn other_stretches_take_the_place_of_those_a_matrix_was_made_of() {
    let mut random = Random(11);
    for round in 0..4000 {
        let size = [1.0, 1e-40, 1e40, 1e-170, 1e120][round / 4 % 5];
        let mut s = match round % 4 {
            0 => [random.between(0.0, 3.0), random.between(0.0, 3.0)],
            1 => [1.0, 1.0 + 10f64.powf(random.between(-18.0, -6.0))],
            2 => [1.0, 10f64.powf(random.between(-18.0, 0.0))],
            _ => [1.0, 0.0],
        };
        s.sort_by(|a, b| b.total_cmp(a));
        let (u, angle) = (random.rotation(), random.between(0.0, 6.3));
        let v = [[angle.cos(), angle.sin()], [-angle.sin(), angle.cos()]];
        let f = compose2(&u, [s[0] * size, s[1] * size], &v);
        let found = stretches(&f);
        assert!((found.s[0] / size - s[0]).abs() <= 2e-15 * s[0], "{:?} {s:?} {f:?}", found.s);
        assert!((found.s[1] / size - s[1]).abs() <= 2e-15 * s[0], "{:?} {s:?} {f:?}", found.s);
        assert!(found.s[0] >= found.s[1] && found.s[1] >= 0.0);
        // A smooth law, as a proximal operator is: equal stretches stay equal.
        let other = [0.4 * s[0] + 0.6, 0.4 * s[1] + 0.6];
        let z = found.compose(&f, other);
        let (exact, digits) = (compose2(&u, other, &v), 4e-15 * (1.0 + s[0] / s[1]));
        for (z, exact) in z.iter().flatten().zip(exact.iter().flatten()) {
            assert!((z - exact).abs() <= digits, "{z} {exact} {s:?}");
        }
        // Flat ones are decomposed: the stretches are exact whatever their ratio.
        let again = svd2(&z).s;
        let off = (again[0] - other[0]).abs().max((again[1] - other[1]).abs());
        assert!(off <= if s[1] < 1e-3 * s[0] { 4e-15 } else { 4e-15 * s[0] / s[1] }, "{off} {s:?}");
    }
}
