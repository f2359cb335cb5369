//! Elements with velocities and fields, one file per frame, and a collection with the times: open `name.pvd` in
//! ParaView.
//!
//! Cells are the tetrahedra of all bodies, of four or ten nodes, then the triangles of bodies without tetrahedra, then the springs. Fields
//! of elements are not numbers on the springs. Arrays are appended to the XML as they are, in doubles. Files of skins have `Normals` and `TCoords` at the
//! points where each has one of them, `uv` of all three corners otherwise, and the number of the `material` of each triangle.
use std::io::{self, Write};
use std::path::PathBuf;

use supple::mesh::Attributes;
use supple::mesh::drawn::NONE;
use supple_files::output::OutputDir;

use super::bytes::put_f64;
use super::exporter::{Names, Sink};
use super::{ExportError, Frame, Model};

const TETRAHEDRON: u8 = 10;
const QUADRATIC_TETRAHEDRON: u8 = 24;
const TRIANGLE: u8 = 5;
const LINE: u8 = 3;

pub(super) struct Vtu {
    names: Names,
    /// What is the same in each frame.
    cells: Cells,
    /// Time and file of each frame.
    frames: Vec<(f64, String)>,
    written: Vec<PathBuf>,
}

/// The arrays that describe the cells, as bytes.
#[derive(Default)]
struct Cells {
    connectivity: Vec<u8>,
    offsets: Vec<u8>,
    kinds: Vec<u8>,
    bodies: Vec<u8>,
    end: i64,
}

impl Cells {
    fn new(model: &Model) -> Self {
        let mut cells = Self::default();
        for (index, body) in model.bodies.iter().enumerate() {
            for (e, &c) in body.tets.iter().enumerate() {
                match body.mids.get(e) {
                    None => cells.push(index, TETRAHEDRON, body.global(c)),
                    Some(on) => {
                        let ten: [u32; 10] = std::array::from_fn(|v| if v < 4 { c[v] } else { on[v - 4] });
                        cells.push(index, QUADRATIC_TETRAHEDRON, body.global(ten));
                    }
                }
            }
        }
        for (index, body) in model.bodies.iter().enumerate().filter(|(_, b)| b.tets.is_empty()) {
            body.surface.iter().for_each(|&c| cells.push(index, TRIANGLE, body.global(c)));
        }
        for (index, body) in model.bodies.iter().enumerate() {
            body.edges.iter().for_each(|&c| cells.push(index, LINE, body.global(c)));
        }
        cells
    }

    fn push<const N: usize>(&mut self, body: usize, kind: u8, nodes: [u32; N]) {
        for node in nodes {
            self.connectivity.extend_from_slice(&i64::from(node).to_le_bytes());
        }
        self.end += N as i64;
        self.offsets.extend_from_slice(&self.end.to_le_bytes());
        self.kinds.push(kind);
        self.bodies.extend_from_slice(&(body as i32).to_le_bytes());
    }
}

impl Vtu {
    pub fn new(model: &Model, names: Names) -> Self {
        Self { names, cells: Cells::new(model), frames: Vec::new(), written: Vec::new() }
    }

