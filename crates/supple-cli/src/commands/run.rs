//! `supple run`: a scene from a file to an animation.
mod looks;
pub(super) mod summary;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use miette::{IntoDiagnostic, WrapErr, miette};
use serde_json::json;
use supple::scene::file::Mode;
use supple::scene::parse::nearest;
use supple::scene::{MOST_FRAMES, Program};
use supple::{Simulation, Status, StepReport, Violation};
use supple_files::input;
use supple_files::load::Loaded;
use supple_files::output::OutputDir;

use super::Failure;
use summary::{Tally, summary};

use crate::advice;
use crate::export::{self, Exporter, Finish, Floor, Format, Frame};
use crate::picture::Bounds;
use crate::scenes;
use crate::show::{dress::dress, foresee::foresee, model, obstacles, skins};

/// Run a scene file: simulate, show progress, write the animation and the numbers
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scene: a TOML file, or the name of a built-in one
    scene: PathBuf,
    #[command(flatten)]
    options: Options,
}

/// Options of a run, for scenes from files and built-in ones alike.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// Folder for exports [default: out/ and the scene's name]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Number of frames, overriding the scene
    #[arg(long, value_name = "N")]
    pub frames: Option<u64>,
    /// Number of threads, overriding the scene; 0 uses all cores
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Solve for equilibria instead of motion, like `time.mode = "static"`
    #[arg(long = "static")]
    pub statics: bool,
    /// Set a value of the scene, for example solve.iterations=50 or body.beam.material.young=2e5
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Also export in this format: obj, ply, stl, vtu, glb, usda, pc2, npz, png, gif, apng, mp4, html
    #[arg(long = "export", value_name = "FORMAT")]
    pub export: Vec<Format>,
    /// Write one JSON object per frame to this file
    #[arg(long, value_name = "FILE")]
    pub stats: Option<PathBuf>,
    /// Write a checkpoint every N frames
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub checkpoint_every: Option<u64>,
    /// Resume from a checkpoint of the same scene
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Fail at the first frame that does not converge
    #[arg(long)]
    pub strict: bool,
    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,
    /// Print errors only
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the summary as JSON, or write it to a file
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub json: Option<PathBuf>,
    /// Also allow the scene to read meshes from this folder
    #[arg(long, value_name = "DIR")]
    pub allow_dir: Vec<PathBuf>,
}

/// Runs a scene file.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut set = args.options.set.clone();
    if let Some(n) = args.options.threads {
        set.push(format!("solve.threads={n}"));
    }
    if args.options.statics {
        set.push("time.mode=static".into());
    }
    let (scene, stem) = find(&args.scene, &set)?;
    simulate(&scene, &stem, &args.options, &[])
}

/// The scene of a path, or the built-in one of a name, and what its outputs are called.
pub(super) fn find(path: &Path, set: &[String]) -> Result<(Loaded, String), Failure> {
    let name = path.to_string_lossy();
    if !path.exists() {
        if let Some(s) = scenes::find(&name) {
            let loaded = Loaded::parse(&format!("{} (built in)", s.name), s.text.to_string(), None, set);
            return Ok((loaded.map_err(Failure::load)?, s.name.to_string()));
        }
        if path.extension().is_none() {
            let hint = nearest(&name, scenes::ALL.iter().map(|s| s.name)).map_or_else(
                || "`supple demo --list` lists those built in".into(),
                |n| format!("did you mean {n}?"),
            );
            return Err(Failure::input(miette!(
                help = hint,
                "there is no scene {name:?}, as a file or built in"
            )));
        }
    }
    let stem = path.file_stem().map_or_else(|| "scene".into(), |s| s.to_string_lossy().into_owned());
    Ok((Loaded::read(path, set).map_err(Failure::load)?, stem))
}

/// The formats that a scene asks for, or what is wrong with them.
pub(super) fn asked(scene: &Loaded) -> Result<BTreeSet<Format>, Failure> {
    let parse = |(i, f): (usize, &String)| {
        f.parse().map_err(|e: export::UnknownFormat| {
            let at = format!("output.export[{i}]");
            Failure::load(scene.explain(supple::scene::SceneError::at(at, e.to_string())))
        })
    };
    scene.file.output.export.iter().enumerate().map(parse).collect()
}

