//! `shape` of a body: what it says, and the mesh that it means.

use crate::mesh::fill::FillSettings;
use crate::mesh::shapes::{self, Split};
use crate::mesh::{Contour, Drawn, Limb, Limbs, MidPoints, TetMesh};
use serde::{Deserialize, Serialize};

/// How a cell is cut into tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "u32", into = "u32")]
pub enum SplitNumber {
    /// Five tetrahedra, mirrored from cell to cell.
    #[default]
    Five,
    /// Six tetrahedra.
    Six,
    /// 24 tetrahedra around the centre.
    TwentyFour,
}

impl TryFrom<u32> for SplitNumber {
    type Error = String;
    fn try_from(n: u32) -> Result<Self, String> {
        match n {
            5 => Ok(SplitNumber::Five),
            6 => Ok(SplitNumber::Six),
            24 => Ok(SplitNumber::TwentyFour),
            _ => Err(format!("a cell is cut into 5, 6 or 24 tetrahedra, not {n}")),
        }
    }
}

impl From<SplitNumber> for Split {
    fn from(s: SplitNumber) -> Split {
        match s {
            SplitNumber::Five => Split::Five,
            SplitNumber::Six => Split::Six,
            SplitNumber::TwentyFour => Split::TwentyFour,
        }
    }
}

impl From<SplitNumber> for u32 {
    fn from(s: SplitNumber) -> u32 {
        Split::from(s).per_cell() as u32
    }
}

/// A built-in shape. Sizes in m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// A box from the origin to `size`.
    Box {
        /// Lengths along x, y, z.
        size: [f64; 3],
        /// Cells along x, y, z.
        cells: [usize; 3],
        /// Tetrahedra per cell: 5 (default, mirrored from cell to cell), 6 or 24 (around the cell's centre).
        #[serde(default)]
        split: SplitNumber,
    },
    /// A beam along x from the origin, of square section.
    Beam {
        /// Length along x.
        length: f64,
        /// Width along y and z.
        width: f64,
        /// Cells across; along it as many as keep cells cubes.
        cells: usize,
        /// Tetrahedra per cell: 5 (default, mirrored from cell to cell), 6 or 24 (around the cell's centre).
        #[serde(default)]
        split: SplitNumber,
    },
    /// A ball around the origin.
    Sphere {
        /// Its radius.
        radius: f64,
        /// Cells across, even.
        cells: usize,
    },
    /// A cylinder along x, from the origin.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Length along x.
        length: f64,
        /// Cells across, even.
        cells: usize,
        /// Cells along.
        along: usize,
    },
    /// A capsule along x: a cylinder from the origin with round ends.
    Capsule {
        /// Its radius.
        radius: f64,
        /// Length of the cylinder along x, between the centres of the round ends.
        length: f64,
        /// Cells across, even.
        cells: usize,
        /// Cells along the cylinder.
        along: usize,
    },
    /// A ring around the y axis.
    Torus {
        /// From the centre to the middle of the tube.
        radius: f64,
        /// Radius of the tube.
        tube: f64,
        /// Cells across the tube, even.
        cells: usize,
        /// Cells around.
        around: usize,
    },
    /// A figure of rounded limbs that blend smoothly, filled with tetrahedra.
    Limbs {
        /// The limbs.
        limbs: Vec<Limb>,
        /// About the radius of the fillets between limbs, ≥ 0. Default 0.
        #[serde(default)]
        blend: f64,
        /// About this number of tetrahedra.
        tets: usize,
    },
    /// A sheet in the x–z plane from the origin; with `springs` a net along edges and both diagonals of each cell.
    Cloth {
        /// Lengths along x and z.
        size: [f64; 2],
        /// Cells along x and z.
        cells: [usize; 2],
    },
    /// A line of springs along x from the origin.
    Rope {
        /// Its length.
        length: f64,
        /// Springs.
        segments: usize,
        /// True if it lies in a loose overhand knot around the origin, its ends towards −x and +x. Default false.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        knot: bool,
    },
}

/// A shape before it is placed.
#[derive(Default)]
pub(super) struct Shaped {
    pub vertices: Vec<[f64; 3]>,
    pub tets: Vec<[u32; 4]>,
    pub mid_points: Vec<MidPoints>,
    pub fill: Vec<f64>,
    pub triangles: Vec<[u32; 3]>,
    pub edges: Vec<[u32; 2]>,
    pub groups: Vec<(String, Vec<u32>)>,
    pub drawn: Option<Drawn>,
    /// The surface of an implicit shape, finer than its tetrahedra.
    pub contour: Option<Contour>,
}

/// The mesh of a shape; with `springs` a sheet is a net, with `skin` an implicit shape has a finer surface.
pub(super) fn make(shape: &Shape, springs: bool, skin: bool) -> Result<Shaped, String> {
    let solid = |m: Result<TetMesh, crate::mesh::MeshError>| {
        let m = m.map_err(|e| e.to_string())?;
        let (vertices, tets) = (m.vertices().to_vec(), m.tets().to_vec());
        Ok::<Shaped, String>(Shaped { vertices, tets, fill: m.fill().to_vec(), ..Shaped::default() })
    };
    let net = |(vertices, edges): shapes::Net| Ok(Shaped { vertices, edges, ..Shaped::default() });
    match shape {
        Shape::Box { size, cells, split: s } => solid(shapes::box_mesh(*size, *cells, (*s).into())),
        Shape::Beam { length, width, cells, split: s } => {
            let ratio = length / width * *cells as f64;
            if !(ratio.is_finite() && ratio < 1e6) {
                return Err("the length and width of a beam must be positive, and not too far apart".into());
            }
            let along = (ratio.round() as usize).max(1);
            solid(shapes::box_mesh([*length, *width, *width], [along, *cells, *cells], (*s).into()))
        }
        Shape::Sphere { radius, cells } => solid(shapes::ball(*radius, *cells)),
        Shape::Cylinder { radius, length, cells, along } => {
            solid(shapes::cylinder(*radius, *length, *cells, *along))
        }
        Shape::Capsule { radius, length, cells, along } => {
            solid(shapes::capsule(*radius, *length, *cells, *along))
        }
        Shape::Torus { radius, tube, cells, around } => solid(shapes::torus(*radius, *tube, *cells, *around)),
        Shape::Limbs { limbs, blend, tets } => {
            let figure = Limbs::new(limbs.clone(), *blend).map_err(|e| e.to_string())?;
            let (mesh, report) = figure.fill(&FillSettings::tets(*tets)).map_err(|e| e.to_string())?;
            // Twice as fine as the body.
            let contour = match skin {
                true => Some(figure.surface(0.5 * report.size).map_err(|e| e.to_string())?),
                false => None,
            };
            Ok(Shaped { contour, ..solid(Ok(mesh))? })
        }
        Shape::Cloth { size, cells } if !springs => {
            let m = super::sheet::grid(*size, *cells)?;
            let (vertices, triangles) = (m.vertices().to_vec(), m.triangles().to_vec());
            Ok(Shaped { vertices, triangles, ..Shaped::default() })
        }
        Shape::Cloth { size, cells } => net(shapes::net(*size, *cells).map_err(|e| e.to_string())?),
        Shape::Rope { length, segments, knot } => {
            let make = if *knot { shapes::knot } else { shapes::rope };
            net(make(*length, *segments).map_err(|e| e.to_string())?)
        }
    }
}
