//! `supple paper`: the figures and tables of the paper, measured again, on one page.
//!
//! | file | holds |
//! |---|---|
//! | `paper.rs` | arguments, the order of the page, `paper.json` |
//! | `paper/page.rs` `paper/style.rs` | sections and claims; HTML, tables, pictures inside of the page; its style |
//! | `paper/bodies.rs` | bodies of the sizes of the paper's |
//! | `paper/fig1.rs` | a body that is dragged about: frames per second |
//! | `paper/convergence.rs` | Fig. 2 and 6: the untwisting box by several methods and weights |
//! | `paper/fig3.rs` | bodies that recover from nonsense |
//! | `paper/fig4.rs` | Fig. 4: strain limits of cloth in the wind |
//! | `paper/fig5.rs` | Fig. 5: a body falls through cylinders |
//! | `paper/table1.rs` | Table 1: milliseconds |
//! | `paper/appendix.rs` | the theorems of the appendices, as numbers |
//! | `paper/lookup.rs` | a look-up table for the proximal operator, section 4.3 |
//! | `paper/since.rs` | the same problems by the methods that came after |
//!
//! To add a figure: a file with a `pub fn section(…) -> miette::Result<Section>`, a variant of [`Item`], an arm in [`run`].
mod appendix;
mod bodies;
mod convergence;
mod fig1;
mod fig3;
mod fig4;
mod fig5;
mod lookup;
mod page;
mod since;
mod style;
mod table1;

pub(super) use fig4::mesh as flag;

use std::io::Write;
use std::path::PathBuf;

use miette::{IntoDiagnostic, miette};
use serde_json::json;
use supple::mesh::io::RawMesh;
use supple_files::input::read_mesh;
use supple_files::output::OutputDir;

use super::Failure;
use super::bench::machine::{self, Machine};
use page::{Claim, Section};

/// What to reproduce, and where to.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to reproduce
    #[arg(value_enum, default_value = "all")]
    items: Vec<Item>,
    /// Folder for the page
    #[arg(long, value_name = "DIR", default_value = "out/paper")]
    out: PathBuf,
    /// Use small bodies and few repeats: under a minute
    #[arg(long)]
    quick: bool,
    /// Number of threads; 0 uses all cores
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: u16,
    /// A surface in place of the figures of Fig. 1, 3, 5 and Table 1; y is upwards
    #[arg(long, value_name = "FILE")]
    mesh: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

/// A part of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Item {
    /// A neo-Hookean body of 2.8k tetrahedra, frames per second
    Fig1,
    /// Convergence of projective dynamics, ADMM and L-BFGS
    Fig2,
    /// Recovery from extreme deformations
    Fig3,
    /// Strain limits of cloth
    Fig4,
    /// Collisions
    Fig5,
    /// Convergence of ADMM for a range of weights
    Fig6,
    /// Milliseconds per iteration and per frame
    Table1,
    /// The theorems, as numbers; and a look-up table for the proximal operator
    Appendix,
    /// The same problems by the methods that came after
    Since,
    /// Everything
    All,
}

/// What all parts need to know.
pub(super) struct Context {
    /// Small bodies and few repeats.
    quick: bool,
    /// As the user said: 0 is all of the machine.
    threads: usize,
    machine: Machine,
    /// A surface in place of the figures.
    surface: Option<RawMesh>,
}

