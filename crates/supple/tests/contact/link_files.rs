//! Sliding constraints, attachments and stitches in scene files.

use supple::scene::{Program, SceneError, parse::parse, parse::to_text, problems};

const SCENE: &str = r#"version = 1
[time]
dt = 0.01
frames = 50
[[body]]
name = "muscle"
shape = { kind = "box", size = [0.4, 0.1, 0.2], cells = [4, 1, 2] }
material = { kind = "corotated", young = 1e5, poisson = 0.3 }
[[body]]
name = "tendon"
shape = { kind = "box", size = [0.1, 0.1, 0.2], cells = [1, 1, 2] }
material = { kind = "corotated", young = 1e6, poisson = 0.3 }
translate = [0.4, 0.0, 0.0]
[[body]]
name = "skin"
shape = { kind = "cloth", size = [0.3, 0.14], cells = [3, 2] }
material = { kind = "corotated", young = 1e4, poisson = 0.3 }
translate = [0.05, 0.101, 0.03]
[[obstacle]]
name = "bone"
shape = { kind = "box", centre = [0, 0, 0], size = [0.1, 0.1, 0.1] }
translate = [2, 0, 0]
motion = [{ time = 0, translate = [0, 0, 0] }, { time = 0.5, translate = [0.05, 0, 0] }]
[[slide]]
body = "skin"
select = { all = true }
on = { kind = "surface", body = "muscle" }
[[slide]]
body = "muscle"
select = { box = { min = [-1, -1, -1], max = [0.001, 0.001, 1] } }
on = { kind = "line", point = [0, 0, 0], direction = [0, 0, 1] }
motion = [{ time = 0, translate = [0, 0, 0] }, { time = 0.5, translate = [0, 0.01, 0] }]
[[attach]]
body = "tendon"
select = { box = { min = [0.49, -1, -1], max = [1, 1, 1] } }
to = { kind = "obstacle", name = "bone" }
[[attach]]
body = "muscle"
select = { ids = [5] }
breaking_force = 1e9
[[stitch]]
bodies = ["muscle", "tendon"]
select = { box = { min = [0.399, -1, -1], max = [1, 1, 1] } }
"#;

fn program(text: &str) -> Result<Program, SceneError> {
    let file = parse(text, &[])?;
    Program::new(&file, &mut |_| Err("no files".into()))
}

/// All three tables at work: the bone pulls, the skin stays on the muscle, the seam stays closed.
#[test]
fn links_of_a_scene_file_hold() {
    let mut p = program(SCENE).unwrap();
    assert_eq!(p.last_keyframe(), 0.5);
    let kinds: Vec<&str> = p.simulation.link_groups().iter().map(|g| g.kind).collect();
    assert_eq!(kinds, ["slide", "slide", "attach", "attach", "stitch"]);
    let home = p.simulation.positions();
    let x = |p: &Program| p.simulation.positions();
    let end = |i: usize| home[i][0] > 0.49;
    for frame in 1..=50 {
        let r = p.frame().unwrap();
        assert_eq!(r.status, supple::Status::Converged, "{frame}: {r:?}");
        let t = 0.01 * f64::from(frame);
        for (i, x) in p.simulation.positions().iter().enumerate().filter(|(i, _)| end(*i)) {
            let off = x[0] - home[i][0] - 0.1 * t;
            assert!(off.abs() <= 1e-7, "{frame}: node {i} is off by {off}");
        }
        // Planes are those of the step's beginning: a skin node that passes the edge of a facet by at most 3 mm in a step is off by
        // that times the angle between facets, less than 0.1 rad.
        assert!(r.link_gap <= 3e-4, "{frame}: {r:?}");
    }
    assert!(home[5] == [0.0, 0.1, 0.0] && x(&p)[5].iter().zip(home[5]).all(|(a, b)| (a - b).abs() <= 1e-7));
    // The line has carried its nodes up by a centimetre.
    let x = x(&p);
    let low = (0..home.len()).filter(|&i| home[i][0] == 0.0 && home[i][1] == 0.0);
    assert!(low.clone().count() == 3 && low.clone().all(|i| (x[i][1] - 0.01).abs() <= 1e-7));
    // Links survive being written and read.
    let file = parse(SCENE, &[]).unwrap();
    assert_eq!(parse(&to_text(&file).unwrap(), &[]).unwrap(), file);
}

