//! The stream as bytes: decoded here, and left for the decoders of other languages.
use std::path::PathBuf;

use serde_json::json;
use supple_cli::view::decode::{Message, message};
use tungstenite::Message as Ws;

use crate::client::{Running, SCENE, recipe};

/// A model and a frame with all fields, as they go over the wire.
fn messages() -> (Vec<u8>, Vec<u8>) {
    let server = Running::start(SCENE);
    let mut viewer = server.viewer();
    viewer.send(json!({ "type": "run", "on": false }));
    let mut others: Vec<_> = ["stretch", "stress", "velocity"].map(|_| server.viewer()).into();
    for (other, by) in others.iter_mut().zip(["stretch", "stress", "velocity"]) {
        other.send(json!({ "type": "colour", "by": by }));
    }
    let mut model = None;
    viewer.until(|s| s["viewers"] == 4);
    viewer.send(json!({ "type": "reset" }));
    viewer.send(json!({ "type": "step" }));
    let mut late = server.viewer();
    loop {
        match late.socket.read().unwrap() {
            Ws::Binary(bytes) => match message(&bytes).unwrap() {
                Message::Model(_) => model = Some(bytes.to_vec()),
                Message::Frame(f) if f.numbers.frame == 1 && f.fields.iter().all(Option::is_some) => {
                    return (model.unwrap(), bytes.to_vec());
                }
                Message::Frame(_) => viewer.send(json!({ "type": "colour", "by": null })),
            },
            _ => continue,
        }
    }
}

#[test]
fn messages_are_as_documented_and_broken_ones_are_errors() {
    let (model, frame) = messages();
    let Message::Model(m) = message(&model).unwrap() else { panic!("no model") };
    let Message::Frame(f) = message(&frame).unwrap() else { panic!("no frame") };
    let mut program = recipe(SCENE).build(&[]).unwrap();
    let report = program.frame().unwrap();
    let body = |i: usize, key: &str| m.about["bodies"][i][key].as_u64().unwrap() as usize;
    assert_eq!(f.positions.len(), body(0, "vertices") + body(1, "vertices"));
    assert_eq!(body(0, "triangles"), program.bodies[0].surface.len());
    assert_eq!((body(1, "triangles"), body(1, "edges")), (0, program.bodies[1].edges.len()));
    assert_eq!((body(0, "pins"), body(1, "pins")), (9, 2));
    // Triangles by vertices as drawn, those by vertices, those below the count.
    let [drawn, triangles, ..] = &m.bodies[0];
    assert!(triangles.iter().all(|&v| (v as usize) < drawn.len()));
    assert!(drawn.iter().all(|&v| (v as usize) < body(0, "vertices")));
    assert_eq!(f.numbers.energy, [report.energy.elastic as f32, report.energy.kinetic as f32]);
    let [stretch, stress, velocity] = f.fields.clone().map(Option::unwrap);
    assert!(stretch[..body(0, "vertices")].iter().all(|s| (0.5..2.0).contains(s)));
    assert!(stress[0] > 0.0 && stretch.last().unwrap().is_nan() && velocity.iter().any(|v| *v > 0.0));

    for bytes in [&model, &frame] {
        for length in [0, 3, 7, 8, 15, 40, bytes.len() - 1] {
            assert!(message(&bytes[..length]).is_err(), "{length}");
        }
        assert!(message(&[&bytes[..], &[0]].concat()).is_err());
        for (at, value) in [(0, b'X'), (4, 9), (6, 7)] {
            let mut wrong = bytes.clone();
            wrong[at] = value;
            assert!(message(&wrong).is_err(), "byte {at}");
        }
        // A count that is a lie reserves nothing.
        let mut wrong = bytes.clone();
        wrong[12..16].fill(0xff);
        assert!(message(&wrong).is_err());
    }
    if let Some(folder) = std::env::var_os("SUPPLE_STREAM_FIXTURE").map(PathBuf::from) {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("model.bin"), &model).unwrap();
        std::fs::write(folder.join("frame.bin"), &frame).unwrap();
        let truth = json!({
            "positions": program.simulation.positions()[program.simulation.bodies()[1].first_node..].to_vec(),
            "triangles": program.bodies[0].surface.len(), "edges": program.bodies[1].edges,
            "bodies": ["beam", "net"], "time": program.simulation.time(), "frame": 1, "iterations": report.iterations,
            "residual": report.force_residual, "elastic": report.energy.elastic, "kinetic": report.energy.kinetic,
            "limit": 200, "dt": 0.01, "pins": [9, 2],
        });
        std::fs::write(folder.join("truth.json"), truth.to_string()).unwrap();
    }
}

#[test]
fn a_report_allows_its_own_script_only_and_has_its_title_as_text() {
    let page = crate::client::page();
    let (before, after) = page.report("a <b> & \"c\"");
    assert!(before.contains("<title>a &lt;b&gt; &amp; &quot;c&quot;</title>"), "{before}");
    assert!(
        before.contains("content=\"default-src 'none'; script-src 'sha256-BBBB'; style-src 'sha256-AAAA'; ")
    );
    assert!(
        before.contains("connect-src 'none'")
            && before.ends_with("id=\"data\">")
            && after.ends_with("the page")
    );
    for broken in ["", "<html>", "<!-- script x --><!-- style y -->"] {
        assert!(supple_page::Page::new(broken).is_err());
    }
}
