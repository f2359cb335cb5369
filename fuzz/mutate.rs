//! Fuzzing without an instrumented compiler: changes files of the corpus at random and hands them to a target.
//!
//! ```text
//! cargo run --release --manifest-path fuzz/Cargo.toml --example mutate -- TARGET COUNT [SEED]
//! ```
//!
//! Inputs that make a target panic, or keep it for more than a second (filling: 30), are written to `fuzz/findings/`, and the command leaves with 1.
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// What breaks readers, as text and as bytes.
const TEXTS: [&str; 22] = [
    "0",
    "-1",
    "1",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "1e-320",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "-9223372036854775808",
    "9999999999999999999999",
    "\n",
    " ",
    "\"",
    "{",
    "[",
    "</",
    "\u{feff}",
    "é",
    "\0",
];
const WORDS: [u64; 8] = [0, 1, u64::MAX, 1 << 31, 1 << 63, 0x7ff8 << 48, 0x7ff0 << 48, 1];

fn mutate(bytes: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
    for _ in 0..1 + random.below(6) {
        let at = random.below(bytes.len());
        match random.below(10) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            1 if !bytes.is_empty() => bytes[at] = random.next() as u8,
            2 => bytes.truncate(at),
            3 => bytes.insert(at.min(bytes.len()), random.next() as u8),
            4 | 5 => {
                // A number or word in the place of the one that stands there.
                let word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'+' | b'_');
                let end = bytes[at..].iter().position(|b| !word(b)).map_or(bytes.len(), |n| at + n);
                let text = TEXTS[random.below(TEXTS.len())].bytes();
                bytes.splice(at..end, text);
            }
            6 => {
                let word = WORDS[random.below(WORDS.len())].to_le_bytes();
                let width = [1, 2, 4, 8][random.below(4)];
                for (b, w) in bytes[at..].iter_mut().zip(&word[8 - width..]) {
                    *b = *w;
                }
            }
            7 => {
                let end = (at + random.below(64)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, part);
            }
            8 => {
                let end = (at + random.below(64)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let other = &others[random.below(others.len())];
                let from = random.below(other.len());
                let to = (from + random.below(200)).min(other.len());
                bytes.splice(at..at, other[from..to].iter().copied());
            }
        }
        bytes.truncate(1 << 16);
    }
}

/// The target of a name, and what it starts from besides its corpus.
fn target(name: &str) -> Option<(fn(&[u8]), Vec<Vec<u8>>)> {
    let text = |all: &[&str]| all.iter().map(|t| t.as_bytes().to_vec()).collect();
    Some(match name {
        "scene" => (supple_fuzz::scene, Vec::new()),
        "tetgen" => (supple_fuzz::tetgen, Vec::new()),
        "npy" => {
            let mut file = b"\x93NUMPY\x01\x00\x46\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 2), }           \n".to_vec();
            (0..8).for_each(|i| file.extend_from_slice(&f64::from(i).to_le_bytes()));
            (supple_fuzz::npy, vec![file])
        }
        "fill" => {
            // A tetrahedron: three ways, coarse and fine.
            let p = [[0i16, 0, 0], [512, 0, 0], [0, 512, 0], [0, 0, 512]];
            let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
            let numbers: Vec<u8> =
                faces.iter().flatten().flat_map(|&v: &usize| p[v]).flat_map(i16::to_le_bytes).collect();
            let of = |how: u8| [vec![how, 2], numbers.clone()].concat();
            (supple_fuzz::fill, vec![of(0), of(1), of(2), of(16), of(17)])
        }
        "checkpoint" => (supple_fuzz::checkpoint, vec![supple_fuzz::small().checkpoint()]),
        "message" => {
            let all = [
                r#"{"type":"run","on":true}"#,
                r#"{"type":"step"}"#,
                r#"{"type":"iterate"}"#,
                r#"{"type":"speed","factor":2.5}"#,
                r#"{"type":"set","key":"iterations","value":7,"body":"a"}"#,
                r#"{"type":"grab","vertices":[1,2,3],"at":[0,1,2]}"#,
                r#"{"type":"drag","to":[0,1e3,2]}"#,
                r#"{"type":"release"}"#,
                r#"{"type":"colour","by":"stress"}"#,
                r#"{"type":"scene","name":"x"}"#,
            ];
            (supple_fuzz::message, text(&all))
        }
        "material_csv" => {
            let all = [
                "stretch,stress\n1,0\n1.1,1e4\n1.5,4e4\n",
                "# rubber\nstretch;stress (Pa)\n1,0;0\n1,1;12\n",
                "strain stress\n0 0\n0.1 3\n",
            ];
            (supple_fuzz::material_csv, text(&all))
        }
        _ => {
            let alone: fn(&[u8]) = match name {
                "msh" => |b| supple_fuzz::alone("msh", b),
                "mesh" => |b| supple_fuzz::alone("mesh", b),
                "vtk" => |b| supple_fuzz::alone("vtk", b),
                "vtu" => |b| supple_fuzz::alone("vtu", b),
                "obj" => |b| supple_fuzz::alone("obj", b),
                "ply" => |b| supple_fuzz::alone("ply", b),
                "stl" => |b| supple_fuzz::alone("stl", b),
                "gltf" => |b| supple_fuzz::alone("gltf", b),
                _ => return None,
            };
            (alone, Vec::new())
        }
    })
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| words.get(i).and_then(|w| w.parse::<u64>().ok());
    let Some((name, (run, mut corpus))) = words.first().and_then(|n| Some((n, target(n)?))) else {
        eprintln!("usage: mutate TARGET COUNT [SEED]");
        std::process::exit(2);
    };
    let count = number(1).unwrap_or(1000);
    let mut random = Random(number(2).unwrap_or(1));
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for entry in std::fs::read_dir(here.join("corpus").join(name)).into_iter().flatten().flatten() {
        corpus.extend(std::fs::read(entry.path()));
    }
    // Large files cost time and show little that small ones do not.
    corpus.retain(|c| c.len() <= 1 << 15);
    assert!(!corpus.is_empty(), "nothing to start from");
    std::panic::set_hook(Box::new(|_| {}));
    let findings = here.join("findings");
    let (start, mut found, mut slowest, mut executions) = (Instant::now(), 0, 0.0f64, 0);
    // Filling refines until it is fine enough; readers answer at once.
    let patience = if name == "fill" { 30.0 } else { 1.0 };
    for done in 0..count {
        let mut bytes = corpus[random.below(corpus.len())].clone();
        mutate(&mut bytes, &corpus, &mut random);
        executions += 1;
        let began = Instant::now();
        let panicked = catch_unwind(AssertUnwindSafe(|| run(&bytes))).is_err();
        let seconds = began.elapsed().as_secs_f64();
        slowest = slowest.max(seconds);
        if panicked || seconds > patience {
            found += 1;
            let _ = std::fs::create_dir_all(&findings);
            let file = findings.join(format!("{name}-{done}"));
            println!("{}: {}", file.display(), if panicked { "panic" } else { "slow" });
            let _ = std::fs::write(file, &bytes);
        }
        if found >= 20 {
            break;
        }
    }
    println!(
        "{name}: {executions} executions from {} files in {:.0} s, slowest {slowest:.2} s, {found} findings",
        corpus.len(),
        start.elapsed().as_secs_f64()
    );
    std::process::exit(i32::from(found > 0));
}
