//! The global solve against dense elimination and against its own residual.
//!
//! Tolerances: the residual |A x − b| of a backward stable solve is a few n·ε·|A||x|; 1e-12 relative leaves a
//! factor of a hundred at these sizes. Bitwise comparisons have no tolerance.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use supple::exec::Exec;
use supple::global::{Cholesky, Cliques, FactorError, SolveScratch, System, inverse, order};
use supple::math::nodes::Row;

/// Numbers in [0, 1), the same in every run (an LCG).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    fn below(&mut self, n: usize) -> u32 {
        (self.next() * n as f64) as u32
    }
}

/// A box of cells, each cut into six tetrahedra.
fn box_mesh(cells: [usize; 3]) -> (Vec<[f64; 3]>, Vec<Vec<u32>>) {
    let [nx, ny, nz] = cells;
    let id = |x: usize, y: usize, z: usize| (x + (nx + 1) * (y + (ny + 1) * z)) as u32;
    let mut positions = Vec::new();
    for z in 0..=nz {
        for y in 0..=ny {
            for x in 0..=nx {
                positions.push([x as f64, y as f64, z as f64]);
            }
        }
    }
    let corners = [[0usize, 1, 3, 7], [0, 1, 5, 7], [0, 2, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 4, 6, 7]];
    let mut tets = Vec::new();
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                for tet in corners {
                    tets.push(tet.iter().map(|c| id(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2))).collect());
                }
            }
        }
    }
    (positions, tets)
}

/// M + Σ w² G Gᵀ with random weights and G a random difference over each clique; positive definite.
fn system(n: usize, elements: &[Vec<u32>], positions: &[[f64; 3]], seed: u64) -> System {
    let exec = Exec::new(1);
    let mut random = Random(seed);
    let mut cliques = Cliques::new(n);
    for nodes in elements {
        assert!(cliques.push(nodes));
    }
    let new_to_old = order(&cliques, positions, &exec);
    assert_permutation(&new_to_old, n);
    let place = inverse(&new_to_old);
    cliques.renumber(&place);
    let mut system = System::from_pattern(&cliques);
    for i in 0..n {
        assert!(system.add(i, i, 0.1 + random.next()));
    }
    for nodes in elements {
        let g: Vec<f64> = nodes.iter().map(|_| random.next() - 0.5).collect();
        let w = 10.0 * random.next();
        for a in 0..nodes.len() {
            for b in 0..=a {
                let (i, j) = (place[nodes[a] as usize] as usize, place[nodes[b] as usize] as usize);
                // Both triangles are the same number: the pair (a, b) once, unless a node repeats.
                let twice = if a != b && i == j { 2.0 } else { 1.0 };
                assert!(system.add(i, j, twice * w * g[a] * g[b]));
            }
        }
    }
    system
}

fn assert_permutation(order: &[u32], n: usize) {
    assert_eq!(order.len(), n);
    let mut seen = vec![false; n];
    for &v in order {
        assert!(!std::mem::replace(&mut seen[v as usize], true), "node {v} twice");
    }
}

fn right_side(n: usize, seed: u64) -> Vec<Row> {
    let mut random = Random(seed);
    (0..n).map(|_| Row::new([random.next() - 0.5, random.next(), 10.0 * random.next()])).collect()
}

fn solve(system: &System, rhs: &[Row], threads: usize) -> Vec<Row> {
    let exec = Exec::new(threads);
    let cholesky = exec.install(|| Cholesky::new(system, &exec)).unwrap();
    let mut scratch = cholesky.scratch();
    let mut x = rhs.to_vec();
    exec.install(|| cholesky.solve(&mut x, &mut scratch, &exec));
    x
}

/// max |A x − b| / (max |A| max |x| + max |b|).
fn residual(system: &System, x: &[Row], rhs: &[Row]) -> f64 {
    let mut y = vec![Row::default(); x.len()];
    system.mul(x, &mut y);
    let largest = |rows: &[Row]| rows.iter().flat_map(|r| r.xyz()).fold(0.0, |m: f64, v| m.max(v.abs()));
    let off = y.iter().zip(rhs).flat_map(|(a, b)| (0..3).map(|c| a.0[c] - b.0[c]));
    let off = off.fold(0.0, |m: f64, v| m.max(v.abs()));
    let a = system.values().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    off / (a * largest(x) + largest(rhs))
}

