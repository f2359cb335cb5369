//! Built-in shapes.

use super::{MeshError, TetMesh};

/// How a box-shaped cell is cut into tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Split {
    /// Five tetrahedra, mirrored from cell to cell so that faces fit: a box with an even number of cells is its own mirror image.
    #[default]
    Five,
    /// Six tetrahedra around the cell's diagonal, all cells alike. No mirror image of itself: a beam under a load bends sideways too.
    Six,
    /// 24 tetrahedra around the cell's centre, four to a face around the face's centre: as symmetric as the cell, with any number of cells.
    /// Nodes of centres stand behind those of the grid.
    TwentyFour,
}

impl Split {
    /// Tetrahedra in a cell.
    pub fn per_cell(self) -> usize {
        match self {
            Split::Five => 5,
            Split::Six => 6,
            Split::TwentyFour => 24,
        }
    }
}

/// The six tetrahedra around the diagonal 0–7 of a cell, by corner bits (x = 1, y = 2, z = 4).
const SIX: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];
/// Five tetrahedra with the corners 0, 3, 5, 6 in the middle one; the mirrored cell exchanges x = 0 and x = 1.
const FIVE: [[usize; 4]; 5] = [[0, 3, 6, 5], [0, 1, 3, 5], [0, 3, 2, 6], [0, 6, 4, 5], [3, 6, 5, 7]];

/// The corners of each face of a cell, counter-clockwise from outside, and where the face's centre is from the cell's: axis and side.
const FACES: [([usize; 4], usize, usize); 6] = [
    ([0, 4, 6, 2], 0, 0),
    ([1, 3, 7, 5], 0, 1),
    ([0, 1, 5, 4], 1, 0),
    ([2, 6, 7, 3], 1, 1),
    ([0, 2, 3, 1], 2, 0),
    ([4, 5, 7, 6], 2, 1),
];

/// A box of cells cut into 24.
fn centred(size: [f64; 3], cells: [usize; 3]) -> Result<TetMesh, MeshError> {
    let mut vertices = Vec::new();
    // Grids of nodes: corners, centres of cells, centres of faces across x, y and z. Halves of cells from the origin, and how many.
    let grids = [[true; 3], [false; 3], [true, false, false], [false, true, false], [false, false, true]];
    let count = |grid: usize, c: usize| cells[c] + usize::from(grids[grid][c]);
    let mut first = [0; 5];
    for (grid, on) in grids.iter().enumerate() {
        first[grid] = vertices.len();
        for k in 0..count(grid, 2) {
            for j in 0..count(grid, 1) {
                for i in 0..count(grid, 0) {
                    let at = |c: usize, q: usize| {
                        let halves = 2 * q + usize::from(!on[c]);
                        size[c] * halves as f64 / (2 * cells[c]) as f64
                    };
                    vertices.push([at(0, i), at(1, j), at(2, k)]);
                }
            }
        }
    }
    let id = |grid: usize, [i, j, k]: [usize; 3]| {
        (first[grid] + i + count(grid, 0) * (j + count(grid, 1) * k)) as u32
    };
    let mut tets = Vec::with_capacity(24 * cells.iter().product::<usize>());
    for k in 0..cells[2] {
        for j in 0..cells[1] {
            for i in 0..cells[0] {
                let cell = [i, j, k];
                let corner = |bits: usize| id(0, std::array::from_fn(|c| cell[c] + (bits >> c & 1)));
                for (face, axis, side) in FACES {
                    let mut at = cell;
                    at[axis] += side;
                    let (middle, centre) = (id(2 + axis, at), id(1, cell));
                    for q in 0..4 {
                        tets.push([corner(face[q]), middle, corner(face[(q + 1) % 4]), centre]);
                    }
                }
            }
        }
    }
    TetMesh::new(vertices, tets)
}

