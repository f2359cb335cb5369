//! What a reader has found so far, and the checks that turn it into a [`RawMesh`].

use std::collections::HashMap;

use super::error::{Fault, Parsed, Place, printable};
use super::{Group, RawMesh};
use crate::mesh::MidPoints;
use crate::mesh::drawn::{Drawn, NONE};
use crate::mesh::repair::{self, DROPPED, Defect, Defective};

/// Coordinates beyond this would overflow in a volume.
const LARGEST_COORDINATE: f64 = 1e100;
/// Tags with more values than this are data rather than groups.
const MOST_GROUPS: usize = 4096;
/// As [`crate::mesh::TetMesh`] has it.
const MOST_ITEMS: usize = (u32::MAX / 8) as usize;

/// Where an element stands in its file and which number it has there.
#[derive(Clone, Copy)]
struct At {
    place: Place,
    number: u64,
}

/// A mesh under construction.
#[derive(Default)]
pub(super) struct Draft {
    pub vertices: Vec<[f64; 3]>,
    tets: Vec<[u32; 4]>,
    tet_at: Vec<At>,
    /// Nodes on the edges of tetrahedra of second order, in the order of [`crate::mesh::TetMesh::mids`].
    mids: Vec<Option<[u32; 6]>>,
    /// Fill fractions by the numbers that the file gives to elements.
    fills: HashMap<u64, f64>,
    fill: Vec<f64>,
    triangles: Vec<[u32; 3]>,
    triangle_at: Vec<At>,
    groups: Vec<Group>,
    group_of_tag: HashMap<(&'static str, i64), usize>,
    group_of_name: HashMap<String, usize>,
    too_many_groups: bool,
    /// The number that the file gives to its first node.
    pub base: u64,
    /// The same tetrahedron may come again for another group.
    pub tets_may_repeat: bool,
    /// Triangles that have collapsed are left out rather than refused.
    triangles_may_collapse: bool,
    skipped: Vec<(String, u64)>,
    notes: Vec<String>,
    /// A surface as the file draws it; its nodes are those of this draft.
    pub drawn: Drawn,
}

impl Draft {
    pub fn with_base(base: u64) -> Draft {
        Draft { base, ..Draft::default() }
    }
    /// For surfaces, which as they come may have triangles without area.
    pub fn of_surface(base: u64) -> Draft {
        Draft { base, triangles_may_collapse: true, ..Draft::default() }
    }
    /// For files whose triangles have corners of their own.
    pub fn of_loose_triangles() -> Draft {
        Draft { triangles_may_collapse: true, ..Draft::default() }
    }

    /// Takes a vertex with finite coordinates of sensible size.
    pub fn vertex(&mut self, p: [f64; 3], place: Place, number: u64) -> Parsed<()> {
        let fault = |reason: String| Fault::new(place, reason).about("node", number);
        if let Some(c) = p.iter().find(|c| !c.is_finite()) {
            return Err(fault(format!("the coordinate {c} is not finite")));
        }
        if let Some(c) = p.iter().find(|c| c.abs() > LARGEST_COORDINATE) {
            return Err(fault(format!("the coordinate {c:e} is too large: volumes would overflow")));
        }
        if self.vertices.len() >= MOST_ITEMS {
            return Err(fault("too many nodes".into()));
        }
        self.vertices.push(p);
        Ok(())
    }

    /// The position of the node that the file calls `value`.
    pub fn node(&self, value: i128, place: Place) -> Parsed<u32> {
        let base = i128::from(self.base);
        match u32::try_from(value - base) {
            Ok(index) if value >= base && index != u32::MAX => Ok(index),
            _ => Err(Fault::new(place, self.no_such_node(value))),
        }
    }
    fn no_such_node(&self, value: i128) -> String {
        match self.vertices.len() {
            0 => format!("node {value} does not exist"),
            n => {
                let last = self.base as u128 + n as u128 - 1;
                format!("node {value} does not exist (nodes are numbered from {} to {last})", self.base)
            }
        }
    }

