//! Materials, one class each, and their energies for whoever wants to look.

use std::sync::Arc;

use pyo3::prelude::*;
use supple::MaterialKind;
use supple::energy::Lame;

use crate::array;
use crate::custom::{self, Object};
use crate::error::{bad, guard};

/// A material of solids. Make one of its subclasses: NeoHookean, Corotated, StVenantKirchhoff, Arap, Linear, PythonMaterial.
///
/// F is an array of deformation gradients of shape (..., 3, 3); results have the same leading shape. Stresses are in Pa.
#[pyclass(subclass, frozen, module = "supple")]
pub struct Material {
    pub inner: supple::Material,
    pub object: Option<Arc<Object>>,
}

/// Larger numbers overflow when they are squared twice.
const LARGEST: f64 = 1e60;

impl Material {
    fn built_in(inner: supple::Material) -> Material {
        Material { inner, object: None }
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
    Ok(Material { inner: inner.map_err(bad)?, object: Some(object) })
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
