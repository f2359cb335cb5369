//! .stl: triangles with corners of their own; equal corners are made one.

use std::collections::HashMap;

use super::RawMesh;
use super::draft::Draft;
use super::error::{About, Fault, Parsed, Place};
use super::number::{Order, Scalar};
use super::text::Text;

/// Bytes before the first triangle of a binary file, and of each triangle.
const HEADER: usize = 84;
const FACET: usize = 50;

/// Makes vertices with equal coordinates one.
#[derive(Default)]
pub(super) struct Weld {
    known: HashMap<[u64; 3], u32>,
}

impl Weld {
    pub fn vertex(&mut self, draft: &mut Draft, p: [f64; 3], place: Place, element: u64) -> Parsed<u32> {
        // −0 and 0 are equal.
        let key = p.map(|c| (c + 0.0).to_bits());
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let number = draft.vertices.len() as u32;
        draft
            .vertex(p, place, number.into())
            .map_err(|fault| Fault { item: None, ..fault })
            .element(element)?;
        self.known.insert(key, number);
        Ok(number)
    }
}

pub(super) fn read(bytes: &[u8]) -> Parsed<RawMesh> {
    if bytes.is_empty() {
        return Err(Fault::new(Place::byte(0), "the file is empty"));
    }
    let announced = bytes.get(80..HEADER).and_then(|n| Scalar::U32.decode(n, Order::Little).whole());
    let needed = announced.map(|n| HEADER as i128 + n * FACET as i128);
    // A binary file may start with "solid" too, so its size decides.
    let exact = needed == Some(bytes.len() as i128);
    let text = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes).trim_ascii_start();
    let solid = text.get(..5).is_some_and(|head| head.eq_ignore_ascii_case(b"solid"));
    let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    if !exact && (solid && !text.iter().take(HEADER).any(|&b| b == 0) || utf16 || text.is_empty()) {
        return ascii(bytes);
    }
    match (announced, needed) {
        (Some(count), Some(needed)) if needed <= bytes.len() as i128 => binary(bytes, count as usize),
        (Some(count), Some(needed)) => {
            let have = bytes.len();
            let reason =
                format!("{count} triangles are announced, which need {needed} bytes; the file has {have}");
            Err(Fault::new(Place::byte(80), reason))
        }
        _ => {
            let reason = "neither text that starts with \"solid\" nor the 84 bytes of a binary header";
            Err(Fault::new(Place::byte(0), reason))
        }
    }
}

fn binary(bytes: &[u8], count: usize) -> Parsed<RawMesh> {
    let (mut draft, mut weld) = (Draft::of_loose_triangles(), Weld::default());
    let facets = bytes.get(HEADER..).unwrap_or(&[]).chunks_exact(FACET).take(count);
    for (i, facet) in facets.enumerate() {
        let place = Place::byte(HEADER + i * FACET);
        let mut numbers = facet.chunks_exact(4).skip(3).map(|n| Scalar::F32.decode(n, Order::Little).real());
        let mut corners = [0; 3];
        for corner in &mut corners {
            let p = [(); 3].map(|()| numbers.next().unwrap_or(f64::NAN));
            *corner = weld.vertex(&mut draft, p, place, i as u64)?;
        }
        draft.polygon(&corners, place, i as u64)?;
    }
    let rest = bytes.len().saturating_sub(HEADER + count * FACET);
    if rest > 0 {
        draft.note(format!("{rest} bytes after the last triangle were ignored"));
    }
    draft.finish(Place::byte(80))
}

fn ascii(bytes: &[u8]) -> Parsed<RawMesh> {
    let mut text = Text::new(bytes, None)?;
    let (mut draft, mut weld) = (Draft::of_loose_triangles(), Weld::default());
    let mut number = 0;
    let mut open = false;
    while let Some(token) = text.token() {
        if token.is("solid") && !open {
            // A name may follow, but no facet.
            text.rest_of_line();
            open = true;
        } else if token.is("endsolid") && open {
            text.rest_of_line();
            open = false;
        } else if token.is("facet") && open {
            let corners = facet(&mut text, &mut draft, &mut weld, number).element(number)?;
            draft.polygon(&corners, token.place, number)?;
            number += 1;
        } else {
            let reason = format!("{} stands where facet or endsolid should be", token.quoted());
            return Err(token.fault(reason));
        }
    }
    if open {
        return Err(text.fault("the file ends where endsolid should be"));
    }
    draft.finish(text.place())
}

fn facet(text: &mut Text, draft: &mut Draft, weld: &mut Weld, number: u64) -> Parsed<[u32; 3]> {
    let word = |text: &mut Text, words: &[&str]| {
        for word in words {
            let token = text.need(word)?;
            if !token.is(word) {
                return Err(token.fault(format!("{} stands where {word} should be", token.quoted())));
            }
        }
        Ok(())
    };
    word(text, &["normal"])?;
    for _ in 0..3 {
        // A normal may be NaN: it is not used, since the corners tell it.
        text.need("a normal")?;
    }
    word(text, &["outer", "loop"])?;
    let mut corners = [0; 3];
    for corner in &mut corners {
        word(text, &["vertex"])?;
        let place = text.place();
        let mut p = [0.0; 3];
        for c in &mut p {
            *c = text.need("a coordinate")?.real("a coordinate")?;
        }
        *corner = weld.vertex(draft, p, place, number)?;
    }
    word(text, &["endloop", "endfacet"])?;
    Ok(corners)
}
