//! Fibres: the material by itself, and muscles in simulations, against closed forms and minimisations of the tests' own.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;

use supple::energy::Fibres;
use supple::mesh::shapes::{Split, box_mesh};
use supple::{Material, MaterialKind, Method, Scene, Settings, Simulation, Status};

type M = [[f64; 3]; 3];

/// Numbers in −1…1, the same every time.
struct Random(u64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    fn matrix(&mut self, size: f64) -> M {
        std::array::from_fn(|_| std::array::from_fn(|_| size * self.number()))
    }
    /// Near to the identity.
    fn gradient(&mut self, size: f64) -> M {
        let mut f = self.matrix(size);
        (0..3).for_each(|i| f[i][i] += 1.0);
        f
    }
}

fn plus(a: &M, s: f64, b: &M) -> M {
    std::array::from_fn(|c| std::array::from_fn(|r| a[c][r] + s * b[c][r]))
}

fn muscle(base: MaterialKind, contraction: f64, slack: bool) -> Material {
    let fibres = Fibres::new([1.0, 2.0, -0.5], 3e5).unwrap().contracted(contraction).unwrap();
    common::material(base).with_fibres(if slack { fibres } else { fibres.stiff() })
}

const BASES: [MaterialKind; 6] = [
    MaterialKind::NeoHookean,
    MaterialKind::StableNeoHookean,
    MaterialKind::Corotated,
    MaterialKind::FixedCorotated,
    MaterialKind::Arap,
    MaterialKind::Linear,
];

/// Ψ is that of the base and k/2·(|Fa| − r)², by the formula; stress and Hessian are its derivatives.
#[test]
fn energy_and_derivatives() {
    let mut random = Random(1);
    for base in BASES {
        for (contraction, slack) in [(0.0, true), (0.3, true), (0.3, false), (0.95, false)] {
            let m = muscle(base, contraction, slack);
            for _ in 0..20 {
                let f = random.gradient(0.4);
                let a = [1.0, 2.0, -0.5].map(|c| c / 5.25f64.sqrt());
                let fa: [f64; 3] = std::array::from_fn(|r| (0..3).map(|c| f[c][r] * a[c]).sum());
                let length = fa.iter().map(|v| v * v).sum::<f64>().sqrt();
                let d = length - (1.0 - contraction);
                let own = if slack { d.max(0.0) } else { d };
                let wanted = common::material(base).energy(&f) + 0.5 * 3e5 * own * own;
                if wanted.is_infinite() {
                    assert!(m.energy(&f).is_infinite());
                    continue;
                }
                assert!((m.energy(&f) - wanted).abs() <= 1e-12 * (1.0 + wanted.abs()));
                if d.abs() < 1e-3 {
                    continue;
                }
                let step = random.matrix(1.0);
                let h = 1e-6;
                let slope = (m.energy(&plus(&f, h, &step)) - m.energy(&plus(&f, -h, &step))) / (2.0 * h);
                let p = m.stress(&f);
                let along: f64 = (0..9).map(|i| p[i / 3][i % 3] * step[i / 3][i % 3]).sum();
                assert!((slope - along).abs() < 1e-6 * (1e5 + along.abs()), "{base:?}: {slope} {along}");
                let hessian = m.hessian(&f);
                let (up, down) = (m.stress(&plus(&f, h, &step)), m.stress(&plus(&f, -h, &step)));
                for i in 0..9 {
                    let slope = (up[i / 3][i % 3] - down[i / 3][i % 3]) / (2.0 * h);
                    let product: f64 = (0..9).map(|j| hessian[i][j] * step[j / 3][j % 3]).sum();
                    assert!((slope - product).abs() < 1e-5 * (1e6 + product.abs()), "{slope} {product}");
                }
            }
        }
    }
}

