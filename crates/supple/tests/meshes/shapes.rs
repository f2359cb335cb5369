//! Qualities of shapes that are known in closed form.

use std::f64::consts::PI;

use supple::mesh::quality::{dihedral_angles, inspect, tet_quality};
use supple::mesh::shapes::{Split, box_mesh};
use supple::mesh::surface;

const REGULAR: [[f64; 3]; 4] = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];

#[test]
fn a_regular_tetrahedron_is_perfect_at_any_size() {
    for scale in [1e-60, 1e-3, 1.0, 1e30] {
        // Turned so that its volume is positive.
        let p = [REGULAR[0], REGULAR[2], REGULAR[1], REGULAR[3]].map(|c| c.map(|x| x * scale));
        assert!((tet_quality(p) - 1.0).abs() < 1e-12);
        assert!((tet_quality([p[1], p[0], p[2], p[3]]) + 1.0).abs() < 1e-12);
    }
    for angle in dihedral_angles(REGULAR) {
        assert!((angle - (1.0_f64 / 3.0).acos()).abs() < 1e-12);
    }
    // Corner of a cube: 12 (3/6)^⅔ / 9, angles π/2 three times and acos(1/√3) three times.
    let corner = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    assert!((tet_quality(corner) - 12.0 * 0.5_f64.powf(2.0 / 3.0) / 9.0).abs() < 1e-12);
    let mut angles = dihedral_angles(corner);
    angles.sort_by(f64::total_cmp);
    assert!(
        (angles[0] - (1.0 / 3.0_f64.sqrt()).acos()).abs() < 1e-12 && (angles[5] - PI / 2.0).abs() < 1e-12
    );
    assert_eq!(tet_quality([[0.0; 3]; 4]), 0.0);
}

#[test]
fn a_box() {
    let mesh = box_mesh([2.0, 1.0, 0.5], [4, 2, 1], Split::Six).unwrap();
    let report = inspect(mesh.vertices(), mesh.tets(), &[]);
    assert!((report.volume.unwrap() - 1.0).abs() < 1e-12);
    assert!((report.area - 7.0).abs() < 1e-12);
    assert_eq!(report.histogram.iter().sum::<usize>(), 48);
    assert_eq!((report.components, report.boundary.parts, report.boundary.triangles), (1, 1, 2 * 28));
    assert_eq!((report.boundary.open_edges, report.boundary.non_manifold_edges), (0, 0));
    assert_eq!(report.problems, Vec::<String>::new());
    // Cubes of ½ m: the shortest edge is ½, the longest the diagonal of a cube.
    let edges = report.edges.unwrap();
    assert!((edges.min - 0.5).abs() < 1e-12 && (edges.max - 0.75_f64.sqrt()).abs() < 1e-12);
    // Its surface alone has the same volume and area.
    let shell = inspect(mesh.vertices(), &[], &surface(mesh.tets()));
    assert!((shell.volume.unwrap() - 1.0).abs() < 1e-12 && (shell.area - 7.0).abs() < 1e-12);
}

#[test]
fn problems_are_named() {
    let p = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.1, 0.1, 0.5], [1.0, 1.0, 1e-4]];
    let says = |tets: &[[u32; 4]], triangles: &[[u32; 3]], words: &str| {
        let report = inspect(&p, tets, triangles);
        assert!(report.problems.iter().any(|x| x.contains(words)), "{words}: {:?}", report.problems);
    };
    says(&[[0, 1, 2, 3], [0, 1, 2, 4]], &[], "folded");
    says(&[[0, 2, 1, 3]], &[], "inverted");
    says(&[[0, 1, 2, 5]], &[], "slivers");
    says(&[[0, 1, 2, 3], [1, 0, 3, 2]], &[], "twice");
    says(&[[0, 1, 2, 3]], &[], "2 nodes belong to no element");
    says(&[[0, 1, 2, 9]], &[], "do not exist");
    says(&[], &[[0, 1, 2]], "open");
    says(&[], &[[0, 1, 2], [0, 1, 3], [1, 0, 4]], "more than two triangles");
    says(&[], &[[0, 1, 2], [0, 1, 3]], "opposite winding");
    says(&[], &[[0, 1, 2], [3, 4, 5]], "2 parts");
    says(&[], &[[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]], "inside out");
    assert_eq!(inspect(&[], &[], &[]).components, 0);
    assert!(!inspect(&[[f64::NAN; 3]; 4], &[[0, 1, 2, 3]], &[]).problems.is_empty());
}
