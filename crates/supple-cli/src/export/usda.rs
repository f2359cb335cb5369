//! The surfaces and springs as USD text: a mesh per body whose points have time samples, and curves for springs.
//!
//! Time codes are frames: `time · fps`, so that tools that count frames show whole numbers.
use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{self, Seek, SeekFrom, Write as _};
use std::ops::Range;
use std::path::PathBuf;

use supple::mesh::drawn::NONE;
use supple_files::output::OutputDir;

use super::exporter::{Names, Sink};
use super::shell::Shell;
use super::spool::Draft;
use super::{ExportError, Frame, Model, ModelBody};
use crate::picture::palette::to_linear;

/// Thickness of springs, as a part of the largest side of the model's box.
const THICKNESS: f64 = 0.005;

pub(super) struct Usda {
    name: String,
    fps: f64,
    shells: Vec<Shell>,
    parts: Vec<Part>,
    /// Boxes, points and normals of each frame as text, part after part: what takes long is done while the run lasts.
    drafts: Option<[Draft; 3]>,
    /// Bytes of the drafts.
    ends: [u64; 3],
    frames: Vec<Sample>,
    /// Half of the thickness of springs, m.
    radius: f32,
}

/// A thing of its own in the file: the surface or the springs of a body.
struct Part {
    body: usize,
    springs: bool,
    /// The vertices of the body's shell that it uses, in their order.
    order: Vec<u32>,
}

/// A frame: its time code, and for each part where its box, its points and its normals are in the drafts.
struct Sample {
    code: f64,
    parts: Vec<[Range<u64>; 3]>,
}

impl Usda {
    pub fn new(model: &Model, names: Names, fps: f64) -> Self {
        let shells = Shell::all(model);
        let mut parts = Vec::new();
        for (body, shell) in shells.iter().enumerate() {
            if !shell.triangles.is_empty() {
                parts.push(Part { body, springs: false, order: (0..shell.nodes.len() as u32).collect() });
            }
            if !shell.edges.is_empty() {
                parts.push(Part { body, springs: true, order: shell.edges.as_flattened().to_vec() });
            }
        }
        let (name, frames) = (names.whole("usda"), Vec::new());
        Self { name, fps, shells, parts, drafts: None, ends: [0; 3], frames, radius: 0.0 }
    }

    /// Ten digits are enough to tell frames, and hide that 0.04 is no sum of halves.
    fn code(&self, time: f64) -> f64 {
        let code = time * self.fps;
        let near = (code * 1e6).round() / 1e6;
        if self.frames.last().is_none_or(|last| near > last.code) { near } else { code }
    }

    /// The text of a frame's boxes, points and normals, and its entry.
    fn sample(&self, model: &Model, frame: &Frame<'_>) -> ([String; 3], Sample) {
        let code = self.code(frame.time);
        let (mut boxes, mut points, mut parts) = (String::new(), String::new(), Vec::new());
        let mut normals = String::new();
        let at = |text: &str, draft: usize| self.ends[draft] + text.len() as u64;
        for part in &self.parts {
            let (shell, body) = (&self.shells[part.body], &model.bodies[part.body]);
            let all: Vec<[f32; 3]> = shell.positions(body, frame).map(|p| p.map(|c| c as f32)).collect();
            let used = || part.order.iter().map(|&v| all[v as usize]);
            let starts = [at(&boxes, 0), at(&points, 1), at(&normals, 2)];
            let margin = if part.springs { self.radius } else { 0.0 };
            let [low, high] = extent(used());
            let (low, high) = (low.map(|c| c - margin), high.map(|c| c + margin));
            // Writing to a string does not fail.
            let _ = writeln!(boxes, "            {code:?}: [{}, {}],", Tuple(low), Tuple(high));
            let _ = write!(points, "            {code:?}: [");
            for (k, point) in used().enumerate() {
                let comma = if k == 0 { "" } else { ", " };
                let _ = write!(points, "{comma}{}", Tuple(point));
            }
            points.push_str("],\n");
            if !part.springs && shaded(body) {
                let _ = write!(normals, "            {code:?}: [");
                for (k, normal) in frame.normals_of(body).iter().enumerate() {
                    let comma = if k == 0 { "" } else { ", " };
                    let _ = write!(normals, "{comma}{}", Tuple(normal.map(|c| c as f32)));
                }
                normals.push_str("],\n");
            }
            let [first, second, third] = starts;
            parts.push([first..at(&boxes, 0), second..at(&points, 1), third..at(&normals, 2)]);
        }
        ([boxes, points, normals], Sample { code, parts })
    }
}

