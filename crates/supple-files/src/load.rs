//! Scene files from the disk: text, overrides, and the meshes that they name, none from outside of their folder.
use std::path::{Component, Path, PathBuf};

use supple::mesh::io::RawMesh;
use supple::scene::file::SceneFile;
use supple::scene::{Asset, Program, SceneError, parse, problems};

use crate::input::{self, InputError};
use crate::memory;

/// A scene as it was read, with what is needed to say where something is wrong.
#[derive(Debug)]
pub struct Loaded {
    /// Path or name of a built-in scene.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Folder that its meshes are relative to; none for built-in scenes.
    pub folder: Option<PathBuf>,
    /// What it says, with the overrides.
    pub file: SceneFile,
    /// The overrides as they were typed, and the path of each in the scene.
    set: Vec<(String, String)>,
}

/// Why a scene cannot be run, as text for a person.
#[derive(Debug)]
pub struct LoadError(pub String);

impl Loaded {
    /// Reads and parses a scene file. `overrides` are `key.path=value`.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Loaded, LoadError> {
        let bytes = input::read_file(path).map_err(|e: InputError| LoadError(chain(&e) + "\n"))?;
        if bytes.len() > 16 << 20 {
            return Err(LoadError(format!(
                "{}: a scene file of {} bytes is too large\n",
                path.display(),
                bytes.len()
            )));
        }
        let text = String::from_utf8(bytes).map_err(|e| {
            LoadError(format!("{}: not UTF-8 text (byte {})\n", path.display(), e.utf8_error().valid_up_to()))
        })?;
        let folder = path.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf);
        Loaded::parse(&path.display().to_string(), text, Some(folder), overrides)
    }

    /// Parses the text of a scene.
    pub fn parse(
        name: &str,
        text: String,
        folder: Option<PathBuf>,
        overrides: &[String],
    ) -> Result<Loaded, LoadError> {
        let mut pairs = Vec::new();
        for o in overrides {
            let Some((key, value)) = o.split_once('=') else {
                return Err(LoadError(format!("--set {o}: write it as key.path=value\n")));
            };
            pairs.push((key.trim().to_string(), value.trim().to_string()));
        }
        match parse::read(&text, &pairs) {
            Ok((file, paths)) => {
                let set = overrides.iter().cloned().zip(paths).collect();
                Ok(Loaded { name: name.to_string(), text, folder, file, set })
            }
            Err(wrong) => Err(all(wrong.into_iter().map(|e| {
                let typed = e.given.and_then(|i| overrides.get(i)).cloned();
                tell(e, name, &text, typed.as_deref())
            }))),
        }
    }

    /// Where something is wrong, as text.
    pub fn explain(&self, e: SceneError) -> LoadError {
        LoadError(self.tell(e))
    }

    fn tell(&self, mut e: SceneError) -> String {
        // The last override of a value is the one that counts.
        let inside = |path: &str| {
            let rest = e.key.as_deref().and_then(|key| key.strip_prefix(path));
            rest.is_some_and(|r| r.is_empty() || r.starts_with(['.', '[']))
        };
        e.given = self.set.iter().rposition(|(_, path)| inside(path));
        let typed = e.given.and_then(|i| self.set.get(i)).map(|s| s.0.as_str());
        tell(e, &self.name, &self.text, typed)
    }

    /// Reads a mesh or a grid (.npy) that the scene names, in its folder or one of `allowed`.
    pub fn asset(&self, path: &str, allowed: &[PathBuf], notes: &mut Vec<String>) -> Result<Asset, String> {
        let folder = self.folder.as_deref().ok_or("a built-in scene has no files".to_string())?;
        let place = Place::find(folder, path, allowed)?;
        let path = &place.named;
        if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy")) {
            let samples = input::read_samples_at(path, &place.real).map_err(|e| chain(&e))?;
            return Ok(Asset { samples: Some(samples), ..Asset::default() });
        }
        let mesh = input::read_mesh_within(path, &place.real, &|file| place.allows(file));
        let mesh = mesh.map_err(|e| match e {
            InputError::Outside { .. } => format!("{e}; allow it with --allow-dir"),
            e => chain(&e),
        })?;
        memory::check_mesh(mesh.vertices.len(), mesh.tets.len(), memory::limit())
            .map_err(|e| format!("{} {e}", path.display()))?;
        notes.extend(mesh.notes.iter().map(|n| format!("{}: {n}", path.display())));
        Ok(asset_of(mesh))
    }

    /// Builds the scene. Meshes may also lie in the folders of `allowed`. With it, notes about repaired meshes.
    pub fn build(&self, allowed: &[PathBuf]) -> Result<(Program, Vec<String>), LoadError> {
        memory::check(&self.file, memory::limit()).map_err(|e| self.explain(e))?;
        let mut notes = Vec::new();
        let program = Program::new(&self.file, &mut |path| self.asset(path, allowed, &mut notes))
            .map_err(|e| self.explain(e))?;
        for body in &program.bodies {
            notes.extend(body.notes.iter().map(|n| format!("{}: {n}", body.name)));
        }
        Ok((program, notes))
    }

    /// Everything that is wrong with the scene, as text.
    pub fn problems(&self, allowed: &[PathBuf]) -> Result<(), LoadError> {
        // Not with the others: looking for those makes the bodies.
        memory::check(&self.file, memory::limit()).map_err(|e| self.explain(e))?;
        let wrong = problems(&self.file, &mut |path| self.asset(path, allowed, &mut Vec::new()));
        if wrong.is_empty() {
            return Ok(());
        }
        Err(all(wrong.into_iter().map(|e| self.tell(e))))
    }
}

