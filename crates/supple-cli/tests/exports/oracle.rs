//! The files that `scripts/export-oracles` reads, and beside them, as plain JSON, what must be in them.
use std::path::PathBuf;

use serde_json::json;
use supple_cli::export::{ColourBy, ExportError, Format, Options};
use supple_files::output::OutputDir;

use crate::scene::{FPS, Scene, Scratch, options};

const FRAMES: u64 = 4;

/// Into the folder `SUPPLE_EXPORTS`, if that is set.
#[test]
fn files_for_the_oracles() {
    let scratch = Scratch::new("oracle");
    let folder = std::env::var_os("SUPPLE_EXPORTS").map_or_else(|| scratch.0.clone(), PathBuf::from);
    let out = OutputDir::create(folder, true).unwrap();
    let scene = Scene::new();
    for format in Format::ALL {
        match scene.export(format, "run", &out, FRAMES, &Options { size: (320, 240), ..options() }) {
            Ok(_) | Err(ExportError::Missing { .. } | ExportError::NoPage(_)) => {}
            Err(error) => panic!("{format}: {error}"),
        }
    }
    // One frame; a sparse glTF; a picture to look at.
    for format in [Format::Npz, Format::Glb, Format::Usda, Format::Pc2] {
        scene.export(format, "still", &out, 0, &options()).unwrap();
    }
    Scene::small().export(Format::Glb, "long", &out, 1100, &options()).unwrap();
    let colour_by = Some(ColourBy { field: "stress".into(), title: "stress, Pa".into(), range: None });
    let large = Options { size: (960, 540), colour_by, caption: Some("stress".into()), ..options() };
    scene.export(Format::Png, "stress", &out, 0, &large).unwrap();

    let bodies: Vec<_> = scene
        .model
        .bodies
        .iter()
        .map(|b| {
            json!({
                "name": b.name, "first_node": b.first_node, "nodes": b.nodes, "tets": b.tets,
                "surface": b.surface, "edges": b.edges, "colour": b.colour,
            })
        })
        .collect();
    let frames: Vec<_> = (0..=FRAMES)
        .map(|k| {
            let state = scene.state(k);
            let fields: serde_json::Map<_, _> =
                state.fields.iter().map(|(name, values)| ((*name).to_owned(), json!(values))).collect();
            json!({
                "time": state.time, "positions": state.positions, "velocities": state.velocities,
                "fields": fields,
            })
        })
        .collect();
    let small: Vec<_> = (0..=1100).map(|k| Scene::small().state(k).positions).collect();
    let truth = json!({
        "fps": FPS, "bodies": bodies, "pins": scene.model.pins, "frames": frames, "long": small,
        "long_surface": Scene::small().model.bodies[0].surface,
    });
    out.write_bytes("truth.json", &serde_json::to_vec(&truth).unwrap()).unwrap();
}
