//! Killed at any moment: what stands under its final name is whole, and `--resume` ends with the same bytes.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const FRAMES: usize = 150;
const SCENE: &str = r#"version = 1
[time]
dt = 0.04
frames = 150
[solve]
threads = 1
[[body]]
name = "beam"
shape = { kind = "box", size = [1.0, 0.25, 0.25], cells = [6, 2, 2] }
material = { kind = "neo_hookean", young = 1e5, poisson = 0.4, density = 1000.0 }
[[pin]]
body = "beam"
select = { ids = [0, 7, 14] }
"#;

fn supple(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_supple"));
    command.args(["run", "beam.toml", "--quiet", "--checkpoint-every", "1"]).args(words).current_dir(folder);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn checkpoints(folder: &Path) -> Vec<PathBuf> {
    let all = std::fs::read_dir(folder).into_iter().flatten().map(|e| e.unwrap().path());
    let mut all: Vec<_> = all.filter(|p| p.extension().is_some_and(|e| e == "checkpoint")).collect();
    all.sort();
    all
}

/// 50 runs are killed (signal 9) at moments spread at random over the time that a whole run takes; the seed is fixed, the moments are not
/// quite, since a process takes its time.
#[test]
fn a_killed_run_goes_on_to_the_same_bytes() {
    let folder = std::env::temp_dir().join(format!("supple-killed-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("beam.toml"), SCENE).unwrap();
    let begun = Instant::now();
    assert!(supple(&folder, &["--out", "whole"]).status().unwrap().success());
    let whole = begun.elapsed();
    let wanted = checkpoints(&folder.join("whole"));
    assert_eq!(wanted.len(), FRAMES);
    let bytes = |path: &Path| std::fs::read(path).unwrap();

    let (mut seed, mut midway) = (0x9e37_79b9_u64, 0);
    for trial in 0..50 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let moment = whole.mul_f64((seed >> 40) as f64 / (1u64 << 24) as f64);
        let out = format!("out{trial}");
        let mut child = supple(&folder, &["--out", &out]).spawn().unwrap();
        std::thread::sleep(moment.max(Duration::from_millis(1)));
        // `kill` of the standard library is signal 9.
        child.kill().unwrap();
        child.wait().unwrap();
        let done = checkpoints(&folder.join(&out));
        for (number, path) in done.iter().enumerate() {
            assert!(path.file_name() == wanted[number].file_name(), "trial {trial}: {path:?}");
            assert!(bytes(path) == bytes(&wanted[number]), "trial {trial}: {path:?} is not whole");
        }
        midway += usize::from(!done.is_empty() && done.len() < FRAMES);
        let Some(last) = done.last().filter(|_| done.len() < FRAMES) else { continue };
        let rest = format!("rest{trial}");
        let go_on =
            supple(&folder, &["--out", &rest, "--resume", &last.display().to_string()]).status().unwrap();
        assert!(go_on.success(), "trial {trial}");
        let end = checkpoints(&folder.join(&rest));
        assert!(
            bytes(end.last().unwrap()) == bytes(&wanted[FRAMES - 1]),
            "trial {trial}: another end after {} frames",
            done.len()
        );
        let _ = std::fs::remove_dir_all(folder.join(&out));
        let _ = std::fs::remove_dir_all(folder.join(&rest));
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(midway >= 10, "only {midway} runs were killed on their way");
}

/// A folder that cannot be written to, and a disk that is full: an error that names the file, nothing half-written.
#[test]
fn what_cannot_be_written_is_an_error() {
    let folder = std::env::temp_dir().join(format!("supple-unwritten-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("small")).unwrap();
    std::fs::write(folder.join("beam.toml"), SCENE).unwrap();
    // A file where the folder should be.
    std::fs::write(folder.join("file"), "x").unwrap();
    let told = supple(&folder, &["--out", "file/out"]).stderr(Stdio::piped()).output().unwrap();
    let words = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(matches!(told.status.code(), Some(1 | 2)) && words.contains("file/out"), "{words}");
    // Mounting needs rights that CI has and a person may lack.
    let small = folder.join("small");
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&small).status();
    if mount.is_ok_and(|s| s.success()) {
        let told = supple(&folder, &["--out", "small/out"]).stderr(Stdio::piped()).output().unwrap();
        let words = String::from_utf8_lossy(&told.stderr).into_owned();
        let sizes: Vec<u64> =
            checkpoints(&small.join("out")).iter().map(|p| p.metadata().unwrap().len()).collect();
        let left: Vec<_> = std::fs::read_dir(small.join("out")).unwrap().map(|e| e.unwrap().path()).collect();
        let _ = Command::new("umount").arg(&small).status();
        assert_eq!(told.status.code(), Some(1), "{words}");
        assert!(words.contains("beam-") && !words.contains("panicked"), "{words}");
        assert!(!sizes.is_empty() && sizes.iter().all(|s| *s == sizes[0]), "{sizes:?}");
        assert_eq!(left.len(), sizes.len(), "{left:?}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}
