//! Endurance: small scenes that come to rest stay there, and memory does not grow.
//!
//! `scripts/test soak` runs 100 000 frames; without, it is a part that takes seconds.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::sync::Mutex;
use supple::scene::{Program, parse};

/// Frames in which a scene comes to rest; memory is measured from there on too.
const SETTLE: usize = 1000;

/// One at a time, because all of them have the memory of one process.
static ALONE: Mutex<()> = Mutex::new(());

fn frames() -> usize {
    let all = std::env::var("SOAK_FRAMES").ok().and_then(|n| n.parse().ok()).unwrap_or(3000);
    all.max(2 * SETTLE)
}

/// Resident memory in bytes, where the system tells it.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(4096 * text.split(' ').nth(1)?.parse::<u64>().ok()?)
}

/// Runs a scene: at rest after [`SETTLE`] frames, no node moves by more than 1e-9 of the scene's size from there to the end, and resident memory
/// grows by less than 1 MB. Both bounds are those that are asked for.
fn rests(name: &str, text: &str) {
    moves(name, text, [0.0; 3]);
}

/// The same for what rests on something that goes `way` in each step, in m: with it.
fn moves(name: &str, text: &str, way: [f64; 3]) {
    let guard = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let file = parse::parse(&format!("version = 1\n{text}"), &[]).unwrap();
    let mut program = Program::new(&file, &mut |path| Err(format!("no {path} here"))).unwrap();
    for frame in 0..SETTLE {
        program.frame().unwrap_or_else(|e| panic!("{name}, frame {frame}: {e}"));
    }
    let (from, before) = (program.simulation.positions(), resident());
    let coordinates = |c: usize| from.iter().map(move |p| p[c]);
    let size = (0..3)
        .map(|c| coordinates(c).fold(f64::MIN, f64::max) - coordinates(c).fold(f64::MAX, f64::min))
        .fold(0.0, f64::max);
    for frame in SETTLE..frames() {
        let report = program.frame().unwrap_or_else(|e| panic!("{name}, frame {frame}: {e}"));
        assert!(report.force_residual.is_finite(), "{name}, frame {frame}: {report:?}");
    }
    let grown = resident().zip(before).map_or(0, |(now, then)| now.saturating_sub(then));
    let end = program.simulation.positions();
    let steps = (frames() - SETTLE) as f64;
    let off =
        |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|c| (a[c] - b[c] - steps * way[c]).abs()).fold(0.0, f64::max);
    let moved = end.iter().zip(&from).map(|(a, b)| off(a, b)).fold(0.0, f64::max);
    drop(guard);
    assert!(moved <= 1e-9 * size, "{name} moved by {:.1e} of its size", moved / size);
    assert!(grown < 1 << 20, "{name}: {grown} bytes more");
}

#[test]
fn a_solid_rests() {
    rests(
        "solid",
        r#"
[solve]
tolerance = 1e-8
[[body]]
name = "beam"
shape = { kind = "box", size = [1.0, 0.25, 0.25], cells = [4, 2, 2] }
material = { kind = "neo_hookean", young = 3e5, poisson = 0.4, density = 1000.0 }
[[pin]]
body = "beam"
select = { plane = { point = [0.0, 0.0, 0.0], normal = [1.0, 0.0, 0.0] } }
"#,
    );
}

#[test]
fn a_sheet_with_limits_rests() {
    rests(
        "sheet",
        r#"
[solve]
tolerance = 1e-8
iterations = 1000
[[body]]
name = "sheet"
shape = { kind = "cloth", size = [1.0, 0.5], cells = [8, 4] }
material = { kind = "corotated", young = 1e4, poisson = 0.3, density = 400.0 }
cloth = { thickness = 0.0005, limit = { range = [0.95, 1.05], along = "threads" }, bending = { kind = "flat", stiffness = 5e-3 } }
rotate = { axis = "x", angle = -90.0 }
[[pin]]
body = "sheet"
select = { ids = [0, 1, 2, 3, 4, 5, 6, 7, 8] }
"#,
    );
}

