//! Scene files as text: errors name their place, all at once, and nothing makes the reader panic.
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

/// A material's own constants are read; errors of wrong ones name the key.
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

/// The program of a text, or what is wrong with it.
fn program(text: &str) -> Result<supple::scene::Program, SceneError> {
    let file = parse::parse(text, &[])?;
    supple::scene::Program::new(&file, &mut |_| Err::<supple::scene::Asset, _>("no files".into()))
}

/// A scene of one body `a`.
fn body(shape: &str, rest: &str) -> String {
    format!("version = 1\n[[body]]\nname = \"a\"\nshape = {{ {shape} }}\n{rest}\n")
}
const SHEET: &str = "kind = \"cloth\", size = [1, 1], cells = [2, 2]";
const SOLID: &str = "kind = \"box\", size = [1, 1, 1], cells = [1, 1, 1]";
const ROPE: &str = "kind = \"rope\", length = 1.0, segments = 4";

/// Errors of a sheet, a limit or springs point at the wrong key.
#[test]
fn errors_point_at_the_key() {
    let sheet = |cloth: &str| {
        let material = "material = { kind = \"corotated\", young = 1e5, poisson = 0.3 }";
        body(SHEET, &format!("{material}\ncloth = {{ {cloth} }}"))
    };
    let bare = |cloth: &str| body(SHEET, &format!("cloth = {{ {cloth} }}"));
    let solid = |limit: &str| {
        let material = "material = { kind = \"corotated\", young = 1e5, poisson = 0.3 }";
        body(SOLID, &format!("{material}\nlimit = {{ {limit} }}"))
    };
    for (text, key, word) in [
        (sheet("thickness = 0.0"), "cloth.thickness", "positive"),
        (bare("density = -1.0, threads = [1.0, 1.0]"), "cloth.density", "positive"),
        (sheet("warp = [0, 0, 0]"), "cloth.warp", "no direction"),
        (sheet("threads = [-1.0, 0.0]"), "cloth.threads", "zero or positive"),
        (sheet("limit = { range = [1.1, 1.2] }"), "cloth.limit.range", "not from 1.1 to 1.2"),
        (sheet("limit = { range = [0.9, 1.2], stiffness = 0.0 }"), "cloth.limit.stiffness", "positive"),
        (
            sheet("bending = { kind = \"flat\", stiffness = -1.0 }"),
            "cloth.bending.stiffness",
            "zero or positive",
        ),
        (
            body(SHEET, "material = { kind = \"ogden\", young = 1e5, poisson = 0.3 }"),
            "material.kind",
            "material of solids",
        ),
        // Across the sheet, which lies in the plane of x and z: where threads run along it.
        (sheet("warp = [0, 2, 0], threads = [1e3, 0.0]"), "cloth.warp", "stands on triangle 0"),
        (
            sheet("warp = [0, 2, 0], limit = { range = [0.9, 1.1], along = \"threads\" }"),
            "cloth.warp",
            "stands",
        ),
        // A plate of nothing.
        (
            bare("threads = [1e3, 1e3], bending = { kind = \"plate\" }"),
            "cloth.bending.kind",
            "`plate` takes its stiffness from the `material`",
        ),
        (solid("range = [1.1, 1.2]"), "limit.range", "not from 1.1 to 1.2"),
        (solid("range = [0.9, 1.1], stiffness = -1.0"), "limit.stiffness", "positive"),
        (solid("range = [0.9, 1.1], along = \"threads\""), "limit.along", "a solid has no threads"),
        (
            body(ROPE, "springs = { stiffness = 1.0, mass = 1.0 }\nlimit = { range = [0.9, 1.1] }"),
            "limit",
            "is for solids",
        ),
        (body(ROPE, "springs = { mass = 1.0 }"), "springs", "need a `stiffness`"),
        (body(ROPE, "springs = { mass = 1.0, kind = \"tension\" }"), "springs", "need a `stiffness`"),
        (
            body(ROPE, "springs = { mass = 1.0, kind = \"rod\", stiffness = 0.0 }"),
            "springs.stiffness",
            "positive",
        ),
    ] {
        let e = program(&text).err().unwrap_or_else(|| panic!("good: {text}"));
        assert!(
            e.key.as_deref() == Some(&format!("body[0].{key}")) && e.to_string().contains(word),
            "{text}: {e:?}"
        );
    }
    for good in [
        // Where there are no threads the warp means nothing.
        sheet("warp = [0, 2, 0]"),
        sheet("warp = [1, 2, 0], threads = [1e3, 0.0]"),
        bare("threads = [1e3, 1e3]"),
        bare("threads = [1e3, 1e3], bending = { kind = \"flat\", stiffness = 1e-6 }"),
        body(ROPE, "springs = { mass = 1.0, kind = \"rod\" }"),
        body(ROPE, "springs = { mass = 1.0, kind = \"rope\" }"),
    ] {
        program(&good).unwrap_or_else(|e| panic!("{good}: {e}"));
    }
}

