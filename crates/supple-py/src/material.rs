//! Materials, one class each, and their energies for whoever wants to look.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use supple::MaterialKind;
use supple::energy::Lame;

use crate::array;
use crate::custom::{self, Object};
use crate::error::{bad, guard};
use crate::recipe::Recipe;

/// A material of solids. Make one of its subclasses: NeoHookean, StableNeoHookean, Corotated, FixedCorotated,
/// StVenantKirchhoff, MooneyRivlin, Ogden, Fung, Spline, Fibre, Arap, Linear, PythonMaterial; or use Material.preset.
///
/// F is an array of deformation gradients of shape (..., 3, 3); results have the same leading shape. Stresses are in Pa.
#[pyclass(subclass, frozen, module = "supple")]
pub struct Material {
    pub inner: supple::Material,
    pub object: Option<Arc<Object>>,
    recipe: Recipe,
}

/// Larger numbers overflow when they are squared twice.
const LARGEST: f64 = 1e60;

impl Material {
    fn built_in(inner: supple::Material) -> Material {
        Material { inner, object: None, recipe: Recipe::default() }
    }

    /// `width` numbers for each F; those that are none are an error, infinite ones too unless they `may` be.
    fn map(
        &self,
        f: &Bound<'_, PyAny>,
        (name, width, may): (&str, usize, bool),
        law: impl Fn(usize, &[[f64; 3]; 3], &mut Vec<f64>) + Sync,
    ) -> PyResult<(Vec<f64>, Vec<usize>)> {
        let (all, shape) = array::matrices(f, "F")?;
        if let Some(i) = all.iter().position(|f| f.as_flattened().iter().any(|v| v.abs() > LARGEST)) {
            return Err(bad(format!(
                "F{} is too large: numbers beyond 1e60 overflow",
                array::place(&shape, i)
            )));
        }
        let out = f.py().detach(|| {
            guard(|| {
                let mut out = Vec::with_capacity(width * all.len());
                all.iter().enumerate().for_each(|(i, f)| law(i, f, &mut out));
                out
            })
        })?;
        if let Some(e) = self.object.as_ref().and_then(|o| o.take_failure()) {
            return Err(e);
        }
        if let Some(i) = out.iter().position(|v| v.is_nan() || (!may && v.is_infinite())) {
            return Err(bad(format!("the {name} at F{} is not finite", array::place(&shape, i / width))));
        }
        Ok((out, shape))
    }
}

fn extended(mut shape: Vec<usize>, by: &[usize]) -> Vec<usize> {
    shape.extend(by);
    shape
}

/// Numbers of a matrix by columns, row after row.
fn by_rows(m: &[[f64; 3]; 3], out: &mut Vec<f64>) {
    for i in 0..3 {
        out.extend([m[0][i], m[1][i], m[2][i]]);
    }
}

