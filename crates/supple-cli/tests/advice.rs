//! What `check` and `run` say of scenes that are good by the letter, and whether the remedy that a run names helps.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

#[path = "common/folder.rs"]
mod folder;

use std::process::Output;

use folder::{Folder, supple};

use serde_json::Value;

fn text(o: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&o.stdout), String::from_utf8_lossy(&o.stderr))
}

/// A cube of 1 m over a floor; `KEY` stands for what a test changes.
fn cube(change: &[(&str, &str)]) -> String {
    let mut scene = r#"version = 1
[time]
dt = 0.02
frames = 8
[solve]
threads = 1
[[body]]
name = "cube"
shape = { kind = "box", size = [1.0, 1.0, 1.0], cells = [4, 4, 4] }
material = { kind = "neo_hookean", young = 1e5, poisson = 0.3, density = 1000.0 }
translate = [0.0, 0.5, 0.0]
[[obstacle]]
name = "floor"
shape = { kind = "half_space", point = [0, 0, 0], normal = [0, 1, 0] }
"#
    .to_owned();
    for (from, to) in change {
        assert!(scene.contains(from), "{from}");
        scene = scene.replace(from, to);
    }
    scene
}

/// Lines of `check` that warn.
fn warnings(folder: &Folder, scene: &str) -> Vec<String> {
    let path = folder.0.join("scene.toml");
    std::fs::write(&path, scene).unwrap();
    let o = supple(&folder.0, &["check", "scene.toml"]);
    assert_eq!(o.status.code(), Some(0), "{}", text(&o));
    text(&o).lines().filter(|l| l.starts_with("warning: ")).map(str::to_owned).collect()
}

/// One warning that says all of these.
fn warns(folder: &Folder, scene: &str, words: &[&str]) {
    let all = warnings(folder, scene);
    assert!(all.iter().any(|w| words.iter().all(|word| w.contains(word))), "{words:?} in {all:?}");
}

#[test]
fn a_sound_scene_has_no_warning() {
    let f = Folder::new("advice-sound");
    assert_eq!(warnings(&f, &cube(&[])), Vec::<String>::new());
}

#[test]
fn numbers_in_other_units_are_named() {
    let f = Folder::new("advice-units");
    warns(&f, &cube(&[("dt = 0.02", "dt = 5.0")]), &["each step is 5 s", "0.005"]);
    warns(&f, &cube(&[("young = 1e5", "young = 0.02")]), &["0.02 Pa", "rubber 1e6", "20000"]);
    warns(&f, &cube(&[("young = 1e5", "young = 100.0")]), &["its own weight presses with 9800 Pa"]);
    warns(
        &f,
        &cube(&[("size = [1.0, 1.0, 1.0]", "size = [300.0, 300.0, 300.0]")]),
        &["300 m large", "0.001"],
    );
    warns(&f, &cube(&[("density = 1000.0", "density = 0.9")]), &["0.9 kg/m³", "g/cm³", "900"]);
    warns(&f, &cube(&[("density = 1000.0", "density = 1e6")]), &["kg/m³", "heavy"]);
}

#[test]
fn bodies_that_start_inside_of_something_are_named() {
    let f = Folder::new("advice-place");
    let sunk = cube(&[("translate = [0.0, 0.5, 0.0]", "translate = [0.0, -0.3, 0.0]")]);
    warns(&f, &sunk, &["`cube` starts inside an obstacle", "`floor`", "translate"]);
    // An obstacle that lies whole within an element.
    let small = cube(&[
        ("cells = [4, 4, 4]", "cells = [2, 2, 2]"),
        (
            "kind = \"half_space\", point = [0, 0, 0], normal = [0, 1, 0]",
            "kind = \"sphere\", centre = [0.3, 0.6, 0.2], radius = 0.01",
        ),
    ]);
    warns(&f, &small, &["`cube` starts inside an obstacle", "lies inside body"]);
    let second = r#"
[[body]]
name = "other"
shape = { kind = "sphere", radius = 0.3, cells = 4 }
material = { kind = "neo_hookean", young = 1e5, poisson = 0.3, density = 1000.0 }
translate = [0.5, 1.4, 0.5]
"#;
    let plain = cube(&[("[[obstacle]]", &format!("{second}[[obstacle]]"))]);
    warns(&f, &plain, &["inside body `cube`", "[collide]"]);
    warns(&f, &(plain.clone() + "[collide]\n"), &["starts inside another body"]);
    // Beside each other: nothing.
    let apart = plain.replace("translate = [0.5, 1.4, 0.5]", "translate = [0.5, 1.9, 0.5]");
    assert_eq!(warnings(&f, &apart), Vec::<String>::new());
}

