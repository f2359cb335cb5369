//! Heads and sizes of the files, and that a run may be finished after any of its frames.
use supple_cli::export::{Format, exporter};

use crate::scene::{FPS, Scene, Scratch, options};

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn f32_at(bytes: &[u8], at: usize) -> f32 {
    f32::from_bits(u32_at(bytes, at))
}

fn json_of(glb: &[u8]) -> serde_json::Value {
    serde_json::from_slice(&glb[20..20 + u32_at(glb, 12) as usize]).unwrap()
}

/// One file, after one, two and three frames.
fn after_each_frame(format: Format, check: impl Fn(&Scene, &[u8], u64)) {
    let scene = Scene::new();
    for last in 0..3 {
        let scratch = Scratch::new(&format!("each-{format}-{last}"));
        let out = scratch.out();
        let mut writer = exporter(format, "run", scene.model.clone(), &options()).unwrap();
        for index in 0..=last {
            writer.frame(&out, &scene.state(index).frame()).unwrap();
        }
        writer.finish(&out).unwrap();
        check(&scene, &scratch.read(&format!("run.{format}")), last + 1);
    }
}

#[test]
fn npz_holds_all_frames_in_doubles() {
    after_each_frame(Format::Npz, |scene, bytes, frames| {
        // The first entry is `x`: 30 bytes of head, its name, 20 bytes of sizes.
        assert_eq!(&bytes[..4], b"PK\x03\x04");
        assert_eq!(&bytes[30..35], b"x.npy");
        let size = u64::from_le_bytes(bytes[39..47].try_into().unwrap());
        let array = &bytes[55..55 + size as usize];
        assert_eq!(u32_at(bytes, 14), crc32fast::hash(array));
        let head = 10 + usize::from(u16::from_le_bytes([array[8], array[9]]));
        assert_eq!(head % 64, 0);
        let nodes = scene.rest.len();
        let text = std::str::from_utf8(&array[10..head]).unwrap();
        let shape = format!("'shape': ({frames}, {nodes}, 3,)");
        assert!(text.contains("'descr': '<f8'") && text.contains(&shape), "{text}");
        let values: Vec<f64> =
            array[head..].chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
        let expected: Vec<f64> =
            (0..frames).flat_map(|k| scene.state(k).positions.into_iter().flatten()).collect();
        assert_eq!(values, expected);
    });
}

#[test]
fn pc2_counts_its_samples() {
    after_each_frame(Format::Pc2, |scene, bytes, frames| {
        let nodes = scene.rest.len();
        assert_eq!(&bytes[..12], b"POINTCACHE2\0");
        assert_eq!([12, 16, 28].map(|at| u32_at(bytes, at)), [1, nodes as u32, frames as u32]);
        assert_eq!([20, 24].map(|at| f32_at(bytes, at)), [0.0, 1.0]);
        assert_eq!(bytes.len(), 32 + frames as usize * nodes * 12);
        let last = scene.state(frames - 1).positions;
        assert_eq!(f32_at(bytes, bytes.len() - 4), last[nodes - 1][2] as f32);
    });
}

#[test]
fn glb_is_as_long_as_it_says() {
    after_each_frame(Format::Glb, |scene, bytes, frames| {
        assert_eq!(&bytes[..4], b"glTF");
        assert_eq!([4, 8].map(|at| u32_at(bytes, at)), [2, bytes.len() as u32]);
        let text = u32_at(bytes, 12) as usize;
        assert_eq!(u32_at(bytes, 20 + text) as usize, bytes.len() - 28 - text);
        let json = json_of(bytes);
        assert_eq!(json["buffers"][0]["byteLength"], bytes.len() - 28 - text);
        assert_eq!(json["nodes"].as_array().unwrap().len(), scene.model.bodies.len());
        assert_eq!(json["meshes"].as_array().unwrap().len(), 4, "the body without nodes has none");
        let targets = json["meshes"][0]["primitives"][0]["targets"].as_array().map_or(0, Vec::len);
        assert_eq!(targets as u64, frames - 1);
        assert_eq!(json["animations"].is_array(), frames > 1);
    });
}

