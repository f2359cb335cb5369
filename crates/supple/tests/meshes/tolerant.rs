//! Deviations with one obvious meaning are read, and a note tells.

use super::{TET_ELE, TET_NODES, load, tetgen};

const CORNERS: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

#[test]
fn line_ends_blank_space_comments_marks_and_fortran() {
    let plain = tetgen(TET_NODES, TET_ELE).unwrap();
    assert_eq!((&plain.vertices[..], &plain.tets[..]), (&CORNERS[..], &[[0, 1, 2, 3]][..]));
    let variants = [
        TET_NODES.replace('\n', "\r\n"),
        TET_NODES.replace(' ', "\t  "),
        format!("\u{feff}{TET_NODES}"),
        format!("# made by hand\n\n{}", TET_NODES.replace('\n', " # comment\n")),
        TET_NODES.replace("2 1 0 0", "2 1.0D+00 0.d0 -0.0E+00"),
        TET_NODES.trim_end().to_owned(),
    ];
    for node in variants {
        let mesh = tetgen(&node, TET_ELE.replace('\n', "\r\n")).unwrap();
        assert_eq!((&mesh.vertices, &mesh.tets), (&plain.vertices, &plain.tets), "{node}");
        assert!(mesh.notes.is_empty());
    }
}

#[test]
fn tetgen_counts_from_zero_or_one() {
    let node = "4 3 1 1\n0 0 0 0 7.5 1\n1 1 0 0 7.5 0\n2 0 1 0 7.5 1\n3 0 0 1 7.5 -2\n";
    let mesh = tetgen(node, "1 4 1\n0 0 1 2 3 12\n").unwrap();
    assert_eq!((&mesh.vertices[..], &mesh.tets[..]), (&CORNERS[..], &[[0, 1, 2, 3]][..]));
    assert_eq!(mesh.group("marker 1").unwrap().nodes, [0, 2]);
    assert_eq!(mesh.group("marker -2").unwrap().nodes, [3]);
    assert_eq!(mesh.group("region 12").unwrap().tets, [0]);
}

#[test]
fn inverted_tetrahedra_are_turned_and_counted() {
    let mesh = tetgen(TET_NODES, "1 4 0\n1 2 1 3 4\n").unwrap();
    mesh.to_tet_mesh().unwrap();
    assert_eq!(mesh.notes.len(), 1);
    assert!(mesh.notes[0].starts_with("1 tetrahedra of negative volume"), "{:?}", mesh.notes);
}

#[test]
fn unused_nodes_are_dropped_and_the_others_move_up() {
    let node = "6 3 0 1\n1 9 9 9 5\n2 0 0 0 5\n3 1 0 0 0\n4 0 1 0 0\n5 8 8 8 0\n6 0 0 1 0\n";
    let mesh = tetgen(node, "1 4 0\n1 2 3 4 6\n").unwrap();
    assert_eq!((&mesh.vertices[..], &mesh.tets[..]), (&CORNERS[..], &[[0, 1, 2, 3]][..]));
    assert_eq!(mesh.notes, ["2 nodes that belong to no tetrahedron were dropped"]);
    assert_eq!(mesh.group("marker 5").unwrap().nodes, [0]);
}

#[test]
fn quadratic_tetrahedra_give_their_corners() {
    let mut node = String::from("10 3 0 0\n");
    for (i, [x, y, z]) in CORNERS.iter().enumerate() {
        node += &format!("{} {x} {y} {z}\n", i + 1);
    }
    for i in 5..=10 {
        node += &format!("{i} 0.5 0.5 0.{i}\n");
    }
    let mesh = tetgen(node, "1 10 0\n1 1 2 3 4 5 6 7 8 9 10\n").unwrap();
    assert_eq!(mesh.vertices, CORNERS);
    assert_eq!(mesh.notes.len(), 2, "{:?}", mesh.notes);
}

