//! How good a mesh is for simulation: shapes of elements, closedness of the boundary, parts, and a list of problems.
//!
//! Works on any lists of vertices and elements; elements that name missing nodes are counted as problems and left out.

use std::collections::HashMap;

use super::repair::{duplicates, triangle_area};
use super::{surface, tet_volume};
use crate::math::sets::Sets;

/// Bars of [`Report::histogram`].
pub const BARS: usize = 10;
/// Tetrahedra below this quality slow a solver down and are reported.
const POOR: f64 = 0.1;

/// Smallest, largest and mean of something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
}

impl Range {
    fn of(values: impl Iterator<Item = f64>) -> Option<Range> {
        let (mut min, mut max, mut sum, mut count) = (f64::INFINITY, f64::NEG_INFINITY, 0.0, 0_usize);
        for value in values {
            (min, max, sum, count) = (min.min(value), max.max(value), sum + value, count + 1);
        }
        (count > 0).then(|| Range { min, max, mean: sum / count as f64 })
    }
}

/// The boundary as a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Boundary {
    /// Triangles.
    pub triangles: usize,
    /// Edges of only one triangle: 0 for a closed surface.
    pub open_edges: usize,
    /// Edges of more than two triangles.
    pub non_manifold_edges: usize,
    /// Edges that their two triangles run through in the same direction: one of them faces the wrong way.
    pub flipped_edges: usize,
    /// Separate surfaces: pieces joined by edges.
    pub parts: usize,
}

/// What there is to say about a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Lowest and highest corner of the box around all vertices, in m; zeros for no vertices.
    pub bounds: [[f64; 3]; 2],
    /// Volume of the tetrahedra, or enclosed by a closed surface; in m³.
    pub volume: Option<f64>,
    /// Area of the boundary in m².
    pub area: f64,
    /// Lengths of all edges of elements in m.
    pub edges: Option<Range>,
    /// Quality of the tetrahedra, see [`tet_quality`].
    pub quality: Option<Range>,
    /// Tetrahedra with a quality in [0, 0.1), [0.1, 0.2) … [0.9, 1].
    pub histogram: [usize; BARS],
    /// The tetrahedron of lowest quality.
    pub worst: Option<usize>,
    /// Angles between faces of tetrahedra in radians.
    pub dihedral: Option<Range>,
    /// Parts that share no node.
    pub components: usize,
    /// The boundary of the tetrahedra, or the triangles where there are none.
    pub boundary: Boundary,
    /// What may harm a simulation, one sentence each.
    pub problems: Vec<String>,
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Pairs of corners of a tetrahedron, and of the corners opposite of each.
const EDGES: [[usize; 4]; 6] =
    [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 0, 2], [2, 3, 0, 1]];

/// Mean ratio 12 (3V)^⅔ / Σℓ²: 1 for a regular tetrahedron, 0 for a flat one, negative for an inverted one.
pub fn tet_quality(p: [[f64; 3]; 4]) -> f64 {
    let squares: f64 = EDGES.iter().map(|&[i, j, ..]| sub(p[i], p[j])).map(|e| dot(e, e)).sum();
    let volume = tet_volume(p);
    let ratio = 12.0 * crate::math::elementary::cbrt(3.0 * volume.abs()).powi(2) / squares;
    if ratio.is_finite() { ratio.copysign(volume) } else { 0.0 }
}

/// The six angles between faces, in radians.
pub fn dihedral_angles(p: [[f64; 3]; 4]) -> [f64; 6] {
    EDGES.map(|[i, j, k, l]| {
        // Angle between the parts of the other two edges that are normal to this one.
        let edge = sub(p[j], p[i]);
        let (a, b) = (cross(edge, sub(p[k], p[i])), cross(edge, sub(p[l], p[i])));
        let c = cross(a, b);
        crate::math::elementary::atan2(dot(c, c).sqrt(), dot(a, b))
    })
}

