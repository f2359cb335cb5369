//! An archive without compression, of any size: doubles from a simulation hardly compress.
//!
//! Every entry carries the 64-bit fields of the format (zip64), as those that numpy writes do, so that there is one
//! path for small and large files. Times are the format's first day: the same run writes the same bytes.
use std::io::{self, Write};

/// 1 January 1980.
const DAY: u16 = 0x21;
/// Version of the format that knows 64-bit fields.
const VERSION: u16 = 45;

struct Entry {
    name: String,
    size: u64,
    crc: u32,
    offset: u64,
}

/// Writes an archive from beginning to end.
pub(super) struct ZipWriter<W: Write> {
    writer: W,
    offset: u64,
    entries: Vec<Entry>,
}

impl<W: Write> ZipWriter<W> {
    pub fn new(writer: W) -> Self {
        Self { writer, offset: 0, entries: Vec::new() }
    }

    /// Adds a file of `size` bytes with the checksum `crc`; `fill` writes its bytes.
    pub fn entry(
        &mut self,
        name: &str,
        size: u64,
        crc: u32,
        fill: impl FnOnce(&mut W) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut head = Vec::new();
        head.extend_from_slice(b"PK\x03\x04");
        put16(&mut head, &[VERSION, 0, 0, 0, DAY]);
        head.extend_from_slice(&crc.to_le_bytes());
        head.extend_from_slice(&[0xff; 8]);
        put16(&mut head, &[name.len() as u16, 20]);
        head.extend_from_slice(name.as_bytes());
        put16(&mut head, &[1, 16]);
        put64(&mut head, &[size, size]);
        self.writer.write_all(&head)?;
        fill(&mut self.writer)?;
        self.entries.push(Entry { name: name.to_owned(), size, crc, offset: self.offset });
        self.offset += head.len() as u64 + size;
        Ok(())
    }

    /// Adds a file that is in memory.
    pub fn bytes(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.entry(name, bytes.len() as u64, crc32fast::hash(bytes), |w| w.write_all(bytes))
    }

    /// Writes the directory.
    pub fn finish(mut self) -> io::Result<()> {
        let mut tail = Vec::new();
        for entry in &self.entries {
            tail.extend_from_slice(b"PK\x01\x02");
            // Made on Unix, so that the attributes below are permissions.
            put16(&mut tail, &[3 << 8 | VERSION, VERSION, 0, 0, 0, DAY]);
            tail.extend_from_slice(&entry.crc.to_le_bytes());
            tail.extend_from_slice(&[0xff; 8]);
            put16(&mut tail, &[entry.name.len() as u16, 28, 0, 0, 0]);
            tail.extend_from_slice(&(0o100_644_u32 << 16).to_le_bytes());
            tail.extend_from_slice(&[0xff; 4]);
            tail.extend_from_slice(entry.name.as_bytes());
            put16(&mut tail, &[1, 24]);
            put64(&mut tail, &[entry.size, entry.size, entry.offset]);
        }
        let (size, count) = (tail.len() as u64, self.entries.len() as u64);
        tail.extend_from_slice(b"PK\x06\x06");
        put64(&mut tail, &[44]);
        put16(&mut tail, &[3 << 8 | VERSION, VERSION]);
        tail.extend_from_slice(&[0; 8]);
        put64(&mut tail, &[count, count, size, self.offset]);
        tail.extend_from_slice(b"PK\x06\x07\0\0\0\0");
        put64(&mut tail, &[self.offset + size]);
        tail.extend_from_slice(&1_u32.to_le_bytes());
        tail.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        tail.extend_from_slice(&[0xff; 12]);
        put16(&mut tail, &[0]);
        self.writer.write_all(&tail)
    }
}

fn put16(bytes: &mut Vec<u8>, values: &[u16]) {
    values.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
}

fn put64(bytes: &mut Vec<u8>, values: &[u64]) {
    values.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
}
