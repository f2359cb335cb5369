//! The pages: every link between them leads somewhere, the book's table of contents has every page once, and constants that they quote are
//! those of the code.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Markdown below a folder, that of builds and packages left out.
fn pages(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if !name.starts_with('.') && !["target", "node_modules", "out", "book"].contains(&name) {
                pages(&path, out);
            }
        } else if name.ends_with(".md") {
            out.push(path);
        }
    }
}

/// The text outside of code: fenced blocks and `spans`.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let mut out = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            // Every second piece between backticks is code.
            out.extend(line.split('`').step_by(2));
        }
        out.push('\n');
    }
    out
}

/// Where links of a page lead: what stands in `](…)`.
fn links(text: &str) -> Vec<String> {
    let text = prose(text);
    let mut found = Vec::new();
    for (at, _) in text.match_indices("](") {
        let rest = &text[at + 2..];
        let Some(end) = rest.find(')') else { continue };
        found.push(rest[..end].split_whitespace().next().unwrap_or("").to_string());
    }
    found
}

/// A heading's anchor, as the usual viewers make it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let mut fenced = false;
    let mut out = BTreeSet::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && line.starts_with('#') {
            out.insert(anchor(line.trim_start_matches('#').trim()));
        }
    }
    out
}

/// `a/b/../c` without a look at the disk.
fn tidy(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut all = Vec::new();
    pages(&root(), &mut all);
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for page in &all {
        let text = fs::read_to_string(page).unwrap();
        for link in links(&text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            seen += 1;
            let (file, place) = link.split_once('#').unwrap_or((&link, ""));
            let target =
                if file.is_empty() { page.clone() } else { tidy(&page.parent().unwrap().join(file)) };
            let there = target.exists()
                && (place.is_empty() || anchors(&fs::read_to_string(&target).unwrap()).contains(place));
            if !there {
                wrong.push(format!("{}: {link}", page.strip_prefix(root()).unwrap().display()));
            }
        }
    }
    assert!(seen > 50, "only {seen} links found");
    assert!(wrong.is_empty(), "dead links:\n{}", wrong.join("\n"));
}

#[test]
fn the_table_of_contents_has_every_page_once() {
    let docs = root().join("docs");
    let mut all = Vec::new();
    pages(&docs, &mut all);
    let summary = docs.join("SUMMARY.md");
    let listed: Vec<PathBuf> =
        links(&fs::read_to_string(&summary).unwrap()).iter().map(|l| tidy(&docs.join(l))).collect();
    for page in all.iter().filter(|p| **p != summary) {
        let times = listed.iter().filter(|l| *l == page).count();
        assert_eq!(times, 1, "{} stands {times} times in docs/SUMMARY.md", page.display());
    }
}

#[test]
fn dead_links_are_found() {
    let text = "# A `b` c\n[a](x.md#y-z) `[no](code)`\n```\n[no](fence)\n```\n[b](#a-b-c \"title\")";
    assert_eq!(links(text), ["x.md#y-z", "#a-b-c"]);
    assert_eq!(anchors(text).into_iter().collect::<Vec<_>>(), ["a-b-c"]);
    assert_eq!(tidy(Path::new("a/b/../c.md")), Path::new("a/c.md"));
}

/// The scene of docs/scene-format.md has every setting, with its default.
#[test]
fn every_setting_is_documented_with_its_default() {
    let text = fs::read_to_string(root().join("docs/scene-format.md")).unwrap();
    let scene: String = text.split("```toml").nth(1).unwrap().split("```").next().unwrap().into();
    let scene: toml::Table = scene.parse().unwrap();
    let defaults = toml::Table::try_from(supple::Settings::default()).unwrap();
    let mut seen = 0;
    for key in supple::Settings::keys() {
        // Written in the text: it is a table of its own, and none by default.
        if key.table == "world.wind" {
            assert!(text.contains(key.name), "{key:?}");
            continue;
        }
        match defaults[key.table].get(key.name) {
            Some(default) => {
                let told = scene[key.table].get(key.name);
                assert_eq!(told, Some(default), "{}.{} in docs/scene-format.md", key.table, key.name);
            }
            None => assert!(text.contains(key.name), "{key:?}"),
        }
        seen += 1;
    }
    assert!(seen > 20, "only {seen} settings found");
}

/// docs/scene-format.md lists the keys of `--stats`.
#[test]
fn every_number_of_the_report_is_documented() {
    let text = fs::read_to_string(root().join("docs/scene-format.md")).unwrap();
    let list = text.split("### Keys of `--stats`").nth(1).unwrap().split("\n### ").next().unwrap();
    for (name, meaning) in supple::StepReport::meanings() {
        assert!(meaning.len() > 10, "{name} has no meaning");
        // Seconds are told in milliseconds there.
        let told = if name == "timings" { "frame_ms" } else { name };
        assert!(
            list.contains(&format!("`{told}`")),
            "{name} is not among the keys of --stats in docs/scene-format.md"
        );
    }
}

