//! Order 2: shapes, patch tests, pins.

use supple::mesh::shapes::{Split, box_mesh};
use supple::{Material, MaterialKind, Method, Scene, Settings, TetMesh};

/// A block whose inner nodes are pushed about, so that no two elements are alike.
fn block() -> TetMesh {
    let mesh = box_mesh([1.0, 1.0, 1.0], [3, 3, 3], Split::Six).unwrap();
    let mut k = 0.0;
    mesh.map(|p| {
        k += 1.0;
        let inside = |a: f64| a > 0.01 && a < 0.99;
        std::array::from_fn(|c| {
            p[c] + if p.iter().all(|a| inside(*a)) { 0.05 * (k * (c as f64 + 1.3)).sin() } else { 0.0 }
        })
    })
    .unwrap()
}

#[test]
fn nodes_masses_and_surface() {
    let linear = block();
    let mesh = linear.quadratic().unwrap();
    assert_eq!((linear.order(), mesh.order()), (1, 2));
    // Corners first, as they were given; then one node to an edge: V − E + F − T = 1.
    let corners = linear.vertices().len();
    assert_eq!(mesh.corner_count(), corners);
    assert_eq!(&mesh.vertices()[..corners], linear.vertices());
    let boundary = supple::mesh::surface(linear.tets()).len();
    let faces = (4 * linear.tets().len() + boundary) / 2;
    let edges = corners + faces - linear.tets().len() - 1;
    assert_eq!(mesh.vertices().len(), corners + edges);
    for (m, [a, b]) in mesh.edge_nodes() {
        let at = |v: u32| mesh.vertices()[v as usize];
        (0..3).for_each(|c| assert!((at(m)[c] - 0.5 * (at(a)[c] + at(b)[c])).abs() < 1e-15));
    }
    // Masses are positive, and their sum is that of the volume.
    let masses = mesh.node_masses(|_| 1000.0);
    assert!(masses.iter().all(|m| *m > 0.0));
    assert!((masses.iter().sum::<f64>() - 1000.0).abs() < 1e-9);
    // Four triangles to a face, all seen from outside: their volume is the body's (divergence theorem).
    let surface = mesh.surface();
    assert_eq!(surface.len(), 4 * boundary);
    let volume: f64 = surface
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| mesh.vertices()[v as usize]);
            (a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0]))
                / 6.0
        })
        .sum();
    assert!((volume - 1.0).abs() < 1e-12);
    let fine = mesh.refined().unwrap();
    assert_eq!(fine.tets().len(), 8 * linear.tets().len());
    assert!((fine.volume() - 1.0).abs() < 1e-12);
    let mut outer: Vec<[u32; 3]> = supple::mesh::surface(fine.tets());
    let mut same = surface;
    let turn = |t: &mut [u32; 3]| {
        let least = (0..3).min_by_key(|&i| t[i]).unwrap();
        t.rotate_left(least);
    };
    outer.iter_mut().chain(&mut same).for_each(turn);
    outer.sort_unstable();
    same.sort_unstable();
    assert_eq!(outer, same);
}

/// The place of every free node where boundary nodes are held at `field`, and the largest distance from it.
fn patch(mesh: &TetMesh, kind: MaterialKind, field: impl Fn([f64; 3]) -> [f64; 3]) -> f64 {
    let mut settings = Settings::default();
    settings.time.dt = 1e3;
    settings.world.gravity = [0.0; 3];
    settings.solve.method = Method::Newton;
    settings.solve.tolerance = 1e-12;
    let mut scene = Scene::new(settings);
    let material = Material::new(kind, 1e5, 0.42).unwrap();
    let body = scene.add_solid("block", mesh.clone(), material, 1000.0).unwrap();
    let mut outside: Vec<u32> = mesh.surface().into_iter().flatten().collect();
    outside.sort_unstable();
    outside.dedup();
    scene.pin(body, &outside).unwrap();
    let mut sim = scene.build().unwrap();
    let to: Vec<[f64; 3]> = mesh.vertices().iter().map(|p| field(*p)).collect();
    for step in 1..=8 {
        let part = (f64::from(step) / 5.0).min(1.0);
        let target = |&i: &u32| -> [f64; 3] {
            let (from, to) = (mesh.vertices()[i as usize], to[i as usize]);
            std::array::from_fn(|c| from[c] + part * (to[c] - from[c]))
        };
        let targets: Vec<[f64; 3]> = outside.iter().map(target).collect();
        sim.move_pins(0, &outside, &targets).unwrap();
        sim.step().unwrap();
    }
    let off = |(x, y): (&[f64; 3], &[f64; 3])| (0..3).map(|c| (x[c] - y[c]).abs()).fold(0.0, f64::max);
    assert!(sim.pinned().iter().any(|p| !p), "nothing is free");
    sim.positions().iter().zip(&to).map(off).fold(0.0, f64::max)
}

#[test]
fn affine_patch_of_every_material() {
    let mesh = block().quadratic().unwrap();
    let affine =
        |p: [f64; 3]| [1.1 * p[0] + 0.1 * p[1], 0.95 * p[1] - 0.05 * p[2] + 0.02, 0.9 * p[2] + 0.03 * p[0]];
    for kind in MaterialKind::ALL {
        let off = patch(&mesh, kind, affine);
        assert!(off < 1e-9, "{kind:?}: {off:e}");
    }
}

/// Bending about z with its anticlastic curvature: quadratic, and in balance without forces for any ν. A linear material finds it
/// exactly between edges that are straight; tetrahedra of order 1 do not.
#[test]
fn quadratic_patch_is_exact() {
    let (k, nu) = (0.1, 0.42);
    let bent = |p: [f64; 3]| {
        let [x, y, z] = p.map(|a| a - 0.5);
        [p[0] - k * x * y, p[1] + 0.5 * k * (x * x + nu * (y * y - z * z)), p[2] + nu * k * y * z]
    };
    let mesh = block();
    let (one, two) = (
        patch(&mesh, MaterialKind::Linear, bent),
        patch(&mesh.quadratic().unwrap(), MaterialKind::Linear, bent),
    );
    assert!(two < 1e-9, "{two:e}");
    assert!(one > 1e-4, "{one:e}: the test shows nothing");
}
