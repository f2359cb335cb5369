//! The program as a person runs it: exit codes, messages, outputs.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("supple-cli-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn supple(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_supple")).args(words).current_dir(folder).output().unwrap()
}

fn code(o: &Output) -> i32 {
    o.status.code().unwrap()
}
fn errors(o: &Output) -> String {
    String::from_utf8_lossy(&o.stderr).into_owned()
}

const SCENE: &str = r#"version = 1
[time]
dt = 0.04
frames = 6
[solve]
iterations = 10
threads = 1
[[body]]
name = "beam"
shape = { kind = "box", size = [1.0, 0.25, 0.25], cells = [4, 1, 1] }
material = { kind = "neo_hookean", young = 1e5, poisson = 0.4, density = 1000.0 }
[[pin]]
body = "beam"
select = { ids = [0, 5, 10, 15] }
"#;

#[test]
fn help_of_every_verb_is_as_it_was() {
    let f = Folder::new("help");
    let mut all = String::new();
    for verb in [
        &["--help"][..],
        &["run", "--help"],
        &["demo", "--help"],
        &["check", "--help"],
        &["compare", "--help"],
        &["sweep-weights", "--help"],
        &["paper", "--help"],
        &["bench", "--help"],
        &["generate", "--help"],
        &["schema", "--help"],
        &["mesh", "--help"],
        &["mesh", "info", "--help"],
        &["mesh", "convert", "--help"],
    ] {
        let o = supple(&f.0, verb);
        assert_eq!(code(&o), 0, "{verb:?}");
        all.push_str(&format!("$ supple {}\n{}\n", verb.join(" "), String::from_utf8_lossy(&o.stdout)));
    }
    let snapshot = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/help.txt");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::create_dir_all(snapshot.parent().unwrap()).unwrap();
        std::fs::write(&snapshot, &all).unwrap();
    }
    let before = std::fs::read_to_string(&snapshot).unwrap();
    assert!(all == before, "the help changed; look at it and run again with UPDATE_SNAPSHOTS=1:\n{all}");
}

#[test]
fn a_run_writes_what_it_says() {
    let f = Folder::new("run");
    f.write("beam.toml", SCENE);
    let o = supple(
        &f.0,
        &["run", "beam.toml", "--export", "npz", "--export", "obj", "--stats", "s.jsonl", "--json", "j.json"],
    );
    assert_eq!(code(&o), 0, "{}", errors(&o));
    assert!(f.path("out/beam/beam.npz").exists() && f.path("out/beam/beam-0006.obj").exists());
    let stats = std::fs::read_to_string(f.path("s.jsonl")).unwrap();
    assert_eq!(stats.lines().count(), 6);
    for (i, line) in stats.lines().enumerate() {
        let v: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(v["frame"], i as u64 + 1);
        assert!((v["time"].as_f64().unwrap() - 0.04 * (i + 1) as f64).abs() < 1e-12);
        for key in ["primal", "dual", "force_residual", "local_ms", "global_ms", "frame_ms"] {
            assert!(v[key].as_f64().unwrap() >= 0.0, "{key}");
        }
        assert!(
            v["energy"]["elastic"].is_f64()
                && v["energy"]["kinetic"].is_f64()
                && v["energy"]["potential"].is_f64()
        );
        assert!(v["status"].is_string() && v["iterations"].as_u64().unwrap() <= 10 && v["inverted"].is_u64());
    }
    let summary: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(f.path("j.json")).unwrap()).unwrap();
    assert_eq!(summary["frames"], 6);
    // No temporary file is left, and a second run refuses to overwrite unless forced.
    let left: Vec<_> =
        std::fs::read_dir(f.path("out/beam")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 8, "{left:?}");
    let again = supple(&f.0, &["run", "beam.toml", "--export", "npz"]);
    assert_eq!(code(&again), 2);
    assert!(errors(&again).contains("already exists") && errors(&again).contains("--force"));
    assert_eq!(code(&supple(&f.0, &["run", "beam.toml", "--export", "npz", "--force", "-q"])), 0);
    let stats_again = supple(&f.0, &["run", "beam.toml", "--stats", "s.jsonl"]);
    assert_eq!(code(&stats_again), 2, "an existing stats file is refused");
}

