//! Wavefront .obj: vertices and faces; everything about looks is passed over.

use super::RawMesh;
use super::draft::Draft;
use super::error::{About, Fault, Parsed};
use super::text::{Line, Text, Token, need};

/// Statements that say nothing about the shape of a triangle mesh.
const LOOKS: [&str; 16] = [
    "vt",
    "vn",
    "s",
    "mg",
    "usemtl",
    "mtllib",
    "usemap",
    "maplib",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
    "call",
    "csh",
];
/// Free-form curves and surfaces, which are not read.
const FREE_FORM: [&str; 18] = [
    "vp", "cstype", "deg", "bmat", "step", "curv", "curv2", "surf", "parm", "trim", "hole", "scrv", "sp",
    "end", "con", "ctech", "stech", "res",
];

pub(super) fn read(bytes: &[u8]) -> Parsed<RawMesh> {
    let mut text = Text::new(bytes, Some(b'#'))?;
    let mut draft = Draft::of_surface(1);
    let (mut object, mut groups) = (None, Vec::new());
    let mut faces = 0;
    let mut joined: Vec<u8>;
    while let Some(mut line) = text.line() {
        // A backslash at the end joins the next line.
        if line.text.ends_with(b"\\") {
            joined = Vec::new();
            let mut part = line;
            while let Some(start) = part.text.strip_suffix(b"\\") {
                joined.extend_from_slice(start);
                joined.push(b' ');
                part = text.rest_of_line();
            }
            joined.extend_from_slice(part.text);
            line = Line { text: &joined, place: line.place };
        }
        let mut tokens = line.tokens();
        let Some(keyword) = tokens.next() else { continue };
        match keyword.text {
            b"v" => {
                let number = draft.vertices.len() as u64 + 1;
                let mut p = [0.0; 3];
                for c in &mut p {
                    *c = need(&mut tokens, &line, "a coordinate")
                        .and_then(|t| t.real("a coordinate"))
                        .node(number)?;
                }
                // A weight or a colour may follow.
                for extra in tokens {
                    extra.real("a weight or colour").node(number)?;
                }
                draft.vertex(p, line.place, number)?;
            }
            b"f" | b"fo" => {
                faces += 1;
                face(&mut draft, tokens, &line, faces, object.into_iter().chain(groups.iter().copied()))?;
            }
            b"o" => object = draft.named_group(keyword_rest(&line)),
            b"g" => groups = tokens.filter_map(|t| draft.named_group(t.text)).collect(),
            b"l" | b"p" => draft.count("line or point without a use here"),
            _ if LOOKS.iter().any(|word| keyword.text == word.as_bytes()) => {}
            _ if FREE_FORM.iter().any(|word| keyword.text == word.as_bytes()) => {
                draft.count("statement of a free-form curve or surface was ignored");
            }
            _ => {
                return Err(keyword.fault(format!("{} is no keyword of an .obj file", keyword.quoted())));
            }
        }
    }
    draft.finish(text.place())
}

/// What follows the keyword.
fn keyword_rest<'a>(line: &Line<'a>) -> &'a [u8] {
    line.text.get(1..).unwrap_or(&[]).trim_ascii()
}

/// A face: v, v/vt, v/vt/vn or v//vn, counted from 1, or backwards from the last vertex if negative.
fn face<'a>(
    draft: &mut Draft,
    tokens: impl Iterator<Item = Token<'a>>,
    line: &Line<'a>,
    number: u64,
    groups: impl Iterator<Item = usize>,
) -> Parsed<()> {
    let (mut corners, mut repeated) = (Vec::new(), false);
    for token in tokens {
        let first = token.text.split(|&b| b == b'/').next().unwrap_or(&[]);
        let value = Token { text: first, place: token.place }.whole("a vertex").element(number)?;
        let count = draft.vertices.len() as i128;
        let index = match value {
            0 => {
                return Err(Fault::element(line.place, number, "vertex 0: an .obj file counts from 1"));
            }
            1.. => value,
            _ if value.checked_add(count).is_some_and(|v| v >= 0) => value + count + 1,
            _ => {
                let reason = format!("vertex {value} counts back before the first of {count} vertices");
                return Err(Fault::element(line.place, number, reason));
            }
        };
        let node = draft.node(index, token.place).element(number)?;
        if corners.contains(&node) {
            repeated = true;
            continue;
        }
        if corners.len() >= 10_000 {
            return Err(Fault::element(line.place, number, "a face of more than 10000 corners"));
        }
        corners.push(node);
    }
    if repeated {
        draft.count("face that names a vertex twice was left out");
        return Ok(());
    }
    draft.polygon(&corners, line.place, number)?;
    if corners.len() > 3 {
        draft.count("polygon split into triangles");
    }
    for group in groups {
        draft.add_nodes(Some(group), &corners);
    }
    Ok(())
}
