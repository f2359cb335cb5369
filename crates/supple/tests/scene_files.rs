//! Scene files as text: what is wrong is told with its place, all at once, and nothing makes the reader panic.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::path::Path;
use supple::scene::parse::{self, SceneError};

const BEAM: &str = r#"version = 1
[[body]]
name = "beam"
shape = { kind = "box", size = [1, 0.2, 0.2], cells = [4, 1, 1] }
material = { kind = "arap", stiffness = 1e5 }
"#;

fn wrong(text: &str, set: &[(&str, &str)]) -> Vec<SceneError> {
    let set: Vec<_> = set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    parse::read(text, &set).unwrap_err()
}

/// The inputs that fuzzing starts from, and those that once did harm. See fuzz/README.md.
#[test]
fn the_corpus_of_the_fuzzer() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/scene");
    let mut count = [0, 0];
    for file in std::fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()) {
        let text = String::from_utf8(std::fs::read(&file).unwrap()).unwrap();
        let (text, set) = text.split_once('\0').unwrap_or((&text, ""));
        let set: Vec<_> =
            set.split_once('=').map(|(k, v)| (k.to_string(), v.to_string())).into_iter().collect();
        match parse::read(text, &set) {
            Ok((scene, _)) => {
                // It can be written and read again. (Not compared: a NaN is not equal to itself.)
                parse::parse(&parse::to_text(&scene).unwrap(), &[]).unwrap();
                count[0] += 1;
            }
            Err(wrong) => {
                assert!(!wrong.is_empty() && wrong.len() <= 50);
                for e in wrong {
                    assert!(e.located(text).render("x", text).starts_with("x:"));
                }
                count[1] += 1;
            }
        }
    }
    assert!(count[0] >= 2 && count[1] >= 3, "{count:?}");
}

#[test]
fn places_are_those_of_the_text_also_behind_a_byte_order_mark() {
    let text = format!("\u{feff}{}", BEAM.replace("stiffness", "stifness"));
    let e = wrong(&text, &[]).swap_remove(0);
    assert_eq!(&text[e.span.unwrap()], "stifness");
    assert_eq!(e.key.as_deref(), Some("body[0].material.stifness"));
    assert_eq!(e.hint.as_deref(), Some("did you mean `stiffness`?"));
}

#[test]
fn what_follows_from_a_mistake_is_not_told() {
    // Without the name, which is no text, the body is none, and without it the scene would have none.
    let told = wrong(&BEAM.replace("\"beam\"", "3"), &[]);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].key.as_deref(), Some("body[0].name"));
    // Items keep their numbers while others are taken out.
    let text = format!(
        "{}{}",
        BEAM.replace("name = \"beam\"", ""),
        BEAM.replace("version = 1", "").replace("arap", "arab")
    );
    let told: Vec<_> = wrong(&text, &[]).into_iter().map(|e| (e.key.unwrap(), e.message)).collect();
    assert_eq!(told[0], ("body[0]".into(), "missing field `name`".into()));
    assert!(told.len() == 2 && told[1].0 == "body[1].material.kind", "{told:?}");
    // Another version is not looked at.
    assert_eq!(wrong("version = 7\nnew = 1", &[])[0].key.as_deref(), Some("version"));
}

#[test]
fn overrides_have_paths_and_no_place_in_the_text() {
    let set = [("body.beam.name", "b"), ("body.b.start.spin", "[0, 1, 0]"), ("solve.start", "best")];
    let owned: Vec<_> = set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    let (scene, paths) = parse::read(BEAM, &owned).unwrap();
    assert_eq!(paths, ["body[0].name", "body[0].start.spin", "solve.start"]);
    assert_eq!((scene.body[0].name.as_str(), scene.body[0].start.spin), ("b", Some([0.0, 1.0, 0.0])));

    let told =
        wrong(BEAM, &[("time.frames", "3"), ("body.0.start", "{ spin = [0, 1], spn = 1 }"), ("tme.dt", "1")]);
    let told: Vec<_> = told.iter().map(|e| (e.key.as_deref().unwrap(), e.given, e.span.is_none())).collect();
    let expected =
        [("body[0].start.spin", Some(1), true), ("body[0].start.spn", Some(1), true), ("tme", Some(2), true)];
    assert!(expected.iter().all(|e| told.contains(e)) && told.len() == 3, "{told:?}");
}

#[test]
fn deep_and_long_texts_are_refused_not_suffered() {
    for text in [
        format!("version = 1\nx = {}{}", "[".repeat(50_000), "]".repeat(50_000)),
        format!("version = 1\n{}b = 1", "a.".repeat(20_000)),
        format!("version = 1\n[{}b]", "a.".repeat(20_000)),
        format!(
            "version = 1\ntime = {{ dt = {{ {} }} }}",
            (0..20_000).map(|i| format!("k{i} = 1, ")).collect::<String>()
        ),
        (0..20_000).map(|i| format!("[[body]]\nk{i} = 1\n")).collect(),
    ] {
        let told = wrong(&text, &[]);
        assert!(!told.is_empty() && told.len() <= 50);
    }
    wrong(BEAM, &[(&vec!["a"; 50_000].join("."), "1")]);
    wrong(BEAM, &[("time.dt", &"[".repeat(50_000))]);
}

