//! Steps that end before they converge still come near to their constraints.
use supple::settings::Wind;
use supple::{
    Along, Bending, Cloth, Limit, Material, MaterialKind, Scene, Settings, Simulation, SolveSettings, Status,
    TriMesh,
};

const CELLS: [usize; 2] = [50, 24];

/// The flag of Fig. 4.
fn flag(solve: SolveSettings, along: Along) -> Simulation {
    let at = |i: usize, j: usize| (j * (CELLS[0] + 1) + i) as u32;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for j in 0..=CELLS[1] {
        for i in 0..=CELLS[0] {
            vertices.push([2.0 * i as f64 / CELLS[0] as f64, j as f64 / CELLS[1] as f64, 0.0]);
        }
    }
    for j in 0..CELLS[1] {
        for i in 0..CELLS[0] {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let mut settings = Settings { solve, ..Settings::default() };
    settings.world.wind =
        Some(Wind { velocity: [20.0, 0.0, 2.0], gust: 0.3, gust_time: 0.7, ..Wind::default() });
    let mut cloth = Cloth::new(Material::new(MaterialKind::Arap, 1e5, 0.3).unwrap(), 5e-4, 400.0);
    cloth.limit = Some(Limit { range: [0.95, 1.05], along, stiffness: None });
    cloth.bending = Bending::Flat(5e-3);
    let mut scene = Scene::new(settings);
    let body = scene.add_cloth("flag", TriMesh::new(vertices, triangles).unwrap(), cloth).unwrap();
    let mast: Vec<u32> = (0..=CELLS[1]).map(|j| at(0, j)).collect();
    scene.pin(body, &mast).unwrap();
    scene.build().unwrap()
}

/// Violations of `frames` frames, sorted; and the greatest kinetic energy.
fn run(solve: SolveSettings, along: Along, frames: usize) -> (Vec<f64>, f64) {
    let mut s = flag(solve, along);
    let mut all = Vec::new();
    let mut most = 0.0f64;
    for _ in 0..frames {
        let r = s.step().unwrap();
        all.push(r.violation);
        most = most.max(r.energy.kinetic);
    }
    all.sort_by(f64::total_cmp);
    (all, most)
}

/// Limits hold to 1e-2 after 40 iterations and to 2e-3 after 100, in the median over running frames. From converged starts 20 and 60 would do; over running frames
/// these gave 3e-2 and 2.2e-3.
#[test]
fn sweeps_bring_constraints_near_to_holding() {
    for (along, iterations, most) in
        [(Along::Threads, 40, 1e-2), (Along::Threads, 100, 2e-3), (Along::Stretches, 60, 1e-2)]
    {
        let solve = SolveSettings { iterations, tolerance: 1e-5, threads: 1, ..SolveSettings::default() };
        let (with, energy) = run(solve.clone(), along, 30);
        let (without, plain) = run(SolveSettings { projections: 0, ..solve }, along, 30);
        let (a, b) = (with[with.len() / 2], without[without.len() / 2]);
        assert!(a <= most, "{along:?} after {iterations} iterations: {a}");
        // Threads are projected exactly; in every direction stretches are so one at a time, and less is gained.
        let gain = if along == Along::Threads { 0.5 } else { 1.0 };
        assert!(a < gain * b, "{along:?} after {iterations} iterations: {a} with sweeps, {b} without");
        // Sweeps bring no energy of their own.
        assert!(energy <= 1.5 * plain, "{energy} J with sweeps, {plain} J without");
    }
}

#[test]
fn sweeps_give_the_same_bits_on_any_number_of_threads() {
    let step = |threads| {
        let solve = SolveSettings { iterations: 10, threads, ..SolveSettings::default() };
        let mut s = flag(solve, Along::Threads);
        (0..5).for_each(|_| assert_eq!(s.step().unwrap().status, Status::IterationLimit));
        s.positions()
    };
    assert_eq!(step(1), step(3));
}