    fn write(&self, writer: &mut impl Write, model: &Model, frame: &Frame<'_>) -> io::Result<()> {
        let doubles = |values: &[[f64; 3]]| {
            let mut bytes = Vec::with_capacity(values.len() * 24);
            put_f64(&mut bytes, values.iter().flatten().copied());
            bytes
        };
        let (points, velocities) = (doubles(frame.positions), doubles(frame.velocities));
        let mut pinned = vec![0_u8; frame.positions.len()];
        for &pin in &model.pins {
            pinned[pin as usize] = 1;
        }
        let count = self.cells.kinds.len();
        let fields: Vec<(&str, Vec<u8>)> = frame
            .element_fields
            .iter()
            .map(|(name, values)| {
                let mut bytes = Vec::with_capacity(count * 8);
                put_f64(&mut bytes, values.iter().copied().chain(std::iter::repeat(f64::NAN)).take(count));
                (*name, bytes)
            })
            .collect();

        let mut time = Vec::new();
        put_f64(&mut time, [frame.time]);
        let mut appended = Appended { xml: String::new(), arrays: Vec::new(), offset: 0 };
        appended.open("FieldData");
        appended.array("Float64", "TimeValue", 1, " NumberOfTuples=\"1\"", &time);
        appended.close("FieldData");
        let (nodes, piece) = (frame.positions.len(), "Piece NumberOfPoints");
        appended.open(&format!("{piece}=\"{nodes}\" NumberOfCells=\"{count}\""));
        appended.open("Points");
        appended.array("Float64", "Points", 3, "", &points);
        appended.close("Points");
        appended.open("Cells");
        appended.array("Int64", "connectivity", 1, "", &self.cells.connectivity);
        appended.array("Int64", "offsets", 1, "", &self.cells.offsets);
        appended.array("UInt8", "types", 1, "", &self.cells.kinds);
        appended.close("Cells");
        appended.open("PointData");
        if !frame.velocities.is_empty() {
            appended.array("Float64", "velocity", 3, "", &velocities);
        }
        appended.array("UInt8", "pinned", 1, "", &pinned);
        let looks = looks(model, frame);
        for (name, width, values) in &looks.points {
            appended.array("Float64", name, *width, "", values);
        }
        appended.close("PointData");
        appended.open("CellData");
        appended.array("Int32", "body", 1, "", &self.cells.bodies);
        for (name, values) in &fields {
            appended.array("Float64", name, 1, "", values);
        }
        for (name, width, values) in &looks.cells {
            let kind = if *width == 1 { "Int32" } else { "Float64" };
            appended.array(kind, name, *width, "", values);
        }
        appended.close("CellData");
        appended.close("Piece");
        appended.write(writer)
    }
}

