//! Wavefront .obj: vertices and faces; texture coordinates, normals and the names of materials as they are drawn.

use std::collections::HashMap;

use super::RawMesh;
use super::draft::Draft;
use super::error::{About, Fault, Parsed, printable};
use super::text::{Line, Text, Token, need};
use crate::mesh::drawn::{Corners, Labels, NONE};

/// Statements that say nothing about the shape of a triangle mesh.
const LOOKS: [&str; 12] = [
    "s",
    "mg",
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
    let mut paint = Paint::default();
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
                draft.drawn.vertices.push(p);
                draft.drawn.nodes.push(number as u32 - 1);
            }
            b"vt" => draft.drawn.attributes.uvs.values.push(numbers(tokens)),
            b"vn" => draft.drawn.attributes.normals.values.push(numbers(tokens)),
            b"usemtl" => {
                paint.material = paint.materials.number(&mut draft.drawn.attributes.materials, rest(&line, 6))
            }
            b"mtllib" => {
                let names = &mut draft.drawn.attributes.libraries;
                names.extend(tokens.take(16).map(|t| printable(&String::from_utf8_lossy(t.text), 200)));
            }
            b"f" | b"fo" => {
                faces += 1;
                let all = object.into_iter().chain(groups.iter().copied());
                face(&mut draft, tokens, &line, faces, all, &paint)?;
            }
            b"o" => {
                object = draft.named_group(rest(&line, 1));
                paint.object = paint.groups.number(&mut draft.drawn.attributes.groups, rest(&line, 1));
            }
            b"g" => {
                paint.group = paint.groups.number(&mut draft.drawn.attributes.groups, rest(&line, 1));
                groups = tokens.filter_map(|t| draft.named_group(t.text)).collect();
            }
            b"l" | b"p" => draft.count("line or point without a use here"),
            _ if LOOKS.iter().any(|word| keyword.text == word.as_bytes()) => {}
            _ if FREE_FORM.iter().any(|word| keyword.text == word.as_bytes()) => {
                draft.count("statement of a free-form curve or surface was ignored");
            }
            _ => {
                return Err(keyword.fault(format!("{} is not a keyword of an .obj file", keyword.quoted())));
            }
        }
    }
    // Statements may come in any order, so that only now it is known which exist.
    let attributes = &mut draft.drawn.attributes;
    let missing = forget(&mut attributes.uvs) + forget(&mut attributes.normals);
    if missing > 0 {
        draft.note(format!(
            "{missing} corners name texture coordinates or normals that do not exist: ignored"
        ));
    }
    draft.finish(text.place())
}

/// What follows a keyword of so many letters.
fn rest<'a>(line: &Line<'a>, keyword: usize) -> &'a [u8] {
    line.text.trim_ascii().get(keyword..).unwrap_or(&[]).trim_ascii()
}

/// Numbers that matter only for drawing: an invalid one is 0.
fn numbers<'a, const N: usize>(mut tokens: impl Iterator<Item = Token<'a>>) -> [f64; N] {
    std::array::from_fn(|_| {
        let value = tokens.next().and_then(|t| t.real("a number").ok());
        value.filter(|v| v.is_finite()).unwrap_or(0.0)
    })
}

/// Forgets values that are not there; says how many corners named one.
fn forget<const N: usize>(corners: &mut Corners<N>) -> usize {
    let count = corners.values.len() as u32;
    let missing = corners.of.iter_mut().flatten().filter(|value| **value != NONE && **value >= count);
    missing.map(|value| *value = NONE).count()
}

/// What the faces that follow look like.
struct Paint {
    materials: Names,
    groups: Names,
    material: u32,
    object: u32,
    group: u32,
}

impl Default for Paint {
    fn default() -> Paint {
        let (materials, groups) = (Names::default(), Names::default());
        Paint { materials, groups, material: NONE, object: NONE, group: NONE }
    }
}

/// Numbers of names, to find them.
#[derive(Default)]
struct Names(HashMap<Vec<u8>, u32>);

impl Names {
    fn number(&mut self, labels: &mut Labels, name: &[u8]) -> u32 {
        if name.is_empty() {
            return NONE;
        }
        let fresh = || {
            labels.names.push(printable(&String::from_utf8_lossy(name), 200));
            labels.names.len() as u32 - 1
        };
        *self.0.entry(name.to_vec()).or_insert_with(fresh)
    }
}

/// A face: v, v/vt, v/vt/vn or v//vn, counted from 1, or backwards from the last vertex if negative.
fn face<'a>(
    draft: &mut Draft,
    tokens: impl Iterator<Item = Token<'a>>,
    line: &Line<'a>,
    number: u64,
    groups: impl Iterator<Item = usize>,
    paint: &Paint,
) -> Parsed<()> {
    let (mut corners, mut repeated) = (Vec::new(), false);
    // Texture coordinates and normals of the corners.
    let mut looks: Vec<[u32; 2]> = Vec::new();
    for token in tokens {
        let mut parts = token.text.split(|&b| b == b'/');
        let first = parts.next().unwrap_or(&[]);
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
        let attributes = &draft.drawn.attributes;
        let counts = [attributes.uvs.values.len(), attributes.normals.values.len()];
        looks.push(counts.map(|count| {
            let value =
                Token { text: parts.next().unwrap_or(&[]), place: token.place }.whole("").unwrap_or(0);
            let place = if value < 0 { value + count as i128 } else { value - 1 };
            u32::try_from(place).unwrap_or(NONE)
        }));
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
    let drawn = &mut draft.drawn;
    let mut all = corners.iter().copied().zip(looks);
    let (first, mut before) = (all.next().unwrap_or_default(), all.next().unwrap_or_default());
    for next in all {
        let fan = [first, before, next];
        before = next;
        let (at, attributes) = (drawn.triangles.len(), &mut drawn.attributes);
        attributes.uvs.push(at, fan.map(|(_, [uv, _])| uv));
        attributes.normals.push(at, fan.map(|(_, [_, normal])| normal));
        attributes.materials.push(at, paint.material);
        attributes.groups.push(at, if paint.group == NONE { paint.object } else { paint.group });
        drawn.triangles.push(fan.map(|(corner, _)| corner));
    }
    Ok(())
}