/// A box [0, size] of `cells` cells, each cut into tetrahedra. Node (i, j, k) has the number
/// i + (nx+1)(j + (ny+1)k).
pub fn box_mesh(size: [f64; 3], cells: [usize; 3], split: Split) -> Result<TetMesh, MeshError> {
    if size.iter().any(|s| !(s.is_finite() && *s > 0.0)) {
        return Err(MeshError::Parameter(format!("the size of a box must be positive, not {size:?}")));
    }
    if cells.contains(&0) {
        return Err(MeshError::Parameter(format!("a box needs at least one cell each way, not {cells:?}")));
    }
    let per_cell = split.per_cell();
    let count = cells.iter().try_fold(per_cell, |n, c| n.checked_mul(c.checked_add(1)?));
    if count.is_none_or(|n| n > 100_000_000) {
        return Err(MeshError::Parameter(format!("a box of {cells:?} cells is too large")));
    }
    if split == Split::TwentyFour {
        return centred(size, cells);
    }
    let [nx, ny, nz] = cells;
    let mut vertices = Vec::with_capacity((nx + 1) * (ny + 1) * (nz + 1));
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                let at = |c: usize, q: usize| size[c] * q as f64 / cells[c] as f64;
                vertices.push([at(0, i), at(1, j), at(2, k)]);
            }
        }
    }
    let mut tets = Vec::with_capacity(nx * ny * nz * per_cell);
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let mirrored = split == Split::Five && (i + j + k) % 2 == 1;
                let id = |corner: usize| {
                    let x = i + ((corner & 1) ^ usize::from(mirrored));
                    (x + (nx + 1) * ((j + (corner >> 1 & 1)) + (ny + 1) * (k + (corner >> 2)))) as u32
                };
                let pattern: &[[usize; 4]] = if split == Split::Six { &SIX } else { &FIVE };
                for t in pattern {
                    let mut tet = [id(t[0]), id(t[1]), id(t[2]), id(t[3])];
                    if mirrored {
                        tet.swap(2, 3);
                    }
                    tets.push(tet);
                }
            }
        }
    }
    TetMesh::new(vertices, tets)
}

/// Twists points about the x axis through `centre` (y, z): by `angle` radians over `length` metres from x = 0.
pub fn twist(points: &mut [[f64; 3]], angle: f64, length: f64, centre: [f64; 2]) {
    for p in points {
        let (s, c) = crate::math::elementary::sin_cos(angle * p[0] / length);
        let (y, z) = (p[1] - centre[0], p[2] - centre[1]);
        (p[1], p[2]) = (centre[0] + c * y - s * z, centre[1] + s * y + c * z);
    }
}

/// A grid of cells bent into a solid: `map` places the grid's node (i, j, k); with `ring` the last layer along x is the first.
///
/// Cells are cut into six tetrahedra around the diagonal that leads away from the middle of the y–z section (and of
/// the whole, if not a ring), so that no tetrahedron has all its corners on a rounded edge.
fn bent(
    cells: [usize; 3],
    along_x: Layers,
    map: impl Fn([usize; 3]) -> [f64; 3],
) -> Result<TetMesh, MeshError> {
    let [nx, ny, nz] = cells;
    let layers = if along_x == Layers::Ring { nx } else { nx + 1 };
    let count = layers.checked_mul(ny + 1).and_then(|n| n.checked_mul(nz + 1));
    if count.is_none_or(|n| n > 16_000_000) {
        return Err(MeshError::Parameter(format!("a shape of {cells:?} cells is too large")));
    }
    let mut vertices = Vec::new();
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..layers {
                vertices.push(map([i, j, k]));
            }
        }
    }
    let mut tets = Vec::new();
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                // Mirror the pattern in each half, so that its diagonal points outwards.
                let flip = [along_x == Layers::Outward && 2 * i < nx, 2 * j < ny, 2 * k < nz];
                let id = |corner: usize| {
                    let bit = |c: usize| (corner >> c & 1) ^ usize::from(flip[c]);
                    ((i + bit(0)) % layers + layers * ((j + bit(1)) + (ny + 1) * (k + bit(2)))) as u32
                };
                let odd = flip.iter().filter(|f| **f).count() % 2 == 1;
                for t in &SIX {
                    let mut tet = t.map(id);
                    if odd {
                        tet.swap(2, 3);
                    }
                    tets.push(tet);
                }
            }
        }
    }
    TetMesh::new(vertices, tets)
}

