//! From the text of a scene file to [`SceneFile`], with errors that point at the place.

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
}

impl SceneError {
    /// An error about the value at a path.
    pub fn at(key: impl Into<String>, message: impl Into<String>) -> SceneError {
        SceneError { message: message.into(), span: None, key: Some(key.into()), hint: None }
    }

    /// The same, with the place of its key in the text.
    pub fn located(mut self, text: &str) -> SceneError {
        if self.span.is_none() {
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

/// Reads a scene. `overrides` are pairs of a key path (`solve.iterations`, `body.beam.material.young`, `body.0.name`) and a
/// value written as in the file; words without quotes are taken as text.
pub fn parse(text: &str, overrides: &[(String, String)]) -> Result<SceneFile, SceneError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let file: SceneFile = if overrides.is_empty() {
        toml::from_str(text).map_err(|e| from_toml(&e, text))?
    } else {
        let mut table: toml::Table = toml::from_str(text).map_err(|e| from_toml(&e, text))?;
        for (key, value) in overrides {
            apply(&mut table, key, value)?;
        }
        toml::Value::Table(table).try_into().map_err(|e: toml::de::Error| from_toml(&e, ""))?
    };
    if file.version != 1 {
        let message =
            format!("version {} of the format is not known; this program reads version 1", file.version);
        return Err(SceneError::at("version", message).located(text));
    }
    Ok(file)
}

/// A scene as text, as [`parse`] reads it.
pub fn to_text(file: &SceneFile) -> Result<String, SceneError> {
    toml::to_string(file).map_err(|e| SceneError {
        message: e.to_string(),
        span: None,
        key: None,
        hint: None,
    })
}

/// Sets one value.
fn apply(table: &mut toml::Table, key: &str, value: &str) -> Result<(), SceneError> {
    let wrong = |message: String| SceneError::at(key, message);
    let parsed = match toml::from_str::<toml::Table>(&format!("v = {value}")) {
        Ok(mut t) if t.len() == 1 => t.remove("v"),
        _ => None,
    };
    let parsed = parsed.unwrap_or_else(|| toml::Value::String(value.to_string()));
    let parts: Vec<&str> = key.split('.').collect();
    let Some((last, path)) = parts.split_last() else { return Err(wrong("is empty".into())) };
    if parts.iter().any(|p| p.is_empty()) {
        return Err(wrong("is not a key: write it like solve.iterations".into()));
    }
    let mut root = toml::Value::Table(std::mem::take(table));
    let mut here = &mut root;
    for part in path {
        here = match here {
            toml::Value::Table(t) => {
                t.entry((*part).to_string()).or_insert_with(|| toml::Value::Table(toml::Table::new()))
            }
            toml::Value::Array(a) => {
                let at = index_of(a, part).ok_or_else(|| wrong(format!("there is no `{part}`")))?;
                &mut a[at]
            }
            _ => return Err(wrong(format!("`{part}` is inside of a plain value"))),
        };
    }
    match here {
        toml::Value::Table(t) => {
            t.insert((*last).to_string(), parsed);
        }
        toml::Value::Array(a) => {
            let at = index_of(a, last).ok_or_else(|| wrong(format!("there is no `{last}`")))?;
            a[at] = parsed;
        }
        _ => return Err(wrong(format!("`{last}` is inside of a plain value"))),
    }
    if let toml::Value::Table(t) = root {
        *table = t;
    }
    Ok(())
}

/// An item of an array, by number or by its `name`.
fn index_of(array: &[toml::Value], part: &str) -> Option<usize> {
    match part.parse::<usize>() {
        Ok(i) => (i < array.len()).then_some(i),
        Err(_) => array.iter().position(|v| v.get("name").and_then(|n| n.as_str()) == Some(part)),
    }
}

fn from_toml(e: &toml::de::Error, text: &str) -> SceneError {
    let message = e.message().trim().to_string();
    let hint = suggest(&message);
    SceneError { message, span: e.span().filter(|_| !text.is_empty()), key: None, hint }
}

/// "did you mean", from a message that names the wrong word and then those expected, all in backticks.
fn suggest(message: &str) -> Option<String> {
    if !message.contains("expected") {
        return None;
    }
    let mut words = message.split('`').skip(1).step_by(2);
    let wrong = words.next()?;
    nearest(wrong, words).map(|w| format!("did you mean `{w}`?"))
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
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let here = (diagonal + usize::from(x != *y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = here;
        }
    }
    row[b.len()]
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
