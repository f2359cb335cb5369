//! How large a scene will be, before anything is made.

use super::file::{Body, Order, Shape, SplitNumber};

/// More elements than a body can have.
const MOST_ELEMENTS: f64 = 1e8;
/// Bytes per tetrahedron, per spring, and per node and layer of nodes through the thinnest part (of the factor), from
/// runs of boxes of 9k to 130k nodes, rounded down: what a scene needs at least.
const TETRAHEDRON: f64 = 900.0;
/// Bytes of a tetrahedron of ten nodes, with its four quadrature points.
const TEN_NODES: f64 = 6000.0;
const SPRING: f64 = 250.0;
const NODE_AND_LAYER: f64 = 100.0;

/// What a body will need, about. Numbers that are too large to count are still numbers here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Nodes.
    pub nodes: f64,
    /// Tetrahedra or springs.
    pub elements: f64,
    /// Bytes of memory of a running simulation, at least.
    pub bytes: f64,
}

impl Estimate {
    /// Of a solid from a mesh of which only the numbers are known.
    pub fn of_mesh(nodes: usize, tets: usize) -> Estimate {
        let (nodes, elements) = (nodes as f64, tets as f64);
        Estimate { nodes, elements, bytes: TETRAHEDRON * elements + NODE_AND_LAYER * nodes }
    }

    /// Of a body with a built-in shape; nothing for one with a mesh file.
    pub fn of_body(body: &Body) -> Option<Estimate> {
        let linear = body.shape.as_ref().map(Estimate::of_shape)?;
        Some(if body.order == Some(Order::Two) { linear.of_order_two() } else { linear })
    }

    /// The same with elements of order 2: four quadrature points each, and a node on each of the about 7 edges to a node.
    pub fn of_order_two(self) -> Estimate {
        let nodes = 8.0 * self.nodes;
        let bytes = TEN_NODES * self.elements + NODE_AND_LAYER * nodes;
        Estimate { nodes, elements: self.elements, bytes: bytes.max(self.bytes) }
    }

    fn of_shape(shape: &Shape) -> Estimate {
        let per_cell = |s: SplitNumber| f64::from(u32::from(s));
        match *shape {
            Shape::Box { cells, split, .. } => grid(cells.map(|n| n as f64), per_cell(split)),
            Shape::Beam { length, width, cells, split } => {
                let across = cells as f64;
                let along = (length / width * across).max(1.0);
                grid([if along.is_finite() { along } else { 1.0 }, across, across], per_cell(split))
            }
            Shape::Sphere { cells, .. } => grid([cells as f64; 3], 6.0),
            Shape::Cylinder { cells, along, .. } => grid([along as f64, cells as f64, cells as f64], 6.0),
            Shape::Capsule { cells, along, .. } => {
                let cells = cells as f64;
                grid([along as f64 + cells, cells, cells], 6.0)
            }
            Shape::Torus { cells, around, .. } => grid([around as f64, cells as f64, cells as f64], 6.0),
            // A conforming body has about four to five tetrahedra to a node.
            Shape::Limbs { tets, .. } => Estimate::of_mesh(tets / 4, tets),
            Shape::Cloth { cells, .. } => {
                let [x, z] = cells.map(|n| n as f64);
                net((x + 1.0) * (z + 1.0), 4.0 * x * z)
            }
            Shape::Rope { segments, .. } => net(segments as f64 + 1.0, segments as f64),
        }
    }

    /// Why a body of this size cannot be, if so.
    pub(super) fn refusal(&self) -> Option<String> {
        (self.elements > MOST_ELEMENTS)
            .then(|| format!("is too large: {self}, and at most 1e8 elements are possible"))
    }
}

fn grid(cells: [f64; 3], per_cell: f64) -> Estimate {
    let corners: f64 = cells.iter().map(|n| n + 1.0).product();
    // Around a centre: those of cells and faces too.
    let nodes = if per_cell > 6.0 { 5.0 * corners } else { corners };
    let elements = per_cell * cells.iter().product::<f64>();
    let layers = 1.0 + cells.iter().copied().fold(f64::INFINITY, f64::min);
    Estimate { nodes, elements, bytes: TETRAHEDRON * elements + NODE_AND_LAYER * nodes * layers }
}

fn net(nodes: f64, elements: f64) -> Estimate {
    Estimate { nodes, elements, bytes: SPRING * elements + NODE_AND_LAYER * nodes }
}

/// `about 1331 nodes and 6000 elements, which need at least 6.5 MB of memory`
impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = |n: f64| if n < 1e6 { format!("{n:.0}") } else { format!("{n:.1e}") };
        let (nodes, elements) = (count(self.nodes), count(self.elements));
        write!(f, "about {nodes} nodes and {elements} elements, which need at least {}", memory(self.bytes))
    }
}

/// A number of bytes in words, as `1.5 GB of memory`.
pub fn memory(bytes: f64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB"];
    let step = (crate::math::elementary::log10(bytes.max(1.0)) / 3.0 + 1e-12).floor().clamp(0.0, 5.0);
    let value = bytes / 1000.0_f64.powi(step as i32);
    let value = if value < 10.0 {
        format!("{value:.1}")
    } else if value < 1e5 {
        format!("{value:.0}")
    } else {
        format!("{value:.0e}")
    };
    format!("{value} {} of memory", units.get(step as usize).unwrap_or(&"PB"))
}
