//! Legacy .vtk: unstructured grids and polygons, as text or as big-endian numbers.
//!
//! Two layouts of cells: up to version 4 each cell is its number of nodes and the nodes; from version 5 there are offsets
//! into a list of nodes.

use super::RawMesh;
use super::cells;
use super::draft::Draft;
use super::error::{About, Fault, Parsed, Place, quote};
use super::number::{Order, Scalar};
use super::text::{Text, Token};

/// Nodes of the cells, one after another.
struct Cells {
    nodes: Vec<u32>,
    /// For each cell, where its nodes end, and where it stands in the file.
    ends: Vec<(usize, Place)>,
}

struct Reader<'a> {
    text: Text<'a>,
    binary: Option<Order>,
    draft: Draft,
    cells: Option<Cells>,
    polygons: bool,
    typed: bool,
    points_seen: bool,
}

pub(super) fn read(bytes: &[u8]) -> Parsed<RawMesh> {
    let mut text = Text::header(bytes, None)?;
    let first = text.rest_of_line();
    let magic = b"# vtk DataFile Version ";
    if !first.text.get(..magic.len()).is_some_and(|head| head.eq_ignore_ascii_case(magic)) {
        let found = quote(first.text);
        return Err(first.fault(format!("{found} stands where \"# vtk DataFile Version\" should be")));
    }
    let title = text.rest_of_line();
    if title.text.len() > 4096 {
        return Err(title.fault("the title is too long; at most 256 characters are allowed"));
    }
    let token = text.need("ASCII or BINARY")?;
    let binary = if token.is("ASCII") {
        Text::new(bytes, None)?;
        None
    } else if token.is("BINARY") {
        text.count_bytes();
        Some(Order::Big)
    } else {
        return Err(token.fault(format!("{} stands where ASCII or BINARY should be", token.quoted())));
    };
    let mut reader = Reader {
        text,
        binary,
        draft: Draft::default(),
        cells: None,
        polygons: false,
        typed: false,
        points_seen: false,
    };
    while let Some(keyword) = reader.text.token() {
        if !reader.section(keyword)? {
            break;
        }
    }
    if reader.cells.is_some() && !reader.typed {
        return Err(reader.text.fault("the file ends where CELL_TYPES should be"));
    }
    reader.draft.finish(reader.text.place())
}

fn scalar(token: &Token) -> Parsed<Scalar> {
    let kinds: [(&str, Scalar); 13] = [
        ("float", Scalar::F32),
        ("double", Scalar::F64),
        ("int", Scalar::I32),
        ("long", Scalar::I64),
        ("unsigned_int", Scalar::U32),
        ("unsigned_long", Scalar::U64),
        ("short", Scalar::I16),
        ("unsigned_short", Scalar::U16),
        ("char", Scalar::I8),
        ("unsigned_char", Scalar::U8),
        ("vtkidtype", Scalar::I32),
        ("vtktypeint64", Scalar::I64),
        ("vtktypeint32", Scalar::I32),
    ];
    match kinds.iter().find(|(name, _)| token.is(name)) {
        Some((_, scalar)) => Ok(*scalar),
        None => Err(token.fault(format!("{} is not a number type", token.quoted()))),
    }
}

