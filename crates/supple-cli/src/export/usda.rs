//! The surfaces and springs as USD text: a mesh per body whose points have time samples, and curves for springs.
//!
//! Time codes are frames: `time · fps`, so that tools that count frames show whole numbers.
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::PathBuf;

use super::bytes::{points, put_point};
use super::exporter::{Names, Sink};
use super::shell::Shell;
use super::spool::Spool;
use super::{ExportError, Frame, Model};
use crate::files::OutputDir;
use crate::picture::palette::to_linear;

/// Thickness of springs, as a part of the largest side of the model's box.
const THICKNESS: f64 = 0.005;

pub(super) struct Usda {
    name: String,
    fps: f64,
    shells: Vec<Shell>,
    spool: Option<Spool>,
    codes: Vec<f64>,
    /// Largest side of the box of the first frame, m.
    size: f64,
}

impl Usda {
    pub fn new(model: &Model, names: Names, fps: f64) -> Self {
        let shells = Shell::all(model);
        Self { name: names.whole("usda"), fps, shells, spool: None, codes: Vec::new(), size: 0.0 }
    }
}

impl Sink for Usda {
    fn frame(&mut self, out: &OutputDir, model: &Model, frame: &Frame<'_>) -> Result<(), ExportError> {
        let mut record = Vec::new();
        for (shell, body) in self.shells.iter().zip(&model.bodies) {
            shell.positions(body, frame).for_each(|p| put_point(&mut record, p));
        }
        if self.spool.is_none() {
            let [low, high] = extent(points(&record));
            self.size = (0..3).map(|k| f64::from(high[k]) - f64::from(low[k])).fold(0.0, f64::max);
            self.spool = Some(Spool::create(out, &self.name, record.len())?);
        }
        if let Some(spool) = &mut self.spool {
            spool.push(&record)?;
            // Ten digits are enough to tell frames, and hide that 0.04 is no sum of halves.
            let code = frame.time * self.fps;
            let near = (code * 1e6).round() / 1e6;
            let code = if self.codes.last().is_none_or(|last| near > *last) { near } else { code };
            self.codes.push(code);
        }
        Ok(())
    }

    fn finish(&mut self, out: &OutputDir, model: &Model) -> Result<Vec<PathBuf>, ExportError> {
        let Some(spool) = &mut self.spool else { return Ok(Vec::new()) };
        let (codes, shells, fps, size) = (&self.codes, &self.shells, self.fps, self.size);
        let path = out.write(&self.name, |file| {
            let (first, last) =
                (codes.first().copied().unwrap_or_default(), codes.last().copied().unwrap_or_default());
            write!(
                file,
                "#usda 1.0\n(\n    defaultPrim = \"World\"\n    endTimeCode = {last:?}\n    framesPerSecond = {fps:?}\n    \
                 metersPerUnit = 1\n    startTimeCode = {first:?}\n    timeCodesPerSecond = {fps:?}\n    upAxis = \"Y\"\n)\n\n\
                 def Xform \"World\"\n{{\n"
            )?;
            let mut taken = HashSet::new();
            for (index, (shell, body)) in shells.iter().zip(&model.bodies).enumerate() {
                let name = prim_name(&body.name, index, &mut taken);
                let mut prim = Prim { file, spool: &mut *spool, codes, shell, label: &body.name, colour: body.colour };
                if !shell.triangles.is_empty() {
                    prim.mesh(&name, body.two_sided())?;
                }
                if !shell.edges.is_empty() {
                    let name = if shell.triangles.is_empty() {
                        name
                    } else {
                        prim_name(&format!("{name}_springs"), index, &mut taken)
                    };
                    prim.curves(&name, (THICKNESS * size) as f32)?;
                }
            }
            writeln!(file, "}}")
        })?;
        Ok(vec![path])
    }

    fn outputs(&self, _: u64) -> Vec<String> {
        vec![self.name.clone()]
    }
}

/// One thing in the file.
struct Prim<'a, W: Write> {
    file: &'a mut W,
    spool: &'a mut Spool,
    codes: &'a [f64],
    shell: &'a Shell,
    label: &'a str,
    colour: [f32; 3],
}

