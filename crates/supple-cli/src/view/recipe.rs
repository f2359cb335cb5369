//! A scene as it is to be built: what the file says, the meshes that it names, and what viewers hold.
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use supple::scene::file::{Anchor, SceneFile, Select};
use supple::scene::{Asset, Program, parse};
use supple_files::load::{LoadError, Loaded};
use supple_files::memory;

use super::grip::Grip;
use crate::scenes;

/// A scene that can be built again and again without touching files.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// Its name for people.
    pub name: String,
    /// What it says.
    pub file: SceneFile,
    /// The files that it names, read once.
    assets: Arc<BTreeMap<String, Asset>>,
}

impl Recipe {
    /// Reads what a loaded scene names. Meshes may also lie in the folders of `allowed`.
    pub fn new(name: &str, scene: &Loaded, allowed: &[PathBuf]) -> Result<Recipe, LoadError> {
        let mut read = |path: &str| scene.asset(path, allowed, &mut Vec::new());
        let recipe = Recipe::read(name, scene.file.clone(), &mut read);
        recipe.map_err(|e| LoadError(format!("{}: {e}\n", scene.name)))
    }

    /// Reads what a scene names.
    pub fn read(
        name: &str,
        file: SceneFile,
        read: &mut dyn FnMut(&str) -> Result<Asset, String>,
    ) -> Result<Recipe, String> {
        let mut assets = BTreeMap::new();
        let bodies = file.body.iter().filter_map(|b| b.mesh.as_ref());
        for path in bodies.chain(file.obstacle.iter().filter_map(|o| o.shape.file())) {
            if !assets.contains_key(path) {
                assets.insert(path.clone(), read(path)?);
            }
        }
        Ok(Recipe::of(name, file, assets))
    }

    /// A scene of what was read already, and the files that it names.
    pub fn of(name: &str, file: SceneFile, assets: BTreeMap<String, Asset>) -> Recipe {
        Recipe { name: name.to_string(), file, assets: Arc::new(assets) }
    }

    /// A built-in scene.
    pub fn built_in(name: &str) -> Option<Recipe> {
        let scene = scenes::find(name)?;
        let (file, _) = parse::read(scene.text, &[]).ok()?;
        Some(Recipe { name: scene.name.to_string(), file, assets: Arc::default() })
    }

    /// The scene as a file.
    pub fn text(&self) -> String {
        parse::to_text(&self.file).unwrap_or_else(|e| format!("# this scene cannot be written: {e}\n"))
    }

    /// Builds it, with an anchor at each node that is held.
    pub fn build(&self, grips: &[Grip]) -> Result<Program, String> {
        let mut file = self.file.clone();
        for grip in grips {
            for &(id, stiffness) in &grip.nodes {
                file.anchor.push(Anchor {
                    body: file.body.get(grip.body).map(|b| b.name.clone()).unwrap_or_default(),
                    select: Select { ids: Some(vec![id]), ..Select::default() },
                    stiffness,
                    motion: Vec::new(),
                });
            }
        }
        memory::check(&file, memory::limit()).map_err(|e| e.message)?;
        let mut meshes =
            |path: &str| self.assets.get(path).cloned().ok_or_else(|| format!("`{path}` was not read"));
        Program::new(&file, &mut meshes).map_err(|e| match e.key {
            Some(key) => format!("{key}: {}", e.message),
            None => e.message,
        })
    }
}
