//! No scene and no mesh reads a file from outside of its folder. Each secret here is a real file that would be read without the guard:
//! each test shows that with `--allow-dir`, or from the right place, the same bytes make a good scene.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

#[path = "common/folder.rs"]
mod folder;

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Output};

use folder::{Folder, supple};

const NODE: &str = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
const ELE: &str = "1 4 0\n1 1 2 3 4\n";
/// One tetrahedron, in a format of one file.
const MEDIT: &str = "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\nTetrahedra\n1\n1 2 3 4 0\nEnd\n";

/// `inner/` is the scene's folder; secrets lie beside it.
fn folders(name: &str) -> Folder {
    let f = Folder::new(name);
    fs::create_dir_all(f.path("inner/sub")).unwrap();
    fs::create_dir_all(f.path("vault")).unwrap();
    f
}

fn link(f: &Folder, to: &str, name: &str) {
    symlink(f.path(to), f.path(name)).unwrap();
}

fn told(o: &Output) -> String {
    String::from_utf8_lossy(&o.stderr).into_owned() + &String::from_utf8_lossy(&o.stdout)
}

fn body(mesh: &str) -> String {
    format!(
        "version = 1\n[time]\ndt = 0.01\nframes = 1\n[[body]]\nname = \"a\"\nmesh = \"{mesh}\"\n\
         material = {{ kind = \"corotated\", young = 1e5, poisson = 0.3 }}\n"
    )
}

fn with_obstacle(shape: &str) -> String {
    format!(
        "version = 1\n[time]\ndt = 0.01\nframes = 1\n[[body]]\nname = \"a\"\n\
         shape = {{ kind = \"box\", size = [0.2, 0.2, 0.2], cells = [1, 1, 1] }}\ntranslate = [9, 9, 9]\n\
         material = {{ kind = \"corotated\", young = 1e5, poisson = 0.3 }}\n\
         [[obstacle]]\nname = \"o\"\nshape = {{ {shape} }}\n"
    )
}

/// A tetrahedron as glTF, its numbers in `uri`.
fn gltf(uri: &str) -> (String, Vec<u8>) {
    let mut bytes: Vec<u8> =
        [0.0_f32, 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.].iter().flat_map(|c| c.to_le_bytes()).collect();
    bytes.extend([0_u16, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3].iter().flat_map(|c| c.to_le_bytes()));
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"uri":"{uri}","byteLength":72}}],
        "bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":24}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}},
        {{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}]}}"#
    );
    (json, bytes)
}

/// A grid of distances as .npy: |x| − 1 on 3³ points.
fn npy() -> Vec<u8> {
    let mut header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3, 3), }".to_vec();
    while !(header.len() + 11).is_multiple_of(64) {
        header.push(b' ');
    }
    header.push(b'\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header);
    for i in 0..27 {
        let square = |k: i32| f64::from((k - 1) * (k - 1));
        bytes.extend(((square(i / 9) + square(i / 3 % 3) + square(i % 3)).sqrt() - 1.0).to_le_bytes());
    }
    bytes
}

/// The scene is refused by every verb that reads one, and is good if the vault is allowed.
fn refused(f: &Folder, text: &str) {
    f.write("inner/scene.toml", text);
    let inner = f.0.join("inner");
    for words in [
        &["check", "scene.toml"][..],
        &["run", "scene.toml", "--frames", "1", "--out", "out"],
        &["compare", "scene.toml", "--methods", "newton", "--out", "out"],
    ] {
        let o = supple(&inner, words);
        let e = told(&o);
        assert_eq!(o.status.code(), Some(2), "{words:?} {text}\n{e}");
        assert!(e.contains("--allow-dir") && !e.contains("panicked"), "{words:?} {text}\n{e}");
        let written = fs::read_dir(inner.join("out")).is_ok_and(|mut entries| entries.next().is_some());
        assert!(!written, "{words:?} {text}");
    }
    let vault = f.0.join("vault");
    let o =
        supple(&inner, &["check", "scene.toml", "--allow-dir", "..", "--allow-dir", vault.to_str().unwrap()]);
    assert_eq!(o.status.code(), Some(0), "{text}\n{}", told(&o));
}

#[test]
fn dots_absolute_paths_and_links_do_not_lead_out() {
    let f = folders("ways");
    let secret = f.write("vault/secret.mesh", MEDIT);
    link(&f, "vault/secret.mesh", "inner/file.mesh");
    link(&f, "vault", "inner/folder");
    link(&f, "inner/file.mesh", "inner/sub/twice.mesh");
    for way in [
        "../vault/secret.mesh",
        "sub/../../vault/secret.mesh",
        "./../vault/secret.mesh",
        "file.mesh",
        "folder/secret.mesh",
        "sub/twice.mesh",
        secret.to_str().unwrap(),
    ] {
        refused(&f, &body(way));
        refused(&f, &with_obstacle(&format!("kind = \"mesh\", file = \"{way}\"")));
    }
    // Inside, links are what they are everywhere else.
    f.write("inner/real.mesh", MEDIT);
    link(&f, "inner/real.mesh", "inner/sub/link.mesh");
    f.write("inner/scene.toml", body("sub/link.mesh"));
    let o = supple(&f.0.join("inner"), &["check", "scene.toml"]);
    assert_eq!(o.status.code(), Some(0), "{}", told(&o));
}