/// Nothing near the proximal point, and nothing that a descent from a hundred other places finds, is lower.
#[test]
fn the_proximal_operator_in_nine_dimensions() {
    let mut random = Random(2);
    for base in BASES {
        for (contraction, slack) in [(0.0, true), (0.5, true), (0.5, false)] {
            let m = muscle(base, contraction, slack);
            for (k, size) in [(2e4, 0.5), (3e5, 0.5), (3e5, 1.5), (5e6, 0.2)] {
                let y = random.gradient(size);
                let z = m.prox(&y, k);
                let value = |z: &M| {
                    m.energy(z)
                        + 0.5 * k * (0..9).map(|i| (z[i / 3][i % 3] - y[i / 3][i % 3]).powi(2)).sum::<f64>()
                };
                let best = value(&z);
                assert!(best.is_finite());
                let p = m.stress(&z);
                for i in 0..9 {
                    let g = p[i / 3][i % 3] + k * (z[i / 3][i % 3] - y[i / 3][i % 3]);
                    assert!(g.abs() < 1e-7 * (k + 1e5), "{base:?} {k}: {g}");
                }
                for _ in 0..100 {
                    let size = 10f64.powf(-3.0 + 2.5 * random.number());
                    let d = random.matrix(size);
                    assert!(best <= value(&plus(&z, 1.0, &d)) + 1e-10 * best.abs(), "{base:?} {k}");
                }
            }
        }
    }
}

#[test]
fn bad_fibres_are_refused() {
    for direction in [[0.0; 3], [f64::NAN, 0.0, 0.0], [f64::INFINITY, 0.0, 0.0]] {
        assert!(Fibres::new(direction, 1e5).unwrap_err().name == "direction");
    }
    for stiffness in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Fibres::new([1.0, 0.0, 0.0], stiffness).unwrap_err().name == "stiffness");
    }
    let fibres = Fibres::new([1e200, 0.0, 0.0], 1e5).unwrap();
    assert_eq!(fibres.direction(), [1.0, 0.0, 0.0]);
    for contraction in [-0.1, 0.96, f64::NAN] {
        assert!(fibres.contracted(contraction).unwrap_err().name == "contraction");
    }
}

fn settings(method: Method) -> Settings {
    let mut s = Settings::default();
    s.time.dt = 0.02;
    s.world.gravity = [0.0; 3];
    s.solve.method = method;
    (s.solve.threads, s.solve.iterations, s.solve.tolerance) = (1, 3000, 1e-9);
    s
}

/// A bar along x with fibres along x.
fn bar(s: Settings, material: Material) -> Simulation {
    let mesh = box_mesh([0.6, 0.2, 0.2], [3, 1, 1], Split::Five).unwrap();
    let mut scene = Scene::new(s);
    scene.add_solid("bar", mesh, material, 1000.0).unwrap();
    scene.build().unwrap()
}

/// Stretches along and across a free bar at rest: the lowest energy, found by ever smaller steps.
fn at_rest(m: &Material) -> [f64; 2] {
    let value = |[a, b]: [f64; 2]| m.energy(&[[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, b]]);
    let (mut best, mut size) = ([1.0, 1.0], 0.1);
    while size > 1e-13 {
        let around = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [1.0, -0.5], [-1.0, 0.5]];
        let lower = around.map(|d| [best[0] + size * d[0], best[1] + size * d[1]]);
        match lower.into_iter().min_by(|p, q| value(*p).total_cmp(&value(*q))) {
            Some(p) if value(p) < value(best) => best = p,
            _ => size *= 0.5,
        }
    }
    best
}

/// A free bar whose muscle contracts comes to rest where its energy is lowest: long steps lose all motion.
#[test]
fn a_contracted_bar_is_as_short_as_its_energy_says() {
    for base in [MaterialKind::NeoHookean, MaterialKind::StableNeoHookean, MaterialKind::Corotated] {
        for slack in [true, false] {
            let fibres = Fibres::new([1.0, 0.0, 0.0], 3e5).unwrap();
            let m = common::material(base).with_fibres(if slack { fibres } else { fibres.stiff() });
            let mut s = settings(Method::Auto);
            s.time.dt = 10.0;
            let mut sim = bar(s, m.clone());
            sim.contract(0, 0.4).unwrap();
            for _ in 0..12 {
                let r = sim.step().unwrap();
                assert!(r.status == Status::Converged, "{r:?}");
            }
            let wanted = at_rest(&m.with_fibres(m.fibres().unwrap().contracted(0.4).unwrap()));
            let x = sim.positions();
            let extent = |c: usize| {
                let all = x.iter().map(|p| p[c]);
                all.clone().fold(f64::MIN, f64::max) - all.fold(f64::MAX, f64::min)
            };
            let found = [extent(0) / 0.6, extent(1) / 0.2];
            // It shortens, by less than its fibres alone would, and gets thicker.
            assert!(wanted[0] > 0.6 && wanted[0] < 0.9 && wanted[1] > 1.0, "{wanted:?}");
            for c in 0..2 {
                assert!((found[c] - wanted[c]).abs() < 2e-6, "{base:?}: {found:?} {wanted:?}");
            }
        }
    }
}

