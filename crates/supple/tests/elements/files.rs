//! Order 2 in files: meshes of second order, scene files, checkpoints.

use supple::mesh::io::{Format, read};
use supple::scene::{Asset, Program, parse};

/// One tetrahedron of ten nodes, the node between the first two corners out of the middle by 0.1 along z.
fn nodes() -> [[f64; 3]; 10] {
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let middle = |i: usize, j: usize| std::array::from_fn(|c| 0.5 * (corners[i][c] + corners[j][c]));
    let [a, b, c, d] = corners;
    [a, b, c, d, [0.5, 0.0, -0.1], middle(1, 2), middle(0, 2), middle(0, 3), middle(1, 3), middle(2, 3)]
}

fn vtk(order: [usize; 10]) -> String {
    let mut text =
        String::from("# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 double\n");
    nodes().iter().for_each(|p| text.push_str(&format!("{} {} {}\n", p[0], p[1], p[2])));
    let ids: Vec<String> = order.iter().map(|i| i.to_string()).collect();
    text + &format!("CELLS 1 11\n10 {}\nCELL_TYPES 1\n24\n", ids.join(" "))
}

#[test]
fn files_of_second_order() {
    let mut msh = String::from("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n");
    nodes()
        .iter()
        .enumerate()
        .for_each(|(i, p)| msh.push_str(&format!("{} {} {} {}\n", i + 1, p[0], p[1], p[2])));
    // Gmsh has the last two edges in the other order.
    msh.push_str("$EndNodes\n$Elements\n1\n1 11 2 0 0 1 2 3 4 5 6 7 8 10 9\n$EndElements\n");
    let plain = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    // Corners 2 and 3 exchanged, and with them the edges: turned while it is read.
    let turned = [0, 1, 3, 2, 4, 8, 7, 6, 5, 9];
    let files = [(Format::Gmsh, msh), (Format::Vtk, vtk(plain)), (Format::Vtk, vtk(turned))];
    for (format, text) in files {
        let raw = read(format, "t", text.as_bytes(), None).unwrap();
        assert_eq!((raw.vertices.len(), raw.mid_points.len()), (4, 1));
        assert!(raw.notes.iter().any(|n| n.contains("order = 2")), "{:?}", raw.notes);
        // Order 1 takes the corners, order 2 every node, where it is.
        assert_eq!(raw.to_tet_mesh().unwrap().vertices(), &nodes()[..4]);
        let mesh = raw.to_quadratic_mesh().unwrap();
        assert_eq!(mesh.vertices().len(), 10);
        for (m, ends) in mesh.edge_nodes() {
            let expected = match ends {
                [0, 1] | [1, 0] => [0.5, 0.0, -0.1],
                _ => std::array::from_fn(|c| {
                    0.5 * (nodes()[ends[0] as usize][c] + nodes()[ends[1] as usize][c])
                }),
            };
            assert_eq!(mesh.vertices()[m as usize], expected, "{ends:?}");
        }
        // The bulge has a volume: 0.1 ∫ 4 L0 L1 over the face z = 0 of area 1/2, which is 0.1 · 4 · 2 · ½/4! = 1/60.
        assert!((mesh.volume() - 1.0 / 6.0 - 1.0 / 60.0).abs() < 1e-12, "{}", mesh.volume());
    }
    let bad = vtk(plain).replace("10 0 1 2 3 4", "10 0 1 2 3 44");
    assert!(read(Format::Vtk, "t", bad.as_bytes(), None).is_err());
}

const SCENE: &str = "version = 1\n[[body]]\nname = \"beam\"\nshape = { kind = \"beam\", length = 1, width = 0.2, cells = 1 }\n\
    order = 2\nmaterial = { kind = \"neo_hookean\", young = 1e5, poisson = 0.4, density = 1000 }\n\
    [[pin]]\nbody = \"beam\"\nselect = { plane = { point = [0, 0, 0], normal = [-1, 0, 0] } }\n";

fn program(text: &str) -> Result<Program, supple::scene::SceneError> {
    Program::new(&parse::parse(text, &[])?, &mut |_| Ok::<Asset, String>(Asset::default()))
}

#[test]
fn scene_files_and_checkpoints() {
    let mut a = program(SCENE).unwrap();
    let rest = a.simulation.positions();
    let body = a.simulation.bodies()[0].clone();
    assert!(body.nodes > body.corners);
    // The clamped face: four corners, four sides and its diagonal.
    assert_eq!(a.bodies[0].pins.len(), 9);
    assert_eq!(a.simulation.pinned().iter().filter(|p| **p).count(), 9);
    assert_eq!(a.bodies[0].surface.len(), 4 * (2 * 2 + 5 * 4 * 2));
    assert!(a.bodies[0].notes.is_empty());
    a.frame().unwrap();
    let bytes = a.simulation.checkpoint();
    a.frame().unwrap();
    let mut b = program(SCENE).unwrap();
    b.simulation.restore(&bytes).unwrap();
    b.frame().unwrap();
    assert_eq!(a.simulation.positions(), b.simulation.positions());
    assert_ne!(a.simulation.positions(), rest);
    // Another order is another scene; and a beam of order 1 that is one cell thick gets a warning.
    let mut one = program(&SCENE.replace("order = 2\n", "")).unwrap();
    assert!(one.simulation.restore(&bytes).is_err());
    assert!(one.bodies[0].notes[0].contains("fewer than three cells"), "{:?}", one.bodies[0].notes);
    let three = SCENE.replace("order = 2\n", "").replace("cells = 1", "cells = 3");
    assert!(program(&three).unwrap().bodies[0].notes.is_empty());
    let averaged = program(&SCENE.replace("order = 2", "average = true")).unwrap();
    assert!(averaged.bodies[0].notes[0].contains("bend too much"), "{:?}", averaged.bodies[0].notes);
    let wrong = |from: &str, to: &str| program(&SCENE.replace(from, to)).err().unwrap().to_string();
    assert!(wrong("order = 2", "order = 3").contains("order 1 or 2"));
    assert!(program(&SCENE.replace("order = 2", "order = 2\naverage = true")).is_ok());
}
