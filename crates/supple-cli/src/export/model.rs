//! What is exported: a model that is constant over a run, and frames of it.
use std::sync::Arc;

use supple::mesh::Attributes;
use supple::mesh::drawn::NONE;
use supple::scene::file::Select;

use super::ExportError;

/// The bodies of a run.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// Bodies, in the order of their nodes.
    pub bodies: Vec<ModelBody>,
    /// Nodes that are held, counted over all bodies. Pictures draw them as small balls.
    pub pins: Vec<u32>,
}

/// What pictures show on a body besides its colour; it moves with the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pattern {
    /// Nothing.
    #[default]
    Plain,
    /// Stripes across its longest side.
    Stripes,
    /// A checker.
    Checker,
    /// Lines along its longest side.
    Fibres,
}

/// A body: a solid has tetrahedra and a surface, a cloth a surface alone, a net or rope edges alone.
#[derive(Debug, Clone, Default)]
pub struct ModelBody {
    /// Name for people; any text.
    pub name: String,
    /// Its first node among those of all bodies.
    pub first_node: usize,
    /// How many nodes it has.
    pub nodes: usize,
    /// Tetrahedra, by the body's own nodes.
    pub tets: Vec<[u32; 4]>,
    /// Nodes on the edges of the tetrahedra (a, b, c, d), those of ab, bc, ac, ad, bd, cd; empty for order 1.
    pub mids: Vec<[u32; 6]>,
    /// Triangles, counter-clockwise seen from outside, by the body's own nodes.
    pub surface: Vec<[u32; 3]>,
    /// Springs, by the body's own nodes.
    pub edges: Vec<[u32; 2]>,
    /// Colour, sRGB from 0 to 1.
    pub colour: [f32; 3],
    /// True for what bodies bump into.
    pub obstacle: bool,
    /// A pattern of pictures.
    pub pattern: Pattern,
    /// True for what pictures let one see through.
    pub glass: bool,
    /// Parts of it with other colours in pictures; boxes and spheres of the first frame count, later ones win.
    pub parts: Vec<(Select, [f32; 3])>,
    /// Thickness of a sheet in m.
    pub sheet: Option<f64>,
    /// Text beside it in pictures.
    pub label: Option<String>,
    /// What is on a surface besides its shape; its triangles are those of `surface`.
    pub attributes: Option<Arc<Attributes>>,
    /// The first of its attributes' normals among those of all bodies.
    pub first_normal: usize,
}

/// The state of all nodes at one time.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// Number of the frame; 0 is the state before the first step. It names the files of a sequence and must increase.
    pub index: u64,
    /// Time in s; must increase.
    pub time: f64,
    /// Positions of all nodes, m. The same number in each frame.
    pub positions: &'a [[f64; 3]],
    /// Velocities of all nodes, m/s; may be empty.
    pub velocities: &'a [[f64; 3]],
    /// Named fields with one value per tetrahedron, over all bodies in order, and then per triangle of each sheet. The same fields in
    /// each frame.
    pub element_fields: &'a [(&'static str, Vec<f64>)],
    /// The normals of all bodies' attributes as they are now, one body after another.
    pub normals: &'a [[f64; 3]],
}

impl Model {
    /// How many nodes the bodies reach.
    pub fn nodes(&self) -> usize {
        self.bodies.iter().map(|b| b.first_node + b.nodes).max().unwrap_or(0)
    }

    /// Tetrahedra of all bodies.
    pub fn tets(&self) -> usize {
        self.bodies.iter().map(|b| b.tets.len()).sum()
    }

