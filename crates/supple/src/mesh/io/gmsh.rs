//! Gmsh .msh: header, sections, physical names and element types, which versions 2.2 and 4.1 share.

use super::RawMesh;
use super::draft::Draft;
use super::error::{Fault, Parsed, Place};
use super::number::{Number, Order, Scalar};
use super::text::{Line, Text, need};

/// A file after its header: numbers are text or bytes.
pub(super) struct Source<'a> {
    pub text: Text<'a>,
    /// Byte order of a binary file.
    pub binary: Option<Order>,
    /// What version 4 calls size_t.
    pub size: Scalar,
}

impl Source<'_> {
    fn whole(&mut self, scalar: Scalar, what: &str) -> Parsed<i128> {
        match self.text.number(scalar, self.binary, what)? {
            Number::Whole(value) => Ok(value),
            Number::Real(_) => Err(self.text.fault(format!("{what} is not a whole number"))),
        }
    }
    /// An `int` of the format.
    pub fn int(&mut self, what: &str) -> Parsed<i64> {
        let value = self.whole(Scalar::I32, what)?;
        i64::try_from(value).map_err(|_| self.text.fault(format!("{what} {value} is too large")))
    }
    /// A `size_t` of the format.
    pub fn size(&mut self, what: &str) -> Parsed<i128> {
        self.whole(self.size, what)
    }
    pub fn real(&mut self, what: &str) -> Parsed<f64> {
        Ok(self.text.number(Scalar::F64, self.binary, what)?.real())
    }
    /// The least bytes that `ints` whole numbers and `reals` other numbers take.
    pub fn least(&self, ints: usize, reals: usize) -> usize {
        if self.binary.is_some() { 4 * ints + 8 * reals } else { 2 * (ints + reals) }
    }
    /// The place of the next number.
    pub fn place(&self) -> Place {
        match self.binary {
            Some(_) => self.text.place(),
            None => self.text.clone().token().map_or(self.text.place(), |t| t.place),
        }
    }
}

/// What an element is to this program.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Shape {
    Point,
    Line,
    Triangle,
    Quad,
    Tet,
    /// A cell that is no tetrahedron.
    Other(&'static str),
}

/// Shape and number of nodes of an element type.
fn element_type(number: i64) -> Option<(Shape, usize)> {
    use Shape::*;
    Some(match number {
        15 => (Point, 1),
        1 => (Line, 2),
        8 => (Line, 3),
        26 => (Line, 4),
        27 => (Line, 5),
        28 => (Line, 6),
        2 => (Triangle, 3),
        9 => (Triangle, 6),
        20 => (Triangle, 9),
        21 => (Triangle, 10),
        22 => (Triangle, 12),
        23 | 24 => (Triangle, 15),
        25 => (Triangle, 21),
        3 => (Quad, 4),
        10 => (Quad, 9),
        16 => (Quad, 8),
        4 => (Tet, 4),
        11 => (Tet, 10),
        29 => (Tet, 20),
        30 => (Tet, 35),
        31 => (Tet, 56),
        5 | 12 | 17 | 92 | 93 => (Other("a hexahedron"), 8),
        6 | 13 | 18 => (Other("a prism"), 6),
        7 | 14 | 19 => (Other("a pyramid"), 5),
        _ => return None,
    })
}

/// An element type that this program can read, and its nodes.
pub(super) fn shape(number: i64, place: Place) -> Parsed<(Shape, usize)> {
    match element_type(number) {
        Some((Shape::Other(what), _)) => {
            Err(Fault::new(place, format!("{what} (type {number}): split the mesh into tetrahedra first")))
        }
        Some(known) => Ok(known),
        None => Err(Fault::new(place, format!("element type {number} is not known"))),
    }
}

/// Kinds of groups by dimension.
pub(super) fn kind(dimension: i64) -> Option<&'static str> {
    match dimension {
        0 => Some("point"),
        1 => Some("curve"),
        2 => Some("surface"),
        3 => Some("region"),
        _ => None,
    }
}

