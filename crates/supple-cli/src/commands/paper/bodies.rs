//! Bodies of the sizes of the paper's: figures of rounded limbs in place of its scanned models, or a surface of the user's, filled like any other.
use miette::{IntoDiagnostic, miette};
use supple::mesh::fill::{FillSettings, Surface, fill};
use supple::mesh::io::RawMesh;
use supple::mesh::{Embedding, Limb, Limbs, TetMesh, surface};

/// A limb: two ends, and the radius at each.
type Stick = ([f64; 3], [f64; 3], [f64; 2]);

/// A figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Upright, with raised arms, claws, ears, a snout and a tail, for the armadillo.
    Biped,
    /// Sitting, with long ears, for the bunny.
    Hare,
    /// On four legs, for the horse.
    Steed,
}

/// A figure filled, and the surface that it is drawn by.
pub struct Model {
    /// The body.
    pub mesh: TetMesh,
    /// Triangles of its skin.
    pub triangles: Vec<[u32; 3]>,
    skin: Embedding,
}

impl Model {
    /// Where the skin is when the nodes are at `x`.
    pub fn drawn(&self, x: &[[f64; 3]]) -> Vec<[f64; 3]> {
        self.skin.positions(x).unwrap_or_default()
    }
}

impl Figure {
    /// Its parts on the right side and in the middle; those with x > 0 are there twice, mirrored. In m, about a metre high.
    fn sticks(self) -> &'static [Stick] {
        match self {
            Figure::Biped => &[
                ([0.0, 0.4, -0.02], [0.0, 0.62, 0.0], [0.155, 0.15]),
                ([0.0, 0.5, -0.09], [0.0, 0.66, -0.08], [0.14, 0.12]),
                ([0.0, 0.78, 0.05], [0.0, 0.8, 0.09], [0.09, 0.085]),
                ([0.0, 0.77, 0.12], [0.0, 0.73, 0.25], [0.065, 0.045]),
                ([0.07, 0.85, 0.03], [0.13, 1.0, -0.02], [0.05, 0.045]),
                ([0.12, 0.66, 0.0], [0.3, 0.62, 0.05], [0.07, 0.06]),
                ([0.3, 0.62, 0.05], [0.42, 0.78, 0.14], [0.06, 0.06]),
                ([0.42, 0.78, 0.14], [0.39, 0.89, 0.19], [0.045, 0.035]),
                ([0.43, 0.78, 0.14], [0.47, 0.91, 0.16], [0.045, 0.035]),
                ([0.44, 0.77, 0.14], [0.54, 0.86, 0.13], [0.045, 0.035]),
                ([0.1, 0.34, 0.0], [0.17, 0.2, 0.04], [0.1, 0.085]),
                ([0.17, 0.2, 0.04], [0.17, 0.06, -0.01], [0.08, 0.07]),
                ([0.17, 0.06, -0.03], [0.19, 0.055, 0.15], [0.06, 0.055]),
                ([0.0, 0.34, -0.1], [0.0, 0.17, -0.28], [0.08, 0.05]),
                ([0.0, 0.17, -0.28], [0.0, 0.13, -0.46], [0.05, 0.04]),
            ],
            Figure::Hare => &[
                ([0.0, 0.22, -0.13], [0.0, 0.27, 0.02], [0.2, 0.175]),
                ([0.0, 0.27, 0.06], [0.0, 0.4, 0.14], [0.16, 0.12]),
                ([0.0, 0.5, 0.2], [0.0, 0.49, 0.26], [0.115, 0.085]),
                ([0.055, 0.57, 0.17], [0.09, 0.76, 0.08], [0.05, 0.056]),
                ([0.09, 0.76, 0.08], [0.105, 0.9, 0.0], [0.056, 0.036]),
                ([0.0, 0.2, -0.38], [0.0, 0.2, -0.38], [0.075, 0.075]),
                ([0.08, 0.26, 0.12], [0.09, 0.06, 0.2], [0.06, 0.05]),
                ([0.09, 0.045, 0.2], [0.09, 0.045, 0.29], [0.052, 0.045]),
                ([0.14, 0.18, -0.12], [0.17, 0.1, -0.0], [0.12, 0.08]),
                ([0.16, 0.05, -0.12], [0.17, 0.04, 0.1], [0.056, 0.05]),
            ],
            Figure::Steed => &[
                ([0.0, 0.72, -0.34], [0.0, 0.7, -0.05], [0.155, 0.15]),
                ([0.0, 0.7, -0.05], [0.0, 0.74, 0.26], [0.15, 0.15]),
                ([0.0, 0.8, 0.3], [0.0, 1.0, 0.46], [0.125, 0.085]),
                ([0.0, 1.0, 0.46], [0.0, 1.12, 0.55], [0.08, 0.07]),
                ([0.0, 1.12, 0.56], [0.0, 0.93, 0.76], [0.075, 0.045]),
                ([0.04, 1.15, 0.53], [0.055, 1.24, 0.53], [0.045, 0.035]),
                ([0.0, 0.98, 0.38], [0.0, 1.18, 0.5], [0.05, 0.03]),
                ([0.09, 0.66, 0.26], [0.1, 0.4, 0.28], [0.075, 0.055]),
                ([0.1, 0.4, 0.28], [0.1, 0.08, 0.26], [0.05, 0.046]),
                ([0.1, 0.05, 0.27], [0.1, 0.035, 0.3], [0.056, 0.05]),
                ([0.1, 0.66, -0.36], [0.11, 0.42, -0.3], [0.1, 0.055]),
                ([0.11, 0.42, -0.3], [0.11, 0.34, -0.42], [0.058, 0.052]),
                ([0.11, 0.34, -0.42], [0.11, 0.08, -0.38], [0.05, 0.046]),
                ([0.11, 0.05, -0.37], [0.11, 0.035, -0.34], [0.056, 0.05]),
                ([0.0, 0.8, -0.48], [0.0, 0.66, -0.62], [0.045, 0.05]),
                ([0.0, 0.66, -0.62], [0.0, 0.34, -0.64], [0.055, 0.042]),
            ],
        }
    }

    /// Tetrahedra to ask for, so that nodes and tetrahedra are both within a tenth of the paper's: a lattice has fewer nodes for its tetrahedra than
    /// the paper's meshes.
    fn tets(self) -> usize {
        match self {
            Figure::Biped => 2850,
            Figure::Hare => 2660,
            Figure::Steed => 3221,
        }
    }

    /// How far its limbs blend, in m.
    fn blend(self) -> f64 {
        if self == Figure::Hare { 0.06 } else { 0.05 }
    }

    fn limbs(self) -> miette::Result<Limbs> {
        let mut limbs = Vec::new();
        for &(from, to, radius) in self.sticks() {
            limbs.push(Limb { from, to, radius });
            if from[0] > 0.0 || to[0] > 0.0 {
                let other = |[x, y, z]: [f64; 3]| [-x, y, z];
                limbs.push(Limb { from: other(from), to: other(to), radius });
            }
        }
        Limbs::new(limbs, self.blend()).into_diagnostic()
    }

    /// The figure, or in its place a surface, a metre high and standing at the origin; with as many tetrahedra.
    pub fn model(self, given: Option<&RawMesh>) -> miette::Result<Model> {
        let settings = FillSettings::tets(self.tets());
        let (mesh, vertices, triangles) = match given {
            Some(given) => {
                let vertices = standing(&given.vertices)?;
                let whole = Surface { vertices: &vertices, triangles: &given.triangles };
                let (mesh, _) = fill(&whole, &settings).map_err(|e| miette!("{e}"))?;
                (mesh, vertices, given.triangles.clone())
            }
            None => {
                let limbs = self.limbs()?;
                let (mesh, report) = limbs.fill(&settings).into_diagnostic()?;
                let (vertices, triangles) = limbs.surface(0.5 * report.size).into_diagnostic()?;
                (mesh, vertices, triangles)
            }
        };
        let skin = Embedding::new(&mesh, &vertices).into_diagnostic()?;
        let triangles = if triangles.is_empty() { surface(mesh.tets()) } else { triangles };
        Ok(Model { mesh, triangles, skin })
    }
}

/// Points moved and scaled: a metre high, its middle above the origin, its feet at 0.
fn standing(points: &[[f64; 3]]) -> miette::Result<Vec<[f64; 3]>> {
    let bound = |c: usize, f: fn(f64, f64) -> f64, from: f64| points.iter().map(|p| p[c]).fold(from, f);
    let low: [f64; 3] = std::array::from_fn(|c| bound(c, f64::min, f64::INFINITY));
    let high: [f64; 3] = std::array::from_fn(|c| bound(c, f64::max, f64::NEG_INFINITY));
    let height = high[1] - low[1];
    if !(height > 0.0 && height.is_finite()) {
        return Err(miette!("the surface has no height: y is upwards"));
    }
    let middle = [0.5 * (low[0] + high[0]), low[1], 0.5 * (low[2] + high[2])];
    Ok(points.iter().map(|p| std::array::from_fn(|c| (p[c] - middle[c]) / height)).collect())
}
