//! Obstacles from files: grids and closed surfaces beside a scene, as a run, a check and a viewer take them, and as they are drawn.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
#[path = "common/folder.rs"]
mod folder;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use folder::Folder;
use supple_cli::view::Recipe;
use supple_files::load::Loaded;

/// Distances from a bowl of radius 0.5 and wall 0.1, as `numpy.save` writes an array of f4.
fn bowl() -> Vec<u8> {
    let mut head = "{'descr': '<f4', 'fortran_order': False, 'shape': (29, 15, 29), }".to_string();
    while !(head.len() + 11).is_multiple_of(64) {
        head.push(' ');
    }
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((head.len() as u16 + 1).to_le_bytes());
    bytes.extend(head.as_bytes());
    bytes.push(b'\n');
    for i in 0..29 {
        for j in 0..15 {
            for k in 0..29 {
                let [x, y, z] = [i, j, k].map(|n| -0.7 + 0.05 * f64::from(n));
                let r = (x * x + y * y + z * z).sqrt();
                bytes.extend((((r - 0.55).abs() - 0.05).max(y) as f32).to_le_bytes());
            }
        }
    }
    bytes
}

/// A tetrahedron below the bowl.
const WEDGE: &str = "v 0 -1 0\nv 1 -1 0\nv 0 -0.8 0\nv 0 -1 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

fn scene(more: &str) -> String {
    format!(
        "version = 1\n[time]\ndt = 0.01\nframes = 3\n[[body]]\nname = \"cube\"\n\
         shape = {{ kind = \"box\", size = [0.2, 0.2, 0.2], cells = [2, 2, 2] }}\ntranslate = [-0.1, -0.45, -0.1]\n\
         material = {{ kind = \"corotated\", young = 1e5, poisson = 0.3 }}\n{more}"
    )
}

const BOWL: &str = "[[obstacle]]\nname = \"bowl\"\nshape = { kind = \"grid\", file = \"bowl.npy\", origin = [-0.7, -0.7, -0.7], spacing = 0.05 }\n";
const MESH: &str = "[[obstacle]]\nname = \"wedge\"\nshape = { kind = \"mesh\", file = \"wedge.obj\" }\n";

fn supple(args: &[&str], path: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_supple")).args(args).arg(path).output().unwrap()
}

#[test]
fn a_grid_and_a_surface_from_files() {
    let scratch = Folder::new("run");
    scratch.write("scene/bowl.npy", bowl());
    scratch.write("scene/wedge.obj", WEDGE);
    let path = scratch.write("scene/a.toml", scene(&format!("{BOWL}friction = 0.3\n{MESH}")));
    let loaded = Loaded::read(&path, &[]).unwrap();
    let (mut program, _) = loaded.build(&[]).unwrap();
    for _ in 0..60 {
        let r = program.frame().unwrap();
        assert!(r.max_penetration < 1e-6, "{r:?}");
    }
    let weight = 9.8 * program.simulation.masses().iter().sum::<f64>();
    let push = program.simulation.reactions()[0][1];
    assert!((push - weight).abs() < 0.1 * weight, "{push} of {weight}");
    // A viewer reads the files once.
    let recipe = Recipe::new("a", &loaded, &[]).unwrap();
    fs::remove_file(scratch.0.join("scene/bowl.npy")).unwrap();
    assert_eq!(recipe.build(&[]).unwrap().simulation.obstacles().len(), 2);
    assert!(loaded.build(&[]).is_err());
}

