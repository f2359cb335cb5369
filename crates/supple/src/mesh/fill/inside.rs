//! What lies inside: the winding number at the lattice's nodes and at any point, for triangles; the sign of a field, for implicit shapes.
//!
//! Winding numbers of a closed surface are whole numbers, so they are found by counting where lines of nodes along x cross triangles. A surface
//! with holes is closed by lids first, whose own winding number, a sum over a small tree, is then taken off again.

use super::clean::Clean;
use super::grid::{Grid, View};
use super::lattice::{Lattice, Node, position};
use super::tree::Tree;
use crate::exec::Exec;
use crate::math::small::{axpy, cross, dot, scale, sub};

/// Nodes that one thread looks at at a time.
const PIECE: usize = 1024;
/// Points of an open surface behind which the inside is asked for.
const BACKED_POINTS: usize = 1000;
/// Winding numbers this far from whole ones change so much within a cell that the tree is asked again.
const BROKEN: f64 = 0.3;

/// What is to be filled.
pub(super) enum Shape<'a> {
    /// Triangles; if they are not closed, the tree over them and the lids that close them, with their tree (all relative to the centre
    /// of the box).
    Triangles { clean: &'a Clean, open: Option<Open> },
    /// A function that is negative inside, and the box around its inside.
    Field { field: &'a (dyn Fn([f64; 3]) -> f64 + Sync), bounds: [[f64; 3]; 2] },
}

/// What an open surface needs.
pub(super) struct Open {
    tree: Tree,
    lids: Vec<[[f64; 3]; 3]>,
    lid_tree: Tree,
}

impl<'a> Shape<'a> {
    pub fn triangles(clean: &'a Clean) -> Shape<'a> {
        let open = (!clean.closed()).then(|| {
            let centre = clean.centre();
            let lids: Vec<_> = clean.lids().into_iter().map(|t| t.map(|p| sub(p, centre))).collect();
            let lid_tree = Tree::new(lids.iter().copied()).with_moments();
            Open { tree: centred_tree(clean).with_moments(), lids, lid_tree }
        });
        Shape::Triangles { clean, open }
    }
    /// Of an open surface the share of its area that has an inside right behind it.
    pub fn backed(&self, exec: &Exec) -> Option<f64> {
        let Shape::Triangles { clean, open: Some(open) } = self else { return None };
        let (centre, behind) = (clean.centre(), 1e-7 * clean.diagonal());
        let points = super::report::spread(clean, BACKED_POINTS);
        let mut inside = vec![false; points.len()];
        exec.for_each_chunk(&mut inside, PIECE / 8, |piece, inside| {
            for (i, inside) in inside.iter_mut().enumerate() {
                let (t, p) = points[piece * (PIECE / 8) + i];
                let [a, b, c] = clean.corners(t);
                let n = cross(sub(b, a), sub(c, a));
                let way = behind / dot(n, n).sqrt();
                *inside = open.tree.winding(axpy(sub(p, centre), -way, n)) > 0.5;
            }
        });
        Some(inside.iter().filter(|i| **i).count() as f64 / points.len() as f64)
    }
    pub fn bounds(&self) -> [[f64; 3]; 2] {
        match self {
            Shape::Triangles { clean, .. } => clean.bounds,
            Shape::Field { bounds, .. } => *bounds,
        }
    }
}

/// The tree over all triangles, relative to the centre of their box.
pub(super) fn centred_tree(clean: &Clean) -> Tree {
    let centre = clean.centre();
    Tree::new((0..clean.triangles.len()).map(|t| clean.corners(t).map(|p| sub(p, centre))))
}

/// A lattice in a shape: where it is, and what is inside.
pub(super) struct Placed<'a> {
    pub shape: &'a Shape<'a>,
    pub lattice: Lattice,
    /// Size in m.
    pub h: f64,
    /// Centre of the box in m; in lattice units it is `lattice.cells / 2`.
    centre: [f64; 3],
    /// Triangles by cells, for triangles.
    pub grid: Option<Grid>,
    /// Winding number of each node; 1 and 0 for a field.
    pub winding: Vec<f32>,
}

impl<'a> Placed<'a> {
    /// The lattice around a shape with some room, in units of its size, on all sides.
    pub fn cells(bounds: [[f64; 3]; 2], h: f64, room: f64) -> [f64; 3] {
        std::array::from_fn(|c| 2.0 * (0.5 * (bounds[1][c] - bounds[0][c]) / h + room).ceil())
    }

    /// The lattice around a shape's middle, moved by `shift` sizes.
    pub fn new(shape: &'a Shape<'a>, h: f64, room: f64, shift: [f64; 3], exec: &Exec) -> Placed<'a> {
        let bounds = shape.bounds();
        let lattice = Lattice { cells: Placed::cells(bounds, h, room).map(|n| n as usize) };
        let middle: [f64; 3] = std::array::from_fn(|c| bounds[0][c] + 0.5 * (bounds[1][c] - bounds[0][c]));
        let centre = std::array::from_fn(|c| middle[c] + h * shift[c]);
        let mut placed = Placed { shape, lattice, h, centre, grid: None, winding: Vec::new() };
        match shape {
            Shape::Triangles { clean, open } => {
                let mut corners = vec![[[0.0; 3]; 3]; clean.triangles.len()];
                exec.for_each_chunk(&mut corners, PIECE, |piece, out| {
                    for (i, corners) in out.iter_mut().enumerate() {
                        *corners = clean.corners(piece * PIECE + i).map(|p| placed.to_lattice(p));
                    }
                });
                let at = |p| sub(placed.to_world(p), middle);
                placed.winding = match open {
                    None => by_lines(&corners, &placed.lattice, exec),
                    // Where lids are as many as triangles, they save nothing.
                    Some(open) if open.lids.len() > clean.triangles.len() => {
                        placed.at_nodes(exec, |p| open.tree.winding(at(p)))
                    }
                    Some(open) => {
                        let mut all = corners.clone();
                        let half = placed.lattice.cells.map(|n| 0.5 * n as f64);
                        all.extend(
                            open.lids
                                .iter()
                                .map(|t| t.map(|p| std::array::from_fn(|c| p[c] / h + half[c] - shift[c]))),
                        );
                        let mut closed = by_lines(&all, &placed.lattice, exec);
                        let lids = placed.at_nodes(exec, |p| open.lid_tree.winding(at(p)));
                        closed.iter_mut().zip(lids).for_each(|(w, lid)| *w -= lid);
                        closed
                    }
                };
                placed.grid = Some(Grid::new(corners, &clean.triangles, &placed.lattice, exec));
            }
            Shape::Field { field, .. } => {
                let inside = |p| f64::from(u8::from(field(placed.to_world(p)) < 0.0));
                placed.winding = placed.at_nodes(exec, inside);
            }
        }
        placed
    }

    fn at_nodes(&self, exec: &Exec, f: impl Fn([f64; 3]) -> f64 + Sync) -> Vec<f32> {
        let mut out = vec![0.0; self.lattice.node_count()];
        exec.for_each_chunk(&mut out, PIECE, |piece, out| {
            for (i, w) in out.iter_mut().enumerate() {
                *w = f(position(self.lattice.node(piece * PIECE + i))) as f32;
            }
        });
        out
    }

    pub fn to_lattice(&self, p: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|c| (p[c] - self.centre[c]) / self.h + 0.5 * self.lattice.cells[c] as f64)
    }
    pub fn to_world(&self, p: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|c| self.centre[c] + self.h * (p[c] - 0.5 * self.lattice.cells[c] as f64))
    }

    /// Whether a node lies inside.
    pub fn node_inside(&self, id: usize) -> bool {
        self.winding[id] > 0.5
    }

    /// Whether a point (in lattice units) lies inside.
    pub fn inside(&self, p: [f64; 3]) -> bool {
        self.inside_with(p, &mut Views::default())
    }

    /// The same for many points near each other.
    pub fn inside_with(&self, p: [f64; 3], views: &mut Views) -> bool {
        match (self.shape, &self.grid) {
            (Shape::Field { field, .. }, _) => field(self.to_world(p)) < 0.0,
            (Shape::Triangles { open, .. }, Some(grid)) => {
                let cell = self.lattice.cell_of(p);
                let from = f64::from(self.winding[self.lattice.red(cell)]);
                match open {
                    Some(open) if (from - from.round()).abs() > BROKEN => {
                        open.tree.winding(sub(self.to_world(p), self.centre)) > 0.5
                    }
                    _ => from + f64::from(views.of(grid, &self.lattice, cell).change(p)) > 0.5,
                }
            }
            _ => false,
        }
    }

    /// The tree over the triangles in lattice units.
    pub fn tree(&self) -> Tree {
        self.grid.as_ref().map_or_else(Tree::default, |g| Tree::new(g.corners.iter().copied()))
    }

    /// Share of the way from a to b, two neighbouring nodes on different sides, at which the surface lies.
    pub fn cut(&self, a: Node, b: Node) -> f64 {
        let (p, q) = (position(a), position(b));
        if let (Shape::Triangles { open, .. }, Some(grid)) = (self.shape, &self.grid) {
            if let Some(share) = self.only_crossing(grid, a, b) {
                return share;
            }
            if let Some(open) = open {
                let w = |s: f64| open.tree.winding(sub(self.to_world(along(p, q, s)), self.centre));
                return bisect(|s| w(s) > 0.5);
            }
            return bisect(|s| self.inside(along(p, q, s)));
        }
        match self.shape {
            Shape::Field { field, .. } => root(|s| field(self.to_world(along(p, q, s))), 1e-9),
            Shape::Triangles { .. } => 0.5,
        }
    }

    /// Where an edge crosses the triangles, if it does so once.
    fn only_crossing(&self, grid: &Grid, a: Node, b: Node) -> Option<f64> {
        let (p, q) = (position(a), position(b));
        let cell = |n: Node| {
            self.lattice.cell(std::array::from_fn(|c| ((n[c] >> 1) as usize).min(self.lattice.cells[c] - 1)))
        };
        let (red_a, red_b) = (a[0] & 1 == 1, b[0] & 1 == 1);
        let mut found = None;
        let mut search = |cell: usize, low: f64, high: f64| {
            for &t in grid.of(cell) {
                if let Some((share, _)) = grid.crossing(t, p, q)
                    && share > low
                    && share <= high
                {
                    if found.is_some() {
                        return false;
                    }
                    found = Some(share);
                }
            }
            true
        };
        let single = match (red_a, red_b) {
            // A black edge belongs to four cells, and a triangle that crosses it to all of them.
            (false, false) => search(cell(std::array::from_fn(|c| a[c].min(b[c]))), 0.0, 1.0),
            (true, true) => search(cell(a), 0.0, 0.5) && search(cell(b), 0.5, 1.0),
            (red, _) => search(cell(if red { a } else { b }), 0.0, 1.0),
        };
        if single { found } else { None }
    }
}

