//! The text of a scene file as a tree whose parts know their place, with overrides put into it.
//!
//! The parser of the tree's meaning stops at the first thing that it does not understand. So that all can be told at
//! once, the thing is taken out of the tree and the rest is parsed again.

use super::file::SceneFile;
use super::parse::{SceneError, did_you_mean, nearest, suggest};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue, ValueDeserializer};

/// Problems told at once; whoever has more will run it again.
const MOST_PROBLEMS: usize = 50;

/// Bytes read for that at most, over all rounds.
const MOST_BYTES: usize = 1 << 26;
/// Keys of a table that are looked at one by one; more than any table of a scene has.
const MOST_KEYS: usize = 32;

/// A key or the number of an item.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Key(String),
    Item(usize),
}

/// A place in the tree, as `body[0].material.young`.
fn path(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Key(key) if text.is_empty() => text.push_str(key),
            Step::Key(key) => text.push_str(&format!(".{key}")),
            Step::Item(i) => text.push_str(&format!("[{i}]")),
        }
    }
    text
}

/// A value that was set from outside.
struct Override {
    /// Its bytes, as if it stood behind the text.
    span: Range<usize>,
    /// Where it is in the tree.
    path: String,
}

/// A part of the tree.
type Value<'a> = Spanned<DeValue<'a>>;

/// A scene file before its meaning is known.
pub(super) struct Document<'a> {
    root: Value<'a>,
    /// Where the text ends and the overrides begin.
    end: usize,
    /// Bytes that stood before the text and were left out.
    skipped: usize,
    overrides: Vec<Override>,
}