#[pymethods]
impl Material {
    /// Density of the elastic energy Ψ(F) in J/m³: shape (...). Infinite for an inverted barrier material.
    #[pyo3(signature = (F, /), text_signature = "($self, F, /)")]
    #[allow(non_snake_case)]
    fn energy<'py>(&self, F: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (out, shape) = self.map(F, ("energy", 1, true), |_, f, out| out.push(self.inner.energy(f)))?;
        let single = shape.is_empty();
        let array = array::shaped(F.py(), out, shape)?.into_any();
        if single { array.get_item(()) } else { Ok(array) }
    }

    /// First Piola-Kirchhoff stress P = ∂Ψ/∂F in Pa: shape (..., 3, 3).
    #[pyo3(signature = (F, /), text_signature = "($self, F, /)")]
    #[allow(non_snake_case)]
    fn stress<'py>(&self, F: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (out, shape) =
            self.map(F, ("stress", 9, false), |_, f, out| by_rows(&self.inner.stress(f), out))?;
        Ok(array::shaped(F.py(), out, extended(shape, &[3, 3]))?.into_any())
    }

    /// ∂vec P/∂vec F in Pa, columns of F stacked, not made positive: shape (..., 9, 9).
    #[pyo3(signature = (F, /), text_signature = "($self, F, /)")]
    #[allow(non_snake_case)]
    fn hessian<'py>(&self, F: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (out, shape) = self.map(F, ("Hessian", 81, false), |_, f, out| {
            out.extend(self.inner.hessian(f).as_flattened());
        })?;
        Ok(array::shaped(F.py(), out, extended(shape, &[9, 9]))?.into_any())
    }

    /// Proximal operator: the minimiser of Ψ(Z) + k/2 ‖Z − F‖², shape (..., 3, 3).
    ///
    /// k > 0 in Pa is a number or an array of shape (...); in ADMM it is w²/V.
    #[pyo3(signature = (F, k, /), text_signature = "($self, F, k, /)")]
    #[allow(non_snake_case)]
    fn prox<'py>(&self, F: &Bound<'py, PyAny>, k: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (stiffness, k_shape) = array::reals(k, "k")?;
        let (all, shape) = array::matrices(F, "F")?;
        let n = all.len();
        if !(k_shape.is_empty() || k_shape == shape) {
            return Err(bad(format!("k must be a number or have shape {shape:?}, not {k_shape:?}")));
        }
        if let Some(v) = stiffness.iter().find(|v| !(v.is_finite() && **v > 0.0)) {
            return Err(bad(format!("k must be positive and finite, not {v}")));
        }
        let stiffness = if k_shape.is_empty() { vec![stiffness[0]; n] } else { stiffness };
        let (out, shape) = self.map(F, ("proximal operator", 9, false), |i, f, out| {
            by_rows(&self.inner.prox(f, stiffness[i]), out);
        })?;
        Ok(array::shaped(F.py(), out, extended(shape, &[3, 3]))?.into_any())
    }

    /// A material with typical constants, by name, and its density in kg/m³: see `supple material list`.
    #[staticmethod]
    #[pyo3(signature = (name, /), text_signature = "(name, /)")]
    fn preset(py: Python<'_>, name: &str) -> PyResult<(Material, f64)> {
        let (inner, density) = supple::Material::preset(name).map_err(bad)?;
        let recipe = py.import("supple._pickle")?.call_method1("preset", (name,))?;
        Ok((Material { inner, object: None, recipe: Recipe::new(py, recipe) }, density))
    }

    #[pyo3(signature = (*args, **named))]
    fn __init__(
        slf: &Bound<'_, Self>,
        args: &Bound<'_, PyTuple>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        slf.get().recipe.called(&slf.get_type(), args, named)
    }
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.recipe.reduce(py, "this material cannot be pickled: make it by its class")
    }

    /// Young's modulus of small strain in Pa.
    #[getter]
    fn young(&self) -> f64 {
        self.inner.lame().young()
    }
    /// Poisson's ratio of small strain.
    #[getter]
    fn poisson(&self) -> f64 {
        self.inner.lame().poisson()
    }
    /// (mu, lambda): the Lamé constants of small strain in Pa.
    #[getter]
    fn lame(&self) -> (f64, f64) {
        let lame = self.inner.lame();
        (lame.mu, lame.lambda)
    }
    /// The name in scene files and messages.
    #[getter]
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let lame = slf.get().inner.lame();
        Ok(format!("supple.{}(lame=({:?}, {:?}))", slf.get_type().name()?, lame.mu, lame.lambda))
    }
}

/// The constants, given one way or the other.
fn constants(young: Option<f64>, poisson: Option<f64>, lame: Option<(f64, f64)>) -> PyResult<Lame> {
    match (young, poisson, lame) {
        (Some(e), Some(nu), None) => Lame::from_young(e, nu).map_err(bad),
        (None, None, Some((mu, lambda))) => Lame::new(mu, lambda).map_err(bad),
        _ => Err(bad("a material needs young and poisson, or lame=(mu, lam)")),
    }
}

macro_rules! material {
    ($name:ident, $doc:expr) => {
        #[doc = $doc]
        ///
        /// Constants are those of small strain: young in Pa (> 0) and poisson (-1 to 0.5), or lame=(mu, lam) in Pa.
        #[pyclass(extends = Material, frozen, module = "supple")]
        pub struct $name;

        #[pymethods]
        impl $name {
            #[new]
            #[pyo3(signature = (*, young=None, poisson=None, lame=None))]
            fn new(
                young: Option<f64>,
                poisson: Option<f64>,
                lame: Option<(f64, f64)>,
            ) -> PyResult<PyClassInitializer<$name>> {
                let lame = constants(young, poisson, lame)?;
                let inner = supple::Material::from_lame(MaterialKind::$name, lame);
                Ok(PyClassInitializer::from(Material::built_in(inner)).add_subclass($name))
            }
        }
    };
}

