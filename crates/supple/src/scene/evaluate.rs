//! A material at one deformation gradient, for those who look at materials by themselves. Matrices are stored by columns.

use super::Material;
use crate::energy::general::{self, Density};
use crate::energy::{Element, Fibres, Linear, Potential, Solid, Stretch, stretch};
use crate::math::polar::polar;
use crate::math::small::{Mat3, identity, plus};

/// What can be asked of a material at one F.
pub(super) trait Law {
    /// Ψ and P.
    fn energy_and_stress(&self, e: &Element<f64>, f: &Mat3<f64>) -> (f64, Mat3<f64>);
    /// ∂vec P/∂vec F.
    fn hessian(&self, e: &Element<f64>, f: &Mat3<f64>) -> [[f64; 9]; 9];
    /// Eq. (34).
    fn prox(&self, e: &Element<f64>, f: &Mat3<f64>) -> Mat3<f64>;
}

impl<M: Solid> Law for M {
    fn energy_and_stress(&self, e: &Element<f64>, f: &Mat3<f64>) -> (f64, Mat3<f64>) {
        self.energy_and_stress_at(e, f)
    }
    fn hessian(&self, e: &Element<f64>, f: &Mat3<f64>) -> [[f64; 9]; 9] {
        stretch::hessian(self, e, f)
    }
    fn prox(&self, e: &Element<f64>, f: &Mat3<f64>) -> Mat3<f64> {
        Stretch(self.clone()).prox(e, f, &mut self.cold(e))
    }
}

impl Law for Linear {
    fn energy_and_stress(&self, e: &Element<f64>, f: &Mat3<f64>) -> (f64, Mat3<f64>) {
        Potential::energy_and_stress(self, e, f)
    }
    /// P is linear in F − I: column j is its value for the j-th unit matrix.
    fn hessian(&self, e: &Element<f64>, _: &Mat3<f64>) -> [[f64; 9]; 9] {
        let mut out = [[0.0; 9]; 9];
        for j in 0..9 {
            let mut f = identity();
            f.as_flattened_mut().iter_mut().skip(j).take(1).for_each(|value| *value += 1.0);
            let p = self.stress(e, &f);
            for (row, p) in out.iter_mut().zip(p.as_flattened()) {
                row.iter_mut().skip(j).take(1).for_each(|value| *value = *p);
            }
        }
        out
    }
    fn prox(&self, e: &Element<f64>, f: &Mat3<f64>) -> Mat3<f64> {
        Potential::prox(self, e, f, &mut 0.0)
    }
}

/// A material with fibres.
pub(super) struct Fibred {
    pub base: Material,
    pub fibres: Fibres,
}

impl Density for Fibred {
    fn energy_and_stress(&self, f: &Mat3<f64>) -> (f64, Mat3<f64>) {
        let (energy, stress) = self.fibres.energy_and_stress(f);
        (self.base.energy(f) + energy, plus(&self.base.stress(f), &stress))
    }
    fn hessian(&self, f: &Mat3<f64>) -> [[f64; 9]; 9] {
        let (mut sum, own) = (self.base.hessian(f), self.fibres.hessian(f));
        for (row, add) in sum.iter_mut().zip(own) {
            row.iter_mut().zip(add).for_each(|(a, b)| *a += b);
        }
        sum
    }
}

impl Law for Fibred {
    fn energy_and_stress(&self, _: &Element<f64>, f: &Mat3<f64>) -> (f64, Mat3<f64>) {
        Density::energy_and_stress(self, f)
    }
    fn hessian(&self, _: &Element<f64>, f: &Mat3<f64>) -> [[f64; 9]; 9] {
        Density::hessian(self, f)
    }
    fn prox(&self, e: &Element<f64>, f: &Mat3<f64>) -> Mat3<f64> {
        // Without fibres, as it is, and undeformed.
        general::prox(self, e.k, f, &[self.base.prox(f, e.k), *f, polar(f).r])
    }
}

impl Material {
    /// The density Ψ(F) in J/m³; infinite for an inverted element of a barrier material.
    pub fn energy(&self, f: &Mat3<f64>) -> f64 {
        let (law, numbers) = self.law();
        law.energy_and_stress(&Element::new(1.0, numbers), f).0
    }
    /// The first Piola–Kirchhoff stress P = ∂Ψ/∂F in Pa; unspecified but finite where Ψ is infinite.
    pub fn stress(&self, f: &Mat3<f64>) -> Mat3<f64> {
        let (law, numbers) = self.law();
        law.energy_and_stress(&Element::new(1.0, numbers), f).1
    }
    /// ∂vec P/∂vec F in Pa, columns of F stacked; not made positive.
    pub fn hessian(&self, f: &Mat3<f64>) -> [[f64; 9]; 9] {
        let (law, numbers) = self.law();
        law.hessian(&Element::new(1.0, numbers), f)
    }
    /// Eq. (34): the minimiser of Ψ(Z) + k/2‖Z − F‖², k = w²/V in Pa.
    pub fn prox(&self, f: &Mat3<f64>, k: f64) -> Mat3<f64> {
        let (law, numbers) = self.law();
        law.prox(&Element::new(k, numbers), f)
    }
}