impl<'a> Document<'a> {
    /// Reads the text; all that is no TOML is wrong.
    pub fn new(text: &'a str) -> Result<Document<'a>, Vec<SceneError>> {
        let plain = text.strip_prefix('\u{feff}').unwrap_or(text);
        let skipped = text.len() - plain.len();
        let (root, errors) = DeTable::parse_recoverable(plain);
        let mut lines = BTreeSet::new();
        let mut wrong: Vec<SceneError> = Vec::new();
        for e in errors {
            // What follows on the same line is mostly about the same.
            let line = e.span().map(|s| plain.get(..s.start).unwrap_or("").matches('\n').count());
            if wrong.len() < MOST_PROBLEMS && lines.insert(line) {
                let span = e.span().map(|s| s.start + skipped..s.end + skipped);
                wrong.push(SceneError { span, ..SceneError::new(e.message().trim()) });
            }
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let root = Spanned::new(root.span(), DeValue::Table(root.into_inner()));
        Ok(Document { root, end: plain.len(), skipped, overrides: Vec::new() })
    }

    /// The whole number at a key of the top, if it is one.
    pub fn number(&self, key: &str) -> Option<i64> {
        let DeValue::Table(top) = self.root.get_ref() else { return None };
        let DeValue::Integer(n) = top.get(key)?.get_ref() else { return None };
        i64::from_str_radix(n.as_str(), n.radix()).ok()
    }

    /// Where the overrides went, in their order.
    pub fn overridden(&self) -> Vec<String> {
        self.overrides.iter().map(|o| o.path.clone()).collect()
    }

    /// Sets one value. `snippet` is `v = ` and the value as in the file; what is none, like a word without quotes, is
    /// text. Items of lists are named by number or by their `name`.
    pub fn set(&mut self, key: &str, snippet: &'a str) -> Result<(), SceneError> {
        let given = Some(self.overrides.len());
        let parts: Vec<&str> = key.split('.').collect();
        if parts.iter().any(|p| p.is_empty()) || parts.len() > MOST_KEYS {
            let message = "is not a key: write it like solve.iterations";
            return Err(SceneError { given, ..SceneError::at(key, message) });
        }
        let start = self.overrides.last().map_or(self.end, |o| o.span.end) + 1;
        // Places for the value, and behind them one for each key on the way.
        let keys = start + snippet.len();
        let span = start..keys + parts.len();
        let value = match DeTable::parse(snippet).map(Spanned::into_inner) {
            Ok(mut t) if t.len() == 1 => t.remove("v").map(|mut v| {
                shift(&mut v, start);
                v
            }),
            _ => None,
        };
        let text = || DeValue::String(Cow::Borrowed(snippet.strip_prefix(SNIPPET).unwrap_or(snippet)));
        let value = value.unwrap_or_else(|| Spanned::new(span.clone(), text()));
        let mut steps = Vec::new();
        put(&mut self.root, &parts, value, keys, &mut steps).map_err(|e| SceneError {
            given,
            key: Some(key.to_string()),
            ..e
        })?;
        self.overrides.push(Override { span, path: path(&steps) });
        Ok(())
    }

    /// What the tree means, or everything in it that means nothing.
    pub fn read(&self) -> Result<SceneFile, Vec<SceneError>> {
        let mut rest = self.root.clone();
        let mut wrong: Vec<SceneError> = Vec::new();
        let mut removed = BTreeSet::new();
        // Each round takes something out; what follows from that is not told. A file of megabytes gets fewer.
        for _ in 0..(4 * MOST_PROBLEMS).min(1 + MOST_BYTES / self.end.max(1)) {
            let error = match meaning(rest.clone()) {
                Ok(file) if wrong.is_empty() => return Ok(file),
                Ok(_) => break,
                Err(e) => e,
            };
            let message = error.message().trim();
            let at = error.span().and_then(|span| culprit(&rest, &span, message));
            let place =
                at.as_ref().and_then(|at| find(&self.root, &at.span)).map_or_else(String::new, |s| path(&s));
            let missing = quoted(message).filter(|_| message.starts_with("missing field"));
            if !missing.is_some_and(|name| removed.contains(&join(&place, name))) {
                wrong.push(self.problem(message, &place, at.as_ref().map(|at| &at.span)));
            }
            let Some(at) = at.filter(|_| wrong.len() < MOST_PROBLEMS) else { break };
            removed.insert(place);
            if !remove(&mut rest, &at.steps) {
                break;
            }
        }
        Err(wrong)
    }

    /// An error about a place of the tree.
    fn problem(&self, message: &str, place: &str, span: Option<&Range<usize>>) -> SceneError {
        let inside = |o: &Override| span.is_some_and(|s| o.span.start <= s.start && s.end <= o.span.end);
        let given = self.overrides.iter().position(inside);
        let in_text = span.filter(|s| given.is_none() && s.end <= self.end);
        SceneError {
            key: Some(place.to_string()).filter(|p| !p.is_empty()),
            span: in_text.map(|s| s.start + self.skipped..s.end + self.skipped),
            hint: suggest(message),
            given,
            ..SceneError::new(plain(message))
        }
    }
}

/// A message about types in words that a file has, not a program.
fn plain(message: &str) -> String {
    let Some((given, expected)) = message.rsplit_once("expected ") else { return message.to_string() };
    let expected = match expected {
        "f64" | "f32" | "floating point number" => "a number",
        "u8" | "u32" | "u64" | "usize" => "a whole number, 0 or more",
        "i64" | "i32" | "isize" => "a whole number",
        "a string" => "a text in quotes",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "a table",
        other => match other.strip_prefix("struct ") {
            Some(_) => "a table",
            None => other,
        },
    };
    let given = given.replace("invalid type: map", "invalid type: table");
    let given = given.replace("invalid type: sequence", "invalid type: list");
    format!("{given}expected {expected}")
}

/// What stands before the value of an override, so that it is a document of its own.
pub(super) const SNIPPET: &str = "v = ";

fn meaning(root: Value<'_>) -> Result<SceneFile, toml::de::Error> {
    SceneFile::deserialize(ValueDeserializer::from(root))
}

/// `path.name`
fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}

/// The first word in backticks.
fn quoted(message: &str) -> Option<&str> {
    message.split('`').nth(1)
}

/// Moves the place of a value and all in it.
fn shift(value: &mut Value<'_>, by: usize) {
    let span = value.span();
    match value.get_mut() {
        DeValue::Table(t) => {
            for (key, mut inner) in std::mem::take(t) {
                shift(&mut inner, by);
                let at = key.span();
                t.insert(Spanned::new(at.start + by..at.end + by, key.into_inner()), inner);
            }
        }
        DeValue::Array(a) => a.iter_mut().for_each(|v| shift(v, by)),
        _ => {}
    }
    let inner = std::mem::replace(value.get_mut(), DeValue::Boolean(false));
    *value = Spanned::new(span.start + by..span.end + by, inner);
}

/// Puts a value at a path, and tables on the way where there is nothing, at a place each.
fn put<'a>(
    here: &mut Value<'a>,
    parts: &[&str],
    value: Value<'a>,
    place: usize,
    steps: &mut Vec<Step>,
) -> Result<(), SceneError> {
    let Some((part, rest)) = parts.split_first() else {
        *here = value;
        return Ok(());
    };
    match here.get_mut() {
        DeValue::Table(t) => {
            steps.push(Step::Key((*part).to_string()));
            let key = Spanned::new(place..place + 1, Cow::Owned((*part).to_string()));
            let empty = || Spanned::new(place..place + 1, DeValue::Table(DeTable::new()));
            put(t.entry(key).or_insert_with(empty), rest, value, place + 1, steps)
        }
        DeValue::Array(a) => {
            let name = |v: &Value<'a>| match v.get_ref() {
                DeValue::Table(t) => t.get("name").and_then(|n| n.get_ref().as_str().map(str::to_string)),
                _ => None,
            };
            let names: Vec<Option<String>> = a.iter().map(name).collect();
            let found = match part.parse::<usize>() {
                Ok(i) => Some(i).filter(|&i| i < a.len()),
                Err(_) => names.iter().position(|n| n.as_deref() == Some(part)),
            };
            match found.and_then(|i| Some((i, a.get_mut(i)?))) {
                Some((i, item)) => {
                    steps.push(Step::Item(i));
                    put(item, rest, value, place + 1, steps)
                }
                None => Err(SceneError {
                    hint: nearest(part, names.iter().flatten().map(String::as_str)).map(did_you_mean),
                    ..SceneError::new(format!("there is no `{part}`"))
                }),
            }
        }
        _ => Err(SceneError::new(format!("`{part}` is inside of a plain value"))),
    }
}

