//! Lanes, logarithm, decompositions: one source for scalar and lanes, the same bits in both.
//!
//! Expected values: exact identities (U diag(σ) Vᵀ = F, rotations are orthonormal), std's `ln`, the constructed stretches.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use supple::energy::check::Random;
use supple::energy::{
    Arap, Corotated, Element, FixedCorotated, Fung, Lame, Linear, MooneyRivlin, NeoHookean, Ogden, Potential,
    Spline, StVenantKirchhoff, StableNeoHookean, Stretch,
};
use supple::math::lane::{Arr, Kernel, backend, dispatch};
use supple::math::nodes::Row;
use supple::math::polar::polar;
use supple::math::real::{BLOCK, Block, Mask, Real};
use supple::math::small::{Mat3, compose, det, identity, minus, mul, norm2, transpose};
use supple::math::svd::svd;

/// Every operation on eight numbers, lane by lane, as bits.
struct Operations {
    a: Block,
    b: Block,
}

/// A whole number within the range of exponents.
#[inline(always)]
fn e_of<R: Real>(a: R) -> R {
    a.abs().split().1
}

impl Kernel for Operations {
    type Out = Vec<[u64; BLOCK]>;
    #[inline(always)]
    fn run<R: Real>(self) -> Self::Out {
        let mut out: Vec<Block> = vec![Block::default(); 20];
        let rows: Vec<Row> = (0..BLOCK).map(|i| Row([self.a.0[i], self.b.0[i], i as f64, 7.0])).collect();
        let ids = [3, 1, 4, 1, 5, 0, 2, 6];
        let mut scattered = vec![Row::default(); 3 * BLOCK];
        let mut added = rows.clone();
        for lane in (0..BLOCK).step_by(R::LANES) {
            let (a, b) = (R::load(&self.a, lane), R::load(&self.b, lane));
            let mut k = 0;
            let mut put = |v: R| {
                v.store(&mut out[k], lane);
                k += 1;
            };
            put(a + b);
            put(a - b);
            put(a * b);
            put(a / b);
            put(-a);
            put(a.abs().sqrt());
            put(a.abs());
            put(a.max(b));
            put(a.min(b));
            put(R::select(a.lt(b), a, b));
            put(R::select(a.le(b) & !(a.gt(b)) | a.ge(b), b, a));
            put(a.abs().ln());
            put(a.min(R::splat(100.0)).exp());
            put(e_of(a).power_of_two());
            let g = R::gather(&rows, &ids, lane);
            put(g[0]);
            put(g[1]);
            put(g[2]);
            put(R::splat(a.lane(R::LANES - 1)).with_lane(0, 3.0).max(R::splat(f64::from(a.lt(b).any()))));
            R::scatter([a, b, a + b], &mut scattered, 1, 3, lane);
            R::scatter_add([a, b, a, b], &mut added, &ids, lane);
            let (m, e) = a.abs().split();
            put(m);
            put(e);
        }
        let mut bits: Vec<[u64; BLOCK]> = out.iter().map(|b| b.0.map(f64::to_bits)).collect();
        for r in scattered.iter().chain(&added) {
            bits.push([r.0[0], r.0[1], r.0[2], 0.0, 0.0, 0.0, 0.0, 0.0].map(f64::to_bits));
        }
        bits
    }
}

#[test]
fn every_operation_gives_the_same_bits_in_scalar_and_lanes() {
    let mut random = Random(5);
    for _ in 0..200 {
        let mut a = Block::default();
        let mut b = Block::default();
        for i in 0..BLOCK {
            a.0[i] = random.between(-2.0, 2.0) * 10f64.powf(random.between(-20.0, 20.0));
            b.0[i] = random.between(-2.0, 2.0) * 10f64.powf(random.between(-20.0, 20.0));
        }
        // with_lane and splat depend on the lane count: compare those of the same width only.
        let mut scalar = Operations { a, b }.run::<f64>();
        let mut four = Operations { a, b }.run::<Arr<4>>();
        let mut best = dispatch(Operations { a, b });
        for v in [&mut scalar, &mut four, &mut best] {
            v.remove(17);
        }
        assert_eq!(scalar, four);
        assert_eq!(scalar, best, "{}", backend());
    }
}