/// Views from the middles of the last two cells that were asked for: a tetrahedron of the lattice lies in two.
#[derive(Debug, Default)]
pub(super) struct Views {
    last: [Option<(usize, View)>; 2],
}

impl Views {
    fn of(&mut self, grid: &Grid, lattice: &Lattice, cell: usize) -> &View {
        let is = |v: &Option<(usize, View)>| v.as_ref().is_some_and(|v| v.0 == cell);
        if !is(&self.last[0]) {
            self.last.swap(0, 1);
        }
        let here = self.last[0].get_or_insert_with(|| (usize::MAX, View::default()));
        if here.0 != cell {
            here.0 = cell;
            grid.see(cell, lattice.cell_at(cell).map(|i| i as f64 + 0.5), &mut here.1);
        }
        &here.1
    }
}

pub(super) fn along(p: [f64; 3], q: [f64; 3], s: f64) -> [f64; 3] {
    axpy(scale(1.0 - s, p), s, q)
}

/// Where a condition changes between 0 and 1; it differs at the ends.
pub(super) fn bisect(inside: impl Fn(f64) -> bool) -> f64 {
    let first = inside(0.0);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..16 {
        let middle = 0.5 * (low + high);
        if inside(middle) == first {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// A root of a function with different signs at 0 and 1, to some nearness of place or value: false position, halving the value of an end that stays (Illinois).
pub(super) fn root(f: impl Fn(f64) -> f64, near: f64) -> f64 {
    let (mut a, mut b) = (0.0, 1.0);
    let (mut fa, mut fb) = (f(a), f(b));
    let mut middle = 0.5;
    for _ in 0..24 {
        let s = (a * fb - b * fa) / (fb - fa);
        middle = if s.is_finite() { s.clamp(a.min(b), a.max(b)) } else { 0.5 * (a + b) };
        let fm = f(middle);
        if fm == 0.0 || (b - a).abs() < near || fm.abs() < near {
            return middle;
        }
        if (fm < 0.0) == (fb < 0.0) {
            (b, fb) = (middle, fm);
            fa *= 0.5;
        } else {
            (a, fa) = (b, fb);
            (b, fb) = (middle, fm);
        }
    }
    middle
}

/// Winding numbers of a closed surface at all nodes: for each line of nodes along x, the triangles that it crosses.
fn by_lines(corners: &[[[f64; 3]; 3]], lattice: &Lattice, exec: &Exec) -> Vec<f32> {
    // (line, place, whether it enters the body); black lines have even doubled y and z, red ones odd.
    let width = 2 * lattice.cells[1] + 1;
    let mut hits: Vec<(u32, f64, bool)> = Vec::new();
    exec.collect(corners.len(), &mut hits, |range, out| {
        for t in range {
            line_hits(&corners[t], lattice, |y, z, x, enters| {
                out.push(((y + width * z) as u32, x, enters));
            });
        }
    });
    hits.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    let mut winding = vec![0.0; lattice.node_count()];
    for line in hits.chunk_by(|a, b| a.0 == b.0) {
        let (y, z) = (line[0].0 as usize % width, line[0].0 as usize / width);
        let red = y & 1;
        let count = lattice.cells[0] + usize::from(red == 0);
        let Some(first) = lattice.id([red as i32, y as i32, z as i32]) else { continue };
        let (mut w, mut next) = (0, 0);
        for i in 0..count {
            let x = i as f64 + 0.5 * red as f64;
            // A node on the surface is outside.
            while let Some(&(_, at, enters)) = line.get(next)
                && (at < x || at == x && !enters)
            {
                w += if enters { 1 } else { -1 };
                next += 1;
            }
            winding[first + i] = w as f32;
        }
    }
    winding
}

/// Calls `f(y, z, x, enters)` for each line of nodes along x (doubled y and z) that crosses a triangle at x.
fn line_hits(corners: &[[f64; 3]; 3], lattice: &Lattice, mut f: impl FnMut(usize, usize, f64, bool)) {
    let range = |c: usize| {
        let low = corners.iter().map(|p| p[c]).fold(f64::INFINITY, f64::min);
        let high = corners.iter().map(|p| p[c]).fold(f64::NEG_INFINITY, f64::max);
        let most = 2 * lattice.cells[c];
        ((2.0 * low).ceil().max(0.0) as usize, ((2.0 * high).floor().max(0.0) as usize).min(most))
    };
    let ((y0, y1), (z0, z1)) = (range(1), range(2));
    for z in z0..=z1 {
        for y in (y0..=y1).filter(|y| y & 1 == z & 1) {
            let at = [0.5 * y as f64, 0.5 * z as f64];
            let q = corners.map(|p| [p[1] - at[0], p[2] - at[1]]);
            let mut left = 0;
            for i in 0..3 {
                let (a, b) = (q[i], q[(i + 1) % 3]);
                // Exactly the negative of what the other triangle at this edge finds; ties as if the line were moved by (ε, ε²).
                let side = a[0] * b[1] - a[1] * b[0];
                let tie = a[1] > b[1] || a[1] == b[1] && b[0] > a[0];
                left += usize::from(side > 0.0 || side == 0.0 && tie);
            }
            if left == 0 || left == 3 {
                let n = crate::math::small::cross(sub(corners[1], corners[0]), sub(corners[2], corners[0]));
                let x = corners[0][0] + (n[1] * q[0][0] + n[2] * q[0][1]) / n[0];
                let low = corners.iter().map(|p| p[0]).fold(f64::INFINITY, f64::min);
                let high = corners.iter().map(|p| p[0]).fold(f64::NEG_INFINITY, f64::max);
                // A triangle on edge has no place of its own.
                let x = if x.is_finite() { x.clamp(low, high) } else { 0.5 * (low + high) };
                f(y, z, x, left == 0);
            }
        }
    }
}
