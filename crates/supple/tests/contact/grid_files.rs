//! Grids and closed surfaces in scene files, and .npy files.

use supple::mesh::io::{Format, read, read_npy};
use supple::mesh::shapes::{Split, box_mesh};
use supple::mesh::surface;
use supple::scene::{Asset, Program, SceneError, parse::parse, problems};

type V = [f64; 3];

/// A .npy file as NumPy writes it, version 1.
fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    let mut text = header.to_string();
    while !(10 + text.len() + 1).is_multiple_of(64) {
        text.push(' ');
    }
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

fn header(kind: &str, fortran: &str, shape: &str) -> String {
    format!("{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': {shape}, }}")
}

/// What is at [i, j, k] does not depend on how the file has it.
#[test]
fn arrays_of_all_orders_are_read() {
    let (l, m, n) = (2, 3, 4);
    let value = |i: usize, j: usize, k: usize| 100.0 * i as f64 + 10.0 * j as f64 + k as f64 + 0.5;
    let mut by_rows = Vec::new();
    for i in 0..l {
        for j in 0..m {
            (0..n).for_each(|k| by_rows.push(value(i, j, k)));
        }
    }
    let mut by_columns = Vec::new();
    for k in 0..n {
        for j in 0..m {
            (0..l).for_each(|i| by_columns.push(value(i, j, k)));
        }
    }
    type Bytes = fn(f64) -> Vec<u8>;
    let kinds: [(&str, Bytes); 4] = [
        ("<f8", |v| v.to_le_bytes().into()),
        (">f8", |v| v.to_be_bytes().into()),
        ("<f4", |v| (v as f32).to_le_bytes().into()),
        (">f4", |v| (v as f32).to_be_bytes().into()),
    ];
    for (kind, bytes) in kinds {
        for (fortran, list) in [("False", &by_rows), ("True", &by_columns)] {
            let data: Vec<u8> = list.iter().flat_map(|v| bytes(*v)).collect();
            let file = npy(&header(kind, fortran, "(2, 3, 4)"), &data);
            let read = read_npy("a.npy", &file).unwrap();
            assert_eq!((read.counts, &read.values), ([l, m, n], &by_rows), "{kind}, {fortran}");
            // Every shorter or longer file is refused, whatever is missing.
            for cut in 0..file.len() {
                assert!(read_npy("a.npy", &file[..cut]).is_err(), "{kind}: {cut} bytes");
            }
            assert!(read_npy("a.npy", &[&file[..], &[0]].concat()).is_err());
        }
    }
    // Versions 2 and 3 have a longer field for the length of the header, and keys may come in any order.
    let text = "{\"shape\":(2,1,1),'fortran_order':False,'descr':'<f8'}";
    for version in [2, 3] {
        let mut file = b"\x93NUMPY".to_vec();
        file.extend([version, 0]);
        file.extend((text.len() as u32).to_le_bytes());
        file.extend(text.as_bytes());
        file.extend(1.5f64.to_le_bytes());
        file.extend(2.5f64.to_le_bytes());
        assert_eq!(read_npy("a.npy", &file).unwrap().values, [1.5, 2.5]);
    }
}

