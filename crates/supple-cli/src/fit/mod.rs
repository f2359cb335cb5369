//! Materials from measurements: pairs of stretch and nominal stress become the constants of a material.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | [`Test`], [`Fit`]: what was measured and what came out |
//! | `data.rs` | pairs from a CSV file |
//! | `least.rs` | linear least squares with non-negative unknowns |
//! | `ogden.rs` | terms of Ogden: linear in μ, Levenberg–Marquardt in α from several starts |
//! | `spline.rs` | control points of a rising curve: linear |
//!
//! The material is taken to keep its volume, as rubber and wet tissue do: then a test tells only the energy of the stretches,
//! Ψ = Σw(σ_i), and the stress of the volume follows from the free surfaces. With the other stretch λ^(−c) the nominal stress is
//! P = w'(λ) − λ^(−c−1) w'(λ^(−c)). The bulk modulus is none of the test's: it follows from a given Poisson's ratio.
pub mod data;
mod least;
mod ogden;
mod spline;

pub use ogden::ogden;
pub use spline::spline;

/// How the specimen was pulled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Test {
    /// Along one axis, free sides
    Uniaxial,
    /// Alike along two axes
    Biaxial,
    /// Pure shear: along one axis, a wide strip whose width is held
    Shear,
}

impl Test {
    /// c: the free stretch is λ^(−c).
    pub fn exponent(self) -> f64 {
        match self {
            Test::Uniaxial => 0.5,
            Test::Biaxial => 2.0,
            Test::Shear => 1.0,
        }
    }
    /// The nominal stress at λ of a body with the function w'.
    pub fn stress(self, stretch: f64, slope: impl Fn(f64) -> f64) -> f64 {
        let c = self.exponent();
        slope(stretch) - stretch.powf(-c - 1.0) * slope(stretch.powf(-c))
    }
}

/// What came out.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The material table of a scene file.
    pub table: String,
    /// The fitted stress in Pa at each measured stretch.
    pub stress: Vec<f64>,
    /// … and along a curve through their range.
    pub curve: Vec<[f64; 2]>,
    /// Shear modulus of small strain in Pa.
    pub mu: f64,
}

impl Fit {
    /// A fit from its function w'.
    fn new(pairs: &[[f64; 2]], test: Test, slope: impl Fn(f64) -> f64 + Copy, mu: f64, table: String) -> Fit {
        let (low, high) = pairs.iter().fold((1.0f64, 1.0f64), |(a, b), p| (a.min(p[0]), b.max(p[0])));
        let at = |i: usize| low + (high - low) * i as f64 / 100.0;
        Fit {
            table,
            stress: pairs.iter().map(|p| test.stress(p[0], slope)).collect(),
            curve: (0..=100).map(|i| [at(i), test.stress(at(i), slope)]).collect(),
            mu,
        }
    }
    /// Root mean square and largest of the differences to the measured stress, in Pa.
    pub fn errors(&self, pairs: &[[f64; 2]]) -> [f64; 2] {
        let (mut sum, mut most) = (0.0, 0.0f64);
        for (p, s) in pairs.iter().zip(&self.stress) {
            sum += (p[1] - s).powi(2);
            most = most.max((p[1] - s).abs());
        }
        [(sum / pairs.len().max(1) as f64).sqrt(), most]
    }
}

/// λ of small strain for a shear modulus and a Poisson's ratio.
fn lambda(mu: f64, poisson: f64) -> f64 {
    2.0 * mu * poisson / (1.0 - 2.0 * poisson)
}

/// Numbers of a list with enough digits.
fn list(numbers: &[f64]) -> String {
    format!("[{}]", numbers.iter().map(|n| format!("{n:.6e}")).collect::<Vec<_>>().join(", "))
}
