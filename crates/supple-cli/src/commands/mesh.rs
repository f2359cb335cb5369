//! `supple mesh`: look at mesh files, convert them, fill surfaces.
pub(crate) mod fill;

use std::io::Write;
use std::path::{Path, PathBuf};

use miette::IntoDiagnostic;
use supple::mesh::io::{Format, RawMesh, write};
use supple::mesh::quality::{BARS, Report, inspect};
use supple_files::input::{format_of, read_mesh};
use supple_files::output::OutputDir;

/// Inspect, fill and convert mesh files
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Print a mesh's counts, size, quality and problems
    ///
    /// Reads TetGen (.node, .ele), Gmsh (.msh), Medit (.mesh), VTK (.vtk, .vtu) and surfaces (.obj, .ply, .stl, .gltf, .glb).
    /// Exits with code 2 if the file is invalid.
    Info {
        /// The mesh file
        file: PathBuf,
    },
    /// Fill a surface with tetrahedra
    ///
    /// Takes any triangles: holes, overlaps, turned ones. Prints what was done, and writes fill fractions as cell data `fill` (.msh, .vtu,
    /// .vtk). Without --size and --tets the size is a thirtieth of the bounding box's diagonal. See docs/meshing.md.
    Fill(fill::Args),
    /// Convert a mesh to the format of the output's extension
    ///
    /// Writes .node with .ele, .msh 2.2, .mesh, .vtk, .vtu; and of surfaces, or of the surface of tetrahedra, .obj, .ply, .stl.
    Convert {
        /// The mesh file to read
        input: PathBuf,
        /// The mesh file to write
        output: PathBuf,
        /// Overwrite existing files
        #[arg(long)]
        force: bool,
    },
}

fn say(text: &str) -> miette::Result<()> {
    std::io::stdout().write_all(text.as_bytes()).into_diagnostic()
}

/// Runs the verb.
pub fn run(args: &Args) -> miette::Result<()> {
    match &args.verb {
        Verb::Info { file } => info(file),
        Verb::Fill(args) => fill::run(args),
        Verb::Convert { input, output, force } => convert(input, output, *force),
    }
}

fn info(file: &Path) -> miette::Result<()> {
    let mesh = read_mesh(file)?;
    let report = inspect(&mesh.vertices, &mesh.tets, &mesh.triangles);
    say(&describe(&mesh, &report))?;
    if mesh.tets.is_empty() { say(&fill::describe(&mesh)) } else { Ok(()) }
}

/// Everything about a mesh, as text.
fn describe(mesh: &RawMesh, report: &Report) -> String {
    let mut out = String::new();
    let mut row = |name: &str, value: String| out.push_str(&format!("{name:<14} {value}\n"));
    row("nodes", mesh.vertices.len().to_string());
    row("tetrahedra", mesh.tets.len().to_string());
    row(
        "triangles",
        format!("{} listed, {} on the boundary", mesh.triangles.len(), report.boundary.triangles),
    );
    let [low, high] = report.bounds;
    for (axis, (low, high)) in ["x", "y", "z"].iter().zip(low.iter().zip(high)) {
        row(&format!("bounds {axis}"), format!("{low:.6} … {high:.6} m"));
    }
    if let Some(volume) = report.volume {
        row("volume", format!("{volume:.6e} m³"));
    }
    row("surface", format!("{:.6e} m²", report.area));
    if let Some(edges) = report.edges {
        row("edges", format!("{:.4e} … {:.4e} m, mean {:.4e}", edges.min, edges.max, edges.mean));
    }
    row("parts", format!("{} bodies, {} surfaces", report.components, report.boundary.parts));
    let closed = if report.boundary.open_edges == 0 { "closed" } else { "open" };
    row("boundary", format!("{closed}, {} non-manifold edges", report.boundary.non_manifold_edges));
    if let (Some(quality), Some(angles)) = (report.quality, report.dihedral) {
        let worst = report.worst.map_or(String::new(), |worst| format!(" (tetrahedron {worst})"));
        row("quality", format!("{:.3}{worst} … {:.3}, mean {:.3}", quality.min, quality.max, quality.mean));
        row("angles", format!("{:.1}° … {:.1}°", angles.min.to_degrees(), angles.max.to_degrees()));
        out.push_str(&bars(&report.histogram));
    }
    if !mesh.groups.is_empty() {
        out.push_str("groups\n");
        for group in &mesh.groups {
            let (name, nodes, tets) = (&group.name, group.nodes.len(), group.tets.len());
            out.push_str(&format!("  {name}: {nodes} nodes, {tets} tetrahedra\n"));
        }
    }
    list(&mut out, "notes", &mesh.notes);
    if report.problems.is_empty() {
        out.push_str("no problems found\n");
    }
    list(&mut out, "problems", &report.problems);
    out
}

fn list(out: &mut String, title: &str, lines: &[String]) {
    if !lines.is_empty() {
        out.push_str(&format!("{title}\n"));
        lines.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
    }
}

/// The histogram of qualities, the fullest bar 40 characters long.
fn bars(histogram: &[usize; BARS]) -> String {
    let most = histogram.iter().copied().max().unwrap_or(0).max(1);
    let mut out = String::new();
    for (i, &count) in histogram.iter().enumerate() {
        let (low, high) = (i as f64 / BARS as f64, (i + 1) as f64 / BARS as f64);
        let bar = "█".repeat((count * 40).div_ceil(most));
        out.push_str(&format!("  {low:.1} … {high:.1} {count:>9} {bar}\n"));
    }
    out
}

fn convert(input: &Path, output: &Path, force: bool) -> miette::Result<()> {
    let format = format_of(output)?;
    let mesh = read_mesh(input)?;
    let folder = match output.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let folder = OutputDir::create(folder, force)?;
    let name = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let files = match format {
        Format::TetgenNode | Format::TetgenEle => vec![
            (Format::TetgenNode, name(&output.with_extension("node"))),
            (Format::TetgenEle, name(&output.with_extension("ele"))),
        ],
        _ => vec![(format, name(output))],
    };
    for (_, name) in &files {
        folder.check(name)?;
    }
    // All of them in memory before the first is written, so that a failure leaves nothing behind.
    let mut written = Vec::new();
    for (format, name) in files {
        let mut bytes = Vec::new();
        write(format, &mesh, &mut bytes).into_diagnostic()?;
        written.push((name, bytes));
    }
    for (name, bytes) in &written {
        let path = folder.write_bytes(name, bytes)?;
        say(&format!("{}\n", path.display()))?;
    }
    let mut notes = mesh.notes.clone();
    if !format.holds_tets() && !mesh.tets.is_empty() {
        notes.push("the surface of the tetrahedra was written: this format has no tetrahedra".into());
    }
    if !format.holds_fill() && !mesh.fill.is_empty() {
        notes.push("the fill fractions were not written: only .msh, .vtk and .vtu keep them".into());
    }
    if format != Format::Gmsh && !mesh.groups.is_empty() {
        notes.push(format!("{} groups were not written: only .msh keeps them", mesh.groups.len()));
    }
    let mut text = String::new();
    list(&mut text, "notes", &notes);
    say(&text)
}
