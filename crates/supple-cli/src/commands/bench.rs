//! `supple bench`: what this machine can do, and how much of it the solver uses.
//!
//! | file | measures |
//! |---|---|
//! | `bench.rs` | arguments, table, JSON |
//! | `bench/machine.rs` | clock and read bandwidth |
//! | `bench/cases.rs` | whole steps of bodies of several sizes |
//! | `bench/elements.rs` | errors and times of elements of several kinds |
//! | `bench/contact.rs` | what contact costs at rest, and the search for contacts alone |
//! | `bench/scenes.rs` | whole motions with contact between bodies; those that are no built-in scenes are in `bench/scenes/` |
//! | `bench/pictures.rs` | pictures as runs draw them |
//! | `bench/readme.rs` | README's table, and what form it must have |
//! | `bench/micro.rs` | decompositions and proximal operators, one by one |
mod cases;
mod contact;
mod elements;
pub(super) mod machine;
mod micro;
mod pictures;
mod readme;
mod scenes;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use miette::{IntoDiagnostic, WrapErr};
use serde::Serialize;

/// Measure clock, bandwidth, kernels and whole steps, in one run
///
/// Times are minima over repeats; times of a step's parts are per iteration. Cycles are times × the clock measured in the
/// same run. The roofline is the share of the measured read bandwidth that the global solve reaches.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write all numbers as JSON to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Use the small body and few repeats: a few seconds
    #[arg(long)]
    quick: bool,
    /// Also the huge body of 300k nodes and 1.7M tetrahedra
    #[arg(long, conflicts_with = "quick")]
    huge: bool,
    /// Only the README's table, with date, machine and commit
    #[arg(long, conflicts_with_all = ["contact", "huge", "json", "pictures"])]
    readme: bool,
    /// Only the contact benchmarks
    #[arg(long, conflicts_with = "huge")]
    contact: bool,
    /// Only the elements: errors and times of order 1 and 2, averaged and not, on bent and compressed bodies
    #[arg(long, conflicts_with_all = ["huge", "contact"])]
    elements: bool,
    /// Only the pictures: what drawing costs
    #[arg(long, conflicts_with_all = ["huge", "contact", "elements", "json"])]
    pictures: bool,
    /// Only motions with contact whose name contains this
    #[arg(long, value_name = "NAME", requires = "contact")]
    scene: Vec<String>,
    /// Maximum number of steps of each motion with contact [default: 60, or 10 with --quick]
    #[arg(long, value_name = "N", requires = "contact")]
    steps: Option<u64>,
    /// Maximum number of seconds for each motion with contact [default: 30, or 5 with --quick or without --contact]
    #[arg(long, value_name = "S", requires = "contact")]
    seconds: Option<u64>,
    /// Threads for the motions with contact; 0 uses all cores
    #[arg(long, value_name = "N", default_value_t = 0, requires = "contact")]
    threads: usize,
}

/// All that was measured.
#[derive(Serialize)]
struct Report {
    machine: machine::Machine,
    micro: Vec<micro::Micro>,
    cases: Vec<cases::Case>,
    elements: Vec<elements::Error>,
    contact: Vec<contact::Contact>,
    motions: Vec<scenes::Motion>,
}

fn say(text: &str) -> miette::Result<()> {
    std::io::stdout().write_all(text.as_bytes()).into_diagnostic()
}

/// Runs the benchmark.
pub fn run(args: &Args) -> miette::Result<()> {
    let machine = machine::measure(args.quick);
    if args.readme {
        say(&format!("{}\n\n", readme::intro(&machine)))?;
        let mut cases = Vec::new();
        for plan in cases::of_readme(args.quick) {
            cases.extend(cases::measure(&plan, &machine)?);
        }
        return say(&readme::table(&cases));
    }
    say(&format!(
        "machine  {:.2} GHz, reads {:.1} GB/s on 1 thread, {:.1} GB/s on {}; lanes {}\n\n",
        machine.ghz, machine.read_gbs_1, machine.read_gbs, machine.threads, machine.lanes
    ))?;

    if args.pictures {
        return say(&pictures::table(&pictures::measure(args.quick)));
    }
    if args.elements {
        let report = Report {
            machine,
            micro: vec![],
            cases: vec![],
            elements: off(args)?,
            contact: vec![],
            motions: vec![],
        };
        return write(args, &report);
    }
    let (micro, cases) = if args.contact { (Vec::new(), Vec::new()) } else { bodies(args, &machine)? };
    let contact = if args.scene.is_empty() { at_rest(args)? } else { Vec::new() };
    let motions = in_motion(args)?;
    write(args, &Report { machine, micro, cases, elements: vec![], contact, motions })
}

