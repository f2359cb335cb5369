//! `supple mesh`: files in and out of the program.
#![allow(clippy::unwrap_used)]
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// An empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mesh-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn supple(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_supple")).arg("mesh").args(args).current_dir(folder).output().unwrap()
}
fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}
fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

const NODE: &str = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
const ELE: &str = "1 4 0\n1 1 2 3 4\n";

#[test]
fn info_finds_the_second_file_from_either() {
    let here = folder("info");
    fs::write(here.join("t.1.node"), NODE).unwrap();
    let alone = supple(&["info", "t.1.node"], &here);
    assert_eq!(alone.status.code(), Some(2));
    assert!(err(&alone).contains("t.1.node needs t.1.ele beside it"), "{}", err(&alone));
    fs::write(here.join("t.1.ele"), ELE).unwrap();
    for file in ["t.1.node", "t.1.ele"] {
        let output = supple(&["info", file], &here);
        assert!(output.status.success(), "{}", err(&output));
        let text = out(&output);
        for words in ["tetrahedra     1\n", "volume         1.666667e-1 m³", "closed", "no problems", "█"]
        {
            assert!(text.contains(words), "{words}: {text}");
        }
    }
}

#[test]
fn bad_input_leaves_with_2_and_names_the_place() {
    let here = folder("bad");
    fs::write(here.join("t.node"), NODE).unwrap();
    fs::write(here.join("t.ele"), "1 4 0\n1 1 2 3 9\n").unwrap();
    fs::write(here.join("t.xyz"), "").unwrap();
    fs::create_dir(here.join("d.obj")).unwrap();
    for (file, words) in [
        ("t.node", "t.ele:2: element 1: node 9 does not exist"),
        ("missing.obj", "cannot read missing.obj"),
        ("t.xyz", "known are .node .ele .msh"),
        ("d.obj", "not a regular file"),
    ] {
        let output = supple(&["info", file], &here);
        assert_eq!(output.status.code(), Some(2), "{file}");
        assert!(err(&output).contains(words), "{}", err(&output));
        assert!(output.stdout.is_empty());
    }
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused_at_once() {
    let here = folder("pipes");
    assert!(Command::new("mkfifo").arg(here.join("pipe.obj")).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", here.join("zero.stl")).unwrap();
    for file in ["pipe.obj", "zero.stl"] {
        let output = supple(&["info", file], &here);
        assert_eq!(output.status.code(), Some(2));
        assert!(err(&output).contains("not a regular file"), "{}", err(&output));
    }
}

#[test]
fn convert_there_and_back() {
    let here = folder("convert");
    fs::write(here.join("t.node"), NODE).unwrap();
    fs::write(here.join("t.ele"), ELE).unwrap();
    let chain = ["t.node", "a.msh", "b.mesh", "c.vtk", "d.vtu", "e.ele", "f.ply", "g.obj", "h.stl"];
    for pair in chain.windows(2) {
        let output = supple(&["convert", pair[0], pair[1]], &here);
        assert!(output.status.success(), "{pair:?}: {}", err(&output));
    }
    assert_eq!(fs::read_to_string(here.join("e.ele")).unwrap(), "1 4 0\n0 0 1 2 3\n");
    let text = out(&supple(&["info", "h.stl"], &here));
    assert!(text.contains("volume         1.666667e-1 m³"), "{text}");
    // Nothing is overwritten by accident, and nothing is left behind by a failure.
    let again = supple(&["convert", "t.node", "a.msh"], &here);
    assert_eq!(again.status.code(), Some(2));
    assert!(err(&again).contains("--force"), "{}", err(&again));
    assert!(supple(&["convert", "t.node", "a.msh", "--force"], &here).status.success());
    assert_eq!(supple(&["convert", "h.stl", "i.node"], &here).status.code(), Some(1));
    assert_eq!(supple(&["convert", "h.stl", "i.glb"], &here).status.code(), Some(1));
    assert!(!fs::read_dir(&here).unwrap().any(|f| f.unwrap().file_name().to_string_lossy().contains("part")));
    assert!(!here.join("i.node").exists() && !here.join("i.glb").exists());
}