material!(Linear, "Small strain, not corotated: a rotation counts as strain.");
material!(Corotated, "Corotated linear elasticity: finite when inverted.");
material!(NeoHookean, "Neo-Hookean, Ψ = μ/2 (I₁ - 3) - μ ln J + λ/2 ln²J: resists collapse without bound.");
material!(StVenantKirchhoff, "St. Venant-Kirchhoff: quadratic in Green's strain, soft under compression.");
material!(StableNeoHookean, "Stable neo-Hookean (Smith et al. 2018): like NeoHookean, finite when inverted.");
material!(FixedCorotated, "Fixed corotated, Ψ = μ ‖F − R‖² + λ/2 (J − 1)²: finite when inverted.");

/// As rigid as possible, the solid of projective dynamics: Ψ = k/2 ‖F − R‖², k = 2μ or the stiffness given, in Pa.
///
/// Its small-strain constants are E = k and ν = 0, whatever poisson says.
#[pyclass(extends = Material, frozen, module = "supple")]
pub struct Arap;

#[pymethods]
impl Arap {
    #[new]
    #[pyo3(signature = (*, young=None, poisson=None, lame=None, stiffness=None))]
    fn new(
        young: Option<f64>,
        poisson: Option<f64>,
        lame: Option<(f64, f64)>,
        stiffness: Option<f64>,
    ) -> PyResult<PyClassInitializer<Arap>> {
        let inner = match (stiffness, young, poisson, lame) {
            (Some(k), None, None, None) => supple::Material::arap_with_stiffness(k).map_err(bad)?,
            (Some(_), ..) => return Err(bad("Arap needs stiffness or elastic constants, not both")),
            _ => supple::Material::from_lame(MaterialKind::Arap, constants(young, poisson, lame)?),
        };
        Ok(PyClassInitializer::from(Material::built_in(inner)).add_subclass(Arap))
    }
}

/// Mooney-Rivlin rubber, Ψ = c10 (Ī₁ - 3) + c01 (Ī₂ - 3) + d1 (J - 1)².
///
/// By its own constants c10, c01 >= 0 and d1 > 0 in Pa, or by those of small strain, young (Pa) and poisson or
/// lame=(mu, lam): then c10 : c01 = 7 : 3, mu = 2 (c10 + c01) and the bulk modulus is 2 d1.
#[pyclass(extends = Material, frozen, module = "supple")]
pub struct MooneyRivlin;

#[pymethods]
impl MooneyRivlin {
    #[new]
    #[pyo3(signature = (*, young=None, poisson=None, lame=None, c10=None, c01=None, d1=None))]
    fn new(
        young: Option<f64>,
        poisson: Option<f64>,
        lame: Option<(f64, f64)>,
        c10: Option<f64>,
        c01: Option<f64>,
        d1: Option<f64>,
    ) -> PyResult<PyClassInitializer<MooneyRivlin>> {
        let inner = match (c10, c01, d1) {
            (None, None, None) => {
                supple::Material::from_lame(MaterialKind::MooneyRivlin, constants(young, poisson, lame)?)
            }
            (Some(c10), Some(c01), Some(d1)) => {
                only_own(young, poisson, lame, "c10, c01 and d1")?;
                supple::Material::mooney_rivlin(c10, c01, d1).map_err(bad)?
            }
            _ => return Err(bad("MooneyRivlin needs c10, c01 and d1 together")),
        };
        Ok(PyClassInitializer::from(Material::built_in(inner)).add_subclass(MooneyRivlin))
    }
}

/// Ogden rubber, Ψ = Σ_p mu_p/alpha_p (Σ σ̄_i^alpha_p - 3) + kappa/2 (J - 1)², σ̄ = J^(-1/3) σ.
///
/// By its own constants, up to three mu (Pa) and alpha of the same signs and kappa > 0 (Pa), or by those of small strain,
/// young (Pa) and poisson or lame=(mu, lam): then alpha = (1.3, 5, -2) with mu in proportion (0.6, 0.01, -0.2).
#[pyclass(extends = Material, frozen, module = "supple")]
pub struct Ogden;

