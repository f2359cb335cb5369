//! Surfaces that nobody would draw: bytes as the fuzz target `fill` reads them, made by a loop of mutations. `SUPPLE_FILL_RUNS` says how many.

use crate::shapes::{Mesh, Random, block, sphere};
use supple::mesh::fill::{FillSettings, Fineness, Kind, fill};
use supple::mesh::{Embedding, surface};

/// Numbers that do harm elsewhere.
const ODD: [f64; 10] =
    [0.0, -0.0, f64::NAN, f64::INFINITY, 1e300, -1e300, 1e-300, 1e20, 1e-20, f64::MIN_POSITIVE];

fn pick(random: &mut Random, n: usize) -> usize {
    ((random.next() * n as f64) as usize).min(n - 1)
}

/// One change: a vertex moved, snapped to another or made odd; a triangle dropped, turned, copied or led elsewhere; all flattened.
fn mutate(mesh: &mut Mesh, random: &mut Random) {
    if mesh.triangles.is_empty() || mesh.vertices.is_empty() {
        return;
    }
    let (v, t) = (pick(random, mesh.vertices.len()), pick(random, mesh.triangles.len()));
    let (other, axis) = (pick(random, mesh.vertices.len()), pick(random, 3));
    match pick(random, 12) {
        0..3 => mesh.vertices[v][axis] += random.next() - 0.5,
        3 => mesh.vertices[v] = mesh.vertices[other],
        4 if random.next() < 0.1 => mesh.vertices[v][axis] = ODD[pick(random, ODD.len())],
        5 => mesh.triangles[t].swap(0, 1),
        6 => mesh.triangles[t][axis] = other as u32,
        7 => mesh.triangles.push(mesh.triangles[t]),
        8 if random.next() < 0.1 => mesh.vertices.iter_mut().for_each(|p| p[axis] *= 1e-3),
        9 => mesh.vertices[v][axis] = (4.0 * mesh.vertices[v][axis]).round() / 4.0,
        10 if random.next() < 0.02 => mesh.triangles[t][axis] = u32::MAX,
        _ => {
            mesh.triangles.swap_remove(t);
        }
    }
}

/// No panic; what comes out has angles within the promise, a closed boundary, fractions within (0, 1], and carries its surface.
#[test]
fn mutated_surfaces_are_filled_or_refused() {
    let runs = std::env::var("SUPPLE_FILL_RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(1500);
    let seeds =
        [sphere(1.0, 4), block([0.0; 3], [1.0, 0.5, 0.2]), sphere(1.0, 3).with(&block([0.0; 3], [1.5; 3]))];
    let mut random = Random(0x5EED);
    let (mut filled, mut refused) = (0, 0);
    for run in 0..runs {
        let mut mesh = seeds[run % seeds.len()].clone();
        for _ in 0..1 + pick(&mut random, 24) {
            mutate(&mut mesh, &mut random);
        }
        let fineness = match run % 4 {
            0 => Fineness::Tets(1 + pick(&mut random, 400)),
            _ => Fineness::Size(0.15 + random.next()),
        };
        let kind = [Kind::Conform, Kind::Grow, Kind::Cage][pick(&mut random, 3)];
        let settings =
            FillSettings { fineness, kind, threads: 1, memory: 1 << 26, ..FillSettings::default() };
        match fill(&mesh.surface(), &settings) {
            Ok((body, report)) => {
                filled += 1;
                let [low, high] = report.dihedral.map(f64::to_degrees);
                assert!(low > 9.0 && high < 165.0, "run {run}: {low}° to {high}°");
                assert!(body.fill().iter().all(|f| *f > 0.0 && *f <= 1.0), "run {run}");
                let mut edges = std::collections::HashMap::new();
                for [a, b, c] in surface(body.tets()) {
                    for (p, q) in [(a, b), (b, c), (c, a)] {
                        *edges.entry((p.min(q), p.max(q))).or_insert(0) += 1;
                    }
                }
                assert!(edges.values().all(|n| *n == 2), "run {run}: open or pinched");
                // A vertex that no triangle uses may be anything to the filler, but nothing carries it if it is nowhere.
                let finite = mesh.vertices.iter().flatten().all(|c| c.is_finite());
                assert_eq!(Embedding::new(&body, &mesh.vertices).is_ok(), finite, "run {run}");
                report.notes();
            }
            Err(e) => {
                refused += 1;
                assert!(!e.to_string().is_empty());
            }
        }
    }
    println!("{filled} filled, {refused} refused");
    assert!(10 * filled > runs, "only {filled} of {runs} were filled: the loop tries nothing");
}