/// What the first direction of a bent grid is.
#[derive(Clone, Copy, PartialEq)]
enum Layers {
    /// Layer upon layer.
    Straight,
    /// From the middle to both sides, rounded like the others.
    Outward,
    /// The last layer is the first.
    Ring,
}

fn positive(name: &str, values: &[(&str, f64)]) -> Result<(), MeshError> {
    match values.iter().find(|(_, v)| !(v.is_finite() && *v > 0.0)) {
        Some((what, v)) => {
            Err(MeshError::Parameter(format!("the {what} of a {name} must be positive, not {v}")))
        }
        None => Ok(()),
    }
}

fn even(name: &str, cells: usize) -> Result<(), MeshError> {
    if cells >= 2 && cells.is_multiple_of(2) && cells <= 2000 {
        Ok(())
    } else {
        Err(MeshError::Parameter(format!(
            "a {name} needs an even number of cells across, at least 2, not {cells}"
        )))
    }
}

/// Node i of n cells as a number from −1 to 1.
fn unit(i: usize, n: usize) -> f64 {
    2.0 * i as f64 / n as f64 - 1.0
}

/// A point of the square [−1, 1]² moved along its ray into the unit disc.
fn disc(y: f64, z: f64) -> [f64; 2] {
    let (largest, length) = (y.abs().max(z.abs()), crate::math::elementary::hypot(y, z));
    let f = if length > 0.0 { largest / length } else { 0.0 };
    [f * y, f * z]
}

/// A ball of a radius around the origin with an even number of cells across.
pub fn ball(radius: f64, cells: usize) -> Result<TetMesh, MeshError> {
    positive("sphere", &[("radius", radius)])?;
    even("sphere", cells)?;
    bent([cells; 3], Layers::Outward, |n| {
        let p = n.map(|i| unit(i, cells));
        let largest = p.iter().fold(0.0f64, |a, b| a.max(b.abs()));
        let length = p.iter().map(|a| a * a).sum::<f64>().sqrt();
        let f = if length > 0.0 { radius * largest / length } else { 0.0 };
        p.map(|a| f * a)
    })
}

/// A cylinder along x from the origin, with an even number of cells across and some along.
pub fn cylinder(radius: f64, length: f64, cells: usize, along: usize) -> Result<TetMesh, MeshError> {
    positive("cylinder", &[("radius", radius), ("length", length)])?;
    even("cylinder", cells)?;
    if along == 0 {
        return Err(MeshError::Parameter("a cylinder needs at least one cell along".into()));
    }
    bent([along, cells, cells], Layers::Straight, |[i, j, k]| {
        let [y, z] = disc(unit(j, cells), unit(k, cells));
        [length * i as f64 / along as f64, radius * y, radius * z]
    })
}

/// A capsule along x: a cylinder from the origin with half a ball at each end, an even number of cells across and some along the cylinder.
pub fn capsule(radius: f64, length: f64, cells: usize, along: usize) -> Result<TetMesh, MeshError> {
    positive("capsule", &[("radius", radius), ("length", length)])?;
    even("capsule", cells)?;
    if along == 0 || along > 1_000_000 {
        return Err(MeshError::Parameter(format!("a capsule needs 1 to 1 000 000 cells along, not {along}")));
    }
    let half = cells / 2;
    bent([along + cells, cells, cells], Layers::Outward, |[i, j, k]| {
        // Layers of a ball before the cylinder and after it.
        let before = i.min(half) as f64 / half as f64 - 1.0;
        let after = i.saturating_sub(half + along) as f64 / half as f64;
        let p = [before + after, unit(j, cells), unit(k, cells)];
        let largest = p.iter().fold(0.0f64, |a, b| a.max(b.abs()));
        let norm = p.iter().map(|a| a * a).sum::<f64>().sqrt();
        let f = if norm > 0.0 { radius * largest / norm } else { 0.0 };
        let x = length * i.saturating_sub(half).min(along) as f64 / along as f64;
        [x + f * p[0], f * p[1], f * p[2]]
    })
}