    /// All nodes of each tetrahedron, those on edges too, by the nodes of all bodies.
    pub fn tet_nodes(&self) -> impl Iterator<Item = Vec<u32>> + '_ {
        let of = |b: &ModelBody, e: usize| {
            let on = b.mids.get(e).map(|&on| b.global(on));
            b.global(b.tets[e]).into_iter().chain(on.into_iter().flatten()).collect()
        };
        self.bodies.iter().flat_map(move |b| (0..b.tets.len()).map(move |e| of(b, e)))
    }

    /// Triangles of sheets, by the nodes of all bodies.
    pub fn sheet_triangles(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        let sheets = self.bodies.iter().filter(|b| b.tets.is_empty() && !b.obstacle);
        sheets.flat_map(|b| b.surface.iter().map(|&t| b.global(t)))
    }

    /// Refuses indices out of range, so that no format needs to look again.
    pub fn check(&self) -> Result<(), ExportError> {
        for body in &self.bodies {
            let end = body.first_node.checked_add(body.nodes);
            if !end.is_some_and(|end| u32::try_from(end).is_ok()) {
                let name = &body.name;
                return Err(ExportError::Model(format!("body {name:?} has more nodes than can be counted")));
            }
            let nodes = body.nodes as u32;
            check_cells(body, "tetrahedron", &body.tets, nodes)?;
            check_cells(body, "tetrahedron", &body.mids, nodes)?;
            if !body.mids.is_empty() && body.mids.len() != body.tets.len() {
                let (mids, tets) = (body.mids.len(), body.tets.len());
                let name = &body.name;
                return Err(ExportError::Model(format!(
                    "nodes on the edges of {mids} of {tets} tetrahedra of body {name:?}"
                )));
            }
            check_cells(body, "triangle", &body.surface, nodes)?;
            check_cells(body, "spring", &body.edges, nodes)?;
            check_attributes(body)?;
        }
        let nodes = self.nodes();
        match self.pins.iter().find(|&&pin| pin as usize >= nodes) {
            Some(pin) => {
                Err(ExportError::Model(format!("node {pin} is pinned, but there are {nodes} nodes")))
            }
            None => Ok(()),
        }
    }

    /// The body of a node and its number there, in words.
    pub(super) fn place(&self, node: usize) -> String {
        let holds = |b: &&ModelBody| node >= b.first_node && node - b.first_node < b.nodes;
        match self.bodies.iter().find(holds) {
            Some(body) => format!("node {} of body {:?}", node - body.first_node, body.name),
            None => "of no body".to_owned(),
        }
    }
}

impl ModelBody {
    /// A cell of the body by nodes counted over all bodies.
    pub(crate) fn global<const N: usize>(&self, cell: [u32; N]) -> [u32; N] {
        cell.map(|node| self.first_node as u32 + node)
    }

    /// Cloth is seen from both sides, obstacles from outside.
    pub(super) fn two_sided(&self) -> bool {
        self.tets.is_empty() && !self.obstacle
    }

    /// The number of the normal of each vertex among those of the body, if each has one.
    pub(super) fn vertex_normals(&self) -> Option<Vec<u32>> {
        self.attributes.as_ref()?.normals.by_vertex(&self.surface, self.nodes)
    }

    /// The same of its texture coordinates.
    pub(super) fn vertex_uvs(&self) -> Option<Vec<u32>> {
        self.attributes.as_ref()?.uvs.by_vertex(&self.surface, self.nodes)
    }
}

impl Frame<'_> {
    /// The normals of a body's attributes.
    pub(super) fn normals_of(&self, body: &ModelBody) -> &[[f64; 3]] {
        let count = body.attributes.as_ref().map_or(0, |a| a.normals.values.len());
        self.normals.get(body.first_normal..body.first_normal + count).unwrap_or(&[])
    }

    /// The positions of a body; empty if the frame does not have them.
    pub(super) fn of(&self, body: &ModelBody) -> &[[f64; 3]] {
        self.positions.get(body.first_node..body.first_node + body.nodes).unwrap_or(&[])
    }
}

/// Lists are of all triangles or of none, and name values that are there.
fn check_attributes(body: &ModelBody) -> Result<(), ExportError> {
    let Some(a) = body.attributes.as_deref() else { return Ok(()) };
    let triangles = body.surface.len();
    let fits = |of: &[u32], n: usize| of.iter().all(|&i| i == NONE || (i as usize) < n);
    let lengths = [a.uvs.of.len(), a.normals.of.len(), a.materials.of.len(), a.groups.of.len()];
    let sound = lengths.iter().all(|&n| n == 0 || n == triangles)
        && fits(a.uvs.of.as_flattened(), a.uvs.values.len())
        && fits(a.normals.of.as_flattened(), a.normals.values.len())
        && fits(&a.materials.of, a.materials.names.len())
        && fits(&a.groups.of, a.groups.names.len());
    match sound {
        true => Ok(()),
        false => {
            Err(ExportError::Model(format!("the attributes of body {:?} do not fit its surface", body.name)))
        }
    }
}

fn check_cells<const N: usize>(
    body: &ModelBody,
    what: &str,
    cells: &[[u32; N]],
    nodes: u32,
) -> Result<(), ExportError> {
    match cells.iter().position(|cell| cell.iter().any(|&node| node >= nodes)) {
        None => Ok(()),
        Some(index) => Err(ExportError::Model(format!(
            "{what} {index} of body {:?} is {:?}, but the body has {nodes} nodes",
            body.name, cells[index]
        ))),
    }
}
