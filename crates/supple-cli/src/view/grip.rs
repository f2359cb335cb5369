//! Points that viewers hold. A held point is a soft anchor at each of the vertices around it, of about the stiffness that the
//! system matrix has there: firm, implicit like every other force, and so stable however far it is pulled.
//!
//! An anchor needs a new matrix. It is factored in the background; a few frames later the simulation with the anchor takes over.
use std::collections::BTreeSet;

use supple::scene::Program;

use super::skin::Skin;

/// How much stiffer than the matrix at its node an anchor is.
const FIRM: f64 = 4.0;
/// How many can be held at a time, by all viewers.
pub const MOST: usize = 8;

/// A point that a viewer holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Grip {
    /// The viewer.
    pub viewer: u64,
    /// The body.
    pub body: usize,
    /// Its nodes, and the stiffness of the anchor of each in N/m.
    pub nodes: Vec<(u32, f64)>,
    /// Where the nodes are from the point by which they are held, in m.
    pub offsets: Vec<[f64; 3]>,
    /// Where that point is to be, in m.
    pub target: [f64; 3],
}

impl Grip {
    /// Holds vertices of the surface at a point. Nodes that are pinned or anchored already are left out.
    pub(crate) fn new(
        viewer: u64,
        vertices: &[u32],
        at: [f64; 3],
        program: &Program,
        skin: &Skin,
        others: &[Grip],
    ) -> Result<Grip, String> {
        if others.len() >= MOST {
            return Err(format!("{MOST} points are held already"));
        }
        let places: Option<BTreeSet<(usize, u32)>> = vertices.iter().map(|&v| skin.node(v)).collect();
        let places = places.ok_or("there is no such vertex")?;
        let body = places.first().map_or(0, |p| p.0);
        if skin.bodies.get(body).is_some_and(|b| b.obstacle) {
            return Err("an obstacle cannot be pulled".into());
        }
        let first = program.simulation.bodies().get(body).map_or(0, |b| b.first_node);
        let taken = |id: u32| {
            skin.anchored(body, id)
                || others.iter().any(|g| g.body == body && g.nodes.iter().any(|n| n.0 == id))
        };
        let (mut nodes, mut offsets) = (Vec::new(), Vec::new());
        for (_, id) in places.into_iter().filter(|p| p.0 == body && !taken(p.1)) {
            let stiffness = program.simulation.node_stiffness(body, id).map_err(|e| e.to_string())?;
            let place = program.simulation.position(first + id as usize);
            if let (Some(k), Some(x)) = (stiffness, place) {
                nodes.push((id, FIRM * k));
                offsets.push(std::array::from_fn(|c| x[c] - at[c]));
            }
        }
        if nodes.is_empty() {
            return Err("this point is held already, by a pin, an anchor or someone else".into());
        }
        Ok(Grip { viewer, body, nodes, offsets, target: at })
    }

    /// Sends the anchors to where they belong; nothing happens before a program has them.
    pub fn pull(&self, program: &mut Program) {
        let targets: Vec<[f64; 3]> =
            self.offsets.iter().map(|o| std::array::from_fn(|c| self.target[c] + o[c])).collect();
        let ids: Vec<u32> = self.nodes.iter().map(|n| n.0).collect();
        let _ = program.simulation.move_anchors(self.body, &ids, &targets);
    }
}
