//! What is refused, what is promised for every format.
use std::fs;

use supple_cli::export::{ExportError, Format, Frame, Model, ModelBody, Options, exporter};
use supple_files::output::{FileError, OutputDir};

use crate::scene::{Scene, Scratch, formats, options};

#[test]
fn formats_are_known_by_name() {
    for format in Format::ALL {
        assert_eq!(format.to_string().parse::<Format>(), Ok(format));
    }
    assert_eq!(" GLB".parse::<Format>(), Ok(Format::Glb));
    let message = |name: &str| name.parse::<Format>().unwrap_err().to_string();
    let all = "the formats are obj, ply, stl, vtu, glb, usda, pc2, npz, png, gif, apng, mp4, html";
    assert_eq!(message("gltf"), format!("unknown export format \"gltf\": did you mean glb?; {all}"));
    assert_eq!(message("ojb"), format!("unknown export format \"ojb\": did you mean obj?; {all}"));
    assert_eq!(message("spreadsheet"), format!("unknown export format \"spreadsheet\"; {all}"));
    assert_eq!(message(""), format!("unknown export format \"\"; {all}"));
    message(&"y".repeat(100_000));
}

#[test]
fn what_is_announced_is_written_and_nothing_else() {
    let scene = Scene::new();
    for format in formats() {
        let scratch = Scratch::new(&format!("announced-{format}"));
        let out = scratch.out();
        let writer = exporter(format, "run", scene.model.clone(), &options()).unwrap();
        let mut announced: Vec<String> = writer.outputs(2).collect();
        drop(writer);
        let written = scene.export(format, "run", &out, 2, &options()).unwrap();
        announced.sort();
        assert_eq!(announced, scratch.names(), "{format}");
        let mut written: Vec<_> =
            written.iter().map(|p| p.file_name().unwrap().to_str().unwrap().to_owned()).collect();
        written.sort();
        assert_eq!(announced, written, "{format}");
        // Not again without force, and the files stay as they are.
        let before = scratch.read(&announced[0]);
        let error = scene.export(format, "run", &out, 2, &options()).unwrap_err();
        assert!(matches!(error, ExportError::File(FileError::Exists { .. })), "{format}: {error}");
        assert_eq!(before, scratch.read(&announced[0]), "{format}");
        assert_eq!(announced, scratch.names(), "{format}");
    }
}

#[test]
fn the_same_run_writes_the_same_bytes() {
    let scene = Scene::new();
    for format in formats() {
        let folders = [Scratch::new(&format!("same-a-{format}")), Scratch::new(&format!("same-b-{format}"))];
        for folder in &folders {
            scene.export(format, "run", &folder.out(), 1, &options()).unwrap();
        }
        for name in folders[0].names() {
            assert!(folders[0].read(&name) == folders[1].read(&name), "{name}");
        }
    }
}

#[test]
fn digits_grow_with_the_number_of_frames() {
    let options = Options { frames: 12_345, ..options() };
    let writer = exporter(Format::Obj, "run", Model::default(), &options).unwrap();
    assert_eq!(writer.outputs(1).collect::<Vec<_>>(), ["run-00000.obj", "run-00001.obj"]);
}

#[test]
fn a_run_without_frames_writes_nothing() {
    for format in formats() {
        let scratch = Scratch::new(&format!("none-{format}"));
        let out = scratch.out();
        let mut writer = exporter(format, "run", Scene::new().model, &options()).unwrap();
        assert_eq!(writer.finish(&out).unwrap(), Vec::<std::path::PathBuf>::new());
        assert_eq!(scratch.names(), Vec::<String>::new());
    }
}

#[test]
fn models_without_anything_can_be_written() {
    let empty = ModelBody { name: "empty".into(), ..ModelBody::default() };
    let hidden = ModelBody { nodes: 3, ..empty.clone() };
    for format in formats() {
        for (k, bodies) in
            [vec![], vec![empty.clone()], vec![empty.clone(), hidden.clone()]].into_iter().enumerate()
        {
            let scratch = Scratch::new(&format!("empty-{format}-{k}"));
            let out = scratch.out();
            let model = Model { bodies, pins: Vec::new() };
            let positions = vec![[0.5; 3]; model.nodes()];
            let mut writer = exporter(format, "run", model, &options()).unwrap();
            for index in 0..2 {
                let (velocities, element_fields) = (&[][..], &[][..]);
                let time = index as f64;
                let frame =
                    Frame { index, time, positions: &positions, velocities, element_fields, normals: &[] };
                writer.frame(&out, &frame).unwrap();
            }
            assert!(!writer.finish(&out).unwrap().is_empty(), "{format}");
        }
    }
}

