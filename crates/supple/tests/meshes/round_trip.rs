//! What is written is read back: the same coordinates bit by bit, the same elements.

use supple::mesh::io::{Format, Group, RawMesh, WriteError, read, write};
use supple::mesh::shapes::{Split, box_mesh};
use supple::mesh::surface;

/// A box whose coordinates are not round, with groups and two triangles.
fn body() -> RawMesh {
    let mesh = box_mesh([1.0, 0.7, 0.3], [3, 2, 2], Split::Six).unwrap();
    let mesh = mesh.map(|[x, y, z]| [x / 3.0 + 1e-7, y * 1e5 - z / 7.0, z + 1e-20]).unwrap();
    let mut raw = RawMesh::from(&mesh);
    raw.triangles = surface(&raw.tets).into_iter().take(2).collect();
    let of = |tets: &[u32]| {
        let mut nodes: Vec<u32> = tets.iter().flat_map(|&t| raw.tets[t as usize]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    };
    let group = |name: &str, nodes: Vec<u32>, tets: Vec<u32>| Group { name: name.into(), nodes, tets };
    let (a, b) = (of(&[0, 1, 2, 3]), of(&[2, 3, 9]));
    raw.groups = vec![
        group("stiff part", a, vec![0, 1, 2, 3]),
        group("wall", vec![0, 1, 5], vec![]),
        group("overlap", b, vec![2, 3, 9]),
    ];
    raw
}

fn bytes(format: Format, mesh: &RawMesh) -> Vec<u8> {
    let mut out = Vec::new();
    write(format, mesh, &mut out).unwrap();
    out
}

/// Fill fractions come back bit by bit where the format keeps them.
#[test]
fn fill_fractions() {
    let mut mesh = body();
    mesh.fill = (0..mesh.tets.len()).map(|i| 1.0 / (1.0 + i as f64 / 3.0)).collect();
    for (format, name) in [(Format::Gmsh, "b.msh"), (Format::Vtk, "b.vtk"), (Format::Vtu, "b.vtu")] {
        assert!(format.holds_fill());
        let back = super::load(name, bytes(format, &mesh)).unwrap();
        assert_eq!((&back.fill, &back.tets), (&mesh.fill, &mesh.tets), "{name}");
        assert_eq!(back.to_tet_mesh().unwrap().fill(), mesh.fill);
    }
    assert!(super::load("b.mesh", bytes(Format::Medit, &mesh)).unwrap().fill.is_empty());
    for wrong in [0.0, -0.5, 1.5] {
        mesh.fill[3] = wrong;
        let error = super::load("b.msh", bytes(Format::Gmsh, &mesh)).unwrap_err().to_string();
        assert!(error.contains("the fill fraction"), "{error}");
        assert!(mesh.to_tet_mesh().is_err());
    }
    mesh.fill.pop();
    assert!(matches!(write(Format::Gmsh, &mesh, Vec::new()), Err(WriteError::Fill(..))));
}

#[test]
fn volume_formats() {
    let mesh = body();
    for (format, name) in
        [(Format::Gmsh, "b.msh"), (Format::Medit, "b.mesh"), (Format::Vtk, "b.vtk"), (Format::Vtu, "b.vtu")]
    {
        let back = super::load(name, bytes(format, &mesh)).unwrap();
        assert_eq!((&back.vertices, &back.tets), (&mesh.vertices, &mesh.tets), "{name}");
        assert_eq!(back.triangles, mesh.triangles, "{name}");
        if format == Format::Gmsh {
            assert_eq!(back.groups, mesh.groups);
        } else {
            assert!(back.notes.is_empty(), "{name}: {:?}", back.notes);
        }
    }
    let (node, ele) = (bytes(Format::TetgenNode, &mesh), bytes(Format::TetgenEle, &mesh));
    for back in [
        read(Format::TetgenNode, "b.node", &node, Some(("b.ele", &ele))).unwrap(),
        read(Format::TetgenEle, "b.ele", &ele, Some(("b.node", &node))).unwrap(),
    ] {
        assert_eq!((&back.vertices, &back.tets), (&mesh.vertices, &mesh.tets));
        assert!(back.triangles.is_empty() && back.notes.is_empty());
    }
}

#[test]
fn surface_formats_take_the_boundary() {
    let mesh = body();
    let boundary = surface(&mesh.tets);
    let position = |mesh: &RawMesh, t: [u32; 3]| t.map(|v| mesh.vertices[v as usize]);
    for name in ["b.obj", "b.ply"] {
        let back = super::load(name, bytes(super::format(name), &mesh)).unwrap();
        assert!(back.tets.is_empty() && back.notes.is_empty(), "{name}");
        assert!(back.vertices.len() < mesh.vertices.len(), "inner nodes are left out");
        let found: Vec<_> = back.triangles.iter().map(|t| position(&back, *t)).collect();
        let expected: Vec<_> = boundary.iter().map(|t| position(&mesh, *t)).collect();
        assert_eq!(found, expected, "{name}");
    }
    // .stl has 32 bits, so here with coordinates that fit.
    let coarse = RawMesh::from(&box_mesh([1.0, 0.5, 0.25], [2, 2, 2], Split::Six).unwrap());
    let back = super::load("b.stl", bytes(Format::Stl, &coarse)).unwrap();
    let found: Vec<_> = back.triangles.iter().map(|t| position(&back, *t)).collect();
    let expected: Vec<_> = surface(&coarse.tets).iter().map(|t| position(&coarse, *t)).collect();
    assert_eq!(found, expected);
    assert_eq!(back.vertices.len(), 26, "corners are welded");
}

#[test]
fn surfaces_go_through_every_format_that_can_hold_them() {
    let mut mesh = body();
    mesh.triangles = surface(&mesh.tets);
    (mesh.tets, mesh.groups) = (Vec::new(), Vec::new());
    for name in ["s.msh", "s.mesh", "s.vtk", "s.vtu", "s.obj", "s.ply"] {
        let back = super::load(name, bytes(super::format(name), &mesh)).unwrap();
        assert_eq!(back.triangles.len(), mesh.triangles.len(), "{name}");
        assert_eq!(back.boundary(), back.triangles);
    }
    assert!(matches!(write(Format::TetgenEle, &mesh, Vec::new()), Err(WriteError::NoTets)));
    assert!(matches!(write(Format::Gltf, &mesh, Vec::new()), Err(WriteError::ReadOnly)));
}

#[test]
fn what_no_reader_would_take_is_not_written() {
    let mut mesh = body();
    mesh.vertices[3][1] = f64::NAN;
    assert!(matches!(write(Format::Vtk, &mesh, Vec::new()), Err(WriteError::Coordinate(3))));
    let mut mesh = body();
    mesh.vertices[0][0] = 1e60;
    assert!(matches!(write(Format::Stl, &mesh, Vec::new()), Err(WriteError::Coordinate(0))));
    let mut mesh = body();
    mesh.triangles.push([0, 1, 1_000_000]);
    assert!(matches!(write(Format::Vtk, &mesh, Vec::new()), Err(WriteError::Index(1_000_000))));
    assert!(matches!(write(Format::Obj, &RawMesh::default(), Vec::new()), Err(WriteError::Empty)));
}
