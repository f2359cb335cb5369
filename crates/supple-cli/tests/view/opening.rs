//! Scenes, meshes and checkpoints that a viewer sends.
use serde_json::{Value, json};
use tungstenite::Message as Ws;

use crate::client::{Running, SCENE, Viewer, recipe};

const MIB: usize = 1 << 20;

/// A cube of 12 triangles.
const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
                    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

const WITH_MESH: &str = "version = 1\n[time]\ndt = 0.01\n[solve]\nthreads = 1\n[[body]]\nname = \"mine\"\nmesh = \"cube.obj\"\n\
                         fill = { tets = 300 }\nmaterial = { kind = \"neo_hookean\", young = 1e5, poisson = 0.3, density = 1000.0 }\n";

fn announce(viewer: &mut Viewer, files: &[(&str, &[u8])]) {
    let list: Vec<Value> = files.iter().map(|(n, b)| json!({ "name": n, "bytes": b.len() })).collect();
    viewer.send(json!({ "type": "open", "files": list }));
}

/// Sends files in pieces, which do not end where files end.
fn open(viewer: &mut Viewer, files: &[(&str, &[u8])], piece: usize) {
    announce(viewer, files);
    let all: Vec<u8> = files.iter().flat_map(|f| f.1.iter().copied()).collect();
    for part in all.chunks(piece) {
        viewer.socket.send(Ws::binary(part.to_vec())).unwrap();
    }
}

fn refusal(viewer: &mut Viewer) -> String {
    let before = viewer.state["note"]["number"].as_u64().unwrap_or(0);
    loop {
        if let Some(text) = viewer.refused.take() {
            return text;
        }
        if viewer.state["note"]["number"].as_u64().unwrap_or(0) > before {
            return viewer.state["note"]["text"].as_str().unwrap().to_string();
        }
        viewer.next().unwrap();
    }
}

#[test]
fn a_surface_a_scene_and_a_solid_can_be_opened() {
    let server = Running::start(SCENE);
    let mut viewer = server.viewer();
    viewer.frame(|_| true);
    open(&mut viewer, &[("my cube.obj", CUBE.as_bytes())], 7);
    viewer.until(|s| s["scene"] == "my cube" && s["building"] == false);
    viewer.frame(|f| f.numbers.frame > 3);
    let model = viewer.model.clone().unwrap();
    assert_eq!(model.about["bodies"][0]["vertices"], 8, "the skin is the surface that was sent");
    assert!(viewer.state["elements"].as_u64().unwrap() > 1000);
    assert_eq!(viewer.state["scenes"][1]["name"], "my cube");

    let files: [(&str, &[u8]); 2] = [("scene.toml", WITH_MESH.as_bytes()), ("cube.obj", CUBE.as_bytes())];
    open(&mut viewer, &files, 100);
    viewer.until(|s| s["scene"] == "scene" && s["building"] == false);
    viewer.frame(|f| f.numbers.frame > 0);
    assert_eq!(viewer.model.as_ref().unwrap().about["bodies"][0]["name"], "mine");
    // It can be changed like any other, and come back to.
    viewer.send(json!({ "type": "set", "key": "young", "value": 2e5 }));
    viewer.until(|s| s["values"]["bodies"][0]["young"] == 2e5 && s["building"] == false);
    viewer.send(json!({ "type": "scene", "name": "swing" }));
    viewer.until(|s| s["scene"] == "swing" && s["building"] == false);
    viewer.send(json!({ "type": "scene", "name": "scene" }));
    viewer.until(|s| s["scene"] == "scene" && s["building"] == false);

    let solid = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n\
                 $Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n";
    open(&mut viewer, &[("one.msh", solid.as_bytes())], 1000);
    viewer.until(|s| s["scene"] == "one" && s["building"] == false);
    assert_eq!(viewer.state["elements"], 1);
}

