//! Stanford .ply: a header that describes elements and their properties, then rows as text or bytes.

use super::RawMesh;
use super::draft::Draft;
use super::error::{About, Fault, Parsed, Place, quote};
use super::number::{Number, Order, Scalar};
use super::text::{Line, Text, need};
use crate::mesh::Drawn;

/// A property: one number, or a list with its length before it.
enum Property {
    One(Scalar),
    List { length: Scalar, item: Scalar },
}

struct Element<'a> {
    name: &'a [u8],
    count: i128,
    place: Place,
    properties: Vec<(&'a [u8], Property)>,
}

/// More are a sign of a file made to harm.
const MOST_PROPERTIES: usize = 1000;

fn scalar(token: &super::text::Token) -> Parsed<Scalar> {
    Ok(match token.text {
        b"char" | b"int8" => Scalar::I8,
        b"uchar" | b"uint8" => Scalar::U8,
        b"short" | b"int16" => Scalar::I16,
        b"ushort" | b"uint16" => Scalar::U16,
        b"int" | b"int32" => Scalar::I32,
        b"uint" | b"uint32" => Scalar::U32,
        b"int64" | b"long" => Scalar::I64,
        b"uint64" | b"ulong" => Scalar::U64,
        b"float" | b"float32" => Scalar::F32,
        b"double" | b"float64" => Scalar::F64,
        _ => return Err(token.fault(format!("{} is not a property type", token.quoted()))),
    })
}

pub(super) fn read(bytes: &[u8]) -> Parsed<RawMesh> {
    let mut text = Text::header(bytes, None)?;
    let first = text.rest_of_line();
    if first.text != b"ply" {
        return Err(first.fault(format!("{} stands where \"ply\" should be", quote(first.text))));
    }
    let (binary, elements) = header(&mut text)?;
    match binary {
        Some(_) => text.count_bytes(),
        None => {
            Text::new(bytes, None)?;
        }
    }
    let mut draft = Draft::of_surface(0);
    for element in &elements {
        rows(&mut text, binary, element, &mut draft)?;
    }
    if binary.is_none()
        && let Some(token) = text.token()
    {
        return Err(token.fault(format!("{} comes after the last row that is announced", token.quoted())));
    }
    let Drawn { triangles, attributes, vertices, .. } = &mut draft.drawn;
    if attributes.normals.values.len() == vertices.len() {
        attributes.normals.of.clone_from(triangles);
    }
    if attributes.uvs.values.len() == vertices.len() {
        attributes.uvs.of.clone_from(triangles);
    }
    draft.finish(text.place())
}

fn header<'a>(text: &mut Text<'a>) -> Parsed<(Option<Order>, Vec<Element<'a>>)> {
    let mut format = None;
    let mut elements: Vec<Element> = Vec::new();
    let mut properties = 0;
    loop {
        let line = text.need_line("end_header")?;
        let mut tokens = line.tokens();
        let keyword = need(&mut tokens, &line, "a keyword")?;
        match keyword.text {
            b"comment" | b"obj_info" => {}
            b"format" => {
                let kind = need(&mut tokens, &line, "a format")?;
                format = Some(match kind.text {
                    b"ascii" => None,
                    b"binary_little_endian" => Some(Order::Little),
                    b"binary_big_endian" => Some(Order::Big),
                    _ => return Err(kind.fault(format!("the format {} is not known", kind.quoted()))),
                });
            }
            b"element" => {
                let name = need(&mut tokens, &line, "an element's name")?.text;
                let count = need(&mut tokens, &line, "a count")?.whole("a count")?;
                if elements.len() >= MOST_PROPERTIES {
                    return Err(line.fault("too many kinds of elements"));
                }
                elements.push(Element { name, count, place: line.place, properties: Vec::new() });
            }
            b"property" => {
                let property = property(&mut tokens, &line)?;
                properties += 1;
                match elements.last_mut() {
                    Some(element) if properties <= MOST_PROPERTIES => element.properties.push(property),
                    Some(_) => return Err(line.fault("too many properties")),
                    None => return Err(line.fault("a property before the first element")),
                }
            }
            b"end_header" => break,
            _ => return Err(keyword.fault(format!("{} does not belong in a header", keyword.quoted()))),
        }
    }
    match format {
        Some(binary) => Ok((binary, elements)),
        None => Err(text.fault("the header names no format")),
    }
}

fn property<'a>(
    tokens: &mut impl Iterator<Item = super::text::Token<'a>>,
    line: &Line<'a>,
) -> Parsed<(&'a [u8], Property)> {
    let kind = need(tokens, line, "a property's type")?;
    let property = if kind.text == b"list" {
        let length = need(tokens, line, "the type of the list's length")?;
        let item = need(tokens, line, "the type of the list's items")?;
        if scalar(&length)?.is_real() {
            return Err(length.fault("the length of a list must be a whole number"));
        }
        Property::List { length: scalar(&length)?, item: scalar(&item)? }
    } else {
        Property::One(scalar(&kind)?)
    };
    Ok((need(tokens, line, "a property's name")?.text, property))
}

/// What becomes of a property.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    Coordinate(usize),
    Normal(usize),
    Uv(usize),
    Corners,
    Ignored,
}

