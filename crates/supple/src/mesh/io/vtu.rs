//! .vtu: unstructured grids in XML.

use super::RawMesh;
use super::cells;
use super::draft::Draft;
use super::error::{About, Fault, Parsed, Place, quote};
use super::number::{Number, Order, Scalar};
use super::vtu_data::{Array, Storage};
use super::xml::{Event, Tag, Xml};

/// Deeper tags are a sign of a file made to harm.
const DEEPEST: usize = 64;

/// One piece of the grid.
struct Piece<'a> {
    tag: Tag<'a>,
    points: Option<Array<'a>>,
    connectivity: Option<Array<'a>>,
    offsets: Option<Array<'a>>,
    types: Option<Array<'a>>,
    fill: Option<Array<'a>>,
}

pub(super) fn read(bytes: &[u8]) -> Parsed<RawMesh> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Fault::new(Place::line(1), "the file is UTF-16; save it as UTF-8 or ASCII"));
    }
    if bytes.trim_ascii().is_empty() {
        return Err(Fault::new(Place::line(1), "the file is empty"));
    }
    let (pieces, mut storage, end) = pieces(bytes)?;
    let mut draft = Draft::default();
    for piece in &pieces {
        read_piece(piece, &mut storage, &mut draft)?;
    }
    draft.finish(end)
}

/// The attributes of the first tag.
fn storage<'a>(tag: &Tag<'a>, size: usize) -> Parsed<Storage<'a>> {
    let attribute = |name: &str, default: &'static [u8]| tag.attribute(name).unwrap_or(default);
    let unknown = |name: &str, value: &[u8]| tag.fault(format!("{name} {} cannot be read", quote(value)));
    if tag.name != b"VTKFile" {
        return Err(tag.fault(format!("{} stands where VTKFile should be", quote(tag.name))));
    }
    let kind = attribute("type", b"");
    if kind != b"UnstructuredGrid" {
        return Err(unknown("a VTKFile of type", kind));
    }
    Ok(Storage {
        order: match attribute("byte_order", b"LittleEndian") {
            b"LittleEndian" => Order::Little,
            b"BigEndian" => Order::Big,
            other => return Err(unknown("byte_order", other)),
        },
        header: match attribute("header_type", b"UInt32") {
            b"UInt32" => Scalar::U32,
            b"UInt64" => Scalar::U64,
            other => return Err(unknown("header_type", other)),
        },
        zlib: match attribute("compressor", b"") {
            b"" => false,
            b"vtkZLibDataCompressor" => true,
            other => return Err(unknown("the compressor", other)),
        },
        appended: None,
        budget: size.saturating_mul(30).saturating_add(16 << 20),
    })
}

/// Reads the XML: the arrays are found, not yet decoded.
fn pieces(bytes: &[u8]) -> Parsed<(Vec<Piece<'_>>, Storage<'_>, Place)> {
    let mut xml = Xml::new(bytes);
    let mut open: Vec<&[u8]> = Vec::new();
    let mut found: Option<Storage> = None;
    let mut pieces: Vec<Piece> = Vec::new();
    let mut array: Option<Array> = None;
    loop {
        match xml.next()? {
            Event::Open(tag, closed) => {
                let Some(storage) = &mut found else {
                    found = Some(storage(&tag, bytes.len())?);
                    open.push(tag.name);
                    continue;
                };
                if tag.name == b"AppendedData" {
                    storage.appended = Some(appended(&tag, xml.rest())?);
                    // Behind it only the closing tags follow.
                    break;
                }
                if open.len() >= DEEPEST {
                    return Err(tag.fault(format!("tags nested deeper than {DEEPEST}")));
                }
                let name = tag.name;
                if name == b"Piece" {
                    let (points, connectivity, offsets, types) = (None, None, None, None);
                    pieces.push(Piece { tag, points, connectivity, offsets, types, fill: None });
                } else if name == b"DataArray" {
                    let one = Array { text_at: tag.place, tag, text: &[] };
                    if closed { keep(&mut pieces, &open, one)? } else { array = Some(one) }
                }
                if !closed {
                    open.push(name);
                }
            }
            Event::Text(text, place) => {
                if let Some(array) = &mut array {
                    // Descriptions of the array may stand between its tags too.
                    if array.text.trim_ascii().is_empty() && open.last() == Some(&&b"DataArray"[..]) {
                        (array.text, array.text_at) = (text, place);
                    }
                } else if found.is_none() && !text.trim_ascii().is_empty() {
                    return Err(Fault::new(
                        place,
                        format!("{} stands where <VTKFile> should be", quote(text)),
                    ));
                }
            }
            Event::Close(name, place) => {
                if open.pop() != Some(name) {
                    return Err(Fault::new(place, format!("the tag {} closes out of order", quote(name))));
                }
                if name == b"DataArray"
                    && let Some(array) = array.take()
                {
                    keep(&mut pieces, &open, array)?;
                }
                if open.is_empty() {
                    break;
                }
            }
            Event::End => return Err(Fault::new(xml.place(), "the file ends inside of a tag")),
        }
    }
    match found {
        Some(storage) => Ok((pieces, storage, xml.place())),
        None => Err(Fault::new(xml.place(), "there is no VTKFile in it")),
    }
}

