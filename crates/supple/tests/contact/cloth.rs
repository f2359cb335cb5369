//! Sheets and ropes that touch bodies, obstacles and themselves.

use super::crossing::{Shape, V, crossing};
use super::guarantee::ways;
use super::passage::passed;
use super::setup::{floor, settings};
use supple::contact::Sphere;
use supple::mesh::shapes::{Split, box_mesh, rope};
use supple::mesh::surface;
use supple::scene::Collisions;
use supple::{Cloth, Material, MaterialKind, Method, Obstacle, Scene, Simulation, Spring, TriMesh};

/// A square sheet of `size` m around the middle at `at`, its cells split crosswise; `flip` turns its triangles over.
pub fn sheet(size: f64, cells: usize, at: V, flip: bool) -> TriMesh {
    let step = size / cells as f64;
    let node = |i: usize, j: usize| (j * (cells + 1) + i) as u32;
    let mut vertices = Vec::new();
    for j in 0..=cells {
        for i in 0..=cells {
            vertices.push([
                at[0] + step * i as f64 - 0.5 * size,
                at[1],
                at[2] + step * j as f64 - 0.5 * size,
            ]);
        }
    }
    let mut triangles = Vec::new();
    for j in 0..cells {
        for i in 0..cells {
            let [a, b, c, d] = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
            let two = if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            triangles.extend(two.map(|[p, q, r]| if flip { [p, r, q] } else { [p, q, r] }));
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

pub fn linen() -> Cloth {
    Cloth::new(Material::new(MaterialKind::StVenantKirchhoff, 1e5, 0.3).unwrap(), 0.002, 300.0)
}

/// A sheet falls on a sheet that is held at its corners, whichever way their triangles are turned: it stays on its side, at least a
/// good part of the thickness away, and both ways are the same motion.
#[test]
fn a_sheet_falls_on_a_sheet() {
    let run = |flip: [bool; 2], up: f64| {
        let mut s = settings(Method::Auto, 0.01);
        s.world.gravity = [0.0, -9.8 * up, 0.0];
        s.solve.tolerance = 1e-5;
        let mut scene = Scene::new(s);
        let (low, high) = (sheet(0.6, 6, [0.0; 3], flip[0]), sheet(0.4, 4, [0.02, 0.05 * up, 0.03], flip[1]));
        let n = low.vertices().len();
        let shapes = [
            Shape::of_triangles(low.triangles().to_vec(), 0),
            Shape::of_triangles(high.triangles().to_vec(), n),
        ];
        let held = scene.add_cloth("low", low, linen()).unwrap();
        scene.add_cloth("high", high, linen()).unwrap();
        scene.pin(held, &[0, 6, 42, 48]).unwrap();
        scene.collide(Collisions { friction: 0.4, within: true, ..Collisions::default() }).unwrap();
        let mut sim = scene.build().unwrap();
        let mut touched = 0;
        for frame in 0..60 {
            let r = sim.step().unwrap();
            touched += r.contacts;
            assert_eq!(r.max_penetration, 0.0, "{frame}: {r:?}");
            assert_eq!(crossing(&sim, &shapes), None, "{frame}: {r:?}");
        }
        assert!(touched > 100, "{touched}");
        let x = sim.positions();
        // It rests on the other: without contact it would be 1.7 m below.
        assert!(x[n..].iter().all(|p| p[1] * up > -0.5), "{:?}", &x[n..]);
        x
    };
    let first = run([false, false], 1.0);
    for other in [run([true, false], 1.0), run([false, true], 1.0)] {
        assert!(
            super::common::distance(&first, &other) < 2e-3,
            "{}",
            super::common::distance(&first, &other)
        );
    }
    // From below, against gravity upwards: the mirror image.
    let below: Vec<V> = run([false, false], -1.0).iter().map(|p| [p[0], -p[1], p[2]]).collect();
    assert!(super::common::distance(&first, &below) < 2e-3, "{}", super::common::distance(&first, &below));
}

/// A sheet falls over a ball and the floor and folds: no node in either, no triangle through another.
#[test]
fn a_sheet_folds_over_a_ball() {
    let mut s = settings(Method::Auto, 0.01);
    s.solve.tolerance = 1e-4;
    s.solve.iterations = 300;
    let mut scene = Scene::new(s);
    let cloth = sheet(0.8, 14, [0.03, 0.33, 0.02], false);
    let shapes = [Shape::of_triangles(cloth.triangles().to_vec(), 0)];
    scene.add_cloth("cloth", cloth, linen()).unwrap();
    scene.collide(Collisions { friction: 0.2, within: true, ..Collisions::default() }).unwrap();
    let ball = Sphere::new([0.0, 0.15, 0.0], 0.15).unwrap();
    scene.add_obstacle(Obstacle::new("ball", ball).with_friction(0.3).with_thickness(0.002)).unwrap();
    scene.add_obstacle(floor(0.5).with_thickness(0.002)).unwrap();
    let mut sim = scene.build().unwrap();
    let (mut short, mut off) = (0, 0);
    for frame in 0..90 {
        let r = sim.step().unwrap();
        short += usize::from(r.islands_shortened > 0);
        off += usize::from(r.status != supple::Status::Converged);
        assert!(r.max_penetration < 1e-4, "{frame}: {r:?}");
        assert_eq!(crossing(&sim, &shapes), None, "{frame}: {r:?}");
    }
    println!("a sheet over a ball: {short} of 90 steps shortened, {off} not converged");
    let low = sim.positions().iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
    assert!(low < 0.05, "it has come down to {low}");
}

/// A solid falls into a sheet that is held at its corners, and stays there.
#[test]
fn a_sheet_catches_a_solid() {
    let mut s = settings(Method::Auto, 0.01);
    s.solve.tolerance = 1e-4;
    let mut scene = Scene::new(s);
    let cloth = sheet(0.6, 8, [0.0; 3], false);
    let block = box_mesh([0.12; 3], [2; 3], Split::Six)
        .unwrap()
        .map(|p| [p[0] - 0.05, p[1] + 0.05 + 0.3 * p[0], p[2] - 0.06])
        .unwrap();
    let n = cloth.vertices().len();
    let shapes =
        [Shape::of_triangles(cloth.triangles().to_vec(), 0), Shape::of_triangles(surface(block.tets()), n)];
    let held = scene.add_cloth("cloth", cloth, linen()).unwrap();
    let rubber = Material::new(MaterialKind::NeoHookean, 1e5, 0.35).unwrap();
    scene.add_solid("block", block, rubber, 200.0).unwrap();
    scene.pin(held, &[0, 8, 72, 80]).unwrap();
    scene.collide(Collisions { friction: 0.3, within: true, ..Collisions::default() }).unwrap();
    let mut sim = scene.build().unwrap();
    for frame in 0..80 {
        let r = sim.step().unwrap();
        assert_eq!(r.max_penetration, 0.0, "{frame}: {r:?}");
        assert_eq!(crossing(&sim, &shapes), None, "{frame}: {r:?}");
    }
    assert!(sim.positions()[n..].iter().all(|p| p[1] > -0.6));
}

fn line(scene: &mut Scene, name: &str, at: impl Fn(f64) -> V) -> supple::BodyId {
    let (vertices, edges) = rope(1.0, 10).unwrap();
    let positions: Vec<V> = vertices.iter().map(|p| at(p[0] - 0.45)).collect();
    let springs = edges.into_iter().map(|e| Spring::new(e, 2000.0)).collect();
    scene.add_springs(name, positions, vec![0.01; 11], springs).unwrap()
}

/// A rope falls across a rope that is held, and across a sheet, and hangs over them.
#[test]
fn a_rope_falls_on_a_rope_and_a_sheet() {
    let mut s = settings(Method::Auto, 0.01);
    s.solve.tolerance = 1e-5;
    let mut scene = Scene::new(s);
    let low = line(&mut scene, "low", |t| [t, 0.0, 0.0]);
    scene.pin(low, &[0, 10]).unwrap();
    line(&mut scene, "high", |t| [0.013, 0.05, t]);
    let cloth = sheet(0.4, 4, [3.0, 0.0, 0.0], true);
    let held = scene.add_cloth("cloth", cloth, linen()).unwrap();
    scene.pin(held, &[0, 4, 20, 24]).unwrap();
    line(&mut scene, "other", |t| [3.013, 0.05, t]);
    scene.collide(Collisions { friction: 1.0, thickness: 0.01, ..Collisions::default() }).unwrap();
    let mut sim = scene.build().unwrap();
    for frame in 0..60 {
        let r = sim.step().unwrap();
        assert_eq!(r.max_penetration, 0.0, "{frame}: {r:?}");
    }
    // In free fall they would be 1.7 m below. The middle of each is held up, the ends hang.
    let x = sim.positions();
    for first in [11, 47] {
        let middle = (0..11).map(|i| x[first + i][1]).fold(f64::NEG_INFINITY, f64::max);
        assert!(middle > -0.4, "{first}: {middle}");
    }
}

/// A knot that is pulled tight stays a knot: a rope that passed through itself would be straight.
#[test]
fn a_knot_stays_a_knot() {
    let mut s = settings(Method::Auto, 0.01);
    s.world.gravity = [0.0; 3];
    s.world.damping = 2.0;
    s.solve.tolerance = 1e-4;
    let mut scene = Scene::new(s);
    let (positions, edges) = supple::mesh::shapes::knot(2.0, 50).unwrap();
    let ends = [positions[0], positions[50]];
    let springs = edges.into_iter().map(|e| Spring::new(e, 2000.0)).collect();
    let body = scene.add_springs("rope", positions, vec![0.004; 51], springs).unwrap();
    scene.pin(body, &[0, 50]).unwrap();
    let collisions = Collisions { friction: 0.2, thickness: 0.015, within: true, ..Collisions::default() };
    scene.collide(collisions).unwrap();
    let mut sim = scene.build().unwrap();
    let mut short = 0;
    for frame in 1..=120 {
        let out = 0.52 * f64::from(frame.min(100)) / 100.0;
        let targets = [0, 1].map(|k| [ends[k][0] + if k == 0 { -out } else { out }, ends[k][1], ends[k][2]]);
        sim.move_pins(0, &[0, 50], &targets).unwrap();
        let r = sim.step().unwrap();
        short += usize::from(r.islands_shortened > 0);
        assert!(sim.positions().iter().flatten().all(|v| v.is_finite()), "{frame}: {r:?}");
    }
    // The ends are further apart than the rope is long, so without a knot it would be straight. Distance from the line between them:
    let x = sim.positions();
    let (a, b) = (x[0], x[50]);
    let u: V = std::array::from_fn(|c| b[c] - a[c]);
    let off = |p: &V| {
        let w: V = std::array::from_fn(|c| p[c] - a[c]);
        let t = (0..3).map(|c| w[c] * u[c]).sum::<f64>() / (0..3).map(|c| u[c] * u[c]).sum::<f64>();
        (0..3).map(|c| (w[c] - t * u[c]).powi(2)).sum::<f64>().sqrt()
    };
    let widest = x.iter().map(off).fold(0.0, f64::max);
    // Strands lie beside each other, a thickness apart.
    println!("knot: {widest} m wide, {short} of 120 steps shortened");
    assert!(widest > 0.015, "the knot is gone: {widest}");
}

/// What starts apart stays apart, shot at each other with up to 100 m/s and steps of 40 ms.
#[test]
fn nothing_passes_at_any_speed() {
    let rubber = || Material::new(MaterialKind::NeoHookean, 1e5, 0.35).unwrap();
    for (speed, h) in [(5.0, 0.01), (30.0, 0.02), (100.0, 0.04)] {
        for what in ["solid, solid", "solid, sheet", "sheet, sheet"] {
            let mut s = settings(Method::Auto, h);
            s.world.gravity = [0.0; 3];
            (s.solve.tolerance, s.solve.iterations) = (1e-4, 100);
            let mut scene = Scene::new(s);
            let mut shapes = Vec::new();
            let mut counts = Vec::new();
            for (k, kind) in what.split(", ").enumerate() {
                let first = counts.iter().sum();
                let up = 0.5 * k as f64;
                let name = format!("body{k}");
                if kind == "solid" {
                    let mesh = box_mesh([0.3; 3], [2; 3], Split::Six)
                        .unwrap()
                        .map(|p| [p[0] - 0.13, p[1] + up + 0.2 * p[0], p[2] - 0.16])
                        .unwrap();
                    shapes.push(Shape::of_triangles(surface(mesh.tets()), first));
                    counts.push(mesh.vertices().len());
                    scene.add_solid(&name, mesh, rubber(), 1000.0).unwrap();
                } else {
                    // Tilted by more than they move between two of the times that are looked at.
                    let mesh = sheet(0.5, 6, [0.0, up, 0.01 * up], false);
                    let tilted =
                        mesh.vertices().iter().map(|p| [p[0], p[1] + 0.4 * up * p[0], p[2]]).collect();
                    let mesh = TriMesh::new(tilted, mesh.triangles().to_vec()).unwrap();
                    shapes.push(Shape::of_triangles(mesh.triangles().to_vec(), first));
                    counts.push(mesh.vertices().len());
                    scene.add_cloth(&name, mesh, linen()).unwrap();
                }
            }
            scene.collide(Collisions { friction: 0.3, within: true, ..Collisions::default() }).unwrap();
            let mut sim = scene.build().unwrap();
            let x = sim.positions();
            let v: Vec<V> = (0..x.len())
                .map(|i| if i < counts[0] { [0.0, 0.5 * speed, 0.0] } else { [0.0, -0.5 * speed, 0.0] })
                .collect();
            sim.set_state(&x, &v).unwrap();
            let momentum = |sim: &Simulation| -> V {
                let (m, v) = (sim.masses(), sim.velocities());
                std::array::from_fn(|c| m.iter().zip(&v).map(|(m, v)| m * v[c]).sum())
            };
            let mut before = momentum(&sim);
            let size = sim.masses().iter().sum::<f64>() * speed;
            let (mut short, mut hit) = (0, None);
            for frame in 0..12 {
                let (ways, r) = ways(&mut sim);
                short += usize::from(r.islands_shortened > 0);
                assert_eq!(r.max_penetration, 0.0, "{what}, {speed}, {frame}: {r:?}");
                assert_eq!(crossing(&sim, &shapes), None, "{what}, {speed}, {frame}: {r:?}");
                let times = (100 / ways.len()).max(4);
                for pair in ways.windows(2) {
                    let through = passed(&pair[0], &pair[1], &shapes, times);
                    assert_eq!(through, None, "{what}, {speed}, {frame}: {r:?}");
                }
                let now = momentum(&sim);
                // When they meet they are in order; later, what is left over of one may wrap around the other.
                hit = hit.or((r.contacts > 0 || r.status != supple::Status::Converged).then_some(frame));
                let x = sim.positions();
                let mean = |part: &[V]| part.iter().map(|p| p[1]).sum::<f64>() / part.len() as f64;
                let ordered = mean(&x[..counts[0]]) < mean(&x[counts[0]..]);
                assert!(
                    ordered || hit.is_some_and(|h| h < frame) || r.status != supple::Status::Converged,
                    "{what}, {speed}, {frame}: one has passed"
                );
                let lost = (0..3).map(|c| (now[c] - before[c]).abs()).fold(0.0, f64::max);
                // Where the last way was cut or shortened, the step has not converged.
                assert!(
                    lost <= 1e-10 * size || r.status != supple::Status::Converged,
                    "{what}, {speed}, {frame}: {lost}, {r:?}"
                );
                before = now;
            }
            println!("{what} at {speed} m/s: {short} of 12 steps shortened");
            assert!(hit.is_some(), "{what}, {speed}: they never met");
        }
    }
}