/// Arrays of the attributes of skins: names, widths and bytes.
#[derive(Default)]
struct Arrays {
    points: Vec<(&'static str, u32, Vec<u8>)>,
    cells: Vec<(&'static str, u32, Vec<u8>)>,
}

/// Only where all bodies are skins, so that cells are their triangles.
fn looks(model: &Model, frame: &Frame<'_>) -> Arrays {
    let mut arrays = Arrays::default();
    let skins = model.bodies.iter().all(|b| b.tets.is_empty() && b.edges.is_empty());
    let all = || model.bodies.iter().filter_map(|b| Some((b, b.attributes.as_deref()?)));
    if !skins || all().count() < model.bodies.len() || all().count() == 0 {
        return arrays;
    }
    let mut normals = vec![[0.0; 3]; frame.positions.len()];
    let mut uvs = vec![[0.0; 2]; frame.positions.len()];
    let (mut shaded, mut textured) = (true, true);
    for (body, a) in all() {
        let (numbers, now) = (body.vertex_normals(), frame.normals_of(body));
        shaded &= numbers.is_some();
        for (vertex, n) in numbers.iter().flatten().enumerate() {
            normals[body.first_node + vertex] = now.get(*n as usize).copied().unwrap_or_default();
        }
        let numbers = body.vertex_uvs();
        textured &= numbers.is_some();
        for (vertex, &n) in numbers.iter().flatten().enumerate() {
            uvs[body.first_node + vertex] = a.uv(n, false);
        }
    }
    let doubles = |values: &mut dyn Iterator<Item = f64>| {
        let mut bytes = Vec::new();
        put_f64(&mut bytes, values);
        bytes
    };
    if shaded {
        arrays.points.push(("Normals", 3, doubles(&mut normals.iter().flatten().copied())));
    }
    if textured {
        arrays.points.push(("TCoords", 2, doubles(&mut uvs.iter().flatten().copied())));
    } else if all().any(|(_, a)| !a.uvs.is_empty()) {
        let corners = |t: usize, a: &Attributes| {
            let of = a.uvs.of.get(t).copied().unwrap_or([NONE; 3]);
            of.map(|i| if i == NONE { [f64::NAN; 2] } else { a.uv(i, false) })
        };
        let rows = all().flat_map(|(b, a)| (0..b.surface.len()).map(move |t| corners(t, a)));
        arrays.cells.push(("uv", 6, doubles(&mut rows.flatten().flatten())));
    }
    if all().any(|(_, a)| !a.materials.of.is_empty()) {
        let (mut bytes, mut first) = (Vec::new(), 0);
        for (body, a) in all() {
            for t in 0..body.surface.len() {
                let name = a.materials.of.get(t).filter(|&&i| i != NONE).map_or(-1, |&i| first + i as i32);
                bytes.extend_from_slice(&name.to_le_bytes());
            }
            first += a.materials.names.len() as i32;
        }
        arrays.cells.push(("material", 1, bytes));
    }
    arrays
}

impl Sink for Vtu {
    fn frame(&mut self, out: &OutputDir, model: &Model, frame: &Frame<'_>) -> Result<(), ExportError> {
        let name = self.names.part(frame.index, "vtu");
        self.written.push(out.write(&name, |file| self.write(file, model, frame))?);
        self.frames.push((frame.time, name));
        Ok(())
    }

    fn finish(&mut self, out: &OutputDir, _: &Model) -> Result<Vec<PathBuf>, ExportError> {
        let collection = out.write(&self.names.whole("pvd"), |file| {
            writeln!(file, "<?xml version=\"1.0\"?>")?;
            writeln!(file, "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">")?;
            writeln!(file, "<Collection>")?;
            for (time, name) in &self.frames {
                let name = escape(name);
                writeln!(file, "<DataSet timestep=\"{time:?}\" group=\"\" part=\"0\" file=\"{name}\"/>")?;
            }
            writeln!(file, "</Collection>\n</VTKFile>")
        })?;
        let mut written = self.written.clone();
        written.push(collection);
        Ok(written)
    }

    fn outputs(&self, frames: u64) -> Box<dyn Iterator<Item = String> + '_> {
        let parts = (0..=frames).map(|frame| self.names.part(frame, "vtu"));
        Box::new(parts.chain([self.names.whole("pvd")]))
    }
}

/// The XML and the arrays that follow it.
struct Appended<'a> {
    xml: String,
    arrays: Vec<&'a [u8]>,
    offset: u64,
}

impl<'a> Appended<'a> {
    fn open(&mut self, tag: &str) {
        self.xml.push_str(&format!("<{tag}>\n"));
    }

    fn close(&mut self, tag: &str) {
        self.xml.push_str(&format!("</{tag}>\n"));
    }

    /// Each array is preceded by its length.
    fn array(&mut self, kind: &str, name: &str, components: u32, more: &str, bytes: &'a [u8]) {
        let (name, offset) = (escape(name), self.offset);
        // Said for a scalar too, it makes arrays of one column in some readers.
        let width =
            if components > 1 { format!(" NumberOfComponents=\"{components}\"") } else { String::new() };
        self.xml.push_str(&format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\"{width}{more} \
             format=\"appended\" offset=\"{offset}\"/>\n"
        ));
        self.arrays.push(bytes);
        self.offset += 8 + bytes.len() as u64;
    }

    fn write(&self, writer: &mut impl Write) -> io::Result<()> {
        writer.write_all(
            b"<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" \
              byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n",
        )?;
        writer.write_all(self.xml.as_bytes())?;
        writer.write_all(b"</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_")?;
        for bytes in &self.arrays {
            writer.write_all(&(bytes.len() as u64).to_le_bytes())?;
            writer.write_all(bytes)?;
        }
        writer.write_all(b"\n</AppendedData>\n</VTKFile>\n")
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
