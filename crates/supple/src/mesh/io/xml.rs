//! As much of XML as .vtu files need: tags, attributes and the text between. No entities, no document types.

use super::error::{Fault, Parsed, Place, quote};

/// A tag with its attributes.
#[derive(Clone, Debug)]
pub(super) struct Tag<'a> {
    pub name: &'a [u8],
    attributes: Vec<(&'a [u8], &'a [u8])>,
    pub place: Place,
}

impl<'a> Tag<'a> {
    pub fn attribute(&self, name: &str) -> Option<&'a [u8]> {
        self.attributes.iter().find(|(n, _)| *n == name.as_bytes()).map(|(_, value)| *value)
    }
    pub fn fault(&self, reason: impl Into<String>) -> Fault {
        Fault::new(self.place, reason)
    }
    /// An attribute that is a whole number.
    pub fn whole(&self, name: &str) -> Parsed<i128> {
        let Some(value) = self.attribute(name) else {
            return Err(self.fault(format!("{} has no attribute {name}", quote(self.name))));
        };
        super::text::Token { text: value.trim_ascii(), place: self.place }.whole(name)
    }
}

/// What comes next in the file.
pub(super) enum Event<'a> {
    /// A tag opens; `true` if it closes at once.
    Open(Tag<'a>, bool),
    /// A tag closes.
    Close(&'a [u8], Place),
    /// Text between tags.
    Text(&'a [u8], Place),
    End,
}

/// A position in an XML file.
pub(super) struct Xml<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
}

/// More attributes on one tag are a sign of a file made to harm.
const MOST_ATTRIBUTES: usize = 100;

impl<'a> Xml<'a> {
    pub fn new(bytes: &'a [u8]) -> Xml<'a> {
        Xml { bytes, at: if bytes.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 }, line: 1 }
    }
    pub fn place(&self) -> Place {
        Place::line(self.line)
    }
    /// What has not been read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or(&[])
    }
    fn fault(&self, reason: impl Into<String>) -> Fault {
        Fault::new(self.place(), reason)
    }
    fn advance(&mut self, count: usize) -> &'a [u8] {
        let piece = self.rest().get(..count).unwrap_or(self.rest());
        self.line += piece.iter().filter(|&&b| b == b'\n').count() as u64;
        self.at += piece.len();
        piece
    }
    /// Passes over everything up to and with `end`.
    fn pass(&mut self, end: &[u8], what: &str) -> Parsed<()> {
        match self.rest().windows(end.len()).position(|w| w == end) {
            Some(at) => {
                self.advance(at + end.len());
                Ok(())
            }
            None => Err(self.fault(format!("{what} does not end"))),
        }
    }

    pub fn next(&mut self) -> Parsed<Event<'a>> {
        loop {
            let rest = self.rest();
            let place = self.place();
            if rest.is_empty() {
                return Ok(Event::End);
            } else if rest.starts_with(b"<!--") {
                self.pass(b"-->", "a comment")?;
            } else if rest.starts_with(b"<?") {
                self.pass(b"?>", "an instruction")?;
            } else if rest.starts_with(b"<!") {
                return Err(self.fault("document types and CDATA are not read"));
            } else if rest.starts_with(b"</") {
                let end = rest.iter().position(|&b| b == b'>');
                let Some(end) = end else { return Err(self.fault("a closing tag does not end")) };
                let name = self.advance(end + 1).get(2..end).unwrap_or(&[]).trim_ascii();
                return Ok(Event::Close(name, place));
            } else if rest.starts_with(b"<") {
                return self.open();
            } else {
                let end = rest.iter().position(|&b| b == b'<').unwrap_or(rest.len());
                return Ok(Event::Text(self.advance(end), place));
            }
        }
    }

    fn space(&mut self) {
        let count = self.rest().iter().take_while(|b| b.is_ascii_whitespace()).count();
        self.advance(count);
    }
    fn word(&mut self) -> &'a [u8] {
        let count = self
            .rest()
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':' | b'.'))
            .count();
        self.advance(count)
    }

    fn open(&mut self) -> Parsed<Event<'a>> {
        let place = self.place();
        self.advance(1);
        let name = self.word();
        if name.is_empty() {
            return Err(self.fault("a tag without a name"));
        }
        let mut attributes: Vec<(&[u8], &[u8])> = Vec::new();
        loop {
            self.space();
            match self.rest() {
                [b'>', ..] => {
                    self.advance(1);
                    return Ok(Event::Open(Tag { name, attributes, place }, false));
                }
                [b'/', b'>', ..] => {
                    self.advance(2);
                    return Ok(Event::Open(Tag { name, attributes, place }, true));
                }
                _ => {}
            }
            let key = self.word();
            self.space();
            if key.is_empty() || !self.rest().starts_with(b"=") {
                return Err(self.fault(format!("the tag {} is not well formed", quote(name))));
            }
            self.advance(1);
            self.space();
            let value = match self.rest().split_first() {
                Some((&mark @ (b'"' | b'\''), rest)) => {
                    let end = rest
                        .iter()
                        .position(|&b| b == mark || b == b'<')
                        .filter(|&e| rest.get(e) == Some(&mark));
                    end.and_then(|end| self.advance(end + 2).get(1..=end))
                }
                _ => None,
            };
            let Some(value) = value else {
                return Err(self.fault(format!("the attribute {} has no value in quotes", quote(key))));
            };
            if attributes.iter().any(|(k, _)| *k == key) {
                return Err(self.fault(format!("the attribute {} comes twice", quote(key))));
            }
            if attributes.len() >= MOST_ATTRIBUTES {
                return Err(self.fault("too many attributes"));
            }
            attributes.push((key, value));
        }
    }
}
