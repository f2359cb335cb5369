//! Materials as functions of the deformation gradient F: Ψ, P = ∂Ψ/∂F and ∂vec(P)/∂vec(F).

use super::more::More;
use super::svd::{rotation_of, signed_svd};
use super::{M3, M9, V3, mat3, vec9};

/// Lamé's constants, Pa.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    pub mu: f64,
    pub lambda: f64,
}

impl Lame {
    /// From Young's modulus (Pa) and Poisson's ratio.
    pub fn from_young(young: f64, poisson: f64) -> Self {
        Self {
            mu: young / (2.0 * (1.0 + poisson)),
            lambda: young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
        }
    }

    /// κ = λ + 2μ/3, Pa.
    pub fn bulk(&self) -> f64 {
        self.lambda + 2.0 / 3.0 * self.mu
    }
}

/// An energy density. R is U Vᵀ of the signed decomposition of F.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RefMaterial {
    /// μ‖ε‖² + λ/2 tr²ε, ε = sym(F) − I.
    Linear(Lame),
    /// k/2 ‖F − R‖².
    Arap { k: f64 },
    /// μ‖F − R‖² + λ/2 tr²(RᵀF − I).
    Corotated(Lame),
    /// μ/2 (I₁ − 3) − μ ln J + λ/2 ln²J; +∞ where J ≤ 0.
    NeoHookean(Lame),
    /// μ‖E‖² + λ/2 tr²E, E = ½(FᵀF − I); finite where J < 0.
    StVenantKirchhoff(Lame),
    /// One of `more.rs`.
    More(More, Lame),
}

impl RefMaterial {
    /// Every material with the same constants; `Arap` has its default k = 2μ.
    pub fn all(lame: Lame) -> [Self; 5] {
        [
            Self::Linear(lame),
            Self::arap(lame),
            Self::Corotated(lame),
            Self::NeoHookean(lame),
            Self::StVenantKirchhoff(lame),
        ]
    }

    /// Those of `more.rs`.
    pub fn more(lame: Lame) -> [Self; 5] {
        More::ALL.map(|m| Self::More(m, lame))
    }

