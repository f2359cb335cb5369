//! `supple material`: presets and fits.
//!
//! Expected values: the parameters that made the data; the published data of Treloar.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use supple::scene::{Asset, PRESETS, Program, parse};
use supple_cli::fit::{self, Test, data};

/// L. R. G. Treloar 1944, vulcanised rubber at 20 °C in simple extension, as tabulated by Steinmann, Hossain, Possart 2012:
/// stretch, nominal stress in MPa.
const TRELOAR: [[f64; 2]; 24] = [
    [1.01, 0.03],
    [1.12, 0.14],
    [1.24, 0.23],
    [1.39, 0.32],
    [1.61, 0.41],
    [1.89, 0.50],
    [2.17, 0.58],
    [2.42, 0.67],
    [3.01, 0.85],
    [3.58, 1.04],
    [4.03, 1.21],
    [4.76, 1.58],
    [5.36, 1.94],
    [5.76, 2.29],
    [6.16, 2.67],
    [6.40, 3.02],
    [6.62, 3.39],
    [6.87, 3.75],
    [7.05, 4.12],
    [7.16, 4.47],
    [7.27, 4.85],
    [7.43, 5.21],
    [7.50, 5.57],
    [7.61, 6.30],
];

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("supple-material-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn supple(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_supple")).args(words).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A scene whose one body has the printed table as its material.
fn material_of(table: &str) -> supple::scene::file::MaterialTable {
    let head = "version = 1\n[[body]]\nname = \"a\"\nshape = { kind = \"box\", size = [1, 1, 1], cells = [1, 1, 1] }\n";
    let file = parse::parse(&format!("{head}{table}"), &[]).unwrap();
    Program::new(&file, &mut |_| Err::<Asset, _>("no files".into())).unwrap();
    file.body[0].material.clone().unwrap()
}

/// Two terms, three kinds of test: the terms come back to 1e-4.
#[test]
fn known_terms_come_back() {
    let terms = [(0.5e6, 1.8), (-2e4, -3.5)];
    for test in [Test::Uniaxial, Test::Biaxial, Test::Shear] {
        let slope = |s: f64| terms.iter().map(|(m, a)| m * s.powf(a - 1.0)).sum::<f64>();
        let pairs: Vec<[f64; 2]> =
            (1..=40).map(|i| 0.6 + 0.06 * f64::from(i)).map(|s| [s, test.stress(s, slope)]).collect();
        let fit = fit::ogden(&pairs, test, 2, 0.49).unwrap();
        let found = material_of(&fit.table);
        let (mu, alpha) = (found.mu.unwrap(), found.alpha.unwrap());
        for (i, (m, a)) in terms.iter().enumerate() {
            let off = (mu.all()[i] / m - 1.0).abs().max((alpha.all()[i] / a - 1.0).abs());
            assert!(off < 1e-4, "{test:?}: {}", fit.table);
        }
        let [rms, _] = fit.errors(&pairs);
        assert!(rms < 1e-4 * pairs.last().unwrap()[1], "{rms}");
        // The shear modulus is ½Σμα.
        assert!((fit.mu / 485_000.0 - 1.0).abs() < 1e-4, "{}", fit.mu);
    }
}

/// Rubber up to 7.6 times its length: three terms to 1.5 % of the largest stress (rms), a spline to 1.5 %.
#[test]
fn treloars_rubber() {
    let pairs = TRELOAR.map(|p| [p[0], 1e6 * p[1]]);
    for (name, fit) in [
        ("ogden", fit::ogden(&pairs, Test::Uniaxial, 3, 0.49).unwrap()),
        ("spline", fit::spline(&pairs, Test::Uniaxial, 0.49).unwrap()),
    ] {
        let [rms, most] = fit.errors(&pairs);
        assert!(rms < 0.015 * 6.3e6 && most < 0.06 * 6.3e6, "{name}: {rms} {most}\n{}", fit.table);
        // The shear modulus of this rubber is about 0.4 MPa.
        assert!((0.2e6..0.8e6).contains(&fit.mu), "{name}: {}", fit.mu);
        material_of(&fit.table);
    }
}

