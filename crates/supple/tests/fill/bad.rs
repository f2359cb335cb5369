//! What is refused, and what is said.

use crate::shapes::{Mesh, block, sphere};
use supple::mesh::fill::{FillError, FillSettings, Kind, Surface, fill, fill_with};

fn refuse(mesh: &Mesh, settings: &FillSettings) -> FillError {
    fill(&mesh.surface(), settings).expect_err("was filled")
}

fn says(error: &FillError, words: &[&str]) {
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "`{text}` does not say `{word}`");
    }
}

#[test]
fn nothing_and_numbers_that_are_not_finite() {
    let empty = Surface { vertices: &[], triangles: &[] };
    says(&fill(&empty, &FillSettings::default()).unwrap_err(), &["empty", "0 triangles"]);
    let mut bad = sphere(1.0, 4);
    bad.vertices[3][1] = f64::NAN;
    says(&refuse(&bad, &FillSettings::default()), &["vertex 3", "not finite"]);
    bad.vertices[3][1] = f64::INFINITY;
    says(&refuse(&bad, &FillSettings::default()), &["vertex 3", "not finite"]);
    bad.vertices[3][1] = 0.0;
    bad.triangles[5][2] = 1_000_000;
    says(&refuse(&bad, &FillSettings::default()), &["triangle 5", "1000000 does not exist"]);
}

#[test]
fn flat_things() {
    let one = Mesh { vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], triangles: vec![[0, 1, 2]] };
    says(&refuse(&one, &FillSettings::default()), &["flat", "one plane", "cloth"]);
    let line =
        Mesh { vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], triangles: vec![[0, 1, 2]] };
    says(&refuse(&line, &FillSettings::default()), &["flat", "none of its 1 triangles"]);
    let point = Mesh { vertices: vec![[1.0; 3]; 3], triangles: vec![[0, 1, 2]] };
    says(&refuse(&point, &FillSettings::default()), &["flat", "same point"]);
    let tilted = sphere(1.0, 4).map(|p| [p[0], p[1], 0.5 * p[0] - p[1]]);
    says(&refuse(&tilted, &FillSettings::default()), &["flat", "one plane"]);
}

#[test]
fn sheets_have_no_inside() {
    // A bent sheet with two sides, and one with a single side.
    let quad = |n: u32| {
        let mut m = Mesh::default();
        for i in 0..=n {
            for j in 0..=n {
                let (x, y) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
                m.vertices.push([x, y, 0.1 * (x * x + y)]);
            }
        }
        for i in 0..n {
            for j in 0..n {
                let a = i * (n + 1) + j;
                m.triangles.extend([[a, a + n + 1, a + 1], [a + 1, a + n + 1, a + n + 2]]);
            }
        }
        m
    };
    for kind in [Kind::Conform, Kind::Grow, Kind::Cage] {
        for settings in [FillSettings::size(0.05).kind(kind), FillSettings::tets(1000).kind(kind)] {
            let two_sided = quad(8).with(&quad(8).turned());
            says(&refuse(&two_sided, &settings), &["nothing lies inside", "cloth"]);
            says(&refuse(&quad(8), &settings), &["nothing lies inside", "open along 32 edges", "cloth"]);
        }
    }
}

#[test]
fn sizes_beyond_sense() {
    for scale in [1e-20, 1e20] {
        let mesh = sphere(scale, 6);
        says(&refuse(&mesh, &FillSettings::default()), &["across", "metres", "scale it"]);
        says(&refuse(&mesh, &FillSettings::tets(1000)), &["across", "metres", "scale it"]);
    }
    let huge = sphere(1e200, 6);
    says(&refuse(&huge, &FillSettings::default()), &["across"]);
    for size in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        says(&refuse(&sphere(1.0, 6), &FillSettings::size(size)), &["`size`", "positive length"]);
    }
    says(&refuse(&sphere(1.0, 6), &FillSettings::tets(0)), &["`tets`", "from 1 to"]);
}

/// A small scale is no harm by itself.
#[test]
fn scale_changes_nothing() {
    let count = |scale: f64| fill(&sphere(scale, 8).surface(), &FillSettings::default()).unwrap().1.tets;
    let one = count(1.0);
    for scale in [1e-6, 1e6] {
        let other = count(scale);
        assert!((other as f64 / one as f64 - 1.0).abs() < 0.01, "{one} and {other}");
    }
}

#[test]
fn thin_things_say_which_size_would_do() {
    // Between the planes of nodes of a coarse lattice.
    let plate = block([-1.0, -1.0, -0.01], [1.0, 1.0, 0.01]).map(|p| {
        let s = 0.3f64;
        [p[0], s.cos() * p[1] - s.sin() * p[2], s.sin() * p[1] + s.cos() * p[2]]
    });
    let (_, report) = fill(&plate.surface(), &FillSettings::size(0.3).kind(Kind::Cage)).unwrap();
    assert!((report.size_that_would_do().unwrap() - 0.01).abs() < 1e-4);
    assert!(report.thin > 0.95);
    assert!(
        report
            .notes()
            .iter()
            .any(|n| n.contains("thinner than two sizes") && n.contains("1.00e-2 m would do"))
    );
    let tiny = block([0.1; 3], [0.11; 3]).with(&block([0.9; 3], [0.91; 3]));
    says(&refuse(&tiny, &FillSettings::size(0.3)), &["misses it", "1.000e-2 m thick", "5.000e-3 m or less"]);
}