    /// Takes a tetrahedron and returns its position.
    pub fn tet(&mut self, corners: [u32; 4], place: Place, number: u64) -> Parsed<u32> {
        let position = self.tets.len();
        if position >= MOST_ITEMS {
            return Err(Fault::element(place, number, "too many elements"));
        }
        self.tets.push(corners);
        self.tet_at.push(At { place, number });
        self.mids.push(None);
        Ok(position as u32)
    }
    /// The same with nodes on its edges ab, bc, ac, ad, bd, cd.
    pub fn tet_of_ten(
        &mut self,
        corners: [u32; 4],
        mids: [u32; 6],
        place: Place,
        number: u64,
    ) -> Parsed<u32> {
        let position = self.tet(corners, place, number)?;
        if let Some(last) = self.mids.last_mut() {
            *last = Some(mids);
        }
        self.count("tetrahedron of ten nodes: its corners are taken, and with `order = 2` all of them");
        Ok(position)
    }

    /// Takes the fill fraction of the element that the file calls `number`.
    pub fn fill(&mut self, number: u64, fill: f64, place: Place) -> Parsed<()> {
        if !(fill > 0.0 && fill <= 1.0) {
            let reason = format!("the fill fraction {fill} is not above 0 and at most 1");
            return Err(Fault::element(place, number, reason));
        }
        self.fills.insert(number, fill);
        Ok(())
    }

    /// Takes a polygon as a fan of triangles.
    pub fn polygon(&mut self, corners: &[u32], place: Place, number: u64) -> Parsed<()> {
        let Some((&first, rest)) = corners.split_first() else {
            return Err(Fault::element(place, number, "a face without corners"));
        };
        if rest.len() < 2 {
            let count = corners.len();
            return Err(Fault::element(
                place,
                number,
                format!("a face needs at least three corners, not {count}"),
            ));
        }
        for pair in rest.windows(2) {
            if self.triangles.len() >= MOST_ITEMS {
                return Err(Fault::element(place, number, "too many triangles"));
            }
            if let &[b, c] = pair {
                self.triangles.push([first, b, c]);
                self.triangle_at.push(At { place, number });
            }
        }
        Ok(())
    }

    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
    /// Counts something that was left out or simplified; one note will tell how many.
    pub fn count(&mut self, what: &str) {
        match self.skipped.iter_mut().find(|(w, _)| w == what) {
            Some((_, n)) => *n += 1,
            None => self.skipped.push((what.to_owned(), 1)),
        }
    }

    fn new_group(&mut self, name: String) -> Option<usize> {
        if self.groups.len() >= MOST_GROUPS {
            self.too_many_groups = true;
            return None;
        }
        self.groups.push(Group { name, nodes: Vec::new(), tets: Vec::new() });
        Some(self.groups.len() - 1)
    }
    /// The group of a tag, called `kind tag` unless it is given a name. `None` where there are too many.
    pub fn group(&mut self, kind: &'static str, tag: i64) -> Option<usize> {
        if let Some(&group) = self.group_of_tag.get(&(kind, tag)) {
            return Some(group);
        }
        let group = self.new_group(format!("{kind} {tag}"))?;
        self.group_of_tag.insert((kind, tag), group);
        Some(group)
    }
    /// The group of a name.
    pub fn named_group(&mut self, name: &[u8]) -> Option<usize> {
        let name = printable(&String::from_utf8_lossy(name), 200);
        if let Some(&group) = self.group_of_name.get(&name) {
            return Some(group);
        }
        let group = self.new_group(name.clone())?;
        self.group_of_name.insert(name, group);
        Some(group)
    }
    /// Gives the group of a tag the name that the file has for it.
    pub fn name_group(&mut self, kind: &'static str, tag: i64, name: &[u8]) {
        let mut name = printable(&String::from_utf8_lossy(name), 200);
        if self.groups.iter().any(|g| g.name == name) {
            name = format!("{name} ({kind} {tag})");
        }
        if let Some(group) = self.group(kind, tag).and_then(|g| self.groups.get_mut(g)) {
            group.name = name;
        }
    }
    pub fn add_nodes(&mut self, group: Option<usize>, nodes: &[u32]) {
        if let Some(group) = group.and_then(|g| self.groups.get_mut(g)) {
            group.nodes.extend_from_slice(nodes);
        }
    }
    pub fn add_tet(&mut self, group: Option<usize>, tet: u32) {
        if let Some(group) = group.and_then(|g| self.groups.get_mut(g)) {
            group.tets.push(tet);
        }
    }

