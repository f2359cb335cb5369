//! The pages: every link between them leads somewhere, and the book's table of contents has every page once.
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