/// Puts an element into the draft and into the groups of its physical tags.
pub(super) fn place_element(
    draft: &mut Draft,
    (shape, nodes): (Shape, &[u32]),
    physical: &[i64],
    place: Place,
    number: u64,
) -> Parsed<()> {
    let (dimension, corners) = match shape {
        Shape::Point => (0, 1),
        Shape::Line => (1, 2),
        Shape::Triangle => (2, 3),
        Shape::Quad => (2, 4),
        Shape::Tet | Shape::Other(_) => (3, 4),
    };
    let ends = nodes.get(..corners).unwrap_or(nodes);
    let mut tet = None;
    match shape {
        Shape::Tet => {
            // Gmsh has the last two edges in the other order.
            tet = match (ends, nodes) {
                (&[a, b, c, d], &[_, _, _, _, ab, bc, ac, ad, cd, bd]) => {
                    Some(draft.tet_of_ten([a, b, c, d], [ab, bc, ac, ad, bd, cd], place, number)?)
                }
                (&[a, b, c, d], _) => Some(draft.tet([a, b, c, d], place, number)?),
                _ => None,
            };
        }
        Shape::Triangle => draft.polygon(ends, place, number)?,
        Shape::Quad => {
            draft.polygon(ends, place, number)?;
            draft.count("quadrilateral split into triangles");
        }
        Shape::Line => draft.count("line kept in its groups only"),
        Shape::Point | Shape::Other(_) => {}
    }
    if nodes.len() > corners && !(shape == Shape::Tet && nodes.len() == 10) {
        draft.count(&format!("element of {} nodes: its corners were taken", nodes.len()));
    }
    for tag in physical.iter().filter(|tag| **tag != 0) {
        // The sign tells an orientation.
        let tag = tag.saturating_abs();
        let group = kind(dimension).and_then(|kind| draft.group(kind, tag));
        draft.add_nodes(group, nodes);
        if let Some(tet) = tet {
            draft.add_tet(group, tet);
        }
    }
    Ok(())
}

pub(super) fn read(bytes: &[u8]) -> Parsed<RawMesh> {
    let mut text = Text::header(bytes, None)?;
    let first = text.need_line("$MeshFormat")?;
    if first.text != b"$MeshFormat" {
        let found = super::error::quote(first.text);
        return Err(first.fault(format!("{found} stands where $MeshFormat should be")));
    }
    let line = text.need_line("the version")?;
    let mut tokens = line.tokens();
    let version = need(&mut tokens, &line, "the version")?.real("the version")?;
    let binary =
        need(&mut tokens, &line, "0 for text or 1 for binary")?.whole("0 for text or 1 for binary")?;
    let size = need(&mut tokens, &line, "the size of a number")?.whole("the size of a number")?;
    let four = match version {
        2.0..3.0 => false,
        4.1 => true,
        _ => {
            return Err(line
                .fault(format!("version {version}: only 2.2 and 4.1 can be read; save it as one of these")));
        }
    };
    let scalar = match (four, size) {
        (false, 8) | (true, 8) => Scalar::U64,
        (true, 4) => Scalar::U32,
        _ => return Err(line.fault(format!("numbers of {size} bytes cannot be read"))),
    };
    let binary = match binary {
        0 => None,
        1 => Some(byte_order(&mut text)?),
        other => return Err(line.fault(format!("file type {other} is neither 0 (text) nor 1 (binary)"))),
    };
    if binary.is_none() {
        // Text throughout, which this checks.
        Text::new(bytes, None)?;
    }
    let mut source = Source { text, binary, size: scalar };
    end(&mut source, "$EndMeshFormat")?;
    let mut draft = Draft::default();
    draft.tets_may_repeat = !four;
    if four {
        super::gmsh4::read(&mut source, &mut draft)?
    } else {
        super::gmsh2::read(&mut source, &mut draft)?
    }
    draft.finish(source.text.place())
}

/// A binary file tells its byte order by a one.
fn byte_order(text: &mut Text) -> Parsed<Order> {
    text.count_bytes();
    let one = text.take(4, "the byte order")?;
    match one {
        [1, 0, 0, 0] => Ok(Order::Little),
        [0, 0, 0, 1] => Ok(Order::Big),
        _ => Err(text.fault("the byte-order mark is not 1")),
    }
}

/// The end of a section.
pub(super) fn end(source: &mut Source, name: &str) -> Parsed<()> {
    let token = source.text.need(name)?;
    if token.text == name.as_bytes() {
        Ok(())
    } else {
        Err(token.fault(format!("{} stands where {name} should be", token.quoted())))
    }
}

/// The next section's name, or `None` at the end of the file.
pub(super) fn section<'a>(source: &mut Source<'a>) -> Parsed<Option<Line<'a>>> {
    let Some(line) = source.text.line() else { return Ok(None) };
    if line.text.first() != Some(&b'$') {
        let found = super::error::quote(line.text);
        return Err(line.fault(format!("{found} stands where a section should start with $")));
    }
    Ok(Some(line))
}

/// Passes over a section that is of no use here.
pub(super) fn skip_section(source: &mut Source, name: &Line, draft: &mut Draft) -> Parsed<()> {
    let shown = super::error::quote(name.text);
    let name_of_end = [b"$End", name.text.get(1..).unwrap_or(&[])].concat();
    while let Some(line) = source.text.line() {
        if line.text == name_of_end || line.text.ends_with(&name_of_end) {
            draft.note(format!("section {shown} was ignored"));
            return Ok(());
        }
    }
    Err(name.fault(format!("the section {shown} does not end")))
}

