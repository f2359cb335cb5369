//! Bending: a sheet rolled to a cylinder, a strip that hangs over.

use supple::energy::check::Random;
use supple::energy::sided::Sided;
use supple::energy::{Element, Manifold, Potential, Soft};
use supple::{Bending, Cloth, Material, MaterialKind, Scene, Settings, TriMesh};

/// A grid in the x–z plane, cells cut along one diagonal.
pub fn grid(size: [f64; 2], cells: [usize; 2]) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for j in 0..=cells[1] {
        for i in 0..=cells[0] {
            let share = |k: usize, n: usize| k as f64 / n as f64;
            vertices.push([size[0] * share(i, cells[0]), 0.0, size[1] * share(j, cells[1])]);
        }
    }
    let at = |i: usize, j: usize| (j * (cells[0] + 1) + i) as u32;
    for j in 0..cells[1] {
        for i in 0..cells[0] {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, c, b], [a, d, c]]);
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

fn sheet(bending: Bending) -> Cloth {
    // So thin that stretching costs next to nothing.
    let soft = Material::new(MaterialKind::Arap, 1e-6, 0.0).unwrap();
    Cloth { bending, ..Cloth::new(soft, 1e-3, 1000.0) }
}

#[test]
fn a_cylinder_has_the_energy_of_a_plate() {
    // ½B/R² per area, for a sheet rolled along any direction with its lengths kept.
    let (radius, stiffness) = (1.0, 2.0);
    for angle in [0.0f64, 0.3, 0.785, 1.2] {
        let mut last = f64::INFINITY;
        for cells in [8, 16, 32] {
            let mesh = grid([1.0, 0.5], [2 * cells, cells]);
            let rolled = rolled(&mesh, angle, radius);
            let mut scene = Scene::new(Settings::default());
            scene.add_cloth("sheet", mesh, sheet(Bending::Flat(stiffness))).unwrap();
            let mut sim = scene.build().unwrap();
            let still = vec![[0.0; 3]; rolled.len()];
            sim.set_state(&rolled, &still).unwrap();
            let expected = 0.5 * stiffness / (radius * radius) * 0.5;
            let error = (sim.energy().elastic / expected - 1.0).abs();
            assert!(error < 0.6 * last.min(1.0), "{angle} {cells} {error}");
            last = error;
        }
        assert!(last < 0.03, "{angle} {last}");
    }
}

/// Tip of a strip that is clamped at x = 0 under its own weight, as a share of that of a plate: qL⁴/(8B) for small deflections.
fn tip(cells: usize, across: usize) -> f64 {
    let (young, thickness, density, length) = (1e9, 1e-3, 1000.0, 0.1);
    let stiffness = young * thickness * thickness * thickness / 12.0;
    let load = density * thickness * 9.8;
    let step = length / cells as f64;
    // Two rows of nodes hold the slope: the strip is free from the second on.
    let mesh = grid([length + step, 0.2 * length], [cells + 1, across]);
    let fixed: Vec<u32> =
        (0..mesh.vertices().len() as u32).filter(|&i| mesh.vertices()[i as usize][0] < 1.5 * step).collect();
    let end = mesh.vertices().iter().position(|p| p[0] > length + 0.5 * step).unwrap();
    let mut settings = Settings::default();
    settings.time.dt = 10.0;
    settings.solve.tolerance = 1e-9;
    settings.solve.iterations = 2000;
    let mut scene = Scene::new(settings);
    let sheet = Material::new(MaterialKind::Corotated, young, 0.0).unwrap();
    let body = scene.add_cloth("strip", mesh, Cloth::new(sheet, thickness, density)).unwrap();
    scene.pin(body, &fixed).unwrap();
    let mut sim = scene.build().unwrap();
    for _ in 0..20 {
        let r = sim.step().unwrap();
        assert_eq!(r.status, supple::Status::Converged, "{r:?}");
    }
    let expected = load * length * length * length * length / (8.0 * stiffness);
    -sim.positions()[end][1] / expected
}

#[test]
fn a_strip_bends_as_a_plate() {
    // The ends are softer by about a cell: the error halves with the cells.
    let errors = [(10, 2), (20, 4), (40, 8)].map(|(cells, across)| (tip(cells, across) - 1.0).abs());
    assert!(errors[1] < 0.6 * errors[0] && errors[2] < 0.6 * errors[1] && errors[2] < 0.06, "{errors:?}");
}

