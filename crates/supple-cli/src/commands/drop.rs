//! `supple drop`: one surface, filled, falls on the floor.
use std::path::{Path, PathBuf};

use miette::miette;
use supple::mesh::fill::{FillError, FillSettings, Kind, Surface, fill};
use supple::mesh::io::{Format as MeshFormat, RawMesh};

use super::Failure;
use super::run::{Options, simulate};
use super::view;
use crate::export::Format;
use crate::input::{format_of, read_mesh};
use crate::load::Loaded;
use crate::memory;

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

/// Tetrahedra if nothing is said.
pub(super) const TETS: usize = 6000;

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

/// The kind of fill, as the scene has it: a cage for what is too thin to be filled otherwise. What neither fills is refused here, where the message
/// is about the surface and not about a scene that nobody wrote.
fn kind(mesh: &RawMesh, tets: usize) -> Result<&'static str, FillError> {
    let surface = Surface { vertices: &mesh.vertices, triangles: &mesh.triangles };
    let settings = FillSettings { memory: memory::limit().unwrap_or(u64::MAX), ..FillSettings::tets(tets) };
    let Err(why) = fill(&surface, &settings) else { return Ok("") };
    fill(&surface, &settings.kind(Kind::Cage)).map_or(Err(why), |_| Ok(", kind = \"cage\""))
}

/// The scene: the surface half of its height above a floor at 0.
pub(super) fn scene(path: &Path, tets: usize) -> Result<String, Failure> {
    let mesh = read_mesh(path).map_err(Failure::input)?;
    if mesh.triangles.is_empty() || !mesh.tets.is_empty() {
        let reason = if mesh.tets.is_empty() { "has no triangles" } else { "has tetrahedra already" };
        return Err(Failure::input(miette!("{}: {reason}; only surfaces are dropped", path.display())));
    }
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for p in &mesh.vertices {
        low = std::array::from_fn(|c| low[c].min(p[c]));
        high = std::array::from_fn(|c| high[c].max(p[c]));
    }
    let size = (0..3).map(|c| (high[c] - low[c]).powi(2)).sum::<f64>().sqrt();
    if !(size > 0.0 && size.is_finite()) {
        return Err(Failure::input(miette!("{}: all its vertices are the same point", path.display())));
    }
    let kind = kind(&mesh, tets).map_err(|e| Failure::input(miette!("{}: {e}", path.display())))?;
    let file = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    // Some seconds of a body of a metre; smaller ones fall sooner.
    let dt = (size / 9.8).sqrt() / 15.0;
    // Its own weight presses a body of this stiffness by about a fiftieth of its height.
    let young = 50.0 * 1000.0 * 9.8 * size;
    let fall = (0.5 * (high[1] - low[1])).max(0.05 * size);
    let lift = [-0.5 * (low[0] + high[0]), fall - low[1], -0.5 * (low[2] + high[2])];
    // What JSON escapes, TOML escapes alike.
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    Ok(format!(
        "version = 1\n\n[time]\ndt = {dt:?}\nframes = 45\n\n[[body]]\nname = {name}\nmesh = {file}\nfill = {{ tets = {tets}{kind} }}\nskin = true\n\
         translate = {lift:?}\nmaterial = {{ kind = \"stable_neo_hookean\", young = {young:?}, poisson = 0.4, density = 1000.0 }}\n\
         damping = {{ stiffness = {damp:?} }}\n\n[[obstacle]]\nname = \"floor\"\nshape = {{ kind = \"half_space\", point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }}\nfriction = 0.5\n",
        name = quoted(&stem(path)),
        file = quoted(&file),
        damp = 0.1 * dt,
    ))
}
