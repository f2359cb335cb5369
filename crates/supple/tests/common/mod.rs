//! Scenes that several tests use.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

use supple::mesh::shapes::{Split, box_mesh, twist};
use supple::{BodyId, Material, MaterialKind, Scene, Settings, Simulation, TetMesh};

/// Settings of the tests: fixed time step, no gravity, one thread, many iterations, tolerance 1e-10.
pub fn settings(dt: f64) -> Settings {
    let mut s = Settings::published();
    s.time.dt = dt;
    s.world.gravity = [0.0; 3];
    s.solve.threads = 1;
    s.solve.iterations = 5000;
    s.solve.tolerance = 1e-10;
    s
}

pub fn bar(cells: [usize; 3], cell: f64) -> TetMesh {
    box_mesh([cell * cells[0] as f64, cell * cells[1] as f64, cell * cells[2] as f64], cells, Split::Six)
        .unwrap()
}

pub fn material(kind: MaterialKind) -> Material {
    Material::new(kind, 1e5, 0.4).unwrap()
}

/// One solid in a scene.
pub fn solid(settings: Settings, mesh: &TetMesh, kind: MaterialKind) -> (Scene, BodyId) {
    let mut scene = Scene::new(settings);
    let body = scene.add_solid("body", mesh.clone(), material(kind), 1000.0).unwrap();
    (scene, body)
}

/// Ids of the nodes with x = 0.
pub fn wall(mesh: &TetMesh) -> Vec<u32> {
    (0..mesh.vertices().len() as u32).filter(|&i| mesh.vertices()[i as usize][0] == 0.0).collect()
}

/// A twisted bar, free or held at x = 0.
pub fn twisted(mut settings: Settings, kind: MaterialKind, cells: [usize; 3], held: bool) -> Simulation {
    let mesh = bar(cells, 0.25);
    let mut x = mesh.vertices().to_vec();
    let length = 0.25 * cells[0] as f64;
    twist(&mut x, 1.0, length, [0.125 * cells[1] as f64, 0.125 * cells[2] as f64]);
    settings.world.gravity = [0.0, -9.8, 0.0];
    let (mut scene, body) = solid(settings, &mesh, kind);
    if held {
        scene.pin(body, &wall(&mesh)).unwrap();
    }
    let mut sim = scene.build().unwrap();
    sim.set_state(&x, &vec![[0.0; 3]; x.len()]).unwrap();
    sim
}

/// Largest distance between two sets of points.
pub fn distance(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(p, q)| (0..3).map(|c| (p[c] - q[c]) * (p[c] - q[c])).sum::<f64>().sqrt())
        .fold(0.0, f64::max)
}