impl Sink for Usda {
    fn frame(&mut self, out: &OutputDir, model: &Model, frame: &Frame<'_>) -> Result<(), ExportError> {
        if self.drafts.is_none() {
            let shells = self.shells.iter().zip(&model.bodies);
            let seen = shells.flat_map(|(shell, body)| shell.positions(body, frame));
            let [low, high] = extent(seen.map(|p| p.map(|c| c as f32)));
            let size = (0..3).map(|k| f64::from(high[k]) - f64::from(low[k])).fold(0.0, f64::max);
            self.radius = 0.5 * (THICKNESS * size) as f32;
            let draft = || Draft::create(out, &self.name);
            self.drafts = Some([draft()?, draft()?, draft()?]);
        }
        let (texts, sample) = self.sample(model, frame);
        let Some(drafts) = &mut self.drafts else { return Ok(()) };
        for ((draft, text), end) in drafts.iter_mut().zip(&texts).zip(self.ends) {
            // A frame that failed is written over by the next.
            draft.seek(SeekFrom::Start(end))?;
            draft.write_all(text.as_bytes())?;
        }
        self.ends = std::array::from_fn(|k| self.ends[k] + texts[k].len() as u64);
        self.frames.push(sample);
        Ok(())
    }

    fn finish(&mut self, out: &OutputDir, model: &Model) -> Result<Vec<PathBuf>, ExportError> {
        let Some([boxes, points, normals]) = &mut self.drafts else { return Ok(Vec::new()) };
        let (shells, frames, fps) = (&self.shells, &self.frames, self.fps);
        let code = |sample: Option<&Sample>| sample.map(|s| s.code).unwrap_or_default();
        let (first, last) = (code(frames.first()), code(frames.last()));
        let path = out.write(&self.name, |file| {
            write!(
                file,
                "#usda 1.0\n(\n    defaultPrim = \"World\"\n    endTimeCode = {last:?}\n    framesPerSecond = {fps:?}\n    \
                 metersPerUnit = 1\n    startTimeCode = {first:?}\n    timeCodesPerSecond = {fps:?}\n    upAxis = \"Y\"\n)\n\n\
                 def Xform \"World\"\n{{\n"
            )?;
            let mut taken = HashSet::from(["Materials".to_owned()]);
            let materials = Materials::new(model);
            let mut name = String::new();
            let mut named = None;
            for (number, part) in self.parts.iter().enumerate() {
                let (shell, body) = (&shells[part.body], &model.bodies[part.body]);
                // Springs beside a surface are named after it.
                name = match named {
                    Some(body) if body == part.body => {
                        prim_name(&format!("{name}_springs"), part.body, &mut taken)
                    }
                    _ => prim_name(&body.name, part.body, &mut taken),
                };
                named = Some(part.body);
                if part.springs {
                    open(file, "BasisCurves", &name, body)?;
                    curves(file, shell, 2.0 * self.radius)?;
                } else {
                    open(file, "Mesh", &name, body)?;
                    mesh(file, shell, body.two_sided())?;
                    texture(file, body)?;
                    if shaded(body) {
                        let of = body.attributes.iter().flat_map(|a| a.normals.of.as_flattened());
                        list(file, "int[] primvars:normals:indices", of.copied())?;
                        writeln!(file, "        normal3f[] primvars:normals (\n            interpolation = \"faceVarying\"\n        )")?;
                        writeln!(file, "        normal3f[] primvars:normals.timeSamples = {{")?;
                        normals.copy_parts(frames.iter().map(|s| s.parts[number][2].clone()), file)?;
                        writeln!(file, "        }}")?;
                    }
                    materials.subsets(file, part.body, body)?;
                }
                writeln!(file, "        float3[] extent.timeSamples = {{")?;
                boxes.copy_parts(frames.iter().map(|s| s.parts[number][0].clone()), file)?;
                writeln!(file, "        }}\n        point3f[] points.timeSamples = {{")?;
                points.copy_parts(frames.iter().map(|s| s.parts[number][1].clone()), file)?;
                writeln!(file, "        }}\n    }}")?;
            }
            materials.write(file)?;
            writeln!(file, "}}")
        })?;
        Ok(vec![path])
    }

    fn outputs(&self, _: u64) -> Box<dyn Iterator<Item = String> + '_> {
        Box::new(std::iter::once(self.name.clone()))
    }
}

fn open(file: &mut impl io::Write, kind: &str, name: &str, body: &ModelBody) -> io::Result<()> {
    let label = quoted(&body.name);
    writeln!(file, "    def {kind} \"{name}\" (\n        displayName = {label}\n    )\n    {{")?;
    let [r, g, b] = to_linear(body.colour);
    writeln!(file, "        color3f[] primvars:displayColor = [({r:?}, {g:?}, {b:?})]")
}

