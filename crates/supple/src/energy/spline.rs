//! Splines of the stretches (Xu, Sin, Zhu, Barbič 2015): Ψ = Σf(σ_i) + Σg(σ_iσ_j) + h(σ1σ2σ3), with the compression term.
//! Numbers: the compression resistance κ.
//!
//! Each function is given by control points of its derivative in Pa (see `spline_curve.rs`); g is mostly left out. There is
//! no stress at rest if f'(1) + 2g'(1) + h'(1) = 0, and at small strain 2μ = f'' + g'' − g' − h' and λ = g'' + g' + h'' + h',
//! all at 1. The compression term κ/12 ((1 − J)/6)³ for J < 1 adds to h and leaves small strain as it is.
//!
//! The formula is finite everywhere; what it says of negative stretches means nothing, so the proximal operator keeps σ ≥ 0.
//! It is Newton's method in the stretches. Strongly stretched, collapsed and inverted elements, and those where the objective
//! is not convex at the minimum found, are searched one by one.

use super::fixed_corotated::distance2;
use super::isochoric::newton_step;
use super::spline_curve::Curve;
use super::{Domain, Element, Isotropic, Lame, Solid, search};
use crate::error::ParameterError;
use crate::math::real::{Mask, Real};

/// A material of splines.
#[derive(Clone, Debug, PartialEq)]
pub struct Spline {
    f: Curve,
    g: Option<Curve>,
    h: Curve,
    /// Σf + Σg + h at rest.
    rest: f64,
}

/// Built-in curves, f' over 2μ: the name and what it is like.
pub const NAMES: [(&str, &str); 3] = [
    ("rubber", "f' = 2μ ln σ, which fits rubber up to twice its length (Valanis, Landel 1967)"),
    ("tissue", "soft at first, then stiffer by σ³: f' = 2μ(σ − 1)(1 + 4(σ − 1)²)"),
    ("linear", "f' = 2μ(σ − 1): nearly `fixed_corotated`"),
];

/// Stretches of the built-in control points. None at 1, where all derivatives should be smooth.
const STRETCHES: [f64; 10] = [0.1, 0.25, 0.45, 0.7, 0.9, 1.15, 1.5, 2.0, 3.0, 4.0];

