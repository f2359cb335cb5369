//! The program as a person runs it: exit codes, messages, outputs.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

#[path = "common/folder.rs"]
mod folder;

use std::path::Path;
use std::process::{Command, Output};

use folder::{Folder, supple};

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

const HEAD_OF_CLI: &str = "# The command line\n\nThe help of every verb, as `supple VERB --help` prints it; a test compares. Exit codes: 0 done, 1 the simulation failed (or, with \
    `--strict`, did not converge), 2 wrong usage or input, 130 ended by a second Ctrl-C.\n";

#[test]
fn help_of_every_verb_is_that_of_its_page() {
    let f = Folder::new("help");
    let mut all = String::from(HEAD_OF_CLI);
    for verb in [
        &["--help"][..],
        &["run", "--help"],
        &["view", "--help"],
        &["site", "--help"],
        &["demo", "--help"],
        &["drop", "--help"],
        &["check", "--help"],
        &["compare", "--help"],
        &["sweep-weights", "--help"],
        &["study", "--help"],
        &["paper", "--help"],
        &["bench", "--help"],
        &["generate", "--help"],
        &["schema", "--help"],
        &["mesh", "--help"],
        &["mesh", "info", "--help"],
        &["mesh", "fill", "--help"],
        &["mesh", "convert", "--help"],
        &["material", "--help"],
        &["material", "list", "--help"],
        &["material", "show", "--help"],
        &["material", "fit", "--help"],
    ] {
        let o = supple(&f.0, verb);
        assert_eq!(code(&o), 0, "{verb:?}");
        let name = ["supple"].iter().chain(&verb[..verb.len() - 1]).copied().collect::<Vec<_>>().join(" ");
        all.push_str(&format!("\n## {name}\n\n```text\n{}```\n", String::from_utf8_lossy(&o.stdout)));
    }
    is_page("cli.md", &all);
}

#[test]
fn the_page_of_scene_keys_is_that_of_the_schema() {
    let f = Folder::new("keys");
    let o = supple(&f.0, &["schema", "--markdown"]);
    assert_eq!(code(&o), 0, "{}", errors(&o));
    let text = String::from_utf8(o.stdout).unwrap();
    assert!(text.contains("| `dt` | number |") && text.contains("**`kind = \"torus\"`**"), "{text}");
    is_page("scene-keys.md", &text);
}

/// Keys of `--stats` and of the summary of `--json`, as docs/scene-format.md lists them: none missing, none too many.
#[test]
fn the_page_of_scenes_names_all_keys_of_the_reports() {
    let f = Folder::new("keys-of-reports");
    f.write("beam.toml", SCENE);
    let o = supple(&f.0, &["run", "beam.toml", "--frames", "1", "--stats", "s.jsonl", "--json", "j.json"]);
    assert_eq!(code(&o), 0, "{}", errors(&o));
    let page = std::fs::read_to_string(docs().join("scene-format.md")).unwrap();
    for (file, heading) in [("s.jsonl", "### Keys of `--stats`"), ("j.json", "### Keys of `--json`")] {
        let text = std::fs::read_to_string(f.path(file)).unwrap();
        let value: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        let mut written: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
        let (_, section) = page.split_once(heading).unwrap();
        let section = section.split("\n#").next().unwrap();
        let cells = section.lines().filter_map(|l| l.strip_prefix("| ")?.split(" | ").next());
        let mut listed: Vec<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
        written.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, written, "{heading}");
    }
}

fn docs() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Compares with a page of docs/ that the program itself writes.
fn is_page(name: &str, text: &str) {
    let page = docs().join(name);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&page, text).unwrap();
    }
    let before = std::fs::read_to_string(&page).unwrap();
    assert!(text == before, "{name} changed; look at it and run again with UPDATE_SNAPSHOTS=1:\n{text}");
}

