//! TetGen: nodes in one file, tetrahedra in another.
//!
//! ```text
//! .node   <nodes> 3 <attributes> <markers: 0 or 1>      .ele   <tetrahedra> <4 or 10 nodes> <attributes>
//!         <number> <x> <y> <z> [attributes] [marker]           <number> <node> … [attributes]
//! ```
//! Nodes are numbered from 0 or 1, which the first one tells. Markers and attributes become groups.

use super::draft::Draft;
use super::error::{About, Fault, Parsed, Place};
use super::text::{Line, Text, need};
use super::{RawMesh, ReadError};

/// Reads both files; `missing` is the extension to ask for where the second one is not there.
pub(super) fn read(
    node: (&str, &[u8]),
    ele: Option<(&str, &[u8])>,
    missing: &str,
) -> Result<RawMesh, ReadError> {
    let Some(ele) = ele else {
        let reason = format!("a TetGen mesh is two files: the .{missing} file beside this one is needed too");
        return Err(Fault::new(Place::line(1), reason).in_file(node.0));
    };
    let mut draft = Draft::default();
    nodes(node.1, &mut draft).map_err(|fault| fault.in_file(node.0))?;
    tets(ele.1, draft).map_err(|fault| fault.in_file(ele.0))
}

/// Whole numbers of a header line: how many things, and what each line of them holds.
fn header<'a>(text: &mut Text<'a>, what: &str) -> Parsed<(i128, Vec<i128>, Line<'a>)> {
    let line = text.need_line(what)?;
    let mut tokens = line.tokens();
    let count = need(&mut tokens, &line, what)?.whole(what)?;
    // The header has at most four numbers; whatever follows is no header.
    let rest: Vec<i128> = tokens.by_ref().take(3).map(|t| t.whole("a count")).collect::<Parsed<_>>()?;
    if let Some(extra) = tokens.next() {
        return Err(extra.fault(format!("{} does not belong on the first line", extra.quoted())));
    }
    Ok((count, rest, line))
}

/// A count of columns.
fn columns(line: &Line, value: Option<&i128>, what: &str) -> Parsed<usize> {
    match value.copied().unwrap_or(0) {
        n @ 0..=1000 => Ok(n as usize),
        n => Err(line.fault(format!("{n} {what} per line are not possible"))),
    }
}

/// More lines of data than announced.
fn no_more(text: &mut Text, count: usize, what: &str) -> Parsed<()> {
    match text.line() {
        Some(line) => Err(line.fault(format!("the first line announces {count} {what}, but more follow"))),
        None => Ok(()),
    }
}

fn nodes(bytes: &[u8], draft: &mut Draft) -> Parsed<()> {
    let mut text = Text::new(bytes, Some(b'#'))?;
    let (count, rest, line) = header(&mut text, "the number of nodes")?;
    let dimension = rest.first().copied().unwrap_or(3);
    if dimension != 3 {
        return Err(line.fault(format!("nodes of dimension {dimension}; only 3 is possible")));
    }
    let attributes = columns(&line, rest.get(1), "attributes")?;
    let markers = columns(&line, rest.get(2), "markers")?;
    if count == 0 {
        return Err(line.fault("the file holds no nodes"));
    }
    let count = text.room(count, 8, "nodes").map_err(|fault| Fault { place: line.place, ..fault })?;
    for i in 0..count {
        let what = "a node";
        let Some(line) = text.line() else {
            return Err(text.fault(format!("the file ends after {i} of {count} nodes")));
        };
        let mut tokens = line.tokens();
        let number = need(&mut tokens, &line, what)?.whole("a node's number")?;
        if i == 0 {
            draft.base = match number {
                0 => 0,
                1 => 1,
                _ => return Err(line.fault(format!("the first node has number {number}, not 0 or 1"))),
            };
        }
        let expected = draft.base + i as u64;
        if number != i128::from(expected) {
            return Err(line.fault(format!("node {number} stands where node {expected} should be")));
        }
        let mut p = [0.0; 3];
        for c in &mut p {
            *c = need(&mut tokens, &line, "a coordinate")
                .and_then(|t| t.real("a coordinate"))
                .node(expected)?;
        }
        draft.vertex(p, line.place, expected)?;
        for _ in 0..attributes {
            need(&mut tokens, &line, "an attribute").and_then(|t| t.real("an attribute")).node(expected)?;
        }
        for m in 0..markers {
            let marker = need(&mut tokens, &line, "a boundary marker")
                .and_then(|t| t.tag("a boundary marker"))
                .node(expected)?;
            if m == 0 && marker != 0 {
                let group = draft.group("marker", marker);
                draft.add_nodes(group, &[i as u32]);
            }
        }
        if tokens.next().is_some() {
            draft.count("line with more columns than the .node file announces: they were ignored");
        }
    }
    no_more(&mut text, count, "nodes")
}

fn tets(bytes: &[u8], mut draft: Draft) -> Parsed<RawMesh> {
    let mut text = Text::new(bytes, Some(b'#'))?;
    let (count, rest, line) = header(&mut text, "the number of tetrahedra")?;
    let corners = rest.first().copied().unwrap_or(4);
    if corners != 4 && corners != 10 {
        return Err(line.fault(format!("tetrahedra of {corners} nodes; only 4 and 10 are possible")));
    }
    let attributes = columns(&line, rest.get(1), "attributes")?;
    if count == 0 {
        return Err(line.fault("the file holds no tetrahedra"));
    }
    let count = text.room(count, 10, "tetrahedra").map_err(|fault| Fault { place: line.place, ..fault })?;
    let mut data = false;
    for i in 0..count {
        let Some(line) = text.line() else {
            return Err(text.fault(format!("the file ends after {i} of {count} tetrahedra")));
        };
        let mut tokens = line.tokens();
        let token = need(&mut tokens, &line, "a tetrahedron")?;
        let number = token.whole("a tetrahedron's number")?;
        let number = u64::try_from(number)
            .map_err(|_| token.fault(format!("a tetrahedron cannot have the number {number}")))?;
        let mut tet = [0; 4];
        for corner in &mut tet {
            *corner = need(&mut tokens, &line, "a node")
                .and_then(|t| draft.node(t.whole("a node")?, t.place))
                .element(number)?;
        }
        for _ in 4..corners {
            need(&mut tokens, &line, "a node").and_then(|t| t.whole("a node")).element(number)?;
        }
        let position = draft.tet(tet, line.place, number)?;
        for a in 0..attributes {
            let value = need(&mut tokens, &line, "an attribute")
                .and_then(|t| t.real("an attribute"))
                .element(number)?;
            if a == 0 && value.trunc() == value && value.abs() < 9e15 {
                let group = if value == 0.0 { None } else { draft.group("region", value as i64) };
                draft.add_tet(group, position);
            } else {
                data = true;
            }
        }
        if tokens.next().is_some() {
            draft.count("line with more columns than the .ele file announces: they were ignored");
        }
    }
    no_more(&mut text, count, "tetrahedra")?;
    if corners == 10 {
        draft.note("the tetrahedra have 10 nodes: their corners were taken");
    }
    if data {
        draft.note("attributes that are not region numbers were ignored");
    }
    draft.finish(text.place())
}
