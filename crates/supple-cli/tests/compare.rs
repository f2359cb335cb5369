//! `supple compare`, `supple sweep-weights` and `supple paper` as a person runs them.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

#[path = "common/folder.rs"]
mod folder;

use std::path::Path;
use std::process::Output;

use folder::{Folder, supple};

use serde_json::Value;

fn errors(o: &Output) -> String {
    String::from_utf8_lossy(&o.stderr).into_owned()
}

/// Output of a verb that ends well.
fn good(folder: &Path, words: &[&str]) -> String {
    let o = supple(folder, words);
    assert_eq!(o.status.code(), Some(0), "{words:?}: {}", errors(&o));
    String::from_utf8(o.stdout).unwrap()
}

fn method<'a>(v: &'a Value, name: &str) -> &'a Value {
    v["methods"].as_array().unwrap().iter().find(|m| m["method"] == name).unwrap()
}

/// Text that is well-formed enough for a browser: tags balance, nothing that is not a number.
fn check_svg(svg: &str) {
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    let closed = svg.matches("</").count();
    assert_eq!(svg.matches('<').count() - closed, closed + svg.matches("/>").count());
}

#[test]
fn methods_meet_at_one_minimum_from_one_start() {
    let f = Folder::new("meet");
    let text = good(
        &f.0,
        &[
            "compare",
            "untwist_low",
            "--json",
            "--set",
            "body.box.shape.cells=[6,3,3]",
            "--set",
            "body.box.material.kind=arap",
            "--methods",
            "admm-published,admm,projective,quasi_newton,lbfgs,newton,auto",
        ],
    );
    let v: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(v["found_by"], "newton");
    assert!(v["start_objective"].as_f64().unwrap() > v["lowest_objective"].as_f64().unwrap());
    for m in v["methods"].as_array().unwrap() {
        assert_eq!(m["status"], "converged", "{m}");
        // The tolerance of 1e-10 is on forces or lengths: the error of the objective is its square.
        assert!(m["relative_error"].as_f64().unwrap() <= 1e-12, "{m}");
        assert_eq!(m["repeatable"], true, "{m}");
        let to: Vec<u64> =
            m["to"].as_array().unwrap().iter().map(|t| t["iterations"].as_u64().unwrap()).collect();
        assert!(to.is_sorted() && to[0] >= 1, "{m}");
        let ms: Vec<f64> = m["to"].as_array().unwrap().iter().map(|t| t["ms"].as_f64().unwrap()).collect();
        assert!(ms.is_sorted() && ms[0] > 0.0 && ms[2] <= m["ms"].as_f64().unwrap(), "{m}");
    }
    // Newton's method takes the fewest iterations.
    let to_the_end = |name: &str| method(&v, name)["to"][2]["iterations"].as_u64().unwrap();
    assert!(to_the_end("newton") < to_the_end("auto") && to_the_end("auto") < to_the_end("lbfgs"));

    let csv = f.read("out/compare-untwist_low/untwist_low.csv");
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("method,iteration,seconds,objective,relative_error"));
    let mut starts = Vec::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let numbers: Vec<f64> = cells[1..].iter().map(|c| c.parse().unwrap()).collect();
        if numbers[0] == 0.0 {
            starts.push(cells[3].to_string());
            assert_eq!(numbers[3], 1.0, "{line}");
        }
    }
    assert_eq!(starts.len(), 7);
    assert!(starts.iter().all(|s| *s == starts[0]), "all from the same start: {starts:?}");
    for name in ["iterations", "time"] {
        let svg = f.read(&format!("out/compare-untwist_low/untwist_low-{name}.svg"));
        check_svg(&svg);
        for m in ["admm-published", "projective", "lbfgs", "newton"] {
            assert!(svg.contains(&format!(">{m}<")), "{m} has a name in the legend");
        }
    }
}

#[test]
fn what_is_not_possible_is_a_row_with_its_reason() {
    let f = Folder::new("impossible");
    let small = ["--set", "body.box.shape.cells=[4,2,2]", "--set", "body.box.material.kind=neo_hookean"];
    let mut words = vec!["compare", "untwist_low", "--methods", "projective,auto"];
    words.extend(small);
    let text = good(&f.0, &words);
    assert!(text.contains("not possible: ") && text.contains("neo_hookean"), "{text}");
    assert!(text.contains("auto") && text.contains("converged"), "{text}");
    // The results are there now: nothing is overwritten without being asked.
    let o = supple(&f.0, &words);
    assert_eq!(o.status.code(), Some(2));
    assert!(errors(&o).contains("--force"), "{}", errors(&o));
    words.push("--force");
    good(&f.0, &words);
}