#[test]
fn logarithm_is_good_to_an_ulp() {
    let mut random = Random(6);
    let mut worst = 0.0f64;
    for i in 0..200_000 {
        let a = if i % 2 == 0 { random.between(0.5, 2.0) } else { 10f64.powf(random.between(-300.0, 300.0)) };
        let (ours, std) = (Real::ln(a), a.ln());
        worst = worst.max((ours - std).abs() / std.abs().max(f64::MIN_POSITIVE));
    }
    // std's own error is below 1 ulp = 2.2e-16.
    assert!(worst <= 5e-16, "relative error {worst:e}");
    assert_eq!(Real::ln(1.0), 0.0);
}

#[test]
fn exponential_is_good_to_two_ulp() {
    let mut random = Random(16);
    let mut worst = 0.0f64;
    for i in 0..200_000 {
        let a = if i % 2 == 0 { random.between(-1.0, 1.0) } else { random.between(-700.0, 700.0) };
        let (ours, std) = (Real::exp(a), a.exp());
        worst = worst.max((ours - std).abs() / std);
    }
    // std's own error is below 1 ulp = 2.2e-16.
    assert!(worst <= 5e-16, "relative error {worst:e}");
    assert_eq!(Real::exp(0.0), 1.0);
    assert!(Real::exp(1e9).is_finite() && Real::exp(-1e9) > 0.0 && Real::exp(-1e9) < 1e-300);
    assert!(Real::exp(f64::INFINITY).is_finite());
}

/// Matrices of the classes that break decompositions, with their signed stretches where they are known.
fn matrices() -> Vec<(Mat3<f64>, Option<[f64; 3]>)> {
    let mut random = Random(7);
    let mut all: Vec<(Mat3<f64>, Option<[f64; 3]>)> = Vec::new();
    for s in [
        [1.0, 1.0, 1.0],
        [1.0, 1e-8, 1e-9],
        [1.0, 1.0, 1e-12],
        [1.0, 1e-12, 1e-12],
        [2.0, 1.0, -0.5],
        [1.0, 1.0, -1.0],
        [3.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [1e-160, 1e-161, 1e-162],
        [1e150, 1e149, 1e100],
        [5.0, 5.0, 4.999999999],
        [0.0, 0.0, 0.0],
    ] {
        for _ in 0..200 {
            all.push((compose(&random.rotation(), s, &random.rotation()), Some(s)));
        }
        all.push((compose(&identity(), s, &identity()), Some(s)));
    }
    for _ in 0..5000 {
        let mut f = [[0.0; 3]; 3];
        for c in f.iter_mut().flatten() {
            *c = random.between(-1.0, 1.0);
        }
        all.push((f, None));
    }
    all
}

#[test]
fn decomposition_is_exact_signed_and_sorted() {
    for (f, known) in matrices() {
        let d = svd(&f);
        let size = f.iter().flatten().fold(1e-290f64, |a, b| a.max(b.abs()));
        let scaled = |a: &Mat3<f64>| a.map(|c| c.map(|v| v / size));
        let back = minus(&scaled(&compose(&d.u, d.s, &d.v)), &scaled(&f));
        assert!(norm2(&back).sqrt() <= 4e-15, "error {:e} at {f:?}", norm2(&back).sqrt());
        for r in [&d.u, &d.v] {
            let e = minus(&mul(&transpose(r), r), &identity());
            assert!(norm2(&e).sqrt() <= 4e-15 && det(r) > 0.5, "not a rotation at {f:?}");
        }
        assert!(d.s[0] >= d.s[1] - 1e-15 * size && d.s[1] >= d.s[2].abs() - 1e-15 * size, "{:?}", d.s);
        if let Some(s) = known {
            for i in 0..3 {
                assert!((d.s[i] - s[i]).abs() <= 4e-15 * size, "{:?} instead of {s:?}", d.s);
            }
        }
    }
}

#[test]
fn polar_rotation_is_that_of_the_decomposition() {
    for (f, _) in matrices() {
        let (p, d) = (polar(&f), svd(&f));
        let size = f.iter().flatten().fold(1e-290f64, |a, b| a.max(b.abs()));
        let orthogonal = minus(&mul(&transpose(&p.r), &p.r), &identity());
        assert!(norm2(&orthogonal).sqrt() <= 4e-15 && det(&p.r) > 0.5);
        let sum = d.s[0] + d.s[1] + d.s[2];
        assert!((p.sum - sum).abs() <= 1e-14 * size, "sum {} instead of {sum}", p.sum);
        let gap = d.s[1] + d.s[2];
        assert!(p.gap <= gap * (1.0 + 1e-10) + 1e-13 * size, "{} is no lower bound of {gap}", p.gap);
        // The rotation is as well determined as the gap allows.
        let r = mul(&d.u, &transpose(&d.v));
        let error = norm2(&minus(&r, &p.r)).sqrt();
        assert!(error <= 2e-15 * (8.0 + 8.0 * size / gap.max(1e-300)), "error {error:e} at {:?}", d.s);
    }
}

/// A potential's energy, stress and proximal operator of eight elements, as bits.
struct Evaluate<'a, P> {
    potential: &'a P,
    e: Element<f64>,
    f: [Mat3<f64>; BLOCK],
}