#[test]
fn many_anchors_are_set_and_moved_without_looking_at_all_for_each() {
    use supple::{Scene, Settings, scene::Spring};
    let n = 150_000_u32;
    let positions: Vec<[f64; 3]> = (0..n).map(|i| [f64::from(i), 0.0, 0.0]).collect();
    let springs = (1..n).map(|i| Spring::new([i - 1, i], 1.0)).collect();
    let mut scene = Scene::new(Settings::default());
    let rope = scene.add_springs("rope", positions.clone(), vec![1.0; n as usize], springs).unwrap();
    // In an order of its own: 7 has no common divisor with n.
    let ids: Vec<u32> = (0..n).map(|i| (u64::from(i) * 7 % u64::from(n)) as u32).collect();
    let begun = std::time::Instant::now();
    scene.anchor(rope, &ids, 2.0).unwrap();
    assert!(scene.anchor(rope, &[3], 2.0).is_err(), "twice");
    let set = begun.elapsed().as_secs_f64();
    let mut simulation = scene.build().unwrap();
    let targets: Vec<[f64; 3]> = ids.iter().map(|&i| [f64::from(i), 1.0, 0.0]).collect();
    let begun = std::time::Instant::now();
    simulation.move_anchors(0, &ids, &targets).unwrap();
    // Pairs of nodes would be 10¹⁰: several seconds for each of the two on any machine; this takes milliseconds.
    let moved = begun.elapsed().as_secs_f64();
    assert!(set < 2.0 && moved < 2.0, "{set} s, {moved} s");
    // They are the right ones: one anchor moved back is felt where it is.
    simulation.move_anchors(0, &[70_000], &[[70_000.0, -5.0, 0.0]]).unwrap();
    simulation.step().unwrap();
    let x = simulation.positions();
    let lowest = (0..n as usize).min_by(|&a, &b| x[a][1].total_cmp(&x[b][1])).unwrap();
    assert_eq!(lowest, 70_000);
}

/// A material's own constants are read; wrong ones are told with the key.
#[test]
fn materials_by_their_own_constants() {
    use supple::scene::{Asset, Program};
    let head = "version = 1\n[[body]]\nname = \"a\"\nshape = { kind = \"box\", size = [1, 1, 1], cells = [1, 1, 1] }\n";
    let program = |material: &str| {
        let file = parse::parse(&format!("{head}material = {{ {material} }}\n"), &[]).unwrap();
        Program::new(&file, &mut |_| Err::<Asset, _>("no files".into())).map(|_| ())
    };
    for good in [
        "kind = \"mooney_rivlin\", c10 = 1e4, c01 = 0, d1 = 1e5",
        "kind = \"ogden\", mu = [1e4, -1e3], alpha = [2, -2], kappa = 1e5",
        "kind = \"ogden\", mu = 1e4, alpha = 2, kappa = 1e5",
        "kind = \"ogden\", mu = 1e4, lambda = 1e5",
        "kind = \"fung\", young = 1e5, poisson = 0.4",
        "kind = \"fung\", young = 1e5, poisson = 0.3, b = 0.5",
        "kind = \"spline\", young = 1e5, poisson = 0.3, curve = \"tissue\", compression = 1e6",
        "kind = \"spline\", f = [[0.5, -1e5], [1, 0], [2, 1e5]], h = [[0, -2e5], [1, 0]]",
        "preset = \"rubber\"",
        "preset = \"foam\", density = 50",
    ] {
        program(good).unwrap_or_else(|e| panic!("{good}: {e}"));
    }
    for (bad, key, word) in [
        ("young = 1e5, poisson = 0.3", "body[0].material", "`kind` or a `preset`"),
        ("kind = \"mooney_rivlin\", c10 = 1e4", "body[0].material", "together"),
        ("kind = \"mooney_rivlin\", c10 = 1e4, c01 = 1, d1 = -1", "body[0].material.d1", "positive"),
        ("kind = \"mooney_rivlin\", c10 = -1, c01 = 1, d1 = 1", "body[0].material.c10", "at least 0"),
        ("kind = \"mooney_rivlin\", c10 = 1, c01 = 1, d1 = 1, young = 1", "body[0].material", "not both"),
        ("kind = \"ogden\", mu = [1e4], alpha = [-2], kappa = 1e5", "body[0].material.mu", "same sign"),
        (
            "kind = \"ogden\", mu = [1e4], alpha = [2, 3], kappa = 1e5",
            "body[0].material.alpha",
            "2 numbers for 1",
        ),
        ("kind = \"ogden\", mu = [1e4], alpha = [2], kappa = 0", "body[0].material.kappa", "positive"),
        ("kind = \"corotated\", mu = [1e4], lambda = 1", "body[0].material.mu", "one number"),
        ("kind = \"fung\", young = 1e5, poisson = 0.3", "body[0].material.poisson", "at least 0.4"),
        ("kind = \"fung\", young = 1e5, poisson = 0.45, b = 50", "body[0].material.b", "at least 0.49"),
        (
            "kind = \"spline\", young = 1e5, poisson = 0.3, curve = \"wool\"",
            "body[0].material.curve",
            "rubber",
        ),
        ("kind = \"spline\", f = [[0.5, -1e5], [1, 0]]", "body[0].material", "`f` and `h`"),
        ("kind = \"spline\", f = [[1, 0], [0.5, 1]], h = [[0, -1], [1, 0]]", "body[0].material.f", "rising"),
        ("kind = \"neo_hookean\", young = 1, poisson = 0, b = 2", "body[0].material.b", "`fung` only"),
        ("preset = \"ruber\"", "body[0].material.preset", "no preset `ruber`"),
        ("preset = \"rubber\", young = 1e5", "body[0].material.preset", "alone"),
        ("preset = \"rubber\", density = -1", "body[0].material.density", "positive"),
    ] {
        let e = program(bad).unwrap_err();
        assert!(e.key.as_deref() == Some(key) && e.to_string().contains(word), "{bad}: {e:?}");
    }
}