/// One step of a muscle that contracts, by every method that is exact: the same answer.
#[test]
fn all_methods_agree() {
    let run = |method| {
        let material = common::material(MaterialKind::NeoHookean)
            .with_fibres(Fibres::new([1.0, 0.3, 0.0], 4e5).unwrap());
        let mut sim = bar(settings(method), material);
        sim.contract(0, 0.3).unwrap();
        let r = sim.step().unwrap();
        assert!(r.status == Status::Converged, "{method:?}: {r:?}");
        sim.positions()
    };
    let newton = run(Method::Newton);
    for method in [Method::Admm, Method::QuasiNewton, Method::Auto] {
        for (p, q) in run(method).iter().zip(&newton) {
            for c in 0..3 {
                assert!((p[c] - q[c]).abs() < 1e-7, "{method:?}: {p:?} {q:?}");
            }
        }
    }
    // Projective dynamics takes fibres in arap.
    let arap =
        Material::arap_with_stiffness(1e5).unwrap().with_fibres(Fibres::new([1.0, 0.0, 0.0], 1e5).unwrap());
    let (mut a, mut b) =
        (bar(settings(Method::Projective), arap.clone()), bar(settings(Method::Newton), arap));
    for sim in [&mut a, &mut b] {
        sim.contract(0, 0.3).unwrap();
        assert!(sim.step().unwrap().status == Status::Converged);
    }
    for (p, q) in a.positions().iter().zip(&b.positions()) {
        for c in 0..3 {
            assert!((p[c] - q[c]).abs() < 1e-6, "{p:?} {q:?}");
        }
    }
}

/// A checkpoint carries the contraction; another simulation takes it over; wrong bodies and numbers change nothing.
#[test]
fn contraction_is_state() {
    let make = || bar(settings(Method::Auto), common::material(MaterialKind::Fibre));
    let mut sim = make();
    sim.contract(0, 0.25).unwrap();
    sim.contract_elements(0, &[0, 3], 0.5).unwrap();
    sim.step().unwrap();
    let saved = sim.checkpoint();
    let (mut twin, mut heir) = (make(), make());
    twin.restore(&saved).unwrap();
    heir.adopt(&sim).unwrap();
    assert_eq!(twin.checkpoint(), saved);
    sim.step().unwrap();
    twin.step().unwrap();
    heir.step().unwrap();
    assert_eq!(sim.positions(), twin.positions());
    for (p, q) in sim.positions().iter().zip(&heir.positions()) {
        (0..3).for_each(|c| assert!((p[c] - q[c]).abs() < 1e-7));
    }
    let before = sim.checkpoint();
    for (error, words) in [
        (sim.contract(0, 0.99), ["bar", "contraction"]),
        (sim.contract(0, f64::NAN), ["bar", "contraction"]),
        (sim.contract(7, 0.5), ["body", "7"]),
        (sim.contract_elements(0, &[9999], 0.5), ["bar", "9999"]),
    ] {
        let e = error.unwrap_err().to_string();
        assert!(words.iter().all(|w| e.contains(w)), "{e}");
    }
    assert_eq!(sim.checkpoint(), before);
    let mut plain = bar(settings(Method::Auto), common::material(MaterialKind::NeoHookean));
    assert!(plain.contract(0, 0.1).unwrap_err().to_string().contains("no fibres"));
}

/// Turned together, body and fibres give the turned answer; across the fibres the bar is as soft as its base.
#[test]
fn fibres_have_a_direction() {
    let (along, across) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    let pulled = |direction| {
        let base = common::material(MaterialKind::NeoHookean);
        let m = base.with_fibres(Fibres::new(direction, 1e6).unwrap());
        m.stress(&[[1.2, 0.0, 0.0], [0.0, 0.95, 0.0], [0.0, 0.0, 0.95]])[0][0]
    };
    let plain = common::material(MaterialKind::NeoHookean).stress(&[
        [1.2, 0.0, 0.0],
        [0.0, 0.95, 0.0],
        [0.0, 0.0, 0.95],
    ])[0][0];
    assert!((pulled(along) - plain - 2e5).abs() < 1e-6 * 2e5);
    assert_eq!(pulled(across), plain);
}
