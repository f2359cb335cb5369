//! Bytes that wait on disk until the file that they belong to can be written.
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use supple_files::output::OutputDir;

use super::ExportError;

/// A temporary file in the output folder, where there is room for it if there is for the result. It vanishes with the
/// value; on Unix it has no name to begin with, so that nothing is left even by a kill.
pub(super) struct Draft {
    file: File,
    path: Option<PathBuf>,
}

impl Draft {
    /// An empty draft of the output `name`. Fails if that output may not be written.
    pub fn create(out: &OutputDir, name: &str) -> Result<Self, ExportError> {
        out.check(name)?;
        Self::again(out, name)
    }

    /// An empty draft of the output `name`, whether it is there or not.
    pub fn again(out: &OutputDir, name: &str) -> Result<Self, ExportError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = out.path().join(format!(".{name}.{}.{count}.draft", std::process::id()));
        // What an interrupted run with the same process id left behind.
        let _ = fs::remove_file(&path);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        let path = if cfg!(unix) && fs::remove_file(&path).is_ok() { None } else { Some(path) };
        Ok(Self { file, path })
    }

    /// Copies its first `bytes` bytes.
    pub fn copy_to(&mut self, bytes: u64, writer: &mut impl Write) -> io::Result<()> {
        self.copy_part(0..bytes, writer)
    }

    /// Copies some parts of it, those that touch each other in one go.
    pub fn copy_parts(
        &mut self,
        parts: impl Iterator<Item = Range<u64>>,
        writer: &mut impl Write,
    ) -> io::Result<()> {
        let mut whole = 0..0;
        for part in parts {
            if part.start == whole.end {
                whole.end = part.end;
            } else {
                self.copy_part(whole, writer)?;
                whole = part;
            }
        }
        self.copy_part(whole, writer)
    }

    fn copy_part(&mut self, part: Range<u64>, writer: &mut impl Write) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(part.start))?;
        let bytes = part.end - part.start;
        let copied = io::copy(&mut Read::by_ref(&mut self.file).take(bytes), writer)?;
        if copied == bytes { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Draft {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
        }
    }
}

/// Records of one size in a draft.
pub(super) struct Spool {
    draft: Draft,
    record: usize,
    records: u64,
}

impl Spool {
    /// An empty spool for the output `name`, with `record` bytes per record. Fails if that output may not be written.
    pub fn create(out: &OutputDir, name: &str, record: usize) -> Result<Self, ExportError> {
        Ok(Self { draft: Draft::create(out, name)?, record, records: 0 })
    }

    /// Records so far.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Bytes so far.
    pub fn bytes(&self) -> u64 {
        self.records * self.record as u64
    }

    /// Appends a record; if that fails the records before it stay.
    pub fn push(&mut self, record: &[u8]) -> io::Result<()> {
        if record.len() != self.record {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a record of another size"));
        }
        let end = self.bytes();
        self.draft.seek(SeekFrom::Start(end))?;
        if let Err(error) = self.draft.write_all(record) {
            let _ = self.draft.file.set_len(end);
            return Err(error);
        }
        self.records += 1;
        Ok(())
    }

    /// Reads a part of a record.
    pub fn read(&mut self, record: u64, offset: usize, buffer: &mut [u8]) -> io::Result<()> {
        self.draft.seek(SeekFrom::Start(record * self.record as u64 + offset as u64))?;
        self.draft.file.read_exact(buffer)
    }

    /// Copies all records, one after another.
    pub fn copy_to(&mut self, writer: &mut impl Write) -> io::Result<()> {
        self.draft.copy_to(self.bytes(), writer)
    }
}