/// Simulates a loaded scene and writes what was asked for. `extra` formats are those that the verb adds.
pub fn simulate(scene: &Loaded, name: &str, options: &Options, extra: &[Format]) -> Result<(), Failure> {
    let started = Instant::now();
    let (mut program, notes) = scene.build(&options.allow_dir).map_err(Failure::load)?;
    let frames = options.frames.unwrap_or(program.frames);
    if frames > MOST_FRAMES {
        return Err(Failure::input(miette!("{frames} frames are too many; at most {MOST_FRAMES}")));
    }
    if let Some(path) = &options.resume {
        let bytes = input::read_file(path).map_err(Failure::input)?;
        program.simulation.restore(&bytes).map_err(|e| Failure::input(miette!("{}: {e}", path.display())))?;
    }
    let substeps = u64::from(program.substeps);
    let first = program.simulation.frame() / substeps;
    if program.simulation.frame() % substeps != 0 {
        return Err(Failure::input(miette!(
            "the checkpoint lies between two frames: it was made with other substeps"
        )));
    }

    let mut formats: BTreeSet<Format> = options.export.iter().chain(extra).copied().collect();
    formats.extend(asked(scene)?);
    let out = options.out.clone().unwrap_or_else(|| PathBuf::from("out").join(name));
    let needs_folder = !formats.is_empty() || options.checkpoint_every.is_some();
    let folder = if needs_folder {
        Some(OutputDir::create(&out, options.force).map_err(Failure::input)?)
    } else {
        None
    };
    let formats: Vec<Format> = formats.into_iter().collect();
    let pictures = export_options(scene, &program, first, frames);
    // What is looked at, here or in another program, shows obstacles too; data are of bodies alone.
    let (drawn, written): (Vec<Format>, Vec<Format>) = formats.iter().partition(|f| f.has_obstacles());
    let mut bodies = model(&program);
    dress(&mut bodies, &scene.file);
    // Formats that keep tetrahedra and their fields have the body itself; all others its skin.
    let (volumes, written): (Vec<Format>, Vec<Format>) =
        written.into_iter().partition(|f| matches!(f, Format::Vtu | Format::Npz));
    let mut exporters = export::exporters(&volumes, name, &bodies, &pictures).map_err(Failure::input)?;
    let plain = exporters.len();
    if skins::are_there(&program) {
        // … and their skins beside them.
        let alone = skins::alone(&bodies, &program);
        let beside = format!("{name}-skin");
        exporters.extend(export::exporters(&volumes, &beside, &alone, &pictures).map_err(Failure::input)?);
    }
    let beside = exporters.len();
    let bodies = skins::with_skins(bodies, &program);
    exporters.extend(export::exporters(&written, name, &bodies, &pictures).map_err(Failure::input)?);
    let written = exporters.len();
    let mut shown = obstacles::with_obstacles(bodies, &program);
    dress(&mut shown, &scene.file);
    let drawn = export::exporters(&drawn, name, &shown, &pictures).map_err(Failure::input)?;
    exporters.extend(export::beside(drawn));
    // In an empty folder nothing can be in the way, however many frames there are.
    let occupied = folder.as_ref().filter(|f| !f.is_empty());
    for e in &exporters {
        if let Some(folder) = occupied {
            for file in e.outputs(frames) {
                folder.check(&file).map_err(Failure::input)?;
            }
        }
    }
    if let (Some(every), Some(folder)) = (options.checkpoint_every, occupied) {
        for frame in (first + 1..=frames).filter(|f| f % every == 0) {
            folder.check(&checkpoint_name(name, frame)).map_err(Failure::input)?;
        }
    }
    if let Some(path) =
        options.json.as_deref().filter(|p| p.as_os_str() != "-" && p.exists() && !options.force)
    {
        return Err(Failure::input(miette!("{} already exists; allow it with --force", path.display())));
    }
    let mut stats = options.stats.as_deref().map(|p| create(p, options.force)).transpose()?;

    let stop = Arc::new(AtomicBool::new(false));
    let heard = stop.clone();
    // A second handler in one process is refused: then the first one is at work already.
    let _ = ctrlc::set_handler(move || {
        // The second time someone means it.
        if heard.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });

    let warnings = advice::before(scene, &mut program);
    let bar = progress(frames.saturating_sub(first), options.quiet);
    // A bar that is not drawn prints nothing: notes go to standard error beside it.
    let notes: Vec<String> = notes.into_iter().chain(advice::defaults(scene)).collect();
    for note in notes.iter().filter(|_| !options.quiet) {
        let line = format!("note: {note}\n");
        bar.suspend(|| std::io::stderr().write_all(line.as_bytes()))
            .into_diagnostic()
            .map_err(Failure::run)?;
    }
    for warning in &warnings {
        bar.suspend(|| writeln!(std::io::stderr(), "warning: {warning}")).ok();
    }
    let mut tally = Tally::default();
    let mut outcome = Ok(());
    let output = &scene.file.output;
    if looks::wanted(output, first) {
        export_frame(&mut exporters, [plain, beside, written], folder.as_ref(), &program, first)?;
    }
    let mut infeasible = false;
    for frame in first + 1..=frames {
        let report = match program.frame_with(&mut || stop.load(Ordering::Relaxed)) {
            Ok(r) => r,
            Err(e) => {
                outcome = Err(Failure::run(miette!("frame {frame}: {e}")));
                break;
            }
        };
        if report.status == Status::Stopped {
            tally.interrupted = true;
            break;
        }
        exporters.iter_mut().for_each(|e| e.report(&report));
        let mut keep = || -> Result<(), Failure> {
            if looks::wanted(output, frame) {
                export_frame(&mut exporters, [plain, beside, written], folder.as_ref(), &program, frame)?;
            }
            if let Some((file, path)) = &mut stats {
                write_stats(file, frame, &report, &program.simulation)
                    .into_diagnostic()
                    .wrap_err_with(|| format!("cannot write {}", path.display()))
                    .map_err(Failure::run)?;
            }
            if let (Some(every), Some(folder)) = (options.checkpoint_every, &folder)
                && frame % every == 0
            {
                folder
                    .write_bytes(&checkpoint_name(name, frame), &program.simulation.checkpoint())
                    .map_err(Failure::run)?;
            }
            Ok(())
        };
        if let Err(e) = keep() {
            // What the other outputs have so far is still finished below.
            outcome = Err(e);
            break;
        }
        tally.add(&report);
        bar.set_message(format!(
            "{:.1} ms/frame, {} iterations, residual {:.0e}",
            1e3 * report.timings.total(),
            report.iterations,
            report.force_residual
        ));
        bar.inc(1);
        if report.status == Status::Infeasible && !infeasible {
            infeasible = true;
            let worst =
                program.simulation.violations(WORST).iter().map(name_of).collect::<Vec<_>>().join(", ");
            bar.suspend(|| {
                writeln!(std::io::stderr(), "frame {frame}: constraints cannot hold; worst: {worst}")
            })
            .ok();
        }
        if options.strict && report.status != Status::Converged {
            outcome = Err(Failure::run(miette!(
                "frame {frame} did not converge: {} after {} iterations, force residual {:.1e}",
                report.status,
                report.iterations,
                report.force_residual
            )));
            break;
        }
        if stop.load(Ordering::Relaxed) {
            tally.interrupted = true;
            break;
        }
    }
    bar.set_message(if tally.interrupted {
        "interrupted, writing what there is (again: leave at once)"
    } else {
        "writing"
    });
    let mut done = Finish::default();
    if let Some(folder) = &folder {
        for e in &mut exporters {
            match e.end(folder, &|| stop.load(Ordering::Relaxed)) {
                Ok(one) => {
                    done.files.extend(one.files);
                    done.notes.extend(one.notes);
                }
                Err(e) => outcome = outcome.and(Err(Failure::run(e))),
            }
        }
    }
    if program.mode == Mode::Static && tally.converged < tally.reports {
        let modes = program.simulation.rigid_modes();
        done.notes.extend(modes.iter().map(|m| format!("{m}: neither pins nor anchors prevent it")));
    }
    bar.finish_and_clear();
    summary(&program, &tally, &warnings, options, started.elapsed().as_secs_f64(), &done)?;
    outcome
}