#[test]
fn the_command_prints_a_table_and_draws() {
    let f = folder("fit");
    let lines: String = TRELOAR.iter().map(|p| format!("{},{}\n", p[0], p[1])).collect();
    std::fs::write(f.join("treloar.csv"), format!("# Treloar 1944\nstretch, stress (MPa)\n{lines}")).unwrap();
    for kind in ["ogden", "spline"] {
        let o =
            supple(&f, &["material", "fit", "treloar.csv", "--kind", kind, "--plot", &format!("{kind}.svg")]);
        assert_eq!(o.status.code(), Some(0), "{}", text(&o.stderr));
        let out = text(&o.stdout);
        assert!(out.contains("rms error") && out.contains("pairs          24"), "{out}");
        assert_eq!(material_of(&out).kind.unwrap().name(), kind);
        let svg = std::fs::read_to_string(f.join(format!("{kind}.svg"))).unwrap();
        assert!(svg.starts_with("<svg ") && svg.contains("measured") && svg.contains("nominal stress in Pa"));
    }
    // Nothing is overwritten by accident.
    let again = ["material", "fit", "treloar.csv", "--plot", "ogden.svg"];
    let o = supple(&f, &again);
    assert_eq!(o.status.code(), Some(2), "{}", text(&o.stderr));
    let o = supple(&f, &[&again[..], &["--force"]].concat());
    assert_eq!(o.status.code(), Some(0), "{}", text(&o.stderr));
    std::fs::remove_dir_all(f).unwrap();
}

#[test]
fn bad_data_is_refused_with_its_line() {
    for (csv, words) in [
        ("1.1,1e5\n1.2,x\n1.3,3e5\n", "d:2: `x` is no number"),
        ("1.1,1e5\n1.2\n1.3,3e5\n", "d:2: 1 numbers instead of 2"),
        ("1.1,1e5\n\n-1.2,2e5\n", "d:3: the stretch must lie between 0.01 and 100"),
        ("1.1,1e5\n1.2,nan\n", "d:2: `nan` is no number"),
        ("1.1,1e5\n1.2,inf\n", "d:2: `inf` is no number"),
        ("1.1,1e5\n1.2,1e300\n", "d:2: the stress"),
        ("load,length\n1,2\n", "d:1: the header must name"),
        ("1.1,1e5\n1.2,2e5\n", "needs at least three pairs"),
        ("1,0\n1,0\n1,0\n1,0\n", "needs at least three pairs"),
        ("", "needs at least three pairs"),
        ("a\0b\n", "d:1: is no line of numbers"),
    ] {
        let e = data::read("d", csv).unwrap_err();
        assert!(e.contains(words), "{csv:?}: {e}");
    }
    // What may stand in a file: header, units, order, separators, percent.
    let same = [[1.1, 2e5], [1.2, 3e5], [1.5, 4e5]];
    for csv in [
        "stretch;stress_kpa\n1.1;200\n1.2;300\n1.5;400\n",
        "time\tstress [MPa]\tstrain (%)\n0\t0.2\t10\n1\t0.3\t20\n2\t0.4\t50\n",
        "1.1 2e5\n# more\n1.2 3e5\n\n1.5 4e5",
    ] {
        let pairs = data::read("d", csv).unwrap();
        for (p, q) in pairs.iter().zip(&same) {
            assert!((p[0] - q[0]).abs() < 1e-12 && (p[1] - q[1]).abs() < 1e-6, "{csv:?}: {pairs:?}");
        }
    }
    // Stress that falls with the stretch fits nothing.
    let falling = [[1.1, -1e5], [1.2, -2e5], [1.3, -3e5], [1.5, -4e5]];
    assert!(fit::ogden(&falling, Test::Uniaxial, 3, 0.49).unwrap_err().contains("rise"));
    assert!(fit::spline(&falling, Test::Uniaxial, 0.49).is_err());
    let f = folder("bad");
    std::fs::write(f.join("bad.csv"), "1.1,1e5\n1.2,x\n").unwrap();
    let o = supple(&f, &["material", "fit", "bad.csv"]);
    assert_eq!(o.status.code(), Some(2));
    assert!(text(&o.stderr).contains("bad.csv:2: `x` is no number"), "{}", text(&o.stderr));
    let o = supple(&f, &["material", "fit", "missing.csv"]);
    assert!(o.status.code() == Some(2) && text(&o.stderr).contains("missing.csv"));
    std::fs::remove_dir_all(f).unwrap();
}

#[test]
fn presets_are_listed_shown_and_run() {
    let f = folder("preset");
    let o = supple(&f, &["material", "list"]);
    let listed = text(&o.stdout);
    for p in PRESETS {
        assert!(listed.contains(p.name), "{listed}");
        let o = supple(&f, &["material", "show", p.name]);
        let shown = text(&o.stdout);
        assert!(o.status.code() == Some(0) && shown.contains("source") && shown.contains("kg/m³"), "{shown}");
        let table = format!("material = {{ preset = \"{}\" }}\n", p.name);
        assert_eq!(material_of(&table).preset.as_deref(), Some(p.name));
        // The constants shown are those of the material.
        let lame = p.material().unwrap().lame();
        assert!(
            (lame.young() / p.young - 1.0).abs() < 2e-3 && (lame.poisson() - p.poisson).abs() < 1e-3,
            "{}",
            p.name
        );
    }
    let o = supple(&f, &["material", "show", "ruber"]);
    assert!(o.status.code() == Some(2) && text(&o.stderr).contains("there is no preset `ruber`"));
    std::fs::remove_dir_all(f).unwrap();
}
