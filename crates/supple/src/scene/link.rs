//! Sliding constraints, attachments and stitches of a scene.
#![allow(
    clippy::indexing_slicing,
    reason = "bodies and nodes are checked by `entry`, triangles are those of the skin itself"
)]

use super::{BodyId, Content, ObstacleId, Scene};
use crate::contact::{Carrier, Curve, Guide, Link, Skin, Tets};
use crate::error::BuildError;
use crate::sim::Group;
use std::sync::Arc;

/// Number of a group of links in its scene: all that one call has made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinkId(pub usize);

/// What nodes slide on, without friction and from both sides.
#[derive(Clone, Debug, PartialEq)]
pub enum SlideOn {
    /// A plane through a point in m, with a normal of any length.
    Plane([f64; 3], [f64; 3]),
    /// A line through a point in m, with a direction of any length.
    Line([f64; 3], [f64; 3]),
    /// A polyline through points in m, joined to a ring if the second says so. The ends of an open one go on without end.
    Curve(Vec<[f64; 3]>, bool),
    /// The surface of another body, at a distance along its normal in m; `None` keeps the distance that each node has.
    Surface(BodyId, Option<f64>),
}

/// What nodes are attached to.
#[derive(Clone, Debug, PartialEq)]
pub enum AttachTo {
    /// The place where they are; [`Simulation::move_link`](crate::Simulation::move_link) moves it.
    Place,
    /// An obstacle, which may move; with a place of it for each node, in m in the obstacle's own frame, or where they are.
    Obstacle(ObstacleId, Option<Vec<[f64; 3]>>),
    /// Another body, where they are: the tetrahedron around each node, or the one next to it, carries it. Of a sheet the nearest
    /// point, to which they come.
    Body(BodyId),
    /// A point of another body: up to four nodes and their weights, which sum to one.
    Point(BodyId, Vec<(u32, f64)>),
}

/// Weights of a point that is further from a tetrahedron than this many times its size are refused.
const FARTHEST: f64 = 50.0;

/// The links of a scene.
#[derive(Default)]
pub(super) struct LinkList {
    pub links: Vec<Link>,
    pub groups: Vec<Group>,
    /// Bodies whose surfaces are slid on.
    skins: Vec<usize>,
}

impl Scene {
    /// Keeps nodes of a body on a plane, a line, a curve or the surface of another body. `breaking` is the force in N above which
    /// the link of a node breaks.
    pub fn slide(
        &mut self,
        body: BodyId,
        ids: &[u32],
        on: SlideOn,
        breaking: Option<f64>,
    ) -> Result<LinkId, BuildError> {
        let wrong = self.wrong("slide");
        let guides = match on {
            SlideOn::Plane(point, normal) => {
                let normal = direction(point, normal).map_err(&wrong)?;
                vec![Guide::Plane(point, normal); ids.len()]
            }
            SlideOn::Line(point, along) => {
                let along = direction(point, along).map_err(&wrong)?;
                vec![Guide::Line(point, along); ids.len()]
            }
            SlideOn::Curve(points, closed) => {
                let curve = Arc::new(Curve::new(points, closed).map_err(|e| wrong(e.reason))?);
                vec![Guide::Curve(curve); ids.len()]
            }
            SlideOn::Surface(other, distance) => {
                self.entry(body, ids)?;
                if other == body {
                    return Err(wrong("a body cannot slide on its own surface".into()));
                }
                if distance.is_some_and(|d| !(d.abs() <= 1e9)) {
                    return Err(wrong("the distance must be a number within ±1e9 m".into()));
                }
                let skin = self.skin(other, &wrong)?;
                let positions = &self.bodies[body.0].positions;
                let there = &self.bodies[other.0].positions;
                let number = self.links.skins.iter().position(|&b| b == other.0);
                let number = number.unwrap_or(self.links.skins.len()) as u32;
                let mut guides = Vec::with_capacity(ids.len());
                for &i in ids {
                    let p = positions[i as usize];
                    let near = skin.nearest(p, |v| there[v as usize]);
                    let near =
                        near.ok_or_else(|| wrong("the surface has no triangle with an area".into()))?;
                    let corner = there[skin.triangles()[near.triangle][0] as usize];
                    let height = (0..3).map(|c| near.normal[c] * (p[c] - corner[c])).sum();
                    guides.push(Guide::Surface(number, distance.unwrap_or(height)));
                }
                if number as usize == self.links.skins.len() {
                    self.links.skins.push(other.0);
                }
                guides
            }
        };
        self.link("slide", body, ids, guides, None, breaking)
    }