#[test]
fn a_resumed_run_ends_with_the_same_bytes() {
    let f = Folder::new("resume");
    f.write("beam.toml", SCENE);
    let run = |out: &str, more: &[&str]| {
        let mut words = vec!["run", "beam.toml", "-q", "--out", out, "--checkpoint-every", "3"];
        words.extend(more);
        let o = supple(&f.0, &words);
        assert_eq!(code(&o), 0, "{}", errors(&o));
    };
    run("a", &[]);
    run("b", &["--resume", "a/beam-0003.checkpoint"]);
    let end = |d: &str| std::fs::read(f.path(&format!("{d}/beam-0006.checkpoint"))).unwrap();
    assert!(end("a") == end("b"));
    assert!(!f.path("b/beam-0003.checkpoint").exists());
    // A damaged one is refused.
    let mut bad = end("a");
    bad[100] ^= 1;
    std::fs::write(f.path("bad"), bad).unwrap();
    let o = supple(&f.0, &["run", "beam.toml", "--resume", "bad"]);
    assert_eq!(code(&o), 2);
    assert!(errors(&o).contains("damaged"), "{}", errors(&o));
}

#[test]
fn strict_fails_where_a_frame_does_not_converge() {
    let f = Folder::new("strict");
    f.write("beam.toml", SCENE);
    let o = supple(&f.0, &["run", "beam.toml", "--strict", "--set", "solve.tolerance=1e-12"]);
    assert_eq!(code(&o), 1);
    assert!(
        errors(&o).contains("frame 1 did not converge: iteration_limit after 10 iterations"),
        "{}",
        errors(&o)
    );
    let o = supple(
        &f.0,
        &["run", "beam.toml", "--strict", "--set", "solve.tolerance=1e-3", "--set", "solve.iterations=2000"],
    );
    assert_eq!(code(&o), 0, "{}", errors(&o));
}

#[test]
fn wrong_scenes_name_file_line_key_and_a_hint() {
    let f = Folder::new("wrong");
    let cases = [
        ("young = 1e5", "yung = 1e5", 11, "did you mean `young`?"),
        ("young = 1e5", "young = -1", 11, "young"),
        ("poisson = 0.4", "poisson = 0.5", 11, "poisson"),
        ("density = 1000.0", "density = 0", 11, "density"),
        ("\"neo_hookean\"", "\"neo_hokean\"", 11, "did you mean `neo_hookean`?"),
        ("dt = 0.04", "dt = 0", 3, "time.dt"),
        ("dt = 0.04", "dt = nan", 3, "time.dt"),
        ("dt = 0.04", "dt = 0.04\ndt = 0.05", 4, "duplicate"),
        ("dt = 0.04", "dt = \"fast\"", 3, "invalid type"),
        ("iterations = 10", "iterations = 0", 6, "iterations"),
        ("iterations = 10", "iterations = -3", 6, "invalid"),
        ("version = 1", "version = 2", 1, "version"),
        ("cells = [4, 1, 1]", "cells = [4, 0, 1]", 10, "cell"),
        ("cells = [4, 1, 1]", "cells = [100000, 100000, 100000]", 10, "too large"),
        ("body = \"beam\"", "body = \"bean\"", 13, "did you mean `beam`?"),
        ("[0, 5, 10, 15]", "[0, 500]", 14, "500 does not exist"),
        (
            "select = { ids = [0, 5, 10, 15] }",
            "select = { sphere = { centre = [9, 9, 9], radius = 0.1 } }",
            14,
            "selects nothing",
        ),
        ("shape = {", "mesh = \"../secret.msh\" #{", 10, "secret.msh"),
    ];
    for (i, (from, to, line, says)) in cases.iter().enumerate() {
        let name = format!("s{i}.toml");
        assert!(SCENE.contains(from), "{from}");
        f.write(&name, &SCENE.replacen(from, to, 1));
        for verb in ["run", "check"] {
            let o = supple(&f.0, &[verb, &name]);
            let e = errors(&o);
            assert_eq!(code(&o), 2, "{verb} {to}: {e}");
            assert!(e.contains(&format!("{name}:{line}:")) && e.contains(says), "{to}:\n{e}");
            assert!(!e.contains("panicked"));
        }
    }
}