#[test]
fn companions_do_not_lead_out() {
    let f = folders("companions");
    f.write("vault/s.ele", ELE);
    f.write("vault/s.node", NODE);
    let (json, bytes) = gltf("m.bin");
    f.write("vault/m.bin", bytes);
    f.write("inner/a.node", NODE);
    link(&f, "vault/s.ele", "inner/a.ele");
    f.write("inner/b.ele", ELE);
    link(&f, "vault/s.node", "inner/b.node");
    f.write("inner/m.gltf", json);
    link(&f, "vault/m.bin", "inner/m.bin");
    f.write("vault/grid.npy", npy());
    link(&f, "vault/grid.npy", "inner/grid.npy");
    refused(&f, &body("a.node"));
    refused(&f, &body("b.ele"));
    refused(&f, &with_obstacle("kind = \"mesh\", file = \"m.gltf\""));
    let grid = "origin = [-1, -1, -1], spacing = 1.0";
    refused(&f, &with_obstacle(&format!("kind = \"grid\", file = \"grid.npy\", {grid}")));
    refused(&f, &with_obstacle(&format!("kind = \"grid\", file = \"../vault/grid.npy\", {grid}")));
    // A mesh that a person names is read wherever it is, but what it names in turn only beside it.
    for file in ["a.node", "b.ele", "m.gltf"] {
        for words in [&["mesh", "info", file][..], &["check", file], &["mesh", "convert", file, "x.obj"]] {
            let o = supple(&f.0.join("inner"), words);
            let e = told(&o);
            assert_eq!(o.status.code(), Some(2), "{words:?}: {e}");
            assert!(e.contains("leads out of its folder"), "{words:?}: {e}");
        }
    }
    assert!(!f.0.join("inner/x.obj").exists());
    // Both of them links into one folder, as data sets are kept.
    link(&f, "vault/s.node", "inner/sub/s.node");
    link(&f, "vault/s.ele", "inner/sub/s.ele");
    let o = supple(&f.0.join("inner"), &["mesh", "info", "sub/s.node"]);
    assert_eq!(o.status.code(), Some(0), "{}", told(&o));
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let f = folders("kinds");
    assert!(Command::new("mkfifo").arg(f.0.join("inner/pipe.mesh")).status().unwrap().success());
    assert!(Command::new("mkfifo").arg(f.0.join("inner/p.ele")).status().unwrap().success());
    assert!(Command::new("mkfifo").arg(f.0.join("inner/pipe.npy")).status().unwrap().success());
    f.write("inner/p.node", NODE);
    fs::create_dir(f.0.join("inner/dir.mesh")).unwrap();
    fs::create_dir(f.0.join("inner/d.ele")).unwrap();
    f.write("inner/d.node", NODE);
    for mesh in ["pipe.mesh", "p.node", "dir.mesh", "d.node"] {
        f.write("inner/scene.toml", body(mesh));
        let o = supple(&f.0.join("inner"), &["check", "scene.toml"]);
        assert_eq!(o.status.code(), Some(2), "{mesh}");
        assert!(told(&o).contains("not a regular file"), "{mesh}: {}", told(&o));
    }
    f.write(
        "inner/scene.toml",
        with_obstacle("kind = \"grid\", file = \"pipe.npy\", origin = [0, 0, 0], spacing = 1.0"),
    );
    let o = supple(&f.0.join("inner"), &["check", "scene.toml"]);
    assert!(o.status.code() == Some(2) && told(&o).contains("not a regular file"), "{}", told(&o));
}

/// A file whose length or time of change moves while it is read is refused. What was half-written before it was opened, or is written
/// within one tick of the file system's clock, cannot be seen, so nothing is asked of reads that are not refused.
#[test]
fn a_file_that_changes_while_it_is_read() {
    use std::io::{Seek, Write};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};
    use supple_files::input::{InputError, read_file};
    let f = folders("changes");
    let path = f.write("inner/x.mesh", vec![b'a'; 32 << 20]);
    let stop = AtomicBool::new(false);
    let (mut changed, mut other) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
            while !stop.load(Ordering::Relaxed) {
                file.rewind().unwrap();
                file.write_all(&vec![b'b'; 1 << 20]).unwrap();
            }
        });
        let start = Instant::now();
        while changed < 3 && other == 0 && start.elapsed() < Duration::from_secs(20) {
            // Counted, since a panic here would leave the writer at work for ever.
            match read_file(&path) {
                Ok(_) => {}
                Err(InputError::Changed { .. }) => changed += 1,
                Err(_) => other += 1,
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!((changed, other), (3, 0));
}