/// Laws whose energy has no lower bound below ν = 0 are refused there, with the ratio that works; the others are not.
#[test]
fn laws_without_a_lower_bound_are_refused() {
    let with = |kind: &str, more: &str| body(SOLID, &format!("material = {{ kind = \"{kind}\", {more} }}"));
    for kind in ["neo_hookean", "fixed_corotated", "spline", "fibre"] {
        for (constants, key) in
            [("young = 1e5, poisson = -0.3", "poisson"), ("mu = 1.0, lambda = -0.1", "lambda")]
        {
            let e = program(&with(kind, constants)).err().unwrap_or_else(|| panic!("{kind}"));
            let told = e.to_string().contains("at least 0");
            assert!(told && e.key == Some(format!("body[0].material.{key}")), "{kind}: {e:?}");
        }
        program(&with(kind, "young = 1e5, poisson = 0.0")).unwrap_or_else(|e| panic!("{kind}: {e}"));
    }
    for curve in ["rubber", "tissue", "linear"] {
        let e = program(&with("spline", &format!("young = 1e5, poisson = -0.1, curve = \"{curve}\""))).err();
        assert!(e.is_some_and(|e| e.key.as_deref() == Some("body[0].material.poisson")), "{curve}");
    }
    for kind in
        ["linear", "arap", "corotated", "st_venant_kirchhoff", "stable_neo_hookean", "mooney_rivlin", "ogden"]
    {
        program(&with(kind, "young = 1e5, poisson = -0.9")).unwrap_or_else(|e| panic!("{kind}: {e}"));
    }
    // Curves that fall for good, each at its own key.
    for (curves, key) in [
        ("f = [[0.5, -1e5], [1, 0], [2, 1e5]], h = [[0, -2e5], [1, 0], [2, 1e5], [3, 0]]", "h"),
        ("f = [[0.5, -1e5], [1, 0], [2, 1e5], [3, 5e4], [4, -1e5]], h = [[0, -2e5], [1, 0]]", "f"),
        ("f = [[0, -1e5], [1, 0]], g = [[0.5, 0], [1, 0], [2, 0], [3, -1e5]], h = [[0, -2e5], [1, 0]]", "g"),
    ] {
        let e = program(&with("spline", curves)).err().unwrap_or_else(|| panic!("good: {curves}"));
        let told = e.to_string().contains("no lower bound");
        assert!(told && e.key == Some(format!("body[0].material.{key}")), "{curves}: {e:?}");
    }
    // Sheets: the neo-Hookean one is the least over its thickness.
    let sheet =
        |kind: &str| body(SHEET, &format!("material = {{ kind = \"{kind}\", young = 1e5, poisson = -0.3 }}"));
    assert!(program(&sheet("neo_hookean")).is_err());
    for kind in ["arap", "corotated", "st_venant_kirchhoff"] {
        program(&sheet(kind)).unwrap_or_else(|e| panic!("{kind}: {e}"));
    }
}

