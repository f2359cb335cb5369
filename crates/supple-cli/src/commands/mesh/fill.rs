//! `supple mesh fill`: from a surface to a body.
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use miette::IntoDiagnostic;
use supple::mesh::fill::{
    Cavities, FillReport, FillSettings, Fineness, Kind, PartsKept, Surface, fill_with, measure,
};
use supple::mesh::io::{RawMesh, write};
use supple::mesh::{Embedding, TetMesh};
use supple_files::input::{format_of, read_mesh};
use supple_files::memory;
use supple_files::output::OutputDir;

use crate::export::npz_arrays;

/// Fill a surface with tetrahedra
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The surface: .obj, .ply, .stl, .gltf, .glb, or any mesh file with triangles
    input: PathBuf,
    /// Size of the lattice in m
    #[arg(long, value_name = "M", conflicts_with = "tets")]
    size: Option<f64>,
    /// About this number of tetrahedra
    #[arg(long, value_name = "N")]
    tets: Option<usize>,
    /// conform: nodes on the surface; grow: a little beyond it; cage: whole lattice tetrahedra
    #[arg(long, value_name = "KIND", default_value = "conform")]
    kind: KindName,
    /// Shells that face inwards and lie in others: keep them hollow, or fill them
    #[arg(long, value_name = "WHAT", default_value = "keep")]
    cavities: CavitiesName,
    /// Parts that share no face: all, or the largest
    #[arg(long, value_name = "WHICH", default_value = "all")]
    parts: PartsName,
    /// The mesh file to write: .msh, .vtu or .vtk keep fill fractions
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Also write how the surface's vertices ride in the tetrahedra: arrays tets (n) and weights (n, 4)
    #[arg(long, value_name = "FILE.npz")]
    skin: Option<PathBuf>,
    /// Number of threads; 0 uses all cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
    /// Print errors only
    #[arg(long, short)]
    quiet: bool,
}

/// A surface that cannot be filled, or a file that cannot hold the body: wrong input.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{0}")]
pub(crate) struct Refused(String);

/// Names of [`Kind`].
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum KindName {
    Conform,
    Grow,
    Cage,
}

/// Names of [`Cavities`].
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum CavitiesName {
    Keep,
    Fill,
}

/// Names of [`PartsKept`].
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum PartsName {
    All,
    Largest,
}

/// Runs the verb.
pub fn run(args: &Args) -> miette::Result<()> {
    let format = format_of(&args.output)?;
    if !format.holds_tets() {
        let output = args.output.display();
        return Err(
            Refused(format!("{output}: this format has no tetrahedra; use .msh, .vtu or .vtk")).into()
        );
    }
    let mesh = read_mesh(&args.input)?;
    let settings = FillSettings {
        fineness: match (args.size, args.tets) {
            (Some(size), _) => Fineness::Size(size),
            (None, Some(tets)) => Fineness::Tets(tets),
            (None, None) => Fineness::Default,
        },
        kind: match args.kind {
            KindName::Conform => Kind::Conform,
            KindName::Grow => Kind::Grow,
            KindName::Cage => Kind::Cage,
        },
        cavities: match args.cavities {
            CavitiesName::Keep => Cavities::Keep,
            CavitiesName::Fill => Cavities::Fill,
        },
        parts: match args.parts {
            PartsName::All => PartsKept::All,
            PartsName::Largest => PartsKept::Largest,
        },
        threads: args.threads,
        ..FillSettings::default()
    };
    let skin_name = args.skin.as_deref();
    let (folder, name) = place(&args.output, args.force)?;
    let skin_place = skin_name.map(|path| place(path, args.force)).transpose()?;
    let (body, report) = fill_surface(&args.input, &mesh, &settings, args.quiet)?;
    let mut bytes = Vec::new();
    write(format, &RawMesh::from(&body), &mut bytes).into_diagnostic()?;
    let mut text = report_text(&report);
    let path = folder.write_bytes(&name, &bytes)?;
    text.push_str(&format!("{}\n", path.display()));
    if let Some((folder, name)) = skin_place {
        let skin = Embedding::new(&body, &mesh.vertices).into_diagnostic()?;
        let tets: Vec<i64> = skin.tets().iter().map(|&t| i64::from(t)).collect();
        let weights = skin.weights().as_flattened();
        let bytes = npz_arrays(&[("tets", &tets)], &[("weights", weights, 4)]).into_diagnostic()?;
        let path = folder.write_bytes(&name, &bytes)?;
        text.push_str(&format!("{}\n", path.display()));
    }
    if !format.holds_fill() && !body.fill().is_empty() {
        text.push_str("warning: this format does not keep the fill fractions; use .msh, .vtu or .vtk\n");
    }
    if !args.quiet {
        std::io::stdout().write_all(text.as_bytes()).into_diagnostic()?;
    }
    Ok(())
}

