//! One backward Euler step, eq. (1), minimised by Newton's method with the exact dense Hessian, to rounding.

use super::V3;
use super::body::{RefBody, flatten};
use super::shape::extent;
use nalgebra::{Cholesky, DMatrix, DVector, SymmetricEigen};

/// What the minimisation ended with.
#[derive(Clone, Debug)]
pub struct RefSolution {
    pub x: Vec<V3>,
    /// ‖∇‖ at x, N.
    pub gradient: f64,
    /// max_i |step_i| of the last Newton step, over the extent of the rest shape.
    pub last_step: f64,
    pub iterations: usize,
}

impl RefBody {
    /// A minimiser of 1/(2h²) Σ m |x − x̃|² + U(x) near `start`, with pinned nodes eliminated. Newton steps
    /// with a line search; where the Hessian is indefinite its eigenvalues are replaced by their absolute
    /// values. Goes on until neither the objective nor the gradient gets smaller.
    pub fn minimise(&self, start: &[V3], xtilde: &[V3], h: f64) -> RefSolution {
        let free = self.free_nodes();
        let scale = extent(&self.rest);
        let mut x = start.to_vec();
        self.put_pins(&mut x);
        let mut objective = self.objective(&x, xtilde, h);
        assert!(objective.is_finite(), "the objective is infinite at the start");
        let mut last_step = f64::INFINITY;
        let mut iterations = 0;
        let mut gradient = self.free_gradient(&free, &x, xtilde, h);
        while iterations < 300 && gradient.norm() > 0.0 {
            let hessian = self.free_hessian(&free, &x, h);
            let direction = -solve_descent(&hessian, &gradient);
            let slope = direction.dot(&gradient);
            let longest = (0..free.len()).map(|i| direction.rows(3 * i, 3).norm()).fold(0.0, f64::max);
            last_step = longest / scale;
            iterations += 1;
            // Near the end the objective's own rounding hides the descent: there the gradient decides, and
            // only a full step is tried.
            let rounding = 1e-12 * objective.abs().max(self.energy(&x));
            let at_the_end = -slope <= rounding || last_step <= 1e-12;
            let mut accepted = None;
            let mut alpha = 1.0;
            while alpha > if at_the_end { 0.5 } else { 1e-14 } {
                let trial = moved(&x, &free, &direction, alpha);
                let value = self.objective(&trial, xtilde, h);
                if at_the_end || value <= objective + 1e-4 * alpha * slope {
                    let g = self.free_gradient(&free, &trial, xtilde, h);
                    if !at_the_end || g.norm() < gradient.norm() {
                        accepted = Some((trial, value, g));
                    }
                    break;
                }
                alpha *= 0.5;
            }
            let Some((trial, value, g)) = accepted else { break };
            (x, objective, gradient) = (trial, value, g);
        }
        RefSolution { x, gradient: gradient.norm(), last_step, iterations }
    }

    /// One step of backward Euler (1) from (x, v) under the acceleration `a_ext`: the positions after it.
    /// Starts at the lowest of x, x + h v and x̃. Panics if the minimiser is not reached to rounding.
    pub fn step(&self, x: &[V3], v: &[V3], h: f64, a_ext: &V3) -> Vec<V3> {
        let xtilde = self.predicted(x, v, h, a_ext);
        let mut still = x.to_vec();
        self.put_pins(&mut still);
        let drifted = self.predicted(x, v, h, &V3::zeros());
        let start = [still, drifted, xtilde.clone()]
            .into_iter()
            .min_by(|p, q| self.objective(p, &xtilde, h).total_cmp(&self.objective(q, &xtilde, h)))
            .unwrap();
        let solution = self.minimise(&start, &xtilde, h);
        let residual = self.force_residual(&solution.x, &xtilde, x, v, h);
        assert!(
            residual <= 1e-12 || solution.last_step <= 1e-13,
            "Newton ended with force residual {residual:e}, step {:e}",
            solution.last_step
        );
        solution.x
    }

    /// `step`, then v = (x⁺ − x)/h (2). Replaces x and v.
    pub fn advance(&self, x: &mut Vec<V3>, v: &mut Vec<V3>, h: f64, a_ext: &V3) {
        let next = self.step(x, v, h, a_ext);
        *v = next.iter().zip(x.iter()).map(|(p, q)| (p - q) / h).collect();
        *x = next;
    }

    fn free_gradient(&self, free: &[usize], x: &[V3], xtilde: &[V3], h: f64) -> DVector<f64> {
        let g = self.objective_gradient(x, xtilde, h);
        flatten(&free.iter().map(|&i| g[i]).collect::<Vec<_>>())
    }

    fn free_hessian(&self, free: &[usize], x: &[V3], h: f64) -> DMatrix<f64> {
        let full = self.hessian(x);
        let row = |r: usize| 3 * free[r / 3] + r % 3;
        let mut out = DMatrix::from_fn(3 * free.len(), 3 * free.len(), |r, c| full[(row(r), row(c))]);
        for r in 0..out.nrows() {
            out[(r, r)] += self.masses[free[r / 3]] / (h * h);
        }
        out
    }
}

fn moved(x: &[V3], free: &[usize], direction: &DVector<f64>, alpha: f64) -> Vec<V3> {
    let mut out = x.to_vec();
    for (r, &i) in free.iter().enumerate() {
        out[i] += direction.fixed_rows::<3>(3 * r) * alpha;
    }
    out
}

/// H⁻¹g where H is positive definite, |H|⁻¹g (absolute eigenvalues) where it is not.
fn solve_descent(hessian: &DMatrix<f64>, g: &DVector<f64>) -> DVector<f64> {
    let symmetric = (hessian + hessian.transpose()) * 0.5;
    if let Some(factor) = Cholesky::new(symmetric.clone()) {
        return factor.solve(g);
    }
    let eigen = SymmetricEigen::new(symmetric);
    let floor = 1e-8 * eigen.eigenvalues.amax();
    let mut c = eigen.eigenvectors.tr_mul(g);
    for i in 0..c.len() {
        c[i] /= eigen.eigenvalues[i].abs().max(floor);
    }
    eigen.eigenvectors * c
}