#[test]
fn elements_of_lower_dimension_do_not_disturb() {
    let msh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Comments\nany text\n$EndComments\n$Nodes\n5\n10 0 0 0\n20 1 0 0\n\
        30 0 1 0\n40 0 0 1\n50 3 3 3\n$EndNodes\n$Elements\n5\n1 15 2 4 1 10\n2 1 2 0 1 10 20\n3 2 2 8 1 10 30 20\n\
        4 4 2 0 1 10 20 30 40\n5 2 0 10 20 50\n$EndElements\n";
    let mesh = load("t.msh", msh).unwrap();
    assert_eq!((&mesh.tets[..], &mesh.triangles[..]), (&[[0, 1, 2, 3]][..], &[[0, 2, 1]][..]));
    assert_eq!(mesh.group("surface 8").unwrap().nodes, [0, 1, 2]);
    assert_eq!(mesh.group("point 4").unwrap().nodes, [0]);
    assert_eq!(mesh.notes.len(), 4, "{:?}", mesh.notes);
    let medit = "MeshVersionFormatted 2\nDimension\n3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\nCorners 1 1\n\
        Edges\n1\n1 2 6\nTriangles 1\n1 3 2 9\nTetrahedra 1 1 2 3 4 3\nEnd\n";
    let mesh = load("t.mesh", medit).unwrap();
    assert_eq!((mesh.tets.len(), mesh.triangles.len()), (1, 1));
    for group in ["curve 6", "surface 9", "region 3"] {
        assert!(mesh.group(group).is_some(), "{group}");
    }
}

#[test]
fn obj_faces_of_every_kind() {
    let obj = "# cube corner\nmtllib a.mtl\no first thing\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 0 .5 .5 .5\nv 0 1 0\nvt 0 0\nvn 0 0 1\n\
        g one two\ns off\nf 1/1/1 2//1 \\\n 3/1 4\nf -4 -3 -2\nusemtl x\nl 1 2\n";
    let mesh = load("t.obj", obj).unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2]]);
    assert_eq!(mesh.groups.len(), 3, "{:?}", mesh.groups);
    assert_eq!(mesh.group("first thing").unwrap().nodes, [0, 1, 2, 3]);
    assert_eq!(mesh.notes.len(), 2, "{:?}", mesh.notes);
}

#[test]
fn surfaces_drop_collapsed_faces() {
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 1 2 4\nf 1 2 2\n";
    let mesh = load("t.obj", obj).unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2]]);
    assert_eq!(mesh.notes.len(), 3, "{:?}", mesh.notes);
}

#[test]
fn stl_drops_collapsed_facets() {
    let facet = |c: [&str; 3]| {
        format!(
            "facet normal nan 0 0\nouter loop\nvertex {}\nvertex {}\nvertex {}\nendloop\nendfacet\n",
            c[0], c[1], c[2]
        )
    };
    let (a, b) = (facet(["0 0 0", "1 0 0", "0 1 0"]), facet(["0 0 0", "-0 0 0", "0 1 0"]));
    let mesh =
        load("t.stl", format!("solid with a name\n{a}{b}endsolid\nsolid two\n{a}endsolid two\n")).unwrap();
    assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (3, 2));
    assert_eq!(mesh.notes, ["1 triangles without area were left out"]);
}

#[test]
fn a_tetrahedron_may_come_again_for_another_group_only() {
    let msh = |second: &str| {
        format!(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"a\"\n$EndPhysicalNames\n$Nodes\n4\n1 0 0 0\n\
             2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n2\n1 4 2 7 1 1 2 3 4\n{second}\n$EndElements\n"
        )
    };
    let mesh = load("t.msh", msh("2 4 2 8 1 1 2 3 4")).unwrap();
    assert_eq!(mesh.tets.len(), 1);
    assert_eq!(
        (&mesh.group("a").unwrap().tets[..], &mesh.group("region 8").unwrap().tets[..]),
        (&[0][..], &[0][..])
    );
    for again in ["2 4 2 7 1 1 2 3 4", "2 4 2 0 1 1 2 3 4", "2 4 0 1 2 3 4"] {
        let error = load("t.msh", msh(again)).unwrap_err().to_string();
        assert!(error.contains("element 2: has the same nodes as element 1"), "{error}");
    }
}
