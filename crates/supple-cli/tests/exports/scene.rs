//! A small moving scene whose positions follow from a formula, and a folder to write it into.
use std::fs;
use std::path::PathBuf;

use supple::mesh::{shapes, surface};
use supple_cli::export::{ExportError, Format, Frame, Model, ModelBody, Options, exporter};
use supple_files::output::OutputDir;

/// A fresh folder, removed at the end.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let path =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("exports-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn out(&self) -> OutputDir {
        OutputDir::create(&self.0, false).unwrap()
    }

    /// All names in the folder, hidden ones too.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A model and where its nodes are at rest.
pub struct Scene {
    pub model: Model,
    pub rest: Vec<[f64; 3]>,
}

/// The nodes of a frame, with their velocities and the fields of the elements.
pub struct State {
    pub index: u64,
    pub time: f64,
    pub positions: Vec<[f64; 3]>,
    pub velocities: Vec<[f64; 3]>,
    pub fields: Vec<(&'static str, Vec<f64>)>,
}

impl State {
    pub fn frame(&self) -> Frame<'_> {
        Frame {
            index: self.index,
            time: self.time,
            positions: &self.positions,
            velocities: &self.velocities,
            element_fields: &self.fields,
            normals: &[],
        }
    }
}

pub const FPS: f64 = 25.0;

impl Scene {
    /// Two solids, the second with springs too; a cloth; a rope; a body without nodes. Names are meant to be awkward.
    pub fn new() -> Self {
        let mut scene = Self { model: Model::default(), rest: Vec::new() };
        let block = shapes::box_mesh([1.0, 0.5, 0.5], [4, 2, 2], shapes::Split::Five).unwrap();
        let tets = block.tets().to_vec();
        scene.add("block \"A\" <1> & más", block.vertices().to_vec(), tets, None, Vec::new());
        let cube = shapes::box_mesh([0.4; 3], [2; 3], shapes::Split::Five).unwrap();
        let moved = cube.vertices().iter().map(|p| [p[0] + 1.5, p[1] + 0.5, p[2]]).collect();
        scene.add("2 cubes", moved, cube.tets().to_vec(), None, vec![[0, 26], [2, 13]]);
        let grid = (0..16).map(|k| [f64::from(k % 4) * 0.3, 1.2, f64::from(k / 4) * 0.3]).collect();
        let cells = (0..9_u32).flat_map(|k| {
            let a = k / 3 * 4 + k % 3;
            [[a, a + 4, a + 5], [a, a + 5, a + 1]]
        });
        scene.add("cloth", grid, Vec::new(), Some(cells.collect()), Vec::new());
        scene.add("", Vec::new(), Vec::new(), None, Vec::new());
        let rope = (0..6).map(|k| [-0.4, 0.2 * f64::from(k), 0.1]).collect();
        scene.add("rope", rope, Vec::new(), None, (0..5).map(|k| [k, k + 1]).collect());
        scene.model.pins = vec![0, 3, scene.rest.len() as u32 - 1];
        scene
    }

    /// One tetrahedron.
    pub fn small() -> Self {
        let mut scene = Self { model: Model::default(), rest: Vec::new() };
        let rest = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        scene.add("tet", rest, vec![[0, 1, 2, 3]], None, Vec::new());
        scene
    }

    fn add(
        &mut self,
        name: &str,
        rest: Vec<[f64; 3]>,
        tets: Vec<[u32; 4]>,
        skin: Option<Vec<[u32; 3]>>,
        edges: Vec<[u32; 2]>,
    ) {
        let index = self.model.bodies.len();
        self.model.bodies.push(ModelBody {
            name: name.to_owned(),
            first_node: self.rest.len(),
            mids: Vec::new(),
            nodes: rest.len(),
            surface: skin.unwrap_or_else(|| surface(&tets)),
            tets,
            edges,
            colour: supple_cli::picture::palette::body(index),
            ..ModelBody::default()
        });
        self.rest.extend(rest);
    }

    /// The frame `index`, 1/[`FPS`] s after the one before: all turns about y and bends, element fields count up.
    pub fn state(&self, index: u64) -> State {
        let time = index as f64 / FPS;
        let turned = |time: f64| -> Vec<[f64; 3]> {
            let (s, c) = (0.9 * time).sin_cos();
            let moved = |p: &[f64; 3]| {
                let y = p[1] + 0.3 * (p[0] * 2.0 + 5.0 * time).sin() * time;
                [c * p[0] + s * p[2], y, c * p[2] - s * p[0]]
            };
            self.rest.iter().map(moved).collect()
        };
        let positions = turned(time);
        let (before, after) = (turned(time - 1e-5), turned(time + 1e-5));
        let velocities =
            before.iter().zip(&after).map(|(a, b)| std::array::from_fn(|k| (b[k] - a[k]) / 2e-5)).collect();
        let tets = self.model.tets();
        let stretch = (0..tets).map(|t| 1.0 + t as f64 / 64.0 + time).collect();
        let stress = (0..tets).map(|t| 1e5 * (t as f64 - time) / 3.0).collect();
        State { index, time, positions, velocities, fields: vec![("stretch", stretch), ("stress", stress)] }
    }

    /// Writes the frames 0 to `frames`, both included.
    pub fn export(
        &self,
        format: Format,
        name: &str,
        out: &OutputDir,
        frames: u64,
        options: &Options,
    ) -> Result<Vec<PathBuf>, ExportError> {
        let mut writer = exporter(format, name, self.model.clone(), options)?;
        for index in 0..=frames {
            writer.frame(out, &self.state(index).frame())?;
        }
        writer.finish(out)
    }
}

/// Small pictures, so that tests are fast.
pub fn options() -> Options {
    Options { fps: FPS, size: (121, 91), ..Options::default() }
}

/// All formats that can be written here: without `ffmpeg` there is no MP4, without npm no HTML.
pub fn formats() -> Vec<Format> {
    let ready = |f: &Format| {
        let made = exporter(*f, "x", Model::default(), &options());
        !matches!(made, Err(ExportError::Missing { .. } | ExportError::NoPage(_)))
    };
    Format::ALL.into_iter().filter(ready).collect()
}
