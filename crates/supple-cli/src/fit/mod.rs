//! Materials from measurements: pairs of stretch and nominal stress become the constants of a material.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | [`Fit`]: what came out |
//! | `data.rs` | pairs from a CSV file; `header.rs` reads names and units of its columns |
//! | `least.rs` | linear least squares with non-negative unknowns; Levenberg–Marquardt |
//! | `test.rs` | [`Test`]: how a specimen is pulled, and what a material does when it is |
//! | `ogden.rs` | terms of Ogden: linear in μ, Levenberg–Marquardt in α from several starts |
//! | `spline.rs` | control points of a rising curve: linear |
//!
//! A test tells nothing of the bulk modulus: it follows from a given Poisson's ratio. The sides that are free have no stress, and their
//! stretch is that of the fitted material: the volume grows when it is pulled, by much where ν is not close to ½. If the volume were kept the
//! stress would be linear in what is sought; from there Levenberg–Marquardt continues with the material itself, pulled as the specimen was.
//! What is reported is measured on the printed material.
pub mod data;
mod header;
#[allow(clippy::indexing_slicing, reason = "small dense systems and knots of their own making")]
mod least;
#[allow(clippy::indexing_slicing, reason = "small dense systems and knots of their own making")]
mod ogden;
#[allow(clippy::indexing_slicing, reason = "small dense systems and knots of their own making")]
mod spline;
mod test;

pub use ogden::ogden;
pub use spline::spline;
pub use test::Test;

use supple::Material;

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
    /// Volume over rest volume at the largest measured stretch.
    pub volume: f64,
}

impl Fit {
    /// What a test of the printed material gives.
    fn new(pairs: &[[f64; 2]], test: Test, material: &Material, table: String) -> Result<Fit, String> {
        let (low, high) = pairs.iter().fold((1.0f64, 1.0f64), |(a, b), p| (a.min(p[0]), b.max(p[0])));
        let at = |i: usize| low + (high - low) * i as f64 / 100.0;
        let pull = |stretch: f64| test.pull(material, stretch).ok_or_else(|| lost(stretch));
        let stress = pairs.iter().map(|p| pull(p[0]).map(|[stress, _]| stress));
        let curve = (0..=100).map(at).map(|s| pull(s).map(|[stress, _]| [s, stress]));
        let last = if high > 1.0 { high } else { low };
        Ok(Fit {
            table,
            stress: stress.collect::<Result<_, String>>()?,
            curve: curve.collect::<Result<_, String>>()?,
            mu: material.lame().mu,
            volume: test.volume(last, pull(last)?[1]),
        })
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

/// What is said of a material that has no shape without stress on its sides.
fn lost(stretch: f64) -> String {
    format!("at a stretch of {stretch} the fitted material has no shape without stress on its sides")
}

/// λ of small strain for a shear modulus and a Poisson's ratio.
fn lambda(mu: f64, poisson: f64) -> f64 {
    2.0 * mu * poisson / (1.0 - 2.0 * poisson)
}

/// Most pairs that the last search looks at; the error is that of all.
const ENOUGH: usize = 120;

/// At most so many of the pairs, spread over their stretches.
fn some(pairs: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut sorted = pairs.to_vec();
    sorted.sort_by(|p, q| p[0].total_cmp(&q[0]));
    let n = sorted.len();
    if n <= ENOUGH {
        return sorted;
    }
    (0..ENOUGH).filter_map(|i| sorted.get(i * (n - 1) / (ENOUGH - 1)).copied()).collect()
}

/// How far a material is off the pairs, over `scale`; none if it cannot be pulled.
fn off(pairs: &[[f64; 2]], test: Test, material: &Material, scale: f64) -> Option<Vec<f64>> {
    pairs.iter().map(|p| Some((test.pull(material, p[0])?[0] - p[1]) / scale)).collect()
}

/// A number as it is printed: seven digits.
fn printed(number: f64) -> f64 {
    format!("{number:.6e}").parse().unwrap_or(number)
}

/// Numbers of a list with enough digits.
fn list(numbers: &[f64]) -> String {
    format!("[{}]", numbers.iter().map(|n| format!("{n:.6e}")).collect::<Vec<_>>().join(", "))
}
