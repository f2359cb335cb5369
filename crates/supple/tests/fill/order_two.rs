//! Filled surfaces with elements of order 2: masses, skins, and contact by the skin and by the refined boundary.

use crate::shapes::{Mesh, sphere, turn};
use supple::contact::{HalfSpace, Obstacle};
use supple::mesh::Embedding;
use supple::mesh::fill::{FillSettings, Kind, fill};
use supple::scene::Skin;
use supple::sim::Static;
use supple::{Material, MaterialKind, Scene, Settings, Simulation, Status, TetMesh};

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

/// A table on its four feet, of order 2, a millimetre above a rough floor at a height.
fn on_floor(mesh: &TetMesh, skin: Option<&Embedding>, height: f64) -> Simulation {
    let mut scene = Scene::new(Settings::default());
    let rubber = Material::new(MaterialKind::StableNeoHookean, 1e6, 0.3).unwrap();
    let body = scene.add_solid("body", mesh.clone(), rubber, 1000.0).unwrap();
    if let Some(skin) = skin {
        scene.touch_by_skin(body, skin).unwrap();
    }
    let floor = HalfSpace::new([0.0, height, 0.0], [0.0, 1.0, 0.0]).unwrap();
    scene.add_obstacle(Obstacle::new("floor", floor).with_friction(0.5)).unwrap();
    scene.build().unwrap()
}

/// A filled body of order 2 comes to rest on its refined boundary, within 1e-6 m, some of which are nodes on edges, or by its skin on that, within a thousandth of a cell as those of
/// order 1 do (`stand.rs`: of the points in one tetrahedron only three are held). The floor bears the weight.
#[test]
fn it_stands_on_its_refined_boundary_or_its_skin() {
    let table = crate::stand::table();
    for kind in [Kind::Conform, Kind::Cage] {
        let (one, report) = fill(&table.surface(), &FillSettings::tets(700).kind(kind)).unwrap();
        let two = one.quadratic().unwrap();
        let skin = Embedding::new(&two.refined().unwrap(), &table.vertices).unwrap();
        let weight = 9.8 * two.node_masses(|_| 1000.0).iter().sum::<f64>();
        for by_skin in [false, true] {
            // Nodes of a cage lie beyond the surface.
            let lowest = |points: &[[f64; 3]]| points.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
            let height = lowest(if by_skin { &table.vertices } else { two.vertices() }) - 1e-3;
            let mut sim = on_floor(&two, by_skin.then_some(&skin), height);
            let r = sim.equilibrium(&Static::default()).unwrap();
            assert_eq!(r.status, Status::Converged, "{kind:?}, {by_skin}: {r:?}");
            let x = sim.positions();
            let points = if by_skin { skin.positions(&x).unwrap() } else { x.clone() };
            let lowest = lowest(&points) - height;
            let bound = if by_skin { 1e-3 * report.size } else { 1e-6 };
            assert!(lowest.abs() < bound, "{kind:?}, {by_skin}: {lowest} m of {bound}");
            let borne = sim.reactions()[0][1];
            assert!((borne / weight - 1.0).abs() < 1e-5, "{kind:?}, {by_skin}: {borne} of {weight}");
            if !by_skin {
                let touching = x[one.vertices().len()..].iter().filter(|p| p[1] - height < 1e-6).count();
                assert!(touching > 0, "{kind:?}: no node on an edge touches");
            }
        }
    }
}