#[test]
fn contact_at_rest_rests() {
    rests(
        "contact",
        r#"
[solve]
tolerance = 1e-8
[[body]]
name = "box"
shape = { kind = "box", size = [0.3, 0.3, 0.3], cells = [2, 2, 2] }
material = { kind = "stable_neo_hookean", young = 1e5, poisson = 0.3, density = 1000.0 }
translate = [0.0, 0.05, 0.0]
[[obstacle]]
name = "floor"
shape = { kind = "half_space", point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }
friction = 0.5
"#,
    );
}

/// On a floor that moves by 1e-9 m in each step, a third of the bound: a rule that keeps what moves so little where it is would fail. The motion is
/// linear, so that it is the same in each step.
#[test]
fn what_rests_on_a_moving_floor_moves_with_it() {
    moves(
        "moving floor",
        r#"
[time]
dt = 0.01
[solve]
tolerance = 1e-8
[[body]]
name = "box"
shape = { kind = "box", size = [0.3, 0.3, 0.3], cells = [2, 2, 2] }
material = { kind = "stable_neo_hookean", young = 1e5, poisson = 0.3, density = 1000.0 }
translate = [0.0, 0.001, 0.0]
[[obstacle]]
name = "floor"
shape = { kind = "half_space", point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }
friction = 0.5
motion = [ { time = 0.0, translate = [0.0, 0.0, 0.0] }, { time = 10000.0, translate = [1e-3, 0.0, 5e-4] } ]
"#,
        [1e-9, 0.0, 5e-10],
    );
}

/// On a slope of 20° whose friction holds it: tan 20° = .364 < .5.
#[test]
fn what_rests_on_a_slope_rests() {
    rests(
        "slope",
        r#"
[solve]
tolerance = 1e-8
[[body]]
name = "box"
shape = { kind = "box", size = [0.3, 0.3, 0.3], cells = [2, 2, 2] }
material = { kind = "stable_neo_hookean", young = 1e5, poisson = 0.3, density = 1000.0 }
translate = [0.0, 0.005, 0.0]
rotate = { axis = "z", angle = -20.0 }
[[obstacle]]
name = "slope"
shape = { kind = "half_space", point = [0.0, 0.0, 0.0], normal = [0.3420201433256687, 0.9396926207859084, 0.0] }
friction = 0.5
"#,
    );
}

/// Two boxes on each other and on a floor, by the potential.
#[test]
fn a_box_on_a_box_rests() {
    rests(
        "stack",
        r#"
[solve]
tolerance = 1e-8
[[body]]
name = "lower"
shape = { kind = "box", size = [0.3, 0.3, 0.3], cells = [1, 1, 1] }
material = { kind = "stable_neo_hookean", young = 1e5, poisson = 0.3, density = 1000.0 }
translate = [0.0, 0.01, 0.0]
[[body]]
name = "upper"
shape = { kind = "box", size = [0.2, 0.2, 0.2], cells = [1, 1, 1] }
material = { kind = "stable_neo_hookean", young = 1e5, poisson = 0.3, density = 1000.0 }
translate = [0.06, 0.33, 0.04]
[[obstacle]]
name = "floor"
shape = { kind = "half_space", point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }
friction = 0.5
[collide]
friction = 0.5
"#,
    );
}

#[test]
fn a_contracted_muscle_rests() {
    rests(
        "muscle",
        r#"
[solve]
tolerance = 1e-8
[[body]]
name = "arm"
shape = { kind = "box", size = [0.1, 0.5, 0.1], cells = [2, 6, 2] }
material = { kind = "fibre", young = 3e4, poisson = 0.45, density = 1060.0, direction = [0.0, 1.0, 0.0], stiffness = 2e5 }
damping = { stiffness = 0.02 }
[[pin]]
body = "arm"
select = { plane = { point = [0.0, 0.5, 0.0], normal = [0.0, 1.0, 0.0] } }
[[contract]]
body = "arm"
motion = [ { time = 0.0, contraction = 0.2 } ]
"#,
    );
}