/// The way to the value, or to the key, that has exactly this place; the innermost if there are several.
fn find(value: &Value<'_>, span: &Range<usize>) -> Option<Vec<Step>> {
    let deeper = |step: Step, v: &Value<'_>| {
        let mut way = find(v, span)?;
        way.insert(0, step);
        Some(way)
    };
    let inner = match value.get_ref() {
        DeValue::Table(t) => t.iter().find_map(|(key, v)| {
            let step = Step::Key(key.get_ref().to_string());
            deeper(step.clone(), v).or_else(|| (key.span() == *span).then(|| vec![step]))
        }),
        DeValue::Array(a) => a.iter().enumerate().find_map(|(i, v)| deeper(Step::Item(i), v)),
        _ => None,
    };
    inner.or_else(|| (value.span() == *span).then(Vec::new))
}

/// The value at the end of a way.
fn at<'v, 'a>(value: &'v Value<'a>, steps: &[Step]) -> Option<&'v Value<'a>> {
    steps.iter().try_fold(value, |v, step| match (v.get_ref(), step) {
        (DeValue::Table(t), Step::Key(key)) => t.get(key.as_str()),
        (DeValue::Array(a), Step::Item(i)) => a.get(*i),
        _ => None,
    })
}

/// Takes out what is at the end of a way; false if that is all.
fn remove(value: &mut Value<'_>, steps: &[Step]) -> bool {
    match (value.get_mut(), steps) {
        (_, []) => false,
        (DeValue::Table(t), [Step::Key(key)]) => t.remove(key.as_str()).is_some(),
        (DeValue::Table(t), [Step::Key(key), rest @ ..]) => {
            t.get_mut(key.as_str()).is_some_and(|v| remove(v, rest))
        }
        (DeValue::Array(a), [Step::Item(i)]) => {
            let mut others = DeArray::new();
            let before = a.len();
            a.iter().enumerate().filter(|(k, _)| k != i).for_each(|(_, v)| others.push(v.clone()));
            *a = others;
            a.len() < before
        }
        (DeValue::Array(a), [Step::Item(i), rest @ ..]) => a.get_mut(*i).is_some_and(|v| remove(v, rest)),
        _ => false,
    }
}

/// What an error is about: the way to it, and the place to show.
struct Culprit {
    steps: Vec<Step>,
    span: Range<usize>,
}

/// Finds what an error is about. Of a table whose kind decides over its keys the parser names only the table: then it
/// is the key without which the error is another.
fn culprit(root: &Value<'_>, span: &Range<usize>, message: &str) -> Option<Culprit> {
    let steps = find(root, span)?;
    let whole = Culprit { steps: steps.clone(), span: span.clone() };
    let Some(DeValue::Table(t)) = at(root, &steps).map(Spanned::get_ref) else { return Some(whole) };
    let is_key = steps.last().is_some_and(|s| matches!(s, Step::Key(k) if quoted(message) == Some(k)));
    let found = message.starts_with("missing field") || message.starts_with("unknown field") && is_key;
    if found || t.len() > MOST_KEYS {
        return Some(whole);
    }
    let with = |key: &str| {
        let mut way = steps.clone();
        way.push(Step::Key(key.to_string()));
        way
    };
    let guilty = t.iter().find(|(key, v)| {
        let named = quoted(message).is_some_and(|word| {
            message.starts_with("unknown field") && *key.get_ref() == word
                || message.starts_with("unknown variant") && v.get_ref().as_str() == Some(word)
        });
        named || {
            let mut without = root.clone();
            key.get_ref() != "kind"
                && remove(&mut without, &with(key.get_ref()))
                && meaning(without).err().is_none_or(|e| e.message().trim() != message)
        }
    });
    Some(guilty.map_or(whole, |(key, v)| {
        let unknown = message.starts_with("unknown field");
        Culprit { steps: with(key.get_ref()), span: if unknown { key.span() } else { v.span() } }
    }))
}