#[test]
fn a_site_is_three_files_that_belong_together() {
    let f = Folder::new("site");
    f.write("text.wasm", "no module");
    for (wasm, why) in [("missing.wasm", "missing.wasm"), ("text.wasm", "not a WebAssembly module")] {
        let o = supple(&f.0, &["site", "--out", "a", "--wasm", wasm]);
        assert_eq!(code(&o), 2, "{}", errors(&o));
        assert!(errors(&o).contains(why), "{}", errors(&o));
        assert!(!f.path("a").exists());
    }
    // The smallest module that there is.
    std::fs::write(f.path("small.wasm"), b"\0asm\x01\0\0\0").unwrap();
    let o = supple(&f.0, &["site", "--out", "b/c", "--wasm", "small.wasm"]);
    assert_eq!(code(&o), 0, "{}", errors(&o));
    let read = |name: &str| std::fs::read_to_string(f.path("b/c").join(name)).unwrap();
    assert_eq!(
        std::fs::read(f.path("b/c/supple.wasm")).unwrap(),
        std::fs::read(f.path("small.wasm")).unwrap()
    );
    let page = read("index.html");
    assert!(page.contains("<html lang=\"en\" data-solver=\"worker\">"));
    let (_, policy) = page.split_once("http-equiv=\"Content-Security-Policy\" content=\"").unwrap();
    let policy = policy.split('"').next().unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{policy}");
    let first = read("offline.js");
    assert!(!first.contains("VERSION\""), "{first}");
    // Nothing is replaced unless asked for; another module is another version.
    std::fs::write(f.path("small.wasm"), b"\0asm\x01\0\0\0\0\x01\0").unwrap();
    let again = ["site", "--out", "b/c", "--wasm", "small.wasm", "--force"];
    assert_eq!(code(&supple(&f.0, &again[..5])), 2);
    assert_eq!(read("offline.js"), first);
    assert_eq!(code(&supple(&f.0, &again)), 0);
    assert_ne!(read("offline.js"), first);
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
        (
            "cells = [4, 1, 1]",
            "cells = [2000, 2000, 2000]",
            10,
            "8.0e9 nodes and 4.0e10 elements, which need at least 1.6 PB of memory",
        ),
        ("body = \"beam\"", "body = \"bean\"", 13, "did you mean `beam`?"),
        ("[0, 5, 10, 15]", "[0, 500]", 14, "500 does not exist"),
        (
            "select = { ids = [0, 5, 10, 15] }",
            "select = { sphere = { centre = [9, 9, 9], radius = 0.1 } }",
            14,
            "selects nothing",
        ),
        ("shape = {", "mesh = \"none.msh\" #{", 10, "cannot find `none.msh`"),
    ];
    for (i, (from, to, line, says)) in cases.iter().enumerate() {
        let name = format!("s{i}.toml");
        assert!(SCENE.contains(from), "{from}");
        f.write(&name, SCENE.replacen(from, to, 1));
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
    f.write("deep.toml", format!("version = 1\nx = {}{}", "[".repeat(5000), "]".repeat(5000)));
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
    assert!(text.contains("9 frames") && text.contains("40 tetrahedra"), "{text}");
}