/// Gaussian elimination with partial pivoting on the full matrix.
fn dense_solve(system: &System, rhs: &[Row]) -> Vec<[f64; 3]> {
    let n = system.n();
    let mut a = vec![vec![0.0; n + 3]; n];
    for j in 0..n {
        for p in system.col_ptr()[j]..system.col_ptr()[j + 1] {
            let i = system.row_idx()[p] as usize;
            a[i][j] = system.values()[p];
            a[j][i] = system.values()[p];
        }
        a[j][n..].copy_from_slice(&rhs[j].xyz());
    }
    for k in 0..n {
        let pivot = (k..n).max_by(|&p, &q| a[p][k].abs().total_cmp(&a[q][k].abs())).unwrap();
        a.swap(k, pivot);
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            for c in k..n + 3 {
                a[i][c] -= f * a[k][c];
            }
        }
    }
    let mut x = vec![[0.0; 3]; n];
    for k in (0..n).rev() {
        for c in 0..3 {
            let known: f64 = (k + 1..n).map(|j| a[k][j] * x[j][c]).sum();
            x[k][c] = (a[k][n + c] - known) / a[k][k];
        }
    }
    x
}

fn assert_solves(system: &System, seed: u64) {
    let rhs = right_side(system.n(), seed);
    let x = solve(system, &rhs, 1);
    assert!(residual(system, &x, &rhs) <= 1e-12, "residual {:e}", residual(system, &x, &rhs));
    if system.n() <= 300 {
        let exact = dense_solve(system, &rhs);
        let scale = exact.iter().flatten().fold(0.0, |m: f64, v| m.max(v.abs()));
        for (a, b) in x.iter().zip(&exact) {
            for c in 0..3 {
                assert!((a.0[c] - b[c]).abs() <= 1e-10 * scale, "{a:?} {b:?}");
            }
        }
    }
}

#[test]
fn random_graphs() {
    for n in [1, 2, 3, 5, 8, 9, 17, 40, 100, 250] {
        for seed in 1..6 {
            let mut random = Random(seed);
            let elements: Vec<Vec<u32>> =
                (0..2 * n).map(|k| (0..1 + k % 5).map(|_| random.below(n)).collect()).collect();
            assert_solves(&system(n, &elements, &[], seed), seed);
        }
    }
}

#[test]
fn boxes() {
    for cells in [[1, 1, 1], [4, 4, 4], [10, 1, 1], [12, 6, 6], [20, 16, 10]] {
        let (positions, tets) = box_mesh(cells);
        assert_solves(&system(positions.len(), &tets, &positions, 3), 4);
    }
}

#[test]
fn diagonal() {
    assert_solves(&system(100, &[], &[], 1), 2);
    assert_solves(&system(7000, &[], &vec![[0.0; 3]; 7000], 1), 2);
}

#[test]
fn no_nodes() {
    let system = System::from_pattern(&Cliques::new(0));
    assert!(order(&Cliques::new(0), &[], &Exec::new(1)).is_empty());
    assert!(solve(&system, &[], 1).is_empty());
}

#[test]
fn many_bodies() {
    // 600 boxes without a connection, all at the same place: more than one task, and no geometry to use.
    let (positions, tets) = box_mesh([3, 2, 2]);
    let n = positions.len();
    let mut all = Vec::new();
    for body in 0..600 {
        all.extend(tets.iter().map(|tet| tet.iter().map(|v| v + body * n as u32).collect::<Vec<u32>>()));
    }
    let positions: Vec<[f64; 3]> = (0..600 * n).map(|v| positions[v % n]).collect();
    assert_solves(&system(600 * n, &all, &positions, 5), 6);
}

#[test]
fn positions_that_say_nothing() {
    let (positions, tets) = box_mesh([24, 12, 12]);
    let n = positions.len();
    let numbers = |positions: &[[f64; 3]]| {
        let exec = Exec::new(1);
        Cholesky::new(&system(n, &tets, positions, 1), &exec).unwrap().bytes()
    };
    let good = numbers(&positions);
    let collapsed = vec![[1.0, 2.0, 3.0]; n];
    let mut broken = positions.clone();
    broken[5] = [f64::NAN, f64::INFINITY, 0.0];
    // The graph alone must give an order not much worse than the positions do.
    for other in [&collapsed[..], &[], &broken] {
        assert!((numbers(other) as f64) < 1.4 * good as f64, "{} {good}", numbers(other));
    }
}

