//! Files that were dropped onto the page. They stay in its memory; scenes name them as they name files of their folder.
use std::collections::BTreeMap;

use supple::mesh::io::{Format, RawMesh, read, read_npy};
use supple::scene::Asset;
use supple_files::{load, memory};

/// Bytes of all files together.
const MOST: usize = 256 << 20;

/// Files by name, without folders.
#[derive(Debug, Default)]
pub struct Files {
    files: BTreeMap<String, Vec<u8>>,
}

/// The name of a file without its folders.
fn base(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

impl Files {
    /// Keeps a file, in place of one of the same name.
    pub fn put(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), String> {
        let others: usize = self.files.iter().filter(|(n, _)| *n != base(name)).map(|(_, b)| b.len()).sum();
        if others + bytes.len() > MOST {
            return Err(format!("{name}: more than {} MB of files", MOST >> 20));
        }
        self.files.insert(base(name).to_string(), bytes);
        Ok(())
    }

    fn get(&self, path: &str) -> Result<&[u8], String> {
        let file = self.files.get(base(path));
        file.map(Vec::as_slice)
            .ok_or_else(|| format!("`{}` is missing: drop it together with the scene", base(path)))
    }

    /// A mesh file, with the second file that some formats need.
    pub fn mesh(&self, path: &str) -> Result<RawMesh, String> {
        let name = base(path);
        let bytes = self.get(name)?;
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let format = Format::from_extension(extension);
        let format = format.ok_or_else(|| format!("`{name}` has no known mesh extension"))?;
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
        if name.to_ascii_lowercase().ends_with(".npy") {
            let samples = read_npy(name, self.get(name)?).map_err(|e| e.to_string())?;
            return Ok(Asset { samples: Some(samples), ..Asset::default() });
        }
        let mesh = self.mesh(name)?;
        memory::check_mesh(mesh.vertices.len(), mesh.tets.len(), memory::limit())
            .map_err(|e| format!("{name} {e}"))?;
        Ok(load::asset_of(mesh))
    }
}
