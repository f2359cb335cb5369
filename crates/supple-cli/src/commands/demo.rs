//! `supple demo`: twisted beams of four materials untwist, fall and swing.
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use miette::{IntoDiagnostic, WrapErr};
use supple::mesh::{shapes, surface};
use supple::{DualStart, Material, MaterialKind, Scene, Settings, Simulation, Start, Status, StepReport};

use crate::export::gif::write_gif;
use crate::export::obj::write_obj;
use crate::export::png::write_png;
use crate::files::OutputDir;
use crate::picture::{Bounds, Camera, Colour, Drawable, Image, Scene3, Wire, palette, render};

/// Run a built-in scene: four twisted beams of different materials, held at one end, let go
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder for the results [default: the first free one of out/demo, out/demo-2, …]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Frames of 40 ms to simulate
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    frames: u32,
    /// Threads; 0 takes all of the machine
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Replace files that are already there
    #[arg(long)]
    force: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

/// The first folder of this name that is not there yet.
fn free_folder(name: &str) -> PathBuf {
    let numbered = |i: u32| if i == 1 { PathBuf::from(name) } else { PathBuf::from(format!("{name}-{i}")) };
    (1..).map(numbered).find(|p| !p.exists()).unwrap_or_else(|| PathBuf::from(name))
}

/// All materials but `linear`, which takes a rotation for a strain.
const KINDS: [MaterialKind; 4] =
    [MaterialKind::Arap, MaterialKind::Corotated, MaterialKind::NeoHookean, MaterialKind::StVenantKirchhoff];
/// Beams in m: length, width and height, distance from one to the next.
const LENGTH: f64 = 1.2;
const WIDTH: f64 = 0.24;
const APART: f64 = 0.5;

/// The scene: beams along x, held at x = 0, side by side, twisted by half a turn.
fn scene(threads: usize) -> miette::Result<(Simulation, Vec<Vec<[u32; 3]>>)> {
    let mut settings = Settings::default();
    settings.solve.threads = threads;
    settings.solve.iterations = 60;
    settings.solve.tolerance = 1e-4;
    settings.solve.start = Start::Best;
    settings.solve.dual_start = DualStart::Stress;
    let mut scene = Scene::new(settings);
    let (mut surfaces, mut start) = (Vec::new(), Vec::new());
    for (i, kind) in KINDS.into_iter().enumerate() {
        let z = APART * i as f64;
        let mesh = shapes::box_mesh([LENGTH, WIDTH, WIDTH], [20, 4, 4], shapes::Split::Five)
            .and_then(|m| m.map(|p| [p[0], p[1], p[2] + z]))
            .into_diagnostic()?;
        let mut twisted = mesh.vertices().to_vec();
        shapes::twist(&mut twisted, std::f64::consts::PI, LENGTH, [0.5 * WIDTH, z + 0.5 * WIDTH]);
        start.extend(twisted);
        let held: Vec<u32> =
            (0..mesh.vertices().len() as u32).filter(|&v| mesh.vertices()[v as usize][0] == 0.0).collect();
        surfaces.push(surface(mesh.tets()));
        let material = Material::new(kind, 4e5, 0.3).map_err(|e| miette::miette!("{e}"))?;
        let body = scene.add_solid(kind.name(), mesh, material, 1000.0).into_diagnostic()?;
        scene.pin(body, &held).into_diagnostic()?;
    }
    let mut simulation = scene.build().into_diagnostic()?;
    simulation.set_state(&start, &vec![[0.0; 3]; start.len()]).into_diagnostic()?;
    Ok((simulation, surfaces))
}

/// The surface of each body as it is now.
fn drawables(simulation: &Simulation, surfaces: &[Vec<[u32; 3]>]) -> Vec<Drawable> {
    let x = simulation.positions();
    simulation
        .bodies()
        .iter()
        .zip(surfaces)
        .enumerate()
        .map(|(i, (body, triangles))| Drawable {
            positions: x[body.first_node..body.first_node + body.nodes].to_vec(),
            triangles: triangles.clone(),
            colour: Colour::Uniform(palette::body(i)),
            wire: Wire::Off,
            ..Drawable::default()
        })
        .collect()
}