#[pymethods]
impl Ogden {
    #[new]
    #[pyo3(signature = (*, young=None, poisson=None, lame=None, mu=None, alpha=None, kappa=None))]
    fn new(
        young: Option<f64>,
        poisson: Option<f64>,
        lame: Option<(f64, f64)>,
        mu: Option<Vec<f64>>,
        alpha: Option<Vec<f64>>,
        kappa: Option<f64>,
    ) -> PyResult<PyClassInitializer<Ogden>> {
        let inner = match (mu, alpha, kappa) {
            (None, None, None) => {
                supple::Material::from_lame(MaterialKind::Ogden, constants(young, poisson, lame)?)
            }
            (Some(mu), Some(alpha), Some(kappa)) => {
                only_own(young, poisson, lame, "mu, alpha and kappa")?;
                if mu.len() != alpha.len() {
                    return Err(bad(format!("{} alpha for {} mu", alpha.len(), mu.len())));
                }
                let terms: Vec<(f64, f64)> = mu.into_iter().zip(alpha).collect();
                supple::Material::ogden(&terms, kappa).map_err(bad)?
            }
            _ => return Err(bad("Ogden needs mu, alpha and kappa together")),
        };
        Ok(PyClassInitializer::from(Material::built_in(inner)).add_subclass(Ogden))
    }
}

/// Fung's soft tissue, Ψ = μ/(2b) (exp(b (I₁ - 3)) - 1) - μ ln J + λ'/2 ln²J with λ' = λ - 2bμ.
///
/// Constants are those of small strain: young in Pa (> 0) and poisson, or lame=(mu, lam) in Pa. λ' must not be negative: with
/// b = 2, poisson must be at least 0.4.
#[pyclass(extends = Material, frozen, module = "supple")]
pub struct Fung;

#[pymethods]
impl Fung {
    #[new]
    #[pyo3(signature = (*, young=None, poisson=None, lame=None, b=2.0))]
    fn new(
        young: Option<f64>,
        poisson: Option<f64>,
        lame: Option<(f64, f64)>,
        b: f64,
    ) -> PyResult<PyClassInitializer<Fung>> {
        let inner = supple::Material::fung(constants(young, poisson, lame)?, b).map_err(bad)?;
        Ok(PyClassInitializer::from(Material::built_in(inner)).add_subclass(Fung))
    }
}

/// Splines of the stretches (Xu et al. 2015), Ψ = Σ f(σ_i) + Σ g(σ_i σ_j) + h(σ₁σ₂σ₃).
///
/// By the name of a curve ("rubber", "tissue", "linear") and the constants of small strain, young (Pa) and poisson or
/// lame=(mu, lam); or by control points (x, value in Pa) of the derivatives f', h' and, if wanted, g'. compression >= 0 in Pa
/// is the resistance of the compression term.
#[pyclass(extends = Material, frozen, module = "supple")]
pub struct Spline;

#[pymethods]
impl Spline {
    #[new]
    #[pyo3(signature = (*, young=None, poisson=None, lame=None, curve=None, f=None, g=None, h=None, compression=0.0))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        young: Option<f64>,
        poisson: Option<f64>,
        lame: Option<(f64, f64)>,
        curve: Option<&str>,
        f: Option<Vec<[f64; 2]>>,
        g: Option<Vec<[f64; 2]>>,
        h: Option<Vec<[f64; 2]>>,
        compression: f64,
    ) -> PyResult<PyClassInitializer<Spline>> {
        let spline = match (f, g, h) {
            (None, None, None) => {
                let lame = constants(young, poisson, lame)?;
                supple::energy::Spline::named(curve.unwrap_or("rubber"), lame)
            }
            (Some(f), g, Some(h)) => {
                only_own(young, poisson, lame, "f and h")?;
                if curve.is_some() {
                    return Err(bad("curve is for splines without control points"));
                }
                supple::energy::Spline::new(&f, g.as_deref(), &h)
            }
            _ => return Err(bad("Spline needs f and h together")),
        };
        let inner = supple::Material::spline(spline.map_err(bad)?, compression).map_err(bad)?;
        Ok(PyClassInitializer::from(Material::built_in(inner)).add_subclass(Spline))
    }
}

