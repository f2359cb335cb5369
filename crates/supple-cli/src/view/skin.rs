//! What is seen of a scene: the vertices on surfaces and along springs, without the nodes inside.
use std::collections::BTreeSet;

use supple::scene::Program;
use supple::scene::file::SceneFile;

use super::command::Field;
use crate::export::crease::Creased;
use crate::export::shell::Shell;
use crate::export::{Frame, Model};
use crate::show::{
    dress::dress,
    model,
    obstacles::{corners, with_obstacles},
    skins,
};

/// What is seen of a body.
pub(crate) struct SkinBody {
    /// Its name.
    pub name: String,
    /// True for what bodies bump into: it is seen, but cannot be pulled.
    pub obstacle: bool,
    /// True for what one sees through.
    pub glass: bool,
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
    /// Nodes with anchors.
    anchored: BTreeSet<u32>,
    /// For each vertex of the shell the body's node that carries it: itself, or of a detailed surface the one with the largest weight.
    carriers: Vec<u32>,
}

/// What is seen of all bodies; vertices are numbered over all of them in order.
pub(crate) struct Skin {
    /// The bodies.
    pub bodies: Vec<SkinBody>,
    /// Place of each vertex among those of [`places`].
    nodes: Vec<u32>,
    /// Node that carries each vertex, counted over all bodies.
    carriers: Vec<u32>,
    /// Tetrahedra, by nodes counted over all bodies.
    tets: Vec<Vec<u32>>,
    /// Triangles of sheets, alike.
    triangles: Vec<[u32; 3]>,
}

