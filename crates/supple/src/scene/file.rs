//! What a scene file says: one structure per table, with the meaning, unit and default of each key.
//!
//! `parse.rs` reads the text, `place.rs` turns shapes, transforms and selections into nodes, `program.rs` runs it. The
//! same comments become the JSON schema and `docs/scene-format.md` explains them with examples.

use super::collide::CollideTable;
pub use super::contract::{Contract, ContractKey};
use super::link_table::{AttachTable, SlideTable, StitchTable};
pub use super::material_table::{MaterialTable, OneOrMany};
use super::obstacle::ObstacleTable;
pub use super::output::{CameraTable, ColourText, LabelText, ObstacleLook, Output, Pattern, Quality};
use super::sheet::ClothTable;
use super::{Averaging, Damping, Limit, SpringKind};
pub use crate::mesh::Limb;
use crate::mesh::shapes::Split;
use crate::settings::{
    Acceleration, ContactMethod, DualStart, FirstHessian, Integrator, Method, SolveSettings, Start, Sweep,
    WeightRule, Wind,
};
use serde::{Deserialize, Serialize};

/// A scene: bodies, what holds and moves them, how to solve, what to write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SceneFile {
    /// Version of the format: 1.
    pub version: u32,
    /// Time stepping.
    #[serde(default)]
    pub time: Time,
    /// The world around the bodies.
    #[serde(default)]
    pub world: World,
    /// How each step is solved.
    #[serde(default)]
    pub solve: Solve,
    /// The bodies.
    pub body: Vec<Body>,
    /// Nodes that are held exactly, or moved exactly by a script.
    #[serde(default)]
    pub pin: Vec<Pin>,
    /// Nodes that are held, or moved, by springs of zero length.
    #[serde(default)]
    pub anchor: Vec<Anchor>,
    /// Fibres that contract.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contract: Vec<Contract>,
    /// Bodies that touch each other; without it they pass through each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collide: Option<CollideTable>,
    /// What bodies cannot enter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub obstacle: Vec<ObstacleTable>,
    /// Nodes that slide on something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slide: Vec<SlideTable>,
    /// Nodes that are attached to something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attach: Vec<AttachTable>,
    /// Nodes of two bodies that are stitched together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stitch: Vec<StitchTable>,
    /// What a run writes.
    #[serde(default)]
    pub output: Output,
}

/// Time stepping. Give `dt` or `fps`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Time {
    /// Length of a frame in s. Default 0.04.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dt: Option<f64>,
    /// Frames per second, instead of `dt`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// Frames of a run. Default 50.
    pub frames: u64,
    /// Time steps per frame. Default 1.
    pub substeps: u32,
    /// The scheme. Default `backward_euler`.
    pub integrator: Integrator,
    /// Whether bodies move in time, or are at rest in each frame. Default `dynamic`.
    pub mode: Mode,
}

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Time steps.
    #[default]
    Dynamic,
    /// The equilibrium with pins, anchors, obstacles and muscles as they are at that time; inertia is left out.
    Static,
}

impl Pin {
    /// Which coordinates it holds.
    pub fn held(&self) -> [bool; 3] {
        match &self.axes {
            None => [true; 3],
            Some(axes) => [AxisName::X, AxisName::Y, AxisName::Z].map(|a| axes.contains(&a)),
        }
    }
}

impl Default for Time {
    fn default() -> Self {
        Time {
            dt: None,
            fps: None,
            frames: 50,
            substeps: 1,
            integrator: Integrator::default(),
            mode: Mode::default(),
        }
    }
}

/// The world around the bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct World {
    /// Acceleration of gravity in m/s². Default [0, −9.8, 0].
    pub gravity: [f64; 3],
    /// Wind on sheets; none by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wind: Option<Wind>,
    /// Rate at which velocities die away in 1/s, 0 to 1e6. Default 0.
    pub damping: f64,
}

impl Default for World {
    fn default() -> Self {
        World { gravity: [0.0, -9.8, 0.0], wind: None, damping: 0.0 }
    }
}