#[test]
fn a_checkpoint_goes_to_its_state_and_no_other() {
    let mut program = recipe(SCENE).build(&[]).unwrap();
    for _ in 0..9 {
        program.frame().unwrap();
    }
    let state = program.simulation.checkpoint();
    let server = Running::start(SCENE);
    let mut viewer = server.viewer();
    viewer.pause();
    viewer.send(json!({ "type": "reset" }));
    viewer.frame(|f| f.numbers.frame == 0);
    open(&mut viewer, &[("test-0009.checkpoint", &state)], MIB);
    let there = viewer.frame(|f| f.numbers.frame == 9);
    let last = program.simulation.positions().last().unwrap().map(|c| c as f32);
    assert_eq!(there.positions.last(), Some(&last));
    program.frame().unwrap();
    viewer.send(json!({ "type": "step" }));
    let next = viewer.frame(|f| f.numbers.frame == 10);
    let last = program.simulation.positions().last().unwrap().map(|c| c as f32);
    assert_eq!(next.positions.last(), Some(&last));
    // With its scene, in one go.
    let files: [(&str, &[u8]); 2] = [("again.toml", SCENE.as_bytes()), ("s.checkpoint", &state)];
    open(&mut viewer, &files, MIB);
    viewer.until(|s| s["scene"] == "again" && s["building"] == false);
    viewer.send(json!({ "type": "colour", "by": "stress" }));
    assert_eq!(viewer.frame(|f| f.fields[1].is_some()).numbers.frame, 9);
    // Of another scene, broken, cut: refused, and nothing moves.
    let other = recipe(&SCENE.replace("1e5", "2e5")).build(&[]).unwrap().simulation.checkpoint();
    let mut broken = state.clone();
    broken[200] ^= 1;
    for wrong in [&other[..], &broken[..], &state[..state.len() - 1], &b"SUPPLECK"[..]] {
        open(&mut viewer, &[("x.checkpoint", wrong)], MIB);
        let why = refusal(&mut viewer);
        assert!(why.starts_with("the checkpoint cannot be opened here"), "{why}");
    }
    viewer.send(json!({ "type": "colour", "by": "stretch" }));
    let still = viewer.frame(|f| f.fields[0].is_some());
    assert_eq!(still.numbers.frame, 9);
}