/// The end of the sentence that says how many edges of a surface are open, which is a problem of bodies with an inside alone.
pub const OPEN: &str = "edges are open: the surface is not closed";

/// Looks a mesh over. Without tetrahedra the triangles are the subject.
pub fn inspect(vertices: &[[f64; 3]], tets: &[[u32; 4]], triangles: &[[u32; 3]]) -> Report {
    let mut problems = Vec::new();
    let exists = |v: &u32| (*v as usize) < vertices.len();
    let good_tets: Vec<[u32; 4]> = tets.iter().copied().filter(|t| t.iter().all(exists)).collect();
    let good_triangles: Vec<[u32; 3]> = triangles.iter().copied().filter(|t| t.iter().all(exists)).collect();
    let missing = tets.len() - good_tets.len() + triangles.len() - good_triangles.len();
    tell(&mut problems, missing, "elements name nodes that do not exist");
    let at = |v: u32| vertices.get(v as usize).copied().unwrap_or([f64::NAN; 3]);
    let not_finite = vertices.iter().filter(|p| p.iter().any(|c| !c.is_finite())).count();
    tell(&mut problems, not_finite, "nodes are not finite");

    let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for p in vertices {
        for c in 0..3 {
            bounds[0][c] = bounds[0][c].min(p[c]);
            bounds[1][c] = bounds[1][c].max(p[c]);
        }
    }
    if vertices.is_empty() {
        bounds = [[0.0; 3]; 2];
    }

    let solid = !good_tets.is_empty();
    let faces = if solid { surface(&good_tets) } else { good_triangles };
    let boundary = boundary(&faces);
    let closed = boundary.open_edges + boundary.non_manifold_edges + boundary.flipped_edges == 0;
    // Volume under each triangle, seen from a corner of the box, so that little is lost to rounding.
    let enclosed = || {
        let o = bounds[0];
        let cone = |t: &[u32; 3]| dot(sub(at(t[0]), o), cross(sub(at(t[1]), o), sub(at(t[2]), o)));
        faces.iter().map(cone).sum::<f64>() / 6.0
    };
    let volume = if solid {
        Some(good_tets.iter().map(|t| tet_volume(t.map(at))).sum())
    } else {
        (closed && !faces.is_empty()).then(enclosed)
    };

    let qualities: Vec<f64> = good_tets.iter().map(|t| tet_quality(t.map(at))).collect();
    let mut histogram = [0; BARS];
    for q in &qualities {
        let bar = ((q * BARS as f64).max(0.0) as usize).min(BARS - 1);
        histogram[bar] += 1;
    }
    let worst = (0..qualities.len()).min_by(|&a, &b| {
        let quality = |i: usize| qualities.get(i).copied().unwrap_or(0.0);
        quality(a).total_cmp(&quality(b))
    });
    let length = |a: u32, b: u32| dot(sub(at(a), at(b)), sub(at(a), at(b))).sqrt();
    let tet_edges = good_tets.iter().flat_map(|t| EDGES.map(|[i, j, ..]| length(t[i], t[j])));
    let face_edges = faces.iter().flat_map(|&[a, b, c]| [length(a, b), length(b, c), length(c, a)]);
    let edges = if solid { Range::of(tet_edges) } else { Range::of(face_edges) };

    let count = |test: &dyn Fn(&f64) -> bool| qualities.iter().filter(|q| test(q)).count();
    tell(&mut problems, count(&|q| *q < 0.0), "tetrahedra are inverted");
    tell(&mut problems, count(&|q| *q == 0.0), "tetrahedra are flat");
    tell(&mut problems, count(&|q| *q > 0.0 && *q < POOR), "tetrahedra are slivers (quality below 0.1)");
    tell(&mut problems, duplicates(&good_tets).len(), "tetrahedra are there twice");
    tell(
        &mut problems,
        bad_faces(&good_tets),
        "faces have tetrahedra that overlap there: the mesh is folded",
    );
    let elements = || good_tets.iter().map(|t| &t[..]).chain(faces.iter().map(|t| &t[..]));
    let (components, unused) = components(vertices.len(), elements());
    tell(&mut problems, unused, "nodes belong to no element");
    if components > 1 {
        problems.push(format!("the mesh has {components} parts that share no node"));
    }
    if !solid {
        tell(&mut problems, boundary.open_edges, OPEN);
        tell(&mut problems, boundary.flipped_edges, "edges join triangles of opposite winding");
        let empty = |t: &&[u32; 3]| !(triangle_area(t.map(at)) > 0.0);
        tell(&mut problems, faces.iter().filter(empty).count(), "triangles have no area");
        tell(&mut problems, duplicates(&faces).len(), "triangles are there twice");
        if volume.is_some_and(|v| v < 0.0) {
            problems.push("the surface is inside out".into());
        }
    }
    tell(&mut problems, boundary.non_manifold_edges, "edges of the boundary have more than two triangles");

    Report {
        bounds,
        volume,
        area: faces.iter().map(|t| triangle_area(t.map(at))).sum(),
        edges,
        quality: Range::of(qualities.iter().copied()),
        histogram,
        worst,
        dihedral: Range::of(good_tets.iter().flat_map(|t| dihedral_angles(t.map(at)))),
        components,
        boundary,
        problems,
    }
}