    /// Attaches nodes of a body to a place, an obstacle or another body. `breaking` is the force in N above which the link of a
    /// node breaks.
    pub fn attach(
        &mut self,
        body: BodyId,
        ids: &[u32],
        to: AttachTo,
        breaking: Option<f64>,
    ) -> Result<LinkId, BuildError> {
        self.entry(body, ids)?;
        let wrong = self.wrong("attach");
        let here = |i: &u32| self.bodies[body.0].positions[*i as usize];
        let mut carrier = None;
        let guides: Vec<Guide> = match to {
            AttachTo::Place => ids.iter().map(here).map(Guide::Point).collect(),
            AttachTo::Obstacle(id, places) => {
                if id.0 >= self.obstacles.len() {
                    return Err(BuildError::NoObstacle { obstacle: id.0, count: self.obstacles.len() });
                }
                carrier = Some(Carrier::Obstacle(id.0 as u32));
                let places = places.unwrap_or_else(|| ids.iter().map(here).collect());
                if places.len() != ids.len() || !places.iter().flatten().all(|v| v.abs() <= 1e9) {
                    return Err(wrong("a place within ±1e9 m is needed for each node".into()));
                }
                places.into_iter().map(Guide::Point).collect()
            }
            AttachTo::Body(other) => {
                if other == body {
                    return Err(wrong("a body cannot be attached to itself".into()));
                }
                let points: Vec<[f64; 3]> = ids.iter().map(here).collect();
                self.points_of(other, &points, true, &wrong)?
            }
            AttachTo::Point(other, nodes) => {
                let ids_there: Vec<u32> = nodes.iter().map(|n| n.0).collect();
                self.entry(other, &ids_there)?;
                if nodes.is_empty() || nodes.len() > 4 {
                    return Err(wrong(format!("a point has one to four nodes, not {}", nodes.len())));
                }
                let sum: f64 = nodes.iter().map(|n| n.1).sum();
                if !((sum - 1.0).abs() <= 1e-9 && nodes.iter().all(|n| n.1.abs() <= FARTHEST)) {
                    return Err(wrong(format!("the weights of a point must sum to one, not {sum}")));
                }
                let first = self.first_node(other);
                let (mut at, mut weights) = ([first + nodes[0].0; 4], [0.0; 4]);
                for (k, (i, w)) in nodes.iter().enumerate() {
                    (at[k], weights[k]) = (first + i, *w);
                }
                vec![Guide::Nodes(at, weights); ids.len()]
            }
        };
        self.link("attach", body, ids, guides, carrier, breaking)
    }

    /// Stitches nodes of two bodies together, pair by pair; nodes that are apart come together little by little. `breaking` is the
    /// force in N above which a stitch breaks.
    pub fn stitch(
        &mut self,
        body: BodyId,
        other: BodyId,
        pairs: &[[u32; 2]],
        breaking: Option<f64>,
    ) -> Result<LinkId, BuildError> {
        let (ids, there): (Vec<u32>, Vec<u32>) = pairs.iter().map(|p| (p[0], p[1])).unzip();
        self.entry(body, &ids)?;
        self.entry(other, &there)?;
        if let Some(p) = pairs.iter().find(|p| body == other && p[0] == p[1]) {
            return Err(self.wrong("stitch")(format!("node {} cannot be stitched to itself", p[0])));
        }
        let first = self.first_node(other);
        let guides = there.iter().map(|i| Guide::Nodes([first + i; 4], [1.0, 0.0, 0.0, 0.0])).collect();
        self.link("stitch", body, &ids, guides, None, breaking)
    }

    /// Stitches nodes of a body to the nearest points of another body's surface. See [`Scene::stitch`].
    pub fn stitch_to_surface(
        &mut self,
        body: BodyId,
        ids: &[u32],
        other: BodyId,
        breaking: Option<f64>,
    ) -> Result<LinkId, BuildError> {
        self.entry(body, ids)?;
        let wrong = self.wrong("stitch");
        if other == body {
            return Err(wrong("a body cannot be stitched to its own surface".into()));
        }
        let points: Vec<[f64; 3]> = ids.iter().map(|&i| self.bodies[body.0].positions[i as usize]).collect();
        let guides = self.points_of(other, &points, false, &wrong)?;
        self.link("stitch", body, ids, guides, None, breaking)
    }

    fn wrong(&self, kind: &'static str) -> impl Fn(String) -> BuildError + use<> {
        let link = self.links.groups.len();
        move |reason| BuildError::Link { kind, link, reason }
    }

    /// Number of the first node of a body.
    fn first_node(&self, body: BodyId) -> u32 {
        self.bodies[..body.0].iter().map(|b| b.positions.len() as u32).sum()
    }

