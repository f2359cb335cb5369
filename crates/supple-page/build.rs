//! Builds the page of the viewer from `web/` if npm is there, so that the program can carry it; without npm, or without a
//! network, the program is built without the page and says so when it is asked for it.
//!
//! The page is kept below the target folder under a name made of its sources: npm works only when these have changed. Nothing
//! is written outside of the target folder.
#![allow(clippy::print_stdout)]

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Longest time for npm to fetch two packages, and for the bundler. A network that is slower does not stop the build.
const NPM: Duration = Duration::from_secs(120);
const BUNDLER: Duration = Duration::from_secs(60);
/// What the page is made of, besides `src/`.
const FILES: [&str; 4] = ["package.json", "package-lock.json", "build.mjs", "index.html"];

fn main() {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
    let Some(out) = std::env::var_os("OUT_DIR").map(PathBuf::from) else { return };
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SUPPLE_WEB");
    for name in FILES.iter().chain(&["src"]) {
        println!("cargo::rerun-if-changed={}", web.join(name).display());
    }
    let page = page(&web, &out);
    if let Err(reason) = &page {
        println!("cargo::warning=the viewer's page was not built: {reason}");
    }
    // A constant for src/lib.rs: the page, or why there is none.
    let code = match page {
        Ok(path) => {
            format!("/// The page.\npub const BUILT: Result<&str, &str> = Ok(include_str!({:?}));\n", path)
        }
        Err(reason) => format!("/// The page.\npub const BUILT: Result<&str, &str> = Err({reason:?});\n"),
    };
    if let Err(e) = fs::write(out.join("page.rs"), code) {
        println!("cargo::error=cannot write {}: {e}", out.join("page.rs").display());
    }
}

/// The file of the page, built if need be.
fn page(web: &Path, out: &Path) -> Result<PathBuf, String> {
    if std::env::var_os("SUPPLE_WEB").is_some_and(|v| v == "off") {
        return Err("SUPPLE_WEB=off was set".into());
    }
    let sources = sources(web)?;
    let mut hash = DefaultHasher::new();
    sources.hash(&mut hash);
    // target/PROFILE/build/PACKAGE/out: shared by all profiles.
    let shelf = out.ancestors().nth(4).unwrap_or(out).join("viewer-page");
    let kept = shelf.join(format!("{:016x}.html", hash.finish()));
    if kept.is_file() {
        return Ok(kept);
    }
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    run(Command::new(npm).arg("--version"), NPM, "npm (which comes with Node.js) was not found")?;

    let work = out.join("web");
    let same_packages = FILES[..2].iter().all(|f| fs::read(work.join(f)).ok() == fs::read(web.join(f)).ok());
    let _ = fs::remove_dir_all(work.join("src"));
    for (name, bytes) in &sources {
        let path = work.join(name);
        let folder = path.parent().unwrap_or(&work);
        fs::create_dir_all(folder).and_then(|()| fs::write(&path, bytes)).map_err(|e| e.to_string())?;
    }
    if !same_packages || !work.join("node_modules/.package-lock.json").is_file() {
        let mut install = Command::new(npm);
        install.args(["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]);
        install.args(["--fetch-retries=1", "--fetch-timeout=20000", "--loglevel=error"]).current_dir(&work);
        run(&mut install, NPM, "npm could not fetch the packages of web/package-lock.json")?;
    }
    let mut bundle = Command::new("node");
    bundle.args(["build.mjs", "viewer.html"]).current_dir(&work);
    run(&mut bundle, BUNDLER, "the bundler failed")?;
    // By way of a name of this process, so that no one sees half a page.
    let draft = shelf.join(format!("{}.draft", std::process::id()));
    fs::create_dir_all(&shelf)
        .and_then(|()| fs::copy(work.join("viewer.html"), &draft))
        .and_then(|_| fs::rename(&draft, &kept))
        .map_err(|e| format!("cannot keep the page in {}: {e}", shelf.display()))?;
    Ok(kept)
}

/// All source files with their names, in order.
fn sources(web: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut names: Vec<String> = FILES.map(String::from).to_vec();
    let folder = fs::read_dir(web.join("src"))
        .map_err(|_| "the folder web/ is missing: build from a checkout of the repository".to_string())?;
    for entry in folder {
        let name = entry.map_err(|e| e.to_string())?.file_name().to_string_lossy().into_owned();
        names.push(format!("src/{name}"));
    }
    names.sort();
    let read = |n: String| match fs::read(web.join(&n)) {
        Ok(bytes) => Ok((n, bytes)),
        Err(e) => Err(format!("web/{n}: {e}")),
    };
    names.into_iter().map(read).collect()
}

/// Runs a command for at most `limit`; if it fails, says `wrong` and the last line that it wrote.
fn run(command: &mut Command, limit: Duration, wrong: &str) -> Result<(), String> {
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|e| format!("{wrong} ({e})"))?;
    let mut errors = child.stderr.take();
    // A thread, since a full pipe would stop the command.
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = errors.as_mut().map(|e| e.read_to_end(&mut text));
        String::from_utf8_lossy(&text).into_owned()
    });
    let end = Instant::now() + limit;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(_)) => break,
            Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(20)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("{wrong} (it took longer than {} s)", limit.as_secs()));
            }
        }
    }
    let text = reader.join().unwrap_or_default();
    let last = text.lines().map(str::trim).rfind(|l| !l.is_empty() && !l.contains("complete log"));
    Err(format!("{wrong} ({})", last.unwrap_or("it said nothing")))
}
