//! Why a surface could not be filled, and what to do about it.

/// Why a surface could not be filled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FillError {
    /// No vertices or no triangles.
    #[error("the surface is empty: it has {vertices} vertices and {triangles} triangles")]
    Empty {
        /// Vertices.
        vertices: usize,
        /// Triangles.
        triangles: usize,
    },
    /// More items than 32-bit numbers count.
    #[error("{count} {what} are too many: simplify the surface first")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// A vertex is not finite.
    #[error("vertex {vertex}: its position {position:?} is not finite; remove it or repair the file")]
    NotFinite {
        /// Number of the vertex.
        vertex: usize,
        /// Its position.
        position: [f64; 3],
    },
    /// A triangle names a vertex that is not there.
    #[error("triangle {triangle}: vertex {vertex} does not exist (the surface has {vertices} vertices)")]
    Index {
        /// Number of the triangle.
        triangle: usize,
        /// The vertex that it names.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// The surface is smaller or larger than anything that can be meant in metres.
    #[error(
        "the surface is {diagonal:.3e} m across, which is {} than can be simulated ({:e} m to {:e} m): lengths are in metres; scale it",
        if *diagonal < 1.0 { "less" } else { "more" }, LEAST_DIAGONAL, MOST_DIAGONAL
    )]
    Extent {
        /// Diagonal of its bounding box in m.
        diagonal: f64,
    },
    /// All triangles lie in one plane, or have no area.
    #[error(
        "the surface is flat: {reason}, so that there is nothing to fill; simulate it as a sheet (`cloth`)"
    )]
    Flat {
        /// What makes it flat.
        reason: String,
    },
    /// A setting is out of range.
    #[error("`{name}` {reason}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// What is wrong with it, and what would do.
        reason: String,
    },
    /// Nothing lies inside of the surface.
    #[error("nothing lies inside of the surface: {reason}")]
    NoInside {
        /// Why, and what to do.
        reason: String,
    },
    /// The lattice would not fit into memory.
    #[error(
        "a size of {size:.3e} m needs a lattice of {nodes:.3e} nodes, about {:.1} GiB, more than the {:.1} GiB that may be used: take a size of at least {enough:.3e} m, fewer tetrahedra, or raise `memory`",
        *bytes / GIB, *memory as f64 / GIB
    )]
    Memory {
        /// Size of the lattice in m.
        size: f64,
        /// Nodes that it would have.
        nodes: f64,
        /// Bytes that it would take.
        bytes: f64,
        /// Bytes that may be taken.
        memory: u64,
        /// A size in m that would fit.
        enough: f64,
    },
    /// The progress callback asked to stop.
    #[error("stopped")]
    Stopped,
}

const GIB: f64 = (1u64 << 30) as f64;
/// Smallest diagonal that is taken, in m.
pub(super) const LEAST_DIAGONAL: f64 = 1e-9;
/// Largest diagonal that is taken, in m.
pub(super) const MOST_DIAGONAL: f64 = 1e9;
