//! Gmsh .msh, version 2.2.

use super::draft::Draft;
use super::error::{About, Fault, Parsed};
use super::gmsh::{
    Source, Tags, element_data, end, physical_names, place_element, section, shape, skip_section,
};

pub(super) fn read(source: &mut Source, draft: &mut Draft) -> Parsed<()> {
    let mut tags = None;
    let mut elements_seen = false;
    while let Some(name) = section(source)? {
        match name.text {
            b"$PhysicalNames" => physical_names(source, draft)?,
            b"$Nodes" if tags.is_some() => return Err(name.fault("a second list of nodes")),
            b"$Nodes" => tags = Some(nodes(source, draft)?),
            b"$Elements" => {
                let Some(tags) = &tags else {
                    return Err(name.fault("$Elements before $Nodes"));
                };
                if elements_seen {
                    return Err(name.fault("a second list of elements"));
                }
                elements_seen = true;
                elements(source, tags, draft)?;
            }
            b"$ElementData" => element_data(source, &name, draft)?,
            _ => skip_section(source, &name, draft)?,
        }
    }
    Ok(())
}

/// The line with the count that starts a section, also in binary files.
fn count(source: &mut Source, what: &str, least: usize) -> Parsed<usize> {
    let line = source.text.need_line(what)?;
    let mut tokens = line.tokens();
    let token = super::text::need(&mut tokens, &line, what)?;
    let count = token.whole(what)?;
    source.text.room(count, least, what).map_err(|fault| line.fault(fault.reason))
}

fn nodes(source: &mut Source, draft: &mut Draft) -> Parsed<Tags> {
    let place = source.text.place();
    let count = count(source, "nodes", source.least(1, 3))?;
    let mut tags = Vec::new();
    for _ in 0..count {
        let place = source.place();
        let tag = source.int("a node's number")?;
        if tag < 0 {
            return Err(Fault::new(place, format!("a node with the number {tag}")));
        }
        let mut p = [0.0; 3];
        for c in &mut p {
            *c = source.real("a coordinate").node(tag as u64)?;
        }
        draft.vertex(p, place, tag as u64)?;
        tags.push(tag.into());
    }
    end(source, "$EndNodes")?;
    Tags::new(&tags, place)
}

fn elements(source: &mut Source, tags: &Tags, draft: &mut Draft) -> Parsed<()> {
    let count = count(source, "elements", source.least(3, 0))?;
    let mut done = 0;
    while done < count {
        let place = source.place();
        if source.binary.is_some() {
            // Blocks of elements of one type.
            let kind = source.int("an element's type")?;
            let here = source.int("a number of elements")?;
            let fields = source.int("a number of tags")?;
            let here = match usize::try_from(here) {
                Ok(n) if n >= 1 && n <= count - done => n,
                _ => {
                    let left = count - done;
                    return Err(Fault::new(
                        place,
                        format!("a block of {here} elements, where {left} are left"),
                    ));
                }
            };
            for _ in 0..here {
                let place = source.place();
                let number = source.int("an element's number")?;
                element(source, tags, draft, (kind, number, fields), place)?;
            }
            done += here;
        } else {
            let number = source.int("an element's number")?;
            let kind = source.int("an element's type")?;
            let fields = source.int("a number of tags")?;
            element(source, tags, draft, (kind, number, fields), place)?;
            done += 1;
        }
    }
    end(source, "$EndElements")
}

fn element(
    source: &mut Source,
    tags: &Tags,
    draft: &mut Draft,
    (kind, number, fields): (i64, i64, i64),
    place: super::Place,
) -> Parsed<()> {
    let number = u64::try_from(number)
        .map_err(|_| Fault::new(place, format!("an element with the number {number}")))?;
    if !(0..=1000).contains(&fields) {
        return Err(Fault::element(place, number, format!("{fields} tags are not possible")));
    }
    let (shape, count) = shape(kind, place).element(number)?;
    // The first tag is the physical group.
    let mut physical = 0;
    for i in 0..fields {
        let tag = source.int("a tag").element(number)?;
        if i == 0 {
            physical = tag;
        }
    }
    let mut nodes = [0; 56];
    let nodes = nodes.get_mut(..count).unwrap_or(&mut []);
    for node in nodes.iter_mut() {
        let tag = source.int("a node").element(number)?;
        *node = tags.position(tag.into(), place).element(number)?;
    }
    place_element(draft, (shape, nodes), &[physical], place, number)
}