/// Makes the page.
pub fn run(args: &Args) -> Result<(), Failure> {
    let folder = OutputDir::create(&args.out, args.force).map_err(Failure::input)?;
    for name in ["paper.html", "paper.json"] {
        folder.check(name).map_err(Failure::input)?;
    }
    let surface = args.mesh.as_deref().map(read_mesh).transpose().map_err(Failure::input)?;
    if surface.as_ref().is_some_and(|s| !s.tets.is_empty() || s.triangles.is_empty()) {
        return Err(Failure::input(miette!("--mesh takes a surface of triangles")));
    }
    let machine = machine::measure(true);
    let c = Context { quick: args.quick, threads: usize::from(args.threads), machine, surface };
    let wanted = |item: Item| args.items.contains(&Item::All) || args.items.contains(&item);
    let mut sections = Vec::new();
    let mut add = |item: Item, make: &dyn Fn() -> Result<Section, Failure>| -> Result<(), Failure> {
        if wanted(item) {
            let section = make()?;
            say(&section)?;
            sections.push(section);
        }
        Ok(())
    };
    let run = |s: miette::Result<Section>| s.map_err(Failure::run);
    add(Item::Fig1, &|| run(fig1::section(&c)))?;
    add(Item::Fig2, &|| convergence::fig2(&c))?;
    add(Item::Fig3, &|| run(fig3::section(&c)))?;
    add(Item::Fig4, &|| run(fig4::section(&c)))?;
    add(Item::Fig5, &|| run(fig5::section(&c)))?;
    add(Item::Fig6, &|| convergence::fig6(&c))?;
    add(Item::Table1, &|| run(table1::section(&c)))?;
    add(Item::Appendix, &|| run(appendix::section(&c)))?;
    add(Item::Appendix, &|| run(lookup::section(&c)))?;
    add(Item::Since, &|| since::section(&c))?;

    let html = page::page(&c, &sections);
    let data = json!({
        "program": concat!("supple ", env!("CARGO_PKG_VERSION")), "quick": c.quick, "machine": c.machine,
        "threads": c.threads(), "sections": sections.iter().map(Section::json).collect::<Vec<_>>(),
    });
    let page = folder.write_bytes("paper.html", html.as_bytes()).map_err(Failure::run)?;
    let numbers = folder.write_bytes("paper.json", format!("{data:#}\n").as_bytes()).map_err(Failure::run)?;
    print(&format!("wrote {}\nwrote {}\n", page.display(), numbers.display()))?;
    verdict(&sections)
}

/// An error if a claim does not hold.
fn verdict(sections: &[Section]) -> Result<(), Failure> {
    let broken: Vec<String> = sections
        .iter()
        .flat_map(|s| s.claims.iter().map(move |c| (s.id, c)))
        .filter(|(_, c)| c.holds == Some(false))
        .map(|(id, c)| format!("{id}: {} (here: {})", c.text, c.here))
        .collect();
    if broken.is_empty() {
        return Ok(());
    }
    let count = broken.len();
    let claims = if count == 1 { "claim does" } else { "claims do" };
    Err(Failure::run(miette!("{count} {claims} not hold\n  {}", broken.join("\n  "))))
}

impl Context {
    /// Threads that work.
    fn threads(&self) -> usize {
        if self.threads == 0 { self.machine.threads } else { self.threads }
    }
}

fn print(text: &str) -> Result<(), Failure> {
    std::io::stdout().write_all(text.as_bytes()).into_diagnostic().map_err(Failure::run)
}

/// The claims of a section on the terminal, as soon as they are known.
fn say(s: &Section) -> Result<(), Failure> {
    let mut text = format!("{}\n", s.title);
    for Claim { text: claim, paper, here, holds } in &s.claims {
        let mark = match holds {
            Some(true) => "holds",
            Some(false) => "DOES NOT HOLD",
            None => "–",
        };
        text.push_str(&format!("  {claim}\n    paper: {paper}\n    here:  {here}  [{mark}]\n"));
    }
    print(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What holds, and what cannot be said, is no failure; one claim that does not hold is.
    #[test]
    fn a_claim_that_does_not_hold_is_a_failure() {
        let section = |id, holds: &[Option<bool>]| Section {
            id,
            title: String::new(),
            claims: holds.iter().map(|h| Claim::new("faster", "2", "1", *h)).collect(),
            html: String::new(),
            data: json!(null),
        };
        let good = section("fig1", &[Some(true), None]);
        assert!(verdict(std::slice::from_ref(&good)).is_ok());
        let failure = verdict(&[good, section("fig2", &[Some(true), Some(false)])]).err();
        assert!(failure.is_some_and(
            |f| f.code == 1 && f.text.contains("1 claim does not hold\n  fig2: faster (here: 1)")
        ));
    }
}
