//! .npy: an array of numbers with three axes, as NumPy saves it; for grids of distances.

use super::ReadError;
use super::error::{Fault, Parsed, Place, quote};
use super::number::{Order, Scalar};

/// Longer headers than this are refused: NumPy's own are of some 100 bytes.
const LONGEST_HEADER: usize = 10_000;

/// Numbers on a grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// How many along x, y and z.
    pub counts: [usize; 3],
    /// In C order: that of `[i, j, k]` is number `(i·counts[1] + j)·counts[2] + k`.
    pub values: Vec<f64>,
}

/// Reads a .npy file: three axes, numbers of 4 or 8 bytes (`f4`, `f8`) in either byte order, in C or Fortran order. `name` is for
/// messages only.
pub fn read_npy(name: &str, bytes: &[u8]) -> Result<Samples, ReadError> {
    array(bytes).map_err(|fault| fault.in_file(name))
}

fn array(bytes: &[u8]) -> Parsed<Samples> {
    let start = |reason: &str| Fault::new(Place::byte(0), reason);
    if !bytes.starts_with(b"\x93NUMPY") {
        return Err(start("this is not a .npy file: it does not start with \\x93NUMPY"));
    }
    // Version 1 tells the length of its header in two bytes, 2 and 3 in four.
    let wide = match bytes.get(6) {
        Some(1) => 2,
        Some(2 | 3) => 4,
        Some(v) => return Err(Fault::new(Place::byte(6), format!("version {v} of .npy is not known"))),
        None => return Err(start("the file ends in its header")),
    };
    let length = bytes.get(8..8 + wide).ok_or_else(|| start("the file ends in its header"))?;
    let length = length.iter().rev().fold(0usize, |all, b| all << 8 | usize::from(*b));
    let first = 8 + wide;
    if length > LONGEST_HEADER {
        return Err(Fault::new(Place::byte(8), format!("a header of {length} bytes is too long")));
    }
    let text = bytes.get(first..first + length).ok_or_else(|| start("the file ends in its header"))?;
    let fault = |reason: String| Fault::new(Place::byte(first), reason);
    let header = Header::read(text).map_err(fault)?;
    let (scalar, order) = match header.kind.as_str() {
        "<f4" => (Scalar::F32, Order::Little),
        "<f8" => (Scalar::F64, Order::Little),
        ">f4" => (Scalar::F32, Order::Big),
        ">f8" => (Scalar::F64, Order::Big),
        other => {
            let found = quote(other.as_bytes());
            return Err(fault(format!("numbers must be floats of 4 or 8 bytes (f4, f8), not {found}")));
        }
    };
    let &[l, m, n] = &header.shape[..] else {
        let found = header.shape.len();
        return Err(fault(format!("the array must have three axes (x, y, z), not {found}")));
    };
    let data = bytes.get(first + length..).unwrap_or_default();
    let size = scalar.size();
    let points = l.checked_mul(m).and_then(|p| p.checked_mul(n));
    if points.and_then(|p| p.checked_mul(size)) != Some(data.len()) {
        let have = data.len();
        let reason = format!("{l}×{m}×{n} numbers of {size} bytes are announced, and {have} bytes follow");
        return Err(Fault::new(Place::byte(first + length), reason));
    }
    let numbers: Vec<f64> =
        data.chunks_exact(size).map(|number| scalar.decode(number, order).real()).collect();
    let values = if header.fortran {
        // Here x runs fastest.
        let place = |at: usize| at / (m * n) + l * (at / n % m + m * (at % n));
        (0..numbers.len()).filter_map(|at| numbers.get(place(at)).copied()).collect()
    } else {
        numbers
    };
    Ok(Samples { counts: [l, m, n], values })
}

/// What the dictionary at the start of the file says.
struct Header {
    kind: String,
    fortran: bool,
    shape: Vec<usize>,
}

impl Header {
    /// Reads `{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 4), }`, in any order of keys.
    fn read(text: &[u8]) -> Result<Header, String> {
        let text = std::str::from_utf8(text).map_err(|_| "the header is not text".to_string())?.trim();
        let inner = text.strip_prefix('{').and_then(|t| t.strip_suffix('}'));
        let mut rest = inner.ok_or("the header is not a dictionary in braces")?.trim();
        let (mut kind, mut fortran, mut shape) = (None, None, None);
        while !rest.is_empty() {
            let (key, after) = quoted(rest)?;
            let after = after.trim_start().strip_prefix(':').ok_or("a key of the header has no value")?;
            let after = after.trim_start();
            let after = match key {
                "descr" => {
                    let (value, after) = quoted(after)?;
                    kind = Some(value.to_string());
                    after
                }
                "fortran_order" => {
                    let (value, after) = match (after.strip_prefix("True"), after.strip_prefix("False")) {
                        (Some(after), _) => (true, after),
                        (_, Some(after)) => (false, after),
                        _ => return Err("fortran_order is neither True nor False".into()),
                    };
                    fortran = Some(value);
                    after
                }
                "shape" => {
                    let list = after.strip_prefix('(').and_then(|t| t.split_once(')'));
                    let (list, after) = list.ok_or("the shape is not a list in parentheses")?;
                    let numbers = list.split(',').map(str::trim).filter(|t| !t.is_empty());
                    let read = numbers.map(|t| t.parse::<usize>().map_err(|_| quote(t.as_bytes())));
                    let list: Result<Vec<usize>, String> = read.collect();
                    shape = Some(list.map_err(|t| format!("{t} in the shape is not a number of points"))?);
                    after
                }
                other => return Err(format!("the key {} is not known", quote(other.as_bytes()))),
            };
            let after = after.trim_start();
            rest = match after.strip_prefix(',') {
                Some(after) => after.trim_start(),
                None if after.is_empty() => after,
                None => return Err("a comma is missing in the header".into()),
            };
        }
        match (kind, fortran, shape) {
            (Some(kind), Some(fortran), Some(shape)) => Ok(Header { kind, fortran, shape }),
            _ => Err("the header must have descr, fortran_order and shape".into()),
        }
    }
}

/// A text in quotes, and what follows.
fn quoted(text: &str) -> Result<(&str, &str), String> {
    let mark = text.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let found = mark.and_then(|mark| text[1..].split_once(mark));
    found.ok_or_else(|| format!("{} stands where a text in quotes should be", quote(text.as_bytes())))
}
