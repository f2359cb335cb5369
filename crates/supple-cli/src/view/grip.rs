//! Points that viewers hold. A held point is a soft anchor at each of the vertices around it, of about the stiffness that the
//! system matrix has there: firm, implicit like every other force, and so stable however far it is pulled.
//!
//! An anchor needs a new matrix. It is factored in the background; a few frames later the simulation with the anchor takes over.
use std::collections::{BTreeMap, BTreeSet};

use supple::scene::Program;

use super::skin::Skin;
use crate::picture::Bounds;

/// How much stiffer than the matrix at its node the anchor of a grabbed vertex is; those around it are softer.
const FIRM: f64 = 2.0;
/// How far around the point vertices are held too, as a part of the size of the body: one that is pulled alone turns its elements
/// inside out.
const AROUND: f64 = 0.08;
/// How many nodes are held at a point.
const NODES: usize = 48;
/// How far the point is pulled in one frame, as a part of the size of the body.
const FASTEST: f64 = 0.25;
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
    /// Where their middle is from the point by which they are held, in m.
    middle: [f64; 3],
    /// Where that point is pulled to, in m.
    point: [f64; 3],
    /// Where it is to be in the end, in m.
    pub target: [f64; 3],
    /// How far it is pulled in one frame, in m.
    fastest: f64,
    /// What is to be added to where a viewer pulls it: it may pull at the other side's picture of it.
    pub offset: [f64; 3],
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
        let place = |id: u32| program.simulation.position(first + id as usize).unwrap_or_default();
        let on_body = skin.nodes_of(body);
        let mut bounds = Bounds::EMPTY;
        on_body.iter().for_each(|&id| bounds.include(place(id)));
        let radius = AROUND * bounds.diagonal();

        // The grabbed ones as they are, those around the less the farther away they are.
        let mut held: BTreeMap<u32, f64> =
            places.iter().filter(|p| p.0 == body).map(|p| (p.1, 1.0)).collect();
        let mut around: Vec<(f64, u32)> = on_body.iter().map(|&id| (distance(place(id), at), id)).collect();
        around.retain(|(d, _)| *d < radius);
        around.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (d, id) in around.into_iter().take(NODES) {
            held.entry(id).or_insert((1.0 - (d / radius).powi(2)).powi(2).max(1e-3));
        }
        let taken = |id: u32| {
            skin.anchored(body, id)
                || others.iter().any(|g| g.body == body && g.nodes.iter().any(|n| n.0 == id))
        };
        let mut nodes = Vec::new();
        for (id, share) in held.into_iter().filter(|n| !taken(n.0)) {
            let stiffness = program.simulation.node_stiffness(body, id).map_err(|e| e.to_string())?;
            // None: it is pinned.
            if let Some(k) = stiffness {
                nodes.push((id, FIRM * share * k));
            }
        }
        if !nodes.iter().any(|n| places.contains(&(body, n.0))) {
            return Err("this point is held already, by a pin, an anchor or someone else".into());
        }
        let fastest = FASTEST * bounds.diagonal();
        let mut grip =
            Grip { viewer, body, nodes, middle: [0.0; 3], point: at, target: at, fastest, offset: [0.0; 3] };
        let (_, middle) = grip.places(program);
        grip.middle = plus(middle, -1.0, at);
        Ok(grip)
    }

    /// The same point of the same body as another method has it.
    pub fn twin(&self, program: &Program) -> Grip {
        let (_, middle) = self.places(program);
        let point = plus(middle, -1.0, self.middle);
        let offset = plus(plus(self.offset, 1.0, point), -1.0, self.point);
        let target = plus(plus(self.target, 1.0, point), -1.0, self.point);
        Grip { point, target, offset, ..self.clone() }
    }

    /// Pulls it to where the viewer has it.
    pub fn aim(&mut self, to: [f64; 3]) {
        self.target = plus(to, 1.0, self.offset);
    }

    /// Where the nodes are, and their middle, to which each counts as much as it is held.
    fn places(&self, program: &Program) -> (Vec<[f64; 3]>, [f64; 3]) {
        let first = program.simulation.bodies().get(self.body).map_or(0, |b| b.first_node);
        let at = |id: u32| program.simulation.position(first + id as usize).unwrap_or_default();
        let places: Vec<[f64; 3]> = self.nodes.iter().map(|n| at(n.0)).collect();
        let whole: f64 = self.nodes.iter().map(|n| n.1).sum();
        let parts = self.nodes.iter().zip(&places);
        let middle = parts.fold([0.0; 3], |sum, (n, p)| plus(sum, n.1 / whole, *p));
        (places, middle)
    }

    /// Sends the anchors to where they belong in the next frame; before a program has them it has no effect on it.
    pub fn pull(&mut self, program: &mut Program) {
        let way = distance(self.point, self.target);
        let share = if way > self.fastest { self.fastest / way } else { 1.0 };
        let next = plus(self.point, share, plus(self.target, -1.0, self.point));
        // Only the middle is pulled: around it the nodes may turn and stretch, a little in each frame.
        let (places, middle) = self.places(program);
        let shift = plus(plus(next, 1.0, self.middle), -1.0, middle);
        let targets: Vec<[f64; 3]> = places.iter().map(|p| plus(*p, 1.0, shift)).collect();
        let ids: Vec<u32> = self.nodes.iter().map(|n| n.0).collect();
        if program.simulation.move_anchors(self.body, &ids, &targets).is_ok() {
            self.point = next;
        }
    }
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    plus(a, -1.0, b).map(|d| d * d).iter().sum::<f64>().sqrt()
}

/// a + s·b.
fn plus([x, y, z]: [f64; 3], s: f64, [u, v, w]: [f64; 3]) -> [f64; 3] {
    [x + s * u, y + s * v, z + s * w]
}
