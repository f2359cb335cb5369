//! Which parts of bodies may come near each other, kept until one of them leaves the room that it was given.
//!
//! Each node has a box: its way through a step with some room around it. Lists of pairs whose boxes come within reach hold for
//! every way inside of these boxes, so all searches of a step go through lists, and a scene at rest never makes new ones.

use super::bvh::{Bounds, NOTHING, Tree, around, join};
use super::continuous::Kind;
use super::surfaces::Skin;
use crate::math::nodes::Row;
use crate::math::small::{dot, sub};

/// Room around the way of a node, as a share of the local edge length; and as much again for so many steps more of the same way. More room makes
/// lists that hold for longer, and that are so long that each look at them costs more than another list.
const ROOM: f64 = 0.1;
const STEPS: f64 = 2.0;

/// The trees of a body.
#[derive(Debug, Default)]
pub(in crate::contact) struct Trees {
    faces: Tree,
    edges: Tree,
    nodes: Vec<u32>,
    numbers: Vec<u32>,
}

/// Lists of pairs.
#[derive(Debug, Default)]
pub(in crate::contact) struct Pairs {
    trees: Vec<Trees>,
    /// Of each node of the system, if it is on a surface: where the lists hold.
    room: Vec<Bounds>,
    boxes: Vec<Bounds>,
    edge_boxes: Vec<Bounds>,
    /// Nodes and triangles, node after node.
    faces: Vec<(u32, u32)>,
    /// Edges and edges, the lower number first.
    pub edges: Vec<(u32, u32)>,
    /// Edges and triangles, of the version that follows: listed when they are asked for.
    pub crossings: Vec<(u32, u32)>,
    crossings_of: u64,
    /// Another one for other lists.
    pub version: u64,
}

fn contains(b: &Bounds, p: [f64; 3]) -> bool {
    (0..3).all(|c| b[0][c] <= p[c] && p[c] <= b[1][c])
}

/// True if two boxes come within a distance of each other.
fn near(a: &Bounds, b: &Bounds, reach: f64) -> bool {
    (0..3).all(|c| a[0][c] - reach <= b[1][c] && b[0][c] - reach <= a[1][c])
}

impl Pairs {
    /// Nodes and triangles, node after node.
    pub fn faces(&self) -> &[(u32, u32)] {
        &self.faces
    }

    /// Bodies that come within reach of a body, itself among them if it may touch itself.
    fn beside(&self, reach: &[f64], within: bool) -> Vec<Vec<usize>> {
        let bounds: Vec<Bounds> = self
            .trees
            .iter()
            .map(|t| t.nodes.iter().fold(NOTHING, |b, &i| join(b, self.room[i as usize])))
            .collect();
        let may = |a: usize, b: usize| a != b || within;
        let beside = |a: usize| {
            (0..bounds.len())
                .filter(|&b| may(a, b) && near(&bounds[a], &bounds[b], reach[a] + reach[b]))
                .collect()
        };
        (0..bounds.len()).map(beside).collect()
    }
}

impl Skin {
    /// The trees of all bodies.
    pub(in crate::contact) fn plant(&mut self, x: &[Row]) {
        let bodies = self.surfaces.closed.len();
        self.pairs.room = vec![NOTHING; x.len()];
        self.give_room(x, x);
        let mut trees: Vec<Trees> = (0..bodies).map(|_| Trees::default()).collect();
        let mut faces: Vec<Vec<u32>> = vec![Vec::new(); bodies];
        for (t, &b) in self.surfaces.body.iter().enumerate() {
            faces[b as usize].push(t as u32);
        }
        for (number, e) in self.edges.iter().enumerate() {
            trees[self.body[e.nodes[0] as usize] as usize].numbers.push(number as u32);
        }
        for &i in &self.nodes {
            trees[self.body[i as usize] as usize].nodes.push(i);
        }
        for (tree, faces) in trees.iter_mut().zip(faces) {
            tree.faces = Tree::over(faces, &self.pairs.boxes);
            tree.edges = Tree::over(tree.numbers.clone(), &self.pairs.edge_boxes);
        }
        self.pairs.trees = trees;
        self.list();
    }

    /// The nodes of a body.
    pub fn nodes_of(&self, body: u32) -> &[u32] {
        &self.pairs.trees[body as usize].nodes
    }

    /// The tree of a body's triangles, and all boxes.
    pub fn faces_of(&self, body: u32) -> (&Tree, &[Bounds]) {
        (&self.pairs.trees[body as usize].faces, &self.pairs.boxes)
    }

    /// Makes lists that hold for a way, unless those that are there do, or if they are `worn`: most of what they have is looked at in vain.
    pub fn pair_up(&mut self, x: &[Row], to: &[Row], worn: bool) {
        let room = &self.pairs.room;
        let holds = |&i: &u32| {
            let i = i as usize;
            contains(&room[i], x[i].xyz()) && contains(&room[i], to[i].xyz())
        };
        if !worn && self.nodes.iter().all(holds) {
            return;
        }
        self.give_room(x, to);
        let (boxes, edge_boxes) = (&self.pairs.boxes, &self.pairs.edge_boxes);
        self.exec.for_each(&mut self.pairs.trees, |_, t| {
            t.faces.refit(boxes);
            t.edges.refit(edge_boxes);
        });
        self.list();
    }

