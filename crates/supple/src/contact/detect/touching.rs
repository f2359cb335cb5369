//! What may touch obstacles: nodes, and points of skins that nodes carry.

use crate::contact::MOST_NODES;
use crate::math::nodes::Row;

/// A node, or a point of a skin, that may touch obstacles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touching {
    /// Node of the system; of a skin's point the one that carries most of it.
    pub node: u32,
    /// Length of the shortest edge at it in m.
    pub edge: f64,
    /// Of a skin's point, what carries it.
    pub carried: Option<Carried>,
}

/// A point that the corners of a tetrahedron carry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carried {
    /// The corners.
    pub nodes: [u32; 4],
    /// Their weights, which sum to 1.
    pub weights: [f64; 4],
    /// Number of the point among all of the scene.
    pub number: u32,
}

impl Touching {
    /// A node.
    pub fn node(node: u32, edge: f64) -> Touching {
        Touching { node, edge, carried: None }
    }

    /// Where it is.
    pub(in crate::contact) fn at(&self, x: &[Row]) -> [f64; 3] {
        let Some(c) = &self.carried else { return x[self.node as usize].xyz() };
        let mut sum = [0.0; 3];
        for (&node, weight) in c.nodes.iter().zip(c.weights) {
            let p = x[node as usize].xyz();
            (0..3).for_each(|k| sum[k] += weight * p[k]);
        }
        sum
    }

    /// Nodes, weights and their number, as a contact has them.
    pub(in crate::contact) fn row(&self) -> ([u32; MOST_NODES], [f64; MOST_NODES], u8) {
        let (mut nodes, mut weights) = ([self.node; MOST_NODES], [0.0; MOST_NODES]);
        let Some(c) = &self.carried else {
            weights[0] = 1.0;
            return (nodes, weights, 1);
        };
        nodes[..4].copy_from_slice(&c.nodes);
        weights[..4].copy_from_slice(&c.weights);
        (nodes, weights, 4)
    }

    /// The same in every step, and of nothing else.
    pub(in crate::contact) fn key(&self) -> u64 {
        u64::from(self.carried.map_or(self.node, |c| c.number | 1 << 31)) << 32
    }

    /// All nodes.
    pub fn nodes(&self) -> impl Iterator<Item = u32> + use<> {
        let carried = self.carried.map(|c| c.nodes);
        let one = if carried.is_some() { None } else { Some(self.node) };
        carried.into_iter().flatten().chain(one)
    }

    /// With other numbers of nodes; a skin's point then lists the node that carries most of it first among equals.
    pub fn renumber(&self, place: impl Fn(u32) -> u32) -> Touching {
        let carried = self.carried.map(|c| Carried { nodes: c.nodes.map(&place), ..c });
        Touching { node: place(self.node), carried, ..*self }
    }
}