/// How each step is solved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Solve {
    /// The method: `auto`, `admm`, `projective`, `position`, `quasi_newton` or `newton`. Default `auto`.
    pub method: Method,
    /// Most iterations per step. Default 200.
    pub iterations: usize,
    /// Tolerance at which a step stops early; 0 never stops early. Default 1e-6.
    pub tolerance: f64,
    /// Most wall-clock time per step in ms; none by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_budget_ms: Option<f64>,
    /// Rule for the weights: `robust`, `bulk`, `auto` or `shear`. Default `robust`.
    pub weight_rule: WeightRule,
    /// Factor of the weights. Default 1.
    pub weight_scale: f64,
    /// Where a step's iteration starts: `inertia` or `best`. Default `best`.
    pub start: Start,
    /// How the dual variables of `admm` start: `zero` or `stress`. Default `stress`.
    pub dual_start: DualStart,
    /// Acceleration of `admm`: `none`, `anderson`, `over_relaxation` or `chebyshev`. Default `anderson`.
    pub acceleration: Acceleration,
    /// Steps that Anderson acceleration looks back, 1 to 10. Default 6.
    pub memory: usize,
    /// Factor of over-relaxation, between 0 and 2. Default 1.6.
    pub relaxation: f64,
    /// Spectral radius that Chebyshev's method assumes, below 1. Default 0.9.
    pub spectral_radius: f64,
    /// Steps that L-BFGS looks back, 0 to 32. Default 8.
    pub history: usize,
    /// First Hessian of `quasi_newton`: `matrix` or `identity`. Default `matrix`.
    pub first_hessian: FirstHessian,
    /// Order of `position`: `gauss_seidel` or `jacobi`. Default `gauss_seidel`.
    pub sweep: Sweep,
    /// How `admm` carries contact with obstacles: `delassus`, `local`, `uzawa` or `nodal`. Default `delassus`.
    pub contact: ContactMethod,
    /// Sweeps of projection onto hard constraints at the end of a step that has not converged, up to 1000. Default 20.
    pub projections: usize,
    /// Threads; 0 takes all of the machine. Default 0.
    pub threads: usize,
}

impl Default for Solve {
    fn default() -> Self {
        Solve::from(&SolveSettings::default())
    }
}

impl From<&SolveSettings> for Solve {
    fn from(s: &SolveSettings) -> Solve {
        Solve {
            method: s.method,
            iterations: s.iterations,
            tolerance: s.tolerance,
            time_budget_ms: s.time_budget.map(|t| 1e3 * t),
            weight_rule: s.weight_rule,
            weight_scale: s.weight_scale,
            start: s.start,
            dual_start: s.dual_start,
            acceleration: s.acceleration,
            memory: s.memory,
            relaxation: s.relaxation,
            spectral_radius: s.spectral_radius,
            history: s.history,
            first_hessian: s.first_hessian,
            sweep: s.sweep,
            contact: s.contact,
            projections: s.projections,
            threads: s.threads,
        }
    }
}

impl From<&Solve> for SolveSettings {
    fn from(s: &Solve) -> SolveSettings {
        SolveSettings {
            method: s.method,
            iterations: s.iterations,
            tolerance: s.tolerance,
            time_budget: s.time_budget_ms.map(|ms| 1e-3 * ms),
            weight_rule: s.weight_rule,
            weight_scale: s.weight_scale,
            start: s.start,
            dual_start: s.dual_start,
            acceleration: s.acceleration,
            memory: s.memory,
            relaxation: s.relaxation,
            spectral_radius: s.spectral_radius,
            history: s.history,
            first_hessian: s.first_hessian,
            sweep: s.sweep,
            contact: s.contact,
            projections: s.projections,
            threads: s.threads,
        }
    }
}