impl Spline {
    /// By control points [x, value in Pa] of f'(σ), g'(σ_iσ_j) and h'(J).
    pub fn new(f: &[[f64; 2]], g: Option<&[[f64; 2]]>, h: &[[f64; 2]]) -> Result<Spline, ParameterError> {
        let curve = |name: &'static str, points: &[[f64; 2]]| {
            Curve::new(points).map_err(|e| {
                let reason = format!("{name} of spline {e}");
                ParameterError { name, reason, ..e }
            })
        };
        let (f, h) = (curve("f", f)?, curve("h", h)?);
        let g = g.map(|g| curve("g", g)).transpose()?;
        let at = |c: &Curve| c.at(1.0);
        let side = g.as_ref().map_or([0.0; 3], at);
        let (own, volume) = (at(&f), at(&h));
        let stress = own[1] + 2.0 * side[1] + volume[1];
        let size = own[2].abs() + side[2].abs() + volume[2].abs();
        if !(stress.abs() <= 1e-6 * size) {
            return Err(ParameterError::new(
                "f",
                stress,
                format!(
                    "f'(1) + 2g'(1) + h'(1) of spline must be 0, or the body would not be at rest; it is {stress} Pa"
                ),
            ));
        }
        let spline = Spline { f, g, h: h.raised(-stress), rest: 0.0 }.at_rest();
        spline.lame()?;
        spline.bounded().map(|()| spline)
    }

    /// An error if the energy falls without bound where stretches grow. Beyond their last points f', g' and h' are straight: the
    /// energy is ½f''σ², ½g''(σ_iσ_j)² and ½h''J² there, each of a higher power than the one before, or linear where the slope is 0.
    fn bounded(&self) -> Result<(), ParameterError> {
        const FAR: f64 = 1e7;
        let far = |c: &Curve| {
            let [_, value, slope] = c.at(FAR);
            [value, slope]
        };
        let (f, h) = (far(&self.f), far(&self.h));
        let g = self.g.as_ref().map_or([0.0; 2], far);
        let falls = |c: [f64; 2]| c[1] < 0.0 || (c[1] == 0.0 && c[0] < 0.0);
        let wrong = |name: &'static str, slope: f64, of: &str, hint: &str| {
            let reason =
                format!("{name} of spline falls for large {of}: the energy would have no lower bound{hint}");
            Err(ParameterError::new(name, slope, reason))
        };
        if h[1] < 0.0 || (falls(h) && !(g[1] > 0.0)) {
            let hint = "; with a curve by name, h' = λ(J − 1), Poisson's ratio must be at least 0";
            return wrong("h", h[1], "volumes", hint);
        }
        if falls(f) {
            return wrong("f", f[1], "stretches", "");
        }
        if g[1] < 0.0 || (g[1] == 0.0 && g[0] + f[1] < 0.0) {
            return wrong("g", g[1], "products of stretches", "");
        }
        Ok(())
    }

    /// A built-in curve for f, h' = λ(J − 1) and no g: the small-strain constants are the given ones.
    pub fn named(name: &str, lame: Lame) -> Result<Spline, ParameterError> {
        match name {
            "rubber" => Ok(Spline::rubber(lame)),
            "tissue" => Ok(Spline::shaped(|s| (s - 1.0) * (1.0 + 4.0 * (s - 1.0) * (s - 1.0)), lame)),
            "linear" => Ok(Spline::shaped(|s| s - 1.0, lame)),
            _ => {
                let names = NAMES.map(|(n, _)| format!("`{n}`")).join(", ");
                Err(ParameterError::new(
                    "curve",
                    name,
                    format!("there is no spline `{name}`; there are {names}"),
                ))
            }
        }
    }

    /// The one named `rubber`.
    pub fn rubber(lame: Lame) -> Spline {
        Spline::shaped(f64::ln, lame)
    }

    fn shaped(shape: fn(f64) -> f64, lame: Lame) -> Spline {
        let f = Curve::through(&STRETCHES.map(|s| [s, shape(s)]));
        // Between the points the curve is not quite the formula.
        let f = f.raised(-f.at(1.0)[1]);
        let h = Curve::through(&[[0.0, -lame.lambda], [1.0, 0.0]]);
        Spline { f: f.scaled(2.0 * lame.mu / f.at(1.0)[2]), g: None, h, rest: 0.0 }.at_rest()
    }

    fn at_rest(mut self) -> Spline {
        let g = self.g.as_ref().map_or(0.0, |g| g.at(1.0)[0]);
        self.rest = 3.0 * (self.f.at(1.0)[0] + g) + self.h.at(1.0)[0];
        self
    }

    /// The small-strain constants; an error if the material is not stable at rest.
    pub fn lame(&self) -> Result<Lame, ParameterError> {
        let g = self.g.as_ref().map_or([0.0; 3], |g| g.at(1.0));
        let (f, h) = (self.f.at(1.0), self.h.at(1.0));
        Lame::new(0.5 * (f[2] + g[2] - g[1] - h[1]), g[2] + g[1] + h[2] + h[1])
            .map_err(|e| ParameterError { reason: format!("spline is not stable at rest: {e}"), ..e })
    }
}

/// h of the volume and the compression term: value, first and second derivative.
#[inline(always)]
fn volume<R: Real>(m: &Spline, e: &Element<R>, j: R) -> [R; 3] {
    let h = m.h.at(j);
    let p = (R::one() - j).max(R::zero());
    let c = e.param[0] * R::splat(1.0 / 2592.0);
    let cpp = c * p * p;
    [h[0] + cpp * p, h[1] - R::splat(3.0) * cpp, h[2] + R::splat(6.0) * c * p]
}

/// ∂Ψ/∂σ and ∂²Ψ/∂σ².
#[inline(always)]
fn derivatives<R: Real>(m: &Spline, e: &Element<R>, s: &[R; 3]) -> ([R; 3], [[R; 3]; 3]) {
    let h = volume(m, e, s[0] * s[1] * s[2]);
    let area = [s[1] * s[2], s[0] * s[2], s[0] * s[1]];
    let mut hessian = super::fixed_corotated::volume_hessian(s, R::zero(), h[1], h[2]);
    let mut gradient = area;
    for i in 0..3 {
        let f = m.f.at(s[i]);
        gradient[i] = f[1] + h[1] * area[i];
        hessian[i][i] += f[2];
    }
    if let Some(curve) = &m.g {
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let g = curve.at(s[i] * s[j]);
            gradient[i] += g[1] * s[j];
            gradient[j] += g[1] * s[i];
            hessian[i][i] += g[2] * s[j] * s[j];
            hessian[j][j] += g[2] * s[i] * s[i];
            hessian[i][j] += g[2] * s[i] * s[j] + g[1];
            hessian[j][i] = hessian[i][j];
        }
    }
    (gradient, hessian)
}

