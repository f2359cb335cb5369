//! Gmsh .msh, version 4.1: nodes and elements come in blocks, one for each geometric entity.

use std::collections::HashMap;

use super::draft::Draft;
use super::error::{About, Fault, Parsed};
use super::gmsh::{
    Source, Tags, element_data, end, physical_names, place_element, section, shape, skip_section,
};

/// Physical tags of an entity, by dimension and tag.
type Physical = HashMap<(i64, i64), Vec<i64>>;

pub(super) fn read(source: &mut Source, draft: &mut Draft) -> Parsed<()> {
    let mut tags = None;
    let mut physical = Physical::new();
    let mut elements_seen = false;
    while let Some(name) = section(source)? {
        match name.text {
            b"$PhysicalNames" => physical_names(source, draft)?,
            b"$Entities" => entities(source, &mut physical)?,
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
                elements(source, tags, &physical, draft)?;
            }
            b"$ElementData" => element_data(source, &name, draft)?,
            _ => skip_section(source, &name, draft)?,
        }
    }
    Ok(())
}

fn count(source: &mut Source, what: &str, least: usize) -> Parsed<usize> {
    let place = source.place();
    let count = source.size(what)?;
    source.text.room(count, least, what).map_err(|fault| Fault { place, ..fault })
}

fn entities(source: &mut Source, physical: &mut Physical) -> Parsed<()> {
    let mut counts = [0; 4];
    for n in &mut counts {
        *n = count(source, "entities", source.least(1, 3))?;
    }
    for (dimension, n) in counts.into_iter().enumerate() {
        for _ in 0..n {
            let tag = source.int("an entity's tag")?;
            for _ in 0..if dimension == 0 { 3 } else { 6 } {
                source.real("a bound of an entity")?;
            }
            let groups = count(source, "physical tags", source.least(1, 0))?;
            let groups = (0..groups).map(|_| source.int("a physical tag")).collect::<Parsed<Vec<_>>>()?;
            if !groups.is_empty() {
                physical.insert((dimension as i64, tag), groups);
            }
            if dimension > 0 {
                for _ in 0..count(source, "bounding entities", source.least(1, 0))? {
                    source.int("a bounding entity")?;
                }
            }
        }
    }
    end(source, "$EndEntities")
}

/// Blocks and items that a section announces.
fn section_header(source: &mut Source, what: &str) -> Parsed<(usize, usize)> {
    let blocks = count(source, "blocks", source.least(3, 0))?;
    let items = count(source, what, source.least(1, 0))?;
    source.size("the smallest number")?;
    source.size("the largest number")?;
    Ok((blocks, items))
}

fn nodes(source: &mut Source, draft: &mut Draft) -> Parsed<Tags> {
    let start = source.place();
    let (blocks, total) = section_header(source, "nodes")?;
    let mut tags: Vec<i128> = Vec::new();
    for _ in 0..blocks {
        let place = source.place();
        let dimension = source.int("a dimension")?;
        source.int("an entity's tag")?;
        let parametric = source.int("0 or 1 for parametric")?;
        let here = count(source, "nodes", source.least(1, 3))?;
        if !(0..=3).contains(&dimension) || !(0..=1).contains(&parametric) {
            return Err(Fault::new(
                place,
                format!("a block of dimension {dimension}, parametric {parametric}"),
            ));
        }
        if here > total - tags.len().min(total) {
            return Err(Fault::new(
                place,
                format!("blocks hold more than the {total} nodes that are announced"),
            ));
        }
        let first = tags.len();
        for _ in 0..here {
            tags.push(source.size("a node's number")?);
        }
        for &tag in tags.iter().skip(first) {
            let (place, number) = (source.place(), tag.max(0) as u64);
            let mut p = [0.0; 3];
            for c in &mut p {
                *c = source.real("a coordinate").node(number)?;
            }
            draft.vertex(p, place, number)?;
            if parametric == 1 {
                for _ in 0..dimension {
                    source.real("a parameter").node(number)?;
                }
            }
        }
    }
    if tags.len() != total {
        let found = tags.len();
        return Err(source.text.fault(format!("{total} nodes are announced, but the blocks hold {found}")));
    }
    end(source, "$EndNodes")?;
    Tags::new(&tags, start)
}

fn elements(source: &mut Source, tags: &Tags, physical: &Physical, draft: &mut Draft) -> Parsed<()> {
    let (blocks, total) = section_header(source, "elements")?;
    let mut done = 0;
    for _ in 0..blocks {
        let block = source.place();
        let dimension = source.int("a dimension")?;
        let entity = source.int("an entity's tag")?;
        let kind = source.int("an element type")?;
        let here = count(source, "elements", source.least(2, 0))?;
        if here == 0 {
            continue;
        }
        if here > total - done {
            return Err(Fault::new(
                block,
                format!("blocks hold more than the {total} elements that are announced"),
            ));
        }
        let (shape, nodes_each) = shape(kind, block)?;
        let groups = physical.get(&(dimension, entity)).map_or(&[][..], Vec::as_slice);
        for _ in 0..here {
            let place = source.place();
            let number = source.size("an element's number")?;
            let number = u64::try_from(number)
                .map_err(|_| Fault::new(place, format!("an element with the number {number}")))?;
            let mut nodes = [0; 56];
            let nodes = nodes.get_mut(..nodes_each).unwrap_or(&mut []);
            for node in nodes.iter_mut() {
                let tag = source.size("a node").element(number)?;
                *node = tags.position(tag, place).element(number)?;
            }
            place_element(draft, (shape, nodes), groups, place, number)?;
        }
        done += here;
    }
    if done != total {
        return Err(source.text.fault(format!("{total} elements are announced, but the blocks hold {done}")));
    }
    end(source, "$EndElements")
}
