//! The triangles near each cell of the lattice, in lattice units: where a segment crosses them.

use super::lattice::Lattice;
use crate::exec::Exec;
use crate::math::small::{cross, dot, sub};

/// Cells are taken larger by this, so that a triangle on the side of a cell belongs to both.
const MARGIN: f64 = 1e-6;

/// Triangles by the cells that they touch.
#[derive(Debug)]
pub(super) struct Grid {
    /// Corners in lattice units.
    pub corners: Vec<[[f64; 3]; 3]>,
    /// Normal (of twice the area) and offset of each triangle's plane.
    planes: Vec<([f64; 3], f64)>,
    /// Vertices, by which ties are broken the same way for both triangles at an edge.
    vertices: Vec<[u32; 3]>,
    start: Vec<u32>,
    triangles: Vec<u32>,
}

impl Grid {
    pub fn new(corners: Vec<[[f64; 3]; 3]>, vertices: &[[u32; 3]], lattice: &Lattice, exec: &Exec) -> Grid {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        exec.collect(corners.len(), &mut pairs, |range, out| {
            for t in range {
                touched(&corners[t], lattice, |cell| out.push((cell as u32, t as u32)));
            }
        });
        let mut start = vec![0u32; lattice.cell_count() + 1];
        pairs.iter().for_each(|(cell, _)| start[*cell as usize + 1] += 1);
        for i in 1..start.len() {
            start[i] += start[i - 1];
        }
        let mut next = start.clone();
        let mut triangles = vec![0; pairs.len()];
        for (cell, t) in pairs {
            triangles[next[cell as usize] as usize] = t;
            next[cell as usize] += 1;
        }
        let planes = corners.iter().map(|p| {
            let n = cross(sub(p[1], p[0]), sub(p[2], p[0]));
            (n, dot(n, p[0]))
        });
        let planes = planes.collect();
        Grid { planes, corners, vertices: vertices.to_vec(), start, triangles }
    }

    /// The triangles that touch a cell, ascending.
    pub fn of(&self, cell: usize) -> &[u32] {
        &self.triangles[self.start[cell] as usize..self.start[cell + 1] as usize]
    }

    /// Where the segment a→b crosses a triangle: its share of the way, and whether it enters the body there. Of two triangles at an
    /// edge, exactly one is crossed.
    #[inline]
    pub fn crossing(&self, t: u32, a: [f64; 3], b: [f64; 3]) -> Option<(f64, bool)> {
        let (n, offset) = self.planes[t as usize];
        let (from, to) = (dot(n, a) - offset, dot(n, b) - offset);
        // Most triangles have both ends on one side.
        if (from > 0.0) == (to > 0.0) {
            return None;
        }
        let v = self.vertices[t as usize];
        let way = sub(b, a);
        let q = self.corners[t as usize].map(|p| sub(p, a));
        let mut left = 0;
        for i in 0..3 {
            let j = (i + 1) % 3;
            // Exactly the negative of what the other triangle at this edge finds.
            let side = dot(way, cross(q[i], q[j]));
            left += usize::from(side > 0.0 || side == 0.0 && v[i] < v[j]);
        }
        if left != 0 && left != 3 {
            return None;
        }
        Some((from / (from - to), from > 0.0))
    }

    /// The triangles of a cell as seen from a point, for many segments that start there.
    pub fn see(&self, cell: usize, from: [f64; 3], view: &mut View) {
        view.from = from;
        view.triangles.clear();
        view.triangles.extend(self.of(cell).iter().map(|&t| {
            let (normal, offset) = self.planes[t as usize];
            let v = self.vertices[t as usize];
            let q = self.corners[t as usize].map(|p| sub(p, from));
            let ends = [(0, 1), (1, 2), (2, 0)];
            Seen {
                normal,
                offset,
                start: dot(normal, from) - offset,
                sides: ends.map(|(i, j)| cross(q[i], q[j])),
                ties: ends.map(|(i, j)| v[i] < v[j]),
            }
        }));
    }
}

/// A triangle as a point sees it.
#[derive(Clone, Copy, Debug)]
struct Seen {
    normal: [f64; 3],
    offset: f64,
    /// Of the point, above the triangle's plane.
    start: f64,
    /// Normals of the planes through the point and each edge, and on which side what lies in them counts.
    sides: [[f64; 3]; 3],
    ties: [bool; 3],
}

/// The triangles of a cell as a point sees them.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    from: [f64; 3],
    triangles: Vec<Seen>,
}

impl View {
    /// Change of the winding number along the segment to a point of the cell; ties as in [`Grid::crossing`].
    pub fn change(&self, to: [f64; 3]) -> i32 {
        let way = sub(to, self.from);
        let mut change = 0;
        for t in &self.triangles {
            if (t.start > 0.0) == (dot(t.normal, to) - t.offset > 0.0) {
                continue;
            }
            let mut left = 0;
            for (side, tie) in t.sides.iter().zip(t.ties) {
                let side = dot(way, *side);
                left += usize::from(side > 0.0 || side == 0.0 && tie);
            }
            if left == 0 || left == 3 {
                change += if t.start > 0.0 { 1 } else { -1 };
            }
        }
        change
    }
}

/// Calls `f` for each cell that a triangle touches, and for some that it passes by.
fn touched(corners: &[[f64; 3]; 3], lattice: &Lattice, mut f: impl FnMut(usize)) {
    let range: [std::ops::RangeInclusive<usize>; 3] = std::array::from_fn(|c| {
        let low = corners.iter().map(|p| p[c]).fold(f64::INFINITY, f64::min) - MARGIN;
        let high = corners.iter().map(|p| p[c]).fold(f64::NEG_INFINITY, f64::max) + MARGIN;
        let last = lattice.cells[c] - 1;
        (low.max(0.0) as usize).min(last)..=(high.max(0.0) as usize).min(last)
    });
    let count: usize = range.iter().map(|r| r.end() - r.start() + 1).product();
    let n = cross(sub(corners[1], corners[0]), sub(corners[2], corners[0]));
    let reach = (0.5 + MARGIN) * n.iter().map(|c| c.abs()).sum::<f64>();
    for k in range[2].clone() {
        for j in range[1].clone() {
            for i in range[0].clone() {
                let middle = [i as f64 + 0.5, j as f64 + 0.5, k as f64 + 0.5];
                if count <= 4 || dot(n, sub(middle, corners[0])).abs() <= reach {
                    f(lattice.cell([i, j, k]));
                }
            }
        }
    }
}
