//! Triangles where the values of a grid change their sign, for pictures: marching tetrahedra (Doi & Koide 1991).

use std::collections::HashMap;

/// Corners in m, and triangles counter-clockwise from outside.
pub(in crate::contact) type Triangles = (Vec<[f64; 3]>, Vec<[u32; 3]>);

/// Most cells along an axis that are drawn: finer grids are seen through every second point, every third and so on.
const MOST_CELLS: usize = 48;

/// The six tetrahedra of a cell, which share its diagonal from corner 0 to corner 7; bit c of a corner says where it is along axis c.
/// Each of them has a positive volume.
const TETS: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/// A point of the grid, or `None` for one beside it, where there is nothing.
type Point = Option<[usize; 3]>;

/// The corners so far, by the edge that each is on.
struct Corners<'a> {
    value: &'a dyn Fn([usize; 3]) -> f64,
    place: &'a dyn Fn([usize; 3]) -> [f64; 3],
    known: HashMap<[[usize; 3]; 2], u32>,
    points: Vec<[f64; 3]>,
}

impl Corners<'_> {
    fn inside(&self, p: Point) -> bool {
        p.is_some_and(|p| (self.value)(p) < 0.0)
    }

    /// Where the surface crosses the edge from a point inside to one outside. A shape that reaches the side of the grid ends there.
    fn crossing(&mut self, inside: Point, outside: Point) -> u32 {
        let Some(a) = inside else { return 0 };
        let b = outside.unwrap_or(a);
        if let Some(&i) = self.known.get(&[a, b]) {
            return i;
        }
        let (p, q, f, g) = ((self.place)(a), (self.place)(b), (self.value)(a), (self.value)(b));
        let t = if a == b { 0.0 } else { (f / (f - g)).clamp(0.0, 1.0) };
        let i = self.points.len() as u32;
        self.points.push(std::array::from_fn(|c| p[c] + t * (q[c] - p[c])));
        self.known.insert([a, b], i);
        i
    }
}

/// The surface around the negative values of a grid, closed at its sides.
pub(in crate::contact) fn surface(
    counts: [usize; 3],
    value: &dyn Fn([usize; 3]) -> f64,
    place: &dyn Fn([usize; 3]) -> [f64; 3],
) -> Triangles {
    let step = counts.iter().map(|n| (n - 1).div_ceil(MOST_CELLS)).max().unwrap_or(1);
    // Every so many points, the last one included, with nothing on either side.
    let axes = counts.map(|n| {
        let mut all: Vec<Option<usize>> = vec![None];
        all.extend((0..n - 1).step_by(step).map(Some));
        all.extend([Some(n - 1), None]);
        all
    });
    let mut corners = Corners { value, place, known: HashMap::new(), points: Vec::new() };
    let mut triangles = Vec::new();
    for i in 0..axes[0].len() - 1 {
        for j in 0..axes[1].len() - 1 {
            for k in 0..axes[2].len() - 1 {
                let cell: [Point; 8] = std::array::from_fn(|c| {
                    let at = [i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)];
                    Some([axes[0][at[0]]?, axes[1][at[1]]?, axes[2][at[2]]?])
                });
                let inside = cell.map(|p| corners.inside(p));
                if inside == [inside[0]; 8] {
                    continue;
                }
                for tet in TETS {
                    cut(tet.map(|c| cell[c]), tet.map(|c| inside[c]), &mut corners, &mut triangles);
                }
            }
        }
    }
    (corners.points, triangles)
}

/// The triangles of one tetrahedron.
fn cut(tet: [Point; 4], inside: [bool; 4], corners: &mut Corners<'_>, out: &mut Vec<[u32; 3]>) {
    let pick = |which: bool| (0..4).filter(move |&k| inside[k] == which).collect::<Vec<usize>>();
    let (ins, outs) = (pick(true), pick(false));
    let mut at = |a: usize, b: usize| corners.crossing(tet[a], tet[b]);
    // With the inner corners first, an even permutation of the tetrahedron keeps its volume positive.
    let mut found = match (&ins[..], &outs[..]) {
        (&[a], &[b, c, d]) => vec![[at(a, b), at(a, c), at(a, d)]],
        (&[a, b, c], &[d]) => vec![[at(a, d), at(b, d), at(c, d)]],
        (&[a, b], &[c, d]) => {
            let [p, q, r, s] = [at(a, c), at(a, d), at(b, d), at(b, c)];
            vec![[p, q, r], [p, r, s]]
        }
        _ => return,
    };
    let order: Vec<usize> = ins.iter().chain(&outs).copied().collect();
    let swaps =
        (0..4).flat_map(|i| (0..i).map(move |j| (j, i))).filter(|&(j, i)| order[j] > order[i]).count();
    if swaps % 2 == 1 {
        found.iter_mut().for_each(|t| t.swap(1, 2));
    }
    // At the sides of the grid corners may be the same.
    out.extend(found.into_iter().filter(|[a, b, c]| a != b && b != c && c != a));
}
