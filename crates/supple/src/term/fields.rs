//! Fields of elements, for pictures and tables: the largest stretch, and the von Mises stress.
//!
//! A term with energy U of local coordinates Z = Σ_v x_v g_vᵀ adds ∂U/∂Z Zᵀ to the Kirchhoff stress of its element times its volume: the
//! material V P Fᵀ, fibres and threads their force times their direction. Damping and the forces of hard constraints are not
//! counted.

use super::TermSet;
use crate::math::nodes::Row;
use crate::math::small::{Mat3, cross, dot, norm2};
use crate::math::svd::svd;

/// A term's part in the fields of its element.
#[derive(Clone, Copy, Debug, Default)]
pub struct Share {
    /// A triangle's; else a tetrahedron's.
    pub triangle: bool,
    /// F by columns, of triangles two; terms along a line do not know it.
    pub gradient: Option<Mat3<f64>>,
    /// Rest volume in m³, if the term is the element's material.
    pub volume: Option<f64>,
    /// ∂U/∂Z Zᵀ in J, by columns.
    pub load: Mat3<f64>,
}

impl Share {
    /// Quadrature points of an element count by their volumes.
    fn add(&mut self, o: &Share) {
        if let (Some(f), Some(g), Some(v), Some(w)) = (&mut self.gradient, o.gradient, self.volume, o.volume)
        {
            for j in 0..3 {
                for i in 0..3 {
                    f[j][i] = (v * f[j][i] + w * g[j][i]) / (v + w);
                }
            }
            self.volume = Some(v + w);
        } else {
            // What stands beside a material knows F, but not for how much of the volume.
            if self.volume.is_none() {
                self.gradient = o.gradient.filter(|_| o.volume.is_some()).or(self.gradient).or(o.gradient);
            }
            self.volume = self.volume.or(o.volume);
        }
        for j in 0..3 {
            for i in 0..3 {
                self.load[j][i] += o.load[j][i];
            }
        }
    }

    /// Largest stretch, and von Mises stress in Pa; not a number where the terms do not tell.
    ///
    /// Cauchy's stress is that of Kirchhoff over det F. Of a triangle it is the force across a line in the sheet over the line's length and
    /// the thickness at rest.
    fn fields(&self) -> [f64; 2] {
        let Some(f) = self.gradient else { return [f64::NAN; 2] };
        let mut s = self.load;
        let mean = (s[0][0] + s[1][1] + s[2][2]) / 3.0;
        (0..3).for_each(|i| s[i][i] -= mean);
        [svd(&f).s[0], (1.5 * norm2(&s)).sqrt() / self.volume_now(&f)]
    }

    /// V det F in m³, of a triangle with the thickness at rest.
    fn volume_now(&self, f: &Mat3<f64>) -> f64 {
        let normal = cross(f[0], f[1]);
        let j = if self.triangle { dot(normal, normal).sqrt() } else { dot(normal, f[2]).abs() };
        self.volume.map_or(f64::NAN, |v| v * j.max(1e-12))
    }

    /// Cauchy's stress in Pa, by columns.
    fn stress(&self) -> Mat3<f64> {
        let volume = self.gradient.map_or(f64::NAN, |f| self.volume_now(&f));
        self.load.map(|c| c.map(|a| a / volume))
    }
}

/// For each tetrahedron, body after body in order of adding, and then for each triangle of a sheet: its largest stretch, and its von
/// Mises stress in Pa.
pub fn fields(terms: &TermSet, x: &[Row]) -> Vec<[f64; 2]> {
    each(terms, x, Share::fields)
}

/// For the same elements Cauchy's stress in Pa, by columns.
pub fn stresses(terms: &TermSet, x: &[Row]) -> Vec<Mat3<f64>> {
    each(terms, x, Share::stress)
}

fn each<T>(terms: &TermSet, x: &[Row], of: impl Fn(&Share) -> T) -> Vec<T> {
    let mut shares = Vec::new();
    for b in terms.batches() {
        b.shares(x, &mut |origin, share| shares.push((share.triangle, origin, share)));
    }
    shares.sort_by_key(|(triangle, origin, _)| (*triangle, *origin));
    let sum = |element: &[(bool, (u32, u32), Share)]| {
        let mut sum = Share { triangle: element[0].0, ..Share::default() };
        element.iter().for_each(|(.., share)| sum.add(share));
        of(&sum)
    };
    shares.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(sum).collect()
}
