//! Backward Euler above a floor without friction, solved a second time: dense projected Newton (Bertsekas 1982).

use super::reference::V3;
use super::reference::body::{RefBody, flatten};
use nalgebra::DMatrix;

/// A minimiser of the step's objective under y ≥ 0 for every node, to rounding.
pub fn step_above_floor(body: &RefBody, x: &[V3], v: &[V3], h: f64, gravity: &V3) -> Vec<V3> {
    let xtilde = body.predicted(x, v, h, gravity);
    let mut at = x.to_vec();
    let n = 3 * at.len();
    let mut best = f64::INFINITY;
    for _ in 0..400 {
        let g = flatten(&body.objective_gradient(&at, &xtilde, h));
        let held = |i: usize| i % 3 == 1 && at[i / 3].y <= 1e-13 && g[i] > 0.0;
        let open: Vec<usize> = (0..n).filter(|&i| !held(i)).collect();
        let left = open.iter().map(|&i| g[i] * g[i]).sum::<f64>().sqrt();
        if left >= 0.5 * best && left <= 1e-8 * g.norm().max(1.0) {
            return at;
        }
        best = best.min(left);
        let full = body.hessian(&at);
        let inertia = |i: usize| body.masses[i / 3] / (h * h);
        let reduced = DMatrix::from_fn(open.len(), open.len(), |r, c| {
            full[(open[r], open[c])] + if r == c { inertia(open[r]) } else { 0.0 }
        });
        let rhs = nalgebra::DVector::from_iterator(open.len(), open.iter().map(|&i| -g[i]));
        let d = reduced.cholesky().expect("positive definite").solve(&rhs);
        let here = body.objective(&at, &xtilde, h);
        let mut alpha = 1.0;
        let next = loop {
            let mut trial = at.clone();
            for (k, &i) in open.iter().enumerate() {
                trial[i / 3][i % 3] += alpha * d[k];
            }
            for p in &mut trial {
                p.y = p.y.max(0.0);
            }
            let value = body.objective(&trial, &xtilde, h);
            if value <= here + 1e-13 * here.abs() || alpha < 1e-12 {
                break trial;
            }
            alpha *= 0.5;
        };
        at = next;
    }
    panic!("the reference did not converge");
}
