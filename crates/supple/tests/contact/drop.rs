//! A cube that falls on a floor, against the exact Signorini trajectory.

use super::bridge;
use super::reference::V3;
use super::reference::body::RefBody;
use super::reference::material::{Lame, RefMaterial};
use super::reference::shape::{RefMesh, box_mesh, extent, max_distance};
use super::setup::{METHODS, floor, settings};
use super::signorini::step_above_floor;
use supple::{Material, MaterialKind, Method, Obstacle, Scene, Simulation, Status, TetMesh};

fn simulation(mesh: &RefMesh, material: Material, method: Method, h: f64, o: Obstacle) -> Simulation {
    let vertices = mesh.rest.iter().map(|p| [p.x, p.y, p.z]).collect();
    let tets = mesh.tets.iter().map(|t| t.map(|v| v as u32)).collect();
    let mut scene = Scene::new(settings(method, h));
    scene.add_solid("cube", TetMesh::new(vertices, tets).unwrap(), material, 1000.0).unwrap();
    scene.add_obstacle(o).unwrap();
    scene.build().unwrap()
}

/// 2×2×2 cells, tilted a little so that it lands on a corner, at 2 m/s.
fn falling(h: f64, frames: usize, kind: MaterialKind, methods: &[Method], tolerance: f64) {
    let mut mesh = box_mesh([2, 2, 2], V3::new(0.1, 0.1, 0.1));
    let turn = super::reference::shape::rotation(&V3::new(1.0, 0.3, 0.5).normalize(), 0.2);
    for p in &mut mesh.rest {
        *p = turn * *p + V3::new(0.0, 0.12, 0.0);
    }
    let lame = Lame::from_young(1e5, 0.4);
    let material = match kind {
        MaterialKind::NeoHookean => RefMaterial::NeoHookean(lame),
        _ => RefMaterial::Corotated(lame),
    };
    let body = RefBody::new(&mesh, material, 1000.0);
    let (g, size) = (V3::new(0.0, -9.8, 0.0), extent(&mesh.rest));
    let start = vec![V3::new(0.1, -2.0, 0.0); mesh.rest.len()];
    let mut sims: Vec<(Method, Simulation)> = methods
        .iter()
        .map(|&m| {
            let mut sim = simulation(&mesh, Material::new(kind, 1e5, 0.4).unwrap(), m, h, floor(0.0));
            bridge::put(&mut sim, &body, &mesh.rest, &start);
            (m, sim)
        })
        .collect();
    let (mut x, mut v) = (mesh.rest.clone(), start);
    let mut touched = 0;
    for frame in 0..frames {
        let next = step_above_floor(&body, &x, &v, h, &g);
        v = next.iter().zip(&x).map(|(p, q)| (p - q) / h).collect();
        x = next;
        for (m, sim) in &mut sims {
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "{m}, {frame}: {r:?}");
            let error = max_distance(&bridge::points(&sim.positions()), &x) / size;
            assert!(error <= tolerance, "{m}, frame {frame}: {error:e}, {r:?}");
            assert!(r.max_penetration <= 1e-6 * size, "{m}, {frame}: {r:?}");
            touched += r.contacts;
        }
    }
    assert!(touched > 20 * methods.len(), "it hardly touched: {touched}");
}

#[test]
fn neo_hookean_cube() {
    falling(0.005, 60, MaterialKind::NeoHookean, &METHODS, 1e-5);
}

#[test]
fn corotated_cube_with_long_steps() {
    falling(0.02, 25, MaterialKind::Corotated, &METHODS, 1e-5);
}
