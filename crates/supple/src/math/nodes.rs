//! Per-node vectors: rows of four numbers (x, y, z, padding), so that a row is one SIMD load.

use super::lane::{Kernel, dispatch};
use super::real::Real;

/// x, y, z of a node, and a fourth number that nothing reads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Row(pub [f64; 4]);

impl Row {
    /// A row from a point or vector.
    #[inline(always)]
    pub fn new(p: [f64; 3]) -> Row {
        Row([p[0], p[1], p[2], 0.0])
    }
    /// The point or vector of a row.
    #[inline(always)]
    pub fn xyz(self) -> [f64; 3] {
        [self.0[0], self.0[1], self.0[2]]
    }
    /// True if x, y and z are finite.
    pub fn is_finite(self) -> bool {
        self.0[0].is_finite() && self.0[1].is_finite() && self.0[2].is_finite()
    }
}

/// Σ a·b over rows, number by number in order.
pub fn dot(a: &[Row], b: &[Row]) -> f64 {
    dispatch(Dot(a, b))
}

/// Σ m|a − b|² over rows, number by number in order; as many rows as there are masses.
pub fn weighted_distance(mass: &[f64], a: &[Row], b: &[Row]) -> f64 {
    dispatch(Distance(mass, a, b))
}

struct Distance<'a>(&'a [f64], &'a [Row], &'a [Row]);

impl Kernel for Distance<'_> {
    type Out = f64;
    #[inline(always)]
    fn run<R: Real>(self) -> f64 {
        let n = self.0.len();
        let (a, b) = (&self.1[..n], &self.2[..n]);
        let mut sum = [0.0; 4];
        for i in 0..n {
            for c in 0..4 {
                let d = a[i].0[c] - b[i].0[c];
                sum[c] += self.0[i] * d * d;
            }
        }
        // What the fourth numbers gave means nothing.
        sum[0] + sum[1] + sum[2]
    }
}

struct Dot<'a>(&'a [Row], &'a [Row]);

impl Kernel for Dot<'_> {
    type Out = f64;
    #[inline(always)]
    fn run<R: Real>(self) -> f64 {
        // Four rows side by side, to hide the latency of the additions.
        let mut sum = [[0.0; 4]; 4];
        let (a, a_rest) = self.0.as_chunks::<4>();
        let (b, b_rest) = self.1.as_chunks::<4>();
        for (a, b) in a.iter().zip(b) {
            for r in 0..4 {
                for c in 0..4 {
                    sum[r][c] += a[r].0[c] * b[r].0[c];
                }
            }
        }
        for (a, b) in a_rest.iter().zip(b_rest) {
            for c in 0..4 {
                sum[0][c] += a.0[c] * b.0[c];
            }
        }
        let mut total = 0.0;
        for c in 0..4 {
            total += (sum[0][c] + sum[1][c]) + (sum[2][c] + sum[3][c]);
        }
        total
    }
}