impl<P: Potential<3>> Kernel for Evaluate<'_, P> {
    type Out = Vec<u64>;
    #[inline(always)]
    fn run<R: Real>(self) -> Vec<u64> {
        let mut out = Vec::new();
        for lane in (0..BLOCK).step_by(R::LANES) {
            let mut f = [[R::zero(); 3]; 3];
            for c in 0..3 {
                for r in 0..3 {
                    let mut b = Block::default();
                    for i in 0..BLOCK {
                        b.0[i] = self.f[i][c][r];
                    }
                    f[c][r] = R::load(&b, lane);
                }
            }
            let e = self.e.splat::<R>();
            let mut warm = R::splat(self.potential.cold(&self.e));
            let energy = self.potential.energy(&e, &f);
            let stress = self.potential.stress(&e, &f);
            let z = self.potential.prox(&e, &f, &mut warm);
            for i in 0..R::LANES {
                out.push(energy.lane(i).to_bits());
                for c in 0..3 {
                    for r in 0..3 {
                        out.push(stress[c][r].lane(i).to_bits());
                        out.push(z[c][r].lane(i).to_bits());
                    }
                }
            }
        }
        out
    }
}

/// Calls `compare` with eight matrices and an element, many times.
fn samples(params: &[f64], mut compare: impl FnMut([Mat3<f64>; BLOCK], Element<f64>)) {
    let mut random = Random(8);
    for round in 0..300 {
        let mut f = [identity(); BLOCK];
        for g in &mut f {
            let low = if round % 3 == 0 { -1.0 } else { 0.3 };
            let s = [random.between(0.5, 3.0), random.between(0.2, 2.0), random.between(low, 2.0)];
            *g = compose(&random.rotation(), s, &random.rotation());
        }
        compare(f, Element::new(10f64.powf(random.between(-1.0, 1.5)), params));
    }
}

fn parity<P: Potential<3>>(potential: P, params: &[f64]) {
    samples(params, |f, e| {
        let make = || Evaluate { potential: &potential, e, f };
        let scalar = make().run::<f64>();
        assert_eq!(scalar, make().run::<Arr<4>>(), "{}", potential.name());
        assert_eq!(scalar, dispatch(make()), "{} on {}", potential.name(), backend());
    });
}

/// The same without the portable lanes, with which the larger laws take the compiler many minutes.
fn parity_here<P: Potential<3>>(potential: P, params: &[f64]) {
    samples(params, |f, e| {
        let make = || Evaluate { potential: &potential, e, f };
        assert_eq!(make().run::<f64>(), dispatch(make()), "{} on {}", potential.name(), backend());
    });
}

