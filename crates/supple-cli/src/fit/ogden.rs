//! Terms of Ogden: Σμ_p/α_p Σσ̄_i^α_p, σ̄ = J^(−1/3)σ.
//!
//! Where the volume is kept and the free sides have the stretch t the nominal stress is Σμ_p(λ^α_p − t^α_p)/λ: for given exponents it is
//! linear in m_p = μ_pα_p ≥ 0. So the first search is over the exponents alone: Levenberg–Marquardt on what the best m_p leave over,
//! from several starts. From the best of them the second one continues with the material itself.

use super::least::{descend, non_negative};
use super::{Fit, Test, lambda, list, off, printed, some};
use supple::Material;

/// The exponents keep within this: larger ones need a μ that vanishes, and overflow soon beyond the data.
const LARGEST: f64 = 15.0;
/// What is said where no term has a positive share.
const NONE: &str = "no term fits: the stress must rise with the stretch, and be nominal stress";
/// Starts that are followed.
const FOLLOWED: usize = 6;
/// A term more must make the error smaller by this factor, and by this share of the largest stress.
const WORTH: [f64; 2] = [0.95, 1e-5];

/// What is fitted where the volume is kept: λ, t and 1/λ of each pair, and the stress over the largest.
struct Problem {
    stretches: Vec<[f64; 3]>,
    stress: Vec<f64>,
}

/// φ = (λ^α − t^α)/(αλ), and its limit at α = 0.
fn column([along, across, inverse]: [f64; 3], alpha: f64) -> f64 {
    if alpha.abs() < 1e-6 {
        return (along / across).ln() * inverse;
    }
    (along.powf(alpha) - across.powf(alpha)) * inverse / alpha
}

impl Problem {
    /// The best m for exponents, and what is left over.
    fn residual(&self, alpha: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let columns: Vec<Vec<f64>> =
            alpha.iter().map(|a| self.stretches.iter().map(|s| column(*s, *a)).collect()).collect();
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

/// (μ_p in Pa, α_p), the largest share of stiffness first.
fn terms(m: &[f64], alpha: &[f64], scale: f64) -> Vec<(f64, f64)> {
    let mut found: Vec<(f64, f64)> = m
        .iter()
        .zip(alpha)
        .filter(|(m, a)| **m > 0.0 && a.abs() > 1e-6)
        .map(|(m, a)| (scale * m / a, *a))
        .collect();
    found.sort_by(|p, q| (q.0 * q.1).total_cmp(&(p.0 * p.1)));
    found
}

/// The material of terms with the bulk modulus that a Poisson's ratio means, and that modulus.
fn material(terms: &[(f64, f64)], poisson: f64) -> Result<(Material, f64), String> {
    if terms.is_empty() {
        return Err(NONE.into());
    }
    let mu = terms.iter().map(|(m, a)| 0.5 * m * a).sum::<f64>();
    let kappa = printed(lambda(mu, poisson) + 2.0 / 3.0 * mu);
    Ok((Material::ogden(terms, kappa)?, kappa))
}

/// The best fit of so many terms: its root mean square error, and the fit.
fn best(
    all: &[[f64; 2]],
    test: Test,
    count: usize,
    (poisson, scale): (f64, f64),
) -> Result<(f64, Fit), String> {
    let seeds = [1.3, 5.0, -2.0, 2.0, 9.0, -6.0];
    let pairs = some(all);
    let problem = Problem {
        stretches: pairs.iter().map(|p| [p[0], test.kept(p[0]), p[0].recip()]).collect(),
        stress: pairs.iter().map(|p| p[1] / scale).collect(),
    };
    // Every choice of exponents out of the seeds.
    let choices = (1u32..1 << seeds.len()).filter(|choice| choice.count_ones() as usize == count);
    let mut starts: Vec<(Vec<f64>, f64)> = choices
        .map(|c| problem.descend((0..seeds.len()).filter(|i| c & (1 << i) != 0).map(|i| seeds[i]).collect()))
        .collect();
    starts.iter_mut().for_each(|s| s.0.sort_by(f64::total_cmp));
    starts.sort_by(|p, q| p.1.total_cmp(&q.1));
    // Those that have come to the same place are one.
    starts.dedup_by(|p, q| p.0.iter().zip(&q.0).all(|(a, b)| (a - b).abs() < 1e-3));
    let mut outcome: Result<(f64, Fit), String> = Err(NONE.into());
    for (alpha, _) in starts.into_iter().take(FOLLOWED) {
        let m = problem.residual(&alpha).0;
        let most = m.iter().copied().fold(0.0, f64::max);
        if !(most > 0.0) {
            continue;
        }
        // Unknowns: ln m_p, then α_p. What is nothing at first may become something.
        let start: Vec<f64> = m.iter().map(|m| m.max(1e-12 * most).ln()).chain(alpha).collect();
        let made = |x: &[f64]| {
            let (m, alpha) = x.split_at(count);
            let m: Vec<f64> = m.iter().map(|m| m.exp()).collect();
            let found = terms(&m, alpha, scale);
            material(&found, poisson).map(|(material, kappa)| (material, found, kappa))
        };
        let x = descend(
            start,
            |x| off(&pairs, test, &made(x).ok()?.0, scale),
            |x| x[count..].iter_mut().for_each(|a| *a = a.clamp(-LARGEST, LARGEST)),
        );
        let fit = made(&x).and_then(|(_, found, _)| {
            let found: Vec<(f64, f64)> = found.iter().map(|(m, a)| (printed(*m), printed(*a))).collect();
            let (material, kappa) = material(&found, poisson)?;
            let table = format!(
                "[body.material]\nkind = \"ogden\"\nmu = {}\nalpha = {}\nkappa = {kappa:.6e}\ndensity = 1000.0\n",
                list(&found.iter().map(|t| t.0).collect::<Vec<_>>()),
                list(&found.iter().map(|t| t.1).collect::<Vec<_>>()),
            );
            Fit::new(all, test, &material, table)
        });
        match (fit, &outcome) {
            (Ok(fit), best) => {
                let error = fit.errors(all)[0];
                if !best.as_ref().is_ok_and(|(least, _)| *least <= error) {
                    outcome = Ok((error, fit));
                }
            }
            (Err(e), Err(_)) => outcome = Err(e),
            (Err(_), Ok(_)) => {}
        }
    }
    outcome
}

/// Fits up to `terms` (1 to 3) terms to (stretch, nominal stress in Pa): as many as are worth it.
pub fn ogden(pairs: &[[f64; 2]], test: Test, terms: usize, poisson: f64) -> Result<Fit, String> {
    let scale = pairs.iter().fold(0.0f64, |m, p| m.max(p[1].abs()));
    if !(scale > 0.0) {
        return Err("all stresses are 0: there is nothing to fit".into());
    }
    let (mut error, mut fit) = best(pairs, test, 1, (poisson, scale))?;
    for count in 2..=terms.clamp(1, 3) {
        // More terms may find no settled fit where fewer do.
        let Ok((less, more)) = best(pairs, test, count, (poisson, scale)) else { continue };
        if less < WORTH[0] * error && less < error - WORTH[1] * scale {
            (error, fit) = (less, more);
        }
    }
    Ok(fit)
}
