//! Medit .mesh, as text: keywords, each followed by a count and that many rows.
//!
//! The last number of a row is its reference; references other than 0 become groups.

use super::RawMesh;
use super::draft::Draft;
use super::error::{About, Parsed};
use super::text::{Text, Token};

/// What the rows of a keyword are.
enum Rows {
    Vertices,
    /// Tetrahedra of this many nodes.
    Tets(usize),
    /// Polygons: corners, and nodes in all.
    Faces(usize, usize),
    /// Edges and points: nodes of a row with a reference.
    Marks(&'static str, usize),
    /// Rows without a use here: numbers per row.
    Ignored(usize),
    /// Cells that are no tetrahedra.
    Refused,
}

fn rows(keyword: &[u8]) -> Option<Rows> {
    Some(match keyword.to_ascii_lowercase().as_slice() {
        b"vertices" => Rows::Vertices,
        b"tetrahedra" => Rows::Tets(4),
        b"tetrahedrap2" => Rows::Tets(10),
        b"triangles" => Rows::Faces(3, 3),
        b"trianglesp2" => Rows::Faces(3, 6),
        b"quadrilaterals" => Rows::Faces(4, 4),
        b"edges" => Rows::Marks("curve", 2),
        b"edgesp2" => Rows::Marks("curve", 3),
        b"corners"
        | b"requiredvertices"
        | b"ridges"
        | b"requirededges"
        | b"requiredtriangles"
        | b"requiredtetrahedra" => Rows::Ignored(1),
        b"normals" | b"tangents" => Rows::Ignored(3),
        b"normalatvertices" | b"tangentatvertices" => Rows::Ignored(2),
        b"normalattrianglevertices" | b"tangentatedges" => Rows::Ignored(3),
        b"hexahedra" | b"hexaedra" | b"prisms" | b"pyramids" | b"pentahedra" => Rows::Refused,
        _ => return None,
    })
}

pub(super) fn read(bytes: &[u8]) -> Parsed<RawMesh> {
    let mut text = Text::new(bytes, Some(b'#'))?;
    let first = text.need("MeshVersionFormatted")?;
    if !first.is("MeshVersionFormatted") {
        return Err(first.fault(format!("{} stands where MeshVersionFormatted should be", first.quoted())));
    }
    let token = text.need("the version")?;
    let version = token.whole("the version")?;
    if !(1..=4).contains(&version) {
        return Err(token.fault(format!("version {version} is not known; 1 to 4 are")));
    }
    let mut draft = Draft::with_base(1);
    let mut vertices = false;
    while let Some(keyword) = text.token() {
        if keyword.is("End") {
            break;
        }
        if keyword.is("Dimension") {
            let token = text.need("the dimension")?;
            let dimension = token.whole("the dimension")?;
            if dimension != 3 {
                return Err(token.fault(format!("dimension {dimension}; only 3 is possible")));
            }
            continue;
        }
        let Some(rows) = rows(keyword.text) else {
            return Err(keyword.fault(format!("{} is not a keyword of a .mesh file", keyword.quoted())));
        };
        let count = text.need("a count")?;
        let whole = count.whole("a count")?;
        let room = |least: usize| {
            text.room(whole, least, &String::from_utf8_lossy(keyword.text))
                .map_err(|fault| count.fault(fault.reason))
        };
        match rows {
            Rows::Vertices if vertices => return Err(keyword.fault("a second list of vertices")),
            Rows::Vertices => {
                vertices = true;
                let count = room(8)?;
                read_vertices(&mut text, count, &mut draft)?;
            }
            Rows::Tets(nodes) => {
                let count = room(2 * nodes + 2)?;
                read_tets(&mut text, count, nodes, &mut draft)?;
            }
            Rows::Faces(corners, nodes) => {
                let count = room(2 * nodes + 2)?;
                read_faces(&mut text, count, (corners, nodes), &mut draft)?;
            }
            Rows::Marks(kind, nodes) => {
                let count = room(2 * nodes + 2)?;
                read_marks(&mut text, count, kind, nodes, &mut draft)?;
            }
            Rows::Ignored(numbers) => {
                for _ in 0..room(2 * numbers)? {
                    for _ in 0..numbers {
                        text.need("a number")?.real("a number")?;
                    }
                }
                draft.note(format!("{} were ignored", String::from_utf8_lossy(keyword.text)));
            }
            Rows::Refused if whole == 0 => {}
            Rows::Refused => {
                let what = String::from_utf8_lossy(keyword.text);
                return Err(keyword.fault(format!("{what} are not tetrahedra: split them first")));
            }
        }
    }
    draft.finish(text.place())
}

/// A number of a row; a keyword in its place means that the rows ended too early.
fn next<'a>(text: &mut Text<'a>, i: usize, count: usize, what: &str) -> Parsed<Token<'a>> {
    let token = text.need(what)?;
    if token.text.first().is_some_and(u8::is_ascii_alphabetic) && rows(token.text).is_some() {
        let reason = format!("{} comes after {i} of {count} rows", token.quoted());
        return Err(token.fault(reason));
    }
    Ok(token)
}

