//! VTK's cells, for .vtk and .vtu files.

use super::draft::Draft;
use super::error::{Fault, Parsed, Place};

/// Puts a cell into the draft.
pub(super) fn add(draft: &mut Draft, kind: i128, nodes: &[u32], place: Place, number: u64) -> Parsed<()> {
    let wrong = |what: &str| {
        let count = nodes.len();
        Err(Fault::element(place, number, format!("{what} (cell type {kind}) cannot have {count} nodes")))
    };
    match (kind, nodes) {
        (0..=2, _) => draft.count("point without a use here"),
        (3 | 4 | 21 | 35 | 68, _) => draft.count("line without a use here"),
        (5, &[_, _, _]) => draft.polygon(nodes, place, number)?,
        (5, _) => return wrong("a triangle"),
        (7, _) => draft.polygon(nodes, place, number)?,
        (8, &[a, b, c, d]) => draft.polygon(&[a, b, d, c], place, number)?,
        (9, &[_, _, _, _]) => draft.polygon(nodes, place, number)?,
        (8 | 9, _) => return wrong("a quadrilateral"),
        (6, &[_, _, _, ..]) => {
            for (i, window) in nodes.windows(3).enumerate() {
                if let &[a, b, c] = window {
                    draft.polygon(&if i % 2 == 0 { [a, b, c] } else { [b, a, c] }, place, number)?;
                }
            }
        }
        (6, _) => return wrong("a strip of triangles"),
        (22 | 34 | 69, &[a, b, c, _, _, _, ..]) => {
            draft.polygon(&[a, b, c], place, number)?;
            draft.count("triangle of higher order: its corners were taken");
        }
        (23 | 28 | 70, &[a, b, c, d, _, _, ..]) => {
            draft.polygon(&[a, b, c, d], place, number)?;
            draft.count("quadrilateral of higher order: its corners were taken");
        }
        (10, &[a, b, c, d]) => {
            draft.tet([a, b, c, d], place, number)?;
        }
        (24 | 71 | 78, &[a, b, c, d, ab, bc, ac, ad, bd, cd]) => {
            draft.tet_of_ten([a, b, c, d], [ab, bc, ac, ad, bd, cd], place, number)?;
        }
        (24 | 71 | 78, &[a, b, c, d, _, _, _, _, _, _, ..]) => {
            draft.tet([a, b, c, d], place, number)?;
            draft.count("tetrahedron of higher order: its corners were taken");
        }
        (10 | 24 | 71 | 78, _) => return wrong("a tetrahedron"),
        (11 | 12 | 13 | 14 | 25 | 26 | 27 | 29 | 30 | 31 | 32 | 33 | 37 | 42 | 72 | 73 | 74, _) => {
            let reason =
                format!("cell type {kind} is not a tetrahedron: split the mesh into tetrahedra first");
            return Err(Fault::element(place, number, reason));
        }
        _ => return Err(Fault::element(place, number, format!("cell type {kind} is not known"))),
    }
    Ok(())
}