#[test]
fn shapes_that_were_not_meant_are_named() {
    let f = Folder::new("advice-shape");
    // A closed surface: an octahedron.
    let surface = "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\n\
                   f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";
    std::fs::write(f.0.join("spot.obj"), surface).unwrap();
    let with = |kind: &str| {
        cube(&[
            ("shape = { kind = \"box\", size = [1.0, 1.0, 1.0], cells = [4, 4, 4] }", "mesh = \"spot.obj\""),
            ("neo_hookean", kind),
            ("translate = [0.0, 0.5, 0.0]", "translate = [0.0, 1.5, 0.0]"),
        ])
    };
    warns(&f, &with("neo_hookean"), &["spot.obj is a closed surface", "hollow shell", "fill ="]);
    let meant = with("neo_hookean").replace("translate", "cloth = { thickness = 0.002 }\ntranslate");
    assert_eq!(warnings(&f, &meant), Vec::<String>::new());
    let path = f.0.join("scene.toml");
    std::fs::write(&path, with("stable_neo_hookean")).unwrap();
    let o = supple(&f.0, &["check", "scene.toml"]);
    assert_eq!(o.status.code(), Some(2));
    let said = text(&o);
    assert!(
        said.contains("spot.obj is a surface") && said.contains("fill it") && said.contains("sheet"),
        "{said}"
    );
    // One element thick.
    let thin = cube(&[("cells = [4, 4, 4]", "cells = [1, 1, 1]")]);
    warns(&f, &thin, &["one element thick"]);
    // Slivers: a cell a thousand times flatter than wide.
    let flat =
        cube(&[("size = [1.0, 1.0, 1.0], cells = [4, 4, 4]", "size = [1.0, 0.004, 1.0], cells = [4, 4, 4]")]);
    warns(&f, &flat, &["slivers"]);
    let cloth = r#"version = 1
[[body]]
name = "cloth"
shape = { kind = "cloth", size = [1.0, 1.0], cells = [10, 10] }
material = { kind = "corotated", young = 1e5, poisson = 0.3, density = 300.0 }
cloth = { thickness = 1e-5 }
[collide]
self = true
"#;
    warns(&f, cloth, &["too thin to be seen"]);
    assert_eq!(warnings(&f, &cloth.replace("1e-5", "1e-3")), Vec::<String>::new());
}

#[test]
fn words_are_those_of_people() {
    let f = Folder::new("advice-words");
    let refuse = |scene: String, words: &[&str]| {
        std::fs::write(f.0.join("scene.toml"), scene).unwrap();
        let o = supple(&f.0, &["check", "scene.toml"]);
        assert_eq!(o.status.code(), Some(2), "{}", text(&o));
        let said = text(&o);
        assert!(words.iter().all(|w| said.contains(w)) && !said.contains("f64"), "{said}");
    };
    refuse(cube(&[("young = 1e5", "young = \"soft\"")]), &["expected a number", "young"]);
    refuse(cube(&[("frames = 8", "frames = -8")]), &["expected a whole number"]);
    refuse(cube(&[("poisson = 0.3", "poisson = 0.5")]), &["both excluded"]);
    refuse(
        cube(&[]) + "[output]\nexport = [\"npz\", \"pgn\"]\n",
        &["pgn", "did you mean png?", "output.export"],
    );
    let o = supple(&f.0, &["rn", "scene.toml"]);
    assert!(o.status.code() == Some(2) && text(&o).contains("'run'"), "{}", text(&o));
    std::fs::write(f.0.join("scene.toml"), cube(&[(", density = 1000.0", "")])).unwrap();
    let o = supple(&f.0, &["check", "scene.toml"]);
    assert!(text(&o).contains("note: cube: no density is given, so 1000 kg/m³ is taken"), "{}", text(&o));
}

/// Frames that converged, of how many, and the setting that the run says would help.
fn outcome(folder: &Folder, name: &str, set: &[&str]) -> (u64, u64, Option<String>) {
    let mut words = vec!["run", name, "--json"];
    for s in set {
        words.extend(["--set", *s]);
    }
    let o = supple(&folder.0, &words);
    assert_eq!(o.status.code(), Some(0), "{}", text(&o));
    let v: Value = serde_json::from_slice(&o.stdout).unwrap();
    let advice = v["advice"]["set"].as_str().map(str::to_owned);
    (v["converged"].as_u64().unwrap(), v["frames"].as_u64().unwrap(), advice)
}

