//! Per-node vectors: rows of four numbers (x, y, z, padding), so that a row is one SIMD load.

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
