//! The proximal operator of any energy of F, isotropic or not: min Ψ(Z) + k/2‖Z − Y‖² over nine numbers by Newton's method.
//!
//! One element at a time, for those who ask for a material by itself. The solver does not need it: it takes an isotropic
//! material and its fibres as two terms, each with its own closed form.

use crate::math::small::{Mat3, combine, inner, minus, norm2, plus};

/// An energy of F by its derivatives.
pub trait Density {
    /// Ψ, infinite outside of its domain; and P = ∂Ψ/∂F.
    fn energy_and_stress(&self, f: &Mat3<f64>) -> (f64, Mat3<f64>);
    /// ∂vec P/∂vec F.
    fn hessian(&self, f: &Mat3<f64>) -> [[f64; 9]; 9];
}

/// The lowest of the minima that are found from several starts; the first start must have a finite energy.
pub fn prox(law: &dyn Density, k: f64, y: &Mat3<f64>, starts: &[Mat3<f64>]) -> Mat3<f64> {
    let mut best = *y;
    let mut lowest = f64::INFINITY;
    for start in starts {
        let (z, value) = descend(law, k, y, *start);
        if value < lowest {
            (best, lowest) = (z, value);
        }
    }
    best
}

/// Newton's method with a line search; the Hessian is made positive by a multiple of the identity.
fn descend(law: &dyn Density, k: f64, y: &Mat3<f64>, start: Mat3<f64>) -> (Mat3<f64>, f64) {
    let objective = |z: &Mat3<f64>| {
        let (energy, stress) = law.energy_and_stress(z);
        (energy + 0.5 * k * norm2(&minus(z, y)), stress)
    };
    let mut z = start;
    let (mut value, mut stress) = objective(&z);
    for _ in 0..200 {
        let pull = minus(&z, y);
        let gradient = combine(1.0, &stress, k, &pull);
        let size = norm2(&stress).sqrt() + k * (norm2(&z).sqrt() + norm2(y).sqrt());
        if !value.is_finite() || norm2(&gradient).sqrt() <= 1e-15 * size {
            break;
        }
        let mut hessian = law.hessian(&z);
        for (i, row) in hessian.iter_mut().enumerate() {
            row[i] += k;
        }
        let step = downhill(&hessian, &gradient);
        let slope = inner(&gradient, &step);
        let mut length = 1.0;
        let mut next = None;
        for _ in 0..60 {
            let trial = plus(&z, &combine(length, &step, 0.0, &step));
            let (v, p) = objective(&trial);
            if v <= value + 1e-4 * length * slope && v < value {
                next = Some((trial, v, p));
                break;
            }
            length *= 0.5;
        }
        match next {
            Some(n) => (z, value, stress) = n,
            None => {
                // No lower value to be had in these digits: the last Newton step is still nearer if it is tiny.
                let trial = plus(&z, &step);
                let tiny = norm2(&step).sqrt() <= 1e-6 * (1.0 + norm2(&z).sqrt());
                if tiny && objective(&trial).0.is_finite() {
                    z = trial;
                }
                break;
            }
        }
    }
    (z, value)
}

/// −(H + τI)⁻¹g with the least τ tried that makes the matrix positive.
fn downhill(h: &[[f64; 9]; 9], g: &Mat3<f64>) -> Mat3<f64> {
    let largest = h.iter().flatten().fold(0.0, |m: f64, a| m.max(a.abs())).max(f64::MIN_POSITIVE);
    let mut shift = 0.0;
    for _ in 0..60 {
        if let Some(step) = solve(h, shift, g) {
            return step;
        }
        shift = if shift == 0.0 { 1e-3 * largest } else { 4.0 * shift };
    }
    combine(-1.0 / largest, g, 0.0, g)
}

/// −(H + τI)⁻¹g by Cholesky, if that matrix is positive.
fn solve(h: &[[f64; 9]; 9], shift: f64, g: &Mat3<f64>) -> Option<Mat3<f64>> {
    let mut l = [[0.0; 9]; 9];
    let mut x = [0.0; 9];
    for i in 0..9 {
        for j in 0..=i {
            let sum =
                h[i][j] + if i == j { shift } else { 0.0 } - (0..j).map(|q| l[i][q] * l[j][q]).sum::<f64>();
            if i > j {
                l[i][j] = sum / l[j][j];
            } else if sum > 1e-14 * (h[i][i].abs() + shift) {
                l[i][i] = sum.sqrt();
            } else {
                return None;
            }
        }
        x[i] = (-g[i / 3][i % 3] - (0..i).map(|q| l[i][q] * x[q]).sum::<f64>()) / l[i][i];
    }
    for i in (0..9).rev() {
        x[i] = (x[i] - (i + 1..9).map(|q| l[q][i] * x[q]).sum::<f64>()) / l[i][i];
    }
    let z = [[x[0], x[1], x[2]], [x[3], x[4], x[5]], [x[6], x[7], x[8]]];
    z.iter().flatten().all(|a| a.is_finite()).then_some(z)
}
