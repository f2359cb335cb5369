//! Figures of rounded limbs that blend smoothly: a skeleton as an implicit shape, filled like any surface.

use super::fill::{FillReport, FillSettings, fill_field};
use super::{MeshError, TetMesh, surface};
use crate::math::small::{axpy, dot, sub};

/// A limb: the ball of one radius at one end, of another at the other, and what lies between.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Limb {
    /// One end in m.
    pub from: [f64; 3],
    /// The other end in m; the same point makes a ball.
    pub to: [f64; 3],
    /// Radii at both ends in m, > 0.
    pub radius: [f64; 2],
}

/// Vertices in m and triangles.
pub type Contour = (Vec<[f64; 3]>, Vec<[u32; 3]>);

/// Most limbs of a figure.
const MOST: usize = 1000;

/// A figure of limbs.
#[derive(Clone, Debug, PartialEq)]
pub struct Limbs {
    limbs: Vec<Limb>,
    /// How far limbs blend into each other, in m.
    blend: f64,
}

impl Limbs {
    /// Checks and takes limbs; `blend` in m, ≥ 0, is about the radius of the fillets between them.
    pub fn new(limbs: Vec<Limb>, blend: f64) -> Result<Limbs, MeshError> {
        let wrong = |reason: String| Err(MeshError::Parameter(reason));
        if limbs.is_empty() || limbs.len() > MOST {
            return wrong(format!("a figure needs 1 to {MOST} limbs, not {}", limbs.len()));
        }
        if !(blend.is_finite() && blend >= 0.0) {
            return wrong(format!("the blend of a figure must be zero or positive, not {blend}"));
        }
        for (i, l) in limbs.iter().enumerate() {
            if l.from.iter().chain(&l.to).any(|c| !(c.abs() < 1e9)) {
                return wrong(format!("limb {i}: its ends must be finite"));
            }
            if l.radius.iter().any(|r| !(r.is_finite() && *r > 0.0)) {
                return wrong(format!("limb {i}: its radii must be positive, not {:?}", l.radius));
            }
        }
        Ok(Limbs { limbs, blend })
    }

    /// Negative inside; near the surface about the distance in m.
    pub fn field(&self, p: [f64; 3]) -> f64 {
        let distance = |l: &Limb| {
            let (way, off) = (sub(l.to, l.from), sub(p, l.from));
            let square = dot(way, way);
            let t = if square > 0.0 { (dot(off, way) / square).clamp(0.0, 1.0) } else { 0.0 };
            let d = axpy(off, -t, way);
            dot(d, d).sqrt() - (l.radius[0] + t * (l.radius[1] - l.radius[0]))
        };
        let least = self.limbs.iter().map(distance).fold(f64::INFINITY, f64::min);
        if self.blend == 0.0 {
            return least;
        }
        // A smooth minimum: −k ln Σ exp(−d/k), which is below the least by k ln 2 where two are alike.
        let k = 0.25 * self.blend;
        let sum: f64 =
            self.limbs.iter().map(|l| crate::math::elementary::exp(-(distance(l) - least) / k)).sum();
        least - k * crate::math::elementary::ln(sum)
    }

    /// A box around the figure: lowest and highest corner in m.
    pub fn bounds(&self) -> [[f64; 3]; 2] {
        // Where all limbs meet, the smooth minimum adds this.
        let more = 0.25 * self.blend * crate::math::elementary::ln(self.limbs.len() as f64);
        let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for l in &self.limbs {
            for (p, r) in [(l.from, l.radius[0]), (l.to, l.radius[1])] {
                for c in 0..3 {
                    bounds[0][c] = bounds[0][c].min(p[c] - r - more);
                    bounds[1][c] = bounds[1][c].max(p[c] + r + more);
                }
            }
        }
        bounds
    }

    /// The figure filled.
    pub fn fill(&self, settings: &FillSettings) -> Result<(TetMesh, FillReport), MeshError> {
        fill_field(&|p| self.field(p), self.bounds(), settings, &mut |_| true)
            .map_err(|e| MeshError::Parameter(format!("the figure cannot be filled: {e}")))
    }

    /// The figure's surface by triangles of about this size in m.
    pub fn surface(&self, size: f64) -> Result<Contour, MeshError> {
        let (mesh, _) = self.fill(&FillSettings::size(size))?;
        let mut triangles = surface(mesh.tets());
        // Nodes of the boundary alone, in their order.
        let mut number = vec![u32::MAX; mesh.vertices().len()];
        triangles.iter().flatten().for_each(|&v| number[v as usize] = 0);
        let mut vertices = Vec::new();
        for (v, n) in number.iter_mut().enumerate().filter(|(_, n)| **n == 0) {
            *n = vertices.len() as u32;
            vertices.push(mesh.vertices()[v]);
        }
        triangles.iter_mut().flatten().for_each(|v| *v = number[*v as usize]);
        Ok((vertices, triangles))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn one_limb_is_a_capsule_and_two_blend() {
        let limb = Limb { from: [0.0; 3], to: [2.0, 0.0, 0.0], radius: [0.5, 0.5] };
        let capsule = Limbs::new(vec![limb], 0.0).unwrap();
        assert!((capsule.field([1.0, 0.7, 0.0]) - 0.2).abs() < 1e-15);
        assert!((capsule.field([-1.0, 0.0, 0.0]) - 0.5).abs() < 1e-15);
        let (mesh, report) = capsule.fill(&FillSettings::tets(8000)).unwrap();
        let exact = std::f64::consts::PI * (0.25 * 2.0 + 0.5f64.powi(3) * 4.0 / 3.0);
        assert!((mesh.volume() / exact - 1.0).abs() < 0.015, "{}", mesh.volume() / exact);
        assert_eq!(report.parts, 1);
        let cross = Limb { from: [1.0, -1.0, 0.0], to: [1.0, 1.0, 0.0], radius: [0.5, 0.2] };
        let both = Limbs::new(vec![limb, cross], 0.2).unwrap();
        // The fillet: outside of both, inside of the blend.
        let corner = [1.5 - 1e-3, 0.5 + 1e-3, 0.0];
        assert!(both.field(corner) < Limbs::new(vec![limb, cross], 0.0).unwrap().field(corner));
        let (vertices, triangles) = both.surface(0.1).unwrap();
        assert!(vertices.iter().all(|p| both.field(*p).abs() < 0.06));
        assert_eq!(triangles.iter().flatten().max(), Some(&(vertices.len() as u32 - 1)));
    }

    #[test]
    fn wrong_limbs_are_refused() {
        let limb = |radius: f64| Limb { from: [0.0; 3], to: [1.0; 3], radius: [radius, 0.1] };
        assert!(Limbs::new(vec![], 0.0).is_err());
        assert!(Limbs::new(vec![limb(0.0)], 0.0).is_err());
        assert!(Limbs::new(vec![limb(f64::NAN)], 0.0).is_err());
        assert!(Limbs::new(vec![limb(0.1)], -1.0).is_err());
    }
}
