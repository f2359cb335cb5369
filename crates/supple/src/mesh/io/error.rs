//! Where and why a file could not be read.

use std::fmt;

/// A place in a file: a line of text, or an offset in bytes where lines mean nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(u64);

/// Marks an offset in bytes.
const BYTES: u64 = 1 << 63;

impl Place {
    /// A line, counted from 1.
    pub fn line(line: u64) -> Place {
        Place(line & !BYTES)
    }
    /// An offset in bytes, counted from 0.
    pub fn byte(offset: usize) -> Place {
        Place(offset as u64 | BYTES)
    }
    /// The line, where this is one.
    pub fn as_line(self) -> Option<u64> {
        (self.0 & BYTES == 0).then_some(self.0)
    }
    /// The offset in bytes, where this is one.
    pub fn as_byte(self) -> Option<u64> {
        (self.0 & BYTES != 0).then_some(self.0 & !BYTES)
    }
}

/// Why a mesh file could not be read: `file:line: element N: reason`, or `file: byte B: element N: reason` for binary
/// files.
///
/// N is the number that the file gives to the element or node; where it gives none, they are counted as the format
/// counts: from 1 in Medit and OBJ, from 0 elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadError {
    /// The file's name, as given to the reader, with control characters escaped.
    pub file: String,
    /// Where in the file.
    pub place: Place,
    /// "element" or "node" and its number.
    pub item: Option<(&'static str, u64)>,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.place.as_line(), self.place.as_byte()) {
            (Some(line), _) => write!(f, "{}:{line}: ", self.file)?,
            (None, byte) => write!(f, "{}: byte {}: ", self.file, byte.unwrap_or(0))?,
        }
        if let Some((what, number)) = self.item {
            write!(f, "{what} {number}: ")?;
        }
        f.write_str(&self.reason)
    }
}

impl std::error::Error for ReadError {}

/// A [`ReadError`] before the file's name is known to it.
#[derive(Debug)]
pub(super) struct Fault {
    pub place: Place,
    pub item: Option<(&'static str, u64)>,
    pub reason: String,
}

pub(super) type Parsed<T> = Result<T, Fault>;

impl Fault {
    pub fn new(place: Place, reason: impl Into<String>) -> Fault {
        Fault { place, item: None, reason: reason.into() }
    }
    pub fn element(place: Place, number: u64, reason: impl Into<String>) -> Fault {
        Fault { place, item: Some(("element", number)), reason: reason.into() }
    }
    /// Says which item it is about, unless it already says so.
    pub fn about(mut self, what: &'static str, number: u64) -> Fault {
        self.item.get_or_insert((what, number));
        self
    }
    pub fn in_file(self, name: &str) -> ReadError {
        ReadError { file: printable(name, 400), place: self.place, item: self.item, reason: self.reason }
    }
}

/// Adds the number of the element or node to a fault.
pub(super) trait About {
    fn element(self, number: u64) -> Self;
    fn node(self, number: u64) -> Self;
}

impl<T> About for Parsed<T> {
    fn element(self, number: u64) -> Self {
        self.map_err(|fault| fault.about("element", number))
    }
    fn node(self, number: u64) -> Self {
        self.map_err(|fault| fault.about("node", number))
    }
}

/// A text that is safe to print: no control characters, at most `most` characters.
pub(super) fn printable(text: &str, most: usize) -> String {
    let mut out = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == most {
            out.push('…');
            break;
        }
        if c.is_control() || c == char::REPLACEMENT_CHARACTER {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// Bytes of a file in quotes, shortened and safe to print.
pub(super) fn quote(bytes: &[u8]) -> String {
    let head = bytes.get(..160).unwrap_or(bytes);
    let shown = printable(&String::from_utf8_lossy(head), 40);
    if bytes.len() > 160 { format!("\"{shown}\" ({} bytes)", bytes.len()) } else { format!("\"{shown}\"") }
}