impl<W: Write> Prim<'_, W> {
    fn mesh(&mut self, name: &str, two_sided: bool) -> io::Result<()> {
        self.open("Mesh", name)?;
        writeln!(self.file, "        uniform bool doubleSided = {}", u8::from(two_sided))?;
        writeln!(self.file, "        uniform token subdivisionScheme = \"none\"")?;
        let triangles = &self.shell.triangles;
        list(self.file, "int[] faceVertexCounts", triangles.iter().map(|_| 3))?;
        list(self.file, "int[] faceVertexIndices", triangles.iter().flatten().copied())?;
        let order: Vec<u32> = (0..self.shell.nodes.len() as u32).collect();
        self.samples(&order, 0.0)
    }

    fn curves(&mut self, name: &str, width: f32) -> io::Result<()> {
        self.open("BasisCurves", name)?;
        writeln!(self.file, "        uniform token type = \"linear\"")?;
        list(self.file, "int[] curveVertexCounts", self.shell.edges.iter().map(|_| 2))?;
        writeln!(
            self.file,
            "        float[] widths = [{width:?}] (\n            interpolation = \"constant\"\n        )"
        )?;
        let order: Vec<u32> = self.shell.edges.iter().flatten().copied().collect();
        self.samples(&order, 0.5 * width)
    }

    fn open(&mut self, kind: &str, name: &str) -> io::Result<()> {
        let label = quoted(self.label);
        writeln!(self.file, "    def {kind} \"{name}\" (\n        displayName = {label}\n    )\n    {{")?;
        let [r, g, b] = to_linear(self.colour);
        writeln!(self.file, "        color3f[] primvars:displayColor = [({r:?}, {g:?}, {b:?})]")
    }

    /// Extent and points over time, and the end of the thing. `order`: the vertices of the shell that it uses.
    fn samples(&mut self, order: &[u32], margin: f32) -> io::Result<()> {
        let mut buffer = vec![0; self.shell.nodes.len() * 12];
        writeln!(self.file, "        float3[] extent.timeSamples = {{")?;
        for (record, code) in (0..).zip(self.codes) {
            self.spool.read(record, self.shell.first * 12, &mut buffer)?;
            // A shell may hold surface and springs: only what this thing uses counts.
            let all: Vec<[f32; 3]> = points(&buffer).collect();
            let [low, high] = extent(order.iter().map(|&v| all[v as usize]));
            let (low, high) = (low.map(|c| c - margin), high.map(|c| c + margin));
            writeln!(self.file, "            {code:?}: [{}, {}],", Tuple(low), Tuple(high))?;
        }
        writeln!(self.file, "        }}\n        point3f[] points.timeSamples = {{")?;
        for (record, code) in (0..).zip(self.codes) {
            self.spool.read(record, self.shell.first * 12, &mut buffer)?;
            let all: Vec<[f32; 3]> = points(&buffer).collect();
            write!(self.file, "            {code:?}: [")?;
            for (k, &vertex) in order.iter().enumerate() {
                let comma = if k == 0 { "" } else { ", " };
                write!(self.file, "{comma}{}", Tuple(all[vertex as usize]))?;
            }
            writeln!(self.file, "],")?;
        }
        writeln!(self.file, "        }}\n    }}")
    }
}

/// A point as USD writes it.
struct Tuple([f32; 3]);

impl std::fmt::Display for Tuple {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "({x:?}, {y:?}, {z:?})")
    }
}

fn list(file: &mut impl Write, name: &str, values: impl Iterator<Item = u32>) -> io::Result<()> {
    write!(file, "        {name} = [")?;
    for (k, value) in values.enumerate() {
        let comma = if k == 0 { "" } else { ", " };
        write!(file, "{comma}{value}")?;
    }
    writeln!(file, "]")
}

/// Least and greatest coordinates; infinite if there are no points.
fn extent(points: impl Iterator<Item = [f32; 3]>) -> [[f32; 3]; 2] {
    points.fold([[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]], |[low, high], p| {
        [std::array::from_fn(|k| low[k].min(p[k])), std::array::from_fn(|k| high[k].max(p[k]))]
    })
}

/// A name of letters, digits and underscores that no other thing has.
fn prim_name(name: &str, index: usize, taken: &mut HashSet<String>) -> String {
    let mut plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(100).collect();
    if plain.chars().all(|c| c == '_') {
        plain = format!("body{index}");
    } else if plain.starts_with(|c: char| c.is_ascii_digit()) {
        plain.insert(0, '_');
    }
    let mut unique = plain.clone();
    for k in 2_u64.. {
        if taken.insert(unique.clone()) {
            break;
        }
        unique = format!("{plain}_{k}");
    }
    unique
}

/// Text between quotes; control characters become spaces.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
