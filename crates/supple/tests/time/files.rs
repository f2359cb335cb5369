//! Integrators, statics and pins along axes in scene files.

use supple::scene::Program;
use supple::scene::file::Mode;
use supple::scene::parse;
use supple::{Integrator, Status};

const TENSION: &str = r#"version = 1
[time]
frames = 3
dt = 0.5
mode = "static"
[world]
gravity = [0, 0, 0]
[[body]]
name = "bar"
shape = { kind = "box", size = [0.3, 0.2, 0.2], cells = [3, 2, 2] }
material = { kind = "neo_hookean", young = 1e5, poisson = 0.4, density = 1000 }
[[pin]]
body = "bar"
select = { box = { min = [-0.01, -1, -1], max = [0.01, 1, 1] } }
axes = ["x"]
[[pin]]
body = "bar"
select = { box = { min = [-1, -0.01, -1], max = [1, 0.01, 1] } }
axes = ["y"]
[[pin]]
body = "bar"
select = { box = { min = [-1, -1, -0.01], max = [1, 1, 0.01] } }
axes = ["z"]
[[pin]]
body = "bar"
select = { box = { min = [0.29, -1, -1], max = [0.31, 1, 1] } }
axes = ["x"]
motion = [ { time = 0.0, translate = [0, 0, 0] }, { time = 1.0, translate = [0.15, 0, 0] } ]
"#;

fn program(text: &str, set: &[(&str, &str)]) -> Program {
    let set: Vec<_> = set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    let (file, _) = parse::read(text, &set).unwrap();
    Program::new(&file, &mut |_| Err::<supple::scene::Asset, _>("no files".into())).unwrap()
}

/// Stretched to 1.5 on planes of symmetry, nodes on edges held by two and three pins: lateral stretch and force against the closed form.
#[test]
fn a_static_scene_pulls_a_bar() {
    let mut p = program(TENSION, &[]);
    assert_eq!((p.mode, p.frames), (Mode::Static, 3));
    for frame in 1..=3 {
        let r = p.frame().unwrap();
        assert_eq!((r.status, r.frame), (Status::Converged, frame), "{r:?}");
        assert!((r.time - 0.5 * frame as f64).abs() < 1e-12 && r.energy.kinetic == 0.0);
    }
    let x = p.simulation.positions();
    let top = x.iter().map(|p| p[1]).fold(0.0, f64::max) / 0.2;
    let end: f64 =
        p.simulation.pin_forces().iter().zip(&x).filter(|(_, p)| p[0] > 0.4).map(|(f, _)| f[0]).sum();
    assert!((top - 0.846028).abs() < 1e-6 && (end / 0.04 / 36529.4478 - 1.0).abs() < 1e-8, "{top} {end}");
}

/// Where nothing moves, one frame is enough; integrators are known by name; wrong words are refused by name.
#[test]
fn words_of_time() {
    let still = TENSION.split("motion").next().unwrap();
    assert_eq!(program(still, &[]).frames, 1);
    let p = program(TENSION, &[("time.mode", "dynamic"), ("time.integrator", "bdf2")]);
    assert_eq!(p.simulation.settings().time.integrator, Integrator::Bdf2);
    for (key, word) in [("time.mode", "statical"), ("time.integrator", "bdf3")] {
        let set = vec![(key.to_string(), word.to_string())];
        let e = parse::read(TENSION, &set).unwrap_err();
        assert!(e.iter().any(|e| e.to_string().contains(word)), "{e:?}");
    }
}
