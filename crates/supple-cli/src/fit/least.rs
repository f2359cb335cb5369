//! Linear least squares with non-negative unknowns (Lawson, Hanson 1974), for a few unknowns.

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
            // Columns that say the same: a little of the diagonal decides.
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