/// A body: a shape or a mesh file, placed, made of a material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Its name, used by pins, anchors and outputs.
    pub name: String,
    /// A built-in shape. Give this or `mesh`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    /// A mesh file, relative to the scene file: tetrahedra for a solid, triangles for a sheet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<String>,
    /// Fills a surface with tetrahedra: then a mesh file of triangles is a solid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<FillTable>,
    /// The detailed surface that a solid carries and that is drawn and exported: `true` for the surface that was filled, or a mesh file
    /// with triangles, placed like the body. None by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skin: Option<SkinChoice>,
    /// What touches obstacles: `tets` (default), the body's nodes, or `skin`, the vertices of its skin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<ContactPart>,
    /// What a solid or a sheet is made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<MaterialTable>,
    /// Springs, rods or ropes along the edges of a net or rope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub springs: Option<Springs>,
    /// What makes a sheet, besides its material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cloth: Option<ClothTable>,
    /// Order of a solid's elements: 1 (default), tetrahedra of four nodes, or 2, of ten nodes, which bend without locking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// True averages the strain of a solid over patches of elements, so that it neither locks nor, of order 1, is too stiff; `"thin"` for bodies of
    /// one or two cells that bend. Default false.
    #[serde(default, skip_serializing_if = "Averaging::is_off")]
    pub average: Averaging,
    /// Strain limit of a solid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// Rayleigh damping; none by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<Damping>,
    /// Moves the shape, in m; after `scale` and `rotate`.
    #[serde(default)]
    pub translate: [f64; 3],
    /// Turns the shape about the origin; after `scale`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotate: Option<Rotation>,
    /// Scales the shape about the origin: one factor, or one per axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scale>,
    /// Where and how fast it starts, if not at rest.
    #[serde(default)]
    pub start: StartState,
    /// Its colour in pictures and exports. Default: the next of eight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<ColourText>,
    /// A pattern that moves with the body, so that the motion of smooth bodies is seen: `plain` (default), `stripes` or `checker`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Pattern>,
    /// Text beside it in pictures: `true` for its name, or the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<LabelText>,
    /// Other materials for parts of a solid, later ones first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub region: Vec<Region>,
}

/// How a surface is filled. Give `size` or `tets`, or neither for a size of a thirtieth of the bounding box's diagonal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct FillTable {
    /// Length of the lattice's long edges in m, > 0, after `scale`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<f64>,
    /// About this number of tetrahedra, within a tenth where the shape allows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tets: Option<usize>,
    /// `conform` (default: nodes on the surface), `grow` (a little beyond it) or `cage` (whole lattice tetrahedra).
    pub kind: crate::mesh::fill::Kind,
    /// `keep` (default) or `fill` shells that face inwards and lie in others.
    pub cavities: crate::mesh::fill::Cavities,
    /// Parts that share no face: `all` (default) or the `largest`.
    pub parts: crate::mesh::fill::PartsKept,
}

/// What of a body touches obstacles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ContactPart {
    /// The nodes of its tetrahedra.
    Tets,
    /// The vertices of its skin.
    Skin,
}

/// The skin of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum SkinChoice {
    /// The surface that was filled, or none.
    Own(bool),
    /// A mesh file with triangles, relative to the scene file.
    File(String),
}

/// Springs along the edges of a net or rope.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Springs {
    /// Stiffness of each in N/m, > 0. Rods and ropes need none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// Mass of the whole body in kg, > 0.
    pub mass: f64,
    /// Rest length as a share of the length at the start. Default 1.
    #[serde(default = "one")]
    pub rest: f64,
    /// What they are: `spring` (default), `tension` (only pulls), `rod` (exactly the length) or `rope` (at most the length).
    #[serde(default)]
    pub kind: SpringKind,
}

fn one() -> f64 {
    1.0
}

/// Order of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "u32", into = "u32")]
pub enum Order {
    /// Nodes at corners.
    #[default]
    One,
    /// Nodes on edges too.
    Two,
}

impl TryFrom<u32> for Order {
    type Error = String;
    fn try_from(n: u32) -> Result<Self, String> {
        match n {
            1 => Ok(Order::One),
            2 => Ok(Order::Two),
            _ => Err(format!("elements have order 1 or 2, not {n}")),
        }
    }
}

impl From<Order> for u32 {
    fn from(o: Order) -> u32 {
        if o == Order::Two { 2 } else { 1 }
    }
}

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