#[test]
fn a_node_that_is_no_number_is_named_and_the_frames_before_it_stay() {
    let scene = Scene::new();
    for format in formats() {
        let scratch = Scratch::new(&format!("finite-{format}"));
        let out = scratch.out();
        let mut writer = exporter(format, "run", scene.model.clone(), &options()).unwrap();
        writer.frame(&out, &scene.state(0).frame()).unwrap();
        let first = scene.model.bodies[1].first_node;
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut state = scene.state(1);
            state.positions[first + 4][2] = bad;
            let error = writer.frame(&out, &state.frame()).unwrap_err();
            assert!(matches!(error, ExportError::NotFinite { frame: 1, .. }));
            let text = error.to_string();
            let expected = format!("the position of node {} (node 4 of body \"2 cubes\")", first + 4);
            assert!(text.contains(&expected), "{text}");
            let mut state = scene.state(1);
            state.velocities[2][0] = bad;
            let text = writer.frame(&out, &state.frame()).unwrap_err().to_string();
            assert!(text.contains("velocity of node 2 "), "{text}");
        }
        // Larger than single precision: only formats with doubles hold it.
        let mut state = scene.state(1);
        state.positions[7][1] = 1e300;
        let exact = matches!(format, Format::Obj | Format::Vtu | Format::Npz);
        assert_eq!(writer.frame(&out, &state.frame()).is_ok(), exact, "{format}");
        assert!(!writer.finish(&out).unwrap().is_empty());
    }
}

#[test]
fn frames_that_do_not_fit_are_refused() {
    let scene = Scene::new();
    let scratch = Scratch::new("fit");
    let out = scratch.out();
    let mut writer = exporter(Format::Npz, "run", scene.model.clone(), &options()).unwrap();
    let mut refused = |frame: &Frame<'_>, part: &str| {
        let error = writer.frame(&out, frame).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    let good = scene.state(5);
    refused(&Frame { positions: &good.positions[1..], ..good.frame() }, "positions for");
    refused(&Frame { velocities: &good.velocities[1..], ..good.frame() }, "velocities for");
    refused(&Frame { time: f64::NAN, ..good.frame() }, "its time is NaN s");
    let fields = [("stretch", vec![1.0])];
    refused(&Frame { element_fields: &fields, ..good.frame() }, "1 values of stretch for");
    writer.frame(&out, &good.frame()).unwrap();
    let mut refused = |frame: &Frame<'_>, part: &str| {
        let error = writer.frame(&out, frame).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    let next = scene.state(6);
    refused(&good.frame(), "it comes after frame 5");
    refused(&Frame { time: good.time, ..next.frame() }, "is not after");
    refused(&Frame { element_fields: &[], ..next.frame() }, "other fields");
    refused(&Frame { velocities: &[], ..next.frame() }, "other fields");
    let more = vec![[0.0; 3]; good.positions.len() + 1];
    refused(&Frame { positions: &more, velocities: &more, ..next.frame() }, "in the frame before");
    let written = writer.finish(&out).unwrap();
    assert_eq!(writer.finish(&out).unwrap(), written, "again");
    let error = writer.frame(&out, &next.frame()).unwrap_err().to_string();
    assert!(error.contains("finished"), "{error}");
}

#[test]
fn models_and_options_out_of_range_are_refused_before_the_run() {
    let body = ModelBody { name: "b".into(), nodes: 4, ..ModelBody::default() };
    for (body, part) in [
        (ModelBody { tets: vec![[0, 1, 2, 3], [0, 1, 2, 4]], ..body.clone() }, "tetrahedron 1 of body \"b\""),
        (ModelBody { surface: vec![[0, 1, u32::MAX]], ..body.clone() }, "triangle 0"),
        (ModelBody { edges: vec![[9, 1]], ..body.clone() }, "spring 0"),
        (ModelBody { first_node: usize::MAX, ..body.clone() }, "more nodes than can be counted"),
    ] {
        let model = Model { bodies: vec![body], pins: Vec::new() };
        let error = exporter(Format::Npz, "run", model, &options()).err().unwrap().to_string();
        assert!(error.contains(part), "{error}");
    }
    let model = Model { bodies: vec![body], pins: vec![4] };
    let error = exporter(Format::Obj, "run", model, &options()).err().unwrap().to_string();
    assert!(error.contains("node 4 is pinned"), "{error}");
    for fps in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(exporter(Format::Usda, "run", Model::default(), &Options { fps, ..options() }).is_err());
    }
    for size in [(0, 5), (5, 0), (5, 1 << 20)] {
        assert!(exporter(Format::Png, "run", Model::default(), &Options { size, ..options() }).is_err());
    }
}

#[test]
fn no_name_leads_out_of_the_folder() {
    let scene = Scene::small();
    for format in formats() {
        let scratch = Scratch::new(&format!("names-{format}"));
        let out = OutputDir::create(scratch.0.join("in"), false).unwrap();
        for name in ["../x", "a/b", "/tmp/x", "a\\b", "C:x", "..", "x\0y", "new\nline", &"x".repeat(300)] {
            let error = scene.export(format, name, &out, 0, &options()).unwrap_err();
            assert!(matches!(error, ExportError::File(FileError::Name { .. })), "{format} {name:?}: {error}");
        }
        // Odd, but plain.
        for name in ["-i", "a b & <c>", "\"q\" 'r' $(s) ü", "%d", "file"] {
            scene.export(format, name, &out, 1, &options()).unwrap();
        }
        assert_eq!(scratch.names(), ["in"]);
        assert!(fs::read_dir(scratch.0.join("in")).unwrap().all(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            !name.starts_with('.')
        }));
    }
}