/// The remedy is tried: with it more frames converge, most of them.
#[test]
fn the_remedy_helps() {
    let f = Folder::new("advice-remedy");
    let hanging = r#"version = 1
[time]
dt = 0.04
frames = 20
[solve]
threads = 1
iterations = 3
[[body]]
name = "beam"
shape = { kind = "box", size = [2.0, 0.3, 0.3], cells = [12, 2, 2] }
material = { kind = "neo_hookean", young = 2e5, poisson = 0.4, density = 1000.0 }
[[pin]]
body = "beam"
select = { plane = { point = [0.001, 0, 0], normal = [-1, 0, 0] } }
"#;
    let cases = [
        ("few iterations", hanging.to_owned(), "solve.iterations="),
        (
            "no tolerance",
            hanging.replace("iterations = 3", "iterations = 40\ntolerance = 0.0"),
            "solve.tolerance=",
        ),
        (
            "position",
            hanging.replace("iterations = 3", "iterations = 60\nmethod = \"position\""),
            "solve.method=auto",
        ),
        (
            "weights",
            hanging.replace(
                "iterations = 3",
                "iterations = 200\nmethod = \"admm\"\nweight_rule = \"bulk\"\nacceleration = \"none\"",
            ),
            "solve.",
        ),
    ];
    for (name, scene, knob) in cases {
        std::fs::write(f.0.join("scene.toml"), scene).unwrap();
        let (before, frames, advice) = outcome(&f, "scene.toml", &[]);
        assert!(before < frames, "{name}: {before} of {frames} converge as it is");
        let advice = advice.unwrap_or_else(|| panic!("{name}: no remedy"));
        assert!(advice.starts_with(knob), "{name}: {advice}");
        // What helps may need a second look at the reports.
        let (mut set, mut after, mut next) = (vec![advice], 0, None);
        for _ in 0..2 {
            let words: Vec<&str> = set.iter().map(String::as_str).collect();
            (after, _, next) = outcome(&f, "scene.toml", &words);
            match next.clone() {
                Some(more) => set.push(more),
                None => break,
            }
        }
        assert!(
            next.is_none() && after == frames,
            "{name}: {set:?} gives {after} of {frames}, {before} before"
        );
    }
}

#[test]
fn a_run_says_it_again_and_takes_built_in_names() {
    let f = Folder::new("advice-run");
    std::fs::write(f.0.join("scene.toml"), cube(&[("density = 1000.0", "density = 0.9")])).unwrap();
    let o = supple(&f.0, &["run", "scene.toml"]);
    assert_eq!(o.status.code(), Some(0));
    let summary = String::from_utf8_lossy(&o.stdout).into_owned();
    assert!(summary.lines().any(|l| l.starts_with("warning") && l.contains("0.9 kg/m³")), "{summary}");
    // No frame converges: a sentence says what that means, and one what to do.
    let o = supple(&f.0, &["run", "beams", "--frames", "3", "--set", "solve.iterations=1"]);
    let summary = String::from_utf8_lossy(&o.stdout).into_owned();
    assert_eq!(o.status.code(), Some(0), "{}", text(&o));
    assert!(
        summary.contains("0 of 3") && summary.contains("out of balance") && summary.contains("try --set"),
        "{summary}"
    );
    let o = supple(&f.0, &["run", "beems"]);
    assert!(o.status.code() == Some(2) && text(&o).contains("did you mean beams?"), "{}", text(&o));
    // What was asked for, and nothing else.
    let o = supple(&f.0, &["demo", "swing", "--frames", "2", "--export", "png", "--quiet"]);
    assert_eq!(o.status.code(), Some(0), "{}", text(&o));
    let mut files: Vec<String> = std::fs::read_dir(f.0.join("out/swing"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["swing-0000.png", "swing-0001.png", "swing-0002.png"]);
}

/// The scenes that come with the program are sound.
#[test]
fn built_in_scenes_have_no_warnings() {
    let f = Folder::new("advice-built-in");
    for scene in supple_cli::scenes::ALL {
        let o = supple(&f.0, &["check", scene.name]);
        let said = text(&o);
        // A weight of a thousand times the others' is what `stack` is about.
        let meant = |line: &&str| scene.name == "stack" && line.contains("`heavy`: a density of 1e6 kg/m³");
        let found: Vec<&str> = said.lines().filter(|l| l.starts_with("warning: ") && !meant(l)).collect();
        assert!(o.status.code() == Some(0) && found.is_empty(), "{}: {said}", scene.name);
    }
}
