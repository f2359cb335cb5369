//! Times the global solve on box meshes: `cargo run --release --example global_bench [cells…]`.
//!
//! Each argument is a box, `48x24x24` cells of six tetrahedra; without arguments a list of them.
//! Prints, per box: nodes, numbers in the factor, set-up on two threads, and one solve of three right-hand
//! sides on one and two threads, with the rate at which one thread reads the factor (twice per solve) next
//! to the rate of a plain sum. 300k nodes are `112x51x51`.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::time::Instant;
use supple::exec::Exec;
use supple::global::{Cholesky, Cliques, System, inverse, order};
use supple::math::nodes::Row;

/// Six tetrahedra around the main diagonal of a cell, as corners 0…7 (bit 0 is x, 1 is y, 2 is z).
const TETS: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 1, 5, 7], [0, 2, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 4, 6, 7]];

fn box_mesh(cells: [usize; 3]) -> (Vec<[f64; 3]>, Vec<[u32; 4]>) {
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
    let mut tets = Vec::new();
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                for tet in TETS {
                    tets.push(tet.map(|c| id(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2))));
                }
            }
        }
    }
    (positions, tets)
}

/// The shortest of several runs, ms.
fn best(repeats: usize, mut f: impl FnMut()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..repeats {
        let start = Instant::now();
        f();
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
    best
}

/// Bytes per ns, i.e. GB/s, at which one thread sums an array; the best of some runs.
fn read_rate(array: &[f64], repeats: usize) -> f64 {
    let mut total = 0.0;
    let ms = best(repeats, || {
        let mut sum = [0.0; 16];
        for part in std::hint::black_box(array).chunks_exact(16) {
            for i in 0..16 {
                sum[i] += part[i];
            }
        }
        total += sum.iter().sum::<f64>();
    });
    std::hint::black_box(total);
    std::mem::size_of_val(array) as f64 / ms * 1e-6
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let boxes: Vec<[usize; 3]> = if arguments.is_empty() {
        vec![[16, 9, 9], [18, 9, 9], [33, 16, 16], [40, 20, 20], [48, 24, 24], [49, 24, 23], [78, 35, 35]]
    } else {
        let parse = |s: &String| {
            let v: Vec<usize> = s.split('x').map(|n| n.parse().unwrap()).collect();
            [v[0], v[1], v[2]]
        };
        arguments.iter().map(parse).collect()
    };
    let (one, two) = (Exec::new(1), Exec::new(2));
    println!(
        "ms; factor includes its packing; `memory` is one thread that sums an array of the factor's size, GB/s"
    );
    println!(
        "{:>8} {:>10} {:>7} | {:>7} {:>7} {:>8} | {:>8} {:>9} | {:>6} {:>6} {:>5} | residual",
        "nodes",
        "numbers",
        "MB",
        "order",
        "pattern",
        "factor",
        "1 thread",
        "2 threads",
        "GB/s",
        "memory",
        "part"
    );
    for cells in boxes {
        let (positions, tets) = box_mesh(cells);
        let n = positions.len();
        let mut cliques = Cliques::with_capacity(n, tets.len(), 4 * tets.len());
        for tet in &tets {
            assert!(cliques.push(tet));
        }
        let start = Instant::now();
        let new_to_old = two.install(|| order(&cliques, &positions, &two));
        let order_ms = start.elapsed().as_secs_f64() * 1e3;
        let old_to_new = inverse(&new_to_old);
        cliques.renumber(&old_to_new);
        let start = Instant::now();
        let mut system = System::from_pattern(&cliques);
        let pattern_ms = start.elapsed().as_secs_f64() * 1e3;
        for i in 0..n {
            assert!(system.add(i, i, 1.0));
        }
        for tet in &tets {
            for a in 0..4 {
                for b in 0..=a {
                    let (i, j) = (old_to_new[tet[a] as usize], old_to_new[tet[b] as usize]);
                    assert!(system.add(i as usize, j as usize, if a == b { 30.0 } else { -10.0 }));
                }
            }
        }
        let start = Instant::now();
        let cholesky = two.install(|| Cholesky::new(&system, &two)).unwrap();
        let factor_ms = start.elapsed().as_secs_f64() * 1e3;
        let mut scratch = cholesky.scratch();
        let rhs: Vec<Row> = (0..n).map(|i| Row::new([1.0, (i % 7) as f64, (i % 5) as f64 - 2.0])).collect();
        let mut x = rhs.clone();
        // In turns, so that a busy moment of the machine does not fall on one of them alone.
        let repeats = (40_000_000 / (cholesky.bytes() / 4)).clamp(2, 500);
        let array = vec![1.0; (cholesky.bytes() / 16).min(1 << 25)];
        let (mut solve_ms, mut memory) = ([f64::MAX; 2], 0.0f64);
        for _ in 0..5 {
            memory = memory.max(read_rate(&array, repeats));
            for (exec, ms) in [&one, &two].into_iter().zip(&mut solve_ms) {
                let round = exec.install(|| {
                    best(repeats, || {
                        x.copy_from_slice(&rhs);
                        cholesky.solve(&mut x, &mut scratch, exec);
                    })
                });
                *ms = ms.min(round);
            }
        }
        let mut y = rhs.clone();
        system.mul(&x, &mut y);
        let error =
            y.iter().zip(&rhs).flat_map(|(a, b)| (0..3).map(|c| (a.0[c] - b.0[c]).abs())).fold(0.0, f64::max);
        let rate = cholesky.bytes() as f64 / solve_ms[0] * 1e-6;
        println!(
            "{n:>8} {:>10} {:>7.1} | {order_ms:>7.1} {pattern_ms:>7.1} {factor_ms:>8.1} | {:>8.3} {:>9.3} | {rate:>6.1} {memory:>6.1} {:>5.2} | {error:.1e}",
            cholesky.bytes() / 16,
            cholesky.bytes() as f64 / 2e6,
            solve_ms[0],
            solve_ms[1],
            rate / memory,
        );
    }
}