#[test]
fn a_hub_and_its_spokes() {
    // One node coupled with all: no cut is balanced.
    let elements: Vec<Vec<u32>> = (1..6000).map(|v| vec![0, v]).collect();
    assert_solves(&system(6000, &elements, &vec![[0.0; 3]; 6000], 1), 2);
}

#[test]
fn one_large_clique() {
    // Wider than one cut of a supernode.
    let n = 1100;
    assert_solves(&system(n, &[(0..n as u32).collect()], &[], 1), 2);
}

#[test]
fn same_bits_on_any_number_of_threads() {
    let (positions, tets) = box_mesh([33, 16, 16]);
    let n = positions.len();
    let system = system(n, &tets, &positions, 7);
    let rhs = right_side(n, 8);
    let one = solve(&system, &rhs, 1);
    assert!(residual(&system, &one, &rhs) <= 1e-12);
    for threads in [2, 3, 8] {
        let other = solve(&system, &rhs, threads);
        for (a, b) in one.iter().zip(&other) {
            assert_eq!(a.0.map(f64::to_bits), b.0.map(f64::to_bits), "{threads} threads");
        }
    }
    // The order does not depend on threads either.
    let mut cliques = Cliques::new(n);
    for tet in &tets {
        assert!(cliques.push(tet));
    }
    let (one, two) = (Exec::new(1), Exec::new(2));
    let orders = (order(&cliques, &positions, &one), two.install(|| order(&cliques, &positions, &two)));
    assert_eq!(orders.0, orders.1);
}

#[test]
fn the_fourth_number_does_not_matter() {
    let (positions, tets) = box_mesh([5, 4, 3]);
    let n = positions.len();
    let system = system(n, &tets, &positions, 7);
    let rhs = right_side(n, 8);
    let mut other = rhs.clone();
    for row in &mut other {
        row.0[3] = f64::NAN;
    }
    for (a, b) in solve(&system, &rhs, 1).iter().zip(solve(&system, &other, 1)) {
        assert_eq!(a.xyz(), b.xyz());
    }
}

/// One right-hand side: the numbers of the solve for three, but for the order in which sums are taken, and the same bits on any number of threads.
/// In single precision the factor is that of a matrix whose entries are off by 2⁻²⁴ of Σ|L||L|ᵀ, at most (n + 2)·6e-8 of the diagonal: with a diagonal
/// of 0.1 or more and a norm below 400 the solution is right to 1e-3.
#[test]
fn one_right_hand_side() {
    for (cells, seed) in [([0, 0, 0], 1), ([1, 1, 1], 2), ([5, 4, 3], 3), ([12, 9, 9], 4), ([30, 15, 15], 5)]
    {
        let (positions, tets) = box_mesh(cells);
        let n = positions.len();
        let system = system(n, &tets, &positions, seed);
        let rhs = right_side(n, seed);
        let three = solve(&system, &rhs, 1);
        let one = |threads: usize, short: bool| {
            let exec = Exec::new(threads);
            exec.install(|| {
                let mut cholesky = Cholesky::new(&system, &exec).unwrap();
                cholesky.shorten(short, &exec);
                let mut x: Vec<f64> = rhs.iter().map(|r| r.0[1]).collect();
                cholesky.solve_one(&mut x, &mut SolveScratch::default(), short, &exec);
                x
            })
        };
        let size = three.iter().fold(0.0, |m: f64, r| m.max(r.0[1].abs()));
        let off =
            |x: &[f64]| x.iter().zip(&three).fold(0.0, |m: f64, (a, b)| m.max((a - b.0[1]).abs())) / size;
        let (exact, short) = (one(1, false), one(1, true));
        assert!(off(&exact) < 1e-12, "{cells:?}: {:.1e}", off(&exact));
        // In single precision something must be rounded, or it is not single.
        assert!(off(&short) < 1e-3 && (n < 100 || off(&short) > 1e-9), "{cells:?}: {:.1e}", off(&short));
        for threads in [2, 3] {
            assert_eq!((&exact, &short), (&one(threads, false), &one(threads, true)), "{cells:?}");
        }
    }
}

