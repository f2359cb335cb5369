//! What is seen of the bodies: the nodes of surfaces and springs, without those inside.
use super::{Frame, Model, ModelBody};

/// The visible part of a body, with vertices of its own.
pub(crate) struct Shell {
    /// Its first vertex among those of all shells.
    pub first: usize,
    /// The node, of the body's own, at each vertex.
    pub nodes: Vec<u32>,
    /// The surface by vertices.
    pub triangles: Vec<[u32; 3]>,
    /// The springs by vertices.
    pub edges: Vec<[u32; 2]>,
}

impl Shell {
    fn new(body: &ModelBody, first: usize) -> Self {
        const UNUSED: u32 = u32::MAX;
        let mut vertex = vec![UNUSED; body.nodes];
        for &node in body.surface.iter().flatten().chain(body.edges.iter().flatten()) {
            vertex[node as usize] = 0;
        }
        let mut nodes = Vec::new();
        for (node, vertex) in vertex.iter_mut().enumerate() {
            if *vertex != UNUSED {
                *vertex = nodes.len() as u32;
                nodes.push(node as u32);
            }
        }
        let of = |node: u32| vertex[node as usize];
        let triangles = body.surface.iter().map(|t| t.map(of)).collect();
        let edges = body.edges.iter().map(|e| e.map(of)).collect();
        Self { first, nodes, triangles, edges }
    }

    /// One per body, the vertices of one after those of another.
    pub fn all(model: &Model) -> Vec<Self> {
        let mut first = 0;
        let shell = |body| {
            let shell = Self::new(body, first);
            first += shell.nodes.len();
            shell
        };
        model.bodies.iter().map(shell).collect()
    }

    /// Positions of the vertices in a frame.
    pub fn positions<'a>(
        &'a self,
        body: &'a ModelBody,
        frame: &'a Frame<'_>,
    ) -> impl Iterator<Item = [f64; 3]> + 'a {
        let positions = frame.of(body);
        self.nodes.iter().map(|&node| positions.get(node as usize).copied().unwrap_or_default())
    }
}
