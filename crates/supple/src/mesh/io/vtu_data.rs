//! The arrays of .vtu files: text, base64 or raw bytes, plain or compressed by zlib.

use std::borrow::Cow;

use super::error::{Fault, Parsed, Place, quote};
use super::number::{Number, Order, Scalar, base64};
use super::text::Text;
use super::xml::Tag;

/// How the file stores its arrays.
pub(super) struct Storage<'a> {
    pub order: Order,
    /// Type of the numbers before an array.
    pub header: Scalar,
    pub zlib: bool,
    /// The appended data behind the underscore, and whether they are raw rather than base64.
    pub appended: Option<(&'a [u8], bool)>,
    /// Bytes that arrays may still take, against files that unpack without end.
    pub budget: usize,
}

/// An array as the XML has it.
pub(super) struct Array<'a> {
    pub tag: Tag<'a>,
    pub text: &'a [u8],
    /// Where the text starts.
    pub text_at: Place,
}

fn scalar(tag: &Tag) -> Parsed<Scalar> {
    let name = tag.attribute("type").unwrap_or(&[]);
    Ok(match name {
        b"Int8" => Scalar::I8,
        b"UInt8" => Scalar::U8,
        b"Int16" => Scalar::I16,
        b"UInt16" => Scalar::U16,
        b"Int32" => Scalar::I32,
        b"UInt32" => Scalar::U32,
        b"Int64" => Scalar::I64,
        b"UInt64" => Scalar::U64,
        b"Float32" => Scalar::F32,
        b"Float64" => Scalar::F64,
        _ => return Err(tag.fault(format!("{} is not a number type", quote(name)))),
    })
}

impl<'a> Array<'a> {
    /// The array's numbers, one after another, given to `each`.
    pub fn numbers(
        &self,
        storage: &mut Storage<'a>,
        mut each: impl FnMut(Number) -> Parsed<()>,
    ) -> Parsed<()> {
        let scalar = scalar(&self.tag)?;
        let bytes = match self.tag.attribute("format").unwrap_or(b"ascii") {
            b"ascii" => return self.ascii(scalar, each),
            b"binary" => match base64(self.text) {
                Some(bytes) => self.unpack(&bytes, storage)?.into_owned(),
                None => return Err(self.tag.fault("the base64 of this array is damaged")),
            },
            b"appended" => self.appended(storage)?,
            other => return Err(self.tag.fault(format!("the format {} is not known", quote(other)))),
        };
        let numbers = bytes.chunks_exact(scalar.size());
        if !numbers.remainder().is_empty() {
            return Err(self.tag.fault(format!("{} bytes are not a whole number of values", bytes.len())));
        }
        numbers.map(|n| scalar.decode(n, storage.order)).try_for_each(&mut each)
    }

    fn ascii(&self, scalar: Scalar, mut each: impl FnMut(Number) -> Parsed<()>) -> Parsed<()> {
        let at_line = |fault: Fault| {
            let line = self.text_at.as_line().unwrap_or(1) + fault.place.as_line().unwrap_or(1) - 1;
            Fault { place: Place::line(line), ..fault }
        };
        if self.text.trim_ascii().is_empty() {
            return Ok(());
        }
        let mut text = Text::new(self.text, None).map_err(at_line)?;
        while let Some(token) = text.token() {
            let number = if scalar.is_real() {
                token.real("a number").map(Number::Real)
            } else {
                token.whole("a whole number").map(Number::Whole)
            };
            each(number.map_err(at_line)?)?;
        }
        Ok(())
    }

