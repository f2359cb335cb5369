//! Skins in files: what a surface brought comes out again, bit for bit where nothing moved, and turned where it did.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use supple::mesh::Drawn;
use supple::mesh::drawn::NONE;
use supple::mesh::io::{Format, read};

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("skins-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// A cube of quads with a vertex that nothing uses, a texture with seams, six normals that are not quite of unit length and shared by four
/// corners each, two materials and four groups.
fn cube() -> String {
    let mut text = String::from("# cube\nmtllib looks.mtl\no thing\nv 9 9 9\n");
    for i in 0..8 {
        let at = |bit: i32| if i >> bit & 1 == 1 { 0.3 } else { 0.1 / 3.0 };
        text += &format!("v {:?} {:?} {:?}\n", at(0), 0.7 + at(1), at(2));
    }
    for (u, v) in [(0.1, 0.2), (0.9, 0.2), (0.9, 0.8000000001), (0.1, 0.8)] {
        text += &format!("vt {u:?} {v:?}\n");
    }
    for axis in 0..3 {
        for sign in [-1.00001, 1.00001] {
            let n: Vec<String> =
                (0..3).map(|k| format!("{:?}", if k == axis { sign } else { 0.0 })).collect();
            text += &format!("vn {}\n", n.join(" "));
        }
    }
    // One past the unused vertex.
    let sides = [[1, 5, 7, 3], [2, 4, 8, 6], [1, 2, 6, 5], [3, 7, 8, 4], [1, 3, 4, 2], [5, 6, 8, 7]];
    for (side, corners) in sides.iter().enumerate() {
        match side {
            0 => text += "g left side\nusemtl red clay\n",
            1 => text += "g right\n",
            2 => text += "g bottom\n",
            4 => text += "g ends\nusemtl blue\n",
            _ => {}
        }
        let corner = |k: usize| format!("{}/{}/{}", corners[k] + 1, k + 1, side + 1);
        text += &format!("f {} {} {} {}\n", corner(0), corner(1), corner(2), corner(3));
    }
    text
}

fn drawn(path: &Path) -> Drawn {
    let name = path.file_name().unwrap().to_str().unwrap();
    let format = Format::from_extension(path.extension().unwrap().to_str().unwrap()).unwrap();
    read(format, name, &fs::read(path).unwrap(), None).unwrap().drawn.unwrap()
}

/// Position, texture coordinates, normal and names of every corner of every triangle.
type Corner = ([f64; 3], Option<[f64; 2]>, Option<[f64; 3]>, Option<String>);
fn corners(d: &Drawn) -> Vec<[Corner; 3]> {
    let a = &d.attributes;
    let one = |t: usize, k: usize| {
        let uv = a.uvs.of.get(t).map(|c| c[k]).filter(|i| *i != NONE).map(|i| a.uv(i, false));
        let normal = a.normals.of.get(t).map(|c| a.normals.values[c[k] as usize]);
        (d.vertices[d.triangles[t][k] as usize], uv, normal, a.materials.of(t).map(str::to_owned))
    };
    (0..d.triangles.len()).map(|t| std::array::from_fn(|k| one(t, k))).collect()
}

fn scene(gravity: f64, more: &str) -> String {
    format!(
        "version = 1\n[time]\ndt = 0.02\nframes = 2\n[world]\ngravity = [0.0, {gravity:?}, 0.0]\n[[body]]\nname = \"cube\"\nmesh = \"cube.obj\"\n\
         fill = {{ tets = 400, kind = \"cage\" }}\nskin = true\n\
         material = {{ kind = \"stable_neo_hookean\", young = 1e5, poisson = 0.4, density = 1000.0 }}\n{more}"
    )
}

fn run(here: &Path, text: &str, formats: &[&str]) {
    fs::write(here.join("cube.obj"), cube()).unwrap();
    fs::write(here.join("scene.toml"), text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_supple"));
    command.args(["run", "scene.toml", "--out", "out"]).current_dir(here);
    formats.iter().for_each(|f| {
        command.args(["--export", f]);
    });
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn what_did_not_move_comes_out_bit_for_bit() {
    let here = folder("rest");
    run(&here, &scene(0.0, ""), &["obj", "ply", "glb", "usda", "npz", "vtu", "pc2", "stl"]);
    let before = drawn(&here.join("cube.obj"));
    let after = drawn(&here.join("out/scene-0000.obj"));
    // Vertices in their order, also the unused one; texture coordinates as a list; corners; names.
    assert_eq!(before.vertices, after.vertices);
    assert_eq!(before.attributes.uvs.values, after.attributes.uvs.values);
    assert_eq!(before.attributes.normals.values[..], after.attributes.normals.values[..6]);
    assert_eq!(corners(&before), corners(&after));
    assert_eq!(before.attributes.groups.of, after.attributes.groups.of);
    // The object is the body.
    assert_eq!(after.attributes.groups.names, ["cube", "left side", "right", "bottom", "ends"]);
    assert_eq!(after.attributes.libraries, ["looks.mtl"]);
    assert!(fs::read_to_string(here.join("out/scene-0000.obj")).unwrap().contains("usemtl red clay\n"));

    // Single precision: the same corners, rounded.
    let rounded = |d: &Drawn| -> Vec<String> {
        let mut all: Vec<String> = corners(d)
            .iter()
            .map(|t| {
                let corner = |(p, uv, n, m): &Corner| {
                    let uv = uv.map(|uv| uv.map(|c| (c * 1e6).round() + 0.0));
                    format!(
                        "{:?} {uv:?} {:?} {m:?}",
                        p.map(|c| c as f32),
                        n.map(|n| n.map(|c| c as f32 + 0.0))
                    )
                };
                t.iter().map(corner).collect::<Vec<_>>().join(" ")
            })
            .collect();
        all.sort();
        all
    };
    assert_eq!(rounded(&before), rounded(&drawn(&here.join("out/scene.glb"))));
    let text = fs::read_to_string(here.join("out/scene.usda")).unwrap();
    for part in [
        "primvars:st = [(0.1, 0.2), (0.9, 0.2)",
        "primvars:normals.timeSamples",
        "def GeomSubset \"red_clay\"",
        "displayName = \"red clay\"",
        "def Material \"blue\"",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let ply = fs::read(here.join("out/scene-0000.ply")).unwrap();
    assert!(String::from_utf8_lossy(&ply).contains("property list uchar float texcoord"));
    assert!(here.join("out/scene-skin.npz").exists() && here.join("out/scene-skin.pvd").exists());
    let vtu = fs::read(here.join("out/scene-skin-0000.vtu")).unwrap();
    assert!(String::from_utf8_lossy(&vtu).contains("Name=\"material\""));
}

/// What is held by its skin stays, what falls turns its normals; each corner at the end of a run has a normal of unit length.
#[test]
fn pins_by_groups_and_vertices_of_the_skin() {
    let here = folder("pins");
    let held = "[[pin]]\nbody = \"cube\"\nselect = { skin = true, group = \"left\" }\n[[pin]]\nbody = \"cube\"\nselect = { skin = true, ids = [1, 3] }\n";
    run(&here, &scene(-50.0, held), &["obj"]);
    let (before, after) = (drawn(&here.join("cube.obj")), drawn(&here.join("out/scene-0002.obj")));
    // Vertices 1, 3, 5, 7 are those of the left side.
    for v in 0..before.vertices.len() {
        // Nodes of no weight (1e-9) are not held.
        let moved = (0..3).map(|c| (before.vertices[v][c] - after.vertices[v][c]).abs()).fold(0.0, f64::max);
        assert_eq!(moved < 1e-10, [1, 3, 5, 7].contains(&v), "vertex {v}: {moved} m");
    }
    let values = &after.attributes.normals.values;
    assert!(values.len() == 24 && after.attributes.uvs == before.attributes.uvs);
    let turned = values.iter().filter(|n| n.iter().all(|c| c.abs() < 0.9999)).count();
    assert!(turned > 4, "{values:?}");
    // A select of the skin needs a skin.
    fs::write(here.join("scene.toml"), scene(0.0, held).replace("skin = true\nmaterial", "material"))
        .unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_supple"))
        .args(["check", "scene.toml"])
        .current_dir(&here)
        .output()
        .unwrap();
    let said =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success() && said.contains("is for bodies with a skin"), "{said}");
}