/// What a scene uses of a mesh file.
pub fn asset_of(mesh: RawMesh) -> Asset {
    let groups = mesh.groups.into_iter().map(|g| (g.name, g.nodes)).collect();
    // Triangles of a solid's file are its surface, which follows from its tetrahedra.
    let triangles = if mesh.tets.is_empty() { mesh.triangles } else { Vec::new() };
    Asset {
        vertices: mesh.vertices,
        tets: mesh.tets,
        mid_points: mesh.mid_points,
        fill: mesh.fill,
        triangles,
        groups,
        drawn: mesh.drawn,
        samples: None,
    }
}

/// Several errors as one text; whoever prints it says `error: ` before the first.
fn all(errors: impl Iterator<Item = String>) -> LoadError {
    LoadError(errors.collect::<Vec<_>>().join("error: "))
}

/// An error as text: with its place, or with what was `typed` if the value comes from the command line.
fn tell(mut e: SceneError, name: &str, text: &str, typed: Option<&str>) -> String {
    if let Some(typed) = typed {
        e.message = format!("--set {typed}: {}", e.message);
    }
    e.located(text).render(name, text)
}

/// An error and its causes in one line.
pub fn chain(e: &dyn std::error::Error) -> String {
    let mut text = e.to_string();
    let mut cause = e.source();
    while let Some(c) = cause {
        text.push_str(&format!(": {c}"));
        cause = c.source();
    }
    text
}

/// The file that a scene means by a path: below its folder or an allowed one, whatever links and dots say.
struct Place {
    /// As the scene names it, so that companions of the file are looked for beside it.
    named: PathBuf,
    /// Where it is, without links and dots. This is what is read.
    real: PathBuf,
    /// Folders from which it and its companions may come, without links and dots.
    folders: Vec<PathBuf>,
}

impl Place {
    fn find(folder: &Path, path: &str, allowed: &[PathBuf]) -> Result<Place, String> {
        if path.contains("://") {
            return Err(format!("`{path}` is an address; meshes are read from files only"));
        }
        let given = Path::new(path);
        let plain = given.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        let named = folder.join(given);
        let real = named.canonicalize().map_err(|e| format!("cannot find `{path}`: {e}"))?;
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        // A path with dots leads into allowed folders only, even if it comes back to the scene's own.
        let own = plain.then_some(here);
        let folders = own.into_iter().chain(allowed.iter().map(PathBuf::as_path));
        let folders = folders.filter_map(|f| f.canonicalize().ok()).collect();
        let place = Place { named, real, folders };
        if place.allows(&place.real) {
            Ok(place)
        } else {
            Err(format!("`{path}` lies outside of the scene's folder; allow it with --allow-dir"))
        }
    }

    /// May a file be read that is there? Its path is without links and dots.
    fn allows(&self, file: &Path) -> bool {
        self.folders.iter().any(|f| file.starts_with(f))
    }
}
