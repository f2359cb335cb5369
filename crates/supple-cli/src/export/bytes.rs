//! Numbers as little-endian bytes.

/// Appends doubles.
pub(super) fn put_f64(bytes: &mut Vec<u8>, values: impl IntoIterator<Item = f64>) {
    values.into_iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
}

/// Appends singles.
pub(super) fn put_f32(bytes: &mut Vec<u8>, values: impl IntoIterator<Item = f32>) {
    values.into_iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
}

/// Appends a point, rounded to singles.
pub(super) fn put_point(bytes: &mut Vec<u8>, point: [f64; 3]) {
    put_f32(bytes, point.map(|c| c as f32));
}

/// Appends whole numbers.
pub(super) fn put_u32(bytes: &mut Vec<u8>, values: impl IntoIterator<Item = u32>) {
    values.into_iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
}

/// The singles in these bytes; what is left over at the end is ignored.
pub(super) fn singles(bytes: &[u8]) -> impl Iterator<Item = f32> + '_ {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

/// The points in these bytes.
pub(super) fn points(bytes: &[u8]) -> impl Iterator<Item = [f32; 3]> + '_ {
    let single = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    bytes.chunks_exact(12).map(move |b| [single(&b[..4]), single(&b[4..8]), single(&b[8..])])
}
