//! A material as scene files write it: which keys belong together, and which belong to which kind.

use super::parse::{SceneError, did_you_mean, nearest};
use super::preset::PRESETS;
use super::{Material, MaterialKind};
use crate::energy::{Fibres, Lame, Spline, fung};
use crate::error::ParameterError;
use serde::{Deserialize, Serialize};

/// A material by kind or by preset, with its constants.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct MaterialTable {
    /// Which one. Needed unless `preset` says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<MaterialKind>,
    /// A material with typical constants and density, by name: see `supple material list`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Young's modulus in Pa, > 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub young: Option<f64>,
    /// Poisson's ratio, between −1 and 0.5, both excluded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poisson: Option<f64>,
    /// Shear modulus μ in Pa, with `lambda` instead of `young` and `poisson`; for `ogden` a list, with `alpha` and `kappa`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mu: Option<OneOrMany>,
    /// First Lamé constant λ in Pa.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lambda: Option<f64>,
    /// Stiffness k of `arap` in Pa, instead of the other constants; of `fibre` along its fibres, Young's modulus by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// C10 of `mooney_rivlin` in Pa, with `c01` and `d1` instead of the other constants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c10: Option<f64>,
    /// C01 of `mooney_rivlin` in Pa.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c01: Option<f64>,
    /// D1 of `mooney_rivlin` in Pa: half of the bulk modulus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub d1: Option<f64>,
    /// Exponents of `ogden`, one for each `mu` and of the same sign.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<OneOrMany>,
    /// Bulk modulus of `ogden` in Pa.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kappa: Option<f64>,
    /// b of `fung`, > 0. Default 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<f64>,
    /// A built-in curve of `spline`: `rubber`, `tissue` or `linear`. Default `rubber`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curve: Option<String>,
    /// Control points [stretch, f' in Pa] of `spline`, with `h` instead of the other constants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub f: Option<Vec<[f64; 2]>>,
    /// Control points [product of two stretches, g' in Pa] of `spline`. None by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub g: Option<Vec<[f64; 2]>>,
    /// Control points [volume ratio, h' in Pa] of `spline`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub h: Option<Vec<[f64; 2]>>,
    /// Compression resistance of `spline` in Pa, ≥ 0. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compression: Option<f64>,
    /// The material between the fibres of `fibre`: another kind, with its constants. Default `neo_hookean`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<MaterialKind>,
    /// Direction of the fibres of `fibre` in the placed rest shape. Default x.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<[f64; 3]>,
    /// How far the fibres of `fibre` have contracted, from 0 to 0.95: their rest length is 1 − contraction. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contraction: Option<f64>,
    /// True if the fibres of `fibre` bear no compression. Default true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slack: Option<bool>,
    /// Mass per volume in kg/m³, > 0. Default 1000, or what the preset says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
}

/// A number, or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a number or a list of numbers")]
pub enum OneOrMany {
    /// One.
    One(f64),
    /// Several.
    Many(Vec<f64>),
}

impl OneOrMany {
    /// All of them.
    pub fn all(&self) -> &[f64] {
        match self {
            OneOrMany::One(a) => std::slice::from_ref(a),
            OneOrMany::Many(a) => a,
        }
    }
}

/// Density unless given, in kg/m³.
const DENSITY: f64 = 1000.0;

