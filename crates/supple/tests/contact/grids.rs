//! Distances on a grid: against the shapes that they are the distances of.

use super::reference::shape::Random;
use super::setup::{centre, cube, drift, floor, settings};
use std::sync::Arc;
use supple::contact::{ClosedMesh, Cuboid, Cylinder, DistanceGrid, HalfSpace, Pose, Sphere, Surface};
use supple::{MaterialKind, Method, Obstacle, Scene, Simulation, Status};

type V = [f64; 3];
type Shape = Arc<dyn Surface>;

fn length(a: V) -> f64 {
    a.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// A function at the points of a grid from `low` to `high`, `h` apart.
fn sampled(low: V, high: V, h: f64, f: impl Fn(V) -> f64) -> Result<DistanceGrid, supple::ParameterError> {
    let counts: [usize; 3] = std::array::from_fn(|c| ((high[c] - low[c]) / h).round() as usize + 1);
    let mut values = Vec::new();
    for i in 0..counts[0] {
        for j in 0..counts[1] {
            for k in 0..counts[2] {
                let p = [i, j, k].map(|n| n as f64);
                values.push(f(std::array::from_fn(|c| low[c] + h * p[c])));
            }
        }
    }
    DistanceGrid::new(low, [h; 3], counts, values)
}

/// The distance from a shape as a grid.
fn grid_of(shape: &dyn Surface, low: V, high: V, h: f64) -> DistanceGrid {
    sampled(low, high, h, |p| shape.closest(p).distance).unwrap()
}

fn ball(h: f64) -> (Sphere, DistanceGrid) {
    let ball = Sphere::new([0.013, -0.007, 0.021], 0.4).unwrap();
    (ball, grid_of(&ball, [-0.6; 3], [0.6; 3], h))
}

/// Third order: half the spacing has an eighth of the error, away from the middle, where the distance has no slope.
#[test]
fn distance_and_normal_of_a_sphere() {
    let mut last = [f64::INFINITY; 2];
    for h in [0.1, 0.05, 0.025] {
        let (ball, grid) = ball(h);
        let mut random = Random::new(3);
        let mut most = [0.0f64; 2];
        for _ in 0..20_000 {
            let p = random.vector(0.5);
            let p = [p.x, p.y, p.z];
            let (a, b) = (ball.closest(p), grid.closest(p));
            if a.distance.abs() < 0.1 {
                most[0] = most[0].max((a.distance - b.distance).abs());
                most[1] = most[1].max(length(std::array::from_fn(|c| a.normal[c] - b.normal[c])));
            }
            assert!((length(b.normal) - 1.0).abs() < 1e-12);
        }
        println!("spacing {h}: distance off by {:e} m, normal by {:e}", most[0], most[1]);
        assert!(most[0] < last[0] / 6.0 && most[1] < last[1] / 3.0, "{most:?} after {last:?}");
        assert!(most[0] < 0.15 * h * h * h / 0.16 && most[1] < 0.5 * h * h / 0.16, "{h}: {most:?}");
        last = most;
    }
}

/// A plane is exact, along any direction, with other spacings along x, y and z, and up to the sides of the grid.
#[test]
fn planes_are_exact() {
    let plane = HalfSpace::new([0.1, 0.2, -0.1], [0.3, 1.0, -0.4]).unwrap();
    let (h, counts) = ([0.11, 0.07, 0.25], [9, 14, 4]);
    let mut values = Vec::new();
    for n in 0..counts[0] * counts[1] * counts[2] {
        let p = [n / (counts[1] * counts[2]), n / counts[2] % counts[1], n % counts[2]];
        values.push(plane.closest(std::array::from_fn(|c| -0.4 + h[c] * p[c] as f64)).distance);
    }
    let grid = DistanceGrid::new([-0.4; 3], h, counts, values).unwrap();
    let mut random = Random::new(8);
    for _ in 0..2000 {
        let p = random.vector(0.29);
        let p = [p.x, p.y, p.z];
        let (a, b) = (plane.closest(p), grid.closest(p));
        // Deeper inside the sides of the grid may be nearer.
        if a.distance > -0.05 {
            assert!((a.distance - b.distance).abs() < 1e-12, "{p:?}: {a:?}, {b:?}");
            assert!(length(std::array::from_fn(|c| a.normal[c] - b.normal[c])) < 1e-12, "{p:?}");
        }
    }
}

/// A point never comes to the surface within the distance that is reported clear, wherever it is and whatever the values are.
#[test]
fn what_is_clear_is_clear() {
    let mut random = Random::new(21);
    let plate = Cuboid::new([0.0, -0.013, 0.0], [0.7, 0.08, 0.5]).unwrap();
    let noise: Vec<f64> = (0..4096).map(|_| 0.03 * random.vector(1.0).x).collect();
    let rough = |p: V| {
        let cell = p.map(|v| ((v + 2.0) * 19.7) as usize);
        Sphere::new([0.0; 3], 0.4).unwrap().closest(p).distance
            + noise[(cell[0] * 31 + cell[1] * 7 + cell[2]) % 4096]
    };
    let grids = [
        ball(0.1).1,
        grid_of(&plate, [-0.6; 3], [0.6; 3], 0.05),
        sampled([-0.6; 3], [0.6; 3], 0.06, rough).unwrap(),
        // Cut off at all sides.
        sampled([-0.3; 3], [0.3; 3], 0.05, |p| p[1] - 0.2 * p[0]).unwrap(),
    ];
    for grid in grids {
        let mut tight = f64::INFINITY;
        for _ in 0..4000 {
            let p = random.vector(1.0);
            let p = [p.x, p.y, p.z];
            let s = grid.closest(p);
            assert!(
                s.normal.iter().chain(&s.point).all(|v| v.is_finite())
                    && (length(s.normal) - 1.0).abs() < 1e-12
            );
            for thickness in [0.0, 0.05] {
                let clear = grid.clear(s.distance - thickness);
                if clear <= 0.0 {
                    continue;
                }
                tight = tight.min(clear / (s.distance - thickness));
                for _ in 0..20 {
                    let way = random.vector(1.0);
                    let q: V =
                        std::array::from_fn(|c| p[c] + 0.999 * clear * [way.x, way.y, way.z][c] / way.norm());
                    let d = grid.closest(q).distance - thickness;
                    assert!(d >= 0.0, "{grid:?}: {d} at {q:?}, {clear} from {p:?}");
                }
            }
        }
        assert!(tight > 0.1, "{tight}");
        for p in [[1e300, 0.0, 0.0], [-1e300, 1e300, 0.1], grid.centre()] {
            let s = grid.closest(p);
            assert!(s.distance.is_finite() && s.normal.iter().all(|v| v.is_finite()), "{s:?}");
        }
    }
}

/// The triangles that are drawn: closed, facing outwards, on the surface.
#[test]
fn the_drawn_surface_is_closed() {
    for h in [0.1, 0.04, 0.015] {
        let (ball, grid) = ball(h);
        let (points, triangles) = grid.triangles();
        assert!(triangles.len() < 60_000, "{}", triangles.len());
        for p in &points {
            // Finer grids are drawn through every second point.
            assert!(ball.closest(*p).distance.abs() < 0.5 * (2.0 * h.max(0.015)).powi(2) / 0.4, "{p:?}");
        }
        let volume: f64 = triangles
            .iter()
            .map(|t| t.map(|i| points[i as usize]))
            .map(|[a, b, c]| {
                (a[0] * (b[1] * c[2] - b[2] * c[1])
                    + a[1] * (b[2] * c[0] - b[0] * c[2])
                    + a[2] * (b[0] * c[1] - b[1] * c[0]))
                    / 6.0
            })
            .sum();
        let whole = 4.0 / 3.0 * std::f64::consts::PI * 0.4f64.powi(3);
        assert!((volume / whole - 1.0).abs() < 0.15, "{volume} of {whole}");
        ClosedMesh::new(points, triangles).unwrap();
    }
    // A shape that reaches the sides of its grid is closed there.
    let cut = sampled([-0.3; 3], [0.3; 3], 0.05, |p| p[1] - 0.21 * p[0] + 0.011).unwrap();
    let (points, triangles) = cut.triangles();
    let closed = ClosedMesh::new(points, triangles).unwrap();
    assert!((closed.closest([0.2, -0.29, 0.1]).distance + 0.01).abs() < 1e-12);
}

#[test]
fn grids_that_are_none_are_refused() {
    let new = |h: V, counts: [usize; 3], values: Vec<f64>| DistanceGrid::new([0.0; 3], h, counts, values);
    let step = || vec![-0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5];
    new([1.0; 3], [2; 3], step()).unwrap();
    let with = |at: usize, v: f64| {
        let mut values = step();
        values[at] = v;
        values
    };
    for (made, word) in [
        (new([1.0; 3], [2, 2, 1], vec![0.0; 4]), "at least 2 points"),
        (new([1.0; 3], [2, 2, 0], vec![]), "at least 2 points"),
        (new([1.0; 3], [2, 2, 3], step()), "needs 12 values, not 8"),
        (new([1.0; 3], [1 << 40, 1 << 40, 2], step()), "has more than"),
        (new([1.0; 3], [1 << 10, 1 << 10, 1 << 10], step()), "has more than"),
        (new([0.0, 1.0, 1.0], [2; 3], step()), "spacing"),
        (new([-1.0; 3], [2; 3], step()), "spacing"),
        (new([f64::NAN; 3], [2; 3], step()), "spacing"),
        (new([1e300; 3], [2; 3], step()), "spacing"),
        (new([1.0; 3], [2; 3], with(5, f64::NAN)), "value at [1, 0, 1]"),
        (new([1.0; 3], [2; 3], with(2, f64::INFINITY)), "value at [0, 1, 0]"),
        (new([1.0; 3], [2; 3], with(7, 1e10)), "value at [1, 1, 1]"),
        (
            new([1.0; 3], [2; 3], with(6, -9.0)),
            "from [0, 1, 0] to [1, 1, 0], 1 m apart, they change by -8.5 m",
        ),
        (new([1.0; 3], [2; 3], vec![0.3; 8]), "all positive"),
        (new([1.0; 3], [2; 3], vec![-0.3; 8]), "all negative"),
        (new([1.0; 3], [2; 3], step().iter().map(|v| 0.1 * v).collect()), "by 0.100 m per metre"),
        (new([1.0; 3], [2; 3], step().iter().map(|v| 1.8 * v).collect()), "by 1.800 m per metre"),
        (DistanceGrid::new([f64::NAN, 0.0, 0.0], [1.0; 3], [2; 3], step()), "origin"),
    ] {
        let told = made.unwrap_err().reason;
        assert!(told.contains(word), "{told}, not {word}");
    }
}

fn named(shape: Arc<dyn Surface>, friction: f64) -> Obstacle {
    Obstacle { name: "shape".into(), shape, friction, thickness: 0.0 }
}

/// A soft cube thrown at a shape; positions of all frames.
fn thrown(shape: Arc<dyn Surface>, method: Method, mu: f64, frames: usize) -> Vec<Vec<V>> {
    let mut s = settings(method, 0.01);
    s.solve.tolerance = 1e-7;
    let material = (MaterialKind::NeoHookean, 1e5, 0.35);
    let mut sim = cube(s, material, [0.2; 3], [2; 3], [0.03, 0.42, -0.08], vec![named(shape, mu)]);
    let x = sim.positions();
    sim.set_state(&x, &vec![[0.4, -1.0, 0.1]; x.len()]).unwrap();
    let mut all = Vec::new();
    let mut touched = 0;
    for frame in 0..frames {
        let r = sim.step().unwrap();
        assert_eq!(r.status, Status::Converged, "{method}, {mu}, {frame}: {r:?}");
        assert!(r.max_penetration <= 1e-7, "{method}, {mu}, {frame}: {r:?}");
        touched += r.contacts;
        all.push(sim.positions());
    }
    assert!(touched > 20, "{touched}");
    all
}

/// The same motion as with the shape itself: on a plane to rounding times what the solver leaves, on a ball within what the grid is off.
#[test]
fn cubes_fall_as_on_the_shapes_themselves() {
    for method in [Method::Auto, Method::Admm] {
        for mu in [0.0, 0.5] {
            let plane = HalfSpace::new([0.0, 0.35, 0.0], [-0.1, 1.0, 0.05]).unwrap();
            let flat = grid_of(&plane, [-1.0, -0.3, -1.0], [1.0, 0.9, 1.0], 0.1);
            let round = Sphere::new([0.1, 0.0, 0.02], 0.4).unwrap();
            let ball = grid_of(&round, [-0.4, -0.5, -0.48], [0.6, 0.5, 0.52], 0.025);
            let pairs: [(Shape, Shape, f64); 2] =
                [(Arc::new(plane), Arc::new(flat), 2e-6), (Arc::new(round), Arc::new(ball), 1e-3)];
            for (shape, grid, most) in pairs {
                let (a, b) = (thrown(shape, method, mu, 40), thrown(grid, method, mu, 40));
                let off = a.iter().zip(&b).map(|(a, b)| super::common::distance(a, b)).fold(0.0, f64::max);
                println!("{method}, μ = {mu}: off by {off:e} m of {most:e}");
                assert!(off <= most, "{method}, {mu}: {off}");
            }
        }
    }
}

/// A grid that moves and turns, against the box that it is the distance of.
#[test]
fn a_grid_moves_and_turns() {
    let slab = Cuboid::new([0.0, -0.1, 0.0], [2.0, 0.2, 2.0]).unwrap();
    let grid = grid_of(&slab, [-1.1, -0.3, -1.1], [1.1, 0.3, 1.1], 0.1);
    let run = |shape: Arc<dyn Surface>| {
        let mut s = settings(Method::Auto, 0.01);
        s.solve.tolerance = 1e-7;
        let material = (MaterialKind::Corotated, 1e6, 0.3);
        let mut sim = cube(s, material, [0.2; 3], [2; 3], [0.3, 0.0, -0.1], vec![named(shape, 0.9)]);
        for frame in 1..=60 {
            let t = 0.01 * f64::from(frame);
            // Turns about y and tilts a little, and goes aside: a body with enough friction goes along.
            sim.move_obstacle(
                0,
                Pose::new([0.02 * t, 0.5 * t * t, 0.05 * t], [0.0; 3], [0.4 * t * t, 0.0, 0.0]),
            )
            .unwrap();
            let r = sim.step().unwrap();
            assert!(r.max_penetration <= 1e-7, "{frame}: {r:?}");
        }
        (sim.positions(), drift(&sim))
    };
    let ((a, v), (b, w)) = (run(Arc::new(slab)), run(Arc::new(grid)));
    assert!(v[0] > 0.3, "it is carried along: {v:?}");
    let off = super::common::distance(&a, &b);
    println!("moved: off by {off:e} m");
    assert!(off < 2e-5 && length(std::array::from_fn(|c| v[c] - w[c])) < 1e-3, "{off}, {v:?}, {w:?}");
}

/// At 100 m/s and 40 ms, on a plate of 8 cm as a grid of 4 cm, whatever comes stays on its side, and what passes beside it is free.
#[test]
fn nothing_tunnels_through_a_grid() {
    let plate = Cuboid::new([0.0; 3], [2.0, 0.08, 2.0]).unwrap();
    for speed in [1.0, 10.0, 100.0] {
        let mut s = settings(Method::Auto, 0.04);
        s.world.gravity = [0.0; 3];
        let mut scene = Scene::new(s);
        let at = [[0.0, 1.0, 0.0], [0.33, 0.9, 0.71], [-0.91, 2.0, 0.2], [1.5, 1.0, 0.0], [0.9, 0.3, 3.0]];
        let v = [
            [0.0, -speed, 0.0],
            [0.1, -speed, -0.2],
            [0.5, -speed, 0.1],
            [0.0, -speed, 0.0],
            [0.0, -speed, 0.0],
        ];
        scene.add_springs("particles", at.to_vec(), vec![1.0; 5], vec![]).unwrap();
        let grid = grid_of(&plate, [-1.2, -0.16, -1.2], [1.2, 0.16, 1.2], 0.04);
        scene.add_obstacle(Obstacle::new("plate", grid)).unwrap();
        let mut sim = scene.build().unwrap();
        sim.set_state(&at, &v).unwrap();
        for frame in 1..=30 {
            let r = sim.step().unwrap();
            assert!(r.max_penetration <= 1e-9, "{speed}, {frame}: {r:?}");
            let x = sim.positions();
            for p in x.iter().take(3).filter(|p| p[0].abs() < 0.97 && p[2].abs() < 0.97) {
                assert!(p[1] > 0.039, "{speed}, {frame}: {p:?}");
            }
            for i in [3, 4] {
                let free = at[i][1] - speed * 0.04 * f64::from(frame);
                assert!((x[i][1] - free).abs() < 1e-9 * (1.0 + free.abs()), "{speed}, {frame}: {:?}", x[i]);
            }
        }
    }
    for (speed, h) in [(10.0, 0.01), (30.0, 0.02), (100.0, 0.04)] {
        let grid = grid_of(&plate, [-1.2, -0.16, -1.2], [1.2, 0.16, 1.2], 0.04);
        let mut s = settings(Method::Auto, h);
        s.world.gravity = [0.0; 3];
        (s.solve.iterations, s.solve.tolerance) = (100, 1e-4);
        let material = (MaterialKind::NeoHookean, 1e5, 0.4);
        let mut sim =
            cube(s, material, [0.3; 3], [3; 3], [-0.1, 0.5, -0.2], vec![Obstacle::new("plate", grid)]);
        let x = sim.positions();
        sim.set_state(&x, &vec![[0.0, -speed, 0.0]; x.len()]).unwrap();
        for frame in 0..30 {
            let r = sim.step().unwrap();
            let least = sim.positions().iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
            assert!(least > 0.039, "{speed}, {frame}: {least}, {r:?}");
        }
    }
}

/// A bowl: the lower half of a shell. What falls into it stays there, and no node is deeper in its wall than the grid is off.
#[test]
fn a_bowl_holds_a_body() {
    let (inner, outer) = (Sphere::new([0.0; 3], 0.5).unwrap(), Sphere::new([0.0; 3], 0.6).unwrap());
    let below = Cylinder::new([0.0, -1.0, 0.0], [0.0, 0.02, 0.0], 1.0).unwrap();
    let bowl = |p: V| {
        let shell = outer.closest(p).distance.max(-inner.closest(p).distance);
        shell.max(below.closest(p).distance)
    };
    let h = 0.025;
    for mu in [0.0, 0.3] {
        let grid = Arc::new(sampled([-0.7, -0.7, -0.7], [0.7, 0.1, 0.7], h, bowl).unwrap());
        // How far its surface is from that of the bowl, at many places below the rim.
        let mut random = Random::new(2);
        let mut accuracy = 0.0f64;
        for _ in 0..200_000 {
            let p = random.vector(1.0).normalize() * 0.5;
            if p.y < -0.05 {
                accuracy = accuracy.max(grid.closest([p.x, p.y, p.z]).distance.abs());
            }
        }
        assert!(accuracy < 1e-4, "{accuracy}");
        let mut s = settings(Method::Auto, 0.01);
        s.solve.tolerance = 1e-6;
        let material = (MaterialKind::NeoHookean, 5e4, 0.4);
        let mut sim = cube(s, material, [0.2; 3], [3; 3], [0.1, -0.05, -0.1], vec![named(grid, mu)]);
        let weight = 9.8 * sim.masses().iter().sum::<f64>();
        let (mut deepest, mut off) = (0.0f64, 0);
        for frame in 0..200 {
            let r = sim.step().unwrap();
            assert!(r.max_penetration <= 1e-6, "{mu}, {frame}: {r:?}");
            off += usize::from(r.status != Status::Converged);
            // In the bowl itself, not in its grid.
            deepest = sim.positions().iter().map(|p| length(*p) - 0.5).fold(deepest, f64::max);
        }
        let at = centre(&sim);
        println!(
            "μ = {mu}: deepest {deepest:e} m of {accuracy:e} m, {off} of 200 not converged, ends at {at:?}"
        );
        assert!(deepest <= accuracy + 1e-6, "{mu}: {deepest} of {accuracy}");
        assert!(off <= 4, "{mu}: {off} of 200 steps did not converge");
        assert!(at[1] < -0.3 && length([at[0], 0.0, at[2]]) < 0.45, "{mu}: {at:?}");
        if mu > 0.0 {
            let push = sim.reactions()[0];
            assert!((push[1] - weight).abs() < 0.2 * weight, "{push:?} of {weight}");
        }
    }
}

/// The same bits on 1, 2 and 3 threads; another value anywhere is another scene for a checkpoint.
#[test]
fn grids_have_the_same_bits_and_a_fingerprint() {
    let build = |threads: usize, more: f64| -> Simulation {
        let (ball, _) = ball(0.05);
        let grid = sampled([-0.6; 3], [0.6; 3], 0.05, |p| {
            ball.closest(p).distance + if p[0] < -0.59 && p[1] < -0.59 && p[2] < -0.59 { more } else { 0.0 }
        });
        let mut s = settings(Method::Auto, 0.02);
        (s.solve.threads, s.solve.tolerance) = (threads, 1e-5);
        let material = (MaterialKind::NeoHookean, 5e4, 0.4);
        let shape: Arc<dyn Surface> = Arc::new(grid.unwrap());
        cube(s, material, [0.3; 3], [4; 3], [-0.1, 0.42, -0.2], vec![named(shape, 0.4), floor(0.3)])
    };
    let mut sims = [1, 2, 3].map(|n| build(n, 0.0));
    for frame in 0..20 {
        let bits = sims.each_mut().map(|sim| {
            sim.step().unwrap();
            let (x, v) = (sim.positions(), sim.velocities());
            x.iter().chain(&v).flatten().map(|v| v.to_bits()).collect::<Vec<_>>()
        });
        assert!(bits[0] == bits[1] && bits[0] == bits[2], "frame {frame}");
    }
    assert!(sims[0].reactions()[0] != [0.0; 3]);
    let bytes = sims[0].checkpoint();
    build(1, 0.0).restore(&bytes).unwrap();
    assert!(build(1, 1e-3).restore(&bytes).is_err());
}
