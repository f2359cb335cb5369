//! The boundary of a tetrahedral mesh.

use std::collections::HashMap;

/// The triangles that belong to one tetrahedron only, seen counter-clockwise from outside, in a fixed order.
pub fn surface(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    // Faces of (a, b, c, d) with det[b−a, c−a, d−a] > 0, each counter-clockwise from outside.
    const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mut seen: HashMap<[u32; 3], u32> = HashMap::with_capacity(2 * tets.len());
    let faces = || tets.iter().flat_map(|t| FACES.map(|f| f.map(|v| t[v])));
    let key = |mut f: [u32; 3]| {
        f.sort_unstable();
        f
    };
    for f in faces() {
        *seen.entry(key(f)).or_insert(0) += 1;
    }
    faces().filter(|f| seen[&key(*f)] == 1).collect()
}