/// Another material with fibres along a direction, transversely isotropic: Ψ = Ψ_base + stiffness/2 (|F a| - r)², r = 1 - contraction.
///
/// Constants are those of the base, by the name that it has in scene files: young in Pa (> 0) and poisson, or lame=(mu, lam) in
/// Pa. stiffness along the fibres is young unless given, in Pa. Slack fibres bear no compression. A muscle contracts, from 0 to
/// 0.95; Simulation.contract drives it.
#[pyclass(extends = Material, frozen, module = "supple")]
pub struct Fibre;

#[pymethods]
impl Fibre {
    #[new]
    #[pyo3(signature = (*, young=None, poisson=None, lame=None, direction=[1.0, 0.0, 0.0], stiffness=None, contraction=0.0,
        slack=true, base="neo_hookean"))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        young: Option<f64>,
        poisson: Option<f64>,
        lame: Option<(f64, f64)>,
        direction: [f64; 3],
        stiffness: Option<f64>,
        contraction: f64,
        slack: bool,
        base: &str,
    ) -> PyResult<PyClassInitializer<Fibre>> {
        let lame = constants(young, poisson, lame)?;
        let kind = MaterialKind::ALL.into_iter().find(|k| k.name() == base && *k != MaterialKind::Fibre);
        let kind =
            kind.ok_or_else(|| bad(format!("base: there is no material {base:?} that fibres lie in")))?;
        let base = supple::Material::from_lame(kind, lame);
        base.check().map_err(bad)?;
        let fibres = supple::energy::Fibres::new(direction, stiffness.unwrap_or(lame.young()))
            .and_then(|f| f.contracted(contraction))
            .map_err(bad)?;
        let inner = base.with_fibres(if slack { fibres } else { fibres.stiff() });
        Ok(PyClassInitializer::from(Material::built_in(inner)).add_subclass(Fibre))
    }
}

/// An error if elastic constants are given beside a material's own.
fn only_own(young: Option<f64>, poisson: Option<f64>, lame: Option<(f64, f64)>, own: &str) -> PyResult<()> {
    if young.is_some() || poisson.is_some() || lame.is_some() {
        return Err(bad(format!("a material needs {own}, or elastic constants, not both")));
    }
    Ok(())
}

/// A material written in Python, for experiments: slower than the built-in ones.
///
/// law has three methods that take an array of principal stretches of shape (k, 3), descending and with the sign of the
/// determinant on the last: density (k,) in J/m³, gradient (k, 3), hessian (k, 3, 3). domain says where the density is
/// defined: "barrier" (all stretches positive), "signed" (everywhere) or "non_negative" (everywhere, but it does not see
/// a reflection). The hessian at rest gives the small-strain constants.
#[pyclass(extends = Material, frozen, module = "supple")]
pub struct PythonMaterial;

#[pymethods]
impl PythonMaterial {
    #[new]
    #[pyo3(signature = (law, *, domain="barrier"))]
    fn new(law: &Bound<'_, PyAny>, domain: &str) -> PyResult<PyClassInitializer<PythonMaterial>> {
        Ok(PyClassInitializer::from(python(law, domain)?).add_subclass(PythonMaterial))
    }
}

/// A material that asks a Python object.
fn python(law: &Bound<'_, PyAny>, domain: &str) -> PyResult<Material> {
    let object = Arc::new(Object::new(law)?);
    let inner = guard(|| custom::material(&object, domain))?;
    if let Some(e) = object.take_failure() {
        return Err(e);
    }
    Ok(Material { inner: inner.map_err(bad)?, object: Some(object), recipe: Recipe::default() })
}

/// A material, or an object that can be one; with the object.
pub fn extract(value: &Bound<'_, PyAny>) -> PyResult<(supple::Material, Option<Arc<Object>>)> {
    if let Ok(m) = value.cast::<Material>() {
        return Ok((m.get().inner.clone(), m.get().object.clone()));
    }
    let domain = match value.getattr_opt("domain")? {
        Some(d) => d.extract::<String>()?,
        None => "barrier".to_string(),
    };
    let m = python(value, &domain)?;
    Ok((m.inner, m.object))
}