/// The rules for files are those of meshes, and errors show the line and the key.
#[test]
fn what_is_wrong_with_a_file_is_told() {
    let scratch = Folder::new("wrong");
    scratch.write("bowl.npy", bowl());
    scratch.write("scene/short.npy", &bowl()[..5000]);
    scratch.write("scene/open.obj", WEDGE.replace("f 2 3 4\n", ""));
    scratch.write("scene/flat.obj", WEDGE);
    let outside = BOWL.replace("bowl.npy", "../bowl.npy");
    for (more, words) in [
        (outside.clone(), ["a.toml:12", "--allow-dir"]),
        (BOWL.replace("bowl.npy", "https://example.org/bowl.npy"), ["a.toml:12", "is an address"]),
        (BOWL.into(), ["a.toml:12", "cannot find `bowl.npy`"]),
        (BOWL.replace("bowl.npy", "short.npy"), ["short.npy: byte", "bytes follow"]),
        (BOWL.replace("bowl.npy", "flat.obj"), ["a.toml:12", "a grid is a .npy file"]),
        (MESH.replace("wedge.obj", "short.npy"), ["short.npy: byte", "bytes follow"]),
        (MESH.replace("wedge.obj", "open.obj"), ["a.toml:12", "not closed: 3 edges with one triangle only"]),
        (BOWL.replace("spacing = 0.05", "spacing = 0.01"), ["a.toml:12", "cannot find"]),
        (BOWL.replace("origin", "orgin"), ["a.toml:12", "origin"]),
    ] {
        let path = scratch.write("scene/a.toml", scene(&more));
        for verb in ["check", "run"] {
            let out = supple(&[verb], &path);
            let told = String::from_utf8_lossy(&out.stderr).into_owned();
            assert_eq!(out.status.code(), Some(2), "{verb}, {more}: {told}");
            assert!(words.iter().all(|w| told.contains(w)), "{verb}, {more}: {told}");
        }
    }
    let path = scratch.write("scene/a.toml", scene(&outside));
    let loaded = Loaded::read(&path, &[]).unwrap();
    loaded.build(std::slice::from_ref(&scratch.0)).unwrap();
}

/// All shapes are in pictures; the floor is not drawn twice.
#[test]
fn obstacles_are_drawn() {
    let scratch = Folder::new("drawn");
    scratch.write("scene/bowl.npy", bowl());
    let slope = "[[obstacle]]\nname = \"slope\"\nshape = { kind = \"half_space\", point = [0, -0.9, 0], normal = [1, 1, 0] }\n";
    let floor = "[[obstacle]]\nname = \"floor\"\nshape = { kind = \"half_space\", point = [0, -2, 0], normal = [0, 1, 0] }\n";
    let path = scratch.write("scene/a.toml", scene(&format!("{BOWL}{slope}{floor}")));
    let out = scratch.0.join("out");
    let done =
        supple(&["run", "-q", "--export", "glb", "--export", "png", "--out", out.to_str().unwrap()], &path);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let names: Vec<String> =
        fs::read_dir(&out).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    assert!(
        names.iter().any(|n| n.ends_with(".glb")) && names.iter().any(|n| n.ends_with(".png")),
        "{names:?}"
    );
}