#[test]
fn materials_give_the_same_bits_in_scalar_and_lanes() {
    parity(Linear, &[1.0, 2.0]);
    parity(Stretch(Arap), &[2.0]);
    parity(Stretch(Corotated), &[1.0, 20.0]);
    parity(Stretch(NeoHookean), &[1.0, 3.0]);
    parity(Stretch(StVenantKirchhoff), &[1.0, 1.5]);
    let lame = Lame::new(1.0, 3.0).unwrap();
    parity_here(Stretch(StableNeoHookean), &StableNeoHookean::numbers(lame));
    parity_here(Stretch(FixedCorotated), &[1.0, 3.0]);
    parity_here(Stretch(MooneyRivlin), &MooneyRivlin::numbers(lame));
    parity_here(Stretch(Ogden), &Ogden::numbers(lame));
    parity_here(Stretch(Fung), &[1.0, 2.0, 3.0]);
    parity_here(Stretch(Spline::rubber(lame)), &[10.0]);
}

#[test]
fn elementary_functions_are_those_of_the_system_to_some_last_bits() {
    use supple::math::elementary as e;
    let mut random = Random(7);
    let near = |what: &str, got: f64, wanted: f64, units: f64| {
        let off = (got - wanted).abs() / (wanted.abs() * f64::EPSILON).max(f64::MIN_POSITIVE);
        assert!(
            got == wanted || got.is_nan() && wanted.is_nan() || off <= units,
            "{what}: {got:e}, not {wanted:e}: {off:.1} units"
        );
    };
    for _ in 0..20_000 {
        let (angle, size) = (random.between(-200.0, 200.0), 10f64.powf(random.between(-300.0, 300.0)));
        let (small, y) = (random.between(-1.0, 1.0), random.between(-3.0, 3.0));
        // Near a zero of sine or cosine the angle itself has an error of half a unit.
        let absolute = |what: &str, got: f64, wanted: f64| {
            assert!((got - wanted).abs() < 4e-16, "{what}({angle}): {got:e}, {wanted:e}")
        };
        absolute("sin", e::sin(angle), angle.sin());
        absolute("cos", e::sin_cos(angle).1, angle.cos());
        near("ln", e::ln(size), size.ln(), 4.0);
        near("log2", e::log2(size), size.log2(), 4.0);
        near("log10", e::log10(size), size.log10(), 4.0);
        near("exp", e::exp(3.7 * angle), (3.7 * angle).exp(), 4.0);
        near("cbrt", e::cbrt(size), size.cbrt(), 4.0);
        near("hypot", e::hypot(small, y), small.hypot(y), 4.0);
        near("atan2", e::atan2(small, y), small.atan2(y), 8.0);
        assert!((e::acos(small) - small.acos()).abs() < 1e-15, "acos({small})");
        near("pow", e::pow(size, 0.3 * y), size.powf(0.3 * y), 4.0 + 2.0 * (0.3 * y * size.ln()).abs());
    }
    let (none, least) = (f64::NAN, f64::from_bits(3));
    for x in [0.0, 1.0, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE, least, none, -1.0] {
        near("ln", e::ln(x), x.ln(), 4.0);
        near("exp", e::exp(x), x.exp(), 4.0);
        near("pow", e::pow(x, 0.0), 1.0, 0.0);
    }
    for x in [-745.0, -720.0, -800.0, 709.5, 710.0, 1e300, -1e300] {
        // Below the normal numbers a unit is large.
        assert!(
            (e::exp(x) - x.exp()).abs() <= 4.0 * f64::EPSILON * x.exp() + 1e-322 || e::exp(x) == x.exp(),
            "exp({x}): {:e}",
            e::exp(x)
        );
    }
    for (y, x) in [(0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (0.0, 0.0)] {
        near("atan2", e::atan2(y, x), f64::atan2(y, x), 2.0);
    }
    for k in -8..=8 {
        let angle = f64::from(k) * std::f64::consts::FRAC_PI_2;
        assert!(
            (e::sin(angle) - angle.sin()).abs() < 1e-16 && (e::sin_cos(angle).1 - angle.cos()).abs() < 1e-16,
            "{k} quarters"
        );
    }
}
