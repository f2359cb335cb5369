//! A sheet that hangs between two edges, against a chain of elastic bars by hand; friction at rest.

use super::common::{bar, settings};
use supple::contact::HalfSpace;
use supple::sim::Static;
use supple::{
    Bending, Cloth, Material, MaterialKind, Obstacle, Scene, Settings, SolveSettings, Status, TriMesh,
};

fn default(gravity: [f64; 3]) -> Settings {
    let mut s = settings(0.04);
    s.solve = SolveSettings { threads: 1, ..SolveSettings::default() };
    s.world.gravity = gravity;
    s
}

/// A grid in the plane y = 0, of so many cells along x and z.
pub fn grid(size: [f64; 2], cells: [usize; 2]) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for j in 0..=cells[1] {
        for i in 0..=cells[0] {
            vertices.push([size[0] * i as f64 / cells[0] as f64, 0.0, size[1] * j as f64 / cells[1] as f64]);
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

/// Places of the nodes of a chain of n bars of length l with stiffness EA that hangs over the span n l, the nodes as heavy as `weight`. The horizontal force H is the
/// same in all bars, the vertical one of bar i is what hangs below it: found by bisection of H.
fn chain(n: usize, l: f64, stiffness: f64, weight: f64) -> Vec<[f64; 2]> {
    let places = |h: f64| {
        let mut at = vec![[0.0, 0.0]];
        for i in 0..n {
            let v = weight * ((n - 1) as f64 / 2.0 - i as f64);
            let t = f64::hypot(h, v);
            let long = l * (1.0 + t / stiffness);
            let [x, y] = at[i];
            at.push([x + long * h / t, y - long * v / t]);
        }
        at
    };
    let (mut low, mut high) = (0.0, 1e3 * stiffness);
    for _ in 0..200 {
        let h = 0.5 * (low + high);
        if places(h)[n][0] > n as f64 * l { high = h } else { low = h }
    }
    places(low)
}

/// A sheet without Poisson's ratio that hangs between two edges is, strip by strip, a chain of bars: every node within 1e-8 of its length.
#[test]
fn a_hanging_sheet() {
    let (young, thickness, density, n) = (2e4, 1e-3, 1000.0, 20);
    let mesh = grid([1.0, 0.2], [n, 4]);
    let mut scene = Scene::new(default([0.0, -9.8, 0.0]));
    let cloth = Cloth {
        bending: Bending::None,
        ..Cloth::new(Material::new(MaterialKind::Arap, young, 0.0).unwrap(), thickness, density)
    };
    let sheet = scene.add_cloth("sheet", mesh.clone(), cloth).unwrap();
    let edges: Vec<u32> = (0..mesh.vertices().len() as u32)
        .filter(|&i| [0.0, 1.0].iter().any(|e| (mesh.vertices()[i as usize][0] - e).abs() < 1e-12))
        .collect();
    scene.pin(sheet, &edges).unwrap();
    let mut sim = scene.build().unwrap();
    let r = sim.equilibrium(&Static::default()).unwrap();
    assert_eq!(r.status, Status::Converged, "{r:?}");
    let l = 1.0 / n as f64;
    let wanted = chain(n, l, young * thickness, density * thickness * l * 9.8);
    assert!(wanted[n / 2][1] < -0.1, "{:?}", wanted[n / 2]);
    for (p, q) in mesh.vertices().iter().zip(sim.positions()) {
        let [x, y] = wanted[(p[0] * n as f64).round() as usize];
        let off = (q[0] - x).abs().max((q[1] - y).abs()).max((q[2] - p[2]).abs());
        assert!(off <= 1e-8, "{q:?} is not {x}, {y}: {off:e}");
    }
}

/// A block on a slope of tan θ = 1/2: at μ = 0.51 friction bears what slides, 1e-6 of the weight; at μ = 0.49 nothing does, and that is no equilibrium.
#[test]
fn friction_at_rest() {
    let angle = 0.5f64.atan();
    let (sin, cos) = angle.sin_cos();
    let run = |mu: f64| {
        let mut scene = Scene::new(default([9.8 * sin, -9.8 * cos, 0.0]));
        let material = Material::new(MaterialKind::NeoHookean, 1e6, 0.3).unwrap();
        scene.add_solid("block", bar([4, 2, 4], 0.1), material, 1000.0).unwrap();
        let floor = HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap();
        scene.add_obstacle(Obstacle::new("slope", floor).with_friction(mu)).unwrap();
        let mut sim = scene.build().unwrap();
        let r = sim.equilibrium(&Static::default()).unwrap();
        let x = sim.positions();
        let middle = x.iter().map(|p| p[0]).sum::<f64>() / x.len() as f64;
        (r, sim.reactions().first().copied().unwrap_or_default(), middle)
    };
    let (r, force, middle) = run(0.51);
    let weight = 32.0 * 9.8;
    assert_eq!(r.status, Status::Converged, "{r:?}");
    assert!((force[0] + weight * sin).abs() <= 1e-6 * weight, "{force:?}");
    assert!((force[1] - weight * cos).abs() <= 1e-6 * weight, "{force:?}");
    assert!((middle - 0.2).abs() < 5e-3, "{middle}");
    let (r, _, middle) = run(0.49);
    assert_eq!(r.status, Status::Diverged, "{r:?}");
    assert!((middle - 0.2).abs() < 1e-12, "what slides without end is put back: {middle}");
}

/// A block on another that is pinned, loads at tan θ = 1/2 to their face: at μ = 0.51 friction between bodies bears what slides, 1e-6 of the weight, and what one gives the other
/// feels; at μ = 0.49 there is no equilibrium.
#[test]
fn friction_between_bodies_at_rest() {
    let angle = 0.5f64.atan();
    let (sin, cos) = angle.sin_cos();
    let weight = 2.0 * 9.8;
    for mu in [0.51, 0.49] {
        let mut scene = Scene::new(default([9.8 * sin, -9.8 * cos, 0.0]));
        let material = Material::new(MaterialKind::NeoHookean, 1e6, 0.3).unwrap();
        let low = bar([8, 1, 4], 0.1);
        let below = scene.add_solid("low", low.clone(), material.clone(), 1000.0).unwrap();
        let base: Vec<u32> =
            (0..low.vertices().len() as u32).filter(|&i| low.vertices()[i as usize][1] == 0.0).collect();
        scene.pin(below, &base).unwrap();
        // Cells of another size, so that nodes do not stand on nodes.
        let high = bar([3, 1, 3], 0.08).map(|p| [p[0] + 0.1, p[1] * 0.43 + 0.102, p[2] + 0.05]).unwrap();
        let volume = high.volume();
        scene.add_solid("high", high.clone(), material, 2.0 / volume).unwrap();
        scene.collide(supple::scene::Collisions { friction: mu, ..Default::default() }).unwrap();
        let mut sim = scene.build().unwrap();
        let r = sim.equilibrium(&Static::default()).unwrap();
        if mu < 0.5 {
            assert_ne!(r.status, Status::Converged, "{r:?}");
            continue;
        }
        assert_eq!(r.status, Status::Converged, "{r:?}");
        let sums = sim.contact_sums();
        let (high_feels, low_feels) = (sums[1][0], sums[0][1]);
        assert!((high_feels[0] + weight * sin).abs() <= 1e-6 * weight, "{high_feels:?}");
        assert!((high_feels[1] - weight * cos).abs() <= 1e-6 * weight, "{high_feels:?}");
        assert!((0..3).all(|c| (high_feels[c] + low_feels[c]).abs() <= 1e-9 * weight), "{sums:?}");
        let moved = sim.positions()[low.vertices().len()..]
            .iter()
            .zip(high.vertices())
            .fold(0.0, |most: f64, (p, q)| most.max((p[0] - q[0]).abs()));
        assert!(moved < 0.01, "it slid by {moved}");
    }
}
