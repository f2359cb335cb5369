//! Nothing half-written, nothing overwritten by accident, nothing outside the folder.
#![allow(clippy::unwrap_used)]
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use supple_files::output::{FileError, OutputDir, write_over};

/// A fresh folder, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("files-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn writes_once_and_again_only_by_force() {
    let scratch = Scratch::new("force");
    let out = OutputDir::create(scratch.0.join("a/b"), false).unwrap();
    let path = out.write_bytes("x.txt", b"one").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"one");
    let error = out.write_bytes("x.txt", b"two").unwrap_err();
    assert!(matches!(error, FileError::Exists { .. }));
    assert!(error.to_string().contains("x.txt"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"one");
    let out = OutputDir::create(scratch.0.join("a/b"), true).unwrap();
    out.write_bytes("x.txt", b"two").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
}

#[test]
fn refuses_names_that_leave_the_folder() {
    let scratch = Scratch::new("names");
    let out = OutputDir::create(scratch.0.join("in"), true).unwrap();
    for name in
        ["", ".", "..", "../x", "a/b", "/etc/x", "a\\b", "C:x", "a..b", "x\0y", "new\nline", &"x".repeat(201)]
    {
        let error = out.write_bytes(name, b"").unwrap_err();
        assert!(matches!(error, FileError::Name { .. }), "{name:?}: {error}");
    }
    assert_eq!(scratch.names(), ["in"]);
    assert!(fs::read_dir(out.path()).unwrap().next().is_none());
    out.write_bytes("frame_0001.v2.png", b"").unwrap();
}

#[test]
fn a_failed_write_leaves_nothing_and_keeps_the_old() {
    let scratch = Scratch::new("fail");
    let out = OutputDir::create(&scratch.0, true).unwrap();
    out.write_bytes("x", b"old").unwrap();
    let error = out
        .write("x", |file| {
            file.write_all(b"half")?;
            Err::<(), _>(io::Error::other("disk full"))
        })
        .unwrap_err();
    assert!(matches!(&error, FileError::Write { source, .. } if source.to_string() == "disk full"));
    assert_eq!(scratch.names(), ["x"]);
    assert_eq!(fs::read(scratch.0.join("x")).unwrap(), b"old");
}

#[test]
fn a_single_file_is_replaced_as_a_whole() {
    let scratch = Scratch::new("over");
    let path = scratch.0.join("x");
    write_over(&path, b"old").unwrap();
    // Two threads at once: one of the two contents, never a mixture.
    let (a, b) = (vec![b'a'; 1 << 20], vec![b'b'; 1 << 20]);
    std::thread::scope(|scope| {
        for bytes in [&a, &b] {
            scope.spawn(|| write_over(&path, bytes).unwrap());
        }
    });
    let kept = fs::read(&path).unwrap();
    assert!(kept == a || kept == b);
    assert!(write_over(&scratch.0.join("nowhere/x"), b"").is_err());
    assert!(write_over(std::path::Path::new("/"), b"").is_err());
    assert_eq!(scratch.names(), ["x"]);
}

#[test]
fn a_file_that_appears_meanwhile_is_kept() {
    let scratch = Scratch::new("race");
    let out = OutputDir::create(&scratch.0, false).unwrap();
    let theirs = scratch.0.join("x");
    let outcome = out.write("x", |file| {
        fs::write(&theirs, b"theirs")?;
        file.write_all(b"ours")
    });
    assert!(outcome.is_err());
    assert_eq!(fs::read(&theirs).unwrap(), b"theirs");
    assert_eq!(scratch.names(), ["x"]);
}

#[test]
fn a_file_is_no_folder() {
    let scratch = Scratch::new("file");
    let path = scratch.0.join("x");
    fs::write(&path, b"").unwrap();
    assert!(matches!(OutputDir::create(&path, true), Err(FileError::Folder { .. })));
}

#[cfg(unix)]
#[test]
fn a_link_is_replaced_rather_than_followed() {
    let scratch = Scratch::new("link");
    let outside = scratch.0.join("outside");
    fs::write(&outside, b"precious").unwrap();
    let folder = scratch.0.join("in");
    let out = OutputDir::create(&folder, true).unwrap();
    std::os::unix::fs::symlink(&outside, folder.join("x")).unwrap();
    out.write_bytes("x", b"new").unwrap();
    assert_eq!(fs::read(&outside).unwrap(), b"precious");
    assert_eq!(fs::read(folder.join("x")).unwrap(), b"new");
    std::os::unix::fs::symlink(scratch.0.join("nowhere"), folder.join("y")).unwrap();
    let careful = OutputDir::create(&folder, false).unwrap();
    assert!(matches!(careful.write_bytes("y", b""), Err(FileError::Exists { .. })));
}
