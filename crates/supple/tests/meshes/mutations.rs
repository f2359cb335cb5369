//! No input may make a reader panic, and whatever a reader accepts must be a sound mesh.

use std::fs;
use std::path::Path;

use supple::mesh::io::{Format, RawMesh, ReadError, read, write};
use supple::mesh::quality::inspect;

use super::{binary, fixtures};

/// A small generator of pseudo-random numbers, so that every run is the same.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % below.max(1)
    }
}

const WORDS: [&str; 14] = [
    "-1",
    "0",
    "4294967295",
    "18446744073709551615",
    "nan",
    "1e308",
    "1e-320",
    "1",
    "3",
    "\n",
    "\0",
    " ",
    "\"",
    "99999999",
];

fn mutate(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..=dice.roll(3) {
        let (at, n) = (dice.roll(out.len()), out.len());
        let end = (at + 1 + dice.roll(16)).min(n);
        match dice.roll(9) {
            0 => out[at] ^= 1 << dice.roll(8),
            1 => out[at] = dice.roll(256) as u8,
            2 => out.truncate(at.max(1)),
            3 => drop(out.drain(at..end)),
            4 => {
                let piece = out[at..end].to_vec();
                let to = dice.roll(n);
                out.splice(to..to, piece);
            }
            5 => out[at..end].fill([0, 0xff, 0x7f, 0x80][dice.roll(4)]),
            6 => {
                // Replaces a whole word.
                let start = out[..at].iter().rposition(|b| b.is_ascii_whitespace()).map_or(0, |i| i + 1);
                let stop = out[at..].iter().position(|b| b.is_ascii_whitespace()).map_or(n, |i| at + i);
                out.splice(start..stop.max(start), WORDS[dice.roll(WORDS.len())].bytes());
            }
            7 => {
                out.splice(at..at, WORDS[dice.roll(WORDS.len())].bytes());
            }
            _ => {
                let to = dice.roll(n);
                out.swap(at, to);
            }
        }
        if out.is_empty() {
            out.push(b' ');
        }
    }
    out
}

/// What holds for everything that a reader returns.
fn check(name: &str, outcome: Result<RawMesh, ReadError>) -> bool {
    let mesh = match outcome {
        Ok(mesh) => mesh,
        Err(error) => {
            let error = error.to_string();
            assert!(!error.contains(char::is_control) && error.len() < 1000, "{name}: {error:?}");
            return false;
        }
    };
    assert!(!mesh.vertices.is_empty());
    if !mesh.tets.is_empty() {
        mesh.to_tet_mesh().unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let nodes = mesh.vertices.len() as u32;
    assert!(mesh.triangles.iter().flatten().all(|&v| v < nodes));
    for group in &mesh.groups {
        assert!(group.nodes.is_sorted() && group.nodes.iter().all(|&v| v < nodes), "{name}");
        assert!(
            group.tets.is_sorted() && group.tets.iter().all(|&t| (t as usize) < mesh.tets.len()),
            "{name}"
        );
    }
    let report = inspect(&mesh.vertices, &mesh.tets, &mesh.triangles);
    assert!(report.components > 0);
    write(Format::Gmsh, &mesh, Vec::new()).unwrap();
    write(Format::Obj, &mesh, Vec::new()).unwrap();
    true
}

#[test]
fn mutations_of_every_fixture() {
    let mut files = fixtures::all();
    for big in [false, true] {
        files.push((format!("own22_{big}.msh"), binary::msh22(big), None));
        files.push((format!("own41_{big}.msh"), binary::msh41(big), None));
        files.push((format!("own_{big}.ply"), binary::ply(big), None));
    }
    files.push(("own.vtk".into(), binary::vtk(), None));
    files.push(("own.stl".into(), binary::stl(), None));
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut accepted, mut all) = (0, 0);
    for (name, bytes, companion) in &files {
        let format = super::format(name);
        for _ in 0..3000 {
            let changed = mutate(bytes, &mut dice);
            let outcome = match companion {
                None => read(format, name, &changed, None),
                Some(ele) if dice.roll(2) == 0 => read(format, name, &changed, Some(("m.ele", ele))),
                Some(ele) => read(format, name, bytes, Some(("m.ele", &mutate(ele, &mut dice)))),
            };
            accepted += usize::from(check(name, outcome));
            all += 1;
        }
    }
    // Neither everything nor nothing: the mutations are worth something.
    assert!(accepted * 50 > all && accepted < all * 9 / 10, "{accepted} of {all}");
}

/// The inputs that fuzzing starts from, and those that once did harm. See fuzz/README.md.
#[test]
fn the_corpus_of_the_fuzzer() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut count = 0;
    for folder in fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()) {
        let target = folder.file_name().unwrap().to_str().unwrap().to_owned();
        if target == "scene" {
            continue; // tests/scene_files.rs has these
        }
        for file in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let bytes = fs::read(&file).unwrap();
            let outcome = if target == "tetgen" {
                // The two files stand on both sides of a NUL byte.
                let cut = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
                let ele = bytes.get(cut + 1..).unwrap_or(&[]);
                read(Format::TetgenNode, &target, &bytes[..cut], Some(("ele", ele)))
            } else {
                read(Format::from_extension(&target).unwrap(), &target, &bytes, None)
            };
            check(&target, outcome);
            count += 1;
        }
    }
    assert!(count > 50, "only {count} inputs");
}
