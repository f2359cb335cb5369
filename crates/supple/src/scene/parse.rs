//! From the text of a scene file to [`SceneFile`], with errors that point at the place.

use super::document::{Document, SNIPPET};
use super::file::SceneFile;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// What is wrong with a scene file, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneError {
    /// What is wrong.
    pub message: String,
    /// Bytes of the text that it is about.
    pub span: Option<Range<usize>>,
    /// The key, as a path like `body[0].material.young`.
    pub key: Option<String>,
    /// How to mend it.
    pub hint: Option<String>,
    /// Number of the override that gave the value, if one did: then it is not in the text.
    pub given: Option<usize>,
}

impl SceneError {
    /// An error about no place in particular.
    pub(super) fn new(message: impl Into<String>) -> SceneError {
        SceneError { message: message.into(), span: None, key: None, hint: None, given: None }
    }

    /// An error about the value at a path.
    pub fn at(key: impl Into<String>, message: impl Into<String>) -> SceneError {
        SceneError { key: Some(key.into()), ..SceneError::new(message) }
    }

    /// The same, with the place of its key in the text.
    pub fn located(mut self, text: &str) -> SceneError {
        if self.span.is_none() && self.given.is_none() {
            self.span = self.key.as_deref().and_then(|k| locate(text, k));
        }
        self
    }

    /// `name:line:column: message`, the line with a mark below it, the key and the hint.
    pub fn render(&self, name: &str, text: &str) -> String {
        let mut out = String::new();
        match &self.span {
            Some(span) => {
                let start = span.start.min(text.len());
                let before = text.get(..start).unwrap_or("");
                let line = before.matches('\n').count() + 1;
                let line_start = before.rfind('\n').map_or(0, |i| i + 1);
                let source = text.get(line_start..).unwrap_or("").lines().next().unwrap_or("");
                let column = before.get(line_start..).unwrap_or("").chars().count();
                let marked = text.get(start..span.end.min(text.len())).unwrap_or("");
                let width = marked.lines().next().unwrap_or("").chars().count().max(1);
                out.push_str(&format!("{name}:{line}:{}: {}\n", column + 1, self.message));
                // A very long line would hide the message.
                if source.chars().count() <= 300 {
                    let width = width.min(source.chars().count().saturating_sub(column).max(1));
                    let (pad, bar) = (" ".repeat(line.to_string().len()), "^".repeat(width));
                    out.push_str(&format!(
                        "{pad} |\n{line} | {source}\n{pad} | {}{bar}\n",
                        " ".repeat(column)
                    ));
                }
            }
            None => out.push_str(&format!("{name}: {}\n", self.message)),
        }
        if let Some(key) = &self.key {
            out.push_str(&format!("key: {key}\n"));
        }
        if let Some(hint) = &self.hint {
            out.push_str(&format!("hint: {hint}\n"));
        }
        out
    }
}

impl std::fmt::Display for SceneError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.key {
            Some(key) => write!(f, "{key}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for SceneError {}

/// Reads a scene; the first thing that is wrong. See [`read`].
pub fn parse(text: &str, overrides: &[(String, String)]) -> Result<SceneFile, SceneError> {
    read(text, overrides).map(|(file, _)| file).map_err(|mut wrong| wrong.swap_remove(0))
}

/// Reads a scene. `overrides` are pairs of a key path (`solve.iterations`, `body.beam.material.young`, `body.0.name`) and a
/// value written as in the file; words without quotes are taken as text. With the scene come the paths of the overrides as
/// errors name them (`body[0].material.young`); without it everything that is wrong, at least one thing.
pub fn read(text: &str, overrides: &[(String, String)]) -> Result<(SceneFile, Vec<String>), Vec<SceneError>> {
    let snippets: Vec<String> = overrides.iter().map(|(_, value)| format!("{SNIPPET}{value}")).collect();
    let mut document = Document::new(text)?;
    let unknown = |n: i64| {
        let message = format!("version {n} of the format is not known; this program reads version 1");
        vec![SceneError::at("version", message).located(text)]
    };
    // Another version has other keys: nothing else can be said about it.
    if let Some(n) = document.number("version").filter(|n| *n != 1) {
        return Err(unknown(n));
    }
    let set = overrides.iter().zip(&snippets).map(|((key, _), snippet)| document.set(key, snippet));
    let wrong: Vec<SceneError> = set.filter_map(Result::err).collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let file = document.read()?;
    if file.version != 1 {
        return Err(unknown(i64::from(file.version)));
    }
    Ok((file, document.overridden()))
}

/// A scene as text, as [`parse`] reads it.
pub fn to_text(file: &SceneFile) -> Result<String, SceneError> {
    toml::to_string(file).map_err(|e| SceneError::new(e.to_string()))
}

/// "did you mean", from a message that names the wrong word and then those expected, all in backticks.
pub(super) fn suggest(message: &str) -> Option<String> {
    if !message.contains("expected") {
        return None;
    }
    let mut words = message.split('`').skip(1).step_by(2);
    let wrong = words.next()?;
    nearest(wrong, words).map(did_you_mean)
}

/// The hint that names a word.
pub(super) fn did_you_mean(word: &str) -> String {
    format!("did you mean `{word}`?")
}

/// The candidate that differs least, if it differs little.
pub fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = 1 + wrong.chars().count() / 3;
    candidates
        .into_iter()
        .map(|c| (edits(wrong, c), c))
        .min_by_key(|(d, _)| *d)
        .filter(|(d, _)| *d <= limit)
        .map(|(_, c)| c)
}

/// Insertions, deletions and replacements between two words.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    // The first column apart: so many deletions.
    let mut row: Vec<usize> = (1..=b.len()).collect();
    let mut last = b.len();
    for (i, x) in a.chars().take(64).enumerate() {
        let (mut diagonal, mut left) = (i, i + 1);
        for (above, y) in row.iter_mut().zip(&b) {
            let here = (diagonal + usize::from(x != *y)).min(left + 1).min(*above + 1);
            diagonal = std::mem::replace(above, here);
            left = here;
        }
        last = left;
    }
    last
}

/// The bytes of the value at a path like `body[0].material.young`, or of the nearest table above it that is there.
pub fn locate(text: &str, path: &str) -> Option<Range<usize>> {
    let offset = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let document = DeTable::parse(text.get(offset..)?).ok()?;
    let mut span = None;
    let mut value: Option<&DeValue<'_>> = None;
    let table = document.get_ref();
    for part in path.split('.') {
        let (name, indices) = part.split_once('[').map_or((part, ""), |(n, rest)| (n, rest));
        let here = match value {
            None => table,
            Some(DeValue::Table(t)) => t,
            Some(_) => break,
        };
        let Some(next) = here.get(name) else { break };
        span = Some(next.span());
        value = Some(next.get_ref());
        for index in indices.split('[').filter_map(|i| i.trim_end_matches(']').parse::<usize>().ok()) {
            let Some(DeValue::Array(a)) = value else { break };
            let Some(item) = a.get(index) else { break };
            span = Some(item.span());
            value = Some(item.get_ref());
        }
    }
    span.map(|s| s.start + offset..s.end + offset)
}
