//! `supple material`: presets, and materials from measurements.
use std::io::Write;
use std::path::{Path, PathBuf};

use miette::{IntoDiagnostic, miette};
use supple::scene::{PRESETS, Preset};
use supple_files::input::read_file;
use supple_files::output::OutputDir;

use super::Failure;
use crate::fit::{self, Test, data};
use crate::plot::{Axis, Plot, Series};

/// Materials: presets with their sources, and fits to measurements
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// List the presets
    List,
    /// Show a preset: its constants, its source, and how a scene names it
    Show {
        /// Its name
        name: String,
    },
    /// Fit a material to measured pairs of stretch and nominal stress
    ///
    /// The CSV has a stretch (length over rest length) and a nominal stress (force over rest area) in Pa per line; a header may
    /// name the columns `stretch` or `strain` and `stress`, with a unit such as `stress (MPa)`, `stress (psi)` or `strain (%)`. The
    /// bulk modulus follows from --poisson. Prints the material table for a scene file and its own error, and writes a plot.
    Fit {
        /// The CSV file
        data: PathBuf,
        /// Which law
        #[arg(long, value_enum, default_value_t = Kind::Ogden)]
        kind: Kind,
        /// How the specimen was pulled
        #[arg(long, value_enum, default_value_t = Test::Uniaxial)]
        test: Test,
        /// Terms of ogden
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=3))]
        terms: u8,
        /// Poisson's ratio of the result, below 0.5
        #[arg(long, default_value_t = 0.49)]
        poisson: f64,
        /// The plot [default: the name of the data with _fit.svg, here]
        #[arg(long)]
        plot: Option<PathBuf>,
        /// Overwrite an existing plot
        #[arg(long)]
        force: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// Terms of powers of the stretches
    Ogden,
    /// A curve by control points
    Spline,
}

fn say(text: &str) -> miette::Result<()> {
    std::io::stdout().write_all(text.as_bytes()).into_diagnostic()
}

/// Runs the verb.
pub fn run(args: &Args) -> Result<(), Failure> {
    match &args.verb {
        Verb::List => say(&list()).map_err(Failure::run),
        Verb::Show { name } => {
            let text = show(name).map_err(|e| Failure::input(miette!("{e}")))?;
            say(&text).map_err(Failure::run)
        }
        Verb::Fit { data, kind, test, terms, poisson, plot, force } => {
            if !(*poisson > -1.0 && *poisson < 0.5) {
                return Err(Failure::input(miette!(
                    "--poisson must lie between -1 and 0.5, both excluded, not {poisson}"
                )));
            }
            let pairs = read(data)?;
            let fit = match kind {
                Kind::Ogden => fit::ogden(&pairs, *test, usize::from(*terms), *poisson),
                Kind::Spline => fit::spline(&pairs, *test, *poisson),
            };
            let fit = fit.map_err(|e| Failure::input(miette!("{}: {e}", data.display())))?;
            let stem = data.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            let plot = plot.clone().unwrap_or_else(|| PathBuf::from(format!("{stem}_fit.svg")));
            let svg = draw(&pairs, &fit, *test, &stem).svg();
            let path = write(&plot, svg.as_bytes(), *force)?;
            say(&tell(&pairs, &fit, &path)).map_err(Failure::run)
        }
    }
}

fn list() -> String {
    let mut out = format!(
        "{:<10} {:<20} {:>11} {:>7} {:>8}  {}\n",
        "preset", "kind", "E in Pa", "ν", "kg/m³", "what it is"
    );
    for p in PRESETS {
        out.push_str(&format!(
            "{:<10} {:<20} {:>11.3e} {:>7} {:>8}  {}\n",
            p.name,
            p.kind.name(),
            p.young,
            p.poisson,
            p.density,
            p.about
        ));
    }
    out
}

fn show(name: &str) -> Result<String, String> {
    let p = Preset::find(name)?;
    let lame = p.material()?.lame();
    let mut out = String::new();
    let mut row = |name: &str, value: String| out.push_str(&format!("{name:<16} {value}\n"));
    row("preset", format!("{}: {}", p.name, p.about));
    row("kind", p.kind.name().to_string());
    row("Young's modulus", format!("{:.4e} Pa", lame.young()));
    row("Poisson's ratio", format!("{:.4}", lame.poisson()));
    row("shear modulus", format!("{:.4e} Pa", lame.mu));
    row("bulk modulus", format!("{:.4e} Pa", lame.bulk()));
    row("density", format!("{} kg/m³", p.density));
    row("source", p.source.to_string());
    row("in a scene", format!("material = {{ preset = \"{}\" }}", p.name));
    Ok(out)
}

fn read(path: &Path) -> Result<Vec<[f64; 2]>, Failure> {
    let bytes = read_file(path).map_err(Failure::input)?;
    let name = path.display().to_string();
    let text = std::str::from_utf8(&bytes).map_err(|e| {
        let line = bytes.iter().take(e.valid_up_to()).filter(|b| **b == b'\n').count() + 1;
        Failure::input(miette!("{name}:{line}: not UTF-8 text"))
    })?;
    data::read(&name, text).map_err(|e| Failure::input(miette!("{e}")))
}

fn write(path: &Path, bytes: &[u8], force: bool) -> Result<PathBuf, Failure> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = OutputDir::create(folder, force).map_err(Failure::input)?;
    folder.write_bytes(&name, bytes).map_err(Failure::input)
}

/// The table to paste, and how good it is.
fn tell(pairs: &[[f64; 2]], fit: &fit::Fit, plot: &Path) -> String {
    let [rms, most] = fit.errors(pairs);
    let largest = pairs.iter().fold(0.0f64, |m, p| m.max(p[1].abs()));
    let percent = |e: f64| 100.0 * e / largest;
    format!(
        "{}\n# shear modulus  {:.4e} Pa\n# rms error      {rms:.4e} Pa, {:.2} % of the largest stress\n\
         # largest error  {most:.4e} Pa, {:.2} %\n# volume         {:.4} at the largest stretch\n# pairs          {}\n\
         # plot           {}\n",
        fit.table,
        fit.mu,
        percent(rms),
        percent(most),
        fit.volume,
        pairs.len(),
        plot.display()
    )
}

fn draw(pairs: &[[f64; 2]], fit: &fit::Fit, test: Test, name: &str) -> Plot {
    let mut measured = pairs.to_vec();
    measured.sort_by(|p, q| p[0].total_cmp(&q[0]));
    let test = match test {
        Test::Uniaxial => "uniaxial",
        Test::Biaxial => "biaxial",
        Test::Shear => "pure shear",
    };
    Plot {
        title: format!("{name}, {test}"),
        x: Axis::linear("stretch"),
        y: Axis::linear("nominal stress in Pa"),
        series: vec![Series::new("measured", measured), Series::new("fit", fit.curve.clone())],
    }
}
