//! `supple site`: the page with its solver as a folder for any web server.
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use miette::miette;
use supple_files::input::read_file;
use supple_files::output::OutputDir;

use super::Failure;

/// Write the viewer as a folder for any web server: everything is solved in the visitor's browser
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder
    #[arg(long, value_name = "DIR", default_value = "site")]
    out: PathBuf,
    /// The solver for the browser; by default where scripts/site leaves it
    #[arg(long, value_name = "FILE")]
    wasm: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

/// Where scripts/site leaves the solver, and where a package may have it.
fn places() -> Vec<PathBuf> {
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    let mut all: Vec<PathBuf> = beside.iter().map(|folder| folder.join("supple.wasm")).collect();
    all.extend(beside.iter().filter_map(|folder| Some(folder.parent()?.join("site/supple.wasm"))));
    all.push("target/site/supple.wasm".into());
    all
}

/// Writes the folder.
pub fn run(args: &Args) -> Result<(), Failure> {
    let page = supple_page::embedded().map_err(|e| Failure::run(miette!("{e}")))?;
    let found = args.wasm.clone().or_else(|| places().into_iter().find(|p| p.is_file()));
    let wasm = found.ok_or_else(|| {
        Failure::input(miette!(
            help = "`scripts/site` in a checkout of the repository builds it; --wasm FILE names one",
            "the solver for the browser, supple.wasm, was not found"
        ))
    })?;
    let module = read_file(&wasm).map_err(Failure::input)?;
    if !module.starts_with(b"\0asm") {
        return Err(Failure::input(miette!("{}: this is not a WebAssembly module", wasm.display())));
    }
    let mut hash = DefaultHasher::new();
    (&page.html, &module).hash(&mut hash);
    let (html, offline) = page.site(&format!("{:016x}", hash.finish()));
    let out = OutputDir::create(&args.out, args.force).map_err(Failure::input)?;
    let files: [(&str, &[u8]); 3] =
        [("index.html", html.as_bytes()), ("supple.wasm", &module), ("offline.js", offline.as_bytes())];
    for (name, _) in files {
        out.check(name).map_err(Failure::input)?;
    }
    for (name, bytes) in files {
        out.write_bytes(name, bytes).map_err(Failure::run)?;
    }
    Ok(())
}