/// The law between fibres has its own constants; what has no fibres cannot contract, and the error says what has.
#[test]
fn fibres_lie_in_any_law() {
    for base in [
        "base = \"fung\", young = 1e5, poisson = 0.45, b = 3",
        "base = \"ogden\", mu = [1e4, -1e3], alpha = [2, -2], kappa = 1e5",
        "base = \"mooney_rivlin\", c10 = 1e4, c01 = 1e3, d1 = 1e5",
        "base = \"spline\", young = 1e5, poisson = 0.3, curve = \"tissue\", compression = 1e5",
        "base = \"spline\", f = [[0.5, -1e5], [1, 0], [2, 1e5]], h = [[0, -2e5], [1, 0]]",
        "base = \"arap\", young = 1e5, poisson = 0.3, stiffness = 1e6",
    ] {
        program(&body(SOLID, &format!("material = {{ kind = \"fibre\", {base} }}")))
            .unwrap_or_else(|e| panic!("{base}: {e}"));
    }
    for (bad, key, word) in [
        ("base = \"fung\", young = 1e5, poisson = 0.3, b = 3", "b", "at least 0.42"),
        ("base = \"corotated\", young = 1e5, poisson = 0.3, b = 3", "b", "`fung` only, not for `corotated`"),
        ("young = 1e5, poisson = 0.3, c10 = 3", "c10", "`mooney_rivlin` only, not for `neo_hookean`"),
        ("base = \"fibre\", young = 1e5, poisson = 0.3", "base", "another kind"),
    ] {
        let e = program(&body(SOLID, &format!("material = {{ kind = \"fibre\", {bad} }}"))).err().unwrap();
        assert!(
            e.key == Some(format!("body[0].material.{key}")) && e.to_string().contains(word),
            "{bad}: {e:?}"
        );
    }
    let script = "[[contract]]\nbody = \"beam\"\nmotion = [{ time = 0.0, contraction = 0.1 }]\n";
    let e = program(&format!("{BEAM}{script}")).err().unwrap();
    assert!(e.key.as_deref() == Some("contract[0].body") && e.to_string().contains("has no fibres"), "{e:?}");
    assert!(e.hint.is_some_and(|h| h.contains("kind = \"fibre\"")));
}

/// The report of a frame has the largest violation, the most inverted elements and the largest step of its substeps, not those of the
/// last: the same steps one by one say which.
#[test]
fn a_frame_reports_the_worst_of_its_steps() {
    let time = "[time]\ndt = 0.2\nsubsteps = 8\n[solve]\niterations = 2\ntolerance = 1e-12\n";
    // Links that are jerked along and then left alone; a body from which the inversion goes.
    let chain = body(ROPE, "springs = { mass = 1.0, kind = \"rod\" }")
        + time
        + "[[pin]]\nbody = \"a\"\nselect = { ids = [0] }\n\
           motion = [{ time = 0.0, translate = [0, 0, 0] }, { time = 0.05, translate = [0.3, 0.4, 0] }]\n";
    let solid = body(
        "kind = \"box\", size = [1, 1, 1], cells = [2, 2, 2]",
        "material = { kind = \"arap\", stiffness = 1e5 }\nstart = { randomise = { seed = 3 } }",
    ) + time;
    let mut differs = [false; 2];
    for text in [chain, solid] {
        let (mut whole, mut single) = (program(&text).unwrap(), program(&text).unwrap());
        for _ in 0..3 {
            let frame = whole.frame().unwrap();
            let steps: Vec<supple::StepReport> = (0..8)
                .map(|_| {
                    single.aim_next().unwrap();
                    single.simulation.step().unwrap()
                })
                .collect();
            let most = |f: fn(&supple::StepReport) -> f64| steps.iter().map(f).fold(0.0, f64::max);
            assert_eq!(frame.violation, most(|r| r.violation));
            assert_eq!(frame.inverted as f64, most(|r| r.inverted as f64));
            assert_eq!(frame.step, most(|r| r.step));
            differs[0] |= frame.violation > steps[7].violation;
            differs[1] |= frame.inverted > steps[7].inverted;
        }
    }
    assert_eq!(differs, [true; 2], "the last step is the worst: the scenes show nothing");
}
