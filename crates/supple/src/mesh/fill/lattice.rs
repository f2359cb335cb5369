//! The body-centred cubic lattice, in units of its size: black nodes at whole numbers, red ones half a unit further along all axes.
//!
//! A node is a triple of *doubled* coordinates, all even (black) or all odd (red). A tetrahedron is a black axis edge and one of the four
//! red axis edges around it: the two red nodes on both sides of a face between cells, and one edge of this face.

/// Doubled coordinates of a node.
pub(super) type Node = [i32; 3];

/// Directions of the seven edges that a node owns: three long ones (length 1), four short ones (√3/2).
pub(super) const DIRECTIONS: [Node; 7] =
    [[2, 0, 0], [0, 2, 0], [0, 0, 2], [-1, -1, 1], [1, -1, 1], [-1, 1, 1], [1, 1, 1]];

/// Whether an edge of this direction is long.
pub(super) fn is_long(direction: usize) -> bool {
    direction < 3
}

/// Length of an edge of this direction.
pub(super) fn length(direction: usize) -> f64 {
    if is_long(direction) { 1.0 } else { 0.75f64.sqrt() }
}

/// The cells of a box, [0, cells] in lattice units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lattice {
    pub cells: [usize; 3],
}

impl Lattice {
    /// How many cells there are; each has a red node in its middle.
    pub fn cell_count(&self) -> usize {
        self.cells.iter().product()
    }
    fn black_count(&self) -> usize {
        self.cells.iter().map(|n| n + 1).product()
    }
    /// How many nodes there are, black and red.
    pub fn node_count(&self) -> usize {
        self.black_count() + self.cell_count()
    }
    /// Number of a cell.
    pub fn cell(&self, [i, j, k]: [usize; 3]) -> usize {
        i + self.cells[0] * (j + self.cells[1] * k)
    }
    /// The cell of a number.
    pub fn cell_at(&self, cell: usize) -> [usize; 3] {
        let [nx, ny, _] = self.cells;
        [cell % nx, cell / nx % ny, cell / (nx * ny)]
    }
    /// The cell around a point, or the nearest one.
    pub fn cell_of(&self, p: [f64; 3]) -> usize {
        self.cell(std::array::from_fn(|c| (p[c].max(0.0) as usize).min(self.cells[c] - 1)))
    }
    /// Number of a node; `None` outside of the box.
    pub fn id(&self, node: Node) -> Option<usize> {
        let red = node[0] & 1;
        for c in 0..3 {
            if node[c] < 0 || node[c] as usize > 2 * self.cells[c] {
                return None;
            }
        }
        let [i, j, k] = node.map(|d| (d >> 1) as usize);
        Some(if red == 0 {
            i + (self.cells[0] + 1) * (j + (self.cells[1] + 1) * k)
        } else {
            self.black_count() + self.cell([i, j, k])
        })
    }
    /// The node of a number.
    pub fn node(&self, id: usize) -> Node {
        match id.checked_sub(self.black_count()) {
            None => {
                let [nx, ny, _] = self.cells.map(|n| n + 1);
                [id % nx, id / nx % ny, id / (nx * ny)].map(|d| 2 * d as i32)
            }
            Some(cell) => self.cell_at(cell).map(|d| 2 * d as i32 + 1),
        }
    }
    /// Number of the red node in a cell.
    pub fn red(&self, cell: usize) -> usize {
        self.black_count() + cell
    }
    /// The node at the other end of an edge.
    pub fn along(&self, node: Node, direction: usize, sign: i32) -> Option<usize> {
        let d = DIRECTIONS[direction];
        self.id(std::array::from_fn(|c| node[c] + sign * d[c]))
    }
    /// Lines of faces along x that [`Lattice::tets_of_row`] can be asked for.
    pub fn rows(&self) -> usize {
        self.cells[1] * self.cells[2]
    }

    /// Calls `f(number, corners)` for each tetrahedron around the faces that the cells of a line along x have towards higher
    /// coordinates. `keep` is asked first for the six nodes around a face.
    pub fn tets_of_row(
        &self,
        row: usize,
        keep: impl Fn([usize; 6]) -> bool,
        mut f: impl FnMut(u64, [usize; 4]),
    ) {
        let (j, k) = (row % self.cells[1], row / self.cells[1]);
        for i in 0..self.cells[0] {
            for axis in 0..3 {
                if let Some([low, high, corners @ ..]) = self.face([i, j, k], axis)
                    && keep([low, high, corners[0], corners[1], corners[2], corners[3]])
                {
                    let number = 4 * (3 * self.cell([i, j, k]) + axis) as u64;
                    for m in 0..4 {
                        f(number + m as u64, [low, high, corners[m], corners[(m + 1) % 4]]);
                    }
                }
            }
        }
    }

