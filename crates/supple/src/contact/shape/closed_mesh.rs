//! A closed triangle mesh as an obstacle.

use crate::contact::detect::bvh::{Bounds, Tree, around};
use crate::contact::detect::nearest_points::triangle_nearest;
use crate::contact::{Surface, SurfacePoint, Touched};
use crate::error::ParameterError;
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
    /// Vertices at the same place count as one where the surface would be open otherwise.
    pub fn new(vertices: Vec<[f64; 3]>, mut triangles: Vec<[u32; 3]>) -> Result<ClosedMesh, ParameterError> {
        if triangles.is_empty() {
            return Err(ParameterError::new("triangles", 0, "its mesh has no triangle"));
        }
        if let Some(i) = vertices.iter().position(|p| !p.iter().all(|v| v.abs() <= 1e9)) {
            return Err(ParameterError::new(
                "vertices",
                vertices[i],
                format!("vertex {i} of its mesh is not within ±1e9 m"),
            ));
        }
        let mut faces = Vec::with_capacity(triangles.len());
        for (f, t) in triangles.iter().enumerate() {
            if let Some(v) = t.iter().find(|v| **v as usize >= vertices.len()) {
                return Err(ParameterError::new(
                    "triangles",
                    v,
                    format!("triangle {f} of its mesh names vertex {v}, of {}", vertices.len()),
                ));
            }
            let [a, b, c] = t.map(|v| vertices[v as usize]);
            let n = cross(sub(b, a), sub(c, a));
            let length = dot(n, n).sqrt();
            if !(length > 0.0) {
                return Err(ParameterError::new(
                    "triangles",
                    t,
                    format!("triangle {f} of its mesh has no area"),
                ));
            }
            faces.push(scale(1.0 / length, n));
        }
        let mut faults = EdgeFaults::of(&triangles);
        if faults.open.1 > 0 {
            weld(&vertices, &mut triangles);
            faults = EdgeFaults::of(&triangles);
        }
        faults.check(&vertices)?;
        let volume: f64 = triangles
            .iter()
            .map(|t| t.map(|v| sub(vertices[v as usize], vertices[triangles[0][0] as usize])))
            .map(|[a, b, c]| dot(a, cross(b, c)) / 6.0)
            .sum();
        if !(volume > 0.0) {
            return Err(ParameterError::new(
                "triangles",
                volume,
                format!(
                    "its mesh is inside out: it encloses {volume:.3e} m³; turn its triangles, so that they are counter-clockwise from outside"
                ),
            ));
        }
        let mut sides: HashMap<[u32; 2], u32> = HashMap::new();
        for (f, t) in triangles.iter().enumerate() {
            for k in 0..3 {
                sides.insert([t[k], t[(k + 1) % 3]], f as u32);
            }
        }
        let mut edges = HashMap::new();
        let mut corners = vec![[0.0; 3]; vertices.len()];
        for (f, t) in triangles.iter().enumerate() {
            for k in 0..3 {
                let (i, j, l) = (t[k], t[(k + 1) % 3], t[(k + 2) % 3]);
                // There is one: all edges have been looked at.
                let other = sides.get(&[j, i]).copied().unwrap_or(f as u32);
                edges.insert([i.min(j), i.max(j)], add(faces[f], faces[other as usize]));
                // A corner's normal weighs the faces by their angles there.
                let [p, q, r] = [i, j, l].map(|v| vertices[v as usize]);
                let (u, v) = (sub(q, p), sub(r, p));
                let cosine = dot(u, v) / (dot(u, u) * dot(v, v)).sqrt();
                let angle = crate::math::elementary::acos(cosine.clamp(-1.0, 1.0));
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

/// Edges that keep a surface from being closed: the first of each kind by its ends, and how many there are.
#[derive(Default)]
struct EdgeFaults {
    /// One triangle only.
    open: ([u32; 2], usize),
    /// Two triangles that have it in the same direction: one of them is turned the wrong way.
    turned: ([u32; 2], usize),
    /// More than two triangles.
    crowded: ([u32; 2], usize),
}

impl EdgeFaults {
    fn of(triangles: &[[u32; 3]]) -> EdgeFaults {
        // Both ends, and whether it goes from the lower to the upper one.
        let mut edges: Vec<([u32; 2], bool)> = Vec::with_capacity(3 * triangles.len());
        for t in triangles {
            for k in 0..3 {
                let (i, j) = (t[k], t[(k + 1) % 3]);
                edges.push(([i.min(j), i.max(j)], i < j));
            }
        }
        edges.sort_unstable();
        let mut faults = EdgeFaults::default();
        for same in edges.chunk_by(|a, b| a.0 == b.0) {
            let fault = match same {
                [_] => &mut faults.open,
                [a, b] if a.1 == b.1 => &mut faults.turned,
                [_, _] => continue,
                _ => &mut faults.crowded,
            };
            if fault.1 == 0 {
                fault.0 = same[0].0;
            }
            fault.1 += 1;
        }
        faults
    }

    /// In words, if there are any.
    fn check(&self, vertices: &[[f64; 3]]) -> Result<(), ParameterError> {
        let one = |(ends, count): ([u32; 2], usize), what: [&str; 3]| {
            let [a, b] = ends.map(|v| vertices[v as usize]);
            let edges = if count == 1 { "edge" } else { "edges" };
            (count > 0).then(|| {
                let [is, has, hint] = what;
                let [i, j] = ends;
                format!("its mesh is {is}: {count} {edges} {has}, the first from vertex {i} at {a:?} to {j} at {b:?}; {hint}")
            })
        };
        let told = [
            one(self.open, ["not closed", "with one triangle only", "close its holes"]),
            one(
                self.turned,
                ["not oriented alike", "between triangles that face different ways", "turn one side of each"],
            ),
            one(self.crowded, ["no simple surface", "with more than two triangles", "take inner walls out"]),
        ];
        let told: Vec<String> = told.into_iter().flatten().collect();
        match told.is_empty() {
            true => Ok(()),
            false => Err(ParameterError::new("triangles", told.len(), told.join("; and "))),
        }
    }
}

/// Lets triangles share vertices that are at the same place, as those of files with a normal or a colour per corner do not.
fn weld(vertices: &[[f64; 3]], triangles: &mut [[u32; 3]]) {
    let mut first: HashMap<[u64; 3], u32> = HashMap::new();
    for v in triangles.iter_mut().flatten() {
        // −0 and 0 are equal.
        let key = vertices[*v as usize].map(|c| (c + 0.0).to_bits());
        *v = *first.entry(key).or_insert(*v);
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
    fn touched(&self) -> Touched {
        Touched::ByFaces
    }
    fn triangles(&self) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        (self.vertices.clone(), self.triangles.clone())
    }
}