/// Eight corners of a box with sharp edges become three vertices each; the cloth, which is flat, stays as it is.
#[test]
fn glb_splits_vertices_at_sharp_edges_only() {
    let scene = Scene::new();
    let scratch = Scratch::new("sharp");
    scene.export(Format::Glb, "run", &scratch.out(), 0, &options()).unwrap();
    let json = json_of(&scratch.read("run.glb"));
    let vertices = |mesh: usize| {
        let accessor = json["meshes"][mesh]["primitives"][0]["attributes"]["POSITION"].as_u64().unwrap();
        json["accessors"][accessor as usize]["count"].as_u64().unwrap()
    };
    // Faces of 4 x 2 x 2 cells: two of 3 x 3 nodes, four of 5 x 3.
    assert_eq!(vertices(0), 2 * 9 + 4 * 15);
    // Faces of 2 x 2 x 2 cells; node 13 inside carries a spring.
    assert_eq!(vertices(1), 6 * 9 + 1);
    assert_eq!(vertices(2), 16);
    assert_eq!(vertices(3), 6);
}

#[test]
fn long_glb_animations_leave_out_the_zeros_among_the_weights() {
    let scene = Scene::small();
    for (frames, sparse) in [(1023, false), (1024, true)] {
        let scratch = Scratch::new(&format!("long-{frames}"));
        scene.export(Format::Glb, "run", &scratch.out(), frames, &options()).unwrap();
        let json = json_of(&scratch.read("run.glb"));
        let output = json["animations"][0]["samplers"][0]["output"].as_u64().unwrap() as usize;
        let weights = &json["accessors"][output];
        assert_eq!(weights["count"], (frames + 1) * frames);
        assert_eq!(weights["sparse"].is_object(), sparse);
        if sparse {
            assert_eq!(weights["sparse"]["count"], frames);
        }
    }
}

#[test]
fn stl_and_ply_have_the_right_size() {
    let scene = Scene::new();
    let scratch = Scratch::new("size");
    let out = scratch.out();
    scene.export(Format::Stl, "run", &out, 1, &options()).unwrap();
    scene.export(Format::Ply, "run", &out, 1, &options()).unwrap();
    let triangles: usize = scene.model.bodies.iter().map(|b| b.surface.len()).sum();
    let edges: usize = scene.model.bodies.iter().map(|b| b.edges.len()).sum();
    let stl = scratch.read("run-0001.stl");
    assert!(!stl.starts_with(b"solid"));
    assert_eq!(u32_at(&stl, 80) as usize, triangles);
    assert_eq!(stl.len(), 84 + 50 * triangles);
    let ply = scratch.read("run-0001.ply");
    let head = ply.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    assert_eq!(ply.len(), head + 15 * scene.rest.len() + 13 * triangles + 8 * edges);
}

#[test]
fn obj_reads_back_exactly() {
    let scene = Scene::new();
    let scratch = Scratch::new("obj");
    scene.export(Format::Obj, "run", &scratch.out(), 2, &options()).unwrap();
    let text = String::from_utf8(scratch.read("run-0002.obj")).unwrap();
    let numbers: Vec<f64> = text
        .lines()
        .filter_map(|line| line.strip_prefix("v "))
        .flat_map(|line| line.split(' ').map(|word| word.parse().unwrap()))
        .collect();
    let expected: Vec<f64> = scene.state(2).positions.into_iter().flatten().collect();
    assert_eq!(numbers, expected);
    let names: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("o ")).collect();
    assert_eq!(names, ["block_\"A\"_<1>_&_más", "2_cubes", "cloth", "body3", "rope"]);
    assert_eq!(text.lines().filter(|line| line.starts_with("l ")).count(), 7);
}

#[test]
fn pvd_lists_files_and_times() {
    let scene = Scene::new();
    let scratch = Scratch::new("pvd");
    scene.export(Format::Vtu, "a & b", &scratch.out(), 2, &options()).unwrap();
    let text = String::from_utf8(scratch.read("a & b.pvd")).unwrap();
    for index in 0..3 {
        let time = index as f64 / FPS;
        let line = format!("timestep=\"{time:?}\" group=\"\" part=\"0\" file=\"a &amp; b-{index:04}.vtu\"");
        assert!(text.contains(&line), "{text}");
    }
}

#[test]
fn usda_names_are_unique_identifiers() {
    let mut scene = Scene::new();
    scene.model.bodies[0].name = "rope".into();
    scene.model.bodies[1].name = "rope".into();
    scene.model.bodies[2].name = "a\n\"b\\".into();
    let scratch = Scratch::new("usda");
    scene.export(Format::Usda, "run", &scratch.out(), 1, &options()).unwrap();
    let text = String::from_utf8(scratch.read("run.usda")).unwrap();
    let names: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("    def ")?.split('"').nth(1)).collect();
    assert_eq!(names, ["rope", "rope_2", "rope_2_springs", "a__b_", "rope_3"]);
    assert!(text.contains(r#"displayName = "a \"b\\""#), "{text}");
}