    /// Checks and repairs; `end` is the place for complaints about the whole file.
    pub fn finish(mut self, end: Place) -> Parsed<RawMesh> {
        if self.tets.is_empty() && self.triangles.is_empty() {
            return Err(Fault::new(end, "the file holds no tetrahedra and no triangles"));
        }
        for (what, n) in std::mem::take(&mut self.skipped) {
            self.note(format!("{n} × {what}"));
        }
        if !self.fills.is_empty() {
            let of = |at: &At| self.fills.get(&at.number).copied().unwrap_or(1.0);
            self.fill = self.tet_at.iter().map(of).collect();
        }
        let given = self.tets.clone();
        let turned = match repair::orient(&self.vertices, &mut self.tets) {
            Ok(turned) => turned,
            Err(bad) => return Err(self.defective(&bad, &self.tet_at)),
        };
        for ((given, now), on) in given.iter().zip(&self.tets).zip(&mut self.mids) {
            if let Some([ab, bc, ac, ad, bd, cd]) = on.filter(|_| given != now) {
                // The last two corners were exchanged.
                *on = Some([ab, bd, ad, ac, bc, cd]);
            }
        }
        if turned > 0 {
            self.note(format!("{turned} tetrahedra of negative volume: two of their nodes were exchanged"));
        }
        self.merge_duplicates()?;
        if self.triangles_may_collapse {
            self.drop_collapsed();
            if self.tets.is_empty() && self.triangles.is_empty() {
                return Err(Fault::new(end, "all triangles have collapsed: none has an area"));
            }
        }
        if let Err(bad) = repair::check_triangles(&self.vertices, &self.triangles) {
            return Err(self.defective(&bad, &self.triangle_at));
        }
        let mid_points = self.mid_points()?;
        self.close_groups();
        Ok(RawMesh {
            vertices: self.vertices,
            tets: self.tets,
            mid_points,
            fill: self.fill,
            triangles: self.triangles,
            groups: self.groups,
            drawn: drawn(self.drawn),
            notes: self.notes,
        })
    }

    /// Where the nodes on edges are, if all tetrahedra have them.
    fn mid_points(&mut self) -> Parsed<Vec<MidPoints>> {
        let mut points = Vec::new();
        for (at, on) in self.tet_at.iter().zip(&self.mids) {
            let Some(on) = on else { continue };
            let mut six = MidPoints::default();
            for (place, node) in six.iter_mut().zip(on) {
                let reason = || self.no_such_node(i128::from(*node) + i128::from(self.base));
                let found = self.vertices.get(*node as usize);
                *place = *found.ok_or_else(|| Fault::element(at.place, at.number, reason()))?;
            }
            points.push(six);
        }
        if points.len() < self.tets.len() && !points.is_empty() {
            points.clear();
            self.note("some tetrahedra have ten nodes and others four: only corners are known");
        }
        Ok(points)
    }

    /// A defect in the file's own numbers.
    fn defective(&self, bad: &Defective, places: &[At]) -> Fault {
        let at = places.get(bad.element).copied();
        let At { place, number } = at.unwrap_or(At { place: Place::line(1), number: 0 });
        let reason = match &bad.defect {
            Defect::Index { node, .. } => self.no_such_node(i128::from(*node) + i128::from(self.base)),
            Defect::Repeated { node } => {
                format!("node {} appears twice in it", u64::from(*node) + self.base)
            }
            Defect::Duplicate { of } => {
                let of = places.get(*of).map_or(0, |at| at.number);
                format!("has the same nodes as element {of}")
            }
            other => other.to_string(),
        };
        Fault::element(place, number, reason)
    }

