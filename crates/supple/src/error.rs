//! What can go wrong, named so that a person finds the place.

/// A number, or something else that was given, with which a material, a shape or the like cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
#[non_exhaustive]
pub struct ParameterError {
    /// Name of the parameter, as the function and scene files call it.
    pub name: &'static str,
    /// What was given.
    pub value: String,
    /// What is wrong with it, as a sentence that names it.
    pub reason: String,
}

impl ParameterError {
    /// Of a parameter, what was given for it, and what is wrong with that.
    pub fn new(name: &'static str, value: impl std::fmt::Debug, reason: impl Into<String>) -> ParameterError {
        ParameterError { name, value: format!("{value:?}"), reason: reason.into() }
    }
}

impl From<ParameterError> for String {
    fn from(e: ParameterError) -> String {
        e.reason
    }
}

/// A scene or a setting that cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// A setting is out of its range.
    #[error("setting `{name}`: {reason}")]
    Setting {
        /// Dotted name of the setting.
        name: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// A setting that can only be chosen when the simulation is built.
    #[error("setting `{name}` cannot change while the simulation runs")]
    Fixed {
        /// Dotted name of the setting.
        name: &'static str,
    },
    /// Something about a body as a whole.
    #[error("body `{body}`: {reason}")]
    Body {
        /// Name of the body.
        body: String,
        /// What is wrong.
        reason: String,
    },
    /// A node of a body.
    #[error("body `{body}`: node {node}: {reason}")]
    Node {
        /// Name of the body.
        body: String,
        /// Number of the node within the body, from 0.
        node: usize,
        /// What is wrong.
        reason: String,
    },
    /// An element of a body.
    #[error("body `{body}`: element {element}: {reason}")]
    Element {
        /// Name of the body.
        body: String,
        /// Number of the element within the body, from 0.
        element: usize,
        /// What is wrong.
        reason: String,
    },
    /// There is no such body.
    #[error("there is no body number {0}")]
    NoBody(usize),
    /// An obstacle.
    #[error("obstacle `{obstacle}`: {reason}")]
    Obstacle {
        /// Its name.
        obstacle: String,
        /// What is wrong.
        reason: String,
    },
    /// There is no such obstacle.
    #[error("there is no obstacle number {obstacle} (there are {count}, numbered from 0)")]
    NoObstacle {
        /// The number asked for.
        obstacle: usize,
        /// How many there are.
        count: usize,
    },
    /// Things that have entered each other, where that is refused.
    #[error(
        "{count} intersections at the start: {first}; move them apart, or let them be resolved (`intersecting`)"
    )]
    Intersecting {
        /// How many.
        count: usize,
        /// The first of them, in words.
        first: String,
    },
    /// Sliding constraints, attachments or stitches.
    #[error("{kind} {link}: {reason}")]
    Link {
        /// `slide`, `attach` or `stitch`.
        kind: &'static str,
        /// Number of the group of links.
        link: usize,
        /// What is wrong.
        reason: String,
    },
    /// There is no such group of links.
    #[error("there is no group of links number {link} (there are {count}, numbered from 0)")]
    NoLink {
        /// The number asked for.
        link: usize,
        /// How many there are.
        count: usize,
    },
    /// There is nothing to simulate.
    #[error("the scene has no body")]
    Empty,
    /// The system matrix could not be factored.
    #[error("the system matrix could not be factored: {0}")]
    Factor(String),
}

/// A step that could not be taken. The state is that of the last good step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A node's position became infinite or not a number.
    #[error(
        "body `{body}`: node {node} is no longer finite{}; the state before the step is kept",
        element.as_ref().map(|e| format!(" (first seen in {e})")).unwrap_or_default()
    )]
    NonFinite {
        /// Name of the body.
        body: String,
        /// Number of the node within the body.
        node: usize,
        /// The first element that was not finite, in words.
        element: Option<String>,
    },
    /// The energy became infinite or not a number, though every position is finite: numbers overflow, or a law has no lower bound.
    #[error(
        "body `{body}`: node {node}, which moves fastest, has left the range where the energy of its element and its own are finite \
         (elastic {elastic:e} J, kinetic {kinetic:e} J in all); the state before the step is kept"
    )]
    Energy {
        /// Name of the body.
        body: String,
        /// Number of the node within the body.
        node: usize,
        /// Elastic energy of everything in J.
        elastic: f64,
        /// Kinetic energy of everything in J.
        kinetic: f64,
    },
    /// A script sends a pin or an anchor to a place that is not finite.
    #[error("{0}; the state before the step is kept")]
    Target(String),
    /// An observer said [`Control::Discard`](crate::Control::Discard).
    #[error("the step was discarded; the state before it is kept")]
    Discarded,
}

impl StepError {
    /// A target of a script that is not finite.
    pub(crate) fn target(e: &BuildError) -> StepError {
        StepError::Target(e.to_string())
    }
}

/// Bytes that are not a checkpoint of this simulation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// They do not start like a checkpoint.
    #[error("not a supple checkpoint")]
    NotACheckpoint,
    /// A version that this library does not read.
    #[error("checkpoint version {found} is not supported (this library reads version {supported})")]
    Version {
        /// Version in the file.
        found: u32,
        /// Version that is read.
        supported: u32,
    },
    /// Cut short, or with something behind its end.
    #[error("the checkpoint has {found} bytes instead of {expected}")]
    Length {
        /// Bytes found.
        found: u64,
        /// Bytes announced.
        expected: u64,
    },
    /// Damaged.
    #[error("the checkpoint is damaged: its checksum does not match")]
    Checksum,
    /// Whole, but with numbers that no simulation writes.
    #[error("the checkpoint holds a number that is not finite or out of range")]
    Content,
    /// Of another scene.
    #[error("the checkpoint belongs to another scene: {0}")]
    OtherScene(&'static str),
}
