//! `supple view`: a scene, live in the browser.
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use miette::{IntoDiagnostic, miette};
use supple::scene::parse::nearest;
use supple_files::load::Loaded;

use super::{Failure, drop};
use crate::scenes;
use crate::view::{Options, Recipe, Server, guard};

/// Variable with a token to use instead of a random one, so that a page finds the server again when it is restarted.
const TOKEN: &str = "SUPPLE_VIEW_TOKEN";

/// Open a scene in the browser, running live
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scene: a TOML file, the name of a built-in one, or a surface (.obj, .ply, .stl, .gltf, .glb), which is filled and dropped
    #[arg(default_value = scenes::ALL[0].name)]
    scene: PathBuf,
    /// Port; 0 picks a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Print the address without opening a browser
    #[arg(long)]
    no_open: bool,
    /// Number of threads, overriding the scene; 0 uses all cores
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Set a value of the scene, for example solve.iterations=50 or body.beam.material.young=2e5
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Also allow the scene to read meshes from this folder
    #[arg(long, value_name = "DIR")]
    allow_dir: Vec<PathBuf>,
}

/// Serves a scene until it is interrupted.
pub fn run(args: &Args) -> Result<(), Failure> {
    // Before anything is built.
    supple_page::embedded().map_err(|e| Failure::run(miette!("{e}")))?;
    let mut set = args.set.clone();
    if let Some(n) = args.threads {
        set.push(format!("solve.threads={n}"));
    }
    let recipe = find(&args.scene, &set, &args.allow_dir)?;
    serve(recipe, args.port, !args.no_open)
}

/// Serves a scene that is there already, and opens it.
pub(super) fn serve_loaded(name: &str, loaded: &Loaded) -> Result<(), Failure> {
    serve(Recipe::new(name, loaded, &[]).map_err(Failure::load)?, 0, true)
}

fn serve(recipe: Recipe, port: u16, browser: bool) -> Result<(), Failure> {
    let page = supple_page::embedded().map_err(|e| Failure::run(miette!("{e}")))?;
    let token = match std::env::var(TOKEN) {
        Ok(token) if token.len() >= 16 && token.bytes().all(|b| b.is_ascii_alphanumeric()) => token,
        Ok(_) => {
            return Err(Failure::input(miette!(
                "{TOKEN} must be at least 16 letters and digits, and nothing else"
            )));
        }
        Err(_) => guard::random_token().map_err(|e| Failure::run(miette!("{e}")))?,
    };
    let options = Options { port, token, page: page.clone() };
    let server = Server::start(recipe, &options).map_err(|e| Failure::input(miette!("{e}")))?;
    let address = server.address();
    let mut out = std::io::stdout();
    let text = format!("{address}\n");
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).into_diagnostic().map_err(Failure::run)?;
    if browser && !open(&address) {
        let _ = std::io::stderr().write_all(b"no browser was found: open the address above\n");
    }
    let handle = server.handle();
    // A second handler in one process is refused: then the first one is at work already.
    let _ = ctrlc::set_handler(move || handle.end());
    server.run().into_diagnostic().map_err(Failure::run)
}

/// The scene of a path or of a name.
fn find(scene: &Path, set: &[String], allowed: &[PathBuf]) -> Result<Recipe, Failure> {
    let name = scene.to_string_lossy();
    let built_in = scenes::find(&name).filter(|_| !scene.exists());
    if built_in.is_none() && !scene.exists() && scene.extension().is_none() {
        let hint = nearest(&name, scenes::ALL.iter().map(|s| s.name)).map_or_else(
            || "`supple demo --list` lists those built in".into(),
            |n| format!("did you mean {n}?"),
        );
        return Err(Failure::input(miette!(
            help = hint,
            "there is no scene {name:?}, as a file or built in"
        )));
    }
    let (loaded, name) = match built_in {
        Some(s) => {
            let named = format!("{} (built in)", s.name);
            (Loaded::parse(&named, s.text.to_string(), None, set), s.name.to_string())
        }
        None if drop::is_surface(scene) => {
            // A surface is filled and falls on the floor.
            let text = drop::scene(scene, drop::TETS)?;
            (Ok(drop::load(scene, text, set)?), drop::stem(scene))
        }
        None => {
            let stem = scene.file_stem().map_or_else(|| "scene".into(), |s| s.to_string_lossy().into_owned());
            (Loaded::read(scene, set), stem)
        }
    };
    let loaded = loaded.map_err(Failure::load)?;
    Recipe::new(&name, &loaded, allowed).map_err(Failure::load)
}

/// Opens an address in the user's browser; false if there is no way to.
fn open(address: &str) -> bool {
    let (program, words): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(words).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
