//! Hard constraints that cannot hold are named instead of iterated.
//!
//! N = Dx − P(Dx) is how far constraints are off, P(Dx) what they allow. Where the forces W²N balance at every free node, no small move helps. More
//! is known of convex sets: at any x′ where all constraints hold, Σ_v f_v·(x′_v − x_v) ≤ −Σ w²|N|² with f = DᵀW²N. So if
//! R Σ_v|f_v| < Σ w²|N|² there is no such x′ within R of x, here the size of all there is. ADMM leads to such an x: where
//! sets do not meet, it minimises their distance (Bauschke and others 2004). Lower limits and rods are not convex: for those the violation must
//! also have stayed.
//!
//! Constraints without a free node have no part in the iteration; they hold or do not from the start.

use crate::solve::Problem;
use crate::solve::problem::square;

/// Iterations between two tests.
const EVERY: usize = 25;
/// Tests in a row that must agree.
const TESTS: usize = 2;
/// The share of the violation that must be left from one test to the next.
const STAYED: f64 = 0.9;

/// Watches over a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Feasibility {
    /// Tests in a row with the certificate, and the violation at the last of them.
    tests: usize,
    violated: f64,
}

impl Feasibility {
    /// After an iteration: true once constraints are known not to hold anywhere near. `within` is the violation, as a share, that passes for none.
    pub fn fails(&mut self, p: &mut Problem<'_>, iteration: usize, within: f64) -> bool {
        if !iteration.is_multiple_of(EVERY) || !p.terms.hard() {
            return false;
        }
        let sums = p.terms.off_loads(p.x, p.exec);
        p.terms.sum_loads(p.rhs, p.exec, |_, sum, out| *out = sum);
        p.hold_rhs();
        let force = p.rhs.iter().fold(0.0, |a, f| a + square(f).sqrt());
        let certain = sums.violated > within && force * reach(p) < sums.primal;
        let stayed = sums.violated >= STAYED * self.violated;
        self.tests = if certain && stayed { self.tests + 1 } else { usize::from(certain) };
        self.violated = sums.violated;
        self.tests >= TESTS
    }
}

/// The diagonal of the box around all nodes, or the greatest size of a body at rest, in m.
fn reach(p: &Problem<'_>) -> f64 {
    let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for x in p.x.iter() {
        for c in 0..3 {
            bounds[0][c] = bounds[0][c].min(x.0[c]);
            bounds[1][c] = bounds[1][c].max(x.0[c]);
        }
    }
    let all = (0..3).map(|c| (bounds[1][c] - bounds[0][c]).powi(2)).sum::<f64>().sqrt();
    p.body_size.iter().copied().fold(all, f64::max)
}
