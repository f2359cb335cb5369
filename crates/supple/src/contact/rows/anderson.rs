//! Anderson acceleration of a fixed-point iteration x ← G(x): of the residuals r = G(x) − x of the last steps find
//! θ = argmin |r − ΔR θ|, and take G − ΔG θ.

use crate::math::lane::{Kernel, dispatch};
use crate::math::real::Real;

/// Steps that it looks back.
const MEMORY: usize = 5;

/// History of an iteration.
#[derive(Debug, Default)]
pub struct Anderson {
    steps: [Step; MEMORY],
    used: usize,
    newest: usize,
    last: Step,
    known: bool,
    /// ΔRᵀΔR.
    gram: [[f64; MEMORY]; MEMORY],
}

/// ΔR and ΔG of a step, or r and G of the last.
#[derive(Debug, Default)]
struct Step {
    r: Vec<f64>,
    g: Vec<f64>,
}

impl Anderson {
    /// Forgets everything.
    pub fn restart(&mut self) {
        (self.used, self.newest, self.known) = (0, 0, false);
    }

    /// From x and G(x), the next x in `out`; `weight` is that of each residual, 1 if there are none. False, and `out` untouched, where there is
    /// no history to use.
    pub fn next(&mut self, x: &[f64], g: &[f64], weight: Option<&[f64]>, out: &mut [f64]) -> bool {
        let n = x.len();
        let r = |i: usize| weight.map_or(1.0, |w| w[i]) * (g[i] - x[i]);
        if self.known && self.last.r.len() == n {
            self.newest = if self.used == 0 { 0 } else { (self.newest + 1) % MEMORY };
            self.used = (self.used + 1).min(MEMORY);
            let step = &mut self.steps[self.newest];
            step.r.clear();
            step.g.clear();
            step.r.extend((0..n).map(|i| r(i) - self.last.r[i]));
            step.g.extend((0..n).map(|i| g[i] - self.last.g[i]));
        } else {
            self.restart();
        }
        self.last.r.clear();
        self.last.g.clear();
        self.last.r.extend((0..n).map(r));
        self.last.g.extend_from_slice(g);
        self.known = true;
        let m = self.used;
        if m == 0 {
            return false;
        }
        let mut theta = [0.0; MEMORY];
        let newest = self.newest;
        for i in 0..m {
            let product = dot(&self.steps[i].r, &self.steps[newest].r);
            (self.gram[i][newest], self.gram[newest][i]) = (product, product);
            theta[i] = dot(&self.steps[i].r, &self.last.r);
        }
        if !solve(self.gram, &mut theta, m) {
            self.restart();
            return false;
        }
        out.copy_from_slice(g);
        for (step, theta) in self.steps[..m].iter().zip(theta) {
            for (o, d) in out.iter_mut().zip(&step.g) {
                *o -= theta * d;
            }
        }
        true
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    dispatch(Dot(a, b))
}

struct Dot<'a>(&'a [f64], &'a [f64]);

impl Kernel for Dot<'_> {
    type Out = f64;
    #[inline(always)]
    fn run<R: Real>(self) -> f64 {
        // Sixteen sums side by side, to hide the latency of the additions.
        let mut sum = [0.0; 16];
        let (a, a_rest) = self.0.as_chunks::<16>();
        let (b, b_rest) = self.1.as_chunks::<16>();
        for (a, b) in a.iter().zip(b) {
            for k in 0..16 {
                sum[k] += a[k] * b[k];
            }
        }
        let rest = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).fold(0.0, |a, b| a + b);
        sum.into_iter().fold(rest, |a, b| a + b)
    }
}

/// Solves a small positive definite system in place; directions that nearly depend on each other are damped.
fn solve(mut a: [[f64; MEMORY]; MEMORY], b: &mut [f64; MEMORY], n: usize) -> bool {
    for i in 0..n {
        a[i][i] *= 1.0 + 1e-10;
    }
    for k in 0..n {
        if !(a[k][k] > 0.0 && a[k][k].is_finite()) {
            return false;
        }
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= f * a[k][j];
            }
            b[i] -= f * b[k];
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            b[k] -= a[k][j] * b[j];
        }
        b[k] /= a[k][k];
    }
    b[..n].iter().all(|v| v.is_finite())
}