    fn appended(&self, storage: &mut Storage<'a>) -> Parsed<Vec<u8>> {
        let offset = self.tag.whole("offset")?;
        let Some((data, raw)) = storage.appended else {
            return Err(self.tag.fault("the array is appended, but there is no AppendedData"));
        };
        let data = usize::try_from(offset).ok().and_then(|offset| data.get(offset..));
        let Some(data) = data else {
            return Err(self.tag.fault(format!("the offset {offset} leads out of the appended data")));
        };
        if raw {
            return Ok(self.unpack(data, storage)?.into_owned());
        }
        // Base64: the numbers of the header tell how much to decode.
        let words = |count: usize| (count * storage.header.size()).div_ceil(3) * 4;
        let size = storage.header.size();
        let decode = |chars: usize| {
            let text = data.get(..chars).unwrap_or(data);
            let whole = text.get(..text.len() / 4 * 4).unwrap_or(text);
            base64(whole).ok_or_else(|| self.tag.fault("the base64 of this array is damaged"))
        };
        let first = decode(words(1))?;
        let first = self.word(&first, 0, storage)?;
        let chars = if storage.zlib {
            let header = 3_usize.saturating_add(first).min(data.len());
            let sizes = decode(words(header))?;
            let packed = (3..header).try_fold(0_usize, |sum, i| {
                Ok::<usize, Fault>(sum.saturating_add(self.word(&sizes, i * size, storage)?))
            })?;
            words(header).saturating_add(packed.div_ceil(3).saturating_mul(4))
        } else {
            // Header and array may be one stretch or two.
            first.saturating_add(size).div_ceil(3).saturating_mul(4).saturating_add(8)
        };
        self.spend(storage, chars.min(data.len()))?;
        let bytes = match decode(chars) {
            Ok(bytes) => bytes,
            Err(_) => decode(chars.saturating_sub(8)).or_else(|_| decode(chars.saturating_sub(4)))?,
        };
        Ok(self.unpack(&bytes, storage)?.into_owned())
    }

    /// A number of the header.
    fn word(&self, bytes: &[u8], at: usize, storage: &Storage) -> Parsed<usize> {
        let end = at.checked_add(storage.header.size());
        let word = end.and_then(|end| bytes.get(at..end)).map(|b| storage.header.decode(b, storage.order));
        match word.and_then(Number::whole).map(usize::try_from) {
            Some(Ok(value)) => Ok(value),
            Some(Err(_)) => Err(self.tag.fault("a size before the array is absurd")),
            None => Err(self.tag.fault("the array ends before its size")),
        }
    }

    fn spend(&self, storage: &mut Storage, bytes: usize) -> Parsed<()> {
        match storage.budget.checked_sub(bytes) {
            Some(left) => {
                storage.budget = left;
                Ok(())
            }
            None => Err(self.tag.fault("the arrays unpack to far more than the file's size")),
        }
    }

    /// Takes the header off and the compression away.
    fn unpack<'b>(&self, bytes: &'b [u8], storage: &mut Storage) -> Parsed<Cow<'b, [u8]>> {
        let size = storage.header.size();
        if !storage.zlib {
            let length = self.word(bytes, 0, storage)?;
            self.spend(storage, length)?;
            let end = size.checked_add(length);
            return match end.and_then(|end| bytes.get(size..end)) {
                Some(data) => Ok(Cow::Borrowed(data)),
                None => Err(self.tag.fault(format!(
                    "the array announces {length} bytes, but {} follow",
                    bytes.len().saturating_sub(size)
                ))),
            };
        }
        let blocks = self.word(bytes, 0, storage)?;
        if blocks == 0 {
            return Ok(Cow::Borrowed(&[]));
        }
        let block = self.word(bytes, size, storage)?;
        let last = self.word(bytes, 2 * size, storage)?;
        let header = blocks.checked_add(3).and_then(|n| n.checked_mul(size)).filter(|&n| n <= bytes.len());
        let Some(mut at) = header else {
            return Err(self
                .tag
                .fault(format!("{blocks} compressed blocks are announced, but the array is shorter")));
        };
        let mut out = Vec::new();
        for i in 0..blocks {
            let packed = self.word(bytes, (3 + i) * size, storage)?;
            let expected = if i + 1 == blocks && last != 0 { last } else { block };
            self.spend(storage, expected)?;
            let data = at.checked_add(packed).and_then(|end| bytes.get(at..end));
            let Some(data) = data else {
                return Err(self.tag.fault("a compressed block leads out of the array"));
            };
            let plain = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(data, expected);
            match plain {
                Ok(plain) if plain.len() == expected => out.extend_from_slice(&plain),
                _ => return Err(self.tag.fault(format!("compressed block {i} of the array is damaged"))),
            }
            at += packed;
        }
        Ok(Cow::Owned(out))
    }
}
