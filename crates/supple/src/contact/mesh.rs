//! A closed triangle mesh as an obstacle.

use super::bvh::{Bounds, Tree, around};
use super::closest::triangle_nearest;
use super::obstacle::{Surface, SurfacePoint};
use crate::math::small::{add, cross, dot, scale, sub};
use std::collections::HashMap;

/// The inside of a closed surface of triangles.
pub struct ClosedMesh {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    /// Normals of faces, edges and corners whose sign tells inside from outside (Bærentzen & Aanæs 2005).
    faces: Vec<[f64; 3]>,
    edges: Edges,
    corners: Vec<[f64; 3]>,
    boxes: Vec<Bounds>,
    tree: Tree,
}

impl ClosedMesh {
    /// Vertices in m, and triangles counter-clockwise from outside; each edge must belong to two of them, once in each direction.
    pub fn new(vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Result<ClosedMesh, String> {
        if triangles.is_empty() {
            return Err("its mesh has no triangle".into());
        }
        if let Some(i) = vertices.iter().position(|p| !p.iter().all(|v| v.abs() <= 1e9)) {
            return Err(format!("vertex {i} of its mesh is not within ±1e9 m"));
        }
        let mut faces = Vec::with_capacity(triangles.len());
        let mut sides: HashMap<[u32; 2], u32> = HashMap::new();
        for (f, t) in triangles.iter().enumerate() {
            if let Some(v) = t.iter().find(|v| **v as usize >= vertices.len()) {
                return Err(format!("triangle {f} of its mesh names vertex {v}, of {}", vertices.len()));
            }
            let [a, b, c] = t.map(|v| vertices[v as usize]);
            let n = cross(sub(b, a), sub(c, a));
            let length = dot(n, n).sqrt();
            if !(length > 0.0) {
                return Err(format!("triangle {f} of its mesh has no area"));
            }
            faces.push(scale(1.0 / length, n));
            for k in 0..3 {
                if sides.insert([t[k], t[(k + 1) % 3]], f as u32).is_some() {
                    return Err(format!("an edge of triangle {f} of its mesh has a triangle there already"));
                }
            }
        }
        let mut edges = HashMap::new();
        let mut corners = vec![[0.0; 3]; vertices.len()];
        for (f, t) in triangles.iter().enumerate() {
            for k in 0..3 {
                let (i, j, l) = (t[k], t[(k + 1) % 3], t[(k + 2) % 3]);
                let Some(&other) = sides.get(&[j, i]) else {
                    return Err(format!(
                        "its mesh is not closed: an edge of triangle {f} belongs to no other"
                    ));
                };
                edges.insert([i.min(j), i.max(j)], add(faces[f], faces[other as usize]));
                // A corner's normal weighs the faces by their angles there.
                let [p, q, r] = [i, j, l].map(|v| vertices[v as usize]);
                let (u, v) = (sub(q, p), sub(r, p));
                let angle = (dot(u, v) / (dot(u, u) * dot(v, v)).sqrt()).clamp(-1.0, 1.0).acos();
                corners[i as usize] = add(corners[i as usize], scale(angle, faces[f]));
            }
        }
        // Vertices that no triangle uses, such as those inside of a solid, are left out of everything.
        let (vertices, triangles, corners, edges) = compact(&vertices, &triangles, &corners, edges);
        let boxes: Vec<Bounds> =
            triangles.iter().map(|t| around(t.map(|v| vertices[v as usize]), 0.0)).collect();
        let tree = Tree::new(&boxes);
        Ok(ClosedMesh { vertices, triangles, faces, edges, corners, boxes, tree })
    }
}

/// Normals by the two ends of an edge.
type Edges = HashMap<[u32; 2], [f64; 3]>;

/// Points or directions.
type Points = Vec<[f64; 3]>;

/// Renumbers the vertices that triangles use.
fn compact(
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    corners: &[[f64; 3]],
    edges: Edges,
) -> (Points, Vec<[u32; 3]>, Points, Edges) {
    let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let new = |v: u32| used.binary_search(&v).map_or(0, |i| i as u32);
    // Numbers keep their order, so the lower end of an edge stays the lower one.
    let edges = edges.into_iter().map(|(e, n)| (e.map(new), n)).collect();
    (
        used.iter().map(|&v| vertices[v as usize]).collect(),
        triangles.iter().map(|t| t.map(new)).collect(),
        used.iter().map(|&v| corners[v as usize]).collect(),
        edges,
    )
}

/// What it is made of; the same text for the same mesh.
impl std::fmt::Debug for ClosedMesh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (vertices, triangles) = (&self.vertices, &self.triangles);
        f.debug_struct("ClosedMesh").field("vertices", vertices).field("triangles", triangles).finish()
    }
}

impl Surface for ClosedMesh {
    fn kind(&self) -> &'static str {
        "mesh"
    }
    fn centre(&self) -> [f64; 3] {
        let [low, high] = around(self.vertices.iter().copied(), 0.0);
        std::array::from_fn(|c| 0.5 * (low[c] + high[c]))
    }
    fn closest(&self, p: [f64; 3]) -> SurfacePoint {
        let mut best = (f64::INFINITY, 0u32);
        self.tree.nearest(&self.boxes, p, &mut |t, most| {
            let near = triangle_nearest(p, self.triangles[t as usize].map(|v| self.vertices[v as usize]));
            if near.distance < most {
                best = (near.distance, t);
            }
            near.distance.min(most)
        });
        let t = self.triangles[best.1 as usize];
        let near = triangle_nearest(p, t.map(|v| self.vertices[v as usize]));
        let on: Vec<u32> = (0..3).filter(|&k| near.weights[k] > 0.0).map(|k| t[k]).collect();
        let face = self.faces[best.1 as usize];
        let told = match on[..] {
            [i] => self.corners[i as usize],
            [i, j] => self.edges.get(&[i.min(j), i.max(j)]).copied().unwrap_or(face),
            _ => face,
        };
        let way = sub(p, near.point);
        let sign = if dot(way, told) < 0.0 { -1.0 } else { 1.0 };
        let size = dot(told, told).sqrt();
        // Right at the surface the way has no direction, or one of rounding.
        let normal = if near.distance > 1e-12 * (1.0 + dot(p, p).sqrt()) {
            scale(sign / near.distance, way)
        } else if size > 0.0 {
            scale(1.0 / size, told)
        } else {
            face
        };
        SurfacePoint { distance: sign * near.distance, normal, point: near.point }
    }
    fn triangles(&self) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        (self.vertices.clone(), self.triangles.clone())
    }
}
