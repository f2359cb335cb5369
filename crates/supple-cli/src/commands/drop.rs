//! `supple drop`: one surface, filled, falls on the floor.
use std::path::{Path, PathBuf};

use miette::miette;
use supple::mesh::io::Format as MeshFormat;
use supple_files::input::{format_of, read_mesh};
use supple_files::load::Loaded;

use super::Failure;
use super::run::{Options, simulate};
use super::view;
use crate::dropped;
pub(super) use crate::dropped::TETS;
use crate::export::Format;

/// Fill a surface, let it fall on the floor, and write pictures and a .glb
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The surface
    file: PathBuf,
    /// About this number of tetrahedra
    #[arg(long, value_name = "N", default_value_t = TETS)]
    tets: usize,
    /// Open it in the browser, where it can be pulled
    #[arg(long)]
    view: bool,
    /// Print the scene file instead of running it
    #[arg(long, conflicts_with = "view")]
    print: bool,
    #[command(flatten)]
    options: Options,
}

/// Runs the verb.
pub fn run(args: &Args) -> Result<(), Failure> {
    let text = scene(&args.file, args.tets)?;
    if args.print {
        use std::io::Write;
        return std::io::stdout()
            .write_all(text.as_bytes())
            .map_err(|e| Failure::run(miette!("cannot print the scene: {e}")));
    }
    let mut set = args.options.set.clone();
    if let Some(n) = args.options.threads {
        set.push(format!("solve.threads={n}"));
    }
    if args.options.statics {
        set.push("time.mode=static".into());
    }
    let loaded = load(&args.file, text, &set)?;
    let name = stem(&args.file);
    if args.view {
        return view::serve_loaded(&name, &loaded);
    }
    simulate(&loaded, &name, &args.options, &[Format::Glb, Format::Png, Format::Gif])
}

/// Whether a file is a surface that can be dropped.
pub(super) fn is_surface(path: &Path) -> bool {
    matches!(format_of(path), Ok(MeshFormat::Obj | MeshFormat::Ply | MeshFormat::Stl | MeshFormat::Gltf))
}

/// Parses the text of the scene of a surface.
pub(super) fn load(path: &Path, text: String, set: &[String]) -> Result<Loaded, Failure> {
    let folder = path.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf);
    Loaded::parse(&path.display().to_string(), text, Some(folder), set).map_err(Failure::load)
}

/// The name of a file without its extension.
pub(super) fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "body".into(), |s| s.to_string_lossy().into_owned())
}

/// The text of the scene of a surface.
pub(super) fn scene(path: &Path, tets: usize) -> Result<String, Failure> {
    let mesh = read_mesh(path).map_err(Failure::input)?;
    let file = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let text = dropped::scene(&mesh, &stem(path), &file, tets);
    text.map_err(|e| Failure::input(miette!("{}: {e}", path.display())))
}