    fn skin(&self, body: BodyId, wrong: &dyn Fn(String) -> BuildError) -> Result<Skin, BuildError> {
        let b = self.bodies.get(body.0).ok_or(BuildError::NoBody(body.0))?;
        let triangles = match &b.content {
            Content::Solid { mesh, .. } => mesh.surface(),
            Content::Cloth { mesh, .. } => mesh.triangles().to_vec(),
            Content::Springs(_) => {
                return Err(wrong(format!("body `{}` is made of springs and has no surface", b.name)));
            }
        };
        Ok(Skin::new(triangles, |i| b.positions[i as usize]))
    }

    /// The points of a body that are next to others: inside of it too if `inside` says so, else of its surface.
    fn points_of(
        &self,
        body: BodyId,
        points: &[[f64; 3]],
        inside: bool,
        wrong: &dyn Fn(String) -> BuildError,
    ) -> Result<Vec<Guide>, BuildError> {
        let skin = self.skin(body, wrong)?;
        let (b, first) = (&self.bodies[body.0], self.first_node(body));
        let none = || wrong("the surface has no triangle with an area".into());
        // Those of order 2 by the eight of order 1 between the same nodes.
        let fine = match &b.content {
            Content::Solid { mesh, .. } if inside => Some(mesh.refined().map_err(|e| wrong(e.to_string()))?),
            _ => None,
        };
        let tets = fine.as_ref().map(|mesh| (Tets::new(mesh.vertices(), mesh.tets()), mesh.tets()));
        let mut guides = Vec::with_capacity(points.len());
        for &p in points {
            let near = || skin.nearest(p, |i| b.positions[i as usize]).ok_or_else(none);
            let Some((tets, list)) = &tets else {
                let near = near()?;
                let [i, j, k] = skin.triangles()[near.triangle].map(|i| first + i);
                let [u, v, w] = near.weights;
                guides.push(Guide::Nodes([i, j, k, k], [u, v, w, 0.0]));
                continue;
            };
            let (tet, weights) = match tets.around(p) {
                Some(found) => found,
                None => {
                    let triangle = skin.triangles()[near()?.triangle];
                    let owner = list.iter().position(|t| triangle.iter().all(|v| t.contains(v)));
                    let tet = owner.ok_or_else(none)?;
                    (tet, tets.weights(tet, p))
                }
            };
            if !weights.iter().all(|w| w.abs() <= FARTHEST) {
                return Err(wrong(format!("a node is too far from body `{}` to be attached to it", b.name)));
            }
            guides.push(Guide::Nodes(list[tet].map(|i| first + i), weights));
        }
        Ok(guides)
    }

    fn link(
        &mut self,
        kind: &'static str,
        body: BodyId,
        ids: &[u32],
        guides: Vec<Guide>,
        carrier: Option<Carrier>,
        breaking: Option<f64>,
    ) -> Result<LinkId, BuildError> {
        self.entry(body, ids)?;
        let (wrong, group) = (self.wrong(kind), self.links.groups.len());
        if ids.is_empty() {
            return Err(wrong("no node is given".into()));
        }
        if let Some(f) = breaking.filter(|f| !(f.is_finite() && *f > 0.0)) {
            return Err(wrong(format!("the breaking force must be positive and finite, not {f} N")));
        }
        let (start, first) = (self.links.links.len(), self.first_node(body));
        let edges = super::obstacle::edges(&self.bodies[body.0]);
        let carrier = carrier.unwrap_or(Carrier::Frame(group as u32));
        for (&i, guide) in ids.iter().zip(guides) {
            self.links.links.push(Link {
                node: first + i,
                edge: edges[i as usize],
                guide,
                carrier,
                breaking: breaking.unwrap_or(f64::INFINITY),
            });
        }
        let links = start..self.links.links.len();
        self.links.groups.push(Group { kind, body: body.0 as u32, links });
        Ok(LinkId(group))
    }

    /// Triangles of the surfaces that links slide on, numbered over all bodies.
    pub(super) fn skins(&self) -> Vec<Vec<[u32; 3]>> {
        let triangles = |&body: &usize| {
            let first = self.first_node(BodyId(body));
            let own = match &self.bodies[body].content {
                Content::Solid { mesh, .. } => mesh.surface(),
                Content::Cloth { mesh, .. } => mesh.triangles().to_vec(),
                Content::Springs(_) => Vec::new(),
            };
            own.into_iter().map(|t| t.map(|i| first + i)).collect()
        };
        self.links.skins.iter().map(triangles).collect()
    }
}

/// The unit vector of a plane or line through a point.
fn direction(point: [f64; 3], along: [f64; 3]) -> Result<[f64; 3], String> {
    if !point.iter().all(|v| v.abs() <= 1e9) {
        return Err(format!("the point must be numbers within ±1e9 m, not {point:?}"));
    }
    let length = along.iter().map(|v| v * v).sum::<f64>().sqrt();
    if !(length.is_finite() && length > 1e-100) {
        return Err(format!("{along:?} is no direction"));
    }
    Ok(along.map(|v| v / length))
}