/// The material of a table at `key`, and its density in kg/m³.
pub(super) fn material(m: &MaterialTable, key: &str) -> Result<(Material, f64), SceneError> {
    let at = |what: &str, message: String| SceneError::at(format!("{key}.{what}"), message);
    let given = m.density.unwrap_or(DENSITY);
    if !(given.is_finite() && given > 0.0) {
        return Err(at("density", format!("must be positive and finite, not {given}")));
    }
    if let Some(name) = &m.preset {
        let alone =
            MaterialTable { preset: Some(name.clone()), density: m.density, ..MaterialTable::default() };
        if *m != alone {
            return Err(at("preset", "stands alone: only `density` may be given with it".into()));
        }
        let (material, density) = Material::preset(name).map_err(|e| SceneError {
            hint: nearest(name, PRESETS.iter().map(|p| p.name)).map(did_you_mean),
            ..at("preset", e.reason)
        })?;
        return Ok((material, m.density.unwrap_or(density)));
    }
    let Some(kind) = m.kind else {
        return Err(SceneError::at(key, "needs a `kind` or a `preset`"));
    };
    // The constants of a law are those of the base where there are fibres.
    let law = if kind == MaterialKind::Fibre { base(m) } else { kind };
    for (name, there, of) in [
        ("c10", m.c10.is_some(), MaterialKind::MooneyRivlin),
        ("c01", m.c01.is_some(), MaterialKind::MooneyRivlin),
        ("d1", m.d1.is_some(), MaterialKind::MooneyRivlin),
        ("alpha", m.alpha.is_some(), MaterialKind::Ogden),
        ("kappa", m.kappa.is_some(), MaterialKind::Ogden),
        ("b", m.b.is_some(), MaterialKind::Fung),
        ("curve", m.curve.is_some(), MaterialKind::Spline),
        ("f", m.f.is_some(), MaterialKind::Spline),
        ("g", m.g.is_some(), MaterialKind::Spline),
        ("h", m.h.is_some(), MaterialKind::Spline),
        ("compression", m.compression.is_some(), MaterialKind::Spline),
        ("base", m.base.is_some(), MaterialKind::Fibre),
        ("direction", m.direction.is_some(), MaterialKind::Fibre),
        ("contraction", m.contraction.is_some(), MaterialKind::Fibre),
        ("slack", m.slack.is_some(), MaterialKind::Fibre),
    ] {
        if there && kind != of && law != of {
            return Err(at(name, format!("is for `{}` only, not for `{}`", of.name(), law.name())));
        }
    }
    if m.stiffness.is_some() && !matches!(kind, MaterialKind::Arap | MaterialKind::Fibre) {
        return Err(at("stiffness", format!("is for `arap` and `fibre` only, not for `{}`", kind.name())));
    }
    Ok((own_constants(m, kind, key)?, given))
}

/// The base of `fibre`.
fn base(m: &MaterialTable) -> MaterialKind {
    m.base.unwrap_or(MaterialKind::NeoHookean)
}