#[test]
fn bad_arrays_are_refused_with_a_reason() {
    let data = [0u8; 64];
    for (file, word) in [
        (Vec::new(), "not a .npy file"),
        (b"PK\x03\x04 an .npz".to_vec(), "not a .npy file"),
        (b"\x93NUMPY".to_vec(), "ends in its header"),
        (b"\x93NUMPY\x09\x00\x00\x00".to_vec(), "version 9"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}".to_vec(), "too long"),
        (npy("", &data), "not a dictionary"),
        (npy("{'descr': '<f8'}", &data), "must have"),
        (npy(&header("<i4", "False", "(2, 2, 2)"), &data), "floats of 4 or 8 bytes"),
        (npy(&header("|O", "False", "(2, 2, 2)"), &data), "floats of 4 or 8 bytes"),
        (npy(&header("<f8", "Maybe", "(2, 2, 2)"), &data), "neither True nor False"),
        (npy(&header("<f8", "False", "(8,)"), &data), "three axes"),
        (npy(&header("<f8", "False", "(2, 2, 2, 1)"), &data), "three axes"),
        (npy(&header("<f8", "False", "2"), &data), "parentheses"),
        (npy(&header("<f8", "False", "(2, -2, 2)"), &data), "not a number of points"),
        (
            npy(&header("<f8", "False", "(2, 2, 3)"), &data),
            "2×2×3 numbers of 8 bytes are announced, and 64 bytes follow",
        ),
        (npy(&header("<f8", "False", "(18446744073709551615, 2, 2)"), &data), "announced"),
        (npy(&header("<f8", "False", "(99999999999999999999999, 2, 2)"), &data), "not a number of points"),
        (npy("{'descr': '<f8' 'fortran_order': False}", &data), "comma"),
        (npy("{'import os': 1}", &data), "is not known"),
        (npy("{'descr", &data), "not a dictionary"),
        (npy("{'descr}", &data), "in quotes"),
    ] {
        let told = read_npy("bowl.npy", &file).unwrap_err().to_string();
        assert!(told.contains(word) && told.starts_with("bowl.npy"), "{told}, not {word}");
    }
}

const SCENE: &str = r#"version = 1
[time]
dt = 0.01
frames = 60
[[body]]
name = "cube"
shape = { kind = "box", size = [0.2, 0.2, 0.2], cells = [2, 2, 2] }
material = { kind = "corotated", young = 1e5, poisson = 0.3 }
translate = [-0.1, 0.01, -0.1]
[[obstacle]]
name = "ground"
shape = SHAPE
friction = 0.4
"#;

/// Distances from y = 0 on a grid.
fn level() -> Asset {
    let mut values = Vec::new();
    for _ in 0..9 {
        for j in 0..5 {
            (0..9).for_each(|_| values.extend((0.25 * f64::from(j) - 0.5).to_le_bytes()));
        }
    }
    let samples = read_npy("level.npy", &npy(&header("<f8", "False", "(9, 5, 9)"), &values)).unwrap();
    Asset { samples: Some(samples), ..Asset::default() }
}

/// A surface file from memory.
fn surface_file(format: Format, name: &str, text: &str) -> Asset {
    let mesh = read(format, name, text.as_bytes(), None).unwrap();
    Asset { vertices: mesh.vertices, triangles: mesh.triangles, ..Asset::default() }
}

/// A slab below y = 0 as OBJ, with some lines changed.
fn slab(change: impl Fn(usize, [u32; 3]) -> Option<[u32; 3]>) -> String {
    let mesh = box_mesh([2.0, 0.5, 2.0], [4, 1, 4], Split::Six).unwrap();
    let mut text = String::new();
    for p in mesh.vertices() {
        text += &format!("v {} {} {}\n", p[0] - 1.0, p[1] - 0.5, p[2] - 1.0);
    }
    for (i, t) in surface(mesh.tets()).into_iter().enumerate() {
        if let Some([a, b, c]) = change(i, t) {
            text += &format!("f {} {} {}\n", a + 1, b + 1, c + 1);
        }
    }
    text
}

/// The same slab as STL, where every triangle has corners of its own.
fn slab_stl() -> String {
    let mesh = box_mesh([2.0, 0.5, 2.0], [4, 1, 4], Split::Six).unwrap();
    let mut text = "solid slab\n".to_string();
    for t in surface(mesh.tets()) {
        text += "facet normal 0 0 0\nouter loop\n";
        for v in t {
            let p = mesh.vertices()[v as usize];
            text += &format!("vertex {} {} {}\n", p[0] - 1.0, p[1] - 0.5, p[2] - 1.0);
        }
        text += "endloop\nendfacet\n";
    }
    text + "endsolid\n"
}