#[test]
fn hostile_files_are_refused_and_the_scene_goes_on() {
    let server = Running::start(SCENE);
    let mut viewer = server.viewer();
    viewer.frame(|_| true);
    // Announcements.
    let long = "x".repeat(256);
    let names = ["", ".", "..", "a/b.obj", "/etc/passwd", "..\\x.obj", "a\u{0}b.obj", "a\nb.obj", &long[..]];
    for name in names {
        viewer.send(json!({ "type": "open", "files": [{ "name": name, "bytes": 3 }] }));
        let why = refusal(&mut viewer);
        assert!(why.contains("is no name of a file"), "{name:?}: {why}");
    }
    let too_many: Vec<Value> = (0..33).map(|i| json!({ "name": format!("{i}.obj"), "bytes": 1 })).collect();
    for files in [
        json!(too_many),
        json!([{ "name": "a.obj", "bytes": 0 }]),
        json!([{ "name": "a.obj", "bytes": (64 << 20) + 1 }]),
        json!([{ "name": "a.obj", "bytes": u64::MAX }, { "name": "b.obj", "bytes": u64::MAX }]),
        json!([{ "name": "a.obj", "bytes": -1 }]),
        json!([{ "name": "a.obj", "bytes": 1, "path": "/etc" }]),
        json!("all"),
    ] {
        viewer.send(json!({ "type": "open", "files": files }));
        refusal(&mut viewer);
    }
    // Bytes that nobody announced, and more than were.
    viewer.socket.send(Ws::binary(vec![1, 2, 3])).unwrap();
    assert!(refusal(&mut viewer).contains("no file that was announced"));
    announce(&mut viewer, &[("a.obj", &b"abc"[..])]);
    viewer.socket.send(Ws::binary(vec![0; 4])).unwrap();
    assert!(refusal(&mut viewer).contains("1 bytes more than were announced"));
    viewer.socket.send(Ws::binary(vec![1])).unwrap();
    assert!(refusal(&mut viewer).contains("no file that was announced"));
    // What is no mesh, no scene, or names what is not among the files: on the disk nothing is looked for.
    let outside = WITH_MESH.replace("cube.obj", "/etc/passwd");
    let here = WITH_MESH.replace("cube.obj", "Cargo.toml");
    let gltf = r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"../../secret.bin","byteLength":4}]}"#;
    let beside = gltf.replace("../../", "");
    let node = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
    let cases: [(&str, &[u8], &str); 12] = [
        ("a.obj", b"v nan nan nan\nf 1 1 1\n", "a.obj"),
        ("a.obj", b"\xff\xfe\x00garbage", "a.obj"),
        ("a.stl", &[0xff; 200], "a.stl"),
        ("a.glb", b"glTF\x02\x00\x00\x00\xff\xff\xff\xff", "a.glb"),
        ("a.ply", b"ply\nformat ascii 1.0\nelement vertex 4000000000\nend_header\n", "a.ply"),
        ("a.exe", b"MZ", "is none"),
        ("a.toml", b"version = 1\n[[body]", "a.toml"),
        ("a.toml", &[0xff, 0xfe, 0xfd], "not UTF-8"),
        ("a.toml", outside.as_bytes(), "`passwd` is missing"),
        ("a.toml", here.as_bytes(), "Cargo.toml"),
        ("a.gltf", gltf.as_bytes(), "a.gltf"),
        ("a.gltf", beside.as_bytes(), "secret.bin"),
    ];
    for (name, bytes, wanted) in cases {
        open(&mut viewer, &[(name, bytes)], MIB);
        let why = refusal(&mut viewer);
        assert!(why.contains(wanted), "{name}: {why}");
    }
    open(&mut viewer, &[("a.node", node.as_bytes())], MIB);
    assert!(refusal(&mut viewer).contains("a.ele"));
    let huge = WITH_MESH.replace(
        "mesh = \"cube.obj\"\nfill = { tets = 300 }",
        "shape = { kind = \"box\", size = [1, 1, 1], cells = [3000, 3000, 3000] }",
    );
    open(&mut viewer, &[("huge.toml", huge.as_bytes())], MIB);
    assert!(refusal(&mut viewer).contains("too large"));
    open(&mut viewer, &[("a.obj", CUBE.as_bytes()), ("b.obj", CUBE.as_bytes())], MIB);
    assert!(refusal(&mut viewer).contains("one mesh at a time"));
    // Messages have their limit.
    let now = viewer.frame(|f| f.numbers.side == 0).numbers.frame;
    viewer.frame(|f| f.numbers.frame > now);
    assert_eq!(viewer.state["scene"], "test");
    viewer.until(|s| s["building"] == false);
    let mut other = server.viewer();
    announce(&mut other, &[("a.obj", &vec![b'#'; 2 * MIB][..])]);
    // It is gone as soon as it has sent too long a message, which it may learn while it still sends.
    let _ = other.socket.send(Ws::binary(vec![b'#'; MIB + 1]));
    while other.next().is_ok() {}
}

#[test]
fn all_viewers_share_the_room_for_files() {
    let server = Running::start(SCENE);
    let (mut one, mut two) = (server.viewer(), server.viewer());
    one.pause();
    two.frame(|_| true);
    let most = 64 << 20;
    one.send(json!({ "type": "open", "files": [{ "name": "a.obj", "bytes": most }] }));
    one.send(json!({ "type": "colour", "by": "stress" }));
    one.frame(|f| f.fields[1].is_some());
    announce(&mut two, &[("b.obj", CUBE.as_bytes())]);
    assert!(refusal(&mut two).contains("other files are on their way"));
    // Given up: there is room again. So there is when a viewer leaves.
    one.send(json!({ "type": "open", "files": [] }));
    one.send(json!({ "type": "open", "files": [{ "name": "a.obj", "bytes": most }] }));
    one.send(json!({ "type": "colour", "by": "velocity" }));
    one.frame(|f| f.fields[2].is_some());
    drop(one);
    two.until(|s| s["viewers"] == 1);
    open(&mut two, &[("b.obj", CUBE.as_bytes())], MIB);
    two.until(|s| s["scene"] == "b" && s["building"] == false);
    // 64 MiB, no more and no less, in pieces of the largest message.
    let mut large = CUBE.as_bytes().to_vec();
    large.resize(most, b'\n');
    open(&mut two, &[("c.obj", &large)], MIB);
    two.until(|s| s["scene"] == "c" && s["building"] == false);
}
