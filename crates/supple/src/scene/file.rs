//! What a scene file says: one structure per table, with the meaning, unit and default of each key.
//!
//! `parse.rs` reads the text, `place.rs` turns shapes, transforms and selections into nodes, `program.rs` runs it. The
//! same comments become the JSON schema and `docs/scene-format.md` explains them with examples.

pub use super::body::{Body, ContactPart, FillTable, Order, Region, SkinChoice, Springs};
use super::collide::CollideTable;
pub use super::contract::{Contract, ContractKey};
use super::link_table::{AttachTable, SlideTable, StitchTable};
pub use super::material_table::{MaterialTable, OneOrMany};
pub use super::motion::Keyframe;
use super::obstacle::ObstacleTable;
pub use super::output::{CameraTable, ColourText, LabelText, ObstacleLook, Output, Pattern, Quality};
pub use super::select::{BoxSelect, PlaneSelect, Select, SphereSelect};
pub use super::shape::{Shape, SplitNumber};
pub use super::start::{Randomise, StartState};
pub use crate::mesh::Limb;
use crate::settings::{Integrator, SolveSettings, WorldSettings};
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
    pub world: WorldSettings,
    /// How each step is solved.
    #[serde(default)]
    pub solve: SolveSettings,
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