fn progress(frames: u64, quiet: bool) -> ProgressBar {
    let bar = ProgressBar::new(frames);
    bar.set_draw_target(if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() });
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} frames, {eta} left") {
        bar.set_style(style);
    }
    bar
}

fn checkpoint_name(name: &str, frame: u64) -> String {
    format!("{name}-{frame:04}.checkpoint")
}

/// A file of the caller's, refused if it is there already.
fn create(path: &Path, force: bool) -> Result<(BufWriter<File>, PathBuf), Failure> {
    let open = if force { File::create(path) } else { File::create_new(path) };
    let file = open.map_err(|e| {
        let hint = if e.kind() == std::io::ErrorKind::AlreadyExists { "; allow it with --force" } else { "" };
        Failure::input(miette!("cannot write {}: {e}{hint}", path.display()))
    })?;
    Ok((BufWriter::new(file), path.to_path_buf()))
}

/// How many constraints that cannot hold are named.
const WORST: usize = 3;

fn name_of(v: &Violation) -> String {
    format!("{} {} of body `{}` by {:.2e}", v.kind, v.element, v.body, v.off)
}

fn write_stats(
    file: &mut BufWriter<File>,
    frame: u64,
    r: &StepReport,
    simulation: &Simulation,
) -> std::io::Result<()> {
    // What cannot hold is named.
    let most = if r.status == Status::Infeasible { WORST } else { 0 };
    let mut line = json!(r);
    if let Some(line) = line.as_object_mut() {
        line.remove("timings");
        line.extend([
            ("frame".into(), json!(frame)),
            ("reactions".into(), json!(simulation.reactions())),
            ("violations".into(), json!(simulation.violations(most))),
            ("local_ms".into(), json!(1e3 * r.timings.local)),
            ("global_ms".into(), json!(1e3 * r.timings.global)),
            ("detection_ms".into(), json!(1e3 * r.timings.detection)),
            ("frame_ms".into(), json!(1e3 * r.timings.total())),
        ]);
    }
    writeln!(file, "{line}")?;
    file.flush()
}