/// A ring around the y axis: `radius` to the middle of the tube, which has the radius `tube`.
pub fn torus(radius: f64, tube: f64, cells: usize, around: usize) -> Result<TetMesh, MeshError> {
    positive("torus", &[("radius", radius), ("tube radius", tube)])?;
    even("torus", cells)?;
    if around < 3 || tube >= radius {
        return Err(MeshError::Parameter(format!(
            "a torus needs at least 3 cells around and a tube thinner than its radius, not {around} and {tube} of {radius}"
        )));
    }
    bent([around, cells, cells], Layers::Ring, |[i, j, k]| {
        let [y, z] = disc(unit(j, cells), unit(k, cells));
        let (s, c) = crate::math::elementary::sin_cos(std::f64::consts::TAU * i as f64 / around as f64);
        let r = radius + tube * z;
        // x along the ring, y up, z outwards: a right-handed frame.
        [r * s, tube * y, r * c]
    })
}

/// Nodes and edges.
pub type Net = (Vec<[f64; 3]>, Vec<[u32; 2]>);

/// Nodes of a net in the x–z plane, and its edges: along both directions and both diagonals of each cell.
pub fn net(size: [f64; 2], cells: [usize; 2]) -> Result<Net, MeshError> {
    positive("cloth", &[("width", size[0]), ("length", size[1])])?;
    let [nx, nz] = cells;
    if nx == 0 || nz == 0 || (nx + 1).saturating_mul(nz + 1) > 4_000_000 {
        return Err(MeshError::Parameter(format!("a cloth of {cells:?} cells cannot be made")));
    }
    let id = |i: usize, k: usize| (i + (nx + 1) * k) as u32;
    let mut vertices = Vec::new();
    let mut edges = Vec::new();
    for k in 0..=nz {
        for i in 0..=nx {
            vertices.push([size[0] * i as f64 / nx as f64, 0.0, size[1] * k as f64 / nz as f64]);
            if i < nx {
                edges.push([id(i, k), id(i + 1, k)]);
            }
            if k < nz {
                edges.push([id(i, k), id(i, k + 1)]);
            }
            if i < nx && k < nz {
                edges.push([id(i, k), id(i + 1, k + 1)]);
                edges.push([id(i + 1, k), id(i, k + 1)]);
            }
        }
    }
    Ok((vertices, edges))
}

/// Nodes of a rope along x from the origin, and its segments.
pub fn rope(length: f64, segments: usize) -> Result<Net, MeshError> {
    positive("rope", &[("length", length)])?;
    if segments == 0 || segments > 4_000_000 {
        return Err(MeshError::Parameter(format!("a rope of {segments} segments cannot be made")));
    }
    let vertices = (0..=segments).map(|i| [length * i as f64 / segments as f64, 0.0, 0.0]).collect();
    let edges = (0..segments as u32).map(|i| [i, i + 1]).collect();
    Ok((vertices, edges))
}

/// A rope in a loose overhand knot around the origin, its ends towards −x and +x: the polynomial trefoil of Shastri (1992), at
/// equal lengths. Its parts are at least a hundredth of the length apart, or nearly so.
pub fn knot(length: f64, segments: usize) -> Result<Net, MeshError> {
    let (_, edges) = rope(length, segments)?;
    let at = |t: f64| [0.3 * (t.powi(5) - 10.0 * t), 0.6 * (t.powi(4) - 4.0 * t * t), t.powi(3) - 3.0 * t];
    let fine = 100 * segments.min(10_000);
    let points: Vec<[f64; 3]> = (0..=fine).map(|i| at(4.4 * i as f64 / fine as f64 - 2.2)).collect();
    let mut ways = vec![0.0];
    for pair in points.windows(2) {
        let d = (0..3).map(|c| (pair[1][c] - pair[0][c]).powi(2)).sum::<f64>().sqrt();
        ways.push(ways[ways.len() - 1] + d);
    }
    let whole = ways[fine];
    let place = |i: usize| {
        let way = whole * i as f64 / segments as f64;
        let k = ways.partition_point(|w| *w < way).clamp(1, fine);
        let share = (way - ways[k - 1]) / (ways[k] - ways[k - 1]);
        std::array::from_fn(|c| {
            length / whole * (points[k - 1][c] + share * (points[k][c] - points[k - 1][c]))
        })
    };
    Ok(((0..=segments).map(place).collect(), edges))
}