#[test]
fn a_fold_keeps_its_angle_and_comes_back_to_it() {
    // Two triangles folded by a right angle.
    let vertices = vec![[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.5], [0.0, 1.0, 0.5]];
    let mesh = TriMesh::new(vertices.clone(), vec![[0, 1, 2], [1, 0, 3]]).unwrap();
    let mut settings = Settings::default();
    settings.world.gravity = [0.0; 3];
    settings.time.dt = 1.0;
    settings.solve.tolerance = 1e-10;
    settings.solve.iterations = 1000;
    let mut scene = Scene::new(settings);
    let stiff = Material::new(MaterialKind::Corotated, 1e6, 0.3).unwrap();
    let cloth = Cloth { bending: Bending::Angle(10.0), ..Cloth::new(stiff, 1e-2, 10.0) };
    let body = scene.add_cloth("fold", mesh, cloth).unwrap();
    scene.pin(body, &[0, 1, 2]).unwrap();
    let mut sim = scene.build().unwrap();
    assert!(sim.energy().elastic < 1e-20);
    let mut opened = vertices.clone();
    opened[3] = [-0.5f64.sqrt(), 0.5f64.sqrt(), 0.5];
    sim.set_state(&opened, &[[0.0; 3]; 4]).unwrap();
    assert!(sim.energy().elastic > 0.1);
    for _ in 0..60 {
        sim.step().unwrap();
    }
    let p = sim.positions()[3];
    assert!((0..3).all(|c| (p[c] - vertices[3][c]).abs() < 1e-4), "{p:?}");
}

/// The grid rolled along a direction to a cylinder, downwards if the radius is negative, with its lengths kept.
fn rolled(mesh: &TriMesh, angle: f64, radius: f64) -> Vec<[f64; 3]> {
    let (s, c) = angle.sin_cos();
    let place = |p: &[f64; 3]| {
        let (along, across) = (c * p[0] + s * p[2], c * p[2] - s * p[0]);
        let (x, y) = (radius * (along / radius).sin(), radius * (1.0 - (along / radius).cos()));
        [c * x - s * across, y, s * x + c * across]
    };
    mesh.vertices().iter().map(place).collect()
}

#[test]
fn a_curved_sheet_has_the_energy_of_a_plate_on_its_own_side() {
    // ½B(1/r − 1/R)² per area: R = 1 at rest, r = 2 upwards and downwards. On either side means that the sign of r is not seen.
    let flat = grid([1.0, 0.5], [64, 32]);
    for angle in [0.0, 0.4] {
        let energy = |bending: Bending, radius: f64| {
            let mesh = TriMesh::new(rolled(&flat, angle, 1.0), flat.triangles().to_vec()).unwrap();
            let mut scene = Scene::new(Settings::default());
            scene.add_cloth("sheet", mesh, sheet(bending)).unwrap();
            let mut sim = scene.build().unwrap();
            assert!(sim.energy().elastic < 1e-20);
            let there = rolled(&flat, angle, radius);
            sim.set_state(&there, &vec![[0.0; 3]; there.len()]).unwrap();
            sim.energy().elastic / (0.5 * 2.0 * 0.5)
        };
        for (radius, change) in [(2.0, 0.25), (-2.0, 2.25), (-1.0, 4.0)] {
            let found = energy(Bending::Angle(2.0), radius);
            assert!((found / change - 1.0).abs() < 0.03, "{angle} {radius} {found}");
        }
        assert!((energy(Bending::EitherSide(2.0), -2.0) / 0.25 - 1.0).abs() < 0.03);
        assert!(energy(Bending::EitherSide(2.0), -1.0) < 1e-3);
    }
}

#[test]
fn a_side_costs_little_stiffness_of_the_membrane() {
    // Pulled along the axis of the cylinder by 1 %: that of an arap membrane with 4B/R² N/m, and no more.
    let flat = grid([1.0, 0.5], [64, 32]);
    let mesh = TriMesh::new(rolled(&flat, 0.0, 1.0), flat.triangles().to_vec()).unwrap();
    let pulled: Vec<[f64; 3]> = mesh.vertices().iter().map(|p| [p[0], p[1], 1.01 * p[2]]).collect();
    let mut scene = Scene::new(Settings::default());
    scene.add_cloth("sheet", mesh, sheet(Bending::Angle(2.0))).unwrap();
    let mut sim = scene.build().unwrap();
    sim.set_state(&pulled, &vec![[0.0; 3]; pulled.len()]).unwrap();
    let expected = 0.5 * 4.0 * 2.0 * 0.01 * 0.01 * 0.5;
    let found = sim.energy().elastic;
    assert!((found / expected - 1.0).abs() < 0.05, "{found} {expected}");
}