/// 10⁻⁷ of a metre would be 10²¹ nodes: refused at once, with a size that fits, which then is taken.
#[test]
fn memory_is_refused_before_it_is_taken() {
    let ball = sphere(1.0, 6);
    let start = std::time::Instant::now();
    let error = refuse(&ball, &FillSettings::size(1e-7));
    assert!(start.elapsed().as_secs_f64() < 2.0);
    says(&error, &["GiB", "take a size of at least"]);
    let settings = FillSettings { memory: 1 << 20, ..FillSettings::size(0.02) };
    let FillError::Memory { enough, .. } = refuse(&ball, &settings) else { panic!("not for its memory") };
    fill(&ball.surface(), &FillSettings { memory: 1 << 20, ..FillSettings::size(enough) }).unwrap();
    says(&refuse(&ball, &FillSettings { memory: 1 << 20, ..FillSettings::tets(10_000_000) }), &["GiB"]);
}

/// A wavy sheet has pockets in which the winding number is above ½, below about half of it: it is no body. A bowl is one.
#[test]
fn wavy_sheets_are_no_bodies() {
    let n = 12;
    let mut sheet = Mesh::default();
    for i in 0..=n {
        for j in 0..=n {
            let (u, v) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
            sheet.vertices.push([u, 0.1 * (6.0 * u).sin(), v]);
        }
    }
    for a in (0..n * (n + 1)).filter(|a| a % (n + 1) < n) {
        sheet
            .triangles
            .extend([[a, a + 1, a + n + 1], [a + 1, a + n + 2, a + n + 1]].map(|t| t.map(|v| v as u32)));
    }
    for kind in [Kind::Conform, Kind::Grow, Kind::Cage] {
        says(
            &refuse(&sheet, &FillSettings::tets(3000).kind(kind)),
            &["open along 48 edges", "behind it", "cloth"],
        );
        says(&refuse(&sheet.clone().turned(), &FillSettings::tets(3000).kind(kind)), &["behind it", "cloth"]);
    }
    let mut bowl = sphere(1.0, 8);
    let vertices = bowl.vertices.clone();
    bowl.triangles.retain(|t| t.iter().all(|&v| vertices[v as usize][2] > -1e-9));
    let (_, report) = fill(&bowl.surface(), &FillSettings::tets(3000)).unwrap();
    assert!((report.volume / (2.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 0.5);
}

/// What is too thin for the number that is asked for is not sought on ever finer lattices: at three tenths of the size for a solid of that volume there
/// would be 37 times as many.
#[test]
fn what_is_too_thin_is_soon_refused() {
    let plate = block([0.0; 3], [1.0, 1e-4, 1.0]);
    let mut passes = 0;
    let error = fill_with(&plate.surface(), &FillSettings::tets(3000), &mut |p| {
        passes = passes.max(p.pass);
        true
    });
    says(&error.unwrap_err(), &["misses it", "1.000e-4 m thick", "or kind `cage`"]);
    assert!(passes <= 4, "{passes} lattices");
    // A cage loses nothing, also where no point at which the inside is asked for lies in it.
    let needle = sphere(1.0, 8).map(|p| [1e-3 * p[0], p[1], 1e-3 * p[2]]);
    for thin in [plate, needle] {
        let (mesh, report) = fill(&thin.surface(), &FillSettings::tets(1000).kind(Kind::Cage)).unwrap();
        assert!(report.volume_error.unwrap().abs() < 0.005, "{:?}", report.volume_error);
        assert!(mesh.fill().iter().all(|f| *f > 0.0 && *f <= 1.0));
    }
}

/// A surface that passes through itself encloses as much inside out as it does otherwise, so that its signed volume is zero: what is not inside out is
/// filled, and it is said that the rest is lost.
#[test]
fn volumes_that_cancel_are_no_sheets() {
    // Twisted by half a turn at z = 0: below, it is inside out.
    let twice = sphere(1.0, 12).map(|p| [p[0] * p[2], p[1], p[2]]);
    assert!(twice.volume().abs() < 1e-9);
    for kind in [Kind::Conform, Kind::Grow, Kind::Cage] {
        let (mesh, report) = fill(&twice.surface(), &FillSettings::tets(2000).kind(kind)).unwrap();
        assert!(report.surface_volume.is_none(), "{:?}", report.surface_volume);
        // ∫ z over half of a ball.
        assert!(
            (report.volume / (0.25 * std::f64::consts::PI) - 1.0).abs() < 0.1,
            "{kind:?}: {}",
            report.volume
        );
        assert!(mesh.fill().iter().all(|f| *f > 0.0));
        assert!(kind != Kind::Conform || (0.2..0.8).contains(&report.lost_area), "{}", report.lost_area);
    }
}

#[test]
fn progress_is_told_and_may_stop() {
    let ball = sphere(1.0, 6);
    let mut seen = Vec::new();
    fill_with(&ball.surface(), &FillSettings::size(0.2).kind(Kind::Cage), &mut |p| {
        seen.push((p.stage.as_str(), p.done));
        true
    })
    .unwrap();
    assert!(seen.windows(2).all(|w| w[0].1 <= w[1].1));
    assert_eq!(seen.len(), 6, "{seen:?}");
    for stop in 0..seen.len() {
        let mut count = 0;
        let result = fill_with(&ball.surface(), &FillSettings::size(0.2).kind(Kind::Cage), &mut |_| {
            count += 1;
            count <= stop
        });
        assert_eq!(result.unwrap_err(), FillError::Stopped);
    }
}
