//! The direction of the arrows between modules, and the truth of the map in ARCHITECTURE.md.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};

/// Which modules each module may use. Anything else is a wrong arrow.
const ARROWS: &[(&str, &[&str])] = &[
    ("math", &[]),
    ("exec", &[]),
    ("report", &[]),
    ("choice", &[]),
    ("energy", &["math", "error"]),
    ("term", &["math", "energy", "error", "exec"]),
    ("global", &["math", "exec"]),
    ("mesh", &["math", "exec"]),
    ("error", &[]),
    ("settings", &["term", "error"]),
    ("contact", &["math", "exec", "error", "report"]),
    ("solve", &["math", "exec", "term", "global", "settings", "error", "contact"]),
    ("sim", &["math", "exec", "report", "term", "global", "settings", "error", "solve", "contact"]),
    ("scene", &["math", "energy", "term", "mesh", "settings", "error", "solve", "sim", "contact"]),
];

fn rust_files(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// Code of a file without comments.
fn code(text: &str) -> String {
    text.lines().map(|l| l.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

#[test]
fn modules_use_only_what_they_may() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    assert!(files.len() > 30, "only {} files found", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let relative = file.strip_prefix(&src).unwrap();
        let module =
            relative.components().next().unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let allowed = ARROWS
            .iter()
            .find(|(m, _)| *m == module)
            .unwrap_or_else(|| panic!("module {module} has no arrows: add it to this test"))
            .1;
        let text = code(&fs::read_to_string(&file).unwrap());
        for (at, _) in text.match_indices("crate::") {
            let used: String =
                text[at + 7..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if used != module && !allowed.contains(&used.as_str()) {
                wrong.push(format!("{} uses crate::{used}", relative.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "wrong arrows:\n{}", wrong.join("\n"));
}

#[test]
fn unsafe_and_intrinsics_stay_where_they_may() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    for file in files {
        let relative = file.strip_prefix(&src).unwrap().to_str().unwrap().replace('\\', "/");
        if relative == "math/lane.rs" || relative.starts_with("math/lane/") {
            continue;
        }
        let text = code(&fs::read_to_string(&file).unwrap());
        for word in ["unsafe ", "core::arch", "std::arch", "println!", "eprintln!"] {
            assert!(!text.contains(word), "{relative} contains `{word}`");
        }
    }
}

#[test]
fn elementary_functions_are_our_own() {
    // The system's differ in their last bit from machine to machine; math/elementary.rs has ours. `ln` and `exp` may be those of `Real`.
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    let names = "sin cos tan sin_cos asin acos atan atan2 sinh cosh tanh powf exp2 exp_m1 ln_1p log log2 log10 cbrt hypot mul_add";
    for file in files {
        let relative = file.strip_prefix(&src).unwrap().to_str().unwrap().replace('\\', "/");
        // Fused where the machine has it: docs/decisions/0002-lanes.md.
        if relative == "global/kernel.rs" {
            continue;
        }
        let text = code(&fs::read_to_string(&file).unwrap());
        for name in names.split(' ') {
            for call in [format!(".{name}("), format!("f64::{name}(")] {
                assert!(!text.contains(&call), "{relative} calls the system's `{name}`");
            }
        }
    }
}

#[test]
fn the_browsers_boundary_is_one_file() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../supple-web/src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    assert!(files.iter().any(|f| f.ends_with("boundary.rs")));
    for file in files.iter().filter(|f| !f.ends_with("boundary.rs")) {
        assert!(
            !code(&fs::read_to_string(file).unwrap()).contains("unsafe"),
            "{} contains `unsafe`",
            file.display()
        );
    }
}

#[test]
fn the_map_names_only_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let mut named = 0;
    for word in text.split(|c: char| c.is_whitespace() || "`|(),;".contains(c)) {
        let path = word.trim_end_matches(['.', ':']);
        let looks_like_a_file = path.contains('/')
            && [".rs", ".toml", ".md", ".sh", ".ts", ".py"].iter().any(|e| path.ends_with(e))
            && !path.contains('*')
            && !path.contains("://");
        if looks_like_a_file {
            named += 1;
            let places =
                ["", "crates/supple", "crates/supple/src", "crates/supple-cli", "crates/supple-files"]
                    .map(|p| root.join(p).join(path));
            assert!(places.iter().any(|p| p.exists()), "ARCHITECTURE.md names {path}, which does not exist");
        }
    }
    assert!(named > 20, "only {named} files named");
}

#[test]
fn every_source_file_of_the_library_is_on_a_map() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    for file in files {
        let folder = file.parent().unwrap();
        let name = file.file_name().unwrap().to_str().unwrap();
        if folder == src || folder.ends_with("lane") || name == "mod.rs" {
            continue;
        }
        let map = fs::read_to_string(folder.join("mod.rs")).unwrap();
        let head: String = map.lines().take_while(|l| l.starts_with("//!")).collect();
        assert!(head.contains(name), "{} is not on the map of its folder's mod.rs", file.display());
    }
}

/// Names that a file makes public, and the public modules below it, none of what is `#[doc(hidden)]`.
fn public_names(file: &Path, path: &str, out: &mut Vec<String>) {
    let text = code(&fs::read_to_string(file).unwrap());
    let here = if file.ends_with("mod.rs") || file.ends_with("lib.rs") {
        file.parent().unwrap().to_path_buf()
    } else {
        file.with_extension("")
    };
    let (mut hidden, mut listed) = (false, false);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let item = |line: &str, what: &str| {
            let rest = line.strip_prefix("pub ")?.strip_prefix(what)?.strip_prefix(' ')?;
            Some(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>())
        };
        if line == "#[doc(hidden)]" {
            hidden = true;
            continue;
        }
        // In the lists of `choice!`, `settings!` and `report!` items are indented.
        let item_line = if listed { line.trim_start() } else { line };
        listed = match line {
            "choice! {" | "settings! {" | "report! {" => true,
            "}" => false,
            _ => listed,
        };
        if hidden {
            hidden = line.starts_with("#[");
            continue;
        }
        if let Some(name) = item(line, "mod") {
            let below = format!("{path}::{name}");
            let at = [here.join(format!("{name}.rs")), here.join(&name).join("mod.rs")];
            out.push(format!("{below} (module)"));
            public_names(at.iter().find(|f| f.exists()).unwrap(), &below, out);
        } else if let Some(first) = line.strip_prefix("pub use ") {
            let mut all = first.to_string();
            while !all.contains(';') {
                all += lines.next().unwrap().trim();
            }
            let all = all.trim_end_matches(';');
            let names = all
                .split_once('{')
                .map_or(all.rsplit("::").next().unwrap(), |(_, n)| n.trim_end_matches('}'));
            let last = |n: &str| n.trim().rsplit("::").next().unwrap().to_string();
            out.extend(
                names
                    .split(',')
                    .map(last)
                    .filter(|n| !n.is_empty() && n != "self")
                    .map(|n| format!("{path}::{n}")),
            );
        } else {
            let kinds = ["struct", "enum", "trait", "fn", "const fn", "const", "type"];
            let name = kinds.iter().find_map(|k| item(item_line, k).filter(|n| n != "fn"));
            out.extend(name.map(|n| format!("{path}::{n}")));
        }
    }
}

#[test]
fn the_public_surface_changes_on_purpose() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names = Vec::new();
    public_names(&root.join("src/lib.rs"), "supple", &mut names);
    names.sort();
    names.dedup();
    assert!(names.len() > 150, "only {} names found", names.len());
    let kept = fs::read_to_string(root.join("tests/public_api.txt")).unwrap_or_default();
    let kept: Vec<&str> = kept.lines().collect();
    let new: Vec<&str> = names.iter().map(String::as_str).filter(|n| !kept.contains(n)).collect();
    let gone: Vec<&&str> = kept.iter().filter(|k| !names.iter().any(|n| n == *k)).collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "tests/public_api.txt lists what is public; if this is on purpose, add\n{}\nand take out\n{gone:#?}",
        new.join("\n")
    );
}
