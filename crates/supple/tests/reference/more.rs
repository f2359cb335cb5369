//! Materials that are written as functions of the stretches: Ψ and ∂Ψ/∂σ by formula, what else is needed by differences.

use super::material::Lame;
use super::svd::signed_svd;
use super::{M3, V3};

/// Which one; the constants are the small-strain ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum More {
    /// Smith, de Goes, Kim 2018, with I_C + 1 in the logarithm.
    StableNeoHookean,
    /// μ‖F − R‖² + λ/2 (J − 1)².
    FixedCorotated,
    /// C10(Ī₁ − 3) + C01(Ī₂ − 3) + D1(J − 1)², C10 : C01 = 7 : 3.
    MooneyRivlin,
    /// Three terms in proportion (1.3, 0.6), (5, 0.01), (−2, −0.2), and κ/2 (J − 1)².
    Ogden,
    /// The exponential of I₁ with b = 2.
    Fung,
}

impl More {
    pub const ALL: [More; 5] =
        [More::StableNeoHookean, More::FixedCorotated, More::MooneyRivlin, More::Ogden, More::Fung];

    pub fn name(self) -> &'static str {
        match self {
            More::StableNeoHookean => "stable_neo_hookean",
            More::FixedCorotated => "fixed_corotated",
            More::MooneyRivlin => "mooney_rivlin",
            More::Ogden => "ogden",
            More::Fung => "fung",
        }
    }

    /// Infinite unless all stretches are positive?
    pub fn barrier(self) -> bool {
        matches!(self, More::MooneyRivlin | More::Ogden | More::Fung)
    }

    fn ogden_terms(lame: Lame) -> [(f64, f64); 3] {
        let shape = [(1.3, 0.6), (5.0, 0.01), (-2.0, -0.2)];
        let mu: f64 = shape.iter().map(|(a, m)| a * m / 2.0).sum();
        shape.map(|(a, m)| (a, m * lame.mu / mu))
    }

    /// Ψ(σ).
    pub fn density(self, lame: Lame, s: &V3) -> f64 {
        let Lame { mu, lambda } = lame;
        let (j, i1) = (s.product(), s.norm_squared());
        if self.barrier() && s.min() <= 0.0 {
            return f64::INFINITY;
        }
        match self {
            More::StableNeoHookean => {
                let (m, l) = (4.0 / 3.0 * mu, lambda + 5.0 / 6.0 * mu);
                let a = 1.0 + 0.75 * m / l;
                let value = |i: f64, j: f64| {
                    m / 2.0 * (i - 3.0) + l / 2.0 * (j - a).powi(2) - m / 2.0 * (i + 1.0).ln()
                };
                value(i1, j) - value(3.0, 1.0)
            }
            More::FixedCorotated => mu * s.add_scalar(-1.0).norm_squared() + lambda / 2.0 * (j - 1.0).powi(2),
            More::MooneyRivlin => {
                let i2 = (s[0] * s[1]).powi(2) + (s[0] * s[2]).powi(2) + (s[1] * s[2]).powi(2);
                0.35 * mu * (j.powf(-2.0 / 3.0) * i1 - 3.0)
                    + 0.15 * mu * (j.powf(-4.0 / 3.0) * i2 - 3.0)
                    + 0.5 * lame.bulk() * (j - 1.0).powi(2)
            }
            More::Ogden => {
                let bar = s * j.powf(-1.0 / 3.0);
                let shear: f64 = Self::ogden_terms(lame)
                    .iter()
                    .map(|(a, m)| m / a * (bar.map(|c| c.powf(*a)).sum() - 3.0))
                    .sum();
                shear + lame.bulk() / 2.0 * (j - 1.0).powi(2)
            }
            More::Fung => {
                let (b, log) = (2.0, j.ln());
                mu / (2.0 * b) * ((b * (i1 - 3.0)).exp() - 1.0) - mu * log
                    + (lambda - 2.0 * b * mu) / 2.0 * log * log
            }
        }
    }

    /// ∂Ψ/∂σ.
    pub fn gradient(self, lame: Lame, s: &V3) -> V3 {
        let Lame { mu, lambda } = lame;
        let (j, i1) = (s.product(), s.norm_squared());
        let area = V3::new(s[1] * s[2], s[0] * s[2], s[0] * s[1]);
        match self {
            More::StableNeoHookean => {
                let (m, l) = (4.0 / 3.0 * mu, lambda + 5.0 / 6.0 * mu);
                let a = 1.0 + 0.75 * m / l;
                s * (m - m / (i1 + 1.0)) + area * (l * (j - a))
            }
            More::FixedCorotated => s.add_scalar(-1.0) * (2.0 * mu) + area * (lambda * (j - 1.0)),
            More::MooneyRivlin => {
                let i2 = area.norm_squared();
                let (d1, d2) = (j.powf(-2.0 / 3.0), j.powf(-4.0 / 3.0));
                s.map(|c| {
                    0.35 * mu * d1 * (2.0 * c - 2.0 / 3.0 * i1 / c)
                        + 0.15 * mu * d2 * (2.0 * c * (i1 - c * c) - 4.0 / 3.0 * i2 / c)
                }) + area * (lame.bulk() * (j - 1.0))
            }
            More::Ogden => {
                let bar = s * j.powf(-1.0 / 3.0);
                let mut g = area * (lame.bulk() * (j - 1.0));
                for (a, m) in Self::ogden_terms(lame) {
                    let power = bar.map(|c| c.powf(a));
                    for i in 0..3 {
                        g[i] += m * (power[i] - power.sum() / 3.0) / s[i];
                    }
                }
                g
            }
            More::Fung => {
                let (b, log) = (2.0, j.ln());
                let e = (b * (i1 - 3.0)).exp();
                s.map(|c| mu * e * c + ((lambda - 2.0 * b * mu) * log - mu) / c)
            }
        }
    }

    /// ∂²Ψ/∂σ², by differences of sixth order.
    pub fn hessian(self, lame: Lame, s: &V3) -> M3 {
        let mut h = M3::zeros();
        for c in 0..3 {
            let step = 1e-3 * s[c].abs().max(1e-2);
            let at = |t: f64| {
                let mut q = *s;
                q[c] += t * step;
                self.gradient(lame, &q)
            };
            let d = (at(1.0) - at(-1.0)) * 45.0 - (at(2.0) - at(-2.0)) * 9.0 + (at(3.0) - at(-3.0));
            h.set_column(c, &(d / (60.0 * step)));
        }
        (h + h.transpose()) * 0.5
    }

    /// P(F).
    pub fn stress(self, lame: Lame, f: &M3) -> M3 {
        let svd = signed_svd(f);
        if self.barrier() && svd.sigma.min() <= 0.0 {
            return M3::repeat(f64::NAN);
        }
        svd.with_stretches(&self.gradient(lame, &svd.sigma))
    }

    /// dP along dF, by differences of sixth order.
    pub fn stress_change(self, lame: Lame, f: &M3, df: &M3) -> M3 {
        let step = 1e-3 * signed_svd(f).sigma.min().abs().clamp(1e-2, 1.0) / df.norm().max(1e-300);
        let at = |t: f64| self.stress(lame, &(f + df * (t * step)));
        let d = (at(1.0) - at(-1.0)) * 45.0 - (at(2.0) - at(-2.0)) * 9.0 + (at(3.0) - at(-3.0));
        d / (60.0 * step)
    }
}
