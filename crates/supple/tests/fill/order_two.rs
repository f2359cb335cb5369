//! Filled surfaces with elements of order 2: masses and skins.

use crate::shapes::{Mesh, sphere, turn};
use supple::TetMesh;
use supple::mesh::Embedding;
use supple::mesh::fill::{FillSettings, Kind, fill};
use supple::scene::Skin;

fn ball() -> Mesh {
    sphere(0.5, 12).map(|p| turn([1.2 * p[0], p[1], 0.7 * p[2]], [0.48, 0.6, 0.64], 0.7))
}

/// Of order 1 and 2.
fn filled(kind: Kind) -> (TetMesh, TetMesh) {
    let (one, _) = fill(&ball().surface(), &FillSettings::tets(500).kind(kind)).unwrap();
    let two = one.quadratic().unwrap();
    (one, two)
}

/// Nodes on edges leave corners, volume, fill fractions and mass as they are, for every kind of filling; no mass is zero or less.
#[test]
fn mass_is_that_of_order_one() {
    for kind in [Kind::Conform, Kind::Grow, Kind::Cage] {
        let (one, two) = filled(kind);
        assert_eq!(one.vertices(), &two.vertices()[..one.vertices().len()]);
        assert_eq!((one.tets(), one.fill()), (two.tets(), two.fill()));
        let mass = |m: &TetMesh| m.node_masses(|_| 1000.0);
        let (a, b): (f64, f64) = (mass(&one).iter().sum(), mass(&two).iter().sum());
        assert!((b / a - 1.0).abs() < 1e-12, "{kind:?}: {a} kg and {b} kg");
        assert!(mass(&two).iter().all(|m| *m > 0.0), "{kind:?}");
        assert!((two.volume() / one.volume() - 1.0).abs() < 1e-12);
    }
}

/// A skin rides in the eight tetrahedra between the nodes of each element: an affine motion is exact, 1e-12, and a bend is followed with an error that is a
/// quarter of that in the corners' tetrahedra alone: a chord of half the length. Points in boundary cells of a cage may lie anywhere in them.
#[test]
fn skins_ride_in_the_refined_mesh() {
    let affine = |p: [f64; 3]| [1.3 * p[0] + 0.2 * p[1], 0.8 * p[1] - 0.1 * p[2] + 2.0, p[2] - 0.3 * p[0]];
    let bend = |p: [f64; 3]| [p[0] - 0.4 * p[0] * p[1], p[1] + 0.2 * p[0] * p[0], p[2] + 0.1 * p[1] * p[2]];
    let ball = ball();
    for kind in [Kind::Conform, Kind::Cage] {
        let (one, two) = filled(kind);
        let skin = Skin::new(&two, ball.vertices.clone(), ball.triangles.clone()).unwrap();
        let coarse = Embedding::new(&one, &ball.vertices).unwrap();
        let move_by = |f: &dyn Fn([f64; 3]) -> [f64; 3], m: &TetMesh| -> Vec<[f64; 3]> {
            m.vertices().iter().map(|p| f(*p)).collect()
        };
        let off = |f: &dyn Fn([f64; 3]) -> [f64; 3], found: Vec<[f64; 3]>| -> Vec<f64> {
            let apart = |(p, q): (&[f64; 3], &[f64; 3])| {
                let exact = f(*p);
                (0..3).map(|c| (q[c] - exact[c]).abs()).fold(0.0, f64::max)
            };
            ball.vertices.iter().zip(&found).map(apart).collect()
        };
        let most = |v: &[f64]| v.iter().copied().fold(0.0, f64::max);
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        assert!(most(&off(&affine, skin.positions(&move_by(&affine, &two)).unwrap())) < 1e-12, "{kind:?}");
        let fine = off(&bend, skin.positions(&move_by(&bend, &two)).unwrap());
        let linear = off(&bend, coarse.positions(&move_by(&bend, &one)).unwrap());
        let ratio = mean(&linear) / mean(&fine);
        println!("{kind:?}: {:.1e} m, in the corners' {:.1e} m: {ratio:.2}", mean(&fine), mean(&linear));
        assert!((2.5..5.5).contains(&ratio), "{kind:?}: {ratio}");
    }
}