fn program(shape: &str, asset: &Asset) -> Result<Program, SceneError> {
    let file = parse(&SCENE.replace("SHAPE", shape), &[])?;
    let made = Program::new(&file, &mut |_| Ok(asset.clone()));
    // Whoever looks for problems finds the same.
    let key = made.as_ref().err().and_then(|e| e.key.clone());
    let all = problems(&file, &mut |_| Ok(asset.clone()));
    assert_eq!(all.first().and_then(|e| e.key.clone()), key, "{all:?}");
    made
}

const GRID: &str = r#"{ kind = "grid", file = "level.npy", origin = [-1, -0.5, -1], spacing = 0.25 }"#;
const MESH: &str = r#"{ kind = "mesh", file = "slab.obj" }"#;

/// A cube that falls on a grid, and on closed surfaces from files, comes to rest where it does on a plane.
#[test]
fn scenes_with_grids_and_surfaces() {
    let run = |shape: &str, asset: &Asset| -> Vec<V> {
        let mut p = program(shape, asset).unwrap();
        for frame in 0..60 {
            let r = p.frame().unwrap();
            assert!(r.max_penetration <= 1e-7, "{shape}, {frame}: {r:?}");
        }
        p.simulation.positions()
    };
    let plane = run(r#"{ kind = "half_space", point = [0, 0, 0], normal = [0, 1, 0] }"#, &Asset::default());
    let three = GRID.replace("0.25 }", "[0.25, 0.25, 0.25] }");
    let obj = surface_file(Format::Obj, "slab.obj", &slab(|_, t| Some(t)));
    let stl = surface_file(Format::Stl, "slab.stl", &slab_stl());
    for (shape, asset) in [(GRID, level()), (three.as_str(), level()), (MESH, obj), (MESH, stl)] {
        let off = super::common::distance(&plane, &run(shape, &asset));
        println!("{shape}: off by {off:e} m");
        assert!(off < 1e-4, "{shape}: {off}");
    }
}

#[test]
fn what_is_wrong_is_told_with_its_key() {
    let good = slab(|_, t| Some(t));
    let obj = |text: &str| surface_file(Format::Obj, "slab.obj", text);
    let file = "obstacle[0].shape.file";
    for (shape, asset, key, word) in [
        (MESH, obj(&slab(|i, t| (i != 3).then_some(t))), file, "not closed: 3 edges with one triangle only"),
        (MESH, obj(&slab(|i, t| (i > 4).then_some(t))), file, "not closed"),
        (
            MESH,
            obj(&slab(|i, [a, b, c]| Some(if i == 3 { [b, a, c] } else { [a, b, c] }))),
            file,
            "not oriented alike: 3 edges",
        ),
        (MESH, obj(&slab(|_, [a, b, c]| Some([b, a, c]))), file, "inside out"),
        (
            MESH,
            obj(&format!("{good}v 5 5 5\nf 1 2 {}\n", good.matches('v').count() + 1)),
            file,
            "more than two triangles",
        ),
        (MESH, level(), file, "`grid`"),
        (GRID, obj(&good), file, ".npy"),
        (&GRID.replace("0.25 }", "-1 }"), level(), "obstacle[0].shape", "spacing"),
        (&GRID.replace("0.25 }", "0.01 }"), level(), "obstacle[0].shape", "not distances"),
        (&GRID.replace("0.25 }", "2.5 }"), level(), "obstacle[0].shape", "per metre"),
        (&GRID.replace("-0.5,", "nan,"), level(), "obstacle[0].shape", "origin"),
    ] {
        let told = program(shape, &asset).err().unwrap_or_else(|| panic!("{shape} was taken"));
        assert_eq!(told.key.as_deref(), Some(key), "{told}");
        assert!(told.to_string().contains(word), "{told}, not {word}");
    }
    // A grid is no body.
    let text = SCENE.replace(
        "shape = { kind = \"box\", size = [0.2, 0.2, 0.2], cells = [2, 2, 2] }",
        "mesh = \"level.npy\"",
    );
    let told =
        Program::new(&parse(&text.replace("SHAPE", GRID), &[]).unwrap(), &mut |_| Ok(level())).err().unwrap();
    assert_eq!(told.key.as_deref(), Some("body[0].mesh"), "{told}");
}
