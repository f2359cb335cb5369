//! Walking through a file: lines, tokens and numbers of text, and pieces of bytes between them.

use super::error::{Fault, Parsed, Place, quote};
use super::number::{Number, Order, Scalar};

/// A reader's position in a file.
#[derive(Clone)]
pub(super) struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
    /// Starts a comment that ends with its line.
    comment: Option<u8>,
    /// Places are offsets instead of lines, because the file is binary.
    offsets: bool,
}

/// A word of the file and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Token<'a> {
    pub text: &'a [u8],
    pub place: Place,
}

/// A line of the file without its comment and its end.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub text: &'a [u8],
    pub place: Place,
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

impl<'a> Text<'a> {
    /// A file that is text from end to end.
    pub fn new(bytes: &'a [u8], comment: Option<u8>) -> Parsed<Text<'a>> {
        let text = Text::header(bytes, comment)?;
        if bytes.contains(&0) {
            let nul = bytes.iter().position(|&b| b == 0).unwrap_or(0);
            let line = 1 + bytes.iter().take(nul).filter(|&&b| b == b'\n').count() as u64;
            return Err(Fault::new(Place::line(line), "a NUL byte: this is not a text file"));
        }
        Ok(text)
    }

    /// A file that starts as text.
    pub fn header(bytes: &'a [u8], comment: Option<u8>) -> Parsed<Text<'a>> {
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            return Err(Fault::new(Place::line(1), "the file is UTF-16; save it as UTF-8 or ASCII"));
        }
        let at = if bytes.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 };
        let text = Text { bytes, at, line: 1, comment, offsets: false };
        if text.clone().token().is_none() {
            return Err(Fault::new(Place::line(1), "the file is empty"));
        }
        Ok(text)
    }

    /// From now on, places are offsets in bytes.
    pub fn count_bytes(&mut self) {
        self.offsets = true;
    }
    pub fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }
    pub fn place(&self) -> Place {
        if self.offsets { Place::byte(self.at) } else { Place::line(self.line) }
    }
    pub fn fault(&self, reason: impl Into<String>) -> Fault {
        Fault::new(self.place(), reason)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
    fn step(&mut self) {
        if self.peek() == Some(b'\n') {
            self.line += 1;
        }
        self.at += 1;
    }

    /// The next word, over blank space, line ends and comments.
    pub fn token(&mut self) -> Option<Token<'a>> {
        loop {
            let byte = self.peek()?;
            if is_space(byte) {
                self.step();
            } else if Some(byte) == self.comment {
                self.skip_line();
            } else {
                break;
            }
        }
        let (start, place) = (self.at, self.place());
        while self.peek().is_some_and(|b| !is_space(b) && Some(b) != self.comment) {
            self.at += 1;
        }
        Some(Token { text: self.bytes.get(start..self.at)?, place })
    }

    /// The next word, which must be there.
    pub fn need(&mut self, what: &str) -> Parsed<Token<'a>> {
        match self.token() {
            Some(token) => Ok(token),
            None => Err(self.fault(format!("the file ends where {what} should be"))),
        }
    }

    fn skip_line(&mut self) {
        while self.peek().is_some_and(|b| b != b'\n') {
            self.at += 1;
        }
    }

    /// The rest of the present line, without its end and comment; the position is then behind the line's end.
    pub fn rest_of_line(&mut self) -> Line<'a> {
        let (start, place) = (self.at, self.place());
        self.skip_line();
        let mut text = self.bytes.get(start..self.at).unwrap_or(&[]);
        self.step();
        if let Some(cut) = self.comment.and_then(|c| text.iter().position(|&b| b == c)) {
            text = text.get(..cut).unwrap_or(text);
        }
        Line { text: text.trim_ascii(), place }
    }

    /// The next line that is not blank.
    pub fn line(&mut self) -> Option<Line<'a>> {
        while self.at < self.bytes.len() {
            let line = self.rest_of_line();
            if !line.text.is_empty() {
                return Some(line);
            }
        }
        None
    }

    /// The next line that is not blank, which must be there.
    pub fn need_line(&mut self, what: &str) -> Parsed<Line<'a>> {
        match self.line() {
            Some(line) => Ok(line),
            None => Err(self.fault(format!("the file ends where {what} should be"))),
        }
    }

    /// Bytes as they are.
    pub fn take(&mut self, count: usize, what: &str) -> Parsed<&'a [u8]> {
        let end = self.at.checked_add(count);
        match end.and_then(|end| self.bytes.get(self.at..end)) {
            Some(piece) => {
                self.at += count;
                Ok(piece)
            }
            None => {
                let left = self.remaining();
                Err(self.fault(format!("{what} needs {count} bytes, but only {left} are left")))
            }
        }
    }

    /// A number as text, or as binary in the given byte order.
    pub fn number(&mut self, scalar: Scalar, binary: Option<Order>, what: &str) -> Parsed<Number> {
        match binary {
            Some(order) => Ok(scalar.decode(self.take(scalar.size(), what)?, order)),
            None if scalar.is_real() => Ok(Number::Real(self.need(what)?.real(what)?)),
            None => Ok(Number::Whole(self.need(what)?.whole(what)?)),
        }
    }

    /// Checks a count of a header against the bytes that are left: `least` for each in a binary file, one in text, where a
    /// count that is wrong by little gives a better message where the file ends. No memory is
    /// reserved for a count.
    pub fn room(&self, count: i128, least: usize, what: &str) -> Parsed<usize> {
        if count < 0 {
            return Err(self.fault(format!("{count} {what}: a count cannot be negative")));
        }
        let left = self.remaining();
        let least = if self.offsets { least } else { 1 };
        match usize::try_from(count) {
            // The last number of a text needs no space behind it.
            Ok(n) if n.checked_mul(least).is_some_and(|bytes| bytes <= left.saturating_add(1)) => Ok(n),
            _ => Err(self.fault(format!("{count} {what} are announced, but only {left} bytes follow"))),
        }
    }
}