/// Runs the demo.
pub fn run(args: &Args) -> miette::Result<()> {
    let started = Instant::now();
    let out = args.out.clone().unwrap_or_else(|| free_folder("out/demo"));
    let folder = OutputDir::create(&out, args.force)?;
    let digits = args.frames.to_string().len().max(4);
    let name = |frame: u32| format!("frame-{frame:0digits$}.obj");
    for file in (0..=args.frames).map(name).chain(["demo.png".to_string(), "demo.gif".to_string()]) {
        folder.check(&file)?;
    }

    let (mut simulation, surfaces) = scene(args.threads)?;
    let bar = ProgressBar::new(u64::from(args.frames));
    bar.set_draw_target(if args.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() });
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} frames, {eta} left") {
        bar.set_style(style);
    }
    bar.set_message("simulating");

    let mut frames = vec![drawables(&simulation, &surfaces)];
    folder.write(&name(0), |file| write_obj(file, &frames[0]))?;
    let mut reports: Vec<StepReport> = Vec::new();
    for frame in 1..=args.frames {
        let report = simulation.step().into_diagnostic().wrap_err_with(|| format!("frame {frame}"))?;
        let meshes = drawables(&simulation, &surfaces);
        folder.write(&name(frame), |file| write_obj(file, &meshes))?;
        frames.push(meshes);
        bar.set_message(format!(
            "{:.1} ms/frame, {} iterations, residual {:.0e}",
            1e3 * report.timings.total(),
            report.iterations,
            report.force_residual
        ));
        reports.push(report);
        bar.inc(1);
    }
    bar.finish_and_clear();

    let mut bounds = Bounds::EMPTY;
    frames.iter().flatten().flat_map(|d| &d.positions).for_each(|p| bounds.include(*p));
    let picture = |meshes: &[Drawable], width: u32, height: u32, names: bool| {
        let floor = Some(bounds.low[1] - 0.05);
        let mut scene = Scene3 { meshes: meshes.to_vec(), floor, ..Scene3::default() };
        if names {
            scene.caption = Some("from the back: arap, corotated, neo-Hookean, St. Venant-Kirchhoff".into());
        }
        let camera = Camera::fit_from(&bounds, f64::from(width) / f64::from(height), [1.0, 0.42, 0.62]);
        let mut image = Image::new(width, height);
        render(&scene, &camera, width, height, &mut image);
        image
    };
    let last = frames.len() - 1;
    let still = picture(&frames[last.min(2)], 1280, 720, true);
    let png = folder.write("demo.png", |file| write_png(file, &still))?;
    let movie: Vec<Image> = frames.iter().map(|f| picture(f, 640, 360, false)).collect();
    let gif = folder.write("demo.gif", |file| write_gif(file, &movie, 25.0))?;

    if !args.quiet {
        let mean = reports.iter().map(|r| r.timings.total()).sum::<f64>() / reports.len() as f64;
        let met = reports.iter().filter(|r| r.status == Status::Converged).count();
        let worst = reports.iter().map(|r| r.force_residual).fold(0.0, f64::max);
        let text = format!(
            "{} beams, {} tetrahedra, {} frames: {:.2} ms per frame on {} thread{}, {met} of {} frames converged to 1e-4, \
             forces balance within {:.1e} in the worst\n\
             picture  {}\nmovie    {}\nmeshes   {}\nin {:.1} s\n",
            surfaces.len(),
            simulation.element_count(),
            args.frames,
            1e3 * mean,
            simulation.threads(),
            if simulation.threads() == 1 { "" } else { "s" },
            reports.len(),
            worst,
            png.display(),
            gif.display(),
            folder.path().join("frame-*.obj").display(),
            started.elapsed().as_secs_f64(),
        );
        std::io::stdout().write_all(text.as_bytes()).into_diagnostic()?;
    }
    Ok(())
}