impl Isotropic<3> for Spline {
    const PARAMS: usize = 1;
    const DOMAIN: Domain = Domain::NonNegative;
    const NAME: &'static str = "spline";
    #[inline(always)]
    fn density<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> R {
        let h = volume(self, e, s[0] * s[1] * s[2])[0];
        let mut sum = self.f.at(s[0])[0] + self.f.at(s[1])[0] + self.f.at(s[2])[0] + h;
        if let Some(g) = &self.g {
            sum += g.at(s[0] * s[1])[0] + g.at(s[0] * s[2])[0] + g.at(s[1] * s[2])[0];
        }
        sum - R::splat(self.rest)
    }
    #[inline(always)]
    fn gradient<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [R; 3] {
        derivatives(self, e, s).0
    }
    #[inline(always)]
    fn hessian<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [[R; 3]; 3] {
        derivatives(self, e, s).1
    }
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, s: &[R; 3], _warm: &mut R) -> [R; 3] {
        prox(self, e, s)
    }
}

impl Solid for Spline {
    fn check(&self, _numbers: &[f64]) -> Result<(), ParameterError> {
        self.bounded()
    }
}

#[inline(always)]
fn prox<R: Real>(m: &Spline, e: &Element<R>, s: &[R; 3]) -> [R; 3] {
    let (l, o, k) = (R::one(), R::zero(), e.k);
    let mut sigma = [l; 3];
    for i in 0..3 {
        sigma[i] = (R::splat(0.5) * (s[i] + l)).max(R::splat(0.1)).min(R::splat(1e6));
    }
    let mut busy = l.gt(o);
    let mut convex = busy;
    for _ in 0..24 {
        let (mut g, mut h) = derivatives(m, e, &sigma);
        for i in 0..3 {
            g[i] += k * (sigma[i] - s[i]);
            h[i][i] += k;
        }
        let step = newton_step(&h, &g);
        let mut small = busy;
        let mut there = busy;
        for i in 0..3 {
            let next = (sigma[i] + step[i]).max(R::splat(0.2) * sigma[i]).min(R::splat(3.0) * sigma[i] + l);
            small = small & (next - sigma[i]).abs().le(R::splat(1e-9) * next);
            there = there & h[i][i].gt(o);
            sigma[i] = R::select(busy, next, sigma[i]);
        }
        let minor = h[0][0] * h[1][1] - h[0][1] * h[0][1];
        let all = h[2][2] * minor
            - h[0][2] * (h[0][2] * h[1][1] - h[0][1] * h[1][2])
            - h[1][2] * (h[0][0] * h[1][2] - h[0][1] * h[0][2]);
        // As it is where the last step begins.
        convex = there & minor.gt(o) & all.gt(o) | (!busy & convex);
        busy = busy & !small;
        if !busy.any() {
            break;
        }
    }
    // As in `fixed_corotated.rs`, with f' taken to be straight: where all but the volume's part is smallest, and the product.
    let slope = R::splat(m.f.at(1.0)[2].abs());
    let inv = l / (slope + k);
    let t = [(slope + k * s[0]) * inv, (slope + k * s[1]) * inv, (slope + k * s[2]) * inv];
    let value = m.density(e, &sigma) + R::splat(0.5) * k * distance2(&sigma, s);
    let plain = (t[0] * t[1] * t[2]).le(R::splat(2.0)) | value.lt(R::splat(0.125) * k * s[2] * s[2]);
    let deep = (sigma[0] * sigma[1] * sigma[2]).lt(R::splat(0.25));
    let hard = busy | !convex | !plain | deep | t[2].lt(R::splat(0.1)) | !value.finite();
    search::settle(m, e, s, &mut sigma, hard);
    sigma
}
