//! Records that wait on disk until the file that they belong to can be written.
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::ExportError;
use crate::files::OutputDir;

/// Records of one size in a temporary file, in the output folder, where there is room for them if there is for the
/// result. It vanishes with the value; on Unix it has no name to begin with, so that nothing is left even by a kill.
pub(super) struct Spool {
    file: File,
    path: Option<PathBuf>,
    record: usize,
    records: u64,
}

impl Spool {
    /// An empty spool for the output `name`, with `record` bytes per record. Fails if that output may not be written.
    pub fn create(out: &OutputDir, name: &str, record: usize) -> Result<Self, ExportError> {
        out.check(name)?;
        let path = out.path().join(format!(".{name}.{}.spool", std::process::id()));
        // What an interrupted run with the same process id left behind.
        let _ = fs::remove_file(&path);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        let path = if cfg!(unix) && fs::remove_file(&path).is_ok() { None } else { Some(path) };
        Ok(Self { file, path, record, records: 0 })
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
        self.file.seek(SeekFrom::Start(end))?;
        if let Err(error) = self.file.write_all(record) {
            let _ = self.file.set_len(end);
            return Err(error);
        }
        self.records += 1;
        Ok(())
    }

    /// Reads a part of a record.
    pub fn read(&mut self, record: u64, offset: usize, buffer: &mut [u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(record * self.record as u64 + offset as u64))?;
        self.file.read_exact(buffer)
    }

    /// Copies all records, one after another.
    pub fn copy_to(&mut self, writer: &mut impl Write) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        let wanted = self.bytes();
        let copied = io::copy(&mut Read::by_ref(&mut self.file).take(wanted), writer)?;
        if copied == wanted { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
        }
    }
}