/// A material by its own constants where it has some, else by the small-strain ones.
fn own_constants(m: &MaterialTable, kind: MaterialKind, key: &str) -> Result<Material, SceneError> {
    let at = |what: &str, message: String| SceneError::at(format!("{key}.{what}"), message);
    // The key of what is wrong, if it is one of these.
    let named = |keys: &[&str], first: &str, e: ParameterError| {
        at(if keys.contains(&e.name) { e.name } else { first }, e.reason)
    };
    // Where the volume's stiffness is given.
    let small = if m.poisson.is_some() { "poisson" } else { "lambda" };
    // All of a set of keys, or none of them; and then no other constants.
    let elastic = m.young.is_some() || m.poisson.is_some() || m.lambda.is_some();
    let alone = |some: bool, keys: &str| {
        if some && elastic {
            return Err(SceneError::at(key, format!("needs {keys}, or `young` and `poisson`, not both")));
        }
        Ok(some)
    };
    let missing = |keys: &str| SceneError::at(key, format!("needs {keys} together"));
    match kind {
        MaterialKind::Arap if alone(m.stiffness.is_some(), "`stiffness`")? => {
            let k = m.stiffness.unwrap_or_default();
            Material::arap_with_stiffness(k).map_err(|e| at("stiffness", e.reason))
        }
        MaterialKind::MooneyRivlin
            if alone(m.c10.is_some() || m.c01.is_some() || m.d1.is_some(), "`c10`, `c01` and `d1`")? =>
        {
            let (Some(c10), Some(c01), Some(d1)) = (m.c10, m.c01, m.d1) else {
                return Err(missing("`c10`, `c01` and `d1`"));
            };
            Material::mooney_rivlin(c10, c01, d1).map_err(|e| named(&["c10", "c01", "d1"], "c10", e))
        }
        MaterialKind::Ogden
            if alone(m.alpha.is_some() || m.kappa.is_some(), "`mu`, `alpha` and `kappa`")? =>
        {
            let (Some(mu), Some(alpha), Some(kappa)) = (&m.mu, &m.alpha, m.kappa) else {
                return Err(missing("`mu`, `alpha` and `kappa`"));
            };
            let (mu, alpha) = (mu.all(), alpha.all());
            if mu.len() != alpha.len() {
                return Err(at("alpha", format!("has {} numbers for {} of `mu`", alpha.len(), mu.len())));
            }
            let terms: Vec<(f64, f64)> = mu.iter().copied().zip(alpha.iter().copied()).collect();
            Material::ogden(&terms, kappa).map_err(|e| named(&["mu", "kappa"], "mu", e))
        }
        MaterialKind::Spline if alone(m.f.is_some() || m.g.is_some() || m.h.is_some(), "`f` and `h`")? => {
            let (Some(f), Some(h)) = (&m.f, &m.h) else { return Err(missing("`f` and `h`")) };
            if m.curve.is_some() {
                return Err(at("curve", "is for splines without control points".into()));
            }
            let spline = Spline::new(f, m.g.as_deref(), h).map_err(|e| named(&["f", "g", "h"], "f", e))?;
            Material::spline(spline, m.compression.unwrap_or(0.0)).map_err(|e| at("compression", e.reason))
        }
        MaterialKind::Fung => {
            let lame = constants(m, key)?;
            let what = if m.b.is_some() { "b" } else { small };
            Material::fung(lame, m.b.unwrap_or(fung::DEFAULT_B)).map_err(|e| at(what, e.reason))
        }
        MaterialKind::Spline => {
            let lame = constants(m, key)?;
            let curve = m.curve.as_deref().unwrap_or("rubber");
            let spline = Spline::named(curve, lame).map_err(|e| at("curve", e.reason))?;
            let made = Material::spline(spline, m.compression.unwrap_or(0.0));
            made.map_err(|e| at(if e.name == "h" { small } else { "compression" }, e.reason))
        }
        MaterialKind::Fibre => {
            let law = base(m);
            if law == MaterialKind::Fibre {
                return Err(at("base", "is another kind than `fibre`".into()));
            }
            // The stiffness is that of the fibres: `arap` has `young` and `poisson` here.
            let base = own_constants(&MaterialTable { stiffness: None, ..m.clone() }, law, key)?;
            let wrong = |e| named(&["direction", "stiffness", "contraction"], "direction", e);
            let direction = m.direction.unwrap_or([1.0, 0.0, 0.0]);
            let fibres = Fibres::new(direction, m.stiffness.unwrap_or(base.lame().young()))
                .and_then(|f| f.contracted(m.contraction.unwrap_or(0.0)))
                .map_err(wrong)?;
            Ok(base.with_fibres(if m.slack == Some(false) { fibres.stiff() } else { fibres }))
        }
        _ => Ok(Material::from_lame(kind, constants(m, key)?)),
    }
    .and_then(|made| {
        // Only small-strain constants are left to be refused: a law's own are, where they are read.
        made.check().map(|()| made).map_err(|e| at(small, e.reason))
    })
}

/// The small-strain constants, given one way or the other.
fn constants(m: &MaterialTable, key: &str) -> Result<Lame, SceneError> {
    let at = |what: &str, message: String| SceneError::at(format!("{key}.{what}"), message);
    let mu = match &m.mu {
        Some(OneOrMany::Many(_)) => {
            return Err(at(
                "mu",
                "is one number here: lists are for `ogden` with `alpha` and `kappa`".into(),
            ));
        }
        Some(OneOrMany::One(mu)) => Some(*mu),
        None => None,
    };
    match (m.young, m.poisson, mu, m.lambda) {
        (Some(e), Some(nu), None, None) => {
            if !(e.is_finite() && e > 0.0) {
                return Err(at("young", format!("must be positive and finite, not {e}")));
            }
            Lame::from_young(e, nu).map_err(|e| at("poisson", e.reason))
        }
        (None, None, Some(mu), Some(lambda)) => Lame::new(mu, lambda).map_err(|e| at("lambda", e.reason)),
        _ => Err(SceneError::at(key, "needs `young` and `poisson`, or `mu` and `lambda`")),
    }
}