fn write(args: &Args, report: &Report) -> miette::Result<()> {
    if let Some(path) = &args.json {
        let text = serde_json::to_string_pretty(report).into_diagnostic()?;
        std::fs::write(path, text + "\n")
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Errors of elements.
fn off(args: &Args) -> miette::Result<Vec<elements::Error>> {
    say("body             ν     cells  elements               nodes      off %   seconds\n")?;
    let mut all = Vec::new();
    for plan in elements::plan(args.quick) {
        for e in elements::measure(&plan)? {
            say(&format!(
                "{:<15} {:>5.2} {:>6}  {:<20} {:>7} {:>10.2} {:>9.3}\n",
                e.body,
                e.poisson,
                e.cells,
                e.elements,
                e.nodes,
                100.0 * e.off,
                e.seconds
            ))?;
            all.push(e);
        }
    }
    Ok(all)
}

/// Kernels one by one, and whole steps.
fn bodies(args: &Args, machine: &machine::Machine) -> miette::Result<(Vec<micro::Micro>, Vec<cases::Case>)> {
    say("kernel                            ns/element  cycles\n")?;
    let micro = micro::measure(machine.ghz, args.quick);
    for m in &micro {
        say(&format!("{:<32} {:>11.1} {:>7.0}\n", m.name, m.ns, m.cycles))?;
    }

    say(
        "\ncase                             elements  threads  set-up ms  local ms  global ms  solve ms  frame ms  cycles/el.  roofline  memory MB\n",
    )?;
    let mut cases = Vec::new();
    for plan in cases::plan(args.quick, args.huge) {
        for case in cases::measure(&plan, machine)? {
            say(&format!(
                "{:<32} {:>8} {:>8} {:>10.1} {:>9.3} {:>10.3} {:>9.3} {:>9.2} {:>11.0} {:>8.0}% {:>10.1}\n",
                case.name,
                case.elements,
                case.threads,
                case.setup_ms,
                case.local_ms,
                case.global_ms,
                case.solve_ms,
                case.frame_ms,
                case.cycles_per_element,
                100.0 * case.roofline,
                case.memory_mb
            ))?;
            cases.push(case);
        }
    }
    say("\n")?;
    Ok((micro, cases))
}

/// Contact at rest.
fn at_rest(args: &Args) -> miette::Result<Vec<contact::Contact>> {
    say(
        "contact                          elements  triangles  contacts  candidates  frame ms  detection ms\n",
    )?;
    let contact = contact::measure(args.quick)?;
    for c in &contact {
        say(&format!(
            "{:<32} {:>8} {:>10} {:>9} {:>11} {:>9.2} {:>13.2}\n",
            c.name, c.elements, c.triangles, c.contacts, c.candidates, c.frame_ms, c.detection_ms
        ))?;
    }
    say("\n")?;
    Ok(contact)
}

/// Contact in motion: means over the steps, and the most of one step after the stroke.
fn in_motion(args: &Args) -> miette::Result<Vec<scenes::Motion>> {
    let limits = scenes::Limits {
        steps: args.steps.unwrap_or(if args.quick { 10 } else { 60 }),
        time: Duration::from_secs(args.seconds.unwrap_or(if args.contact && !args.quick { 30 } else { 5 })),
        threads: args.threads,
    };
    let plans = scenes::plan(&args.scene);
    if plans.is_empty() {
        return Err(miette::miette!("no motion has a name like {}", args.scene.join(", ")));
    }
    say(
        "motion                  nodes  threads  steps     ms per step  median  detection  iterations  converged       contacts  shortened  depth m\n",
    )?;
    let mut motions = Vec::new();
    for plan in plans {
        let m = scenes::measure(&plan, limits)?;
        say(&format!(
            "{:<22} {:>6} {:>8} {:>6} {:>7.1} /{:>7.0} {:>7.1} {:>10.2} {:>5.1} /{:>4} {:>9.1}% {:>7.1} /{:>6} {:>10} {:>8.1e}\n",
            m.name,
            m.nodes,
            m.threads,
            m.steps,
            m.mean_ms,
            m.most_ms,
            m.median_ms,
            m.detection_ms,
            m.iterations,
            m.most_iterations,
            100.0 * m.converged,
            m.contacts,
            m.most_contacts,
            m.shortened,
            m.depth
        ))?;
        motions.push(m);
    }
    Ok(motions)
}