#[test]
fn wrong_words_are_explained() {
    let f = Folder::new("wrong");
    for (words, says) in [
        (&["compare", "untwist_low", "--methods", "newtom"][..], "did you mean newton?"),
        (&["compare", "untwist_low", "--methods", "auto,auto"], "named twice"),
        (&["compare", "untwist_low", "--tolerance", "nan"], "tolerance"),
        (&["compare", "untwist_low", "--iterations", "0"], "at least one iteration"),
        (&["compare", "untwist_low", "--weights", "0"], "out of range"),
        (&["compare", "no_such_scene"], "no_such_scene"),
        (&["compare", "untwist_low", "--start", "end"], "inertia or best"),
        (&["sweep-weights", "untwist_low", "--rule", "young"], "bulk, shear, auto or robust"),
        (&["paper", "fig7"], "fig7"),
    ] {
        let o = supple(&f.0, words);
        assert_eq!(o.status.code(), Some(2), "{words:?}");
        assert!(errors(&o).contains(says) && !errors(&o).contains("panicked"), "{words:?}: {}", errors(&o));
    }
}

/// The negative control: with a weight far too small ADMM cycles, and the table says so.
#[test]
fn a_sweep_shows_which_weights_converge() {
    let f = Folder::new("sweep");
    let words = [
        "sweep-weights",
        "untwist_low",
        "--rule",
        "shear",
        "--scales",
        "0.0625,1,4",
        "--set",
        "body.box.material.kind=arap",
        "--json",
    ];
    let v: Value = serde_json::from_str(&good(&f.0, &words)).unwrap();
    let small = method(&v, "admm w² = k/16");
    assert!(small["status"] == "stalled" && small["relative_error"].as_f64().unwrap() > 1e-2, "{small}");
    let to = |name: &str| method(&v, name)["to"][1]["iterations"].as_u64().unwrap();
    assert!(2 * to("admm w² = k") < to("admm w² = 4 k"));
    check_svg(&f.read("out/sweep-untwist_low/untwist_low-iterations.svg"));
}

/// A later frame of a scene with moving pins: all methods see the same problem there.
#[test]
fn a_later_frame_is_the_one_of_the_run() {
    let f = Folder::new("later");
    let words = ["compare", "wring", "--frame", "4", "--json", "--methods", "newton,auto,admm", "--set"];
    let mut words = words.to_vec();
    words.extend([
        "body.rod.shape.cells=2",
        "--set",
        "body.rod.shape.along=6",
        "--set",
        "solve.tolerance=1e-10",
    ]);
    let v: Value = serde_json::from_str(&good(&f.0, &words)).unwrap();
    assert_eq!(v["frame"], 4);
    for m in v["methods"].as_array().unwrap() {
        assert!(m["status"] == "converged" && m["relative_error"].as_f64().unwrap() <= 1e-10, "{m}");
    }
}

fn section<'a>(v: &'a Value, id: &str) -> &'a Value {
    v["sections"].as_array().unwrap().iter().find(|s| s["id"] == id).unwrap()
}

fn number(v: &Value) -> f64 {
    v.as_f64().unwrap_or_else(|| panic!("{v} is not a number"))
}

