//! Checking and repairing elements before they become a body.
//!
//! What has one obvious remedy is repaired and counted (winding, unused nodes); what has none is a [`Defect`].

use crate::math::tet::{TetError, tetrahedron};

/// What is wrong with an element.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Defect {
    /// It names a node that is not there.
    #[error("node {node} does not exist (there are {nodes} nodes)")]
    Index {
        /// The node, counted from 0.
        node: u32,
        /// How many there are.
        nodes: usize,
    },
    /// It names a node twice.
    #[error("node {node} appears twice in it")]
    Repeated {
        /// The node, counted from 0.
        node: u32,
    },
    /// It has no volume or is too large.
    #[error("{0}")]
    Shape(TetError),
    /// A triangle without area.
    #[error("has no area ({area:e} m²): its three nodes lie on a line")]
    NoArea {
        /// Its area in m².
        area: f64,
    },
    /// It is there twice.
    #[error("has the same nodes as element {of}")]
    Duplicate {
        /// Position of the earlier one.
        of: usize,
    },
}

/// A defect and the position of the element that has it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("element {element}: {defect}")]
pub struct Defective {
    /// Position in the list.
    pub element: usize,
    /// What is wrong.
    pub defect: Defect,
}

/// The nodes of an element exist and differ.
fn check_nodes<const N: usize>(nodes: usize, element: &[u32; N]) -> Result<(), Defect> {
    for (i, &node) in element.iter().enumerate() {
        if node as usize >= nodes {
            return Err(Defect::Index { node, nodes });
        }
        if element.iter().take(i).any(|&earlier| earlier == node) {
            return Err(Defect::Repeated { node });
        }
    }
    Ok(())
}

fn corners<const N: usize>(vertices: &[[f64; 3]], element: &[u32; N]) -> [[f64; 3]; N] {
    element.map(|v| vertices.get(v as usize).copied().unwrap_or([f64::NAN; 3]))
}

/// Checks nodes and volume of every tetrahedron and turns those of negative volume by exchanging their last two nodes.
///
/// Returns how many were turned.
pub fn orient(vertices: &[[f64; 3]], tets: &mut [[u32; 4]]) -> Result<usize, Defective> {
    let mut turned = 0;
    for (element, tet) in tets.iter_mut().enumerate() {
        let fail = |defect| Defective { element, defect };
        check_nodes(vertices.len(), tet).map_err(fail)?;
        match tetrahedron(corners(vertices, tet)) {
            Ok(_) => {}
            Err(TetError::Inverted { .. }) => {
                tet.swap(2, 3);
                turned += 1;
            }
            Err(error) => return Err(fail(Defect::Shape(error))),
        }
    }
    Ok(turned)
}

/// Checks nodes and area of every triangle.
pub fn check_triangles(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Result<(), Defective> {
    for (element, triangle) in triangles.iter().enumerate() {
        let fail = |defect| Defective { element, defect };
        check_nodes(vertices.len(), triangle).map_err(fail)?;
        let p = corners(vertices, triangle);
        let area = triangle_area(p);
        let edge = |i: usize, j: usize| (0..3).map(|c| (p[i][c] - p[j][c]).powi(2)).sum::<f64>();
        let longest = edge(0, 1).max(edge(1, 2)).max(edge(2, 0));
        // Not `<=`, so that NaN fails too.
        if !(2.0 * area > 1e-12 * longest) {
            return Err(fail(Defect::NoArea { area }));
        }
    }
    Ok(())
}

/// Area of a triangle in m².
pub fn triangle_area([a, b, c]: [[f64; 3]; 3]) -> f64 {
    let e = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    let f = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
    let n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    0.5 * (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt()
}

/// All pairs (later, earlier) of elements with the same nodes, by the position of the later one.
pub fn duplicates<const N: usize>(elements: &[[u32; N]]) -> Vec<(usize, usize)> {
    let mut keys: Vec<([u32; N], usize)> = elements
        .iter()
        .enumerate()
        .map(|(i, element)| {
            let mut key = *element;
            key.sort_unstable();
            (key, i)
        })
        .collect();
    keys.sort_unstable();
    let mut first = match keys.first() {
        Some(first) => *first,
        None => return Vec::new(),
    };
    let mut pairs = Vec::new();
    for &(key, i) in keys.iter().skip(1) {
        if key == first.0 {
            pairs.push((i, first.1));
        } else {
            first = (key, i);
        }
    }
    pairs.sort_unstable();
    pairs
}

/// The number that a dropped node has in the answer of [`drop_unused`].
pub const DROPPED: u32 = u32::MAX;

/// Drops the vertices that no element uses: those of no tetrahedron where there are any, else those of no triangle.
/// Elements are renumbered; triangles that lose a corner go with it.
///
/// Returns each old vertex's new number or [`DROPPED`], or `None` where all were used and nothing changed.
pub fn drop_unused(
    vertices: &mut Vec<[f64; 3]>,
    tets: &mut [[u32; 4]],
    triangles: &mut Vec<[u32; 3]>,
) -> Option<Vec<u32>> {
    let mut number = vec![DROPPED; vertices.len()];
    let mut mark = |v: u32| {
        if let Some(n) = number.get_mut(v as usize) {
            *n = 0;
        }
    };
    if tets.is_empty() {
        triangles.iter().flatten().for_each(|&v| mark(v));
    } else {
        tets.iter().flatten().for_each(|&v| mark(v));
    }
    if number.iter().all(|&n| n != DROPPED) {
        return None;
    }
    for (next, n) in (0..).zip(number.iter_mut().filter(|n| **n != DROPPED)) {
        *n = next;
    }
    let renumber = |v: u32| number.get(v as usize).copied().unwrap_or(DROPPED);
    let mut old = number.iter();
    vertices.retain(|_| old.next() != Some(&DROPPED));
    tets.iter_mut().for_each(|t| *t = t.map(renumber));
    triangles.iter_mut().for_each(|t| *t = t.map(renumber));
    triangles.retain(|t| !t.contains(&DROPPED));
    Some(number)
}
