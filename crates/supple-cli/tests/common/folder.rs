//! A folder for a test, and the program run in it.
#![allow(dead_code, clippy::unwrap_used, reason = "each test binary uses its part")]
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A fresh folder for each test, removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        // Without links, so that paths can be compared.
        Folder(path.canonicalize().unwrap())
    }
    /// Writes a file, and makes the folders above it.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs the program.
pub fn supple(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_supple")).args(words).current_dir(folder).output().unwrap()
}