/// Positions of all nodes, after them of the vertices of detailed surfaces, and then of the corners of obstacles, in m.
pub(crate) fn places(program: &Program) -> Vec<[f64; 3]> {
    let mut all = program.simulation.positions();
    // They were bound to these bodies, so that they fit.
    all.extend(skins::positions(program, &all).unwrap_or_default());
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
        Skin::new((model, model), frame, &|_| None, |_, first| held(first))
    }

    /// Of a program as it is and as its scene wants it to look, with obstacles, all pins and anchors.
    pub fn of_program(program: &Program, file: &SceneFile) -> Skin {
        let bodies = model(program);
        let mut seen = with_obstacles(skins::with_skins(bodies.clone(), program), program);
        dress(&mut seen, file);
        let positions = places(program);
        let frame = Frame {
            index: 0,
            time: 0.0,
            positions: &positions,
            velocities: &[],
            element_fields: &[],
            normals: &[],
        };
        let carriers = |body: usize| {
            let skin = program.bodies.get(body)?.skin.as_ref()?;
            let heaviest = |(nodes, weights): (&[u32; 4], &[f64; 4])| {
                let most = nodes.iter().zip(weights).max_by(|a, b| a.1.total_cmp(b.1));
                most.map_or(0, |(node, _)| *node)
            };
            Some(skin.embedding.nodes().iter().zip(skin.embedding.weights()).map(heaviest).collect())
        };
        Skin::new((&bodies, &seen), &frame, &carriers, |body, _| {
            let look = program.bodies.get(body);
            let set = |ids: &Vec<u32>| ids.iter().copied().collect::<BTreeSet<u32>>();
            look.map(|l| (set(&l.pins), set(&l.anchors))).unwrap_or_default()
        })
    }

    /// `bodies` are those that are simulated, `model` what is seen; `carriers` gives the nodes that carry the vertices of a detailed surface;
    /// `held`, for a body and its first node, its pinned and anchored nodes.
    fn new(
        (bodies, model): (&Model, &Model),
        frame: &Frame<'_>,
        carriers: &dyn Fn(usize) -> Option<Vec<u32>>,
        held: impl Fn(usize, usize) -> (BTreeSet<u32>, BTreeSet<u32>),
    ) -> Skin {
        let triangles = bodies.sheet_triangles().collect();
        let tets = bodies.tet_nodes().collect();
        let (nodes, of) = (Vec::new(), Vec::new());
        let mut skin = Skin { bodies: Vec::new(), nodes, carriers: of, tets, triangles };
        for (number, (shell, body)) in Shell::all(model).into_iter().zip(&model.bodies).enumerate() {
            let positions: Vec<[f64; 3]> = shell.positions(body, frame).collect();
            let drawn = Creased::new(&shell, &positions, body.sheet.is_some());
            let (pins, anchors) = held(number, body.first_node);
            let own: Vec<u32> = match carriers(number) {
                Some(of) => shell.nodes.iter().map(|&v| of.get(v as usize).copied().unwrap_or(0)).collect(),
                None => shell.nodes.clone(),
            };
            let on_skin = |set: &BTreeSet<u32>| {
                let at = own.iter().enumerate().filter(|(_, node)| set.contains(node));
                at.map(|(vertex, _)| vertex as u32).collect()
            };
            skin.nodes.extend(shell.nodes.iter().map(|n| body.first_node as u32 + n));
            // Obstacles carry themselves.
            let first = bodies.bodies.get(number).map_or(body.first_node, |b| b.first_node);
            skin.carriers.extend(own.iter().map(|n| first as u32 + n));
            skin.bodies.push(SkinBody {
                name: body.name.clone(),
                obstacle: body.obstacle,
                glass: body.glass,
                colour: body.colour,
                pins: on_skin(&pins),
                anchors: on_skin(&anchors),
                anchored: anchors,
                carriers: own,
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
        let seen = self.bodies.get(body)?;
        Some((body, *seen.carriers.get(at - seen.shell.first)?))
    }

    /// Place of a vertex among those of [`places`].
    pub fn place(&self, vertex: u32) -> Option<u32> {
        self.nodes.get(vertex as usize).copied()
    }

    /// Nodes of a body that are seen, or carry what is seen; ascending.
    pub fn nodes_of(&self, body: usize) -> Vec<u32> {
        let mut nodes = self.bodies.get(body).map_or_else(Vec::new, |b| b.carriers.clone());
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// True if the scene has an anchor at a node of a body, seen from outside.
    pub fn anchored(&self, body: usize, node: u32) -> bool {
        self.bodies.get(body).is_some_and(|b| b.anchored.contains(&node) && b.carriers.contains(&node))
    }

    /// Positions of the vertices among those of all nodes, see [`places`].
    pub fn positions<'a>(&'a self, nodes: &'a [[f64; 3]]) -> impl Iterator<Item = [f64; 3]> + 'a {
        self.nodes.iter().map(|&n| nodes.get(n as usize).copied().unwrap_or_default())
    }

    /// A field at the vertices. Those of elements are means over the tetrahedra and triangles of sheets around; not a number where there
    /// are none.
    pub fn field(&self, field: Field, velocities: &[[f64; 3]], elements: &[[f64; 2]]) -> Vec<f32> {
        let column: fn(&[f64; 2]) -> f64 = match field {
            Field::Velocity => {
                let speed = |v: [f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt() as f32;
                let of = |&n: &u32| speed(velocities.get(n as usize).copied().unwrap_or_default());
                return self.carriers.iter().map(of).collect();
            }
            Field::Stretch => |values| values[0],
            Field::Stress => |values| values[1],
        };
        let most = self.tets.iter().flatten().chain(&self.carriers).max().map_or(0, |&n| n as usize + 1);
        let mut sums = vec![(0.0, 0_u32); most];
        let all = self.tets.iter().map(|t| &t[..]).chain(self.triangles.iter().map(|t| &t[..]));
        for (element, values) in all.zip(elements) {
            let value = column(values);
            for &node in element.iter().filter(|_| value.is_finite()) {
                if let Some((sum, count)) = sums.get_mut(node as usize) {
                    *sum += value;
                    *count += 1;
                }
            }
        }
        let sum = |&n: &u32| sums.get(n as usize).copied().unwrap_or_default();
        self.carriers.iter().map(sum).map(|(s, n)| (s / f64::from(n)) as f32).collect()
    }
}
