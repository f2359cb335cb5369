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

/// y += s·x.
pub fn axpy(y: &mut [Row], s: f64, x: &[Row]) {
    dispatch(Axpy(y, s, x));
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

struct Axpy<'a>(&'a mut [Row], f64, &'a [Row]);

impl Kernel for Axpy<'_> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        let s = self.1;
        for (y, x) in self.0.iter_mut().zip(self.2) {
            for c in 0..4 {
                y.0[c] += s * x.0[c];
            }
        }
    }
}