fn read_vertices(text: &mut Text, count: usize, draft: &mut Draft) -> Parsed<()> {
    for i in 0..count {
        let number = i as u64 + 1;
        let place = text.clone().token().map_or(text.place(), |t| t.place);
        let mut p = [0.0; 3];
        for c in &mut p {
            *c = next(text, i, count, "a coordinate").and_then(|t| t.real("a coordinate")).node(number)?;
        }
        draft.vertex(p, place, number)?;
        let tag = next(text, i, count, "a reference").and_then(|t| t.tag("a reference")).node(number)?;
        if tag != 0 {
            let group = draft.group("marker", tag);
            draft.add_nodes(group, &[i as u32]);
        }
    }
    Ok(())
}

/// Nodes and reference of a row.
fn row<const N: usize>(
    text: &mut Text,
    (i, count): (usize, usize),
    nodes: usize,
    draft: &Draft,
) -> Parsed<([u32; N], i64, super::Place)> {
    let mut corners = [0; N];
    let mut place = text.place();
    for n in 0..nodes {
        let token = next(text, i, count, "a node").element(i as u64 + 1)?;
        if n == 0 {
            place = token.place;
        }
        let node =
            token.whole("a node").and_then(|value| draft.node(value, token.place)).element(i as u64 + 1)?;
        if let Some(corner) = corners.get_mut(n) {
            *corner = node;
        }
    }
    let tag = next(text, i, count, "a reference").and_then(|t| t.tag("a reference")).element(i as u64 + 1)?;
    Ok((corners, tag, place))
}

fn read_tets(text: &mut Text, count: usize, nodes: usize, draft: &mut Draft) -> Parsed<()> {
    for i in 0..count {
        let (tet, tag, place) = row::<4>(text, (i, count), nodes, draft)?;
        let position = draft.tet(tet, place, i as u64 + 1)?;
        if tag != 0 {
            let group = draft.group("region", tag);
            draft.add_tet(group, position);
        }
    }
    if nodes > 4 && count > 0 {
        draft.note(format!("{count} tetrahedra have {nodes} nodes: their corners were taken"));
    }
    Ok(())
}

fn read_faces(
    text: &mut Text,
    count: usize,
    (corners, nodes): (usize, usize),
    draft: &mut Draft,
) -> Parsed<()> {
    for i in 0..count {
        let (face, tag, place) = row::<4>(text, (i, count), nodes, draft)?;
        let face = face.get(..corners).unwrap_or(&face);
        draft.polygon(face, place, i as u64 + 1)?;
        if tag != 0 {
            let group = draft.group("surface", tag);
            draft.add_nodes(group, face);
        }
    }
    if corners == 4 && count > 0 {
        draft.note(format!("{count} quadrilaterals were split into triangles"));
    }
    Ok(())
}

fn read_marks(
    text: &mut Text,
    count: usize,
    kind: &'static str,
    nodes: usize,
    draft: &mut Draft,
) -> Parsed<()> {
    for i in 0..count {
        let (ends, tag, _) = row::<2>(text, (i, count), nodes, draft)?;
        if tag != 0 {
            let group = draft.group(kind, tag);
            draft.add_nodes(group, &ends);
        }
    }
    if count > 0 {
        draft.note(format!("{count} edges were kept as groups only"));
    }
    Ok(())
}
