//! `supple demo`: the built-in scenes.
use std::io::Write;
use std::path::PathBuf;

use miette::{IntoDiagnostic, miette};
use supple::scene::parse::nearest;
use supple_files::load::Loaded;

use super::Failure;
use super::run::{Options, simulate};
use crate::export::Format;
use crate::scenes;

/// Run a built-in scene: writes a picture per frame, a movie and a mesh per frame, and says where
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which one; see --list
    #[arg(default_value = scenes::ALL[0].name)]
    name: String,
    /// List the scenes
    #[arg(long)]
    list: bool,
    /// Print the scene file instead of running it
    #[arg(long, conflicts_with = "list")]
    print: bool,
    #[command(flatten)]
    options: Options,
}

/// The first folder of this name that is not there yet.
fn free_folder(name: &str) -> PathBuf {
    let numbered = |i: u32| PathBuf::from(if i == 1 { name.to_string() } else { format!("{name}-{i}") });
    (1..).map(numbered).find(|p| !p.exists()).unwrap_or_else(|| PathBuf::from(name))
}

/// Runs a built-in scene.
pub fn run(args: &Args) -> Result<(), Failure> {
    let print =
        |text: &str| std::io::stdout().write_all(text.as_bytes()).into_diagnostic().map_err(Failure::run);
    if args.list {
        let rows = scenes::ALL.iter().map(|s| format!("{:<16} {}\n", s.name, s.about()));
        return print(&rows.collect::<String>());
    }
    let Some(scene) = scenes::find(&args.name) else {
        let hint = nearest(&args.name, scenes::ALL.iter().map(|s| s.name))
            .map_or_else(|| "`supple demo --list` lists them".into(), |n| format!("did you mean {n}?"));
        return Err(Failure::input(miette!(help = hint, "there is no built-in scene {:?}", args.name)));
    };
    if args.print {
        return print(scene.text);
    }
    let mut options = args.options.clone();
    if let Some(n) = options.threads {
        options.set.push(format!("solve.threads={n}"));
    }
    if options.statics {
        options.set.push("time.mode=static".into());
    }
    if options.out.is_none() && !options.force {
        options.out = Some(free_folder(&format!("out/{}", scene.name)));
    }
    let name = format!("{} (built in)", scene.name);
    let loaded = Loaded::parse(&name, scene.text.to_string(), None, &options.set).map_err(Failure::load)?;
    // What was asked for, or else everything to look at.
    let usual = [Format::Obj, Format::Png, Format::Gif];
    simulate(&loaded, scene.name, &options, if options.export.is_empty() { &usual } else { &[] })
}
