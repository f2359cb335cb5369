//! Fill fractions: a tetrahedron of which a share φ is full has φ times its energy and its mass.

use super::common::{bar, material, settings, wall};
use supple::mesh::surface;
use supple::{MaterialKind, Method, Scene, Settings, TetMesh};

fn scene(settings: Settings, mesh: &TetMesh, kind: MaterialKind) -> Scene {
    let mut scene = Scene::new(settings);
    scene.add_solid("body", mesh.clone(), material(kind), 1000.0).unwrap();
    scene
}

/// Fractions from 0.02 to 1 that differ from one tetrahedron to the next.
fn ragged(mesh: TetMesh) -> TetMesh {
    let fill = (0..mesh.tets().len()).map(|e| 0.02 + 0.98 * ((7 * e) % 11) as f64 / 10.0).collect();
    mesh.with_fill(fill).unwrap()
}

/// A body with any fractions falls with exactly g: backward Euler's x0 + g h² n(n+1)/2, to 1e-12 of its size and way, since weight and mass have
/// the same fractions.
#[test]
fn free_fall_is_exactly_g() {
    let mesh = ragged(bar([3, 2, 2], 0.3));
    for method in [Method::Auto, Method::Admm, Method::Newton, Method::QuasiNewton] {
        let mut s = settings(0.04);
        s.world.gravity = [0.0, -9.8, 0.0];
        s.solve.method = method;
        let mut sim = scene(s, &mesh, MaterialKind::StableNeoHookean).build().unwrap();
        for n in 1..=10 {
            sim.step().unwrap();
            let way = -9.8 * 0.04 * 0.04 * f64::from(n * (n + 1)) / 2.0;
            for (p, q) in sim.positions().iter().zip(mesh.vertices()) {
                let exact = [q[0], q[1] + way, q[2]];
                assert!((0..3).all(|c| (p[c] - exact[c]).abs() < 1e-12), "{method:?}: {p:?} for {exact:?}");
            }
        }
    }
}

/// Masses are those of the filled volumes, and energies scale with the fraction, bit by bit for a power of two.
#[test]
fn energy_and_mass_scale_with_the_fraction() {
    let mesh = bar([3, 2, 2], 0.3);
    let half = mesh.clone().with_fill(vec![0.5; mesh.tets().len()]).unwrap();
    let stretched: Vec<_> =
        mesh.vertices().iter().map(|p| [1.1 * p[0], 0.97 * p[1] + 0.1 * p[0], p[2]]).collect();
    let still = vec![[0.0; 3]; stretched.len()];
    for kind in [MaterialKind::NeoHookean, MaterialKind::Corotated, MaterialKind::StableNeoHookean] {
        let energy = |mesh: &TetMesh| {
            let mut sim = scene(settings(0.04), mesh, kind).build().unwrap();
            sim.set_state(&stretched, &still).unwrap();
            sim.energy().elastic
        };
        assert!(energy(&mesh) > 0.0);
        assert_eq!(energy(&half), 0.5 * energy(&mesh), "{kind:?}");
    }
    assert!((half.volume() - 0.5 * mesh.volume()).abs() < 1e-15);
    let ragged = ragged(mesh);
    let expected: f64 = (0..ragged.tets().len()).map(|e| ragged.filled_volume(e)).sum();
    assert!((ragged.volume() - expected).abs() < 1e-15);
}

/// The patch test: with one fraction everywhere, a body whose boundary is stretched affinely is stretched so inside, to 1e-8 of its size.
#[test]
fn the_patch_test_holds() {
    let mesh = bar([3, 3, 3], 0.3);
    let mesh = mesh.clone().with_fill(vec![0.37; mesh.tets().len()]).unwrap();
    let affine = |p: &[f64; 3]| [1.1 * p[0] + 0.05 * p[1], 0.95 * p[1], p[2] + 0.1 * p[0]];
    let boundary: std::collections::BTreeSet<u32> = surface(mesh.tets()).into_iter().flatten().collect();
    let held: Vec<u32> = boundary.into_iter().collect();
    assert!(held.len() < mesh.vertices().len());
    let mut s = settings(1.0);
    s.solve.method = Method::Newton;
    let mut scene = Scene::new(s);
    let kind = material(MaterialKind::StableNeoHookean);
    let body = scene.add_solid("body", mesh.clone(), kind, 1000.0).unwrap();
    scene.pin(body, &held).unwrap();
    let mut sim = scene.build().unwrap();
    let targets: Vec<_> = held.iter().map(|&v| affine(&mesh.vertices()[v as usize])).collect();
    sim.move_pins(body.0, &held, &targets).unwrap();
    for _ in 0..60 {
        sim.step().unwrap();
    }
    for (p, q) in sim.positions().iter().zip(mesh.vertices()) {
        let exact = affine(q);
        assert!((0..3).all(|c| (p[c] - exact[c]).abs() < 1e-8), "{p:?} for {exact:?}");
    }
}

#[test]
fn a_checkpoint_knows_the_fractions() {
    let mesh = bar([2, 2, 2], 0.3);
    let masses = vec![1.0; mesh.vertices().len()];
    let build = |fill: f64| {
        let mesh = mesh.clone().with_fill(vec![fill; mesh.tets().len()]).unwrap();
        let mut scene = Scene::new(settings(0.04));
        let materials = vec![material(MaterialKind::NeoHookean); mesh.tets().len()];
        scene.add_solid_with_masses("body", mesh, materials, masses.clone()).unwrap();
        scene.build().unwrap()
    };
    let saved = build(0.5).checkpoint();
    assert!(build(0.5).restore(&saved).is_ok());
    assert!(build(0.6).restore(&saved).is_err(), "a checkpoint of another body was taken");
    assert!(!wall(&mesh).is_empty());
}