#[test]
fn a_crease_that_is_pushed_through_comes_back() {
    // Two triangles folded by 60° upwards, pushed to 60° downwards.
    let (s, c) = 60f64.to_radians().sin_cos();
    let vertices = vec![[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.5], [-c, s, 0.5]];
    let through = [-c, -s, 0.5];
    let run = |bending: Bending| {
        let mesh = TriMesh::new(vertices.clone(), vec![[0, 1, 2], [1, 0, 3]]).unwrap();
        let mut settings = Settings::default();
        settings.world.gravity = [0.0; 3];
        settings.time.dt = 0.1;
        settings.solve.tolerance = 1e-10;
        settings.solve.iterations = 2000;
        let mut scene = Scene::new(settings);
        let stiff = Material::new(MaterialKind::Corotated, 1e6, 0.3).unwrap();
        let cloth = Cloth { bending, ..Cloth::new(stiff, 1e-2, 10.0) };
        let body = scene.add_cloth("fold", mesh, cloth).unwrap();
        scene.pin(body, &[0, 1, 2]).unwrap();
        let mut sim = scene.build().unwrap();
        let mut there = vertices.clone();
        there[3] = through;
        sim.set_state(&there, &[[0.0; 3]; 4]).unwrap();
        for _ in 0..200 {
            sim.step().unwrap();
        }
        sim.positions()[3]
    };
    let near = |p: [f64; 3], q: [f64; 3]| (0..3).all(|i| (p[i] - q[i]).abs() < 1e-4);
    let p = run(Bending::Angle(10.0));
    assert!(near(p, vertices[3]), "{p:?}");
    let p = run(Bending::EitherSide(10.0));
    assert!(near(p, through), "{p:?}");
}

#[test]
fn bending_on_a_side_has_its_derivative_and_its_proximal_operator() {
    let p = Soft(Sided);
    let mut random = Random(3);
    for round in 0..200 {
        let mut e = Element::new(10f64.powf(random.between(-1.0, 1.0)), &[2.0]);
        let s = [0.5, 3.0][round % 2];
        (1..10).for_each(|q| e.param[q] = random.between(-1.0, 1.0));
        e.param[10] = s;
        let mut y = [[0.0; 3]; 5];
        y.iter_mut().flatten().for_each(|a| *a = s * random.between(-1.5, 1.5));
        // Derivative: the energy is a distance, smooth but for where two rotations are as near.
        let stress = p.stress(&e, &y);
        let h = 1e-6;
        for q in 0..15 {
            let mut ends = [y; 2];
            ends[0][q / 3][q % 3] -= h;
            ends[1][q / 3][q % 3] += h;
            let slope = (p.energy(&e, &ends[1]) - p.energy(&e, &ends[0])) / (2.0 * h);
            assert!((slope - stress[q / 3][q % 3]).abs() < 1e-5 * (1.0 + slope.abs()), "{round} {slope}");
        }
        // Proximal operator: nothing is lower, near or far.
        let z = p.prox(&e, &y, &mut 0.0);
        let objective = |z: &[[f64; 3]; 5]| {
            let d: f64 = (0..15).map(|q| (z[q / 3][q % 3] - y[q / 3][q % 3]).powi(2)).sum();
            p.energy(&e, z) + 0.5 * e.k * d
        };
        let lowest = objective(&z);
        for _ in 0..200 {
            let size = 10f64.powf(random.between(-5.0, 1.0));
            let mut other = z;
            other.iter_mut().flatten().for_each(|a| *a += size * random.between(-1.0, 1.0));
            assert!(lowest <= objective(&other) + 1e-12 * (1.0 + lowest), "{round}");
        }
        // On the set there is no energy, however it is turned; its mirror image is off it.
        let on = Sided.project(&e.param[1..], &y);
        assert!(p.energy(&e, &on) < 1e-24 * s * s + 1e-26);
        let mirror = on.map(|c| [-c[0], c[1], c[2]]);
        assert!(p.energy(&e, &mirror) > 1e-6);
    }
}
