//! Fills a surface and says how long each of some tries took: `cargo run --release --example fill -- FILE [TETS] [KIND] [THREADS]`.
#![allow(clippy::print_stdout, missing_docs)]

use std::error::Error;
use supple::mesh::fill::{FillSettings, Kind, Surface, fill, fill_with};
use supple::mesh::io::{Format, read};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = std::path::PathBuf::from(arguments.next().ok_or("which file?")?);
    let tets = arguments.next().map_or(Ok(20_000), |n| n.parse())?;
    let kind = match arguments.next().as_deref() {
        None | Some("conform") => Kind::Conform,
        Some("grow") => Kind::Grow,
        Some("cage") => Kind::Cage,
        Some(other) => return Err(format!("no kind `{other}`").into()),
    };
    let threads = arguments.next().map_or(Ok(0), |n| n.parse())?;
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let format = Format::from_extension(extension).ok_or("no mesh file")?;
    let bytes = std::fs::read(&path)?;
    let name = path.to_string_lossy();
    let second = match format.companion(&name, &bytes)? {
        Some(other) => Some((other.clone(), std::fs::read(path.with_file_name(&other))?)),
        None => None,
    };
    let mesh = read(format, &name, &bytes, second.as_ref().map(|(n, b)| (n.as_str(), b.as_slice())))?;
    let surface = Surface { vertices: &mesh.vertices, triangles: &mesh.triangles };
    let settings = FillSettings { threads, ..FillSettings::tets(tets).kind(kind) };
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let (_, report) = fill(&surface, &settings)?;
        best = best.min(report.seconds);
    }
    let start = std::time::Instant::now();
    let (_, report) = fill_with(&surface, &settings, &mut |p| {
        println!("{:8.1} ms: pass {}, {}", 1e3 * start.elapsed().as_secs_f64(), p.pass, p.stage.as_str());
        true
    })?;
    println!("{report:#?}");
    report.notes().iter().for_each(|note| println!("- {note}"));
    println!("angles {:.1}° … {:.1}°", report.dihedral[0].to_degrees(), report.dihedral[1].to_degrees());
    println!("{:.1} ms, {:.1} ms per 10k", 1e3 * best, 1e7 * best / report.tets as f64);
    Ok(())
}
