//! `supple check`: is this file good, without running it.
use std::io::Write;
use std::path::{Path, PathBuf};

use miette::{IntoDiagnostic, miette};
use supple::mesh::quality::{Boundary, OPEN, inspect};
use supple_files::input::{format_of, read_mesh};

use super::Failure;
use super::run::summary::elements;
use super::run::{asked, find};
use crate::advice;

/// Check a scene or mesh file without running it: 0 and a summary, or 2 and what is wrong
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A scene (.toml, or the name of a built-in one) or a mesh
    file: PathBuf,
    /// Set a value of the scene first
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Also allow the scene to read meshes from this folder
    #[arg(long, value_name = "DIR")]
    allow_dir: Vec<PathBuf>,
}

/// Checks a file.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.file.extension().is_none_or(|e| e != "toml") && format_of(&args.file).is_ok() {
        return mesh(&args.file);
    }
    let (scene, _) = find(&args.file, &args.set)?;
    scene.problems(&args.allow_dir).map_err(Failure::load)?;
    asked(&scene)?;
    let (mut program, notes) = scene.build(&args.allow_dir).map_err(Failure::load)?;
    let mut text = String::new();
    let warnings = advice::before(&scene, &mut program);
    for warning in &warnings {
        text.push_str(&format!("warning: {warning}\n"));
    }
    for note in notes.into_iter().chain(advice::defaults(&scene)) {
        text.push_str(&format!("note: {note}\n"));
    }
    let s = program.simulation.settings();
    text.push_str(&format!(
        "{}: good{}\n{} frames of {} s in {} step(s), {} iterations each\n",
        scene.name,
        match warnings.len() {
            0 => String::new(),
            1 => ", but see the warning".to_owned(),
            n => format!(", but see the {n} warnings"),
        },
        program.frames,
        s.time.dt * f64::from(program.substeps),
        program.substeps,
        s.solve.iterations
    ));
    for (b, look) in program.simulation.bodies().iter().zip(&program.bodies) {
        text.push_str(&format!(
            "body {}: {} nodes, {}, {} pinned nodes\n",
            b.name,
            b.nodes,
            elements([look.tets.len(), look.triangles(), look.edges.len()]),
            look.pins.len()
        ));
    }
    std::io::stdout().write_all(text.as_bytes()).into_diagnostic().map_err(Failure::run)
}

/// Checks a mesh file.
fn mesh(file: &Path) -> Result<(), Failure> {
    let mesh = read_mesh(file).map_err(Failure::input)?;
    let report = inspect(&mesh.vertices, &mesh.tets, &mesh.triangles);
    // A sheet is open by nature: what that means is said below.
    let wrong = report.problems.iter().filter(|p| !p.ends_with(OPEN));
    let list: Vec<String> = wrong.map(|p| format!("{}: {p}", file.display())).collect();
    if !list.is_empty() {
        return Err(Failure::input(miette!("{}", list.join("\n"))));
    }
    let mut text = String::new();
    for note in &mesh.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    text.push_str(&format!(
        "{}: good\n{} nodes, {} tetrahedra, {} triangles\n",
        file.display(),
        mesh.vertices.len(),
        mesh.tets.len(),
        mesh.triangles.len()
    ));
    if mesh.tets.is_empty() && !mesh.triangles.is_empty() {
        text.push_str(&uses(&report.boundary));
    }
    std::io::stdout().write_all(text.as_bytes()).into_diagnostic().map_err(Failure::run)
}

/// What a surface can be: a sheet, whatever its edges; something with an inside only if it has none that are open.
fn uses(boundary: &Boundary) -> String {
    let no = match boundary.open_edges {
        0 => return "sheet: yes\nobstacle, solid: yes, it is closed\n".to_string(),
        1 => "1 edge is open".to_string(),
        n => format!("{n} edges are open"),
    };
    format!("sheet: yes\nobstacle, solid: no, because {no}: it has no inside\n")
}
