//! Materials written in Python: the three functions of the stretches are asked of an object.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use supple::ParameterError;
use supple::energy::Real;
use supple::energy::{Domain, Element, Isotropic, Solid};

use crate::array;

/// The object, and the first exception that it raised since someone asked.
pub struct Object {
    object: Py<PyAny>,
    failure: Mutex<Option<PyErr>>,
}

impl Object {
    /// Checks that the object has what it needs.
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Object> {
        for name in ["density", "gradient", "hessian"] {
            if !object.getattr_opt(name)?.is_some_and(|m| m.is_callable()) {
                let what = object.get_type().name()?;
                return Err(PyTypeError::new_err(format!(
                    "material must be a supple.Material or have methods density, gradient and hessian; {what} has no {name}"
                )));
            }
        }
        Ok(Object { object: object.clone().unbind(), failure: Mutex::new(None) })
    }

    /// True if the object has raised an exception.
    pub fn failed(&self) -> bool {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// The exception, once.
    pub fn take_failure(&self) -> Option<PyErr> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn ask(&self, py: Python<'_>, name: &str, rows: &[[f64; 3]], width: usize) -> PyResult<Vec<f64>> {
        let n = rows.len();
        let stretches = PyArray1::from_slice(py, rows.as_flattened()).reshape([n, 3])?;
        let answer = self.object.bind(py).call_method1(name, (stretches,))?;
        let (values, shape) = array::reals(&answer, &format!("what {name} returned"))?;
        if values.len() != n * width || shape.first() != Some(&n) {
            let wanted = match width {
                1 => format!("({n},)"),
                3 => format!("({n}, 3)"),
                _ => format!("({n}, 3, 3)"),
            };
            let message =
                format!("{name} of stretches of shape ({n}, 3) must have shape {wanted}, not {shape:?}");
            return Err(PyValueError::new_err(message));
        }
        Ok(values)
    }

    /// Asks for every lane at once. After an exception, NaN: the step then fails.
    fn lanes<R: Real, const W: usize>(&self, name: &str, s: &[R; 3]) -> [R; W] {
        let rows: Vec<[f64; 3]> = (0..R::LANES).map(|i| [s[0].lane(i), s[1].lane(i), s[2].lane(i)]).collect();
        let mut out = [R::splat(f64::NAN); W];
        // Not again after an exception: a proximal operator would ask thousands of times.
        if self.failed() {
            return out;
        }
        match Python::try_attach(|py| self.ask(py, name, &rows, W)) {
            Some(Ok(values)) => {
                for (i, row) in values.chunks_exact(W).enumerate() {
                    for (o, v) in out.iter_mut().zip(row) {
                        *o = o.with_lane(i, *v);
                    }
                }
            }
            Some(Err(e)) => {
                self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
            }
            None => {}
        }
        out
    }
}

pub const SIGNED: u8 = 0;
pub const NON_NEGATIVE: u8 = 1;
pub const BARRIER: u8 = 2;

/// A material that asks an object; `DOMAIN` is where its energy is defined.
#[derive(Clone)]
struct Own<const DOMAIN: u8>(Arc<Object>);

impl<const DOMAIN: u8> Isotropic<3> for Own<DOMAIN> {
    const PARAMS: usize = 0;
    const DOMAIN: Domain = match DOMAIN {
        SIGNED => Domain::Signed,
        NON_NEGATIVE => Domain::NonNegative,
        _ => Domain::Barrier,
    };
    const NAME: &'static str = "python";

    fn density<R: Real>(&self, _: &Element<R>, s: &[R; 3]) -> R {
        self.0.lanes::<R, 1>("density", s)[0]
    }
    fn gradient<R: Real>(&self, _: &Element<R>, s: &[R; 3]) -> [R; 3] {
        self.0.lanes("gradient", s)
    }
    fn hessian<R: Real>(&self, _: &Element<R>, s: &[R; 3]) -> [[R; 3]; 3] {
        let h = self.0.lanes::<R, 9>("hessian", s);
        [[h[0], h[1], h[2]], [h[3], h[4], h[5]], [h[6], h[7], h[8]]]
    }
}

impl<const DOMAIN: u8> Solid for Own<DOMAIN> {}

/// The library's material for an object. `domain` is `signed`, `non_negative` or `barrier`.
pub fn material(object: &Arc<Object>, domain: &str) -> Result<supple::Material, ParameterError> {
    match domain {
        "signed" => supple::Material::own(Own::<SIGNED>(object.clone()), &[]),
        "non_negative" => supple::Material::own(Own::<NON_NEGATIVE>(object.clone()), &[]),
        "barrier" => supple::Material::own(Own::<BARRIER>(object.clone()), &[]),
        other => Err(ParameterError::new(
            "domain",
            other,
            format!("domain must be 'signed', 'non_negative' or 'barrier', not '{other}'"),
        )),
    }
}
