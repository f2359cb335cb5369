//! A cage: all lattice tetrahedra that the body reaches into.

use super::inside::Placed;
use super::lattice::{Lattice, position};
use super::tidy::{Tidied, join};
use crate::exec::Exec;
use crate::math::small::{cross, dot, sub};

/// Tetrahedra that share less than this with a triangle, in lattice units, do not touch it.
const TOUCH: f64 = 1e-9;

/// Numbers, ascending, of the lattice tetrahedra that have a node inside or touch a triangle, with those that join them.
pub(super) fn cage(placed: &Placed, exec: &Exec, done: &mut Tidied) -> Vec<u64> {
    let lattice = &placed.lattice;
    let mut chosen: Vec<u64> = Vec::new();
    exec.collect(lattice.rows(), &mut chosen, |rows, out| {
        for row in rows {
            let some = |nodes: [usize; 6]| nodes.iter().any(|&v| placed.node_inside(v));
            lattice.tets_of_row(row, some, |number, corners| {
                if corners.iter().any(|&v| placed.node_inside(v)) {
                    out.push(number);
                }
            });
        }
    });
    if let Some(grid) = &placed.grid {
        exec.collect(grid.corners.len(), &mut chosen, |range, out| {
            for t in range {
                touched(&grid.corners[t], lattice, out);
            }
        });
    } else {
        field_cuts(placed, exec, &mut chosen);
    }
    chosen.sort_unstable();
    chosen.dedup();
    join(lattice, &mut chosen, done);
    chosen
}

/// Tetrahedra that a triangle touches; those around its corners always.
fn touched(corners: &[[f64; 3]; 3], lattice: &Lattice, out: &mut Vec<u64>) {
    let at = corners.map(|p| lattice.tet_at(p));
    out.extend(at.iter().flatten());
    if at[0] == at[1] && at[1] == at[2] {
        // A tetrahedron is convex.
        return;
    }
    let range: [std::ops::RangeInclusive<usize>; 3] = std::array::from_fn(|c| {
        let low = corners.iter().map(|p| p[c]).fold(f64::INFINITY, f64::min);
        let high = corners.iter().map(|p| p[c]).fold(f64::NEG_INFINITY, f64::max);
        let last = lattice.cells[c] - 1;
        (low.max(0.0) as usize).min(last)..=(high.max(0.0) as usize).min(last)
    });
    let n = cross(sub(corners[1], corners[0]), sub(corners[2], corners[0]));
    let reach = 0.5 * n.iter().map(|c| c.abs()).sum::<f64>();
    for k in range[2].clone() {
        for j in range[1].clone() {
            for i in range[0].clone() {
                let middle = [i as f64 + 0.5, j as f64 + 0.5, k as f64 + 0.5];
                if dot(n, sub(middle, corners[0])).abs() > reach {
                    continue;
                }
                // The tetrahedra that reach into a cell are those around its six faces.
                for axis in 0..3 {
                    let mut cell = [i, j, k];
                    faces_tets(lattice, cell, axis, (corners, &at), out);
                    if cell[axis] > 0 {
                        cell[axis] -= 1;
                        faces_tets(lattice, cell, axis, (corners, &at), out);
                    }
                }
            }
        }
    }
}

/// Those of the tetrahedra around the face that a cell has towards a higher coordinate that a triangle touches.
fn faces_tets(
    lattice: &Lattice,
    cell: [usize; 3],
    axis: usize,
    (corners, at): (&[[f64; 3]; 3], &[Option<u64>; 3]),
    out: &mut Vec<u64>,
) {
    if cell[axis] + 1 >= lattice.cells[axis] {
        return;
    }
    // The double pyramid around the face first.
    for c in 0..3 {
        let low = cell[c] as f64 + if c == axis { 0.5 } else { 0.0 };
        if corners.iter().all(|p| p[c] <= low + TOUCH) || corners.iter().all(|p| p[c] >= low + 1.0 - TOUCH) {
            return;
        }
    }
    let number = 4 * (3 * lattice.cell(cell) + axis) as u64;
    let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
    let low = cell.map(|i| i as f64 + 0.5);
    let mut high = low;
    high[axis] += 1.0;
    // Corners of the face, in the order of the lattice.
    let corner = |i: f64, j: f64| {
        let mut p = cell.map(|i| i as f64);
        p[axis] += 1.0;
        p[a] += i;
        p[b] += j;
        p
    };
    let around = [corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)];
    for m in 0..4 {
        // Those around the corners are chosen already.
        if at.contains(&Some(number + m as u64)) {
            continue;
        }
        if overlap(corners, &[low, high, around[m], around[(m + 1) % 4]]) {
            out.push(number + m as u64);
        }
    }
}

/// Whether a triangle and a tetrahedron share more than a point, an edge or a side: no axis separates them.
fn overlap(triangle: &[[f64; 3]; 3], tet: &[[f64; 3]; 4]) -> bool {
    let apart = |axis: [f64; 3]| {
        let range = |points: &[[f64; 3]]| {
            points
                .iter()
                .map(|p| dot(*p, axis))
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
        };
        let ((a, b), (c, d)) = (range(triangle), range(tet));
        let room = TOUCH * axis.iter().map(|x| x.abs()).sum::<f64>();
        b <= c + room || d <= a + room
    };
    for c in 0..3 {
        // Boxes first. A triangle in a plane of the lattice touches nothing by itself; its corners do.
        let low = triangle.iter().map(|p| p[c]).fold(f64::INFINITY, f64::min);
        let high = triangle.iter().map(|p| p[c]).fold(f64::NEG_INFINITY, f64::max);
        let (from, to) = tet
            .iter()
            .map(|p| p[c])
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        if high <= from + TOUCH || to <= low + TOUCH {
            return false;
        }
    }
    let edges = [0, 1, 2].map(|i| sub(triangle[(i + 1) % 3], triangle[i]));
    if apart(cross(edges[0], edges[1])) {
        return false;
    }
    let from = |i: usize, j: usize| sub(tet[j], tet[i]);
    let tet_edges = [from(0, 1), from(0, 2), from(0, 3), from(1, 2), from(1, 3), from(2, 3)];
    let sides = [(0, 1), (0, 2), (1, 2), (3, 4)];
    if sides.iter().any(|&(i, j)| apart(cross(tet_edges[i], tet_edges[j]))) {
        return false;
    }
    for e in edges {
        for f in tet_edges {
            let axis = cross(e, f);
            // Parallel edges give no axis.
            if dot(axis, axis) > 1e-24 * dot(e, e) && apart(axis) {
                return false;
            }
        }
    }
    true
}

/// For a field: tetrahedra with a sample inside.
fn field_cuts(placed: &Placed, exec: &Exec, chosen: &mut Vec<u64>) {
    let lattice = &placed.lattice;
    exec.collect(lattice.rows(), chosen, |rows, out| {
        for row in rows {
            lattice.tets_of_row(
                row,
                |_| true,
                |number, corners| {
                    let p = corners.map(|v| position(lattice.node(v)));
                    if super::fraction::samples(&p).any(|q| placed.inside(q)) {
                        out.push(number);
                    }
                },
            );
        }
    });
}
