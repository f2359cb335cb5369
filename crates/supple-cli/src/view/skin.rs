//! What is seen of a scene: the vertices on surfaces and along springs, without the nodes inside.
use std::collections::BTreeSet;

use supple::scene::Program;

use super::command::Field;
use crate::commands::run::{
    model,
    obstacles::{corners, with_obstacles},
};
use crate::export::crease::Creased;
use crate::export::shell::Shell;
use crate::export::{Frame, Model};

/// What is seen of a body.
pub(crate) struct SkinBody {
    /// Its name.
    pub name: String,
    /// True for what bodies bump into: it is seen, but cannot be pulled.
    pub obstacle: bool,
    /// Its colour, sRGB from 0 to 1.
    pub colour: [f32; 3],
    /// Vertices, with the surface split at sharp edges; see [`Creased`].
    pub shell: Shell,
    /// The surface as it is drawn.
    pub drawn: Creased,
    /// Vertices that are pinned.
    pub pins: Vec<u32>,
    /// Vertices with anchors.
    pub anchors: Vec<u32>,
}

/// What is seen of all bodies; vertices are numbered over all of them in order.
pub(crate) struct Skin {
    /// The bodies.
    pub bodies: Vec<SkinBody>,
    /// Node of each vertex, counted over all bodies.
    nodes: Vec<u32>,
    /// Tetrahedra, by nodes counted over all bodies.
    tets: Vec<[u32; 4]>,
    /// Triangles of sheets, alike.
    triangles: Vec<[u32; 3]>,
}

/// Positions of all nodes, and after them of the corners of obstacles, in m.
pub(crate) fn places(program: &Program) -> Vec<[f64; 3]> {
    let mut all = program.simulation.positions();
    all.extend(corners(program));
    all
}

impl Skin {
    /// Of a model at its start, with the pins that it shows.
    pub fn of_model(model: &Model, frame: &Frame<'_>) -> Skin {
        let pins: BTreeSet<u32> = model.pins.iter().copied().collect();
        let held = |first: usize| {
            let of = pins.range(first as u32..).map(|p| p - first as u32).collect();
            (of, BTreeSet::new())
        };
        Skin::new(model, frame, |_, first| held(first))
    }

    /// Of a program as it is, with obstacles, all pins and anchors.
    pub fn of_program(program: &Program) -> Skin {
        let model = &with_obstacles(model(program), program);
        let positions = places(program);
        let frame =
            Frame { index: 0, time: 0.0, positions: &positions, velocities: &[], element_fields: &[] };
        Skin::new(model, &frame, |body, _| {
            let look = program.bodies.get(body);
            let set = |ids: &Vec<u32>| ids.iter().copied().collect::<BTreeSet<u32>>();
            look.map(|l| (set(&l.pins), set(&l.anchors))).unwrap_or_default()
        })
    }

    /// `held` gives, for a body and its first node, its pinned and anchored nodes.
    fn new(
        model: &Model,
        frame: &Frame<'_>,
        held: impl Fn(usize, usize) -> (BTreeSet<u32>, BTreeSet<u32>),
    ) -> Skin {
        let triangles = model.sheet_triangles().collect();
        let mut skin = Skin { bodies: Vec::new(), nodes: Vec::new(), tets: Vec::new(), triangles };
        for (number, (shell, body)) in Shell::all(model).into_iter().zip(&model.bodies).enumerate() {
            let positions: Vec<[f64; 3]> = shell.positions(body, frame).collect();
            let drawn = Creased::new(&shell, &positions);
            let (pins, anchors) = held(number, body.first_node);
            let on_skin = |set: &BTreeSet<u32>| {
                let at = shell.nodes.iter().enumerate().filter(|(_, node)| set.contains(node));
                at.map(|(vertex, _)| vertex as u32).collect()
            };
            skin.nodes.extend(shell.nodes.iter().map(|n| body.first_node as u32 + n));
            skin.tets.extend(body.tets.iter().map(|t| t.map(|v| body.first_node as u32 + v)));
            skin.bodies.push(SkinBody {
                name: body.name.clone(),
                obstacle: body.obstacle,
                colour: body.colour,
                pins: on_skin(&pins),
                anchors: on_skin(&anchors),
                drawn,
                shell,
            });
        }
        skin
    }

    /// Vertices of all bodies.
    pub fn vertices(&self) -> usize {
        self.nodes.len()
    }

    /// Body and node of it at a vertex.
    pub fn node(&self, vertex: u32) -> Option<(usize, u32)> {
        let at = vertex as usize;
        let body = self.bodies.iter().rposition(|b| b.shell.first <= at)?;
        let shell = &self.bodies[body].shell;
        Some((body, *shell.nodes.get(at - shell.first)?))
    }

    /// True if the scene has an anchor at a node of a body, seen from outside.
    pub fn anchored(&self, body: usize, node: u32) -> bool {
        self.bodies.get(body).is_some_and(|b| {
            b.shell.nodes.binary_search(&node).is_ok_and(|vertex| b.anchors.contains(&(vertex as u32)))
        })
    }

    /// Positions of the vertices among those of all nodes, see [`places`].
    pub fn positions<'a>(&'a self, nodes: &'a [[f64; 3]]) -> impl Iterator<Item = [f64; 3]> + 'a {
        self.nodes.iter().map(|&n| nodes.get(n as usize).copied().unwrap_or_default())
    }

    /// A field at the vertices. Those of elements are means over the tetrahedra and triangles of sheets around; not a number where there
    /// are none.
    pub fn field(&self, field: Field, velocities: &[[f64; 3]], elements: &[[f64; 2]]) -> Vec<f32> {
        let column = match field {
            Field::Velocity => {
                let speed = |v: [f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt() as f32;
                return self.positions(velocities).map(speed).collect();
            }
            Field::Stretch => 0,
            Field::Stress => 1,
        };
        let most = self.tets.iter().flatten().chain(&self.nodes).max().map_or(0, |&n| n as usize + 1);
        let mut sums = vec![(0.0, 0_u32); most];
        let all = self.tets.iter().map(|t| &t[..]).chain(self.triangles.iter().map(|t| &t[..]));
        for (element, values) in all.zip(elements) {
            if values[column].is_finite() {
                for &node in element {
                    let (sum, count) = &mut sums[node as usize];
                    *sum += values[column];
                    *count += 1;
                }
            }
        }
        self.nodes.iter().map(|&n| sums[n as usize]).map(|(s, n)| (s / f64::from(n)) as f32).collect()
    }
}