    /// The red nodes on both sides of the face that a cell has towards a higher coordinate, then the face's four corners,
    /// counter-clockwise seen from the far side. `None` at the end of the box.
    fn face(&self, cell: [usize; 3], axis: usize) -> Option<[usize; 6]> {
        if cell[axis] + 1 >= self.cells[axis] {
            return None;
        }
        let step = [1, self.cells[0], self.cells[0] * self.cells[1]];
        let number = self.cell(cell);
        let [nx, ny] = [self.cells[0] + 1, self.cells[1] + 1];
        let black = [1, nx, nx * ny];
        let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
        let first = cell[0] + nx * (cell[1] + ny * cell[2]) + black[axis];
        let corners = [first, first + black[a], first + black[a] + black[b], first + black[b]];
        let (low, high) = (self.red(number), self.red(number + step[axis]));
        Some([low, high, corners[0], corners[1], corners[2], corners[3]])
    }

    /// Corners of a tetrahedron by its number, with positive volume.
    pub fn tet(&self, number: u64) -> Option<[usize; 4]> {
        let (face, m) = ((number / 4) as usize, (number % 4) as usize);
        if face / 3 >= self.cell_count() {
            return None;
        }
        let [low, high, corners @ ..] = self.face(self.cell_at(face / 3), face % 3)?;
        Some([low, high, corners[m], corners[(m + 1) % 4]])
    }

    /// Numbers of the tetrahedra around a node: 24 of them away from the box's sides.
    pub fn tets_at(&self, id: usize) -> impl Iterator<Item = u64> + '_ {
        let node = self.node(id);
        let middle = node.map(|d| d >> 1);
        let range = move |c: usize| (middle[c] - 2).max(0)..(middle[c] + 2).min(self.cells[c] as i32);
        range(2)
            .flat_map(move |k| range(1).flat_map(move |j| range(0).map(move |i| [i, j, k])))
            .flat_map(move |cell| {
                let first = 12 * self.cell(cell.map(|i| i as usize)) as u64;
                first..first + 12
            })
            .filter(move |&n| self.tet(n).is_some_and(|t| t.contains(&id)))
    }

    /// The tetrahedron around a point of the box: three comparisons.
    pub fn tet_at(&self, p: [f64; 3]) -> Option<u64> {
        let cell = self.cell_at(self.cell_of(p));
        // From the middle of the cell: the largest coordinate names the face, the second the edge of the face.
        let q: [f64; 3] = std::array::from_fn(|c| p[c] - cell[c] as f64 - 0.5);
        let size = q.map(f64::abs);
        let axis = if size[0] >= size[1] && size[0] >= size[2] {
            0
        } else if size[1] >= size[2] {
            1
        } else {
            2
        };
        let mut low = cell;
        if q[axis] < 0.0 {
            low[axis] = cell[axis].checked_sub(1)?;
        }
        if low[axis] + 1 >= self.cells[axis] {
            return None;
        }
        let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
        // Edges of the face in their order: b low, a high, b high, a low.
        let m = match (size[a] >= size[b], q[a] >= 0.0, q[b] >= 0.0) {
            (false, _, false) => 0,
            (true, true, _) => 1,
            (false, _, true) => 2,
            (true, false, _) => 3,
        };
        Some(4 * (3 * self.cell(low) + axis) as u64 + m)
    }
}

/// Position of a node in lattice units.
pub(super) fn position(node: Node) -> [f64; 3] {
    node.map(|d| 0.5 * f64::from(d))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::mesh::tet_volume;

    #[test]
    fn tetrahedra_fill_the_box_but_for_half_a_cell_at_its_sides() {
        let lattice = Lattice { cells: [4, 3, 5] };
        let mut volume = 0.0;
        for row in 0..lattice.rows() {
            lattice.tets_of_row(
                row,
                |_| true,
                |number, corners| {
                    let p = corners.map(|v| position(lattice.node(v)));
                    assert!((tet_volume(p) - 1.0 / 12.0).abs() < 1e-15);
                    assert_eq!(lattice.tet(number), Some(corners));
                    // The middle of a tetrahedron lies in it, and so do points near its corners.
                    for near in 0..5 {
                        let weights: [f64; 4] = std::array::from_fn(|v| if v == near { 0.91 } else { 0.03 });
                        let weights = if near == 4 { [0.25; 4] } else { weights };
                        let q = std::array::from_fn(|c| (0..4).map(|v| weights[v] * p[v][c]).sum());
                        assert_eq!(lattice.tet_at(q), Some(number));
                    }
                    volume += tet_volume(p);
                },
            );
        }
        // Each inner face has a double pyramid of volume 1/3.
        let faces = 3 * 3 * 5 + 4 * 2 * 5 + 4 * 3 * 4;
        assert!((volume - faces as f64 / 3.0).abs() < 1e-12);
        let inner = lattice.id([5, 3, 5]).unwrap();
        assert_eq!(lattice.tets_at(inner).count(), 24);
        assert_eq!(lattice.tets_at(lattice.id([4, 4, 4]).unwrap()).count(), 24);
        for id in 0..lattice.node_count() {
            assert_eq!(lattice.id(lattice.node(id)), Some(id));
        }
    }
}