/// The folder and name of a file to write.
fn place(path: &Path, force: bool) -> miette::Result<(OutputDir, String)> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let folder = OutputDir::create(folder, force)?;
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    folder.check(&name)?;
    Ok((folder, name))
}

/// Fills with a progress bar.
pub(crate) fn fill_surface(
    path: &Path,
    mesh: &RawMesh,
    settings: &FillSettings,
    quiet: bool,
) -> miette::Result<(TetMesh, FillReport)> {
    if mesh.triangles.is_empty() || !mesh.tets.is_empty() {
        let reason = if mesh.tets.is_empty() { "has no triangles" } else { "has tetrahedra already" };
        return Err(Refused(format!("{}: {reason}; only surfaces are filled", path.display())).into());
    }
    let settings = FillSettings { memory: memory::limit().unwrap_or(settings.memory), ..settings.clone() };
    let bar = ProgressBar::new(100);
    if quiet || !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {msg}") {
        bar.set_style(style);
    }
    let surface = Surface { vertices: &mesh.vertices, triangles: &mesh.triangles };
    let shown = bar.clone();
    let made = fill_with(&surface, &settings, &mut |p| {
        shown.set_position((100.0 * p.done) as u64);
        shown.set_message(format!("{} (pass {})", p.stage.as_str(), p.pass));
        true
    });
    bar.finish_and_clear();
    made.map_err(|e| Refused(format!("{}: {e}", path.display())).into())
}

/// A report as text.
pub(crate) fn report_text(report: &FillReport) -> String {
    let mut out = String::new();
    let mut row = |name: &str, value: String| out.push_str(&format!("{name:<14} {value}\n"));
    let kind = match report.kind {
        Kind::Conform => "conform",
        Kind::Grow => "grow",
        Kind::Cage => "cage",
    };
    row("kind", format!("{kind}, size {:.4e} m", report.size));
    row("nodes", report.nodes.to_string());
    row("tetrahedra", report.tets.to_string());
    let [low, high] = report.dihedral.map(f64::to_degrees);
    row("angles", format!("{low:.1}° … {high:.1}°"));
    row("volume", format!("{:.4e} m³", report.volume));
    if let Some(error) = report.volume_error {
        row("volume error", format!("{:+.2} %", 100.0 * error));
    }
    row("lost area", format!("{:.2} %", 100.0 * report.lost_area));
    row("parts", report.parts.to_string());
    if let Some([thin, middle]) = report.thickness {
        row("thickness", format!("{thin:.3e} m (5 %), {middle:.3e} m (50 %)"));
    }
    row("seconds", format!("{:.3}", report.seconds));
    report.notes().iter().for_each(|note| out.push_str(&format!("- {note}\n")));
    out
}

/// What there is to know of a surface before it is filled, as text.
pub(crate) fn describe(mesh: &RawMesh) -> String {
    const TETS: [usize; 3] = [5000, 20_000, 100_000];
    let surface = Surface { vertices: &mesh.vertices, triangles: &mesh.triangles };
    let found = match measure(&surface, &TETS) {
        Ok(found) => found,
        Err(e) => return format!("cannot be filled: {e}\n"),
    };
    let mut out = String::from("as a body to fill\n");
    let closed = if found.closed { "closed" } else { "open: the winding number closes it" };
    out.push_str(&format!("  surface    {closed}\n"));
    out.push_str(&format!("  volume     {:.4e} m³\n", found.volume));
    if let Some([thin, middle]) = found.thickness {
        out.push_str(&format!("  thickness  {thin:.3e} m (5 %), {middle:.3e} m (50 %)\n"));
    }
    for (n, size) in TETS.iter().zip(&found.sizes) {
        out.push_str(&format!("  {n:>6} tetrahedra: size {size:.3e} m\n"));
    }
    found.cleaned.iter().for_each(|note| out.push_str(&format!("  {note}\n")));
    out
}