impl Reader<'_> {
    /// Reads one section; false ends the file.
    fn section(&mut self, keyword: Token) -> Parsed<bool> {
        if keyword.is("DATASET") {
            let kind = self.text.need("the kind of data")?;
            self.polygons = kind.is("POLYDATA");
            if !self.polygons && !kind.is("UNSTRUCTURED_GRID") {
                let reason =
                    format!("a data set {}: only UNSTRUCTURED_GRID and POLYDATA can be read", kind.quoted());
                return Err(kind.fault(reason));
            }
        } else if keyword.is("POINTS") {
            if self.points_seen {
                return Err(keyword.fault("a second list of points"));
            }
            self.points_seen = true;
            self.points()?;
        } else if keyword.is("CELLS") || keyword.is("POLYGONS") || keyword.is("TRIANGLE_STRIPS") {
            let cells = self.read_cells(&keyword)?;
            if keyword.is("CELLS") {
                if self.cells.is_some() || self.typed {
                    return Err(keyword.fault("a second list of cells"));
                }
                self.cells = Some(cells);
            } else {
                let kind = if keyword.is("POLYGONS") { 7 } else { 6 };
                self.place_cells(&cells, |_| Ok(kind))?;
            }
        } else if keyword.is("VERTICES") || keyword.is("LINES") {
            let cells = self.read_cells(&keyword)?;
            self.draft.note(format!("{} points or lines were ignored", cells.ends.len()));
        } else if keyword.is("CELL_TYPES") {
            self.cell_types(&keyword)?;
        } else if keyword.is("FIELD") {
            self.skip_field()?;
        } else if keyword.is("METADATA") {
            // The keyword's own line ends first; the block ends with a blank line.
            self.text.rest_of_line();
            while self.text.remaining() > 0 && !self.text.rest_of_line().text.is_empty() {}
        } else if keyword.is("CELL_DATA") && self.is_fill() {
            self.fill()?;
        } else if keyword.is("POINT_DATA") || keyword.is("CELL_DATA") {
            self.draft.note("data on points and cells were ignored");
            return Ok(false);
        } else {
            return Err(keyword.fault(format!("{} is not a keyword of a .vtk file", keyword.quoted())));
        }
        Ok(true)
    }

    /// Whether the data that follow are `SCALARS fill`.
    fn is_fill(&self) -> bool {
        let mut ahead = self.text.clone();
        ahead.token();
        ahead.token().is_some_and(|t| t.is("SCALARS")) && ahead.token().is_some_and(|t| t.text == b"fill")
    }
    /// Fill fractions: `CELL_DATA n`, `SCALARS fill type 1`, `LOOKUP_TABLE default`, numbers.
    fn fill(&mut self) -> Parsed<()> {
        let count = self.count("cells with data", 2)?;
        self.text.need("SCALARS")?;
        self.text.need("fill")?;
        let kind = self.text.need("a type of numbers")?;
        let scalar = scalar(&kind)?;
        self.text.rest_of_line();
        self.text.rest_of_line();
        let count = self
            .text
            .room(count as i128, self.least(scalar), "fill fractions")
            .map_err(|fault| kind.fault(fault.reason))?;
        for i in 0..count as u64 {
            let place = self.place();
            let scalar = if self.binary.is_some() { scalar } else { Scalar::F64 };
            let fill = self.text.number(scalar, self.binary, "a fill fraction").element(i)?.real();
            self.draft.fill(i, fill, place)?;
        }
        Ok(())
    }

    /// A count in the header of a section.
    fn count(&mut self, what: &str, least: usize) -> Parsed<usize> {
        let token = self.text.need(what)?;
        let count = token.whole(what)?;
        self.text.room(count, least, what).map_err(|fault| token.fault(fault.reason))
    }
    /// Least bytes of a number.
    fn least(&self, scalar: Scalar) -> usize {
        if self.binary.is_some() { scalar.size() } else { 2 }
    }
    fn whole(&mut self, scalar: Scalar, what: &str) -> Parsed<i128> {
        let place = self.place();
        let number = self.text.number(scalar, self.binary, what)?;
        number.whole().ok_or_else(|| Fault::new(place, format!("{what} is not a whole number")))
    }
    fn place(&self) -> Place {
        match self.binary {
            Some(_) => self.text.place(),
            None => self.text.clone().token().map_or(self.text.place(), |t| t.place),
        }
    }

    fn points(&mut self) -> Parsed<()> {
        let header = self.text.need("the number of points")?;
        let count = header.whole("the number of points")?;
        let kind = self.text.need("a type of numbers")?;
        let scalar = scalar(&kind)?;
        self.text.rest_of_line();
        let count = self
            .text
            .room(count, 3 * self.least(scalar), "points")
            .map_err(|fault| header.fault(fault.reason))?;
        for i in 0..count as u64 {
            let place = self.place();
            let mut p = [0.0; 3];
            for c in &mut p {
                // Text of whole numbers may still hold coordinates with a point.
                let scalar = if self.binary.is_some() { scalar } else { Scalar::F64 };
                *c = self.text.number(scalar, self.binary, "a coordinate").node(i)?.real();
            }
            self.draft.vertex(p, place, i)?;
        }
        Ok(())
    }

    fn read_cells(&mut self, keyword: &Token) -> Parsed<Cells> {
        let first = self.count("cells", 2)?;
        let second = self.count("numbers of cells", 2)?;
        self.text.rest_of_line();
        let mut ahead = self.text.clone();
        let Some(next) = ahead.token().filter(|t| t.is("OFFSETS")) else {
            return self.counted_cells(first, second, keyword);
        };
        // `first` counts offsets, one more than cells; `second` the nodes of all cells.
        self.text = ahead;
        let kind = self.text.need("a type of numbers")?;
        let offset_scalar = scalar(&kind)?;
        self.text.rest_of_line();
        let what = "an offset";
        self.text
            .room(first as i128, self.least(offset_scalar), "offsets")
            .map_err(|f| next.fault(f.reason))?;
        let mut offsets = Vec::new();
        for _ in 0..first {
            let place = self.place();
            offsets.push((self.whole(offset_scalar, what)?, place));
        }
        let keyword = self.text.need("CONNECTIVITY")?;
        if !keyword.is("CONNECTIVITY") {
            return Err(keyword.fault(format!("{} stands where CONNECTIVITY should be", keyword.quoted())));
        }
        let kind = self.text.need("a type of numbers")?;
        let node_scalar = scalar(&kind)?;
        self.text.rest_of_line();
        self.text
            .room(second as i128, self.least(node_scalar), "nodes of cells")
            .map_err(|f| kind.fault(f.reason))?;
        let mut nodes = Vec::new();
        for _ in 0..second {
            let place = self.place();
            let value = self.whole(node_scalar, "a node")?;
            nodes.push(self.draft.node(value, place)?);
        }
        let mut ends = Vec::new();
        let mut before = 0;
        for (i, &(offset, place)) in offsets.iter().enumerate() {
            let end = usize::try_from(offset).ok().filter(|&end| end >= before && end <= second);
            let Some(end) = end.filter(|&end| i > 0 || end == 0) else {
                return Err(Fault::element(place, i as u64, format!("the offset {offset} does not fit")));
            };
            if i > 0 {
                ends.push((end, place));
            }
            before = end;
        }
        if before != second {
            return Err(keyword.fault(format!("{second} nodes of cells, but the offsets end at {before}")));
        }
        Ok(Cells { nodes, ends })
    }

    /// Cells as a number of nodes followed by the nodes.
    fn counted_cells(&mut self, count: usize, numbers: usize, keyword: &Token) -> Parsed<Cells> {
        let least = self.least(Scalar::I32);
        self.text.room(numbers as i128, least, "numbers of cells").map_err(|f| keyword.fault(f.reason))?;
        let nodes_in_all = numbers.checked_sub(count);
        let Some(mut left) = nodes_in_all else {
            return Err(keyword.fault(format!("{count} cells in {numbers} numbers are not possible")));
        };
        let mut cells = Cells { nodes: Vec::new(), ends: Vec::new() };
        for i in 0..count as u64 {
            let place = self.place();
            let size = self.whole(Scalar::I32, "a number of nodes").element(i)?;
            let Some(size) = usize::try_from(size).ok().filter(|&size| size <= left) else {
                let reason = format!("a cell of {size} nodes, where {left} are left of those announced");
                return Err(Fault::element(place, i, reason));
            };
            left -= size;
            for _ in 0..size {
                let at = self.place();
                let value = self.whole(Scalar::I32, "a node").element(i)?;
                cells.nodes.push(self.draft.node(value, at).element(i)?);
            }
            cells.ends.push((cells.nodes.len(), place));
        }
        if left > 0 {
            return Err(
                keyword.fault(format!("{numbers} numbers are announced for the cells; {left} are left over"))
            );
        }
        Ok(cells)
    }

    fn cell_types(&mut self, keyword: &Token) -> Parsed<()> {
        let count = self.count("cell types", self.least(Scalar::I32))?;
        self.text.rest_of_line();
        let Some(cells) = self.cells.take() else {
            return Err(keyword.fault("CELL_TYPES before CELLS"));
        };
        if cells.ends.len() != count {
            let n = cells.ends.len();
            return Err(keyword.fault(format!("{count} types for {n} cells")));
        }
        let mut kinds = Vec::new();
        for i in 0..count as u64 {
            kinds.push(self.whole(Scalar::I32, "a cell type").element(i)?);
        }
        self.typed = true;
        self.place_cells(&cells, |i| {
            kinds.get(i).copied().ok_or_else(|| Fault::new(Place::line(1), "a cell without a type"))
        })
    }

    fn place_cells(&mut self, cells: &Cells, kind: impl Fn(usize) -> Parsed<i128>) -> Parsed<()> {
        let mut start = 0;
        for (i, &(end, place)) in cells.ends.iter().enumerate() {
            let nodes = cells.nodes.get(start..end).unwrap_or(&[]);
            cells::add(&mut self.draft, kind(i)?, nodes, place, i as u64)?;
            start = end;
        }
        Ok(())
    }

    /// FIELD name n, then n arrays: name, components, rows, type, numbers.
    fn skip_field(&mut self) -> Parsed<()> {
        self.text.need("a field's name")?;
        let arrays = self.count("arrays", 8)?;
        for _ in 0..arrays {
            let name = self.text.need("an array's name")?;
            let components = self.text.need("a number of components")?.whole("a number of components")?;
            let rows = self.text.need("a number of rows")?.whole("a number of rows")?;
            let kind = self.text.need("a type of numbers")?;
            let numbers = components.checked_mul(rows).filter(|_| components >= 0 && rows >= 0);
            let Some(numbers) = numbers else {
                return Err(name.fault("an array of this size is not possible"));
            };
            if kind.is("string") {
                return Err(kind.fault("arrays of strings cannot be read"));
            }
            let scalar = scalar(&kind)?;
            self.text.rest_of_line();
            let numbers =
                self.text.room(numbers, self.least(scalar), "numbers").map_err(|f| name.fault(f.reason))?;
            for _ in 0..numbers {
                self.text.number(scalar, self.binary, "a number of a field")?;
            }
        }
        self.draft.note("a field was ignored");
        Ok(())
    }
}