#[test]
fn files_that_are_none_are_refused() {
    let f = Folder::new("files");
    std::fs::create_dir(f.path("folder.toml")).unwrap();
    std::fs::write(f.path("utf16.toml"), [0xff, 0xfe, b'v', 0, b'e', 0]).unwrap();
    std::fs::write(f.path("nul.toml"), b"version = 1\0\n").unwrap();
    f.write("empty.toml", "");
    f.write("deep.toml", &format!("version = 1\nx = {}{}", "[".repeat(5000), "]".repeat(5000)));
    for name in
        ["missing.toml", "folder.toml", "utf16.toml", "nul.toml", "empty.toml", "deep.toml", "/dev/zero"]
    {
        let o = supple(&f.0, &["check", name]);
        assert_eq!(code(&o), 2, "{name}");
        let e = errors(&o);
        assert!(e.starts_with("error: ") && e.contains(name) && !e.contains("panicked"), "{name}: {e}");
    }
    assert_eq!(code(&supple(&f.0, &["run"])), 2);
    assert_eq!(code(&supple(&f.0, &["run", "x.toml", "--export", "objj"])), 2);
    assert_eq!(code(&supple(&f.0, &["nonsense"])), 2);
}

#[test]
fn set_changes_values_by_path() {
    let f = Folder::new("set");
    f.write("beam.toml", SCENE);
    let o = supple(
        &f.0,
        &["check", "beam.toml", "--set", "body.beam.shape.cells=[8,1,1]", "--set", "time.frames=9"],
    );
    let text = String::from_utf8_lossy(&o.stdout).into_owned();
    assert_eq!(code(&o), 0, "{}", errors(&o));
    assert!(text.contains("9 frames") && text.contains("48 tetrahedra"), "{text}");
    for bad in
        ["time.frames", "tim.frames=3", "body.none.name=x", "body.0.material.yung=3", "solve.iterations=many"]
    {
        assert_eq!(code(&supple(&f.0, &["check", "beam.toml", "--set", bad])), 2, "{bad}");
    }
}

#[test]
fn schema_completions_and_manual_are_printed() {
    let f = Folder::new("generate");
    let o = supple(&f.0, &["schema"]);
    let schema: serde_json::Value = serde_json::from_slice(&o.stdout).unwrap();
    assert!(schema["properties"]["body"].is_object() && schema["properties"]["time"].is_object());
    for what in ["bash", "zsh", "fish", "powershell", "man"] {
        let o = supple(&f.0, &["generate", what]);
        assert!(code(&o) == 0 && o.stdout.len() > 500, "{what}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_at_a_whole_frame_with_valid_outputs() {
    let f = Folder::new("interrupt");
    f.write("beam.toml", &SCENE.replace("frames = 6", "frames = 1000000"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_supple"))
        .args(["run", "beam.toml", "-q", "--export", "npz", "--stats", "s.jsonl"])
        .current_dir(&f.0)
        .spawn()
        .unwrap();
    // Wait until it has simulated something.
    let begun = std::time::Instant::now();
    while std::fs::metadata(f.path("s.jsonl")).map_or(0, |m| m.len()) < 2000 {
        assert!(begun.elapsed().as_secs() < 60);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let sent = std::time::Instant::now();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let status = child.wait().unwrap();
    let took = sent.elapsed().as_secs_f64();
    assert!(took < 5.0, "{took} s");
    assert_eq!(status.code(), Some(0));
    let stats = std::fs::read_to_string(f.path("s.jsonl")).unwrap();
    for line in stats.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
    assert!(f.path("out/beam/beam.npz").exists());
}

#[test]
fn check_finds_every_problem() {
    let f = Folder::new("every");
    let text = SCENE
        .replace("dt = 0.04", "dt = -1")
        .replace("young = 1e5", "young = -1e5")
        .replace("body = \"beam\"\nselect", "body = \"bean\"\nselect");
    f.write("three.toml", &text);
    let o = supple(&f.0, &["check", "three.toml"]);
    let e = errors(&o);
    assert_eq!(code(&o), 2);
    assert!(e.matches("error: three.toml:").count() == 3, "{e}");
    for key in ["time.dt", "body[0].material.young", "pin[0].body"] {
        assert!(e.contains(&format!("key: {key}")), "{e}");
    }
}
