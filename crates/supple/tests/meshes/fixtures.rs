//! Files as other programs write them. All but those of Gmsh show the same box of 8 nodes and 6 tetrahedra or 12
//! triangles; Gmsh meshed it itself, with 42 tetrahedra.

use std::fs;
use std::path::Path;

use supple::mesh::io::{Format, RawMesh, read};
use supple::mesh::quality::inspect;

/// Name and bytes of every fixture that stands alone, and of .node files with their .ele.
pub fn all() -> Vec<(String, Vec<u8>, Option<Vec<u8>>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/meshes/fixtures");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !["ele", "bin", "md"].contains(&path.extension().unwrap().to_str().unwrap()))
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let companion = match path.extension().unwrap().to_str().unwrap() {
                "node" => Some(fs::read(path.with_extension("ele")).unwrap()),
                _ => None,
            };
            (name, fs::read(path).unwrap(), companion)
        })
        .collect();
    files.sort();
    assert!(files.len() > 40, "only {} fixtures", files.len());
    files
}

fn mesh(name: &str, bytes: &[u8], companion: Option<&Vec<u8>>) -> RawMesh {
    let second = companion.map(|ele| ("second.ele", ele.as_slice()));
    read(super::format(name), name, bytes, second).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn files_of_other_programs_show_the_box() {
    for (name, bytes, companion) in all() {
        let mesh = mesh(&name, &bytes, companion.as_ref());
        let report = inspect(&mesh.vertices, &mesh.tets, &mesh.triangles);
        let tets = super::format(&name).holds_tets() && name != "vtk_polydata.vtk";
        let (nodes, elements) = match name.starts_with("gmsh") {
            true => (None, 42),
            false => (Some(8), if tets { 6 } else { 12 }),
        };
        let found = if tets { mesh.tets.len() } else { mesh.triangles.len() };
        assert_eq!(found, elements, "{name}");
        assert!(nodes.is_none_or(|n| n == mesh.vertices.len()), "{name}: {}", mesh.vertices.len());
        let (volume, area) = if name == "vtk_polydata.vtk" { (1.0, 6.0) } else { (0.125, 1.75) };
        assert!((report.volume.unwrap() - volume).abs() < 1e-9, "{name}: volume {:?}", report.volume);
        assert!((report.area - area).abs() < 1e-9, "{name}: area {}", report.area);
        assert_eq!((report.boundary.open_edges, report.components), (0, 1), "{name}");
        assert!(report.problems.is_empty(), "{name}: {:?}", report.problems);
        if tets {
            mesh.to_tet_mesh().unwrap();
        }
    }
}

#[test]
fn groups_keep_their_names() {
    for (name, bytes, _) in all().iter().filter(|(name, _, _)| name.ends_with(".msh")) {
        let mesh = mesh(name, bytes, None);
        let tets = |group: &str| mesh.group(group).unwrap_or_else(|| panic!("{name}: {group}")).tets.len();
        if name.starts_with("meshio") {
            assert_eq!((tets("left"), tets("right side"), tets("floor")), (3, 3, 0), "{name}");
            assert_eq!(mesh.group("floor").unwrap().nodes, [0, 1, 2, 3], "{name}");
        } else {
            // The one volume belongs to both groups.
            assert_eq!((tets("body"), tets("all"), tets("x = 0")), (42, 42, 0), "{name}");
            let wall = &mesh.group("x = 0").unwrap().nodes;
            assert!(wall.len() >= 4, "{name}: {wall:?}");
            assert!(wall.iter().all(|&v| mesh.vertices[v as usize][0].abs() < 1e-12), "{name}");
            assert_eq!(mesh.group("body").unwrap().nodes.len(), mesh.vertices.len(), "{name}");
        }
    }
}

#[test]
fn gltf_applies_transforms_and_names_its_buffer() {
    for name in ["trimesh.glb", "trimesh_embedded.gltf"] {
        let (_, bytes, _) = all().into_iter().find(|(n, _, _)| n == name).unwrap();
        let mesh = mesh(name, &bytes, None);
        let report = inspect(&mesh.vertices, &mesh.tets, &mesh.triangles);
        assert_eq!(report.bounds, [[1.5, -0.25, -0.125], [2.5, 0.25, 0.125]], "{name}");
        assert_eq!(Format::Gltf.companion(name, &bytes).unwrap(), None);
        assert_eq!(mesh.group("box").unwrap().nodes.len(), 8);
    }
    // The same with its buffer outside: 4 vertices of a triangle fan made into a square.
    let numbers: Vec<u8> =
        [0.0_f32, 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.].iter().flat_map(|c| c.to_le_bytes()).collect();
    let json = |uri: &str| {
        format!(
            r#"{{"buffers":[{{"uri":"{uri}","byteLength":48}}],"bufferViews":[{{"buffer":0,"byteLength":48}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"mode":6}}]}}]}}"#
        )
    };
    let text = json("a%20square.bin");
    assert_eq!(Format::Gltf.companion("s.gltf", text.as_bytes()).unwrap().as_deref(), Some("a square.bin"));
    let mesh = read(Format::Gltf, "s.gltf", text.as_bytes(), Some(("a square.bin", &numbers))).unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    for uri in ["../secret.bin", "/etc/passwd", "https://host/x.bin", "a%2f..%2fb", "c:x", ".hidden"] {
        let error = Format::Gltf.companion("s.gltf", json(uri).as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("s.gltf:1: ") && error.contains("plain file name"), "{error}");
    }
}
