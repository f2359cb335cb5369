//! From a surface to a body: tetrahedra of a chosen size or number, from any triangles.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | [`fill()`] and its settings |
//! | `error.rs` | [`FillError`]: why not, and what to do |
//! | `clean.rs` | welding, dropping, turning |
//! | `tree.rs` | a tree over triangles: winding number, distance, rays |
//! | `lattice.rs` | the body-centred cubic lattice |
//! | `grid.rs` | triangles by cells of the lattice |
//! | `inside.rs` | what is inside: nodes, points, cuts of edges |
//! | `stuff.rs` | isosurface stuffing: `conform` and `grow` |
//! | `cage.rs` | lattice tetrahedra that the body reaches into: `cage` |
//! | `fraction.rs` | fill fractions |
//! | `tidy.rs` | no hinges; parts |
//! | `search.rs` | the size that gives a number of tetrahedra; one pass of all of the above |
//! | `tests.rs` | tests of the pieces |
//! | `report.rs` | [`FillReport`]: what was done, in numbers and words |
//!
//! The inside is where the generalised winding number is above ½, so that holes, overlaps and gaps do not matter as long as most of the
//! surface is there. All results have the same bits on any number of threads.

mod cage;
mod clean;
mod error;
mod fraction;
mod grid;
mod inside;
mod lattice;
mod report;
mod search;
mod stuff;
#[cfg(test)]
mod tests;
mod tidy;
pub(super) mod tree;

pub use error::FillError;
pub use report::FillReport;

use crate::exec::Exec;
use crate::mesh::TetMesh;
use inside::Shape;

/// Triangles as they come: any order, holes, overlaps, copies.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    /// Positions in m.
    pub vertices: &'a [[f64; 3]],
    /// Corners of each triangle, counter-clockwise seen from outside where it is known.
    pub triangles: &'a [[u32; 3]],
}

/// What the body's boundary is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The surface itself: nodes of the boundary lie on it. Parts thinner than the size are lost.
    #[default]
    Conform,
    /// The surface moved outwards by 0.4 sizes, with fill fractions: smooth, and the surface lies inside.
    Grow,
    /// Whole lattice tetrahedra that the body reaches into, with fill fractions: nothing is lost, the boundary is jagged.
    Cage,
}

/// What becomes of closed shells that face inwards and lie in others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Cavities {
    /// They stay hollow.
    #[default]
    Keep,
    /// They are filled.
    Fill,
}

/// Which parts that share no face are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PartsKept {
    /// All but crumbs: fewer than 16 tetrahedra with less than a hundredth of the volume.
    #[default]
    All,
    /// The one with the largest volume.
    Largest,
}

/// How fine the body is.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Fineness {
    /// A lattice size of a thirtieth of the bounding box's diagonal.
    #[default]
    Default,
    /// The size of the lattice in m: the length of its long edges.
    Size(f64),
    /// About this number of tetrahedra, within a tenth where the shape allows it.
    Tets(usize),
}

/// How to fill.
#[derive(Clone, Debug, PartialEq)]
pub struct FillSettings {
    /// How fine. Default: a thirtieth of the bounding box's diagonal.
    pub fineness: Fineness,
    /// What the boundary is. Default: `conform`.
    pub kind: Kind,
    /// Shells within shells. Default: `keep`.
    pub cavities: Cavities,
    /// Parts that share no face. Default: `all`.
    pub parts: PartsKept,
    /// Number of threads; 0 uses all cores. The result does not depend on it.
    pub threads: usize,
    /// Bytes that may be used. Default: 4 GiB.
    pub memory: u64,
}

impl Default for FillSettings {
    fn default() -> FillSettings {
        FillSettings {
            fineness: Fineness::Default,
            kind: Kind::default(),
            cavities: Cavities::default(),
            parts: PartsKept::default(),
            threads: 0,
            memory: 4 << 30,
        }
    }
}

impl FillSettings {
    /// A lattice size in m.
    pub fn size(size: f64) -> FillSettings {
        FillSettings { fineness: Fineness::Size(size), ..FillSettings::default() }
    }
    /// A number of tetrahedra.
    pub fn tets(tets: usize) -> FillSettings {
        FillSettings { fineness: Fineness::Tets(tets), ..FillSettings::default() }
    }
    /// The same with another kind.
    pub fn kind(self, kind: Kind) -> FillSettings {
        FillSettings { kind, ..self }
    }

    fn check(&self) -> Result<(), FillError> {
        let wrong = |name, reason: String| Err(FillError::Setting { name, reason });
        match self.fineness {
            Fineness::Size(size) if !(size.is_finite() && size > 0.0) => {
                wrong("size", format!("must be a positive length in m, not {size}"))
            }
            Fineness::Tets(tets) if !(1..=100_000_000).contains(&tets) => {
                wrong("tets", format!("must be a number from 1 to 100000000, not {tets}"))
            }
            _ => Ok(()),
        }
    }

    fn exec(&self) -> Exec {
        Exec::new(match self.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            n => n,
        })
    }
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Cleaning the surface.
    Clean,
    /// Asking for the inside at the lattice's nodes.
    Inside,
    /// Making tetrahedra.
    Tetrahedra,
    /// Parting and joining them.
    Tidy,
    /// Fill fractions.
    Fractions,
    /// Measuring what came out.
    Measure,
}

