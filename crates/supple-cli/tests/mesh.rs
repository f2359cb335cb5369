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

/// A closed box 1 × 2 × 3 m, with one face missing if asked.
fn block(open: bool) -> String {
    let mut text = String::new();
    for i in 0..8 {
        let at = |c: usize, size: f64| if i >> c & 1 == 0 { 0.0 } else { size };
        text += &format!("v {} {} {}\n", at(0, 1.0), at(1, 2.0), at(2, 3.0));
    }
    for quad in [[1, 5, 7, 3], [2, 4, 8, 6], [1, 2, 6, 5], [3, 7, 8, 4], [1, 3, 4, 2], [5, 6, 8, 7]]
        .iter()
        .take(if open { 5 } else { 6 })
    {
        text += &format!("f {} {} {} {}\n", quad[0], quad[1], quad[2], quad[3]);
    }
    text
}

#[test]
fn fill_makes_a_body_of_a_surface() {
    let here = folder("fill");
    fs::write(here.join("block.obj"), block(false)).unwrap();
    for kind in ["conform", "grow", "cage"] {
        let (msh, npz) = (format!("{kind}.msh"), format!("{kind}.npz"));
        let words = ["fill", "block.obj", "--tets", "2000", "--kind", kind, "-o", &msh, "--skin", &npz];
        let output = supple(&words, &here);
        assert!(output.status.success(), "{}", err(&output));
        let text = out(&output);
        assert!(text.contains(kind) && text.contains("tetrahedra") && text.contains(&msh), "{text}");
        let file = fs::read_to_string(here.join(&msh)).unwrap();
        assert_eq!(file.contains("\"fill\""), kind != "conform");
        assert!(fs::read(here.join(&npz)).unwrap().starts_with(b"PK"));
        let told = out(&supple(&["info", &msh], &here));
        let count: usize =
            told.lines().find_map(|l| l.strip_prefix("tetrahedra")).unwrap().trim().parse().unwrap();
        assert!((1800..=2200).contains(&count), "{told}");
        assert!(told.contains("closed"), "{told}");
    }
    // Nothing is overwritten by accident.
    let again = supple(&["fill", "block.obj", "-o", "cage.msh"], &here);
    assert_eq!(again.status.code(), Some(2), "{}", err(&again));
    let info = out(&supple(&["info", "block.obj"], &here));
    for words in ["as a body to fill", "surface    closed", "thickness", "20000 tetrahedra: size"] {
        assert!(info.contains(words), "{words}: {info}");
    }
}

#[test]
fn fill_says_why_not() {
    let here = folder("fill-bad");
    fs::write(here.join("flat.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    fs::write(here.join("open.obj"), block(true)).unwrap();
    let flat = supple(&["fill", "flat.obj", "-o", "x.msh"], &here);
    assert_eq!(flat.status.code(), Some(2));
    assert!(
        err(&flat).contains("flat.obj: the surface is flat") && err(&flat).contains("cloth"),
        "{}",
        err(&flat)
    );
    let format = supple(&["fill", "open.obj", "-o", "x.stl"], &here);
    assert!(err(&format).contains("no tetrahedra; use .msh"), "{}", err(&format));
    let memory = supple(&["fill", "open.obj", "--size", "1e-6", "-o", "x.msh"], &here);
    assert!(
        err(&memory).contains("GiB") && err(&memory).contains("take a size of at least"),
        "{}",
        err(&memory)
    );
    let open = supple(&["fill", "open.obj", "--size", "0.3", "-o", "open.msh"], &here);
    assert!(open.status.success(), "{}", err(&open));
    assert!(out(&open).contains("open along 4 edges"), "{}", out(&open));
    assert!(!here.join("x.msh").exists());
}

/// The one line for the impatient: pictures and a .glb of the surface itself.
#[test]
fn drop_writes_pictures_and_a_glb() {
    let here = folder("drop");
    fs::write(here.join("block.obj"), block(false)).unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_supple"))
        .args(["drop", "block.obj", "--out", "made", "--frames", "3", "--tets", "300"])
        .current_dir(&here)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", err(&run));
    let names: Vec<String> = fs::read_dir(here.join("made"))
        .unwrap()
        .map(|f| f.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(names.contains(&"block.glb".to_owned()), "{names:?}");
    assert!(names.iter().any(|n| n.ends_with(".png")), "{names:?}");
}

/// What filling did is printed where no progress bar is drawn too, unless --quiet; what cannot be filled is refused by the surface's name alone.
#[test]
fn drop_says_what_filling_did_and_why_not() {
    let here = folder("drop-notes");
    fs::write(here.join("open.obj"), block(true)).unwrap();
    fs::write(here.join("flat.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let drop = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_supple"));
        command.arg("drop").args(args).args(["--frames", "1", "--tets", "300", "--force"]);
        command.current_dir(&here).output().unwrap()
    };
    let told = drop(&["open.obj"]);
    assert!(
        told.status.success() && err(&told).contains("note: open: the surface is open along 4 edges"),
        "{}",
        err(&told)
    );
    assert!(!err(&drop(&["open.obj", "--quiet"])).contains("note:"));
    let flat = drop(&["flat.obj"]);
    assert_eq!(flat.status.code(), Some(2));
    assert!(err(&flat).contains("flat.obj: the surface is flat"), "{}", err(&flat));
}
