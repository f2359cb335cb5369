//! Files that viewers send. They stay in memory, and are hostile input: names are names and no paths, and whatever a file names is looked for among
//! the others that came with it, never on the disk.
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use supple::mesh::io::{Format, RawMesh, read, read_npy};
use supple::scene::Asset;
use supple_files::load::{self, Loaded};
use supple_files::memory;

use super::recipe::Recipe;
use crate::dropped;

/// Most bytes of files that the server takes at a time, all together.
pub const MOST: usize = 64 << 20;
/// Most files at a time.
pub const COUNT: usize = 32;
/// Longest name, in bytes.
const NAME: usize = 255;
/// Longest text of a scene, in bytes.
const LONGEST: usize = 16 << 20;
/// What a checkpoint begins with.
const CHECKPOINT: &[u8] = b"SUPPLECK";

/// Files by name.
#[derive(Clone, Default)]
pub struct Files {
    files: BTreeMap<String, Vec<u8>>,
    /// Room that they take until they are opened: it is given back with them.
    #[allow(dead_code, reason = "it is there to be dropped")]
    room: Option<Arc<dyn Any + Send + Sync>>,
}

/// What a set of files is.
pub enum Opening {
    /// A scene, and the state at which it begins to run.
    Scene(Box<Recipe>, Option<Vec<u8>>),
    /// A state of the present scene.
    Checkpoint(Vec<u8>),
}

/// What is wrong with a name, if it is not just that of a file.
pub fn name_problem(name: &str) -> Option<String> {
    let fine = !name.is_empty()
        && name.len() <= NAME
        && !name.contains(['/', '\\'])
        && !name.chars().any(char::is_control)
        && !matches!(name, "." | "..");
    (!fine).then(|| {
        let shown: String = name.chars().take(60).flat_map(char::escape_default).collect();
        format!("\"{shown}\" is no name of a file")
    })
}

