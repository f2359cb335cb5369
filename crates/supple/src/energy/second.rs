//! Second derivatives with their negative part, for those who look at energies: modes of loaded bodies, buckling.

use super::Local;
use super::curvature::Curvature;

/// ∂²Ψ/∂z² of a 3×D matrix: entry `[d][c]` is the derivative of ∂Ψ/∂z by coordinate c of column d.
pub type Second<const D: usize> = [[Local<f64, D>; 3]; D];

/// From the frame in which it falls apart.
pub fn of<const D: usize>(curvature: &Curvature<f64, D>) -> Second<D> {
    let unit = |d: usize| {
        let mut e = [0.0; D];
        e[d] = 1.0;
        curvature.along(&e)
    };
    let mut out = [[[[0.0; 3]; D]; 3]; D];
    for d in 0..D {
        for q in 0..D {
            let block = curvature.block(&unit(q), &unit(d));
            (0..3).for_each(|c| out[d][c][q] = block[c]);
        }
    }
    out
}

/// From a first derivative: (−f(2h) + 8f(h) − 8f(−h) + f(−2h))/12h with h a thousandth of z, exact for polynomials of degree 4.
pub fn differences<const D: usize>(
    f: impl Fn(&Local<f64, D>) -> Local<f64, D>,
    z: &Local<f64, D>,
) -> Second<D> {
    let size = z.iter().flatten().fold(0.0f64, |most, v| most.max(v.abs()));
    let h = 1e-3 * if size > 0.0 { size } else { 1.0 };
    let mut out = [[[[0.0; 3]; D]; 3]; D];
    for d in 0..D {
        for c in 0..3 {
            for (steps, weight) in [(2.0, -1.0), (1.0, 8.0), (-1.0, -8.0), (-2.0, 1.0)] {
                let mut at = *z;
                at[d][c] += steps * h;
                let slope = f(&at);
                for (to, from) in out[d][c].iter_mut().flatten().zip(slope.iter().flatten()) {
                    *to += weight / (12.0 * h) * from;
                }
            }
        }
    }
    out
}
