//! Springs, rods and ropes.

/// What joins two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SpringKind {
    /// A spring that pulls and pushes.
    #[default]
    Spring,
    /// A spring that only pulls.
    Tension,
    /// A rigid rod: exactly the length. Its stiffness means nothing.
    Rod,
    /// An inextensible rope: at most the length. Its stiffness means nothing.
    Rope,
}

/// A spring, rod or rope between two nodes of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// The two nodes.
    pub nodes: [u32; 2],
    /// Stiffness in N/m, > 0.
    pub stiffness: f64,
    /// Rest length in m, ≥ 0; `None` takes the distance at the start.
    pub rest_length: Option<f64>,
    /// What it is.
    pub kind: SpringKind,
}

impl Spring {
    /// A spring with a stiffness in N/m that is at rest where it is.
    pub fn new(nodes: [u32; 2], stiffness: f64) -> Spring {
        Spring { nodes, stiffness, rest_length: None, kind: SpringKind::Spring }
    }
    /// A rod of the length that it has at the start.
    pub fn rod(nodes: [u32; 2]) -> Spring {
        Spring { kind: SpringKind::Rod, ..Spring::new(nodes, 1.0) }
    }
    /// A rope of the length that it has at the start.
    pub fn rope(nodes: [u32; 2]) -> Spring {
        Spring { kind: SpringKind::Rope, ..Spring::new(nodes, 1.0) }
    }
}