/// `$ElementData`: fill fractions, if that is its name; other data are passed over.
pub(super) fn element_data(source: &mut Source, section: &Line, draft: &mut Draft) -> Parsed<()> {
    let before = source.text.clone();
    // Names, reals and whole numbers that describe the data, one to a line; text also in binary files.
    let lines = |source: &mut Source, what: &str| -> Parsed<Vec<Vec<u8>>> {
        let line = source.text.need_line(what)?;
        let count = need(&mut line.tokens(), &line, what)?.whole(what)?;
        let count = source.text.room(count, 2, what).map_err(|fault| line.fault(fault.reason))?;
        (0..count).map(|_| Ok(source.text.need_line(what)?.text.to_vec())).collect()
    };
    let names = lines(source, "the number of names")?;
    if names.first().is_none_or(|name| name.trim_ascii() != b"\"fill\"") {
        source.text = before;
        return skip_section(source, section, draft);
    }
    lines(source, "the number of real tags")?;
    let line = source.text.clone().need_line("the number of whole tags")?;
    let whole = lines(source, "the number of whole tags")?;
    // Time step, components, how many.
    let number = |i: usize| {
        let text = whole.get(i).map(|t| String::from_utf8_lossy(t).trim().to_owned());
        text.and_then(|t| t.parse::<i128>().ok())
    };
    let (Some(1), Some(count)) = (number(1), number(2)) else {
        return Err(line.fault("the data `fill` should have one component and a number of elements"));
    };
    let count =
        source.text.room(count, source.least(1, 1), "elements").map_err(|fault| line.fault(fault.reason))?;
    for _ in 0..count {
        let place = source.place();
        let element = source.int("an element's number")?;
        let element = u64::try_from(element)
            .map_err(|_| Fault::new(place, format!("an element with the number {element}")))?;
        let fill = source.real("a fill fraction")?;
        draft.fill(element, fill, place)?;
    }
    end(source, "$EndElementData")
}

/// `$PhysicalNames`: always text.
pub(super) fn physical_names(source: &mut Source, draft: &mut Draft) -> Parsed<()> {
    let what = "the number of physical names";
    let line = source.text.need_line(what)?;
    let count = need(&mut line.tokens(), &line, what)?.whole(what)?;
    let count = source.text.room(count, 5, "physical names").map_err(|fault| line.fault(fault.reason))?;
    for _ in 0..count {
        let line = source.text.need_line("a physical name")?;
        let mut tokens = line.tokens();
        let dimension = need(&mut tokens, &line, "a dimension")?.tag("a dimension")?;
        let tag = need(&mut tokens, &line, "a tag")?.tag("a tag")?;
        let Some(kind) = kind(dimension) else {
            return Err(line.fault(format!("a physical name of dimension {dimension}")));
        };
        let mut quotes = line.text.splitn(2, |&b| b == b'"').skip(1);
        let name = quotes.next().and_then(|rest| rest.strip_suffix(b"\""));
        let Some(name) = name else {
            return Err(line.fault("a physical name should stand in quotes"));
        };
        draft.name_group(kind, tag, name);
    }
    end(source, "$EndPhysicalNames")
}

/// Numbers of nodes to positions, for numbers that may have gaps.
pub(super) enum Tags {
    /// Numbered one after another from here.
    From(i128, usize),
    Listed(std::collections::HashMap<i128, u32>),
}

impl Tags {
    pub fn new(tags: &[i128], place: Place) -> Parsed<Tags> {
        let first = tags.first().copied().unwrap_or(1);
        if tags.iter().zip(0..).all(|(&tag, i)| tag == first + i) {
            return Ok(Tags::From(first, tags.len()));
        }
        let mut listed = std::collections::HashMap::with_capacity(tags.len());
        for (&tag, i) in tags.iter().zip(0..) {
            if listed.insert(tag, i).is_some() {
                return Err(
                    Fault::new(place, "the number is given to two nodes").about("node", tag.max(0) as u64)
                );
            }
        }
        Ok(Tags::Listed(listed))
    }
    pub fn position(&self, tag: i128, place: Place) -> Parsed<u32> {
        let found = match self {
            Tags::From(first, count) => {
                let offset = tag.checked_sub(*first).and_then(|o| usize::try_from(o).ok());
                offset.filter(|o| o < count).and_then(|o| u32::try_from(o).ok())
            }
            Tags::Listed(listed) => listed.get(&tag).copied(),
        };
        found.ok_or_else(|| Fault::new(place, format!("node {tag} does not exist")))
    }
}