    /// `Arap` with k = 2μ.
    pub fn arap(lame: Lame) -> Self {
        Self::Arap { k: 2.0 * lame.mu }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Linear(_) => "linear",
            Self::Arap { .. } => "arap",
            Self::Corotated(_) => "corotated",
            Self::NeoHookean(_) => "neo_hookean",
            Self::StVenantKirchhoff(_) => "st_venant_kirchhoff",
            Self::More(m, _) => m.name(),
        }
    }

    /// Is Ψ a function of the stretches alone? (Not `Linear`.)
    pub fn is_isotropic(&self) -> bool {
        !matches!(self, Self::Linear(_))
    }

    /// The same material with every modulus times `factor`.
    pub fn scaled(&self, factor: f64) -> Self {
        let scale = |l: &Lame| Lame { mu: l.mu * factor, lambda: l.lambda * factor };
        match self {
            Self::Linear(l) => Self::Linear(scale(l)),
            Self::Arap { k } => Self::Arap { k: k * factor },
            Self::Corotated(l) => Self::Corotated(scale(l)),
            Self::NeoHookean(l) => Self::NeoHookean(scale(l)),
            Self::StVenantKirchhoff(l) => Self::StVenantKirchhoff(scale(l)),
            Self::More(m, l) => Self::More(*m, scale(l)),
        }
    }

    /// Ψ(F), J/m³.
    pub fn energy(&self, f: &M3) -> f64 {
        let id = M3::identity();
        match *self {
            Self::Linear(Lame { mu, lambda }) => {
                let eps = symmetric(f) - id;
                mu * eps.norm_squared() + 0.5 * lambda * eps.trace().powi(2)
            }
            Self::Arap { k } => 0.5 * k * (f - rotation_of(f)).norm_squared(),
            Self::Corotated(Lame { mu, lambda }) => {
                let r = rotation_of(f);
                let trace = (r.transpose() * f - id).trace();
                mu * (f - r).norm_squared() + 0.5 * lambda * trace.powi(2)
            }
            Self::NeoHookean(Lame { mu, lambda }) => {
                let j = f.determinant();
                if j <= 0.0 {
                    return f64::INFINITY;
                }
                0.5 * mu * (f.norm_squared() - 3.0) - mu * j.ln() + 0.5 * lambda * j.ln().powi(2)
            }
            Self::StVenantKirchhoff(Lame { mu, lambda }) => {
                let e = green(f);
                mu * e.norm_squared() + 0.5 * lambda * e.trace().powi(2)
            }
            Self::More(m, lame) => m.density(lame, &signed_svd(f).sigma),
        }
    }

    /// P = ∂Ψ/∂F, Pa. NaN where the energy is infinite.
    pub fn stress(&self, f: &M3) -> M3 {
        let id = M3::identity();
        match *self {
            Self::Linear(Lame { mu, lambda }) => {
                let eps = symmetric(f) - id;
                eps * (2.0 * mu) + id * (lambda * eps.trace())
            }
            Self::Arap { k } => (f - rotation_of(f)) * k,
            Self::Corotated(Lame { mu, lambda }) => {
                let r = rotation_of(f);
                (f - r) * (2.0 * mu) + r * (lambda * (r.transpose() * f - id).trace())
            }
            Self::NeoHookean(Lame { mu, lambda }) => {
                let Some((inverse_t, log_j)) = inverse_transpose_and_log(f) else {
                    return M3::repeat(f64::NAN);
                };
                (f - inverse_t) * mu + inverse_t * (lambda * log_j)
            }
            Self::StVenantKirchhoff(Lame { mu, lambda }) => {
                let e = green(f);
                f * (e * (2.0 * mu) + id * (lambda * e.trace()))
            }
            Self::More(m, lame) => m.stress(lame, f),
        }
    }

    /// dP along dF, the derivative of the stress in a direction.
    pub fn stress_change(&self, f: &M3, df: &M3) -> M3 {
        let id = M3::identity();
        match *self {
            Self::Linear(Lame { mu, lambda }) => symmetric(df) * (2.0 * mu) + id * (lambda * df.trace()),
            Self::Arap { k } => (df - rotation_change(f, df)) * k,
            Self::Corotated(Lame { mu, lambda }) => {
                // tr(dRᵀF) = 0: RᵀdR is skew and RᵀF symmetric.
                let r = rotation_of(f);
                let dr = rotation_change(f, df);
                let trace = (r.transpose() * f - id).trace();
                (df - dr) * (2.0 * mu) + r * (lambda * r.dot(df)) + dr * (lambda * trace)
            }
            Self::NeoHookean(Lame { mu, lambda }) => {
                let Some((inverse_t, log_j)) = inverse_transpose_and_log(f) else {
                    return M3::repeat(f64::NAN);
                };
                let turn = inverse_t * df.transpose() * inverse_t;
                df * mu + turn * (mu - lambda * log_j) + inverse_t * (lambda * inverse_t.dot(df))
            }
            Self::StVenantKirchhoff(Lame { mu, lambda }) => {
                let e = green(f);
                let de = symmetric(&(f.transpose() * df));
                df * (e * (2.0 * mu) + id * (lambda * e.trace()))
                    + f * (de * (2.0 * mu) + id * (lambda * de.trace()))
            }
            Self::More(m, lame) => m.stress_change(lame, f, df),
        }
    }

    /// ∂vec(P)/∂vec(F), columns stacked, as it is: not projected, indefinite where the energy is not convex.
    pub fn hessian(&self, f: &M3) -> M9 {
        let mut h = M9::zeros();
        for c in 0..9 {
            let df = mat3(&super::V9::ith(c, 1.0));
            h.set_column(c, &vec9(&self.stress_change(f, &df)));
        }
        h
    }
}

fn symmetric(f: &M3) -> M3 {
    (f + f.transpose()) * 0.5
}

/// Green's strain E = ½(FᵀF − I).
fn green(f: &M3) -> M3 {
    (f.transpose() * f - M3::identity()) * 0.5
}

/// F⁻ᵀ and ln det F, where det F > 0.
fn inverse_transpose_and_log(f: &M3) -> Option<(M3, f64)> {
    let j = f.determinant();
    if j <= 0.0 {
        return None;
    }
    Some((f.try_inverse()?.transpose(), j.ln()))
}

/// dR along dF. With A = UᵀdF V, UᵀdR V = (A − Aᵀ)ᵢⱼ / (σᵢ + σⱼ); R jumps where σ₂ + σ₃ = 0.
fn rotation_change(f: &M3, df: &M3) -> M3 {
    let svd = signed_svd(f);
    let a = svd.u.transpose() * df * svd.v;
    let mut turn = M3::zeros();
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let w = (a[(i, j)] - a[(j, i)]) / (svd.sigma[i] + svd.sigma[j]);
        turn[(i, j)] = w;
        turn[(j, i)] = -w;
    }
    svd.u * turn * svd.v.transpose()
}

/// diag(a, b, c).
pub fn diagonal(a: f64, b: f64, c: f64) -> M3 {
    M3::from_diagonal(&V3::new(a, b, c))
}
