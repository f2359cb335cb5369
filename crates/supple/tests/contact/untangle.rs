//! Surfaces that cross at the start come apart: sheets through sheets, a sleeve through a solid, random tangles. Nothing of that is by gravity.

use super::cloth::{linen, sheet};
use super::crossing::{Shape, Surfaces, V};
use super::random::Random;
use super::setup::settings;
use supple::mesh::shapes::{Split, box_mesh};
use supple::mesh::surface;
use supple::scene::Collisions;
use supple::{Material, MaterialKind, Method, Scene, TriMesh};

/// Steps of 10 ms in which a tangle is resolved: a fifth of a depth goes in each of them, so what is fifteen edges deep takes about fifteen
/// times the twenty steps that take 0.8²⁰ = 1 % of an edge.
const MOST: usize = 300;

/// No node may go further in one step than across a cell of the sheets, in m: the coarsest have cells of 0.4/6 m.
const CELL: f64 = 0.4 / 6.0 * std::f64::consts::SQRT_2;

/// What crosses, step by step, until nothing does any more.
fn resolve(bodies: Vec<TriMesh>, torso: bool, name: &str) -> Vec<usize> {
    let mut s = settings(Method::Auto, 0.01);
    s.world.gravity = [0.0; 3];
    s.solve.tolerance = 1e-4;
    s.solve.iterations = 50;
    let mut scene = Scene::new(s);
    let (mut shapes, mut first) = (Vec::new(), 0);
    for (k, mesh) in bodies.into_iter().enumerate() {
        shapes.push(Shape::of_triangles(mesh.triangles().to_vec(), first));
        first += mesh.vertices().len();
        scene.add_cloth(&format!("sheet{k}"), mesh, linen()).unwrap();
    }
    if torso {
        // A box that is rounded a little, as a torso is: wider than deep.
        let mesh = box_mesh([0.3, 0.5, 0.2], [6, 8, 4], Split::Five).unwrap();
        let round = |p: V| -> V {
            let q = [p[0] - 0.15, p[1] - 0.25, p[2] - 0.1];
            let swell = 1.0 - 1.5 * q[1] * q[1];
            [q[0] * swell, q[1], q[2] * swell * (1.0 - 3.0 * q[0] * q[0])]
        };
        let mesh = mesh.map(round).unwrap();
        shapes.push(Shape::of_triangles(surface(mesh.tets()), first));
        let rubber = Material::new(MaterialKind::NeoHookean, 1e5, 0.35).unwrap();
        scene.add_solid("torso", mesh, rubber, 1000.0).unwrap();
    }
    scene.collide(Collisions { within: true, ..Collisions::default() }).unwrap();
    let mut sim = scene.build().unwrap();
    let surfaces = Surfaces::new(&shapes, true);
    let mut counts = vec![surfaces.crossings(&sim).len()];
    assert!(counts[0] > 0, "{name}: nothing crosses at the start");
    for frame in 0..MOST {
        let r = sim.step().unwrap();
        let fastest = sim.velocities().iter().flatten().map(|v| v.abs()).fold(0.0, f64::max);
        assert!(fastest * 0.01 < CELL, "{name}, {frame}: a blow, {fastest} m/s, {r:?}");
        counts.push(surfaces.crossings(&sim).len());
        if counts.last() == Some(&0) {
            break;
        }
    }
    counts
}

fn moved(mesh: &TriMesh, f: impl Fn(V) -> V) -> TriMesh {
    TriMesh::new(mesh.vertices().iter().map(|p| f(*p)).collect(), mesh.triangles().to_vec()).unwrap()
}

#[test]
fn two_sheets_crossed_by_a_third() {
    let flat = sheet(0.4, 8, [0.0; 3], false);
    // Upright, a third of it below.
    let upright = moved(&flat, |p| [p[0] + 0.013, p[2] + 0.2 - 0.4 / 3.0 + 0.004, 0.017 + 0.02 * p[0]]);
    let counts = resolve(vec![flat, upright], false, "a third");
    assert_eq!(counts.last(), Some(&0), "{counts:?}");
}

#[test]
fn a_sleeve_through_a_torso() {
    // A tube, a third of its length in the side of the torso.
    let (around, along, radius, length) = (16_usize, 10_usize, 0.06_f64, 0.3_f64);
    let mut vertices: Vec<V> = Vec::new();
    for i in 0..=along {
        for k in 0..around {
            let angle = (k as f64 + 0.3) / around as f64 * std::f64::consts::TAU;
            let out = 0.15 - length / 3.0 + length * i as f64 / along as f64;
            vertices.push([out, 0.07 + radius * angle.cos(), 0.011 + radius * angle.sin()]);
        }
    }
    let node = |i: usize, k: usize| (i * around + k % around) as u32;
    let mut triangles = Vec::new();
    for i in 0..along {
        for k in 0..around {
            triangles.push([node(i, k), node(i, k + 1), node(i + 1, k)]);
            triangles.push([node(i, k + 1), node(i + 1, k + 1), node(i + 1, k)]);
        }
    }
    let counts = resolve(vec![TriMesh::new(vertices, triangles).unwrap()], true, "a sleeve");
    assert_eq!(counts.last(), Some(&0), "{counts:?}");
}

#[test]
fn ten_random_tangles() {
    let mut left = Vec::new();
    for seed in 0..10 {
        let mut random = Random(seed + 1);
        let mut number = |low: f64, high: f64| random.between(low, high);
        let flat = sheet(0.4, 6, [0.0; 3], false);
        let bodies = (0..3)
            .map(|_| {
                let (a, b, c) = (number(-1.5, 1.5), number(-1.5, 1.5), number(-1.5, 1.5));
                let at: V = [number(-0.1, 0.1), number(-0.1, 0.1), number(-0.1, 0.1)];
                moved(&flat, |p| {
                    let (s, t) = a.sin_cos();
                    let p = [t * p[0] - s * p[1], s * p[0] + t * p[1], p[2]];
                    let (s, t) = b.sin_cos();
                    let p = [p[0], t * p[1] - s * p[2], s * p[1] + t * p[2]];
                    let (s, t) = c.sin_cos();
                    [t * p[0] - s * p[2] + at[0], p[1] + at[1], s * p[0] + t * p[2] + at[2]]
                })
            })
            .collect();
        let counts = resolve(bodies, false, &format!("tangle {seed}"));
        if counts.last() != Some(&0) {
            left.push((seed, counts));
        }
    }
    assert!(left.is_empty(), "{left:?}");
}