fn mesh(file: &mut impl io::Write, shell: &Shell, two_sided: bool) -> io::Result<()> {
    writeln!(file, "        uniform bool doubleSided = {}", u8::from(two_sided))?;
    writeln!(file, "        uniform token subdivisionScheme = \"none\"")?;
    list(file, "int[] faceVertexCounts", shell.triangles.iter().map(|_| 3))?;
    list(file, "int[] faceVertexIndices", shell.triangles.iter().flatten().copied())
}

/// Whether all corners of a body's surface have a normal: only then are they written.
fn shaded(body: &ModelBody) -> bool {
    let normals = body.attributes.as_ref().map(|a| &a.normals.of);
    normals.is_some_and(|of| !of.is_empty() && of.iter().flatten().all(|&n| n != NONE))
}

/// Texture coordinates at the corners of faces; (0, 0) where there are none.
fn texture(file: &mut impl io::Write, body: &ModelBody) -> io::Result<()> {
    let Some(a) = body.attributes.as_deref().filter(|a| !a.uvs.is_empty()) else { return Ok(()) };
    let count = a.uvs.values.len() as u32;
    write!(file, "        texCoord2f[] primvars:st = [")?;
    for number in 0..count {
        let [u, v] = a.uv(number, false).map(|c| c as f32);
        write!(file, "({u:?}, {v:?}), ")?;
    }
    writeln!(file, "(0, 0)] (\n            interpolation = \"faceVarying\"\n        )")?;
    list(file, "int[] primvars:st:indices", a.uvs.of.iter().flatten().map(|&n| n.min(count)))
}

/// The materials of all skins by name; other bodies have none.
struct Materials {
    /// Name and name in the file.
    all: Vec<(String, String)>,
}

impl Materials {
    fn new(model: &Model) -> Self {
        let (mut all, mut taken): (Vec<(String, String)>, _) = (Vec::new(), HashSet::new());
        let attributes = model.bodies.iter().filter_map(|b| b.attributes.as_deref());
        for (number, name) in attributes.flat_map(|a| &a.materials.names).enumerate() {
            if !all.iter().any(|(known, _)| known == name) {
                all.push((name.clone(), prim_name(name, number, &mut taken)));
            }
        }
        Self { all }
    }

    /// Which faces of a body have which.
    fn subsets(&self, file: &mut impl io::Write, index: usize, body: &ModelBody) -> io::Result<()> {
        let Some(a) = body.attributes.as_deref().filter(|a| !a.materials.of.is_empty()) else {
            return Ok(());
        };
        writeln!(file, "        uniform token subsetFamily:materialBind:familyType = \"nonOverlapping\"")?;
        let mut taken = HashSet::new();
        for (number, name) in (0u32..).zip(&a.materials.names) {
            let mut faces = (0u32..)
                .zip(&a.materials.of)
                .filter(|(_, of)| **of == number)
                .map(|(face, _)| face)
                .peekable();
            let Some((_, prim)) =
                self.all.iter().find(|(known, _)| known == name).filter(|_| faces.peek().is_some())
            else {
                continue;
            };
            let subset = prim_name(name, index, &mut taken);
            writeln!(
                file,
                "        def GeomSubset \"{subset}\" (\n            prepend apiSchemas = [\"MaterialBindingAPI\"]"
            )?;
            writeln!(file, "            displayName = {}\n        )\n        {{", quoted(name))?;
            writeln!(file, "            uniform token elementType = \"face\"")?;
            writeln!(file, "            uniform token familyName = \"materialBind\"")?;
            list(file, "    int[] indices", faces)?;
            writeln!(file, "            rel material:binding = </World/Materials/{prim}>\n        }}")?;
        }
        Ok(())
    }

    fn write(&self, file: &mut impl io::Write) -> io::Result<()> {
        if self.all.is_empty() {
            return Ok(());
        }
        writeln!(file, "    def Scope \"Materials\"\n    {{")?;
        for (name, prim) in &self.all {
            let label = quoted(name);
            writeln!(
                file,
                "        def Material \"{prim}\" (\n            displayName = {label}\n        )\n        {{\n        }}"
            )?;
        }
        writeln!(file, "    }}")
    }
}

fn curves(file: &mut impl io::Write, shell: &Shell, width: f32) -> io::Result<()> {
    writeln!(file, "        uniform token type = \"linear\"")?;
    list(file, "int[] curveVertexCounts", shell.edges.iter().map(|_| 2))?;
    writeln!(
        file,
        "        float[] widths = [{width:?}] (\n            interpolation = \"constant\"\n        )"
    )
}

/// A point as USD writes it.
struct Tuple([f32; 3]);

impl std::fmt::Display for Tuple {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "({x:?}, {y:?}, {z:?})")
    }
}

fn list(file: &mut impl io::Write, name: &str, values: impl Iterator<Item = u32>) -> io::Result<()> {
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