impl<'a> Line<'a> {
    /// Its words.
    pub fn tokens(&self) -> impl Iterator<Item = Token<'a>> + use<'a> {
        let place = self.place;
        self.text.split(|&b| is_space(b)).filter(|t| !t.is_empty()).map(move |text| Token { text, place })
    }
    pub fn fault(&self, reason: impl Into<String>) -> Fault {
        Fault::new(self.place, reason)
    }
}

/// The next word of a line, or what is missing on the line.
pub(super) fn need<'a>(
    tokens: &mut impl Iterator<Item = Token<'a>>,
    line: &Line<'a>,
    what: &str,
) -> Parsed<Token<'a>> {
    tokens.next().ok_or_else(|| line.fault(format!("the line ends where {what} should be")))
}

/// Longer words are no numbers.
const LONGEST_NUMBER: usize = 400;

impl<'a> Token<'a> {
    pub fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word.as_bytes())
    }
    pub fn fault(&self, reason: impl Into<String>) -> Fault {
        Fault::new(self.place, reason)
    }
    pub fn quoted(&self) -> String {
        quote(self.text)
    }

    fn short(&self) -> Option<&'a str> {
        if self.text.len() <= LONGEST_NUMBER { std::str::from_utf8(self.text).ok() } else { None }
    }

    /// A finite number; Fortran's exponents with D are read too.
    pub fn real(&self, what: &str) -> Parsed<f64> {
        let fault = || self.fault(format!("{} is not a number; expected {what}", self.quoted()));
        let text = self.short().ok_or_else(fault)?;
        let value: f64 = match text.parse() {
            Ok(value) => value,
            Err(_) => text.replace(['D', 'd'], "e").parse().map_err(|_| fault())?,
        };
        if value.is_finite() {
            Ok(value)
        } else {
            Err(self.fault(format!("{what} is {}, which is not finite", self.quoted())))
        }
    }

    /// A whole number, however large.
    pub fn whole(&self, what: &str) -> Parsed<i128> {
        let fault = || self.fault(format!("{} is not a whole number; expected {what}", self.quoted()));
        let text = self.short().ok_or_else(fault)?;
        match text.parse::<i64>() {
            Ok(value) => Ok(value.into()),
            Err(_) => text.parse::<i128>().map_err(|_| fault()),
        }
    }

    /// A whole number of 64 bits.
    pub fn tag(&self, what: &str) -> Parsed<i64> {
        let value = self.whole(what)?;
        i64::try_from(value).map_err(|_| self.fault(format!("{what} {value} is too large")))
    }
}
