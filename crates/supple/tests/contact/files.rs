//! Obstacles in scene files.

use supple::scene::{Program, parse::parse, problems};

const SCENE: &str = r#"version = 1
[time]
dt = 0.01
frames = 100
[[body]]
name = "cube"
shape = { kind = "box", size = [0.2, 0.2, 0.2], cells = [2, 2, 2] }
material = { kind = "corotated", young = 1e5, poisson = 0.3 }
translate = [0.0, 0.01, 0.0]
[[obstacle]]
name = "belt"
shape = { kind = "box", centre = [0.0, -0.1, 0.0], size = [9.0, 0.2, 9.0] }
friction = 0.8
motion = [{ time = 0.2, translate = [0, 0, 0] }, { time = 1.2, translate = [1, 0, 0] }]
[[obstacle]]
shape = { kind = "half_space", point = [0, 0, 0], normal = [1, 0, 0] }
rotate = { axis = "z", angle = 90 }
translate = [0, -5, 0]
"#;

fn program(text: &str) -> Result<Program, supple::scene::SceneError> {
    let file = parse(text, &[])?;
    Program::new(&file, &mut |_| Err("no files".into()))
}

/// A belt at 1 m/s carries what lies on it.
#[test]
fn a_belt_carries_a_cube() {
    let mut p = program(SCENE).unwrap();
    assert_eq!(p.simulation.obstacles()[1].name, "obstacle1");
    assert_eq!(p.last_keyframe(), 1.2);
    for _ in 0..100 {
        let r = p.frame().unwrap();
        assert!(r.max_penetration <= 1e-7, "{r:?}");
    }
    let v = p.simulation.velocities();
    assert!(v.iter().all(|v| (v[0] - 1.0).abs() < 0.05), "{v:?}");
    // The other is the half-space below y = −5, seen through its pose.
    let pose = p.simulation.obstacle_pose(1).unwrap();
    let d = p.simulation.obstacles()[1].shape.closest(pose.undo([3.0, -4.0, 1.0])).distance;
    assert!((d - 1.0).abs() < 1e-12, "{d}");
}

#[test]
fn what_is_wrong_with_an_obstacle_is_told_with_its_key() {
    for (from, to, key) in [
        ("friction = 0.8", "friction = -1", "obstacle[0].friction"),
        ("friction = 0.8", "friction = nan", "obstacle[0].friction"),
        ("friction = 0.8", "thickness = -0.1", "obstacle[0].thickness"),
        ("size = [9.0, 0.2, 9.0]", "size = [9.0, 0, 9.0]", "obstacle[0].shape"),
        ("normal = [1, 0, 0]", "normal = [0, 0, 0]", "obstacle[1].shape"),
        ("centre = [0.0, -0.1, 0.0]", "centre = [0.0, inf, 0.0]", "obstacle[0].shape"),
        ("time = 1.2", "time = 0.1", "obstacle[0].motion[1].time"),
        ("translate = [0, -5, 0]", "translate = [0, 1e300, 0]", "obstacle[1].translate"),
        ("frames = 100", "frames = 100\n[solve]\nmethod = \"position\"", "solve.method"),
    ] {
        let text = SCENE.replace(from, to);
        let e = program(&text).err().unwrap_or_else(|| panic!("{to} was taken"));
        assert_eq!(e.key.as_deref(), Some(key), "{to}: {e}");
        let all = problems(&parse(&text, &[]).unwrap(), &mut |_| Err("no files".into()));
        assert!(all.iter().any(|e| e.key.as_deref() == Some(key)), "{to}: {all:?}");
    }
    let e = parse(&SCENE.replace("friction", "frictoin"), &[]).unwrap_err();
    assert_eq!(e.hint.as_deref(), Some("did you mean `friction`?"), "{e}");
    let e = parse(&SCENE.replace("half_space", "half_plane"), &[]).unwrap_err();
    assert!(e.to_string().contains("half_space"), "{e}");
    let twice = SCENE.replace("shape = { kind = \"half", "name = \"belt\"\nshape = { kind = \"half");
    assert!(program(&twice).err().unwrap().to_string().contains("already"));
}

/// The built-in scenes with contact: no node enters anything, and they show what they say.
#[test]
fn scenes_of_the_folder() {
    let text = |name: &str| {
        std::fs::read_to_string(format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"))).unwrap()
    };
    for (name, frames) in [("cylinders", 100), ("rollers", 150), ("pile", 50), ("bowl", 80)] {
        let mut p = program(&text(name)).unwrap();
        let (mut deepest, mut off, mut short, mut touched) = (0.0f64, 0, 0, 0);
        for _ in 0..frames {
            let r = p.frame().unwrap();
            deepest = deepest.max(r.max_penetration);
            // A step that was shortened is not converged, and says why.
            let converged = r.status == supple::Status::Converged;
            assert!(!converged || r.islands_shortened == 0, "{name}: {r:?}");
            short += usize::from(r.islands_shortened > 0);
            off += usize::from(!converged && r.islands_shortened == 0);
            touched += r.contacts;
        }
        let x = p.simulation.positions();
        let middle = x.iter().map(|p| p[1]).sum::<f64>() / x.len() as f64;
        println!(
            "{name}: deepest {deepest:e}, {off} of {frames} not converged, {short} shortened, {touched} contacts, ends at {middle}"
        );
        assert!(deepest <= 1e-6, "{name}: {deepest}");
        assert!(touched > frames, "{name}: {touched}");
        assert!(off <= frames / 10, "{name}: {off} of {frames} steps did not converge");
        assert!(short <= frames / 3, "{name}: {short} of {frames} steps were shortened");
        match name {
            "rollers" => assert!(middle < -0.3, "the ball is at {middle}"),
            "cylinders" => assert!(middle < 1.2, "the ring is at {middle}"),
            "bowl" => {
                let out = x.iter().any(|p| !(p[1] > -1e-6 && p[0].hypot(p[2]) < 0.4));
                assert!(
                    !out && p.simulation.intersections().is_empty(),
                    "something has left the bowl, or entered another"
                );
            }
            _ => {}
        }
    }
}
