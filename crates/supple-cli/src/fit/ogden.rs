//! Terms of Ogden: w'(λ) = Σμ_pλ^(α_p − 1).
//!
//! For given exponents the rest is linear: with m_p = μ_pα_p ≥ 0 the stress is Σm_pφ_p(λ). So the search is over the exponents
//! alone: Levenberg–Marquardt on what the best m_p leave over, from several starts.

use super::least::non_negative;
use super::{Fit, Test, lambda, list};

/// The exponents keep within this.
const LARGEST: f64 = 30.0;

/// φ(λ) = (λ^(α−1) − λ^(−1−cα))/α, and its limit at α = 0.
fn column(stretch: f64, alpha: f64, c: f64) -> f64 {
    if alpha.abs() < 1e-6 {
        return (1.0 + c) * stretch.ln() / stretch;
    }
    (stretch.powf(alpha - 1.0) - stretch.powf(-1.0 - c * alpha)) / alpha
}

struct Problem<'a> {
    pairs: &'a [[f64; 2]],
    stress: Vec<f64>,
    c: f64,
}

impl Problem<'_> {
    /// The best m for exponents, and what is left over.
    fn residual(&self, alpha: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let columns: Vec<Vec<f64>> =
            alpha.iter().map(|a| self.pairs.iter().map(|p| column(p[0], *a, self.c)).collect()).collect();
        // Columns of length 1: exponents of 20 give numbers of any size.
        let size: Vec<f64> =
            columns.iter().map(|q| q.iter().map(|v| v * v).sum::<f64>().sqrt().max(1e-300)).collect();
        let unit: Vec<Vec<f64>> =
            columns.iter().zip(&size).map(|(q, s)| q.iter().map(|v| v / s).collect()).collect();
        let x = non_negative(&unit, &self.stress);
        let rest = (0..self.stress.len())
            .map(|i| x.iter().zip(&unit).map(|(x, q)| x * q[i]).sum::<f64>() - self.stress[i])
            .collect();
        (x.iter().zip(&size).map(|(x, s)| x / s).collect(), rest)
    }

    fn value(&self, alpha: &[f64]) -> f64 {
        let v = self.residual(alpha).1.iter().map(|r| r * r).sum::<f64>();
        if v.is_finite() { v } else { f64::INFINITY }
    }

    /// Levenberg–Marquardt with differences.
    fn descend(&self, mut alpha: Vec<f64>) -> (Vec<f64>, f64) {
        let n = alpha.len();
        let mut here = self.value(&alpha);
        let mut damping = 1e-3;
        for _ in 0..200 {
            let rest = self.residual(&alpha).1;
            let columns: Vec<Vec<f64>> = (0..n)
                .map(|j| {
                    let h = 1e-5 * (1.0 + alpha[j].abs());
                    let at = |s: f64| {
                        let mut a = alpha.clone();
                        a[j] += s;
                        self.residual(&a).1
                    };
                    at(h).iter().zip(&at(-h)).map(|(p, q)| (p - q) / (2.0 * h)).collect()
                })
                .collect();
            let mut better = false;
            for _ in 0..20 {
                let step = damped(&columns, &rest, damping);
                let next: Vec<f64> = alpha
                    .iter()
                    .zip(&step)
                    .map(|(a, s)| (a - s.clamp(-3.0, 3.0)).clamp(-LARGEST, LARGEST))
                    .collect();
                let there = self.value(&next);
                if there < here {
                    better = there < here * (1.0 - 1e-12);
                    (alpha, here) = (next, there);
                    damping = (damping * 0.2).max(1e-12);
                    break;
                }
                damping *= 4.0;
            }
            if !better {
                break;
            }
        }
        (alpha, here)
    }
}

/// (JᵀJ + damping·diag)⁻¹Jᵀr, by Gauss–Seidel sweeps: there are three unknowns at most.
fn damped(columns: &[Vec<f64>], rest: &[f64], damping: f64) -> Vec<f64> {
    let dot = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(x, y)| x * y).sum::<f64>();
    let n = columns.len();
    let mut x = vec![0.0; n];
    for _ in 0..200 {
        for j in 0..n {
            let mut load = dot(&columns[j], rest);
            for i in (0..n).filter(|&i| i != j) {
                load -= dot(&columns[j], &columns[i]) * x[i];
            }
            let pivot = dot(&columns[j], &columns[j]) * (1.0 + damping);
            x[j] = if pivot > 0.0 { load / pivot } else { 0.0 };
        }
    }
    x
}

/// Fits up to `terms` (1 to 3) terms to (stretch, nominal stress in Pa).
pub fn ogden(pairs: &[[f64; 2]], test: Test, terms: usize, poisson: f64) -> Result<Fit, String> {
    let scale = pairs.iter().fold(0.0f64, |m, p| m.max(p[1].abs()));
    if !(scale > 0.0) {
        return Err("all stresses are 0: there is nothing to fit".into());
    }
    let c = test.exponent();
    let problem = Problem { pairs, stress: pairs.iter().map(|p| p[1] / scale).collect(), c };
    let seeds = [1.3, 5.0, -2.0, 2.0, 9.0, -6.0];
    let mut best: Option<(Vec<f64>, f64)> = None;
    // Every choice of exponents out of the seeds.
    for choice in 1u32..1 << seeds.len() {
        if choice.count_ones() as usize != terms.clamp(1, 3) {
            continue;
        }
        let start = (0..seeds.len()).filter(|i| choice & (1 << i) != 0).map(|i| seeds[i]).collect();
        let (alpha, value) = problem.descend(start);
        if best.as_ref().is_none_or(|(_, v)| value < *v) {
            best = Some((alpha, value));
        }
    }
    let alpha = best.map(|(a, _)| a).unwrap_or_default();
    let m = problem.residual(&alpha).0;
    // (μ_p, α_p), the largest share of stiffness first.
    let mut found: Vec<(f64, f64)> = m
        .iter()
        .zip(&alpha)
        .filter(|(m, a)| **m > 0.0 && a.abs() > 1e-6)
        .map(|(m, a)| (scale * m / a, *a))
        .collect();
    found.sort_by(|p, q| (q.0 * q.1).total_cmp(&(p.0 * p.1)));
    if found.is_empty() {
        return Err("no term fits: the stress must rise with the stretch, and be nominal stress".into());
    }
    let mu = found.iter().map(|(m, a)| 0.5 * m * a).sum::<f64>();
    let kappa = lambda(mu, poisson) + 2.0 / 3.0 * mu;
    supple::Material::ogden(&found, kappa)?;
    let table = format!(
        "[body.material]\nkind = \"ogden\"\nmu = {}\nalpha = {}\nkappa = {kappa:.6e}\ndensity = 1000.0\n",
        list(&found.iter().map(|t| t.0).collect::<Vec<_>>()),
        list(&found.iter().map(|t| t.1).collect::<Vec<_>>()),
    );
    let slope = |s: f64| found.iter().map(|(m, a)| m * s.powf(a - 1.0)).sum::<f64>();
    Ok(Fit::new(pairs, test, slope, mu, table))
}
