//! Least squares for a few unknowns: linear with non-negative ones (Lawson, Hanson 1974), and Levenberg–Marquardt.

/// Most steps of [`descend`].
const TURNS: usize = 100;

/// The x ≥ 0 that minimises ‖Ax − b‖²; `a` by columns.
pub fn non_negative(a: &[Vec<f64>], b: &[f64]) -> Vec<f64> {
    let n = a.len();
    let dot = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(x, y)| x * y).sum::<f64>();
    let gram: Vec<Vec<f64>> = a.iter().map(|p| a.iter().map(|q| dot(p, q)).collect()).collect();
    let load: Vec<f64> = a.iter().map(|p| dot(p, b)).collect();
    let size = load.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let mut x = vec![0.0; n];
    let mut free = vec![false; n];
    for _ in 0..10 * n {
        let gradient = |j: usize, x: &[f64]| load[j] - dot(&gram[j], x);
        let next = (0..n)
            .filter(|&j| !free[j])
            .map(|j| (j, gradient(j, &x)))
            .max_by(|p, q| p.1.total_cmp(&q.1))
            .filter(|(_, g)| *g > 1e-12 * size);
        let Some((j, _)) = next else { break };
        free[j] = true;
        for _ in 0..10 * n {
            let z = solve(&gram, &load, &free);
            // Back to where the first unknown would become negative.
            let step = (0..n)
                .filter(|&j| free[j] && z[j] <= 0.0)
                .map(|j| x[j] / (x[j] - z[j]))
                .fold(1.0f64, |s, t| if t.is_finite() { s.min(t) } else { 0.0 });
            for j in 0..n {
                x[j] += step * (z[j] - x[j]);
            }
            if step >= 1.0 {
                break;
            }
            for j in 0..n {
                if free[j] && x[j] <= 1e-14 * z[j].abs() {
                    (x[j], free[j]) = (0.0, false);
                }
            }
        }
    }
    x
}

/// The unknowns that are free, by elimination with pivots; the others are 0.
fn solve(gram: &[Vec<f64>], load: &[f64], free: &[bool]) -> Vec<f64> {
    let ids: Vec<usize> = (0..load.len()).filter(|&j| free[j]).collect();
    let n = ids.len();
    let mut m: Vec<Vec<f64>> =
        ids.iter().map(|&i| ids.iter().map(|&j| gram[i][j]).chain([load[i]]).collect()).collect();
    for q in 0..n {
        let pivot = (q..n).max_by(|&i, &j| m[i][q].abs().total_cmp(&m[j][q].abs())).unwrap_or(q);
        m.swap(q, pivot);
        let size = gram[ids[q]][ids[q]].abs().max(1e-300);
        if m[q][q].abs() <= 1e-15 * size {
            // Linearly dependent columns: a small diagonal term decides.
            m[q][q] += 1e-12 * size;
        }
        for i in q + 1..n {
            let f = m[i][q] / m[q][q];
            for j in q..=n {
                let v = m[q][j];
                m[i][j] -= f * v;
            }
        }
    }
    let mut out = vec![0.0; load.len()];
    for q in (0..n).rev() {
        let mut v = m[q][n];
        for j in q + 1..n {
            v -= m[q][j] * out[ids[j]];
        }
        out[ids[q]] = v / m[q][q];
    }
    out
}

/// Levenberg–Marquardt with differences: unknowns of a smaller Σr². `residual` is none where there is no answer; `bound` keeps
/// unknowns in their range.
pub fn descend(
    mut x: Vec<f64>,
    residual: impl Fn(&[f64]) -> Option<Vec<f64>>,
    bound: impl Fn(&mut [f64]),
) -> Vec<f64> {
    let sum = |r: &[f64]| r.iter().map(|r| r * r).sum::<f64>();
    let Some(mut rest) = residual(&x) else { return x };
    let mut damping = 1e-2;
    for _ in 0..TURNS {
        let mut columns = Vec::with_capacity(x.len());
        for j in 0..x.len() {
            let h = 1e-6 * (1.0 + x[j].abs());
            let mut near = x.clone();
            near[j] += h;
            let Some(there) = residual(&near) else { return x };
            columns.push(there.iter().zip(&rest).map(|(p, q)| (p - q) / h).collect::<Vec<f64>>());
        }
        let dot = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(x, y)| x * y).sum::<f64>();
        let load: Vec<f64> = columns.iter().map(|p| dot(p, &rest)).collect();
        let gram: Vec<Vec<f64>> =
            columns.iter().map(|p| columns.iter().map(|q| dot(p, q)).collect()).collect();
        let here = sum(&rest);
        let mut gain = 0.0;
        for _ in 0..12 {
            let mut damped = gram.clone();
            for (j, row) in damped.iter_mut().enumerate() {
                row[j] = row[j] * (1.0 + damping) + 1e-14;
            }
            let step = solve(&damped, &load, &vec![true; x.len()]);
            let mut next: Vec<f64> = x.iter().zip(&step).map(|(x, s)| x - s.clamp(-1.0, 1.0)).collect();
            bound(&mut next);
            if let Some(there) = residual(&next).filter(|r| sum(r) < here) {
                gain = here - sum(&there);
                (x, rest) = (next, there);
                damping = (damping * 0.2).max(1e-9);
                break;
            }
            damping *= 4.0;
        }
        if !(gain > 1e-7 * here) {
            break;
        }
    }
    x
}