#[test]
fn what_is_wrong_with_a_link_is_told_with_its_key() {
    for (from, to, key) in [
        ("body = \"skin\"\nselect", "body = \"skni\"\nselect", "slide[0].body"),
        ("body = \"muscle\" }", "body = \"mucsle\" }", "slide[0].on.body"),
        ("body = \"muscle\" }", "body = \"skin\" }", "slide[0].on"),
        ("body = \"muscle\" }", "body = \"muscle\", distance = nan }", "slide[0].on"),
        ("direction = [0, 0, 1]", "direction = [0, 0, 0]", "slide[1].on"),
        ("max = [0.001, 0.001, 1]", "max = [-0.9, 0.001, 1]", "slide[1].select"),
        (
            "time = 0.5, translate = [0, 0.01, 0]",
            "time = -1, translate = [0, 0.01, 0]",
            "slide[1].motion[1].time",
        ),
        ("breaking_force = 1e9", "breaking_force = 0", "attach[1].breaking_force"),
        ("breaking_force = 1e9", "breaking_force = nan", "attach[1].breaking_force"),
        ("name = \"bone\" }", "name = \"bnoe\" }", "attach[0].to.name"),
        ("\"obstacle\", name = \"bone\"", "\"body\", name = \"tendon\"", "attach[0].to"),
        ("ids = [5]", "ids = [999]", "attach[1].select.ids"),
        ("[\"muscle\", \"tendon\"]", "[\"muscle\", \"tenodn\"]", "stitch[0].bodies"),
        ("[\"muscle\", \"tendon\"]", "[\"muscle\", \"muscle\"]", "stitch[0].bodies"),
        ("bodies = [", "pairs = [[0, 0]]\nbodies = [", "stitch[0]"),
        ("frames = 50", "frames = 50\n[solve]\nmethod = \"position\"", "solve.method"),
    ] {
        let text = SCENE.replace(from, to);
        assert_ne!(text, SCENE, "{from}");
        let e = program(&text).err().unwrap_or_else(|| panic!("{to} was taken"));
        assert_eq!(e.key.as_deref(), Some(key), "{to}: {e}");
        let all = problems(&parse(&text, &[]).unwrap(), &mut |_| Err("no files".into()));
        assert!(all.iter().any(|e| e.key.as_deref() == Some(key)), "{to}: {all:?}");
        assert!(e.clone().located(&text).span.is_some() || key == "solve.method", "{to}: {e}");
        if to.contains("skni") || to.contains("bnoe") || to.contains("mucsle") || to.contains("tenodn") {
            assert!(e.hint.as_deref().is_some_and(|h| h.starts_with("did you mean")), "{to}: {e:?}");
        }
    }
    let text =
        SCENE.replace("[\"muscle\", \"tendon\"]\nselect", "[\"muscle\", \"tendon\"]\npairs = [[0, 99]]\n#");
    assert_eq!(program(&text).err().unwrap().key.as_deref(), Some("stitch[0].pairs"));
    let e = parse(&SCENE.replace("breaking_force", "breaking_forse"), &[]).unwrap_err();
    assert_eq!(e.hint.as_deref(), Some("did you mean `breaking_force`?"), "{e}");
    let e = parse(&SCENE.replace("kind = \"line\"", "kind = \"lien\""), &[]).unwrap_err();
    assert!(e.to_string().contains("lien"), "{e}");
}

/// The built-in scene `skin`: the muscle stretches and bends beneath the skin, which slides and stays on it.
#[test]
fn the_scene_skin_slides() {
    let path = format!("{}/../../scenes/skin.toml", env!("CARGO_MANIFEST_DIR"));
    let mut p = program(&std::fs::read_to_string(path).unwrap()).unwrap();
    let home = p.simulation.positions();
    let first = p.simulation.bodies()[1].first_node;
    let under = |x: &[[f64; 3]], i: usize| {
        // The node of the muscle's upper side that the skin's node was nearest to.
        let near = |j: &usize| (0..3).map(|c| (home[*j][c] - home[i][c]).powi(2)).sum::<f64>();
        let j = (0..first).min_by(|a, b| near(a).total_cmp(&near(b))).unwrap();
        (0..3).map(|c| (x[i][c] - x[j][c]).powi(2)).sum::<f64>().sqrt()
    };
    let (mut gap, mut off, mut slid) = (0.0f64, 0, 0.0f64);
    for _ in 0..100 {
        let r = p.frame().unwrap();
        gap = gap.max(r.link_gap);
        off += usize::from(r.status != supple::Status::Converged);
        let x = p.simulation.positions();
        slid = slid.max(under(&x, home.len() - 1) - under(&home, home.len() - 1));
        assert!(x.iter().flatten().all(|v| v.abs() < 2.0));
    }
    println!("skin: gap {gap:e}, {off} of 100 not converged, slid {slid}");
    assert!(gap <= 2e-3, "{gap}");
    assert!(off <= 10, "{off} of 100 steps did not converge");
    assert!(slid > 0.01, "it slid by {slid}");
}
