//! Control points of a rising curve f'. Where the volume is kept and the free sides have the stretch t the nominal stress is
//! f'(λ) − t/λ f'(t), linear in the values; from there the search continues with the material itself.
//!
//! The values are sums of rises from f'(1) = 0, none of them negative, so that more stretch is never less stress. A little of
//! their second differences is minimised too: where the data say nothing, the curve is straight.

use supple::Material;
use supple::energy::{Curve, Spline};

use super::least::{descend, non_negative};
use super::{Fit, Test, lambda, off, printed, some};

/// Control points on the two sides of 1, at most.
const BELOW: usize = 6;
const ABOVE: usize = 12;
/// What is said where nothing rises.
const NONE: &str = "no curve fits: the stress must rise with the stretch, and be nominal stress";
/// Weight of the second differences beside the data.
const SMOOTH: f64 = 1e-5;

/// A material, and its control points of f' and h'.
type Made = (Material, Vec<[f64; 2]>, [[f64; 2]; 2]);

/// Fits a curve to (stretch, nominal stress in Pa).
pub fn spline(all: &[[f64; 2]], test: Test, poisson: f64) -> Result<Fit, String> {
    let scale = all.iter().fold(0.0f64, |m, p| m.max(p[1].abs()));
    if !(scale > 0.0) {
        return Err("all stresses are 0: there is nothing to fit".into());
    }
    let pairs = some(all);
    let reach = pairs.iter().flat_map(|p| [p[0], test.kept(p[0])]);
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
    let curves = (0..n).map(|j| Curve::new(&values(j))).collect::<Result<Vec<_>, _>>()?;
    // Second differences of the slopes, in units of the data.
    let bend = |j: usize, i: usize| {
        let slope = |k: usize| if k == j { 1.0 / (knots[k + 1] - knots[k]) } else { 0.0 };
        SMOOTH * (slope(i) - slope(i - 1)) * (pairs.len() as f64).sqrt()
    };
    let column = |(j, curve): (usize, &Curve)| {
        let at = |s: f64| curve.at(s)[1];
        let sides = pairs.iter().map(|p| (p[0], test.kept(p[0])));
        let stress = sides.map(|(stretch, side)| at(stretch) - side / stretch * at(side));
        stress.chain((1..n).map(|i| bend(j, i))).collect::<Vec<f64>>()
    };
    let columns: Vec<Vec<f64>> = curves.iter().enumerate().map(column).collect();
    let mut load: Vec<f64> = pairs.iter().map(|p| p[1] / scale).collect();
    load.resize(pairs.len() + n - 1, 0.0);
    let first = non_negative(&columns, &load);

    let made = |rises: &[f64]| -> Result<Made, String> {
        let mut points: Vec<[f64; 2]> = knots.iter().map(|k| [rounded(*k), 0.0]).collect();
        for (j, rise) in rises.iter().enumerate() {
            for (point, v) in points.iter_mut().zip(values(j)) {
                point[1] += scale * rise * v[1];
            }
        }
        lift(&mut points, 1e-4 * scale)?;
        let mu = 0.5 * Curve::new(&points)?.at(1.0)[2];
        if !(mu > 0.0) {
            return Err(NONE.into());
        }
        let volume = [[0.0, -lambda(mu, poisson)], [1.0, 0.0]];
        Ok((Material::spline(Spline::new(&points, None, &volume)?, 0.0)?, points, volume))
    };
    // Unknowns are roots of the rises; what is nothing at first may become something.
    let most = first.iter().copied().fold(0.0, f64::max);
    let squares = |x: &[f64]| x.iter().map(|x| x * x).collect::<Vec<f64>>();
    let residual = |x: &[f64]| {
        let rises = squares(x);
        let mut out = off(&pairs, test, &made(&rises).ok()?.0, scale)?;
        out.extend((1..n).map(|i| (0..n).map(|j| rises[j] * bend(j, i)).sum::<f64>()));
        Some(out)
    };
    if !(most > 0.0) {
        return Err(NONE.into());
    }
    made(&first)?;
    let x = descend(first.iter().map(|r| r.max(1e-6 * most).sqrt()).collect(), residual, |_| {});
    let (_, mut points, mut volume) = made(&squares(&x))?;
    points.iter_mut().chain(&mut volume).for_each(|p| p[1] = printed(p[1]));
    let material = Material::spline(Spline::new(&points, None, &volume)?, 0.0)?;
    let table = format!(
        "[body.material]\nkind = \"spline\"\nf = {}\nh = {}\ndensity = 1000.0\n",
        pairs_of(&points),
        pairs_of(&volume)
    );
    Fit::new(all, test, &material, table)
}

/// Lifts the last point until the curve rises by `least` per stretch there, and so beyond: through rising points it may fall.
fn lift(points: &mut [[f64; 2]], least: f64) -> Result<(), String> {
    let slope = |points: &[[f64; 2]]| Curve::new(points).map(|c| c.at(points[points.len() - 1][0])[2]);
    let now = slope(points)?;
    let last = points.len() - 1;
    if now < least {
        // It is linear in the value.
        let value = points[last][1];
        points[last][1] = value + least;
        let by = (least - now) / (slope(points)? - now);
        points[last][1] = value + by * least;
    }
    Ok(())
}

/// A stretch as it is printed.
fn rounded(stretch: f64) -> f64 {
    format!("{stretch:.6}").parse().unwrap_or(stretch)
}

fn pairs_of(points: &[[f64; 2]]) -> String {
    let pair = |p: &[f64; 2]| format!("[{:.6}, {:.6e}]", p[0], p[1]);
    format!("[{}]", points.iter().map(pair).collect::<Vec<_>>().join(", "))
}