/// The name of a file without its folders.
fn base(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Name and extension, the latter in small letters.
fn parts(name: &str) -> (&str, String) {
    name.rsplit_once('.').map_or((name, String::new()), |(stem, e)| (stem, e.to_ascii_lowercase()))
}

impl Files {
    /// None yet; `room` is kept as long as they are.
    pub fn with_room(room: Arc<dyn Any + Send + Sync>) -> Files {
        Files { files: BTreeMap::new(), room: Some(room) }
    }

    /// Keeps a file, in place of one of the same name, if all together are no more than `most` bytes.
    pub fn put(&mut self, name: &str, bytes: Vec<u8>, most: usize) -> Result<(), String> {
        if let Some(problem) = name_problem(name) {
            return Err(problem);
        }
        let others: usize = self.files.iter().filter(|(n, _)| *n != name).map(|(_, b)| b.len()).sum();
        if others + bytes.len() > most {
            return Err(format!("{name}: more than {} MiB of files", most >> 20));
        }
        self.files.insert(name.to_string(), bytes);
        Ok(())
    }

    fn get(&self, path: &str) -> Result<&[u8], String> {
        let file = self.files.get(base(path));
        file.map(Vec::as_slice)
            .ok_or_else(|| format!("`{}` is missing: open it together with the scene", base(path)))
    }

    /// A mesh file, with the second file that some formats need.
    pub fn mesh(&self, path: &str) -> Result<RawMesh, String> {
        let name = base(path);
        let bytes = self.get(name)?;
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let format = Format::from_extension(extension);
        let format = format.ok_or_else(|| format!("`{name}` is no mesh file that is known"))?;
        let beside = match format {
            Format::TetgenNode => Some(format!("{stem}.ele")),
            Format::TetgenEle => Some(format!("{stem}.node")),
            _ => format.companion(name, bytes).map_err(|e| e.to_string())?.map(|f| f.to_string()),
        };
        let second = beside.map(|b| self.get(&b).map(|bytes| (base(&b).to_string(), bytes))).transpose()?;
        let second = second.as_ref().map(|(name, bytes)| (name.as_str(), *bytes));
        read(format, name, bytes, second).map_err(|e| e.to_string())
    }

    /// What a scene means by a path.
    pub fn asset(&self, path: &str) -> Result<Asset, String> {
        let name = base(path);
        if parts(name).1 == "npy" {
            let samples = read_npy(name, self.get(name)?).map_err(|e| e.to_string())?;
            return Ok(Asset { samples: Some(samples), ..Asset::default() });
        }
        let mesh = self.mesh(name)?;
        memory::check_mesh(mesh.vertices.len(), mesh.tets.len(), memory::limit())
            .map_err(|e| format!("{name} {e}"))?;
        Ok(load::asset_of(mesh))
    }

    /// The scene of a text that may need so many bytes of memory by the library's own estimate; what it names is among these files.
    pub fn scene(&self, name: &str, text: &str, most: Option<u64>) -> Result<Recipe, String> {
        if text.len() > LONGEST {
            return Err(format!("{name}: a scene of {} bytes is too large", text.len()));
        }
        let loaded = Loaded::parse(name, text.to_string(), None, &[]).map_err(|e| e.0)?;
        memory::check(&loaded.file, most).map_err(|e| format!("{name}: a body {}", e.message))?;
        Recipe::read(name, loaded.file, &mut |path| self.asset(path)).map_err(|e| format!("{name}: {e}"))
    }

    /// The scene of a mesh that falls on a floor; a surface is filled with about `tets` tetrahedra.
    pub fn falling(&self, file: &str, tets: usize) -> Result<Recipe, String> {
        let text = self.mesh(file).and_then(|mesh| dropped::scene(&mesh, parts(file).0, file, tets));
        self.scene(parts(file).0, &text.map_err(|e| format!("{file}: {e}"))?, memory::limit())
    }

    /// True if they are one state of the present scene, at a glance.
    pub fn is_checkpoint(&self) -> bool {
        self.files.len() == 1 && self.files.values().all(|b| b.starts_with(CHECKPOINT))
    }

    /// What they are, all together.
    pub fn opening(&self) -> Result<Opening, String> {
        let names = || self.files.keys().map(String::as_str);
        let checkpoint = |name: &&str| {
            self.files.get(*name).is_some_and(|b| b.starts_with(CHECKPOINT)) || parts(name).1 == "checkpoint"
        };
        let of = |kind: &dyn Fn(&&str) -> bool| names().filter(kind).collect::<Vec<&str>>();
        let (scenes, states) = (of(&|n| parts(n).1 == "toml"), of(&checkpoint));
        // A mesh in two files goes by one of them.
        let mesh = |n: &&str| Format::from_extension(&parts(n).1).is_some_and(|f| f != Format::TetgenEle);
        let meshes = of(&mesh);
        let state = match states.as_slice() {
            [] => None,
            [one] => Some(self.get(one)?.to_vec()),
            _ => return Err("open one checkpoint at a time".into()),
        };
        match (scenes.as_slice(), meshes.as_slice(), state) {
            ([scene], _, state) => {
                let text = std::str::from_utf8(self.get(scene)?)
                    .map_err(|e| format!("{scene}: not UTF-8 text (byte {})", e.valid_up_to()))?;
                let mut recipe = self.scene(scene, text, memory::limit())?;
                recipe.name = parts(scene).0.to_string();
                Ok(Opening::Scene(Box::new(recipe), state))
            }
            ([], [mesh], state) => Ok(Opening::Scene(Box::new(self.falling(mesh, dropped::TETS)?), state)),
            ([], [], Some(state)) => Ok(Opening::Checkpoint(state)),
            ([], [], None) => Err(format!(
                "open a scene (.toml, with the meshes that it names), a mesh or a checkpoint; {} is none",
                names().next().map_or("nothing".into(), |n| n.chars().take(60).collect::<String>())
            )),
            ([], ..) => Err("open one mesh at a time".into()),
            _ => Err("open one scene at a time".into()),
        }
    }
}