fn export_options(scene: &Loaded, program: &Program, first: u64, frames: u64) -> export::Options {
    let dt = program.simulation.settings().time.dt * f64::from(program.substeps);
    let mut expected = foresee(program, dt * frames.saturating_sub(first) as f64);
    obstacles::corners(program).into_iter().for_each(|p| expected.include(p));
    let output = &scene.file.output;
    let fps = (1.0 / (dt * looks::every(output) as f64)).clamp(1e-3, 1e5);
    let limit = room_for_guests(expected);
    let expected = Some(expected);
    let mut o = export::Options { fps, frames, expected, limit, ..export::Options::default() };
    looks::aim(&mut o, output, program);
    o.iterations = program.simulation.settings().solve.iterations;
    if let Some(view) = scene.file.output.view {
        o.from = view;
    }
    // A floor that bodies stand on is the floor that is shown.
    if let Some(height) = obstacles::floor(program) {
        o.floor = Floor::At(height);
    }
    if let Some(height) = scene.file.output.floor {
        o.floor = Floor::At(height);
    }
    o
}

/// How far things may go to be seen: what leaves this box, a ball that fell off, does not make all others small.
fn room_for_guests(expected: Bounds) -> Option<Bounds> {
    let room = 0.5 * expected.diagonal();
    let by = |c: [f64; 3], way: f64| c.map(|c| c + way);
    (!expected.is_empty()).then(|| Bounds { low: by(expected.low, -room), high: by(expected.high, room) })
}

fn export_frame(
    exporters: &mut [Box<dyn Exporter>],
    [plain, beside, written]: [usize; 3],
    folder: Option<&OutputDir>,
    program: &Program,
    index: u64,
) -> Result<(), Failure> {
    let Some(folder) = folder.filter(|_| !exporters.is_empty()) else { return Ok(()) };
    let (mut positions, mut velocities) = (program.simulation.positions(), program.simulation.velocities());
    let values = program.simulation.element_fields();
    let fields = [
        ("stretch", values.iter().map(|v| v[0]).collect::<Vec<f64>>()),
        ("stress", values.iter().map(|v| v[1]).collect()),
    ];
    let (time, element_fields) = (program.simulation.time(), &fields[..]);
    let (volumes, others) = exporters.split_at_mut(plain.min(exporters.len()));
    for e in volumes {
        let frame = Frame {
            index,
            time,
            positions: &positions,
            velocities: &velocities,
            element_fields,
            normals: &[],
        };
        e.frame(folder, &frame).map_err(Failure::run)?;
    }
    let skinned = skins::are_there(program);
    let mut normals = Vec::new();
    let (skin_files, others) = others.split_at_mut(beside - plain);
    if skinned && !(others.is_empty() && skin_files.is_empty()) {
        normals = skins::normals(program, &positions).map_err(|e| Failure::run(miette!("{e}")))?;
        let own = skins::positions(program, &positions).map_err(|e| Failure::run(miette!("{e}")))?;
        let (normals, velocities, element_fields) = (&normals[..], &[][..], &[][..]);
        for e in skin_files {
            let frame = Frame { index, time, positions: &own, velocities, element_fields, normals };
            e.frame(folder, &frame).map_err(Failure::run)?;
        }
        positions.extend(own);
    }
    velocities.resize(positions.len(), [0.0; 3]);
    let normals = &normals[..];
    // A skin has no elements, and so no fields of them.
    let element_fields = if skinned { &[][..] } else { element_fields };
    let (written, drawn) = others.split_at_mut(written - beside);
    for e in written {
        let frame =
            Frame { index, time, positions: &positions, velocities: &velocities, element_fields, normals };
        e.frame(folder, &frame).map_err(Failure::run)?;
    }
    if !drawn.is_empty() {
        positions.extend(obstacles::corners(program));
        velocities.resize(positions.len(), [0.0; 3]);
    }
    for e in drawn {
        let frame =
            Frame { index, time, positions: &positions, velocities: &velocities, element_fields, normals };
        e.frame(folder, &frame).map_err(Failure::run)?;
    }
    Ok(())
}