/// The table of methods in docs/method.md says what `solve/capabilities.rs` says.
#[test]
fn what_methods_take_is_documented() {
    use supple::solve::capabilities::{Terms, of};
    let text = fs::read_to_string(root().join("docs/method.md")).unwrap();
    for method in supple::Method::ALL {
        let line = text.lines().find(|l| l.starts_with(&format!("| `{method}` |"))).unwrap();
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let takes = of(method);
        let terms = match takes.terms {
            Terms::All => "all",
            Terms::Soft => "soft",
            Terms::Distances => "distances to a set",
        };
        assert!(cells[2].starts_with(terms), "{line}");
        let told = [takes.obstacles, takes.bodies, takes.links].map(|t| if t { "yes" } else { "no" });
        assert_eq!(cells[3..6], told, "{line}");
    }
}

/// Files that pages name in backticks are there: from the root, or from the folder of the library's sources.
#[test]
fn files_that_pages_name_exist() {
    let mut all = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    pages(&root().join("docs"), &mut all);
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for page in &all {
        let text = fs::read_to_string(page).unwrap();
        for span in text.lines().flat_map(|line| line.split('`').skip(1).step_by(2)) {
            let file = span.split("::").next().unwrap();
            let named = file.contains('/')
                && [".rs", ".py", ".ts", ".toml", ".md"].iter().any(|e| file.ends_with(e))
                && !file.contains(['*', ' ', '<']);
            if !named {
                continue;
            }
            seen += 1;
            let places = ["", "crates/supple", "crates/supple/src", "crates/supple-cli/src"];
            if !places.iter().any(|place| root().join(place).join(file).exists()) {
                wrong.push(format!("{}: {span}", page.strip_prefix(root()).unwrap().display()));
            }
        }
    }
    assert!(seen > 80, "only {seen} files named");
    assert!(wrong.is_empty(), "files that do not exist:\n{}", wrong.join("\n"));
}

/// What a page says of a constant, and the line of the library that says the same. Who changes one changes the other.
const QUOTED: &[(&str, &str, &str)] = &[
    ("docs/conventions.md", "no progress over 200 iterations", "const PATIENCE: usize = 200;"),
    ("docs/conventions.md", "H⁻¹g·1/(0.2(1 − r))", "const RESERVE: f64 = 0.2;"),
    ("docs/conventions.md", "100·(A/Δt²)⁻¹g", "const CAUTION: f64 = 100.0;"),
    ("docs/conventions.md", "tolerance·1000·a", "const SHARE: f64 = 1000.0;"),
    ("docs/conventions.md", "more than 5·10⁻⁴ or 100 tolerances", "const HOLDS: f64 = 5e-4;"),
    ("docs/conventions.md", "more than 10³ times the size", "const FAR: f64 = 1e3;"),
    ("docs/conventions.md", "the residual grew by 10⁶", "residual > 1e6 * self.first"),
    ("docs/contact.md", "κ = 5/(c_A + c_B)", "const STIFFER: f64 = 5.0;"),
    ("docs/contact.md", "else 4 % of the edge length", "const SHARE: f64 = 4e-2;"),
    ("docs/contact.md", "nearer than 5 % of d̂", "const FLOOR: f64 = 0.05;"),
    ("docs/contact.md", "sin² < 10⁻³", "const PARALLEL: f64 = 1e-3;"),
    ("docs/contact.md", "0 up to 0.01 rad", "const FLAT: f64 = 1e-2;"),
    ("docs/contact.md", "1 from 0.1 rad on", "const BENT: f64 = 0.1;"),
    ("docs/contact.md", "at most twenty times", "const MOST_LISTS: usize = 20;"),
    ("docs/contact.md", "pairs up to 2 d̂ are springs", "const SOON: f64 = 2.0;"),
    ("docs/contact.md", "Newton's method, two rounds at most", "const ROUNDS: usize = 2;"),
    ("docs/contact.md", "moved apart by 10⁻³ d̂", "const TOUCH: f64 = 1e-3;"),
    ("docs/contact.md", "at least\n2 % of d̂", "const LEAST: f64 = 0.02;"),
    ("docs/contact.md", "for up to 120 contacts", "const MOST: usize = 120;"),
    ("docs/contact.md", "From 250 contacts on", "const MANY: usize = 250;"),
    ("docs/contact.md", "at most 512 MB", "const MOST_BYTES: usize = 512 << 20;"),
    ("docs/contact.md", "more than 2²⁵ in all", "const MOST_POINTS: usize = 1 << 25;"),
    ("docs/performance.md", "at most 512 MB", "const MOST_BYTES: usize = 512 << 20;"),
    ("docs/troubleshooting.md", "or 4 % of the edge length", "const SHARE: f64 = 4e-2;"),
];

#[test]
fn constants_that_pages_quote_are_those_of_the_code() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let code: Vec<String> = files.iter().map(|f| fs::read_to_string(f).unwrap()).collect();
    let mut wrong = Vec::new();
    for (page, words, line) in QUOTED {
        if !fs::read_to_string(root().join(page)).unwrap().contains(words) {
            wrong.push(format!("{page} no longer says {words:?}"));
        }
        if !code.iter().any(|text| text.contains(line)) {
            wrong.push(format!("{page} says {words:?}, but no file has `{line}`"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn sources(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, out),
            false => out.push(path),
        }
    }
}