#[test]
fn wrong_overrides_name_the_key_and_a_hint() {
    let f = Folder::new("wrong-set");
    f.write("beam.toml", SCENE);
    for (bad, key, says) in [
        ("time.frames", "", "write it as key.path=value"),
        ("tim.frames=3", "tim", "did you mean `time`?"),
        ("solve.iteration=3", "solve.iteration", "did you mean `iterations`?"),
        ("body.none.name=x", "body.none.name", "there is no `none`"),
        ("body.bean.name=x", "body.bean.name", "did you mean `beam`?"),
        ("body.0.material.yung=3", "body[0].material.yung", "did you mean `young`?"),
        ("body.beam.material.young=soft", "body[0].material.young", "invalid type: string \"soft\""),
        ("body.beam.shape.cells=[4,1,\"x\"]", "body[0].shape.cells", "invalid type: string \"x\""),
        ("solve.iterations=many", "solve.iterations", "invalid type: string \"many\""),
        ("solve.iterations=0", "solve.iterations", "--set solve.iterations=0: "),
        ("body.beam.material.young=-1", "body[0].material.young", "must be positive"),
        ("time.dt.x=1", "time.dt.x", "`x` is inside of a plain value"),
        ("time..dt=1", "time..dt", "is not a key"),
    ] {
        for verb in ["check", "run"] {
            let o = supple(&f.0, &[verb, "beam.toml", "--set", "time.frames=2", "--set", bad]);
            let e = errors(&o);
            assert_eq!(code(&o), 2, "{verb} {bad}: {e}");
            assert!(e.contains(&format!("--set {bad}: ")) && e.contains(says), "{bad}: {e}");
            assert!(key.is_empty() || e.contains(&format!("\nkey: {key}\n")), "{bad}: {e}");
            // It is not the file that is wrong.
            assert!(!e.contains("beam.toml:") || e.contains("beam.toml: --set"), "{bad}: {e}");
        }
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

#[test]
fn everything_that_means_nothing_is_told_at_once() {
    let f = Folder::new("nothing");
    let text = SCENE
        .replace("dt = 0.04", "dt = \"fast\"\nfps_ = 3")
        .replace("iterations = 10", "iteratons = 10\nthreads_ = 2")
        .replace("cells = [4, 1, 1]", "cells = [4, \"one\", 1], colour = 3")
        .replace("young = 1e5", "yung = 1e5")
        .replace("density = 1000.0", "density = [1]")
        .replace("select = { ids = [0, 5, 10, 15] }", "select = { idz = [0, 5] }\nmotion = 7")
        + "[outptu]\nexport = []\n[[anchor]]\nbody = \"beam\"\nselect = { all = true }\n";
    f.write("many.toml", &text);
    let expected = [
        (3, "time.dt", "invalid type: string \"fast\", expected a number", ""),
        (4, "time.fps_", "unknown field `fps_`", "did you mean `fps`?"),
        (7, "solve.iteratons", "unknown field `iteratons`", "did you mean `iterations`?"),
        (8, "solve.threads_", "unknown field `threads_`", "did you mean `threads`?"),
        (12, "body[0].shape.cells", "invalid type: string \"one\", expected a whole number, 0 or more", ""),
        (12, "body[0].shape.colour", "unknown field `colour`", ""),
        (13, "body[0].material.yung", "unknown field `yung`", "did you mean `young`?"),
        (13, "body[0].material.density", "invalid type: list, expected a number", ""),
        (16, "pin[0].select.idz", "unknown field `idz`", "did you mean `ids`?"),
        (17, "pin[0].motion", "invalid type: integer `7`, expected a list", ""),
        (18, "outptu", "unknown field `outptu`", "did you mean `output`?"),
        (20, "anchor[0]", "missing field `stiffness`", ""),
    ];
    for verb in ["check", "run"] {
        let o = supple(&f.0, &[verb, "many.toml"]);
        assert_eq!(code(&o), 2);
        let e = errors(&o);
        let told: Vec<&str> = e.split("error: ").skip(1).collect();
        for (line, key, says, hint) in expected {
            let right = |t: &&&str| {
                t.starts_with(&format!("many.toml:{line}:"))
                    && t.contains(says)
                    && t.contains(&format!("\nkey: {key}\n"))
            };
            let found = told.iter().find(right).unwrap_or_else(|| panic!("{line} {key}: {e}"));
            assert_eq!(found.contains("hint: "), !hint.is_empty(), "{found}");
            assert!(found.contains(hint), "{found}");
        }
        assert_eq!(told.len(), expected.len(), "{e}");
    }
    // Bounded, whatever comes.
    f.write("flood.toml", (0..500).map(|i| format!("key{i} = 1\n")).collect::<String>());
    let e = errors(&supple(&f.0, &["check", "flood.toml"]));
    assert_eq!(e.matches("error: ").count(), 50);
    // Text that is not TOML is reported line by line.
    f.write("broken.toml", SCENE.replace("dt = 0.04", "dt = = 1").replace("iterations = 10", "threads = 2"));
    let e = errors(&supple(&f.0, &["check", "broken.toml"]));
    assert!(
        e.contains("broken.toml:3:") && e.contains("broken.toml:7:") && e.contains("duplicate key"),
        "{e}"
    );
}

#[test]
fn a_node_follows_one_motion() {
    let f = Folder::new("twice");
    let twice = |first: &str, second: &str| {
        let pin =
            |ids: &str, more: &str| format!("[[pin]]\nbody = \"beam\"\nselect = {{ ids = {ids} }}\n{more}");
        let held = SCENE.split("[[pin]]").next().unwrap();
        f.write("twice.toml", format!("{held}{}{}", pin("[0, 5, 10]", first), pin("[10, 15]", second)));
        supple(&f.0, &["check", "twice.toml"])
    };
    let (up, turn) = (
        "motion = [{ time = 1, translate = [0, 1, 0] }]\n",
        "motion = [{ time = 1, rotate = { axis = \"x\", angle = 90 } }]\n",
    );
    let about = "motion = [{ time = 1, rotate = { axis = \"x\", angle = 90 }, centre = [0, 0, 0] }]\n";
    for (first, second) in [("", ""), (up, up), (about, about)] {
        let o = twice(first, second);
        assert_eq!(code(&o), 0, "{}", errors(&o));
    }
    // Each of the two turns about the middle of its own nodes.
    for (first, second) in [("", up), (up, ""), (up, turn), (turn, turn)] {
        let o = twice(first, second);
        let e = errors(&o);
        assert_eq!(code(&o), 2, "{e}");
        assert!(
            e.contains("node 10 of body `beam` is held by pin[0] too") && e.contains("key: pin[1].select"),
            "{e}"
        );
        assert_eq!(code(&supple(&f.0, &["run", "twice.toml"])), 2);
    }
}

/// A sheet is open by nature: `check` says what a surface can be used for, and leaves with 0; what is wrong with any use is an error still.
#[test]
fn check_says_what_a_surface_is_good_for() {
    let f = Folder::new("uses");
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    f.write("cloth.obj", format!("{corners}f 1 2 3\nf 1 3 4\n"));
    f.write("closed.obj", format!("{corners}f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"));
    f.write("flipped.obj", format!("{corners}f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 3 4\n"));
    let said = |name: &str| {
        let o = supple(&f.0, &["check", name]);
        (code(&o), String::from_utf8_lossy(&o.stdout).into_owned(), errors(&o))
    };
    let (left, out, err) = said("cloth.obj");
    assert_eq!(left, 0, "{err}");
    assert!(out.contains("sheet: yes\nobstacle, solid: no, because 4 edges are open"), "{out}");
    let (left, out, err) = said("closed.obj");
    assert_eq!(left, 0, "{err}");
    assert!(out.contains("obstacle, solid: yes"), "{out}");
    let (left, _, err) = said("flipped.obj");
    assert!(left == 2 && err.contains("opposite winding"), "{left}: {err}");
}

/// Studies are the Python package's: without it that is said; with it the words go on as they are and its exit code comes back.
#[cfg(unix)]
#[test]
fn study_hands_over_to_python() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("study");
    let with = |python: &Path| {
        Command::new(env!("CARGO_BIN_EXE_supple"))
            .args(["study", "study.toml", "--shard", "1/2"])
            .env("SUPPLE_PYTHON", python)
            .current_dir(&folder.0)
            .output()
            .unwrap()
    };
    let none = with(&folder.path("nothing"));
    assert_eq!(code(&none), 2);
    assert!(errors(&none).contains("pip install supple"), "{}", errors(&none));
    let python = folder.write("python", "#!/bin/sh\n[ \"$1\" = -c ] && exit 0\necho \"$@\"\nexit 1\n");
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
    let done = with(&python);
    assert_eq!(code(&done), 1);
    assert_eq!(String::from_utf8_lossy(&done.stdout), "-m supple study study.toml --shard 1/2\n");
    assert_eq!(code(&supple(&folder.0, &["study"])), 2);
}