    /// Boxes around the ways of nodes, triangles and edges.
    fn give_room(&mut self, x: &[Row], to: &[Row]) {
        for &i in &self.nodes {
            let i = i as usize;
            let (a, b) = (x[i].xyz(), to[i].xyz());
            let way = dot(sub(b, a), sub(b, a)).sqrt();
            self.pairs.room[i] =
                around([a, b], ROOM * self.length[i] + (STEPS * way).min(ROOM * self.length[i]));
        }
        let of =
            |nodes: &[u32], room: &[Bounds]| nodes.iter().fold(NOTHING, |b, &i| join(b, room[i as usize]));
        let (pairs, triangles, edges) = (&mut self.pairs, &self.surfaces.triangles, &self.edges);
        pairs.boxes.clear();
        pairs.edge_boxes.clear();
        self.exec.collect(triangles.len(), &mut pairs.boxes, |some, out| {
            out.extend(triangles[some].iter().map(|t| of(t, &pairs.room)));
        });
        self.exec.collect(edges.len(), &mut pairs.edge_boxes, |some, out| {
            out.extend(edges[some].iter().map(|e| of(&e.nodes, &pairs.room)));
        });
    }

    /// The lists, in an order that depends on the trees alone.
    fn list(&mut self) {
        let mut pairs = std::mem::take(&mut self.pairs);
        let reach: Vec<f64> = pairs
            .trees
            .iter()
            .map(|t| t.nodes.iter().map(|&i| self.reach(&[i])).fold(0.0, f64::max))
            .collect();
        let beside = pairs.beside(&reach, self.surfaces.within);
        let (trees, boxes, edge_boxes, room) = (&pairs.trees, &pairs.boxes, &pairs.edge_boxes, &pairs.room);
        let body = |i: u32| self.body[i as usize] as usize;
        let wide = |b: &Bounds, by: f64| [b[0].map(|v| v - by), b[1].map(|v| v + by)];
        pairs.faces.clear();
        self.exec.collect(self.nodes.len(), &mut pairs.faces, |some, out| {
            for &p in &self.nodes[some] {
                let own = self.reach(&[p]);
                for &b in &beside[body(p)] {
                    let far = wide(&room[p as usize], own + reach[b]);
                    trees[b].faces.visit(boxes, &far, &mut |t| {
                        let corners = self.surfaces.triangles[t as usize];
                        let within = own + self.reach(&corners);
                        let nodes = [p, corners[0], corners[1], corners[2]];
                        if near(&room[p as usize], &boxes[t as usize], within)
                            && self.may_touch(Kind::Node, &nodes)
                        {
                            out.push((p, t));
                        }
                    });
                }
            }
        });
        pairs.edges.clear();
        self.exec.collect(self.edges.len(), &mut pairs.edges, |some, out| {
            for number in some {
                let e = self.edges[number].nodes;
                let (a, own) = (body(e[0]), self.reach(&e));
                for &b in beside[a].iter().filter(|&&b| b >= a) {
                    let far = wide(&edge_boxes[number], own + reach[b]);
                    trees[b].edges.visit(edge_boxes, &far, &mut |other| {
                        let f = self.edges[other as usize].nodes;
                        let (first, second) = (number.min(other as usize), number.max(other as usize));
                        let again = a == b && other as usize <= number;
                        let within = own + self.reach(&f);
                        if !again
                            && near(&edge_boxes[number], &edge_boxes[other as usize], within)
                            && self.may_touch(Kind::Edge, &[e[0], e[1], f[0], f[1]])
                        {
                            out.push((first as u32, second as u32));
                        }
                    });
                }
            }
        });
        pairs.version += 1;
        self.pairs = pairs;
    }

    /// Makes the list of edges and triangles that may cross.
    pub(in crate::contact) fn list_crossings(&mut self) {
        if self.pairs.crossings_of == self.pairs.version {
            return;
        }
        let mut pairs = std::mem::take(&mut self.pairs);
        let beside = pairs.beside(&vec![0.0; pairs.trees.len()], self.surfaces.within);
        let (trees, boxes, edge_boxes) = (&pairs.trees, &pairs.boxes, &pairs.edge_boxes);
        pairs.crossings.clear();
        self.exec.collect(self.edges.len(), &mut pairs.crossings, |some, out| {
            for number in some {
                let e = self.edges[number].nodes;
                for &b in &beside[self.body[e[0] as usize] as usize] {
                    trees[b].faces.visit(boxes, &edge_boxes[number], &mut |t| {
                        let corners = self.surfaces.triangles[t as usize];
                        if !corners.iter().any(|i| e.contains(i)) {
                            out.push((number as u32, t));
                        }
                    });
                }
            }
        });
        pairs.crossings_of = pairs.version;
        self.pairs = pairs;
    }
}

/// True if some points and others are further than a distance from each other along an axis.
pub(in crate::contact) fn far_apart<const N: usize, const M: usize>(
    a: [[f64; 3]; N],
    b: [[f64; 3]; M],
    reach: f64,
) -> bool {
    let range = |points: &[[f64; 3]], c: usize| {
        points[1..]
            .iter()
            .fold((points[0][c], points[0][c]), |(low, high), p| (low.min(p[c]), high.max(p[c])))
    };
    (0..3).any(|c| {
        let (a, b) = (range(&a, c), range(&b, c));
        a.0 - reach > b.1 || b.0 - reach > a.1
    })
}
