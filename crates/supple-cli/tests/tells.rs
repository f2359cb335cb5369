//! What `run` and `check` say of sheets and of hard constraints.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::path::PathBuf;
use std::process::Command;

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("supple-tells-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn supple(folder: &PathBuf, words: &[&str]) -> String {
    let o = Command::new(env!("CARGO_BIN_EXE_supple")).args(words).current_dir(folder).output().unwrap();
    assert_eq!(o.status.code(), Some(0), "{words:?}: {}", String::from_utf8_lossy(&o.stderr));
    String::from_utf8_lossy(&o.stdout).into_owned()
}

/// A sheet of 12 triangles; `limit` goes into its table.
fn scene(limit: &str) -> String {
    format!(
        r#"version = 1
[time]
dt = 0.04
frames = 12
[solve]
iterations = 5
tolerance = 1e-9
threads = 1
[[body]]
name = "sheet"
shape = {{ kind = "cloth", size = [1, 1], cells = [3, 2] }}
material = {{ kind = "corotated", young = 1e3, poisson = 0.3 }}
cloth = {{ threads = [1e3, 0.0]{limit} }}
[[pin]]
body = "sheet"
select = {{ ids = [0, 3] }}
"#
    )
}

#[test]
fn sheets_have_triangles() {
    let f = folder("triangles");
    std::fs::write(f.join("a.toml"), scene("")).unwrap();
    let out = supple(&f, &["check", "a.toml"]);
    assert!(out.contains("body sheet: 12 nodes, 12 triangles, 2 pinned nodes"), "{out}");
    let out = supple(&f, &["run", "a.toml"]);
    assert!(out.contains("elements              12 triangles\n"), "{out}");
    let json: serde_json::Value = serde_json::from_str(&supple(&f, &["run", "a.toml", "--json"])).unwrap();
    assert_eq!((json["elements"].as_u64(), json["triangles"].as_u64()), (Some(12), Some(12)));
    assert!(
        json["terms"].as_u64().unwrap() > 12 && json["tetrahedra"] == 0 && json["springs"] == 0,
        "{json}"
    );
    std::fs::remove_dir_all(f).unwrap();
}

/// The largest violation of all frames, as the statistics have it; nothing is said where there is no constraint.
#[test]
fn the_violation_of_hard_constraints_is_told() {
    let f = folder("violation");
    std::fs::write(f.join("free.toml"), scene("")).unwrap();
    std::fs::write(f.join("held.toml"), scene(", limit = { range = [0.9, 1.01] }")).unwrap();
    let json = |name: &str| -> serde_json::Value {
        let words = ["run", name, "--json", "--stats", "stats.jsonl", "--force"];
        serde_json::from_str(&supple(&f, &words)).unwrap()
    };
    assert!(json("free.toml")["worst_violation"].is_null());
    assert!(!supple(&f, &["run", "free.toml"]).contains("violation"));
    let worst = json("held.toml")["worst_violation"].as_f64().unwrap();
    let stats = std::fs::read_to_string(f.join("stats.jsonl")).unwrap();
    let frames = stats.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap());
    let most = frames.map(|v| v["violation"].as_f64().unwrap()).fold(0.0, f64::max);
    assert!(worst == most && worst > 0.0, "{worst} {most}");
    let out = supple(&f, &["run", "held.toml"]);
    assert!(out.contains(&format!("hard constraints      largest violation {worst:.1e}")), "{out}");
    std::fs::remove_dir_all(f).unwrap();
}
