//! Isosurface stuffing (Labelle, Shewchuk 2007): nodes that the surface passes closely are moved onto it, lattice tetrahedra that it cuts are
//! replaced by up to three.

use super::lattice::{DIRECTIONS, Lattice, is_long, length, position};
use crate::exec::Exec;
use crate::math::small::{dot, sub};
use crate::mesh::quality::dihedral_angles;

/// A node within this share of an edge's length of the edge's cut is moved to the cut.
pub(super) const WARP_LONG: f64 = 0.25;
/// The same for short edges.
pub(super) const WARP_SHORT: f64 = 0.412;
/// Cuts or nodes that one thread looks at at a time.
const PIECE: usize = 256;
const NONE: u32 = u32::MAX;
/// Marks the number of a cut among those of nodes.
const CUT: u32 = 1 << 31;

/// Tetrahedra in lattice units.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Stuffed {
    pub vertices: Vec<[f64; 3]>,
    pub tets: Vec<[u32; 4]>,
}

/// Nodes near the surface and the cuts of their edges.
struct Cuts<'a> {
    lattice: &'a Lattice,
    /// +1 inside, −1 outside, 0 on the surface.
    sign: Vec<i8>,
    /// Place of a node in the lists below, or [`NONE`].
    slot: Vec<u32>,
    nodes: Vec<u32>,
    /// Share of the way along the edges that each node owns; NaN where there is no cut.
    share: Vec<[f64; 7]>,
    moved: Vec<[f64; 3]>,
}

/// Fills what is inside: `sign` says for each node whether it is (> 0) or not (< 0); `cut(node, direction)` where on an edge between such
/// nodes the surface lies, as a share of the way.
pub(super) fn stuff(
    lattice: &Lattice,
    sign: Vec<i8>,
    cut: impl Fn(usize, usize) -> f64 + Sync,
    exec: &Exec,
) -> Stuffed {
    let mut cuts = find_cuts(lattice, sign, cut, exec);
    cuts.warp();
    let mut tets: Vec<[u32; 4]> = Vec::new();
    exec.collect(lattice.rows(), &mut tets, |rows, out| {
        for row in rows {
            let some = |nodes: [usize; 6]| nodes.iter().any(|&v| cuts.sign[v] > 0);
            lattice.tets_of_row(row, some, |_, corners| cuts.stencil(corners, out));
        }
    });
    cuts.number(tets)
}

fn find_cuts<'a>(
    lattice: &'a Lattice,
    sign: Vec<i8>,
    cut: impl Fn(usize, usize) -> f64 + Sync,
    exec: &Exec,
) -> Cuts<'a> {
    let mut edges: Vec<(u32, u8, f64)> = Vec::new();
    exec.collect(lattice.node_count(), &mut edges, |range, out| {
        for id in range {
            let node = lattice.node(id);
            for direction in 0..7 {
                if let Some(other) = lattice.along(node, direction, 1)
                    && sign[id] * sign[other] < 0
                {
                    out.push((id as u32, direction as u8, 0.0));
                }
            }
        }
    });
    exec.for_each_chunk(&mut edges, PIECE, |_, edges| {
        for (id, direction, share) in edges {
            // Rounding must not put a cut beyond its edge.
            *share = cut(*id as usize, *direction as usize).clamp(0.0, 1.0);
        }
    });
    let mut slot = vec![NONE; lattice.node_count()];
    for &(id, direction, _) in &edges {
        slot[id as usize] = 0;
        if let Some(other) = lattice.along(lattice.node(id as usize), direction as usize, 1) {
            slot[other] = 0;
        }
    }
    let mut nodes = Vec::new();
    for (id, slot) in slot.iter_mut().enumerate().filter(|(_, slot)| **slot == 0) {
        *slot = nodes.len() as u32;
        nodes.push(id as u32);
    }
    let mut share = vec![[f64::NAN; 7]; nodes.len()];
    for (id, direction, at) in edges {
        share[slot[id as usize] as usize][direction as usize] = at;
    }
    let moved = nodes.iter().map(|&id| position(lattice.node(id as usize))).collect();
    Cuts { lattice, sign, slot, nodes, share, moved }
}