#[test]
fn refactor_is_as_good_as_new() {
    let (positions, tets) = box_mesh([30, 15, 15]);
    let n = positions.len();
    let (first, second) = (system(n, &tets, &positions, 1), system(n, &tets, &positions, 2));
    let exec = Exec::new(2);
    exec.install(|| {
        let mut refactored = Cholesky::new(&first, &exec).unwrap();
        refactored.refactor(&second, &exec).unwrap();
        let new = Cholesky::new(&second, &exec).unwrap();
        let (mut a, mut b) = (right_side(n, 3), right_side(n, 3));
        refactored.solve(&mut a, &mut refactored.scratch(), &exec);
        // A scratch that was not made for it will do as well.
        new.solve(&mut b, &mut SolveScratch::default(), &exec);
        assert_eq!(a, b);
        assert_eq!(new.bytes(), refactored.bytes());
        // Another pattern is refused.
        let smaller = system(10, &[], &[], 1);
        let mut cliques = Cliques::new(n);
        assert!(cliques.push(&[0, n as u32 - 1]));
        let mut elsewhere = System::from_pattern(&cliques);
        for i in 0..n {
            assert!(elsewhere.add(i, i, 1.0));
        }
        for other in [smaller, elsewhere] {
            assert_eq!(refactored.refactor(&other, &exec), Err(FactorError::OtherPattern));
        }
    });
}

#[test]
fn an_error_names_the_column() {
    let exec = Exec::new(1);
    let (positions, tets) = box_mesh([6, 5, 4]);
    let n = positions.len();
    for column in [0, 17, n - 1] {
        let mut bad = system(n, &tets, &positions, 1);
        assert!(bad.add(column, column, -1e4));
        match Cholesky::new(&bad, &exec) {
            Err(FactorError::NotPositive { column: named }) => assert_eq!(named, column),
            other => panic!("{other:?}"),
        }
        for value in [f64::NAN, f64::INFINITY] {
            let mut bad = system(n, &tets, &positions, 1);
            assert!(bad.add(column, column, value));
            assert_eq!(Cholesky::new(&bad, &exec).err(), Some(FactorError::NotPositive { column }));
        }
    }
    // Zero on the diagonal: not positive either.
    let zero = System::from_pattern(&Cliques::new(3));
    assert_eq!(Cholesky::new(&zero, &exec).err(), Some(FactorError::NotPositive { column: 0 }));
}

#[test]
fn the_pattern_takes_what_belongs_to_it() {
    let mut cliques = Cliques::new(4);
    assert!(cliques.push(&[2, 0, 2]));
    assert!(!cliques.push(&[1, 4]), "4 is not a node");
    let mut system = System::from_pattern(&cliques);
    assert_eq!(system.col_ptr(), [0, 2, 3, 4, 5]);
    assert_eq!(system.row_idx(), [0, 2, 1, 2, 3]);
    assert!(system.add(0, 2, 1.5) && system.add(2, 0, 1.0));
    assert!(!system.add(0, 1, 1.0) && !system.add(9, 0, 1.0) && !system.add(0, 9, 1.0));
    assert_eq!(system.values(), [0.0, 2.5, 0.0, 0.0, 0.0]);
    system.clear();
    assert_eq!(system.values(), [0.0; 5]);
}

/// Work that is handed to and fro between threads comes to an end, however often: a thread that keeps itself awake for more must not hold up what it
/// has already begun.
#[test]
fn threads_do_not_wait_for_each_other() {
    const ROUNDS: u64 = 40_000;
    let (say, hear) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let exec = Exec::new(2);
        let mut numbers = vec![0u64; 16];
        for round in 0..ROUNDS {
            exec.install(|| {
                for _ in 0..3 {
                    exec.for_each(&mut numbers, |i, n| {
                        for k in 0..(round + i as u64) % 50 {
                            *n = n.wrapping_mul(31).wrapping_add(std::hint::black_box(k));
                        }
                    });
                }
            });
            if round % 1000 == 999 {
                say.send(round).unwrap();
            }
        }
    });
    for _ in 0..ROUNDS / 1000 {
        let round = hear.recv_timeout(std::time::Duration::from_secs(20));
        assert!(round.is_ok(), "the threads wait for each other");
    }
}
