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
    let mut simulation = stand(mesh, skin, ([0.0, -0.6005, 0.0], normal), friction);
    for _ in 0..frames {
        assert_eq!(simulation.step().unwrap().status, Status::Converged);
    }
    simulation
}

/// A figure above a plane with a place and a normal.
fn stand(mesh: &TetMesh, skin: Option<&Embedding>, plane: ([f64; 3], [f64; 3]), friction: f64) -> Simulation {
    stand_in(Settings::default(), mesh, skin, plane, friction)
}

fn stand_in(
    settings: Settings,
    mesh: &TetMesh,
    skin: Option<&Embedding>,
    plane: ([f64; 3], [f64; 3]),
    friction: f64,
) -> Simulation {
    let mut scene = Scene::new(settings);
    let rubber = Material::new(MaterialKind::StableNeoHookean, 1e6, 0.3).unwrap();
    let body = scene.add_solid("body", mesh.clone(), rubber, 1000.0).unwrap();
    if let Some(skin) = skin {
        scene.touch_by_skin(body, skin).unwrap();
    }
    let plane = HalfSpace::new(plane.0, plane.1).unwrap();
    scene.add_obstacle(Obstacle::new("floor", plane).with_friction(friction)).unwrap();
    scene.build().unwrap()
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

/// A low table, so that it does not roll on a slope.
pub fn table() -> Mesh {
    let mut all = sphere(0.5, 12).map(|p| [1.4 * p[0], 0.3 * p[1], 1.4 * p[2]]);
    for (x, z) in [(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)] {
        all = all.with(&sphere(0.2, 10).map(|p| [p[0] + x, p[1] - 0.1, p[2] + z]));
    }
    all
}

/// Coulomb's law on a slope of tan θ = ½: with μ = 0.51 the figure stays, with μ = 0.49 it slides by g (sin θ − μ cos θ), to a hundredth; every step
/// converges. The slope is level, and gravity is not.
#[test]
fn friction_of_skins_is_coulombs() {
    let table = table();
    let (sin, cos) = (0.5 / 1.25f64.sqrt(), 1.0 / 1.25f64.sqrt());
    let (g, dt, frames) = (9.8, 0.04, 100);
    for kind in [Kind::Conform, Kind::Grow, Kind::Cage] {
        let (mesh, _) = fill(&table.surface(), &FillSettings::tets(1500).kind(kind)).unwrap();
        let skin = Embedding::new(&mesh, &table.vertices).unwrap();
        for mu in [0.49, 0.51] {
            let mut settings = Settings::default();
            settings.time.dt = dt;
            settings.world.gravity = [g * sin, -g * cos, 0.0];
            let floor = ([0.0, -0.3001, 0.0], [0.0, 1.0, 0.0]);
            let mut s = stand_in(settings, &mesh, Some(&skin), floor, mu);
            let masses = s.masses();
            let total: f64 = masses.iter().sum();
            let mut speeds = Vec::new();
            for frame in 0..frames {
                let status = s.step().unwrap().status;
                assert_eq!(status, Status::Converged, "{kind:?}, μ {mu}, frame {frame}");
                speeds.push(s.velocities().iter().zip(&masses).map(|(v, m)| m * v[0]).sum::<f64>() / total);
            }
            // While it sinks into its feet it is lighter, and slips a little.
            let half = frames / 2;
            let mean = (speeds[frames - 1] - speeds[half - 1]) / (half as f64 * dt);
            println!("{kind:?}, μ {mu}: {mean:.5} m/s², {:.1e} m/s at the end", speeds[frames - 1]);
            let slides = g * (sin - mu * cos);
            if slides > 0.0 {
                assert!((mean / slides - 1.0).abs() < 0.01, "{kind:?}: {mean} m/s² instead of {slides}");
            } else {
                assert!(speeds[frames - 1].abs() < 1e-6, "{kind:?}: {} m/s", speeds[frames - 1]);
            }
        }
    }
}