impl Cuts<'_> {
    /// Moves each node that a cut comes too close to onto its nearest cut, in the nodes' order, and forgets the cuts of its edges.
    fn warp(&mut self) {
        for own in 0..self.nodes.len() {
            let id = self.nodes[own] as usize;
            let node = self.lattice.node(id);
            // Edges that the node owns, and those that end at it: where their cuts are kept.
            let mut edges = [(NONE, 0); 14];
            let mut nearest: Option<(f64, usize, f64)> = None;
            for direction in 0..7 {
                edges[direction] = (own as u32, direction);
                if let Some(other) = self.lattice.along(node, direction, -1) {
                    edges[7 + direction] = (self.slot[other], direction);
                }
            }
            for (i, &(slot, direction)) in edges.iter().enumerate() {
                if slot == NONE {
                    continue;
                }
                let share = self.share[slot as usize][direction];
                let share = if i < 7 { share } else { 1.0 - share };
                let limit = if is_long(direction) { WARP_LONG } else { WARP_SHORT };
                let away = share * length(direction);
                if share <= limit && nearest.is_none_or(|(least, ..)| away < least) {
                    nearest = Some((away, i, share));
                }
            }
            let Some((_, edge, share)) = nearest else { continue };
            let step = DIRECTIONS[edges[edge].1];
            let sign = if edge < 7 { 0.5 * share } else { -0.5 * share };
            self.moved[own] = std::array::from_fn(|c| 0.5 * f64::from(node[c]) + sign * f64::from(step[c]));
            self.sign[id] = 0;
            for (slot, direction) in edges {
                if slot != NONE {
                    self.share[slot as usize][direction] = f64::NAN;
                }
            }
        }
    }

    /// Position of a node or a cut.
    fn at(&self, key: u32) -> [f64; 3] {
        if key & CUT == 0 {
            return match self.slot[key as usize] {
                NONE => position(self.lattice.node(key as usize)),
                slot => self.moved[slot as usize],
            };
        }
        let (slot, direction) = (((key & !CUT) / 7) as usize, (key & !CUT) as usize % 7);
        let node = position(self.lattice.node(self.nodes[slot] as usize));
        let share = 0.5 * self.share[slot][direction];
        std::array::from_fn(|c| node[c] + share * f64::from(DIRECTIONS[direction][c]))
    }

    /// The cut between two nodes, and whether its edge is long.
    fn cut(&self, a: usize, b: usize) -> (u32, bool) {
        let (p, q) = (self.lattice.node(a), self.lattice.node(b));
        let way: [i32; 3] = std::array::from_fn(|c| q[c] - p[c]);
        let (owner, way) = if way[2] > 0 || way[2] == 0 && (way[1] > 0 || way[1] == 0 && way[0] > 0) {
            (a, way)
        } else {
            (b, way.map(|w| -w))
        };
        let direction = if way[0] == 2 {
            0
        } else if way[1] == 2 {
            1
        } else if way[2] == 2 {
            2
        } else {
            (3 + (way[0] + 1) / 2 + (way[1] + 1)) as usize
        };
        (CUT | (7 * self.slot[owner] + direction as u32), is_long(direction))
    }

    /// Tetrahedra for the part of a lattice tetrahedron that is inside.
    fn stencil(&self, corners: [usize; 4], out: &mut Vec<[u32; 4]>) {
        let sign = corners.map(|v| self.sign[v]);
        if sign.iter().all(|s| *s <= 0) {
            return;
        }
        let key = corners.map(|v| v as u32);
        if sign.iter().all(|s| *s >= 0) {
            out.push(key);
            return;
        }
        // Corners sorted by sign, by an even permutation.
        let mut order = [0, 1, 2, 3];
        let mut odd = false;
        for i in 0..3 {
            for j in 0..3 - i {
                if sign[order[j]] < sign[order[j + 1]] {
                    order.swap(j, j + 1);
                    odd = !odd;
                }
            }
        }
        let count = |s: i8| sign.iter().filter(|x| **x == s).count();
        let v = order.map(|i| corners[i]);
        let k = order.map(|i| key[i]);
        let mut emit = |mut tet: [u32; 4]| {
            if odd {
                tet.swap(2, 3);
            }
            out.push(tet);
        };
        let cut = |i: usize, j: usize| self.cut(v[i], v[j]);
        match (count(1), count(0)) {
            (1, zeros) => {
                let corner = |i: usize| if i <= zeros { k[i] } else { cut(0, i).0 };
                emit([k[0], corner(1), corner(2), corner(3)]);
            }
            // A pyramid over the quad of corners 0 and 1 and their cuts towards 3, with 2 as its top.
            (2, 1) => {
                let (a, b) = (cut(0, 3), cut(1, 3));
                if self.starts_at_first(k[0], k[1], a, b) {
                    emit([a.0, k[1], k[2], b.0]);
                    emit([k[0], k[1], k[2], a.0]);
                } else {
                    emit([k[0], b.0, k[2], a.0]);
                    emit([k[0], k[1], k[2], b.0]);
                }
            }
            (2, _) => self.two_and_two(k, [cut(0, 2), cut(0, 3), cut(1, 2), cut(1, 3)], &mut emit),
            _ => {
                let c = [cut(0, 3), cut(1, 3), cut(2, 3)];
                let from = |i: usize, j: usize| self.starts_at_first(k[i], k[j], c[i], c[j]);
                let bottom = [k[0], k[1], k[2]];
                prism(bottom, [c[0].0, c[1].0, c[2].0], [from(0, 1), from(1, 2), from(2, 0)], &mut emit);
            }
        }
    }

    /// Whether the diagonal of the quad p, q, cut of q, cut of p starts at the cut of p (and ends at q). It depends on this face alone: at the
    /// cut of a long edge, or else the shorter one.
    fn starts_at_first(&self, p: u32, q: u32, cut_p: (u32, bool), cut_q: (u32, bool)) -> bool {
        match (cut_p.1, cut_q.1) {
            (true, false) => true,
            (false, true) => false,
            _ => {
                let square = |a: u32, b: u32| {
                    let d = sub(self.at(a), self.at(b));
                    dot(d, d)
                };
                let (first, second) = (square(cut_p.0, q), square(cut_q.0, p));
                first < second || first == second && p < q
            }
        }
    }

    /// Corners 0 and 1 inside, 2 and 3 outside: a prism between the triangles (0, cuts of 0) and (1, cuts of 1). The quad of the four
    /// cuts is on the surface: its diagonal is free, and the better one is taken.
    fn two_and_two(&self, k: [u32; 4], c: [(u32, bool); 4], emit: &mut impl FnMut([u32; 4])) {
        let [c02, c03, c12, c13] = c;
        let first = self.starts_at_first(k[0], k[1], c02, c12);
        let second = self.starts_at_first(k[0], k[1], c03, c13);
        // In terms of the prism: bottom (0, c02, c03), top (1, c12, c13); sides 0–c02, c02–c03, c03–0.
        let (bottom, top) = ([k[0], c02.0, c03.0], [k[1], c12.0, c13.0]);
        let mut best: Option<(f64, Vec<[u32; 4]>)> = None;
        for free in [false, true] {
            // `diagonals[i]`: from top i to bottom i + 1. The diagonal of the first side starts at c02, which is bottom 1: top 0 – bottom 1.
            let diagonals = [first, free, !second];
            if diagonals[0] == diagonals[1] && diagonals[1] == diagonals[2] {
                continue;
            }
            let mut tets = Vec::with_capacity(3);
            prism(bottom, top, diagonals, &mut |t| tets.push(t));
            let worst = tets
                .iter()
                .flat_map(|t| dihedral_angles(t.map(|v| self.at(v))))
                .map(|a| a.min(std::f64::consts::PI - a))
                .fold(f64::INFINITY, f64::min);
            if best.as_ref().is_none_or(|(w, _)| worst > *w) {
                best = Some((worst, tets));
            }
        }
        if let Some((_, tets)) = best {
            tets.into_iter().for_each(emit);
        }
    }

    /// Numbers nodes and cuts in the order in which tetrahedra use them.
    fn number(&self, mut tets: Vec<[u32; 4]>) -> Stuffed {
        let mut nodes = vec![NONE; self.sign.len()];
        let mut cuts = vec![NONE; 7 * self.nodes.len()];
        let mut vertices = Vec::new();
        for key in tets.iter_mut().flatten() {
            let number = match *key & CUT {
                0 => &mut nodes[*key as usize],
                _ => &mut cuts[(*key & !CUT) as usize],
            };
            if *number == NONE {
                *number = vertices.len() as u32;
                vertices.push(self.at(*key));
            }
            *key = *number;
        }
        Stuffed { vertices, tets }
    }
}

/// A prism with triangles `bottom` and `top` as three tetrahedra. `diagonals[i]` says that the quad of corners i and i + 1 is cut from top i
/// to bottom i + 1, and otherwise from bottom i to top i + 1. The three must not be alike.
fn prism(bottom: [u32; 3], top: [u32; 3], diagonals: [bool; 3], emit: &mut impl FnMut([u32; 4])) {
    // A corner i of the bottom where no diagonal ends: both its quads are cut from top i.
    let at = (0..3).find(|&i| diagonals[i] && !diagonals[(i + 2) % 3]).unwrap_or(0);
    let (b, t) = ([0, 1, 2].map(|i| bottom[(at + i) % 3]), [0, 1, 2].map(|i| top[(at + i) % 3]));
    // Bottom triangle with top 0; then the pyramid over the quad of corners 1 and 2, with top 0 as its top.
    emit([b[0], b[1], b[2], t[0]]);
    if diagonals[(at + 1) % 3] {
        emit([t[0], b[1], b[2], t[1]]);
        emit([t[0], t[1], b[2], t[2]]);
    } else {
        emit([t[0], b[1], b[2], t[2]]);
        emit([t[0], t[1], b[1], t[2]]);
    }
}