/// The appended data behind their underscore.
fn appended<'a>(tag: &Tag<'a>, rest: &'a [u8]) -> Parsed<(&'a [u8], bool)> {
    let raw = match tag.attribute("encoding").unwrap_or(b"raw") {
        b"raw" => true,
        b"base64" => false,
        other => return Err(tag.fault(format!("the encoding {} is not known", quote(other)))),
    };
    let Some(data) = rest.trim_ascii_start().strip_prefix(b"_") else {
        return Err(tag.fault("the appended data do not start with _"));
    };
    if raw {
        return Ok((data, true));
    }
    let end = data.iter().position(|&b| b == b'<').unwrap_or(data.len());
    Ok((data.get(..end).unwrap_or(data).trim_ascii_end(), false))
}

/// Keeps an array that describes the mesh.
fn keep<'a>(pieces: &mut [Piece<'a>], open: &[&[u8]], array: Array<'a>) -> Parsed<()> {
    let Some(piece) = pieces.last_mut() else { return Ok(()) };
    let place = match (open.last(), array.tag.attribute("Name")) {
        (Some(&b"Points"), _) => &mut piece.points,
        (Some(&b"Cells"), Some(b"connectivity")) => &mut piece.connectivity,
        (Some(&b"Cells"), Some(b"offsets")) => &mut piece.offsets,
        (Some(&b"Cells"), Some(b"types")) => &mut piece.types,
        (Some(&b"CellData"), Some(b"fill")) => &mut piece.fill,
        _ => return Ok(()),
    };
    if place.is_some() {
        return Err(array.tag.fault("the array comes twice"));
    }
    *place = Some(array);
    Ok(())
}

/// All whole numbers of an array.
fn wholes<'a>(array: &Array<'a>, storage: &mut Storage<'a>) -> Parsed<Vec<i64>> {
    let mut out = Vec::new();
    array.numbers(storage, |number| {
        let value = number.whole().and_then(|value| i64::try_from(value).ok());
        out.push(value.ok_or_else(|| array.tag.fault("a number of the array is not an index"))?);
        Ok(())
    })?;
    Ok(out)
}

fn read_piece<'a>(piece: &Piece<'a>, storage: &mut Storage<'a>, draft: &mut Draft) -> Parsed<()> {
    let count = |name: &str| piece.tag.whole(name);
    let (points, cells) = (count("NumberOfPoints")?, count("NumberOfCells")?);
    if points == 0 && cells == 0 {
        return Ok(());
    }
    let missing = |what: &str| piece.tag.fault(format!("the piece has no {what}"));
    let array = piece.points.as_ref().ok_or_else(|| missing("points"))?;
    let components = array.tag.attribute("NumberOfComponents").unwrap_or(b"3");
    if components != b"3" {
        return Err(array
            .tag
            .fault(format!("points of {} components; only 3 are possible", quote(components))));
    }
    let first = draft.vertices.len();
    let (mut p, mut have) = ([0.0; 3], 0);
    array.numbers(storage, |number: Number| {
        if let Some(c) = p.get_mut(have) {
            *c = number.real();
        }
        have += 1;
        if have == 3 {
            have = 0;
            let number = (draft.vertices.len() - first) as u64;
            draft.vertex(p, array.tag.place, number)?;
        }
        Ok(())
    })?;
    let read = draft.vertices.len() - first;
    if have != 0 || read as i128 != points {
        return Err(array.tag.fault(format!("{points} points are announced, but the array holds {read}")));
    }

    let nodes_of = piece.connectivity.as_ref().ok_or_else(|| missing("connectivity"))?;
    let nodes = wholes(nodes_of, storage)?;
    let ends = wholes(piece.offsets.as_ref().ok_or_else(|| missing("offsets"))?, storage)?;
    let types = wholes(piece.types.as_ref().ok_or_else(|| missing("types"))?, storage)?;
    if ends.len() as i128 != cells || types.len() as i128 != cells {
        let (ends, types) = (ends.len(), types.len());
        let reason = format!("{cells} cells are announced, but there are {ends} offsets and {types} types");
        return Err(piece.tag.fault(reason));
    }
    let place = nodes_of.tag.place;
    let mut start = 0;
    let mut corners = Vec::new();
    for (i, (&end, &kind)) in (0..).zip(ends.iter().zip(&types)) {
        let cell =
            usize::try_from(end).ok().filter(|&end| end >= start).and_then(|end| nodes.get(start..end));
        let Some(cell) = cell else {
            return Err(Fault::element(place, i, format!("its offset {end} does not fit")));
        };
        start += cell.len();
        corners.clear();
        for &node in cell {
            if i128::from(node) >= points || node < 0 {
                let reason = format!("node {node} does not exist (there are {points} nodes, counted from 0)");
                return Err(Fault::element(place, i, reason));
            }
            corners.push(draft.node(i128::from(node) + first as i128, place).element(i)?);
        }
        cells::add(draft, kind.into(), &corners, place, i)?;
    }
    // Numbers of cells are those of their piece: fractions of several pieces would be confused.
    if let Some(array) = piece.fill.as_ref().filter(|_| first == 0) {
        let mut cell = 0;
        array.numbers(storage, |number| {
            cell += 1;
            draft.fill(cell - 1, number.real(), array.tag.place)
        })?;
        if i128::from(cell) != cells {
            return Err(array.tag.fault(format!("{cell} fill fractions for {cells} cells")));
        }
    } else if piece.fill.is_some() {
        return Err(piece.tag.fault("fill fractions in more than one piece: join the pieces first"));
    }
    if start != nodes.len() {
        let found = nodes.len();
        return Err(nodes_of.tag.fault(format!("{found} nodes of cells, but the offsets end at {start}")));
    }
    Ok(())
}