    fn merge_duplicates(&mut self) -> Parsed<()> {
        let pairs = repair::duplicates(&self.tets);
        let Some(&(element, of)) = pairs.first() else { return Ok(()) };
        if !self.tets_may_repeat {
            let bad = Defective { element, defect: Defect::Duplicate { of } };
            return Err(self.defective(&bad, &self.tet_at));
        }
        // A tetrahedron may come again only to belong to one more group.
        let mut groups_of: HashMap<u32, Vec<usize>> = HashMap::new();
        let repeated: HashMap<u32, u32> = pairs.iter().map(|&(i, of)| (i as u32, of as u32)).collect();
        let firsts: HashMap<u32, ()> = pairs.iter().map(|&(_, of)| (of as u32, ())).collect();
        for (g, group) in self.groups.iter().enumerate() {
            for &tet in &group.tets {
                let first = repeated.get(&tet).copied().unwrap_or(tet);
                if !firsts.contains_key(&first) {
                    continue;
                }
                let groups = groups_of.entry(first).or_default();
                if groups.contains(&g) {
                    let bad = Defective { element, defect: Defect::Duplicate { of } };
                    return Err(self.defective(&bad, &self.tet_at));
                }
                groups.push(g);
            }
        }
        let expected: HashMap<u32, usize> = pairs.iter().fold(HashMap::new(), |mut n, &(_, of)| {
            *n.entry(of as u32).or_insert(1) += 1;
            n
        });
        if expected.iter().any(|(first, n)| groups_of.get(first).map_or(0, Vec::len) < *n) {
            let bad = Defective { element, defect: Defect::Duplicate { of } };
            return Err(self.defective(&bad, &self.tet_at));
        }
        let mut next = 0;
        let number: Vec<u32> = (0..self.tets.len() as u32)
            .map(|i| {
                if repeated.contains_key(&i) {
                    return DROPPED;
                }
                next += 1;
                next - 1
            })
            .collect();
        let moved = |tet: u32| {
            let first = repeated.get(&tet).copied().unwrap_or(tet);
            number.get(first as usize).copied().unwrap_or(DROPPED)
        };
        for group in &mut self.groups {
            group.tets.iter_mut().for_each(|tet| *tet = moved(*tet));
        }
        let mut numbers = number.iter();
        self.tets.retain(|_| numbers.next() != Some(&DROPPED));
        let mut numbers = number.iter();
        self.mids.retain(|_| numbers.next() != Some(&DROPPED));
        let mut numbers = number.iter();
        self.tet_at.retain(|_| numbers.next() != Some(&DROPPED));
        let mut numbers = number.iter();
        self.fill.retain(|_| numbers.next() != Some(&DROPPED));
        self.note(format!("{} tetrahedra came again as part of another group", pairs.len()));
        Ok(())
    }

    /// Leaves out triangles that have collapsed to a line or a point.
    fn drop_collapsed(&mut self) {
        let before = self.triangles.len();
        let vertices = &self.vertices;
        let fine = |t: &[u32; 3]| match repair::check_triangles(vertices, &[*t]) {
            Ok(()) => true,
            Err(bad) => !matches!(bad.defect, Defect::NoArea { .. } | Defect::Repeated { .. }),
        };
        let keep: Vec<bool> = self.triangles.iter().map(fine).collect();
        let mut kept = keep.iter();
        self.triangles.retain(|_| kept.next() == Some(&true));
        let mut kept = keep.iter();
        self.triangle_at.retain(|_| kept.next() == Some(&true));
        let dropped = before - self.triangles.len();
        if dropped > 0 {
            self.note(format!("{dropped} triangles without area were left out"));
        }
    }

    /// Drops unused nodes, then completes the groups.
    fn close_groups(&mut self) {
        let (nodes, faces) = (self.vertices.len(), self.triangles.len());
        let number = repair::drop_unused(&mut self.vertices, &mut self.tets, &mut self.triangles);
        let element = if self.tets.is_empty() { "triangle" } else { "tetrahedron" };
        if number.is_some() {
            let dropped = nodes - self.vertices.len();
            self.note(format!("{dropped} nodes that belong to no {element} were dropped"));
        }
        if self.triangles.len() < faces {
            let dropped = faces - self.triangles.len();
            self.note(format!("{dropped} triangles on such nodes were dropped"));
        }
        if self.too_many_groups {
            self.groups.clear();
            self.note(format!("more than {MOST_GROUPS} groups: taken for data and ignored"));
        }
        let (tets, vertices) = (&self.tets, self.vertices.len());
        if let Some(number) = &number {
            for node in &mut self.drawn.nodes {
                let moved = number.get(*node as usize).copied();
                *node = moved.filter(|&n| n != DROPPED).unwrap_or(NONE);
            }
        }
        for group in &mut self.groups {
            if let Some(number) = &number {
                for node in &mut group.nodes {
                    *node = number.get(*node as usize).copied().unwrap_or(DROPPED);
                }
            }
            for &tet in &group.tets {
                group.nodes.extend(tets.get(tet as usize).into_iter().flatten());
            }
            group.nodes.retain(|&node| (node as usize) < vertices);
            group.nodes.sort_unstable();
            group.nodes.dedup();
            group.tets.sort_unstable();
            group.tets.dedup();
        }
        self.groups.retain(|group| !group.nodes.is_empty());
    }
}

/// What is drawn, if anything is.
fn drawn(mut drawn: Drawn) -> Option<Drawn> {
    drawn.attributes.finish(drawn.triangles.len());
    Some(drawn).filter(|d| !d.triangles.is_empty())
}