fn tell(problems: &mut Vec<String>, count: usize, what: &str) {
    if count > 0 {
        problems.push(format!("{count} {what}"));
    }
}

/// Faces that more than two tetrahedra share, or two on the same side.
fn bad_faces(tets: &[[u32; 4]]) -> usize {
    const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mut seen: HashMap<[u32; 3], [u32; 2]> = HashMap::with_capacity(2 * tets.len());
    for face in tets.iter().flat_map(|t| FACES.map(|f| f.map(|v| t[v]))) {
        let mut key = face;
        key.sort_unstable();
        // Even permutations of the sorted corners look one way, odd ones the other.
        let [a, b, c] = face;
        let odd = usize::from((a > b) ^ (b > c) ^ (a > c));
        seen.entry(key).or_default()[odd] += 1;
    }
    seen.values().filter(|sides| sides.iter().any(|&n| n > 1)).count()
}

fn boundary(faces: &[[u32; 3]]) -> Boundary {
    // For each edge, triangles that run through it forwards and backwards, and the first of them.
    let mut edges: HashMap<[u32; 2], (u32, u32, u32)> = HashMap::with_capacity(2 * faces.len());
    let mut parts = Sets::new(faces.len());
    for (i, &[a, b, c]) in faces.iter().enumerate() {
        for [p, q] in [[a, b], [b, c], [c, a]] {
            let entry = edges.entry([p.min(q), p.max(q)]).or_insert((0, 0, i as u32));
            if p < q {
                entry.0 += 1
            } else {
                entry.1 += 1
            }
            parts.join(entry.2, i as u32);
        }
    }
    let count = |test: fn(u32, u32) -> bool| edges.values().filter(|e| test(e.0, e.1)).count();
    Boundary {
        triangles: faces.len(),
        open_edges: count(|f, b| f + b == 1),
        non_manifold_edges: count(|f, b| f + b > 2),
        flipped_edges: count(|f, b| f + b == 2 && f != b),
        parts: parts.count(),
    }
}

/// Parts that share no node, and nodes without an element.
fn components<'a>(nodes: usize, elements: impl Iterator<Item = &'a [u32]>) -> (usize, usize) {
    let mut parts = Sets::new(nodes);
    let mut used = vec![false; nodes];
    for element in elements {
        let Some(&first) = element.first() else { continue };
        for &v in element {
            parts.join(first, v);
            if let Some(used) = used.get_mut(v as usize) {
                *used = true;
            }
        }
    }
    let unused = used.iter().filter(|used| !**used).count();
    (parts.count() - unused, unused)
}
