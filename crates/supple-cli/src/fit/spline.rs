//! Control points of a rising curve f': the stress is linear in their values.
//!
//! The values are sums of rises from f'(1) = 0, none of them negative, so that more stretch is never less stress. A little of
//! their second differences is minimised too: where the data say nothing, the curve is straight.

use supple::energy::{Curve, Spline};

use super::least::non_negative;
use super::{Fit, Test, lambda};

/// Control points on the two sides of 1, at most.
const BELOW: usize = 6;
const ABOVE: usize = 12;
/// Weight of the second differences beside the data.
const SMOOTH: f64 = 1e-5;

/// Fits a curve to (stretch, nominal stress in Pa).
pub fn spline(pairs: &[[f64; 2]], test: Test, poisson: f64) -> Result<Fit, String> {
    let scale = pairs.iter().fold(0.0f64, |m, p| m.max(p[1].abs()));
    if !(scale > 0.0) {
        return Err("all stresses are 0: there is nothing to fit".into());
    }
    let c = test.exponent();
    let reach = pairs.iter().flat_map(|p| [p[0], p[0].powf(-c)]);
    let (low, high) = reach.fold((0.8f64, 1.25f64), |(a, b), s| (a.min(s), b.max(s)));
    let ratio = |i: usize, n: usize| i as f64 / n as f64;
    let mut knots: Vec<f64> = (0..BELOW).map(|i| low.powf(1.0 - ratio(i, BELOW))).collect();
    knots.push(1.0);
    // Above, between even factors and even steps: rubber is soft at first and stiffens at its end.
    let even = |r: f64| 1.0 + (high - 1.0) * r;
    knots.extend((1..=ABOVE).map(|i| ratio(i, ABOVE)).map(|r| 0.5 * (high.powf(r) + even(r))));

    // The curve of each unknown: it rises by 1 between two points.
    let n = knots.len() - 1;
    let values = |j: usize| -> Vec<[f64; 2]> {
        let rise = |i: usize| match j < BELOW {
            true if i <= j => -1.0,
            false if i > j => 1.0,
            _ => 0.0,
        };
        knots.iter().enumerate().map(|(i, k)| [*k, rise(i)]).collect()
    };
    let mut columns = Vec::with_capacity(n);
    for j in 0..n {
        let curve = Curve::new(&values(j))?;
        let mut column: Vec<f64> = pairs.iter().map(|p| test.stress(p[0], |s| curve.at(s)[1])).collect();
        // Second differences of the slopes, in units of the data.
        for i in 1..n {
            let slope = |k: usize| if k == j { 1.0 / (knots[k + 1] - knots[k]) } else { 0.0 };
            column.push(SMOOTH * (slope(i) - slope(i - 1)) * (pairs.len() as f64).sqrt());
        }
        columns.push(column);
    }
    let mut load: Vec<f64> = pairs.iter().map(|p| p[1] / scale).collect();
    load.resize(pairs.len() + n - 1, 0.0);
    let rises = non_negative(&columns, &load);

    let mut points: Vec<[f64; 2]> = knots.iter().map(|k| [*k, 0.0]).collect();
    for (j, rise) in rises.iter().enumerate() {
        for (point, v) in points.iter_mut().zip(values(j)) {
            point[1] += scale * rise * v[1];
        }
    }
    let curve = Curve::new(&points)?;
    let mu = 0.5 * curve.at(1.0)[2];
    if !(mu > 0.0) {
        return Err("no curve fits: the stress must rise with the stretch, and be nominal stress".into());
    }
    let lambda = lambda(mu, poisson);
    let volume = [[0.0, -lambda], [1.0, 0.0]];
    Spline::new(&points, None, &volume)?;
    let table = format!(
        "[body.material]\nkind = \"spline\"\nf = {}\nh = {}\ndensity = 1000.0\n",
        pairs_of(&points),
        pairs_of(&volume)
    );
    Ok(Fit::new(pairs, test, |s| curve.at(s)[1], mu, table))
}

fn pairs_of(points: &[[f64; 2]]) -> String {
    let pair = |p: &[f64; 2]| format!("[{:.6}, {:.6e}]", p[0], p[1]);
    format!("[{}]", points.iter().map(pair).collect::<Vec<_>>().join(", "))
}
