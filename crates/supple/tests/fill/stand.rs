//! Skins that touch obstacles: a figure stands on its drawn feet.

use supple::contact::{HalfSpace, Obstacle};
use supple::mesh::fill::{FillSettings, Kind, fill};
use supple::mesh::{Embedding, TetMesh};
use supple::{Material, MaterialKind, Scene, Settings, Simulation, Status};

use crate::shapes::{Mesh, sphere};

/// A table of four legs: boxes would have corners; balls stand on points.
fn feet() -> Mesh {
    let mut all = sphere(0.5, 12);
    for (x, z) in [(-0.3, -0.3), (0.3, -0.3), (-0.3, 0.3), (0.3, 0.3)] {
        let foot = sphere(0.2, 10).map(|p| [p[0] + x, p[1] - 0.4, p[2] + z]);
        let first = all.vertices.len() as u32;
        all.vertices.extend(foot.vertices);
        all.triangles.extend(foot.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    all
}

fn rest(
    mesh: &TetMesh,
    skin: Option<&Embedding>,
    normal: [f64; 3],
    friction: f64,
    frames: usize,
) -> Simulation {
    let mut scene = Scene::new(Settings::default());
    let rubber = Material::new(MaterialKind::StableNeoHookean, 1e6, 0.3).unwrap();
    let body = scene.add_solid("body", mesh.clone(), rubber, 1000.0).unwrap();
    if let Some(skin) = skin {
        scene.touch_by_skin(body, skin).unwrap();
    }
    let plane = HalfSpace::new([0.0, -0.6005, 0.0], normal).unwrap();
    scene.add_obstacle(Obstacle::new("floor", plane).with_friction(friction)).unwrap();
    let mut simulation = scene.build().unwrap();
    for _ in 0..frames {
        assert_eq!(simulation.step().unwrap().status, Status::Converged);
    }
    simulation
}

/// The lowest vertex of the skin is on the floor within a thousandth of a size, for every kind of fill; with contact of the nodes it is not.
#[test]
fn a_figure_stands_on_its_drawn_feet() {
    let feet = feet();
    for kind in [Kind::Conform, Kind::Grow, Kind::Cage] {
        let (mesh, report) = fill(&feet.surface(), &FillSettings::tets(1500).kind(kind)).unwrap();
        let skin = Embedding::new(&mesh, &feet.vertices).unwrap();
        let lowest = |s: &Simulation| {
            let points = skin.positions(&s.positions()).unwrap();
            points.iter().map(|p| p[1] + 0.6005).fold(f64::INFINITY, f64::min)
        };
        let own = lowest(&rest(&mesh, Some(&skin), [0.0, 1.0, 0.0], 0.5, 60));
        let nodes = lowest(&rest(&mesh, None, [0.0, 1.0, 0.0], 0.5, 60));
        println!("{kind:?}: {:.1e} h by the skin, {:.1e} h by nodes", own / report.size, nodes / report.size);
        assert!(own.abs() < 1e-3 * report.size, "{kind:?}: {own} m, size {} m", report.size);
    }
}