/// In a .glb obstacles are nodes: those that move turn and shift, in each frame as the scene says, and none has morph targets.
#[test]
fn obstacles_are_nodes_of_a_glb() {
    let scratch = Folder::new("nodes");
    // A quarter turn about an axis off the box's middle, and half a metre along z, in ten frames; and a ball that rests.
    let text = "version = 1\n[time]\ndt = 0.1\n[[body]]\nname = \"body\"\nshape = { kind = \"box\", size = [1, 1, 1], cells = [1, 1, 1] }\n\
                material = { kind = \"arap\", stiffness = 1e4, density = 1000.0 }\n\
                [[obstacle]]\nname = \"turning\"\ncolour = \"#ff0000\"\nlook = \"glass\"\nshape = { kind = \"box\", centre = [3.5, 0.25, 1], size = [1, 0.5, 2] }\n\
                motion = [{ time = 0, centre = [3, 0, 0] }, { time = 1, translate = [0, 0, 0.5], rotate = { axis = \"y\", angle = 90 }, centre = [3, 0, 0] }]\n\
                [[obstacle]]\nname = \"resting\"\nshape = { kind = \"sphere\", centre = [-3, 0, 0], radius = 0.5 }\n";
    let path = scratch.write("scene/a.toml", text);
    let out = scratch.0.join("out");
    let done =
        supple(&["run", "-q", "--frames", "10", "--export", "glb", "--out", out.to_str().unwrap()], &path);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let glb = fs::read(out.join("a.glb")).unwrap();
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    let binary = &glb[28 + length..];
    let end = json["bufferViews"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v["byteOffset"].as_u64().unwrap() + v["byteLength"].as_u64().unwrap());
    assert_eq!(end.max(), Some(binary.len() as u64));
    let accessor = |i: &serde_json::Value, width: usize| -> Vec<Vec<f64>> {
        let a = &json["accessors"][i.as_u64().unwrap() as usize];
        let view = &json["bufferViews"][a["bufferView"].as_u64().unwrap() as usize];
        let at = (view["byteOffset"].as_u64().unwrap() + a["byteOffset"].as_u64().unwrap_or(0)) as usize;
        let count = a["count"].as_u64().unwrap() as usize;
        let value =
            |k: usize| f64::from(f32::from_le_bytes(binary[at + 4 * k..at + 4 * k + 4].try_into().unwrap()));
        (0..count).map(|i| (0..width).map(|k| value(width * i + k)).collect()).collect()
    };
    let nodes: Vec<&str> =
        json["nodes"].as_array().unwrap().iter().map(|n| n["name"].as_str().unwrap()).collect();
    assert_eq!(nodes, ["body", "turning", "resting"]);
    let mesh = |node: usize| &json["meshes"][json["nodes"][node]["mesh"].as_u64().unwrap() as usize];
    assert_eq!(mesh(0)["primitives"][0]["targets"].as_array().unwrap().len(), 10);
    assert!((1..3).all(|n| mesh(n)["primitives"][0].get("targets").is_none()));
    let box_at = accessor(&mesh(1)["primitives"][0]["attributes"]["POSITION"], 3);
    assert!(box_at.iter().all(|p| (p[0] == 3.0 || p[0] == 4.0) && (p[2] == 0.0 || p[2] == 2.0)));
    let ball = accessor(&mesh(2)["primitives"][0]["attributes"]["POSITION"], 3);
    assert!(ball.iter().all(|p| ((p[0] + 3.0).hypot(p[1]).hypot(p[2]) - 0.5).abs() < 1e-6));
    let material = &json["materials"][mesh(1)["primitives"][0]["material"].as_u64().unwrap() as usize];
    assert_eq!(
        (&material["alphaMode"], &material["pbrMetallicRoughness"]["baseColorFactor"][0]),
        (&"BLEND".into(), &1.0.into())
    );
    let animation = &json["animations"][0];
    let channels = animation["channels"].as_array().unwrap();
    let of = |node: u64, path: &str| {
        let fits = |c: &&serde_json::Value| c["target"]["node"] == node && c["target"]["path"] == path;
        let channel = channels.iter().find(fits)?;
        Some(&animation["samplers"][channel["sampler"].as_u64().unwrap() as usize]["output"])
    };
    assert_eq!(channels.len(), 3);
    assert!(of(0, "weights").is_some() && of(2, "rotation").is_none());
    let (turns, shifts) =
        (accessor(of(1, "rotation").unwrap(), 4), accessor(of(1, "translation").unwrap(), 3));
    assert_eq!((turns.len(), shifts.len()), (11, 11));
    for (k, (q, t)) in turns.iter().zip(&shifts).enumerate() {
        let angle = 0.5 * std::f64::consts::PI * k as f64 / 10.0;
        let wanted = [0.0, (0.5 * angle).sin(), 0.0, (0.5 * angle).cos()];
        assert!((0..4).all(|i| (q[i] - wanted[i]).abs() < 1e-6), "frame {k}: {q:?}");
        // About (3, 0, 0): t = c − R c, and the shift.
        let c = [3.0 - 3.0 * angle.cos(), 0.0, 3.0 * angle.sin() + 0.05 * k as f64];
        assert!((0..3).all(|i| (t[i] - c[i]).abs() < 1e-5), "frame {k}: {t:?} for {c:?}");
    }
}