/// The page at low resolution, and the claims on it that do not depend on the machine.
#[test]
fn the_paper_is_reproduced() {
    let f = Folder::new("paper");
    let o = supple(&f.0, &["paper", "all", "--quick", "--out", "page"]);
    let v: Value = serde_json::from_str(&f.read("page/paper.json")).unwrap();
    // Every claim that is printed holds.
    let claims = v["sections"].as_array().unwrap().iter().flat_map(|s| s["claims"].as_array().unwrap());
    let broken: Vec<&Value> = claims.filter(|c| c["holds"] == false).collect();
    let told = String::from_utf8_lossy(&o.stderr).into_owned();
    assert!(broken.is_empty() && o.status.success(), "{broken:?}: {told}");

    // Appendices: tolerances of docs/method.md's tests.
    let a = &section(&v, "appendix")["data"];
    let rates = a["rates"].as_array().unwrap();
    assert!(rates.len() == 20 && rates.iter().all(|r| (number(r) - 0.5).abs() <= 1e-6), "{rates:?}");
    assert!(number(&a["x_after_first"]) <= 1e-12, "{a}");
    assert!(a["projective_iterations"] == 50 && number(&a["projective_apart"]) <= 1e-12, "{a}");

    // Table 1: sizes within 10 %.
    let rows = section(&v, "table1")["data"]["rows"].as_array().unwrap().clone();
    assert_eq!(rows.len(), 8);
    for r in &rows {
        for key in ["nodes", "elements"] {
            let off = number(&r["here"][key]) / number(&r["paper"][key]) - 1.0;
            assert!(off.abs() <= 0.1, "{}: {key} off by {off}", r["name"]);
        }
        for key in ["local_ms", "global_ms", "frame_ms"] {
            assert!(number(&r["here"][key]) > 0.0, "{r}");
        }
    }

    // Fig. 4: hard limits hold, soft ones do not.
    for r in section(&v, "fig4")["data"]["runs"].as_array().unwrap() {
        assert!(number(&r["hard"]) <= 1e-3 && number(&r["soft"]) > 1e-2, "{r}");
    }

    // The filled figures have the sizes of the paper's models, nodes and tetrahedra.
    for (id, nodes, elements) in [("fig1", 919.0, 2761.0), ("fig3", 777.0, 2510.0), ("fig5", 962.0, 3221.0)] {
        let data = &section(&v, id)["data"];
        let off = |key: &str, paper: f64| (number(&data[key]) / paper - 1.0).abs();
        assert!(off("nodes", nodes) <= 0.1 && off("elements", elements) <= 0.1, "{id}: {data}");
    }
    assert!(number(&section(&v, "fig1")["data"]["fps"]) > 15.0);

    // Fig. 5: the horse falls past the upper cylinders, its matrix factored once, 13 iterations per frame.
    let five = &section(&v, "fig5")["data"];
    assert!(five["published"]["factored"] == 0 && five["iterations"] == 13, "{five}");
    for way in ["published", "exact"] {
        let way = &five[way];
        assert!(
            number(&way["contacts"]) > 0.0 && number(&way["end"]) < number(&way["start"]) - 1.0,
            "{five}"
        );
    }

    // Table 1: the flag tells by how much its limits are violated.
    let flag = rows.iter().find(|r| r["name"].as_str().unwrap().starts_with("Flag")).unwrap();
    assert!(number(&flag["here"]["violation"]) >= 0.0, "{flag}");

    // Fig. 2: PD and ADMM with w = √k take nearly the same iterations, half the weight fewer; L-BFGS the most.
    let two = &section(&v, "fig2")["data"];
    let to = |v: &Value, name: &str, i: usize| number(&method(v, name)["to"][i]["iterations"]);
    let (pd, admm) = (to(two, "projective dynamics", 1), to(two, "ADMM, w = √k", 1));
    assert!((pd - admm).abs() <= 2.0, "{pd} and {admm}");
    assert!(to(two, "ADMM, w = ½√k", 1) < admm && to(two, "L-BFGS", 1) > pd);

    // Fig. 3: back in shape.
    for s in section(&v, "fig3")["data"]["starts"].as_array().unwrap() {
        assert!(s["recovered_after_frames"].is_u64() && s["inverted"] == 0, "{s}");
    }

    // Fig. 6: monotone in the weight as far as it converges, and a sixteenth does not.
    let six = &section(&v, "fig6")["data"];
    assert!(
        to(six, "w² = k", 1) < to(six, "w² = 4 k", 1) && to(six, "w² = 4 k", 1) < to(six, "w² = 16 k", 1)
    );
    assert!(method(six, "w² = k/16")["status"] == "stalled", "{six}");

    // The look-up table is near, the closed form exact.
    let error = number(&section(&v, "lookup")["data"]["worst_error"]);
    assert!(error > 0.0 && error < 1e-3, "{error}");

    // Since then: fewer iterations, and less time on neo-Hookean bodies, where it is not close.
    let since = &section(&v, "since")["data"];
    for p in since["problems"].as_array().unwrap() {
        assert!(to(p, "auto", 1) < to(p, "admm-published", 1), "{p}");
        assert!(to(p, "admm", 2) < to(p, "admm-published", 2), "{p}");
    }
    for g in since["goals"].as_array().unwrap() {
        assert!(number(&g["ratio"]) > 1.0, "{g}");
    }

    // One page, nothing from outside, every section on it.
    let page = f.read("page/paper.html");
    // Without the pictures, whose letters may say anything.
    let text: String =
        page.split("base64,").map(|part| part.split_once('"').map_or(part, |(_, rest)| rest)).collect();
    for outside in ["src=\"http", "href=\"http", "url(", "@import", "<link", "<script", "NaN"] {
        assert!(!text.contains(outside), "the page contains {outside}");
    }
    for s in v["sections"].as_array().unwrap() {
        assert!(page.contains(&format!("<section id=\"{}\">", s["id"].as_str().unwrap())));
    }
    assert!(page.matches("data:image/png;base64,").count() == 4 && page.matches("<svg ").count() >= 7);
    assert!(page.contains("prefers-color-scheme:dark") && page.contains("name=\"viewport\""));
}
