//! Numbers in bytes: kinds, byte orders, base64.

/// Which byte comes first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Order {
    Little,
    Big,
}

/// A kind of number in a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

/// A number of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Whole(i128),
    Real(f64),
}

impl Number {
    /// As a coordinate.
    pub fn real(self) -> f64 {
        match self {
            Number::Whole(value) => value as f64,
            Number::Real(value) => value,
        }
    }
    /// As an index or a count.
    pub fn whole(self) -> Option<i128> {
        match self {
            Number::Whole(value) => Some(value),
            Number::Real(value) if value.trunc() == value && value.abs() < 9e15 => Some(value as i128),
            Number::Real(_) => None,
        }
    }
}

impl Scalar {
    pub fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }
    pub fn is_real(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }

    /// The number in the first [`Scalar::size`] bytes; missing bytes count as zero.
    pub fn decode(self, bytes: &[u8], order: Order) -> Number {
        let (mut raw, size) = ([0_u8; 8], self.size());
        for (i, &byte) in bytes.iter().take(size).enumerate() {
            let at = if order == Order::Little { i } else { size - 1 - i };
            if let Some(place) = raw.get_mut(at) {
                *place = byte;
            }
        }
        let bits = u64::from_le_bytes(raw);
        match self {
            Scalar::I8 => Number::Whole((bits as i8).into()),
            Scalar::I16 => Number::Whole((bits as i16).into()),
            Scalar::I32 => Number::Whole((bits as i32).into()),
            Scalar::I64 => Number::Whole((bits as i64).into()),
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => Number::Whole(bits.into()),
            Scalar::F32 => Number::Real(f32::from_bits(bits as u32).into()),
            Scalar::F64 => Number::Real(f64::from_bits(bits)),
        }
    }
}

/// Decodes base64; blank space is skipped and every padded group ends a stretch, so that several stretches may follow
/// one another, as VTK writes them. `None` for anything else, or an incomplete group.
pub(super) fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut have, mut padding) = (0_u32, 0, 0);
    for &byte in text {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' if have >= 2 => {
                padding += 1;
                0
            }
            _ if byte.is_ascii_whitespace() => continue,
            _ => return None,
        };
        if padding > 0 && byte != b'=' {
            return None;
        }
        bits = bits << 6 | u32::from(value);
        have += 1;
        if have == 4 {
            out.extend([(bits >> 16) as u8, (bits >> 8) as u8, bits as u8].iter().take(3 - padding));
            (bits, have, padding) = (0, 0, 0);
        }
    }
    (have == 0).then_some(out)
}
