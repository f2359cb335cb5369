//! H.264 through the program `ffmpeg`, which gets raw pictures through a pipe.
//!
//! Nothing that a user wrote reaches its command line: it runs in the output folder and writes to a name made here;
//! size and rate are numbers that were checked.
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use super::ExportError;

/// The program, or an error that says what to install.
pub(super) fn find_ffmpeg() -> Result<PathBuf, ExportError> {
    find(&std::env::var_os("PATH").unwrap_or_default()).ok_or(ExportError::Missing {
        program: "ffmpeg",
        purpose: "an mp4 movie",
        advice: "install ffmpeg (on Debian: apt-get install ffmpeg), or export gif or apng, which need nothing",
    })
}

/// The first `ffmpeg` that can be run in these folders. Relative folders are left out: the program runs elsewhere.
fn find(folders: &OsStr) -> Option<PathBuf> {
    let name = format!("ffmpeg{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(folders).filter(|f| f.is_absolute()).map(|f| f.join(&name)).find(|p| runs(p))
}

#[cfg(unix)]
fn runs(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn runs(path: &Path) -> bool {
    path.is_file()
}

/// A running `ffmpeg`. Dropped before its end, it is stopped and what it wrote is removed.
pub(super) struct Encoder {
    child: Child,
    /// What it says on its standard error, the end of it.
    complaints: Option<JoinHandle<String>>,
    path: PathBuf,
}

impl Encoder {
    /// Starts it for pictures of this size, even numbers of pixels.
    pub fn start(program: &Path, folder: &Path, size: (u32, u32), fps: f64) -> Result<Self, ExportError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".movie.{}.{count}.mp4", std::process::id());
        let path = folder.join(&name);
        let _ = fs::remove_file(&path);
        let mut command = Command::new(program);
        command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        command.args(["-hide_banner", "-loglevel", "error", "-f", "rawvideo", "-pixel_format", "rgb24"]);
        command.args(["-video_size", &format!("{}x{}", size.0, size.1), "-framerate", &format!("{fps:.6}")]);
        command.args(["-i", "pipe:0", "-an", "-c:v", "libx264", "-preset", "faster", "-crf", "18"]);
        // No picture is held back, so that an interrupted run need not wait for many.
        command.args(["-tune", "zerolatency"]);
        // Players take the colours of a movie that does not say for those of television.
        let exactly = "accurate_rnd+full_chroma_int+full_chroma_inp";
        let colours = format!("scale=out_color_matrix=bt709:out_range=tv:flags={exactly}");
        command.args(["-vf", &colours, "-pix_fmt", "yuv420p"]);
        command.args(["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]);
        command.args(["-color_range", "tv", "-movflags", "+faststart", "-f", "mp4", "-n"]);
        command.arg(format!("file:{name}"));
        // Ctrl-C in a terminal goes to a whole group of processes; this one must live to complete the movie.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command
            .spawn()
            .map_err(|error| ExportError::Encode(format!("{} cannot be run: {error}", program.display())))?;
        let complaints = child.stderr.take().map(|stderr| std::thread::spawn(move || tail(stderr)));
        Ok(Self { child, complaints, path })
    }

    /// Appends a picture, three bytes per pixel.
    pub fn frame(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        let outcome = match &mut self.child.stdin {
            Some(stdin) => stdin.write_all(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        // It stopped reading: its complaint says more than a broken pipe.
        outcome.map_err(|error| {
            let _ = self.child.kill();
            let _ = self.child.wait();
            self.failure(&error.to_string())
        })
    }

    /// Completes the movie, to be read from its start as long as the encoder lives.
    pub fn finish(&mut self) -> Result<File, ExportError> {
        let _ = self.child.stdin.take();
        let status = self.child.wait()?;
        if !status.success() {
            return Err(self.failure(&status.to_string()));
        }
        Ok(File::open(&self.path)?)
    }

    fn failure(&mut self, otherwise: &str) -> ExportError {
        let said = self.complaints.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        let said = said.trim();
        ExportError::Encode(format!("ffmpeg failed: {}", if said.is_empty() { otherwise } else { said }))
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        let _ = self.child.stdin.take();
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        let _ = fs::remove_file(&self.path);
    }
}

/// Reads to the end, so that the writer never waits, and keeps the last lines.
fn tail(mut from: impl Read) -> String {
    const KEPT: usize = 1500;
    let (mut kept, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        kept.extend_from_slice(&buffer[..count]);
        if kept.len() > KEPT {
            kept.drain(..kept.len() - KEPT);
        }
    }
    String::from_utf8_lossy(&kept).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_found_only_where_it_can_be_run() {
        assert_eq!(find(OsStr::new("")), None);
        assert_eq!(find(OsStr::new("relative/folder")), None);
        assert_eq!(find(std::env::temp_dir().join("no such folder").as_os_str()), None);
    }

    #[test]
    fn keeps_the_end_of_a_long_complaint() {
        let text = tail(io::Cursor::new([vec![b'a'; 100_000], b"the reason".to_vec()].concat()));
        assert!(text.len() <= 1500 && text.ends_with("the reason"));
    }
}