/// One factor, or one per axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a number, or three: one per axis")]
pub enum Scale {
    /// The same along all axes.
    Uniform(f64),
    /// Along x, y and z.
    PerAxis([f64; 3]),
}

/// A rotation about an axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rotation {
    /// `x`, `y`, `z`, or a direction.
    pub axis: Axis,
    /// Angle in degrees.
    pub angle: f64,
}

/// An axis by name or by direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected \"x\", \"y\", \"z\" or a direction of three numbers")]
pub enum Axis {
    /// `"x"`, `"y"` or `"z"`.
    Named(AxisName),
    /// A direction.
    Direction([f64; 3]),
}

/// A coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AxisName {
    /// (1, 0, 0).
    X,
    /// (0, 1, 0).
    Y,
    /// (0, 0, 1).
    Z,
}

/// Where and how fast a body starts. Positions change in the order of the keys here, starting from the placed rest shape.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct StartState {
    /// Stretches along x, y and z about the centre of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch: Option<[f64; 3]>,
    /// Twists about an axis through the centre: no turn at one end, `angle` at the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twist: Option<Rotation>,
    /// All nodes at one point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collapse: Option<[f64; 3]>,
    /// All nodes at random places in the body's bounding box.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub randomise: Option<Randomise>,
    /// Velocity of all nodes in m/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[f64; 3]>,
    /// Angular velocity about the centre in rad/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spin: Option<[f64; 3]>,
}

/// Random places, repeatable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Randomise {
    /// Any whole number; the same one gives the same places.
    pub seed: u64,
}

/// Another material for a part of a solid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Elements whose centre is selected (`ids` are numbers of elements).
    pub select: Select,
    /// Their material; its density counts too.
    pub material: MaterialTable,
    /// Their colour in pictures, where a box or a sphere selects them: `"#rrggbb"`, or three numbers from 0 to 1. Default: the body's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<ColourText>,
}

/// Which nodes, of the placed rest shape. Give one of them.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Select {
    /// By number, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<u32>>,
    /// Inside of a box, its border included.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub in_box: Option<BoxSelect>,
    /// Inside of a sphere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sphere: Option<SphereSelect>,
    /// On the side of a plane that its normal points to, the plane included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plane: Option<PlaneSelect>,
    /// A named group of the mesh file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// All of them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// Looks at the vertices of the skin instead of the nodes: what carries the selected ones is meant.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub skin: bool,
}

/// A box from `min` to `max`, in m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BoxSelect {
    /// Lowest corner.
    pub min: [f64; 3],
    /// Highest corner.
    pub max: [f64; 3],
}

/// A sphere, in m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SphereSelect {
    /// Its centre.
    pub centre: [f64; 3],
    /// Its radius.
    pub radius: f64,
}

/// A plane, in m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlaneSelect {
    /// A point on it.
    pub point: [f64; 3],
    /// Where it points to.
    pub normal: [f64; 3],
}

/// Nodes held or moved exactly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The body.
    pub body: String,
    /// Its nodes.
    pub select: Select,
    /// Which of their coordinates; all of them unless given. `["y"]` holds them on a plane of symmetry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axes: Option<Vec<AxisName>>,
    /// Where they go; they stay if this is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub motion: Vec<Keyframe>,
}

/// Nodes held or moved by springs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    /// The body.
    pub body: String,
    /// Its nodes.
    pub select: Select,
    /// Stiffness per node in N/m, > 0.
    pub stiffness: f64,
    /// Where the targets go; they stay if this is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub motion: Vec<Keyframe>,
}

/// Where selected nodes are at a time, relative to their start: turned about `centre`, then moved. Between keyframes
/// both are interpolated, before the first and after the last they are held.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// When, in s, later than the keyframe before.
    pub time: f64,
    /// Displacement in m.
    #[serde(default)]
    pub translate: [f64; 3],
    /// Turn; several whole turns are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotate: Option<Rotation>,
    /// Centre of the turn in m; by default the mean of the selected nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centre: Option<[f64; 3]>,
}