fn uses(element: &Element) -> Parsed<Vec<Use>> {
    let missing = |what: &str| {
        let name = quote(element.name);
        Err(Fault::new(element.place, format!("the element {name} has no property {what}")))
    };
    let of = |name: &[u8], property: &Property| match (element.name, name, property) {
        (b"vertex", b"x", Property::One(_)) => Use::Coordinate(0),
        (b"vertex", b"y", Property::One(_)) => Use::Coordinate(1),
        (b"vertex", b"z", Property::One(_)) => Use::Coordinate(2),
        (b"vertex", b"nx", Property::One(_)) => Use::Normal(0),
        (b"vertex", b"ny", Property::One(_)) => Use::Normal(1),
        (b"vertex", b"nz", Property::One(_)) => Use::Normal(2),
        (b"vertex", b"s" | b"u" | b"texture_u", Property::One(_)) => Use::Uv(0),
        (b"vertex", b"t" | b"v" | b"texture_v", Property::One(_)) => Use::Uv(1),
        (b"face", b"vertex_indices" | b"vertex_index", Property::List { .. }) => Use::Corners,
        _ => Use::Ignored,
    };
    let uses: Vec<Use> = element.properties.iter().map(|(name, property)| of(name, property)).collect();
    let needed: &[(Use, &str)] = match element.name {
        b"vertex" => &[(Use::Coordinate(0), "x"), (Use::Coordinate(1), "y"), (Use::Coordinate(2), "z")],
        b"face" => &[(Use::Corners, "vertex_indices")],
        _ => &[],
    };
    for (what, name) in needed {
        match uses.iter().filter(|u| *u == what).count() {
            1 => {}
            0 => return missing(name),
            _ => return missing(&format!("{name} only once")),
        }
    }
    Ok(uses)
}

fn rows(text: &mut Text, binary: Option<Order>, element: &Element, draft: &mut Draft) -> Parsed<()> {
    let uses = uses(element)?;
    if element.properties.is_empty() {
        return match element.count {
            0 => Ok(()),
            n => Err(Fault::new(element.place, format!("{n} elements without a property"))),
        };
    }
    let size = |property: &Property| match property {
        _ if binary.is_none() => 2,
        Property::One(scalar) => scalar.size(),
        Property::List { length, .. } => length.size(),
    };
    let least = element.properties.iter().map(|(_, property)| size(property)).sum();
    let what = String::from_utf8_lossy(element.name);
    let count = text
        .room(element.count, least, &format!("rows of {}", quote(what.as_bytes())))
        .map_err(|fault| Fault { place: element.place, ..fault })?;
    if element.name != b"vertex" && element.name != b"face" && count > 0 {
        draft.note(format!("{count} elements {} were ignored", quote(element.name)));
    }
    let mut corners = Vec::new();
    for i in 0..count as u64 {
        let place = match binary {
            Some(_) => text.place(),
            None => text.clone().token().map_or(text.place(), |t| t.place),
        };
        let item = if element.name == b"vertex" { "node" } else { "element" };
        let (mut p, mut normal, mut uv) = ([0.0; 3], [0.0; 3], [0.0; 2]);
        corners.clear();
        for ((_, property), used) in element.properties.iter().zip(&uses) {
            let values = match property {
                Property::One(_) => 1,
                Property::List { length, .. } => {
                    let n = text.number(*length, binary, "the length of a list");
                    let n = n.map_err(|f| f.about(item, i))?.whole().unwrap_or(-1);
                    let least = match property {
                        Property::List { item, .. } if binary.is_some() => item.size(),
                        _ => 2,
                    };
                    text.room(n, least, "items of a list").map_err(|f| f.about(item, i))?
                }
            };
            let (Property::One(scalar) | Property::List { item: scalar, .. }) = property;
            if *used == Use::Corners && values > 10_000 {
                return Err(Fault::element(place, i, format!("a face of {values} corners")));
            }
            for _ in 0..values {
                let number = text.number(*scalar, binary, "a number").map_err(|f| f.about(item, i))?;
                match used {
                    Use::Coordinate(c) => {
                        if let Some(c) = p.get_mut(*c) {
                            *c = number.real();
                        }
                    }
                    Use::Normal(c) => put(&mut normal, *c, number.real()),
                    Use::Uv(c) => put(&mut uv, *c, number.real()),
                    Use::Corners => corners.push(corner(number, place, draft).element(i)?),
                    Use::Ignored => {}
                }
            }
        }
        match element.name {
            b"vertex" => {
                draft.vertex(p, place, i)?;
                let drawn = &mut draft.drawn;
                drawn.vertices.push(p);
                drawn.nodes.push(drawn.vertices.len() as u32 - 1);
                if uses.contains(&Use::Normal(0)) {
                    drawn.attributes.normals.values.push(normal);
                }
                if uses.contains(&Use::Uv(0)) {
                    drawn.attributes.uvs.values.push(uv);
                }
            }
            b"face" => {
                draft.polygon(&corners, place, i)?;
                if let [first, rest @ ..] = &corners[..] {
                    draft
                        .drawn
                        .triangles
                        .extend(rest.iter().zip(rest.iter().skip(1)).map(|(b, c)| [*first, *b, *c]));
                }
                if corners.len() > 3 {
                    draft.count("polygon split into triangles");
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// A number of a look: what is not finite is 0.
fn put(row: &mut [f64], at: usize, value: f64) {
    if let Some(place) = row.get_mut(at).filter(|_| value.is_finite()) {
        *place = value;
    }
}

fn corner(number: Number, place: Place, draft: &Draft) -> Parsed<u32> {
    let value = number.whole().ok_or_else(|| Fault::new(place, "a corner is not a whole number"))?;
    draft.node(value, place)
}
