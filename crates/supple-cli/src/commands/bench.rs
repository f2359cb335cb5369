//! `supple bench`: what this machine can do, and how much of it the solver uses.
//!
//! | file | measures |
//! |---|---|
//! | `bench.rs` | arguments, table, JSON |
//! | `bench/machine.rs` | clock and read bandwidth |
//! | `bench/cases.rs` | whole steps of bodies of several sizes |
//! | `bench/contact.rs` | what contact costs |
//! | `bench/micro.rs` | decompositions and proximal operators, one by one |
mod cases;
mod contact;
pub(super) mod machine;
mod micro;

use std::io::Write;
use std::path::PathBuf;

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
    /// Only the small body, few repeats: some seconds
    #[arg(long)]
    quick: bool,
    /// Also the huge body of 300k nodes and 1.7M tetrahedra
    #[arg(long, conflicts_with = "quick")]
    huge: bool,
}

/// All that was measured.
#[derive(Serialize)]
struct Report {
    machine: machine::Machine,
    micro: Vec<micro::Micro>,
    cases: Vec<cases::Case>,
    contact: Vec<contact::Contact>,
}

fn say(text: &str) -> miette::Result<()> {
    std::io::stdout().write_all(text.as_bytes()).into_diagnostic()
}

/// Runs the benchmark.
pub fn run(args: &Args) -> miette::Result<()> {
    let machine = machine::measure(args.quick);
    say(&format!(
        "machine  {:.2} GHz, reads {:.1} GB/s on 1 thread, {:.1} GB/s on {}; lanes {}\n\n",
        machine.ghz, machine.read_gbs_1, machine.read_gbs, machine.threads, machine.lanes
    ))?;

    say("kernel                            ns/element  cycles\n")?;
    let micro = micro::measure(machine.ghz, args.quick);
    for m in &micro {
        say(&format!("{:<32} {:>11.1} {:>7.0}\n", m.name, m.ns, m.cycles))?;
    }

    say(
        "\ncase                             elements  threads  set-up ms  local ms  global ms  solve ms  frame ms  cycles/el.  roofline\n",
    )?;
    let mut cases = Vec::new();
    for plan in cases::plan(args.quick, args.huge) {
        for case in cases::measure(&plan, &machine)? {
            say(&format!(
                "{:<32} {:>8} {:>8} {:>10.1} {:>9.3} {:>10.3} {:>9.3} {:>9.2} {:>11.0} {:>8.0}%\n",
                case.name,
                case.elements,
                case.threads,
                case.setup_ms,
                case.local_ms,
                case.global_ms,
                case.solve_ms,
                case.frame_ms,
                case.cycles_per_element,
                100.0 * case.roofline
            ))?;
            cases.push(case);
        }
    }
    say(
        "\ncontact                          elements  triangles  contacts  candidates  frame ms  detection ms\n",
    )?;
    let contact = contact::measure(args.quick)?;
    for c in &contact {
        say(&format!(
            "{:<32} {:>8} {:>10} {:>9} {:>11} {:>9.2} {:>13.2}\n",
            c.name, c.elements, c.triangles, c.contacts, c.candidates, c.frame_ms, c.detection_ms
        ))?;
    }
    if let Some(path) = &args.json {
        let text =
            serde_json::to_string_pretty(&Report { machine, micro, cases, contact }).into_diagnostic()?;
        std::fs::write(path, text + "\n")
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
