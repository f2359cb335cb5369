//! A smooth curve through control points, and its integral, in lanes.

use crate::error::ParameterError;
use crate::math::real::Real;

/// Fewest and most control points of a curve.
pub const POINTS: core::ops::RangeInclusive<usize> = 2..=32;

/// A function whose derivative goes through control points: a natural cubic spline, straight beyond the first and the last
/// point. The function has three continuous derivatives.
///
/// Stored as f'(x) = v + su + Σc_j(x − x_j)₊³, u = x − x_0: no lane has to look up its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    first: f64,
    last: f64,
    value: f64,
    slope: f64,
    /// x_j and c_j, but for the last point, behind which the curve is straight.
    cubes: Vec<[f64; 2]>,
}

impl Curve {
    /// f' through points (x, f'(x)) with rising x.
    pub fn new(points: &[[f64; 2]]) -> Result<Curve, ParameterError> {
        if !POINTS.contains(&points.len()) {
            return Err(ParameterError::new(
                "points",
                points.len(),
                format!("takes {} to {} control points, not {}", POINTS.start(), POINTS.end(), points.len()),
            ));
        }
        if let Some(p) = points.iter().find(|p| !(p[0].is_finite() && p[1].is_finite() && p[0].abs() <= 1e6))
        {
            return Err(ParameterError::new(
                "points",
                p,
                format!("has a control point {p:?} that is not finite"),
            ));
        }
        if let Some(w) = points.windows(2).find(|w| w[1][0] - w[0][0] < 1e-6) {
            return Err(ParameterError::new(
                "points",
                w[1][0],
                format!("needs control points with rising stretches, not {} after {}", w[1][0], w[0][0]),
            ));
        }
        Ok(Curve::through(points))
    }

    /// f' through points that are known to be good.
    pub(super) fn through(points: &[[f64; 2]]) -> Curve {
        let m = second_derivatives(points);
        let n = points.len() - 1;
        let h = |i: usize| points[i + 1][0] - points[i][0];
        let rise = |i: usize| (points[i + 1][1] - points[i][1]) / h(i);
        // The third derivative jumps by 6c_j at each point.
        let third = |i: usize| (m[i + 1] - m[i]) / h(i);
        let cubes = (0..n)
            .map(|j| [points[j][0], (third(j) - if j == 0 { 0.0 } else { third(j - 1) }) / 6.0])
            .collect();
        let slope = rise(0) - h(0) * m[1] / 6.0;
        Curve { first: points[0][0], last: points[n][0], value: points[0][1], slope, cubes }
    }

    /// The same curve times a factor.
    pub fn scaled(&self, factor: f64) -> Curve {
        let mut c = self.clone();
        c.value *= factor;
        c.slope *= factor;
        for cube in &mut c.cubes {
            cube[1] *= factor;
        }
        c
    }

    /// The same with `by` added to f'.
    pub fn raised(&self, by: f64) -> Curve {
        Curve { value: self.value + by, ..self.clone() }
    }

    /// f (0 at the first point), f', f''.
    #[inline(always)]
    pub fn at<R: Real>(&self, x: R) -> [R; 3] {
        let y = x.min(R::splat(self.last));
        let (u, half) = (y - R::splat(self.first), R::splat(0.5));
        let slope = R::splat(self.slope);
        let mut f2 = slope;
        let mut f1 = R::splat(self.value) + slope * u;
        let mut f0 = u * (R::splat(self.value) + half * slope * u);
        for [at, c] in &self.cubes {
            let p = (y - R::splat(*at)).max(R::zero());
            let cpp = R::splat(*c) * p * p;
            f2 += R::splat(3.0) * cpp;
            f1 += cpp * p;
            f0 += R::splat(0.25) * cpp * p * p;
        }
        let w = x - y;
        [f0 + w * (f1 + half * f2 * w), f1 + f2 * w, f2]
    }
}

/// Second derivatives of the natural cubic spline through points: a tridiagonal system.
fn second_derivatives(points: &[[f64; 2]]) -> Vec<f64> {
    let n = points.len() - 1;
    let mut m = vec![0.0; n + 1];
    let (mut ratio, mut load) = (vec![0.0; n + 1], vec![0.0; n + 1]);
    for i in 1..n {
        let (a, b) = (points[i][0] - points[i - 1][0], points[i + 1][0] - points[i][0]);
        let d = (points[i + 1][1] - points[i][1]) / b - (points[i][1] - points[i - 1][1]) / a;
        let pivot = 2.0 * (a + b) - a * ratio[i - 1];
        ratio[i] = b / pivot;
        load[i] = (6.0 * d - a * load[i - 1]) / pivot;
    }
    for i in (1..n).rev() {
        m[i] = load[i] - ratio[i] * m[i + 1];
    }
    m
}