impl Stage {
    /// A word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Stage::Clean => "clean",
            Stage::Inside => "inside",
            Stage::Tetrahedra => "tetrahedra",
            Stage::Tidy => "tidy",
            Stage::Fractions => "fill fractions",
            Stage::Measure => "measure",
        }
    }
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// What begins now.
    pub stage: Stage,
    /// Lattices tried so far, this one included; 0 while cleaning.
    pub pass: usize,
    /// Roughly the share of the work that is done, if this is the last pass.
    pub done: f64,
}

/// Asked at each stage; `false` stops with [`FillError::Stopped`].
pub type OnProgress<'a> = &'a mut (dyn FnMut(Progress) -> bool + Send);

/// Fills a surface with tetrahedra.
///
/// ```
/// use supple::mesh::fill::{FillSettings, Surface, fill};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let ball = supple::mesh::shapes::ball(1.0, 8)?;
/// let triangles = supple::mesh::surface(ball.tets());
/// let surface = Surface { vertices: ball.vertices(), triangles: &triangles };
/// let (mesh, report) = fill(&surface, &FillSettings::tets(2000))?;
/// assert!((report.tets as f64 / 2000.0 - 1.0).abs() < 0.1);
/// assert!((mesh.volume() / ball.volume() - 1.0).abs() < 0.05);
/// # Ok(())
/// # }
/// ```
pub fn fill(surface: &Surface, settings: &FillSettings) -> Result<(TetMesh, FillReport), FillError> {
    fill_with(surface, settings, &mut |_| true)
}

/// The same with a callback at each stage.
pub fn fill_with(
    surface: &Surface,
    settings: &FillSettings,
    progress: OnProgress,
) -> Result<(TetMesh, FillReport), FillError> {
    settings.check()?;
    if !progress(Progress { stage: Stage::Clean, pass: 0, done: 0.0 }) {
        return Err(FillError::Stopped);
    }
    let exec = settings.exec();
    let watch = crate::exec::Stopwatch::start();
    let (mesh, mut report) = exec.install(|| {
        let mut clean = clean::clean(*surface, settings.cavities)?;
        search::with_inside_out(&mut clean, settings, &exec, progress)
    })?;
    report.seconds = watch.seconds();
    Ok((mesh, report))
}

/// Fills an implicit shape: what lies where `field` (a function of a position in m) is negative, within `bounds` (lowest and highest corner
/// in m). The field should be near to a signed distance close to the surface; its sign is what counts.
pub fn fill_field(
    field: &(dyn Fn([f64; 3]) -> f64 + Sync),
    bounds: [[f64; 3]; 2],
    settings: &FillSettings,
    progress: OnProgress,
) -> Result<(TetMesh, FillReport), FillError> {
    settings.check()?;
    let diagonal = (0..3).map(|c| (bounds[1][c] - bounds[0][c]).powi(2)).sum::<f64>().sqrt();
    if !(error::LEAST_DIAGONAL..=error::MOST_DIAGONAL).contains(&diagonal)
        || (0..3).any(|c| !(bounds[0][c].is_finite() && bounds[0][c] < bounds[1][c]))
    {
        return Err(FillError::Extent { diagonal });
    }
    let exec = settings.exec();
    let watch = crate::exec::Stopwatch::start();
    let shape = Shape::Field { field, bounds };
    let (mesh, mut report) = exec.install(|| search::fill(&shape, settings, &exec, progress))?;
    report.seconds = watch.seconds();
    Ok((mesh, report))
}

/// Thickness of a surface's inside and the sizes that give numbers of tetrahedra: what `supple mesh info` says of a surface.
pub fn measure(surface: &Surface, tets: &[usize]) -> Result<SurfaceReport, FillError> {
    let settings = FillSettings::default();
    let exec = settings.exec();
    exec.install(|| {
        let clean = clean::clean(*surface, Cavities::Keep)?;
        let ways = report::thicknesses(&clean, &exec);
        let mut out = FillReport::default();
        out.cleaned(&clean);
        let shape = Shape::triangles(&clean);
        let volume = search::volume(&shape, &exec);
        Ok(SurfaceReport {
            closed: clean.closed(),
            volume: volume.max(0.0),
            thickness: search::quantiles(&ways),
            sizes: tets.iter().map(|&n| search::guess(volume, clean.area(), n, Kind::Conform)).collect(),
            cleaned: out.notes(),
        })
    })
}

/// What [`measure`] finds.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceReport {
    /// Whether all edges are shared by triangles that run through them both ways.
    pub closed: bool,
    /// Volume inside in m³, from the lattice if the surface is open.
    pub volume: f64,
    /// Thickness below 5 %, 50 % of the surface in m, if it has any.
    pub thickness: Option<[f64; 2]>,
    /// Lattice sizes in m for the numbers of tetrahedra asked for.
    pub sizes: Vec<f64>,
    /// What cleaning did, in words.
    pub cleaned: Vec<String>,
}
